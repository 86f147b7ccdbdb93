"""Section A5: Quixo by minimax with alpha-beta.

The literal search is that of :mod:`ci_envs.reports.quixo_search`: all moves after the first one are moves of the
agent, and the depth grows as the legal moves become fewer. Our minimax with ``evaluation=false`` searches as report A
describes: the players alternate, and only won and lost games count.

The values of the first moves do not depend on the order of the moves or on the window at the root, because each first
move has an infinite window. So the order only breaks ties.
"""

from collections.abc import Sequence
from dataclasses import replace

from ci_envs.arena.results import Record
from ci_envs.reports.estimates import Estimate, median_of
from ci_envs.reports.matches import SEATS, wins_of
from ci_envs.reports.quixo_measurements import add_pruning, games_v_random, positions
from ci_envs.reports.quixo_search import ADAPTIVE, Mover, QuixoSearch, quixo_searcher
from ci_envs.reports.section import Panel, Plot, Series
from ci_envs.reports.section_run import SectionRun, section

LITERAL = QuixoSearch(ADAPTIVE, Mover.AGENT, shuffled=True)
"""The search as printed, with the depth that its author used."""

_ALTERNATING = replace(LITERAL, mover=Mover.ALTERNATING)
_DESCRIBED, _OURS = "minimax:depth=5,evaluation=false", "minimax:depth=5"
_REPORT_GAMES = 100  # of the author's own measurement
_BLOCK = 20  # games for one measurement of the time
_PRINTED_DEPTH, _PRINTED_DEPTH_GAMES = 5, 200


def _add_wins(run: SectionRun, quantity: str, records: Sequence[Record]) -> None:
    run.add(quantity, *(wins_of(record, report_games=_REPORT_GAMES) for record in records))


def _measure_matches(run: SectionRun) -> None:
    """Play the searches against random."""
    games = run.budget("games")
    blocks = [games_v_random(LITERAL, _BLOCK, run.seed + 2 * k) for k in range(run.budget("literal_games") // _BLOCK)]
    sides = sum(blocks[1:], blocks[0]), *(games_v_random(spec, games, run.seed) for spec in (_DESCRIBED, _OURS))
    _add_wins(run, "v random, both seats, wins", [side.total for side in sides])
    for seat, moving in enumerate(SEATS):
        _add_wins(run, f"v random, moving {moving}, wins", [side.seats[seat] for side in sides])
    seconds = median_of([block.seconds / _BLOCK for block in blocks], f"blocks of {_BLOCK} games")
    times = (Estimate.single(side.seconds / games, f"{games} games") for side in sides[1:])
    run.add("time of a game", seconds, *times)
    _add_wins(run, "alternating players, wins", [games_v_random(_ALTERNATING, games, run.seed).total])
    if not run.quick:
        fixed = games_v_random(replace(LITERAL, depth=_PRINTED_DEPTH), _PRINTED_DEPTH_GAMES, run.seed)
        _add_wins(run, f"as printed with a fixed depth of {_PRINTED_DEPTH}, wins", [fixed.total])


def _measure_depths(run: SectionRun) -> None:
    """Add the shares of games won by the number of plies after the first one, and their plot."""
    depths = (1, 2) if run.quick else (1, 2, 3)
    records = {
        (name, depth): games_v_random(search, run.budget("games"), run.seed).total
        for depth in run.steps(depths)
        for name, search in (
            ("one player", replace(LITERAL, depth=depth)),
            ("alternating players", replace(_ALTERNATING, depth=depth)),
            ("described", f"minimax:evaluation=false,depth={depth + 1}"),
            ("ours", f"minimax:depth={depth + 1}"),
        )
    }
    names = dict.fromkeys(name for name, _ in records)
    for name in list(names)[:2]:
        for depth in depths:
            columns = [records[column, depth] for column in (name, "described", "ours")]
            _add_wins(run, f"{name}, 1 + {depth} plies, wins", columns)
    plies = tuple(f"1 + {depth}" for depth in depths)
    series = (
        Series(name, plies, tuple(wins_of(records[name, depth]).value for depth in depths), "bars") for name in names
    )
    run.plots.append(Plot("depth", "Games won against random", "plies", "wins, %", (Panel("", tuple(series)),)))


def _measure_pruning(run: SectionRun) -> None:
    add_pruning(run, (LITERAL, _DESCRIBED, _OURS), positions(run.budget("positions"), run.seed))


SECTION = section(__file__, _measure_matches, _measure_depths, _measure_pruning, agents={"A5": quixo_searcher(LITERAL)})
