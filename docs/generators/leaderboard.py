"""Generator of the table of the leaderboard from the entries in ``docs/leaderboard``."""

import math
import tomllib
from html import escape
from pathlib import Path
from typing import Any

from ci_envs.suites import grade
from ci_envs.suites.leaderboard import read_entry

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs" / "leaderboard"

_NEVER = -1000  # sorts cells without a value last


def entries() -> dict[str, dict[str, Any]]:
    """Return the entries by the names of their files, best first. Agents that do not play all environments are last."""
    found = {path.name: read_entry(path) for path in sorted(FOLDER.glob("*.json"))}
    most = max(len(entry["grades"]) for entry in found.values())
    for entry in found.values():
        entry["complete"] = len(entry["grades"]) == most
    order = sorted(found.items(), key=lambda item: (not item[1]["complete"], -item[1]["total"]["mean"]))
    return dict(order)


def by_game(entry: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """Return the grades of an entry for each game, without the parameters of the environments."""
    return grade.by_game((row["environment"], row) for row in entry["grades"])


def mean_skill(rows: list[dict[str, Any]]) -> float:
    """Return the mean skill of some grades."""
    return sum(row["skill"]["mean"] for row in rows) / len(rows)


def mean_milliseconds(rows: list[dict[str, Any]]) -> float:
    """Return the geometric mean of the milliseconds a decision of some grades."""
    return math.exp(sum(math.log(row["milliseconds"]["mean"]) for row in rows) / len(rows))


def leaderboard_table() -> str:
    """Return the sortable table as HTML."""
    found = entries()
    games = list(dict.fromkeys(game for entry in found.values() for game in by_game(entry)))
    heads = ["agent", "total", *(game.removesuffix("-v0") for game in games), "ms", "positions", "CPU seconds", "date"]
    lines = ['<table class="sortable">', _row("th", [(head, None) for head in heads], head=True), "<tbody>"]
    lines += [_row("td", _cells(name, entry, games)) for name, entry in found.items()]
    machines = sorted({entry["machine"] for entry in found.values()})
    return "\n".join([*lines, "</tbody>", "</table>"]) + f"\n\nMachine: {'; '.join(machines)}."


def _cells(name: str, entry: dict[str, Any], games: list[str]) -> list[tuple[str, float | None]]:
    """Return the text of each cell, and the number by which it is sorted, or None if it is sorted by its text."""
    rows, total = by_game(entry), entry["total"]
    link = f'<a href="{_repository()}/blob/main/docs/leaderboard/{name}">{escape(entry["agent"])}</a>'
    text = f"{total['mean']:.1f} ±{total['margin']:.1f}" if entry["complete"] else ""
    cells: list[tuple[str, float | None]] = [(link, None), (text, total["mean"] if entry["complete"] else _NEVER)]
    for game in games:
        skill = mean_skill(rows[game]) if game in rows else None
        cells.append(("" if skill is None else f"{skill:.1f}", _NEVER if skill is None else skill))
    milliseconds = mean_milliseconds(entry["grades"])
    positions = sum(row["all"]["everywhere"]["positions"] for row in entry["grades"])
    cells += [(f"{milliseconds:.2g}", milliseconds), (f"{positions:,}", positions)]
    return [*cells, (f"{entry['processor_seconds']:.0f}", entry["processor_seconds"]), (entry["date"], None)]


def _row(tag: str, cells: list[tuple[str, float | None]], *, head: bool = False) -> str:
    columns = "".join(
        f"<{tag}>{text}</{tag}>" if key is None else f'<{tag} data-sort="{key:g}">{text}</{tag}>' for text, key in cells
    )
    return f"<thead><tr>{columns}</tr></thead>" if head else f"<tr>{columns}</tr>"


def _repository() -> str:
    return str(tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["urls"]["Repository"])
