"""The agent ``neat``: networks as rows, NEAT and layer lists as optimisers, training, and the shipped champion."""

import csv
import json
import math
import random
import subprocess
import sys
from itertools import pairwise

import neat
import numpy as np
import pytest
from crashing import Crash
from hypothesis import given, settings
from hypothesis import strategies as st
from playing import random_positions

from ci_envs import ConnectN, Nim, Position, Quarto, Quixo
from ci_envs.agent_interface.policy import choose_batch
from ci_envs.agents.evolution import FitnessByPlay
from ci_envs.agents.evolution.layers import (
    STRUCTURAL,
    Layer,
    LayerEvolution,
    Limits,
    add_layer,
    crossover,
    flatten_layers,
    layers_of,
    random_layers,
    remove_layer,
    resize_layer,
    sequence_crossover,
    torch_module,
    tweak_weights,
)
from ci_envs.agents.evolution.neat import Genome, Neat, flatten, neat_config
from ci_envs.agents.evolution.neat_agent import NeatAgent
from ci_envs.agents.evolution.neat_parameters import NeatParameters
from ci_envs.agents.evolution.neat_training import longest_game
from ci_envs.agents.evolution.networks import (
    ACTIVATIONS,
    NetworkPolicy,
    Node,
    evaluate_row,
    read_row,
    stack_rows,
    write_row,
)
from ci_envs.agents.random import RandomAgent
from ci_envs.agents.search.lookahead import Lookahead
from ci_envs.arena.match import play_match
from ci_envs.optimisation.evolution import OptimiserEvolution, run
from ci_envs.registry.options import options_of
from ci_envs.training import train

TICTACTOE = ConnectN(3, 3, 3)


def random_genome(seed, inputs=4, outputs=3, changes=40):
    """Return a genome of neat-python after many mutations, and its configuration."""
    random.seed(seed)
    config = neat_config(inputs, outputs, 10)
    config.genome_config.innovation_tracker = neat.innovation.InnovationTracker()
    genome = Genome(1)
    genome.configure_new(config.genome_config)
    for _ in range(changes):
        genome.mutate(config.genome_config)
        config.genome_config.innovation_tracker.reset_generation()
    for node in genome.nodes.values():
        node.activation = random.choice(ACTIVATIONS)
        node.response = random.uniform(-2, 2)
    return genome, config


@pytest.fixture(autouse=True)
def _leave_random_alone():
    state = random.getstate()
    yield
    random.setstate(state)


# ------------------------------------------------------------------------------------------------------------ networks


@pytest.mark.parametrize("seed", range(40))
def test_rows_compute_the_outputs_of_neat_python(seed):
    genome, config = random_genome(seed)
    network = neat.nn.FeedForwardNetwork.create(genome, config)
    inputs = np.random.default_rng(seed).normal(size=(20, 4))
    row = stack_rows([flatten(genome, config.genome_config), np.zeros(2000)])[0]
    expected = [network.activate(list(given)) for given in inputs]
    np.testing.assert_allclose(evaluate_row(row, inputs, 3), expected, rtol=1e-12, atol=1e-12)


def test_rows_come_back():
    for seed in range(10):
        genome, config = random_genome(seed)
        row = flatten(genome, config.genome_config)
        hidden, outputs = read_row(row, 4, 3)
        assert np.array_equal(write_row(hidden, outputs), row)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ([], "ends"),
        ([0.5], "hidden nodes"),
        ([-1], "hidden nodes"),
        ([0, 0, 1, 0], "ends"),
        ([0, 0, 1, 9, 0], "an activation"),
        ([0, 0, 1, 0, 1, 0], "ends"),
        ([0, 0, 1, 0, 1, 2, 1], "a source"),
        ([0, 0, 1, 0, -1], "links"),
        ([1, 0, 1, 0, 1, 2, 1, 0, 1, 0, 0], "a source"),
    ],
)
def test_rows_that_are_no_networks_are_refused(row, message):
    with pytest.raises(ValueError, match=message):
        read_row(np.array(row, dtype=np.float64), 2, 1)


def constant_network(answers):
    return write_row([], [Node(answer, 1.0, "identity", ()) for answer in answers])


def actions_of(policy, game, row, positions, seeds=None):
    words = np.array([[position.own, position.opp] for position in positions], dtype=np.uint64)
    actions = np.empty(len(words), dtype=np.int64)
    seeds = np.arange(len(words), dtype=np.uint64) if seeds is None else seeds
    choose_batch(policy, game, words, seeds, policy.memory(game, row), actions)
    return actions


def images_of(planes):
    """Return a board and all its rotated and reflected images."""
    return [np.rot90(board, turns) for board in (planes, planes[:, ::-1]) for turns in range(4)]


def row_outputs(row, planes, outputs=1):
    return evaluate_row(row, np.array([planes.ravel()], dtype=np.float64), outputs)[0]


def slow_value(row, position, after, averaged):
    """Return the value of a position after an action for the player who acted."""
    sign = 1 if after.to_move == position.to_move else -1
    if after.result is not None:
        outcome = 0 if after.result == 0 else after.result
        return sign * 1e6 * outcome
    images = images_of(after.observation()) if averaged else [after.observation()]
    return sign * np.mean([row_outputs(row, image)[0] for image in images])


@pytest.mark.parametrize(
    ("game", "averaged"),
    [
        (Quixo(3), True),
        (TICTACTOE, True),
        (Quarto(), False),
        (Nim(), False),
        pytest.param(Quixo(3), False, marks=pytest.mark.slow),
    ],
)
def test_afterstates_are_evaluated_as_by_a_slow_loop(game, averaged):
    row = flatten(*_genome_for(game, 1, seed=3))
    positions = random_positions(game, 60, seed=4)
    played = actions_of(NetworkPolicy(True, averaged), game, row, positions)
    for position, action in zip(positions, played, strict=True):
        values = {
            legal: slow_value(row, position, position.play(legal), averaged) for legal in position.legal_actions()
        }
        assert values[action] == pytest.approx(max(values.values()), abs=1e-9)


def _genome_for(game, outputs, seed):
    genome, config = random_genome(seed, math.prod(game.observation_shape), outputs, changes=15)
    return genome, config.genome_config


@pytest.mark.parametrize("averaged", [False, True])
def test_actions_are_evaluated_as_by_a_slow_loop(averaged):
    row = flatten(*_genome_for(TICTACTOE, 9, seed=5))
    positions = random_positions(TICTACTOE, 60, seed=6)
    cells = np.arange(9).reshape(3, 3, 1)
    played = actions_of(NetworkPolicy(False, averaged), TICTACTOE, row, positions)
    for position, action in zip(positions, played, strict=True):
        scores = np.zeros(9)
        pairs = zip(images_of(position.observation()), images_of(cells), strict=True)
        for image, places in list(pairs)[: 8 if averaged else 1]:
            scores[places.ravel()] += row_outputs(row, image, 9)
        best = max(scores[legal] for legal in position.legal_actions())
        assert action in position.legal_actions()
        assert scores[action] == pytest.approx(best, abs=1e-9)


def test_features_can_be_the_inputs():
    first = TICTACTOE.feature_names.index("lines 1:0")
    network = write_row([], [Node(0.0, 1.0, "identity", ((first, 1.0),))])
    positions = [position for position in random_positions(TICTACTOE, 60, seed=7) if not wins_at_once(position)]
    played = actions_of(NetworkPolicy(features=True), TICTACTOE, network, positions)
    for position, action in zip(positions, played, strict=True):
        gains = {legal: lone_stones(position.play(legal)) for legal in position.legal_actions()}
        assert gains[action] == max(gains.values())


def wins_at_once(position):
    return any(position.play(action).result is not None for action in position.legal_actions())


def lone_stones(after):
    """Return in how many lines more the player who acted has the only stone than the opponent."""
    places = np.arange(9)
    board = np.array([(after.opp >> cell & 1) - (after.own >> cell & 1) for cell in places]).reshape(3, 3)
    lines = [*board, *board.T, board.diagonal(), board[::-1].diagonal()]
    return sum(line.sum() for line in lines if np.abs(line).sum() == 1)


def test_the_network_chooses_among_the_best_actions_of_the_lookahead():
    answers, positions = np.linspace(0, 1, 9), random_positions(TICTACTOE, 200, seed=8)
    words = np.array([(position.own, position.opp) for position in positions], np.uint64)
    played = actions_of(NetworkPolicy(False, lookahead=2), TICTACTOE, constant_network(answers), positions)
    best = Lookahead(TICTACTOE, 2).best_actions(words)
    assert (played == np.where(best, answers, -1).argmax(axis=1)).all()
    assert (played != actions_of(NetworkPolicy(False), TICTACTOE, constant_network(answers), positions)).any()


def test_softmax_draws_by_its_probabilities():
    answers, temperature = np.array([0, 1, 2, 3, 0.5, -1, -2, 1.5, 9]) / 3, 0.7
    position = Position.start(TICTACTOE).play(8)
    seeds = np.arange(20_000, dtype=np.uint64)
    policy = NetworkPolicy(False, False, temperature)
    played = actions_of(policy, TICTACTOE, constant_network(answers), [position] * len(seeds), seeds)
    weights = np.exp(answers[:8] / temperature)
    expected = len(seeds) * weights / weights.sum()
    counts = np.bincount(played, minlength=9)
    assert counts[8] == 0
    assert ((counts[:8] - expected) ** 2 / expected).sum() < 24.3  # chi-square, 7 degrees of freedom, p = 0.001


def test_of_equally_probable_actions_the_first_legal_one_is_played():
    answers = np.array([9, 0, 5, 5, -3, 2, 5, 1, 5], dtype=float)
    position = Position.start(TICTACTOE).play(0).play(8)
    policy = NetworkPolicy(False, False, softmax=True)
    assert set(actions_of(policy, TICTACTOE, constant_network(answers), [position] * 50, np.arange(50))) == {2}
    # after a softmax all outputs except the largest are 0 if they are far smaller
    assert actions_of(policy, TICTACTOE, constant_network(answers * 1e4), [position])[0] == 1


# ---------------------------------------------------------------------------------------------------------------- NEAT

XOR_INPUTS = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=np.float64)
XOR = np.array([0, 1, 1, 0])


def xor_fitness(genomes, seed):
    return np.array([4 - ((evaluate_row(row, XOR_INPUTS, 1)[:, 0] - XOR) ** 2).sum() for row in genomes])


@pytest.mark.extended
def test_networks_grow_to_learn_xor():
    """No network without hidden nodes computes it. Stanley and Miikkulainen needed 32 generations of 150 on average."""
    optimiser = Neat(2, 1, 150, seed=0, activation="sigmoid")
    evolution = OptimiserEvolution(optimiser, xor_fitness, seed=0)
    run(evolution, 150, target=3.9)
    assert evolution.history[-1].best >= 3.9
    answers = evaluate_row(optimiser.hall[-1], XOR_INPUTS, 1)[:, 0]
    assert ((answers > 0.5) == XOR).all()
    assert optimiser.shapes[0][1] == 0
    assert optimiser.shapes[-1][1] > 0


def neat_after(generations, seed=1, population=40, **options):
    optimiser = Neat(3, 2, population, seed=seed, **options)
    for generation in range(generations):
        genomes = optimiser.ask()
        optimiser.tell(np.random.default_rng([seed, generation]).random(len(genomes)))
    return optimiser


def test_species_share_out_the_population():
    optimiser = neat_after(30, population=60, species=6)
    members = [key for species in optimiser._species.species.values() for key in species.members]
    assert sorted(members) == sorted(genome.key for genome in optimiser.genomes)
    assert len(optimiser.genomes) == 60
    counts = [shape[0] for shape in optimiser.shapes[10:]]
    assert 3 <= np.mean(counts) <= 9


@pytest.mark.parametrize(
    ("population", "species", "limits"),
    [
        (100, 8, {"min_species_size": 10}),
        (100, 8, {"min_species_size": 20}),
        (100, 8, {"elitism": 15}),
        (30, 8, {"elitism": 5}),
        (20, 8, {"min_species_size": 21}),
        (20, 20, {"elitism": 21}),
        (12, 12, {"min_species_size": 3, "elitism": 2}),
    ],
)
def test_the_minima_of_species_never_exceed_the_population(population, species, limits):
    """neat-python itself ends with an error."""
    options = {"species": species, "parameters": NeatParameters(**limits)}
    optimiser = neat_after(30, population=population, **options)
    assert len(optimiser.ask()) == population


def test_an_innovation_is_one_connection():
    optimiser, ends = Neat(3, 2, 40, seed=1), {}
    for generation in range(30):
        genomes = optimiser.ask()
        for genome in optimiser.genomes:
            for key, gene in genome.connections.items():
                assert ends.setdefault(gene.innovation, key) == key
        optimiser.tell(np.random.default_rng(generation).random(len(genomes)))
    assert len(ends) > 6
    inherited = [{gene.innovation for gene in genome.connections.values()} for genome in optimiser.genomes]
    grown = [marks - set(range(1, 7)) for marks in inherited]
    assert any(one & other for i, one in enumerate(grown) for other in grown[:i])  # crossover aligns them


def test_equal_splits_of_a_generation_are_one_innovation():
    config = neat_config(1, 1, 10).genome_config
    config.innovation_tracker = neat.innovation.InnovationTracker()
    one, other, later = Genome(1), Genome(2), Genome(3)
    for genome in (one, other, later):
        genome.configure_new(config)
    one.mutate_add_node(config)
    other.mutate_add_node(config)
    config.innovation_tracker.reset_generation()
    later.mutate_add_node(config)
    marks = [{gene.innovation for gene in genome.connections.values()} for genome in (one, other, later)]
    assert marks[0] == marks[1]
    assert set(one.nodes) == set(other.nodes)
    assert marks[0] & marks[2] == {1}


def test_children_have_the_structure_of_the_fitter_parent():
    config = neat_config(3, 2, 10).genome_config
    for seed in range(20):
        random.seed(seed)
        config.innovation_tracker = neat.innovation.InnovationTracker()
        parents = Genome(1), Genome(2)
        for parent, fitness in zip(parents, (1.0, 2.0), strict=True):
            parent.configure_new(config)
            for _ in range(20):
                parent.mutate(config)
            parent.fitness = fitness
        child = Genome(3)
        child.configure_crossover(*parents, config)
        assert set(child.connections) == set(parents[1].connections)
        assert set(child.nodes) == set(parents[1].nodes)
        assert config.feed_forward
        read_row(flatten(child, config), 3, 2)


def test_seeds_make_runs_and_leave_all_other_chance_alone():
    random.seed(5)
    np.random.seed(5)  # noqa: NPY002
    state, of_numpy = random.getstate(), np.random.get_state()  # noqa: NPY002
    one, other = neat_after(6), neat_after(6, seed=2)
    assert random.getstate() == state
    assert np.array_equal(np.random.get_state()[1], of_numpy[1])  # noqa: NPY002
    random.seed(6)
    again = neat_after(6)
    assert np.array_equal(one.ask(), again.ask())
    assert one.ask().shape != other.ask().shape or not np.array_equal(one.ask(), other.ask())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"population": 3}, "population"),
        ({"species": 0}, "species"),
        ({"species": 41}, "species"),
        ({"activation": "cosine"}, "activation"),
        ({"hall": 0}, "hall"),
        ({"seed": -1}, "seed"),
    ],
)
def test_bad_options_of_neat_are_refused(change, message):
    with pytest.raises(ValueError, match=message):
        Neat(**{"inputs": 3, "outputs": 2, "population": 40, "seed": 0} | change)


# -------------------------------------------------------------------------------------------------------------- layers


def layers(seed, inputs=6, outputs=3, limits=Limits(4, 8), changes=15):  # noqa: B008
    rng = np.random.default_rng(seed)
    genome = random_layers(inputs, outputs, limits, rng)
    for _ in range(changes):
        genome = STRUCTURAL[rng.integers(3)](genome, limits, rng)
        genome = tweak_weights(genome, rng)
    return genome


def assert_valid(genome, inputs, outputs, limits):
    widths = [inputs, *(len(layer.biases) for layer in genome)]
    assert [layer.weights.shape for layer in genome] == [(b, a) for a, b in pairwise(widths)]
    assert widths[-1] == outputs
    assert len(genome) - 1 <= limits.layers
    assert all(1 <= width <= limits.neurons for width in widths[1:-1])
    assert all(np.isfinite(layer.weights).all() and np.isfinite(layer.biases).all() for layer in genome)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), st.integers(0, 4), st.integers(1, 9), st.integers(1, 5), st.integers(1, 4))
def test_layer_lists_stay_valid(seed, most_layers, most_neurons, inputs, outputs):
    limits = Limits(most_layers, most_neurons)
    mother = layers(seed, inputs, outputs, limits)
    father = layers(seed + 1, inputs, outputs, limits)
    child = crossover(mother, father, np.random.default_rng(seed))
    for genome in (mother, father, child):
        assert_valid(genome, inputs, outputs, limits)
    assert [len(layer.biases) for layer in child] == [len(layer.biases) for layer in mother]


@pytest.mark.parametrize("seed", range(12))
def test_rows_of_layers_compute_the_outputs_of_pytorch(seed):
    torch = pytest.importorskip("torch")
    genome = layers(seed)
    inputs = np.random.default_rng(seed).normal(size=(30, 6))
    with torch.no_grad():
        expected = torch_module(genome)(torch.tensor(inputs)).numpy()
    row = stack_rows([flatten_layers(genome), np.zeros(5000)])[0]
    np.testing.assert_allclose(evaluate_row(row, inputs, 3), expected, rtol=1e-9, atol=1e-9)
    again = layers_of(row, 6, 3)
    for layer, same in zip(genome, again, strict=True):
        assert np.array_equal(layer.weights, same.weights)
        assert np.array_equal(layer.biases, same.biases)


def test_a_graph_is_no_list_of_layers():
    genome, config = random_genome(1)
    with pytest.raises(ValueError, match="list of layers"):
        layers_of(flatten(genome, config.genome_config), 4, 3)


def answers(genome, inputs):
    return evaluate_row(flatten_layers(genome), inputs, len(genome[-1].biases))


@pytest.mark.parametrize("seed", range(20))
def test_growth_changes_nothing_yet(seed):
    genome, rng = layers(seed), np.random.default_rng(seed)
    inputs = rng.normal(size=(20, 6))
    wider = [resize_layer(genome, Limits(9, 99), rng) for _ in range(10)]
    grown = [other for other in wider if sum(len(a.biases) for a in other) > sum(len(a.biases) for a in genome)]
    if len(genome) > 1:
        assert grown
        grown.append(add_layer(genome, Limits(9, 99), rng))
        assert len(grown[-1]) == len(genome) + 1
    for other in grown:
        np.testing.assert_allclose(answers(other, inputs), answers(genome, inputs), rtol=1e-9, atol=1e-9)


def test_a_removed_layer_is_merged():
    """If no ReLU changes a value, the output does not change."""
    rng = np.random.default_rng(0)
    first, last = (Layer(rng.random(shape), rng.random(shape[0])) for shape in ((5, 4), (2, 5)))
    inputs = rng.random((20, 4))
    removed = remove_layer((first, last), Limits(), rng)
    assert len(removed) == 1
    np.testing.assert_allclose(answers(removed, inputs), answers((first, last), inputs))
    assert len(remove_layer(removed, Limits(), rng)) == 1


def test_children_take_whole_neurons_of_both_parents():
    ones, twos = (tuple(Layer(np.full(s, x), np.full(s[0], x)) for s in ((40, 6), (3, 40))) for x in (1.0, 2.0))
    child = crossover(ones, twos, np.random.default_rng(0))
    for layer in child:
        assert (layer.weights == layer.biases[:, np.newaxis]).all()
    assert 10 <= (child[0].biases == 1).sum() <= 30


def test_a_sequence_has_layers_of_both_parents_in_order():
    rng, counts = np.random.default_rng(0), set()
    for seed in range(60):
        mother, father = layers(seed), layers(seed + 1)
        child = sequence_crossover(mother, father, Limits(4, 8), rng)
        assert_valid(child, 6, 3, Limits(4, 8))
        fewest = min(len(mother), len(father)) - 1
        assert fewest <= len(child) - 1 <= len(mother) + len(father) - 2
        counts.add(len(child) - 1 - fewest)
        known = [[layer.biases.tolist() for layer in parent[:-1]] for parent in (mother, father)]
        places = [0, 0]
        for layer in child[:-1]:
            biases = layer.biases.tolist()
            whose = 0 if biases in known[0][places[0] :] else 1
            places[whose] += known[whose][places[whose] :].index(biases) + 1
        assert child[-1].biases.tolist() in [parent[-1].biases.tolist() for parent in (mother, father)]
    assert len(counts) > 2


@pytest.mark.parametrize("activation", ["identity", "relu"])
def test_the_activation_of_the_output_comes_back(activation):
    genome = layers(3)
    row = flatten_layers(genome, activation)
    assert [node.activation for node in read_row(row, 6, 3)[1]] == [activation] * 3
    assert np.array_equal(flatten_layers(layers_of(row, 6, 3)), flatten_layers(genome))


def test_layer_lists_learn_xor():
    evolution = OptimiserEvolution(LayerEvolution(2, 1, 80, seed=0, limits=Limits(2, 6)), xor_fitness, seed=0)
    run(evolution, 150, target=3.8)
    assert evolution.history[-1].best >= 3.8


@pytest.mark.parametrize(("limits", "message"), [((-1, 3), "max_layers"), ((2, 0), "max_neurons")])
def test_bad_limits_are_refused(limits, message):
    with pytest.raises(ValueError, match=message):
        Limits(*limits)


def test_evolution_begins_again_after_all_species_died_out():
    parameters = NeatParameters(max_stagnation=1, species_elitism=0)
    runs = [OptimiserEvolution(Neat(2, 1, 20, seed=3, parameters=parameters), xor_fitness, seed=0) for _ in "ab"]
    for evolution in runs:
        run(evolution, 20)
    first, again = runs
    assert [told.best for told in first.history] == [told.best for told in again.history]
    assert len(first.history) == 21


def test_every_parameter_of_neat_reaches_the_library():
    changed = {"initial_connection": "unconnected"}
    for name, described in options_of(NeatParameters).items():
        if name not in changed:
            changed[name] = described.default + 1 if isinstance(described.default, int) else described.default / 2 + 0.6
    changed |= {"max_stagnation": 7, "survival_threshold": 0.9}
    changed |= {name: 0.25 for name in changed if name.endswith(("_prob", "_rate"))}
    parameters = NeatParameters(**changed)
    config = Neat(3, 2, 40, seed=1, parameters=parameters).config
    parts = config.genome_config, config.species_set_config, config.stagnation_config, config.reproduction_config
    found = {name: value for part in parts for name, value in vars(part).items()}
    for kind in ("weight", "bias"):
        assert found[f"{kind}_max_value"] == -found[f"{kind}_min_value"] == changed.pop(f"{kind}_limit") != 8
    step, least = changed.pop("compatibility_step"), changed.pop("compatibility_least")
    threshold = changed.pop("compatibility_threshold")
    assert found["compatibility_threshold"] == max(least, threshold / step)  # only one species at first
    assert {name: found[name] for name in changed} == changed


# ------------------------------------------------------------------------------------------------- training and playing

LADDER = {"ladder": "random", "ladder_games": 2, "measurements": 1}
SMALL = {"generations": 5, "population": 12, "games": 4, "opponents": "random", "peers": 1, **LADDER}
AS_REPORT_A = {
    "encoding": "layers",
    "outputs": "actions",
    "symmetries": False,
    "layer_output": "softmax",
    "layer_crossover": "sequence",
    "opponents": None,
    "peers": 2,
}
KINDS = [{}, {"encoding": "layers"}, {"outputs": "actions", "temperature": 0.2, "species": 3}, AS_REPORT_A]


def train_neat(environment, **options):
    return train("neat", environment, **options)


def crash_after(monkeypatch, calls):
    original, left = FitnessByPlay.__call__, [calls]

    def asked(self, genomes, seed):
        left[0] -= 1
        if left[0] < 0:
            raise Crash
        return original(self, genomes, seed)

    monkeypatch.setattr(FitnessByPlay, "__call__", asked)


@pytest.mark.extended
@pytest.mark.parametrize("options", KINDS)
def test_a_broken_off_run_ends_with_the_same_champion(options, tmp_path, monkeypatch):
    options = SMALL | options
    train_neat("TicTacToe-v0", output=tmp_path / "whole", seed=3, **options)
    with monkeypatch.context() as patch:
        crash_after(patch, 3)
        with pytest.raises(Crash):
            train_neat("TicTacToe-v0", output=tmp_path / "broken", seed=3, **options)
    assert not (tmp_path / "broken" / "best.json").exists()
    random.seed(9)
    train_neat("TicTacToe-v0", output=tmp_path / "broken", seed=3, resume=True, threads=2, **options)
    for name in ("best.json", "curve.csv"):
        assert (tmp_path / "whole" / name).read_bytes() == (tmp_path / "broken" / name).read_bytes()


def test_a_champion_plays_and_its_run_reports_progress(tmp_path):
    options = SMALL | {"encoding": "layers", "generations": 8, "max_layers": 2, "max_neurons": 5}
    spec = train_neat("TicTacToe-v0", output=tmp_path, **options)
    name, path = spec.split(":", 1)
    assert name == "neat"
    agent = NeatAgent(TICTACTOE, path, seed=0)
    assert_valid(layers_of(agent.genome, 18, 1), 18, 1, Limits(2, 5))
    about = json.loads((tmp_path / "best.json").read_text())
    assert about["notes"]["score"] > 0.3
    assert np.array_equal(about["genome"], agent.genome)
    total = play_match(TICTACTOE, agent, RandomAgent(TICTACTOE, seed=1), 100).sides[0].total
    assert total.wins > 55
    with (tmp_path / "curve.csv").open() as file:
        lines = list(csv.DictReader(file))
    assert [int(line["generations"]) for line in lines] == list(range(9))
    assert int(lines[-1]["calls"]) == 9 * 12
    planes = Position.start(TICTACTOE).play(4).observation()
    torch = pytest.importorskip("torch")
    with torch.no_grad():
        answer = agent.module()(torch.tensor(planes.reshape(1, -1), dtype=torch.float64)).numpy()
    assert answer == pytest.approx(evaluate_row(agent.genome, planes.reshape(1, -1), 1))


def test_the_champion_keeps_its_inputs_and_its_lookahead(tmp_path):
    options = SMALL | {"inputs": "features", "lookahead": 3, "generations": 1}
    path = train_neat("TicTacToe-v0", output=tmp_path, **options).partition(":")[2]
    assert NeatAgent(TICTACTOE, path).genome_policy == NetworkPolicy(features=True, lookahead=3)
    assert NeatAgent(TICTACTOE, path, lookahead=0).genome_policy == NetworkPolicy(features=True)


def test_a_softmax_after_the_outputs_is_played_and_shown(tmp_path):
    train_neat("TicTacToe-v0", output=tmp_path, **SMALL | AS_REPORT_A)
    agent = NeatAgent(TICTACTOE, tmp_path / "best.json", seed=0)
    assert agent.genome_policy.softmax
    position = Position.start(TICTACTOE).play(4)
    planes = position.observation().reshape(1, -1)
    outputs = evaluate_row(agent.genome, planes, 9)[0]
    assert (outputs >= 0).all()  # the layer has a ReLU
    torch = pytest.importorskip("torch")
    with torch.no_grad():
        probabilities = agent.module()(torch.tensor(planes, dtype=torch.float64)).numpy()[0]
    assert probabilities == pytest.approx(np.exp(outputs - outputs.max()) / np.exp(outputs - outputs.max()).sum())
    words = np.array([[position.own, position.opp]], dtype=np.uint64)
    assert agent.act_on(words)[0] == max(position.legal_actions(), key=lambda action: probabilities[action])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"encoding": "tree"}, "encoding must be one of graph, layers"),
        ({"outputs": "both"}, "outputs must be one of value, actions"),
        ({"opponents": "nobody"}, "nobody"),
        ({"population": 2}, "population"),
        ({"games": 0}, "games"),
        ({"generations": -1}, "generations"),
        ({"max_layers": 2}, "max_layers=2 is for encoding=layers"),
        ({"encoding": "layers", "node_add_prob": 0.5}, "node_add_prob=0.5 is for encoding=graph"),
        ({"layer_output": "softmax"}, "layer_output=softmax is for encoding=layers"),
        ({"encoding": "layers", "layer_output": "softmax"}, "is for outputs=actions, not outputs=value"),
        ({"encoding": "layers", "layer_crossover": "one"}, "layer_crossover must be one of places, sequence"),
        ({"opponents": None, "peers": 0}, "opponents=none needs peers: set peers to 1 or more"),
        ({"temperature": -1}, "temperature"),
        ({"symmetries": 3}, "symmetries"),
        ({"inputs": "features", "symmetries": True}, "symmetries=true is for inputs=planes"),
        ({"draw_penalty": -2}, "draw_penalty"),
        ({"max_plies": 0}, "max_plies"),
        ({"peers": -1}, "peers"),
        ({"activation": "cosine"}, "activation"),
        ({"environment": "Quarto-v0", "symmetries": True}, "symmetries"),
    ],
)
def test_bad_options_are_refused(change, message, tmp_path):
    options = {"environment": "TicTacToe-v0", "output": tmp_path / "run"} | SMALL | change
    with pytest.raises(ValueError, match=message):
        train_neat(**options)
    assert not (tmp_path / "run" / "best.json").exists()


def test_runs_and_champions_that_do_not_fit_are_refused(tmp_path):
    options = SMALL | {"generations": 1}
    train_neat("TicTacToe-v0", output=tmp_path, **options)
    with pytest.raises(ValueError, match="already"):
        train_neat("TicTacToe-v0", output=tmp_path, **options)
    with pytest.raises(ValueError, match="population=12"):
        train_neat("TicTacToe-v0", output=tmp_path, resume=True, **options | {"population": 14})
    path = tmp_path / "best.json"
    with pytest.raises(ValueError, match="Quixo"):
        NeatAgent(Quixo(), path)
    about = json.loads(path.read_text())
    for damage in ({"genome": about["genome"][:-1]}, {"options": {}}, {"options": {"outputs": [], "symmetries": True}}):
        path.write_text(json.dumps(about | damage))
        with pytest.raises(ValueError, match="not a valid champion"):
            NeatAgent(TICTACTOE, path)


def test_training_needs_no_torch():
    program = "import ci_envs.agents.evolution.neat_agent, sys; assert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", program], check=True)


def test_games_that_cycle_are_cut_short_in_training():
    assert longest_game(Quixo(), None, None) == 60
    assert longest_game(Quixo(), None, 30) == 30
    assert longest_game(Quixo(), 100, None) == 100
    assert longest_game(TICTACTOE, None, None) > 10**6


@pytest.mark.extended
def test_the_shipped_champion_beats_random():
    total = play_match(Quixo(), NeatAgent(Quixo(), "quixo", seed=0), RandomAgent(Quixo(), seed=1), 100).sides[0].total
    assert total.wins >= 95
