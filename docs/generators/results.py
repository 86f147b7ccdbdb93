"""Generator of tables from the measurements in ``docs/results/tables``.

A file of a table contains the columns, the rows, and the command and the date of the measurement.
"""

import json
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "results" / "tables"


def measured_table(name: str) -> str:
    """Return the table of a measurement in Markdown, and the line with its command and date.

    Args:
        name: The name of the file without its ending.
    """
    found = json.loads((FOLDER / f"{name}.json").read_text())
    return f"{markdown_table(found['columns'], found['rows'])}\n\n`{found['command']}`, {found['date']}"


def markdown_table(heads: list[str], rows: list[list[str]]) -> str:
    """Return a table in Markdown."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
