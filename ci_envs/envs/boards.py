"""Many boards of one game, stepped in compiled code. On each board an agent has a seat and an opponent has the other.

A step (:func:`step`) has three parts: play the agent's action, write the rewards and ends and start new games, and
write the observations. A compiled opponent replies within the first two parts. For an opponent that runs in Python, the
caller calls one function for each part (:func:`advance`, :func:`conclude`, :func:`observe_boards`). After each of the
first two, it advances the boards that wait for a reply with the opponent's actions.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ci_envs.agent_interface.policy import choose
from ci_envs.games.batch import ILLEGAL, play_checked
from ci_envs.games.game import Game
from ci_envs.games.observation import write_mask, write_planes
from ci_envs.games.openings import RandomOpenings, random_opening
from ci_envs.games.operations import ONGOING, initial, other_view
from ci_envs.kernels.compiler import inlined, kernel
from ci_envs.kernels.random_numbers import next_random, random_below
from ci_envs.kernels.seeds import next_seed

BOTH = -1
"""The seat of an agent that plays both sides."""

DRAWN = 2
"""The seat setting that draws a seat at the start of each game."""

BEGIN, SKIP = -1, -2
"""Special actions: start a new game, and leave the board unchanged."""

GOING, TERMINATED, TRUNCATED, REPORTED = 0, 1, 2, 3
"""The states of a game: TERMINATED or TRUNCATED until a step has reported the end, then REPORTED."""

BOARD = np.dtype(
    [
        ("words", np.uint64, 2),
        ("seeds", np.uint64),
        ("seats", np.uint64),
        ("reward", np.float64),
        ("plies", np.int64),
        ("seat", np.int8),
        ("to_move", np.int8),
        ("ended", np.int8),
        ("illegal", np.bool_),
    ],
    align=True,
)
"""A board.

Fields:

* ``words``: the position.
* ``seeds``: the sequence of the seeds of the opponent's decisions (:mod:`ci_envs.kernels.seeds`).
* ``seats``: the state of the random numbers that draw seats and openings.
* ``reward``: the reward since the last step reported one.
* ``plies``: the number of plies of this game.
* ``seat``: the agent's seat (0, 1 or BOTH).
* ``to_move``: the player to move.
* ``ended``: GOING, TERMINATED, TRUNCATED or REPORTED.
* ``illegal``: whether an illegal action of the agent has ended the game since the last step reported an end.
"""


class BoardSettings(NamedTuple):
    """The settings of all boards.

    Attributes:
        seat: 0, 1, BOTH or DRAWN.
        limit: plies after which a game is truncated.
        same_step: whether a new game starts in the step in which the previous game ends. If false, it starts in the
            next step.
        openings: random openings for some games, or None.
    """

    seat: int
    limit: int
    same_step: bool
    openings: RandomOpenings | None = None


class Step(NamedTuple):
    """The results of a step of n boards.

    Planes and masks are records with the single field ``seen``, so that compiled code knows the shape for each board.

    Attributes:
        planes: int8, records of shape (height, width, channels), (n,).
        masks: int8, records of shape (actions,), (n,).
        rewards: float64 of shape (n,).
        terminations: bool of shape (n,).
        truncations: bool of shape (n,).
        illegal: whether an illegal action of the agent ended the game, bool of shape (n,).
        final_planes: the last planes of games on boards that start a new game in the same step, in the format of
            ``planes``.
        final_to_move: the player to move in the last position of these games, int8 of shape (n,).
    """

    planes: NDArray[np.void]
    masks: NDArray[np.void]
    rewards: NDArray[np.float64]
    terminations: NDArray[np.bool_]
    truncations: NDArray[np.bool_]
    illegal: NDArray[np.bool_]
    final_planes: NDArray[np.void]
    final_to_move: NDArray[np.int8]


def new_step(game: Game, n: int, final_planes: NDArray[np.void] | None = None) -> Step:
    """Return arrays for a step of ``n`` boards. ``final_planes`` can be given."""
    planes = np.dtype([("seen", np.int8, game.observation_shape)])
    return Step(
        np.empty(n, planes),
        np.empty(n, [("seen", np.int8, (game.action_count,))]),
        np.empty(n, np.float64),
        np.empty(n, np.bool_),
        np.empty(n, np.bool_),
        np.empty(n, np.bool_),
        np.empty(n, planes) if final_planes is None else final_planes,
        np.empty(n, np.int8),
    )


@kernel
def first_outside(actions: Any, count: Any) -> Any:
    """Return the first board whose action is not from 0 to ``count - 1``, or -1."""
    for i in range(len(actions)):
        if actions[i] < 0 or actions[i] >= count:
            return i
    return -1


@kernel
def step(
    policy: Any,
    game: Any,
    memory: Any,
    boards: Any,
    settings: Any,
    actions: Any,
    out: Any,
    start: Any,
    stop: Any,
) -> None:
    """Step the boards from ``start`` to ``stop - 1``.

    Args:
        policy: the policy of the opponent. None if there is no opponent, or if the caller plays its replies.
        game: the game.
        memory: the memory of the policy.
        boards: boards of the type BOARD.
        settings: the :class:`BoardSettings`.
        actions: int64 of shape (n,), each in the action space, BEGIN or SKIP. Actions are ignored on boards whose game
            is over. With BEGIN and SKIP the results for reward and end are not written.
        out: the :class:`Step`, written.
        start: the index of the first board.
        stop: the index after the last board.
    """
    for i in range(start, stop):
        _advance(policy, game, memory, boards[i], settings, actions[i])
        if actions[i] >= 0:
            _conclude(policy, game, memory, boards[i], settings, out, i)
        _observe(game, boards[i], out.planes[i].seen, out.masks[i].seen)


@kernel
def step_one(
    policy: Any, game: Any, memory: Any, boards: Any, settings: Any, action: Any, planes: Any, mask: Any
) -> Any:
    """Advance one board and write the observation of the agent.

    Args:
        policy: the policy of the opponent, or None if the caller plays its replies.
        game: the game.
        memory: the memory of the policy.
        boards: an array of one board of the type BOARD.
        settings: the :class:`BoardSettings`.
        action: in the action space, BEGIN or SKIP. It is ignored if the game is over.
        planes: int8 of the game's observation shape, written.
        mask: int8 of shape (actions,), written.

    Returns:
        The state of the game, the reward, and whether an illegal action ended the game.
    """
    board = boards[0]
    _advance(policy, game, memory, board, settings, action)
    _observe(game, board, planes, mask)
    return np.int64(board.ended), board.reward, board.illegal


@kernel
def advance(game: Any, boards: Any, settings: Any, actions: Any) -> None:
    """Play the actions: the first part of a step, without replies."""
    for i in range(len(boards)):
        _advance(None, game, (), boards[i], settings, actions[i])


@kernel
def conclude(game: Any, boards: Any, settings: Any, out: Any) -> None:
    """Write the results: the second part of a step, without replies."""
    for i in range(len(boards)):
        _conclude(None, game, (), boards[i], settings, out, i)


@kernel
def observe_boards(game: Any, boards: Any, out: Any) -> None:
    """Write the planes and masks: the last part of a step."""
    for i in range(len(boards)):
        _observe(game, boards[i], out.planes[i].seen, out.masks[i].seen)


@kernel
def seed_boards(boards: Any, chosen: Any, seeds: Any) -> None:
    """Seed the opponent and the draw of seats on the ``chosen`` boards (indices) with ``seeds``, uint64."""
    for k in range(len(chosen)):
        boards[chosen[k]].seeds = seeds[k]
        boards[chosen[k]].seats = seat_state(seeds[k])


@inlined
def seat_state(seed: Any) -> Any:
    """Return the state of the random numbers that draw seats. It is independent of the seeds of decisions."""
    return next_random(~np.uint64(seed))[0]


@inlined
def draw_seat(state: Any) -> Any:
    """Return the agent's seat in the next game, 0 or 1, and the new state of the random numbers."""
    return random_below(state, 2)


@inlined
def _advance(policy: Any, game: Any, memory: Any, board: Any, settings: Any, action: Any) -> None:
    """Start a game, or play the agent's action unless the game is over. Then play the opponent's replies.

    The game can be over although no step has reported it, because the opponent can end it before the agent's first
    turn.
    """
    if action >= 0:
        if board.ended != GOING:
            return
        _play(game, board, settings, action)
    elif action == BEGIN:
        _begin(game, board, settings)
    _reply(policy, game, memory, board, settings)


@inlined
def _conclude(policy: Any, game: Any, memory: Any, board: Any, settings: Any, out: Any, i: Any) -> None:
    """Write the reward and the end. Start a new game after a reported end, or with ``same_step`` after any end."""
    out.rewards[i], board.reward = board.reward, 0.0
    out.illegal[i], board.illegal = board.illegal, False
    out.terminations[i] = board.ended == TERMINATED
    out.truncations[i] = board.ended == TRUNCATED
    if board.ended == GOING:
        return
    if settings.same_step:
        own, opp = _seen(game, board)
        write_planes(game, own, opp, out.final_planes[i].seen)
        out.final_to_move[i] = board.to_move
    if settings.same_step or board.ended == REPORTED:
        _begin(game, board, settings)
        _reply(policy, game, memory, board, settings)
    else:
        board.ended = REPORTED


@inlined
def _observe(game: Any, board: Any, planes: Any, mask: Any) -> None:
    """Write the observation of the agent."""
    own, opp = _seen(game, board)
    write_planes(game, own, opp, planes)
    write_mask(game, own, opp, board.ended == GOING, mask)


@inlined
def _seen(game: Any, board: Any) -> Any:
    """Return the position from the agent's point of view."""
    own, opp = board.words[0], board.words[1]
    return other_view(game, own, opp) if board.seat == 1 - board.to_move else (own, opp)


@kernel
def _begin(game: Any, board: Any, settings: Any) -> None:
    board.words[0], board.words[1] = initial(game)
    board.to_move = board.plies = board.ended = 0
    board.reward = 0.0
    board.illegal = False
    board.seat = settings.seat
    if settings.seat == DRAWN:
        board.seat, board.seats = draw_seat(board.seats)
    _open(game, board, settings.openings)


@kernel
def _open(game: Any, board: Any, openings: Any) -> None:
    if openings is None:
        return
    max_plies, share = openings
    own, opp, board.to_move, board.seats = random_opening(game, max_plies, share, board.seats)
    board.words[0], board.words[1] = own, opp


@kernel
def _play(game: Any, board: Any, settings: Any, action: Any) -> None:
    mover = board.to_move
    agent = board.seat if board.seat != BOTH else mover
    outcome, keeps_turn = play_checked(game, board.words, action)
    if outcome == ILLEGAL:
        board.ended = TERMINATED
        board.illegal = mover == agent
        board.reward = -1.0 if board.illegal else 0.0
        return
    board.plies += 1
    if not keeps_turn:
        board.to_move = 1 - mover
    if outcome != ONGOING:
        board.ended = TERMINATED
        board.reward = outcome if board.to_move == agent else -outcome
    elif board.plies >= settings.limit:
        board.ended = TRUNCATED


@kernel
def _reply(policy: Any, game: Any, memory: Any, board: Any, settings: Any) -> None:
    if policy is None:
        return
    while board.ended == GOING and board.seat == 1 - board.to_move:
        seed, board.seeds = next_seed(board.seeds)
        action = choose(policy, game, board.words[0], board.words[1], seed, memory)
        _play(game, board, settings, np.int64(action))
