"""Learning from what self-play found: cross-entropy of policy and draws, squared error of the value, weight decay."""

from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.random import Generator
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits, mse_loss

from ci_envs.agents.alphazero.network import Network
from ci_envs.agents.alphazero.replay import Lessons, Replay


class Loss(NamedTuple):
    """Means over the steps of one round of learning.

    Attributes:
        policy: cross-entropy of the search's policy and the network's, less the entropy of the search's, in nats.
        value: squared error of the value.
        draw: cross-entropy of whether the game was drawn, in nats.
    """

    policy: float
    value: float
    draw: float


class Learner:
    """A network and its optimizer, AdamW (Loshchilov and Hutter 2019).

    Attributes:
        network: what learns.
        optimizer: of its weights.
    """

    def __init__(self, network: Network, weight_decay: float, device: str = "cpu") -> None:
        self.network = network.to(device, memory_format=torch.channels_last)  # type: ignore[call-overload]
        self.optimizer = torch.optim.AdamW(network.parameters(), lr=1e-3, weight_decay=weight_decay)
        self._device = torch.device(device)

    def learn(
        self, replay: Replay, steps: int, batch: int, learning_rate: float, rng: Generator, *, symmetries: bool = True
    ) -> Loss:
        """Take so many steps.

        Raises:
            FloatingPointError: the loss is not a number; the weights are then of no use.
        """
        for group in self.optimizer.param_groups:
            group["lr"] = learning_rate
        self.network.train()
        sums = np.zeros(3)
        for _ in range(steps):
            losses = self._losses(replay.batch(batch, rng, symmetries=symmetries))
            self.optimizer.zero_grad(set_to_none=True)
            losses.sum().backward()  # type: ignore[no-untyped-call]
            self.optimizer.step()
            parts = losses.detach().cpu().numpy()
            if not np.isfinite(parts).all():
                raise FloatingPointError(f"the loss is {' + '.join(map(str, parts.tolist()))}")
            sums += parts
        return Loss(*(sums / max(1, steps)).tolist())

    def _losses(self, lessons: Lessons) -> Tensor:
        """The terms of the loss, float32 (3,), as in :class:`Loss`."""
        inputs, allowed, wanted, worth, drawn = (self._tensor(array) for array in lessons)
        logits, guesses, draws = self.network(inputs.permute(0, 3, 1, 2).float())
        logs = logits.masked_fill(allowed == 0, -1e9).log_softmax(dim=1)
        # of a constant, the search's entropy, the loss is free: what is left is 0 where the network agrees
        divergence = (wanted * (wanted.clamp(min=1e-12).log() - logs)).sum(dim=1)
        draw_loss = binary_cross_entropy_with_logits(draws, drawn)
        return torch.stack([divergence.mean(), mse_loss(guesses, worth), draw_loss])

    def _tensor(self, array: NDArray[Any]) -> Tensor:
        return torch.from_numpy(array).to(self._device)
