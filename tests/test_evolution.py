"""Evolution: operators compared with theory, runs with known optima, and fitness by play with a slow loop."""

import math
import os
import re
from dataclasses import dataclass, fields, replace
from functools import partial
from itertools import combinations, permutations

import numpy as np
import pytest
from crashing import Crash
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.tabular import Dice
from toy_agents import Broken, Illegal, RandomInPython

from ci_envs import ConnectN, Nim, Position, Quarto, Quixo, RandomOpenings, make_agent
from ci_envs.agent_interface.policy import choose
from ci_envs.agents.evolution import FitnessByPlay, GenomePolicy, Individual, mean_scores, play_population
from ci_envs.agents.evolution.play import paired_openings
from ci_envs.games import action_count, implements, legal
from ci_envs.kernels.random_numbers import random_index_from
from ci_envs.optimisation.evolution import (
    CMAES,
    BitFlip,
    Blend,
    ByKey,
    Comma,
    Elitism,
    FlipOne,
    Gaussian,
    Immigration,
    MatingPool,
    OneFifth,
    OnePoint,
    OptimiserEvolution,
    Plan,
    Plus,
    PopulationEvolution,
    RandomBits,
    RandomIntegers,
    RandomNumbers,
    RandomOrders,
    RouletteSelection,
    Swap,
    TournamentSelection,
    TruncationSelection,
    Uniform,
    UniformReset,
    diversity,
    evolve,
    first_generation,
    next_generation,
    read_run,
    run,
)

TICTACTOE = ConnectN(3, 3, 3)


def evolved(plan, fitness, initial, generations, seed=0, **options):
    """Return the evolution after a run."""
    evolution = PopulationEvolution(plan, fitness, initial, seed)
    run(evolution, generations, **options)
    return evolution


# ---------------------------------------------------------------------------------------------------- fitness by play


@dataclass(frozen=True)
class Preferences(GenomePolicy):
    """A policy that plays one of the legal actions with the largest gene. The genes repeat for further actions."""

    def buffer_size(self, game, genes):
        return game.action_count


@implements(choose, Preferences)
def _(policy):
    def kernel(policy, game, own, opp, seed, memory):
        genome, room = memory
        best = -np.inf
        for number in range(action_count(game)):
            room[number] = -np.inf
            if legal(game, own, opp, np.uint64(number)):
                room[number] = genome[number % len(genome)]
                best = max(best, room[number])
        return random_index_from(room, action_count(game), best, seed)[0]

    return kernel


@dataclass(frozen=True)
class Stubborn(GenomePolicy):
    """A policy that always plays the action in its gene."""


@implements(choose, Stubborn)
def _(policy):
    return lambda policy, game, own, opp, seed, memory: np.int64(memory[0][0])


def slow_choice(genome, position, dice):
    legal_actions = position.legal_actions()
    if genome is None:
        return legal_actions[dice.below(len(legal_actions))]
    genes = {action: genome[action % len(genome)] for action in legal_actions}
    best = [action for action, gene in genes.items() if gene == max(genes.values())]
    return best[dice.below(len(best))]


def slow_score(game, genome, opponent, word, seat, max_plies, start=None):
    position = start or Position.start(game)
    for ply in range(max_plies):
        dice = Dice((word + ply * 0x9E3779B97F4A7C15**2) % 2**64)  # new genes for each decision
        position = position.play(slow_choice(genome if position.to_move == seat else opponent, position, dice))
        if position.result is not None:
            return position.result if position.to_move == seat else -position.result
    return 0


@pytest.mark.parametrize(
    ("game", "max_cycles"),
    [
        (TICTACTOE, None),
        (Quixo(3), 25),
        (Nim((2, 3, 4), 2, True), None),
        (Quarto(), None),
        pytest.param(Nim((2, 3, 4)), None, marks=pytest.mark.slow),
    ],
    ids=str,
)
def test_games_are_those_of_a_slow_loop(game, max_cycles):
    rng = np.random.default_rng(3)
    population = rng.integers(3, size=(6, 5))
    rival = rng.normal(size=11)
    opponents = [make_agent("random", game), Individual(Preferences(), rival)]
    results = play_population(game, Preferences(), population, opponents, 9, 2**64 - 1, max_cycles=max_cycles)
    assert results.shape == (6, 2, 3)
    words = np.random.default_rng(2**64 - 1).integers(2**64, size=(2, 9), dtype=np.uint64)
    for row, genome in enumerate(population.tolist()):
        for column, other in enumerate((None, rival.tolist())):
            scores = [
                slow_score(game, genome, other, int(words[column, number]), number % 2, max_cycles or 10**6)
                for number in range(9)
            ]
            assert results[row, column].tolist() == [scores.count(score) for score in (1, 0, -1)]


def test_games_from_random_openings_are_those_of_a_slow_loop():
    starts = paired_openings(TICTACTOE, RandomOpenings(5, 0.7))(9, np.random.default_rng(1))
    assert np.array_equal(starts[:8:2], starts[1:8:2])
    assert len({tuple(words) for words in starts.tolist()}) > 2
    genome, fitness_seed = np.array([[0.0, 2, 1, 1, 2]]), 3
    random = [make_agent("random", TICTACTOE)]
    results = play_population(
        TICTACTOE, Preferences(), genome, random, 9, fitness_seed, starts=starts, alternate_seats=True
    )
    words = np.random.default_rng(fitness_seed).integers(2**64, size=(1, 9), dtype=np.uint64)[0].tolist()
    scores = [
        slow_score(TICTACTOE, genome[0].tolist(), None, word, number % 2, 10, Position(TICTACTOE, *start))
        for number, (word, start) in enumerate(zip(words, starts.tolist(), strict=True))
    ]
    assert results[0, 0].tolist() == [scores.count(score) for score in (1, 0, -1)]


@pytest.mark.parametrize("opponent", [RandomInPython(TICTACTOE, seed=0), "random", "minimax:depth=1"])
def test_threads_and_neighbours_change_nothing(opponent):
    opponents = [make_agent(opponent, TICTACTOE) if isinstance(opponent, str) else opponent]
    population = np.random.default_rng(0).normal(size=(7, 9))
    results = play_population(TICTACTOE, Preferences(), population, opponents, 20, 5)
    for threads in (2, 3, 20):
        again = play_population(TICTACTOE, Preferences(), population, opponents, 20, 5, threads=threads)
        assert (again == results).all()
    order = [6, 0, 0, 3]
    assert (play_population(TICTACTOE, Preferences(), population[order], opponents, 20, 5) == results[order]).all()
    other = play_population(TICTACTOE, Preferences(), population, opponents, 20, 6)
    assert (other != results).any()
    seeds = [5, 6, 5, 6, 5, 6, 5]
    alternated = np.where(np.arange(7)[:, np.newaxis, np.newaxis] % 2, other, results)
    for threads in (1, 2):
        assert (
            play_population(TICTACTOE, Preferences(), population, opponents, 20, seeds, threads=threads) == alternated
        ).all()


def test_scores_are_means_over_all_opponents():
    results = np.array([[[2, 1, 1], [4, 0, 0]], [[0, 4, 0], [0, 0, 4]]])
    assert mean_scores(results).tolist() == [5 / 8, -1 / 2]


def test_draws_cost_most_against_the_opponents_that_lose_to_the_best_genome():
    results = np.array([[[2, 1, 1], [0, 2, 2]], [[0, 4, 0], [0, 4, 0]]])
    # the best genomes have 1/4 against the first opponent and 0 against the second
    assert mean_scores(results, draw_penalty=1.0).tolist() == [(1 - 1 / 4 - 2) / 8, -1 / 8]
    # all genomes lose to the opponent: a draw is better than their mean
    assert mean_scores(np.array([[[0, 2, 2]], [[0, 0, 4]]]), draw_penalty=1.0).tolist() == [(1 - 2) / 4, -1]


def test_peers_come_from_the_genomes():
    population = np.random.default_rng(1).normal(size=(5, 9))
    fitness = FitnessByPlay(TICTACTOE, Preferences(), (), games=2, peers=4)
    assert (fitness(population, 8) == fitness(population, 8)).all()
    # without ties play is deterministic, so a single genome scores against itself the mean of both seats
    alone = fitness(population[:1], 8)
    assert alone.tolist() == [0.0]


def test_play_can_be_learned():
    game = Nim((1, 2))
    fitness = FitnessByPlay(game, Preferences(), (make_agent("random", game),), games=40)
    plan = Plan(8, 8, Gaussian(0.5), TournamentSelection(2), Uniform(), reevaluate=True)
    done = evolved(plan, fitness, RandomNumbers(3, -1, 1), 10)
    orders = np.array(list(permutations(range(3))), dtype=float)
    assert fitness(done.population.hall, 12345)[0] == fitness(orders, 12345).max()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"population": np.zeros(3)}, r"\(n, genes\).*\(3,\)"),
        ({"population": np.zeros((0, 3))}, r"\(0, 3\)"),
        ({"opponents": []}, "at least one opponent"),
        ({"opponents": [make_agent("random", Quixo())]}, "was made for"),
        ({"opponents": [Broken(TICTACTOE)]}, "a bug"),
        ({"opponents": [Illegal(TICTACTOE)]}, "opponent Illegal played an illegal action"),
        ({"opponents": [Individual(Stubborn(), np.array([9]))]}, "opponent Stubborn played an illegal action"),
        ({"policy": Stubborn(), "threads": 2}, "Stubborn played an illegal action"),
        ({"games": 0}, "games.*0"),
        ({"seed": -1}, "seed.*-1"),
        ({"seed": [0, 1, -1]}, "seed.*-1"),
        ({"seed": [0, 1]}, "each of 3 genomes, not 2"),
        ({"threads": 0}, "threads.*0"),
        ({"max_cycles": 0}, "max_cycles.*0"),
    ],
)
def test_bad_play_is_refused(change, message):
    arguments = {
        "game": TICTACTOE,
        "policy": Preferences(),
        "population": np.ones((3, 9)),
        "opponents": [make_agent("random", TICTACTOE)],
        "games": 2,
        "seed": 0,
    }
    with pytest.raises(ValueError, match=message):
        play_population(**arguments | change)


# --------------------------------------------------------------------------------------------------------- operators

RATES = st.floats(0, 1)
SHAPES = st.tuples(st.integers(1, 7), st.integers(1, 9))


@st.composite
def populations(draw, kind):
    """Return genomes of a kind, from -3 to 4 if they are numbers, and a random number generator."""
    (count, genes), rng = draw(SHAPES), np.random.default_rng(draw(st.integers(0, 2**32)))
    if kind == "bits":
        return RandomBits(genes, draw(RATES))(count, rng), rng
    if kind == "integers":
        return RandomIntegers(genes, -3, 4)(count, rng).astype(draw(st.sampled_from([np.int8, np.int64]))), rng
    if kind == "orders":
        return RandomOrders(genes)(count, rng), rng
    return RandomNumbers(genes, -3, 4)(count, rng).astype(draw(st.sampled_from([np.float32, np.float64]))), rng


def per_gene(draw, rate, genes):
    return draw(st.sampled_from([rate, np.full(genes, rate)]))


@settings(max_examples=60, deadline=None)
@given(st.data(), st.sampled_from(["bits", "integers", "floats", "orders"]))
def test_mutants_are_valid_genomes(data, kind):
    genomes, rng = data.draw(populations(kind))
    before, genes = genomes.copy(), genomes.shape[1]
    rate = per_gene(data.draw, data.draw(RATES), genes)
    mutate = {
        "bits": BitFlip(rate),
        "integers": UniformReset(per_gene(data.draw, -3, genes), 4, rate),
        "floats": data.draw(
            st.sampled_from([Gaussian(per_gene(data.draw, 2.0, genes), rate, -3, 4), UniformReset(-3.0, 4.0, rate)])
        ),
        "orders": Swap(data.draw(RATES)),
    }[kind]
    mutants = mutate(genomes, rng, data.draw(st.floats(0, 10)))
    assert (genomes == before).all()
    assert (mutants.shape, mutants.dtype) == (genomes.shape, genomes.dtype)
    assert not np.shares_memory(mutants, genomes)
    if kind == "orders":
        assert (np.sort(mutants, axis=1) == np.arange(genes)).all()
    elif kind != "bits":
        assert ((mutants >= -3) & (mutants <= 4)).all()
    if np.max(rate) == 0 and kind != "orders":
        assert (mutants == genomes).all()


@settings(max_examples=60, deadline=None)
@given(st.data(), st.sampled_from(["bits", "integers", "floats"]))
def test_children_are_valid_genomes(data, kind):
    mothers, rng = data.draw(populations(kind))
    fathers = rng.permuted(mothers)
    before = mothers.copy(), fathers.copy()
    operators = [OnePoint(), Uniform(per_gene(data.draw, data.draw(RATES), mothers.shape[1]))]
    if kind == "floats":
        operators.append(Blend(data.draw(st.floats(0, 2)), -3, 4))
    cross = data.draw(st.sampled_from(operators))
    children = cross(mothers, fathers, rng)
    assert (mothers == before[0]).all()
    assert (fathers == before[1]).all()
    assert (children.shape, children.dtype) == (mothers.shape, mothers.dtype)
    assert not np.shares_memory(children, mothers)
    if isinstance(cross, Blend):
        assert ((children >= -3) & (children <= 4)).all()
        reach = cross.alpha * np.abs(mothers - fathers) + 1e-5
        assert (children >= np.minimum(mothers, fathers) - reach).all()
        assert (children <= np.maximum(mothers, fathers) + reach).all()
    else:
        assert ((children == mothers) | (children == fathers)).all()


def test_one_point_has_one_point_anywhere():
    mothers, fathers = np.zeros((4000, 5), dtype=np.int64), np.ones((4000, 5), dtype=np.int64)
    children = OnePoint()(mothers, fathers, np.random.default_rng(0))
    assert (np.diff(children, axis=1) >= 0).all()
    points = np.bincount((children == 0).sum(axis=1), minlength=6)
    assert points[[0, 5]].tolist() == [0, 0]
    assert chi_square(points[1:5], np.full(4, 0.25)) < 16.3  # 99.9% of 3 degrees of freedom


def test_one_point_may_be_at_an_end():
    mothers, fathers = np.zeros((6000, 5), dtype=np.int64), np.ones((6000, 5), dtype=np.int64)
    children = OnePoint(ends=True)(mothers, fathers, np.random.default_rng(0))
    assert (np.diff(children, axis=1) >= 0).all()
    points = np.bincount((children == 0).sum(axis=1), minlength=6)
    assert chi_square(points, np.full(6, 1 / 6)) < 20.5  # 99.9% of 5 degrees of freedom


def test_one_uniformly_random_bit_flips():
    genomes = np.random.default_rng(1).random((6000, 6)) < 0.5
    mutants = FlipOne()(genomes, np.random.default_rng(2), 1.0)
    changed = genomes != mutants
    assert (changed.sum(axis=1) == 1).all()
    assert chi_square(changed.sum(axis=0), np.full(6, 1 / 6)) < 20.5  # 99.9% of 5 degrees of freedom


def chi_square(observed, probabilities):
    expected = observed.sum() * np.asarray(probabilities)
    return float(((observed - expected) ** 2 / expected).sum())


@pytest.mark.parametrize("rate", [0.001, 0.3, 1.0, np.array([0.0, 0.1, 0.5, 1.0])], ids=str)
def test_mutation_rates_are_those_of_each_gene(rate):
    genomes, rng = np.zeros((20_000, 4)), np.random.default_rng(1)
    expected = np.broadcast_to(rate, 4)
    deviation = 4.5 * np.sqrt(expected * (1 - expected) / len(genomes))
    changed = [
        BitFlip(rate)(genomes.astype(bool), rng, 1.0),
        Gaussian(1.0, rate)(genomes, rng, 1.0) != 0,
        UniformReset(1.0, 2.0, rate)(genomes, rng, 1.0) != 0,
    ]
    for change in changed:
        assert (np.abs(change.mean(axis=0) - expected) <= deviation).all()


def test_blend_is_uniform_around_the_parents():
    mothers, fathers = np.zeros((8000, 2)), np.tile([1.0, -2.0], (8000, 1))
    places = Blend(0.5)(mothers, fathers, np.random.default_rng(2)) / fathers
    for column in places.T:
        counts, _ = np.histogram(column, bins=4, range=(-0.5, 1.5))
        assert counts.sum() == 8000
        assert chi_square(counts, np.full(4, 0.25)) < 16.3


def test_gaussian_has_its_deviation_times_the_step():
    sigma = np.array([0.5, 1.0, 4.0])
    noise = Gaussian(sigma)(np.zeros((50_000, 3)), np.random.default_rng(2), 0.1)
    assert np.abs(noise.std(axis=0) / (0.1 * sigma) - 1).max() < 0.02
    assert np.abs(noise.mean(axis=0) / (0.1 * sigma)).max() < 0.02


def test_reset_reaches_both_bounds_of_integers():
    drawn = UniformReset(np.array([0, 5]), np.array([3, 5]), 1.0)(np.full((4000, 2), 9), np.random.default_rng(3), 1.0)
    assert chi_square(np.bincount(drawn[:, 0]), np.full(4, 0.25)) < 16.3
    assert (drawn[:, 1] == 5).all()


@pytest.mark.parametrize(
    ("fitness", "shares"),
    [
        ([1, 2, 3, 4], [0.1, 0.2, 0.3, 0.4]),
        ([-1, 0, 1, 2], [0, 1 / 6, 2 / 6, 3 / 6]),
        ([0, 0, 0, 0], [0.25] * 4),
        ([-5, -5, -5, -5], [0.25] * 4),
        ([1e308, 1e308, 0, 0], [0.5, 0.5, 0, 0]),
        ([1e-300, 3e-300, 0, 0], [0.25, 0.75, 0, 0]),
    ],
)
def test_roulette_draws_by_fitness(fitness, shares):
    chosen = RouletteSelection()(np.zeros((4, 1)), np.array(fitness, dtype=float), 40_000, np.random.default_rng(4))
    counts, shares = np.bincount(chosen, minlength=4), np.array(shares)
    assert (counts[shares == 0] == 0).all()
    assert chi_square(counts[shares > 0], shares[shares > 0]) < 16.3


@pytest.mark.parametrize("size", [1, 2, 5])
def test_tournament_draws_by_rank(size):
    """The i-th best of n wins with probability ((n - i + 1)^s - (n - i)^s) / n^s (Goldberg and Deb 1991)."""
    n, rng = 6, np.random.default_rng(5)
    fitness = rng.permutation(n).astype(float)
    chosen = fitness[TournamentSelection(size)(np.zeros((n, 1)), fitness, 60_000, rng)].astype(int)
    shares = np.diff((np.arange(n + 1) / n) ** size)
    assert chi_square(np.bincount(chosen, minlength=n), shares) < 20.5  # 99.9% of 5 degrees of freedom


@pytest.mark.parametrize("size", [2, 3, 6])
def test_tournament_takes_over_when_theory_says(size):
    """(ln n + ln ln n) / ln s generations from one best to all but one (Goldberg and Deb 1991)."""
    n, rng, times = 1000, np.random.default_rng(6), []
    while len(times) < 100:
        fitness, generations = np.eye(1, n)[0], 0
        while 0 < fitness.sum() < n - 1:
            fitness = fitness[TournamentSelection(size)(fitness[:, np.newaxis], fitness, n, rng)]
            generations += 1
        if fitness.any():
            times.append(generations)
    theory = (math.log(n) + math.log(math.log(n))) / math.log(size)
    assert abs(np.mean(times) - theory) < 1.5


def test_truncation_draws_evenly_from_the_best():
    fitness = np.random.default_rng(7).permutation(30).astype(float)
    chosen = TruncationSelection(0.1)(np.zeros((30, 1)), fitness, 9000, np.random.default_rng(7))
    counts = np.bincount(fitness[chosen].astype(int), minlength=30)
    assert (counts[:27] == 0).all()
    assert chi_square(counts[27:], np.full(3, 1 / 3)) < 13.8  # 99.9% of 2 degrees of freedom


@pytest.mark.parametrize("count", [9000, 9001])
def test_parents_are_different_entries_of_the_mating_pool(count):
    def entries(genomes, fitness, size, rng):
        drawn.append(rng.permutation(len(genomes))[:size])
        return drawn[-1]

    drawn = []
    parents = MatingPool(4, entries)(np.zeros((30, 1)), np.zeros(30), count, np.random.default_rng(9))
    assert len(parents) == count
    (pool,) = drawn
    assert len(pool) == 4
    half = len(parents) // 2
    mothers, fathers = parents[:half], parents[count - half :]
    assert (mothers != fathers).all()
    pairs = [(a, b) for a in pool for b in pool if a != b]
    observed = [int(((mothers == a) & (fathers == b)).sum()) for a, b in pairs]
    assert chi_square(np.array(observed), np.full(12, 1 / 12)) < 31.3  # 99.9% of 11 degrees of freedom


def test_a_genome_can_have_several_entries_of_the_mating_pool():
    parents = MatingPool(5)(np.zeros((1, 1)), np.zeros(1), 6, np.random.default_rng(0))
    assert parents.tolist() == [0] * 6


def test_a_key_replaces_the_fitness():
    genomes = np.tri(8, dtype=bool)
    chosen = ByKey(lambda rows: rows.sum(axis=1), TruncationSelection(0.01))(
        genomes, np.arange(8.0)[::-1], 20, np.random.default_rng(8)
    )
    assert set(chosen.tolist()) == {7}


FITNESSES = st.lists(st.integers(-3, 3), min_size=4, max_size=8).map(lambda values: np.array(values, dtype=float))


@given(FITNESSES, FITNESSES, st.integers(1, 4), st.integers(0, 4))
def test_survivors_are_the_best_of_the_candidates(offspring, parents, count, elite):
    both, born = np.concatenate((offspring, parents)), len(offspring)
    plus = Plus()(offspring, parents, count)
    assert both[plus].tolist() == sorted(both, reverse=True)[:count]
    assert len(set(plus.tolist())) == count
    comma = Comma()(offspring, parents, count)
    assert both[comma].tolist() == sorted(offspring, reverse=True)[:count]
    assert (comma < born).all()
    elite = min(elite, count)
    kept = Elitism(elite)(offspring, parents, count)
    expected = sorted(parents, reverse=True)[:elite] + sorted(offspring, reverse=True)[: count - elite]
    assert both[kept].tolist() == sorted(expected, reverse=True)
    assert int((kept >= born).sum()) == elite


def test_of_equals_the_offspring_lives():
    assert Plus()(np.zeros(2), np.zeros(3), 2).tolist() == [0, 1]
    assert Plus(keeps_parents=True)(np.zeros(2), np.zeros(3), 4).tolist() == [2, 3, 4, 0]
    assert Plus(keeps_parents=True)(np.array([1.0, 3.0]), np.array([2.0, 3.0, 1.0]), 4).tolist() == [3, 1, 2, 4]


@given(populations("floats") | populations("integers") | populations("bits") | populations("orders"))
def test_diversity_is_the_mean_distance_of_pairs(drawn):
    genomes, _ = drawn
    floats = genomes.dtype.kind == "f"
    pairs = [
        math.dist(one, other) if floats else np.count_nonzero(one != other) for one, other in combinations(genomes, 2)
    ]
    assert diversity(genomes) == pytest.approx(np.mean(pairs) if pairs else 0.0, abs=1e-6)


def test_diversity_is_the_same_far_from_the_origin():
    genomes = np.random.default_rng(9).normal(size=(20, 3))
    assert diversity(genomes + 2.0**30) == pytest.approx(diversity(genomes), rel=1e-5)


def test_diversity_of_many_floats_is_close():
    genomes = np.random.default_rng(9).normal(size=(5000, 3))
    assert diversity(genomes) == pytest.approx(4 / math.sqrt(math.pi), rel=0.05)  # of normal vectors in 3 dimensions


# ------------------------------------------------------------------------------------------------------------- runs


def ones(genomes, seed):
    return genomes.sum(axis=1)


def sphere(genomes, seed):
    return -(genomes**2).sum(axis=1)


def rastrigin(genomes, seed):
    return -(10 * genomes.shape[1] + (genomes**2 - 10 * np.cos(2 * np.pi * genomes)).sum(axis=1))


ANGLES = 2 * np.pi * np.random.default_rng(10).permutation(9) / 9
CITIES = np.column_stack((np.cos(ANGLES), np.sin(ANGLES)))


def tour_length(orders, seed=0):
    stops = CITIES[orders]
    return -np.linalg.norm(stops - np.roll(stops, 1, axis=1), axis=2).sum(axis=1)


def test_cities_on_a_circle_are_best_toured_around_it():
    all_tours = np.array([(0, *rest) for rest in permutations(range(1, 9))])
    assert tour_length(all_tours).max() == pytest.approx(-18 * math.sin(math.pi / 9))


@pytest.mark.parametrize(
    ("plan", "fitness", "initial", "target", "generations"),
    [
        (Plan(60, 60, BitFlip(0.01), TournamentSelection(3), Uniform()), ones, RandomBits(100), 100, 200),
        (Plan(60, 60, BitFlip(0.01), RouletteSelection(), OnePoint(), 0.8), ones, RandomBits(50), 50, 400),
        (Plan(60, 60, BitFlip(0.01), TruncationSelection(0.2), Uniform(), survive=Elitism(2)),
         ones, RandomBits(100), 100, 200),
        (Plan(1, 1, BitFlip(0.02)), ones, RandomBits(50), 50, 5000),
        (Plan(20, 80, BitFlip(0.005), TournamentSelection(2), Uniform(), survive=Comma()),
         ones, RandomBits(80), 80, 300),
        (Plan(80, 160, Gaussian(0.2, 0.5, -5.12, 5.12), TournamentSelection(2), Blend()), rastrigin,
         RandomNumbers(2, -5.12, 5.12), -1e-2, 400),
        (Plan(50, 100, Swap(0.2), TournamentSelection(2), immigration=Immigration(20, 0.5)),
         tour_length, RandomOrders(9), -18 * math.sin(math.pi / 9) - 1e-9, 400),
        (Plan(40, 80, UniformReset(0, 9, 0.05), TournamentSelection(3), Uniform()),
         ones, RandomIntegers(12, 0, 9), 108, 300),
    ],
    ids=["onemax", "roulette", "truncation", "1+1", "comma", "rastrigin", "cities", "integers"],
)  # fmt: skip
@pytest.mark.parametrize("seed", range(3))
def test_known_optima_are_found(plan, fitness, initial, target, generations, seed):
    done = evolved(plan, fitness, initial, generations, seed=seed, target=target)
    assert done.population.record >= target


@pytest.mark.extended
@pytest.mark.parametrize(("offspring", "start"), [(1, 1e-4), (5, 1.0), (10, 1e3), (10, 1e-4)])
def test_one_fifth_rule_converges_from_any_step(offspring, start):
    rule = OneFifth()
    plan = Plan(1, offspring, Gaussian(start), TruncationSelection(), step_rule=rule)
    done = evolved(plan, sphere, RandomNumbers(5, 1, 2), 2000, target=-1e-12)
    assert done.population.record > -1e-12
    fixed = evolved(replace(plan, step_rule=None), sphere, RandomNumbers(5, 1, 2), 2000, target=-1e-12)
    assert fixed.population.record < -1e-9


def test_step_stays_where_a_fifth_succeeds():
    assert OneFifth()(0.7, 0.2) == 0.7
    assert OneFifth()(0.7, 0.3) > 0.7 > OneFifth()(0.7, 0.1)
    assert OneFifth(least=0.7)(0.7, 0.0) == 0.7


def test_success_is_to_be_better_than_the_mother():
    seen = {}

    def select(genomes, fitness, count, rng):
        seen["mothers"] = rng.integers(len(genomes), size=count)
        return seen["mothers"]

    def mutate(genomes, rng, step):
        seen["step"], seen["children"] = step, BitFlip(0.1)(genomes, rng, step)
        return seen["children"]

    def rule(step, success):
        seen["success"] = success
        return step + 1

    plan = Plan(4, 7, mutate, select, step_rule=rule)
    last, shares = None, set()
    for state, _ in zip(evolve(plan, ones, RandomBits(10)), range(30), strict=False):
        if last is not None:
            own, mothers = seen["children"].sum(axis=1), last.genomes[seen["mothers"]].sum(axis=1)
            assert seen["success"] == pytest.approx(np.mean(own > mothers))
            assert seen["step"] == last.step == state.step - 1
            shares.add(seen["success"])
        last = state
    assert len(shares) > 2


def test_crossover_rate_is_the_share_of_children_with_two_parents():
    def marked(mothers, fathers, rng):
        return np.ones_like(mothers)

    plan = Plan(1, 4000, BitFlip(0.0), crossover=marked, crossover_rate=0.3, survive=Comma())
    state = first_generation(plan, ones, RandomBits(1, 0.0), 0)
    plan = replace(plan, population=4000)
    assert next_generation(plan, ones, RandomBits(1), state).genomes.mean() == pytest.approx(0.3, abs=0.03)


def test_the_crossover_share_grows_exponentially():
    plan = Plan(10, 10, BitFlip(0.1), crossover=OnePoint(), crossover_rate=0.8, crossover_delay=20)
    assert [plan.crossover_share(generation) for generation in (0, 20, 10**6)] == pytest.approx(
        [0, 0.8 * (1 - math.exp(-1)), 0.8]
    )
    assert replace(plan, crossover_delay=0.0).crossover_share(0) == 0.8


@pytest.mark.parametrize(("mutates_crossed", "mutated"), [(True, 1.0), (False, 0.4)])
def test_children_are_mutated_or_crossed(mutates_crossed, mutated):
    """All parents are zeros, so every one comes from a mutation."""
    plan = Plan(
        5000,
        5000,
        FlipOne(),
        crossover=OnePoint(),
        crossover_rate=0.6,
        mutates_crossed=mutates_crossed,
        survive=Comma(),
    )
    state = first_generation(plan, ones, RandomBits(4, 0.0), 0)
    counts = next_generation(plan, ones, RandomBits(4), state).genomes.sum(axis=1)
    assert set(counts.tolist()) <= {0, 1}
    assert counts.mean() == pytest.approx(mutated, abs=0.03)


def test_immigrants_can_be_the_best():
    def better(count, rng):
        made.append(count)
        return np.full((count, 3), float(len(made)))

    made = []
    plan = Plan(5, 5, Gaussian(0.0), immigration=Immigration(0, 0.4))
    for number, state in zip(range(1, 6), evolve(plan, ones, better), strict=False):
        assert state.record == state.hall_fitness[0] == state.fitness.max() == 3 * number
        assert state.hall.tolist() == [[number] * 3]
    assert made == [5, 2, 2, 2, 2]


def test_a_run_ends_at_its_target_or_its_generations():
    plan, fitness, initial = PLANS["bits"]
    done = evolved(plan, fitness, initial, 50, target=20)
    assert done.population.record >= 20
    assert [told.generation for told in done.history] == list(range(done.population.generation + 1))
    assert all(told.best < 20 for told in done.history[:-1])
    assert evolved(plan, fitness, initial, 7).population.generation == 7


def noisy(genomes, seed):
    return genomes.sum(axis=1) + np.random.default_rng(seed).normal(size=len(genomes))


PLANS = {
    "bits": (Plan(12, 9, BitFlip(0.1), TournamentSelection(2), Uniform(), 0.7, hall_size=4), ones, RandomBits(30)),
    "noisy": (Plan(12, 9, BitFlip(0.1), RouletteSelection(), OnePoint(), reevaluate=True, hall_size=3),
              noisy, RandomBits(30)),
    "steps": (Plan(1, 4, Gaussian(0.3), step_rule=OneFifth()), sphere, RandomNumbers(6, -2, 2)),
    "comma": (Plan(5, 20, Gaussian(0.3), survive=Comma(), immigration=Immigration(2, 0.4)), sphere,
              RandomNumbers(3, -1, 1)),
    "cities": (Plan(8, 8, Swap(0.2), TruncationSelection(0.5), immigration=Immigration(0, 0.25)),
               tour_length, RandomOrders(9)),
}  # fmt: skip


def assert_equal_states(one, other):
    for field in fields(one):
        assert np.array_equal(getattr(one, field.name), getattr(other, field.name)), field.name
    assert one.genomes.dtype == other.genomes.dtype


@pytest.mark.parametrize("name", PLANS)
def test_every_call_counts_and_every_best_is_remembered(name):
    plan, fitness, initial = PLANS[name]
    seen = []

    def watched(genomes, seed):
        values = fitness(genomes, seed)
        seen.extend(zip(map(tuple, genomes.tolist()), values.tolist(), strict=True))
        genomes.setflags(write=False)  # the engine must not write to a state that it has returned
        return values

    for state, _ in zip(evolve(plan, watched, initial, seed=3), range(30), strict=False):
        assert state.calls == len(seen)
        assert state.record == max(value for _, value in seen)
        newest = dict(seen)
        best = sorted(newest.values(), reverse=True)[: plan.hall_size]
        assert state.hall_fitness.tolist() == best
        assert [newest[tuple(genome)] for genome in state.hall.tolist()] == best
        assert len({tuple(genome) for genome in state.hall.tolist()}) == len(best)
        latest = seen[-(plan.population + plan.offspring) :] if plan.reevaluate else seen
        assert set(zip(map(tuple, state.genomes.tolist()), state.fitness.tolist(), strict=True)) <= set(latest)
        assert len(state.genomes) == plan.population
        told = state.statistics
        assert (told.generation, told.calls, told.step) == (state.generation, state.calls, state.step)
        assert (told.best, told.mean) == (max(state.fitness), np.mean(state.fitness))
        assert told.diversity == diversity(state.genomes)


def test_immigrants_come_when_nothing_gets_better():
    def flat(genomes, seed):
        return np.zeros(len(genomes))

    plan = Plan(10, 10, BitFlip(0.0), immigration=Immigration(3, 1.0))
    initial = RandomBits(64)
    states = [state for state, _ in zip(evolve(plan, flat, initial), range(9), strict=False)]
    assert [state.stagnant for state in states] == [0, 1, 2, 0, 1, 2, 0, 1, 2]
    assert [state.calls for state in states] == [10, 20, 30, 49, 59, 69, 88, 98, 108]
    first = {row.tobytes() for row in states[0].genomes}
    assert all(row.tobytes() in first for row in states[2].genomes)
    assert sum(row.tobytes() in first for row in states[3].genomes) == 1


def test_extinction_spares_the_best():
    plan = Plan(10, 10, BitFlip(0.5), immigration=Immigration(0, 1.0))
    bests = [max(s.fitness) for s, _ in zip(evolve(plan, ones, RandomBits(40)), range(20), strict=False)]
    assert bests == sorted(bests)


def crashing(fitness, after):
    """A fitness function that raises an error after a number of calls."""
    calls = []

    def asked(genomes, seed):
        calls.append(seed)
        if len(calls) > after:
            raise Crash
        return fitness(genomes, seed)

    return asked


@pytest.mark.parametrize("name", PLANS)
@pytest.mark.parametrize("after", [0, 1, 7, 20])
def test_a_resumed_run_ends_like_one_without_a_break(name, after, tmp_path):
    plan, fitness, initial = PLANS[name]
    seed = 2**64 - 1
    whole = evolved(plan, fitness, initial, 25, seed, path=tmp_path / "whole.npz", notes={"a": (1, 2)})
    path = tmp_path / "folder" / "run.npz"
    with pytest.raises(Crash):
        evolved(plan, crashing(fitness, after), initial, 25, seed, path=path, notes={"a": [1, 2]})
    assert path.exists() == (after > 0)
    done = evolved(plan, fitness, initial, 25, seed, path=path, resume=path.exists(), notes={"a": [1, 2]})
    assert_equal_states(done.population, whole.population)
    assert done.history == whole.history
    assert path.read_bytes() == (tmp_path / "whole.npz").read_bytes()
    assert_equal_states(read_run(path).state, whole.population)
    ended = evolved(plan, crashing(fitness, 0), initial, 25, seed, path=path, resume=True, notes={"a": [1, 2]})
    assert_equal_states(ended.population, whole.population)


def test_a_killed_run_resumes_from_the_last_checkpoint(tmp_path):
    plan, fitness, initial = PLANS["bits"]
    path, kept = tmp_path / "run.npz", tmp_path / "kept.npz"

    def copied(genomes, seed):
        if path.exists() and not kept.exists():
            kept.write_bytes(path.read_bytes())
        return fitness(genomes, seed)

    whole = evolved(plan, copied, initial, 12, path=path, every=0)
    assert read_run(kept).state.generation == 0
    done = evolved(plan, fitness, initial, 12, path=kept, resume=True)
    assert_equal_states(done.population, whole.population)


def test_seeds_make_runs():
    plan, fitness, initial = PLANS["noisy"]
    one, again, other = (evolved(plan, fitness, initial, 5, seed=seed).population for seed in (1, 1, 2))
    assert_equal_states(one, again)
    assert not np.array_equal(one.genomes, other.genomes)


def test_runs_that_cannot_resume_are_refused(tmp_path):
    plan, fitness, initial = PLANS["bits"]
    path = tmp_path / "run.npz"
    evolved(plan, fitness, initial, 2, path=path, notes={"rate": 0.1})
    content = path.read_bytes()
    with pytest.raises(ValueError, match="already"):
        evolved(plan, fitness, initial, 2, path=path)
    with pytest.raises(ValueError, match=r"rate=0\.1"):
        evolved(plan, fitness, initial, 2, path=path, resume=True, notes={"rate": 0.2})
    with pytest.raises(ValueError, match="seed=0"):
        evolved(plan, fitness, initial, 2, path=path, resume=True, seed=1, notes={"rate": 0.1})
    with pytest.raises(ValueError, match="path"):
        evolved(plan, fitness, initial, 2, resume=True)
    other = replace(plan, population=77, offspring=77)
    with pytest.raises(ValueError, match=r"population=\S+ \(not 77\)"):
        evolved(other, fitness, initial, 2, path=path, resume=True, notes={"rate": 0.1})
    with pytest.raises(ValueError, match=r"initial=RandomBits.* \(not RandomBits\(genes=3"):
        evolved(plan, fitness, RandomBits(3), 2, path=path, resume=True, notes={"rate": 0.1})
    with pytest.raises(OSError, match="no_such"):
        evolved(plan, fitness, initial, 2, path=tmp_path / "no_such.npz", resume=True)
    with pytest.raises(IsADirectoryError, match="must be that of a file"):
        evolved(plan, fitness, initial, 2, path="")
    assert path.read_bytes() == content
    np.savez(path, about=np.frombuffer(b'{"format": "ci_envs table 1"}', dtype=np.uint8))
    with pytest.raises(ValueError, match="table 1"):
        read_run(path)
    for length in range(0, len(content), 97):
        path.write_bytes(content[:length])
        with pytest.raises(ValueError, match="is not a checkpoint of this run"):
            read_run(path)


@pytest.mark.parametrize("state_of", [(12, 0, 30), (10, 1, 30), (10, 0, 31)])
def test_states_of_other_evolutions_are_refused(state_of):
    def new(population, seed, genes):
        return PopulationEvolution(Plan(population, 12, BitFlip(0.1)), ones, RandomBits(genes), seed)

    other = new(*state_of)
    other.advance()
    with pytest.raises(ValueError, match="it is of the seed"):
        new(10, 0, 30).restore(other.state())


def test_an_optimiser_with_other_arguments_does_not_resume():
    def new(sigma):
        return OptimiserEvolution(CMAES(np.zeros(4), sigma, seed=0), lambda genomes, seed: -(genomes**2).sum(1), 0)

    whole, again = new(0.5), new(0.5)
    for _ in range(3):
        whole.advance()
    again.restore(whole.state())
    assert again.history == whole.history
    with pytest.raises(ValueError, match="its genomes differ"):
        new(0.6).restore(whole.state())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"target": "x"}, "target must be a number, not 'x'"),
        ({"target": None}, "target must be a number, not None"),
        ({"target": np.nan}, "target must be a number, not nan"),
        ({"resume": "yes"}, "resume must be true or false, not 'yes'"),
        ({"notes": {"a": np.nan}}, "notes must be plain values by name, not {'a': nan}"),
        ({"notes": {"a": object}}, "notes must be plain values by name"),
    ],
)
def test_wrong_arguments_of_a_run(options, message, tmp_path):
    with pytest.raises(ValueError, match=re.escape(message)):
        evolved(*PLANS["bits"], 2, path=tmp_path / "new" / "run.npz", **options)
    assert not any(tmp_path.iterdir())


def test_a_note_named_seed_is_only_a_note(tmp_path):
    path = tmp_path / "run.npz"
    evolved(*PLANS["bits"], 2, path=path, notes={"seed": 5})
    with pytest.raises(ValueError, match=r"seed=0 \(not 5\)"):
        evolved(*PLANS["bits"], 2, seed=5, path=path, resume=True, notes={"seed": 5})


def test_a_run_whose_fitness_changes_the_current_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    plan, fitness, initial = PLANS["bits"]

    def leaving(genomes, seed):
        os.chdir("/")
        return fitness(genomes, seed)

    evolved(plan, leaving, initial, 2, path="run.npz")
    assert len(read_run(tmp_path / "run.npz").history) == 3


def test_two_processes_cannot_write_one_run(tmp_path):
    path = tmp_path / "run.npz"
    plan, fitness, initial = PLANS["bits"]

    def meeting(genomes, seed):
        with pytest.raises(ValueError, match="another process runs the evolution of a file"):
            evolved(plan, fitness, initial, 2, path=path)
        evolved(plan, fitness, initial, 2, path=tmp_path / "other" / "run.npz", resume=False)
        return fitness(genomes, seed)

    evolved(plan, meeting, initial, 0, path=path)
    assert read_run(path).state.generation == 0


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Plan(0, 1, BitFlip(0.1)), "population.*0"),
        (lambda: Plan(1, 0, BitFlip(0.1)), "offspring.*0"),
        (lambda: Plan(1, 1, BitFlip(0.1), hall_size=0), "hall_size.*0"),
        (lambda: Plan(1, 1, BitFlip(0.1), crossover_rate=1.5), "crossover_rate.*1.5"),
        (lambda: Plan(5, 4, BitFlip(0.1), survive=Comma()), "population of 5"),
        (lambda: Plan(5, 9, BitFlip(0.1), survive=Elitism(6)), "elite of 6"),
        (lambda: Elitism(-1), "elite.*-1"),
        (lambda: Plan(1, 1, BitFlip(0.1), crossover_delay=-1), "crossover_delay.*-1"),
        (lambda: MatingPool(1), "mating pool.*1"),
        (lambda: FlipOne()(np.zeros((2, 2)), np.random.default_rng(0), 1.0), "FlipOne.*bool.*float64"),
        (lambda: BitFlip(1.1), "rate.*1.1"),
        (lambda: BitFlip(float("nan")), "rate.*nan"),
        (lambda: Swap(-0.1), "rate.*-0.1"),
        (lambda: Gaussian(-1.0), "sigma.*-1"),
        (lambda: Gaussian(np.ones((2, 2))), "sigma"),
        (lambda: Gaussian(1.0, low=1, high=0), "low=1, high=0"),
        (lambda: UniformReset(3, 2, 0.1), "low=3, high=2"),
        (lambda: Blend(-0.5), "alpha.*-0.5"),
        (lambda: Uniform(2), "rate.*2"),
        (lambda: TournamentSelection(0), "size.*0"),
        (lambda: TruncationSelection(0), "share.*0"),
        (lambda: Immigration(-1, 0.1), "patience.*-1"),
        (lambda: Immigration(1, 1.1), "share.*1.1"),
        (lambda: OneFifth(0), "damping.*0"),
        (lambda: RandomBits(0), "genes.*0"),
        (lambda: RandomNumbers(3, 2, 1), "low=2, high=1"),
        (lambda: BitFlip(0.1)(np.zeros((2, 2)), np.random.default_rng(0), 1.0), "BitFlip.*bool.*float64"),
        (lambda: Gaussian(0.1)(np.zeros((2, 2), dtype=int), np.random.default_rng(0), 1.0), "Gaussian.*floats.*int64"),
        (lambda: Blend()(*np.zeros((2, 2, 2), dtype=bool), np.random.default_rng(0)), "Blend.*floats.*bool"),
    ],
)  # fmt: skip
def test_bad_parameters_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize(
    ("fitness", "initial", "message"),
    [
        (lambda genomes, seed: np.zeros(len(genomes) + 1), RandomBits(3), "12 finite numbers"),
        (lambda genomes, seed: np.full(len(genomes), np.nan), RandomBits(3), "finite numbers.*nan"),
        (ones, lambda count, rng: np.zeros(count), r"shape \(12, genes\)"),
        (ones, lambda count, rng: np.zeros((count, 2), dtype=object), "object"),
    ],
)
def test_unsuitable_arguments_are_refused(fitness, initial, message):
    with pytest.raises(ValueError, match=message):
        first_generation(PLANS["bits"][0], fitness, initial, 0)


def test_a_generation_leaves_the_last_as_it_was():
    plan, fitness, initial = PLANS["comma"]
    state = first_generation(plan, fitness, initial, 0)
    copy = replace(state, genomes=state.genomes.copy(), fitness=state.fitness.copy(), hall=state.hall.copy())
    next_generation(plan, fitness, initial, state)
    assert_equal_states(state, copy)


@pytest.mark.parametrize(
    ("operator", "genomes"),
    [
        (Gaussian(np.array([0.0, 0, 0, 99])), np.zeros((2, 3))),
        (Gaussian(np.array([0.1, 0.2])), np.zeros((2, 3))),
        (Gaussian(np.array([0.1])), np.zeros((2, 3))),
        (Gaussian(0.1, rate=np.array([0.1, 0.2])), np.zeros((2, 3))),
        (Gaussian(0.1, low=np.zeros(4)), np.zeros((2, 3))),
        (UniformReset(np.zeros(2), np.ones(2), 0.5), np.zeros((2, 3))),
        (BitFlip(np.array([0.5, 0.5])), np.zeros((2, 3), bool)),
    ],
)
def test_values_per_gene_fit_the_genes(operator, genomes):
    with pytest.raises(ValueError, match=r"(sigma|rate|low) has \d values, but the genomes have 3 genes"):
        operator(genomes, np.random.default_rng(0), 1.0)


@pytest.mark.parametrize(
    ("low", "high", "dtype"), [(0, 300, np.int8), (-5, -1, np.uint8), (0.5, 3.7, np.int64), (0, 2.5, np.int32)]
)
def test_integers_have_the_bounds_of_their_mutation(low, high, dtype):
    with pytest.raises(ValueError, match=r"whole numbers|cannot be from"):
        UniformReset(low, high, 1.0)(np.zeros((2, 3), dtype), np.random.default_rng(0), 1.0)


@pytest.mark.parametrize(
    "make",
    [
        lambda: RandomIntegers(3, 0.5, 2.5),
        lambda: RandomNumbers(3, 0, np.inf),
        lambda: RandomNumbers(3, -1e308, 1e308),
        lambda: RandomNumbers(3, np.zeros(2), np.ones(2)),
        lambda: RandomNumbers(3, "a", "b"),
        lambda: RandomBits(3, np.array([0.5, 0.5])),
        lambda: Blend(np.inf),
        lambda: Blend(np.array([0.5, 0.6])),
        lambda: UniformReset(-np.inf, np.inf, 1.0),
        lambda: OneFifth(damping=1e-3),
        lambda: Gaussian(np.inf),
        lambda: Gaussian(np.nan),
        lambda: TruncationSelection(np.array([0.5, 0.7])),
        lambda: Swap(np.array([0.5, 0.7])),
        lambda: Immigration(1, np.array([0.5, 0.7])),
        lambda: Plan(2, 2, BitFlip(0.1), crossover_rate=np.array([0.5, 0.7])),
        lambda: CMAES(np.zeros(3), np.inf, seed=0),
        lambda: CMAES(np.array([0, np.nan]), 1.0, seed=0),
    ],
)
def test_numbers_that_no_operator_can_use(make):
    with pytest.raises(ValueError, match=r"must|has 2 values|CMA-ES needs"):
        make()


@pytest.mark.parametrize(
    "wrong",
    [
        {"mutate": lambda genomes, rng, step: genomes.astype(float)},
        {"mutate": lambda genomes, rng, step: genomes[1:]},
        {"mutate": lambda genomes, rng, step: np.concatenate((genomes, genomes))},
        {"mutate": lambda genomes, rng, step: None},
        {"crossover": lambda mothers, fathers, rng: mothers[:0]},
        {"crossover": lambda mothers, fathers, rng: mothers * 0.5},
        {"select": lambda genomes, fitness, count, rng: np.full(count, 99)},
        {"select": lambda genomes, fitness, count, rng: np.zeros(count)},
        {"select": lambda genomes, fitness, count, rng: np.zeros(count - 1, int)},
        {"survive": lambda offspring, parents, count: np.arange(2)},
        {"survive": lambda offspring, parents, count: -np.ones(count, int)},
    ],
)
def test_operators_that_return_something_else_are_named(wrong):
    plan = replace(Plan(5, 6, BitFlip(0.2), crossover=OnePoint()), **wrong)
    evolution = PopulationEvolution(plan, ones, RandomBits(8), 0)
    evolution.advance()
    with pytest.raises(ValueError, match=f"{next(iter(wrong))} must return"):
        evolution.advance()
    assert evolution.generation == 0


@pytest.mark.parametrize("asked", [[1.0, 2.0], np.zeros((0, 3)), np.full((2, 3), np.nan), np.array([["a"]]), None])
def test_an_optimiser_asks_with_genomes(asked):
    class AskingOptimiser:
        def ask(self):
            return asked

        def tell(self, fitness):
            raise AssertionError

    with pytest.raises(ValueError, match="ask must return genomes of finite numbers"):
        OptimiserEvolution(AskingOptimiser(), lambda genomes, seed: np.zeros(len(genomes)), 0).advance()


def test_genomes_of_an_optimiser_can_be_lists():
    class ListOptimiser:
        told = None

        def ask(self):
            return [np.zeros(3), np.ones(3)]

        def tell(self, fitness):
            self.told = fitness

    optimiser = ListOptimiser()
    OptimiserEvolution(optimiser, lambda genomes, seed: genomes.sum(axis=1), 0).advance()
    assert optimiser.told.tolist() == [0, 3]


def settings_of(plan, initial=None):
    return PopulationEvolution(plan, ones, initial or RandomBits(4), 0).settings


def test_equal_arguments_have_equal_settings():
    plan = Plan(5, 5, Gaussian([0.1, 0.2, 0.3], 1.0))
    same = Plan(np.int64(5), 5, Gaussian(np.array([0.1, 0.2, 0.3]), 1))
    assert settings_of(plan) == settings_of(same)
    with np.printoptions(precision=2, threshold=2):
        assert settings_of(plan) == settings_of(same)


@pytest.mark.parametrize(
    "other",
    [
        Gaussian(np.where(np.arange(2000) == 1000, 0.6, 0.5)),
        Gaussian(np.full(2000, 0.5 + 1e-10)),
        Gaussian(np.full(2000, 0.5), low=-1.0),
        Gaussian(0.5),
        UniformReset(0, 1, 0.5),
    ],
)
def test_other_arguments_have_other_settings(other):
    assert settings_of(Plan(5, 5, Gaussian(np.full(2000, 0.5)))) != settings_of(Plan(5, 5, other))


def test_optimisers_with_other_numbers_of_parents_do_not_resume():
    def new(parents):
        optimiser = CMAES(np.array([1.0, 2, 3]), 0.5, seed=0, parents=parents)
        return OptimiserEvolution(optimiser, lambda genomes, seed: -(genomes**2).sum(1), 0)

    whole = new(None)
    for _ in range(3):
        whole.advance()
    with pytest.raises(ValueError, match="its genomes differ"):
        new(1).restore(whole.state())


def test_runs_with_long_names_do_not_wait_for_each_other(tmp_path):
    plan, fitness, initial = PLANS["bits"]
    names = [f"{'evolution_of_a_population_' * 9}{seed}" for seed in (1, 2)]

    def meeting(genomes, seed):
        evolved(plan, fitness, initial, 0, path=tmp_path / names[1])
        return fitness(genomes, seed)

    evolved(plan, meeting, initial, 0, path=tmp_path / names[0])
    assert all((tmp_path / name).is_file() for name in names)


class SelfReferring:
    """A mutation with parameters in a dictionary, which also refers to itself."""

    def __init__(self, rate):
        self.given, self.itself, self.both = {"rate": rate}, self, [self, "text"]

    def __call__(self, genomes, rng, step):
        return BitFlip(self.given["rate"])(genomes, rng, step)


def test_settings_of_operators_of_users():
    assert settings_of(Plan(5, 5, SelfReferring(0.1))) == settings_of(Plan(5, 5, SelfReferring(0.1)))
    assert settings_of(Plan(5, 5, SelfReferring(0.1))) != settings_of(Plan(5, 5, SelfReferring(0.2)))
    partials = [partial(FlipOne.__call__, rate=rate) for rate in (1, 1.0, 2)]
    settings = [settings_of(Plan(5, 5, one)) for one in partials]
    assert settings[0] == settings[1] != settings[2]
