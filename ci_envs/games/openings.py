"""Random positions from which games start, so that deterministic agents do not repeat the same game."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ci_envs.games.batch import start_words
from ci_envs.games.game import Game
from ci_envs.games.operations import ONGOING, initial, keeps_turn, play, result
from ci_envs.games.walk import random_action
from ci_envs.kernels.compiler import inlined, kernel
from ci_envs.kernels.random_numbers import random_below
from ci_envs.validation import integer_between, probability

_TRIES = 1000
_FEW_TRIES = 20


_MOST_PLIES = 2**31 - 1


class RandomOpenings(NamedTuple):
    """Random openings for some of the games.

    Attributes:
        max_plies: The maximum number of random plies. Each number from 1 to this is equally likely.
        share: The probability that a game has a random opening, from 0 to 1.

    Examples:
        >>> from ci_envs import RandomOpenings, make_vec
        >>> envs = make_vec("Quixo-v0", 4, opponent="random", openings=RandomOpenings(max_plies=8, share=0.5))
    """

    max_plies: int
    share: float = 1.0

    def draw(self, game: Game, count: int, rng: np.random.Generator) -> NDArray[np.uint64]:
        """Draw the first positions of games.

        Returns:
            Rows (own, opp), uint64 of shape (count, 2). If random play often ends too early, it is the initial
            position.
        """
        words = np.empty((count, 2), dtype=np.uint64)
        _draw_openings(game, words, self.max_plies, self.share, rng.integers(1 << 63, dtype=np.uint64))
        return words


def checked_openings(openings: RandomOpenings | None) -> RandomOpenings | None:
    """Return the same openings.

    Raises:
        TypeError: They are neither :class:`RandomOpenings` nor None.
        ValueError: A value is out of range.
    """
    if openings is None:
        return None
    if not isinstance(openings, RandomOpenings):
        raise TypeError(f"openings must be RandomOpenings(max_plies, share) or None, not {openings!r}")
    plies = integer_between("max_plies of openings", openings.max_plies, 1, _MOST_PLIES)
    return RandomOpenings(plies, probability("share of openings", openings.share))


def random_openings(game: Game, count: int, plies: int, seed: int = 0) -> NDArray[np.uint64]:
    """Return positions after ``plies`` random plies, uint64 of shape (count, 2). Walks that end the game are repeated.

    Raises:
        ValueError: ``count`` or ``plies`` is out of range, or almost all walks end too early.

    Examples:
        >>> from ci_envs import Quixo
        >>> from ci_envs.arena import random_openings
        >>> random_openings(Quixo(), plies=4, count=100, seed=0).shape
        (100, 2)
    """
    integer_between("count", count, 1)
    plies = integer_between("random_plies", plies, 0, _MOST_PLIES)
    words, state = start_words(game, count), np.random.SeedSequence(seed).generate_state(1, np.uint64)[0]
    if plies and not _walk(game, words, np.full(count, plies), state):
        raise ValueError(f"random_plies={plies} is too large for {game}: random games end earlier")
    return words


def positions_of_random_play(
    game: Game, count: int, min_plies: int, max_plies: int, rng: np.random.Generator
) -> NDArray[np.uint64]:
    """Draw positions after random numbers of random plies.

    Walks that end the game are repeated.

    Args:
        game: The game.
        count: The number of positions.
        min_plies: The minimum number of plies.
        max_plies: The maximum number of plies. All numbers are equally likely.
        rng: The random number generator.

    Returns:
        Rows (own, opp), uint64 of shape (count, 2).

    Raises:
        ValueError: Almost all walks end too early.
    """
    words = start_words(game, count)
    if not _walk(
        game, words, rng.integers(min_plies, max_plies + 1, size=count), rng.integers(1 << 63, dtype=np.uint64)
    ):
        raise ValueError(f"max_plies={max_plies} is too large for {game}: random games end earlier")
    return words


@kernel
def _walk(game: Any, words: Any, plies: Any, state: Any) -> Any:
    """Write the end of a random walk for each row, and return whether every walk reached its length."""
    for i in range(len(words)):
        for _ in range(_TRIES):
            words[i, 0], words[i, 1], _, going, state = _walk_once(game, plies[i], state)
            if going:
                break
        else:
            return False
    return True


@inlined
def _walk_once(game: Any, plies: Any, state: Any) -> Any:
    """Play random plies from the initial position.

    Returns:
        Both words, the player to move, whether the game is still going on, and the new state of the random numbers.
    """
    own, opp = initial(game)
    to_move = walked = np.int64(0)
    while walked < plies and result(game, own, opp) == ONGOING:
        action, state = random_action(game, own, opp, state)
        if not keeps_turn(game, own, opp, np.uint64(action)):
            to_move = 1 - to_move
        own, opp = play(game, own, opp, np.uint64(action))
        walked += 1
    return own, opp, to_move, walked == plies and result(game, own, opp) == ONGOING, state


@kernel
def random_opening(game: Any, max_plies: Any, share: Any, state: Any) -> Any:
    """Draw the first position of a game (:class:`RandomOpenings`).

    Returns:
        Both words, the player to move, and the new state of the random number generator.
    """
    fraction, state = random_below(state, 1 << 30)
    if fraction < share * (1 << 30):
        wanted, state = random_below(state, max_plies)
        for _ in range(_FEW_TRIES):
            own, opp, to_move, going, state = _walk_once(game, np.int64(wanted) + 1, state)
            if going:
                return own, opp, to_move, state
    own, opp = initial(game)
    return own, opp, np.int64(0), state


@kernel
def _draw_openings(game: Any, words: Any, max_plies: Any, share: Any, state: Any) -> None:
    for i in range(len(words)):
        words[i, 0], words[i, 1], _, state = random_opening(game, max_plies, share, state)
