"""The best covers that we find for report B's instances.

They come from a local search with restarts, and from report B's greedy algorithm with any list as the first one.
"""

from functools import cache

import numpy as np

from ci_envs.optimisation.set_covering.greedy import select_greedily
from ci_envs.optimisation.set_covering.problem import SetCovering
from ci_envs.reports.estimates import Estimate
from ci_envs.reports.optimised import optimised
from ci_envs.reports.section_run import SectionRun


def best_weight(problem: SetCovering, run: SectionRun) -> Estimate:
    """Return the least weight of some runs of our best heuristic and of the greedy covers from other starts."""
    moves, seeds = run.budget("moves"), run.seeds("searches")
    found = [optimised(problem, f"row_weighting:moves={moves}", seed=seed).value for seed in seeds]
    starts = weights_of_starts(problem, run)
    sample = f"best of {len(seeds)} runs of {moves:,} moves and of {len(starts)} greedy starts"
    return Estimate.exact(min(*found, *starts))._replace(sample=sample)


def weights_of_starts(problem: SetCovering, run: SectionRun) -> tuple[float, ...]:
    """Return the weights of the greedy covers from all first lists, or from random ones if there are many."""
    starts = np.random.default_rng(run.seed).permutation(problem.loci)[: run.budget("starts")]
    return tuple(greedy_weight(problem, start) for start in starts.tolist())


@cache
def greedy_weight(problem: SetCovering, first: int) -> float:
    """Return the weight of the greedy cover that begins with a list.

    Args:
        problem: The instance.
        first: The index of the first list.
    """
    selected, _ = select_greedily(problem, "overlap", first)
    return problem.cost(selected)


def bloat(weight: float, n: int) -> float:
    """Return by how many percent the weight of a cover exceeds N, rounded as report B rounds."""
    return round(100 * (weight - n) / n)
