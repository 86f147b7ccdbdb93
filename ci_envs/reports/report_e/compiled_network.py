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
    """A layer of the network, float32. A fully connected layer is a convolution of the size of its inputs.

    Attributes:
        weights: The weights, (rows, columns, inputs, outputs).
        bias: The bias of each output; 0 in the convolutions of report E.
        slope: The factor of negative outputs.
        out: The outputs, (rows, columns, outputs), whose memory is used again for each position.
    """

    weights: NDArray[np.float32]
    bias: NDArray[np.float32]
    slope: np.float32
    out: NDArray[np.float32]


class CompiledNetwork(NamedTuple):
    """The layers of the network, with memory for one position.

    Attributes:
        board: The input: 1 for a stone of the player to move, -1 for one of the opponent, else 0, (rows, columns, 1).
        first: The convolution of 2 x 2 with 16 channels.
        second: The convolution of 3 x 3 with 32 channels.
        policy_hidden: The first layer of the policy.
        policy: The logits of the cells, (1, 1, cells).
        value_hidden: The first layer of the value.
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

    def layer(name: str, size: tuple[int, int], kernel: tuple[int, int], *, rectifies: bool = True) -> NetworkLayer:
        weights = arrays[f"{name}.weight"]
        weights = weights.reshape(len(weights), -1, *kernel).transpose(2, 3, 1, 0)
        bias = arrays.get(f"{name}.bias", np.zeros(weights.shape[-1], np.float32))
        slope = _SLOPE if rectifies else np.float32(1)
        return NetworkLayer(np.ascontiguousarray(weights), bias, slope, np.zeros((*size, len(bias)), np.float32))

    def head(name: str) -> tuple[NetworkLayer, NetworkLayer]:
        hidden = layer(f"{name}.0", (1, 1), (rows - 3, columns - 3))
        return hidden, layer(f"{name}.2", (1, 1), (1, 1), rectifies=False)

    return CompiledNetwork(
        np.zeros((rows, columns, 1), np.float32),
        layer("body.0", (rows - 1, columns - 1), (2, 2)),
        layer("body.2", (rows - 3, columns - 3), (3, 3)),
        *head("policy"),
        *head("value"),
    )


@kernel
def evaluate_board(network: Any) -> Any:
    """Return the value of ``network.board`` for the player to move, -1 to 1, and write ``network.policy.out``."""
    _apply_layer(network.first, network.board)
    _apply_layer(network.second, network.first.out)
    _apply_layer(network.policy_hidden, network.second.out)
    _apply_layer(network.policy, network.policy_hidden.out)
    _apply_layer(network.value_hidden, network.second.out)
    _apply_layer(network.value, network.value_hidden.out)
    return np.tanh(np.float64(network.value.out[0, 0, 0]))


@kernel
def _apply_layer(layer: Any, planes: Any) -> None:
    weights, out = layer.weights, layer.out
    for row in range(out.shape[0]):
        for column in range(out.shape[1]):
            sums = out[row, column]
            for channel in range(len(sums)):
                sums[channel] = layer.bias[channel]
            for i in range(weights.shape[0]):
                for j in range(weights.shape[1]):
                    for source in range(weights.shape[2]):
                        factor = planes[row + i, column + j, source]
                        for channel in range(len(sums)):
                            sums[channel] += factor * weights[i, j, source, channel]
            for channel in range(len(sums)):
                if sums[channel] < 0:
                    sums[channel] *= layer.slope
