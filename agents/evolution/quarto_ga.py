"""Quarto by a genetic algorithm that evolves a new plan for each action.

The algorithm is in :mod:`ci_envs.agents.evolution.lookahead_ga`.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from typing_extensions import override

from ci_envs.agent.policy import CompiledPolicy, Policy, choose
from ci_envs.agent.policy_agent import PolicyAgent
from ci_envs.agent.supported_game import require_game
from ci_envs.agents.evolution.lookahead_ga import ROULETTE, TOURNAMENT, evolve
from ci_envs.games.game import Game
from ci_envs.games.quarto import Quarto
from ci_envs.kernels.dispatch import implements
from ci_envs.validation import integer_between, probability

SELECTIONS = {"tournament": TOURNAMENT, "roulette": ROULETTE}
"""How parents are selected, by name."""

MAX_PLANS = 1 << 20
"""Plans that a decision may evolve at most (48 MiB of working memory)."""


@dataclass(frozen=True)
class QuartoGAPolicy(Policy):
    """:class:`QuartoGAAgent` in compiled code; its memory is its options and the working memory of ``evolve``."""


@implements(choose, QuartoGAPolicy)
def _(policy: QuartoGAPolicy) -> Any:
    def kernel(policy: Any, game: Any, own: Any, opp: Any, seed: Any, memory: Any) -> Any:
        options, rate, plans, values, keys, backed, fitness, parents = memory
        population, generations, offspring, selection, size = options
        return evolve(
            game,
            own,
            opp,
            seed,
            population,
            generations,
            offspring,
            selection,
            size,
            rate[0],
            plans,
            values,
            keys,
            backed,
            fitness,
            parents,
        )[0]

    return kernel


class QuartoGAAgent(PolicyAgent):
    """Evolves plans for the next eight plies, four positions and four pieces, and plays the first action of the best.

    It completes a line wherever it can, and never gives a piece that completes one if there is another.
    """

    def __init__(
        self,
        game: Game,
        *,
        population: int = 512,
        generations: int = 40,
        offspring: int = 100,
        selection: str = "tournament",
        tournament_size: int = 2,
        mutation_rate: float = 0.125,
        seed: int | None = None,
    ) -> None:
        """Make the agent.

        Args:
            game: Quarto, with squares or without.
            population: random plans to begin with, and parents of a generation, at least 2.
            generations: how many; 0 plays by the random plans alone.
            offspring: new plans a generation, at least 1.
            selection: of parents: ``tournament`` or ``roulette``.
            tournament_size: plans that a tournament draws, at least 1.
            mutation_rate: the probability, from 0 to 1, that a gene of a new plan is drawn anew.
            seed: of all that is random.

        Raises:
            ValueError: ``game`` is not Quarto, or an option is out of range.
        """
        require_game("quarto_ga", game, Quarto)
        self.population = integer_between("population", population, 2, MAX_PLANS)
        self.generations = integer_between("generations", generations, 0, MAX_PLANS)
        self.offspring = integer_between("offspring", offspring, 1, MAX_PLANS)
        self._plans = self.population + self.generations * self.offspring
        if self._plans > MAX_PLANS:
            raise ValueError(f"population + generations * offspring must be at most {MAX_PLANS}, not {self._plans}")
        if selection not in SELECTIONS:
            raise ValueError(f"selection must be {' or '.join(SELECTIONS)}, not {selection!r}")
        self.selection = selection
        self.tournament_size = integer_between("tournament_size", tournament_size, 1, MAX_PLANS)
        self.mutation_rate = probability("mutation_rate", mutation_rate)
        super().__init__(game, seed=seed)

    @override
    def policy(self) -> CompiledPolicy:
        selection = SELECTIONS[self.selection]
        counts = [self.population, self.generations, self.offspring, selection, self.tournament_size]
        words = [np.empty(self._plans, dtype=np.uint64) for _ in range(2)]
        numbers = [np.empty(self._plans, dtype=np.int64) for _ in range(3)]
        memory = (
            np.array(counts, dtype=np.int64),
            np.array([self.mutation_rate]),
            words[0],
            numbers[0],
            words[1],
            numbers[1],
            numbers[2],
            np.empty(self.population, dtype=np.int64),
        )
        return CompiledPolicy(QuartoGAPolicy(), memory)
