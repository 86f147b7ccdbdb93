"""Every position below one, by memoised search: for games that cannot cycle.

A position that is not over is kept once for all its images under the symmetries of the game. They have the same score,
but from a first position in the middle of a game most of them are out of reach. So to count what can follow it takes a
search of its own, which keeps every position by itself.
"""

from collections import Counter
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from ci_envs.games.operations import ONGOING, action_count, canonical, keeps_turn, legal, play, result
from ci_envs.games.position import Position
from ci_envs.kernels.compiler import inlined, kernel
from ci_envs.kernels.hash_table import find_slot
from ci_envs.solver.solution import HORIZON, NO_SCORE, Progress, Solution, by_distance, too_large

MAX_POSITIONS = 1 << 24
"""More positions than this are not kept: 0.6 GB, and 0.9 GB while the table grows."""

BYTES_A_POSITION = 36.0
"""Two words and a score, in a table at most half full."""

_POSITIONS_A_CALL = 1 << 20  # Python handles an interrupt between two calls


def _symmetries_of(position: Position) -> NDArray[np.int64]:
    """The symmetries of the game that leave ``position`` as it is."""
    images = position.game.rules.images(position.game, position.own, position.opp)
    return np.flatnonzero((images == images[0]).all(axis=1))


def is_small(position: Position) -> bool:
    """Return whether the positions at and below ``position`` are few enough to keep, or their number is unknown."""
    game = position.game
    bound = game.position_bound(position.own, position.opp)
    return bound is None or bound * game.position_share <= MAX_POSITIONS * len(_symmetries_of(position))


class SearchSolution(Solution):
    """The scores of a position and of all that can follow it.

    Attributes:
        root: the position.
    """

    def __init__(self, root: Position, *, progress: Progress | None = None) -> None:
        """Search everything below ``root``.

        Args:
            root: a position of a game that cannot cycle.
            progress: see :data:`~ci_envs.solver.solution.Progress`.

        Raises:
            ValueError: the game can cycle, or there are too many positions.
        """
        if root.game.can_cycle:
            raise ValueError(f"play of {root.game} can cycle: its positions have no last ones to begin from")
        super().__init__(root.game)
        self.root = root
        if not is_small(root):
            raise too_large(root.game, root.game.position_bound(root.own, root.opp) or 0, BYTES_A_POSITION)
        self._keys, self._scores = _table_of(root, merge=True, progress=progress)

    @override
    def scores(self, words: NDArray[np.uint64]) -> NDArray[np.int16]:
        """Return the scores of positions that can follow the root, that are symmetric to such a one, or are over.

        Raises:
            ValueError: a position is none of these.
        """
        scores = np.empty(len(words), dtype=np.int16)
        _look_up(self.game, words, self._keys, self._scores, scores)
        if (scores == NO_SCORE).any():
            raise ValueError(f"a position does not follow {self.root.to_text()!r}, below which {self.game} is solved")
        return scores

    @cached_property
    def counts(self) -> dict[str, int]:
        """How many of the root and the positions that can follow it are a ``win``, a ``draw`` and a ``loss``.

        They are counted when first asked for, which can take longer than to solve them.

        Raises:
            ValueError: there are too many to count.
        """
        return {
            "win": sum(self.counts_by_distance["win"].values()),
            "draw": self._states_by_score[0],
            "loss": sum(self.counts_by_distance["loss"].values()),
        }

    @cached_property
    def counts_by_distance(self) -> dict[str, dict[int, int]]:
        """The ``win`` and ``loss`` states of :attr:`counts` by their distance in plies."""
        return by_distance(self._states_by_score)

    @cached_property
    def _states_by_score(self) -> Counter[int]:
        _, scores = _table_of(self.root, merge=False)
        states, numbers = np.unique(scores[scores != NO_SCORE], return_counts=True)
        return Counter(dict(zip(states.tolist(), numbers.tolist(), strict=True)))


def _table_of(
    root: Position, *, merge: bool, progress: Progress | None = None
) -> tuple[NDArray[np.uint64], NDArray[np.int16]]:
    """Keys and scores of the positions at and below ``root``: of all, or of the canonical forms of those not over."""
    own, opp = np.uint64(root.own), np.uint64(root.opp)
    keys, scores = _empty_table(1 << 12)
    used = np.zeros(1, dtype=np.int64)
    while True:
        stop = min(len(keys) // 2, int(used[0]) + _POSITIONS_A_CALL)
        score = _search(root.game, own, opp, merge, keys, scores, used, np.int64(stop))
        if progress:
            progress(int(used[0]), None)
        if score != NO_SCORE:
            return keys, scores
        if used[0] >= MAX_POSITIONS:
            raise too_large(root.game, MAX_POSITIONS, BYTES_A_POSITION, more=True, to="solve" if merge else "count")
        if 2 * used[0] >= len(keys):
            old_keys, old_scores = keys, scores
            keys, scores = _empty_table(2 * len(keys))
            _copy(old_keys, old_scores, keys, scores)


def _empty_table(slots: int) -> tuple[NDArray[np.uint64], NDArray[np.int16]]:
    return np.empty((slots, 2), dtype=np.uint64), np.full(slots, NO_SCORE, dtype=np.int16)


@inlined
def _slot(keys: Any, scores: Any, own: Any, opp: Any) -> Any:
    """``-> uint64``: the slot of a position in the table, or the free slot where it belongs."""
    return find_slot(keys[:, 0], keys[:, 1], scores, NO_SCORE, own, opp)


@kernel
def _search(game: Any, own: Any, opp: Any, merge: Any, keys: Any, scores: Any, used: Any, stop: Any) -> Any:
    """``-> int``: the score of a position, NO_SCORE if first the table came to ``stop`` positions."""
    outcome = result(game, own, opp)
    if merge:
        if outcome != ONGOING:
            return np.int64(outcome * HORIZON)
        own, opp = canonical(game, own, opp)
    known = scores[_slot(keys, scores, own, opp)]
    if known != NO_SCORE:
        return np.int64(known)
    if used[0] >= stop:
        return np.int64(NO_SCORE)
    best = np.int64(outcome * HORIZON)
    if outcome == ONGOING:
        best = np.int64(-HORIZON)
        for number in range(action_count(game)):
            action = np.uint64(number)
            if not legal(game, own, opp, action):
                continue
            next_own, next_opp = play(game, own, opp, action)
            score = _search(game, next_own, next_opp, merge, keys, scores, used, stop)
            if score == NO_SCORE:
                return score
            if not keeps_turn(game, own, opp, action):
                score = -score
            best = max(best, score - np.int64(np.sign(score)))
    slot = _slot(keys, scores, own, opp)
    keys[slot, 0], keys[slot, 1], scores[slot] = own, opp, best
    used[0] += 1
    return best


@kernel
def _copy(keys: Any, scores: Any, to_keys: Any, to_scores: Any) -> None:
    for i in range(len(scores)):
        if scores[i] != NO_SCORE:
            slot = _slot(to_keys, to_scores, keys[i, 0], keys[i, 1])
            to_keys[slot, 0], to_keys[slot, 1], to_scores[slot] = keys[i, 0], keys[i, 1], scores[i]


@kernel
def _look_up(game: Any, words: Any, keys: Any, scores: Any, out: Any) -> None:
    for i in range(len(words)):
        outcome = result(game, words[i, 0], words[i, 1])
        if outcome == ONGOING:
            own, opp = canonical(game, words[i, 0], words[i, 1])
            out[i] = scores[_slot(keys, scores, own, opp)]
        else:
            out[i] = outcome * HORIZON
