"""Benchmark of fitness by play: genomes with one gene per action, against random play in Quixo."""

import random
from dataclasses import dataclass
from typing import Any

import numpy as np

from ci_envs import Position, Quixo
from ci_envs.agent_interface.policy import choose
from ci_envs.agents.evolution import GenomePolicy, play_population
from ci_envs.agents.random import RandomAgent
from ci_envs.games import action_count, implements, legal
from ci_envs.games.truncation import DEFAULT_MAX_CYCLES

_GAME = Quixo()
_GAMES = 50  # games of each genome


@dataclass(frozen=True)
class _LargestGene(GenomePolicy):
    """A policy that plays the legal action with the largest gene."""


@implements(choose, _LargestGene)
def _(policy: _LargestGene) -> Any:
    def kernel(policy: Any, game: Any, own: Any, opp: Any, seed: Any, memory: Any) -> Any:
        genome, chosen = memory[0], -1
        for number in range(action_count(game)):
            if legal(game, own, opp, np.uint64(number)) and (chosen < 0 or genome[number] > genome[chosen]):
                chosen = number
        return chosen

    return kernel


def games(amount: int) -> int:
    """Play the games of a population in compiled code."""
    population = np.random.default_rng(0).random((-(-amount // _GAMES), _GAME.action_count))
    play_population(_GAME, _LargestGene(), population, [RandomAgent(_GAME)], _GAMES, seed=0)
    return len(population) * _GAMES


def plain_games(amount: int) -> int:
    """Play the games of a population in plain Python, with :class:`~ci_envs.Position`."""
    rng = random.Random(0)
    for number in range(amount):
        if number % _GAMES == 0:
            genome = [rng.random() for _ in range(_GAME.action_count)]
        _play_game(genome, number % 2, rng)
    return amount


def _play_game(genome: list[float], seat: int, rng: random.Random) -> int:
    position = Position.start(_GAME)
    for _ in range(DEFAULT_MAX_CYCLES):
        actions = position.legal_actions()
        mine = position.to_move == seat
        position = position.play(max(actions, key=genome.__getitem__) if mine else rng.choice(actions))
        if position.result is not None:
            return position.result if position.to_move == seat else -position.result
    return 0
