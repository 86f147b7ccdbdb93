"""Generator of tables from the measurements in ``docs/results/tables``.

A file has the columns, the rows, and the command and the date of a measurement, or the JSON of ``ci-envs compare``.
"""

import json
from pathlib import Path
from typing import Any

from ci_envs.arena.proportion import Proportion

FOLDER = Path(__file__).parents[1] / "results" / "tables"


def measured_table(name: str) -> str:
    """Return the table of a measurement in Markdown, and the line with its command.

    Args:
        name: The name of the file without its ending.
    """
    found = json.loads((FOLDER / f"{name}.json").read_text())
    if "pairs" in found:
        return _comparison_table(found)
    return f"{markdown_table(found['columns'], found['rows'])}\n\n`{found['command']}`, {found['date']}"


def _comparison_table(found: dict[str, Any]) -> str:
    """Return a table of the ratings and the scores of the results of ``ci-envs compare --json``."""
    rows = sorted(found["agents"], key=lambda row: -row["elo"])
    names = [row["agent"] for row in rows]
    sides = [(*pair["sides"], *pair["sides"][::-1]) for pair in found["pairs"]]
    scores = {(side["agent"], other["agent"]): side["score"] for pair in sides for side, other in (pair[:2], pair[2:])}
    cells = [
        [f"`{row['agent']}`", f"{row['elo']:+.0f}", *_accuracy(row)]
        + ["" if other == row["agent"] else f"{scores[row['agent'], other]:.0%}" for other in names]
        for row in rows
    ]
    graded = ["keeps value"] if "accuracy" in rows[0] else []
    heads = ["agent", "Elo", *graded, *(f"against {number}" for number in range(1, len(names) + 1))]
    options = f"--random-plies {found['random_plies']} --games {found['games']} --seed {found['seed']}"
    agents = " ".join(row["agent"] for row in found["agents"])
    command = f"ci-envs compare {found['environment']} {agents} {options}"
    note = "*Against 1* is the agent's share of the points in the games against the agent of the first row, and so on."
    return f"{markdown_table(heads, cells)}\n\n{note}\n`{command}`"


def _accuracy(row: dict[str, Any]) -> list[str]:
    if "accuracy" not in row:
        return []
    share = row["accuracy"]["everywhere"]
    return [Proportion(share["keeping"], share["decisions"]).counted_text(digits=1)]


def markdown_table(heads: list[str], rows: list[list[str]]) -> str:
    """Return a table in Markdown."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
