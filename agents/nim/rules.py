"""Rules for Nim in compiled code. :mod:`ci_envs.agents.nim.rule_agent` describes them.

A deterministic rule is a kernel ``(game, own) -> action``, where ``own`` is the first word of a non-terminal position.
A random rule plays one of the actions with a certain property (:func:`may_play`), each with the same probability. If
there is no such action, it plays any legal action. The exception is ``row_random``, which draws a row first.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ci_envs.games import kernel
from ci_envs.games.nim import Nim, heap_and_count, size_of
from ci_envs.kernels.bits import trailing_zeros
from ci_envs.kernels.random_numbers import random_below
from ci_envs.solver.nim import wins

NONE, ONE = np.uint64(0), np.uint64(1)


@kernel
def rows_left(own: Any) -> Any:
    """Return the number of rows that have objects."""
    return rows_above(own, NONE)


@kernel
def rows_above(own: Any, size: Any) -> Any:
    """Return the number of rows that have more than ``size`` objects."""
    count = 0
    while own:
        count += own & np.uint64(255) > size
        own >>= np.uint64(8)
    return count


@kernel
def nim_sum(own: Any) -> Any:
    """Return the nim-sum: the bitwise exclusive or of the rows, as uint64."""
    own ^= own >> np.uint64(32)
    own ^= own >> np.uint64(16)
    return (own ^ (own >> np.uint64(8))) & np.uint64(255)


@kernel
def _lowest(own: Any) -> Any:
    return trailing_zeros(own) >> np.uint64(3)


@kernel
def _highest(own: Any) -> Any:
    row = np.uint64(7)
    while size_of(own, row) == NONE:
        row -= ONE
    return row


@kernel
def _take(game: Any, row: Any, number: Any) -> Any:
    """Return the action that takes ``number`` objects from a row."""
    return np.int64(np.uint64(row) * np.uint64(game.limit) + np.uint64(number) - ONE)


@kernel
def _take_most(game: Any, own: Any, row: Any) -> Any:
    return _take(game, row, min(size_of(own, row), np.uint64(game.limit)))


@kernel
def _down_to(game: Any, own: Any, row: Any, size: Any) -> Any:
    """Return the action that leaves ``size`` objects in a row if it is legal, else one object from the highest row."""
    there = size_of(own, row)
    if there > size and there - size <= np.uint64(game.limit):
        return _take(game, row, there - size)
    return min_highest(game, own)


@kernel
def min_lowest(game: Any, own: Any) -> Any:
    """Take one object from the lowest row."""
    return _take(game, _lowest(own), ONE)


@kernel
def max_lowest(game: Any, own: Any) -> Any:
    """Take as many objects as allowed from the lowest row."""
    return _take_most(game, own, _lowest(own))


@kernel
def min_highest(game: Any, own: Any) -> Any:
    """Take one object from the highest row."""
    return _take(game, _highest(own), ONE)


@kernel
def max_highest(game: Any, own: Any) -> Any:
    """Take as many objects as allowed from the highest row."""
    return _take_most(game, own, _highest(own))


@kernel
def endgame_first(game: Any, own: Any) -> Any:
    """Leave an even number of rows, so that the opponent has to open the last pair of rows.

    With one or two rows left it plays :func:`last_rows`. With more rows, if their number is odd, it takes all objects
    of the highest row; if it is even, it takes all but one. In misere play it does the opposite, to leave an odd
    number. If this action is illegal, it takes one object from the highest row.
    """
    left = rows_left(own)
    if left <= 2:
        return last_rows(game, own)
    odd = (left + np.int64(game.misere)) % 2 == 1
    return _down_to(game, own, _highest(own), NONE if odd else ONE)


@kernel
def endgame_second(game: Any, own: Any) -> Any:
    """Make the two highest rows equal, like a second player who mirrors the opponent's moves.

    This rule is ours.

    With one or two rows left it plays :func:`last_rows`. With more rows, it makes the two highest rows equal. If they
    are equal already, it takes as many objects as allowed from the lowest row, until only the pair is left. If the
    action is illegal, it takes one object from the highest row.
    """
    if rows_left(own) <= 2:
        return last_rows(game, own)
    larger = _highest(own)
    smaller = _highest(own ^ (size_of(own, larger) << (np.uint64(8) * larger)))
    if size_of(own, smaller) == size_of(own, larger):
        return max_lowest(game, own)
    if size_of(own, smaller) > size_of(own, larger):
        smaller, larger = larger, smaller
    return _down_to(game, own, larger, size_of(own, smaller))


@kernel
def last_rows(game: Any, own: Any) -> Any:
    """Take all of the last row, or make the last two rows equal, so that the player can mirror all moves.

    In misere play, leave one object of a single row. If one of two rows has a single object, take all of the other row.
    If the action is illegal, take one object from the highest row. In normal play with two rows, the rule wins if it
    can make them equal. Without a limit per move it wins all won positions, also in misere play.
    """
    smaller, larger = _lowest(own), _highest(own)
    if smaller == larger:
        return _down_to(game, own, larger, ONE if game.misere else NONE)
    if size_of(own, smaller) > size_of(own, larger):
        smaller, larger = larger, smaller
    size = size_of(own, smaller)
    return _down_to(game, own, larger, NONE if game.misere and size == ONE else size)


BASIC_RULES = (min_lowest, max_lowest, min_highest, max_highest)
"""Rules that take one object or as many as allowed, from the lowest or the highest row."""

DETERMINISTIC_RULES = tuple(rule.__name__ for rule in (*BASIC_RULES, endgame_first, endgame_second))
"""The names of the deterministic rules. Compiled code uses their indices."""

RANDOM_RULES = ("nim_sum", "random", "expert", "nonzero_nim_sum", "take_row", "leave_one", "row_random")
"""The names of the random rules. Their numbers follow those of the deterministic rules."""

_FIRST = len(DETERMINISTIC_RULES)
_NIM_SUM, _RANDOM, _EXPERT, _NONZERO, _TAKE_ROW, _LEAVE_ONE, _ROW_RANDOM = range(_FIRST, _FIRST + len(RANDOM_RULES))


def rule_number(rule: str) -> int:
    """Return the number of a rule in compiled code."""
    return (*DETERMINISTIC_RULES, *RANDOM_RULES).index(rule)


@kernel
def deterministic_action(game: Any, rule: Any, own: Any) -> Any:
    """Return the action of the rule with this number, or -1 if the rule is random."""
    action = np.int64(-1)
    if rule == 0:
        action = min_lowest(game, own)
    elif rule == 1:
        action = max_lowest(game, own)
    elif rule == 2:
        action = min_highest(game, own)
    elif rule == 3:
        action = max_highest(game, own)
    elif rule == 4:
        action = endgame_first(game, own)
    elif rule == 5:
        action = endgame_second(game, own)
    return action


@kernel
def may_play(game: Any, rule: Any, own: Any, action: Any) -> Any:
    """Return whether an action is legal and has the property of a random rule other than ``row_random``."""
    row, number = heap_and_count(game, action)
    size = size_of(own, row)
    if number > size:
        return False
    after = own - (number << (np.uint64(8) * row))
    if rule == _NIM_SUM:
        return nim_sum(after) == NONE
    if rule == _NONZERO:
        return nim_sum(after) != NONE
    if rule == _TAKE_ROW:
        return number == size
    if rule == _LEAVE_ONE:
        return number + ONE == size
    return rule == _RANDOM or not wins(game, after)


@kernel
def _choices(game: Any, rule: Any, own: Any) -> Any:
    """Count the actions that a random rule may play.

    Returns:
        The rule, or ``random`` if the rule has no action, and the number of its actions.
    """
    count = 0
    for number in range(game.action_count):
        count += may_play(game, rule, own, number)
    if count > 0:
        return rule, count
    for number in range(game.action_count):
        count += may_play(game, _RANDOM, own, number)
    return _RANDOM, count


@kernel
def play_rule(game: Any, rule: Any, own: Any, state: Any) -> Any:
    """Play the rule with this number.

    Returns:
        The action and the new state of the random number generator.
    """
    action = deterministic_action(game, rule, own)
    if action >= 0:
        return action, state
    if rule == _ROW_RANDOM:
        return _play_row_random(game, own, state)
    rule, count = _choices(game, rule, own)
    left, state = random_below(state, count)
    action = np.int64(0)
    while left > NONE or not may_play(game, rule, own, action):
        left -= np.uint64(may_play(game, rule, own, action))
        action += 1
    return action, state


@kernel
def _play_row_random(game: Any, own: Any, state: Any) -> Any:
    """Draw a row that is not empty, then the number of objects to take.

    Returns:
        The action and the new state of the random number generator.
    """
    left, state = random_below(state, rows_left(own))
    row = _lowest(own)
    while left > NONE:
        row += ONE
        left -= np.uint64(size_of(own, row) > NONE)
    number, state = random_below(state, min(size_of(own, row), np.uint64(game.limit)))
    return _take(game, row, number + ONE), state


@kernel
def play_by_parity(game: Any, rules: Any, own: Any, state: Any) -> Any:
    """Play ``rules[0]`` if the number of rows left is even, else ``rules[1]``.

    Returns:
        The action and the new state of the random number generator.
    """
    return play_rule(game, rules[rows_left(own) % 2], own, state)


@kernel
def _write_probabilities(game: Any, rule: Any, words: Any, chances: Any) -> None:
    for i in range(len(words)):
        action = deterministic_action(game, rule, words[i])
        if action >= 0:
            chances[i, action] = 1.0
            continue
        if rule == _ROW_RANDOM:
            _write_row_random(game, words[i], chances[i])
            continue
        played, count = _choices(game, rule, words[i])
        for number in range(game.action_count):
            chances[i, number] = may_play(game, played, words[i], number) / count


@kernel
def _write_row_random(game: Any, own: Any, chances: Any) -> None:
    rows = rows_left(own)
    for action in range(game.action_count):
        row, number = heap_and_count(game, action)
        most = min(size_of(own, row), np.uint64(game.limit))
        chances[action] = 1.0 / (rows * most) if number <= most else 0.0


def rule_action_probabilities(game: Nim, rules: Sequence[str], words: NDArray[np.uint64]) -> NDArray[np.float64]:
    """Return the probability of each action under each rule, float64 of shape (rules, positions, actions).

    Args:
        game: the game.
        rules: the names of the rules.
        words: the first words of non-terminal positions, uint64 of shape (positions,).
    """
    chances = np.zeros((len(rules), len(words), game.action_count))
    for rule, table in zip(rules, chances, strict=True):
        _write_probabilities(game, rule_number(rule), words, table)
    return chances
