"""Runs of optimisers that ask for the fitness of genomes and are told it, as the libraries' are.

What such an optimiser does next depends on its seed and on what it was told, and on nothing else. So the fitness of all
generations is all that is kept: a run goes on by telling a new optimiser the same again, which plays no games.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from ci_envs.games import integer_between
from ci_envs.optimisation.evolution.engine import Fitness
from ci_envs.optimisation.evolution.parameters import Genomes, Values
from ci_envs.optimisation.evolution.run import drive
from ci_envs.optimisation.evolution.statistics import Statistics, diversity
from ci_envs.storage.arrays import read_arrays, write_arrays

_FORMAT = "ci_envs ask and tell 1"


class Optimiser(Protocol):
    """What asks and is told. It is made from a seed, and has no other source of chance."""

    def ask(self) -> Genomes:
        """The genomes of the next generation, (n, genes); rows of NaN-free numbers, as fitness takes them."""

    def tell(self, fitness: Values) -> None:
        """Their fitness, float64 (n,), more is better."""


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
    """Let an optimiser ask and tell it for some generations, with a bar of progress on stderr.

    Whatever ends it, the last whole generation is in the file, and a run that goes on from there ends as it would have
    without a break.

    Args:
        optimiser: new, made from ``seed``.
        fitness: of genomes; its seed in generation g is the first word of ``(seed, g)``.
        generations: of the whole run, after the first.
        seed: of the optimiser, and of the fitness, 0 to 2^64 - 1.
        target: stop when the best fitness is so large.
        path: of the file; None keeps none.
        resume: go on with the run in it.
        notes: whatever is to be kept in it, plain values; a run only goes on with equal ones.
        every: seconds from one writing of the file to the next, at most after a generation.

    Returns:
        What is told of each generation.

    Raises:
        ValueError: something does not fit, the file is there already, or it is of another run or damaged.
        OSError: the file cannot be read or written.
    """
    integer_between("generations", generations, 0)
    integer_between("seed", seed, 0, 2**64 - 1)
    file = None if path is None else Path(path)
    about = {"seed": seed, "notes": json.loads(json.dumps(dict(notes or {})))}
    told = _told_before(file, resume, about)
    history: list[Statistics] = []

    def steps() -> Iterator[Statistics]:
        calls = 0
        while True:
            genomes, generation = optimiser.ask(), len(history)
            if generation < len(told):
                values = told[generation]
            else:
                word = np.random.default_rng([seed, generation]).integers(2**64, dtype=np.uint64)
                values = np.array(fitness(genomes, int(word)), dtype=np.float64)
            if values.shape != (len(genomes),) or not np.isfinite(values).all():
                raise ValueError(f"fitness must be {len(genomes)} finite numbers, not {values!r}")
            if generation == len(told):
                told.append(values)
            optimiser.tell(values)
            calls += len(genomes)
            best, mean = float(values.max()), float(values.mean())
            history.append(Statistics(generation, calls, best, mean, diversity(genomes), 1.0))
            yield history[-1]

    drive(steps(), generations, target, lambda: _write(file, about, told) if file and told else None, every)
    return tuple(history)


def _write(path: Path, about: Mapping[str, Any], told: list[Values]) -> None:
    sizes = np.array([len(values) for values in told], dtype=np.int64)
    write_arrays(path, _FORMAT, about, {"sizes": sizes, "fitness": np.concatenate([*told, np.empty(0)])})


def _told_before(file: Path | None, resume: bool, about: Mapping[str, Any]) -> list[Values]:
    """What was told in the run to go on with, nothing to begin one."""
    if not resume:
        if file and file.exists():
            raise ValueError(f"there is a run in {str(file)!r} already: resume it, or choose another file")
        return []
    if file is None:
        raise ValueError("resume=True needs the path of a run")
    try:
        found, arrays = read_arrays(file, _FORMAT)
        sizes, values = arrays["sizes"], arrays["fitness"]
        if values.dtype != np.float64 or values.shape != (sizes.sum(),) or not np.isfinite(values).all():
            raise ValueError(f"its fitness is of {values.dtype} and {values.shape}")
        told = np.split(values, np.cumsum(sizes)[:-1]) if len(sizes) else []
        kept, wanted = ({"seed": one["seed"], **one["notes"]} for one in (found, about))
    except OSError:
        raise
    except Exception as error:  # damage makes NumPy and zipfile raise whatever it happens to
        raise ValueError(f"{str(file)!r} is no run that can go on: {error}") from None
    if other := sorted(name for name in kept | wanted if kept.get(name) != wanted.get(name)):
        raise ValueError(
            f"the run in {str(file)!r} has other options: {', '.join(f'{name}={kept.get(name)}' for name in other)}"
        )
    return told
