"""Devices and threads of PyTorch."""

from collections.abc import Iterator
from contextlib import contextmanager

from ci_envs.extras import optional_import


def device_named(name: str | None) -> str:
    """Return the name of a device. None becomes ``cuda`` if it is available, else ``cpu``.

    Raises:
        ValueError: PyTorch cannot use this device.
        ImportError: PyTorch is not installed.
    """
    with optional_import("device" if name is None else f"device={name!r}", "torch"):
        import torch
    if name is None:
        return "cuda" if torch.cuda.is_available() else "cpu"
    try:
        torch.zeros(1, device=name).cpu()  # the device meta has no numbers
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        reason = str(error).partition("\n")[0]
        raise ValueError(f"PyTorch cannot use device={name!r}: {reason}") from None
    return name


@contextmanager
def torch_threads(count: int) -> Iterator[None]:
    """Let PyTorch use ``count`` threads in the ``with`` block. The setting applies to the whole process."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)
