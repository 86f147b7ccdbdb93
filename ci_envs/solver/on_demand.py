"""The base class of solutions that search each position on demand, from an opening book on."""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from ci_envs.games.game import Game
from ci_envs.games.operations import DRAW, LOSS, ONGOING, WIN
from ci_envs.games.position import Position
from ci_envs.kernels.work_memory import WorkMemory
from ci_envs.solver.found_bounds import FoundBounds
from ci_envs.solver.known_value import UNKNOWN, CompiledSource, python_source
from ci_envs.solver.opening_book import BookSource, OpeningBook
from ci_envs.solver.solution import HORIZON, NO_SCORE, Progress, Solution

NODES, LIMIT = 0, 1
"""Indices of the number of visited nodes and of its limit in the first array of the memory of a search."""

UNFINISHED = int(np.iinfo(np.int64).min)
"""The result of a search that reached its limit."""

_FEW_NODES, _MANY_NODES = 1 << 13, 1 << 20  # about 0.001 and 0.1 s
_MOST_NODES = np.iinfo(np.int64).max
_SECONDS_A_REPORT = 0.2

Memory = tuple[NDArray[Any], ...]
"""The arrays of a search. The first one contains the number of visited nodes and its limit."""


class OnDemandSolution(Solution):
    """A solution that searches each position when it is asked for it.

    A search returns a **search score**, which is positive if the player to move wins, and the higher the earlier the
    win. It is 0 for a draw, and the negative score of the opponent for a loss.

    Attributes:
        book: Bounds of the search scores of early positions, or None. Results for its positions are added to it.
        nodes: The number of positions that the searches have visited.
    """

    searches = True

    book_source: ClassVar[BookSource]
    """The source of the keys of an opening book."""

    book_plies: ClassVar[int]
    """The maximum number of plies before a position of an opening book."""

    def __init__(self, game: Game, *, book: OpeningBook | None = None, progress: Progress | None = None) -> None:
        """Make the solution of a game.

        Args:
            game: The game.
            book: See :attr:`book`.
            progress: A function that is called repeatedly with :attr:`nodes` and None.
        """
        super().__init__(game)
        self.book = book
        self.nodes = 0
        self._progress = progress
        self._memory: WorkMemory[Memory] = WorkMemory()
        self._found = FoundBounds(game, self.most)

    @abstractmethod
    def new_memory(self) -> Memory:
        """Return the arrays of a search."""

    @abstractmethod
    def search(self, own: int, opp: int, low: int, high: int, memory: Memory) -> int:
        """Return the search score of a non-terminal position, clipped to ``low`` and ``high``, or UNFINISHED."""

    @property
    @abstractmethod
    def most(self) -> int:
        """A number above all search scores."""

    @abstractmethod
    def plies(self, own: int, opp: int) -> int:
        """Return the number of plies before a position."""

    @abstractmethod
    def distance_of(self, own: int, opp: int, search_score: int) -> int:
        """Return the number of plies to the end of a won or lost position from its search score."""

    @abstractmethod
    def immediate_win(self, own: int, opp: int) -> int:
        """Return the search score of a position whose player to move wins with the next action."""

    @abstractmethod
    def is_late(self, own: int, opp: int) -> bool:
        """Return whether the distances of a position are found in about 0.05 s."""

    @cached_property
    def known_plies(self) -> int:
        """The number of plies up to which values follow from the book without a search, or -1 without such a book."""
        if self.book is None:
            return -1
        unknown = np.flatnonzero(~self.book.known)
        if len(unknown) == 0:
            return self.book_plies
        return self.plies(*self.book.words[unknown[0]].tolist()) - 2  # one ply earlier, a position can have no entry

    def takes_long(self, own: int, opp: int) -> bool:
        """Return whether the values of the actions of a position take too long to grade many of them."""
        return False

    @override
    def scores(self, words: NDArray[np.uint64]) -> NDArray[np.int16]:
        return self._of_each(words, self._score_of)

    @override
    def values(self, words: NDArray[np.uint64]) -> NDArray[np.int16]:
        return self._of_each(words, self._value_of)

    @override
    def action_values(self, words: NDArray[np.uint64]) -> NDArray[np.int16]:
        rows = [self._action_values(own, opp) for own, opp in words.tolist()]
        return np.array(rows, dtype=np.int16).reshape(len(words), self.game.action_count)

    @override
    def kept_actions(self, words: NDArray[np.uint64]) -> tuple[NDArray[np.int16], NDArray[np.bool_]]:
        values, keeps = np.empty(len(words), np.int16), np.zeros((len(words), self.game.action_count), np.bool_)
        for row, (own, opp) in enumerate(words.tolist()):
            position, best = Position(self.game, own, opp), self._value_of(own, opp)
            values[row] = best
            for action in position.legal_actions():
                keeps[row, action] = best == LOSS or self._action_value(position, action, best - 1, best) >= best
        return values, keeps

    @override
    def grading_scores(self, words: NDArray[np.uint64]) -> NDArray[np.int16]:
        scores = np.full((len(words), self.game.action_count), NO_SCORE, np.int16)
        quick = np.array([not self.takes_long(own, opp) for own, opp in words.tolist()], np.bool_)
        scores[quick] = self.action_values(words[quick])
        return scores

    @override
    def compiled(self) -> CompiledSource:
        """Return a compiled source of the positions whose values are found quickly, so that a search can ask for many.

        These are late positions and those whose values follow from the book.
        """
        return python_source(lambda own, opp: self._value_of(own, opp) if self._is_known(own, opp) else UNKNOWN)

    @override
    def quick_from(self, words: NDArray[np.uint64]) -> NDArray[np.bool_]:
        return np.array([self.is_late(own, opp) for own, opp in words.tolist()], np.bool_)

    @override
    def quick_actions(self, words: NDArray[np.uint64]) -> NDArray[np.bool_]:
        known = [self.is_late(own, opp) or self.plies(own, opp) < self.known_plies for own, opp in words.tolist()]
        return np.array(known, np.bool_)

    @override
    def quick_scores(self, words: NDArray[np.uint64]) -> NDArray[np.int16]:
        rows = words.reshape(-1, 1, 2)
        scores = [(self.action_scores if self.is_late(*row[0].tolist()) else self.action_values)(row) for row in rows]
        return np.concatenate([np.empty((0, self.game.action_count), np.int16), *scores])

    def search_score(self, own: int, opp: int, low: int, high: int) -> int:
        """Return the search score of a non-terminal position from the book and a search.

        It is correct if it is between ``low`` and ``high``, and otherwise on the same side of them.
        """
        if self.book is None or self.plies(own, opp) > self.book_plies:
            return self._searched(own, opp, low, high)
        if self._progress:
            self._progress(self.nodes, None)
        place = self.book.place(own, opp)
        if place is not None:
            least, most = self.book.bounds[:, place].tolist()
            low, high = _clipped(low, high, least, most)
            if low == high:
                return low
        find = self._searched if self.plies(own, opp) == self.book_plies else self._best_of_actions
        score = find(own, opp, low, high)
        if place is not None:
            least, most = -self.most if score <= low else score, self.most if score >= high else score
            self.book.narrow(place, least, most)
        return score

    @override
    def why_unknown(self, position: Position) -> str:
        return f"the search for the value of {position.to_text()!r} takes too long"

    def _is_known(self, own: int, opp: int) -> bool:
        """Return whether the value of a position is found within milliseconds."""
        return self.is_late(own, opp) or self.plies(own, opp) <= self.known_plies

    def _of_each(self, words: NDArray[np.uint64], function: Callable[[int, int], int]) -> NDArray[np.int16]:
        return np.array([function(own, opp) for own, opp in words.tolist()], dtype=np.int16)

    def _score_of(self, own: int, opp: int) -> int:
        outcome = self.game.rules.examine(self.game, own, opp)[2]
        if outcome != ONGOING:
            return int(outcome) * HORIZON
        score = self.search_score(own, opp, -self.most, self.most)
        return int(np.sign(score)) * (HORIZON - self.distance_of(own, opp, score)) if score else DRAW

    def _value_of(self, own: int, opp: int) -> int:
        outcome = self.game.rules.examine(self.game, own, opp)[2]
        return int(np.sign(self.search_score(own, opp, LOSS, WIN) if outcome == ONGOING else outcome))

    def _action_values(self, own: int, opp: int) -> list[int]:
        """Return the values of the actions. As none is above that of the position, fewer questions decide them."""
        position, best = Position(self.game, own, opp), self._value_of(own, opp)
        values = [NO_SCORE] * self.game.action_count
        for action in position.legal_actions():
            values[action] = LOSS if best == LOSS else self._action_value(position, action, LOSS, best)
        return values

    def _action_value(self, position: Position, action: int, low: int, high: int) -> int:
        """Return the value of an action. It is correct if it is between ``low`` and ``high``, else on the same side."""
        follower = position.play(action)
        sign = 1 if follower.to_move == position.to_move else -1
        if follower.result is not None:
            return sign * follower.result
        low, high = (low, high) if sign > 0 else (-high, -low)
        return sign * int(np.sign(self.search_score(follower.own, follower.opp, low, high)))

    def _searched(self, own: int, opp: int, low: int, high: int) -> int:
        """Return the search score of a position from a search without a limit. Results of long searches are kept."""
        with self._memory.use(self.new_memory) as memory:
            score = self._search_briefly(own, opp, low, high, memory, _FEW_NODES)
            if score != UNFINISHED:
                return score
            key = self._found.key(own, opp)
            low, high = _clipped(low, high, *self._found.get(key))
            if low == high:
                return low
            score = self._search_briefly(own, opp, low, high, memory, _MANY_NODES)
            if score == UNFINISHED:
                score = self._search_long(own, opp, low, high, memory)
        self._found.narrow(key, -self.most if score <= low else score, self.most if score >= high else score)
        return score

    def _search_briefly(self, own: int, opp: int, low: int, high: int, memory: Memory, limit: int) -> int:
        """Return the result of a search of at most ``limit`` nodes."""
        counters = memory[0]
        counters[NODES], counters[LIMIT] = 0, limit
        try:
            return self.search(own, opp, low, high, memory)
        finally:
            self.nodes += int(counters[NODES])

    def _search_long(self, own: int, opp: int, low: int, high: int, memory: Memory) -> int:
        """Search in another thread, so that progress is reported and an interrupt stops the search."""
        counters = memory[0]
        counters[NODES], counters[LIMIT] = 0, _MOST_NODES
        with ThreadPoolExecutor(1) as pool:
            search = pool.submit(self.search, own, opp, low, high, memory)
            try:
                while not search.done():
                    wait([search], timeout=_SECONDS_A_REPORT)
                    if self._progress:
                        self._progress(self.nodes + int(counters[NODES]), None)
            finally:
                counters[LIMIT] = 0
                self.nodes += int(counters[NODES])
        return search.result()

    def _best_of_actions(self, own: int, opp: int, low: int, high: int) -> int:
        """Return the search score of a position from those after its actions, clipped to ``low`` and ``high``."""
        position, best = Position(self.game, own, opp), low
        actions = self.actions_in_order(position)
        for action in sorted(actions, key=lambda action: self._promise(position, action), reverse=True):
            follower = position.play(action)
            sign = 1 if follower.to_move == position.to_move else -1
            if follower.result is not None:
                score = sign * follower.result * self.immediate_win(own, opp)
            elif sign > 0:
                score = self.search_score(follower.own, follower.opp, best, high)
            else:
                score = -self.search_score(follower.own, follower.opp, -high, -best)
            best = max(best, min(score, high))
            if best == high:
                break
        return best

    def actions_in_order(self, position: Position) -> Sequence[int]:
        """Return the legal actions, the most promising one first if the book does not distinguish them."""
        return position.legal_actions()

    def _promise(self, position: Position, action: int) -> int:
        """Return a value for move ordering from the book's bounds, for the player who acts."""
        follower = position.play(action)
        place = self.book.place(follower.own, follower.opp) if self.book else None
        sign = 1 if follower.to_move == position.to_move else -1
        return 0 if place is None or self.book is None else sign * int(self.book.bounds[:, place].sum())


def _clipped(low: int, high: int, least: int, most: int) -> tuple[int, int]:
    """Return the part of a window in which a score between ``least`` and ``most`` can be, or one such number twice."""
    return min(max(low, least), most), max(min(high, most), least)
