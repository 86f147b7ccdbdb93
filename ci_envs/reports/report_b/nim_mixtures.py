"""Mixtures of strategies for Nim. Each move uses a strategy that is sampled in proportion to its weight."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np
from numpy.typing import NDArray

from ci_envs.optimisation.evolution.parameters import Values
from ci_envs.reports.nim_strategies import REPORT_ROWS, Chances, Rows, Strategy, after


@dataclass(frozen=True)
class Mixtures:
    """All mixtures of some strategies, against one opponent.

    Attributes:
        strategies: The strategies that are mixed; they may pass.
        opponent: The opponent, which never passes.
        rows: The rows at the start.
    """

    strategies: tuple[Strategy, ...]
    opponent: Strategy
    rows: Rows = REPORT_ROWS

    def shares(self, weights: Values) -> Values:
        """Return the exact share of games that each mixture wins, moving first, float64 (n,).

        Args:
            weights: The weights of the strategies, 0 or more, float64 (n, strategies). If all weights are 0, all
                strategies have the same probability.
        """
        totals = weights.sum(axis=1, keepdims=True)
        mixed = np.where(totals > 0, weights / np.where(totals > 0, totals, 1), 1 / len(self.strategies))
        moving, waiting = np.zeros((2, len(self._positions) + 1, len(weights)))  # the chances to win
        waiting[0] = 1  # the mixture took the last object
        for number, (own, own_chances, other, other_chances) in enumerate(self._positions, 1):
            waiting[number] = other_chances @ moving[other]
            moving[number] = ((own_chances @ mixed.T) * waiting[own]).sum(axis=0)  # a pass leads to waiting[number]
        shares: Values = moving[-1]
        return shares

    @cached_property
    def _positions(self) -> list[tuple[NDArray[np.int64], Values, NDArray[np.int64], Values]]:
        """The targets and the probabilities of the moves in each unfinished position, for mixture and opponent."""
        positions = list(product(*(range(size + 1) for size in self.rows)))
        numbers = {rows: number for number, rows in enumerate(positions)}
        return [
            (*_moves(rows, [strategy(rows) for strategy in self.strategies], numbers), *self._replies(rows, numbers))
            for rows in positions[1:]
        ]

    def _replies(self, rows: Rows, numbers: Mapping[Rows, int]) -> tuple[NDArray[np.int64], Values]:
        targets, chances = _moves(rows, [self.opponent(rows)], numbers)
        return targets, chances[:, 0]


def _moves(rows: Rows, chances: Sequence[Chances], numbers: Mapping[Rows, int]) -> tuple[NDArray[np.int64], Values]:
    """Return the targets of the moves, int64 (moves,), and their probabilities, float64 (moves, strategies)."""
    moves = list(dict.fromkeys(move for each in chances for move in each))
    targets = np.array([numbers[after(rows, move)] for move in moves])
    return targets, np.array([[each.get(move, 0.0) for each in chances] for move in moves])
