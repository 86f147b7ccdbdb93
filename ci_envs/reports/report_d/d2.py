"""Section D2: Quixo by minimax with alpha-beta.

The search is :data:`~ci_envs.reports.report_d.quixo_depths.ALPHA_BETA`. :mod:`ci_envs.reports.quixo_search` describes
it. Besides alpha-beta there is another difference from section D1: this search moves the cubes of the agent, and the
search of D1 moves the cubes of the opponent.
"""

from dataclasses import replace

from ci_envs.reports.claims import Cell, Claim, Text, all_of
from ci_envs.reports.quixo_measurements import FEWER_NODES, SAME_MOVES
from ci_envs.reports.quixo_search import quixo_searcher
from ci_envs.reports.report_d.quixo_depths import (
    ALPHA_BETA,
    CONDITIONS,
    DEEPER_CLAIM,
    PRUNING_DEPTHS,
    longest_move_rows,
    pair_rows,
    pruning_by_depth,
    same_as_minimax,
    same_move_rows,
    win_row,
    win_rows,
    wins_by_depth,
    wins_plot,
)
from ci_envs.reports.section import Findings, RunOptions, Section
from ci_envs.reports.sources import Figure, published

_WINS = {1: 80.0, 2: 100.0, 3: 73.3, 4: 93.3}
_SECONDS = {1: 0.23, 2: 2.1, 3: 15.0, 4: 111.0, 5: 470.0}
_PUBLISHED = published("the results of alpha-beta in a later version of the report, by one of its authors")
_DEEPEST = PRUNING_DEPTHS[-1]
_SAME = 99  # percent of the moves


def run(options: RunOptions) -> Findings:
    """Measure the search by depth."""
    wins = wins_by_depth(ALPHA_BETA, options)
    options.report_progress(0.3)
    rows = [*win_rows(wins, _WINS, _PUBLISHED)]
    if 4 in wins["literal"]:  # not in a quick run
        rows.append(win_row("depth 4, v random in 9 games, wins", 4, wins, Figure(100, _PUBLISHED), 9))
    rows += [*pair_rows(ALPHA_BETA, options), *longest_move_rows(ALPHA_BETA, _SECONDS, _PUBLISHED, options)]
    options.report_progress(0.6)
    rows += pruning_by_depth(ALPHA_BETA, options)
    options.report_progress(0.8)
    rows += same_move_rows(options)
    options.report_progress(1.0)
    return Findings(tuple(rows), (wins_plot(wins, _WINS),))


_CLAIMS = (
    DEEPER_CLAIM,
    Claim(
        "Alpha-beta plays the same moves as minimax, faster.",
        all_of(
            Cell(f"depth {_DEEPEST}, {FEWER_NODES}") > 1,
            *(Cell(same_as_minimax(depth)) > _SAME for depth in PRUNING_DEPTHS),
        ),
        f"At depth {_DEEPEST} alpha-beta visits {{:.0f}} times fewer nodes and plays {{:.0f}}% of the moves of the same"
        " search without it. But the two searches of report D move different cubes and agree in only {:.0f}%, {:.0f}%"
        f" and {{:.0f}}% of the positions at depths 1 to {_DEEPEST}.",
        (
            Cell(f"depth {_DEEPEST}, {FEWER_NODES}"),
            Cell(f"depth {_DEEPEST}, {SAME_MOVES}"),
            *(Cell(same_as_minimax(depth)) for depth in PRUNING_DEPTHS),
        ),
    ),
)

SECTION = Section(
    name="D2",
    title="Quixo by minimax with alpha-beta",
    game="Quixo-v0",
    purpose="Search as deep as section D1 in less time, by alpha-beta.",
    conclusion=Text(
        "Alpha-beta changes no move and visits far fewer nodes. But this search moves the agent's cubes where section"
        " D1 moves the opponent's, so the two play different moves."
    ),
    conditions=CONDITIONS,
    seconds=120,
    run=run,
    claims=_CLAIMS,
    agents={
        "D2": quixo_searcher(replace(ALPHA_BETA, depth=2)),
        **{f"D2:depth{depth}": quixo_searcher(replace(ALPHA_BETA, depth=depth)) for depth in _SECONDS},
    },
)
