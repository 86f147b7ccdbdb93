"""Checks of the observation planes and of ``decode``."""

import numpy as np
from numpy.typing import NDArray

from ci_envs.checking.error import InvalidGameError, place
from ci_envs.games.position import Position


def check_observations(positions: list[Position]) -> None:
    """Check that ``observe`` writes zeros and ones only into the planes, and that ``decode`` restores the position.

    In a game whose words swap with the view, check the view of the other player too.

    Raises:
        InvalidGameError: A check failed.
    """
    for position in positions:
        words = position.own, position.opp
        for own, opp in (words, position.game.rules.other_view(position.game, *words)):
            seen = Position(position.game, own, opp, position.to_move)
            planes = _planes_of(seen)
            if not np.isin(planes, (0, 1)).all():
                value = planes[~np.isin(planes, (0, 1))][0]
                raise InvalidGameError(f"observe must write only 0 and 1 at {place(seen)}, not {value}")
            decoded = position.game.rules.decode(position.game, planes)
            again = Position(position.game, decoded[0], decoded[1], position.to_move)
            if again != seen:
                raise InvalidGameError(f"decode must give {place(seen)} back from its planes, not {place(again)}")
            if not np.array_equal(planes, _planes_of(seen)):
                raise InvalidGameError(f"observe is not deterministic at {place(seen)}: two calls differ")


def _planes_of(position: Position) -> NDArray[np.int8]:
    """Return the planes. Write them into the middle of a larger array, to find values written outside of them."""
    height, width, channels = position.game.observation_shape
    buffer = np.zeros((3 * height, width, channels), np.int8)
    planes = buffer[height : 2 * height]
    words, mask = np.array([position.own, position.opp], np.uint64), np.empty(position.game.action_count, np.int8)
    position.game.rules.observe(position.game, words, planes, mask)
    if buffer[:height].any() or buffer[2 * height :].any():
        shape = position.game.observation_shape
        raise InvalidGameError(f"observe writes outside of the planes of shape {shape} at {place(position)}")
    return planes
