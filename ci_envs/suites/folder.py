"""Folders with a set of positions for each environment."""

from collections.abc import Sequence
from pathlib import Path

from ci_envs.solver.solution import Progress
from ci_envs.suites.parquet import read_set, write_set
from ci_envs.suites.position_set import PositionSet, make_set


def file_name(environment: str) -> str:
    """Return the name of the file of an environment's positions."""
    return "".join(letter if letter.isalnum() or letter in "-.=" else "_" for letter in environment) + ".parquet"


def make_suite(
    folder: Path, environments: Sequence[str], count: int, seed: int, progress: Progress | None = None
) -> list[tuple[Path, int]]:
    """Write a set of positions for each environment that has none in a folder, and return the files with their numbers.

    Args:
        folder: The folder, which is made if it does not exist.
        environments: The ids of the environments.
        count: The maximum number of positions of each environment.
        seed: The seed from which the positions are made.
        progress: See :data:`~ci_envs.solver.solution.Progress`. It counts the solved positions of each environment.

    Raises:
        ImportError: PyArrow is not installed.
        OSError: A file cannot be written.
        ValueError: An environment is unknown, its game has no exact values, or a file of the folder was made
            differently.
    """
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for environment in environments:
        path = folder / file_name(environment)
        if not path.exists():
            write_set(path, make_set(environment, count, seed, progress))
        positions = read_set(path)
        if (positions.environment, positions.seed) != (environment, seed) or len(positions) > count:
            raise ValueError(f"{str(path)!r} is another set of positions: choose another folder")
        written.append((path, len(positions)))
    return written


def read_suite(path: Path) -> list[PositionSet]:
    """Return the sets of positions of a folder, or of one file.

    Raises:
        ImportError: PyArrow is not installed.
        OSError: A file cannot be read.
        ValueError: There is no such file, or it is not a set of positions.
    """
    files = sorted(path.glob("*.parquet")) if path.is_dir() else [path] if path.is_file() else []
    if not files:
        raise ValueError(f"{str(path)!r} is not a suite: name a folder that ci-envs suite has written, or a file of it")
    return [read_set(file) for file in files]
