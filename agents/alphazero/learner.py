"""Gradient descent on the samples of self-play: cross-entropy of policy and draws, squared error of the value."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.random import Generator
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits, mse_loss

from ci_envs.agents.alphazero.architecture import ADAMW, CROSS_ENTROPY, FLOATS, MUON, SHORT_FLOATS
from ci_envs.agents.alphazero.muon import Muon
from ci_envs.agents.alphazero.network import Network
from ci_envs.agents.alphazero.replay import Replay, TrainingBatch
from ci_envs.storage.named_parts import numbered_parts, part_of, with_part


class Loss(NamedTuple):
    """Mean losses over the steps of one iteration.

    Attributes:
        policy: Kullback-Leibler divergence of the network's policy from the search's, in nats.
        value: squared error of the value.
        draw: cross-entropy of the probability of a draw, in nats.
    """

    policy: float
    value: float
    draw: float


class Learner:
    """A network and its optimizers: AdamW (Loshchilov and Hutter 2019) and Muon.

    Attributes:
        network: the network that learns.
    """

    def __init__(
        self,
        network: Network,
        weight_decay: float,
        device: str = "cpu",
        precision: str = FLOATS,
        optimizer: str = MUON,
        value_loss: str = CROSS_ENTROPY,
    ) -> None:
        """Make the optimizers.

        Args:
            network: the network that learns. It is moved to the device.
            weight_decay: the weight decay.
            device: a device of PyTorch.
            precision: one of :data:`~ci_envs.agents.alphazero.architecture.LEARNING_PRECISIONS`.
            optimizer: one of :data:`~ci_envs.agents.alphazero.architecture.OPTIMIZERS`.
            value_loss: one of :data:`~ci_envs.agents.alphazero.architecture.VALUE_LOSSES`.
        """
        self.network: Network = network.to(device, memory_format=torch.channels_last)  # type: ignore[call-overload]
        matrices = network.body_matrices() if optimizer == MUON else []
        others = [weight for weight in network.parameters() if all(weight is not matrix for matrix in matrices)]
        self._optimizers: dict[str, torch.optim.Optimizer] = {
            ADAMW: torch.optim.AdamW(others, weight_decay=weight_decay)
        }
        if matrices:
            self._optimizers[MUON] = Muon(matrices, weight_decay=weight_decay)
        self._device, self._is_short = torch.device(device), precision == SHORT_FLOATS
        self._has_cross_entropy = value_loss == CROSS_ENTROPY

    def learn(
        self,
        replay: Replay,
        steps: int,
        batch: int,
        learning_rate: float,
        rng: Generator,
        *,
        symmetries: bool = True,
        latest: bool = False,
    ) -> Loss:
        """Take steps of gradient descent.

        Args:
            replay: the samples.
            steps: number of steps.
            batch: samples in each step.
            learning_rate: the learning rate of all steps.
            rng: draws the samples and their symmetries.
            symmetries: whether samples are replaced by random symmetric ones.
            latest: whether each step uses the samples that were added last, and the sum of their losses instead of the
                mean.

        Raises:
            FloatingPointError: the loss or a weight is not finite, so the weights are useless.
        """
        for optimizer in self._optimizers.values():
            for group in optimizer.param_groups:
                group["lr"] = learning_rate
        self.network.train()
        sums = np.zeros(3)
        for _ in range(steps):
            loss, losses = self._losses(replay.batch(batch, rng, symmetries=symmetries, latest=latest))
            self.network.zero_grad(set_to_none=True)
            (loss * (batch if latest else 1)).backward()  # type: ignore[no-untyped-call]
            for optimizer in self._optimizers.values():
                optimizer.step()
            parts = losses.detach().cpu().numpy()
            if not np.isfinite(parts).all():
                raise _diverged(f"the loss is {' + '.join(map(str, parts.tolist()))}", learning_rate)
            sums += parts
        if not all(tensor.isfinite().all() for tensor in self.network.state_dict().values()):
            raise _diverged("a weight is not finite", learning_rate)
        return Loss(*(sums / max(1, steps)).tolist())

    def state(self) -> dict[str, Tensor]:
        """Return copies of the weights and of the optimizers' moments, by name."""
        tensors = with_part("network", self.network.state_dict())
        for name, optimizer in self._optimizers.items():
            for number, moments in optimizer.state_dict()["state"].items():
                tensors |= with_part(f"{name}.{number}", moments)
        return {name: tensor.detach().clone() for name, tensor in tensors.items()}

    def restore(self, tensors: Mapping[str, Tensor]) -> None:
        """Continue from a state that :meth:`state` returned. Tensors with other names are ignored.

        Raises:
            RuntimeError: the state does not fit the network.
        """
        self.network.load_state_dict(part_of(tensors, "network"))
        for name, optimizer in self._optimizers.items():
            optimizer.load_state_dict({**optimizer.state_dict(), "state": numbered_parts(tensors, name)})

    def _losses(self, batch: TrainingBatch) -> tuple[Tensor, Tensor]:
        """Return the loss, and the terms of :class:`Loss`, float32 (3,)."""
        planes, masks, policies, values, drawn = (self._tensor(array) for array in batch)
        with torch.autocast(self._device.type, torch.bfloat16, enabled=self._is_short):
            outputs = self.network(planes.permute(0, 3, 1, 2).float())
        logits, predicted_values, draws = (output.float() for output in outputs)
        logs = logits.masked_fill(masks == 0, -1e9).log_softmax(dim=1)
        # the cross-entropy minus the constant entropy of the search's policy: 0 if the network agrees with the search
        divergence = (policies * (policies.clamp(min=1e-12).log() - logs)).sum(dim=1)
        draw_loss = binary_cross_entropy_with_logits(draws, drawn)
        if not self.network.predicts_draws:
            draw_loss = torch.zeros_like(draw_loss)
        error = mse_loss(predicted_values, values)
        value_loss = _cross_entropy(predicted_values, values) if self._has_cross_entropy else error
        return divergence.mean() + value_loss + draw_loss, torch.stack([divergence.mean(), error, draw_loss])

    def _tensor(self, array: NDArray[Any]) -> Tensor:
        return torch.from_numpy(array).to(self._device)


def _cross_entropy(predicted: Tensor, values: Tensor) -> Tensor:
    """Return the cross-entropy of the share of the points, (1 + value) / 2, in units of half a nat.

    With this unit, its gradient at the value 0 is that of the squared error. But it does not vanish where the network
    is sure and wrong.
    """
    least = torch.finfo(predicted.dtype).tiny
    won, lost = ((1 + sign * predicted).div(2).clamp(min=least).log() * (1 + sign * values) for sign in (1, -1))
    return -(won + lost).mean()


def _diverged(reason: str, learning_rate: float) -> FloatingPointError:
    return FloatingPointError(f"{reason}: the training diverged at a learning rate of {learning_rate:g}")
