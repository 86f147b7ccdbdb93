"""Search for the exact score of positions of Connect Four and its variants.

The search is a negamax with a null window on the number of stones that the winner has left, as in John Tromp's
Fhourstones (https://tromp.github.io/c4/fhour.html) and in Pascal Pons's solver (http://blog.gamesolver.org). It
considers only moves after which the opponent cannot win immediately. It tries first the moves after which most cells
complete a line. It stores an upper or a lower bound of each position in a transposition table. Before it searches the
moves, it looks in the table for a move that is known to be good enough (enhanced transposition cutoff).

The search uses its own board layout: cell ``row + (rows + 1) * column``, with rows counted from the bottom. The cell
above each column is always empty, so no line continues in the next column.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from typing_extensions import override

from ci_envs.games.connect_n import ConnectN
from ci_envs.games.operations import action_count, canonical
from ci_envs.games.position import Position
from ci_envs.kernels.bits import popcount, trailing_zeros
from ci_envs.kernels.compiler import inline_kernel, kernel, lean_kernel
from ci_envs.kernels.dispatch import implements, operation
from ci_envs.solver.null_windows import middle_of
from ci_envs.solver.on_demand import LIMIT, NODES, UNFINISHED, Memory, OnDemandSolution
from ci_envs.solver.opening_book import NO_KEY, BookSource, OpeningBook, book_key
from ci_envs.solver.solution import Progress

QUICK_EMPTY_CELLS = 30
"""Maximum number of empty cells of a position of Connect Four whose score is found in about 0.05 s."""

_SLOT_BITS = 22  # base 2 logarithm of the number of slots of 8 bytes; this table of 32 MB is faster than a larger one
_PROBED_CELLS = 10  # with more empty cells, the search first looks up the positions after each move
_OFFSET = 64  # makes the scores in the table positive


@dataclass(frozen=True)
class GravityBookSource(BookSource):
    """The source of books of positions in which neither player can complete a line. Mirror images have one key."""


class GravitySolution(OnDemandSolution):
    """The solution of a :class:`ConnectN` with gravity. Each position is searched on demand.

    A position of Connect Four takes about 0.02 s with 30 empty cells, and minutes with 42. The search score of a won
    position is 1 plus the number of stones that the winner has left at the end.
    """

    game: ConnectN

    book_source, book_plies = GravityBookSource(), 8

    def __init__(self, game: ConnectN, *, book: OpeningBook | None = None, progress: Progress | None = None) -> None:
        """Make the solution of a game.

        Args:
            game: The game.
            book: Bounds of the search scores of early positions, or None.
            progress: A function that is called repeatedly with :attr:`nodes` and None.

        Raises:
            ValueError: The board is too large for the layout of the search.
        """
        check_fits(game)
        super().__init__(game, book=book, progress=progress)

    @override
    def new_memory(self) -> Memory:
        order = np.zeros((self.game.rows * self.game.cols + 1, 2 * self.game.cols), dtype=np.uint64)
        return np.zeros(2, dtype=np.int64), np.zeros(1 << _SLOT_BITS, dtype=np.uint64), order

    @override
    def search(self, own: int, opp: int, low: int, high: int, memory: Memory) -> int:
        work, table, order = memory
        return int(_solve(self.game, np.uint64(own), np.uint64(opp), low, high, table, order, work))

    @property
    @override
    def most(self) -> int:
        return self.game.rows * self.game.cols

    @override
    def plies(self, own: int, opp: int) -> int:
        return (own | opp).bit_count()

    @override
    def distance_of(self, own: int, opp: int, search_score: int) -> int:
        empty = self.most - self.plies(own, opp)
        if search_score > 0:
            return 2 * ((empty + 1) // 2 + 1 - search_score) - 1
        return 2 * (empty // 2 + 1 + search_score)

    @override
    def immediate_win(self, own: int, opp: int) -> int:
        return (self.most - self.plies(own, opp) + 1) // 2

    @override
    def is_late(self, own: int, opp: int) -> bool:
        return self.most - self.plies(own, opp) <= QUICK_EMPTY_CELLS

    @override
    def actions_in_order(self, position: Position) -> list[int]:
        middle = (self.game.cols - 1) / 2
        return sorted(position.legal_actions(), key=lambda column: abs(column - middle))


def fits(game: ConnectN) -> bool:
    """Return whether the board of a game fits into the layout of the search."""
    return (game.rows + 1) * game.cols <= 64


def check_fits(game: ConnectN) -> None:
    """Raise a ValueError if the board of a game does not fit into the layout of the search."""
    if not fits(game):
        raise ValueError(f"{game} is too large to solve: (rows + 1) * cols is more than 64")


@operation
def by_columns(game: Any, stones: Any) -> Any:
    """Return the stones of a word of a position in the layout of the search."""


@operation
def column_cells(game: Any, row: Any) -> Any:
    """Return the cells of row ``row`` (0 is the lowest) in the layout of the search, or of all rows for -1."""


@operation
def alternate_rows(game: Any) -> Any:
    """Return the cells of every second row, from the lowest one, in the layout of the search."""


@operation
def completing(game: Any, stones: Any) -> Any:
    """Return the cells that complete a line of ``stones``, also if they are occupied or outside the board."""


@operation
def column_of(game: Any, number: Any) -> Any:
    """Return the cells of a column. Number 0 is the middle column; the next numbers are further from the middle."""


@implements(by_columns, ConnectN)
def _(game: ConnectN) -> Any:
    rows, cols = game.rows, game.cols
    one = np.uint64(1)

    def kernel(game: Any, stones: Any) -> Any:
        found = np.uint64(0)
        for row in range(rows):
            for col in range(cols):
                stone = stones >> np.uint64(row * cols + col) & one
                found |= stone << np.uint64(col * (rows + 1) + rows - 1 - row)
        return found

    return kernel


@implements(column_cells, ConnectN)
def _(game: ConnectN) -> Any:
    bottom = np.uint64(sum(1 << col * (game.rows + 1) for col in range(game.cols)))
    board = np.uint64(int(bottom) * ((1 << game.rows) - 1))
    return lambda game, row: board if row < 0 else bottom << np.uint64(row)


@implements(alternate_rows, ConnectN)
def _(game: ConnectN) -> Any:
    column = sum(1 << row for row in range(0, game.rows, 2))
    cells = np.uint64(sum(column << col * (game.rows + 1) for col in range(game.cols)))
    return lambda game: cells


@implements(column_of, ConnectN)
def _(game: ConnectN) -> Any:
    nearest = sorted(range(game.cols), key=lambda col: abs(2 * col - game.cols + 1))
    cells = np.array([((1 << game.rows) - 1) << col * (game.rows + 1) for col in nearest], dtype=np.uint64)
    return lambda game, number: cells[number]


@implements(completing, ConnectN)
def _(game: ConnectN) -> Any:
    n, height = game.n, game.rows + 1

    def kernel(game: Any, stones: Any) -> Any:
        above = ~np.uint64(0)
        for k in range(1, n):
            above &= stones << np.uint64(k)
        return above | _in_line(stones, height, n) | _in_line(stones, height - 1, n) | _in_line(stones, height + 1, n)

    return kernel


@inline_kernel
def _in_line(stones: Any, step: Any, n: Any) -> Any:
    """Return the cells that complete ``n`` stones in a line with the step ``step`` between cells."""
    cells = np.uint64(0)
    for missing in range(n):
        line = ~np.uint64(0)
        for k in range(n):
            if k < missing:
                line &= stones << np.uint64((missing - k) * step)
            elif k > missing:
                line &= stones >> np.uint64((k - missing) * step)
        cells |= line
    return cells


@kernel
def _solve(game: Any, own: Any, opp: Any, low: Any, high: Any, table: Any, order: Any, work: Any) -> Any:
    """Return the score of a non-terminal position, clipped to ``low`` and ``high``, or UNFINISHED at the node limit."""
    own, mask = by_columns(game, own), by_columns(game, own | opp)
    left = np.int64(popcount(_free(game, mask)))
    least, most = -(left // 2), (left + 1) // 2
    if completing(game, own) & next_cells(game, mask):
        least = most
    else:
        most -= 1
    low, high = min(max(low, least), most), max(min(high, most), least)
    threats = completing(game, own ^ mask) & _free(game, mask)
    while low < high:
        middle = middle_of(low, high)
        score = _negamax(game, own, mask, threats, left, middle, middle + 1, table, order, work)
        if work[NODES] >= work[LIMIT]:
            return np.int64(UNFINISHED)
        if score <= middle:
            high = score
        else:
            low = score
    return low


@lean_kernel
def _negamax(
    game: Any, own: Any, mask: Any, threats: Any, left: Any, alpha: Any, beta: Any, table: Any, order: Any, work: Any
) -> Any:
    """Return the score of a position in which the player to move cannot win immediately.

    A win with the j-th further stone has a score of 1 plus the number of stones that the winner then has left.

    Args:
        game: The game.
        own: The stones of the player to move, in the layout of the search.
        mask: All stones.
        threats: The empty cells that complete a line of the opponent.
        left: The number of empty cells.
        alpha: The lower bound of the search window.
        beta: The upper bound of the search window.
        table: The transposition table, uint64 of shape (slots,).
        order: A buffer for the moves, uint64 of shape (cells + 1, 2 * columns).
        work: The number of visited nodes and their limit, int64 of shape (2,).
    """
    work[NODES] += 1
    opp = own ^ mask
    moves = _safe_moves(game, threats, mask)
    if not moves or left <= 2:
        return np.int64(0) if moves else -(left // 2)
    if moves & (moves - np.uint64(1)) == np.uint64(0):
        after = completing(game, own | moves) & _free(game, mask | moves)
        return -_negamax(game, opp, mask | moves, after, left - 1, -beta, -alpha, table, order, work)
    slot, tag = _place(table, own + mask)  # own + mask marks the height of each column, so it is a unique key
    low, high = _bounds(table[slot], tag)
    alpha, beta = max(alpha, low, 1 - left // 2), min(beta, high, (left + 1) // 2 - 1)
    if alpha >= beta:
        return alpha
    count = _sort(game, own, mask, moves, order[left])
    known = _best_known(opp, mask, left, table, order[left], count)
    if known >= beta:
        return known
    for k in range(count):
        move, after = _move(order[left], k), order[left, 2 * k + 1]
        score = -_negamax(game, opp, mask | move, after, left - 1, -beta, -alpha, table, order, work)
        alpha = max(alpha, score)
        if alpha >= beta or work[NODES] >= work[LIMIT]:
            break
    if work[NODES] < work[LIMIT]:
        table[slot] = tag | np.uint64(alpha + _OFFSET) << np.uint64(1) | np.uint64(alpha >= beta)
    return alpha


@inline_kernel
def next_cells(game: Any, mask: Any) -> Any:
    """Return the lowest empty cell of each column that is not full. ``mask`` contains all stones."""
    return (mask + column_cells(game, 0)) & column_cells(game, -1)


@inline_kernel
def _free(game: Any, mask: Any) -> Any:
    """Return the empty cells."""
    return column_cells(game, -1) & ~mask


@inline_kernel
def _safe_moves(game: Any, threats: Any, mask: Any) -> Any:
    """Return the cells of moves after which the opponent cannot win immediately.

    ``threats`` are the empty cells that complete a line of the opponent.
    """
    moves = next_cells(game, mask)
    forced = moves & threats
    if forced:
        moves = forced if forced & (forced - np.uint64(1)) == np.uint64(0) else np.uint64(0)
    return moves & ~(threats >> np.uint64(1))


@inline_kernel
def _move(order: Any, k: Any) -> Any:
    """Return the cell of the k-th sorted move."""
    return np.uint64(1) << (order[2 * k] & np.uint64(63))


@inline_kernel
def _best_known(opp: Any, mask: Any, left: Any, table: Any, order: Any, count: Any) -> Any:
    """Return the highest known lower bound of the score among the ``count`` sorted moves."""
    if count < 0:
        return (left - 1) // 2
    best = np.int64(-_OFFSET)
    if left > _PROBED_CELLS:
        for k in range(count):
            slot, tag = _place(table, opp + (mask | _move(order, k)))
            best = max(best, -_bounds(table[slot], tag)[1])
    return best


@inline_kernel
def _place(table: Any, key: Any) -> Any:
    """Return the slot of a key in the table, and the tag that identifies the key in this slot.

    Both are parts of the key after a bijective mixing function.
    """
    key = (key ^ (key >> np.uint64(32))) * np.uint64(0x9E3779B97F4A7C15)
    key ^= key >> np.uint64(29)
    return key & np.uint64(len(table) - 1), key >> np.uint64(_SLOT_BITS) << np.uint64(8)


@inline_kernel
def _bounds(entry: Any, tag: Any) -> Any:
    """Return the lower and the upper bound of the score in a table entry, if the entry has this tag.

    The lowest 8 bits of an entry are a score and whether it is a lower bound. The other bits are the tag.
    """
    low, high = np.int64(-_OFFSET), np.int64(_OFFSET)
    if (entry ^ tag) < np.uint64(256) and entry & np.uint64(255):
        bound = np.int64(entry >> np.uint64(1) & np.uint64(127)) - _OFFSET
        if entry & np.uint64(1):
            low = bound
        else:
            high = bound
    return low, high


@lean_kernel
def _sort(game: Any, own: Any, mask: Any, moves: Any, order: Any) -> Any:
    """Write the moves, the most promising one first.

    Each move has two entries: its cell plus 64 times its rank, and the cells that complete a line after it. The rank
    counts these cells. Cells in rows that the player fills if both players always play on top of each other count
    twice. Of moves with equal ranks, the one nearest to the middle is first.

    Returns:
        The number of moves, or -1 if a move wins with the next stone.
    """
    count = 0
    rows = _own_rows(game, mask)
    for number in range(action_count(game)):
        move = moves & column_of(game, number)
        if move:
            after = completing(game, own | move) & _free(game, mask | move)
            if not _safe_moves(game, after, mask | move):
                return -1
            rank = (np.uint64(2) * popcount(after) + popcount(after & rows)) << np.uint64(6)
            place = count
            while place > 0 and order[2 * place - 2] >> np.uint64(6) << np.uint64(6) < rank:
                order[2 * place], order[2 * place + 1] = order[2 * place - 2], order[2 * place - 1]
                place -= 1
            order[2 * place], order[2 * place + 1] = rank | trailing_zeros(move), after
            count += 1
    return count


@inline_kernel
def _own_rows(game: Any, mask: Any) -> Any:
    """Return every second row, from the lowest one if the number of empty cells is even."""
    odd = popcount(_free(game, mask)) & np.uint64(1)
    return alternate_rows(game) << odd


@implements(book_key, GravityBookSource)
def _(source: GravityBookSource) -> Any:
    def kernel(source: Any, game: Any, own: Any, opp: Any) -> Any:
        own, opp = canonical(game, own, opp)
        own, mask = by_columns(game, own), by_columns(game, own | opp)
        decided = (completing(game, own) | completing(game, own ^ mask)) & next_cells(game, mask)
        return np.uint64(NO_KEY) if decided else own + mask

    return kernel
