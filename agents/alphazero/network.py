"""Policy-value networks: the input are planes; the outputs are a logit for each action, a value and a draw logit.

As in AlphaZero, the body consists of convolutions and residual blocks (He, Zhang, Ren and Sun, "Deep residual learning
for image recognition", CVPR 2016).
"""

from dataclasses import asdict, dataclass
from types import MappingProxyType

import torch
from torch import Tensor, nn
from torch.nn.functional import relu

from ci_envs.games import integer_between
from ci_envs.games.game import Game

_POLICY_CHANNELS, _VALUE_CHANNELS, _DRAW_CHANNELS, _UNITS = 4, 2, 4, 64


@dataclass(frozen=True)
class Architecture:
    """The size of a network.

    Attributes:
        channels: channels of every convolution in the body.
        blocks: number of residual blocks, of two convolutions each.
        stem: number of convolutions before them.

    Raises:
        ValueError: a number is out of range.
    """

    channels: int = 32
    blocks: int = 3
    stem: int = 1

    def __post_init__(self) -> None:
        integer_between("channels", self.channels, 1, 4096)
        integer_between("blocks", self.blocks, 0, 256)
        integer_between("stem", self.stem, 1, 16)

    def to_dict(self) -> dict[str, int]:
        """Return the sizes as plain values by name."""
        return asdict(self)


ARCHITECTURES = MappingProxyType(
    {
        "32x3": Architecture(32, 3),
        "64x5": Architecture(64, 5),
        "report": Architecture(256, 10),
        "blog": Architecture(64, 0, stem=2),
    }
)
"""Networks by name: two of ours, the network of the report on Quixo, and the two convolutions of the blog."""


class ConvNorm(nn.Module):
    """A convolution of 3 x 3 and batch normalisation."""

    def __init__(self, channels_in: int, channels_out: int) -> None:
        super().__init__()
        self.conv = nn.Conv2d(channels_in, channels_out, 3, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(channels_out)

    def forward(self, planes: Tensor) -> Tensor:
        """Map float32 (n, in, height, width) to (n, out, height, width)."""
        normed: Tensor = self.norm(self.conv(planes))
        return normed


class Block(nn.Module):
    """A residual block."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.first, self.second = ConvNorm(channels, channels), ConvNorm(channels, channels)

    def forward(self, planes: Tensor) -> Tensor:
        """Map float32 (n, channels, height, width) to the same shape."""
        return relu(planes + self.second(relu(self.first(planes))))


class Network(nn.Module):
    """A policy-value network for a game.

    Attributes:
        architecture: its size.
        observation_shape: height, width and channels of its input.
    """

    def __init__(self, game: Game, architecture: Architecture) -> None:
        """Make a network with random weights from PyTorch's global random numbers."""
        super().__init__()
        self.architecture, self.observation_shape = architecture, game.observation_shape
        height, width, planes = game.observation_shape
        channels, cells = architecture.channels, height * width
        self.stem = nn.ModuleList(ConvNorm(planes if i == 0 else channels, channels) for i in range(architecture.stem))
        self.blocks = nn.ModuleList(Block(channels) for _ in range(architecture.blocks))
        self.policy = nn.Sequential(
            nn.Conv2d(channels, _POLICY_CHANNELS, 1),
            nn.ReLU(),
            nn.Flatten(),
            nn.Linear(_POLICY_CHANNELS * cells, game.action_count),
        )
        self.value = _number_head(channels, _VALUE_CHANNELS, cells)
        self.draw = _number_head(channels, _DRAW_CHANNELS, cells)

    def forward(self, planes: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return logits (n, actions), values (n,) and draw logits (n,) for float32 planes (n, channels, height, width).

        A value, from -1 to 1, is for the player to move. The probability of a draw is the sigmoid of its logit.
        """
        for layer in self.stem:
            planes = relu(layer(planes))
        for block in self.blocks:
            planes = block(planes)
        return self.policy(planes), self.value(planes).tanh(), self.draw(planes)


def _number_head(channels_in: int, channels: int, cells: int) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(channels_in, channels, 1),
        nn.ReLU(),
        nn.Flatten(),
        nn.Linear(channels * cells, _UNITS),
        nn.ReLU(),
        nn.Linear(_UNITS, 1),
        nn.Flatten(0),
    )


def new_network(game: Game, architecture: Architecture, seed: int) -> Network:
    """Return a network whose random weights depend only on the seed."""
    with torch.random.fork_rng(devices=()):
        torch.manual_seed(seed)
        return Network(game, architecture)


def device_named(name: str | None) -> str:
    """Return the name of a device; None becomes ``cuda`` if that is available, else ``cpu``.

    Raises:
        ValueError: PyTorch cannot use this device.
    """
    if name is None:
        return "cuda" if torch.cuda.is_available() else "cpu"
    try:
        torch.zeros(1, device=name)
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        reason = str(error).partition("\n")[0]
        raise ValueError(f"device={name!r} cannot be used here: {reason}") from None
    return name
