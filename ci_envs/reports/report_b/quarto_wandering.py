"""The "wandering" genetic algorithm of report B as agents, with its bugs, and the rule that explains its play.

The evolution is that of our ``quarto_ga:algorithm=wandering`` with these differences, which are report B's code:

- All pairs of a genome are evaluated on the current board, so the look-ahead sees no changes of the board.
- A mutation draws each gene again with probability 1/2: a threshold is compared with a coin.
- The fitness is negative where the opponent can win, and the roulette takes it as it is: if it adds up to a negative
  number, the worst genomes are the most likely parents.
- The re-start makes new genomes and discards them, so it is omitted here.

The number of pairs of a genome is that of the pieces not on the board, at most four. In report B's matches it never
grows again in a later game; an agent here starts each game with four pairs (``B5:two_pairs`` shows the effect). Where
report B's code returns no piece and its match stops, one piece is left, and the agent gives it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from typing_extensions import override

from ci_envs.agent.policy import CompiledPolicy, Policy, choose
from ci_envs.agent.policy_agent import PolicyAgent
from ci_envs.agent.supported_game import require_game
from ci_envs.agents.evolution.lookahead_ga import ROULETTE, TOURNAMENT, candidate_genes
from ci_envs.agents.evolution.wandering_ga import EACH, PAIRS, SWAP, UNIFORM
from ci_envs.agents.evolution.wandering_policy import WanderingOptions
from ci_envs.games.game import Game
from ci_envs.games.quarto import Quarto
from ci_envs.kernels.bits import nth_one, popcount
from ci_envs.kernels.dispatch import implements
from ci_envs.kernels.random_numbers import random_below
from ci_envs.reports.section import AgentMaker

_LITERAL: Mapping[str, Any] = {
    "selection": ROULETTE,
    "tournament_size": 5,
    "mutation": EACH,
    "crossover": UNIFORM,
    "restart": False,
    "is_sequential": False,
    "shift": 0,
}

VARIANTS: Mapping[str, Mapping[str, Any]] = {
    "": {},
    "restart": {"restart": True},
    "tournament": {"selection": TOURNAMENT},
    "pairs": {"crossover": PAIRS},
    "swap": {"mutation": SWAP},
    "two_pairs": {"max_pairs": 2},
}
"""What each variant of the literal version changes, by name."""


class WanderingAgent(PolicyAgent):
    """Plays Quarto by report B's genetic algorithm."""

    def __init__(self, game: Game, variant: str, *, seed: int | None = None) -> None:
        """Make the agent.

        Args:
            game: Quarto.
            variant: One of :data:`VARIANTS`.
            seed: The seed of all that is random.

        Raises:
            ValueError: The game is not Quarto.
        """
        require_game("report", game, Quarto)
        self._options = WanderingOptions(**{**_LITERAL, **VARIANTS[variant]})
        super().__init__(game, seed=seed)

    @override
    def policy(self) -> CompiledPolicy:
        return self._options.compiled()


@dataclass(frozen=True)
class RulePolicy(Policy):
    """:class:`RuleAgent` in compiled code; it needs no memory."""


@implements(choose, RulePolicy)
def _(policy: RulePolicy) -> Any:
    def kernel(policy: Any, game: Any, own: Any, opp: Any, seed: Any, memory: Any) -> Any:
        genes, _ = candidate_genes(game, own, opp)
        drawn, _ = random_below(seed, popcount(genes))
        gene = np.int64(nth_one(genes, drawn))
        return gene if opp >> np.uint64(36) else gene + 16

    return kernel


class RuleAgent(PolicyAgent):
    """Wins at once if it can, gives no piece that wins if there is another, and is random otherwise."""

    def __init__(self, game: Game, *, seed: int | None = None) -> None:
        """Make the agent.

        Args:
            game: Quarto.
            seed: The seed of the random choices.

        Raises:
            ValueError: The game is not Quarto.
        """
        require_game("report", game, Quarto)
        super().__init__(game, seed=seed)

    @override
    def policy(self) -> CompiledPolicy:
        return CompiledPolicy(RulePolicy(), ())


def wandering_agent(variant: str) -> AgentMaker:
    """Return what makes the agent of a variant."""
    return partial(_make, variant=variant)


def rule_agent(game: Game, seed: int | None) -> RuleAgent:
    """Make the agent that plays by the rule alone."""
    return RuleAgent(game, seed=seed)


def _make(game: Game, seed: int | None, *, variant: str) -> WanderingAgent:
    return WanderingAgent(game, variant, seed=seed)
