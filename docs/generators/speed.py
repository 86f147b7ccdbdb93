"""Generator of the table of the benchmarks from ``docs/results/speed.json``."""

import json
from pathlib import Path

FILE = Path(__file__).parents[1] / "results" / "speed.json"


def speed_table() -> str:
    """Return the table of all rows, with the command, and the machine and the date of each row."""
    results = json.loads(FILE.read_text())
    machines = list(dict.fromkeys(row["machine"] for row in results["rows"]))
    names = [f"machine {number}: {machine}" for number, machine in enumerate(machines, 1)]
    source = f"`{results['command']}`; {'; '.join(names)}."
    lines = ["| task | library or agent | measured | ratio | date | machine |", "|---|---|---|---|---|---|"]
    group = ""
    for row in results["rows"]:
        name = f"*{row['name']}*" if row["peer"] else row["name"]
        first = row["group"] if row["group"] != group else ""
        measured = f"{row['date']} | {machines.index(row['machine']) + 1}"
        lines.append(f"| {first} | {name} | {row['measured']} | {row['ratio']} | {measured} |")
        group = row["group"]
    return f"{source}\n\n" + "\n".join(lines)
