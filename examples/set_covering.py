"""A solver of your own for set covering, next to those of the package.

A solver is a generator of its best solutions so far. ``optimise`` runs it with a time limit like any other solver. This
one repeats a greedy search with random choices and removes the sets that are not needed.

Run it with ``python examples/set_covering.py``, which takes about ten seconds; ``--n 500`` chooses another instance.
"""

from collections.abc import Iterator

import click
import numpy as np
from rich.console import Console
from rich.table import Table

from ci_envs.optimisation import Incumbent, SetCovering, optimise, set_covering

OTHERS = ("greedy", "greedy:rule=chvatal", "covering_genetic", "row_weighting:moves=5000", "branch_and_bound")


def random_greedy(problem: SetCovering, *, rounds: int = 1000, seed: int = 0) -> Iterator[Incumbent]:
    """Cover greedily with random choices, again and again; the work is the number of rounds.

    Args:
        problem: the instance.
        rounds: the number of covers to make.
        seed: the seed of the choices.
    """
    rng, best = np.random.default_rng(seed), np.ones(problem.loci, bool)
    for done in range(1, rounds + 1):
        cover = without_needless_sets(problem, random_cover(problem, rng))
        if problem.cost(cover) < problem.cost(best):
            best = cover
        yield Incumbent(best, problem.cost(best), done, problem.weight_bound)


def random_cover(problem: SetCovering, rng: np.random.Generator) -> np.ndarray:
    """Return a cover: each set is the best of a random half, by the cost per newly covered element."""
    cover, uncovered = np.zeros(problem.loci, bool), np.ones(problem.size, bool)
    while uncovered.any():
        new = problem.incidence[:, uncovered].sum(axis=1)
        candidates = np.flatnonzero((new > 0) & ((rng.random(problem.loci) < 0.5) | (new == new.max())))
        chosen = candidates[np.argmin(problem.costs[candidates] / new[candidates])]
        cover[chosen] = True
        uncovered &= ~problem.incidence[chosen]
    return cover


def without_needless_sets(problem: SetCovering, cover: np.ndarray) -> np.ndarray:
    """Return a cover without the sets that it does not need, the most expensive removed first."""
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
    """Solve an instance by each solver and print the table."""
    problem = set_covering(n)
    table = Table("solver", "weight", "lower bound", "seconds", title=f"{n} elements, {problem.loci} sets")
    for solver in (random_greedy, *OTHERS):
        result = optimise(problem, solver, seconds=seconds)
        name = solver if isinstance(solver, str) else "a solver of your own"
        weight = "none" if result.solution is None else f"{result.value:,.0f}"
        bound = "optimal" if result.optimal else "" if result.bound is None else f"{result.bound:,.0f}"
        table.add_row(name, weight, bound, f"{result.seconds:.1f}")
    Console().print(table)


if __name__ == "__main__":
    main()
