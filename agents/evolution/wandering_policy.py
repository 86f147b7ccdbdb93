"""The options of the "wandering" genetic algorithm for Quarto, and the policy that plays by it."""

from dataclasses import astuple, dataclass
from typing import Any

import numpy as np

from ci_envs.agent.policy import CompiledPolicy, Policy, choose
from ci_envs.agents.evolution.lookahead_ga import ROULETTE
from ci_envs.agents.evolution.wandering_ga import MOST_PAIRS, ONE, UNIFORM, evolve_pairs, room
from ci_envs.kernels.dispatch import implements


@dataclass(frozen=True)
class WanderingPolicy(Policy):
    """Plays by :func:`~ci_envs.agents.evolution.wandering_ga.evolve_pairs`; its memory is made by the options."""


@implements(choose, WanderingPolicy)
def _(policy: WanderingPolicy) -> Any:
    def kernel(policy: Any, game: Any, own: Any, opp: Any, seed: Any, memory: Any) -> Any:
        options, words, fitness, spare, table, sums = memory
        return evolve_pairs(game, own, opp, seed, options, words, fitness, spare, table, sums)[0]

    return kernel


@dataclass(frozen=True)
class WanderingOptions:
    """The options of the algorithm, in the order in which the kernel reads them.

    Attributes:
        population: The genomes that survive, at least 2.
        generations: The number of generations.
        offspring: The rounds of a generation.
        selection: TOURNAMENT or ROULETTE.
        tournament_size: The genomes in a tournament. The roulette takes a tournament too if the fitness adds up to 0.
        mutation: EACH, ONE or SWAP.
        crossover: UNIFORM or PAIRS.
        restart: Whether new random genomes replace all genomes when every one of them loses.
        looks_ahead: Whether each pair is judged after those before it are placed, else all on the present board.
        shift: What is added to the fitness for the roulette; below 4 the sum can be negative.
        most_pairs: The pairs of a genome, 1 to 4.
    """

    population: int = 512
    generations: int = 40
    offspring: int = 100
    selection: int = ROULETTE
    tournament_size: int = 5
    mutation: int = ONE
    crossover: int = UNIFORM
    restart: bool = True
    looks_ahead: bool = True
    shift: int = 4
    most_pairs: int = MOST_PAIRS

    def compiled(self) -> CompiledPolicy:
        """Return the policy with new memory, for one thread."""
        size = room(self.population, self.offspring)
        memory = (
            np.array(astuple(self), dtype=np.int64),
            np.empty(size, dtype=np.uint64),
            np.empty(size, dtype=np.int64),
            np.empty(size, dtype=np.uint64),
            np.empty(1 << (2 * size - 1).bit_length(), dtype=np.uint64),
            np.empty(size),
        )
        return CompiledPolicy(WanderingPolicy(), memory)
