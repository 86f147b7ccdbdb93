"""Generator of the table of the benchmarks from ``docs/results/speed.json``."""

import json
from pathlib import Path

FILE = Path(__file__).parents[1] / "results" / "speed.json"


def speed_table() -> str:
    """Return the table of all rows, with the machine, the date and the command."""
    results = json.loads(FILE.read_text())
    source = f"`{results['command']}`, {results['date']}, {results['machine']}."
    lines = ["| task | library or agent | measured | ratio |", "|---|---|---|---|"]
    group = ""
    for row in results["rows"]:
        name = f"*{row['name']}*" if row["peer"] else row["name"]
        first = row["group"] if row["group"] != group else ""
        lines.append(f"| {first} | {name} | {row['measured']} | {row['ratio']} |")
        group = row["group"]
    return f"{source}\n\n" + "\n".join(lines)
