"""Policy-value networks. The input is planes; the outputs are a logit for each action, a value and a draw logit.

Our networks are small versions of the network of AlphaZero: the body consists of convolutions and residual blocks (He,
Zhang, Ren and Sun, "Deep residual learning for image recognition", CVPR 2016), or of layers along the lines of the
board. The networks of reports A and E have other bodies and heads.
"""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.functional import relu
from typing_extensions import override

from ci_envs.agents.alphazero.architecture import LINE_FEATURES, NO_DRAW, Architecture
from ci_envs.agents.alphazero.board_lines import line_means
from ci_envs.games import integer_between
from ci_envs.games.game import Game

_POLICY_CHANNELS, _VALUE_CHANNELS, _DRAW_CHANNELS, _UNITS = 4, 2, 4, 64
_CONVOLUTIONS, _LOST_CELLS = 2, 3  # of an unpadded network: 2 x 2 and 3 x 3 without padding


class ConvNorm(nn.Module):
    """A convolution of 3 x 3 and batch normalisation."""

    def __init__(self, channels_in: int, channels_out: int, *, bias: bool = False) -> None:
        super().__init__()
        self.conv = nn.Conv2d(channels_in, channels_out, 3, padding=1, bias=bias)
        self.norm = nn.BatchNorm2d(channels_out)

    def forward(self, planes: Tensor) -> Tensor:
        """Map float32 (n, in, height, width) to (n, out, height, width)."""
        normed: Tensor = self.norm(self.conv(planes))
        return normed


class Block(nn.Module):
    """A residual block."""

    def __init__(self, channels: int, *, bias: bool = False) -> None:
        super().__init__()
        self.first, self.second = (ConvNorm(channels, channels, bias=bias) for _ in range(2))

    def forward(self, planes: Tensor) -> Tensor:
        """Map float32 (n, channels, height, width) to the same shape."""
        return relu(planes + self.second(relu(self.first(planes))))


class Network(nn.Module):
    """A policy-value network for a game.

    Attributes:
        architecture: the size and layout.
        observation_shape: height, width and channels of the input.
        action_count: the number of actions.
        predicts_draws: whether the network has a draw head. Otherwise its draw probability is almost 0.
    """

    predicts_draws = False

    def __init__(self, game: Game, architecture: Architecture) -> None:
        """Store the architecture and the shapes. A subclass makes the layers."""
        super().__init__()
        self.architecture, self.observation_shape = architecture, game.observation_shape
        self.action_count = game.action_count

    def forward(self, planes: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return logits (n, actions), values (n,) and draw logits (n,) for float32 planes (n, channels, height, width).

        A value, from -1 to 1, is for the player to move. The probability of a draw is the sigmoid of its logit.
        """
        raise NotImplementedError

    def body_matrices(self) -> list[nn.Parameter]:
        """Return the weights of the convolutions and linear maps of the body."""
        return [
            weight
            for name, weight in self.named_parameters()
            if name.startswith(("stem.", "blocks.", "body.")) and weight.ndim > 1
        ]

    def weights(self) -> dict[str, NDArray[np.float32]]:
        """Return copies of the weights by name."""
        return {name: tensor.detach().cpu().numpy().copy() for name, tensor in self.state_dict().items()}


class HeadsNetwork(Network):
    """Our network: three heads, each with a convolution of 1 x 1."""

    predicts_draws = True

    def __init__(self, game: Game, architecture: Architecture) -> None:
        """Make a network with random weights from PyTorch's global random numbers."""
        super().__init__(game, architecture)
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

    @override
    def forward(self, planes: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        for layer in self.stem:
            planes = relu(layer(planes))
        for block in self.blocks:
            planes = block(planes)
        return self.policy(planes), self.value(planes).float().tanh(), self.draw(planes)


class PooledNetwork(Network):
    """A network with convolutions with biases, global average pooling, and a linear layer for each head."""

    def __init__(self, game: Game, architecture: Architecture) -> None:
        """Make a network with random weights from PyTorch's global random numbers."""
        super().__init__(game, architecture)
        channels, planes = architecture.channels, game.observation_shape[2]
        self.stem = nn.ModuleList(
            ConvNorm(planes if i == 0 else channels, channels, bias=True) for i in range(architecture.stem)
        )
        self.blocks = nn.ModuleList(Block(channels, bias=True) for _ in range(architecture.blocks))
        self.policy, self.value = nn.Linear(channels, game.action_count), nn.Linear(channels, 1)

    @override
    def forward(self, planes: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        for layer in self.stem:
            planes = relu(layer(planes))
        for block in self.blocks:
            planes = block(planes)
        features = planes.mean(dim=(2, 3))
        values = self.value(features)[:, 0].float().tanh()
        return self.policy(features), values, torch.full_like(values, NO_DRAW)


class UnpaddedNetwork(Network):
    """A small network for one plane: convolutions without padding and bias, and two linear layers for each head.

    Its input is one plane: 1 for a stone of the player to move, -1 for a stone of the opponent. After the convolutions,
    a board of 6 x 6 has 9 cells x 32 channels. The hidden layers have a quarter and a sixth of these features.
    """

    def __init__(self, game: Game, architecture: Architecture) -> None:
        """Make a network with random weights from PyTorch's global random numbers.

        Raises:
            ValueError: the observation of the game is not one plane per player, the board is too small, or the
                architecture does not have exactly two convolutions.
        """
        super().__init__(game, architecture)
        height, width, planes = game.observation_shape
        if planes != 2:
            raise ValueError(f"an unpadded network needs a plane for each player; {game} has {planes} planes")
        integer_between("stem of an unpadded network", architecture.stem, _CONVOLUTIONS, _CONVOLUTIONS)
        integer_between("blocks of an unpadded network", architecture.blocks, 0, 0)
        integer_between("smaller side of the board", min(height, width), _LOST_CELLS + 1)
        channels = architecture.channels
        self.body = nn.Sequential(
            nn.Conv2d(1, max(1, channels // 2), 2, bias=False),
            nn.LeakyReLU(),
            nn.Conv2d(max(1, channels // 2), channels, 3, bias=False),
            nn.LeakyReLU(),
            nn.Flatten(),
        )
        features = (height - _LOST_CELLS) * (width - _LOST_CELLS) * channels
        self.policy = _linear_head(features, features // 4, game.action_count)
        self.value = _linear_head(features, features // 6, 1)

    @override
    def forward(self, planes: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        features = self.body(planes[:, :1] - planes[:, 1:])
        values = self.value(features)[:, 0].float().tanh()
        return self.policy(features), values, torch.full_like(values, NO_DRAW)


class LineLayer(nn.Module):
    """A layer in which each cell sees the other cells of its lines, and batch normalisation.

    The features of a line are a linear map of the sum of its cells. Zaheer et al., "Deep Sets", NIPS 2017, show that
    such sums are enough for any function of a set. The whole board is a line too: Wu, "Accelerating self-play learning
    in Go", 2019, calls this global pooling.
    """

    def __init__(self, channels_in: int, channels_out: int) -> None:
        super().__init__()
        self.to_lines = nn.Linear(channels_in, channels_out, bias=False)
        self.line_norm = nn.BatchNorm1d(channels_out)
        self.to_cells = nn.Linear(channels_out, channels_out, bias=False)
        self.same_cell = nn.Linear(channels_in, channels_out, bias=False)
        self.cell_norm = nn.BatchNorm1d(channels_out)

    def forward(self, cells: Tensor, means: Tensor) -> Tensor:
        """Map float32 (n, cells, in) to (n, cells, out). ``means`` is the matrix of :func:`line_means`."""
        lines = relu(_normed(self.line_norm, means @ self.to_lines(cells)))
        return _normed(self.cell_norm, self.same_cell(cells) + means.T @ self.to_cells(lines))


class LinesNetwork(Network):
    """A network of layers along the rows, columns and diagonals, with a layer of features for all heads."""

    predicts_draws = True
    means: Tensor

    def __init__(self, game: Game, architecture: Architecture) -> None:
        """Make a network with random weights from PyTorch's global random numbers."""
        super().__init__(game, architecture)
        height, width, planes = game.observation_shape
        channels, features = architecture.channels, LINE_FEATURES * height * width + architecture.channels
        self.register_buffer("means", torch.from_numpy(line_means(height, width)), persistent=False)
        self.stem = nn.ModuleList(LineLayer(planes if i == 0 else channels, channels) for i in range(architecture.stem))
        self.blocks = nn.ModuleList(LineLayer(channels, channels) for _ in range(architecture.blocks))
        self.features = nn.Linear(channels, LINE_FEATURES, bias=False)
        self.feature_norm = nn.BatchNorm1d(LINE_FEATURES)
        self.policy = nn.Linear(features, game.action_count)
        self.outcome = nn.Sequential(nn.Linear(features, _UNITS), nn.ReLU(), nn.Linear(_UNITS, 2))

    @override
    def forward(self, planes: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        cells = planes.flatten(2).transpose(1, 2)
        for layer in self.stem:
            cells = relu(layer(cells, self.means))
        for block in self.blocks:
            cells = relu(cells + block(cells, self.means))
        few = relu(_normed(self.feature_norm, self.features(cells))).flatten(1)
        features = torch.cat([few, cells.mean(dim=1)], dim=1)
        value, draw = self.outcome(features).unbind(dim=1)
        return self.policy(features), value.float().tanh(), draw


_NETWORKS = {"heads": HeadsNetwork, "pooled": PooledNetwork, "unpadded": UnpaddedNetwork, "lines": LinesNetwork}
"""The classes of networks by layout."""


def _normed(norm: nn.BatchNorm1d, features: Tensor) -> Tensor:
    """Normalise float32 (n, m, channels) over the first two dimensions."""
    normed: Tensor = norm(features.flatten(0, 1)).view(features.shape)
    return normed


def _linear_head(features: int, units: int, outputs: int) -> nn.Sequential:
    return nn.Sequential(nn.Linear(features, units), nn.LeakyReLU(), nn.Linear(units, outputs))


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


def new_network(game: Game, architecture: Architecture, seed: int = 0) -> Network:
    """Return a network whose random weights depend only on the seed. PyTorch's global random numbers do not change."""
    with torch.random.fork_rng(devices=()):
        torch.manual_seed(seed)
        return _NETWORKS[architecture.layout](game, architecture)
