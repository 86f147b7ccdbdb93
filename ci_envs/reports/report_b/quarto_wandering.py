"""The "wandering" genetic algorithm of report B as agents, and a simple rule with the same strength.

The evolution is that of our ``quarto_ga:algorithm=wandering``, with the bugs of report B's code that ``b5.toml`` lists.

The number of pairs of a genome is the number of pieces that are not on the board, at most four. In report B's matches
this number does not increase in a later game. Here an agent starts each game with four pairs (``B5:two_pairs`` shows
the effect). In some positions report B's code returns no piece, and its match stops. Then one piece is left, and the
agent gives this piece.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from typing_extensions import override

from ci_envs.agent_interface.policy import CompiledPolicy
from ci_envs.agent_interface.supported_game import require_game
from ci_envs.agents.evolution.lookahead_ga import ROULETTE, TOURNAMENT, candidate_genes
from ci_envs.agents.evolution.wandering_ga import EACH, PAIRS, SWAP, UNIFORM
from ci_envs.agents.evolution.wandering_policy import WanderingOptions
from ci_envs.games.game import Game
from ci_envs.games.quarto import Quarto
from ci_envs.kernels.bits import nth_one, popcount
from ci_envs.kernels.random_numbers import random_below
from ci_envs.reports.literal_agent import LiteralAgent, LiteralPolicy

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
"""The changed options of each variant of the literal version, by name."""


def wandering_agent(game: Game, seed: int | None, *, variant: str = "") -> LiteralAgent:
    """Make an agent that plays Quarto by report B's genetic algorithm.

    Args:
        game: Quarto.
        seed: The seed of all random numbers.
        variant: One of :data:`VARIANTS`.

    Raises:
        ValueError: The game is not Quarto.
    """
    options = WanderingOptions(**{**_LITERAL, **VARIANTS[variant]})
    return LiteralAgent(require_game("report", game, Quarto), options.compiled, seed=seed)


def rule_agent(game: Game, seed: int | None) -> LiteralAgent:
    """Make an agent that wins at once if it can, avoids giving a piece that wins, and otherwise plays at random.

    Args:
        game: Quarto.
        seed: The seed of the random choices.

    Raises:
        ValueError: The game is not Quarto.
    """
    return LiteralAgent(require_game("report", game, Quarto), lambda: CompiledPolicy(RulePolicy(), ()), seed=seed)


class RulePolicy(LiteralPolicy):
    """The compiled policy of :func:`rule_agent`, without memory."""

    @staticmethod
    @override
    def action(policy: Any, game: Any, own: Any, opp: Any, seed: Any, memory: Any) -> Any:
        genes, _ = candidate_genes(game, own, opp)
        drawn, _ = random_below(seed, popcount(genes))
        gene = np.int64(nth_one(genes, drawn))
        return gene if opp >> np.uint64(36) else gene + 16
