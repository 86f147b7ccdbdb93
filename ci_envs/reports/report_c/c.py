"""Section C: Monte Carlo tree search on tic-tac-toe.

:mod:`ci_envs.reports.report_c.literal_mcts` contains the literal search. Our ``mcts`` with ``proofs=false`` and
``exploration=1.41`` is the search that report C describes.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ci_envs.agent_interface.decision import ask
from ci_envs.agent_interface.making import make_agent
from ci_envs.arena.match import play_match
from ci_envs.arena.results import Record, Side
from ci_envs.games.batch import start_words
from ci_envs.games.connect_n import ConnectN
from ci_envs.reports.claims import Cell, Claim, Column, Text, any_of
from ci_envs.reports.estimates import mean_of, measured_share
from ci_envs.reports.report_c.literal_mcts import ITERATIONS, LiteralMCTSAgent, literal_mcts
from ci_envs.reports.rows import FigureRow, figure_row
from ci_envs.reports.section import Findings, Panel, Plot, RunOptions, Section, Series
from ci_envs.reports.sources import Figure, printed

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

_WON, _LOST = "won", "lost"
_RESULTS = (_WON, "wins", 79), (_LOST, "losses", 19), ("drawn", "draws", 2)
"""Each result, its field of a record, and the figure of report C."""

_LITERAL = "literal"
_SPECS = _LITERAL, _DESCRIBED, _OURS
_SENTENCE = printed("the results of the 100 games")
_TIME = "100 games"
_EFFICIENT = 1  # seconds
_LARGE_SIZES, _STRONG = (4, 5), "minimax:depth=4"
_COLUMNS: tuple[Column, Column] = ("described", "literal")
_RANDOM_WINS = 58.5  # percentage of wins of X in games of random against random, exactly 58.49
_OURS_NOTE = "Ours stops the search when it has proven a draw, and then plays any drawing move."
_CHANCE_NOTE = "Ours differs from described only in the exploration constant, and chance explains the difference."


class _Opponent(NamedTuple):
    """A strong opponent on 3 x 3.

    Attributes:
        spec: The agent.
        quantity: The quantity of the row.
        result: The field of a record that is counted.
        note: The note of the row.
    """

    spec: str
    quantity: str
    result: str
    note: str = ""


_EXACT = _Opponent("exact", "3 x 3, v exact, lost", "losses")
_GREEDY = _Opponent(
    "minimax:depth=1",
    "3 x 3, v greedy, wins",
    "wins",
    f"Greedy is minimax:depth=1: it wins at once if it can, and blocks nothing. {_OURS_NOTE}",
)
_TIME_NOTE = "On one core of our machine, in compiled code."


def run(options: RunOptions) -> Findings:
    """Play the search, its repaired versions and our search against random and strong opponents."""
    rows = [*_report_rows(options)]
    options.report_progress(0.2)
    rows += _repaired_rows(options)
    for opponent in (_EXACT, _GREEDY):
        rows.append(_match_row(opponent, options))
    options.report_progress(0.4)
    rows += _board_rows(options)
    return Findings(tuple(rows), (_plot(rows),))


def _report_rows(options: RunOptions) -> Iterator[FigureRow]:
    """Yield the rows of the published figures of report C, and of the time of a move."""
    blocks = _QUICK_BLOCKS if options.quick else _BLOCKS
    sides = [_blocks(_TIC_TAC_TOE, spec, blocks, _REPORT_GAMES, options.seed) for spec in _SPECS]
    records = [sum((side.total for side in each), Record()) for each in sides]
    for quantity, result, figure in _RESULTS:
        shares = (measured_share(getattr(one, result), one.games, report_games=_REPORT_GAMES) for one in records)
        yield figure_row(quantity, Figure(figure, _SENTENCE), *shares, note=_OURS_NOTE, unit="%")
    seconds = [[side.seconds for side in each] for each in sides]
    yield _time_row(_TIME, seconds, "s", Figure(_SECONDS, _SENTENCE))
    yield _time_row("3 x 3, a move", [[side.ms_per_move for side in each] for each in sides], "ms")


def _time_row(quantity: str, times: Sequence[Sequence[float]], unit: str, report: Figure | None = None) -> FigureRow:
    estimates = (mean_of(each, f"blocks of {_REPORT_GAMES} games", least=0) for each in times)
    return figure_row(quantity, report, *estimates, note=_TIME_NOTE, unit=unit)


def _repaired_rows(options: RunOptions) -> Iterator[FigureRow]:
    game, games = _TIC_TAC_TOE, _REPORT_GAMES * (_QUICK_BLOCKS if options.quick else _BLOCKS)
    for name, (repairs, note) in _REPAIRED.items():
        agent = LiteralMCTSAgent(game, **repairs, seed=options.seed)
        opponent = make_agent("random", game, seed=options.seed + 1)
        record = play_match(game, agent, opponent, games, swap_seats=False).sides[0].total
        for quantity, result, _ in _RESULTS:
            measured = measured_share(getattr(record, result), record.games)
            yield figure_row(f"{name}, {quantity}", None, measured, note=note, unit="%")


def _match_row(opponent: _Opponent, options: RunOptions) -> FigureRow:
    """Return the row of the games on 3 x 3 against an opponent. The search moves first."""
    games = _BLOCK_GAMES if options.quick else _BOARD_GAMES
    records = (_games(_TIC_TAC_TOE, spec, opponent.spec, games, options.seed).total for spec in _SPECS)
    shares = (measured_share(getattr(record, opponent.result), games) for record in records)
    return figure_row(opponent.quantity, None, *shares, note=opponent.note, unit="%")


def _board_rows(options: RunOptions) -> Iterator[FigureRow]:
    """Yield the rows of 4 x 4 and 5 x 5, where a full row, column or diagonal wins. A quick run has no such rows."""
    for size in () if options.quick else _LARGE_SIZES:
        game = ConnectN(size, size, size)
        specs = _LITERAL, _DESCRIBED, _OURS_LARGE
        sides = [_blocks(game, spec, _BLOCKS, _BLOCK_GAMES, options.seed) for spec in specs]
        shares = (measured_share(sum(side.total.wins for side in each), _BOARD_GAMES) for each in sides)
        yield figure_row(_wins_on(size), None, *shares, note=_CHANCE_NOTE, unit="%")
        yield _time_row(f"{size} x {size}, a move", [[side.ms_per_move for side in each] for each in sides], "ms")
        records = (_games(game, spec, _STRONG, _BOARD_GAMES, options.seed).total for spec in _SPECS)
        points = (measured_share(one.wins + one.draws // 2, one.games) for one in records)
        yield figure_row(f"{size} x {size}, v {_STRONG}, points", None, *points, unit="%")
        options.report_progress(0.4 + 0.3 * (size - 3))


def _blocks(game: ConnectN, spec: str, blocks: int, games: int, seed: int) -> list[Side]:
    """Play blocks of games against random."""
    return [_games(game, spec, "random", games, seed + 2 * block) for block in range(blocks)]


def _games(game: ConnectN, spec: str, opponent: str, games: int, seed: int) -> Side:
    """Play games in which the search moves first, as in report C."""
    agent = LiteralMCTSAgent(game, seed=seed) if spec == _LITERAL else make_agent(spec, game, seed=seed)
    ask(agent, start_words(game, 0))  # compiles before the time is measured
    other = make_agent(opponent, game, seed=seed + 1)
    return play_match(game, agent, other, games, swap_seats=False).sides[0]


def _wins_on(size: int) -> str:
    return f"{size} x {size}, v random, wins"


def _plot(rows: Sequence[FigureRow]) -> Plot:
    boards = {"3 x 3": _WON, **{f"{size} x {size}": _wins_on(size) for size in _LARGE_SIZES}}
    by_quantity = {row.quantity: row for row in rows}
    drawn = {name: by_quantity[quantity] for name, quantity in boards.items() if quantity in by_quantity}
    series = (
        Series(column, tuple(drawn), tuple(row.columns[column].value for row in drawn.values()), "bars")
        for column in ("literal", "described", "ours")
    )
    return Plot("boards", "Games won against random", "board", "wins, %", (Panel("", tuple(series)),))


_CLAIMS = (
    Claim(
        "The search is better than random.",
        Cell(_WON) > _RANDOM_WINS,
        f"It wins {{:.1f}}% of the games against random, and random as X wins {_RANDOM_WINS}%.",
    ),
    Claim(
        "The search is not very efficient.",
        Cell(_TIME, "described") > _EFFICIENT,
        f"Report C takes {_SECONDS:.0f} s for 100 games. On our machine the literal search takes {{:.3f}} s, the one"
        f" that is described {{:.3f}} s and ours {{:.3f}} s; we call less than {_EFFICIENT} s efficient.",
        (Cell(_TIME), Cell(_TIME, "described"), Cell(_TIME, "ours")),
    ),
    Claim(
        "Random rollouts, no knowledge of the game and no pruning are the reasons for the games that it does not win.",
        Cell(f"both repaired, {_LOST}") > 1,
        "With its two errors repaired the search has the same rollouts, and it wins {:.1f}% of its games and loses"
        " {:.1f}%.",
        (Cell(f"both repaired, {_WON}"), Cell(f"both repaired, {_LOST}")),
    ),
    Claim(
        "It would scale badly to 4 x 4 and 5 x 5.",
        any_of(*(Cell(_wins_on(size), "described") < _MOST for size in _LARGE_SIZES)),
        f"With the same {ITERATIONS} iterations the search as described wins {{:.0f}}% and {{:.0f}}% of the games"
        f" against random, and only the errors reduce this to {{:.0f}}% and {{:.0f}}%; we call less than {_MOST}% bad.",
        tuple(Cell(_wins_on(size), column) for column in _COLUMNS for size in _LARGE_SIZES),
    ),
    Claim(
        "A human needs two or three tries to win against it.",
        (Cell(_EXACT.quantity) > 100 / 3.5) & (Cell(_EXACT.quantity) < 100 / 1.5),
        "Perfect play as O wins {:.0f}% of the games; two or three tries need 29 to 67%. With the errors repaired it"
        " wins {:.0f}%.",
        (Cell(_EXACT.quantity), Cell(_EXACT.quantity, "described")),
    ),
)


SECTION = Section(
    name="C",
    title="Monte Carlo tree search on tic-tac-toe",
    game="TicTacToe-v0",
    purpose="Play tic-tac-toe by Monte Carlo tree search with random rollouts.",
    conclusion=Text(
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
    claims=_CLAIMS,
    agents={"C": literal_mcts()},
)
