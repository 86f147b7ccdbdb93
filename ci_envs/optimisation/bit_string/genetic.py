"""The genetic algorithm of a lab report of 2023, on the engine of :mod:`ci_envs.agents.evolution`."""

from collections.abc import Iterator

import numpy as np

from ci_envs.optimisation.bit_string.box import Box
from ci_envs.optimisation.evolution.crossover import Crossover, OnePoint, Uniform
from ci_envs.optimisation.evolution.engine import Plan, evolve
from ci_envs.optimisation.evolution.initial import Initial, RandomBits
from ci_envs.optimisation.evolution.mutation import BitFlip
from ci_envs.optimisation.evolution.parameters import Genomes, Values
from ci_envs.optimisation.evolution.selection import ByKey, Selection, TournamentSelection
from ci_envs.optimisation.evolution.survival import Comma, Plus, Survival
from ci_envs.optimisation.problem import Problem
from ci_envs.optimisation.solving import Found
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
) -> Iterator[Found]:
    """Evolve one population.

    Args:
        problem: what is to be solved.
        parents: ``fitness`` or ``ones``, which looks into the box (:func:`plan_of`).
        population: genomes that live on, up to ``calls``.
        offspring: genomes made in a generation.
        crossover: ``uniform``, ``one_point``, or None: then, by fitness, it is a (mu + lambda) evolution of bits.
        tournament: of how many the best becomes a parent; with 1 it may be any.
        flips: bits of a child that flip, on average, up to the loci.
        calls: that it makes at most; it ends when they do not do for another generation.
        seed: of all random numbers, 0 to 2^64 - 1.

    Raises:
        ValueError: a value is out of range, or they do not make a population.
    """
    box = Box(problem, calls)
    plan = plan_of(box.loci, parents, population, offspring, crossover, tournament, flips)
    integer_between("population", population, 1, calls)
    return evolved(box, plan, RandomBits(box.loci), seed)


def evolved(box: Box, plan: Plan, initial: Initial, seed: int) -> Iterator[Found]:
    """Evolve a population as long as there are calls for another generation."""
    for _ in evolve(plan, lambda genomes, _: box.fitness(genomes), initial, seed=seed):
        yield box.found()
        if box.left < plan.offspring:
            return


def plan_of(
    loci: int, parents: str, population: int, offspring: int, crossover: str | None, tournament: int, flips: float
) -> Plan:
    """How a population evolves; the arguments are those of :func:`genetic`.

    With parents by ``fitness`` the best of parents and offspring live on. With parents by ``ones`` those win the
    tournaments that have more bits set, whatever their fitness: this looks into the box, as it takes for granted that
    all ones are best. Then the offspring replace the parents, the best of them where there are more: fitness leads
    away from all ones, and parents that it lets live on would undo the selection.

    Raises:
        ValueError: a value is out of range, or they do not make a population.
    """
    selection = TournamentSelection(tournament)
    ways: dict[str, tuple[Selection, Survival]] = {
        "fitness": (selection, Plus()),
        "ones": (ByKey(_ones, selection), Comma()),
    }
    one_of("parents", parents, ways)
    if nonnegative_number("flips", flips) > loci:
        raise ValueError(f"flips must be a number from 0 to the {loci} loci, not {flips!r}")
    select, survive = ways[parents]
    mutate = BitFlip(flips / loci)
    return Plan(population, offspring, mutate, select, crossover_named(crossover), survive=survive)


def crossover_named(name: str | None) -> Crossover | None:
    """What makes a child of two parents: ``uniform``, ``one_point``, or None, where it has but one.

    Raises:
        ValueError: there is no such crossover.
    """
    if name not in _CROSSOVERS:
        raise ValueError(f"crossover must be uniform, one_point or none, not {name!r}")
    return _CROSSOVERS[name]


def _ones(genomes: Genomes) -> Values:
    counts: Values = genomes.sum(axis=1, dtype=np.float64)
    return counts
