"""Convolutions of integers."""

import numpy as np
import onnx
import pytest
from onnx import numpy_helper
from playing import batch_of, random_positions

from ci_envs import ConnectN, Nim, Quarto, Quixo, solve
from ci_envs.agent_interface.decision import decide_or_fail
from ci_envs.agents.alphazero.agent import AlphaZeroAgent
from ci_envs.agents.alphazero.architecture import ARCHITECTURES, Architecture
from ci_envs.agents.alphazero.model_file import read_model, shipped_models
from ci_envs.agents.alphazero.network import new_network
from ci_envs.agents.alphazero.onnx_graph import onnx_model
from ci_envs.agents.alphazero.onnx_inference import OnnxInference, new_session
from ci_envs.agents.alphazero.quantization import activation_ranges
from ci_envs.arena.grading import grade
from ci_envs.solver.reachable import sample_positions
from ci_envs.storage.tensors import read_metadata

GAMES = {
    repr(game): game
    for game in (ConnectN(3, 3, 3), ConnectN(6, 7, 4, True), ConnectN(6, 6, 4), Quarto(), Quixo(4), Quixo())
}


@pytest.fixture(scope="module", params=sorted(shipped_models()))
def included(request):
    """Return an included network, its game, and its file."""
    path = shipped_models()[request.param]
    game = GAMES[read_metadata(path)["game"]]
    return read_model(path, game).network, game, path


def planes_of(game, count):
    return np.ascontiguousarray(batch_of(random_positions(game, count, seed=3))["observation"])


def rounded_convolution(planes, weights, biases, scale):
    """Return a padded convolution of 3 x 3 of integers, by its definition."""
    padded = np.pad(planes, ((0, 0), (0, 0), (1, 1), (1, 1)))
    height, width = planes.shape[2:]
    total = biases[np.newaxis, :, np.newaxis, np.newaxis].astype(np.int64)
    for row in range(3):
        for column in range(3):
            part = padded[:, :, row : row + height, column : column + width].astype(np.int64)
            total = total + np.einsum("nchw,oc->nohw", part, weights[:, :, row, column].astype(np.int64))
    return total * scale[np.newaxis, :, np.newaxis, np.newaxis]


def test_the_first_layer_is_a_convolution_of_integers():
    """Sums of products that are as large as possible are exact, on processors without VNNI instructions too."""
    game = ConnectN(6, 7, 4, True)
    network = new_network(game, Architecture(16, 0), 0).eval()
    ranges = [(0.0, 1.0), (0.0, 8.0)]
    model = onnx.load_from_string(onnx_model(network, ranges))
    constants = {each.name: numpy_helper.to_array(each) for each in model.graph.initializer}
    weights, factors, biases, scales = (
        constants[name]
        for node in model.graph.node
        if node.op_type == "DequantizeLinear" and node.input[0] in constants
        for name in node.input[:2]
    )
    assert weights.dtype == np.int8
    assert np.abs(weights).max(axis=(1, 2, 3)).tolist() == [64] * 16
    assert np.iinfo(np.int16).max >= 255 * 64 * 2
    np.testing.assert_allclose(scales, factors / 255)
    planes = np.ones((1, *game.observation_shape), np.int8)
    integers = rounded_convolution(255 * planes.transpose(0, 3, 1, 2).astype(np.int64), weights, biases, scales)
    _, rounded = (node.output[0] for node in model.graph.node if node.op_type == "QuantizeLinear")
    model.graph.output.append(onnx.helper.make_tensor_value_info(rounded, onnx.TensorProto.UINT8, None))
    (found,) = new_session(model.SerializeToString()).run([rounded], {"planes": planes})
    np.testing.assert_array_equal(found, np.clip(np.rint(np.maximum(integers, 0) / np.float32(8 / 255)), 0, 255))


def test_outputs_are_close_to_those_of_float32_and_do_not_depend_on_the_batch(included):
    network, game, _ = included
    planes = planes_of(game, 300)
    exact = OnnxInference(onnx_model(network))(planes)
    ask = OnnxInference(onnx_model(network, activation_ranges(network, game)))
    outputs, alone = ask(planes), [ask(row[np.newaxis]) for row in planes[:20]]
    for output, expected, *single in zip(outputs, exact, *alone, strict=True):
        assert np.abs(output - expected).mean() < 0.06 * expected.std() + 0.002
        np.testing.assert_array_equal(output[:20], np.concatenate(single))


def test_files_contain_the_ranges_of_their_networks(included):
    network, game, path = included
    np.testing.assert_allclose(read_metadata(path)["activation_ranges"], activation_ranges(network, game), rtol=1e-3)


def test_only_networks_of_convolutions_with_heads_have_ranges():
    for name, game in (("16x10_pooled", Quixo()), ("unpadded", ConnectN()), ("32x3_lines", Quixo())):
        assert activation_ranges(new_network(game, ARCHITECTURES[name], 0), game) == []
    for game in (Nim((1, 3, 5)), Quixo(), Quarto()):
        ranges = activation_ranges(new_network(game, ARCHITECTURES["32x3"], 0).eval(), game)
        assert len(ranges) == 2 + 3 * 3
        assert ranges[0] == (0, 1)


def test_an_agent_keeps_as_many_values_as_with_float32():
    game = Quixo(4)
    words = sample_positions(game, 1500, np.random.default_rng(5))
    scores = solve(game).grading_scores(words)
    kept = {}
    for precision in ("int8", "float32"):
        agent = AlphaZeroAgent(game, simulations=1, lookahead=1, precision=precision, seed=0)
        kept[precision] = grade(scores, decide_or_fail(agent, words).actions).everywhere.keeping / len(words)
    assert kept["int8"] == pytest.approx(kept["float32"], abs=0.01)
