"""The solution of a position and all its successors by retrograde analysis, for games with cycles.

All positions that play can reach are stored with links to their successors. Level n contains the positions that are won
or lost in exactly n plies. It is computed from the levels before it: a position is won in n plies if an action leads to
a loss of the opponent in n - 1 plies, and lost if all actions lead to wins of the opponent, of which the longest takes
n - 1 plies. The positions that are in no level are draws, because no player can force an end. (Ken Thompson,
"Retrograde Analysis of Certain Endgames", ICCA Journal 9, 1986.)

A sweep through the links of all open positions computes a level. This takes half the memory of links to predecessors,
and as the links of one position are adjacent, a sweep of 10 million positions takes about 0.1 s.
"""

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from ci_envs.games.operations import ONGOING, result
from ci_envs.games.position import Position
from ci_envs.kernels.compiler import inlined, kernel
from ci_envs.kernels.dispatch import Static, implements
from ci_envs.solver.enumeration import (
    BYTES_A_LINKED_POSITION,
    MAX_LINKED_POSITIONS,
    Enumeration,
    row_of,
    set_sizes,
)
from ci_envs.solver.known_value import UNKNOWN, CompiledSource, known_value
from ci_envs.solver.search import is_small
from ci_envs.solver.solution import HORIZON, NO_SCORE, CountedSolution, Progress, too_large


class RetrogradeSolution(CountedSolution):
    """The scores of a position and of all positions that play can reach from it, in a game that can cycle.

    Attributes:
        root: The position.
    """

    def __init__(self, root: Position, *, progress: Progress | None = None) -> None:
        """Find and solve all positions from ``root`` on.

        Args:
            root: A position of any game.
            progress: See :data:`~ci_envs.solver.solution.Progress`.

        Raises:
            ValueError: There are too many positions for the memory.
        """
        super().__init__(root.game)
        self.root = root
        if not is_small(root, MAX_LINKED_POSITIONS):
            raise too_large(root.game, root.game.position_bound(root.own, root.opp) or 0, BYTES_A_LINKED_POSITION)
        enumeration = Enumeration(root, linked=True)
        enumeration.run(progress)
        scores = _solve(enumeration, root, progress)
        self._table = enumeration.words, enumeration.places, enumeration.symmetries, scores

    @override
    def scores(self, words: NDArray[np.uint64]) -> NDArray[np.int16]:
        """Return the scores of positions that play can reach from the root, and of finished games.

        Raises:
            ValueError: Another position is given.
        """
        scores = self._look_up(words)
        if (scores == NO_SCORE).any():
            raise ValueError(f"a position does not follow {self.root.to_text()!r}, from which {self.game} is solved")
        return scores

    @override
    def covers(self, words: NDArray[np.uint64]) -> NDArray[np.bool_]:
        return np.asarray(self._look_up(words) != NO_SCORE)

    @override
    def compiled(self) -> CompiledSource:
        return RetrogradeSource(), self.game, *self._table

    def _look_up(self, words: NDArray[np.uint64]) -> NDArray[np.int16]:
        """Return the scores of positions, NO_SCORE if they are unknown."""
        scores = np.empty(len(words), dtype=np.int16)
        _write_scores(self.game, words, *self._table, scores)
        return scores

    @cached_property
    @override
    def states_by_score(self) -> Counter[int]:
        words, _, symmetries, scores = self._table
        sizes = set_sizes(self.game, words, symmetries)
        states = np.bincount(scores.astype(np.int32) + HORIZON, weights=sizes)
        return Counter({int(index) - HORIZON: int(states[index]) for index in np.flatnonzero(states)})


def _solve(enumeration: Enumeration, root: Position, progress: Progress | None) -> NDArray[np.int16]:
    """Return the score of each position of an enumeration that found all successors."""
    scores = np.zeros(len(enumeration.words), dtype=np.int16)
    decided = _score_ends(root.game, enumeration.words, scores)
    for level in range(1, HORIZON):
        found = _solve_level(enumeration.degrees, enumeration.links, scores, np.int64(level))
        decided += found
        if progress:
            progress(int(decided), len(scores))
        if not found:
            break
    return scores


@kernel
def _score_ends(game: Any, words: Any, scores: Any) -> Any:
    """Write the scores of the terminal positions, and return the number of those that are not drawn."""
    decided = 0
    for row in range(len(words)):
        outcome = np.int64(result(game, words[row, 0], words[row, 1]))
        if outcome != ONGOING:
            scores[row] = outcome * HORIZON
            decided += outcome != 0
    return decided


@kernel
def _solve_level(degrees: Any, links: Any, scores: Any, level: Any) -> Any:
    """Write the scores of the positions that are won or lost in ``level`` plies, and return their number."""
    decided, end = 0, np.int64(0)
    settled = HORIZON - level + 1  # smallest absolute value of scores from the levels before
    for row in range(len(scores)):
        start, end = end, end + degrees[row]
        if scores[row] != 0:
            continue
        best = np.int64(-HORIZON) if degrees[row] else np.int64(0)
        for k in range(start, end):
            score = np.int64(scores[links[k] >> 1])
            if links[k] & 1 == 0:
                score = -score
            best = max(best, score if abs(score) >= settled else np.int64(0))
            if best > 0:
                break
        if best:
            scores[row] = HORIZON - level if best > 0 else level - HORIZON
            decided += 1
    return decided


@inlined
def _score_in(game: Any, own: Any, opp: Any, stored: Any, places: Any, symmetries: Any, scores: Any) -> Any:
    """Return the score of a position, which may be over, or NO_SCORE if it is unknown."""
    outcome = result(game, own, opp)
    if outcome != ONGOING:
        return np.int64(outcome * HORIZON)
    row = row_of(game, own, opp, stored, places, symmetries)
    return np.int64(scores[row]) if row >= 0 else np.int64(NO_SCORE)


@kernel
def _write_scores(game: Any, words: Any, stored: Any, places: Any, symmetries: Any, scores: Any, out: Any) -> None:
    for i in range(len(words)):
        out[i] = _score_in(game, words[i, 0], words[i, 1], stored, places, symmetries, scores)


@dataclass(frozen=True)
class RetrogradeSource(Static):
    """The compiled source of a :class:`RetrogradeSolution`: ``(RetrogradeSource(), game, *table)``."""


@implements(known_value, RetrogradeSource)
def _(source: RetrogradeSource) -> Any:
    def kernel(source: Any, own: Any, opp: Any) -> Any:
        _, game, stored, places, symmetries, scores = source
        score = _score_in(game, own, opp, stored, places, symmetries, scores)
        return UNKNOWN if score == NO_SCORE else np.int64(np.sign(score))

    return kernel
