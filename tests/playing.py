"""Positions to test with, and what an agent sees of them."""

import numpy as np

from ci_envs import Position


def observation_of(position):
    mask = np.zeros(position.game.action_count, np.int8)
    mask[list(position.legal_actions())] = 1
    return {"observation": position.observation(), "action_mask": mask}


def batch_of(positions):
    seen = [observation_of(position) for position in positions]
    return {key: np.stack([one[key] for one in seen]) for key in seen[0]}


def random_positions(game, count, seed):
    """Positions that are not over, from the start to deep in the game."""
    rng = np.random.default_rng(seed)
    positions, position = [], Position.start(game)
    while len(positions) < count:
        positions.append(position)
        position = position.play(int(rng.choice(position.legal_actions())))
        if position.result is not None:
            position = Position.start(game)
    return positions
