"""Section C: Monte Carlo tree search on tic-tac-toe.

:mod:`ci_envs.reports.report_c.literal_mcts` contains the literal search. Our ``mcts`` with ``proofs=false`` and
``exploration=1.41`` is the search that report C describes.
"""

from collections.abc import Iterator, Mapping, Sequence

from ci_envs.agent_interface.decision import ask
from ci_envs.agent_interface.making import make_agent
from ci_envs.arena.match import play_match
from ci_envs.arena.results import Record, Side
from ci_envs.games.batch import start_words
from ci_envs.games.connect_n import ConnectN
from ci_envs.reports.estimates import measured_share, share_in_games, spread_of_runs
from ci_envs.reports.report_c.literal_mcts import ITERATIONS, LiteralMCTSAgent, literal_mcts
from ci_envs.reports.section import (
    Claim,
    ClaimVerdict,
    FigureRow,
    Findings,
    Panel,
    Plot,
    RunOptions,
    Section,
    Series,
)

_DESCRIBED = f"mcts:simulations={ITERATIONS},exploration=1.41,proofs=false"
_OURS = f"mcts:simulations={ITERATIONS}"
_OURS_LARGE = f"{_OURS},proofs=false"  # our mcts with proofs plays any move once a draw is proven
_TIC_TAC_TOE = ConnectN(3, 3, 3)
_SECONDS = 40.0
_REPORT_GAMES = 100
_BLOCKS, _QUICK_BLOCKS = 4, 1  # blocks of 100 games
_BLOCK_GAMES, _BOARD_GAMES = 50, 200  # games of a measurement on a larger board or against optimal play
_MOST = 90  # percent
_REPAIRED = {
    "signs repaired": ({"signs_repaired": True}, "The result counts for the player who moved to a node."),
    "ends repaired": ({"ends_repaired": True}, "Finished positions are not expanded."),
    "both repaired": ({"signs_repaired": True, "ends_repaired": True}, "Both errors are repaired."),
}
"""The repairs of the literal search, with a description of each repair."""

_RESULTS = ("won", "wins", 79), ("lost", "losses", 19), ("drawn", "draws", 2)
"""Each result, its field of a record, and the figure of report C."""

_LITERAL = "literal"
_RANDOM_WINS = 58.5  # percentage of wins of X in games of random against random, exactly 58.49
_OURS_NOTE = "Ours stops the search when it has proven a draw, and then plays any drawing move."
_CHANCE_NOTE = "Ours differs from described only in the exploration constant, and chance explains the difference."
_TIME_NOTE = "On one core of our machine, in compiled code."


def run(options: RunOptions) -> Findings:
    """Play the search, its repaired versions and our search against random and strong opponents."""
    rows = [*_report_rows(options)]
    options.report_progress(0.2)
    repaired = _repaired_records(options)
    for name, record in repaired.items():
        rows += _repaired_rows(name, record)
    perfect = _perfect_row(options)
    options.report_progress(0.4)
    boards = list(_board_rows(options))
    claims = _better(rows[0]), _to_blame(repaired), _scales(boards), _tries(perfect)
    return Findings((*rows, perfect, *boards), claims, (_plot(rows[0], boards),))


def _report_rows(options: RunOptions) -> Iterator[FigureRow]:
    """Yield the rows of the published figures of report C, and of the time of a move."""
    blocks = _QUICK_BLOCKS if options.quick else _BLOCKS
    sides = [_blocks(_TIC_TAC_TOE, spec, blocks, _REPORT_GAMES, options.seed) for spec in (_LITERAL, _DESCRIBED, _OURS)]
    literal, described, ours = (sum((side.total for side in each), Record()) for each in sides)
    for quantity, result, figure in _RESULTS:
        measured = share_in_games(_share(literal, result), _REPORT_GAMES)
        shares = 100 * _share(described, result), 100 * _share(ours, result)
        yield FigureRow(quantity, figure, measured, *shares, _OURS_NOTE, "%")
    yield _time_row("100 games", _SECONDS, [[side.seconds for side in each] for each in sides], "s")
    yield _time_row("3 x 3, a move", None, [[side.ms_per_move for side in each] for each in sides], "ms")


def _time_row(quantity: str, report: float | None, times: Sequence[Sequence[float]], unit: str) -> FigureRow:
    literal, described, ours = map(spread_of_runs, times)
    return FigureRow(quantity, report, literal, described.value, ours.value, _TIME_NOTE, unit)


def _repaired_records(options: RunOptions) -> Mapping[str, Record]:
    game, games = _TIC_TAC_TOE, _REPORT_GAMES * (_QUICK_BLOCKS if options.quick else _BLOCKS)
    records = {}
    for name, (repairs, _) in _REPAIRED.items():
        agent = LiteralMCTSAgent(game, **repairs, seed=options.seed)
        opponent = make_agent("random", game, seed=options.seed + 1)
        records[name] = play_match(game, agent, opponent, games, swap_seats=False).sides[0].total
    return records


def _repaired_rows(name: str, record: Record) -> Iterator[FigureRow]:
    for quantity, result, _ in _RESULTS:
        measured = measured_share(getattr(record, result), record.games)
        yield FigureRow(f"{name}, {quantity}", None, measured, note=_REPAIRED[name][1], unit="%")


def _share(record: Record, result: str) -> float:
    games: int = getattr(record, result)
    return games / record.games


def _board_rows(options: RunOptions) -> Iterator[FigureRow]:
    """Yield the rows of 4 x 4 and 5 x 5, where a full row, column or diagonal wins. A quick run has no such rows."""
    for size in () if options.quick else (4, 5):
        game = ConnectN(size, size, size)
        specs = _LITERAL, _DESCRIBED, _OURS_LARGE
        sides = [_blocks(game, spec, _BLOCKS, _BLOCK_GAMES, options.seed) for spec in specs]
        wins = [sum(side.total.wins for side in each) for each in sides]
        games = _BOARD_GAMES
        measured = measured_share(wins[0], games)
        shares = 100 * wins[1] / games, 100 * wins[2] / games
        yield FigureRow(f"{size} x {size}, v random, wins", None, measured, *shares, _CHANCE_NOTE, "%")
        times = [[side.ms_per_move for side in each] for each in sides]
        yield _time_row(f"{size} x {size}, a move", None, times, "ms")
        yield _points_row(game, "minimax:depth=4", options)
        options.report_progress(0.4 + 0.3 * (size - 3))


def _blocks(game: ConnectN, spec: str, blocks: int, games: int, seed: int) -> list[Side]:
    """Play blocks of games against random."""
    return [_games(game, spec, "random", games, seed + 2 * block) for block in range(blocks)]


def _perfect_row(options: RunOptions) -> FigureRow:
    """Return the row of the games lost against optimal play. The search moves first."""
    games = _BLOCK_GAMES if options.quick else _BOARD_GAMES
    literal, described, ours = (
        _games(_TIC_TAC_TOE, spec, "exact", games, options.seed).total.losses for spec in (_LITERAL, _DESCRIBED, _OURS)
    )
    measured = measured_share(literal, games)
    return FigureRow("3 x 3, v exact, lost", None, measured, 100 * described / games, 100 * ours / games, unit="%")


def _points_row(game: ConnectN, opponent: str, options: RunOptions) -> FigureRow:
    """Return the row of the points against a strong opponent. The search moves first, and a draw is half a point."""
    games = _BOARD_GAMES
    specs = _LITERAL, _DESCRIBED, _OURS
    literal, described, ours = (_games(game, spec, opponent, games, options.seed).total for spec in specs)
    measured = measured_share(literal.wins + literal.draws // 2, games)
    quantity = f"{game.rows} x {game.cols}, v {opponent}, points"
    return FigureRow(quantity, None, measured, 100 * described.score, 100 * ours.score, unit="%")


def _games(game: ConnectN, spec: str, opponent: str, games: int, seed: int) -> Side:
    """Play games in which the search moves first, as in report C."""
    agent = LiteralMCTSAgent(game, seed=seed) if spec == _LITERAL else make_agent(spec, game, seed=seed)
    ask(agent, start_words(game, 0))  # compiles before the time is measured
    other = make_agent(opponent, game, seed=seed + 1)
    return play_match(game, agent, other, games, swap_seats=False).sides[0]


def _plot(won: FigureRow, boards: Sequence[FigureRow]) -> Plot:
    rows = won, *(row for row in boards if "wins" in row.quantity)
    names = ("3 x 3", "4 x 4", "5 x 5")[: len(rows)]
    series = (
        Series("literal", names, tuple(row.literal.value for row in rows), "bars"),
        Series("described", names, tuple(row.described or 0.0 for row in rows), "bars"),
        Series("ours", names, tuple(row.ours or 0.0 for row in rows), "bars"),
    )
    return Plot("boards", "Games won against random", "board", "wins, %", (Panel("", series),))


def _better(won: FigureRow) -> Claim:
    return Claim(
        "The search is better than random.",
        ClaimVerdict.HOLDS if won.literal.low > _RANDOM_WINS else ClaimVerdict.FAILS,
        f"It wins {won.literal.value:.1f}% of the games against random, and random as X wins {_RANDOM_WINS}%.",
    )


def _to_blame(repaired: Mapping[str, Record]) -> Claim:
    both = repaired["both repaired"]
    return Claim(
        "Random rollouts, no knowledge of the game and no pruning are the reasons for the games that it does not win.",
        ClaimVerdict.FAILS if both.losses == 0 else ClaimVerdict.UNKNOWN,
        f"With its two errors repaired the search has the same rollouts, and of {both.games} games it wins {both.wins},"
        f" loses {both.losses} and draws {both.draws}.",
    )


def _scales(boards: Sequence[FigureRow]) -> Claim:
    wins = [row for row in boards if "wins" in row.quantity]
    claim = "It would scale badly to 4 x 4 and 5 x 5."
    if not wins:
        return Claim(claim, ClaimVerdict.UNKNOWN, "A quick run does not play on these boards.")
    literal = " and ".join(f"{row.literal.value:.0f}%" for row in wins)
    described = " and ".join(f"{row.described:.0f}%" for row in wins)
    return Claim(
        claim,
        ClaimVerdict.FAILS if all((row.described or 0.0) > _MOST for row in wins) else ClaimVerdict.HOLDS,
        f"With the same {ITERATIONS} iterations the search as described wins {described} of the games against random,"
        f" and only the errors reduce this to {literal}.",
    )


def _tries(lost: FigureRow) -> Claim:
    tries = 100 / max(lost.literal.value, 1.0)
    return Claim(
        "A human needs two or three tries to win against it.",
        ClaimVerdict.HOLDS if round(tries) in (2, 3) else ClaimVerdict.FAILS,
        f"Perfect play as O wins {lost.literal.value:.0f}% of the games, so it needs {tries:.1f} tries on average; with"
        f" the errors repaired it wins {lost.described:.0f}%.",
    )


SECTION = Section(
    name="C",
    title="Monte Carlo tree search on tic-tac-toe",
    game="TicTacToe-v0",
    purpose="Play tic-tac-toe by Monte Carlo tree search with random rollouts.",
    conclusion=(
        "Two errors cost the lost games, not the random rollouts: with both repaired the same search with as many"
        " iterations loses no game, and it also wins nearly all games on larger boards."
    ),
    conditions=(
        "The search is X and moves first in all games, and O plays uniformly random moves. Each move has a new tree and"
        f" {ITERATIONS} iterations. Report C plays {_REPORT_GAMES} games, for which the first intervals are; we play"
        f" {_BLOCKS * _REPORT_GAMES} ({_QUICK_BLOCKS * _REPORT_GAMES} with --quick). The described version is"
        f" {_DESCRIBED}. Ours is {_OURS}, and {_OURS_LARGE} against random on larger boards, because with proofs it"
        " plays any drawing move once a draw is proven. On larger boards a full row, column or diagonal wins, and a row"
        f" has {_BOARD_GAMES} games."
    ),
    seconds=60,
    run=run,
    agents={"C": literal_mcts()},
)
