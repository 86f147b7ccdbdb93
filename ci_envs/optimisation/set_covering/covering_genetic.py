"""A genetic algorithm for set covering, on :mod:`ci_envs.optimisation.evolution`."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.random import Generator

from ci_envs.optimisation.bit_string.black_box import BlackBox
from ci_envs.optimisation.bit_string.genetic import check_limits, crossover_named, run_plan, survival_named
from ci_envs.optimisation.evolution.engine import Fitness, Plan
from ci_envs.optimisation.evolution.initial import RandomBits
from ci_envs.optimisation.evolution.mutation import FlipOne, Mutation
from ci_envs.optimisation.evolution.parameters import Genomes, Values, between
from ci_envs.optimisation.evolution.selection import TournamentSelection
from ci_envs.optimisation.set_covering.problem import SetCovering
from ci_envs.optimisation.solving import Incumbent, takes_options
from ci_envs.validation import one_of, positive_number, probability, true_or_false


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
class CoveringGeneticOptions:
    """The options of :func:`covering_genetic`.

    Attributes:
        population: the number of genomes that survive, from 1 to ``calls``.
        offspring: the number of genomes made per generation.
        ones: the probability of each bit of an initial genome to be set, from 0 (no set is selected) to 1. With None
            the sets that an initial genome selects have on average ``2 * size`` elements in total, counted with
            repetition, and are at most half of all.
        crossover: ``uniform``, ``one_point``, or None for children with one parent.
        crossover_rate: the share of the children that have two parents, from 0 to 1.
        crossover_delay: how slowly that share grows from 0 to ``crossover_rate``, in generations, 0 or more: at first
            nearly all children are mutated copies, and their share decays exponentially; 0 keeps it constant.
        mutates_crossed: whether the children of two parents are mutated too.
        mutation: ``flip_or_clear`` (:class:`FlipOrClear`), or ``flip_one``, which flips one random bit.
        clear_rate: the share of the mutations ``flip_or_clear`` that only clear bits, from 0 to 1.
        tournament: the tournament size of the selection of parents.
        survival: ``plus`` (the best of parents and offspring survive) or ``comma`` (the best offspring survive).
        reward: the fitness of each covered element, above 0. The fitness is the reward for all covered elements minus
            the cost, or minus twice the cost if an element is uncovered. None compares genomes by the number of covered
            elements first, then by the cost.
        patience: the number of generations without a better fitness after which the search ends (early stopping), 1 or
            more; None for no such limit.
        calls: the maximum number of fitness calls; the search ends when too few are left for another generation.
        seed: the seed of all random numbers, 0 to 2^64 - 1.
    """

    population: int = 20
    offspring: int = 20
    ones: float | None = None
    crossover: str | None = "uniform"
    crossover_rate: float = 0.2
    crossover_delay: float = 0.0
    mutates_crossed: bool = True
    mutation: str = "flip_or_clear"
    clear_rate: float = 0.5
    tournament: int = 15
    survival: str = "plus"
    reward: float | None = None
    patience: int | None = None
    calls: int = 20_020
    seed: int = 0

    def plan(self) -> Plan:
        """Return the evolutionary algorithm.

        Raises:
            ValueError: a value is out of range, or the values do not fit together.
        """
        mutations: dict[str, Mutation] = {"flip_or_clear": FlipOrClear(self.clear_rate), "flip_one": FlipOne()}
        return Plan(
            self.population,
            self.offspring,
            mutations[one_of("mutation", self.mutation, mutations)],
            TournamentSelection(self.tournament),
            crossover_named(self.crossover),
            crossover_rate=self.crossover_rate,
            crossover_delay=self.crossover_delay,
            mutates_crossed=true_or_false("mutates_crossed", self.mutates_crossed),
            survive=survival_named(self.survival),
        )

    def initial(self, problem: SetCovering) -> RandomBits:
        """Return what makes the initial genomes.

        Raises:
            ValueError: ``ones`` is out of range.
        """
        total_size = sum(map(len, problem.sets))
        ones = min(0.5, 2 * problem.size / total_size) if self.ones is None else probability("ones", self.ones)
        return RandomBits(problem.loci, ones)

    def fitness(self, problem: SetCovering, box: BlackBox) -> Fitness:
        """Return the fitness that genomes are selected by.

        Raises:
            ValueError: ``reward`` is not positive.
        """
        reward = None if self.reward is None else positive_number("reward", self.reward)

        def fitness(genomes: Genomes, _: int) -> Values:
            values = box.fitness(genomes)
            if reward is None:
                return values
            covered, costs = problem.coverage_and_costs(genomes)
            return np.asarray(reward * covered - np.where(covered < problem.size, 2 * costs, costs), np.float64)

        return fitness


@takes_options(CoveringGeneticOptions)
def covering_genetic(problem: SetCovering, options: CoveringGeneticOptions) -> Iterator[Incumbent]:
    """Genetic algorithm: fitter genomes cover more elements, or as many at a lower cost; the work is the fitness calls.

    The default operators and sizes are our own. ``covering_genetic:preset=B2`` is the genetic algorithm that report B
    describes. The preset means ``population=1500,offspring=1000,calls=201500,ones=0,tournament=2,crossover=one_point,
    crossover_rate=0.7,mutates_crossed=false,mutation=flip_one``. Other options can be added.

    The search ends when the cost of a cover is the lower bound
    :attr:`~ci_envs.optimisation.set_covering.problem.SetCovering.weight_bound`.

    Args:
        problem: the instance.
        options: the options, which are keyword arguments of the solver.

    Raises:
        ValueError: a value is out of range.
    """
    box = BlackBox(problem, options.calls)
    plan = options.plan()
    check_limits(options.population, options.calls, options.patience)
    initial, fitness = options.initial(problem), options.fitness(problem, box)
    run = run_plan(box, plan, initial, options.seed, patience=options.patience, fitness=fitness)
    return _until_optimal(run, problem.weight_bound)


def _until_optimal(run: Iterator[Incumbent], bound: float) -> Iterator[Incumbent]:
    """Yield the solutions of a run, with a lower bound on the cost, until one reaches the bound."""
    for incumbent in run:
        yield replace(incumbent, bound=bound)
        if incumbent.value <= bound:
            return
