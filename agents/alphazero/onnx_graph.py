"""The ONNX model of a network, made of its weights. PyTorch, whose import takes seconds, is not needed.

The convolutions can compute with integers: activations of 8 bits and weights of 7 bits. ONNX Runtime replaces each
convolution between ``DequantizeLinear`` and ``QuantizeLinear`` by one of integers. With weights of 8 bits, processors
without VNNI instructions would add pairs of products with saturation, and find other numbers.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from ci_envs.agents.alphazero.architecture import LINE_FEATURES, NO_DRAW, Architecture, HasWeights
from ci_envs.agents.alphazero.board_lines import line_means

_EPSILON = 1e-5  # of the batch normalisation
_OPSET, _IR_VERSION = 17, 8  # of onnxruntime 1.20
_MOST_ACTIVATION, _MOST_WEIGHT = 255, 64

Range = tuple[float, float]
"""The least and the largest number of an activation."""


class DivergenceError(FloatingPointError, ValueError):
    """A network computes infinite numbers: its training diverged, or its file is damaged."""


def onnx_model(network: HasWeights, ranges: Sequence[Range] = (), *, observed: bool = False) -> bytes:
    """Return an ONNX model for batches of any size. Batch normalisation is merged into the convolutions.

    Its input ``planes`` is int8 of shape (n, height, width, channels). Its outputs are ``logits`` (n, actions),
    ``values`` (n,) and ``draws`` (n,), which are probabilities.

    Args:
        network: The network.
        ranges: The ranges of the activations of the body, for convolutions of integers. Without ranges they compute
            with float32.
        observed: Whether the activations of the body are outputs too, after the others.

    Raises:
        ValueError: The weights are not those of the architecture, or the number of ranges is not that of its
            activations.
        DivergenceError: A range is not finite.
    """
    architecture, graph = network.architecture, _Graph(network.weights(), network.observation_shape, ranges)
    outputs = _LAYOUTS[architecture.layout](graph, architecture)
    for output, name in zip(outputs, ("logits", "values", "draws"), strict=True):
        graph.add("Identity", output, name=name)
    if unknown := graph.unused():
        raise ValueError(f"unexpected weights: {', '.join(unknown)}")
    if ranges and len(ranges) != len(graph.activations):
        raise ValueError(f"there are {len(ranges)} ranges of activations, not {len(graph.activations)}")
    float32 = TensorProto.FLOAT
    model = helper.make_model(
        helper.make_graph(
            graph.nodes,
            architecture.layout,
            [helper.make_tensor_value_info("planes", TensorProto.INT8, ["n", *network.observation_shape])],
            [
                helper.make_tensor_value_info("logits", float32, ["n", network.action_count]),
                helper.make_tensor_value_info("values", float32, ["n"]),
                helper.make_tensor_value_info("draws", float32, ["n"]),
                *(helper.make_tensor_value_info(name, float32, None) for name in graph.activations if observed),
            ],
            graph.constants,
        ),
        opset_imports=[helper.make_opsetid("", _OPSET)],
        ir_version=_IR_VERSION,
    )
    try:
        onnx.shape_inference.infer_shapes(model, check_type=True, strict_mode=True)
    except onnx.shape_inference.InferenceError as error:
        raise ValueError(f"the shapes of the weights do not fit: {str(error).splitlines()[0]}") from None
    content: bytes = model.SerializeToString()
    return content


class _Graph:
    """A graph under construction. Each method adds layers to a value, and returns the name of the result."""

    def __init__(
        self,
        weights: Mapping[str, NDArray[np.float32]],
        observation_shape: tuple[int, int, int],
        ranges: Sequence[Range],
    ) -> None:
        self._weights, self._used, self.observation_shape = weights, set[str](), observation_shape
        self._ranges, self._scales = ranges, dict[str, np.float32]()
        self.nodes: list[onnx.NodeProto] = []
        self.activations: list[str] = []
        self.constants: list[onnx.TensorProto] = []
        self.planes = self.add("Cast", "planes", to=TensorProto.FLOAT)

    def unused(self) -> list[str]:
        """Return the names of the weights that no layer has."""
        return sorted(name for name in self._weights.keys() - self._used if not name.endswith("num_batches_tracked"))

    def add(self, kind: str, *inputs: str, name: str = "", **attributes: Any) -> str:
        """Add an operator."""
        name = name or f"{kind}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [name], **attributes))
        return name

    def constant(self, array: NDArray[Any]) -> str:
        """Add a constant."""
        name = f"constant_{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(array, order="C"), name))
        return name

    def channels_first(self) -> str:
        """Return the planes in the order (n, channels, height, width)."""
        return self.add("Transpose", self.planes, perm=[0, 3, 1, 2])

    def convolution(self, planes: str, layer: str, *, pad: int = 0) -> str:
        """Add a convolution."""
        inputs = [self._weight(f"{layer}.weight")]
        if f"{layer}.bias" in self._weights:
            inputs.append(self._weight(f"{layer}.bias"))
        return self.add("Conv", planes, *map(self.constant, inputs), pads=[pad] * 4)

    def normed_convolution(self, planes: str, layer: str) -> str:
        """Add a padded convolution of 3 x 3 with batch normalisation."""
        weight = self._weight(f"{layer}.conv.weight").astype(np.float64)
        bias = self._weight(f"{layer}.conv.bias") if f"{layer}.conv.bias" in self._weights else 0.0
        factor, shift = self.normalisation(f"{layer}.norm")
        merged = weight * factor[:, np.newaxis, np.newaxis, np.newaxis], bias * factor + shift
        if planes in self._scales:
            inputs = self._integers(*merged, self._scales[planes])
        else:
            inputs = [self.constant(one.astype(np.float32)) for one in merged]
        return self.add("Conv", planes, *inputs, pads=[1] * 4)

    def activation(self, value: str) -> str:
        """Round an activation to 8 bits if its range is known."""
        self.activations.append(value)
        if len(self.activations) > len(self._ranges):
            return value
        low, high = self._ranges[len(self.activations) - 1]
        text = f"the range of an activation is {low} to {high}"
        if not -np.inf < low <= high < np.inf:
            raise DivergenceError(
                f"{text}: the weights are useless, because the training diverged; lower learning_rate"
            )
        if not low <= 0 <= high:
            raise ValueError(f"{text}, but it must contain 0")
        scale = np.float32(max(high - low, 1e-9) / _MOST_ACTIVATION)
        inputs = self.constant(np.array(scale)), self.constant(np.array(round(-low / scale), np.uint8))
        rounded = self.add("DequantizeLinear", self.add("QuantizeLinear", value, *inputs), *inputs)
        self._scales[rounded] = scale
        return rounded

    def _integers(self, weight: NDArray[np.float64], bias: NDArray[np.float64], scale: np.float32) -> list[str]:
        """Add the weights and biases of a convolution as integers, for an input with this scale."""
        most = np.maximum(np.abs(weight).max(axis=(1, 2, 3)), 1e-9)
        scales = (most / _MOST_WEIGHT).astype(np.float32)
        rounded = np.rint(weight / scales[:, np.newaxis, np.newaxis, np.newaxis]).astype(np.int8)
        parts = (rounded, scales), (np.rint(bias / (scale * scales)).astype(np.int32), scale * scales)
        return [
            self.add(
                "DequantizeLinear",
                *map(self.constant, (integers, factors, np.zeros(len(factors), integers.dtype))),
                axis=0,
            )
            for integers, factors in parts
        ]

    def normalisation(self, norm: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the factor and the shift of each channel by a batch normalisation."""
        mean, variance = self._weight(f"{norm}.running_mean"), self._weight(f"{norm}.running_var")
        factor = self._weight(f"{norm}.weight") / np.sqrt(variance.astype(np.float64) + _EPSILON)
        return factor, self._weight(f"{norm}.bias") - mean * factor

    def line_layer(self, cells: str, means: NDArray[np.float32], layer: str, *, residual: bool) -> str:
        """Add a layer along lines, with its batch normalisations and the sum with its input merged into linear maps.

        The cells have shape (cells, n * channels), so that each product is one of two matrices for all boards.
        """
        line_factor, line_shift = self.normalisation(f"{layer}.line_norm")
        cell_factor, cell_shift = self.normalisation(f"{layer}.cell_norm")
        same_cell = self._map(f"{layer}.same_cell", cell_factor)
        if residual:
            same_cell += np.eye(len(same_cell))
        sums = self.add("MatMul", self.constant(means), cells)
        lines = self.add("Relu", self.mapped(sums, self._map(f"{layer}.to_lines", line_factor), line_shift))
        seen = self.reshaped(self.mapped(lines, self._map(f"{layer}.to_cells", cell_factor)), len(means), -1)
        own = self.reshaped(self.mapped(cells, same_cell, cell_shift), means.shape[1], -1)
        return self.add("Relu", self.add("Gemm", self.constant(means.T), seen, own))

    def line_features(self, cells: str) -> str:
        """Add the features of the heads of a network along lines to cells as rows, (n * cells, features)."""
        factor, shift = self.normalisation("feature_norm")
        return self.add("Relu", self.mapped(cells, self._map("features", factor), shift))

    def mapped(self, values: str, weight: NDArray[np.float64], *shift: NDArray[np.float64]) -> str:
        """Add a linear map of the channels, which are the last dimension of the result: (m, channels)."""
        constants = (self.constant(array.astype(np.float32)) for array in (weight, *shift))
        return self.add("Gemm", self.reshaped(values, -1, len(weight)), *constants)

    def reshaped(self, values: str, *shape: int) -> str:
        """Reshape a value."""
        return self.add("Reshape", values, self.constant(np.array(shape)))

    def _map(self, layer: str, factor: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the weights of a linear map without a shift, with a factor for each of its outputs."""
        weight: NDArray[np.float64] = self._weight(f"{layer}.weight").T * factor
        return weight

    def linear(self, features: str, layer: str) -> str:
        """Add a linear layer."""
        weights = (self.constant(self._weight(f"{layer}.{name}")) for name in ("weight", "bias"))
        return self.add("Gemm", features, *weights, transB=1)

    def no_draws(self, values: str) -> str:
        """Add the draw probabilities of a network without a draw head."""
        zeros = self.add("Mul", values, self.constant(np.zeros(1, np.float32)))
        return self.add("Sigmoid", self.add("Add", zeros, self.constant(np.full(1, NO_DRAW, np.float32))))

    def residual_body(self, architecture: Architecture) -> str:
        """Add convolutions and residual blocks."""
        planes = self.activation(self.channels_first())
        for number in range(architecture.stem):
            planes = self.activation(self.add("Relu", self.normed_convolution(planes, f"stem.{number}")))
        for number in range(architecture.blocks):
            first = self.activation(self.add("Relu", self.normed_convolution(planes, f"blocks.{number}.first")))
            second = self.activation(self.normed_convolution(first, f"blocks.{number}.second"))
            planes = self.activation(self.add("Relu", self.add("Add", planes, second)))
        return planes

    def _weight(self, name: str) -> NDArray[np.float32]:
        if name not in self._weights:
            raise ValueError(f"{name} is missing")
        self._used.add(name)
        return self._weights[name]


def _heads(graph: _Graph, architecture: Architecture) -> tuple[str, str, str]:
    body = graph.residual_body(architecture)

    def hidden(head: str) -> str:
        return graph.add("Flatten", graph.add("Relu", graph.convolution(body, f"{head}.0")))

    def number(head: str) -> str:
        units = graph.add("Relu", graph.linear(hidden(head), f"{head}.3"))
        return graph.reshaped(graph.linear(units, f"{head}.5"), -1)

    logits = graph.linear(hidden("policy"), "policy.3")
    return logits, graph.add("Tanh", number("value")), graph.add("Sigmoid", number("draw"))


def _pooled(graph: _Graph, architecture: Architecture) -> tuple[str, str, str]:
    features = graph.add("ReduceMean", graph.residual_body(architecture), axes=[2, 3], keepdims=0)
    values = graph.add("Tanh", graph.reshaped(graph.linear(features, "value"), -1))
    return graph.linear(features, "policy"), values, graph.no_draws(values)


def _unpadded(graph: _Graph, _: Architecture) -> tuple[str, str, str]:
    planes = graph.channels_first()
    first = graph.add("Gather", planes, graph.constant(np.array([0])), axis=1)
    second = graph.add("Gather", planes, graph.constant(np.array([1])), axis=1)
    planes = graph.add("Sub", first, second)
    for layer in ("body.0", "body.2"):
        planes = _leaky(graph, graph.convolution(planes, layer))
    features = graph.add("Flatten", planes)

    def head(name: str) -> str:
        return graph.linear(_leaky(graph, graph.linear(features, f"{name}.0")), f"{name}.2")

    values = graph.add("Tanh", graph.reshaped(head("value"), -1))
    return head("policy"), values, graph.no_draws(values)


def _lines(graph: _Graph, architecture: Architecture) -> tuple[str, str, str]:
    height, width, planes = graph.observation_shape
    means, count = line_means(height, width), height * width
    boards = graph.reshaped(graph.planes, -1, count, planes)
    cells = graph.reshaped(graph.add("Transpose", boards, perm=[1, 0, 2]), count, -1)
    for number in range(architecture.stem):
        cells = graph.line_layer(cells, means, f"stem.{number}", residual=False)
    for number in range(architecture.blocks):
        cells = graph.line_layer(cells, means, f"blocks.{number}", residual=True)
    boards = graph.add("Transpose", graph.reshaped(cells, count, -1, architecture.channels), perm=[1, 0, 2])
    few = graph.reshaped(graph.line_features(boards), -1, count * LINE_FEATURES)
    features = graph.add("Concat", few, graph.add("ReduceMean", boards, axes=[1], keepdims=0), axis=1)
    outcome = graph.linear(graph.add("Relu", graph.linear(features, "outcome.0")), "outcome.2")
    value, draw = (
        graph.reshaped(graph.add("Gather", outcome, graph.constant(np.array([column])), axis=1), -1)
        for column in range(2)
    )
    return graph.linear(features, "policy"), graph.add("Tanh", value), graph.add("Sigmoid", draw)


def _leaky(graph: _Graph, values: str) -> str:
    return graph.add("LeakyRelu", values, alpha=0.01)


_LAYOUTS = {"heads": _heads, "pooled": _pooled, "unpadded": _unpadded, "lines": _lines}
