"""The best covers that we find for report B's instances.

They come from a local search with restarts, and from report B's greedy algorithm with any list as the first one.
"""

from functools import cache

import numpy as np

from ci_envs.optimisation.set_covering.problem import SetCovering
from ci_envs.optimisation.solving import optimise
from ci_envs.reports.estimates import Estimate
from ci_envs.reports.section import RunOptions

MOVES, _QUICK_MOVES = 100_000, 500
_RUNS, _QUICK_RUNS = 10, 1
_STARTS, _QUICK_STARTS = 500, 20

CONDITIONS = (
    f"Ours is the best cover of {_RUNS} runs of the solver row_weighting with {MOVES:,} moves ({_QUICK_RUNS} of"
    f" {_QUICK_MOVES} with --quick) and of the greedy covers from at most {_STARTS} first lists ({_QUICK_STARTS})."
)
"""A sentence on the conditions of :func:`best_weight`."""


def best_weight(problem: SetCovering, options: RunOptions) -> Estimate:
    """Return the least weight of some runs of our best heuristic and of the greedy covers from other starts."""
    moves, runs = (_QUICK_MOVES, _QUICK_RUNS) if options.quick else (MOVES, _RUNS)
    seeds = range(options.seed, options.seed + runs)
    found = [optimise(problem, f"row_weighting:moves={moves}", seed=seed).value for seed in seeds]
    starts = weights_of_starts(problem, options)
    sample = f"best of {runs} runs of {moves:,} moves and of {len(starts)} greedy starts"
    return Estimate.exact(min(*found, *starts))._replace(sample=sample)


@cache
def weights_of_starts(problem: SetCovering, options: RunOptions) -> tuple[float, ...]:
    """Return the weights of the greedy covers from all first lists, or from random ones if there are many."""
    starts = np.random.default_rng(options.seed).permutation(problem.loci)
    most = _QUICK_STARTS if options.quick else _STARTS
    return tuple(greedy_weight(problem, int(start)) for start in starts[:most])


def greedy_weight(problem: SetCovering, first: int) -> float:
    """Return the weight of the greedy cover that begins with a list.

    Args:
        problem: The instance.
        first: The index of the first list.
    """
    incidence, sizes = problem.incidence, problem.incidence.sum(axis=1)
    covered, weight, chosen = np.zeros(problem.size, dtype=np.bool_), 0.0, first
    while True:
        covered |= incidence[chosen]
        weight += float(problem.costs[chosen])
        if covered.all():
            return weight
        new = incidence[:, ~covered].sum(axis=1)
        useful = np.flatnonzero(new)
        ratios = (sizes - new)[useful] / new[useful]
        chosen = int(useful[np.lexsort((-new[useful], ratios))[0]])
