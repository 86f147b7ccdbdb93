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


class Weights(NamedTuple):
    """The weights of the network, float32; the outputs of a layer are the last axis.

    Attributes:
        first: The convolution of 2 x 2, (2, 2, 16).
        second: The convolution of 3 x 3, (3, 3, 16, 32).
        policy_hidden: The first layer of the policy, (features, 72); the features are ordered by row, column, channel.
        policy_hidden_bias: Its bias, (72,).
        policy: The logits, (72, cells).
        policy_bias: Their bias, (cells,).
        value_hidden: The first layer of the value, (features, 48).
        value_hidden_bias: Its bias, (48,).
        value: The value before the hyperbolic tangent, (48, 1).
        value_bias: Its bias, (1,).
    """

    first: NDArray[np.float32]
    second: NDArray[np.float32]
    policy_hidden: NDArray[np.float32]
    policy_hidden_bias: NDArray[np.float32]
    policy: NDArray[np.float32]
    policy_bias: NDArray[np.float32]
    value_hidden: NDArray[np.float32]
    value_hidden_bias: NDArray[np.float32]
    value: NDArray[np.float32]
    value_bias: NDArray[np.float32]


def weights_of(network: "Network") -> Weights:
    """Return the weights of a network with the architecture ``unpadded``."""
    arrays = {name: tensor.detach().numpy() for name, tensor in network.state_dict().items()}
    height, width, _ = network.observation_shape
    cells, channels = (height - 3, width - 3), len(arrays["body.2.weight"])

    def by_cell(layer: NDArray[np.float32]) -> NDArray[np.float32]:
        """Order the inputs of a layer by row, column and channel."""
        return layer.reshape(-1, channels, *cells).transpose(2, 3, 1, 0).reshape(-1, len(layer))

    return Weights(
        *map(
            np.ascontiguousarray,
            (
                arrays["body.0.weight"][:, 0].transpose(1, 2, 0),
                arrays["body.2.weight"].transpose(2, 3, 1, 0),
                by_cell(arrays["policy.0.weight"]),
                arrays["policy.0.bias"],
                arrays["policy.2.weight"].T,
                arrays["policy.2.bias"],
                by_cell(arrays["value.0.weight"]),
                arrays["value.0.bias"],
                arrays["value.2.weight"].T,
                arrays["value.2.bias"],
            ),
        )
    )


class Buffers(NamedTuple):
    """The inputs and outputs of the layers, float32, whose memory is used again for each position.

    Attributes:
        board: The input: 1 for a stone of the player to move, -1 for one of the opponent, else 0, (rows, columns).
        first: Output of the first convolution, (rows - 1, columns - 1, 16).
        second: Output of the second convolution, (rows - 3, columns - 3, 32).
        policy_hidden: Hidden layer of the policy, (72,).
        logits: A logit for each cell, (cells,).
        value_hidden: Hidden layer of the value, (48,).
        value: The value before the hyperbolic tangent, (1,).
    """

    board: NDArray[np.float32]
    first: NDArray[np.float32]
    second: NDArray[np.float32]
    policy_hidden: NDArray[np.float32]
    logits: NDArray[np.float32]
    value_hidden: NDArray[np.float32]
    value: NDArray[np.float32]


def new_buffers(weights: Weights, rows: int, columns: int) -> Buffers:
    """Return buffers for a board of this size."""
    shapes: tuple[tuple[int, ...], ...] = (
        (rows, columns),
        (rows - 1, columns - 1, weights.first.shape[2]),
        (rows - 3, columns - 3, weights.second.shape[3]),
        weights.policy_hidden_bias.shape,
        weights.policy_bias.shape,
        weights.value_hidden_bias.shape,
        (1,),
    )
    return Buffers(*(np.zeros(shape, np.float32) for shape in shapes))


@kernel
def evaluate_board(weights: Any, buffers: Any) -> Any:
    """Return the value of ``buffers.board`` for the player to move, -1 to 1, and write ``buffers.logits``."""
    _convolve_board(weights.first, buffers.board, buffers.first)
    _convolve(weights.second, buffers.first, buffers.second)
    features = buffers.second.reshape(-1)
    _apply_layer(weights.policy_hidden, weights.policy_hidden_bias, features, buffers.policy_hidden)
    _rectify(buffers.policy_hidden)
    _apply_layer(weights.policy, weights.policy_bias, buffers.policy_hidden, buffers.logits)
    _apply_layer(weights.value_hidden, weights.value_hidden_bias, features, buffers.value_hidden)
    _rectify(buffers.value_hidden)
    _apply_layer(weights.value, weights.value_bias, buffers.value_hidden, buffers.value)
    return np.tanh(np.float64(buffers.value[0]))


@kernel
def _convolve_board(weights: Any, board: Any, out: Any) -> None:
    for row in range(out.shape[0]):
        for column in range(out.shape[1]):
            for channel in range(out.shape[2]):
                total = np.float32(0)
                for i in range(2):
                    for j in range(2):
                        total += board[row + i, column + j] * weights[i, j, channel]
                out[row, column, channel] = total if total > 0 else _SLOPE * total


@kernel
def _convolve(weights: Any, planes: Any, out: Any) -> None:
    for row in range(out.shape[0]):
        for column in range(out.shape[1]):
            for channel in range(out.shape[2]):
                out[row, column, channel] = 0
            for i in range(3):
                for j in range(3):
                    for source in range(planes.shape[2]):
                        factor = planes[row + i, column + j, source]
                        for channel in range(out.shape[2]):
                            out[row, column, channel] += factor * weights[i, j, source, channel]
    _rectify(out.reshape(-1))


@kernel
def _apply_layer(weights: Any, bias: Any, inputs: Any, out: Any) -> None:
    for k in range(len(out)):
        out[k] = bias[k]
    for i in range(len(inputs)):
        factor = inputs[i]
        for k in range(len(out)):
            out[k] += factor * weights[i, k]


@kernel
def _rectify(numbers: Any) -> None:
    for k in range(len(numbers)):
        if numbers[k] < 0:
            numbers[k] *= _SLOPE
