"""Whole runs: progress, learning curve, and a file from which a broken-off run goes on."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from time import monotonic
from typing import Any

import numpy as np

from ci_envs.games import integer_between
from ci_envs.optimisation.evolution.engine import Fitness, Plan, State, evolve
from ci_envs.optimisation.evolution.initial import Initial
from ci_envs.optimisation.evolution.parameters import between
from ci_envs.optimisation.evolution.statistics import Statistics
from ci_envs.storage.arrays import read_arrays, write_arrays

_FORMAT = "ci_envs evolution 1"
_ARRAYS = ("genomes", "fitness", "hall", "hall_fitness")
_NUMBERS = tuple(item.name for item in fields(State) if item.name not in _ARRAYS)


@dataclass(frozen=True, eq=False)
class EvolutionRun:
    """How far a run has come.

    Attributes:
        state: the last whole generation.
        history: all generations in numbers, the first population's first.
        notes: whatever else is kept, plain values.
    """

    state: State
    history: tuple[Statistics, ...]
    notes: Mapping[str, Any]


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
    """Evolve for some generations, with a bar of progress on stderr.

    Whatever ends it, the last whole generation is in the file, and a run that goes on from there ends as it would have
    without a break.

    Args:
        plan: how.
        fitness: of genomes.
        initial: makes the first population, and immigrants.
        generations: of the whole run, after the first population.
        seed: of all random numbers, 0 to 2^64 - 1.
        target: stop when the record is so large.
        path: of the file; None keeps none.
        resume: go on with the run in it.
        notes: whatever is to be kept in it, plain values; a run only goes on with equal ones.
        every: seconds from one writing of the file to the next, at most after a generation: a crash loses no more.

    Raises:
        ValueError: something does not fit, the file is there already, or it is of another run or damaged.
        OSError: the file cannot be read or written.
    """
    integer_between("generations", generations, 0)
    file = None if path is None else Path(path)
    notes = json.loads(json.dumps(dict(notes or {})))
    latest = _begun(file, resume, seed, notes)

    def states() -> Iterator[Statistics]:
        nonlocal latest
        if latest is not None:
            yield latest.history[-1]
        for state in evolve(plan, fitness, initial, seed=seed, state=latest.state if latest else None):
            history = (*latest.history, state.statistics) if latest else (state.statistics,)
            latest = EvolutionRun(state, history, notes)
            yield history[-1]

    drive(states(), generations, target, lambda: write_run(file, latest) if file and latest else None, every)
    assert latest is not None
    return latest


def drive(generations: Iterator[Statistics], last: int, target: float, save: Callable[[], None], every: float) -> None:
    """Take generations up to the one numbered ``last`` or a best fitness of ``target``, with a bar of progress.

    Args:
        generations: what is told of each.
        last: number of the last one.
        target: the best fitness that is enough.
        save: keeps what there is. It is called at the first generation and ``every`` so many seconds, at most after a
            generation, and when it is over, by an interrupt or an error too.
        every: seconds, 0 or more.
    """
    from rich.console import Console
    from rich.progress import Progress

    between("every", every, 0)
    due, best = monotonic(), -np.inf
    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("evolution", total=last)
        try:
            for told in generations:
                best = max(best, told.best)
                progress.update(task, completed=told.generation, description=f"best {best:.4g}")
                if told.generation >= last or best >= target:
                    break
                if monotonic() >= due:
                    save()
                    due = monotonic() + every
        finally:
            save()


def write_run(path: Path, done: EvolutionRun) -> None:
    """Write a run, whole or not at all; it may go to a folder that is not there yet."""
    state = done.state
    about = {
        "state": {name: getattr(state, name) for name in _NUMBERS},
        "notes": dict(done.notes),
    }
    arrays = {name: getattr(state, name) for name in _ARRAYS}
    write_arrays(path, _FORMAT, about, arrays | {"history": np.array(done.history, dtype=np.float64)})


def read_run(path: str | Path) -> EvolutionRun:
    """Read a run. Nothing is unpickled.

    Raises:
        ValueError: it is damaged, something else, or of another version.
        OSError: it cannot be read.
    """
    try:
        about, arrays = read_arrays(Path(path), _FORMAT)
        state = State(**about["state"], **{name: arrays[name] for name in _ARRAYS})
        history = tuple(Statistics(int(row[0]), int(row[1]), *row[2:]) for row in arrays["history"].tolist())
        _check(state, history)
    except OSError:
        raise
    except Exception as error:  # damage makes NumPy and zipfile raise whatever it happens to
        raise ValueError(f"{str(path)!r} is no run that can go on: {error}") from None
    return EvolutionRun(state, history, about["notes"])


def _begun(file: Path | None, resume: bool, seed: int, notes: Mapping[str, Any]) -> EvolutionRun | None:
    """The run to go on with, None to begin one."""
    if not resume:
        if file and file.exists():
            raise ValueError(f"there is a run in {str(file)!r} already: resume it, or choose another file")
        return None
    if file is None:
        raise ValueError("resume=True needs the path of a run")
    done = read_run(file)
    kept = {"seed": done.state.seed, **done.notes}
    wanted = {"seed": seed, **notes}
    if other := sorted(name for name in kept | wanted if kept.get(name) != wanted.get(name)):
        found = ", ".join(f"{name}={kept.get(name)}" for name in other)
        raise ValueError(f"the run in {str(file)!r} has other options: {found}")
    return done


def _check(state: State, history: tuple[Statistics, ...]) -> None:
    for genomes, fitness in ((state.genomes, state.fitness), (state.hall, state.hall_fitness)):
        if genomes.ndim != 2 or fitness.shape != (len(genomes),) or fitness.dtype != np.float64:
            raise ValueError(f"its arrays are of the shapes {genomes.shape} and {fitness.shape}")
        if genomes.shape[1] != state.genomes.shape[1] or genomes.dtype != state.genomes.dtype or not len(genomes):
            raise ValueError(f"its genomes are of {genomes.dtype} and {genomes.shape}")
        if not np.isfinite(fitness).all():
            raise ValueError("its fitness is no number")
    if len(history) != state.generation + 1:
        raise ValueError(f"it tells of {len(history)} generations, not of {state.generation + 1}")
