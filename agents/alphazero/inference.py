"""Inference: the outputs of a network, by ONNX Runtime on a CPU and by PyTorch on any other device.

On a CPU, ONNX Runtime takes a tenth of PyTorch's time for one position, and two thirds of it for a hundred positions.
"""

import copy
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from threading import Lock

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from ci_envs.agents.alphazero.network import Network
from ci_envs.agents.alphazero.onnx_graph import onnx_model
from ci_envs.agents.alphazero.onnx_inference import OnnxInference
from ci_envs.agents.alphazero.quantization import activation_ranges
from ci_envs.agents.alphazero.search import Evaluate, NetworkOutput
from ci_envs.games.game import Game

_BATCH = 2048

_Module = Callable[[Tensor], tuple[Tensor, ...]]


def inference(network: Network, device: str = "cpu", *, leaves: int = _BATCH, game: Game | None = None) -> Evaluate:
    """Return a function that evaluates a copy of the network, for several threads.

    On a CPU it uses the caller's thread only. Another device evaluates the leaves of all waiting threads together.

    Args:
        network: the network.
        device: a device of PyTorch.
        leaves: the largest number of leaves that can wait, on any device but a CPU.
        game: the game of the network, for which a CPU computes the convolutions with integers
            (:mod:`~ci_envs.agents.alphazero.quantization`). None computes with float32.
    """
    if torch.device(device).type == "cpu":
        return OnnxInference(onnx_model(network, () if game is None else activation_ranges(network, game)))
    return SharedInference(TorchInference(network, device, min(leaves, _BATCH)))


class _InferenceModule(nn.Module):
    """A network with observation planes of the games as input, whose third output is a probability."""

    def __init__(self, network: Network) -> None:
        super().__init__()
        self.network = network

    def forward(self, planes: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        logits, values, draws = self.network(planes.permute(0, 3, 1, 2).float())
        return logits, values, draws.sigmoid()


class TorchInference:
    """An :data:`~ci_envs.agents.alphazero.search.Evaluate` that uses PyTorch, in batches of one size.

    With one size, the outputs for a position do not depend on the other positions: for other sizes, libraries choose
    other kernels, which round differently. They also prepare each new size, which takes longer than a batch.
    """

    def __init__(self, network: Network, device: str, batch: int = _BATCH) -> None:
        """Copy the network to the device.

        Args:
            network: the network.
            device: a device of PyTorch.
            batch: the size of all batches.
        """
        self._device, self._batch = torch.device(device), batch
        module: _Module = _frozen(network).to(self._device, memory_format=torch.channels_last)  # type: ignore[call-overload]
        if self._device.type == "cuda":
            planes = torch.zeros((batch, *network.observation_shape), dtype=torch.int8, device=self._device)
            module = _recorded(module, planes)
        self._module = module

    @torch.inference_mode()
    def __call__(self, planes: NDArray[np.int8]) -> NetworkOutput:
        """Return logits, values and draw probabilities for planes, int8 of shape (n, height, width, channels)."""
        count = len(planes)
        padded = np.zeros((-(-count // self._batch) * self._batch, *planes.shape[1:]), np.int8)
        padded[:count] = planes
        batches = torch.split(torch.from_numpy(padded).to(self._device), self._batch)
        outputs = zip(*(self._module(batch) for batch in batches), strict=True)
        logits, values, draws = (torch.cat(parts)[:count].cpu().numpy() for parts in outputs)
        return logits, values, draws


class SharedInference:
    """An :data:`~ci_envs.agents.alphazero.search.Evaluate` for several threads, which joins their leaves.

    While one thread uses the device, the others add their leaves to a queue. The next thread evaluates all of them.
    """

    def __init__(self, evaluate: Evaluate) -> None:
        """Make an empty queue.

        Args:
            evaluate: evaluates the leaves of all waiting threads. Its outputs for a position must not depend on the
                other positions.
        """
        self._evaluate = evaluate
        self._waiting: deque[tuple[NDArray[np.int8], Future[NetworkOutput]]] = deque()
        self._device_in_use = Lock()

    def __call__(self, planes: NDArray[np.int8]) -> NetworkOutput:
        """Return logits, values and draw probabilities for planes, int8 of shape (n, height, width, channels)."""
        answer: Future[NetworkOutput] = Future()
        self._waiting.append((planes, answer))
        with self._device_in_use:
            if not answer.done():
                self._answer_all()
        return answer.result()

    def _answer_all(self) -> None:
        """Evaluate all leaves in the queue. Only the thread that uses the device removes leaves from the queue."""
        planes, answers = zip(*(self._waiting.popleft() for _ in range(len(self._waiting))), strict=True)
        try:
            outputs = self._evaluate(np.concatenate(planes))
        except Exception as error:
            for answer in answers:
                answer.set_exception(error)
            return
        ends = np.cumsum([len(part) for part in planes])[:-1]
        for answer, *parts in zip(answers, *(np.split(output, ends) for output in outputs), strict=True):
            answer.set_result(tuple(parts))


def _recorded(module: _Module, planes: Tensor) -> _Module:
    """Return a function with the outputs of a module for planes of one size, which starts all its kernels in one call.

    This is a CUDA graph: https://docs.pytorch.org/docs/stable/notes/cuda.html#cuda-graphs
    """
    with torch.inference_mode(), torch.cuda.device(planes.device):
        stream, graph = torch.cuda.Stream(), torch.cuda.CUDAGraph()  # type: ignore[no-untyped-call]
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            for _ in range(3):  # before a recording, libraries need some calls to choose kernels and allocate memory
                module(planes)
        torch.cuda.current_stream().wait_stream(stream)
        with torch.cuda.graph(graph):
            outputs = module(planes)

    def replay(batch: Tensor) -> tuple[Tensor, ...]:
        planes.copy_(batch)
        graph.replay()
        return tuple(output.clone() for output in outputs)

    return replay


def _frozen(network: Network) -> _InferenceModule:
    return _InferenceModule(copy.deepcopy(network)).eval().requires_grad_(False)
