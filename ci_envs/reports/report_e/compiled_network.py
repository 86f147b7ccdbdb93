"""The network of report E, compiled for one position at a time.

A library takes longer to begin than this network takes to compute.
"""

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ci_envs.kernels.compiler import kernel

if TYPE_CHECKING:
    from ci_envs.agents.alphazero.network import Network

_SLOPE = np.float32(0.01)  # of the leaky ReLU


class NetworkLayer(NamedTuple):
    """A layer of the network, float32.

    Attributes:
        weights: The weights, whose last axis is that of the outputs.
        bias: The bias of each output; a convolution has none.
        out: The outputs, whose memory is used again for each position.
    """

    weights: NDArray[np.float32]
    bias: NDArray[np.float32]
    out: NDArray[np.float32]


class CompiledNetwork(NamedTuple):
    """The layers of the network, with memory for one position.

    Attributes:
        board: The input: 1 for a stone of the player to move, -1 for one of the opponent, else 0, (rows, columns, 1).
        first: The convolution of 2 x 2 with 16 channels.
        second: The convolution of 3 x 3 with 32 channels.
        policy_hidden: The first layer of the policy, whose inputs are ordered by row, column and channel.
        policy: The logits of the cells.
        value_hidden: The first layer of the value, with the same inputs.
        value: The value before the hyperbolic tangent.
    """

    board: NDArray[np.float32]
    first: NetworkLayer
    second: NetworkLayer
    policy_hidden: NetworkLayer
    policy: NetworkLayer
    value_hidden: NetworkLayer
    value: NetworkLayer


def compiled_network(network: "Network") -> CompiledNetwork:
    """Return the layers of a network with the architecture ``unpadded``."""
    arrays = {name: tensor.detach().numpy() for name, tensor in network.state_dict().items()}
    rows, columns, _ = network.observation_shape
    cells = rows - 3, columns - 3

    def layer(weights: NDArray[np.float32], bias: NDArray[np.float32], *cells: int) -> NetworkLayer:
        return NetworkLayer(np.ascontiguousarray(weights), bias, np.zeros((*cells, weights.shape[-1]), np.float32))

    def head(name: str) -> tuple[NetworkLayer, NetworkLayer]:
        hidden, channels = arrays[f"{name}.0.weight"], len(arrays["body.2.weight"])
        by_cell = hidden.reshape(-1, channels, *cells).transpose(2, 3, 1, 0).reshape(-1, len(hidden))
        return (
            layer(by_cell, arrays[f"{name}.0.bias"]),
            layer(arrays[f"{name}.2.weight"].T, arrays[f"{name}.2.bias"]),
        )

    no_bias = np.empty(0, np.float32)
    return CompiledNetwork(
        np.zeros((rows, columns, 1), np.float32),
        layer(arrays["body.0.weight"].transpose(2, 3, 1, 0), no_bias, rows - 1, columns - 1),
        layer(arrays["body.2.weight"].transpose(2, 3, 1, 0), no_bias, *cells),
        *head("policy"),
        *head("value"),
    )


@kernel
def evaluate_board(network: Any) -> Any:
    """Return the value of ``network.board`` for the player to move, -1 to 1, and write ``network.policy.out``."""
    _convolve(network.first, network.board)
    _convolve(network.second, network.first.out)
    features = network.second.out.reshape(-1)
    _apply_layer(network.policy_hidden, features)
    _rectify(network.policy_hidden.out)
    _apply_layer(network.policy, network.policy_hidden.out)
    _apply_layer(network.value_hidden, features)
    _rectify(network.value_hidden.out)
    _apply_layer(network.value, network.value_hidden.out)
    return np.tanh(np.float64(network.value.out[0]))


@kernel
def _convolve(layer: Any, planes: Any) -> None:
    weights, out = layer.weights, layer.out
    for row in range(out.shape[0]):
        for column in range(out.shape[1]):
            for channel in range(out.shape[2]):
                out[row, column, channel] = 0
            for i in range(weights.shape[0]):
                for j in range(weights.shape[1]):
                    for source in range(planes.shape[2]):
                        factor = planes[row + i, column + j, source]
                        for channel in range(out.shape[2]):
                            out[row, column, channel] += factor * weights[i, j, source, channel]
    _rectify(out.reshape(-1))


@kernel
def _apply_layer(layer: Any, inputs: Any) -> None:
    weights, out = layer.weights, layer.out
    for k in range(len(out)):
        out[k] = layer.bias[k]
    for i in range(len(inputs)):
        factor = inputs[i]
        for k in range(len(out)):
            out[k] += factor * weights[i, k]


@kernel
def _rectify(numbers: Any) -> None:
    for k in range(len(numbers)):
        if numbers[k] < 0:
            numbers[k] *= _SLOPE
