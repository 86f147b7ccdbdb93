"""Inference: the outputs of a network, by ONNX Runtime on a CPU and by PyTorch on any other device.

On a CPU, ONNX Runtime takes a tenth of PyTorch's time for one position, and two thirds of it for a hundred positions.
"""

import copy

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from ci_envs.agents.alphazero.network import Network
from ci_envs.agents.alphazero.onnx_graph import onnx_model
from ci_envs.agents.alphazero.onnx_inference import OnnxInference
from ci_envs.agents.alphazero.search import Evaluate, NetworkOutput


def inference(network: Network, device: str = "cpu") -> Evaluate:
    """Return a function that evaluates a copy of the network. On a CPU it uses the caller's thread only."""
    if torch.device(device).type == "cpu":
        return OnnxInference(onnx_model(network))
    return TorchInference(network, device)


class _InferenceModule(nn.Module):
    """A network with observation planes of the games as input, whose third output is a probability."""

    def __init__(self, network: Network) -> None:
        super().__init__()
        self.network = network

    def forward(self, planes: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        logits, values, draws = self.network(planes.permute(0, 3, 1, 2).float())
        return logits, values, draws.sigmoid()


class TorchInference:
    """An :data:`~ci_envs.agents.alphazero.search.Evaluate` that uses PyTorch."""

    def __init__(self, network: Network, device: str) -> None:
        self._device = torch.device(device)
        self._module = _frozen(network).to(self._device, memory_format=torch.channels_last)  # type: ignore[call-overload]

    @torch.inference_mode()
    def __call__(self, planes: NDArray[np.int8]) -> NetworkOutput:
        """Return logits, values and draw probabilities for planes, int8 of shape (n, height, width, channels)."""
        logits, values, draws = self._module(torch.from_numpy(planes).to(self._device))
        return logits.cpu().numpy(), values.cpu().numpy(), draws.cpu().numpy()


def _frozen(network: Network) -> _InferenceModule:
    return _InferenceModule(copy.deepcopy(network)).eval().requires_grad_(False)
