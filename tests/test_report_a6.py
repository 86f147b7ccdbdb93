"""Section A6, Quixo by an evolution of lists of layers, compared with plain Python."""

import math
from itertools import pairwise

import numpy as np
import pytest
from playing import batch_of, random_positions

from ci_envs import Position, Quixo, make_agent
from ci_envs.agents.evolution.layers import Layer
from ci_envs.arena.match import play_match
from ci_envs.reports.report_a import quixo_layers
from ci_envs.reports.report_a.quixo_layers import crossover, layers_agent, mutate, random_network, row_of, wins_in_games

GAME = Quixo()
NETWORKS = [random_network(np.random.default_rng(seed)) for seed in range(30)]


def sizes(network):
    return [25, *(len(layer.biases) for layer in network)]


def assert_valid(network):
    assert sizes(network)[-1] == 44
    assert 1 <= len(network) - 1 <= 5
    assert all(1 <= size <= 100 for size in sizes(network)[1:-1])
    assert [layer.weights.shape for layer in network] == list(zip(sizes(network)[1:], sizes(network)[:-1], strict=True))


def plain_action(network, position):
    """Return the first legal action with the largest softmax."""
    values = [(position.own >> cell & 1) - (position.opp >> cell & 1) for cell in range(25)]
    for layer in network:
        values = [
            max(0.0, bias + sum(weight * value for weight, value in zip(weights, values, strict=True)))
            for weights, bias in zip(layer.weights.tolist(), layer.biases.tolist(), strict=True)
        ]
    exponentials = [math.exp(value - max(values)) for value in values]
    return max(position.legal_actions(), key=lambda action: exponentials[action])


def plain_game(first, second):
    """Return the winner, 0 or 1, or None after 100 plies."""
    position = Position.start(GAME)
    for ply in range(100):
        position = position.play(plain_action((first, second)[ply % 2], position))
        if position.result is not None:
            return position.to_move if position.result > 0 else 1 - position.to_move
    return None


def test_the_agent_plays_as_in_plain_python():
    positions = random_positions(GAME, 40, seed=3)
    for network in NETWORKS[:6]:
        played = layers_agent(GAME, network).act_batch(batch_of(positions)).tolist()
        assert played == [plain_action(network, position) for position in positions]


@pytest.mark.extended
def test_fitness_is_the_games_won_of_five():
    networks = [network for network in NETWORKS if sum(sizes(network)) < 250][:4]
    rng, again = np.random.default_rng(7), np.random.default_rng(7)
    wins = wins_in_games([row_of(network) for network in networks], rng)
    expected = []
    for network in networks:
        won = 0
        for game in range(5):
            opponent = networks[again.integers(len(networks))]
            again.integers(2**63)
            players = (network, opponent) if game % 2 == 0 else (opponent, network)
            won += plain_game(*players) == game % 2
        expected.append(won)
    assert wins.tolist() == expected
    assert sum(expected) > 0


def test_children_have_layers_of_their_parents_in_order():
    rng = np.random.default_rng(0)
    for mother, father in pairwise(NETWORKS):
        child = crossover(mother, father, rng)
        assert_valid(child)
        fewer, more = sorted((len(mother) - 1, len(father) - 1))
        assert fewer <= len(child) - 1 <= max(fewer, min(more, 6))
        parents = [[layer.biases.tolist() for layer in parent] for parent in (mother, father)]
        assert child[-1].biases.tolist() not in parents[0] + parents[1]  # always a new output layer
        places = [0, 0]
        for layer in child[:-1]:
            whose = 0 if layer.biases.tolist() in parents[0] else 1
            place = parents[whose].index(layer.biases.tolist())
            assert place >= places[whose]
            places[whose] = place + 1
            known = (mother, father)[whose][place].weights
            columns = min(known.shape[1], layer.weights.shape[1])
            assert np.array_equal(known[:, :columns], layer.weights[:, :columns])


def test_mutation_replaces_an_inner_layer_and_tweaks_a_third_of_the_weights():
    rng = np.random.default_rng(1)
    changed, lengths = [], []
    for network in NETWORKS * 8:
        mutant = mutate(network, rng)
        assert_valid(mutant)
        lengths.append(len(mutant) - len(network))
        if len(mutant) == len(network):
            difference = np.abs(mutant[0].weights - network[0].weights)
            assert difference.max() <= 0.1
            changed.append((difference > 0).mean())
            replaced = [
                place
                for place, (one, other) in enumerate(zip(mutant, network, strict=True))
                if one.biases.shape != other.biases.shape or np.abs(one.biases - other.biases).max() > 0.1
            ]
            assert all(0 < place < len(network) - 1 for place in replaced)
    assert np.mean(changed) == pytest.approx(0.3, abs=0.01)
    assert np.mean([length != 0 for length in lengths]) == pytest.approx(0.3, abs=0.1)
    assert {-1, 0, 1} == set(lengths)


def test_the_elite_stays_and_has_no_children():
    """Each tournament contains a network of fitness 1 or more, but the fitness of the elite is set to 0."""
    population = NETWORKS[:20]
    fitness = np.ones(20)
    fitness[[4, 9]] = 5
    following = quixo_layers._next(population, fitness, np.random.default_rng(2), quixo_layers.crossover)
    assert following[:2] == [population[4], population[9]]
    elite = {bias for place in (4, 9) for layer in population[place] for bias in layer.biases.tolist()}
    others = {bias for network in population for layer in network for bias in layer.biases.tolist()} - elite
    kept = {bias for network in following[2:] for layer in network for bias in layer.biases.tolist()}
    assert not kept & elite
    assert kept & others


def test_a_layer_that_does_not_fit_is_cut_or_filled():
    layer = Layer(np.arange(6.0).reshape(2, 3), np.zeros(2))
    cut, filled = (quixo_layers._fitted(layer, inputs, np.random.default_rng(0)) for inputs in (2, 5))
    assert cut.weights.tolist() == [[0, 1], [3, 4]]
    assert filled.weights[:, :3].tolist() == layer.weights.tolist()
    assert filled.weights.shape == (2, 5)
    assert np.abs(filled.weights[:, 3:]).max() <= 1


def test_random_networks_win_about_half_of_the_games():
    """Sixteen other networks won 31 to 83% of their games, 53% on average."""
    shares = []
    for network in NETWORKS[:12]:
        match = play_match(GAME, layers_agent(GAME, network), make_agent("random", GAME, seed=5), 60)
        shares.append(match.sides[0].total.wins / 60)
    assert 0.43 <= np.mean(shares) <= 0.63
    assert 0.1 <= min(shares) < 0.45
    assert 0.6 < max(shares) <= 0.95


def test_the_champion_that_comes_with_the_package():
    agent = make_agent("report:A6", GAME, seed=0)
    record = play_match(GAME, agent, make_agent("random", GAME, seed=6), 200).sides[0].total
    assert 0.55 <= record.wins / 200 <= 0.95
    with pytest.raises(ValueError, match=r"report:A6 plays Quixo\(size=5\), not Quixo\(size=4\)"):
        make_agent("report:A6", Quixo(4))


@pytest.mark.extended
def test_equal_seeds_make_equal_champions():
    champions = [quixo_layers.evolve(np.random.default_rng(4), 2)[0] for _ in range(2)]
    assert np.array_equal(*map(row_of, champions))


def test_a_blended_crossover_mixes_the_weights_that_both_parents_have():
    mother, father = (
        (Layer(np.full((3 + k, 25), value), np.full(3 + k, value)), Layer(np.full((44, 3 + k), value), np.zeros(44)))
        for k, value in enumerate((0.0, 1.0))
    )
    for seed in range(10):
        first, _ = crossover(mother, father, np.random.default_rng(seed), blends=True)
        assert 0 < first.weights[0, 0] < 1
        assert set(first.weights[:3].ravel()) == set(first.biases[:3])  # one ratio for the layer
        assert len({*first.weights[:3].ravel()}) == 1
        assert (first.weights[3:] == 1).all()  # the neuron that only the father has
    for one, other in pairwise(NETWORKS):
        assert_valid(crossover(one, other, np.random.default_rng(0), blends=True))
