"""Section A5: Quixo by minimax with alpha-beta.

The literal search is that of :mod:`ci_envs.reports.quixo_search`: all moves after the first one are moves of the
agent, and the depth grows as the legal moves become fewer. Our minimax with ``evaluation=false`` searches as report A
describes: the players alternate, and only won and lost games count.

The values of the first moves do not depend on the order of the moves or on the window at the root, because each first
move has an infinite window. So the order only breaks ties.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from ci_envs.arena.results import Record
from ci_envs.reports.claims import Cell, Claim, Text
from ci_envs.reports.estimates import Estimate, median_of
from ci_envs.reports.quixo_measurements import (
    FEWER_NODES,
    games_v_random,
    positions,
    pruning_costs,
    pruning_rows,
    wins_of,
)
from ci_envs.reports.quixo_search import ADAPTIVE, Mover, QuixoSearch, quixo_searcher
from ci_envs.reports.rows import FigureRow, figure_row
from ci_envs.reports.section import Findings, Panel, Plot, RunOptions, Section, Series
from ci_envs.reports.sources import Figure, printed, rerun

LITERAL = QuixoSearch(ADAPTIVE, Mover.AGENT, shuffled=True)
"""The search as printed, with the depth that its author used."""

_DESCRIBED, _OURS = "minimax:depth=5,evaluation=false", "minimax:depth=5"
_REPORT_GAMES = 100  # of the author's own measurement
_GAMES, _QUICK_GAMES = 400, 20
_LITERAL_GAMES, _QUICK_LITERAL_GAMES = 4000, 200  # the literal search takes about 2 ms for a game
_BLOCK = 20  # games for one measurement of the time
_POSITIONS, _QUICK_POSITIONS = 5, 1
_DEPTHS, _QUICK_DEPTHS = (1, 2, 3), (1, 2)
_MUCH = 10  # times fewer nodes
_ADAPTIVE_NOTE = "Our minimax searches to a fixed depth."
_TIME_NOTE = "On one core of our machine, in compiled code."
_DEPTH_NOTE = "The literal search mostly looks 1 ply beyond its own move, and the other searches look 5 plies ahead."
_PRINTED_DEPTH, _PRINTED_DEPTH_GAMES = 5, 200
_WINS, _FIXED = "v random, both seats, wins", f"as printed with a fixed depth of {_PRINTED_DEPTH}, wins"
_SENTENCE = printed("Quixo, minimax: the sentence on its results")
_EARLIER = rerun("our first re-implementation of the printed code, 200 games from each seat")
_RERUN_NOTE = "Two other re-runs of the printed code by us won 178 of 200 and 91 of 100 games."
_FIXED_NOTE = "Report A prints the depth 5. The code that its author published makes it depend on the legal moves."


def run(options: RunOptions) -> Findings:
    """Play the searches against random, and count their nodes with and without alpha-beta."""
    rows = [*_match_rows(options)]
    options.report_progress(0.3)
    depth_rows, wins = _depth_rows(options)
    rows += depth_rows
    options.report_progress(0.6)
    words = positions(_QUICK_POSITIONS if options.quick else _POSITIONS, options.seed)
    rows += pruning_rows("", [pruning_costs(search, words) for search in (LITERAL, _DESCRIBED, _OURS)], _DEPTH_NOTE)
    options.report_progress(1.0)
    return Findings(tuple(rows), (wins,))


def _match_rows(options: RunOptions) -> Iterator[FigureRow]:
    games = _QUICK_GAMES if options.quick else _GAMES
    literal_games = _QUICK_LITERAL_GAMES if options.quick else _LITERAL_GAMES
    blocks = [games_v_random(LITERAL, _BLOCK, options.seed + 2 * k) for k in range(literal_games // _BLOCK)]
    sides = sum(blocks[1:], blocks[0]), *(games_v_random(spec, games, options.seed) for spec in (_DESCRIBED, _OURS))
    yield _wins_row(_WINS, [side.total for side in sides], report=Figure(90, _SENTENCE), note=_RERUN_NOTE)
    for seat, moving, figure in ((0, "first", 96.5), (1, "second", 87.0)):
        records = [side.seats[seat] for side in sides]
        yield _wins_row(f"v random, moving {moving}, wins", records, report=Figure(figure, _EARLIER))
    seconds = median_of([block.seconds / _BLOCK for block in blocks], f"blocks of {_BLOCK} games")
    times = (Estimate.single(side.seconds / games, f"{games} games") for side in sides[1:])
    yield figure_row("time of a game", Figure(1.5, _SENTENCE), seconds, *times, note=_TIME_NOTE, unit="s")
    alternating = games_v_random(replace(LITERAL, mover=Mover.ALTERNATING), games, options.seed)
    yield _wins_row("alternating players, wins", [alternating.total], note=_ADAPTIVE_NOTE)
    if not options.quick:
        fixed = games_v_random(replace(LITERAL, depth=_PRINTED_DEPTH), _PRINTED_DEPTH_GAMES, options.seed)
        yield _wins_row(_FIXED, [fixed.total], note=_FIXED_NOTE)


def _wins_row(quantity: str, records: Sequence[Record], *, report: Figure | None = None, note: str = "") -> FigureRow:
    estimates = (wins_of(record, report_games=_REPORT_GAMES) for record in records)
    return figure_row(quantity, report, *estimates, note=note, unit="%")


def _depth_rows(options: RunOptions) -> tuple[list[FigureRow], Plot]:
    """Return the share of games won by the number of plies after the first one, as rows and as a plot."""
    depths, games = (_QUICK_DEPTHS, _QUICK_GAMES) if options.quick else (_DEPTHS, _GAMES)
    searches: dict[str, Callable[[int], QuixoSearch | str]] = {
        "one player": lambda depth: replace(LITERAL, depth=depth),
        "alternating players": lambda depth: replace(LITERAL, mover=Mover.ALTERNATING, depth=depth),
        "described": lambda depth: f"minimax:evaluation=false,depth={depth + 1}",
        "ours": lambda depth: f"minimax:depth={depth + 1}",
    }
    records = {
        name: [games_v_random(search(depth), games, options.seed).total for depth in depths]
        for name, search in searches.items()
    }
    rows = [
        _wins_row(
            f"{name}, 1 + {depth} plies, wins", [records[column][place] for column in (name, "described", "ours")]
        )
        for name in ("one player", "alternating players")
        for place, depth in enumerate(depths)
    ]
    plies = tuple(f"1 + {depth}" for depth in depths)
    series = (
        Series(name, plies, tuple(wins_of(record).value for record in found), "bars") for name, found in records.items()
    )
    return rows, Plot("depth", "Games won against random", "plies", "wins, %", (Panel("", tuple(series)),))


_CLAIMS = (
    Claim(
        "The agent wins most games against random.",
        Cell(_WINS) > 50,
        "The search as printed wins {:.1f}%, and the one that is described {:.1f}%.",
        (Cell(_WINS), Cell(_WINS, "described")),
    ),
    Claim(
        "Alpha-beta makes the search affordable.",
        Cell(FEWER_NODES, "described") > _MUCH,
        "With 5 alternating plies it visits {:,.0f} times fewer nodes, but the search as printed visits only {:.1f}"
        " times fewer, because it mostly looks 1 ply beyond its move, where an infinite window allows no cut.",
        (Cell(FEWER_NODES, "described"), Cell(FEWER_NODES)),
    ),
)


SECTION = Section(
    name="A5",
    title="Quixo by minimax with alpha-beta",
    game="Quixo-v0",
    purpose="Play Quixo by a depth-limited minimax that values won and lost games only.",
    conclusion=Text(
        "The printed search wins most games, although one player makes all moves of its search and the search mostly"
        " looks one ply beyond its own move. With players that alternate, a search of two plies wins nearly all games,"
        " and alpha-beta visits far fewer nodes."
    ),
    conditions=(
        "The opponent plays uniformly random legal moves, and the seats alternate. Games follow our rules: a player who"
        " completes a line of the opponent loses. The literal search tests lines as report A does. The literal search"
        f" plays {_LITERAL_GAMES:,} games ({_QUICK_LITERAL_GAMES} with --quick), the other measurements have {_GAMES}"
        f" games ({_QUICK_GAMES}), and the intervals are those of the 100 games of report A. The described version is"
        f" {_DESCRIBED}, and ours is {_OURS}. Nodes and times are means over {_POSITIONS} positions after 4 to 20"
        f" random plies ({_QUICK_POSITIONS} with --quick)."
    ),
    seconds=100,
    run=run,
    claims=_CLAIMS,
    agents={"A5": quixo_searcher(LITERAL)},
)
