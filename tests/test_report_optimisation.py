"""Set covering and the black box of reports A and B, compared with plain Python and independent measurements."""

import random
from collections import Counter
from dataclasses import replace
from functools import cache
from itertools import combinations, islice
from queue import PriorityQueue
from typing import NamedTuple

import numpy as np
import pytest

from ci_envs.optimisation import BitString, SetCovering, optimise, set_covering
from ci_envs.optimisation.set_covering.covering_genetic import covering_genetic
from ci_envs.optimisation.set_covering.instances import random_sets
from ci_envs.registry.options import options_of, with_preset
from ci_envs.registry.presets import presets_of
from ci_envs.reports.catalog import sections
from ci_envs.reports.report_a.best_first_covering import cover_of
from ci_envs.reports.report_a.black_box_ga import generations
from ci_envs.reports.report_b.covering_ga import OPTIONS, states
from ci_envs.reports.section import RunOptions


@cache
def findings_of(name):
    return sections()[name].run(RunOptions(quick=True))


def rows_of(name):
    return {row.quantity: row for row in findings_of(name).rows}


# --- A1: best-first search


class PlainState(NamedTuple):
    taken: set
    not_taken: set


def plain_best_first(sets, size):
    """Run report A's search as printed, on Python's queue, and return ``(steps, tiles)``."""

    def uncovered(state):
        return sum(all(element not in sets[index] for index in state.taken) for element in range(size))

    root = PlainState(set(), set(range(len(sets))))
    frontier = PriorityQueue()
    frontier.put((uncovered(root), root))
    steps, (_, state) = 0, frontier.get()
    while uncovered(state) > 0:
        steps += 1
        for action in state.not_taken:
            after = PlainState(state.taken | {action}, state.not_taken - {action})
            frontier.put((len(state.taken) + uncovered(after), after))
        _, state = frontier.get()
    return steps, len(state.taken)


def solvable_draws(count):
    seeds = iter(range(10**6))
    draws = (random_sets(5, 10, 0.3, seed) for seed in seeds)
    return [sets for _, sets in zip(range(count), (one for one in draws if len(set().union(*one)) == 5), strict=False)]


def test_report_a_search_is_the_plain_one():
    draws = solvable_draws(300)
    found = [cover_of(sets, 5) for sets in draws]
    for sets, one in zip(draws, found, strict=True):
        assert set().union(*(sets[index] for index in one.cover)) == set(range(5))
    assert [(one.steps, len(one.cover)) for one in found] == [plain_best_first(sets, 5) for sets in draws]


@pytest.mark.parametrize(
    ("sets", "steps", "cover"),
    [
        ([{0, 1, 2}], 1, {0}),
        ([{0}, {1}, {0, 1}], 1, {2}),
        ([{0}, {1}], 3, {0, 1}),  # {1} comes before {0, 1}, which has the same priority and more sets
        ([{0, 1, 2}, {3}, {3, 4}], 2, {0, 2}),
    ],
)
def test_small_searches_by_hand(sets, steps, cover):
    assert cover_of(sets, 1 + max(map(max, sets))) == (steps, cover)


def test_figures_of_section_a1():
    rows = rows_of("A1")
    assert rows["steps, median"].literal.value == 2
    assert rows["steps, mean"].literal.value == pytest.approx(3.5, abs=0.4)
    assert rows["tiles, mean"].literal.value == pytest.approx(2.38, abs=0.08)
    assert rows["draws that abort"].literal.value == pytest.approx(13.5, abs=2.5)
    assert 99 <= rows["covers with the fewest tiles"].literal.value <= 100
    assert rows["tiles, mean"].ours.value <= rows["tiles, mean"].literal.value
    assert rows["weight of the cover, mean"].ours.value < rows["weight of the cover, mean"].literal.value


@pytest.mark.parametrize("unit_cost", [False, True])
def test_the_solver_of_section_a1(unit_cost):
    sets = solvable_draws(1)[0]
    problem = set_covering(sets=[one for one in sets if one], unit_cost=unit_cost)
    result = optimise(problem, "report:A1")
    assert problem.covered(result.solution) == 5
    assert result.value == problem.cost(result.solution)
    assert not result.optimal
    with pytest.raises(ValueError, match="solver report:A1 is not for BitString"):
        optimise(BitString(), "report:A1")


# --- A3: the black box


def plain_black_box(problem, loci, parents, seed, count):
    """Run report A's algorithm in plain Python, and return the best fitness of the first generations."""
    rng = random.Random(seed)

    def fitness(genome):
        counts = sorted((sum(genome[start::problem]) for start in range(problem)), reverse=True)
        others = [count for count in counts if count < counts[0]]
        rest = sum(count * 0.1 ** (place + 1) for place, count in enumerate(others))
        return ((problem - len(others)) * counts[0] - rest) / loci

    key = fitness if parents == "fitness" else sum
    population = [[rng.randint(0, 1) for _ in range(loci)] for _ in range(100)]
    curve = []
    for _ in range(count):
        curve.append(max(map(fitness, population)))
        keys = [key(genome) for genome in population]
        pool = [population[max(rng.choices(range(100), k=10), key=keys.__getitem__)] for _ in range(20)]
        children = []
        for _ in range(100):
            one, other = rng.sample(pool, 2)
            child = [rng.choice(pair) for pair in zip(one, other, strict=True)]
            children.append([bit ^ (rng.random() < 0.01) for bit in child])
        population = children
    return curve


@pytest.mark.parametrize(("problem", "parents"), [(1, "fitness"), (2, "fitness"), (2, "ones")])
def test_the_black_box_algorithm_is_like_the_plain_one(problem, parents):
    loci, count = 200, 9
    plain = [plain_black_box(problem, loci, parents, seed, count) for seed in range(5)]
    ours = [
        [state.fitness.max() for state in islice(generations(BitString(problem, loci), parents, seed), count)]
        for seed in range(20)
    ]
    deviation = np.std(ours, axis=0) * (1 / len(plain) + 1 / len(ours)) ** 0.5
    assert (np.abs(np.mean(plain, axis=0) - np.mean(ours, axis=0)) <= 4 * deviation).all()


@pytest.mark.parametrize("parents", ["fitness", "ones"])
def test_the_run_ends_50_generations_after_the_last_improvement(parents):
    """Only improvements after generation 50 count, and one more generation is evaluated."""
    curve = [float(state.fitness.max()) for state in generations(BitString(10, 400), parents, 4)]
    late = curve[50:-1]
    improvements = [place for place, value in enumerate(late) if value > max([0.0, *late[:place]])]
    assert len(curve) == 50 + improvements[-1] + 52


def test_selections_are_the_same_for_problem_1():
    by_fitness, by_ones = (list(generations(BitString(1, 60), parents, 2)) for parents in ("fitness", "ones"))
    assert [state.fitness.tolist() for state in by_fitness] == [state.fitness.tolist() for state in by_ones]


def test_figures_of_section_a3():
    """One run of each is within the ranges of ten independent runs, with a small margin."""
    rows = rows_of("A3")
    ranges = {
        (1, "fitness"): (0.91, 0.935),
        (2, "fitness"): (0.50, 0.60),
        (2, "ones"): (0.89, 0.94),
        (5, "fitness"): (0.21, 0.43),
        (5, "ones"): (0.65, 0.92),
        (10, "fitness"): (0.16, 0.34),
        (10, "ones"): (0.42, 0.66),
    }
    for (problem, parents), (low, high) in ranges.items():
        best = rows[f"best fitness, problem {problem}, parents by {parents}"]
        calls = rows[f"calls, problem {problem}, parents by {parents}"]
        assert low <= best.literal.value <= high
        assert best.ours.value == 1.0 > best.report.value
        assert calls.ours.value < calls.report.value
        assert 10_200 <= calls.literal.value <= 45_000
        assert calls.literal.value == 100 * rows[f"generations, problem {problem}, parents by {parents}"].literal.value


def test_plots_of_section_a3():
    findings = findings_of("A3")
    assert [plot.name for plot in findings.plots] == ["fitness", "ones"]
    printed = {row.quantity: row.report.value for row in findings.rows if row.report}
    for plot in findings.plots:
        *lines, stopping, points = plot.panels[0].series
        assert [line.label for line in lines] == ["problem 1", "problem 2", "problem 5", "problem 10"]
        assert set(stopping.x) == {50.0}
        best = {printed.get(f"best fitness, {line.label}, parents by {plot.name}") for line in lines}
        assert set(points.y) == best - {None}


def test_the_solver_of_section_a3():
    result = optimise(BitString(2, 60), "report:A3:ones", seed=3)
    assert result.work % 100 == 0
    assert result.value == BitString(2, 60).fitness(result.solution[np.newaxis])[0] > 0.8


# --- B2: the genetic algorithm for set covering


def plain_genetic(sets, n, population, offspring, limit, seed):
    """Run report B's algorithm in plain Python, and return ``(weight, generations)``."""
    rng, count = random.Random(seed), len(sets)

    def fitness(genome):
        taken = [one for one, bit in zip(sets, genome, strict=True) if bit]
        return len(set().union(*taken)), -sum(map(len, taken))

    individuals = [((0,) * count, fitness((0,) * count))] * population
    for generation in range(limit + 1):
        if individuals[0][1] == (n, -n) or generation == limit:
            return -individuals[0][1][1], generation
        children = []
        for _ in range(offspring):
            first, second = (max(rng.choices(individuals, k=2), key=lambda one: one[1])[0] for _ in range(2))
            if rng.random() < 0.3:
                place = rng.randrange(count)
                child = tuple(bit ^ (index == place) for index, bit in enumerate(first))
            else:
                cut = rng.randint(0, count)
                child = first[:cut] + second[cut:]
            children.append((child, fitness(child)))
        individuals = sorted(individuals + children, key=lambda one: one[1], reverse=True)[:population]
    raise AssertionError


@pytest.mark.parametrize("n", [10, 20])
def test_report_b_genetic_algorithm_is_like_the_plain_one(n):
    problem = set_covering(n, unique=True)
    options = replace(OPTIONS, population=40, offspring=30)
    ends = []
    for seed in range(20):
        *_, state = states(problem, seed, options, generations=25)
        ends.append((problem.value(state.hall[0], 0.0), state.generation))
    plain = [plain_genetic(problem.sets, n, 40, 30, 25, seed) for seed in range(20)]
    for which, tolerance in ((0, 0.05), (1, 0.35)):
        ours, theirs = (np.mean([one[which] for one in each]) for each in (ends, plain))
        assert ours == pytest.approx(theirs, rel=tolerance)


def test_children_of_report_b_are_mutants_or_crossed():
    """The first children of empty selections have no bit, or one bit with a probability of 30%."""
    problem = set_covering(20, unique=True)
    options = replace(OPTIONS, population=1000)
    fitness = []

    class WatchedCovering(SetCovering):
        def _fitness(self, genomes):
            fitness.append(Counter(genomes.sum(axis=1).tolist()))
            return super()._fitness(genomes)

    watched = WatchedCovering(problem.size, problem.sets)
    list(states(watched, 5, options, generations=1))
    assert fitness[0] == {0: 1000}
    assert fitness[1].keys() == {0, 1}
    assert fitness[1][1] == pytest.approx(300, abs=60)


def test_a_scalar_fitness_counts_the_weight_of_an_incomplete_cover_twice():
    problem = set_covering(sets=[[0, 1], [1, 2], [0, 1, 2]])
    *_, state = states(problem, 0, replace(OPTIONS, reward=10.0), generations=3)
    values = {tuple(genome): value for genome, value in zip(state.genomes.tolist(), state.fitness, strict=True)}
    weights = (2, 2, 3)
    for chosen in (one for count in range(4) for one in combinations(range(3), count)):
        covered = set().union(*(problem.sets[index] for index in chosen))
        weight = sum(weights[index] for index in chosen) * (1 if len(covered) == 3 else 2)
        genome = tuple(index in chosen for index in range(3))
        assert values.get(genome, 10 * len(covered) - weight) == 10 * len(covered) - weight
    assert len(values) > 3


@pytest.mark.parametrize(
    ("n", "least", "most", "fewest", "longest"), [(5, 5, 5, 3, 5), (10, 10, 10, 3, 14), (20, 23, 27, 200, 200)]
)
def test_weights_of_report_b(n, least, most, fewest, longest):
    problem = set_covering(n, unique=True)
    for seed in range(2):
        *_, state = states(problem, seed)
        assert least <= problem.value(state.hall[0], 0.0) <= most
        assert fewest <= state.generation <= longest


@pytest.mark.slow
def test_weights_of_report_b_at_100():
    problem = set_covering(100, unique=True)
    found = [optimise(problem, "report:B2", seed=seed).value for seed in range(6)]
    assert all(165 <= weight <= 235 for weight in found)


def test_the_solver_of_section_b2_leaves_out_repeated_sets():
    problem = set_covering(5)
    result = optimise(problem, "report:B2", seed=1)
    assert (len(problem.sets), len(set(problem.sets))) == (25, 10)
    assert (result.value, problem.covered(result.solution)) == (5, 5)
    chosen = np.flatnonzero(result.solution).tolist()
    assert all(problem.sets.index(problem.sets[index]) == index for index in chosen)


# --- presets


def test_presets_are_the_parameters_of_the_reports():
    given, options = {"preset": "B2", "calls": 5}, options_of(covering_genetic)
    assert with_preset("covering_genetic", given, options, presets_of("covering_genetic")) == {
        "population": 1500,
        "offspring": 1000,
        "calls": 5,
        "ones": 0,
        "tournament": 2,
        "crossover": "one_point",
        "crossover_rate": 0.7,
        "mutates_crossed": False,
        "mutation": "flip_one",
    }
    problem = BitString(2)
    explicit = "genetic:ones,population=100,offspring=100,pool=20,tournament=10,flips=10,survival=comma,calls=1200"
    results = [optimise(problem, spec, seed=1) for spec in (explicit, "genetic:ones,preset=A3,calls=1200")]
    assert results[0].value == results[1].value
    assert results[0].work == results[1].work
    with pytest.raises(ValueError, match="Unknown preset 'B1' for solver covering_genetic"):
        optimise(set_covering(5), "covering_genetic:preset=B1")
    with pytest.raises(ValueError, match="preset"):
        optimise(set_covering(5), "greedy:preset=B2")
