"""Fixtures and settings for all tests."""

import os
import signal

import pytest

os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # waiting threads of PyTorch do not occupy the processor
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell starts background jobs with SIGINT ignored

ENVIRONMENTS = (
    "Quixo-v0",
    "Quixo-v0:size=2",
    "Quixo-v0:size=7,max_cycles=30",
    "TicTacToe-v0",
    "ConnectN-v0",
    "ConnectN-v0:rows=8,cols=8,n=5",
    "ConnectFour-v0",
    "ConnectFour-v0:rows=4,cols=5,n=3",
    "Nim-v0",
    "Nim-v0:heaps=3,4,5,max_take=2,misere=true",
    "Nim-v0:heaps=7",
    "Quarto-v0",
    "Quarto-v0:squares=true",
)


@pytest.fixture(autouse=True)
def _quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    """PettingZoo prints its warnings. Tests of warnings read PettingZoo's queue."""
    from pettingzoo.utils.env_logger import EnvLogger

    monkeypatch.setattr(EnvLogger, "_output", False)
    EnvLogger.flush()
