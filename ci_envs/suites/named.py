"""The suites of the package, and how a suite is found by its name or folder."""

from collections.abc import Sequence
from pathlib import Path

from ci_envs.solver.solution import Progress
from ci_envs.suites.parquet import read_set, write_set
from ci_envs.suites.position_set import PositionSet, make_set

SUITES = {
    "exact-v1": (
        "TicTacToe-v0",
        "Nim-v0",
        "Nim-v0:misere=true",
        "Nim-v0:heaps=1,3,5,7,9",
        "Nim-v0:heaps=1,3,5,7,9,misere=true",
        "ConnectN-v0",
        "ConnectFour-v0",
        "Quarto-v0",
        "Quixo-v0:size=4",
        "Quixo-v0",
    )
}
"""The environments of each suite of the package."""

COUNT = 2000
"""The maximum number of positions of each environment in the suites of the package."""

_FOLDER = Path(__file__).resolve().parent / "data"


def environments_of(names: Sequence[str]) -> list[str]:
    """Return the environments of suites, or of ids of environments, in order."""
    return [environment for name in names for environment in SUITES.get(name, (name,))]


def file_name(environment: str) -> str:
    """Return the name of the file of an environment's positions."""
    return "".join(letter if letter.isalnum() or letter in "-.=" else "_" for letter in environment) + ".parquet"


def make_suite(
    folder: Path, names: Sequence[str], count: int, seed: int, progress: Progress | None = None
) -> list[tuple[Path, int]]:
    """Write a set of positions for each environment that has none in a folder, and return the files with their numbers.

    Args:
        folder: The folder, which is made if it does not exist.
        names: Names of suites, or ids of environments.
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
    for environment in environments_of(names):
        path = folder / file_name(environment)
        if not path.exists():
            write_set(path, make_set(environment, count, seed, progress))
        positions = read_set(path)
        if (positions.environment, positions.seed) != (environment, seed) or len(positions) > count:
            raise ValueError(f"{str(path)!r} is another set of positions: choose another folder")
        written.append((path, len(positions)))
    return written


def read_suite(name: str) -> list[PositionSet]:
    """Return the sets of positions of a suite of the package, or of a folder, or of one file.

    Raises:
        ImportError: PyArrow is not installed.
        OSError: A file cannot be read.
        ValueError: There is no such suite, or a file is not a set of positions.
    """
    if name in SUITES:
        return [read_set(_FOLDER / name / file_name(environment)) for environment in SUITES[name]]
    path = Path(name)
    files = sorted(path.glob("*.parquet")) if path.is_dir() else [path] if path.is_file() else []
    if not files:
        raise ValueError(
            f"unknown suite {name!r}. Suites: {', '.join(SUITES)}, or a folder that ci-envs suite has written"
        )
    return [read_set(file) for file in files]
