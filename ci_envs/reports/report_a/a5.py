"""Section A5: Quixo by minimax with alpha-beta.

The literal search is that of :mod:`ci_envs.reports.quixo_search`: all moves after the first one are moves of the
agent, and the depth grows as the legal moves become fewer. Our minimax with ``evaluation=false`` searches as report A
describes: the players alternate, and only won and lost games count.

The values of the first moves do not depend on the order of the moves or on the window at the root, because each first
move has an infinite window. So the order only breaks ties.
"""

from dataclasses import replace

import numpy as np

from ci_envs.reports.estimates import spread_of_runs
from ci_envs.reports.quixo_measurements import (
    games_v_random,
    positions,
    pruning_costs,
    pruning_rows,
    win_share,
    wins_in_games,
)
from ci_envs.reports.quixo_search import ADAPTIVE, Mover, QuixoSearch, quixo_searcher
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
_SEAT_NOTE = (
    "Report A gives no figure for each seat. An earlier literal re-implementation of ours won 96.5% of 200 games moving"
    " first and 87.0% moving second."
)


def run(options: RunOptions) -> Findings:
    """Play the searches against random, and count their nodes with and without alpha-beta."""
    rows = [*_match_rows(options)]
    options.report_progress(0.3)
    depth_rows, wins = _depth_rows(options)
    rows += depth_rows
    options.report_progress(0.6)
    cost_rows, claim = _cost_rows(options)
    rows += cost_rows
    options.report_progress(1.0)
    most = Claim(
        "The agent wins most games against random.",
        ClaimVerdict.HOLDS if rows[0].literal.value > 50 else ClaimVerdict.FAILS,
        f"The search as printed wins {rows[0].literal.value:.1f}%, and the one that is described"
        f" {rows[0].described:.1f}%.",
    )
    return Findings(tuple(rows), (most, claim), (wins,))


def _match_rows(options: RunOptions) -> list[FigureRow]:
    games = _QUICK_GAMES if options.quick else _GAMES
    literal_games = _QUICK_LITERAL_GAMES if options.quick else _LITERAL_GAMES
    blocks = [games_v_random(LITERAL, _BLOCK, options.seed + 2 * k) for k in range(literal_games // _BLOCK)]
    literal = sum(blocks[1:], blocks[0])
    described, ours = (games_v_random(spec, games, options.seed) for spec in (_DESCRIBED, _OURS))
    rows = []
    for name, report, seats, note in (
        ("both seats", 90, (0, 1), ""),
        ("moving first", None, (0,), _SEAT_NOTE),
        ("moving second", None, (1,), _SEAT_NOTE),
    ):
        shares = [np.mean([win_share(side.seats[seat]) for seat in seats]) for side in (literal, described, ours)]
        measured = wins_in_games(float(shares[0]), _REPORT_GAMES // 2 * len(seats))
        quantity = f"v random, {name}, wins"
        others = 100 * float(shares[1]), 100 * float(shares[2])
        rows.append(FigureRow(quantity, report, measured, *others, note, "%"))
    seconds = spread_of_runs([block.seconds / _BLOCK for block in blocks])
    times = described.seconds / games, ours.seconds / games
    rows.append(FigureRow("time of a game", 1.5, seconds, *times, _TIME_NOTE, "s"))
    alternating = games_v_random(replace(LITERAL, mover=Mover.ALTERNATING), games, options.seed)
    measured = wins_in_games(win_share(alternating.total), _REPORT_GAMES)
    rows.append(FigureRow("alternating players, wins", None, measured, note=_ADAPTIVE_NOTE, unit="%"))
    return rows


def _depth_rows(options: RunOptions) -> tuple[list[FigureRow], Plot]:
    """Return the share of games won by the number of plies after the first one, as rows and as a plot."""
    depths, games = (_QUICK_DEPTHS, _QUICK_GAMES) if options.quick else (_DEPTHS, _GAMES)
    rows, lines = [], {}
    names = {Mover.AGENT: "one player", Mover.ALTERNATING: "alternating players"}
    for mover, name in names.items():
        search = replace(LITERAL, mover=mover)
        sides = [games_v_random(replace(search, depth=depth), games, options.seed) for depth in depths]
        lines[name] = [100 * win_share(side.total) for side in sides]
    for name, spec in (("described", "minimax:evaluation=false,depth="), ("ours", "minimax:depth=")):
        sides = [games_v_random(f"{spec}{depth + 1}", games, options.seed) for depth in depths]
        lines[name] = [100 * win_share(side.total) for side in sides]
    for name in names.values():
        for place, depth in enumerate(depths):
            measured = wins_in_games(lines[name][place] / 100, _REPORT_GAMES)
            others = lines["described"][place], lines["ours"][place]
            rows.append(FigureRow(f"{name}, 1 + {depth} plies, wins", None, measured, *others, unit="%"))
    plies = tuple(f"1 + {depth}" for depth in depths)
    series = tuple(Series(name, plies, tuple(wins), "bars") for name, wins in lines.items())
    return rows, Plot("depth", "Games won against random", "plies", "wins, %", (Panel("", series),))


def _cost_rows(options: RunOptions) -> tuple[list[FigureRow], Claim]:
    """Return the nodes and seconds of a move without and with alpha-beta, and the claim about them."""
    words = positions(_QUICK_POSITIONS if options.quick else _POSITIONS, options.seed)
    literal, described, ours = (pruning_costs(search, words) for search in (LITERAL, _DESCRIBED, _OURS))
    claim = Claim(
        "Alpha-beta makes the search affordable.",
        ClaimVerdict.HOLDS if described.fewer_nodes > _MUCH else ClaimVerdict.FAILS,
        f"With 5 alternating plies it visits {described.fewer_nodes:,.0f} times fewer nodes and plays the same moves,"
        f" but the search as printed visits only {literal.fewer_nodes:.1f} times fewer, because it mostly looks 1 ply"
        " beyond its move, where an infinite window allows no cut.",
    )
    return pruning_rows("", literal, described, ours, _DEPTH_NOTE), claim


SECTION = Section(
    name="A5",
    title="Quixo by minimax with alpha-beta",
    game="Quixo-v0",
    purpose="Play Quixo by a depth-limited minimax that values won and lost games only.",
    conclusion=(
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
    agents={"A5": quixo_searcher(LITERAL)},
)
