"""The table of the benchmarks, from ``docs/results/speed.json``."""

import json
from pathlib import Path

FILE = Path(__file__).parents[1] / "results" / "speed.json"


def speed_table() -> str:
    """Return the table of all rows, with the machine, the date and the command."""
    found = json.loads(FILE.read_text())
    source = f"`{found['command']}`, {found['date']}, {found['machine']}."
    lines = ["| work | of | measured | ratio |", "|---|---|---|---|"]
    group = ""
    for row in found["rows"]:
        name = f"*{row['name']}*" if row["peer"] else row["name"]
        first = row["group"] if row["group"] != group else ""
        lines.append(f"| {first} | {name} | {row['measured']} | {row['ratio']} |")
        group = row["group"]
    return f"{source}\n\n" + "\n".join(lines)
