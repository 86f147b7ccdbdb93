"""Run test files a few at a time, each few in a new process with the imports of this one.

The compiled code of all tests together takes gigabytes of memory, so one process cannot run them all. The imports of
each process would take seconds. The files that take long begin, so that the last processes end at about the same time.
"""

import gc
import os
import sys
from importlib import import_module
from multiprocessing import connection, get_context
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from conftest import is_extended

PROCESSES = 3  # on two processors, because many tests wait for servers and other processes
FILES = 2  # of a process
MODULES = (
    "anyio.pytest_plugin",
    "ci_envs.agents.alphazero.training",
    "ci_envs.cli.main",
    "ci_envs.environments",
    "ci_envs.web.page",
    "cma",
    "hypothesis",
    "matplotlib.figure",
    "pettingzoo.test",
    "playwright.sync_api",
    "sb3_contrib",
    "schemathesis.pytest.plugin",
    "schemathesis.pytest.xdist",
    "scipy.stats",
    "torch._dynamo",
)


def run(files, output):
    descriptor = os.open(output, os.O_WRONLY | os.O_CREAT)
    os.dup2(descriptor, sys.stdout.fileno())
    os.dup2(descriptor, sys.stderr.fileno())
    # the plugins that the tests use themselves contain no assertion
    sys.exit(pytest.main(["-W", "ignore:Module already imported:pytest.PytestAssertRewriteWarning", *files]))


def main(folder):
    """Run all files, print the output of each process when it ends, and return 1 if a test failed."""
    paths = sorted(
        Path(__file__).parent.glob("test_*.py"), key=lambda path: (not is_extended(path), -path.stat().st_size)
    )
    waiting = [[str(path) for path in paths[first : first + FILES]] for first in range(0, len(paths), FILES)]
    running, failed = {}, False
    for module in MODULES:
        import_module(module)
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)  # compilation makes many objects that stay
    while waiting or running:
        while waiting and len(running) < PROCESSES:
            output = folder / str(len(waiting))
            process = get_context("fork").Process(target=run, args=(waiting.pop(0), output))
            process.start()
            running[process.sentinel] = process, output
        for sentinel in connection.wait(running):
            process, output = running.pop(sentinel)
            process.join()
            print(output.read_text(errors="replace"), flush=True)
            failed |= process.exitcode != 0
    return int(failed)


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        sys.exit(main(Path(folder)))
