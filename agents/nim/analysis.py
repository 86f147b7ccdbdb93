"""Exact results of play against the Nim expert, and limits of combinations of rules.

The expert wins from every won position and plays a uniformly random legal action in a lost position. Therefore the win
probability is a sum over the possible actions of both players. One pass over all positions, from the smallest,
computes it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ci_envs.agents.nim.evolved import classes_of
from ci_envs.agents.nim.rules import rule_action_probabilities
from ci_envs.games import kernel
from ci_envs.games.nim import Nim
from ci_envs.solver.nim import are_won
from ci_envs.validation import integer_between

MAX_POSITIONS, MAX_MAPPINGS = 1 << 17, 1 << 17
"""Maximum number of positions, and of mappings from classes to rules."""


@dataclass(frozen=True)
class NimAnalysis:
    """All positions of a game of Nim.

    Attributes:
        game: a game with at most MAX_POSITIONS positions.

    Raises:
        ValueError: the game has more positions.
    """

    game: Nim

    def __post_init__(self) -> None:
        integer_between(f"the number of positions of {self.game}", self.count, 1, MAX_POSITIONS)

    @property
    def count(self) -> int:
        """The number of positions, including the empty one."""
        return prod(heap + 1 for heap in self.game.heaps)

    @cached_property
    def words(self) -> NDArray[np.uint64]:
        """The first words of all positions, uint64 of shape (positions,).

        The empty position is first and the initial position last. Every action leads to an earlier position.
        """
        heaps = np.indices([heap + 1 for heap in self.game.heaps]).reshape(len(self.game.heaps), -1)
        places = np.arange(len(self.game.heaps), dtype=np.uint64)[:, np.newaxis] * np.uint64(8)
        words: NDArray[np.uint64] = np.bitwise_or.reduce(heaps.astype(np.uint64) << places, axis=0)
        return words

    @cached_property
    def after(self) -> NDArray[np.int64]:
        """The index of the position after each action, int64 of shape (positions, actions); -1 for illegal actions."""
        sizes = [heap + 1 for heap in self.game.heaps]
        heap, less = np.divmod(np.arange(self.game.action_count), self.game.limit)
        there = np.indices(sizes).reshape(len(sizes), -1)[heap].T
        strides = np.array([prod(sizes[row + 1 :]) for row in range(len(sizes))])
        left = np.arange(self.count)[:, np.newaxis] - (less + 1) * strides[heap]
        return np.where(less + 1 <= there, left, -1)

    @cached_property
    def won(self) -> NDArray[np.bool_]:
        """Whether each position is won for the player to move, bool of shape (positions,)."""
        return are_won(self.words, self.game)

    @cached_property
    def starts(self) -> NDArray[np.bool_]:
        """Whether each position is a won start (won and not empty), bool of shape (positions,)."""
        starts = self.won.copy()
        starts[0] = False
        return starts

    def chances_of(self, rules: Sequence[str]) -> NDArray[np.float64]:
        """Return the probability of each action under each rule, float64 of shape (rules, positions, actions).

        It is 0 for all actions of the empty position.
        """
        chances = np.zeros((len(rules), self.count, self.game.action_count))
        chances[:, 1:] = rule_action_probabilities(self.game, rules, self.words[1:])
        return chances

    def win_probabilities(self, chances: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the probability to win against the expert from each position.

        Args:
            chances: the probability of each action, float64 of shape (positions, actions).

        Returns:
            float64 of shape (2, positions): row 0 if the player moves first, row 1 if the expert moves first.
        """
        values = np.empty((2, self.count))
        alone = np.zeros(self.count, dtype=np.int64)
        _write_win_probabilities(self.after, self.won, self.game.misere, chances[np.newaxis], alone, values)
        return values

    def share_won(self, chances: NDArray[np.float64]) -> tuple[float, float]:
        """Return the mean win probability over all won starts, and the win probability in the initial position.

        In the initial position the player has the seat that wins in theory.
        """
        return self._share(self.win_probabilities(chances))

    def _share(self, values: NDArray[np.float64]) -> tuple[float, float]:
        return float(values[0, self.starts].mean()), float(values[0 if self.won[-1] else 1, -1])

    def kept(self, rules: Sequence[str]) -> NDArray[np.bool_]:
        """Return whether each rule keeps each won start won with certainty, bool of shape (rules, positions)."""
        losing = (self.after >= 0) & ~self.won[self.after]
        kept: NDArray[np.bool_] = (self.chances_of(rules) * ~losing).sum(axis=2) == 0
        return kept & self.starts

    def table(self, rules: Sequence[str], features: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return in how many won starts of each class each rule keeps the win with certainty.

        A mapping from classes to rules can win from all won starts only if each class has a rule that keeps all wins.

        Returns:
            The number of won starts, int64 of shape (classes,), and of kept wins, int64 of shape (classes, rules).
        """
        kept, classes, number = self.kept(rules), self.classes(features), 1 << len(features)
        starts = np.bincount(classes[self.starts], minlength=number)
        return starts, np.stack([np.bincount(classes[row], minlength=number) for row in kept], axis=1)

    def classes(self, features: Sequence[str]) -> NDArray[np.int64]:
        """Return the class of each position, int64 of shape (positions,)."""
        return classes_of(self.game, features, self.words)

    def unsolvable_starts(self, rules: Sequence[str]) -> NDArray[np.uint64]:
        """Return the won starts in which no rule keeps the win with certainty, so no features can help."""
        return self.words[self.starts & ~self.kept(rules).any(axis=0)]

    def upper_bound(self, rules: Sequence[str]) -> tuple[float, float]:
        """Return the result of :meth:`share_won` for a player who knows the best rule in each position.

        It is an upper bound for every combination of these rules.
        """
        chances, values = self.chances_of(rules), np.zeros((2, self.count))
        values[int(not self.game.misere), 0] = 1
        for i, reached in enumerate(self.after[1:], 1):
            if self.won[i]:
                values[0, i] = (chances[:, i] @ values[1, reached]).max()
            else:
                values[1, i] = values[0, reached[reached >= 0]].mean()
        return self._share(values)

    def mappings(self, rules: Sequence[str], features: Sequence[str]) -> NDArray[np.float64]:
        """Return the results of all mappings from classes of positions to rules.

        Returns:
            The result of :meth:`share_won` per mapping, float64 of shape (mappings, 2). Mapping ``m`` plays the rule
            ``m // len(rules)**c % len(rules)`` in class c.

        Raises:
            ValueError: there are more than MAX_MAPPINGS mappings.
        """
        number = integer_between("the number of mappings", len(rules) ** (1 << len(features)), 1, MAX_MAPPINGS)
        shares = np.empty((number, 2))
        _write_all_mappings(
            self.after,
            self.won,
            self.starts,
            self.game.misere,
            self.chances_of(rules),
            self.classes(features),
            1 << len(features),
            shares,
        )
        return shares


@kernel
def _write_win_probabilities(after: Any, won: Any, misere: Any, chances: Any, rules: Any, values: Any) -> None:
    """Write the win probability, moving first and second, of the player who uses ``chances[rules[i], i]``."""
    values[0, 0], values[1, 0] = (1.0, 0.0) if misere else (0.0, 1.0)
    for i in range(1, len(won)):
        values[0, i], values[1, i] = 0.0, 0.0
        if won[i]:
            for action in range(after.shape[1]):
                if chances[rules[i], i, action] > 0:
                    values[0, i] += chances[rules[i], i, action] * values[1, after[i, action]]
            continue
        count = 0
        for action in range(after.shape[1]):
            if after[i, action] >= 0:
                count += 1
                values[1, i] += values[0, after[i, action]]
        values[1, i] /= count


@kernel
def _write_all_mappings(
    after: Any, won: Any, starts: Any, misere: Any, chances: Any, classes: Any, number: Any, shares: Any
) -> None:
    rules, chosen, values = np.empty(len(won), np.int64), np.empty(number, np.int64), np.empty((2, len(won)))
    for mapping in range(len(shares)):
        rest = mapping
        for i in range(number):
            chosen[i] = rest % len(chances)
            rest //= len(chances)
        for i in range(len(won)):
            rules[i] = chosen[classes[i]]
        _write_win_probabilities(after, won, misere, chances, rules, values)
        total, count = 0.0, 0
        for i in range(len(won)):
            if starts[i]:
                total += values[0, i]
                count += 1
        last = len(won) - 1
        shares[mapping, 0] = total / count
        shares[mapping, 1] = values[0 if won[last] else 1, last]
