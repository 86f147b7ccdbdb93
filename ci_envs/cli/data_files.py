"""The options ``--json`` and ``--csv`` of commands: results as data, in files or on standard output."""

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext, redirect_stdout
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any, TextIO

import click

from ci_envs.cli.errors import write_each
from ci_envs.cli.options import file_option
from ci_envs.storage.files import csv_text, encodable, write_whole

_STDOUT = Path("-")


@dataclass(frozen=True)
class DataFiles:
    """The files to which a command writes its results.

    Attributes:
        json: The file of ``--json``, ``-`` for standard output, or None.
        csv: The file of ``--csv``, ``-`` for standard output, or None.
        stdout: Standard output, or None if it is closed.
    """

    json: Path | None
    csv: Path | None
    stdout: TextIO | None

    @property
    def on_stdout(self) -> bool:
        """Whether the data goes to standard output. Then what else is printed, also by agents, goes to stderr."""
        return _STDOUT in (self.json, self.csv)

    def write(self, data: Any, rows: Sequence[Mapping[str, Any]] | None = None) -> None:
        """Write the results to each requested file.

        Args:
            data: The content of the JSON file.
            rows: The rows of the CSV file. None means that ``data`` is the sequence of rows.
        """
        table = data if rows is None else rows
        write_each(
            lambda: self._write(self.json, lambda: json.dumps(data, indent=2, allow_nan=False) + "\n"),
            lambda: self._write(self.csv, lambda: csv_text(_table(table))),
        )

    def _write(self, path: Path | None, make: Callable[[], str]) -> None:
        if path is None:
            return
        text = encodable(make())
        if path != _STDOUT:
            write_whole(path, text.encode())
        elif self.stdout is None:
            raise OSError("standard output is closed")
        else:
            click.echo(text, self.stdout, nl=False)


def data_options(results: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return a decorator that adds ``--json FILE`` and ``--csv FILE`` to a command.

    The command receives both in its argument ``data_files``, a :class:`DataFiles`.

    Args:
        results: The name of the data for the help, for example ``all results``.
    """
    json_option = file_option(
        "json_path", "--json", help=f"Write {results} to FILE as JSON; - prints JSON instead of tables.", on_stdout=True
    )
    csv_option = file_option(
        "csv_path", "--csv", help=f"Write {results} to FILE as CSV; - prints CSV instead of tables.", on_stdout=True
    )

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        @wraps(command)
        def with_data_files(*, json_path: Path | None, csv_path: Path | None, **options: Any) -> None:
            if json_path == csv_path == _STDOUT:
                raise click.UsageError("--json - and --csv - both print the results: write one of them to a file.")
            # an agent can change the current folder before the files are written
            json, csv = (path if path in (None, _STDOUT) else path.absolute() for path in (json_path, csv_path))
            files = DataFiles(json, csv, sys.stdout)
            with redirect_stdout(sys.stderr) if files.on_stdout else nullcontext():
                command(data_files=files, **options)

        with_options: Callable[..., None] = json_option(csv_option(with_data_files))
        return with_options

    return decorate


def _table(rows: Sequence[Mapping[str, Any]]) -> list[list[Any]]:
    """Return a header and the cells of each row. A cell is empty if its row has no value for the column."""
    flat = [dict(_cells(row)) for row in rows]
    header = list(dict.fromkeys(name for row in flat for name in row))
    return [header, *([row.get(name) for name in header] for row in flat)]


def _cells(row: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the column and the value of each cell of a row: ``{"a": {"b": 1}}`` gives 1 in the column ``a_b``."""
    for name, value in row.items():
        if isinstance(value, Mapping):
            yield from _cells(value, f"{prefix}{name}_")
        else:
            yield prefix + name, " ".join(map(str, value)) if isinstance(value, list) else value
