"""Fixtures and settings for all tests."""

import ctypes
import gc
import os
import signal
import sys
from contextlib import suppress

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

EXTENDED = {
    "agent_tables",
    "alphazero_integers",
    "alphazero_learning",
    "alphazero_training",
    "check_game",
    "child_processes",
    "cluster",
    "compiled",
    "examples",
    "names",
    "new_game",
    "opening_book",
    "opponent_errors",
    "packaging",
    "page",
    "quarto_ga",
    "quarto_solver",
    "quixo_included",
    "quixo_store",
    "quixo_sweepers",
    "readme",
    "report_alphazero",
    "report_b",
    "report_b5",
    "report_optimisation",
    "report_quixo_search",
    "reports",
    "strength",
    "terminals",
    "training",
    "typing",
    "web_attacks",
    "web_workers",
}
"""The files whose tests all have the mark ``extended``, because the file takes long."""


def is_extended(path):
    return path.stem.removeprefix("test_") in EXTENDED


def pytest_ignore_collect(collection_path, config):
    """Do not import files without a test for ``make test-quick``."""
    return True if "not extended" in config.option.markexpr and is_extended(collection_path) else None


def pytest_collection_modifyitems(items):
    for item in items:
        if is_extended(item.path):
            item.add_marker("extended")


@pytest.fixture(scope="module", autouse=True)
def _free_memory(request):
    """Free the memory of a module's tests, because a worker runs many modules."""
    yield
    free_memory(request.module.__name__)


def free_memory(*modules):
    """Clear the caches of modules, of the oracles and of large tables."""
    large = "ci_envs.solver.quixo_ranking", "ci_envs.solver.quixo_included", "ci_envs.agents.search.tables"
    oracles = [name for name in sys.modules if name.startswith("oracles.")]
    for name in (*modules, *oracles, *large):
        for value in vars(sys.modules.get(name)).values() if name in sys.modules else ():
            if getattr(value, "__module__", None) == name and hasattr(value, "cache_clear"):
                value.cache_clear()
    gc.collect()
    with suppress(OSError, AttributeError):  # only the C library of GNU returns free memory on request
        ctypes.CDLL(None).malloc_trim(0)


@pytest.fixture(autouse=True)
def _quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    """PettingZoo prints its warnings. Tests of warnings read PettingZoo's queue."""
    from pettingzoo.utils.env_logger import EnvLogger

    monkeypatch.setattr(EnvLogger, "_output", False)
    EnvLogger.flush()
