"""An agent that plays Nim by two evolved genes: the nim-sum to leave, and the accepted distance from it.

The genome is ``(target_preference, target_range)``. An action is acceptable if it leaves a nim-sum within ``radius`` of
``centre``. The agent plays one of the acceptable actions, each with the same probability. The trainer option
``interpretation`` defines the meaning of the genes:

| ``interpretation`` | genes | centre, radius | if no action is acceptable |
|---|---|---|---|
| ``nearest`` | from 0 to the largest nim-sum | the genes | the actions nearest to the range are played |
| ``raw`` | from 0 to 1 | the genes | any action is played |
| ``relative`` | from 0 to 1 | ``least + preference * span``, ``range * span / 2`` | any action is played |

Here ``least`` is the smallest nim-sum that a legal action leaves, and ``span`` is its distance from the largest one.
With ``raw`` and ``relative`` an action is accepted if it leaves a nim-sum in the range.

With ``nearest``, genes near 0 leave a nim-sum of 0, which is optimal play in normal play without a limit per move. This
holds for each genome with ``target_preference + target_range < 1`` and ``target_preference < 1/2``. With a limit, or in
misere play, no genome plays optimally.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from ci_envs.agent_interface.policy import choose
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
"""The names of the interpretations. Compiled code uses their indices."""

_NEAREST, _RAW, _RELATIVE = range(len(INTERPRETATIONS))


@dataclass(frozen=True)
class NimGAPolicy(GenomePolicy):
    """:class:`NimGAAgent` as a compiled policy. Its memory is the genome, a buffer of action values and a number.

    Attributes:
        interpretation: the meaning of the genes, one of :data:`INTERPRETATIONS`.

    Raises:
        ValueError: the interpretation is unknown.
    """

    interpretation: str = "nearest"

    run_time_fields: ClassVar[tuple[str, ...]] = ("interpretation",)  # the memory contains it

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
    """Write the value of each action, -inf for illegal actions, and return the highest value."""
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
def _write_probabilities(game: Any, words: Any, genome: Any, interpretation: Any, chances: Any) -> None:
    for i in range(len(words)):
        best = write_values(game, words[i], genome, chances[i], interpretation)
        count = 0
        for number in range(len(chances[i])):
            count += chances[i, number] == best
        for number in range(len(chances[i])):
            chances[i, number] = (chances[i, number] == best) / count


def action_probabilities(
    game: Nim, genome: NDArray[np.float64], words: NDArray[np.uint64], interpretation: str = "nearest"
) -> NDArray[np.float64]:
    """Return the probability of each action under a genome, float64 of shape (positions, actions).

    Args:
        game: the game.
        genome: the genome, float64 of shape (2,).
        words: the first words of non-terminal positions, uint64 of shape (positions,).
        interpretation: the meaning of the genes, one of :data:`INTERPRETATIONS`.
    """
    chances = np.empty((len(words), game.action_count))
    _write_probabilities(game, words, genome, INTERPRETATIONS.index(interpretation), chances)
    return chances


def largest_sum(game: Nim) -> int:
    """Return an upper bound of the nim-sums of all positions."""
    return (1 << max(game.heaps).bit_length()) - 1


class NimGAAgent(ChampionAgent):
    """Agent that leaves a nim-sum near an evolved one: ``nim_ga:PATH``. ``nim_ga:rows4`` is included."""

    agent_name = "nim_ga"
    game_class = Nim
    trainer: ClassVar[str | type] = "ci_envs.agents.nim.training:NimGATrainer"

    @override
    def _make_genome_policy(self) -> NimGAPolicy:
        if self.genome.shape != (2,):
            raise ValueError(f"nim_ga needs 2 genes, not {len(self.genome)}")
        return NimGAPolicy(self.champion.options.get("interpretation", "nearest"))


def genetic_target(game: Nim, interpretation: str = "nearest") -> EvolutionTarget:
    """Return the evolution target: two genes, from 0 to the largest nim-sum for ``nearest`` and from 0 to 1 otherwise.

    Raises:
        ValueError: the interpretation is unknown.
    """
    high = float(largest_sum(game)) if interpretation == "nearest" else 1.0
    options: Mapping[str, str] = {} if interpretation == "nearest" else {"interpretation": interpretation}
    return EvolutionTarget("nim_ga", NimGAPolicy(interpretation), 2, high, options)
