"""The sizes and layouts of policy-value networks. This module does not import PyTorch."""

from dataclasses import asdict, dataclass
from types import MappingProxyType
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from ci_envs.games import integer_between
from ci_envs.validation import one_of

INTEGERS, FLOATS, SHORT_FLOATS = "int8", "float32", "bfloat16"
PRECISIONS = INTEGERS, FLOATS
"""The numbers of the convolutions of a network with the layout ``heads`` that plays on a CPU."""

LEARNING_PRECISIONS = FLOATS, SHORT_FLOATS
"""The numbers of the layers of a network that learns. Weights and losses are float32."""

MUON, ADAMW = "muon", "adamw"
OPTIMIZERS = MUON, ADAMW
"""The optimizers of the matrices in the body of a network. AdamW optimizes all other weights."""

CROSS_ENTROPY, SQUARED_ERROR = "cross_entropy", "squared_error"
VALUE_LOSSES = CROSS_ENTROPY, SQUARED_ERROR
"""The losses of the value."""

NO_DRAW = -20.0
"""The draw logit of a network without a draw head: a probability of 2e-9."""

LINE_FEATURES = 16
"""The features of a cell that the heads of a network with the layout ``lines`` see."""

_LAYOUTS = ("heads", "pooled", "unpadded", "lines")


@dataclass(frozen=True)
class Architecture:
    """The size of a network.

    Attributes:
        channels: channels of every layer in the body.
        blocks: number of residual blocks, of two convolutions each, or of one layer along lines.
        stem: number of layers before the residual blocks.
        layout: ``heads`` has convolutions in each of three heads; ``pooled`` has linear heads on the mean of each
            channel; ``unpadded`` has two convolutions without padding and bias, and two linear layers in each head;
            ``lines`` has layers along rows, columns and diagonals instead of convolutions.

    Raises:
        ValueError: a number is out of range.
    """

    channels: int = 32
    blocks: int = 3
    stem: int = 1
    layout: str = "heads"

    def __post_init__(self) -> None:
        integer_between("channels", self.channels, 1, 4096)
        integer_between("blocks", self.blocks, 0, 256)
        integer_between("stem", self.stem, 1, 16)
        one_of("layout", self.layout, _LAYOUTS)

    def to_dict(self) -> dict[str, int | str]:
        """Return the sizes and the layout as plain values by name."""
        return asdict(self)


ARCHITECTURES = MappingProxyType(
    {
        "32x3": Architecture(32, 3),
        "64x5": Architecture(64, 5),
        "32x3_lines": Architecture(32, 3, layout="lines"),
        "32x6_lines": Architecture(32, 6, layout="lines"),
        "256x10_pooled": Architecture(256, 10, layout="pooled"),
        "16x10_pooled": Architecture(16, 10, layout="pooled"),
        "unpadded": Architecture(32, 0, stem=2, layout="unpadded"),
    }
)
"""Networks by name: the channels and the residual blocks, and the layout if it is not ``heads``."""


@runtime_checkable
class HasWeights(Protocol):
    """A network with its weights: a :class:`~ci_envs.agents.alphazero.network.Network`."""

    @property
    def architecture(self) -> Architecture:
        """The size and layout."""

    @property
    def observation_shape(self) -> tuple[int, int, int]:
        """Height, width and channels of the input."""

    @property
    def action_count(self) -> int:
        """The number of actions."""

    def weights(self) -> dict[str, NDArray[np.float32]]:
        """Return copies of the weights by name."""
