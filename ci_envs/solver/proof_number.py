"""The value of single positions by proof-number search, for games with too many positions to store.

The search is df-pn with a transposition table (Ayumu Nagai, "Df-pn Algorithm for Searching AND/OR Trees and Its
Applications", PhD thesis, University of Tokyo, 2002), with the threshold of Pawlewicz and Lew, "Improving Depth-First
PN-Search: 1 + epsilon Trick", Computers and Games 2006. It answers the question whether the player to move wins, if a
draw counts as a loss, or as a win. ``phi`` is the estimated number of leaves that must be decided to answer yes, and
``delta`` to answer no. A new position is examined by one ply: its ``delta`` is the number of its actions. So the search
prefers actions after which the opponent has few replies.
"""

from contextlib import suppress
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from ci_envs.games.game import Game
from ci_envs.games.operations import (
    DRAW,
    LOSS,
    ONGOING,
    WIN,
    action_count,
    canonical,
    is_duplicate,
    keeps_turn,
    legal,
    may_end,
    play,
    result,
)
from ci_envs.games.position import Position
from ci_envs.games.truncation import MAX_PLIES
from ci_envs.kernels.compiler import inlined, kernel
from ci_envs.kernels.hash_table import find_slot
from ci_envs.kernels.work_memory import WorkMemory
from ci_envs.solver.errors import UnknownValueError
from ci_envs.solver.search import MAX_POSITIONS, endless_play
from ci_envs.solver.solution import NO_SCORE, Progress, Solution

_GRADING_NODES = 4_000  # about 0.01 s for all actions of a position

MAX_NODES = 1 << 26
"""Maximum number of nodes that the search of one position visits. A node takes about 5 us to 20 us."""

BYTES_A_NODE = 64
"""Memory per stored position: two words and two pairs of numbers, in a table that is at most half full."""

_NODES_A_CALL = 1 << 14  # Python handles an interrupt only between two calls
_FIRST_SLOTS = 1 << 16  # a larger table interrupts the search less often to grow
_NODES, _NODE_LIMIT, _STORED, _STORED_LIMIT, _DRAWS, _PLIES, _ENDLESS = range(7)  # indices in the work array
_FREE = np.uint32(0xFFFFFFFF)
_INFINITY = 1 << 30
_KEEPS, _PHI, _DELTA = range(3)  # columns of the facts of successors


class ProofNumberSolution(Solution):
    """The values of positions of any game that cannot cycle, without distances. Each position is searched on demand.

    Attributes:
        nodes: The number of nodes that the searches have visited.
    """

    searches = True
    limited = True

    def __init__(self, game: Game, *, progress: Progress | None = None) -> None:
        """Make the solution of a game.

        Args:
            game: The game.
            progress: A function that is called repeatedly with :attr:`nodes` and None.

        Raises:
            ValueError: The game can cycle.
        """
        if game.can_cycle:
            raise ValueError(f"{game} cannot be solved by this search, because play can cycle")
        super().__init__(game)
        self._progress = progress
        self.nodes = 0
        self._memory: WorkMemory[_Table] = WorkMemory()

    @override
    def scores(self, words: NDArray[np.uint64]) -> NDArray[np.int16]:
        """Return 1 for each won position, 0 for each drawn position and -1 for each lost position.

        Raises:
            EndlessPlayError: Play from a position does not end.
            UnknownValueError: The search of a position reached a limit.
        """
        with self._memory.use(_Table) as table:
            return self._scores_in(table, words)

    @override
    def grading_scores(self, words: NDArray[np.uint64]) -> NDArray[np.int16]:
        scores = np.full((len(words), self.game.action_count), NO_SCORE, np.int16)
        for number in range(len(words)):
            table = _Table(_GRADING_NODES)  # so the result depends only on the position
            with suppress(UnknownValueError):
                scores[[number]] = self._of_actions(words[[number]], partial(self._scores_in, table))
        return scores

    @override
    def quick_scores(self, words: NDArray[np.uint64]) -> NDArray[np.int16]:
        """Return the values of the actions; in a won position, 0 for all actions except at least one that wins.

        A proof of a win needs only one winning action. A search of the other actions can take much longer.
        """
        rows = [self._scores_of_best(Position(self.game, own, opp)) for own, opp in words.tolist()]
        return np.array(rows, np.int16).reshape(len(words), self.game.action_count)

    @override
    def best_actions(self, position: Position) -> tuple[int, ...]:
        """Return the actions that keep the value; of a won position, at least one."""
        scores = self._scores_of_best(position)
        return tuple(np.flatnonzero((scores == scores.max()) & (scores != NO_SCORE)).tolist())

    def _scores_of_best(self, position: Position) -> NDArray[np.int16]:
        actions = list(position.legal_actions())
        with self._memory.use(_Table) as table:
            value = self._value(position.own, position.opp, table)
            proven = [action for action in actions if value == WIN and self._is_proven(position, action, table)]
        if value != LOSS and not proven:  # the first draw makes the table forget proofs
            values: NDArray[np.int16] = self.action_values(np.array([[position.own, position.opp]], np.uint64))[0]
            return values
        scores = np.full(self.game.action_count, NO_SCORE, np.int16)
        scores[actions] = min(value, 0)
        scores[proven] = WIN
        return scores

    def _scores_in(self, table: "_Table", words: NDArray[np.uint64]) -> NDArray[np.int16]:
        """Return the scores of positions, which are searched with a table."""
        return np.array([self._value(own, opp, table) for own, opp in words.tolist()], dtype=np.int16)

    def _is_proven(self, position: Position, action: int, table: "_Table") -> bool:
        """Return whether the table proves that an action wins."""
        after = position.play(action)
        if after.result is not None:
            return after.winner == position.to_move
        if after.to_move == position.to_move:
            return self._answer(after.own, after.opp, LOSS, table, 1) > 0
        return self._answer(after.own, after.opp, WIN, table, 1) < 0

    def _value(self, own: int, opp: int, table: "_Table") -> int:
        outcome = self.game.rules.examine(self.game, own, opp)[2]
        if outcome != ONGOING:
            return outcome
        if self._wins(own, opp, LOSS, table):
            return WIN
        if not table.work[_DRAWS]:  # no search has met a draw, so what is not won is lost
            return LOSS
        return DRAW if self._wins(own, opp, WIN, table) else LOSS

    def _wins(self, own: int, opp: int, draw: int, table: "_Table") -> bool:
        """Return whether the player to move wins, if a draw counts as the result ``draw``."""
        if answer := self._answer(own, opp, draw, table, 1):  # an earlier search has found it
            return answer > 0
        if table.stored >= MAX_POSITIONS // 2:
            table.clear()
        visited, most = 0, MAX_NODES if table.nodes_left is None else table.nodes_left
        while True:
            answer = self._answer(own, opp, draw, table, min(_NODES_A_CALL, most - visited))
            visited += int(table.work[_NODES])
            self.nodes += int(table.work[_NODES])
            if table.nodes_left is not None:
                table.nodes_left = max(0, most - visited)
            if self._progress:
                self._progress(self.nodes, None)
            if answer:
                return answer > 0
            if table.work[_ENDLESS]:
                raise endless_play(self.game, self.game.to_text(own, opp, 0))
            if visited >= most or table.stored >= MAX_POSITIONS:
                raise self._refusal(own, opp, visited, table.stored)
            table.make_room()

    def _answer(self, own: int, opp: int, draw: int, table: "_Table", nodes: int) -> int:
        """Return 1 if the player to move wins, -1 if not, and 0 if a search of this many nodes does not find it."""
        arguments = table.keys, table.numbers, table.prepared(nodes)
        return int(_answer(self.game, np.uint64(own), np.uint64(opp), np.int64(draw), *arguments))

    def _refusal(self, own: int, opp: int, visited: int, stored: int) -> UnknownValueError:
        return UnknownValueError(
            f"{self.game} is too large to solve from {self.game.to_text(own, opp, 0)!r}: the search visited"
            f" {visited:,} nodes and stored {stored:,} states in {stored * BYTES_A_NODE / 1e6:.3g} MB without a result."
            f" The limits are {MAX_NODES:,} nodes and {MAX_POSITIONS:,} states"
        )


class _Table:
    """The transposition table of a search, which stores every visited position.

    Attributes:
        keys: The position in each slot, uint64 of shape (slots, 2).
        numbers: ``phi`` and ``delta`` of the position if a draw counts as a loss, and if it counts as a win, uint32 of
            shape (slots, 4).
        work: The number of nodes and stored positions with their limits, of draws that were met, and of plies from the
            root; and 1 if these reached their limit, int64.
        nodes_left: The number of nodes that the searches with this table can still visit, or None for the limit of each
            search, MAX_NODES.
    """

    def __init__(self, nodes_left: int | None = None) -> None:
        self.nodes_left = nodes_left
        self.clear()

    def clear(self) -> None:
        """Forget all positions."""
        self.keys, self.numbers = _empty_slots(_FIRST_SLOTS)
        self.work = np.zeros(7, dtype=np.int64)

    @property
    def stored(self) -> int:
        """The number of stored positions."""
        return int(self.work[_STORED])

    def prepared(self, nodes: int) -> NDArray[np.int64]:
        """Return ``work`` for a search of at most ``nodes`` nodes."""
        self.work[_NODES], self.work[_NODE_LIMIT], self.work[_STORED_LIMIT] = 0, nodes, len(self.keys) // 2
        self.work[_ENDLESS] = 0
        return self.work

    def make_room(self) -> None:
        """Double the number of slots if half of them are used."""
        if self.stored >= len(self.keys) // 2:
            keys, numbers = self.keys, self.numbers
            self.keys, self.numbers = _empty_slots(2 * len(keys))
            _copy(keys, numbers, self.keys, self.numbers)


def _empty_slots(slots: int) -> tuple[NDArray[np.uint64], NDArray[np.uint32]]:
    return np.empty((slots, 2), dtype=np.uint64), np.full((slots, 4), _FREE)


@inlined
def _slot(keys: Any, numbers: Any, own: Any, opp: Any) -> Any:
    """Return the slot of a position in the table, or the free slot where it can be inserted."""
    return find_slot(keys[:, 0], keys[:, 1], numbers[:, 0], _FREE, own, opp)


@inlined
def _column(draw: Any, work: Any) -> Any:
    """Return the first column of the numbers for a question.

    Before the first draw, the numbers hold for both questions. They are then those of the question in which a draw
    counts as a loss.
    """
    return 2 if draw > 0 and work[_DRAWS] else 0


@kernel
def _copy(keys: Any, numbers: Any, to_keys: Any, to_numbers: Any) -> None:
    for i in range(len(keys)):
        if numbers[i, 0] != _FREE:
            slot = _slot(to_keys, to_numbers, keys[i, 0], keys[i, 1])
            to_keys[slot, 0], to_keys[slot, 1] = keys[i, 0], keys[i, 1]
            for column in range(4):
                to_numbers[slot, column] = numbers[i, column]


@kernel
def _answer(game: Any, own: Any, opp: Any, draw: Any, keys: Any, numbers: Any, work: Any) -> Any:
    """Return 1 if the player to move wins, -1 if not, and 0 if the search reached a limit."""
    own, opp = canonical(game, own, opp)
    _prove(game, own, opp, draw, np.int64(_INFINITY), np.int64(_INFINITY), keys, numbers, work)
    slot, column = _slot(keys, numbers, own, opp), _column(draw, work)
    if numbers[slot, column] == 0:
        return 1
    return -1 if numbers[slot, column + 1] == 0 else 0


@kernel
def _prove(
    game: Any, own: Any, opp: Any, draw: Any, most_phi: Any, most_delta: Any, keys: Any, numbers: Any, work: Any
) -> None:
    """Search a canonical position until one of its numbers reaches its threshold, and store the numbers."""
    work[_NODES] += 1
    work[_PLIES] += 1
    work[_ENDLESS] |= work[_PLIES] == MAX_PLIES
    followers = np.empty((action_count(game), 2), dtype=np.uint64)
    facts = np.empty((action_count(game), 3), dtype=np.int64)
    count = _successors(game, own, opp, draw, followers, facts, work)
    phi, delta = np.int64(0 if count < 0 else _INFINITY), np.int64(_INFINITY if count < 0 else 0)
    while count > 0:
        phi, delta, second, best = _summary(game, draw, followers, facts, count, keys, numbers, work)
        if phi >= most_phi or delta >= most_delta or _is_at_limit(work):
            break
        best_phi = min(most_delta - delta + facts[best, _PHI], np.int64(_INFINITY))
        best_delta = min(most_phi, max(second + 1, second + second // 4))
        next_own, next_opp = followers[best, 0], followers[best, 1]
        if facts[best, _KEEPS]:
            _prove(game, next_own, next_opp, draw, best_delta, best_phi, keys, numbers, work)
        else:
            _prove(game, next_own, next_opp, -draw, best_phi, best_delta, keys, numbers, work)
    work[_PLIES] -= 1
    slot = _slot(keys, numbers, own, opp)
    if numbers[slot, 0] == _FREE:
        work[_STORED] += 1
        keys[slot, 0], keys[slot, 1] = own, opp
        for column in range(4):
            numbers[slot, column] = 1
    column = _column(draw, work)
    numbers[slot, column], numbers[slot, column + 1] = phi, delta


@inlined
def _is_at_limit(work: Any) -> Any:
    return work[_NODES] >= work[_NODE_LIMIT] or work[_STORED] >= work[_STORED_LIMIT] or work[_ENDLESS]


@kernel
def _successors(game: Any, own: Any, opp: Any, draw: Any, followers: Any, facts: Any, work: Any) -> Any:
    """Write the different non-terminal successors, and return their number, or -1 if an action wins at once."""
    count = 0
    for number in range(action_count(game)):
        action = np.uint64(number)
        if not legal(game, own, opp, action) or is_duplicate(game, own, opp, action):
            continue
        next_own, next_opp = play(game, own, opp, action)
        outcome = np.int64(result(game, next_own, next_opp))
        keeps = keeps_turn(game, own, opp, action)
        if outcome != ONGOING:
            if _wins_at_once(outcome, keeps, draw, work):
                return -1
            continue
        next_own, next_opp = canonical(game, next_own, next_opp)
        is_new = True
        for k in range(count):
            is_new &= followers[k, 0] != next_own or followers[k, 1] != next_opp
        if is_new:
            followers[count, 0], followers[count, 1] = next_own, next_opp
            facts[count, _KEEPS], facts[count, _PHI] = keeps, -1
            count += 1
    return count


@inlined
def _wins_at_once(outcome: Any, keeps: Any, draw: Any, work: Any) -> Any:
    """Return whether the outcome of the position after an action answers the question with yes."""
    if outcome == DRAW:
        work[_DRAWS] += 1
        return draw > 0
    return (outcome > 0) == keeps


@kernel
def _summary(game: Any, draw: Any, followers: Any, facts: Any, count: Any, keys: Any, numbers: Any, work: Any) -> Any:
    """Write the numbers of the successors into ``facts``, from the point of view of the opponent.

    Returns:
        ``(phi, delta, second, best)``: the numbers of the position, the second smallest ``delta`` of a successor, and
        the index of the successor with the smallest.
    """
    phi, delta, second, best = np.int64(_INFINITY), np.int64(0), np.int64(_INFINITY), 0
    for k in range(count):
        keeps = facts[k, _KEEPS] == 1
        question = draw if keeps else -draw
        slot = _slot(keys, numbers, followers[k, 0], followers[k, 1])
        if numbers[slot, 0] != _FREE:
            column = _column(question, work)
            first, other = np.int64(numbers[slot, column]), np.int64(numbers[slot, column + 1])
        elif facts[k, _PHI] < 0:
            first, other = _estimate(game, followers[k, 0], followers[k, 1], question, work)
        else:
            first, other = facts[k, _PHI], facts[k, _DELTA]
            keeps = False  # they are turned already
        if keeps:
            first, other = other, first
        facts[k, _PHI], facts[k, _DELTA] = first, other
        delta = min(delta + first, np.int64(_INFINITY))
        if other < phi:
            phi, second, best = other, phi, k
        elif other < second:
            second = other
    return phi, np.int64(_INFINITY) if phi == 0 else delta, second, best


@kernel
def _estimate(game: Any, own: Any, opp: Any, draw: Any, work: Any) -> Any:
    """Return ``phi`` and ``delta`` of a position that is not in the table: the exact ones if one ply decides."""
    count = 0
    ends = may_end(game, own, opp, WIN) or may_end(game, own, opp, LOSS)
    for number in range(action_count(game)):
        action = np.uint64(number)
        if not legal(game, own, opp, action) or is_duplicate(game, own, opp, action):
            continue
        outcome = np.int64(ONGOING)
        if ends:
            next_own, next_opp = play(game, own, opp, action)
            outcome = np.int64(result(game, next_own, next_opp))
        if outcome == ONGOING:
            count += 1
        elif _wins_at_once(outcome, keeps_turn(game, own, opp, action), draw, work):
            return np.int64(0), np.int64(_INFINITY)
    return np.int64(1 if count else _INFINITY), np.int64(count)
