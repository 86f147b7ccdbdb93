"""Evolved Nim against the exact expert: two genes by roulette and by tournament, and named rules with probabilities.

It draws the figures of the course's report for ``nim_ga``, measures the best that evolves against the expert, and works
out what combinations of plain rules can win at all. Run it with ``python examples/nim_evolution.py``;
``--generations 3 --runs 2 --games 20`` gives a quick look. It needs matplotlib: ``pip install -e ".[plot]"``.

Shares won are exact, by :mod:`ci_envs.agents.nim.analysis`: against an expert that wins what it can, and else plays at
random.
"""

from pathlib import Path

import click
import matplotlib.pyplot as plt
import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table

from ci_envs import Nim, make_agent
from ci_envs.agents.nim import evolved as nim_evolved
from ci_envs.agents.nim import genetic as nim_ga
from ci_envs.agents.nim.analysis import NimAnalysis
from ci_envs.agents.nim.rules import FIXED_RULES
from ci_envs.agents.nim.training import NimGATrainer
from ci_envs.training import train
from ci_envs.training.learners import make_config
from ci_envs.training.trainer import Task

REPORTED = 0.41
FEATURES = ("odd", "single")
SIZES = (Nim((1, 3, 5, 7)), Nim((1, 3, 5, 7, 9)))
OTHERS = (Nim((1, 3, 5, 7), 3), Nim((1, 3, 5, 7), 4), Nim((1, 3, 5, 7), None, True))
COLOURS = {"roulette": "#a8524a", "tournament": "#4a7a58"}


@click.command()
@click.option("--generations", default=40, show_default=True, type=click.IntRange(min=1))
@click.option("--runs", default=20, show_default=True, type=click.IntRange(min=1), help="Of each selection.")
@click.option("--games", default=200, show_default=True, type=click.IntRange(min=1), help="Of a genome, a generation.")
@click.option("--output", default="runs/nim_evolution", show_default=True, type=click.Path(path_type=Path))
def main(generations, runs, games, output):
    """Evolve, draw the figures, print the tables and what they show."""
    console = Console()
    console.width = max(console.width, 120)  # as wide as the tables
    output.mkdir(parents=True, exist_ok=True)
    histories = {selection: histories_of(selection, generations, runs, games) for selection in COLOURS}
    for name, draw in (("epochs", epochs), ("wins_over_diversity", wins_over_diversity)):
        draw(histories).savefig(output / f"{name}.png", dpi=150)
        console.print(str(output / f"{name}.png"), highlight=False)
    console.print(selections_table(histories))
    champions = {game: evolved(game, generations, games, output) for game in SIZES}
    console.print(shares_table(champions))
    for game in SIZES:
        console.print(kept_table(game))
    console.print(limits_table())
    console.print("[bold]What this shows[/bold]", highlight=False)
    for sentence in findings(histories, champions):
        console.print(f"- {sentence}", highlight=False, markup=False)


def histories_of(selection, generations, runs, games):
    """The statistics of each generation of some runs of ``nim_ga``, (runs, generations + 1, columns)."""
    config = make_config(NimGATrainer, SIZES[0], {"selection": selection, "games": games, "generations": generations})
    histories = []
    for seed in range(runs):
        evolution = NimGATrainer(Task("Nim-v0", SIZES[0], None, seed), config).evolution
        for _ in range(generations + 1):
            evolution.advance()
        histories.append(evolution.history)
    return np.array(histories, dtype=float)


BEST, MEAN, DIVERSITY = 2, 3, 4  # columns of a history


def epochs(histories):
    """Wins and diversity per epoch."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4), layout="constrained")
    for selection, history in histories.items():
        for axes, column in ((left, MEAN), (right, DIVERSITY)):
            low, middle, high = np.quantile(history[:, :, column], (0.1, 0.5, 0.9), axis=0)
            axes.fill_between(np.arange(len(middle)), low, high, color=COLOURS[selection], alpha=0.2, linewidth=0)
            axes.plot(middle, color=COLOURS[selection], label=selection)
        best, style = np.median(history[:, :, BEST], axis=0), {"roulette": "--", "tournament": ":"}[selection]
        left.plot(best, style, color=COLOURS[selection], linewidth=2, label=f"{selection}, the best")
    left.set(title="Wins per epoch, mean of the population", xlabel="epoch", ylabel="share won", ylim=(0, 1.03))
    right.set(title="Diversity per epoch", xlabel="epoch", ylabel="mean distance of two genomes", ylim=(0, None))
    left.legend(loc="lower right", frameon=False)
    right.legend(frameon=False)
    for axes in (left, right):
        axes.spines[["top", "right"]].set_visible(False)
    return figure


def wins_over_diversity(histories):
    """The paths that the populations take, a panel for each selection."""
    figure, grid = plt.subplots(1, len(histories), figsize=(11, 4), sharex=True, sharey=True, layout="constrained")
    for axes, (selection, history) in zip(grid, histories.items(), strict=True):
        for path in history:
            axes.plot(path[:, DIVERSITY], path[:, MEAN], color=COLOURS[selection], alpha=0.2, linewidth=0.8)
        middle = np.median(history, axis=0)
        axes.plot(middle[:, DIVERSITY], middle[:, MEAN], ".-", color=COLOURS[selection], label="median of the runs")
        for epoch, place in ((0, "first epoch"), (len(middle) - 1, "last epoch")):
            axes.plot(middle[epoch, DIVERSITY], middle[epoch, MEAN], "os"[epoch > 0], color="black", label=place)
        axes.set(title=f"Wins over diversity, {selection}", xlabel="mean distance of two genomes")
        axes.spines[["top", "right"]].set_visible(False)
        axes.legend(frameon=False)
    grid[0].set_ylabel("share won, mean of the population")
    return figure


def selections_table(histories):
    """How the two ways of selection end."""
    table = table_with(
        f"nim_ga on {rows_of(SIZES[0])}: medians of {len(next(iter(histories.values())))} runs, won starts, the expert",
        ["selection", "wins at first", "wins at the end", "best at the end", "diversity at first", "at the end"],
    )
    for selection, history in histories.items():
        first, last = np.median(history[:, 0], axis=0), np.median(history[:, -1], axis=0)
        numbers = (first[MEAN], last[MEAN], last[BEST], first[DIVERSITY], last[DIVERSITY])
        table.add_row(selection, *(f"{number:.3f}" for number in numbers))
    return table


def evolved(game, generations, games, output):
    """The exact shares won by what evolves: a dictionary from what it is to (all won starts, the start)."""
    environment = f"Nim-v0:heaps={rows_of(game)}"
    folder = output / rows_of(game).replace(",", "_")
    learners = {
        "nim_ga, two genes": ("nim_ga", {}),
        "nim_evolved, one gene": ("nim_evolved", {"rules": ("max_lowest", "max_highest"), "features": None}),
        "nim_evolved, 6 rules": ("nim_evolved", {}),
        "nim_evolved, with nim_sum": ("nim_evolved", {"rules": (*FIXED_RULES, "nim_sum")}),
    }
    shares = {}
    for number, (name, (learner, options)) in enumerate(learners.items()):
        where = folder / str(number)
        length = generations * (3 if number >= 2 else 1)  # these have twenty genes and more
        given = {"generations": length, "games": games, "measurements": 1, **options}
        spec = train(learner, environment, output=where, resume=where.exists(), **given)
        shares[name] = NimAnalysis(game).share_won(chances_of(make_agent(spec, game), game))
    return shares


def chances_of(agent, game):
    """How likely an agent plays each action in each position."""
    analysis = NimAnalysis(game)
    chances = np.zeros((analysis.count, game.action_count))
    if isinstance(agent, nim_ga.NimGAAgent):
        chances[1:] = nim_ga.action_chances(game, agent.genome, analysis.words[1:])
    else:
        chances[1:] = nim_evolved.action_chances(game, agent.genome_policy, agent.genome, analysis.words[1:])
    return chances


def shares_table(champions):
    """What evolved rules win against the expert, beside what any combination can."""
    columns = [f"{rows_of(game)}:\n{column}" for game in champions for column in ("all won starts", "the start")]
    table = table_with("Per cent won against the expert, exactly (report: 41)", ["", *columns])
    for name in next(iter(champions.values())):
        table.add_row(name, *(f"{100 * share:.1f}" for shares in champions.values() for share in shares[name]))
    table.add_section()
    for name, share_of in (
        (f"best of {len(FIXED_RULES) ** 4:,} mappings, 6 rules", best_mapping),
        ("the best of the 6 rules anew in each position", lambda game: NimAnalysis(game).ceiling(FIXED_RULES)),
        ("random", lambda game: NimAnalysis(game).share_won(NimAnalysis(game).chances_of(["random"])[0])),
    ):
        table.add_row(name, *(f"{100 * share:.1f}" for game in champions for share in share_of(game)))
    return table


def best_mapping(game):
    """The largest shares that a mapping from features to the plain rules wins."""
    return NimAnalysis(game).mappings(FIXED_RULES, FEATURES).max(axis=0)


def kept_table(game):
    """How many won starts each rule is sure to keep, by features."""
    rules = (*FIXED_RULES, "nim_sum")
    starts, kept = NimAnalysis(game).table(rules, FEATURES)
    table = table_with(
        f"{rows_of(game)}: won starts that a rule is sure to keep",
        ["number of rows", "rows above 1", "won starts", *(rule.replace("_", "\n", 1) for rule in rules)],
    )
    for number, (count, row) in enumerate(zip(starts, kept, strict=True)):
        names = "odd" if number & 1 else "even", "one" if number & 2 else "none or more"
        table.add_row(*names, str(count), *map(str, row))
    return table


def limits_table():
    """What mappings from features to rules can win, in all the games."""
    table = table_with(
        "Per cent won from all won starts against the expert, at most",
        ["game", "rules", "a mapping", "the best anew", "won starts", "in which no rule wins"],
    )
    for game in (*SIZES, *OTHERS):
        analysis = NimAnalysis(game)
        for name, rules in (("6 plain", FIXED_RULES), ("and nim_sum", (*FIXED_RULES, "nim_sum"))):
            mapped = analysis.mappings(rules, FEATURES)[:, 0].max()
            best = analysis.ceiling(rules)[0]
            hopeless = len(analysis.hopeless(rules))
            shares = f"{100 * mapped:.1f}", f"{100 * best:.1f}"
            title = described(game) if rules == FIXED_RULES else ""
            table.add_row(title, name, *shares, f"{analysis.starts.sum():,}", f"{hopeless:,}")
    return table


def findings(histories, champions):
    """Sentences about what was learned."""
    yield from of_selection(histories)
    for game, shares in champions.items():
        best = max(shares, key=lambda name: shares[name][0])
        yield (
            f"{rows_of(game)}: the best that evolved, {best}, wins {shares[best][0]:.1%} from all won starts, and"
            f" {shares[best][1]:.1%} from the start of the game in the seat that wins; the report has {REPORTED:.0%}."
        )
    for game in SIZES:
        analysis = NimAnalysis(game)
        hopeless = analysis.hopeless(FIXED_RULES)
        smallest = min((game.sizes(int(word)) for word in hopeless), key=sum)
        yield (
            f"{rows_of(game)}: the 6 plain rules cannot express the theory, whatever the features: in {len(hopeless):,}"
            f" of {analysis.starts.sum():,} won starts, as {smallest}, none of them is sure to keep the win. To know"
            f" the best of them in each position would win {analysis.ceiling(FIXED_RULES)[0]:.1%}; the best mapping"
            f" from the parity of the rows and whether one alone is above 1 wins {best_mapping(game)[0]:.1%}."
        )
    ends = ", ".join(f"{shares['nim_evolved, with nim_sum'][0]:.1%} on {rows_of(g)}" for g, shares in champions.items())
    yield f"With nim_sum among the rules the theory is one of them; what evolves then wins {ends}."
    for game in OTHERS:
        analysis, rules = NimAnalysis(game), (*FIXED_RULES, "nim_sum")
        hopeless = len(analysis.hopeless(rules))
        yield (
            f"{described(game)}: with nim_sum too there are {hopeless} won starts in which no rule is sure to keep the"
            f" win, and the best mapping wins {analysis.mappings(rules, FEATURES)[:, 0].max():.1%}."
        )


def of_selection(histories):
    """What roulette and tournament end with, and whether they can be told apart."""
    ends = {selection: history[:, -1] for selection, history in histories.items()}
    for column, name in ((MEAN, "share that the mean genome wins"), (DIVERSITY, "distance of two genomes")):
        spread = {selection: np.quantile(end[:, column], (0.1, 0.5, 0.9)) for selection, end in ends.items()}
        said = [f"{selection} {mid:.2f} ({low:.2f} to {high:.2f})" for selection, (low, mid, high) in spread.items()]
        apart = max(low for low, _, _ in spread.values()) > min(high for _, _, high in spread.values())
        yield (
            f"The {name} after {histories['roulette'].shape[1] - 1} epochs, the median and the middle 80% of the runs:"
            f" {', '.join(said)}. These {'do not' if apart else ''} overlap.".replace("  ", " ")
        )


def rows_of(game):
    """The rows with commas."""
    return ",".join(map(str, game.heaps))


def described(game):
    """The rows, and what is not usual."""
    bound = "" if game.max_take is None else f", at most {game.max_take}"
    return f"{rows_of(game)}{bound}{', misere' if game.misere else ''}"


def table_with(title, columns):
    """An empty table."""
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), show_edge=False)
    for number, column in enumerate(columns):
        table.add_column(column, justify="left" if number == 0 else "right")
    return table


if __name__ == "__main__":
    main()
