"""Measurement of how often an agent for four in a row blocks the opponent's threat to complete a line."""

import numpy as np

from ci_envs.agent_interface.interface import PositionAgent
from ci_envs.games.openings import random_openings
from ci_envs.games.position import Position

_PLIES = (4, 6, 8, 10, 12, 14)  # of the random positions: so that it is the first player's move


def blocked_threats(agent: PositionAgent, count: int, seed: int) -> tuple[int, int]:
    """Return in how many positions an agent blocks the only cell where the opponent would win, and their number.

    Args:
        agent: The agent; it cannot win at once in these positions.
        count: Random positions for each number of plies, which are searched for such threats.
        seed: Of the positions.
    """
    words = np.concatenate([random_openings(agent.game, count, plies, seed) for plies in _PLIES])
    cells = [_only_threat(Position(agent.game, own, opp)) for own, opp in words.tolist()]
    threatened = [cell is not None for cell in cells]
    actions = agent.act_on(words[threatened])
    return int((actions == [cell for cell in cells if cell is not None]).sum()), sum(threatened)


def _only_threat(position: Position) -> int | None:
    """Return the only cell where the opponent would win, unless the player to move can win at once."""
    if _winning_cells(position):
        return None
    cells = _winning_cells(Position(position.game, position.opp, position.own))
    return cells[0] if len(cells) == 1 else None


def _winning_cells(position: Position) -> list[int]:
    return [action for action in position.legal_actions() if position.play(action).result]
