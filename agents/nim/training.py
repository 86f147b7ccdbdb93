"""Trainers that evolve agents for Nim."""

from abc import abstractmethod
from collections.abc import Mapping
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from typing_extensions import override

from ci_envs.agent_interface.supported_game import require_game
from ci_envs.agents.evolution.play import FitnessByPlay, GenomePolicy, Starts
from ci_envs.agents.evolution.training import EvolutionTrainer
from ci_envs.agents.nim.config import ALL, NimEvolutionConfig, NimEvolvedConfig, NimGAConfig
from ci_envs.agents.nim.evolved import NimEvolvedAgent, evolved_target
from ci_envs.agents.nim.genetic import NimGAAgent, genetic_target
from ci_envs.agents.nim.target import EvolutionTarget
from ci_envs.games.batch import start_words
from ci_envs.games.nim import Nim
from ci_envs.optimisation.evolution.engine import Fitness, Plan
from ci_envs.optimisation.evolution.evolution import PopulationEvolution
from ci_envs.optimisation.evolution.initial import RandomNumbers
from ci_envs.optimisation.evolution.mutation import Gaussian, Mutation, UniformReset
from ci_envs.optimisation.evolution.parameters import Values
from ci_envs.solver.nim import are_won
from ci_envs.solver.reachable import sample_positions
from ci_envs.training.config import TrainingConfig


class NimTrainer(EvolutionTrainer):
    """Trainer that evolves genomes that play Nim."""

    config: NimEvolutionConfig
    evolution: PopulationEvolution

    @abstractmethod
    def make_target(self, game: Nim) -> EvolutionTarget:
        """Return the type of genomes for a game."""

    @override
    def make_policy(self) -> GenomePolicy:
        self._game = require_game("an evolved policy", self.task.game, Nim)
        self._target = self.make_target(self._game)
        return self._target.policy

    @override
    def starts(self) -> Starts | None:
        return starts_of(self._game, self.config.starts)

    @override
    def fitness(self, play: FitnessByPlay) -> Fitness:
        return share_won(play)

    @override
    def make_evolution(self, fitness: Fitness) -> PopulationEvolution:
        target = self._target
        return PopulationEvolution(make_plan(self.config, target), fitness, initial_genomes(target), self.task.seed)

    @override
    def latest_genome(self) -> Values:
        genome: Values = self.evolution.population.hall[0]
        return genome

    @override
    def candidates(self) -> list[Values]:
        population = self.evolution.population
        return list(np.unique(np.concatenate((population.genomes, population.hall)), axis=0))

    @override
    def playing_options(self) -> Mapping[str, Any]:
        return self._target.options

    @override
    def final_rng(self) -> Generator:
        return np.random.default_rng([self.task.seed, 2**32])  # generations have numbers below 2**32

    @override
    def result(self, score: float) -> Mapping[str, float]:
        return {"won": (1 + score) / 2}


class NimGATrainer(NimTrainer):
    """Trainer of ``nim_ga``."""

    learner = "nim_ga"
    config_type: ClassVar[type[TrainingConfig]] = NimGAConfig
    agent_type = NimGAAgent
    config: NimGAConfig

    @override
    def make_target(self, game: Nim) -> EvolutionTarget:
        return genetic_target(game, self.config.interpretation)


class NimEvolvedTrainer(NimTrainer):
    """Trainer of ``nim_evolved``."""

    learner = "nim_evolved"
    config_type: ClassVar[type[TrainingConfig]] = NimEvolvedConfig
    agent_type = NimEvolvedAgent
    config: NimEvolvedConfig

    @override
    def make_target(self, game: Nim) -> EvolutionTarget:
        features = self.config.features
        return evolved_target(game, self.config.rules, None if features == (ALL,) else features)


def make_plan(config: NimEvolutionConfig, target: EvolutionTarget) -> Plan:
    """Return the settings of the genetic algorithm.

    Raises:
        ValueError: the sizes do not fit each other.
    """
    offspring = config.population if config.offspring is None else config.offspring
    rate = config.mutation_probability(target.genes)
    mutation: Mutation = Gaussian(config.sigma * target.high, rate, low=0.0, high=target.high)
    if config.mutation == "uniform":
        mutation = UniformReset(0.0, target.high, rate)
    plus, bounds = config.survival == "plus", (0.0, target.high)
    return config.make_plan(config.population, offspring, mutation, target.genes, plus=plus, bounds=bounds)


def initial_genomes(target: EvolutionTarget) -> RandomNumbers:
    """Return a generator of initial genomes, uniform over the range of the genes."""
    return RandomNumbers(target.genes, 0.0, target.high)


def starts_of(game: Nim, starts: str) -> Starts | None:
    """Return a function that draws the first positions of the games, or None for the initial position of the game.

    Raises:
        ValueError: no position of the game is won for the player to move.
    """
    if starts == "game":
        return None
    if starts == "first":
        return lambda count, rng: start_words(game, count)
    if game.misere and sum(game.heaps) < 2:
        raise ValueError(f"starts=won: no position of {game} is won for the player to move")
    return partial(won_positions, game)


def share_won(play: FitnessByPlay) -> Fitness:
    """Return the fitness: the share of games that a genome wins. A truncated game counts half."""
    return lambda genomes, seed: (1 + play(genomes, seed)) / 2


def won_positions(game: Nim, count: int, rng: Generator) -> NDArray[np.uint64]:
    """Return positions drawn uniformly from all that are won for the player to move, uint64 of shape (count, 2)."""
    words = sample_positions(game, count, rng)
    while len(lost := np.flatnonzero(~are_won(words[:, 0], game))):
        words[lost] = sample_positions(game, len(lost), rng)
    return words
