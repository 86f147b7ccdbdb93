"""What an exact solution is: a score for every position that it covers, and what follows from the scores.

A **score** says in one int16 how a position stands for the player to move: 0 is a draw, ``HORIZON - distance`` a win
and ``distance - HORIZON`` a loss that many plies ahead, if the winner hurries and the loser tarries. So the greater
score is always better, and a position's score is the greatest of its actions. Where the distance is unknown a win
scores 1 and a loss -1.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ci_envs.games.game import Game
from ci_envs.games.operations import ONGOING, action_count, keeps_turn, legal, play, result
from ci_envs.games.position import Position
from ci_envs.kernels.compiler import kernel

HORIZON = 1 << 14
"""Score of a game that is won on the board; more plies than any win takes."""

NO_SCORE = int(np.iinfo(np.int16).min)
"""Stands where there is no score: for an illegal action."""

Progress = Callable[[int, int | None], None]
"""Called now and then with the number of positions done and of all, None where that is unknown."""


class Solution(ABC):
    """Exact values of a game's positions.

    Attributes:
        game: The game.
        searches: Whether every score takes a search, rather than a look into a table.
    """

    searches = False

    def __init__(self, game: Game) -> None:
        self.game = game

    @abstractmethod
    def scores(self, words: NDArray[np.uint64]) -> NDArray[np.int16]:
        """The scores of positions, whose words are the rows ``(own, opp)`` of an array of shape (n, 2).

        Raises:
            ValueError: the solution does not cover one of them.
        """

    @property
    @abstractmethod
    def counts(self) -> dict[str, int]:
        """How many of all states are a ``win``, a ``draw`` and a ``loss``; empty if they were not counted.

        Raises:
            ValueError: there are too many to count.
        """

    @property
    @abstractmethod
    def counts_by_distance(self) -> dict[str, dict[int, int]]:
        """The number of ``win`` and of ``loss`` states by their distance in plies; empty if they were not counted."""

    def values(self, words: NDArray[np.uint64]) -> NDArray[np.int16]:
        """The signs of the scores, for which some solutions need less time than for the scores."""
        return np.sign(self.scores(words))

    def action_scores(self, words: NDArray[np.uint64]) -> NDArray[np.int16]:
        """The score of each action for who plays it, shape (n, actions); ``NO_SCORE`` where it is illegal."""
        return self._of_actions(words, self.scores)

    def action_values(self, words: NDArray[np.uint64]) -> NDArray[np.int16]:
        """The signs of :meth:`action_scores`; ``NO_SCORE`` where an action is illegal."""
        return self._of_actions(words, self.values)

    def grading_scores(self, words: NDArray[np.uint64]) -> NDArray[np.int16]:
        """:meth:`action_scores`, or :meth:`action_values` where the distances would take long."""
        return self.action_scores(words)

    def value(self, position: Position) -> int:
        """+1, 0 or -1: the player to move wins, draws or loses."""
        return int(self.values(self._words(position))[0])

    def distance(self, position: Position) -> int | None:
        """Plies to the end, if the winner hurries and the loser tarries; None for a draw or where it is unknown."""
        score = abs(self._score(position))
        return HORIZON - score if score > 1 else None

    def best_actions(self, position: Position) -> tuple[int, ...]:
        """The actions that keep the value, and of those the ones that win soonest or lose latest.

        They are all the drawing ones in a drawn position, and none once the game is over.
        """
        scores = self.action_scores(self._words(position))[0]
        return tuple(np.flatnonzero((scores == scores.max()) & (scores != NO_SCORE)).tolist())

    def value_actions(self, position: Position) -> tuple[int, ...]:
        """The actions that keep the value: in a lost position all, and none once the game is over."""
        return tuple(np.flatnonzero(keep_value(self.action_values(self._words(position))[0])).tolist())

    def _of_actions(
        self, words: NDArray[np.uint64], score: Callable[[NDArray[np.uint64]], NDArray[np.int16]]
    ) -> NDArray[np.int16]:
        """Return the result of ``score`` for the position after each action, from the view of the player who acts."""
        shape = len(words), self.game.action_count
        followers, signs = np.empty((*shape, 2), dtype=np.uint64), np.empty(shape, dtype=np.int16)
        _follow(self.game, np.ascontiguousarray(words), followers, signs)
        possible = signs != 0
        after = signs[possible] * score(followers[possible])
        scores = np.full(shape, NO_SCORE, dtype=np.int16)
        scores[possible] = after - np.sign(after) * (abs(after) > 1)
        return scores

    def _score(self, position: Position) -> int:
        return int(self.scores(self._words(position))[0])

    def _words(self, position: Position) -> NDArray[np.uint64]:
        if position.game != self.game:
            raise ValueError(f"this is a solution of {self.game}, not of {position.game}")
        return np.array([[position.own, position.opp]], dtype=np.uint64)


def keep_value(action_scores: NDArray[np.int16]) -> NDArray[np.bool_]:
    """Which actions keep the value of their position, from their scores of shape (..., actions)."""
    best = action_scores.max(axis=-1, keepdims=True)
    keeps: NDArray[np.bool_] = (action_scores != NO_SCORE) & (np.sign(action_scores) == np.sign(best))
    return keeps


def by_distance(states: Mapping[int, int]) -> dict[str, dict[int, int]]:
    """The number of ``win`` and of ``loss`` states by their distance, from the number of states of each score."""
    nearest_first = sorted(states.items(), key=lambda item: -abs(item[0]))
    return {
        "win": {HORIZON - score: count for score, count in nearest_first if score > 0},
        "loss": {HORIZON + score: count for score, count in nearest_first if score < 0},
    }


def too_large(game: Game, states: int, bytes_a_state: float, more: bool = False, to: str = "solve") -> ValueError:
    """The error that says why ``game`` is not solved; with ``more``, it has more ``states`` than this."""
    size, unit = states * bytes_a_state, 0
    while size >= 1000 and unit < 8:
        size, unit = size / 1000, unit + 1
    memory = f"{size:.3g} {('bytes', 'kB', 'MB', 'GB', 'TB', 'PB', 'EB', 'ZB', 'YB')[unit]}"
    than = "more than " if more else ""
    return ValueError(f"{game} is too large to {to}: {than}{states:,} states, which would take {than}{memory}")


@kernel
def _follow(game: Any, words: Any, followers: Any, signs: Any) -> None:
    """Write the positions after each action; signs are 0 where it is illegal, -1 where the turn passes, else 1."""
    for i in range(len(words)):
        own, opp = words[i, 0], words[i, 1]
        going = result(game, own, opp) == ONGOING
        for number in range(action_count(game)):
            action = np.uint64(number)
            signs[i, number] = 0
            if going and legal(game, own, opp, action):
                followers[i, number, 0], followers[i, number, 1] = play(game, own, opp, action)
                signs[i, number] = 1 if keeps_turn(game, own, opp, action) else -1
