"""The second process that compiles for a comparison."""

import os
import subprocess
from contextlib import suppress

import numba
import pytest
from click.testing import CliRunner
from serving import wait_until

from ci_envs.arena.second_process import compiled_by_two_processes
from ci_envs.cli.main import main


@pytest.fixture(autouse=True)
def idle(monkeypatch):
    monkeypatch.setattr(os, "getloadavg", lambda: (0.0, 0.0, 0.0))
    monkeypatch.setattr(os, "cpu_count", lambda: 2)


@pytest.fixture
def started(monkeypatch):
    """The processes that are started, with their arguments."""
    started = []

    class RecordedProcess(subprocess.Popen):
        def __init__(self, *args, **options):
            started.append(self)
            super().__init__(*args, **options)

    monkeypatch.setattr(subprocess, "Popen", RecordedProcess)
    return started


def compile_something():
    numba.njit(lambda: 1)()


def arguments(process):
    return process.args[process.args.index("ci_envs.arena.second_process") + 1 :]


def test_it_starts_with_the_first_compilation_and_ends_with_the_block(started):
    agents = ["random", "mine.py:act", "process:./player", "minimax:depth=1", "sb3:model.zip,trust=true"]
    with compiled_by_two_processes("Nim-v0:heaps=3,4", agents):
        assert not started
        compile_something()
        compile_something()
        [process] = started
        assert arguments(process) == ["Nim-v0:heaps=3,4", "minimax:depth=1", "random"]  # no agent of a user
        assert process.poll() is None
    assert process.poll() is not None
    compile_something()
    assert len(started) == 1


def test_it_ends_if_the_comparison_fails(started):
    with suppress(KeyboardInterrupt), compiled_by_two_processes("Nim-v0:heaps=3,4", ["random"]):
        compile_something()
        raise KeyboardInterrupt
    assert started[0].poll() is not None


@pytest.mark.parametrize(("load", "processors"), [(1.6, 2), (0.0, 1), (0.0, None), (8.0, 8)])
def test_it_does_not_start_without_a_free_processor(started, monkeypatch, load, processors):
    monkeypatch.setattr(os, "getloadavg", lambda: (load, 0.0, 0.0))
    monkeypatch.setattr(os, "cpu_count", lambda: processors)
    with compiled_by_two_processes("Nim-v0", ["random"]):
        compile_something()
    assert not started


def test_a_comparison_goes_on_if_it_cannot_start(monkeypatch):
    class RefusedProcess(subprocess.Popen):
        def __init__(self, *args, **options):
            raise BlockingIOError(11, "Resource temporarily unavailable")

        def __del__(self):
            pass

    monkeypatch.setattr(subprocess, "Popen", RefusedProcess)
    with compiled_by_two_processes("Nim-v0", ["random"]):
        compile_something()


def test_a_comparison_whose_code_is_on_the_disk_starts_none(started):
    command = ["compare", "Nim-v0:heaps=3,4", "random", "minimax:depth=1", "--games", "2"]
    first, second = CliRunner().invoke(main, command), CliRunner().invoke(main, command)
    assert first.exit_code == second.exit_code == 0
    assert len(started) <= 1  # of the first one, with an empty cache
    numbers = len(started)
    assert CliRunner().invoke(main, command).exit_code == 0
    assert len(started) == numbers


@pytest.mark.parametrize(("environment", "status"), [("Nim-v0:heaps=3,4", 0), ("Chess-v0", 1)])
def test_it_prints_nothing(started, capfd, environment, status):
    """Its failure is that of the comparison, which reports it."""
    with compiled_by_two_processes(environment, ["random", "minimax:depth=1"]):
        compile_something()
        wait_until(lambda: started[0].poll() is not None, 60)
    assert started[0].returncode == status
    assert capfd.readouterr() == ("", "")
