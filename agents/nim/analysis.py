"""What play against the expert of Nim comes to, exactly, and what combinations of rules can express.

The expert wins from every position that is won for it, and in a lost one plays any legal action, each as likely. So the
chance to win is a sum over what both may play, which a pass over all positions works out, the smaller ones first.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ci_envs.agents.nim.evolved import classes_of
from ci_envs.agents.nim.rules import rule_chances
from ci_envs.games import kernel
from ci_envs.games.nim import Nim
from ci_envs.solver.nim import are_won
from ci_envs.validation import integer_between

MAX_POSITIONS, MAX_MAPPINGS = 1 << 17, 1 << 17
"""How many positions, and how many mappings from classes to rules, are gone through at most."""


@dataclass(frozen=True)
class NimAnalysis:
    """All positions of a game of Nim.

    Attributes:
        game: with at most MAX_POSITIONS of them.

    Raises:
        ValueError: there are more.
    """

    game: Nim

    def __post_init__(self) -> None:
        integer_between(f"the number of positions of {self.game}", self.count, 1, MAX_POSITIONS)

    @property
    def count(self) -> int:
        """How many positions there are, the empty one among them."""
        return prod(heap + 1 for heap in self.game.heaps)

    @cached_property
    def words(self) -> NDArray[np.uint64]:
        """Their first words, uint64 (positions,): the empty one first, the start last; every action leads back."""
        heaps = np.indices([heap + 1 for heap in self.game.heaps]).reshape(len(self.game.heaps), -1)
        places = np.arange(len(self.game.heaps), dtype=np.uint64)[:, np.newaxis] * np.uint64(8)
        words: NDArray[np.uint64] = np.bitwise_or.reduce(heaps.astype(np.uint64) << places, axis=0)
        return words

    @cached_property
    def after(self) -> NDArray[np.int64]:
        """Which position each action leads to, -1 if it is illegal: int64 (positions, actions)."""
        sizes = [heap + 1 for heap in self.game.heaps]
        heap, less = np.divmod(np.arange(self.game.action_count), self.game.limit)
        there = np.indices(sizes).reshape(len(sizes), -1)[heap].T
        strides = np.array([prod(sizes[row + 1 :]) for row in range(len(sizes))])
        left = np.arange(self.count)[:, np.newaxis] - (less + 1) * strides[heap]
        return np.where(less + 1 <= there, left, -1)

    @cached_property
    def won(self) -> NDArray[np.bool_]:
        """Which are won for who moves, bool (positions,)."""
        return are_won(self.words, self.game)

    @cached_property
    def starts(self) -> NDArray[np.bool_]:
        """Which are won starts: won for who moves, and not over. bool (positions,)."""
        starts = self.won.copy()
        starts[0] = False
        return starts

    def chances_of(self, rules: Sequence[str]) -> NDArray[np.float64]:
        """How likely each rule plays each action, float64 (rules, positions, actions); nothing where it is over."""
        chances = np.zeros((len(rules), self.count, self.game.action_count))
        chances[:, 1:] = rule_chances(self.game, rules, self.words[1:])
        return chances

    def win_chances(self, chances: NDArray[np.float64]) -> NDArray[np.float64]:
        """The chance to win against the expert from each position.

        Args:
            chances: how likely each action is, float64 (positions, actions).

        Returns:
            float64 (2, positions): if it moves first, and if the expert does.
        """
        values = np.empty((2, self.count))
        alone = np.zeros(self.count, dtype=np.int64)
        _win_chances(self.after, self.won, self.game.misere, chances[np.newaxis], alone, values)
        return values

    def share_won(self, chances: NDArray[np.float64]) -> tuple[float, float]:
        """The chance to win from won starts, the mean over all of them, and from the game's start if it is won.

        From the game's start whoever is to win by theory is who plays so.
        """
        return self._share(self.win_chances(chances))

    def _share(self, values: NDArray[np.float64]) -> tuple[float, float]:
        return float(values[0, self.starts].mean()), float(values[0 if self.won[-1] else 1, -1])

    def kept(self, rules: Sequence[str]) -> NDArray[np.bool_]:
        """Whether each rule is sure to keep what is won, bool (rules, positions), in won starts."""
        losing = (self.after >= 0) & ~self.won[self.after]
        kept: NDArray[np.bool_] = (self.chances_of(rules) * ~losing).sum(axis=2) == 0
        return kept & self.starts

    def table(self, rules: Sequence[str], features: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """How many won starts each rule is sure to keep in each class that the features tell apart.

        Only if some rule keeps all in every class does a mapping from classes to rules win from all won starts.

        Returns:
            Won starts, int64 (classes,), and those kept, int64 (classes, rules).
        """
        kept, classes, number = self.kept(rules), self.classes(features), 1 << len(features)
        starts = np.bincount(classes[self.starts], minlength=number)
        return starts, np.stack([np.bincount(classes[row], minlength=number) for row in kept], axis=1)

    def classes(self, features: Sequence[str]) -> NDArray[np.int64]:
        """The class of each position, int64 (positions,)."""
        return classes_of(self.game, features, self.words)

    def hopeless(self, rules: Sequence[str]) -> NDArray[np.uint64]:
        """The won starts in which no rule is sure to keep what is won: no features at all would help."""
        return self.words[self.starts & ~self.kept(rules).any(axis=0)]

    def ceiling(self, rules: Sequence[str]) -> tuple[float, float]:
        """What :meth:`share_won` says of who knows which of the rules is best in each position.

        No features and no probabilities let a combination of these rules win more.
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
        """What every mapping from classes of positions to rules wins.

        Returns:
            What :meth:`share_won` says of each, float64 (mappings, 2). Number ``m`` plays in class c the rule
            ``m // len(rules)**c % len(rules)``.

        Raises:
            ValueError: there are more than MAX_MAPPINGS.
        """
        number = integer_between("the number of mappings", len(rules) ** (1 << len(features)), 1, MAX_MAPPINGS)
        shares = np.empty((number, 2))
        _all_mappings(
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
def _win_chances(after: Any, won: Any, misere: Any, chances: Any, rules: Any, values: Any) -> None:
    """Write the chance to win, moving first and second, of who plays in position i by ``chances[rules[i], i]``."""
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
def _all_mappings(
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
        _win_chances(after, won, misere, chances, rules, values)
        total, count = 0.0, 0
        for i in range(len(won)):
            if starts[i]:
                total += values[0, i]
                count += 1
        last = len(won) - 1
        shares[mapping, 0] = total / count
        shares[mapping, 1] = values[0 if won[last] else 1, last]
