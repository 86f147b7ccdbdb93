"""Nim by two genes that a genetic algorithm evolves: which nim-sum to leave, and how far from it will do.

The genome is ``(target_preference, target_range)``. Of an action that leaves the nim-sum s the cost is
``max(0, |s - target_preference| - target_range)``, and any of the actions that cost least is played. So whatever leaves
a nim-sum within the range of the preference is as good; where nothing does, what comes nearest is played. The course's
report, which has these two genes, was not at hand: what they mean here is our reading.

With both near 0 it plays what leaves a nim-sum of 0, the theory of normal play without a bound: any genome with
``target_preference + target_range < 1`` and ``target_preference < 1/2`` does. With a bound and in misere play it can
play, but no genome is the theory there.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from ci_envs.agent.policy import choose
from ci_envs.agents.evolution.champion_agent import ChampionAgent
from ci_envs.agents.evolution.play import GenomePolicy
from ci_envs.agents.nim.rules import NONE, nim_sum
from ci_envs.agents.nim.target import EvolutionTarget
from ci_envs.games import action_count, implements, kernel, legal
from ci_envs.games.game import Game
from ci_envs.games.nim import Nim
from ci_envs.games.operations import play
from ci_envs.kernels.random_numbers import random_index_from


@dataclass(frozen=True)
class NimGAPolicy(GenomePolicy):
    """:class:`NimGAAgent` in compiled code."""

    @override
    def room_size(self, game: Game, genes: int) -> int:
        return game.action_count


@kernel
def write_values(game: Any, own: Any, genome: Any, values: Any) -> Any:
    """``-> float``: the largest of the values of the actions, which are written: minus the cost, -inf if illegal."""
    best = -np.inf
    for number in range(action_count(game)):
        values[number] = -np.inf
        if legal(game, own, NONE, np.uint64(number)):
            after, _ = play(game, own, NONE, np.uint64(number))
            values[number] = -max(0.0, abs(np.float64(nim_sum(after)) - genome[0]) - genome[1])
            best = max(best, values[number])
    return best


@implements(choose, NimGAPolicy)
def _(policy: NimGAPolicy) -> Any:
    def kernel(policy: Any, game: Any, own: Any, opp: Any, seed: Any, memory: Any) -> Any:
        genome, values = memory
        best = write_values(game, own, genome, values)
        return random_index_from(values, action_count(game), best, seed)[0]

    return kernel


@kernel
def _write_chances(game: Any, words: Any, genome: Any, chances: Any) -> None:
    for i in range(len(words)):
        best = write_values(game, words[i], genome, chances[i])
        count = 0
        for number in range(len(chances[i])):
            count += chances[i, number] == best
        for number in range(len(chances[i])):
            chances[i, number] = (chances[i, number] == best) / count


def action_chances(game: Nim, genome: NDArray[np.float64], words: NDArray[np.uint64]) -> NDArray[np.float64]:
    """How likely a genome plays each action, float64 (positions, actions).

    Args:
        game: what is played.
        genome: (2,).
        words: first words of positions that are not over, uint64 (positions,).
    """
    chances = np.empty((len(words), game.action_count))
    _write_chances(game, words, genome, chances)
    return chances


def largest_sum(game: Nim) -> int:
    """No nim-sum of a position exceeds it."""
    return (1 << max(game.heaps).bit_length()) - 1


class NimGAAgent(ChampionAgent):
    """Leaves a nim-sum near one that a genetic algorithm found: ``nim_ga:PATH``, ``nim_ga:rows4`` comes with it."""

    agent_name = "nim_ga"
    game_class = Nim
    trainer: ClassVar[str | type] = "ci_envs.agents.nim.training:NimGATrainer"

    @override
    def _make_genome_policy(self) -> NimGAPolicy:
        if self.genome.shape != (2,):
            raise ValueError(f"nim_ga has 2 genes, not {len(self.genome)}")
        return NimGAPolicy()


def genetic_target(game: Nim) -> EvolutionTarget:
    """Return what evolves: two genes, each from 0 to the largest nim-sum."""
    return EvolutionTarget("nim_ga", NimGAPolicy(), 2, float(largest_sum(game)), {})
