"""Complete runs of an evolution, with progress and a file from which an interrupted run can be resumed."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ci_envs.optimisation.evolution.engine import State
from ci_envs.optimisation.evolution.evolution import Evolution, parse_population
from ci_envs.optimisation.evolution.statistics import Statistics
from ci_envs.storage.arrays import read_arrays, write_arrays
from ci_envs.training.folder import check_same_options, checkpoint_errors, run_exists_error
from ci_envs.training.progress import ProgressDisplay, Status
from ci_envs.training.session_clock import SessionClock
from ci_envs.training.trainer import TrainerState
from ci_envs.validation import integer_between, nonnegative_number

_FORMAT = "ci_envs evolution 2"


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
    """A file with an evolution and the options of its run. A run can only be resumed with the same options."""

    path: Path
    options: Mapping[str, Any]

    def save(self, state: TrainerState) -> None:
        """Write a state. Equal states and options give equal files."""
        write_arrays(self.path, _FORMAT, {"options": self.options, "values": dict(state.values)}, state.arrays)

    def restore(self, evolution: Evolution) -> None:
        """Continue an evolution from the file."""
        with checkpoint_errors(self.path):
            state, options = _read(self.path)
        check_same_options(self.path, dict.fromkeys(options) | dict(self.options), options)
        with checkpoint_errors(self.path):
            evolution.restore(state)


def _read(path: Path) -> tuple[TrainerState, dict[str, Any]]:
    about, arrays = read_arrays(path, _FORMAT)
    return TrainerState(about["values"], arrays), dict(about["options"])


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
    as a run without interruption.

    Args:
        evolution: the new evolution, which is changed.
        generations: number of generations of the whole run, after the initial population.
        target: the run ends when the best fitness is at least this.
        path: the path of the file. None writes no file.
        resume: whether to continue the run in the file.
        notes: plain values that are written to the file. A run can only be resumed with equal notes.
        every: minimum time in seconds between two writes of the file.

    Raises:
        ValueError: a value is out of range, an operator or the fitness returns a wrong shape or dtype, the file exists
            already, or it is damaged or of another run.
        OSError: the file cannot be read or written.
    """
    integer_between("generations", generations, 0)
    pause = nonnegative_number("every", every)
    file = _run_file(path, resume, {"seed": evolution.seed, **(notes or {})})
    if file and resume:
        file.restore(evolution)
    clock = SessionClock(evolution.generation, pause)

    def save() -> None:
        state = evolution.state() if file else None
        if file and state:
            with clock.saving(evolution.generation):
                file.save(state)

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
        state, history = parse_population(_read(Path(path))[0])
    return EvolutionRun(state, history)


def _run_file(path: str | Path | None, resume: bool, options: Mapping[str, Any]) -> _RunFile | None:
    if path is None:
        if resume:
            raise ValueError("resume=True needs the path of a run")
        return None
    file = _RunFile(Path(path), json.loads(json.dumps(options)))
    if file.path.exists() and not resume:
        raise run_exists_error(file.path)
    return file


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
