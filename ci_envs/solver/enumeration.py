"""Enumeration of the positions that play can reach, from which random positions are drawn.

The symmetries of the game that fix the initial position map reachable positions to reachable positions. One
representative of each set of symmetric positions is stored.
"""

import os
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ci_envs.games.game import Game, least_image
from ci_envs.games.operations import (
    ONGOING,
    action_count,
    canonical,
    is_duplicate,
    keeps_turn,
    legal,
    play,
    result,
    transform,
)
from ci_envs.games.position import Position
from ci_envs.kernels.compiler import inlined, kernel
from ci_envs.kernels.hash_table import find_indexed_slot
from ci_envs.solver.search import MAX_POSITIONS, is_small, symmetries_of
from ci_envs.solver.solution import Progress, too_large

_EXPANDED_A_CALL = 1 << 18  # positions per call; Python handles an interrupt only between two calls
_NOWHERE = -1
_EXPANDED, _STORED, _LINKS = range(3)  # indices in the counts

MAX_LINKED_POSITIONS = 1 << 27
"""Maximum number of positions of a game that can cycle."""

BYTES_A_LINKED_POSITION = 36.0
"""Memory per position without its links: two words, at most four slots of the hash table, a degree and a score."""


def _half_of_memory() -> int:
    """Return half of the machine's memory in bytes, or 4 GB where its size is unknown."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    except (AttributeError, ValueError):
        return 4 * 10**9


MAX_MEMORY = _half_of_memory()
"""Maximum memory in bytes for the positions of a game that can cycle and their links."""


class Enumeration:
    """A breadth-first search of the positions that play can reach from a position.

    It stores one of each set of positions that are symmetric under the symmetries that fix the root.

    Attributes:
        symmetries: The numbers of these symmetries, int64 of shape (symmetries,).
        places: The row of the position in each slot of a hash table (:mod:`ci_envs.kernels.hash_table`), int32.
    """

    def __init__(self, root: Position, *, linked: bool = False, most: int | None = None) -> None:
        """Begin with one position.

        Args:
            root: The position.
            linked: Whether to store terminal positions too, and the successors of each position.
            most: The maximum number of stored positions.
        """
        self._most = most or (MAX_LINKED_POSITIONS if root.game.can_cycle else MAX_POSITIONS)
        self.symmetries = symmetries_of(root)
        self._game, self._linked = root.game, linked
        self._words, self.places = np.empty((1 << 11, 2), dtype=np.uint64), np.full(1 << 12, _NOWHERE, dtype=np.int32)
        self._degrees = np.zeros(len(self._words) if linked else 0, dtype=np.uint16)
        self._links = np.empty(len(self._degrees), dtype=np.int32)
        self._words[0], self._counts = (root.own, root.opp), np.array([0, 1, 0])
        _index(self._words, self.places, 1)

    @property
    def words(self) -> NDArray[np.uint64]:
        """The positions that were found, in this order, rows (own, opp)."""
        return self._words[: self._counts[_STORED]]

    @property
    def degrees(self) -> NDArray[np.uint16]:
        """The number of links of each position: 0 if it is terminal."""
        return self._degrees[: self._counts[_STORED]]

    @property
    def links(self) -> NDArray[np.int32]:
        """The successors of all positions in turn: twice the row, plus 1 if the player who acted moves again."""
        return self._links[: self._counts[_LINKS]]

    def run(self, progress: Progress | None) -> None:
        """Find all positions.

        Raises:
            ValueError: There are too many positions.
        """
        counts = self._counts
        while counts[_EXPANDED] < counts[_STORED]:
            self._make_room()
            arrays = self._words, self.places, counts, self._degrees, self._links
            _expand(self._game, *arrays, self.symmetries, np.int64(_EXPANDED_A_CALL))
            if progress:
                progress(int(counts[_STORED]), None)
            self._check_size()

    def _make_room(self) -> None:
        """Enlarge the arrays that might be too small for the successors of the next position."""
        actions, (_, stored, links) = self._game.action_count, self._counts
        if len(self._words) - stored <= actions:
            self._words = _enlarged(self._words)
            self._degrees = _enlarged(self._degrees)
            self.places = np.full(2 * len(self.places), _NOWHERE, dtype=np.int32)
            _index(self._words, self.places, stored)
        if self._linked and len(self._links) - links <= actions:
            self._links = _enlarged(self._links, actions)

    def _check_size(self) -> None:
        stored, links = self._counts[_STORED:].tolist()
        bytes_a_state = BYTES_A_LINKED_POSITION + self._links.itemsize * links / stored
        if stored > self._most or stored * bytes_a_state > MAX_MEMORY:
            raise too_large(self._game, min(stored, self._most), bytes_a_state, more=True)


@lru_cache
def has_at_most(root: Position, most: int) -> bool:
    """Return whether play can reach at most ``most`` sets of symmetric positions that are not over."""
    if root.game.position_bound(root.own, root.opp) is not None:
        return is_small(root, most)
    try:
        Enumeration(root, most=most).run(None)
    except ValueError:
        return False
    return True


class Reachable:
    """All non-terminal positions of a game that legal play can reach.

    Attributes:
        game: The game.
        symmetries: The numbers of the symmetries that fix the initial position, int64 of shape (symmetries,).
        representatives: One position of each set of symmetric positions, rows (own, opp), uint64 of shape (sets, 2).
        count: The number of positions, including all symmetric positions.
    """

    def __init__(self, game: Game, *, progress: Progress | None = None) -> None:
        """Enumerate the positions, breadth first.

        Args:
            game: The game. It can have cycles.
            progress: See :data:`~ci_envs.solver.solution.Progress`.

        Raises:
            ValueError: There are too many positions.
        """
        self.game = game
        self.symmetries = symmetries_of(Position.start(game))
        self.representatives = self._enumerate(progress)
        self._ends = np.cumsum(set_sizes(game, self.representatives, self.symmetries))
        self.count = int(self._ends[-1])

    def draw(self, n: int, rng: np.random.Generator) -> NDArray[np.uint64]:
        """Return ``n`` independent, uniformly random positions, rows (own, opp)."""
        sets = np.searchsorted(self._ends, rng.integers(self.count, size=n), side="right")
        words = self.representatives[sets]
        _transform_each(self.game, rng.choice(self.symmetries, size=n), words)
        return words

    def _enumerate(self, progress: Progress | None) -> NDArray[np.uint64]:
        """Return the representatives, rows (own, opp)."""
        enumeration = Enumeration(Position.start(self.game))
        enumeration.run(progress)
        return enumeration.words.copy()


def early_positions(game: Game, plies: int) -> NDArray[np.uint64]:
    """Return the non-terminal positions after at most ``plies`` plies, one of each set of symmetric positions.

    They are sorted by the number of plies.

    Args:
        game: A game in which each position occurs after only one number of plies.
        plies: The number of plies.

    Returns:
        Rows (own, opp), uint64 of shape (positions, 2).
    """
    levels = [np.array([game.start()], dtype=np.uint64)]
    for _ in range(plies):
        followers = np.empty((len(levels[-1]) * game.action_count, 2), dtype=np.uint64)
        levels.append(_distinct(followers[: _write_followers(game, levels[-1], followers)]))
    return np.concatenate(levels)


def _distinct(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return the different rows, in the order of their first occurrences."""
    order = np.lexsort(words.T)  # a stable sort
    ordered = words[order]
    is_first = np.append(True, (ordered[1:] != ordered[:-1]).any(axis=1))[: len(words)]
    distinct: NDArray[np.uint64] = words[np.sort(order[is_first])]
    return distinct


def set_sizes(game: Game, words: NDArray[np.uint64], symmetries: NDArray[np.int64]) -> NDArray[np.int32]:
    """Return the number of different images of each position under a group of symmetries, shape (positions,)."""
    sizes = np.empty(len(words), dtype=np.int32)
    _count_images(game, words, symmetries, sizes)
    return sizes


def _enlarged(array: NDArray[Any], least: int = 0) -> NDArray[Any]:
    """Return a copy with twice the length, or ``least`` more items. The memory of new items is not yet used."""
    larger = np.empty((max(2 * len(array), len(array) + least + 1) if len(array) else 0, *array.shape[1:]), array.dtype)
    larger[: len(array)] = array
    return larger


@kernel
def _index(words: Any, places: Any, count: Any) -> None:
    for i in range(count):
        places[_slot(words, places, words[i, 0], words[i, 1])] = i


@inlined
def _slot(words: Any, places: Any, own: Any, opp: Any) -> Any:
    """Return the slot that contains the row of a position in ``words``, or the free slot where it can be inserted."""
    return find_indexed_slot(words[:, 0], words[:, 1], places, _NOWHERE, own, opp)


@inlined
def _row(words: Any, places: Any, counts: Any, own: Any, opp: Any) -> Any:
    """Return the row of a position, which is added if it is new."""
    slot = _slot(words, places, own, opp)
    if places[slot] == _NOWHERE:
        places[slot] = counts[_STORED]
        words[counts[_STORED], 0], words[counts[_STORED], 1] = own, opp
        counts[_STORED] += 1
    return places[slot]


@kernel
def _expand(
    game: Any, words: Any, places: Any, counts: Any, degrees: Any, links: Any, symmetries: Any, budget: Any
) -> None:
    """Add the successors of at most ``budget`` positions, while there is room. Link them if there are ``degrees``."""
    linked = len(degrees) > 0
    while counts[_EXPANDED] < counts[_STORED] and budget > 0 and len(words) - counts[_STORED] > action_count(game):
        if linked and len(links) - counts[_LINKS] <= action_count(game):
            break
        row, first = counts[_EXPANDED], counts[_LINKS]
        own, opp = words[row, 0], words[row, 1]
        if not linked or result(game, own, opp) == ONGOING:
            for number in range(action_count(game)):
                action = np.uint64(number)
                if not legal(game, own, opp, action) or is_duplicate(game, own, opp, action):
                    continue
                next_own, next_opp = play(game, own, opp, action)
                if linked or result(game, next_own, next_opp) == ONGOING:
                    next_own, next_opp = least_image(game, next_own, next_opp, symmetries)
                    to = _row(words, places, counts, next_own, next_opp)
                    if linked:
                        _link(links, counts, first, 2 * to + keeps_turn(game, own, opp, action))
        if linked:
            degrees[row] = counts[_LINKS] - first
        counts[_EXPANDED] += 1
        budget -= 1


@kernel
def _write_followers(game: Any, words: Any, followers: Any) -> Any:
    """Write the canonical images of the non-terminal successors of all positions, and return their number."""
    count = 0
    for i in range(len(words)):
        own, opp = words[i, 0], words[i, 1]
        for number in range(action_count(game)):
            action = np.uint64(number)
            if legal(game, own, opp, action):
                next_own, next_opp = play(game, own, opp, action)
                if result(game, next_own, next_opp) == ONGOING:
                    followers[count, 0], followers[count, 1] = canonical(game, next_own, next_opp)
                    count += 1
    return count


@inlined
def _link(links: Any, counts: Any, first: Any, link: Any) -> None:
    """Add a link of a position whose links begin at ``first``, unless it has the link already."""
    for k in range(first, counts[_LINKS]):
        if links[k] == link:
            return
    links[counts[_LINKS]] = link
    counts[_LINKS] += 1


@inlined
def row_of(game: Any, own: Any, opp: Any, words: Any, places: Any, symmetries: Any) -> Any:
    """Return the row of a position in an enumeration, or -1 if it was not found."""
    least_own, least_opp = least_image(game, own, opp, symmetries)
    return places[_slot(words, places, least_own, least_opp)]


@kernel
def _count_images(game: Any, words: Any, symmetries: Any, sizes: Any) -> None:
    """Write the number of different images of each position: all symmetries divided by those that fix the position."""
    for i in range(len(words)):
        fixing = 0
        for symmetry in symmetries:
            own, opp = transform(game, symmetry, words[i, 0], words[i, 1])
            fixing += own == words[i, 0] and opp == words[i, 1]
        sizes[i] = len(symmetries) // fixing


@kernel
def _transform_each(game: Any, symmetries: Any, words: Any) -> None:
    for i in range(len(words)):
        words[i, 0], words[i, 1] = transform(game, symmetries[i], words[i, 0], words[i, 1])
