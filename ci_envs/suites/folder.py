"""Suites: folders with a set of positions for each environment, and with a manifest.

The **manifest** ``suite.json`` names the environments, the numbers of positions and the seed, from which the suite can
be made again, and has the SHA-256 checksum of each file. The package contains the suite ``exact-v1``.
"""

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import msgspec

from ci_envs.registry.games import resolve
from ci_envs.solver.solution import Progress
from ci_envs.storage.files import file_stem, read_whole, write_whole
from ci_envs.storage.locks import locked
from ci_envs.suites.parquet import packed_set, read_set, unpacked_set
from ci_envs.suites.position_set import PositionSet, make_set

MANIFEST = "suite.json"
_SHIPPED = Path(__file__).parent


class SetEntry(msgspec.Struct, frozen=True):
    """The entry of a set of positions in a manifest.

    Attributes:
        environment: The id of the environment.
        limit: The maximum number of positions.
        file: The name of the file.
        positions: The number of positions, 0 if the set has not been made yet.
        sha256: The SHA-256 checksum of the file, empty if the set has not been made yet.
    """

    environment: str
    limit: int
    file: str
    positions: int = 0
    sha256: str = ""


class Manifest(msgspec.Struct, frozen=True):
    """The contents of a suite.

    Attributes:
        seed: The seed from which all positions are made.
        sets: The sets of positions.
        form: The version of the format.

    Examples:
        >>> from ci_envs.suites.folder import planned
        >>> [entry.file for entry in planned(["TicTacToe-v0", "Quixo-v0:size=4"], 1000, 0).sets]
        ['TicTacToe-v0.parquet', 'Quixo-v0_size=4.parquet']
    """

    seed: int
    sets: tuple[SetEntry, ...]
    form: Literal["ci-envs suite 1"] = "ci-envs suite 1"

    def plan(self, seed: int) -> "Manifest":
        """Return the manifest of a suite of the same kind that has not been made yet."""
        return Manifest(seed, tuple(SetEntry(entry.environment, entry.limit, entry.file) for entry in self.sets))


def planned(environments: Sequence[str], limit: int, seed: int) -> Manifest:
    """Return the manifest of a suite that has not been made yet.

    Args:
        environments: The ids of the environments.
        limit: The maximum number of positions of each environment.
        seed: The seed from which the positions are made.

    Raises:
        ValueError: An environment is unknown, or named twice.
    """
    for environment in environments:
        resolve(environment)
    if len(set(map(_file_name, environments))) < len(environments):
        raise ValueError(f"an environment is named twice, or two need the same file: {' '.join(environments)}")
    return Manifest(seed, tuple(SetEntry(environment, limit, _file_name(environment)) for environment in environments))


def make_suite(folder: Path, plan: Manifest, progress: Progress | None = None) -> Manifest:
    """Make the sets of positions that a folder does not contain yet or that are damaged, and return the manifest.

    The manifest is written after each set, so an interrupted call can be repeated.

    Args:
        folder: The folder, which is made if it does not exist.
        plan: The environments, the limits and the seed.
        progress: See :data:`~ci_envs.solver.solution.Progress`. It counts the solved positions of each environment.

    Raises:
        ImportError: PyArrow is not installed.
        OSError: A file cannot be written.
        ValueError: A game has no exact values, the folder has another suite, or another process makes one there.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with locked(folder, "makes a suite"):
        return _made_suite(folder, plan, progress)


def _made_suite(folder: Path, plan: Manifest, progress: Progress | None) -> Manifest:
    made = read_manifest(folder) if (folder / MANIFEST).exists() else plan
    if made.plan(made.seed) != plan.plan(plan.seed):
        raise ValueError(f"{str(folder)!r} has another suite: choose another folder")
    for number, entry in enumerate(made.sets):
        if not entry.sha256 or not _is_whole(folder, entry):
            positions = make_set(entry.environment, entry.limit, made.seed, progress)
            content = packed_set(positions)
            write_whole(folder / entry.file, content)
            finished = msgspec.structs.replace(entry, positions=len(positions), sha256=_checksum(content))
            made = msgspec.structs.replace(made, sets=(*made.sets[:number], finished, *made.sets[number + 1 :]))
            write_whole(folder / MANIFEST, msgspec.json.format(msgspec.json.encode(made)) + b"\n")
    return made


def read_suite(name: str | Path, *, trust: bool = True) -> list[PositionSet]:
    """Return the sets of positions of a suite, or of one file.

    Args:
        name: The name of a suite in the package, a folder, or a Parquet file.
        trust: Whether the suite can name files and modules of games, which are then imported.

    Raises:
        ImportError: PyArrow is not installed.
        OSError: A file cannot be read.
        ValueError: There is no such suite, it is not complete, or a file is damaged.

    Examples:
        >>> from ci_envs.suites.folder import read_suite
        >>> [(positions.environment, len(positions)) for positions in read_suite("exact-v1")][:2]
        [('TicTacToe-v0', 627), ('Nim-v0', 142)]
    """
    path = suite_path(name)
    if path.is_file():
        return [read_set(path, trust)]
    return [_read_entry(path, entry, trust) for entry in read_manifest(path).sets]


def suite_path(name: str | Path) -> Path:
    """Return the path of a suite in the package, or of a folder or file.

    Raises:
        ValueError: There is neither.
    """
    shipped = _shipped_suites()
    path = shipped.get(str(name), Path(name))
    if path.is_file() or (path / MANIFEST).is_file():
        return path
    raise ValueError(
        f"{str(name)!r} is not a suite: give {' or '.join(shipped)}, or a folder or a file that ci-envs suite has made"
    )


def read_manifest(folder: Path) -> Manifest:
    """Return the manifest of a folder.

    Raises:
        OSError: It cannot be read.
        ValueError: It is not a manifest.
    """
    path = folder / MANIFEST
    content = read_whole(path)
    try:
        return msgspec.json.decode(content, type=Manifest)
    except msgspec.MsgspecError as error:
        raise ValueError(f"{str(path)!r} is not the manifest of a suite: {error}") from error


def _read_entry(folder: Path, entry: SetEntry, trust: bool) -> PositionSet:
    path = folder / entry.file
    if not entry.sha256:
        raise ValueError(f"{str(folder)!r} has no positions of {entry.environment} yet: run ci-envs suite again")
    content = read_whole(path)
    if _checksum(content) != entry.sha256:
        raise ValueError(f"{str(path)!r} is damaged: its SHA-256 checksum is not {entry.sha256}")
    return unpacked_set(content, path, trust)


def _is_whole(folder: Path, entry: SetEntry) -> bool:
    """Return whether the file of a set has the checksum in the manifest."""
    try:
        return _checksum(read_whole(folder / entry.file)) == entry.sha256
    except FileNotFoundError:
        return False


def _shipped_suites() -> dict[str, Path]:
    return {path.parent.name: path.parent for path in sorted(_SHIPPED.glob(f"*/{MANIFEST}"))}


def _checksum(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _file_name(environment: str) -> str:
    return f"{file_stem(environment)}.parquet"
