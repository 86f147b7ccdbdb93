"""The measured rows as a table and as plain data, and their comparison with an earlier run."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rich import box
from rich.table import Table

from benchmarks.rows import Row
from ci_envs.machine import machine

COMMAND = "python -m benchmarks --json docs/results/speed.json"

LEAST_SPEED = 0.9
"""A row is marked if its speed divided by its speed in the earlier run is less than this."""


class Earlier:
    """The rows of an earlier run on the same machine."""

    def __init__(self, file: Path) -> None:
        """Read the file of a run.

        Raises:
            ValueError: the file has no results of the benchmarks, or they are from another machine.
            OSError: the file cannot be read.
        """
        try:
            rows = json.loads(file.read_text())["rows"]
            self._values = {(row["group"], row["name"]): float(row["value"]) for row in rows}
            machines = {row["machine"] for row in rows}
        except (ValueError, TypeError, KeyError) as error:
            raise ValueError(f"{file} is not a file of `python -m benchmarks --json FILE`: {error!r}") from None
        if machines != {machine()}:
            raise ValueError(f"{file} is from {', '.join(sorted(machines))}, but this machine is {machine()}")

    def speed(self, row: Row, value: float) -> float | None:
        """Return the speed of a row divided by its earlier speed, or None if the row is new."""
        earlier = self._values.get((row.group, row.name))
        if earlier is None:
            return None
        return earlier / value if row.unit == "s" else value / earlier

    def slower(self, measured: Mapping[Row, float]) -> list[Row]:
        """Return the rows that are slower than :data:`LEAST_SPEED` times their earlier speed."""
        speeds = {row: self.speed(row, value) for row, value in measured.items()}
        return [row for row, speed in speeds.items() if speed is not None and speed < LEAST_SPEED]


def results(measured: Mapping[Row, float]) -> dict[str, Any]:
    """Return the measured rows as plain data. Each row has the date and the machine of its measurement."""
    source = {"date": datetime.now(UTC).date().isoformat(), "machine": machine()}
    rows = [
        {
            "group": row.group,
            "name": row.name,
            "value": value,
            "unit": row.unit,
            "measured": quantity(value, row.unit),
            "ratio": _ratio(row, measured),
            "peer": row.peer,
            "cores": row.cores,
            **source,
        }
        for row, value in measured.items()
    ]
    return {"command": COMMAND, "rows": rows}


def table(measured: Mapping[Row, float], earlier: Earlier | None = None) -> Table:
    """Return the table of the measured rows, with their speed relative to an earlier run if there is one."""
    shown = Table(title=f"one thread, medians, {machine()}", title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    for column in ("", "", "measured", "ratio", *(["to earlier"] if earlier else [])):
        shown.add_column(column, justify="right" if column else "left", no_wrap=True)
    group = ""
    for row, value in measured.items():
        if row.group != group and group:
            shown.add_section()
        change = [_change(earlier.speed(row, value))] if earlier else []
        name = row.group if row.group != group else ""
        shown.add_row(name, row.name, quantity(value, row.unit), _ratio(row, measured), *change)
        group = row.group
    return shown


def quantity(value: float, unit: str) -> str:
    """Return a value with its unit, for example ``1.24 M/s``."""
    prefixes = ((1e6, "M"), (1e3, "k"), (1.0, ""), (1e-3, "m"), (1e-6, "µ"))
    size, prefix = next((pair for pair in prefixes if value >= pair[0]), prefixes[-1])
    return f"{value / size:.2f} {prefix}{unit}"


def _change(speed: float | None) -> str:
    if speed is None:
        return "new"
    return f"{speed:.2f}" + (" slower" if speed < LEAST_SPEED else "")


def _ratio(row: Row, measured: Mapping[Row, float]) -> str:
    peer = next((other for other in measured if other.peer and other.group == row.group), None)
    if peer is None:
        return ""
    times = measured[row] / measured[peer]
    return f"{1 / times if row.unit == 's' else times:.1f}"
