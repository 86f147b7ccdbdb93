"""Set covering: the weights of the reports of 2022 for N = 5 to 1000, and those of our solvers.

It is the first lab of the course: its instances with seed 42, the table of the reports next to ours, and a figure.
Run it with ``python examples/set_covering.py``, which takes some twenty minutes, as N = 100 is hard to prove;
``--sizes 20 --seconds 1`` is a quick look.
It needs HiGHS and matplotlib: ``pip install -e ".[ilp,plot]"``.
"""

from pathlib import Path
from statistics import median

import click
import matplotlib.pyplot as plt
from rich.console import Console
from rich.table import Table

from ci_envs.optimisation import optimise, set_covering

PUBLISHED = {
    "reports' greedy": {5: 5, 10: 10, 20: 24, 100: 182, 500: 1_262, 1000: 2_878},
    "reports' genetic": {5: 5, 10: 10, 20: 24, 100: 202, 500: 1_610, 1000: 3_600},
    "course's greedy": {5: 5, 10: 13, 20: 46, 100: 332, 500: 2_162, 1000: 4_652},
    "course's hill climbing": {5: 5, 10: 10, 20: 29, 100: 219, 500: 1_548},
}
SIZES = (5, 10, 20, 100, 500, 1000)
OURS = {
    "overlap greedy": "greedy",
    "Chvatal's greedy": "greedy:rule=chvatal",
    "genetic": "covering_genetic",
    "hill climbing": "stochastic_hill_climbing",
    "annealing": "annealing",
    "tabu": "tabu",
    "row weighting": "row_weighting",
}
RANDOMISED = ("genetic", "hill climbing", "annealing", "tabu", "row weighting")


@click.command()
@click.option("--sizes", default=SIZES, multiple=True, type=click.IntRange(min=5), help="N, once or more.")
@click.option(
    "--seeds", default=5, show_default=True, type=click.IntRange(min=1), help="Seeds of each randomised solver."
)
@click.option("--seconds", default=10.0, show_default=True, help="Time limit of each run.")
@click.option("--ilp-seconds", default=60.0, show_default=True, help="Time limit of the integer linear program.")
@click.option("--output", default="runs/set_covering", show_default=True, type=click.Path(path_type=Path))
def main(sizes: tuple[int, ...], seeds: int, seconds: float, ilp_seconds: float, output: Path) -> None:
    """Solve each instance by each solver, print the table and draw the figure."""
    weights, bounds = {}, {}
    with Console(stderr=True).status("solving") as status:
        for size in sizes:
            problem = set_covering(size)
            for name, solver in OURS.items():
                status.update(f"N = {size}: {name}")
                runs = range(seeds if name in RANDOMISED else 1)
                found = [optimise(problem, solver, seed=seed, seconds=seconds) for seed in runs]
                weights[name, size] = median(result.value for result in found)
            status.update(f"N = {size}: integer linear program")
            exact = optimise(problem, "ilp", seconds=ilp_seconds)
            if not exact.optimal and size <= 100:
                status.update(f"N = {size}: branch and bound")
                exact = optimise(problem, "branch_and_bound")
            bounds[size] = exact
    Console().print(table_of(sizes, weights, bounds, seeds))
    output.mkdir(parents=True, exist_ok=True)
    draw(sizes, weights, bounds).savefig(output / "weights.png", dpi=150)
    print(output / "weights.png")


def table_of(sizes, weights, bounds, seeds):
    """Return the table of published weights, of ours, and of the proven bounds."""
    title = f"weights; ours are medians of {seeds} seeds for randomised solvers"
    table = Table("N", *map(str, sizes), title=title, title_justify="left")
    for column in table.columns[1:]:
        column.justify = "right"
    for name, published in PUBLISHED.items():
        table.add_row(name, *(f"{published[size]:,}" if size in published else "" for size in sizes))
    table.add_section()
    for name in OURS:
        table.add_row(name, *(f"{weights[name, size]:,.0f}" for size in sizes))
    table.add_section()
    found = [bounds[size] for size in sizes]
    table.add_row("optimum, proven", *(f"{best.value:,.0f}" if best.optimal else "" for best in found))
    table.add_row("best of the exact solver", *(f"{best.value:,.0f}" for best in found))
    table.add_row("lower bound", *(f"{best.bound:,.1f}" for best in found))
    gaps = [weights["row weighting", size] / bounds[size].bound - 1 for size in sizes]
    table.add_row("row weighting, above the bound", *(f"{gap:.1%}" for gap in gaps))
    return table


def draw(sizes, weights, bounds):
    """Plot the weight of each cover relative to N."""
    figure, axes = plt.subplots(figsize=(8, 4.5), layout="constrained")
    for name in OURS:
        axes.plot(sizes, [weights[name, size] / size for size in sizes], marker="o", markersize=4, label=name)
    for name, line in (("reports' genetic", "k:"), ("course's greedy", "k--")):
        known = [size for size in sizes if size in PUBLISHED[name]]
        axes.plot(known, [PUBLISHED[name][size] / size for size in known], line, label=name)
    proven = [size for size in sizes if bounds[size].optimal]
    axes.plot(proven, [bounds[size].value / size for size in proven], "k*", markersize=9, label="optimum, proven")
    axes.set(xscale="log", xlabel="N", ylabel="weight / N", title="Covers of the instances of the lab")
    axes.set_xticks(sizes, [str(size) for size in sizes])
    axes.minorticks_off()
    axes.grid(alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, fontsize=8, ncols=2)
    return figure


if __name__ == "__main__":
    main()
