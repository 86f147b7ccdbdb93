"""The network, its file, and its agent."""

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Event
from time import sleep

import numpy as np
import pytest
import torch
from playing import batch_of, random_positions

from ci_envs import ConnectN, Nim, Position, Quarto, Quixo, make_agent, solve
from ci_envs.agent_interface.observations import observations_of
from ci_envs.agents.alphazero.agent import AlphaZeroAgent
from ci_envs.agents.alphazero.architecture import ARCHITECTURES, Architecture
from ci_envs.agents.alphazero.board_lines import line_means
from ci_envs.agents.alphazero.inference import SharedInference, TorchInference, inference
from ci_envs.agents.alphazero.model_file import read_model, shipped_model, shipped_models, write_model
from ci_envs.agents.alphazero.network import LineLayer, new_network
from ci_envs.agents.alphazero.result import SearchResult, draw_actions
from ci_envs.agents.alphazero.training import AlphaZeroTrainer
from ci_envs.agents.search.mcts import MCTSAgent
from ci_envs.arena.accuracy import measure_accuracy
from ci_envs.games.game import bits
from ci_envs.solver.reachable import sample_positions
from ci_envs.storage.tensors import read_metadata
from ci_envs.training.learners import make_config
from ci_envs.training.trainer import Task

SMALL, LINES = Architecture(8, 1), Architecture(8, 1, layout="lines")
GAMES = (ConnectN(3, 3, 3), ConnectN(4, 5, 3, True), Quixo(5), Nim((1, 3, 5)), Quarto())


def trained_a_little(game, architecture=SMALL):
    """Return a network with updated statistics of its normalisation."""
    network = new_network(game, architecture, 0)
    planes = batch_of(random_positions(game, 64, seed=1))["observation"]
    network.train()
    with torch.no_grad():
        for _ in range(20):
            network(torch.from_numpy(planes).permute(0, 3, 1, 2).float())
    return network.eval()


def test_outputs_do_not_depend_on_the_other_positions_of_a_batch():
    network = trained_a_little(GAMES[2])
    planes = np.ascontiguousarray(batch_of(random_positions(GAMES[2], 50, seed=2))["observation"])
    ask = TorchInference(network, "cpu", batch=16)
    together, reverse = ask(planes), ask(planes[::-1])
    for output, reversed_output, *alone in zip(together, reverse, *(ask(row[None]) for row in planes), strict=True):
        np.testing.assert_array_equal(output, reversed_output[::-1])
        np.testing.assert_array_equal(output, np.concatenate(alone))


def test_threads_share_one_evaluation_of_their_leaves():
    """While the device is in use, other threads wait. The next evaluation has the leaves of all of them."""
    begun, go_on, sizes = Event(), Event(), []

    def evaluate(planes):
        sizes.append(len(planes))
        begun.set()
        assert go_on.wait(60)
        if planes.min() < 0:
            raise ValueError("a plane is negative")
        sums = planes.sum(axis=(1, 2, 3)).astype(np.float32)
        return sums[:, None], sums + 1, sums + 2

    def ask(value, count):
        return shared(np.full((count, 2, 2, 1), value, np.int8))

    shared = SharedInference(evaluate)
    with ThreadPoolExecutor(8) as pool:
        first = pool.submit(ask, 1, 3)
        assert begun.wait(60)
        later = [pool.submit(ask, value, value) for value in (2, 3, 4)]
        while len(shared._waiting) < 3:
            sleep(0.001)
        go_on.set()
        for value, answer in ((1, first), *zip((2, 3, 4), later, strict=True)):
            logits, values, draws = answer.result()
            assert logits.shape == (3 if value == 1 else value, 1)
            assert (logits == 4 * value).all()
            assert (values == 4 * value + 1).all()
            assert (draws == 4 * value + 2).all()
        assert sizes == [3, 2 + 3 + 4]
        begun.clear()
        go_on.clear()
        answers = [pool.submit(ask, 1, 1)]
        assert begun.wait(60)
        answers += [pool.submit(ask, value, 1) for value in (-1, 2, 3)]
        while len(shared._waiting) < 3:
            sleep(0.001)
        go_on.set()
        assert (answers[0].result()[0] == 4).all()
        for answer in answers[1:]:
            with pytest.raises(ValueError, match="a plane is negative"):
                answer.result()
        assert (pool.submit(ask, 5, 1).result()[0] == 20).all()


@pytest.mark.parametrize(
    ("name", "game"), [("unpadded", ConnectN()), ("unpadded", ConnectN(5, 6, 4)), ("16x10_pooled", Quixo())], ids=str
)
def test_networks_of_the_reports_can_be_read_back_and_play(name, game, tmp_path):
    network = new_network(game, ARCHITECTURES[name], 0).eval()
    write_model(tmp_path / "a.safetensors", network, game, {})
    found = read_model(tmp_path / "a.safetensors", game).network
    planes = np.ascontiguousarray(batch_of(random_positions(game, 20, seed=2))["observation"])
    for expected, output in zip(inference(network)(planes), inference(found)(planes), strict=True):
        np.testing.assert_array_equal(output, expected)
    assert AlphaZeroAgent(game, found, simulations=20).analyse(Position.start(game)).visits.sum() == 20


@pytest.mark.parametrize("ask", [inference, partial(TorchInference, device="cpu")], ids=["onnx", "torch"])
@pytest.mark.parametrize(
    ("game", "architecture"), [*((game, SMALL) for game in GAMES), (GAMES[1], LINES), (Quarto(), LINES)], ids=str
)
def test_inference_returns_the_outputs_of_the_network(game, architecture, ask):
    network = trained_a_little(game, architecture)
    planes = np.ascontiguousarray(batch_of(random_positions(game, 50, seed=2))["observation"])
    logits, values, draws = ask(network)(planes)
    with torch.no_grad():
        expected = network(torch.from_numpy(planes).permute(0, 3, 1, 2).float())
    np.testing.assert_allclose(logits, expected[0], atol=1e-5)
    np.testing.assert_allclose(values, expected[1], atol=1e-5)
    np.testing.assert_allclose(draws, 1 / (1 + np.exp(-expected[2].numpy())), atol=1e-5)
    assert logits.shape == (50, game.action_count)
    assert (np.abs(values) <= 1).all()
    assert len({value.item() for value in values}) > 20
    assert len({draw.item() for draw in draws}) > 20


def test_a_network_depends_on_its_seed_and_leaves_chance_alone():
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    first, again, other = (new_network(Quixo(), SMALL, seed) for seed in (1, 1, 2))
    assert torch.equal(torch.rand(3), expected)
    for name, weights in first.state_dict().items():
        assert torch.equal(weights, again.state_dict()[name])
    assert not torch.equal(first.policy[0].weight, other.policy[0].weight)


def shapes_of(network):
    """Return the shapes of the weights by name, without normalisation."""
    parameters = network.named_parameters()
    return {name: tuple(weights.shape) for name, weights in parameters if "norm" not in name}


def parameters_of(network):
    return sum(weights.numel() for weights in network.parameters())


def test_the_network_of_section_a7_has_its_layers():
    """256 channels x 10 blocks on 2 planes, convolutions with biases, and one linear layer for each head."""
    network = new_network(Quixo(), ARCHITECTURES["256x10_pooled"], 0)
    shapes = shapes_of(network)
    convolutions = [shape for name, shape in shapes.items() if name.endswith("conv.weight")]
    assert convolutions == [(256, 2, 3, 3), *[(256, 256, 3, 3)] * 20]
    assert [shape for name, shape in shapes.items() if name.endswith("conv.bias")] == [(256,)] * 21
    assert [shape for name, shape in shapes.items() if "conv" not in name] == [(44, 256), (44,), (1, 256), (1,)]
    convolved = 2 * 256 * 9 + 256 + 20 * (256 * 256 * 9 + 256)
    assert parameters_of(network) == convolved + 21 * 2 * 256 + (256 * 44 + 44) + (256 + 1) == 11_828_781


def test_the_network_of_section_e_has_its_layers():
    """One plane, convolutions of 2 x 2 and 3 x 3 without padding and bias, and two linear layers for each head."""
    network = new_network(ConnectN(), ARCHITECTURES["unpadded"], 0)
    assert list(shapes_of(network).values()) == [
        *[(16, 1, 2, 2), (32, 16, 3, 3)],
        *[(72, 288), (72,), (36, 72), (36,)],
        *[(48, 288), (48,), (1, 48), (1,)],
    ]
    convolved, policy, value = 16 * 4 + 32 * 16 * 9, 288 * 72 + 72 + 72 * 36 + 36, 288 * 48 + 48 + 48 + 1
    assert parameters_of(network) == convolved + policy + value == 42_029


def test_the_networks_of_the_reports_have_their_layers():
    """A slow reference: convolutions as sums over cells, for one position."""
    position = random_positions(ConnectN(), 5, seed=1)[-1]
    planes = batch_of([position])["observation"].astype(np.float64)[0]
    network = new_network(ConnectN(), ARCHITECTURES["unpadded"], 0)
    weights = {name: tensor.numpy().astype(np.float64) for name, tensor in network.state_dict().items()}

    def convolved(image, kernel):
        size, side = kernel.shape[2], image.shape[1] - kernel.shape[2] + 1
        out = [
            [
                (kernel * image[:, row : row + size, column : column + size]).sum(axis=(1, 2, 3))
                for column in range(side)
            ]
            for row in range(side)
        ]
        return leaky(np.moveaxis(np.array(out), 2, 0))

    def leaky(numbers):
        return np.where(numbers > 0, numbers, 0.01 * numbers)

    def head(name, features):
        hidden = leaky(weights[f"{name}.0.weight"] @ features + weights[f"{name}.0.bias"])
        return weights[f"{name}.2.weight"] @ hidden + weights[f"{name}.2.bias"]

    image = (planes[..., 0] - planes[..., 1])[np.newaxis]
    features = convolved(convolved(image, weights["body.0.weight"]), weights["body.2.weight"]).ravel()
    with torch.no_grad():
        logits, values, draws = network(torch.from_numpy(planes).permute(2, 0, 1)[None].float())
    np.testing.assert_allclose(logits[0], head("policy", features), atol=1e-5)
    assert values.item() == pytest.approx(np.tanh(head("value", features)[0]), abs=1e-5)
    assert torch.sigmoid(draws).item() < 1e-6  # the network has no draw head


def test_linear_heads_read_the_mean_of_each_channel():
    network = new_network(Quixo(4), Architecture(3, 0, layout="pooled"), 0)
    stem = torch.relu(network.eval().stem[0](torch.ones(1, 2, 4, 4)))
    with torch.no_grad():
        logits, values, _ = network(torch.ones(1, 2, 4, 4))
        means = stem.sum(dim=(2, 3)) / 16
        torch.testing.assert_close(logits, means @ network.policy.weight.T + network.policy.bias)
        torch.testing.assert_close(values, torch.tanh(means @ network.value.weight[0] + network.value.bias))


def test_the_lines_of_a_network_are_those_of_the_games():
    """On a square board they are the lines of Quarto, and then the whole board."""
    cells = np.arange(16)
    lines = {tuple(cells[mean > 0].tolist()) for mean in line_means(4, 4)[:-1]}
    assert lines == {tuple(bits(four)) for four in Quarto().fours()}
    assert line_means(4, 4).sum(axis=1) == pytest.approx(1)
    rows, columns = [range(first, first + 4) for first in (0, 4, 8)], [range(first, 12, 4) for first in range(4)]
    diagonals = (0, 5, 10), (1, 6, 11), (2, 5, 8), (3, 6, 9)
    wide = [tuple(np.flatnonzero(mean).tolist()) for mean in line_means(3, 4)]
    assert sorted(wide) == sorted(map(tuple, [*rows, *columns, *diagonals, range(12)]))


def test_a_layer_along_lines_is_a_sum_over_the_lines_of_a_cell():
    """A slow reference with loops over the lines of Quarto."""
    layer, lines = LineLayer(3, 2).eval(), [*(tuple(bits(four)) for four in Quarto().fours()), range(16)]
    cells = np.random.default_rng(0).normal(size=(16, 3))
    to_lines, to_cells, same_cell = (
        getattr(layer, name).weight.detach().numpy().T for name in ("to_lines", "to_cells", "same_cell")
    )
    expected = cells @ same_cell
    for line in lines:
        mean = np.maximum(sum(cells[cell] for cell in line) / len(line) @ to_lines, 0)
        for cell in line:
            expected[cell] += mean @ to_cells / len(line)
    found = layer(torch.from_numpy(cells).float()[None], torch.from_numpy(line_means(4, 4)))
    np.testing.assert_allclose(found[0].detach(), expected, rtol=1e-4, atol=1e-5)  # a new norm divides by 1 + 5e-6


@pytest.mark.parametrize(
    ("game", "architecture", "message"),
    [
        (Quarto(), ARCHITECTURES["unpadded"], "an unpadded network needs a plane for each player"),
        (
            ConnectN(3, 3, 3),
            ARCHITECTURES["unpadded"],
            "smaller side of the board must be a whole number from 4, not 3",
        ),
        (ConnectN(), Architecture(32, 1, 2, "unpadded"), "blocks of an unpadded network must be .* not 1"),
    ],
)
def test_games_and_sizes_that_a_network_does_not_fit_are_refused(game, architecture, message):
    with pytest.raises(ValueError, match=message):
        new_network(game, architecture, 0)
    with pytest.raises(ValueError, match="layout must be one of heads, pooled, unpadded, lines, not 'flat'"):
        Architecture(layout="flat")


@pytest.mark.parametrize("game", [GAMES[2], GAMES[4]], ids=str)
def test_a_network_comes_back_from_its_file(game, tmp_path):
    network = trained_a_little(game)
    write_model(tmp_path / "a.safetensors", network, game, {"minutes": 3})
    found = read_model(tmp_path / "a.safetensors", game)
    assert found.notes == {"minutes": 3}
    assert found.network.architecture == SMALL
    observations = batch_of(random_positions(game, 30, seed=3))
    first, second = (
        AlphaZeroAgent(game, source, simulations=20, seed=1).act_batch(observations)
        for source in (network, tmp_path / "a.safetensors")
    )
    np.testing.assert_array_equal(first, second)


def test_files_that_cannot_be_used_are_refused(tmp_path, monkeypatch):
    game, path = ConnectN(3, 3, 3), tmp_path / "a.safetensors"
    write_model(path, new_network(game, SMALL, 0), game, {})
    content = path.read_bytes()
    with pytest.raises(ValueError, match=r"was trained for ConnectN.*, not for Quixo"):
        read_model(path, Quixo())
    flipped = content[:-5] + bytes([content[-5] ^ 1]) + content[-4:]
    for damaged in (b"", content[:100], content[:-5], pickle.dumps(1), b"PK" + content, flipped):
        path.write_bytes(damaged)
        with pytest.raises(ValueError, match=r"not a valid model file|is a zip file"):
            read_model(path, game)
    network = new_network(game, SMALL, 0)
    with torch.no_grad():
        network.policy[0].bias[0] = torch.nan
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"policy.0.bias is not finite"):
        write_model(path, network, game, {})
    assert path.read_bytes() == content
    network.architecture = Architecture(8, 2)
    with torch.no_grad():
        network.policy[0].bias[0] = 0
    for ranges, reason in (
        ([[0, 1]] * 5, r"blocks.1.first.conv.weight is missing"),
        ([[0, 1]] * 4, r"4 ranges of activations, not 5"),
        ([[0, 1]] * 6, r"6 ranges of activations, not 5"),
        ([[0.5, 1]] * 5, r"range of an activation is 0.5 to 1"),
        ([[0, 1]] * 4 + [[0, float("inf")]], r"range of an activation is 0 to inf"),
        ([[0, 1]] * 4 + ["a"], r""),
        (3, r""),
    ):
        monkeypatch.setattr("ci_envs.agents.alphazero.model_file.activation_ranges", lambda *_, ranges=ranges: ranges)
        write_model(path, network, game, {})
        with pytest.raises(ValueError, match=rf"is not a valid network file: .*{reason}"):
            AlphaZeroAgent(game, path)
        network.architecture = SMALL
    network.architecture = Architecture(8, 2)
    write_model(path, network, game, {})
    with pytest.raises(ValueError, match=r"is not a valid network file: Error.* loading state_dict"):
        read_model(path, game)
    with pytest.raises(FileNotFoundError):
        read_model(tmp_path / "nowhere", game)


@pytest.mark.parametrize("selection", ["puct", "ucb", "gumbel"])
def test_the_agent_plays_the_same_on_one_board_and_on_many(selection):
    game = ConnectN(4, 5, 3, True)
    positions = random_positions(game, 60, seed=4)
    network = trained_a_little(game)
    many = AlphaZeroAgent(game, network, simulations=30, selection=selection, seed=2)
    few = copy.deepcopy(many)
    few._max_positions = 7
    np.testing.assert_array_equal(many.act_batch(batch_of(positions)), few.act_batch(batch_of(positions)))


def test_actions_are_drawn_by_their_visits_to_the_power_of_the_inverse_temperature():
    policy = np.tile([0.6, 0.0, 0.3, 0.1], (20_000, 1))
    zeros = np.zeros(len(policy))
    found = SearchResult(policy, policy, zeros, zeros, zeros, zeros, zeros.astype(np.int64))
    for temperature, expected in ((1.0, [0.6, 0, 0.3, 0.1]), (0.5, [36 / 46, 0, 9 / 46, 1 / 46]), (1e-6, [1, 0, 0, 0])):
        drawn = draw_actions(found, temperature, np.random.default_rng(0))
        assert np.bincount(drawn, minlength=4) / len(drawn) == pytest.approx(expected, abs=0.015)
    assert draw_actions(found, 0, np.random.default_rng(0)) is found.actions


def test_at_a_temperature_the_agent_varies_but_takes_a_win():
    game = ConnectN(3, 3, 3)
    agent = AlphaZeroAgent(game, trained_a_little(game), simulations=30, temperature=1.0, seed=0)
    begins = agent.act_batch(batch_of([Position.start(game)] * 50))
    assert len(set(begins.tolist())) > 1
    agent.reseed(0)
    np.testing.assert_array_equal(agent.act_batch(batch_of([Position.start(game)] * 50)), begins)
    win = Position.from_text(game, "XX./OO./... X")
    assert set(agent.act_batch(batch_of([win] * 50)).tolist()) == {2}


@pytest.mark.extended
def test_the_contempt_is_sampled_for_every_action():
    """An untrained network predicts a draw with a probability near one half; a position has a value from -1/2 to 0."""
    game = Quixo()
    agent = AlphaZeroAgent(game, new_network(game, SMALL, 0), simulations=20, contempt=1.0, seed=0)
    found = [agent.analyse(Position.start(game)) for _ in range(200)]
    assert {round(one.draw, 1) for one in found} == {0.5}
    assert np.std([one.value for one in found]) == pytest.approx(0.5 / np.sqrt(12), abs=0.02)
    calm = AlphaZeroAgent(game, new_network(game, SMALL, 0), simulations=20, seed=0)
    assert np.std([calm.analyse(Position.start(game)).value for _ in range(20)]) < 0.02


ALPHAZERO = {"exploration": 1.5, "prior_temperature": 1.0, "temperature": 0.0, "contempt": 0.0}
AGAINST_DRAWS = {"exploration": 0.25, "prior_temperature": 2.0, "temperature": 0.2, "contempt": 1.0}


@pytest.mark.extended
@pytest.mark.parametrize(
    ("game", "defaults"),
    [
        (Quixo(5), AGAINST_DRAWS | {"simulations": 500, "lookahead": 3}),
        (Quixo(4), ALPHAZERO | {"simulations": 200, "lookahead": 3}),
        (ConnectN(6, 7, 4, True), ALPHAZERO | {"simulations": 300, "lookahead": 3}),
        (Quarto(), ALPHAZERO | {"simulations": 200, "lookahead": 5}),
    ],
    ids=str,
)
def test_a_game_has_its_own_defaults_of_play(game, defaults):
    network, boards = new_network(game, SMALL, 0), batch_of(random_positions(game, 40, seed=0))
    actions = [
        AlphaZeroAgent(game, network, seed=1, **options).act_batch(boards).tolist()
        for options in ({}, defaults, {**defaults, "temperature": 1.0}, {**defaults, "simulations": 50})
    ]
    assert actions[0] == actions[1]
    assert actions[0] not in actions[2:]


def test_the_ladder_of_the_training_does_not_use_the_defaults_of_play():
    config = make_config(AlphaZeroTrainer, Quixo(), {"iterations": 1, "architecture": "16x10_pooled"})
    agent = AlphaZeroTrainer(Task("Quixo-v0", Quixo(), None, 0), config).agent()
    assert (agent._settings.exploration, agent._settings.prior_temperature) == (config.ladder_exploration, 1.0)
    assert (agent._temperature, agent._contempt) == (config.ladder_temperature, config.contempt)


def test_the_analysis_describes_the_search():
    game = Quixo()
    network = trained_a_little(game)
    agent = AlphaZeroAgent(game, network, simulations=100, exploration=1.5, prior_temperature=1.0, seed=0)
    position = Position.start(game)
    analysis = agent.analyse(position)
    legal = list(position.legal_actions())
    assert analysis.visits.sum() == 100
    assert list(analysis.action_values) == legal
    assert analysis.priors.sum() == pytest.approx(1)
    assert 0 < analysis.draw < 1
    planes = observations_of(game, np.array([[position.own, position.opp]], dtype=np.uint64))["observation"]
    logits, _, _ = inference(network, game=game)(planes)
    weights = np.exp(logits[0][legal])
    np.testing.assert_allclose(analysis.priors[legal], weights / weights.sum(), rtol=1e-4)
    tried = {action for action, value in analysis.action_values.items() if not np.isnan(value)}
    by_position = {action: position.play(action) for action in legal}
    visited = {by_position[action] for action in np.flatnonzero(analysis.visits).tolist()}
    assert tried == {action for action in legal if by_position[action] in visited}
    for action in analysis.principal_variation:
        position = position.play(action)
    won = Position.from_text(ConnectN(3, 3, 3), "XX./OO./... X")
    found = AlphaZeroAgent(won.game, trained_a_little(won.game), simulations=10).analyse(won)
    assert (found.value, found.draw, found.principal_variation) == (1, 0, (2,))


@pytest.mark.extended
@pytest.mark.parametrize(("game", "least"), [(ConnectN(3, 3, 3), 0.999), (Quixo(4), 0.95)], ids=str)
def test_the_networks_that_come_with_the_package_play_well(game, least):
    solution = solve(game)
    words = sample_positions(game, 100, np.random.default_rng(0))
    agent = AlphaZeroAgent(game, simulations=100, seed=0)
    assert measure_accuracy(game, agent, words, solution).everywhere.keeping > least * 100


def test_of_several_networks_for_a_game_the_first_by_name_is_the_default():
    models = shipped_models()
    games = {name: read_metadata(path)["game"] for name, path in models.items()}
    for game in (ConnectN(6, 7, 4, gravity=True), Quixo()):
        several = [name for name, trained_for in sorted(games.items()) if trained_for == repr(game)]
        assert len(several) == 2
        assert shipped_model(game) == models[several[0]]


def test_a_network_of_the_package_can_be_given_by_its_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, path in shipped_models().items():
        environment = read_metadata(path)["notes"]["environment"]
        agents = [make_agent("alphazero", environment, path=one, simulations=8) for one in (name, path)]
        by_name, by_path = (agent.analyse(Position.start(agent.game)) for agent in agents)
        np.testing.assert_array_equal(by_name.priors, by_path.priors)
    with pytest.raises(ValueError, match="'quixo5' was trained for Quixo"):
        make_agent("alphazero:quixo5", ConnectN(3, 3, 3))


def test_games_for_which_no_network_comes_with_the_package_are_named():
    with pytest.raises(ValueError, match=r"no network for Quixo\(size=6\) is included, only for ConnectN"):
        make_agent("alphazero", Quixo(6))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"simulations": 0}, "simulations must be"),
        ({"selection": "best"}, "selection must be one of puct, ucb, gumbel, not 'best'"),
        ({"exploration": 0}, "exploration must be"),
        ({"prior_temperature": 0}, "prior_temperature must be"),
        ({"temperature": -1}, "temperature must be"),
        ({"contempt": 1.5}, "contempt must be a number from 0 to 1, not 1.5"),
        ({"lookahead": 9}, "lookahead must be a whole number from 1 to 8, not 9"),
    ],
)
def test_bad_options_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        AlphaZeroAgent(Quixo(), new_network(Quixo(), SMALL, 0), **options)


def test_bad_positions_are_refused():
    agent = AlphaZeroAgent(Quixo(), new_network(Quixo(), SMALL, 0))
    with pytest.raises(ValueError, match="was made for Quixo"):
        agent.analyse(Position.start(Quixo(4)))


def test_settings_have_a_preset_a_game_and_are_checked():
    def preset(game, **changes):
        return make_config(AlphaZeroTrainer, game, {"iterations": 1, **changes})

    assert preset(ConnectN(3, 3, 3)).considered == 9
    assert preset(Quixo(6), simulations=7).simulations == 7
    for changes, message in (
        ({"depth": 3}, "'depth' for training of alphazero"),
        ({"architecture": "1x1"}, "architecture must be one of 32x3"),
        ({"games": 0}, "games must be"),
        ({"value_mix": 1.5}, "value_mix must be a number from 0 to 1, not 1.5"),
        ({"learning_rate": -1}, "learning_rate must be"),
        ({"ladder_temperature": -1}, "ladder_temperature must be"),
    ):
        with pytest.raises(ValueError, match=message):
            preset(Quixo(), **changes)


def test_decided_positions_have_exact_values_with_an_untrained_network():
    game = ConnectN(3, 3, 3)
    agent = AlphaZeroAgent(game, new_network(game, SMALL, 0), simulations=400, seed=0)
    proven = MCTSAgent(game, simulations=20_000, seed=0)
    for position in random_positions(game, 40, seed=8):
        exact = proven.analyse(position).proven
        if exact is not None and len(position.legal_actions()) <= 5:
            assert agent.analyse(position).value == exact
