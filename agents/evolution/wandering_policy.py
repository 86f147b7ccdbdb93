"""The options of the "wandering" genetic algorithm for Quarto, and the policy that plays by it."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ci_envs.agent_interface.policy import CompiledPolicy, Policy, choose
from ci_envs.agents.evolution.lookahead_ga import ROULETTE
from ci_envs.agents.evolution.wandering_ga import MAX_PAIRS, ONE, UNIFORM, evolve_pairs
from ci_envs.kernels.dispatch import implements


@dataclass(frozen=True)
class WanderingPolicy(Policy):
    """Policy that plays by :func:`~ci_envs.agents.evolution.wandering_ga.evolve_pairs`."""


@implements(choose, WanderingPolicy)
def _(policy: WanderingPolicy) -> Any:
    def kernel(policy: Any, game: Any, own: Any, opp: Any, seed: Any, memory: Any) -> Any:
        return evolve_pairs(game, own, opp, seed, *memory)[0]

    return kernel


class WanderingOptions(NamedTuple):
    """The options of the algorithm.

    Attributes:
        population: The number of genomes that survive, at least 2.
        generations: The number of generations.
        offspring: The number of rounds of a generation.
        selection: TOURNAMENT or ROULETTE.
        tournament_size: The number of genomes in a tournament. The roulette is replaced by a tournament if the fitness
            adds up to 0.
        mutation: EACH, ONE or SWAP.
        crossover: UNIFORM or PAIRS.
        restart: Whether new random genomes replace all genomes if every genome loses.
        is_sequential: Whether each pair is evaluated after the pairs before it are placed. If false, all pairs are
            evaluated on the present board.
        shift: The offset of the fitness for the roulette. Below 4 the sum can be negative.
        max_pairs: The maximum number of pairs of a genome, 1 to 4.
    """

    population: int = 512
    generations: int = 40
    offspring: int = 100
    selection: int = ROULETTE
    tournament_size: int = 5
    mutation: int = ONE
    crossover: int = UNIFORM
    restart: bool = True
    is_sequential: bool = True
    shift: int = 4
    max_pairs: int = MAX_PAIRS

    def compiled(self) -> CompiledPolicy:
        """Return the policy with new memory for one thread."""
        return CompiledPolicy(WanderingPolicy(), (self, self.new_buffers()))

    def new_buffers(self) -> tuple[NDArray[Any], ...]:
        """Return the buffers of the kernel: genomes, fitness, sorted genomes, a hash table, and cumulative shares."""
        size = 2 * self.population + 2 * self.offspring
        return (
            np.empty(size, dtype=np.uint64),
            np.empty(size, dtype=np.int64),
            np.empty(size, dtype=np.uint64),
            np.empty(1 << (2 * size - 1).bit_length(), dtype=np.uint64),
            np.empty(size),
        )
