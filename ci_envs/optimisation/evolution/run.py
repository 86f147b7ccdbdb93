"""Whole runs of an evolution: progress, and a file from which an interrupted run continues."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ci_envs.optimisation.evolution.ask_tell import Optimiser, OptimiserEvolution
from ci_envs.optimisation.evolution.engine import Fitness, Plan, State
from ci_envs.optimisation.evolution.evolution import Evolution, PopulationEvolution, parse_population
from ci_envs.optimisation.evolution.initial import Initial
from ci_envs.optimisation.evolution.statistics import Statistics
from ci_envs.storage.arrays import read_arrays, write_arrays
from ci_envs.training.folder import already_there, check_same_options, damage, reading
from ci_envs.training.progress import ProgressDisplay, Status
from ci_envs.training.session_clock import SessionClock
from ci_envs.training.trainer import TrainerState
from ci_envs.validation import integer_between, nonnegative_number

_FORMAT = "ci_envs evolution 2"


@dataclass(frozen=True, eq=False)
class EvolutionRun:
    """A finished run.

    Attributes:
        state: the population after the last generation.
        history: the statistics of all generations, the initial population first.
    """

    state: State
    history: tuple[Statistics, ...]


@dataclass(frozen=True)
class RunFile:
    """A file that keeps an evolution, and the options of a run that continues only with the same.

    Attributes:
        path: of the file, in a folder that is made if needed.
        options: plain values by name.
    """

    path: Path
    options: Mapping[str, Any]

    def save(self, state: TrainerState) -> None:
        """Write a state; equal states and options make equal files.

        Raises:
            OSError: the file cannot be written.
        """
        write_arrays(self.path, _FORMAT, {"options": self.options, "values": dict(state.values)}, state.arrays)

    def restore(self, evolution: Evolution) -> None:
        """Let an evolution continue from the file.

        Raises:
            ValueError: the file is damaged, something else, of another version, or of a run with other options.
            OSError: the file cannot be read.
        """
        with reading(self.path):
            about, arrays = read_arrays(self.path, _FORMAT)
            state, options = TrainerState(about["values"], arrays), dict(about["options"])
        check_same_options(self.path, dict.fromkeys(options) | dict(self.options), options)
        try:
            evolution.restore(state)
        except (KeyError, TypeError, IndexError, ValueError) as error:
            raise damage(self.path, error) from None


def run(
    plan: Plan,
    fitness: Fitness,
    initial: Initial,
    generations: int,
    *,
    seed: int = 0,
    target: float = np.inf,
    path: str | Path | None = None,
    resume: bool = False,
    notes: Mapping[str, Any] | None = None,
    every: float = 10,
) -> EvolutionRun:
    """Evolve a population for some generations, and show the progress on stderr.

    However the run ends, the last complete generation is in the file. A run that is resumed ends as it would have ended
    without the interruption.

    Args:
        plan: the evolutionary algorithm.
        fitness: evaluates genomes.
        initial: makes the initial population and immigrants.
        generations: of the whole run, after the initial population.
        seed: of all random numbers, 0 to 2^64 - 1.
        target: the run ends when the best fitness is at least this.
        path: of the file; None keeps no file.
        resume: continue the run in the file.
        notes: plain values that are kept in the file; a run continues only with equal ones.
        every: least seconds between two times that the file is written.

    Raises:
        ValueError: a value is out of range, an operator or ``fitness`` returns a wrong shape or dtype, the file exists
            already, or it is damaged or of another run.
        OSError: the file cannot be read or written.
    """
    evolution = PopulationEvolution(plan, fitness, initial, seed)
    integer_between("generations", generations, 0)
    pause = nonnegative_number("every", every)
    _drive(evolution, generations, target, _run_file(path, resume, seed, notes), resume, pause)
    return EvolutionRun(evolution.population, evolution.history)


def optimise(
    optimiser: Optimiser,
    fitness: Fitness,
    generations: int,
    *,
    seed: int,
    target: float = np.inf,
    path: str | Path | None = None,
    resume: bool = False,
    notes: Mapping[str, Any] | None = None,
    every: float = 10,
) -> tuple[Statistics, ...]:
    """Run an optimiser for some generations, and return the statistics of each; see :func:`run`.

    Args:
        optimiser: a new optimiser, made from ``seed``.
        fitness: evaluates genomes; its seed in generation g is the first word of ``(seed, g)``.
        generations: of the whole run, after the first.
        seed: of the optimiser and of the fitness, 0 to 2^64 - 1.
        target: the run ends when the best fitness is at least this.
        path: of the file; None keeps no file.
        resume: continue the run in the file.
        notes: plain values that are kept in the file; a run continues only with equal ones.
        every: least seconds between two times that the file is written.

    Raises:
        ValueError: a value is out of range, ``fitness`` returns a wrong shape or dtype, the file exists already, or it
            is damaged or of another run.
        OSError: the file cannot be read or written.
    """
    evolution = OptimiserEvolution(optimiser, fitness, seed)
    integer_between("generations", generations, 0)
    pause = nonnegative_number("every", every)
    _drive(evolution, generations, target, _run_file(path, resume, seed, notes), resume, pause)
    return evolution.history


def read_run(path: str | Path) -> EvolutionRun:
    """Read the file of :func:`run`. Nothing is unpickled.

    Raises:
        ValueError: it is damaged, something else, or of another version.
        OSError: it cannot be read.
    """
    with reading(Path(path)):
        about, arrays = read_arrays(Path(path), _FORMAT)
        state, history = parse_population(TrainerState(about["values"], arrays))
    return EvolutionRun(state, history)


def _run_file(path: str | Path | None, resume: bool, seed: int, notes: Mapping[str, Any] | None) -> RunFile | None:
    if path is None:
        if resume:
            raise ValueError("resume=True needs the path of a run")
        return None
    file = RunFile(Path(path), json.loads(json.dumps({"seed": seed, **(notes or {})})))
    if file.path.exists() and not resume:
        raise already_there(file.path)
    return file


def _drive(
    evolution: Evolution, generations: int, target: float, file: RunFile | None, resume: bool, pause: float
) -> None:
    """Advance an evolution to its last generation, or to a best fitness of ``target``."""
    if file and resume:
        file.restore(evolution)
    clock = SessionClock(evolution.generation, pause)

    def save() -> None:
        state = evolution.state()
        if file and state:
            with clock.saving(evolution.generation):
                file.save(state)

    with ProgressDisplay() as display:
        try:
            while evolution.generation < generations and _best(evolution) < target:
                evolution.advance()
                if clock.is_checkpoint_due(evolution.generation):
                    save()
                display.show(_status(evolution.generation, generations, clock))
        finally:
            save()


def _best(evolution: Evolution) -> float:
    return max((told.best for told in evolution.history), default=-np.inf)


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
