"""Section C: Monte Carlo tree search on tic-tac-toe.

:mod:`ci_envs.reports.report_c.literal_mcts` contains the literal search. Our ``mcts`` with ``proofs=false`` and
``exploration=1.41`` is the search that report C describes.
"""

from collections.abc import Sequence
from functools import partial

from ci_envs.agent_interface.decision import ask
from ci_envs.agent_interface.making import make_agent
from ci_envs.arena.results import Record, Side
from ci_envs.games.batch import start_words
from ci_envs.games.connect_n import ConnectN
from ci_envs.games.game import Game
from ci_envs.reports.estimates import mean_of, measured_share
from ci_envs.reports.matches import play_from_seat, points_of
from ci_envs.reports.report_c.literal_mcts import ITERATIONS, literal_mcts
from ci_envs.reports.section import AgentMaker
from ci_envs.reports.section_run import SectionRun, section

_OURS = f"mcts:simulations={ITERATIONS}"
_OURS_LARGE = f"{_OURS},proofs=false"  # our mcts with proofs plays any move once a draw is proven
_SPECS = "report:C", f"{_OURS},exploration=1.41,proofs=false", _OURS
_TIC_TAC_TOE = ConnectN(3, 3, 3)
_REPORT_GAMES, _BLOCK_GAMES = 100, 50  # games of a block on 3 x 3, and on a larger board
_REPAIRED: dict[str, AgentMaker] = {
    "signs repaired": partial(literal_mcts, signs_repaired=True),
    "ends repaired": partial(literal_mcts, ends_repaired=True),
    "both repaired": partial(literal_mcts, signs_repaired=True, ends_repaired=True),
}
_RESULTS = {"won": "wins", "lost": "losses", "drawn": "draws"}
"""The field of a record for each result."""


def _measure_report(run: SectionRun) -> None:
    """Add the rows of the published figures, and of the time of a move."""
    sides = _blocks(_TIC_TAC_TOE, _SPECS, run.budget("blocks"), _REPORT_GAMES, run.seed)
    records = [sum((side.total for side in each), Record()) for each in sides]
    for quantity, result in _RESULTS.items():
        shares = (measured_share(getattr(one, result), one.games, report_games=_REPORT_GAMES) for one in records)
        run.add(quantity, *shares)
    _add_times(run, "100 games", [[side.seconds for side in each] for each in sides])
    _add_times(run, "3 x 3, a move", [[side.ms_per_move for side in each] for each in sides])


def _add_times(run: SectionRun, quantity: str, times: Sequence[Sequence[float]], games: int = _REPORT_GAMES) -> None:
    run.add(quantity, *(mean_of(each, f"blocks of {games} games", least=0) for each in times))


def _measure_repaired(run: SectionRun) -> None:
    games = _REPORT_GAMES * run.budget("blocks")
    for name, maker in _REPAIRED.items():
        record = play_from_seat(maker(_TIC_TAC_TOE, run.seed), "random", games, seed=run.seed + 1).total
        for quantity, result in _RESULTS.items():
            run.add(f"{name}, {quantity}", measured_share(getattr(record, result), games))


def _measure_strong(run: SectionRun) -> None:
    """Add the rows of the games on 3 x 3 against perfect and greedy play. The search moves first."""
    games = run.budget("strong_games")
    for opponent, quantity, result in (("exact", "exact, lost", "losses"), ("minimax:depth=1", "greedy, wins", "wins")):
        records = (_games(_TIC_TAC_TOE, spec, opponent, games, run.seed).total for spec in _SPECS)
        run.add(f"3 x 3, v {quantity}", *(measured_share(getattr(record, result), games) for record in records))


def _measure_boards(run: SectionRun) -> None:
    """Add the rows of 4 x 4 and 5 x 5, where a full row, column or diagonal wins. A quick run has no such rows."""
    for size in run.steps(() if run.quick else (4, 5)):
        game, blocks = ConnectN(size, size, size), run.budget("blocks")
        games = blocks * _BLOCK_GAMES
        sides = _blocks(game, (*_SPECS[:2], _OURS_LARGE), blocks, _BLOCK_GAMES, run.seed)
        shares = (measured_share(sum(side.total.wins for side in each), games) for each in sides)
        run.add(f"{size} x {size}, v random, wins", *shares)
        _add_times(
            run, f"{size} x {size}, a move", [[side.ms_per_move for side in each] for each in sides], _BLOCK_GAMES
        )
        opponent = "minimax:depth=4"
        records = (_games(game, spec, opponent, games, run.seed).total for spec in _SPECS)
        run.add(f"{size} x {size}, v {opponent}, points", *map(points_of, records))
    bars = {"won": "3 x 3", **{f"{size} x {size}, v random, wins": f"{size} x {size}" for size in (4, 5)}}
    run.add_bars("boards", "Games won against random", "board", "wins, %", bars, "printed")


def _blocks(game: Game, specs: Sequence[str], blocks: int, games: int, seed: int) -> list[list[Side]]:
    """Play blocks of games of each search against random."""
    return [[_games(game, spec, "random", games, seed + 2 * block) for block in range(blocks)] for spec in specs]


def _games(game: Game, spec: str, opponent: str, games: int, seed: int) -> Side:
    """Play games in which the search moves first, as in report C."""
    agent = make_agent(spec, game, seed=seed)
    ask(agent, start_words(game, 0))  # compiles before the time is measured
    return play_from_seat(agent, opponent, games, seed=seed + 1)


SECTION = section(
    __file__, _measure_report, _measure_repaired, _measure_strong, _measure_boards, agents={"C": literal_mcts}
)
