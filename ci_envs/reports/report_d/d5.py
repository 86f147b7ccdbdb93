"""Section D5: Quixo by an evolution strategy over weighted rules.

Report D contains only the title of this section. The literal version follows a text that the author published
elsewhere. The allowed actions of a rule are our interpretation (:mod:`ci_envs.agents.evolution.rules`).
"""

from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from ci_envs.agent_interface.interface import Agent, PositionAgent
from ci_envs.agent_interface.making import make_agent
from ci_envs.games.quixo import Quixo
from ci_envs.reports.estimates import mean_of_runs, median_of
from ci_envs.reports.matches import SEATS, play_from_seat
from ci_envs.reports.report_d.quixo_rules import Settings, Weights, champion_agent, evolve, rules_agent, share_won
from ci_envs.reports.section import Panel, Plot, Series
from ci_envs.reports.section_run import SectionRun, section
from ci_envs.reports.trainers import evolved

_RANDOM, _ALPHA_BETA = "random", "report:D2:depth2"
_VERSUS = {_RANDOM: "random", _ALPHA_BETA: "alpha-beta"}
_EXPERIMENTS = (
    (Settings(45, 35, 8, 17, 0.2, 0.02), _RANDOM),
    (Settings(110, 40, 8, 20, 0.35, 0.02), _RANDOM),
    (Settings(60, 60, 9, 20, 0.35, 0.02), _RANDOM),
    (Settings(60, 70, 10, 20, 0.35, 0.05), _RANDOM),
    (Settings(70, 80, 14, 20, 0.35, 0.08), _RANDOM),
    (Settings(2, 5, 14, 10, 0.2, 0.02), _ALPHA_BETA),
)
"""The settings and the opponent of each run that the author published. Against alpha-beta the rules move second."""

_OURS = {
    _RANDOM: ("depth=1,games=20,opponents=random,final_games=200", 19),
    _ALPHA_BETA: (f"depth=2,games=4,opponents={_ALPHA_BETA},final_games=8,offspring=4", 3),
}
"""The options of our evolution strategy and its generations, by the opponent."""


class _Outcome(NamedTuple):
    """The results of some runs of an experiment.

    Attributes:
        agents: The agent of each run.
        curves: The fitness of each run after each epoch, in percent.
        epochs: The number of epochs of a run.
    """

    agents: list[Agent]
    curves: list[list[float]]
    epochs: int


def _measure(run: SectionRun) -> None:
    """Run the published experiments, the same with our evolution strategy over the rules, and over an evaluation."""
    rng = np.random.default_rng(run.seed)
    trained = cache(partial(_train, run, rng))
    panels = []
    for settings, opponent in run.steps(_EXPERIMENTS):
        seat, trained_v = int(opponent != _RANDOM), _RANDOM if run.quick else opponent  # compiles fewer kernels
        epochs, ours = run.budget("epochs") if run.quick else settings.epochs, _OURS[trained_v]
        outcomes = (
            _literal(run, settings, opponent, seat, rng),
            trained(_described(run, settings, trained_v), epochs),
            trained(ours[0], run.budget("epochs") if run.quick else ours[1]),
        )
        _add_rows(run, settings, opponent, outcomes, rng)
        lines = (
            Series.curve(name, one.curves[0])
            for name, one in zip(("literal", "described", "ours"), outcomes, strict=True)
        )
        fitness = run.figure(f"{_name(settings)}: best fitness v {_VERSUS[opponent]}")
        point = Series.marks("published", {float(settings.epochs): fitness})
        panels.append(Panel(f"{settings.rules} rules, {settings.epochs} epochs", (*lines, point)))
    run.plots.append(Plot("fitness", "best fitness by epoch, first run", "epoch", "fitness, %", tuple(panels)))


def _literal(run: SectionRun, settings: Settings, opponent: str, seat: int, rng: Generator) -> _Outcome:
    """Run report D's evolution strategy."""
    if run.quick:
        settings = replace(settings, epochs=run.budget("epochs"), offspring=run.budget("offspring"))
    found = [evolve(settings, _fitness(opponent, seat, rng), rng) for _ in run.seeds("runs")]
    agents: list[Agent] = [rules_agent(Quixo(), weights, _seed(rng)) for weights, _ in found]
    return _Outcome(agents, [[100 * share for share in curve] for _, curve in found], settings.epochs)


def _fitness(opponent: str, seat: int, rng: Generator) -> Callable[[Weights, int, Generator], float]:
    agent = make_agent(opponent, Quixo(), seed=_seed(rng))
    assert isinstance(agent, PositionAgent)
    return lambda weights, games, rng: share_won(weights, games, rng, agent, seat=seat)


def _described(run: SectionRun, settings: Settings, opponent: str) -> str:
    """Return the options of our evolution strategy over the rules."""
    games = settings.games - settings.games % 2
    offspring = run.budget("offspring") if run.quick else settings.offspring - 2
    return (
        f"evaluation=rules,strategy=plus,population=1,opponents={opponent},rules={settings.rules},"
        f"offspring={offspring},games={games},final_games={games}"
    )


def _train(run: SectionRun, rng: Generator, options: str, generations: int) -> _Outcome:
    """Train our ``evolution_strategy``."""
    learner, short = f"evolution_strategy:{options}", {"final_games": 2} if run.quick else {}
    trainers = [evolved(learner, "Quixo-v0", generations + 1, _seed(rng), **short) for _ in run.seeds("other_runs")]
    curves = [[50 * (1 + one.best) for one in trainer.evolution.history] for trainer in trainers]
    return _Outcome([trainer.agent() for trainer in trainers], curves, generations)


def _add_rows(
    run: SectionRun, settings: Settings, opponent: str, outcomes: tuple[_Outcome, ...], rng: Generator
) -> None:
    seat, games = int(opponent != _RANDOM), run.budget("games")

    def won(agent: Agent, opponent: str) -> float:
        other = make_agent(opponent, Quixo(), seed=_seed(rng))
        return 100 * play_from_seat(agent, other, games, seat=seat).total.wins / games

    figures = {f"best fitness v {_VERSUS[opponent]}": [[max(curve) for curve in one.curves] for one in outcomes]}
    for player in dict.fromkeys((_RANDOM, opponent)):
        shares = [[won(agent, player) for agent in one.agents] for one in outcomes]
        figures[f"v {_VERSUS[player]}, {SEATS[seat]}, wins"] = shares
    for quantity, columns in figures.items():
        estimates = (
            measure(values, f"runs of {one.epochs} epochs")
            for measure, values, one in zip((median_of, mean_of_runs, mean_of_runs), columns, outcomes, strict=True)
        )
        run.add(f"{_name(settings)}: {quantity}", *estimates)


def _name(settings: Settings) -> str:
    return f"{settings.rules} rules, {settings.epochs} epochs of {settings.offspring} x {settings.games} games"


def _seed(rng: Generator) -> int:
    return int(rng.integers(2**63))


SECTION = section(__file__, _measure, agents={"D5": champion_agent})
