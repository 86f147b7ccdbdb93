"""The solution of a position and all its successors by memoised search, for games without cycles.

The search stores one entry for all symmetric images of a non-terminal position, because they have the same score. But
play from a root in the middle of a game cannot reach most of these images. Therefore counting the reachable positions
needs a separate search, which stores each position separately.
"""

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from ci_envs.games.game import Game
from ci_envs.games.operations import ONGOING, action_count, canonical, keeps_turn, legal, play, result
from ci_envs.games.position import Position
from ci_envs.games.truncation import MAX_PLIES
from ci_envs.kernels.compiler import inlined, kernel
from ci_envs.kernels.dispatch import Static, implements
from ci_envs.kernels.hash_table import find_slot
from ci_envs.solver.errors import EndlessPlayError, endless
from ci_envs.solver.known_value import UNKNOWN, CompiledSource, known_value
from ci_envs.solver.solution import HORIZON, NO_SCORE, CountedSolution, Progress, too_large

MAX_POSITIONS = 1 << 24
"""Maximum number of stored positions: they take 0.6 GB, and 0.9 GB while the table grows."""

BYTES_A_POSITION = 36.0
"""Memory per position: two words and a score, in a table that is at most half full."""

_POSITIONS_A_CALL = 1 << 20  # Python handles an interrupt only between two calls


def symmetries_of(position: Position) -> NDArray[np.int64]:
    """Return the numbers of the symmetries of the game that fix ``position`` in the views of both players."""
    game, words = position.game, (position.own, position.opp)
    views = (game.rules.images(game, *view) for view in (words, game.rules.other_view(game, *words)))
    return np.flatnonzero(np.logical_and(*((images == images[0]).all(axis=1) for images in views)))


def is_small(position: Position, most: int | None = None) -> bool:
    """Return whether the positions from ``position`` on are few enough to store, or their number is unknown.

    Args:
        position: The position.
        most: The maximum number of stored positions. None means ``MAX_POSITIONS``.
    """
    game = position.game
    bound = game.position_bound(position.own, position.opp)
    return bound is None or bound * game.position_share <= (most or MAX_POSITIONS) * len(symmetries_of(position))


class SearchSolution(CountedSolution):
    """The scores of a position and of all positions that play can reach from it.

    Attributes:
        root: the position.
    """

    def __init__(self, root: Position, *, progress: Progress | None = None) -> None:
        """Search all positions from ``root`` on.

        Args:
            root: a position of a game that cannot cycle.
            progress: see :data:`~ci_envs.solver.solution.Progress`.

        Raises:
            EndlessPlayError: play does not end within ``MAX_PLIES``.
            ValueError: the game can cycle, or there are too many positions.
        """
        if root.game.can_cycle:
            raise ValueError(f"{root.game} cannot be solved by this search, because play can cycle")
        super().__init__(root.game)
        self.root = root
        if not is_small(root):
            raise too_large(root.game, root.game.position_bound(root.own, root.opp) or 0, BYTES_A_POSITION)
        self._keys, self._scores = _table_of(root, merge=True, progress=progress)

    @override
    def scores(self, words: NDArray[np.uint64]) -> NDArray[np.int16]:
        """Return the scores of positions that play can reach from the root, of their images, and of finished games.

        Raises:
            ValueError: another position is given.
        """
        scores = np.empty(len(words), dtype=np.int16)
        _look_up(self.game, words, self._keys, self._scores, scores)
        if (scores == NO_SCORE).any():
            raise ValueError(f"a position does not follow {self.root.to_text()!r}, from which {self.game} is solved")
        return scores

    @override
    def covers(self, words: NDArray[np.uint64]) -> NDArray[np.bool_]:
        scores = np.empty(len(words), dtype=np.int16)
        _look_up(self.game, words, self._keys, self._scores, scores)
        return np.asarray(scores != NO_SCORE)

    @override
    def compiled(self) -> CompiledSource:
        return SearchedSource(), self.game, self._keys, self._scores

    @cached_property
    @override
    def states_by_score(self) -> Counter[int]:
        """The number of positions with each score, among the root and the positions that play can reach from it.

        They are counted on first access, which can take longer than solving.

        Raises:
            ValueError: there are too many positions to count.
        """
        _, scores = _table_of(self.root, merge=False)
        states, numbers = np.unique(scores[scores != NO_SCORE], return_counts=True)
        return Counter(dict(zip(states.tolist(), numbers.tolist(), strict=True)))


def _table_of(
    root: Position, *, merge: bool, progress: Progress | None = None
) -> tuple[NDArray[np.uint64], NDArray[np.int16]]:
    """Return keys and scores of all positions from ``root`` on; with ``merge``, of non-terminal canonical positions."""
    own, opp = np.uint64(root.own), np.uint64(root.opp)
    keys, scores = _empty_table(1 << 12)
    used = np.zeros(2, dtype=np.int64)
    while True:
        stop = min(len(keys) // 2, int(used[0]) + _POSITIONS_A_CALL)
        score = _search(root.game, own, opp, merge, keys, scores, used, np.int64(stop), np.int64(MAX_PLIES))
        if progress:
            progress(int(used[0]), None)
        if used[1]:
            raise endless_play(root.game, root.to_text())
        if score != NO_SCORE:
            return keys, scores
        if used[0] >= MAX_POSITIONS:
            raise too_large(root.game, MAX_POSITIONS, BYTES_A_POSITION, more=True, to="solve" if merge else "count")
        if 2 * used[0] >= len(keys):
            old_keys, old_scores = keys, scores
            keys, scores = _empty_table(2 * len(keys))
            _copy(old_keys, old_scores, keys, scores)


def endless_play(game: Game, text: str) -> EndlessPlayError:
    """Return an error that play from a position with this text does not end."""
    return endless(f"{game} cannot be solved, because play from {text!r} does not end within {MAX_PLIES:,} plies")


def _empty_table(slots: int) -> tuple[NDArray[np.uint64], NDArray[np.int16]]:
    return np.empty((slots, 2), dtype=np.uint64), np.full(slots, NO_SCORE, dtype=np.int16)


@inlined
def _slot(keys: Any, scores: Any, own: Any, opp: Any) -> Any:
    """Return the slot of a position in the table, or the free slot where it can be inserted."""
    return find_slot(keys[:, 0], keys[:, 1], scores, NO_SCORE, own, opp)


@kernel
def _search(game: Any, own: Any, opp: Any, merge: Any, keys: Any, scores: Any, used: Any, stop: Any, plies: Any) -> Any:
    """Return the score of a position, or NO_SCORE if the table reached ``stop`` positions first.

    ``used`` contains the number of stored positions, and 1 if play did not end after ``plies``.
    """
    outcome = result(game, own, opp)
    if merge:
        if outcome != ONGOING:
            return np.int64(outcome * HORIZON)
        own, opp = canonical(game, own, opp)
    known = scores[_slot(keys, scores, own, opp)]
    if known != NO_SCORE:
        return np.int64(known)
    used[1] = plies == 0
    if used[0] >= stop or used[1]:
        return np.int64(NO_SCORE)
    best = np.int64(outcome * HORIZON)
    if outcome == ONGOING:
        best = np.int64(-HORIZON)
        for number in range(action_count(game)):
            action = np.uint64(number)
            if not legal(game, own, opp, action):
                continue
            next_own, next_opp = play(game, own, opp, action)
            score = _search(game, next_own, next_opp, merge, keys, scores, used, stop, plies - 1)
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


@inlined
def _score_in(game: Any, own: Any, opp: Any, keys: Any, scores: Any) -> Any:
    """Return the score of a position, which may be over, or NO_SCORE if the table does not contain it."""
    outcome = result(game, own, opp)
    if outcome != ONGOING:
        return np.int64(outcome * HORIZON)
    first, second = canonical(game, own, opp)
    return np.int64(scores[_slot(keys, scores, first, second)])


@kernel
def _look_up(game: Any, words: Any, keys: Any, scores: Any, out: Any) -> None:
    for i in range(len(words)):
        out[i] = _score_in(game, words[i, 0], words[i, 1], keys, scores)


@dataclass(frozen=True)
class SearchedSource(Static):
    """The compiled source of a :class:`SearchSolution`: ``(SearchedSource(), game, keys, scores)``."""


@implements(known_value, SearchedSource)
def _(source: SearchedSource) -> Any:
    def kernel(source: Any, own: Any, opp: Any) -> Any:
        _, game, keys, scores = source
        score = _score_in(game, own, opp, keys, scores)
        return UNKNOWN if score == NO_SCORE else np.int64(np.sign(score))

    return kernel
