"""Random games in Python, for small samples of positions."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from ci_envs.games.operations import ONGOING
from ci_envs.games.rules import Facts


def random_game(game: Any, rng: np.random.Generator, max_plies: int) -> Iterator[Facts]:
    """Yield the facts of each position of a random game of at most ``max_plies`` plies, the last position included.

    Args:
        game: The :class:`~ci_envs.games.game.Game`.
        rng: The random number generator.
        max_plies: The number of plies after which the game is stopped.
    """
    facts = game.rules.examine(game, *game.start())
    for _ in range(max_plies):
        yield facts
        own, opp, outcome, _, legal_actions = facts
        if outcome != ONGOING or not legal_actions:
            return
        actions = [number for number in range(legal_actions.bit_length()) if legal_actions >> number & 1]
        facts = game.rules.advance(game, own, opp, actions[rng.integers(len(actions))])
    yield facts
