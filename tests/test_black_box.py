"""Solvers of the black box: the box against its definition, the count of calls, and results against known optima."""

from inspect import signature
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ci_envs.optimisation import BitString, Problem, SetCovering, optimise, set_covering, solving
from ci_envs.optimisation.bit_string import genetic, islands, linkage, one_plus_one, random_restart_hill_climbing, umda
from ci_envs.optimisation.bit_string.genetic import GeneticOptions
from ci_envs.optimisation.evolution import Comma, Plus

SOLVERS = [genetic, islands, one_plus_one, random_restart_hill_climbing, umda, linkage]
PROBLEMS = [1, 2, 5, 10]
REPORT_CALLS = 14_300  # the least number that report A used for any problem

solvers = pytest.mark.parametrize("solver", SOLVERS, ids=lambda solver: solver.__name__)
seeds = pytest.mark.parametrize("seed", range(5))


def slow_fitness(genome, problem):
    """The fitness function of the lab in plain Python, for a list of 0 and 1."""
    counts = sorted((sum(genome[start::problem]) for start in range(problem)), reverse=True)
    others = [count for count in counts if count < counts[0]]
    best = (problem - len(others)) * counts[0]
    return (best - sum(count * 0.1 ** (place + 1) for place, count in enumerate(others))) / len(genome)


class Masked(Problem):
    """A bit string with a hidden order of the bits and a hidden XOR mask."""

    measure: ClassVar[str] = "fitness"
    is_cost: ClassVar[bool] = False

    def __init__(self, box, seed):
        super().__init__(box.loci)
        rng = np.random.default_rng(seed)
        self.box, self.mask, self.order = box, rng.random(box.loci) < 0.5, rng.permutation(box.loci)

    def value(self, genome, fitness):
        return fitness

    def _fitness(self, genomes):
        return self.box.fitness((genomes ^ self.mask)[:, self.order])


class Weighted(Problem):
    """Return the sum of the weights of the bits that are 1."""

    measure: ClassVar[str] = "fitness"
    is_cost: ClassVar[bool] = False

    def __init__(self, weights):
        super().__init__(len(weights))
        self.weights = np.asarray(weights, dtype=float)

    def value(self, genome, fitness):
        return fitness

    def _fitness(self, genomes):
        return genomes @ self.weights


def steps_of(solver, problem, **options):
    return list(solver(problem, **options))


# --------------------------------------------------------------------------------------------------------------- box


@settings(max_examples=200, deadline=None)
@given(st.integers(1, 12), st.integers(1, 12), st.integers(0, 2**32), st.floats(0, 1))
def test_fitness_is_the_labs(problem, length, seed, ones):
    loci = problem * length
    genomes = np.random.default_rng(seed).random((3, loci)) < ones
    expected = [slow_fitness(genome, problem) for genome in genomes.astype(int).tolist()]
    assert BitString(problem, loci).fitness(genomes) == pytest.approx(expected, rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("problem", PROBLEMS)
def test_all_ones_are_best(problem):
    box = BitString(problem)
    assert box.fitness(np.ones((1, 1000), dtype=bool)).tolist() == [1.0]
    greedy = np.arange(1000) % problem == 0  # no single flip improves it
    around = greedy ^ np.eye(1000, dtype=bool)
    assert box.fitness(greedy[np.newaxis])[0] == pytest.approx(1 / problem)
    assert (box.fitness(around) < 1 / problem).all()


# ------------------------------------------------------------------------------------------------------- all solvers


@solvers
@pytest.mark.parametrize("calls", [100, 251, 1000])
def test_calls_are_counted_and_never_exceeded(solver, calls):
    box = BitString(5, 40)
    box.fitness(np.zeros((7, 40), dtype=bool))  # calls of other problems do not count
    works = []
    for found in solver(box, calls=calls, seed=3):
        works.append(found.work)
        assert box.calls == 7 + found.work
        assert found.work <= calls
        assert found.value == BitString(5, 40).fitness(found.genome[np.newaxis])[0]
    assert works == sorted(works)
    assert box.calls == 7 + works[-1]
    assert np.diff([0, *works]).max() <= 300
    if solver in (random_restart_hill_climbing, one_plus_one, umda):
        assert works[-1] == calls


@solvers
def test_the_best_of_all_calls_is_found(solver):
    class Watched(BitString):
        def _fitness(self, genomes):
            values = super()._fitness(genomes)
            seen.append(values.max())
            return values

    seen = []
    assert optimise(Watched(10, 100), lambda box, seed: solver(box, seed=seed, calls=600), seed=1).value == max(seen)


@solvers
def test_returned_solutions_do_not_change(solver):
    steps = [(found, found.genome.copy()) for found in solver(BitString(2, 60), calls=900, seed=2)]
    assert all((found.genome == copy).all() for found, copy in steps)


@solvers
def test_seeds_make_runs(solver):
    def run(seed):
        return [
            (found.value, found.work, found.genome.tolist()) for found in solver(BitString(5, 50), calls=700, seed=seed)
        ]

    assert run(1) == run(1) != run(2)


@pytest.mark.extended
@solvers
@seeds
def test_ones_are_counted_to_the_last(solver, seed):
    result = optimise(BitString(1, 40), lambda box, seed: solver(box, seed=seed, calls=3000), seed=seed)
    assert result.value == 1.0
    assert result.solution.all()


@solvers
def test_one_bit_will_do(solver):
    assert optimise(BitString(1, 1), lambda box, seed: solver(box, seed=seed, calls=300), seed=0).value == 1.0


@solvers
@pytest.mark.parametrize("size", [5, 30])
def test_reported_covers_have_their_reported_costs(solver, size):
    problem = set_covering(size)
    result = optimise(problem, lambda box, seed: solver(box, seed=seed, calls=1500), seed=4)
    assert problem.covered(result.solution) == size
    assert result.value == problem.cost(result.solution) < problem.costs.sum()
    assert not result.optimal


@solvers
def test_a_solver_without_a_cover_returns_no_solution(solver):
    problem = SetCovering(64, [[number] for number in range(64)])  # only the selection of all sets is a cover
    first = next(solver(problem, calls=200, seed=0))
    assert first.genome is None
    assert first.value == float("inf")


BAD = [
    *[(solver, {"calls": 0}, "calls must be a whole number from 1, not 0") for solver in SOLVERS],
    *[(solver, {"seed": -1}, "seed.*-1") for solver in SOLVERS],
    (genetic, {"parents": "zeros"}, "parents must be one of fitness, ones, not 'zeros'"),
    (genetic, {"crossover": "two_point"}, "crossover must be uniform, one_point or none, not 'two_point'"),
    (genetic, {"population": 101, "calls": 100}, "population must be a whole number from 1 to 100, not 101"),
    (genetic, {"offspring": 0}, "offspring.*0"),
    (genetic, {"tournament": 0}, "tournament must be a whole number from 1, not 0"),
    (genetic, {"flips": -1.0}, "flips.*-1"),
    (genetic, {"flips": 21}, "flips must be a number from 0 to the 20 loci, not 21"),
    (genetic, {"pool": 1}, "pool must be a whole number from 2, not 1"),
    (genetic, {"survival": "all"}, "survival must be plus, comma or none, not 'all'"),
    (genetic, {"patience": 0}, "patience must be a whole number from 1, not 0"),
    (genetic, {"parents": "ones", "population": 50, "offspring": 40}, "40 offspring do not make a population of 50"),
    (islands, {"islands": 0}, "islands.*0"),
    (islands, {"migration": 0}, "migration.*0"),
    (islands, {"islands": 4, "population": 26, "calls": 100}, "population must be a whole number from 1 to 25, not 26"),
    (islands, {"parents": "zeros"}, "parents.*zeros"),
    (umda, {"population": 0}, "population.*0"),
    (umda, {"population": 10, "best": 11}, "best must be a whole number from 1 to 10, not 11"),
]


@pytest.mark.parametrize(("solver", "options", "message"), BAD)
def test_bad_options_are_refused_before_the_first_call(solver, options, message):
    box = BitString(1, 20)
    with pytest.raises(ValueError, match=message):
        next(solver(box, **options))
    assert box.calls == 0


@solvers
def test_solvers_are_for_any_problem(solver):
    assert signature(solver).parameters["problem"].annotation is Problem


# ----------------------------------------------------------------------------------------------------------- linkage


@pytest.mark.parametrize("problem", PROBLEMS)
@seeds
def test_linkage_solves_the_lab_in_fewer_calls_than_report_a(problem, seed):
    result = optimise(BitString(problem), linkage, seed=seed)
    assert result.value == 1.0
    assert result.work < 4000 < REPORT_CALLS


@pytest.mark.parametrize("problem", PROBLEMS)
@seeds
def test_linkage_is_independent_of_the_order_and_the_meaning_of_bits(problem, seed):
    hidden = Masked(BitString(problem), seed=100 + seed)
    result = optimise(hidden, linkage, seed=seed)
    assert result.value == 1.0
    assert (result.solution ^ hidden.mask).all()
    assert result.work < 4000


@pytest.mark.parametrize(
    "weights",
    [np.random.default_rng(1).normal(size=100), 2.0 ** np.arange(40), np.repeat([3.0, -2.0, 5.0], 20), -np.ones(9)],
    ids=["normal", "powers", "repeated", "zeros"],
)
@seeds
def test_linkage_solves_linear_functions(weights, seed):
    assert optimise(Weighted(weights), linkage, seed=seed).value == pytest.approx(weights[weights > 0].sum())


# --------------------------------------------------------------------------------------------------------- evolution


def test_without_mutation_and_crossover_nothing_is_new():
    steps = steps_of(genetic, BitString(1, 100), crossover=None, flips=0.0, calls=500, seed=1)
    assert len({found.value for found in steps}) == 1


@pytest.mark.parametrize(("parents", "default"), [("fitness", Plus()), ("ones", Comma())])
def test_survival_can_be_chosen(parents, default):
    survivals = {name: GeneticOptions(parents, survival=name).plan(200).survive for name in (None, "plus", "comma")}
    assert survivals == {None: default, "plus": Plus(), "comma": Comma()}
    values = [
        [found.value for found in steps_of(genetic, BitString(1, 200), parents=parents, survival=name, calls=2000)]
        for name in ("plus", "comma")
    ]
    assert values[0] != values[1]


def test_early_stopping_ends_the_search():
    options = {"population": 20, "offspring": 20, "survival": "comma", "pool": 5, "flips": 3, "calls": 8000}
    values = [found.value for found in steps_of(genetic, BitString(1, 300), patience=8, seed=2, **options)]
    assert len(values) > 20
    assert values[-10] < values[-9] == values[-1]
    longer = steps_of(genetic, BitString(1, 300), seed=2, **options)
    assert [found.value for found in longer[: len(values)]] == values
    assert len(longer) == 400


def test_options_are_those_of_the_dataclass():
    names = tuple(solving.SOLVERS.options(genetic))
    assert names == (
        "parents",
        "population",
        "offspring",
        "crossover",
        "tournament",
        "pool",
        "flips",
        "survival",
        "patience",
        "calls",
    )
    assert signature(genetic).parameters["seed"].default == 0
    with pytest.raises(TypeError, match="elite"):
        genetic(BitString(1, 20), elite=1)


def test_parents_by_ones_lead_where_those_by_fitness_do_not():
    values = {
        parents: [
            optimise(
                BitString(5, 200), lambda box, seed, by=parents: genetic(box, by, seed=seed, calls=6000), seed=s
            ).value
            for s in range(3)
        ]
        for parents in ("fitness", "ones")
    }
    assert np.median(values["ones"]) > 0.7 > np.median(values["fitness"])


def test_islands_without_migration_are_runs_of_their_own():
    """The best of two islands is the best of two runs with the islands' seeds. Migration changes this."""
    options = {"population": 10, "calls": 400}
    apart = steps_of(islands, BitString(1, 200), islands=2, migration=1000, seed=5, **options)
    drawn = np.random.default_rng(5).integers(2**64, size=2, dtype=np.uint64).tolist()
    alone = [steps_of(genetic, BitString(1, 200), seed=one, population=10, offspring=10, calls=200) for one in drawn]
    assert [found.value for found in apart] == [max(a.value, b.value) for a, b in zip(*alone, strict=True)]
    joined = steps_of(islands, BitString(1, 200), islands=2, migration=2, seed=5, **options)
    assert [found.value for found in joined] != [found.value for found in apart]


@pytest.mark.parametrize(
    "solver", ["linkage", "genetic:population=10", "umda", "islands:islands=2,population=4", "one_plus_one"]
)
@pytest.mark.parametrize("calls", [15, 30, 33, 34, 60])
def test_the_best_genome_counts_when_the_calls_run_out(solver, calls):
    for seed in range(6):
        problem, best = BitString(2, 14), []
        measure = problem._fitness

        def seen(genomes, measure=measure, best=best):
            values = measure(genomes)
            best.append(values.max())
            return values

        problem._fitness = seen
        name, _, given = solver.partition(":")
        options = ",".join(filter(None, (f"calls={calls}", given, "population=8,best=4" if name == "umda" else "")))
        result = optimise(problem, f"{name}:{options}", seed=seed)
        assert result.work == problem.calls <= calls
        assert result.value == pytest.approx(max(best))
