"""The genetic algorithm of a lab report of 2023, on :mod:`ci_envs.optimisation.evolution`."""

from collections.abc import Iterator

import numpy as np

from ci_envs.optimisation.bit_string.black_box import BlackBox
from ci_envs.optimisation.evolution.crossover import Crossover, OnePoint, Uniform
from ci_envs.optimisation.evolution.engine import Plan, evolve
from ci_envs.optimisation.evolution.initial import Initial, RandomBits
from ci_envs.optimisation.evolution.mutation import BitFlip
from ci_envs.optimisation.evolution.parameters import Genomes, Values
from ci_envs.optimisation.evolution.selection import ByKey, Selection, TournamentSelection
from ci_envs.optimisation.evolution.survival import Comma, Plus, Survival
from ci_envs.optimisation.problem import Problem
from ci_envs.optimisation.solving import Incumbent
from ci_envs.validation import integer_between, nonnegative_number, one_of

_CROSSOVERS: dict[str | None, Crossover | None] = {"uniform": Uniform(), "one_point": OnePoint(), None: None}


def genetic(
    problem: Problem,
    parents: str = "fitness",
    *,
    population: int = 50,
    offspring: int = 50,
    crossover: str | None = "uniform",
    tournament: int = 3,
    flips: float = 1.0,
    calls: int = 26_000,
    seed: int = 0,
) -> Iterator[Incumbent]:
    """Genetic algorithm with one population; the work is the number of fitness calls.

    Args:
        problem: the problem to solve.
        parents: the selection of parents: ``fitness``, or ``ones``, which assumes that ones are good (:func:`plan_of`).
        population: the number of genomes that survive, from 1 to ``calls``.
        offspring: the number of genomes made per generation.
        crossover: ``uniform``, ``one_point``, or None; None with parents by fitness gives a (mu + lambda) evolution.
        tournament: the tournament size of the selection of parents; 1 selects uniformly.
        flips: the mean number of bits of a child that flip, from 0 to the number of loci.
        calls: the maximum number of fitness calls; the search ends when too few are left for another generation.
        seed: the seed of all random numbers, 0 to 2^64 - 1.

    Raises:
        ValueError: a value is out of range, or the values do not fit together.
    """
    box = BlackBox(problem, calls)
    plan = plan_of(box.loci, parents, population, offspring, crossover, tournament, flips)
    integer_between("population", population, 1, calls)
    return run_plan(box, plan, RandomBits(box.loci), seed)


def run_plan(box: BlackBox, plan: Plan, initial: Initial, seed: int) -> Iterator[Incumbent]:
    """Evolve a population until too few calls are left for another generation.

    Args:
        box: the fitness.
        plan: the evolutionary algorithm.
        initial: makes the initial genomes.
        seed: the seed of all random numbers, 0 to 2^64 - 1.

    Yields:
        The best solution so far, after each generation.
    """
    for _ in evolve(plan, lambda genomes, _: box.fitness(genomes), initial, seed=seed):
        yield box.incumbent()
        if box.remaining < plan.offspring:
            return


def plan_of(
    loci: int, parents: str, population: int, offspring: int, crossover: str | None, tournament: int, flips: float
) -> Plan:
    """Return the evolutionary algorithm of the arguments of :func:`genetic`.

    With parents by ``fitness`` the best of parents and offspring survive. With parents by ``ones`` a tournament is won
    by the genome with the most ones, whatever its fitness. This is not a black-box method: it assumes that all ones is
    the optimum. Then the offspring replace the parents. If the fittest parents could survive, they would undo the
    selection by ones, because fitness leads away from all ones.

    Args:
        loci: the number of bits of a genome.
        parents: see :func:`genetic`; so are the others.
        population: the number of genomes that survive.
        offspring: the number of genomes made per generation.
        crossover: the name of the crossover, or None.
        tournament: the tournament size.
        flips: the mean number of bits of a child that flip.

    Raises:
        ValueError: a value is out of range, or the values do not fit together.
    """
    selection = TournamentSelection(tournament)
    schemes: dict[str, tuple[Selection, Survival]] = {
        "fitness": (selection, Plus()),
        "ones": (ByKey(_count_ones, selection), Comma()),
    }
    one_of("parents", parents, schemes)
    if nonnegative_number("flips", flips) > loci:
        raise ValueError(f"flips must be a number from 0 to the {loci} loci, not {flips!r}")
    select, survive = schemes[parents]
    mutate = BitFlip(flips / loci)
    return Plan(population, offspring, mutate, select, crossover_named(crossover), survive=survive)


def crossover_named(name: str | None) -> Crossover | None:
    """Return the crossover ``uniform`` or ``one_point``; None for no crossover.

    Raises:
        ValueError: the name is unknown.
    """
    if name not in _CROSSOVERS:
        raise ValueError(f"crossover must be uniform, one_point or none, not {name!r}")
    return _CROSSOVERS[name]


def _count_ones(genomes: Genomes) -> Values:
    counts: Values = genomes.sum(axis=1, dtype=np.float64)
    return counts
