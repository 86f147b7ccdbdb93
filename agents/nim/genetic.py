"""Nim by two genes that a genetic algorithm evolves: which nim-sum to leave, and how far from it is acceptable.

The genome is ``(target_preference, target_range)``. An action is acceptable if the nim-sum s that it leaves is at most
``radius`` from ``centre``, and any of the acceptable actions is played, each with the same probability. What the genes
mean is the option ``interpretation`` of the trainer:

| ``interpretation`` | genes | centre, radius | if no action is acceptable |
|---|---|---|---|
| ``nearest`` | from 0 to the largest nim-sum | the genes | the actions nearest to the range are played |
| ``raw`` | from 0 to 1 | the genes | any action is played |
| ``relative`` | from 0 to 1 | ``least + preference * span``, ``range * span / 2`` | any action is played |

Here ``least`` is the least nim-sum that a legal action leaves, and ``span`` is the distance from it to the largest.
``nearest`` is ours. The two genes come from report A, whose words are ``raw``; its figures come from ``relative`` in
misere play (section A2 of ``ci-envs reports``).

With ``nearest``, genes near 0 leave a nim-sum of 0, which is the theory of normal play without a bound: this holds for
each genome with ``target_preference + target_range < 1`` and ``target_preference < 1/2``. With a bound and in misere
play no genome is the theory.
"""

from collections.abc import Mapping
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
from ci_envs.validation import one_of

INTERPRETATIONS = ("nearest", "raw", "relative")
"""The meanings of the genes, in the order of their numbers in compiled code."""

_NEAREST, _RAW, _RELATIVE = range(len(INTERPRETATIONS))


@dataclass(frozen=True)
class NimGAPolicy(GenomePolicy):
    """:class:`NimGAAgent` in compiled code; its memory is the genome, the values of the actions and the interpretation.

    Attributes:
        interpretation: the meaning of the genes, one of :data:`INTERPRETATIONS`.

    Raises:
        ValueError: there is no such interpretation.
    """

    interpretation: str = "nearest"

    run_time_fields: ClassVar[tuple[str, ...]] = ("interpretation",)  # the memory holds it

    def __post_init__(self) -> None:
        one_of("interpretation", self.interpretation, INTERPRETATIONS)

    @override
    def memory(self, game: Game, genome: NDArray[Any]) -> tuple[Any, ...]:
        return (
            np.array(genome, dtype=np.float64),
            np.empty(game.action_count),
            INTERPRETATIONS.index(self.interpretation),
        )


@kernel
def write_values(game: Any, own: Any, genome: Any, values: Any, interpretation: Any) -> Any:
    """``-> float``: write the value of each action, -inf if it is illegal, and return the largest."""
    least, largest = np.inf, -np.inf
    for number in range(action_count(game)):
        values[number] = np.inf
        if legal(game, own, NONE, np.uint64(number)):
            after, _ = play(game, own, NONE, np.uint64(number))
            values[number] = np.float64(nim_sum(after))
            least, largest = min(least, values[number]), max(largest, values[number])
    centre, radius = genome[0], genome[1]
    if interpretation == _RELATIVE:
        centre, radius = least + centre * (largest - least), radius * (largest - least) / 2
    best = -np.inf
    for number in range(action_count(game)):
        excess = max(0.0, abs(values[number] - centre) - radius)
        values[number] = -excess
        if interpretation != _NEAREST and 0.0 < excess < np.inf:
            values[number] = -1.0
        best = max(best, values[number])
    return best


@implements(choose, NimGAPolicy)
def _(policy: NimGAPolicy) -> Any:
    def kernel(policy: Any, game: Any, own: Any, opp: Any, seed: Any, memory: Any) -> Any:
        genome, values, interpretation = memory
        best = write_values(game, own, genome, values, interpretation)
        return random_index_from(values, action_count(game), best, seed)[0]

    return kernel


@kernel
def _write_chances(game: Any, words: Any, genome: Any, interpretation: Any, chances: Any) -> None:
    for i in range(len(words)):
        best = write_values(game, words[i], genome, chances[i], interpretation)
        count = 0
        for number in range(len(chances[i])):
            count += chances[i, number] == best
        for number in range(len(chances[i])):
            chances[i, number] = (chances[i, number] == best) / count


def action_chances(
    game: Nim, genome: NDArray[np.float64], words: NDArray[np.uint64], interpretation: str = "nearest"
) -> NDArray[np.float64]:
    """How likely a genome plays each action, float64 (positions, actions).

    Args:
        game: what is played.
        genome: (2,).
        words: first words of positions that are not over, uint64 (positions,).
        interpretation: the meaning of the genes, one of :data:`INTERPRETATIONS`.
    """
    chances = np.empty((len(words), game.action_count))
    _write_chances(game, words, genome, INTERPRETATIONS.index(interpretation), chances)
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
        return NimGAPolicy(self.champion.options.get("interpretation", "nearest"))


def genetic_target(game: Nim, interpretation: str = "nearest") -> EvolutionTarget:
    """Return what evolves: two genes, each from 0 to 1, or to the largest nim-sum with ``interpretation="nearest"``.

    Raises:
        ValueError: there is no such interpretation.
    """
    high = float(largest_sum(game)) if interpretation == "nearest" else 1.0
    options: Mapping[str, str] = {} if interpretation == "nearest" else {"interpretation": interpretation}
    return EvolutionTarget("nim_ga", NimGAPolicy(interpretation), 2, high, options)
