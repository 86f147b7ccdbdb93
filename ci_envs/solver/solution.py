"""The base class of exact solutions: a score for every position that the solution covers.

A **score** is an int16 for the player to move: 0 is a draw, ``HORIZON - distance`` is a win in ``distance`` plies, and
``distance - HORIZON`` is a loss in ``distance`` plies, under optimal play (the winner as fast as possible, the loser as
slowly). So a higher score is always better, and the score of a position is the highest score of its actions. If the
distance is unknown, a win has the score 1 and a loss the score -1.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from ci_envs.games.game import Game
from ci_envs.games.operations import LOSS, ONGOING, action_count, keeps_turn, legal, play, result
from ci_envs.games.position import Position
from ci_envs.games.random_games import random_game
from ci_envs.kernels.compiler import kernel
from ci_envs.solver.known_value import UNKNOWN, CompiledSource, python_source

HORIZON = 1 << 14
"""Score of a won game. It is above the number of plies to any win."""

NO_SCORE = int(np.iinfo(np.int16).min)
"""The score of an illegal action."""

_RANDOM_GAMES, _RANDOM_PLIES = 400, 200

Progress = Callable[[int, int | None], None]
"""A function that is called repeatedly with the number of finished positions and of all positions (None if unknown)."""


class Solution(ABC):
    """Exact values of a game's positions.

    Attributes:
        game: The game.
        searches: True if each score needs a search, False if it is read from a table.
        limited: True if :meth:`quick_scores` can lack a win or a loss.

    Examples:
        >>> from ci_envs import Position, TicTacToe, solve
        >>> position = Position.from_text(TicTacToe(), "X../.O./..X O")
        >>> solution = solve(position)
        >>> solution.value(position), [position.action_name(action) for action in solution.value_actions(position)]
        (0, ['b1', 'a2', 'c2', 'b3'])
    """

    searches = False
    limited = False

    def __init__(self, game: Game) -> None:
        self.game = game

    @abstractmethod
    def scores(self, words: NDArray[np.uint64]) -> NDArray[np.int16]:
        """Return the scores of positions, int16 of shape (n,).

        Args:
            words: The positions, rows ``(own, opp)``, uint64 of shape (n, 2).

        Raises:
            ValueError: the solution does not cover one of the positions.
        """

    def covers(self, words: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Return which positions have a score, bool of shape (n,). If a position has one, so do all its successors.

        Args:
            words: The positions, rows ``(own, opp)``, uint64 of shape (n, 2).
        """
        return np.ones(len(words), dtype=np.bool_)

    @property
    def counts(self) -> dict[str, int]:
        """The numbers of ``win``, ``draw`` and ``loss`` states; by default empty, because they were not counted.

        Raises:
            ValueError: there are too many states to count.
        """
        return {}

    @property
    def counts_by_distance(self) -> dict[str, dict[int, int]]:
        """The numbers of ``win`` and of ``loss`` states by their distance in plies; by default empty."""
        return {}

    def why_unknown(self, position: Position) -> str:
        """Return why a position that is not covered has no value, for a message."""
        return f"the solution does not contain {position.to_text()!r}"

    def compiled(self) -> CompiledSource:
        """Return the solution as the first argument of :func:`~ci_envs.solver.known_value.known_value`.

        By default the compiled code calls :meth:`covers` and :meth:`values`, which takes some microseconds a position.
        """

        def ask(own: int, opp: int) -> int:
            words = np.array([[own, opp]], np.uint64)
            return int(self.values(words)[0]) if self.covers(words)[0] else UNKNOWN

        return python_source(ask)

    def sample_positions(self, n: int, rng: np.random.Generator) -> NDArray[np.uint64]:
        """Sample covered positions that are not over, with replacement, uint64 of shape (n, 2).

        By default they are from random games.

        Raises:
            ValueError: Random games reach no covered position.
        """
        games = [random_game(self.game, rng, _RANDOM_PLIES) for _ in range(_RANDOM_GAMES)]
        words = np.array([facts[:2] for game in games for facts in game if facts[2] == ONGOING], np.uint64)
        words = words[self.covers(words)]
        if len(words) == 0:
            raise ValueError(f"random games of {self.game} reach no position that the solution contains")
        return words[rng.integers(len(words), size=n)]

    def values(self, words: NDArray[np.uint64]) -> NDArray[np.int16]:
        """Return the signs of the scores, which some solutions compute faster than the scores."""
        return np.sign(self.scores(words))

    def action_scores(self, words: NDArray[np.uint64]) -> NDArray[np.int16]:
        """Return the score of each action for the player who plays it, shape (n, actions); ``NO_SCORE`` if illegal."""
        return self._of_actions(words, self.scores)

    def action_values(self, words: NDArray[np.uint64]) -> NDArray[np.int16]:
        """Return the signs of :meth:`action_scores`; ``NO_SCORE`` for illegal actions."""
        return self._of_actions(words, self.values)

    def kept_actions(self, words: NDArray[np.uint64]) -> tuple[NDArray[np.int16], NDArray[np.bool_]]:
        """Return the values of positions that are not over, shape (n,), and which actions keep them, (n, actions)."""
        values = self.action_values(words)
        return values.max(axis=1, initial=LOSS), keep_value(values)

    def grading_scores(self, words: NDArray[np.uint64]) -> NDArray[np.int16]:
        """Return :meth:`action_scores`, or :meth:`action_values` if computing distances takes long.

        All actions of a position have ``NO_SCORE`` if their values are not found within a limit of the solution.
        """
        return self.action_scores(words)

    def quick_from(self, words: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Return from which positions on all values are found in about a millisecond, bool of shape (n,)."""
        return np.full(len(words), not self.searches)

    def quick_actions(self, words: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Return of which positions :meth:`action_values` are found in milliseconds, bool of shape (n,)."""
        return self.quick_from(words) & self.covers(words)

    def quick_scores(self, words: NDArray[np.uint64]) -> NDArray[np.int16]:
        """Return :meth:`action_scores`, or scores that are found in seconds, for an agent that plays.

        They can be :meth:`action_values`, or scores of 0 where a search of limited depth found no win and no loss.
        """
        return self.action_scores(words)

    def value(self, position: Position) -> int:
        """Return +1, 0 or -1 if the player to move wins, draws or loses."""
        return int(self.values(self._words(position))[0])

    def distance(self, position: Position) -> int | None:
        """Return the plies to the end under optimal play, or None for a draw or an unknown distance.

        Under optimal play the winner wins as fast as possible, and the loser loses as slowly as possible.
        """
        score = abs(self._score(position))
        return HORIZON - score if score > 1 else None

    def best_actions(self, position: Position) -> tuple[int, ...]:
        """Return the actions that keep the value and, among these, win as fast or lose as slowly as possible.

        In a drawn position they are all drawing actions. If the game is over the result is empty.
        """
        scores = self.action_scores(self._words(position))[0]
        return tuple(np.flatnonzero((scores == scores.max()) & (scores != NO_SCORE)).tolist())

    def value_actions(self, position: Position) -> tuple[int, ...]:
        """Return the actions that keep the value: all actions in a lost position, and none if the game is over."""
        if position.result is not None:
            return ()
        return tuple(np.flatnonzero(self.kept_actions(self._words(position))[1][0]).tolist())

    def _of_actions(
        self, words: NDArray[np.uint64], score: Callable[[NDArray[np.uint64]], NDArray[np.int16]]
    ) -> NDArray[np.int16]:
        """Return the result of ``score`` for the position after each action, for the player who acts."""
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
        if not isinstance(position, Position):
            raise TypeError(f"a solution needs a position such as Position.start(game), not {position!r}")
        if position.game != self.game:
            raise ValueError(f"this solution is for {self.game}, not for {position.game}")
        return np.array([[position.own, position.opp]], dtype=np.uint64)


class CountedSolution(Solution):
    """A solution that knows the number of states with each score."""

    @property
    @abstractmethod
    def states_by_score(self) -> Mapping[int, int]:
        """The number of states with each score.

        Raises:
            ValueError: there are too many states to count.
        """

    @property
    @override
    def counts(self) -> dict[str, int]:
        win, loss = (sum(self.counts_by_distance[value].values()) for value in ("win", "loss"))
        return {"win": win, "draw": self.states_by_score.get(0, 0), "loss": loss}

    @property
    @override
    def counts_by_distance(self) -> dict[str, dict[int, int]]:
        nearest_first = sorted(self.states_by_score.items(), key=lambda item: -abs(item[0]))
        return {
            "win": {HORIZON - score: count for score, count in nearest_first if score > 0},
            "loss": {HORIZON + score: count for score, count in nearest_first if score < 0},
        }


def keep_value(action_scores: NDArray[np.int16]) -> NDArray[np.bool_]:
    """Return which actions keep the value of their position, from their scores of shape (..., actions)."""
    best = action_scores.max(axis=-1, keepdims=True)
    keeps: NDArray[np.bool_] = (action_scores != NO_SCORE) & (np.sign(action_scores) == np.sign(best))
    return keeps


def too_large(game: Game, states: int, bytes_a_state: float, more: bool = False, to: str = "solve") -> ValueError:
    """Return an error that ``game`` is too large; with ``more``, it has more than ``states`` states."""
    size, unit = states * bytes_a_state, 0
    while size >= 1000 and unit < 8:
        size, unit = size / 1000, unit + 1
    memory = f"{size:.3g} {('bytes', 'kB', 'MB', 'GB', 'TB', 'PB', 'EB', 'ZB', 'YB')[unit]}"
    than = "more than " if more else ""
    return ValueError(f"{game} is too large to {to}: {than}{states:,} states, which would take {than}{memory}")


@kernel
def _follow(game: Any, words: Any, followers: Any, signs: Any) -> None:
    """Write the positions after each action. Signs are 0 for illegal actions, -1 if the turn passes, else 1."""
    for i in range(len(words)):
        own, opp = words[i, 0], words[i, 1]
        going = result(game, own, opp) == ONGOING
        for number in range(action_count(game)):
            action = np.uint64(number)
            signs[i, number] = 0
            if going and legal(game, own, opp, action):
                followers[i, number, 0], followers[i, number, 1] = play(game, own, opp, action)
                signs[i, number] = 1 if keeps_turn(game, own, opp, action) else -1
