"""Exact values of positions of finite games, by search of the whole game tree."""

from functools import cache


@cache
def exact_value(position):
    """Return the value of a position for the player to move: 1, 0 or -1."""
    if position.result is not None:
        return position.result
    return max(exact_action_value(position, action) for action in position.legal_actions())


def exact_action_value(position, action):
    """Return the value of an action for the player to move."""
    after = position.play(action)
    return exact_value(after) if after.to_move == position.to_move else -exact_value(after)
