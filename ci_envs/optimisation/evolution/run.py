"""Complete runs of an evolution, with progress and a file from which an interrupted run can be resumed."""

import errno
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ci_envs.optimisation.evolution.engine import State
from ci_envs.optimisation.evolution.evolution import Evolution, parse_population
from ci_envs.optimisation.evolution.statistics import Statistics
from ci_envs.storage.arrays import read_arrays, write_arrays
from ci_envs.storage.locks import locked_file
from ci_envs.training.folder import check_same_options, checkpoint_errors, run_exists_error
from ci_envs.training.progress import ProgressDisplay, Status
from ci_envs.training.session_clock import SessionClock
from ci_envs.training.trainer import TrainerState
from ci_envs.validation import integer_between, nonnegative_number, real_number, true_or_false

_FORMAT = "ci_envs evolution 3"


@dataclass(frozen=True, eq=False)
class EvolutionRun:
    """The result of a run of a population, from its file.

    Attributes:
        state: the population after the last generation.
        history: the statistics of all generations, the initial population first.
    """

    state: State
    history: tuple[Statistics, ...]


@dataclass(frozen=True)
class _RunFile:
    """The file of an evolution with the options of its run. A run can only be resumed with the same options."""

    path: Path
    evolution: Evolution
    options: Mapping[str, Mapping[str, Any]]

    def save(self) -> None:
        """Write the state, if there is one. Equal states and options give equal files."""
        if (state := self.evolution.state()) is not None:
            write_arrays(self.path, _FORMAT, {**self.options, "values": dict(state.values)}, state.arrays)

    def restore(self) -> None:
        """Continue the evolution from the file."""
        with checkpoint_errors(self.path):
            about, arrays = read_arrays(self.path, _FORMAT)
            theirs = {kind: dict(about[kind]) for kind in self.options}
        for kind, ours in self.options.items():
            check_same_options(self.path, dict.fromkeys(theirs[kind]) | dict(ours), theirs[kind])
        with checkpoint_errors(self.path):
            self.evolution.restore(TrainerState(about["values"], arrays))


def run(
    evolution: Evolution,
    generations: int,
    *,
    target: float = np.inf,
    path: str | Path | None = None,
    resume: bool = False,
    notes: Mapping[str, Any] | None = None,
    every: float = 10,
) -> None:
    """Advance a new evolution by some generations, and show the progress on stderr.

    The last complete generation is always written to the file, also if the run fails. A resumed run has the same result
    as a run without interruption. A hidden, empty file beside the file is the lock against other processes.

    Args:
        evolution: the new evolution, which is changed.
        generations: number of generations of the whole run, after the initial population.
        target: the run ends when the best fitness is at least this.
        path: the path of the file. None writes no file.
        resume: whether to continue the run in the file.
        notes: plain values by name that are written to the file. A run can only be resumed with equal notes.
        every: minimum time in seconds between two writes of the file.

    Raises:
        ValueError: a value is out of range, an operator or the fitness returns a wrong shape or dtype, the file exists
            already, it is damaged or of another run, or another process writes it.
        OSError: the file cannot be read or written.
    """
    integer_between("generations", generations, 0)
    target, pause = real_number("target", target), nonnegative_number("every", every)
    with _run_file(evolution, path, true_or_false("resume", resume), _plain(notes or {})) as file:
        _advance(evolution, generations, target, file, SessionClock(evolution.generation, pause))


def _advance(evolution: Evolution, generations: int, target: float, file: _RunFile | None, clock: SessionClock) -> None:
    def save() -> None:
        if file:
            with clock.saving(evolution.generation):
                file.save()

    best = max((told.best for told in evolution.history), default=-np.inf)
    with ProgressDisplay() as display:
        try:
            while evolution.generation < generations and best < target:
                evolution.advance()
                best = max(best, evolution.history[-1].best)
                if clock.is_checkpoint_due(evolution.generation):
                    save()
                display.show(_status(evolution.generation, generations, clock))
        finally:
            save()


def read_run(path: str | Path) -> EvolutionRun:
    """Read the file of :func:`run`, without unpickling.

    Raises:
        ValueError: the file is damaged, is not such a file, or is of another version.
        OSError: the file cannot be read.
    """
    with checkpoint_errors(Path(path)):
        about, arrays = read_arrays(Path(path), _FORMAT)
        state, history = parse_population(TrainerState(about["values"], arrays))
    return EvolutionRun(state, history)


@contextmanager
def _run_file(
    evolution: Evolution, name: str | Path | None, resume: bool, notes: Mapping[str, Any]
) -> Iterator[_RunFile | None]:
    """Lock the file of a run during the ``with`` block. Continue the evolution from the file if ``resume`` is true."""
    if name is None:
        if resume:
            raise ValueError("resume=True needs the path of a run")
        yield None
        return
    path = Path(os.path.abspath(name))  # a fitness function can change the current folder
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, "The path of a run must be that of a file", str(name))
    if not resume:
        path.parent.mkdir(parents=True, exist_ok=True)
    with locked_file(path, "runs the evolution of a file"):
        if path.exists() and not resume:
            raise run_exists_error(path)
        file = _RunFile(path, evolution, {"settings": evolution.settings, "notes": notes})
        if resume:
            file.restore()
        yield file


def _plain(notes: Mapping[str, Any]) -> dict[str, Any]:
    """Return notes as they are read from a file.

    Raises:
        ValueError: the notes are not values of JSON by name.
    """
    try:
        return dict(json.loads(json.dumps(dict(notes), allow_nan=False)))
    except (TypeError, ValueError) as error:
        raise ValueError(f"notes must be plain values by name, not {notes!r}: {error}") from None


def _status(generation: int, generations: int, clock: SessionClock) -> Status:
    return Status(
        learner="evolution",
        share=generation / generations if generations else 1.0,
        count=generation,
        total=generations,
        unit="generations",
        elapsed=clock.elapsed,
        left=clock.left(generation, generations),
        rating=None,
    )
