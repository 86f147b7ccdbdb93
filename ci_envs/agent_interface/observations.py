"""Functions that write observations of positions, and that read positions from observations of a caller.

An invalid observation is refused with a message of one line that contains the input, the requirement and a remedy.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ci_envs.games.batch import observe_batch
from ci_envs.games.game import Game
from ci_envs.games.observation import write_planes
from ci_envs.games.operations import ONGOING, action_count, decode, legal, result
from ci_envs.games.position import Position
from ci_envs.kernels.compiler import kernel

Observation = Mapping[str, NDArray[np.int8]]
"""``{"observation": planes, "action_mask": mask}`` of one board or, with a leading axis, of several boards."""

_INT8 = np.dtype(np.int8)
_FITS, _NOT_BINARY, _FOREIGN, _OVER, _WRONG_MASK = range(5)


class ReadObservations(NamedTuple):
    """Checked observations of n boards, and their positions.

    Attributes:
        planes: int8 of shape (n, height, width, channels).
        masks: int8 of shape (n, actions).
        words: the positions, uint64 of shape (n, 2).
    """

    planes: NDArray[np.int8]
    masks: NDArray[np.int8]
    words: NDArray[np.uint64]


def observations_of(game: Game, words: NDArray[np.uint64]) -> Observation:
    """Return the observations of the players to move on n boards, as ``Agent.act_batch`` expects them."""
    planes = np.empty((len(words), *game.observation_shape), dtype=np.int8)
    masks = np.empty((len(words), game.action_count), dtype=np.int8)
    observe_batch(game, words, planes, masks)
    return {"observation": planes, "action_mask": masks}


def read_observation(game: Game, observation: Observation) -> ReadObservations:
    """Check the observation of one board, and return it with a leading axis of length 1.

    Raises:
        ValueError: it is not the observation of a player to move in a position of ``game``.
    """
    return _read(game, observation, batch=False)


def read_position(game: Game, observation: Observation, seat: int) -> Position:
    """Check the observation of one board, and return its position.

    The player to move is the player who began the game if ``seat`` is 0. But a game can begin after an odd number of
    plies. Then the stones of some games show that the other player is to move.

    Raises:
        ValueError: it is not the observation of a player to move in a position of ``game``.
    """
    [(own, opp)] = read_observation(game, observation).words.tolist()
    position = Position(game, own, opp, seat)
    try:
        return Position.from_text(game, position.to_text())
    except ValueError:
        return Position(game, own, opp, 1 - seat)


def read_observations(game: Game, observations: Observation) -> ReadObservations:
    """Check the observations of n boards.

    Raises:
        ValueError: one of them is not the observation of a player to move in a position of ``game``.
    """
    return _read(game, observations, batch=True)


def _read(game: Game, given: Observation, batch: bool) -> ReadObservations:
    try:
        planes, masks = given["observation"], given["action_mask"]
        lead = planes.shape[:1] if batch else ()
        fits = planes.shape == (*lead, *game.observation_shape) and masks.shape == (*lead, game.action_count)
        fits = fits and planes.dtype == _INT8 and masks.dtype == _INT8
    except (TypeError, KeyError, IndexError, AttributeError):
        fits = False
    if not fits:
        raise ValueError(_misfit(game, given, batch))
    if not batch:
        planes, masks = planes[np.newaxis], masks[np.newaxis]
    planes, masks = np.ascontiguousarray(planes), np.ascontiguousarray(masks)
    words = np.empty((len(planes), 2), dtype=np.uint64)
    board, reason = _read_batch(game, planes, masks, words)
    if reason != _FITS:
        user = f"act_batch cannot use this observation on board {board}" if batch else "act cannot use this observation"
        raise ValueError(f"{user}: {_reason(game, reason, masks[board])}")
    return ReadObservations(planes, masks, words)


@kernel
def _read_batch(game: Any, planes: Any, masks: Any, words: Any) -> Any:
    """Decode the planes into ``words``, up to the first invalid board.

    Returns:
        The number of the invalid board or -1, and the reason.
    """
    again = np.empty_like(planes[:1])
    for i in range(len(words)):
        for value in planes[i].flat:
            if value not in (0, 1):
                return i, _NOT_BINARY
        own, opp = decode(game, planes[i])
        write_planes(game, own, opp, again[0])
        if (again[0] != planes[i]).any():
            return i, _FOREIGN
        if result(game, own, opp) != ONGOING:
            return i, _OVER
        for number in range(action_count(game)):
            if masks[i, number] != legal(game, own, opp, np.uint64(number)):
                return i, _WRONG_MASK
        words[i, 0], words[i, 1] = own, opp
    return -1, _FITS


def _reason(game: Game, reason: int, mask: NDArray[np.int8]) -> str:
    """Return why an observation of the correct shape is invalid, and a remedy."""
    remedy = "pass the observation of the player to move, env.observe(env.agent_selection)"
    if reason in (_OVER, _WRONG_MASK) and not mask.any():
        return f"no action is legal, because the game is over or it is not this player's turn; {remedy}"
    return {
        _NOT_BINARY: f"the planes have values other than 0 and 1; {remedy}",
        _FOREIGN: f"its planes are not a position of {game}; {remedy}",
        _OVER: f"the game is over; {remedy}",
        _WRONG_MASK: f"its action_mask differs from the legal actions of its planes; {remedy}",
    }[reason]


def _misfit(game: Game, given: Any, batch: bool) -> str:
    """Return the required form of an observation, for an object that does not have this form."""
    method, lead = ("act_batch", ("n",)) if batch else ("act", ())
    shapes = (*lead, *game.observation_shape), (*lead, game.action_count)
    planes, mask = (f"int8 ({', '.join(map(str, shape))}{',' * (len(shape) == 1)})" for shape in shapes)
    needed = f"{method} needs {{'observation': {planes}, 'action_mask': {mask}}} of {game}"
    return f"{needed}; got {_description(given)}: {_remedy(game, given, batch)}"


def _description(given: Any) -> str:
    if isinstance(given, Mapping):
        parts = (f"{key!r}: {_description(value)}" for key, value in given.items())
        return f"{{{', '.join(parts)}}}"
    if isinstance(given, np.ndarray):
        return f"{given.dtype} {given.shape}"
    kind = type(given).__name__
    return f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"


def _remedy(game: Game, given: Any, batch: bool) -> str:
    """Return what to pass instead."""
    if isinstance(given, Position):
        return "pass env.observe(agent), or the words [[position.own, position.opp]] to act_on"
    if isinstance(given, tuple):
        return "pass only the observation, which is the first item of env.last()"
    if isinstance(given, np.ndarray):
        return "pass the planes and the mask of the legal actions in a dictionary, as env.observe(agent) returns them"
    shape = getattr(given.get("observation"), "shape", ()) if isinstance(given, Mapping) else ()
    if batch and shape == game.observation_shape:
        return "for one board call act"
    if not batch and shape[1:] == game.observation_shape:
        return "for several boards call act_batch"
    return f"pass env.observe(agent) of an environment of {game}"
