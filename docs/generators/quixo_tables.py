"""Generator of the table of the classes of Quixo from ``docs/results/quixo_tables.json``."""

import json
from pathlib import Path

FILE = Path(__file__).parents[1] / "results" / "quixo_tables.json"


def class_table() -> str:
    """Return the numbers of won, drawn and lost states of each class that was computed."""
    classes = json.loads(FILE.read_text())["classes"]
    lines = ["| own cubes | opponent's cubes | won | drawn | lost |", "|---|---|---|---|---|"]
    lines += [
        f"| {row['own']} | {row['opponent']} | {row['win']:,} | {row['draw']:,} | {row['loss']:,} |" for row in classes
    ]
    return "\n".join(lines)


def sum_table() -> str:
    """Return the numbers of won, drawn and lost states by the number of cubes on the board."""
    sums: dict[int, list[int]] = {}
    for row in json.loads(FILE.read_text())["classes"]:
        total = sums.setdefault(row["own"] + row["opponent"], [0, 0, 0])
        for index, name in enumerate(("win", "draw", "loss")):
            total[index] += row[name]
    lines = ["| cubes | states | won | drawn | lost |", "|---|---|---|---|---|"]
    lines += [
        f"| {cubes} | {sum(counts):,} | "
        + " | ".join(f"{count:,} ({count / sum(counts):.1%})" for count in counts)
        + " |"
        for cubes, counts in sums.items()
    ]
    return "\n".join(lines)
