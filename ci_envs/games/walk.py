"""Walks in the game tree: a full walk to a depth, or random play."""

from typing import Any

import numpy as np

from ci_envs.games.game import Game
from ci_envs.games.operations import ONGOING, action_count, initial, legal, legal_bits, play, result
from ci_envs.games.position import Position
from ci_envs.kernels.bits import nth_one, popcount
from ci_envs.kernels.compiler import kernel
from ci_envs.kernels.random_numbers import random_below
from ci_envs.validation import integer_between


def perft(position: Position, depth: int) -> int:
    """Return the number of sequences of ``depth`` legal actions from ``position``.

    Sequences that end earlier do not count, as in the performance tests of chess programs.

    Raises:
        TypeError: ``position`` is no position.
        ValueError: ``depth`` is negative or not an integer.

    Examples:
        >>> from ci_envs import Position, Quixo, perft
        >>> perft(Position.start(Quixo()), 3)
        76596
    """
    if not isinstance(position, Position):
        raise TypeError(f"perft needs a position such as Position.start(Quixo()), not {position!r}")
    depth = integer_between("depth", depth, 0)
    if depth == 0:
        return 1
    if position.result is not None:
        return 0
    count: int = _perft(position.game, np.uint64(position.own), np.uint64(position.opp), depth)
    return count


@kernel
def _perft(game: Any, own: Any, opp: Any, depth: Any) -> Any:
    total = 0
    for number in range(action_count(game)):
        action = np.uint64(number)
        if not legal(game, own, opp, action):
            continue
        if depth == 1:
            total += 1
            continue
        next_own, next_opp = play(game, own, opp, action)
        if result(game, next_own, next_opp) == ONGOING:
            total += _perft(game, next_own, next_opp, depth - 1)
    return total


def random_plies(game: Game, games: int, seed: int, max_plies: int = 1000) -> int:
    """Play ``games`` games of uniformly random legal actions, and return the total number of plies.

    A game is truncated after ``max_plies``.
    """
    plies: int = _random_plies(game, games, np.uint64(seed), max_plies)
    return plies


_TRIES = 16


@kernel
def random_action(game: Any, own: Any, opp: Any, state: Any) -> Any:
    """Draw a uniformly random legal action of a non-terminal position.

    Returns:
        The action and the new state of the random number generator.
    """
    actions = action_count(game)
    if actions <= 64:
        mask = legal_bits(game, own, opp)
        index, state = random_below(state, popcount(mask))
        return nth_one(mask, index), state
    for _ in range(_TRIES):  # fast if many actions are legal
        action, state = random_below(state, actions)
        if legal(game, own, opp, action):
            return action, state
    count = 0
    for number in range(actions):
        count += legal(game, own, opp, np.uint64(number))
    index, state = random_below(state, count)
    action = np.uint64(0)
    while index > np.uint64(0) or not legal(game, own, opp, action):
        index -= np.uint64(legal(game, own, opp, action))
        action += np.uint64(1)
    return action, state


@kernel
def _random_plies(game: Any, games: Any, state: Any, max_plies: Any) -> Any:
    plies = 0
    for _ in range(games):
        own, opp = initial(game)
        for _ in range(max_plies):
            action, state = random_action(game, own, opp, state)
            own, opp = play(game, own, opp, action)
            plies += 1
            if result(game, own, opp) != ONGOING:
                break
    return plies
