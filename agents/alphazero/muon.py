"""Muon, an optimizer of matrices: Jordan, "Muon: An optimizer for hidden layers in neural networks", 2024.

A step is the momentum of the gradient with all its singular values replaced by about 1. The length of the step is that
of AdamW's steps, so that both can have the same learning rate and weight decay: Liu et al., "Muon is scalable for LLM
training", 2025.
"""

from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor
from typing_extensions import override

_MOMENTUM = 0.95
_COEFFICIENTS = 3.4445, -4.7750, 2.0315  # of x, x^3 and x^5: Jordan's polynomial, five times, maps 0.01 to 1 near 1
_ITERATIONS = 5
_STEP_SIZE = 0.2  # the root mean square of AdamW's steps


class Muon(torch.optim.Optimizer):
    """Muon with Nesterov momentum and decoupled weight decay, for weights of any shape with outputs as first dimension.

    ``torch.optim.Muon`` takes no convolutions, and computes with bfloat16, which takes 8 to 24 times as long on
    processors without such numbers.
    """

    def __init__(self, weights: Iterable[Tensor], lr: float = 1e-3, weight_decay: float = 0.0) -> None:
        """Store the weights and the options."""
        super().__init__(weights, {"lr": lr, "weight_decay": weight_decay})

    @override
    @torch.no_grad()
    def step(self, closure: Any = None) -> None:  # type: ignore[override]
        """Take a step. Each weight must have a gradient."""
        for group in self.param_groups:
            for weight in group["params"]:
                if not self.state[weight]:
                    self.state[weight]["momentum"] = torch.zeros_like(weight)
                momentum = self.state[weight]["momentum"].lerp_(weight.grad, 1 - _MOMENTUM)
                step = orthogonal(weight.grad.lerp(momentum, _MOMENTUM).flatten(1))
                weight.mul_(1 - group["lr"] * group["weight_decay"])
                weight.add_(step.view(weight.shape), alpha=-group["lr"] * _STEP_SIZE * max(step.shape) ** 0.5)


def orthogonal(matrix: Tensor) -> Tensor:
    """Return a matrix with the same singular vectors, whose singular values are about 1, by Newton-Schulz iteration.

    They are between 0.65 and 1.25, except those that are below a hundredth of the root of the sum of their squares.
    """
    linear, cubic, quintic = _COEFFICIENTS
    wide: Tensor = matrix / (matrix.norm() + 1e-7)
    is_tall = len(wide) > wide.shape[1]
    if is_tall:
        wide = wide.T
    gram = wide @ wide.T
    factors = identity = torch.eye(len(wide), dtype=wide.dtype, device=wide.device)
    for _ in range(_ITERATIONS):  # on the smaller matrix, which takes a third of the time
        factor = torch.addmm(linear * identity + cubic * gram, gram, gram, alpha=quintic)
        factors, gram = factor @ factors, factor @ gram @ factor
    wide = factors @ wide
    return wide.T if is_tall else wide
