"""A genetic algorithm for bit strings, on :mod:`ci_envs.optimisation.evolution`."""

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from typing import Annotated, Any

import numpy as np

from ci_envs.optimisation.bit_string.black_box import BlackBox, Calls
from ci_envs.optimisation.evolution.crossover import Crossover, OnePoint, Uniform
from ci_envs.optimisation.evolution.engine import Fitness, Plan, evolve
from ci_envs.optimisation.evolution.initial import Initial, RandomBits
from ci_envs.optimisation.evolution.mutation import BitFlip
from ci_envs.optimisation.evolution.parameters import Genomes, Values
from ci_envs.optimisation.evolution.selection import ByKey, MatingPool, Selection, TournamentSelection
from ci_envs.optimisation.evolution.survival import Comma, Plus, Survival
from ci_envs.optimisation.problem import Problem
from ci_envs.optimisation.solving import Incumbent
from ci_envs.registry.options import Option, Validated
from ci_envs.validation import integer_between

CROSSOVERS: dict[str | None, Crossover | None] = {"uniform": Uniform(), "one_point": OnePoint(), None: None}
SURVIVALS: dict[str, Survival] = {"plus": Plus(), "comma": Comma()}
PARENTS = {"fitness": "plus", "ones": "comma"}  # the selections of parents, and the default survival of each

Parents = Annotated[str, Option("selection of parents; ones assumes that ones are good", choices=PARENTS)]
CrossoverName = Annotated[
    str | None, Option("crossover; none makes children with one parent", choices=("uniform", "one_point"))
]
TournamentSize = Annotated[int, Option("tournament size of the selection of parents; 1 selects uniformly", ge=1)]
Flips = Annotated[float, Option("mean number of bits of a child that flip, at most the number of loci", ge=0)]
Patience = Annotated[
    int | None, Option("generations without a better fitness after which the search ends; none is no such limit", ge=1)
]
"""Options that several genetic algorithms have."""


@dataclass(frozen=True)
class GeneticOptions(Validated):
    """The options of :func:`genetic`.

    With parents by ``ones`` the genome with the most ones wins a tournament, regardless of its fitness. This is not a
    black-box method: it assumes that all ones is the optimum. Then the offspring replace the parents by default. If the
    fittest parents could survive, they would undo the selection by ones, because the fitness leads away from all ones.
    """

    parents: Parents = "fitness"
    _: KW_ONLY
    population: Annotated[int, Option("number of genomes that survive, at most calls", ge=1)] = 50
    offspring: Annotated[int, Option("number of genomes made per generation", ge=1)] = 50
    crossover: CrossoverName = "uniform"
    tournament: TournamentSize = 3
    pool: Annotated[
        int | None,
        Option(
            "size of a mating pool that the tournaments fill and from which parents are sampled; none makes every "
            "parent the winner of a tournament",
            ge=2,
        ),
    ] = None
    flips: Flips = 1.0
    survival: Annotated[
        str | None,
        Option(
            "plus: the best of parents and offspring survive; comma: the best offspring survive; none is plus with "
            "parents by fitness, and comma with parents by ones",
            choices=("plus", "comma"),
        ),
    ] = None
    patience: Patience = None
    calls: Calls = 26_000

    def plan(self, loci: int) -> Plan:
        """Return the evolutionary algorithm for genomes of ``loci`` bits.

        Raises:
            ValueError: a value is out of range, or the values do not fit together.
        """
        if self.flips > loci:
            raise ValueError(f"flips must be a number from 0 to the {loci} loci, not {self.flips!r}")
        select: Selection = TournamentSelection(self.tournament)
        if self.parents == "ones":
            select = ByKey(_count_ones, select)
        if self.pool is not None:
            select = MatingPool(self.pool, select)
        survive = SURVIVALS[self.survival or PARENTS[self.parents]]
        mutate, crossover = BitFlip(self.flips / loci), CROSSOVERS[self.crossover]
        return Plan(self.population, self.offspring, mutate, select, crossover, survive=survive)


def genetic(
    problem: Problem, parents: str = "fitness", *, seed: int = 0, **given: Annotated[Any, GeneticOptions]
) -> Iterator[Incumbent]:
    """Genetic algorithm with one population; the work is the number of fitness calls.

    The option ``preset`` selects the options of a section of the course reports (``ci-envs reports``). Other options
    can be added.

    Args:
        parents: see :class:`GeneticOptions`.
        **given: the other fields of :class:`GeneticOptions`.
    """
    options = GeneticOptions(parents, **given)
    box = BlackBox(problem, options.calls)
    plan = options.plan(box.loci)
    integer_between("population", options.population, 1, options.calls)
    return run_plan(box, plan, RandomBits(box.loci), seed, patience=options.patience)


def run_plan(
    box: BlackBox,
    plan: Plan,
    initial: Initial,
    seed: int,
    *,
    patience: int | None = None,
    fitness: Fitness | None = None,
) -> Iterator[Incumbent]:
    """Evolve a population until too few calls are left for another generation.

    Args:
        box: the problem, which counts the calls.
        plan: the evolutionary algorithm.
        initial: makes the initial genomes.
        seed: the seed of all random numbers, 0 to 2^64 - 1.
        patience: the number of generations without a better fitness after which the run ends; None for no limit.
        fitness: the fitness for selection, which must call ``box.fitness``. None means ``box.fitness`` itself.

    Yields:
        The best solution so far, after each generation.
    """
    for state in evolve(plan, fitness or (lambda genomes, _: box.fitness(genomes)), initial, seed=seed):
        yield box.incumbent()
        if box.remaining < plan.offspring or (patience is not None and state.stagnant >= patience):
            return


def _count_ones(genomes: Genomes) -> Values:
    counts: Values = genomes.sum(axis=1, dtype=np.float64)
    return counts
