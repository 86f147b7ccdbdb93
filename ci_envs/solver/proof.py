"""Forced wins in the m,n,k games without gravity, for games with too many positions to store.

Iterative deepening tests whether either player can force a win within 1 ply, 2 plies and so on. In deep lines it helps
to look for threats first. A player who can complete a line does so. A player who faces one such threat answers it, and
loses against two threats. Three plies before the end, only a double threat wins. In these games an additional own stone
is never a disadvantage, so a defender who is safe after passing is safe (a null move, which is exact here). The search
also uses a transposition table of facts that are independent of the search depth, and sorts moves by the evaluation.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from ci_envs.games.connect_n import ConnectN
from ci_envs.games.grid import line_steps
from ci_envs.games.operations import canonical, evaluate
from ci_envs.games.position import Position
from ci_envs.kernels.bits import trailing_zeros
from ci_envs.kernels.compiler import inlined, kernel
from ci_envs.kernels.dispatch import implements, operation
from ci_envs.kernels.hash_table import home_slot
from ci_envs.kernels.work_memory import WorkMemory
from ci_envs.solver.search import BYTES_A_POSITION
from ci_envs.solver.solution import HORIZON, NO_SCORE, Solution, too_large

MAX_NODES = 10_000_000
"""Maximum number of nodes of a search. A position that needs more counts as unsolved."""

_GRADING_NODES = 3_000  # about a millisecond for all actions of a position; thirty times as many find few more values
_QUICK_NODES = 1_000_000

_SLOTS = 1 << 20
_GRADING_SLOTS = 1 << 13
_CELLS = 64


_Memory = tuple[NDArray[np.uint64], NDArray[np.int64]]


class ProofSolution(Solution):
    """The solution of a :class:`ConnectN` without gravity. Each position is searched on demand.

    A search with a limit begins without facts from earlier searches. So its result depends only on the position.
    """

    searches = True
    limited = True

    game: ConnectN

    def __init__(self, game: ConnectN) -> None:
        super().__init__(game)
        self._memory: WorkMemory[_Memory] = WorkMemory()

    @override
    def scores(self, words: NDArray[np.uint64]) -> NDArray[np.int16]:
        """Return the scores of positions. A position that takes too long raises ValueError."""
        return np.array([self._checked_score(own, opp) for own, opp in words.tolist()], dtype=np.int16)

    @override
    def grading_scores(self, words: NDArray[np.uint64]) -> NDArray[np.int16]:
        return self._of_rows(words, self._limited_values)

    @override
    def quick_scores(self, words: NDArray[np.uint64]) -> NDArray[np.int16]:
        return self._of_rows(
            words, lambda position: self._scores_of_best(position, _new_memory(), _budget(_QUICK_NODES))
        )

    def finds_quickly(self, position: Position) -> bool:
        """Return whether a search of at most about a second finds the value of a position."""
        nodes = _budget(_QUICK_NODES)
        self._score_within(position.own, position.opp, _new_memory(), nodes)
        return not _is_spent(nodes)

    @override
    def best_actions(self, position: Position) -> tuple[int, ...]:
        """Return the best actions. The search is only as deep as necessary to distinguish them from other actions."""
        nodes = _budget(MAX_NODES * self.game.action_count)
        with self._memory.use(_new_memory) as memory:
            scores = self._scores_of_best(position, memory, nodes)
        self._check(nodes, position)
        return tuple(np.flatnonzero((scores == scores.max()) & (scores != NO_SCORE)).tolist())

    def _of_rows(
        self, words: NDArray[np.uint64], function: Callable[[Position], NDArray[np.int16]]
    ) -> NDArray[np.int16]:
        scores = np.empty((len(words), self.game.action_count), np.int16)
        for i, row in enumerate(words.tolist()):
            scores[i] = function(Position(self.game, *row))
        return scores

    def _limited_values(self, position: Position) -> NDArray[np.int16]:
        """Return the values of the actions, or only NO_SCORE if the search does not find one of them soon."""
        values, nodes = np.full(self.game.action_count, NO_SCORE, np.int16), _budget(_GRADING_NODES)
        memory = _new_memory(_GRADING_SLOTS)
        for action in position.legal_actions():
            after = position.play(action)
            values[action] = -np.sign(self._score_within(after.own, after.opp, memory, nodes))
            if _is_spent(nodes):
                return np.full_like(values, NO_SCORE)
        return values

    def _scores_of_best(self, position: Position, memory: _Memory, nodes: NDArray[np.int64]) -> NDArray[np.int16]:
        """Return the scores of the actions that win as fast as possible, or if none wins, of those that lose.

        The other legal actions have a score of 0. If the nodes are spent, so do actions whose search has not ended.
        """
        scores, undecided = np.full(self.game.action_count, NO_SCORE, np.int16), {}
        for action in position.legal_actions():
            scores[action], undecided[action] = 0, position.play(action)
        for plies in range(len(undecided)):
            for action, after in [*undecided.items()]:
                sign = after.result or 0
                if plies and after.result is None:
                    sign = self._forced(after, plies, memory, nodes)
                if _is_spent(nodes):
                    return scores
                if sign:
                    scores[action] = -sign * (HORIZON - plies - 1)
                    del undecided[action]
            if scores.max() > 0 or not undecided:
                break
        return scores

    def _forced(self, position: Position, plies: int, memory: _Memory, nodes: NDArray[np.int64]) -> int:
        """Return 1 or -1 if the player to move wins or loses within a number of plies, and 0 otherwise."""
        facts, order = memory
        return int(_forced(self.game, np.uint64(position.own), np.uint64(position.opp), plies, facts, order, nodes))

    def _score_within(self, own: int, opp: int, memory: _Memory, nodes: NDArray[np.int64]) -> int:
        """Return the score of a position, which is meaningless if the nodes are spent."""
        position = Position(self.game, own, opp)
        if position.result is not None:
            return position.result * HORIZON
        for plies in range(1, len(position.legal_actions()) + 1):
            sign = self._forced(position, plies, memory, nodes)
            if sign or _is_spent(nodes):
                return sign * (HORIZON - plies)
        return 0

    def _checked_score(self, own: int, opp: int) -> int:
        nodes = _budget(MAX_NODES)
        with self._memory.use(_new_memory) as memory:
            score = self._score_within(own, opp, memory, nodes)
        self._check(nodes, Position(self.game, own, opp))
        return score

    def _check(self, nodes: NDArray[np.int64], position: Position) -> None:
        """Raise an error if the nodes are spent."""
        if _is_spent(nodes):
            bound = self.game.position_bound(position.own, position.opp)
            raise too_large(self.game, bound, BYTES_A_POSITION)


def _budget(nodes: int) -> NDArray[np.int64]:
    """Return the number of visited nodes, 0, and its limit."""
    return np.array([0, nodes])


def _is_spent(nodes: NDArray[np.int64]) -> bool:
    return bool(nodes[0] >= nodes[1])


def _new_memory(slots: int = _SLOTS) -> _Memory:
    """Return a table of facts, with keys that no position has, and an array for the order of moves."""
    facts = np.full((slots, 4), np.iinfo(np.uint64).max)  # an impossible key: all cells have two stones
    return facts, np.zeros((_CELLS + 1, _CELLS), dtype=np.int64)


@operation
def empty_cells(game: Any, stones: Any) -> Any:
    """Return the cells without ``stones``."""


@operation
def completing_cells(game: Any, stones: Any, empty: Any) -> Any:
    """Return the empty cells that complete a line of ``stones``."""


@implements(empty_cells, ConnectN)
def _(game: ConnectN) -> Any:
    full = np.uint64((1 << game.rows * game.cols) - 1)
    return lambda game, stones: full & ~stones


@implements(completing_cells, ConnectN)
def _(game: ConnectN) -> Any:
    steps, starts = line_steps(*game.shape)
    n = game.n

    def kernel(game: Any, stones: Any, empty: Any) -> Any:
        cells = np.uint64(0)
        for direction in range(4):
            step = steps[direction]
            for missing in range(n):
                lines = starts[direction] & (empty >> (np.uint64(missing) * step))
                for k in range(n):
                    if k != missing:
                        lines &= stones >> (np.uint64(k) * step)
                cells |= lines << (np.uint64(missing) * step)
        return cells

    return kernel


@kernel
def _several(cells: Any) -> Any:
    return cells & (cells - np.uint64(1)) != np.uint64(0)


@kernel
def _forced(game: Any, own: Any, opp: Any, plies: Any, facts: Any, order: Any, nodes: Any) -> Any:
    """Return 1 if the player to move forces a win within ``plies``, -1 if the opponent does, and 0 otherwise."""
    if plies % 2:  # the winner makes the last ply
        return 1 if _wins(game, own, opp, plies, facts, order, nodes) else 0
    return -1 if _loses(game, own, opp, plies, facts, order, nodes) else 0


@inlined
def _loses(game: Any, own: Any, opp: Any, plies: Any, facts: Any, order: Any, nodes: Any) -> Any:
    """Return whether the opponent can force a line within ``plies`` plies (an even number)."""
    empty = empty_cells(game, own | opp)
    threats = completing_cells(game, opp, empty)
    lost = False
    if not completing_cells(game, own, empty):
        if _several(threats):
            lost = True
        elif threats:
            lost = _wins(game, opp, own | threats, plies - 1, facts, order, nodes)
        elif plies >= 4 and _wins(game, opp, own, plies - 1, facts, order, nodes):  # after passing
            count = _sort(game, own, opp, empty, order[plies])
            lost = count > 0
            for k in range(count):
                move = np.uint64(1) << np.uint64(order[plies, k] % _CELLS)
                if not _wins(game, opp, own | move, plies - 1, facts, order, nodes):
                    lost = False
                    break
    return lost


@kernel
def _wins(game: Any, own: Any, opp: Any, plies: Any, facts: Any, order: Any, nodes: Any) -> Any:
    """Return whether the player to move can force a line within ``plies`` plies (an odd number).

    ``nodes`` contains the number of visited nodes and their maximum. At the maximum the result is a meaningless False.
    """
    nodes[0] += 1
    empty = empty_cells(game, own | opp)
    if completing_cells(game, own, empty):
        return True
    threats = completing_cells(game, opp, empty)
    if plies == 1 or _several(threats) or nodes[0] >= nodes[1]:
        return False
    moves = threats if threats else empty
    if plies == 3:
        return _has_double_threat(game, own, empty, moves)
    key_own, key_opp = canonical(game, own, opp)
    fact = facts[home_slot(key_own, key_opp, len(facts))]
    if fact[0] == key_own and fact[1] == key_opp:
        if np.uint64(plies) >= fact[2]:
            return True
        if np.uint64(plies) <= fact[3]:
            return False
    won = False
    for k in range(_sort(game, own, opp, moves, order[plies])):
        move = np.uint64(1) << np.uint64(order[plies, k] % _CELLS)
        won = _loses(game, opp, own | move, plies - 1, facts, order, nodes)
        if won:
            break
    if nodes[0] < nodes[1]:
        _note(fact, key_own, key_opp, np.uint64(plies), won)
    return won


@kernel
def _note(fact: Any, own: Any, opp: Any, plies: Any, won: Any) -> None:
    """Store the smallest depth at which a position is won, or the largest at which it is not."""
    if fact[0] != own or fact[1] != opp:
        fact[0], fact[1], fact[2], fact[3] = own, opp, np.uint64(_CELLS + 1), np.uint64(0)
    if won:
        fact[2] = plies
    else:
        fact[3] = plies


@kernel
def _has_double_threat(game: Any, own: Any, empty: Any, moves: Any) -> Any:
    while moves:
        move = moves & (~moves + np.uint64(1))
        moves ^= move
        if _several(completing_cells(game, own | move, empty ^ move)):
            return True
    return False


@kernel
def _sort(game: Any, own: Any, opp: Any, moves: Any, order: Any) -> Any:
    """Write 64 times the evaluation of each move plus its cell, the best move first, and return the number of moves."""
    count = 0
    while moves:
        move = moves & (~moves + np.uint64(1))
        moves ^= move
        entry = -evaluate(game, opp, own | move) * _CELLS + np.int64(trailing_zeros(move))
        place = count
        while place > 0 and order[place - 1] < entry:
            order[place] = order[place - 1]
            place -= 1
        order[place] = entry
        count += 1
    return count
