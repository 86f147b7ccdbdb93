"""The evolution strategy of report D, (1 + lambda), over weighted rules for Quixo.

:mod:`ci_envs.agents.evolution.rules` contains the rules. A genome has a weight for each rule, from 0 to 1. The weights
of a child are a softmax of changed weights, so the weights of all rules stay similar. The fitness of a parent is
measured only once, so a fitness that is too good by chance is never corrected.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ci_envs.agent_interface.interface import PositionAgent
from ci_envs.agents.evolution.champion import Champion
from ci_envs.agents.evolution.evolution_strategy import AGENT, EvolutionStrategyAgent
from ci_envs.agents.evolution.play import play_population
from ci_envs.agents.evolution.rules import RulesPolicy
from ci_envs.games.batch import play_batch, start_words
from ci_envs.games.game import Game
from ci_envs.games.quixo import Quixo
from ci_envs.reports.literal_agent import require_equal

Weights = NDArray[np.float64]

_GAME = Quixo()
_POLICY = RulesPolicy()
_BAD_RULE = 7

CHAMPION = (
    *(0.0352, 0.0923, 0.0687, 0.1072, 0.0648, 0.0327, 0.1347),
    *(0.0449, 0.0924, 0.0638, 0.0671, 0.0710, 0.0560, 0.0691),
)
"""The weights of the agent ``report:D5``.

They are the rounded result of :func:`evolve` with all rules, 70 epochs, 20 children, 80 games against random, sigma
from 0.35 to 0.08, and the seed 0. The fitness was 97.5%.
"""


@dataclass(frozen=True)
class Settings:
    """The parameters of a run.

    Attributes:
        epochs: The maximum number of generations.
        games: The number of games of a measurement.
        rules: The number of rules, 8 to 14. The first rules are used.
        offspring: The number of children of a generation.
        first_sigma: The standard deviation of the mutations in the first epoch.
        last_sigma: The standard deviation of the mutations in the last epoch.
    """

    epochs: int
    games: int
    rules: int
    offspring: int
    first_sigma: float
    last_sigma: float

    @property
    def patience(self) -> int:
        """The number of epochs without an improvement after which the run ends."""
        return int(self.epochs**0.6)

    def sigma(self, epoch: int) -> float:
        """Return the standard deviation of the mutations in an epoch, counted from 0."""
        return self.first_sigma + (self.last_sigma - self.first_sigma) * epoch / max(1, self.epochs - 1)


Fitness = Callable[[Weights, int, Generator], float]
"""A function ``fitness(weights, games, rng)`` that returns the share of games won."""


def evolve(settings: Settings, fitness: Fitness, rng: Generator) -> tuple[Weights, list[float]]:
    """Run the evolution strategy.

    Args:
        settings: The parameters.
        fitness: The fitness of weights.
        rng: The random number generator.

    Returns:
        The weights of the last parent, float64 (rules,), and the fitness of the parent at the start and after each
        epoch.
    """
    first = rng.uniform(-0.1, 0.1, settings.rules)
    first[_BAD_RULE] = rng.uniform(0.2, 0.7)
    parent = softmax(first)
    curve = [fitness(parent, settings.games, rng)]
    last_improvement = 0
    for epoch in range(settings.epochs):
        steps = rng.normal(0, settings.sigma(epoch), (settings.offspring, settings.rules))
        children = [softmax(parent + step) for step in steps]
        measured = [fitness(child, settings.games, rng) for child in children]
        best = int(np.argmax(measured))
        if measured[best] > curve[-1]:
            parent, last_improvement = children[best], epoch + 1
        curve.append(max(curve[-1], measured[best]))
        if epoch + 1 - last_improvement >= settings.patience:
            break
    return parent, curve


def softmax(values: Weights) -> Weights:
    """Return positive weights with the sum 1."""
    powers = np.exp(values - values.max())
    weights: Weights = powers / powers.sum()
    return weights


def share_won(weights: Weights, games: int, rng: Generator, opponent: PositionAgent, *, seat: int = 0) -> float:
    """Return the share of games that weighted rules win.

    Args:
        weights: The weights of the rules.
        games: The number of games.
        rng: The random number generator.
        opponent: The opponent.
        seat: 0 if the rules move first, otherwise 1.
    """
    words = start_words(_GAME, games)
    if seat == 1:
        play_batch(_GAME, words, opponent.act_on(words), np.empty((games, 2), dtype=np.int8))
    seed = int(rng.integers(2**63))
    played = play_population(_GAME, _POLICY, np.log(weights)[np.newaxis], [opponent], games, seed, starts=words)
    return float(played[0, 0, 0]) / games


def rules_agent(game: Game, weights: Weights, seed: int | None) -> EvolutionStrategyAgent:
    """Make the agent that plays by weighted rules.

    Raises:
        ValueError: The game is not Quixo on 5 x 5.
    """
    require_equal("report:D5", game, _GAME)
    champion = Champion(AGENT, repr(game), {"evaluation": "rules"}, np.log(weights), {})
    return EvolutionStrategyAgent(game, champion, seed=seed)


def champion_agent(game: Game, seed: int | None) -> EvolutionStrategyAgent:
    """Make the agent with the weights :data:`CHAMPION`."""
    return rules_agent(game, np.array(CHAMPION), seed)
