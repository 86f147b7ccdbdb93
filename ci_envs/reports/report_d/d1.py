"""Section D1: Quixo by minimax.

The search is :data:`~ci_envs.reports.report_d.quixo_depths.MINIMAX`. :mod:`ci_envs.reports.quixo_search` describes it.
"""

from dataclasses import replace

from ci_envs.reports.matches import wins_of
from ci_envs.reports.quixo_measurements import QUIXO, games_v_random
from ci_envs.reports.quixo_search import Leaf, quixo_searcher
from ci_envs.reports.report_d.quixo_depths import MINIMAX, add_costs, add_wins
from ci_envs.reports.section_run import SectionRun, section

_TRILLION = 10.0**12


def _measure_boards(run: SectionRun) -> None:
    """Add the row on the number of boards: all boards, and those that differ after turning and reflecting."""
    cells = QUIXO.size**2
    cycles = {cells: 1, (cells + 1) // 2: 1, (cells + 3) // 4: 2, (cells + QUIXO.size) // 2: 4}
    different = sum(count * 3**kept for kept, count in cycles.items()) / 8  # by Burnside's lemma
    counts = (2 * 3**cells / _TRILLION, 2 * 3**cells / _TRILLION, 2 * different / _TRILLION)
    run.add("boards with the player to move, in 10^12", *counts)


def _measure_random_leaf(run: SectionRun) -> None:
    search = replace(MINIMAX, depth=2, leaf=Leaf.RANDOM_GAME, pruning=True)
    literal = wins_of(games_v_random(search, run.budget("random_leaf_games"), run.seed).total, report_games=5)
    others = run.row("depth 2, v random, wins")
    run.add("depth 2, leaf a random game, v random in 5 games, wins", literal, others.described, others.ours)


SECTION = section(
    __file__,
    _measure_boards,
    lambda run: add_wins(run, MINIMAX, {2: 10}),
    _measure_random_leaf,
    lambda run: add_costs(run, MINIMAX, 3),
    agents={
        "D1": quixo_searcher(replace(MINIMAX, depth=2)),
        **{f"D1:depth{depth}": quixo_searcher(replace(MINIMAX, depth=depth)) for depth in (1, 2, 3)},
    },
)
