"""Many boards of one game, stepped in compiled code; on each an agent has a seat and an opponent plays the other.

A step has three parts, for each of which there is a kernel over a range of boards: the agent's action is played
(:func:`advance`), what came of it is written down and finished boards begin anew (:func:`conclude`), and what the agent
sees is drawn (:func:`show`). After the first two a compiled opponent replies at once. For one that plays in Python,
``policy`` is None, and whoever calls the kernels plays its replies in between (:func:`reply_with`).
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ci_envs.games.batch import ILLEGAL, look, play_checked
from ci_envs.games.compiled import kernel
from ci_envs.games.operations import ONGOING, action_count, initial
from ci_envs.games.random_numbers import random_below
from ci_envs.policy import choose

BOTH = -1
"""Seat of an agent that plays both sides."""

DRAWN = 2
"""Asks for a seat drawn at the start of each game."""

GOING, TERMINATED, TRUNCATED, TOLD = 0, 1, 2, 3
"""How a game stands: TERMINATED and TRUNCATED until the agent has been told, then TOLD."""


class Boards(NamedTuple):
    """The state of n boards.

    Attributes:
        words: the positions, uint64 (n, 2).
        states: of the random numbers, uint64 (n,).
        seats: of the agent, 0, 1 or BOTH, int8 (n,).
        to_move: the player to move, int8 (n,).
        plies: made in this game, int64 (n,).
        ended: GOING, TERMINATED, TRUNCATED or TOLD, int8 (n,).
        rewards: to the agent, of what happened since it was last told, float64 (n,).
    """

    words: NDArray[np.uint64]
    states: NDArray[np.uint64]
    seats: NDArray[np.int8]
    to_move: NDArray[np.int8]
    plies: NDArray[np.int64]
    ended: NDArray[np.int8]
    rewards: NDArray[np.float64]


class Settings(NamedTuple):
    """What all boards have in common.

    Attributes:
        seat: 0, 1, BOTH or DRAWN.
        limit: plies after which a game is truncated.
        same_step: whether a finished board begins anew in the same step, else in the next.
        shared_board: whether both players see the same words.
    """

    seat: int
    limit: int
    same_step: bool
    shared_board: bool


class Step(NamedTuple):
    """What comes of a step: Gymnasium's arrays, and what was seen last of boards that begin anew in the same step."""

    planes: NDArray[np.int8]
    masks: NDArray[np.int8]
    rewards: NDArray[np.float64]
    terminations: NDArray[np.bool_]
    truncations: NDArray[np.bool_]
    final_planes: NDArray[np.int8]


def new_boards(n: int) -> Boards:
    """The arrays of ``n`` boards on which no game has begun."""
    return Boards(
        np.zeros((n, 2), np.uint64),
        np.zeros(n, np.uint64),
        np.zeros(n, np.int8),
        np.zeros(n, np.int8),
        np.zeros(n, np.int64),
        np.zeros(n, np.int8),
        np.zeros(n, np.float64),
    )


@kernel
def first_outside(game: Any, actions: Any) -> Any:
    """``-> int``: the first board whose action is not in the action space, -1 if there is none."""
    for i in range(len(actions)):
        if actions[i] < 0 or actions[i] >= action_count(game):
            return i
    return -1


@kernel
def step(
    policy: Any, game: Any, boards: Any, settings: Any, actions: Any, memory: Any, out: Any, start: Any, stop: Any
) -> None:
    """Step the boards from ``start`` up to ``stop``.

    Args:
        policy: of the opponent; None where it plays in Python or there is none.
        game: the game.
        boards: :class:`Boards`.
        settings: :class:`Settings`.
        actions: int64 (n,), each in the action space; ignored on boards that begin anew.
        memory: of the policy.
        out: :class:`Step`.
        start: first board.
        stop: one after the last board.
    """
    advance(policy, game, boards, settings, actions, memory, start, stop)
    conclude(policy, game, boards, settings, memory, out, start, stop)
    show(game, boards, settings, out, start, stop)


@kernel
def advance(
    policy: Any, game: Any, boards: Any, settings: Any, actions: Any, memory: Any, start: Any, stop: Any
) -> None:
    """Play the agent's actions and the opponent's replies; begin anew what ended in an earlier step.

    Where the opponent ended the game before the agent's first turn, nothing is left but to tell it so.
    """
    for i in range(start, stop):
        if boards.ended[i] == TOLD:
            _begin(game, boards, settings, i)
        elif boards.ended[i] == GOING:
            _play(game, boards, settings, i, actions[i])
        _reply(policy, game, boards, settings, i, memory)


@kernel
def conclude(policy: Any, game: Any, boards: Any, settings: Any, memory: Any, out: Any, start: Any, stop: Any) -> None:
    """Write down rewards and ends; with ``same_step`` begin anew what ended."""
    for i in range(start, stop):
        out.rewards[i], boards.rewards[i] = boards.rewards[i], 0.0
        out.terminations[i] = boards.ended[i] == TERMINATED
        out.truncations[i] = boards.ended[i] == TRUNCATED
        if boards.ended[i] == GOING:
            continue
        boards.ended[i] = TOLD
        if settings.same_step:
            _look(game, boards, settings, i, out.final_planes[i], out.masks[i])
            _begin(game, boards, settings, i)
            _reply(policy, game, boards, settings, i, memory)


@kernel
def show(game: Any, boards: Any, settings: Any, out: Any, start: Any, stop: Any) -> None:
    """Write what the agent sees on each board."""
    for i in range(start, stop):
        _look(game, boards, settings, i, out.planes[i], out.masks[i])


@kernel
def begin(policy: Any, game: Any, boards: Any, settings: Any, chosen: Any, memory: Any) -> None:
    """Begin a new game on the ``chosen`` boards (indices)."""
    for i in chosen:
        _begin(game, boards, settings, i)
        _reply(policy, game, boards, settings, i, memory)


@kernel
def reply_with(game: Any, boards: Any, settings: Any, waiting: Any, actions: Any) -> None:
    """Play an opponent's actions, each in the action space, on the boards that are ``waiting`` (indices)."""
    for k in range(len(waiting)):
        _play(game, boards, settings, waiting[k], actions[k])


@kernel
def _begin(game: Any, boards: Any, settings: Any, i: Any) -> None:
    boards.words[i, 0], boards.words[i, 1] = initial(game)
    boards.to_move[i] = boards.plies[i] = boards.ended[i] = 0
    boards.rewards[i] = 0.0
    boards.seats[i] = settings.seat
    if settings.seat == DRAWN:
        drawn, boards.states[i] = random_below(boards.states[i], 2)
        boards.seats[i] = drawn


@kernel
def _play(game: Any, boards: Any, settings: Any, i: Any, action: Any) -> None:
    mover = boards.to_move[i]
    agent = boards.seats[i] if boards.seats[i] != BOTH else mover
    outcome, keeps_turn = play_checked(game, boards.words[i], action)
    if outcome == ILLEGAL:
        boards.ended[i] = TERMINATED
        boards.rewards[i] = -1.0 if mover == agent else 0.0
        return
    boards.plies[i] += 1
    if not keeps_turn:
        boards.to_move[i] = 1 - mover
    if outcome != ONGOING:
        boards.ended[i] = TERMINATED
        boards.rewards[i] = outcome if boards.to_move[i] == agent else -outcome
    elif boards.plies[i] >= settings.limit:
        boards.ended[i] = TRUNCATED


@kernel
def _reply(policy: Any, game: Any, boards: Any, settings: Any, i: Any, memory: Any) -> None:
    if policy is None:
        return
    while boards.ended[i] == GOING and boards.to_move[i] != boards.seats[i]:
        own, opp, state = boards.words[i, 0], boards.words[i, 1], boards.states[i]
        action, boards.states[i] = choose(policy, game, own, opp, state, memory)
        _play(game, boards, settings, i, np.int64(action))


@kernel
def _look(game: Any, boards: Any, settings: Any, i: Any, planes: Any, mask: Any) -> None:
    words = boards.words[i]
    if boards.seats[i] != BOTH and boards.to_move[i] != boards.seats[i] and not settings.shared_board:
        words = words[::-1].copy()
    look(game, words, planes, mask)
    if boards.ended[i] != GOING:
        mask[:] = 0
