"""Write your own solver for set covering, and compare it with solvers of the package.

A solver is a generator that yields its best solution so far. ``optimise`` runs a solver with a time limit. The solver
of this example repeats a greedy search with random choices, and removes redundant sets from the covers.

Run it with ``python examples/set_covering.py``, which takes about ten seconds. ``--n 500`` chooses another instance.
"""

from collections.abc import Iterator

import click
import numpy as np
from rich.console import Console
from rich.table import Table

from ci_envs.optimisation import Incumbent, SetCovering, optimise, set_covering

OTHERS = ("greedy", "greedy:rule=overlap", "covering_genetic", "row_weighting:moves=5000", "branch_and_bound")


def random_greedy(problem: SetCovering, *, rounds: int = 1000, seed: int = 0) -> Iterator[Incumbent]:
    """Yield the best cover after each round of a greedy search with random choices.

    Args:
        problem: The instance.
        rounds: The number of rounds, which is the amount of work.
        seed: The seed of the choices.
    """
    rng, best = np.random.default_rng(seed), np.ones(problem.loci, bool)
    for done in range(1, rounds + 1):
        cover = without_redundant_sets(problem, random_cover(problem, rng))
        if problem.cost(cover) < problem.cost(best):
            best = cover
        yield Incumbent(best, problem.cost(best), done, problem.weight_bound)


def random_cover(problem: SetCovering, rng: np.random.Generator) -> np.ndarray:
    """Return a cover. Each set has the least cost per newly covered element in a random half of the sets."""
    cover, uncovered = np.zeros(problem.loci, bool), np.ones(problem.size, bool)
    while uncovered.any():
        new = problem.incidence[:, uncovered].sum(axis=1)
        candidates = np.flatnonzero((new > 0) & ((rng.random(problem.loci) < 0.5) | (new == new.max())))
        chosen = candidates[np.argmin(problem.costs[candidates] / new[candidates])]
        cover[chosen] = True
        uncovered &= ~problem.incidence[chosen]
    return cover


def without_redundant_sets(problem: SetCovering, cover: np.ndarray) -> np.ndarray:
    """Return a cover without redundant sets. The function removes expensive sets first."""
    counts = problem.incidence[cover].sum(axis=0)
    for index in sorted(np.flatnonzero(cover), key=lambda index: -problem.costs[index]):
        if (counts[problem.incidence[index]] > 1).all():
            cover[index] = False
            counts -= problem.incidence[index]
    return cover


@click.command()
@click.option("--n", default=100, show_default=True, type=click.IntRange(min=5), help="The number of elements.")
@click.option("--seconds", default=3.0, show_default=True, help="Time limit of each solver.")
def main(n: int, seconds: float) -> None:
    """Solve an instance by each solver, and print a table."""
    problem = set_covering(n)
    table = Table("solver", "weight", "lower bound", "seconds", title=f"{n} elements, {problem.loci} sets")
    for solver in (random_greedy, *OTHERS):
        result = optimise(problem, solver, seconds=seconds)
        name = solver if isinstance(solver, str) else "your own solver"
        weight = "none" if result.solution is None else f"{result.value:,.0f}"
        bound = "optimal" if result.optimal else "" if result.bound is None else f"{result.bound:,.0f}"
        table.add_row(name, weight, bound, f"{result.seconds:.1f}")
    Console().print(table)


if __name__ == "__main__":
    main()
