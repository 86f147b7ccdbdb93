"""Kill training runs at random times and resume them: ``python -m experiments.kill_training q_learning``.

For each learner, one reference run is not killed. All other runs are killed once (SIGKILL), some of them before their
first checkpoint, and resumed. If the training is deterministic, the best agent must be equal to the reference byte for
byte. The learning curve must also be equal, except for columns with times. If the training is not deterministic, the
resumed run must finish.

The reference run is made in this process. The others are separate processes, forked from a server that has imported the
packages they need. The server hashes strings with another seed, which detects learners that depend on the order of a
set.
"""

import csv
import json
import os
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from threading import Thread

import click
import numpy as np
from rich.console import Console
from rich.table import Table

from ci_envs.cli.main import main as ci_envs
from ci_envs.training.folder import CHECKPOINT, CONFIG, CURVE
from ci_envs.training.learners import trainer_of


@dataclass(frozen=True)
class Case:
    """A short run of a learner.

    Attributes:
        arguments: the arguments of ``ci-envs train``, without the folder.
        deterministic: whether a resumed run ends with the same bytes.
    """

    arguments: tuple[str, ...]
    deterministic: bool = True


_QUICK = ("--set", "ladder=random", "--set", "ladder_games=2", "--set", "checkpoint_seconds=0.2")

CASES = {
    "q_learning": Case(("q_learning", "TicTacToe-v0", "--episodes", "2000000", *_QUICK)),
    "evolution_strategy": Case(("evolution_strategy", "TicTacToe-v0", "--generations", "100", *_QUICK)),
    "neat": Case(
        ("neat:population=40,games=4,opponents=random", "TicTacToe-v0", "--generations", "60", *_QUICK),
    ),
    "nim_evolved": Case(("nim_evolved", "Nim-v0", "--generations", "60", *_QUICK)),
    "nim_ga": Case(("nim_ga", "Nim-v0", "--generations", "100", *_QUICK)),
    "monte_carlo": Case(("monte_carlo:symmetries=true", "TicTacToe-v0", "--episodes", "1000000", *_QUICK)),
    "alphazero": Case(("alphazero:games=16,simulations=4", "TicTacToe-v0", "--iterations", "20", *_QUICK)),
    "sb3": Case(
        (
            *("sb3:maskable_ppo,opponents=pool+random,boards=16,n_steps=16,batch_size=128", "TicTacToe-v0"),
            *("--steps", "40000", *_QUICK),
        ),
        deterministic=False,
    ),
}
"""A run of each learner that takes a few seconds."""

_SERVER = get_context("forkserver")
_IMPORTED = (
    "choix",
    "cma",
    "neat",
    "scipy.optimize",
    "tensorboard.summary.writer.event_file_writer",
    "torch._dynamo",
    "onnx",
    "onnxruntime",
    "sb3_contrib",
    "ci_envs.arena.match",
    "ci_envs.training.learners",
)
"""The modules that the server of processes imports: they are slow to load and start no threads."""


@click.command()
@click.argument("learners", nargs=-1, type=click.Choice([*CASES]))
@click.option("--kills", default=20, show_default=True, help="Number of killed runs per learner.")
@click.option("--early", default=5, show_default=True, help="Number of kills before the first checkpoint.")
@click.option("--seed", default=0, show_default=True, help="Seed of the times of the kills.")
def main(learners: tuple[str, ...], kills: int, early: int, seed: int) -> None:
    """Kill and resume runs of LEARNERS (default: all), and print the number of correct results."""
    rng, failures = np.random.default_rng(seed), 0
    table = Table("learner", "kills", "before the first checkpoint", "ended well")
    for learner in learners or CASES:
        with tempfile.TemporaryDirectory() as folder:
            same = check_kills(CASES[learner], Path(folder), [True] * early + [False] * (kills - early), rng)
        failures += len(same) - sum(same)
        table.add_row(learner, str(kills), str(early), f"{sum(same)} of {len(same)}")
    Console().print(table)
    sys.exit(1 if failures else 0)


def check_kills(case: Case, folder: Path, early: Sequence[bool], rng: np.random.Generator) -> list[bool]:
    """Kill and resume one run for each element of ``early``, and return whether each of them ended correctly.

    Args:
        case: the run.
        folder: an empty folder, in which each run gets its own folder.
        early: whether to kill the run before its first checkpoint.
        rng: draws the times of the other kills, from the first checkpoint to the end.
    """
    _SERVER.set_forkserver_preload([*_IMPORTED])
    whole = folder / "whole"
    reference = Thread(target=_train_here, args=(_arguments(case, whole), _log(whole)))
    reference.start()
    _wait_for(whole / CHECKPOINT, reference)
    first = time.monotonic()
    reference.join()
    seconds = time.monotonic() - first
    results = []
    for number, before in enumerate(early):
        run = folder / str(number)
        while not _kill(case, run, None if before else rng.uniform(0, seconds)):
            shutil.rmtree(run)  # the run ended before the kill
        process = _start(case, run, "--resume")
        process.join()
        results.append(process.exitcode == 0 and (result_of(run) == result_of(whole) or not case.deterministic))
    return results


def _kill(case: Case, run: Path, seconds: float | None) -> bool:
    """Start a run and kill it ``seconds`` after its first checkpoint, or before the checkpoint if ``seconds`` is None.

    Returns:
        Whether the run was still in progress.
    """
    process = _start(case, run)
    _wait_for(run / (CONFIG if seconds is None else CHECKPOINT), process)
    process.join(seconds or 0)
    process.kill()
    process.join()
    if seconds is None and (run / CHECKPOINT).exists():
        raise RuntimeError("the checkpoint came before the kill: the first step is too short")
    return process.exitcode == -signal.SIGKILL


def result_of(run: Path) -> tuple[bytes, list[dict[str, str]]]:
    """Return the best agent and the learning curve of a run, without the columns with times."""
    timings = trainer_of(json.loads((run / CONFIG).read_text())["learner"]).timings
    [best] = run.glob("best.*")
    with (run / CURVE).open(newline="") as file:
        rows = [{name: cell for name, cell in row.items() if name not in timings} for row in csv.DictReader(file)]
    return best.read_bytes(), rows


def _start(case: Case, run: Path, *more: str) -> ForkServerProcess:
    _log(run).touch()
    process = _SERVER.Process(target=_train, args=(_arguments(case, run, *more), _log(run)))
    process.start()
    return process


def _arguments(case: Case, run: Path, *more: str) -> list[str]:
    return ["train", *case.arguments, "--output", str(run), *more]


def _log(run: Path) -> Path:
    return run.with_suffix(".log")


def _train(arguments: list[str], log: Path) -> None:
    """Run ``ci-envs`` in a separate process, and write its output to a file."""
    with log.open("wb") as file:
        os.dup2(file.fileno(), sys.stdout.fileno())
        os.dup2(file.fileno(), sys.stderr.fileno())
    ci_envs(arguments)


def _train_here(arguments: list[str], log: Path) -> None:
    """Run ``ci-envs`` in a thread of this process, and write its output to a file."""
    with log.open("w") as file, redirect_stdout(file), redirect_stderr(file), suppress(SystemExit):
        ci_envs(arguments)


def _wait_for(file: Path, run: ForkServerProcess | Thread) -> None:
    while not file.exists():
        if not run.is_alive():
            raise RuntimeError(f"the run ended without {file.name}: {_log(file.parent).read_text()}")
        time.sleep(0.001)


if __name__ == "__main__":
    main()
