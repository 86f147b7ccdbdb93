"""Section A6: Quixo by an evolution of lists of layers, which report A calls NEAT.

:mod:`ci_envs.reports.report_a.quixo_layers` lists the peculiarities of the literal version.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import cast

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ci_envs.agent_interface.interface import Agent
from ci_envs.agents.random import RandomAgent
from ci_envs.arena.match import play_match
from ci_envs.games.quixo import Quixo
from ci_envs.reports.claims import Cell, Claim, Text
from ci_envs.reports.estimates import mean_of_runs, median_of
from ci_envs.reports.report_a.quixo_layers import (
    GENERATIONS,
    LayersAgent,
    champion_agent,
    evolve,
    random_network,
)
from ci_envs.reports.rows import FigureRow, figure_row
from ci_envs.reports.section import Findings, Panel, Plot, RunOptions, Section, Series
from ci_envs.reports.sources import Figure, printed

_DESCRIBED = "preset=A6"
_OURS = "population=16,games=10,opponents=random,peers=0,final_games=40"
_DESCRIBED_GENERATIONS, _OURS_GENERATIONS = 10, 5
_LONGER = 5  # times as many generations

_GAMES, _QUICK_GAMES = 400, 40
_QUICK_GENERATIONS = 2
_PRINTED = 70
_CHAMPION, _NETWORK = "champion v random, wins", "random network v random, wins"
_BLENDED_CHAMPION = "champion with blended weights v random, wins"
_LONGER_CHAMPION = f"champion of {_LONGER} times as many generations v random, wins"


@dataclass(frozen=True)
class _Runs:
    """The runs of one evolution.

    Attributes:
        wins: The percentage of games that the champion of each run wins.
        generations: The length of each run.
        curve: Of the first run, the largest and the mean fitness of each generation, float64 (generations, 2).
    """

    wins: list[float]
    generations: int
    curve: NDArray[np.float64]


Evolution = Callable[[Generator, int], tuple[Agent, NDArray[np.float64]]]
"""A function ``evolution(rng, generations)`` that returns the champion and the curve of the fitness."""


def literal(rng: Generator, generations: int, *, blends: bool = False) -> tuple[Agent, NDArray[np.float64]]:
    """Run report A's evolution, with or without weights that the crossover mixes."""
    network, curve = evolve(rng, generations, blends=blends)
    return LayersAgent(Quixo(), network), curve


def trained(options: str) -> Evolution:
    """Return an evolution by our ``neat``; its curve is the share of points.

    Args:
        options: The options, as in a spec string.
    """

    def evolution(rng: Generator, generations: int) -> tuple[Agent, NDArray[np.float64]]:
        from ci_envs.agents.evolution.config import EvolutionConfig
        from ci_envs.agents.evolution.neat_training import NeatTrainer
        from ci_envs.training.learners import make_config, read_training_options
        from ci_envs.training.trainer import Task

        given = read_training_options(NeatTrainer, f"{options},generations={generations - 1}")
        config = cast(EvolutionConfig, make_config(NeatTrainer, Quixo(), given))
        trainer = NeatTrainer(Task("Quixo-v0", Quixo(), None, int(rng.integers(2**63))), config)
        for _ in range(generations):
            trainer.evolution.advance()
        history = trainer.evolution.history
        return trainer.agent(), np.array([[1 + one.best, 1 + one.mean] for one in history]) / 2

    return evolution


def run(options: RunOptions) -> Findings:
    """Evolve networks by the literal, the described and our version, and play all champions against random."""
    rng = np.random.default_rng(options.seed)
    plan: dict[str, tuple[Evolution, int, int]] = {
        "literal": (literal, GENERATIONS, 8),
        "described": (trained(_DESCRIBED), _DESCRIBED_GENERATIONS, 3),
        "ours": (trained(_OURS), _OURS_GENERATIONS, 5),
        "literal, longer": (literal, _LONGER * GENERATIONS, 4),
        "described, longer": (trained(_DESCRIBED), _LONGER * _DESCRIBED_GENERATIONS, 1),
        "ours, longer": (trained(_OURS), _LONGER * _OURS_GENERATIONS, 2),
        "literal, blended": (partial(literal, blends=True), GENERATIONS, 8),
    }
    total = sum(generations * runs for _, generations, runs in plan.values())
    found, done = {}, 0
    for name, (evolution, generations, runs) in plan.items():
        found[name] = _runs(evolution, generations, runs, rng, options)
        done += generations * runs
        options.report_progress(done / total)
    networks = [
        _wins(LayersAgent(Quixo(), random_network(rng)), rng, options) for _ in range(4 if options.quick else 16)
    ]
    rows = (
        _row(_CHAMPION, Figure(_PRINTED, printed("Quixo, NEAT: the sentence on its results")), "", found, _MEANS),
        figure_row(_NETWORK, None, median_of(networks, "networks"), note=_NETWORK_NOTE, unit="%"),
        _blended_row(found),
        _row(_LONGER_CHAMPION, None, ", longer", found, ""),
    )
    return Findings(rows, (_plot(found),))


def _runs(evolution: Evolution, generations: int, runs: int, rng: Generator, options: RunOptions) -> _Runs:
    if options.quick:
        generations, runs = _QUICK_GENERATIONS, 2 if evolution is literal else 1
    champions = [evolution(rng, generations) for _ in range(runs)]
    return _Runs([_wins(agent, rng, options) for agent, _ in champions], generations, champions[0][1])


def _wins(agent: Agent, rng: Generator, options: RunOptions) -> float:
    games = _QUICK_GAMES if options.quick else _GAMES
    opponent = RandomAgent(Quixo(), seed=int(rng.integers(2**63)))
    return 100 * play_match(Quixo(), agent, opponent, games).sides[0].total.wins / games


_NETWORK_NOTE = "Without an evolution, so nothing can be better or worse."
_BLENDED_NOTE = (
    "Literal: the text of report A also mixes the weights of both parents, which its code does not. Described and ours"
    " as in the first row."
)
_MEANS = (
    "Literal is the median of the runs and the range of 95% of them; described and ours are means. The author of report"
    " A published another run elsewhere: 754 of 1,000 games won."
)


def _row(quantity: str, figure: Figure | None, length: str, found: dict[str, _Runs], note: str) -> FigureRow:
    runs = [found[f"{name}{length}"] for name in ("literal", "described", "ours")]
    measures = median_of, mean_of_runs, mean_of_runs
    estimates = (
        measure(one.wins, f"runs of {one.generations} generations") for measure, one in zip(measures, runs, strict=True)
    )
    return figure_row(quantity, figure, *estimates, note=note, unit="%")


def _blended_row(found: dict[str, _Runs]) -> FigureRow:
    """Return the row on the crossover that mixes weights. The other columns are those of the first row."""
    blended = found["literal, blended"]
    wins = median_of(blended.wins, f"runs of {blended.generations} generations")
    described, ours = (_row(_CHAMPION, None, "", found, "").columns[name] for name in ("described", "ours"))
    return figure_row(_BLENDED_CHAMPION, None, wins, described, ours, note=_BLENDED_NOTE, unit="%")


def _plot(found: dict[str, _Runs]) -> Plot:
    measure = {"literal": "share of games won", "described": "share of points", "ours": "share of points"}
    panels = []
    for name in ("literal", "literal, longer", "described", "ours"):
        panels.append(Panel(f"{name}: {measure[name.partition(',')[0]]}", tuple(_lines(found[name].curve))))
    return Plot("fitness", "fitness by generation, first run", "generation", "fitness", tuple(panels))


def _lines(curve: NDArray[np.float64]) -> Iterator[Series]:
    generations = tuple(map(float, range(len(curve))))
    for column, label in enumerate(("best", "mean")):
        yield Series(label, generations, tuple(curve[:, column].tolist()))


SECTION = Section(
    name="A6",
    title="Quixo by an evolution of lists of layers",
    game="Quixo-v0",
    purpose="Evolve the layers and weights of neural networks that play Quixo, by games among themselves.",
    conclusion=Text(
        "The champions win {:.0f}% of their games (median), and random networks {:.0f}%, so the printed 70% is one"
        " draw: the fitness of five games against the population says little. Games against random and a network that"
        " values positions reach {:.0f}% with the same number of games.",
        (Cell(_CHAMPION), Cell(_NETWORK), Cell(_CHAMPION, "ours")),
    ),
    conditions=(
        f"{_GAMES} games against random, seats alternating ({_QUICK_GAMES} with --quick). An evolution plays 1,000"
        " games: report A's 10 generations of 20 networks and 5 games. Described is"
        f" neat:{_DESCRIBED} with {_DESCRIBED_GENERATIONS} generations, ours is neat:{_OURS} with"
        f" {_OURS_GENERATIONS}, both with the games that"
        " choose the champion."
    ),
    seconds=300,
    run=run,
    claims=(
        Claim(
            "Longer runs would be much better.",
            Cell(_LONGER_CHAMPION) > Cell(_CHAMPION),
            f"With {_LONGER} times as many generations the champions win {{:.0f}}% instead of {{:.0f}}% (medians).",
        ),
    ),
    agents={"A6": champion_agent},
)
