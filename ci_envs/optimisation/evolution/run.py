"""Complete runs of an evolution, with progress and a file from which an interrupted run can be resumed."""

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
from ci_envs.training.folder import check_same_options, checkpoint_error, checkpoint_errors, run_exists_error
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
    """A file with an evolution and the options of its run. A run can only be resumed with the same options.

    Attributes:
        path: the path of the file. Its folder is created if necessary.
        options: plain values by name.
    """

    path: Path
    options: Mapping[str, Any]

    def save(self, state: TrainerState) -> None:
        """Write a state. Equal states and options give equal files.

        Raises:
            OSError: the file cannot be written.
        """
        write_arrays(self.path, _FORMAT, {"options": self.options, "values": dict(state.values)}, state.arrays)

    def restore(self, evolution: Evolution) -> None:
        """Continue an evolution from the file.

        Raises:
            ValueError: the file is damaged, is not such a file, or is of another version or of a run with other
                options.
            OSError: the file cannot be read.
        """
        with checkpoint_errors(self.path):
            about, arrays = read_arrays(self.path, _FORMAT)
            state, options = TrainerState(about["values"], arrays), dict(about["options"])
        check_same_options(self.path, dict.fromkeys(options) | dict(self.options), options)
        try:
            evolution.restore(state)
        except (KeyError, TypeError, IndexError, ValueError) as error:
            raise checkpoint_error(self.path, error) from None


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

    The last complete generation is always written to the file, also if the run fails. A resumed run has the same result
    as a run without interruption.

    Args:
        plan: the evolutionary algorithm.
        fitness: evaluates genomes.
        initial: makes the initial population and immigrants.
        generations: number of generations of the whole run, after the initial population.
        seed: the seed of all random numbers, 0 to 2^64 - 1.
        target: the run ends when the best fitness is at least this.
        path: the path of the file. None writes no file.
        resume: whether to continue the run in the file.
        notes: plain values that are written to the file. A run can only be resumed with equal notes.
        every: minimum time in seconds between two writes of the file.

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
    """Run an optimiser for some generations, and return the statistics of each generation, see :func:`run`.

    Args:
        optimiser: a new optimiser, made from ``seed``.
        fitness: evaluates genomes. Its seed in generation g is the first word of ``(seed, g)``.
        generations: number of generations of the whole run, after the first one.
        seed: the seed of the optimiser and of the fitness, 0 to 2^64 - 1.
        target: the run ends when the best fitness is at least this.
        path: the path of the file. None writes no file.
        resume: whether to continue the run in the file.
        notes: plain values that are written to the file. A run can only be resumed with equal notes.
        every: minimum time in seconds between two writes of the file.

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
    """Read the file of :func:`run`, without unpickling.

    Raises:
        ValueError: the file is damaged, is not such a file, or is of another version.
        OSError: the file cannot be read.
    """
    with checkpoint_errors(Path(path)):
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
        raise run_exists_error(file.path)
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
