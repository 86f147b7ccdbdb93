"""The positions of games of self-play that are in progress."""

import numpy as np
from numpy.typing import NDArray

from ci_envs.agents.alphazero.replay import sample_type
from ci_envs.games.game import Game

_PLIES = 64


class SelfPlayHistory:
    """The samples of several games, one game per lane, for the player to move.

    Attributes:
        length: the number of positions of each game, int64 of shape (lanes,).
    """

    def __init__(self, game: Game, lanes: int) -> None:
        """Make an empty history."""
        self.length = np.zeros(lanes, np.int64)
        self._rows = np.arange(lanes)
        self._samples = np.zeros((lanes, _PLIES), sample_type(game))
        self._players = np.zeros((lanes, _PLIES), np.int8)

    def add(self, samples: NDArray[np.void], players: NDArray[np.int8]) -> None:
        """Add a position to each game.

        Args:
            samples: array of :func:`~ci_envs.agents.alphazero.replay.sample_type` and shape (lanes,).
            players: the players to move, int8 of shape (lanes,).
        """
        if self.length.max() == self._players.shape[1]:
            self._samples, self._players = (
                np.concatenate([array, np.zeros_like(array)], axis=1) for array in (self._samples, self._players)
            )
        place = self._rows, self.length
        self._samples[place], self._players[place] = samples, players
        self.length += 1

    def occurrences(self, words: NDArray[np.uint64], players: NDArray[np.int8]) -> NDArray[np.int64]:
        """Return how often the position of each lane occurred before in its game, int64 of shape (lanes,)."""
        longest = self.length.max(initial=0)
        equal = self._players[self._rows, :longest] == players[:, None]
        for word, name in enumerate(("own", "opp")):
            equal &= self._samples[name][self._rows, :longest] == words[:, None, word]
        counts: NDArray[np.int64] = np.count_nonzero(equal & (np.arange(longest) < self.length[:, None]), axis=1)
        return counts

    def game(self, lane: int) -> tuple[NDArray[np.void], NDArray[np.int8]]:
        """Return copies of the samples of the game of a lane, and the players to move."""
        place = self._rows[lane], slice(self.length[lane])
        return self._samples[place].copy(), self._players[place].copy()

    def restart(self, lanes: NDArray[np.int64]) -> None:
        """Discard the games of these lanes."""
        self.length[lanes] = 0

    def remove(self, lanes: NDArray[np.int64]) -> None:
        """Remove lanes."""
        self._rows, self.length = np.delete(self._rows, lanes), np.delete(self.length, lanes)
