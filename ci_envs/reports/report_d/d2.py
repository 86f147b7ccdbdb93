"""Section D2: Quixo by minimax with alpha-beta.

The search is :data:`~ci_envs.reports.report_d.quixo_depths.ALPHA_BETA`. :mod:`ci_envs.reports.quixo_search` describes
it. Besides alpha-beta there is another difference from section D1: this search moves the cubes of the agent, and the
search of D1 moves the cubes of the opponent.
"""

from dataclasses import replace

from ci_envs.reports.quixo_search import quixo_searcher
from ci_envs.reports.report_d.quixo_depths import ALPHA_BETA, add_costs, add_same_moves, add_wins
from ci_envs.reports.section_run import section

SECTION = section(
    __file__,
    lambda run: add_wins(run, ALPHA_BETA, {4: 9}),
    lambda run: add_costs(run, ALPHA_BETA, 5),
    add_same_moves,
    agents={
        "D2": quixo_searcher(replace(ALPHA_BETA, depth=2)),
        **{f"D2:depth{depth}": quixo_searcher(replace(ALPHA_BETA, depth=depth)) for depth in (1, 2, 3, 4, 5)},
    },
)
