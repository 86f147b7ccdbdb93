"""A genetic algorithm for set covering, on :mod:`ci_envs.optimisation.evolution`."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Annotated, Any

import numpy as np
from numpy.random import Generator

from ci_envs.optimisation.bit_string.black_box import BlackBox, Calls
from ci_envs.optimisation.bit_string.genetic import CROSSOVERS, SURVIVALS, Patience, run_plan
from ci_envs.optimisation.evolution.engine import Fitness, Plan
from ci_envs.optimisation.evolution.initial import RandomBits
from ci_envs.optimisation.evolution.mutation import FlipOne, Mutation
from ci_envs.optimisation.evolution.parameters import Genomes, Values, between
from ci_envs.optimisation.evolution.selection import TournamentSelection
from ci_envs.optimisation.set_covering.problem import SetCovering
from ci_envs.optimisation.solving import Incumbent
from ci_envs.registry.options import Option, Validated
from ci_envs.validation import integer_between


@dataclass(frozen=True)
class FlipOrClear:
    """Mutation that clears bits that are set with probability ``clear_rate``, and flips any bits otherwise.

    The number of bits is 1 plus a Poisson(1) number. In a genome with few bits set, a flip nearly always sets one more
    bit; clearing makes a cover cheaper.
    """

    clear_rate: float = 0.5

    def __post_init__(self) -> None:
        between("clear_rate", self.clear_rate, 0, 1)

    def __call__(self, genomes: Genomes, rng: Generator, step: float) -> Genomes:
        """Return mutated copies, see :data:`~ci_envs.optimisation.evolution.mutation.Mutation`."""
        mutants = genomes.copy()
        for mutant, clears in zip(mutants, rng.random(len(mutants)) < self.clear_rate, strict=True):
            loci = np.flatnonzero(mutant) if clears else np.arange(len(mutant))
            count = min(len(loci), 1 + rng.poisson(1.0))
            mutant[rng.choice(loci, count, replace=False)] ^= True
        return mutants


@dataclass(frozen=True, kw_only=True)
class CoveringGeneticOptions(Validated):
    """The options of :func:`covering_genetic`."""

    population: Annotated[int, Option("number of genomes that survive, at most calls", ge=1)] = 20
    offspring: Annotated[int, Option("number of genomes made per generation", ge=1)] = 20
    ones: Annotated[
        float | None,
        Option(
            "probability of each bit of an initial genome to be set; with none the sets that an initial genome "
            "selects have on average 2 * size elements in total, counted with repetition, and are at most half of all",
            ge=0,
            le=1,
        ),
    ] = None
    crossover: Annotated[
        str | None, Option("crossover; none makes children with one parent", choices=("uniform", "one_point"))
    ] = "uniform"
    crossover_rate: Annotated[
        float, Option("share of the children that have two parents", ge=0, le=1, not_with="crossover=none")
    ] = 0.2
    crossover_delay: Annotated[
        float,
        Option(
            "how slowly that share grows from 0 to crossover_rate, in generations: at first nearly all children are "
            "mutated copies, and their share decays exponentially; 0 keeps it constant",
            ge=0,
            not_with="crossover=none,crossover_rate=0",
        ),
    ] = 0.0
    mutates_crossed: Annotated[
        bool, Option("whether the children of two parents are mutated too", not_with="crossover=none")
    ] = True
    mutation: Annotated[
        str,
        Option(
            "flip_or_clear clears set bits or flips any bits; flip_one flips one random bit",
            choices=("flip_or_clear", "flip_one"),
        ),
    ] = "flip_or_clear"
    clear_rate: Annotated[
        float, Option("share of the mutations that only clear bits", ge=0, le=1, only_with="mutation=flip_or_clear")
    ] = 0.5
    tournament: Annotated[int, Option("tournament size of the selection of parents", ge=1)] = 15
    survival: Annotated[
        str,
        Option(
            "plus: the best of parents and offspring survive; comma: the best offspring survive",
            choices=("plus", "comma"),
        ),
    ] = "plus"
    reward: Annotated[
        float | None,
        Option(
            "fitness of each covered element; the fitness is the reward for all covered elements minus the cost, or "
            "minus twice the cost if an element is uncovered; none compares genomes by the number of covered elements "
            "first, then by the cost",
            gt=0,
        ),
    ] = None
    patience: Patience = None
    calls: Calls = 20_020

    def plan(self) -> Plan:
        """Return the evolutionary algorithm.

        Raises:
            ValueError: a value is out of range, or the values do not fit together.
        """
        mutations: dict[str, Mutation] = {"flip_or_clear": FlipOrClear(self.clear_rate), "flip_one": FlipOne()}
        return Plan(
            self.population,
            self.offspring,
            mutations[self.mutation],
            TournamentSelection(self.tournament),
            CROSSOVERS[self.crossover],
            crossover_rate=self.crossover_rate,
            crossover_delay=self.crossover_delay,
            mutates_crossed=self.mutates_crossed,
            survive=SURVIVALS[self.survival],
        )

    def initial(self, problem: SetCovering) -> RandomBits:
        """Return what makes the initial genomes."""
        total_size = sum(map(len, problem.sets))
        ones = min(0.5, 2 * problem.size / total_size) if self.ones is None else self.ones
        return RandomBits(problem.loci, ones)

    def fitness(self, problem: SetCovering, box: BlackBox) -> Fitness:
        """Return the fitness that genomes are selected by."""
        reward = self.reward

        def fitness(genomes: Genomes, _: int) -> Values:
            values = box.fitness(genomes)
            if reward is None:
                return values
            covered, costs = problem.coverage_and_costs(genomes)
            return np.asarray(reward * covered - np.where(covered < problem.size, 2 * costs, costs), np.float64)

        return fitness


def covering_genetic(
    problem: SetCovering, *, seed: int = 0, **given: Annotated[Any, CoveringGeneticOptions]
) -> Iterator[Incumbent]:
    """Genetic algorithm: fitter genomes cover more elements, or as many at a lower cost; the work is the fitness calls.

    The option ``preset`` selects the options of a section of the course reports (``ci-envs reports``). Other options
    can be added.

    The search ends when the cost of a cover is the lower bound
    :attr:`~ci_envs.optimisation.set_covering.problem.SetCovering.weight_bound`.

    Args:
        **given: the fields of :class:`CoveringGeneticOptions`.
    """
    options = CoveringGeneticOptions(**given)
    box = BlackBox(problem, options.calls)
    plan = options.plan()
    integer_between("population", options.population, 1, options.calls)
    initial, fitness = options.initial(problem), options.fitness(problem, box)
    run = run_plan(box, plan, initial, seed, patience=options.patience, fitness=fitness)
    return _until_optimal(run, problem.weight_bound)


def _until_optimal(run: Iterator[Incumbent], bound: float) -> Iterator[Incumbent]:
    """Yield the solutions of a run, with a lower bound on the cost, until one reaches the bound."""
    for incumbent in run:
        yield replace(incumbent, bound=bound)
        if incumbent.value <= bound:
            return
