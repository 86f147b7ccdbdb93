"""The generations of an evolution.

All randomness of generation g comes from ``(seed, g)``, so that a run goes on from any :class:`State` exactly as it
would have without a break, and an interrupt leaves the last whole generation with who holds it.

The loop is our own: with DEAP 1.4 (``varAnd`` and ``selTournament``) the operators of a generation of 512 genomes of
1000 bits took 158 ms, here a whole generation takes 3.9 ms; pymoo 0.6 would bring a score of packages for operators of
a line or two.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.random import Generator

from ci_envs.games import integer_between
from ci_envs.optimisation.evolution.crossover import Crossover
from ci_envs.optimisation.evolution.initial import Initial
from ci_envs.optimisation.evolution.mutation import Mutation
from ci_envs.optimisation.evolution.parameters import Genomes, Indices, Values, between
from ci_envs.optimisation.evolution.selection import Selection, TournamentSelection
from ci_envs.optimisation.evolution.statistics import Statistics, diversity
from ci_envs.optimisation.evolution.step_size import OneFifth
from ci_envs.optimisation.evolution.survival import Immigration, Plus, Survival

Fitness = Callable[[Genomes, int], Values]
"""``(genomes, seed) -> fitness``, float64 (n,), finite, more is better.

The seed is a 64-bit number of the generation's own; what needs no luck ignores it. The genomes must stay as they are.
"""


@dataclass(frozen=True)
class Plan:
    """How a population evolves.

    Attributes:
        population: genomes that live on, mu.
        offspring: genomes made in a generation, lambda.
        mutate: what changes every child.
        select: who becomes a parent.
        crossover: what makes a child of two parents; None copies one.
        crossover_rate: share of the children that have two parents.
        survive: who lives on.
        step_rule: adapts the mutation's step; None leaves it at 1.
        immigration: what happens when nothing gets better; None lets it go on.
        hall_size: how many of the best ever to remember.
        reevaluate: ask for the fitness of the parents again in each generation, with the offspring's and by the same
            seed: for fitness that depends on luck or on who else is there.

    Raises:
        ValueError: a value is out of range, or they do not make a population.
    """

    population: int
    offspring: int
    mutate: Mutation
    select: Selection = field(default_factory=TournamentSelection)
    crossover: Crossover | None = None
    crossover_rate: float = 1.0
    survive: Survival = field(default_factory=Plus)
    step_rule: OneFifth | None = None
    immigration: Immigration | None = None
    hall_size: int = 1
    reevaluate: bool = False

    def __post_init__(self) -> None:
        for name in ("population", "offspring", "hall_size"):
            integer_between(name, getattr(self, name), 1)
        between("crossover_rate", self.crossover_rate, 0, 1)
        self.survive(np.zeros(self.offspring), np.zeros(self.population), self.population)


@dataclass(frozen=True, eq=False)
class State:
    """A population after a whole generation. Its arrays are not to be written.

    Attributes:
        seed: of the run.
        generation: 0 is the first population.
        genomes: (population, genes).
        fitness: float64 (population,).
        hall: the best genomes ever, all different, best first, (at most hall_size, genes).
        hall_fitness: what they got when they were last evaluated, float64.
        record: the largest fitness ever.
        stagnant: generations since the record, or the last immigration.
        step: factor to the mutation's steps.
        calls: genomes whose fitness was asked for so far.
    """

    seed: int
    generation: int
    genomes: Genomes
    fitness: Values
    hall: Genomes
    hall_fitness: Values
    record: float
    stagnant: int
    step: float
    calls: int

    @property
    def statistics(self) -> Statistics:
        """The generation in numbers; its diversity takes time."""
        best, mean = float(self.fitness.max()), float(self.fitness.mean())
        return Statistics(self.generation, self.calls, best, mean, diversity(self.genomes), self.step)


def first_generation(plan: Plan, fitness: Fitness, initial: Initial, seed: int) -> State:
    """The first population, evaluated.

    Raises:
        ValueError: the seed is not from 0 to 2^64 - 1, or what ``initial`` or ``fitness`` return does not fit.
    """
    seed = integer_between("seed", seed, 0, 2**64 - 1)
    rng, word = _luck(seed, 0)
    genomes = _made(initial, plan.population, rng)
    values = _evaluated(fitness, genomes, word)
    hall, hall_fitness = _hall(plan.hall_size, genomes[:0], values[:0], genomes, values)
    return State(seed, 0, genomes, values, hall, hall_fitness, float(values.max()), 0, 1.0, len(genomes))


def next_generation(plan: Plan, fitness: Fitness, initial: Initial, state: State) -> State:
    """The state one generation on; ``state`` stays as it is.

    Raises:
        ValueError: what an operator or ``fitness`` gets or returns does not fit.
    """
    generation = state.generation + 1
    rng, word = _luck(state.seed, generation)
    children, mothers = _children(plan, state, rng)
    genomes = np.concatenate((children, state.genomes))
    seen = _evaluated(fitness, genomes if plan.reevaluate else children, word)
    values = seen if plan.reevaluate else np.concatenate((seen, state.fitness))
    calls = state.calls + len(seen)
    own, parents = values[: plan.offspring], values[plan.offspring :]
    step = state.step
    if plan.step_rule is not None:
        step = plan.step_rule(step, float(np.mean(own > parents[mothers])))
    hall, hall_fitness = _hall(plan.hall_size, state.hall, state.hall_fitness, genomes[: len(seen)], seen)
    record = max(state.record, float(seen.max()))
    stagnant = 0 if record > state.record else state.stagnant + 1
    chosen = plan.survive(own, parents, plan.population)
    genomes, values = genomes[chosen], values[chosen]
    if plan.immigration is not None and stagnant >= plan.immigration.patience:
        stagnant = 0
        if number := plan.immigration.arrivals(plan.population):
            worst = np.argsort(values, kind="stable")[:number]
            genomes[worst] = _made(initial, number, rng)
            values[worst] = _evaluated(fitness, genomes[worst], word)
            calls += number
            hall, hall_fitness = _hall(plan.hall_size, hall, hall_fitness, genomes[worst], values[worst])
            record = max(record, float(values.max()))
    return State(state.seed, generation, genomes, values, hall, hall_fitness, record, stagnant, step, calls)


def evolve(
    plan: Plan, fitness: Fitness, initial: Initial, *, seed: int = 0, state: State | None = None
) -> Iterator[State]:
    """Yield generation after generation, without end.

    Args:
        plan: how.
        fitness: of genomes.
        initial: makes the first population, and immigrants.
        seed: of all random numbers, 0 to 2^64 - 1.
        state: go on from there, with its seed; the first that is yielded is the next.

    Raises:
        ValueError: something does not fit.
    """
    if state is None:
        state = first_generation(plan, fitness, initial, seed)
        yield state
    while True:
        state = next_generation(plan, fitness, initial, state)
        yield state


def _luck(seed: int, generation: int) -> tuple[Generator, int]:
    """The random numbers of a generation, and the seed of its fitness."""
    rng = np.random.default_rng([seed, generation])
    return rng, int(rng.integers(2**64, dtype=np.uint64))


def _children(plan: Plan, state: State, rng: Generator) -> tuple[Genomes, Indices]:
    """``-> (children, mothers)``: the offspring, and the indices of their first parents."""
    number = plan.offspring
    parents = plan.select(state.genomes, state.fitness, number if plan.crossover is None else 2 * number, rng)
    mothers = parents[:number]
    children = state.genomes[mothers]
    if plan.crossover is not None:
        crossed = np.flatnonzero(rng.random(number) < plan.crossover_rate)
        fathers = state.genomes[parents[number:][crossed]]
        children[crossed] = plan.crossover(children[crossed], fathers, rng)
    return plan.mutate(children, rng, state.step), mothers


def _made(initial: Initial, count: int, rng: Generator) -> Genomes:
    genomes = initial(count, rng)
    if genomes.ndim != 2 or len(genomes) != count or genomes.dtype.kind not in "biuf":
        raise ValueError(
            f"initial must make genomes of bool or numbers, of the shape ({count}, genes), "
            f"not of {genomes.dtype} and {genomes.shape}"
        )
    return genomes


def _evaluated(fitness: Fitness, genomes: Genomes, seed: int) -> Values:
    values = np.array(fitness(genomes, seed), dtype=np.float64)
    if values.shape != (len(genomes),) or not np.isfinite(values).all():
        raise ValueError(f"fitness must be {len(genomes)} finite numbers, not {values!r}")
    return values


def _hall(
    size: int,
    hall: Genomes,
    hall_fitness: Values,
    genomes: Genomes,
    fitness: Values,
) -> tuple[Genomes, Values]:
    """The best different genomes of a hall and of those just evaluated, whose newest fitness counts."""
    rows, values = np.concatenate((hall, genomes)), np.concatenate((hall_fitness, fitness))
    newest = np.array(list({row.tobytes(): index for index, row in enumerate(rows)}.values()))
    best = newest[np.argsort(-values[newest], kind="stable")[:size]]
    return rows[best], values[best]
