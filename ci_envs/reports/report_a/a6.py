"""Section A6: Quixo by an evolution of lists of layers, which report A calls NEAT.

:mod:`ci_envs.reports.report_a.quixo_layers` contains the literal version.
"""

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ci_envs.agent_interface.interface import Agent
from ci_envs.agents.random import RandomAgent
from ci_envs.arena.match import play_match
from ci_envs.games.quixo import Quixo
from ci_envs.reports.estimates import mean_of_runs, median_of
from ci_envs.reports.report_a.quixo_layers import GENERATIONS, champion_agent, evolve, layers_agent, random_network
from ci_envs.reports.section import Panel, Plot, Series
from ci_envs.reports.section_run import SectionRun, section
from ci_envs.reports.trainers import evolved

_DESCRIBED = "neat:preset=A6"
_OURS = "neat:population=16,games=10,opponents=random,peers=0,final_games=40"
_LONGER = 5  # times as many generations

Evolution = Callable[[Generator, int], tuple[Agent, NDArray[np.float64]]]
"""A function ``evolution(rng, generations)`` that returns the champion and the curve of the fitness."""


def _literal(rng: Generator, generations: int, *, blends: bool = False) -> tuple[Agent, NDArray[np.float64]]:
    """Run report A's evolution, with or without weights that the crossover mixes."""
    network, curve = evolve(rng, generations, blends=blends)
    return layers_agent(Quixo(), network), curve


def _trained(learner: str, rng: Generator, generations: int) -> tuple[Agent, NDArray[np.float64]]:
    """Run our ``neat``. Its curve is the share of points."""
    trainer = evolved(learner, "Quixo-v0", generations, int(rng.integers(2**63)))
    return trainer.agent(), np.array([[1 + one.best, 1 + one.mean] for one in trainer.evolution.history]) / 2


def _measure(run: SectionRun) -> None:
    """Evolve networks by the literal, the described and our version, and play all champions against random."""
    rng = np.random.default_rng(run.seed)
    described, ours = partial(_trained, _DESCRIBED), partial(_trained, _OURS)
    plan: dict[str, tuple[Evolution, int, int]] = {
        "literal": (_literal, GENERATIONS, 8),
        "described": (described, 10, 3),
        "ours": (ours, 5, 5),
        "literal, longer": (_literal, _LONGER * GENERATIONS, 4),
        "described, longer": (described, _LONGER * 10, 1),
        "ours, longer": (ours, _LONGER * 5, 2),
        "literal, blended": (partial(_literal, blends=True), GENERATIONS, 8),
    }
    wins: dict[str, list[float]] = {}
    curves: dict[str, NDArray[np.float64]] = {}
    lengths: dict[str, int] = {}
    for name in run.steps(plan):
        evolution, generations, runs = plan[name]
        if run.quick:
            generations, runs = 2, 2 if evolution is _literal else 1
        champions = [evolution(rng, generations) for _ in range(runs)]
        wins[name], curves[name] = [_wins(run, agent, rng) for agent, _ in champions], champions[0][1]
        lengths[name] = generations
    networks = [
        _wins(run, layers_agent(Quixo(), random_network(rng)), rng) for _ in range(run.budget("random_networks"))
    ]

    def add(quantity: str, *names: str) -> None:
        """Add the row of a literal, a described and our evolution."""
        measures = median_of, mean_of_runs, mean_of_runs
        estimates = (
            measure(wins[name], f"runs of {lengths[name]} generations")
            for name, measure in zip(names, measures, strict=True)
        )
        run.add(f"{quantity} v random, wins", *estimates)

    add("champion", "literal", "described", "ours")
    run.add("random network v random, wins", median_of(networks, "networks"))
    add("champion with blended weights", "literal, blended", "described", "ours")
    longer = (f"{name}, longer" for name in ("literal", "described", "ours"))
    add(f"champion of {_LONGER} times as many generations", *longer)
    panels = (
        Panel(f"{name}: share of {unit}", _lines(curves[name]))
        for name, unit in (
            ("literal", "games won"),
            ("literal, longer", "games won"),
            ("described", "points"),
            ("ours", "points"),
        )
    )
    title = "fitness by generation, first run"
    run.plots.append(Plot("fitness", title, "generation", "fitness", tuple(panels)))


def _wins(run: SectionRun, agent: Agent, rng: Generator) -> float:
    games, opponent = run.budget("games"), RandomAgent(Quixo(), seed=int(rng.integers(2**63)))
    return 100 * play_match(Quixo(), agent, opponent, games).sides[0].total.wins / games


def _lines(curve: NDArray[np.float64]) -> tuple[Series, ...]:
    return tuple(Series.curve(name, values) for name, values in zip(("best", "mean"), curve.T.tolist(), strict=True))


SECTION = section(__file__, _measure, agents={"A6": champion_agent})
