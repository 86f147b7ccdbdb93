"""The global random number generators of Python, NumPy and PyTorch, which some libraries seed."""

import random
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np


@contextmanager
def restored_generators() -> Iterator[None]:
    """Restore the states of the global generators at the end of the ``with`` block, also after an error.

    Generators of PyTorch are included if PyTorch was imported before.
    """
    python, numpy = random.getstate(), np.random.get_state()  # noqa: NPY002 - libraries use this generator
    torch = sys.modules.get("torch")
    cpu = None if torch is None else torch.get_rng_state()
    gpus = torch.cuda.get_rng_state_all() if torch is not None and torch.cuda.is_initialized() else None
    try:
        yield
    finally:
        random.setstate(python)
        np.random.set_state(numpy)  # noqa: NPY002
        if torch is not None:
            torch.set_rng_state(cpu)
        if torch is not None and gpus is not None:
            torch.cuda.set_rng_state_all(gpus)
