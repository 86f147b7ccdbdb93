"""Positions for tests, and the observations of agents."""

import numpy as np

from ci_envs import Position
from ci_envs.games.operations import canonical, is_duplicate
from ci_envs.kernels.compiler import kernel


def observation_of(position):
    mask = np.zeros(position.game.action_count, np.int8)
    mask[list(position.legal_actions())] = 1
    return {"observation": position.observation(), "action_mask": mask}


def batch_of(positions):
    seen = [observation_of(position) for position in positions]
    return {key: np.stack([one[key] for one in seen]) for key in seen[0]}


def words_seen(game, planes):
    """Return the positions of observations, uint64 of shape (n, 2)."""
    return np.array([game.rules.decode(game, np.ascontiguousarray(one)) for one in planes], dtype=np.uint64)


def random_positions(game, count, seed):
    """Return positions in which the game is not over, from the initial position to late positions."""
    rng = np.random.default_rng(seed)
    positions, position = [], Position.start(game)
    while len(positions) < count:
        positions.append(position)
        position = position.play(int(rng.choice(position.legal_actions())))
        if position.result is not None:
            position = Position.start(game)
    return positions


def best_forced_actions(position, plies):
    """Return the actions with the best result that is forced within ``plies``, including the action itself."""
    values = {action: _result_of(position, action, plies) for action in position.legal_actions()}
    return {action for action, value in values.items() if value == max(values.values())}


def forced_result(position, plies):
    """Return the result within ``plies`` for the player to move, larger if a win is faster or a loss slower."""
    if position.result is not None or plies == 0:
        return (position.result or 0) * (1 + plies)
    return max(_result_of(position, action, plies) for action in position.legal_actions())


def _result_of(position, action, plies):
    after = position.play(action)
    return forced_result(after, plies - 1) * (1 if after.to_move == position.to_move else -1)


def leaves_the_board(position, action):
    """Return whether an action changes only the player to move, as some actions in Quixo do."""
    after = position.play(action)
    return (after.own, after.opp) == (position.opp, position.own) and after.to_move != position.to_move


@kernel
def _duplicates(game, own, opp, duplicate):
    for action in range(len(duplicate)):
        duplicate[action] = is_duplicate(game, own, opp, np.uint64(action))


def distinct_actions(position):
    """Return the legal actions that a search tries, which are those without duplicates."""
    duplicate = np.empty(position.game.action_count, np.bool_)
    _duplicates(position.game, np.uint64(position.own), np.uint64(position.opp), duplicate)
    return [action for action in position.legal_actions() if not duplicate[action]]


@kernel
def _canonical_forms(game, words, forms):
    for i in range(len(words)):
        forms[i, 0], forms[i, 1] = canonical(game, words[i, 0], words[i, 1])


def canonical_forms(game, words):
    """Return the canonical forms of positions, rows (own, opp)."""
    words = np.array(words, dtype=np.uint64)
    forms = np.empty_like(words)
    _canonical_forms(game, words, forms)
    return forms
