"""The black-box bit string: best fitness, generation and calls of the report of 2023, and of our solvers.

It is the ninth laboratory of the course: problems 1, 2, 5 and 10 with 1000 loci, the report's table beside ours, and a
figure. Run it with ``python examples/bit_string.py``, in a minute or two; ``--seeds 1 --calls 2000`` gives a quick
look. It needs matplotlib: ``pip install -e ".[plot]"``.
"""

from pathlib import Path
from statistics import median

import click
import matplotlib.pyplot as plt
from rich.console import Console
from rich.table import Table

from ci_envs.optimisation import BitString, optimise

PROBLEMS = (1, 2, 5, 10)
PUBLISHED = {  # fitness with parents by fitness, and by the count of ones, in 13,000 to 26,400 calls
    1: (0.924, 0.921),
    2: (0.55, 0.91),
    5: (0.2275, 0.7149),
    10: (0.2537, 0.5242),
}
GENERATION = 50  # calls of a generation of ``genetic``
OURS = {
    "genetic, parents by fitness": "genetic:parents=fitness",
    "genetic, parents by ones": "genetic:parents=ones",
    "(1+1)-EA": "one_plus_one",
    "hill climbing": "random_restart_hill_climbing",
    "UMDA": "umda",
    "linkage": "linkage",
}


@click.command()
@click.option("--seeds", default=10, show_default=True, type=click.IntRange(min=1), help="Of each solver.")
@click.option("--calls", default=13_000, show_default=True, type=click.IntRange(min=100), help="Of each run, at most.")
@click.option("--output", default="runs/bit_string", show_default=True, type=click.Path(path_type=Path))
def main(seeds: int, calls: int, output: Path) -> None:
    """Solve each problem by each solver, print the table and draw the figure."""
    results = {}
    with Console(stderr=True).status("solving") as status:
        for problem in PROBLEMS:
            for name, solver in OURS.items():
                status.update(f"problem {problem}: {name}")
                limited = f"{solver}{',' if ':' in solver else ':'}calls={calls}"
                results[problem, name] = [optimise(BitString(problem), limited, seed=seed) for seed in range(seeds)]
    Console().print(table_of(results, seeds, calls))
    output.mkdir(parents=True, exist_ok=True)
    draw(results).savefig(output / "fitness.png", dpi=150)
    print(output / "fitness.png")


def table_of(results, seeds, calls):
    """The report's figures, and medians of ours."""
    title = f"best fitness and the call that reached it, medians of {seeds} seeds, at most {calls:,} calls"
    table = Table(title=title, title_justify="left")
    for column in ("problem", "solver", "fitness", "generation", "calls", "report's fitness"):
        table.add_column(column, justify="left" if column == "solver" else "right")
    for problem in PROBLEMS:
        for number, name in enumerate(OURS):
            runs = results[problem, name]
            reached = median(result.history[-1][0] for result in runs)
            table.add_row(
                str(problem) if number == 0 else "",
                name,
                f"{median(result.value for result in runs):.4f}",
                f"{reached / GENERATION:,.0f}" if name.startswith("genetic") else "",
                f"{reached:,.0f}",
                f"{PUBLISHED[problem][number]:.4f}" if number < len(PUBLISHED[problem]) else "",
            )
        table.add_section()
    return table


def draw(results):
    """The best fitness after so many calls, the first seed of each solver."""
    figure, grid = plt.subplots(2, 2, figsize=(10, 6.5), sharey=True, layout="constrained")
    for problem, axes in zip(PROBLEMS, grid.flat, strict=True):
        for name in OURS:
            run = results[problem, name][0]
            calls, values = [call for call, _, _ in run.history], [value for _, _, value in run.history]
            axes.plot([*calls, run.work], [*values, values[-1]], drawstyle="steps-post", label=name)
        axes.set(title=f"problem {problem}", xlabel="calls", ylabel="best fitness", xscale="log")
        axes.label_outer()
        axes.grid(alpha=0.3)
        axes.spines[["top", "right"]].set_visible(False)
    figure.legend(*grid.flat[0].get_legend_handles_labels(), loc="outside lower center", ncols=3, frameon=False)
    return figure


if __name__ == "__main__":
    main()
