"""Inference by ONNX Runtime on a CPU. This module does not import PyTorch."""

import os

import numpy as np
from numpy.typing import NDArray

from ci_envs.agents.alphazero.search import NetworkOutput

# without it, the import of ONNX Runtime writes an identifier of the machine to the home directory and sends statistics
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
import onnxruntime as ort


def new_session(model: bytes) -> ort.InferenceSession:
    """Return a session for a model, which computes in the thread of the caller."""
    options = ort.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    return ort.InferenceSession(model, options, providers=["CPUExecutionProvider"])


class OnnxInference:
    """An :data:`~ci_envs.agents.alphazero.search.Evaluate` that uses ONNX Runtime.

    The model comes from :func:`~ci_envs.agents.alphazero.onnx_graph.onnx_model`. Objects can be copied and pickled.
    """

    def __init__(self, model: bytes) -> None:
        self._model, self._session = model, new_session(model)

    def __reduce__(self) -> tuple[type["OnnxInference"], tuple[bytes]]:
        return OnnxInference, (self._model,)

    def __call__(self, planes: NDArray[np.int8]) -> NetworkOutput:
        """Return logits, values and draw probabilities for planes, int8 of shape (n, height, width, channels)."""
        logits, values, draws = self._session.run(None, {"planes": planes})
        return logits, values, draws
