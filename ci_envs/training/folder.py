"""The folder of a run: its options, its checkpoint, its learning curve and its best agent."""

import json
import platform
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

from ci_envs.storage.arrays import read_arrays, write_arrays
from ci_envs.storage.files import temporary_name, write_csv, write_whole
from ci_envs.training.trainer import TrainerState

CONFIG, CHECKPOINT, CURVE = "config.json", "checkpoint.npz", "curve.csv"
"""The files of every run; the best agent is in a file ``best.*``."""

_FORMAT = "ci_envs checkpoint 1"
_PACKAGES = ("ci-envs", "numpy", "numba", "torch", "stable-baselines3")

Row = Mapping[str, int | float]
"""A row of a learning curve, by the names of the columns."""


@dataclass(frozen=True)
class RunRecord:
    """The progress of a run, without the state of the trainer.

    Attributes:
        seconds: wall-clock time of the training in all sessions.
        logged: the trainer's ``count`` in the last row of the curve.
        measured: the trainer's ``done`` at the last measurement.
        curve: the learning curve.
        has_best: whether there is a best agent yet.
    """

    seconds: float = 0.0
    logged: int = 0
    measured: float = 0.0
    curve: tuple[Row, ...] = ()
    has_best: bool = False


class RunFolder:
    """The files of a run. Each is written whole or not at all."""

    def __init__(self, path: Path, best_file: str) -> None:
        self.path = path
        self.best = path / best_file
        self._config, self._checkpoint = path / CONFIG, path / CHECKPOINT

    @property
    def has_run(self) -> bool:
        """Whether a run began here."""
        return self._config.exists()

    @property
    def has_checkpoint(self) -> bool:
        """Whether there is a checkpoint to continue from."""
        return self._checkpoint.exists()

    def write_config(self, config: Mapping[str, Any]) -> None:
        """Write what is trained, and the versions that train it, to a folder that is made if needed."""
        self.path.mkdir(parents=True, exist_ok=True)
        for unfinished in self.path.glob(temporary_name("*", "*")):
            unfinished.unlink()
        text = json.dumps({**config, "versions": _versions()}, indent=1)
        write_whole(self._config, f"{text}\n".encode())

    def check_config(self, config: Mapping[str, Any], changeable: Sequence[str]) -> None:
        """Check that the run in the folder has the same options.

        Args:
            config: what is to be trained: plain values, and ``options`` with plain values by name.
            changeable: names of options that may differ.

        Raises:
            ValueError: there is no run, it cannot be read, or it has other options; the message names them.
            OSError: the file cannot be read.
        """
        if not self.has_run:
            raise ValueError(f"there is no run in {str(self.path)!r} to resume")
        try:
            ours, theirs = _flat(json.loads(json.dumps(config))), _flat(json.loads(self._config.read_text()))
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(f"{str(self._config)!r} is no config of a run: {error}") from None
        check_same_options(self.path, ours, theirs, changeable)

    def write_checkpoint(self, record: RunRecord, state: TrainerState) -> None:
        """Write all that is needed to continue."""
        about = {"record": vars(record), "values": dict(state.values)}
        write_arrays(self._checkpoint, _FORMAT, about, state.arrays)

    def read_checkpoint(self) -> tuple[RunRecord, TrainerState]:
        """Read a checkpoint. Nothing is unpickled.

        Raises:
            ValueError: it is damaged, something else, or of another version.
            OSError: it cannot be read.
        """
        with reading(self._checkpoint):
            about, arrays = read_arrays(self._checkpoint, _FORMAT)
            record = RunRecord(**{**about["record"], "curve": tuple(about["record"]["curve"])})
            return record, TrainerState(about["values"], arrays)

    def damage(self, error: Exception) -> ValueError:
        """Return the error that says why the checkpoint cannot be used."""
        return damage(self._checkpoint, error)

    def write_curve(self, rows: Sequence[Row]) -> None:
        """Write the learning curve as CSV; a cell is empty where a row has no value."""
        columns = list(dict.fromkeys(name for row in rows for name in row))
        write_csv(self.path / CURVE, [columns, *([row.get(name, "") for name in columns] for row in rows)])


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Turn what a damaged checkpoint raises into one line.

    Raises:
        ValueError: the body raised any exception but an OSError.
        OSError: the body raised one.
    """
    try:
        yield
    except OSError:
        raise
    except Exception as error:  # damage makes NumPy and zipfile raise many kinds of errors
        raise damage(path, error) from None


def damage(path: Path, error: Exception) -> ValueError:
    """Return the error that says why a checkpoint cannot be used."""
    return ValueError(f"{str(path)!r} is no checkpoint of this run: {error}")


def check_same_options(
    path: Path, ours: Mapping[str, Any], theirs: Mapping[str, Any], changeable: Sequence[str] = ()
) -> None:
    """Check that a run can continue with given options.

    Args:
        path: of the run, for the message.
        ours: the options now, as JSON holds them.
        theirs: the options of the run.
        changeable: names of options that may differ.

    Raises:
        ValueError: an option has another value in the run; the message names it.
    """
    missing = "(none)"
    differing = [
        f"{name}={theirs.get(name, missing)} (not {ours[name]})"
        for name in ours
        if name not in changeable and theirs.get(name, missing) != ours[name]
    ]
    if differing:
        raise ValueError(f"the run in {str(path)!r} has other options: {', '.join(differing)}")


def already_there(path: Path) -> ValueError:
    """Return the error for a new run where there is a run already."""
    return ValueError(f"there is a run in {str(path)!r} already: resume it (--resume), or choose another path")


def plain(value: Any) -> Any:
    """Return a value of an option as JSON holds it."""
    if isinstance(value, np.generic):
        return value.item()
    return [plain(one) for one in value] if isinstance(value, tuple | list) else value


def _flat(config: Any) -> dict[str, Any]:
    if not isinstance(config, dict):
        raise TypeError("it has no options")
    named = {name: value for name, value in config.items() if name not in ("options", "versions")}
    return {**named, **config["options"]}


def _versions() -> dict[str, str]:
    found = {"python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found
