"""Section D5: Quixo by an evolution strategy over weighted rules.

Report D contains only the title of this section. The literal version follows a text that the author published
elsewhere. The allowed actions of a rule are our interpretation (:mod:`ci_envs.agents.evolution.rules`).
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.random import Generator

from ci_envs.agent_interface.interface import Agent, PositionAgent
from ci_envs.agent_interface.making import make_agent
from ci_envs.arena.match import play_match
from ci_envs.games.quixo import Quixo
from ci_envs.reports.claims import Cell, Text
from ci_envs.reports.estimates import mean_of_runs, median_of
from ci_envs.reports.report_d.quixo_rules import Settings, Weights, champion_agent, evolve, rules_agent, share_won
from ci_envs.reports.rows import FigureRow, figure_row
from ci_envs.reports.section import Findings, Panel, Plot, RunOptions, Section, Series
from ci_envs.reports.sources import Figure, published
from ci_envs.training.learners import read_training_options

_RANDOM, _ALPHA_BETA = "random", "report:D2:depth2"
_SEATS = ("first", "second")


@dataclass(frozen=True)
class _Experiment:
    """A run that the author published.

    Attributes:
        settings: Its parameters.
        fitness: The best fitness in percent.
        won: The matches won of 100 against random.
        opponent: The opponent of the evolution.
        seat: The seat of the rules: 0 moves first, 1 moves second.
        note: A note on the figures.
    """

    settings: Settings
    fitness: float
    won: float
    opponent: str = _RANDOM
    seat: int = 0
    note: str = ""

    @property
    def name(self) -> str:
        one = self.settings
        return f"{one.rules} rules, {one.epochs} epochs of {one.offspring} x {one.games} games"


_PUBLISHED = published("the results of the evolution strategy in a later version of the report, by one of its authors")
_FEWER_RULES = "What the rules did at that time is not known; our reading of them is stronger."
_EXPERIMENTS = (
    _Experiment(Settings(45, 35, 8, 17, 0.2, 0.02), 65.7, 42, note=_FEWER_RULES),
    _Experiment(Settings(110, 40, 8, 20, 0.35, 0.02), 67.5, 41, note=f"{_FEWER_RULES} 41 to 48 games were won."),
    _Experiment(Settings(60, 60, 9, 20, 0.35, 0.02), 81.7, 57, note=f"{_FEWER_RULES} 57 to 61 games were won."),
    _Experiment(Settings(60, 70, 10, 20, 0.35, 0.05), 85.7, 69, note=_FEWER_RULES),
    _Experiment(Settings(70, 80, 14, 20, 0.35, 0.08), 96.25, 94),
    _Experiment(Settings(2, 5, 14, 10, 0.2, 0.02), 60, 84, _ALPHA_BETA, 1, note="Alpha-beta is D2:depth2."),
)
_WON_V_ALPHA_BETA = 10

_GAMES, _RUNS, _OTHER_RUNS = 100, 20, 3
_QUICK_EPOCHS, _QUICK_OFFSPRING, _QUICK_RUNS = 2, 4, 2

_OURS = {
    _RANDOM: ("depth=1,games=20,opponents=random,final_games=200", 19),
    _ALPHA_BETA: (f"depth=2,games=4,opponents={_ALPHA_BETA},final_games=8,offspring=4", 3),
}
"""The options of our evolution strategy and its generations, by the opponent."""


@dataclass(frozen=True)
class _Outcome:
    """The results of the runs of an experiment, in percent.

    Attributes:
        fitness: The best fitness of each run.
        won: The games won against random of each run.
        won_v_alpha_beta: The games won against alpha-beta of each run.
        curve: The fitness of the first run after each epoch.
        epochs: The number of epochs of a run.
    """

    fitness: list[float]
    won: list[float]
    won_v_alpha_beta: list[float]
    curve: list[float]
    epochs: int


class _Runner:
    """The evolutions of a run of the section, with their measurements.

    Attributes:
        options: The options of the run.
        rng: The random number generator.
        trained: The outcomes of our evolution strategy, by options and seat.
    """

    def __init__(self, options: RunOptions) -> None:
        self.options = options
        self.rng = np.random.default_rng(options.seed)
        self.trained: dict[tuple[str, int], _Outcome] = {}

    def literal(self, experiment: _Experiment) -> _Outcome:
        """Run report D's evolution strategy."""
        settings = experiment.settings
        if self.options.quick:
            settings = replace(settings, epochs=_QUICK_EPOCHS, offspring=_QUICK_OFFSPRING)
        found = []
        for _ in range(_QUICK_RUNS if self.options.quick else _RUNS):
            opponent = self._agent(experiment.opponent)
            assert isinstance(opponent, PositionAgent)
            fitness = partial(_fitness, opponent=opponent, seat=experiment.seat)
            found.append(evolve(settings, fitness, self.rng))
        agents: list[Agent] = [rules_agent(Quixo(), weights, self._seed()) for weights, _ in found]
        curves = [[100 * share for share in curve] for _, curve in found]
        return self._outcome(agents, curves, experiment.seat, settings.epochs)

    def train(self, options: str, generations: int, seat: int) -> _Outcome:
        """Train our ``evolution_strategy``; equal options are trained once."""
        from ci_envs.agents.evolution.evolution_strategy_training import (
            EvolutionStrategyConfig,
            EvolutionStrategyTrainer,
        )
        from ci_envs.training.trainer import Task

        if (options, seat) in self.trained:
            return self.trained[options, seat]
        given = read_training_options(EvolutionStrategyTrainer, options) | {"generations": generations}
        given |= {"final_games": 2} if self.options.quick else {}
        agents, curves = [], []
        for _ in range(1 if self.options.quick else _OTHER_RUNS):
            config = EvolutionStrategyConfig(**given)
            trainer = EvolutionStrategyTrainer(Task("Quixo-v0", Quixo(), None, self._seed()), config)
            for _ in range(generations + 1):
                trainer.evolution.advance()
            agents.append(trainer.agent())
            curves.append([50 * (1 + one.best) for one in trainer.evolution.history])
        self.trained[options, seat] = self._outcome(agents, curves, seat, generations)
        return self.trained[options, seat]

    def _outcome(self, agents: list[Agent], curves: list[list[float]], seat: int, epochs: int) -> _Outcome:
        won = [self._won(agent, _RANDOM, seat) for agent in agents]
        v_alpha_beta = [self._won(agent, _ALPHA_BETA, seat) for agent in agents] if seat == 1 else []
        return _Outcome([max(curve) for curve in curves], won, v_alpha_beta, curves[0], epochs)

    def _won(self, agent: Agent, opponent: str, seat: int) -> float:
        games = 20 if self.options.quick else _GAMES
        players = (agent, self._agent(opponent))
        first, second = players if seat == 0 else players[::-1]
        return 100 * play_match(Quixo(), first, second, games, swap_seats=False).sides[seat].total.wins / games

    def _agent(self, spec: str) -> Agent:
        return make_agent(spec, Quixo(), seed=self._seed())

    def _seed(self) -> int:
        return int(self.rng.integers(2**63))


def _fitness(weights: Weights, games: int, rng: Generator, opponent: PositionAgent, seat: int) -> float:
    return share_won(weights, games, rng, opponent, seat=seat)


def run(options: RunOptions) -> Findings:
    """Run the published experiments, the same with our evolution strategy over the rules, and over an evaluation."""
    runner = _Runner(options)
    rows: list[FigureRow] = []
    panels = []
    for number, experiment in enumerate(_EXPERIMENTS, 1):
        outcomes = _outcomes(runner, experiment)
        rows += _rows(experiment, outcomes)
        title = f"{experiment.settings.rules} rules, {experiment.settings.epochs} epochs"
        panels.append(Panel(title, tuple(_line(name, one.curve) for name, one in outcomes.items())))
        options.report_progress(number / len(_EXPERIMENTS))
    plot = Plot("fitness", "best fitness by epoch, first run", "epoch", "fitness, %", tuple(panels))
    return Findings(tuple(rows), plots=(plot,))


def _outcomes(runner: _Runner, experiment: _Experiment) -> dict[str, _Outcome]:
    settings, quick = experiment.settings, runner.options.quick
    opponent = _RANDOM if quick else experiment.opponent  # compiles fewer kernels
    described = (
        f"evaluation=rules,strategy=plus,population=1,opponents={opponent},rules={settings.rules},"
        f"offspring={_QUICK_OFFSPRING if quick else settings.offspring - 2},games={_even(settings.games)},"
        f"final_games={_even(settings.games)}"
    )
    ours, generations = _OURS[opponent]
    return {
        "literal": runner.literal(experiment),
        "described": runner.train(described, _QUICK_EPOCHS if quick else settings.epochs, experiment.seat),
        "ours": runner.train(ours, _QUICK_EPOCHS if quick else generations, experiment.seat),
    }


def _rows(experiment: _Experiment, outcomes: dict[str, _Outcome]) -> Iterator[FigureRow]:
    seat, opponent = _SEATS[experiment.seat], "alpha-beta" if experiment.opponent == _ALPHA_BETA else _RANDOM
    figures = {
        f"best fitness v {opponent}": (experiment.fitness, "fitness"),
        f"v random, {seat}, wins": (experiment.won, "won"),
    }
    if experiment.opponent == _ALPHA_BETA:
        figures[f"v alpha-beta, {seat}, wins"] = (_WON_V_ALPHA_BETA, "won_v_alpha_beta")
    for quantity, (figure, name) in figures.items():
        estimates = (
            measure(getattr(outcome, name), f"runs of {outcome.epochs} epochs")
            for measure, outcome in zip((median_of, mean_of_runs, mean_of_runs), outcomes.values(), strict=True)
        )
        label = f"{experiment.name}: {quantity}"
        yield figure_row(label, Figure(figure, _PUBLISHED), *estimates, note=experiment.note, unit="%")


def _even(games: int) -> int:
    return games - games % 2


def _line(name: str, curve: list[float]) -> Series:
    return Series(name, tuple(map(float, range(len(curve)))), tuple(curve))


SECTION = Section(
    name="D5",
    title="Quixo by an evolution strategy over weighted rules",
    game="Quixo-v0",
    purpose="Evolve the weights by which one of up to fourteen rules is drawn for each move.",
    conclusion=Text(
        "With all fourteen rules the published figures come out. The weights stay nearly equal, because they are a"
        " softmax of weights: what improves is the set of rules. Without the softmax the same rules win {:.0f}%.",
        (Cell(f"{_EXPERIMENTS[-2].name}: v random, first, wins", "described"),),
    ),
    conditions=(
        f"A run is measured in {_GAMES} games against random; the rules move first, in the experiment with alpha-beta"
        f" second. Literal is the median of {_RUNS} runs, the others are means of {_OTHER_RUNS}. Described"
        " is evolution_strategy:evaluation=rules,strategy=plus,population=1 with the same epochs and games and two"
        " children less, as it measures the parent again. Ours is"
        f" evolution_strategy:{_OURS[_RANDOM][0]},generations={_OURS[_RANDOM][1]} (8,000 games), or against alpha-beta"
        f" evolution_strategy:{_OURS[_ALPHA_BETA][0]},generations={_OURS[_ALPHA_BETA][1]} (104 games). Their fitness is"
        " measured in both seats. With --quick all but the literal version train against random."
    ),
    seconds=200,
    run=run,
    agents={"D5": champion_agent},
)
