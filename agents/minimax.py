"""Minimax with alpha-beta pruning, for any game.

Knuth and Moore, "An analysis of alpha-beta pruning", Artificial Intelligence 6 (1975), in the form called negamax: a
value is always that of the player to move, so it changes sign wherever the turn passes.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ci_envs.agent import Agent, Observation
from ci_envs.games.batch import decode_batch
from ci_envs.games.compiled import inlined, kernel
from ci_envs.games.game import Game
from ci_envs.games.operations import ONGOING, action_count, evaluate, keeps_turn, legal, play, result
from ci_envs.games.parameters import integer_between
from ci_envs.games.random_numbers import random_below

WIN_VALUE = 1_000_000
"""Value of a win on the board; one found n plies deep counts n less, so quick wins and slow losses are best."""

MAX_DEPTH = 64


class MinimaxAgent(Agent):
    """Looks some plies ahead with alpha-beta and plays one of the best actions, at random where several are best.

    Leaves are valued by the game's ``evaluate``.
    """

    def __init__(self, game: Game, *, depth: int = 3, seed: int | None = None) -> None:
        """Make the agent.

        Args:
            game: any game.
            depth: plies, 1 to 64.
            seed: decides between equally good actions.

        Raises:
            ValueError: ``depth`` is out of range.
        """
        self.depth = integer_between("depth", depth, 1, MAX_DEPTH)
        super().__init__(game, seed=seed)

    def act_batch(self, observations: Observation) -> NDArray[np.int64]:
        """As in :meth:`Agent.act_batch`."""
        planes = np.ascontiguousarray(observations["observation"])
        n = len(planes)
        words = np.empty((n, 2), dtype=np.uint64)
        decode_batch(self.game, planes, words)
        actions = np.empty(n, dtype=np.int64)
        seeds = self.rng.integers(2**64, size=n, dtype=np.uint64)
        _best_actions(self.game, words, self.depth, seeds, actions)
        return actions


@kernel
def _best_actions(game: Any, words: Any, depth: Any, seeds: Any, actions: Any) -> None:
    nodes = np.zeros(1, dtype=np.int64)
    for i in range(len(words)):
        actions[i] = _best_action(game, words[i, 0], words[i, 1], depth, seeds[i], nodes)


@kernel
def _best_action(game: Any, own: Any, opp: Any, depth: Any, state: Any, nodes: Any) -> Any:
    best, best_action, ties = -2 * WIN_VALUE, 0, 0
    for number in range(action_count(game)):
        action = np.uint64(number)
        if not legal(game, own, opp, action):
            continue
        # a window that is open just below the best, so that what equals it is told from what is worse
        value = value_of_action(game, own, opp, action, depth, best - 1, 2 * WIN_VALUE, nodes)
        if value > best:
            best, best_action, ties = value, number, 1
        elif value == best:
            ties += 1
            drawn, state = random_below(state, ties)
            if drawn == np.uint64(0):
                best_action = number
    return best_action


@inlined
def value_of_action(game: Any, own: Any, opp: Any, action: Any, depth: Any, alpha: Any, beta: Any, nodes: Any) -> Any:
    """``-> int``: the value of an action for who plays it, searched ``depth`` plies deep, this one counted."""
    next_own, next_opp = play(game, own, opp, action)
    outcome = result(game, next_own, next_opp)
    same = keeps_turn(game, own, opp, action)
    if outcome != ONGOING:
        nodes[0] += 1
        value = outcome * (WIN_VALUE + depth)
    elif depth == 1:
        nodes[0] += 1
        value = evaluate(game, next_own, next_opp)
    elif same:
        return negamax(game, next_own, next_opp, depth - 1, alpha, beta, nodes)
    else:
        return -negamax(game, next_own, next_opp, depth - 1, -beta, -alpha, nodes)
    return value if same else -value


@kernel
def negamax(game: Any, own: Any, opp: Any, depth: Any, alpha: Any, beta: Any, nodes: Any) -> Any:
    """``-> int``: the value of a position that is not over, for its player to move.

    It is exact if it lies between ``alpha`` and ``beta``, else a bound on the same side (fail-soft).

    Args:
        game: the game.
        own: first word.
        opp: second word.
        depth: plies to search, 1 or more.
        alpha: values up to this do not matter.
        beta: values from this on do not matter.
        nodes: int64 of shape (1,), to which the number of positions visited is added.
    """
    nodes[0] += 1
    best = np.int64(-2 * WIN_VALUE)
    for number in range(action_count(game)):
        action = np.uint64(number)
        if not legal(game, own, opp, action):
            continue
        value = value_of_action(game, own, opp, action, depth, alpha, beta, nodes)
        if value > best:
            best = value
            if value > alpha:
                alpha = value
                if value >= beta:
                    break
    return best
