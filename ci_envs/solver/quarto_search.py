"""The search for the score of a position of Quarto.

The search is a negamax with a null window. A node is a position with a piece in hand that completes no line. An action
of the search places this piece and gives the next one. A piece is **safe** if it completes no line. The search
considers only safe pieces. It tries first the actions after which the opponent has the fewest actions with a safe
piece. An action after which the opponent has none wins. Of equivalent cells and of equivalent pieces it tries one.

The transposition table has buckets of 8 entries. An entry has the lower and the upper bound of the score of a position
and, in its other bits, the rest of a key (:func:`position_key`) that identifies the position completely.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ci_envs.games.quarto.layout import CELLS, HAND, HOLDING, LANE, PIECES, SPREAD, USED, piece_at
from ci_envs.kernels.bits import popcount, trailing_zeros
from ci_envs.kernels.compiler import inline_kernel, kernel, lean_kernel
from ci_envs.solver.null_windows import middle_of
from ci_envs.solver.on_demand import LIMIT, NODES, UNFINISHED
from ci_envs.solver.quarto_keys import position_key
from ci_envs.solver.quarto_lines import (
    UNSAFE,
    VALUES,
    cell_threats,
    empty_lines,
    is_dead_cell,
    live_values,
    place_on_lines,
    threats,
    without_duplicates,
)

_PLIES = CELLS + 2  # the numbers of empty cells, and one more for the first piece
_REPLIES = 8  # the first index of the numbers of replies to each piece, for each number of empty cells
_ORDER = _REPLIES + _PLIES * PIECES  # the first index of the actions in their order, likewise
_MOST_ACTIONS = CELLS * PIECES
_TABLE = _ORDER + _PLIES * _MOST_ACTIONS
_WAYS = 8
_BUCKET_BITS = 19  # 32 MB
_LEAST_CELLS = 6  # positions with fewer empty cells are searched faster than they are found in the table
_DATA = np.uint64((1 << 16) - 1)  # the work (6 bits) and both bounds (5 bits each) of an entry
_OFFSET = 16  # makes the scores in the table positive
_NEVER = np.int64(-_OFFSET)


def new_memory() -> NDArray[np.uint64]:
    """Return the memory of a search: the number of nodes and their limit, work memory, and the transposition table."""
    words_a_line = 64 // 8
    memory = np.zeros(_TABLE + words_a_line + (_WAYS << _BUCKET_BITS), dtype=np.uint64)
    first = -(memory.ctypes.data // 8 + _TABLE) % words_a_line  # a bucket is a line of the cache
    return memory[first : len(memory) - words_a_line + first]


@kernel
def solve_position(game: Any, own: Any, opp: Any, low: Any, high: Any, memory: Any) -> Any:
    """Return the score of a non-terminal position, clipped to ``low`` and ``high``, or UNFINISHED at the node limit.

    The score of a won position is 1 plus the number of cells that are empty at the end.
    """
    filled, left = opp & LANE, ~opp >> np.uint64(USED) & LANE
    states, counts = empty_lines(game)
    for number in range(CELLS):
        cell = np.uint64(number)
        if filled >> cell & np.uint64(1):
            states, counts = place_on_lines(game, states, counts, cell, piece_at(own, number))
    hand = opp >> np.uint64(HAND) & np.uint64(15)
    cells = CELLS - np.int64(popcount(filled))
    low, high = min(max(low, -cells), cells), max(min(high, cells), -cells)
    while low < high:
        middle = middle_of(low, high)
        if opp >> np.uint64(HOLDING):
            score = _place(game, states, counts, own, filled, hand, left, middle, middle + 1, memory)
        else:
            score = _give(game, states, counts, own, filled, left, middle, middle + 1, memory)
        if memory[NODES] >= memory[LIMIT]:
            return np.int64(UNFINISHED)
        if score <= middle:
            high = score
        else:
            low = score
    return low


@kernel
def _give(
    game: Any, states: Any, counts: Any, own: Any, filled: Any, left: Any, alpha: Any, beta: Any, memory: Any
) -> Any:
    """Return the score of a position without a piece in hand."""
    cells = CELLS - np.int64(popcount(filled))
    live = live_values(game, states)
    if live == np.uint64(0):
        return np.int64(0)
    safe = without_duplicates(left & ~UNSAFE[threats(game, states, counts)], live)
    first, count = np.uint64(_ORDER + (cells + 1) * _MOST_ACTIONS), 0
    while safe:
        piece = trailing_zeros(safe)
        safe &= safe - np.uint64(1)
        replies = _replies(game, states, counts, filled, piece, left ^ np.uint64(1) << piece)
        memory[first + np.uint64(count)] = replies << np.uint64(8) | piece
        count += 1
    best = -cells
    while count > 0 and best < beta and memory[NODES] < memory[LIMIT]:
        piece = _take_first(memory, first, count) & np.uint64(15)
        count -= 1
        rest = left ^ np.uint64(1) << piece
        score = -_place(game, states, counts, own, filled, piece, rest, -beta, -max(alpha, best), memory)
        best = max(best, score)
    return best


@kernel
def _place(
    game: Any, states: Any, counts: Any, own: Any, filled: Any, hand: Any, left: Any, alpha: Any, beta: Any, memory: Any
) -> Any:
    """Return the score of any position with a piece in hand. The arguments are those of :func:`_negamax`."""
    cells = CELLS - np.int64(popcount(filled))
    if UNSAFE[threats(game, states, counts)] >> hand & np.uint64(1):
        return cells
    if cells > 1 and not _replies(game, states, counts, filled, hand, left):
        return 1 - cells
    if cells <= 2:
        return np.int64(0)
    return _negamax(game, states, counts, own, filled, hand, left, alpha, beta, memory)


@inline_kernel
def _replies(game: Any, states: Any, counts: Any, filled: Any, hand: Any, left: Any) -> Any:
    """Return the number of actions with a safe piece."""
    count = np.uint64(0)
    empty = ~filled & LANE
    while empty:
        fixed, matched = cell_threats(game, states, counts, trailing_zeros(empty))
        empty &= empty - np.uint64(1)
        count += popcount(left & ~UNSAFE[fixed | matched & VALUES[hand]])
    return count


@inline_kernel
def _mix(key: Any) -> Any:
    """Return a bijective function of a key, whose bits all depend on all bits of the key."""
    key = (key ^ (key >> np.uint64(32))) * np.uint64(0x9E3779B97F4A7C15)
    key = (key ^ (key >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
    return key ^ (key >> np.uint64(32))


@inline_kernel
def _bucket(mixed: Any) -> Any:
    """Return the index of the first entry of a bucket, and the part of the key that its entries contain."""
    place = mixed & np.uint64((1 << _BUCKET_BITS) - 1)
    return np.uint64(_TABLE) + place * np.uint64(_WAYS), mixed >> np.uint64(_BUCKET_BITS) << np.uint64(_BUCKET_BITS)


@inline_kernel
def _is_of(entry: Any, tag: Any) -> Any:
    """Return whether an entry is used and has a tag."""
    return (entry ^ tag) <= _DATA and entry & _DATA != np.uint64(0)


@inline_kernel
def _bounds(memory: Any, mixed: Any, low: Any, high: Any) -> Any:
    """Return the bounds of the score in the table, or ``low`` and ``high`` if the table does not have the position."""
    first, tag = _bucket(mixed)
    for i in range(_WAYS):
        entry = memory[first + np.uint64(i)]
        if _is_of(entry, tag):
            low = np.int64(entry >> np.uint64(5) & np.uint64(31)) - _OFFSET
            high = np.int64(entry & np.uint64(31)) - _OFFSET
            break
    return low, high


@inline_kernel
def _store(memory: Any, mixed: Any, low: Any, high: Any, nodes: Any) -> None:
    """Store the bounds of a score in place of the entry of the same position, or of the entry with the least work."""
    first, tag = _bucket(mixed)
    work = np.uint64(0)
    while nodes:
        work += np.uint64(1)
        nodes >>= np.uint64(1)
    chosen, least = first, ~np.uint64(0)
    for i in range(_WAYS):
        place = first + np.uint64(i)
        entry = memory[place]
        if _is_of(entry, tag):
            chosen = place
            break
        other = (entry & _DATA) >> np.uint64(10)
        if other < least:
            chosen, least = place, other
    memory[chosen] = tag | work << np.uint64(10) | np.uint64(low + _OFFSET) << np.uint64(5) | np.uint64(high + _OFFSET)


@lean_kernel
def _negamax(
    game: Any, states: Any, counts: Any, own: Any, filled: Any, hand: Any, left: Any, alpha: Any, beta: Any, memory: Any
) -> Any:
    """Return the score of a position with at least 3 empty cells, a safe piece in hand, and a safe reply.

    Args:
        game: The game.
        states: The states of the lines.
        counts: The numbers of empty cells of the lines.
        own: The first word of the position.
        filled: The occupied cells.
        hand: The piece in hand.
        left: The pieces to give.
        alpha: The lower bound of the search window.
        beta: The upper bound of the search window.
        memory: The result of :func:`new_memory`.
    """
    memory[NODES] += np.uint64(1)
    nodes = memory[NODES]
    cells = CELLS - np.int64(popcount(filled))
    live = live_values(game, states)
    if live == np.uint64(0):
        return np.int64(0)
    low, high = 3 - cells, cells - 2
    mixed, stores = np.uint64(0), cells >= _LEAST_CELLS
    if stores:
        mixed = _mix(position_key(game, own, filled, hand, live))
        low, high = _bounds(memory, mixed, low, high)
    alpha, beta = max(alpha, low), min(beta, high)
    if alpha >= beta:
        return alpha
    count, best = _write_actions(game, states, counts, filled, hand, left, cells, memory)
    if best > 0:
        best = cells - 2
    elif cells == 3:
        best = np.int64(0)
    first = np.uint64(_ORDER + cells * _MOST_ACTIONS)
    while count > 0 and cells > 3 and best < beta and memory[NODES] < memory[LIMIT]:
        action = _take_first(memory, first, count)
        count -= 1
        cell, piece = action >> np.uint64(4) & np.uint64(15), action & np.uint64(15)
        new_states, new_counts = place_on_lines(game, states, counts, cell, hand)
        new_own, new_filled = own | SPREAD[hand] << cell, filled | np.uint64(1) << cell
        rest, bound = left ^ np.uint64(1) << piece, -max(alpha, best)
        score = -_negamax(game, new_states, new_counts, new_own, new_filled, piece, rest, -beta, bound, memory)
        best = max(best, score)
    if stores and memory[NODES] < memory[LIMIT]:
        if best > alpha:
            low = best
        if best < beta:
            high = max(best, alpha)
        _store(memory, mixed, low, high, memory[NODES] - nodes)
    return min(max(best, alpha), beta)


@inline_kernel
def _take_first(memory: Any, first: Any, count: Any) -> Any:
    """Return the smallest of ``count`` actions, and replace it with the last one."""
    least, place = memory[first], first
    for i in range(1, count):
        action = memory[first + np.uint64(i)]
        if action < least:
            least, place = action, first + np.uint64(i)
    memory[place] = memory[first + np.uint64(count - 1)]
    return least


@lean_kernel
def _write_actions(
    game: Any, states: Any, counts: Any, filled: Any, hand: Any, left: Any, cells: Any, memory: Any
) -> Any:
    """Write the actions with a safe piece: 256 times the opponent's replies, plus 16 times the cell, plus the piece.

    Returns:
        The number of actions, and a lower bound of the score: 1 if an action wins because it leaves no reply, 0 if an
        action draws because no line remains, and otherwise a score below all scores.
    """
    count, bound = 0, _NEVER
    first = np.uint64(_ORDER + cells * _MOST_ACTIONS)
    empty, tried_dead = ~filled & LANE, False
    rest = empty
    while rest:
        cell = trailing_zeros(rest)
        rest &= rest - np.uint64(1)
        if is_dead_cell(game, states, cell):
            if tried_dead:
                continue
            tried_dead = True
        new_states, new_counts = place_on_lines(game, states, counts, cell, hand)
        safe = left & ~UNSAFE[threats(game, new_states, new_counts)]
        if not safe:
            continue
        live = live_values(game, new_states)
        if live == np.uint64(0):
            bound = np.int64(0)
            continue
        safe = without_duplicates(safe, live)
        replies = np.uint64(_REPLIES + cells * PIECES)
        _count_replies(game, new_states, new_counts, empty ^ np.uint64(1) << cell, safe, left, memory, replies)
        while safe:
            piece = trailing_zeros(safe)
            safe &= safe - np.uint64(1)
            number = memory[replies + piece]
            if not number:
                return count, np.int64(1)
            memory[first + np.uint64(count)] = number << np.uint64(8) | cell << np.uint64(4) | piece
            count += 1
    return count, bound


@inline_kernel
def _count_replies(
    game: Any, states: Any, counts: Any, empty: Any, safe: Any, left: Any, memory: Any, replies: Any
) -> None:
    """Write the number of actions with a safe piece after each of the pieces ``safe`` is given."""
    for piece in range(PIECES):
        memory[replies + np.uint64(piece)] = np.uint64(0)
    while empty:
        fixed, matched = cell_threats(game, states, counts, trailing_zeros(empty))
        empty &= empty - np.uint64(1)
        pieces = safe
        while pieces:
            piece = trailing_zeros(pieces)
            pieces &= pieces - np.uint64(1)
            others = left & ~(np.uint64(1) << piece)
            memory[replies + piece] += popcount(others & ~UNSAFE[fixed | matched & VALUES[piece]])
