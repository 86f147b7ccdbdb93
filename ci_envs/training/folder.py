"""The folder of a run: its options, its checkpoint, its learning curve and its best agent."""

import errno
import json
import os
import platform
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from ci_envs.storage.arrays import read_arrays, write_arrays
from ci_envs.storage.files import read_whole, temporary_name, write_csv, write_whole
from ci_envs.storage.json_text import parse_json
from ci_envs.training.trainer import TrainerState

CONFIG, CHECKPOINT, CURVE = "config.json", "checkpoint.npz", "curve.csv"
"""The names of the files of every run. The best agent is in a file ``best.*``."""

_FORMAT = "ci_envs checkpoint 1"
_RUN = "learner", "environment", "seed"
_PACKAGES = ("ci-envs", "numpy", "numba", "torch", "stable-baselines3")

Row = Mapping[str, int | float]
"""A row of a learning curve by column."""


@dataclass(frozen=True)
class RunRecord:
    """The progress of a run, without the state of the trainer.

    Attributes:
        seconds: The wall-clock time of the training in all sessions.
        logged: The trainer's ``count`` in the last row of the curve.
        measured: The trainer's ``done`` at the last measurement.
        curve: The learning curve.
        has_best: Whether there is a best agent.
    """

    seconds: float = 0.0
    logged: int = 0
    measured: float = 0.0
    curve: tuple[Row, ...] = ()
    has_best: bool = False


class RunFolder:
    """The files of a run. Each file is written atomically."""

    def __init__(self, path: Path, best_file: str) -> None:
        self.path = path
        self.best = path / best_file
        self._config, self._checkpoint, self._curve = path / CONFIG, path / CHECKPOINT, path / CURVE
        self._run: dict[str, Any] | None = None  # what is the same in all its checkpoints

    @property
    def has_run(self) -> bool:
        """Whether the folder contains a run."""
        return self._config.exists()

    @property
    def has_checkpoint(self) -> bool:
        """Whether the folder contains a checkpoint."""
        return self._checkpoint.exists()

    def write_config(self, config: Mapping[str, Any], changeable: Sequence[str]) -> None:
        """Write the config and the versions of the packages. Make the folder if it does not exist.

        Args:
            config: See :meth:`check_config`.
            changeable: The names of options that can differ in a checkpoint.
        """
        self._run = _fixed(config, changeable)
        self.path.mkdir(parents=True, exist_ok=True)
        for file in (self._config, self._checkpoint, self._curve, self.best):
            for unfinished in self.path.glob(temporary_name(file.name, "*")):
                unfinished.unlink()
        text = json.dumps({**config, "versions": _versions()}, indent=1)
        write_whole(self._config, f"{text}\n".encode())

    def check_config(self, config: Mapping[str, Any], changeable: Sequence[str]) -> None:
        """Check that the run in the folder has the same options.

        Args:
            config: The config of the training, as JSON values. ``config["options"]`` contains the options by name.
            changeable: The names of options that may differ.

        Raises:
            ValueError: The folder contains no run, its config is damaged, or the run has other options. The message
                names these options.
            OSError: The file cannot be read.
        """
        if not self.has_run:
            raise ValueError(f"there is no run in {str(self.path)!r} to resume")
        self._run = _fixed(config, changeable)
        check_same_options(self.path, self._run, self._read_config())

    def check_overwrites_nothing(self) -> None:
        """Check that a run can start in the folder. It may overwrite the config of a run without a checkpoint.

        Raises:
            ValueError: The folder contains a run, or other files with the names of the files of a run.
            OSError: The config cannot be read.
        """
        found = [file.name for file in (self._checkpoint, self._curve, self.best) if os.path.lexists(file)]
        writer = "no run wrote"
        if self.has_run:
            try:
                self._read_config()
            except ValueError:
                found.append(CONFIG)
            else:
                if self.has_checkpoint:
                    raise run_exists_error(self.path)
                writer = f"belong to a run whose {CHECKPOINT} is missing"
        if found:
            raise ValueError(f"{str(self.path)!r} contains {', '.join(found)} that {writer}: choose another path")

    def _read_config(self) -> dict[str, Any]:
        """Return the learner, the environment, the seed and the options of the run in the folder."""
        try:
            return _flat(parse_json(read_whole(self._config)))
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(f"{str(self._config)!r} is not the config of a run: {error}") from None

    def write_checkpoint(self, record: RunRecord, state: TrainerState) -> None:
        """Write a checkpoint, which contains all that the run needs to continue.

        Raises:
            OSError: The file cannot be written, or the folder contains no run any more.
        """
        if not self.has_run:
            raise FileNotFoundError(errno.ENOENT, "The run was removed or renamed while it was trained", str(self.path))
        metadata = {"run": self._run, "record": vars(record), "values": dict(state.values)}
        write_arrays(self._checkpoint, _FORMAT, metadata, state.arrays)

    def read_checkpoint(self) -> tuple[RunRecord, TrainerState]:
        """Read the checkpoint, without pickle.

        Raises:
            ValueError: The file is damaged, is not a checkpoint, or has another version.
            OSError: The file cannot be read.
        """
        with checkpoint_errors(self._checkpoint):
            metadata, arrays = read_arrays(self._checkpoint, _FORMAT)
            run = metadata.get("run") or {}  # earlier versions did not write it, or not all of it
            differing = [name for name, value in (self._run or {}).items() if run.get(name, value) != value]
            if not set(_RUN).isdisjoint(differing):
                raise ValueError("it is of {learner} in {environment} with the seed {seed}".format_map(run))
            if differing:
                raise ValueError(f"it is of a run with {differing[0]}={run[differing[0]]}")
            record = msgspec.convert(metadata["record"], RunRecord)
            return record, TrainerState(metadata["values"], arrays)

    def checkpoint_errors(self) -> AbstractContextManager[None]:
        """Turn any error that a wrong checkpoint causes in the ``with`` block into a one-line error."""
        return checkpoint_errors(self._checkpoint)

    def write_curve(self, rows: Sequence[Row]) -> None:
        """Write the learning curve as CSV. A cell is empty if its row has no value for the column."""
        columns = list(dict.fromkeys(name for row in rows for name in row))
        write_csv(self._curve, [columns, *([row.get(name, "") for name in columns] for row in rows)])


@contextmanager
def checkpoint_errors(path: Path) -> Iterator[None]:
    """Turn any error that a damaged checkpoint causes in the ``with`` block into a one-line error.

    Raises:
        ValueError: The block raised an exception other than OSError.
        OSError: The block raised an OSError.
    """
    try:
        yield
    except OSError:
        raise
    except Exception as error:  # damage makes NumPy and zipfile raise many kinds of errors
        raise checkpoint_error(path, error) from None


def checkpoint_error(path: Path, error: Exception) -> ValueError:
    """Return an error with the reason why a checkpoint cannot be used."""
    return ValueError(f"{str(path)!r} is not a checkpoint of this run: {' '.join(str(error).split())}")


def check_same_options(
    path: Path, ours: Mapping[str, Any], theirs: Mapping[str, Any], changeable: Sequence[str] = ()
) -> None:
    """Check that a run can continue with given options.

    Args:
        path: The path of the run for the message.
        ours: The given options, as JSON values.
        theirs: The options of the run.
        changeable: The names of options that may differ.

    Raises:
        ValueError: An option has another value in the run. The message names the option.
    """
    missing = "(none)"
    differing = [
        f"{name}={theirs.get(name, missing)} (not {ours[name]})"
        for name in ours
        if name not in changeable and theirs.get(name, missing) != ours[name]
    ]
    if differing:
        raise ValueError(f"the run in {str(path)!r} has other options: {', '.join(differing)}")


def run_exists_error(path: Path) -> ValueError:
    """Return the error for a new run in a folder that contains a run."""
    return ValueError(f"there is a run in {str(path)!r} already: resume it (--resume), or choose another path")


def json_value(value: Any) -> Any:
    """Return the value of an option as a JSON value."""
    if isinstance(value, np.generic):
        return value.item()
    return [json_value(item) for item in value] if isinstance(value, tuple | list) else value


def _flat(config: Any) -> dict[str, Any]:
    if not isinstance(config, dict):
        raise TypeError("it has no options")
    return {**{name: config[name] for name in _RUN}, **config["options"]}


def _fixed(config: Mapping[str, Any], changeable: Sequence[str]) -> dict[str, Any]:
    """Return what is the same in all checkpoints of a run, as JSON values."""
    fixed: dict[str, Any] = json.loads(json.dumps(_flat(dict(config))))
    return {name: value for name, value in fixed.items() if name not in changeable}


def _versions() -> dict[str, str]:
    found = {"python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found
