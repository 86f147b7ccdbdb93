"""Depth-limited minimax for any game, compiled: alpha-beta pruning, a transposition table and action ordering.

The search is alpha-beta (Knuth and Moore, "An analysis of alpha-beta pruning", Artificial Intelligence 6, 1975) in its
negamax form: a value is for the player to move, so it changes its sign when the turn passes.

The search tries actions in this order: the action in the transposition table, the killer moves (Akl and Newborn, 1977),
the actions that end the game, and the other actions by the history heuristic (Schaeffer, 1983). If several actions lead
to the same position, it searches one of them.

The search computes the value of a position at a depth. This value depends on the position and the depth only: the
search does not detect repetitions, and it uses a table entry only for the same position at the same depth. Therefore
the values are correct also in games with cycles. Pruning and the table change the number of nodes, but not the values.

A search stores its data in two arrays:

* ``work``: the number of visited nodes, the stop flag, the generation of the table, the killer moves (2 per depth), the
  history scores (2 players x actions), and the actions that are still to be tried (one row per depth).
* ``table``: 3 words per entry. Two words are the position. The third contains, from the lowest bit, the action + 1 (12
  bits), the depth (8 bits), the bound (2 bits), the generation (10 bits) and the value (32 bits).
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ci_envs.games import (
    ONGOING,
    action_count,
    evaluate,
    image_of_action,
    inline_kernel,
    inlined,
    is_duplicate,
    keeps_turn,
    kernel,
    lean_kernel,
    legal,
    play,
    result,
    symmetry_count,
    trailing_zeros,
    transform,
)
from ci_envs.games.game import Game
from ci_envs.kernels.hash_table import home_slot

WIN_VALUE = 4_000_000
"""Value of a win. A search adds the remaining depth, so fast wins and slow losses have higher values.

Evaluations are below 1,000,000; with an exact source (:mod:`ci_envs.agents.search.table_evaluator`) below 3,000,000.
"""

INFINITY = 2 * WIN_VALUE
"""A number above all values."""

MAX_DEPTH = 64
"""Maximum search depth in plies."""

_TERMINAL_FIRST_LIMIT = 16
"""In games with at most this number of actions, the search tries actions that end the game before the table action and
the killer moves. In games with more actions, finding them first costs more time than it saves."""

NODES, STOP, GENERATION = 0, 1, 2  # indices in ``work``
_KILLERS = 3
_HISTORY = _KILLERS + 2 * (MAX_DEPTH + 1)

_GENERATIONS = 1 << 10
_ENTRY = 3  # words per entry
_EXACT, _LOWER, _UPPER = 0, 1, 2


def new_work(game: Game) -> NDArray[np.int64]:
    """Return a new work array for one search. Each thread needs its own."""
    return np.zeros(_HISTORY + 2 * game.action_count + (MAX_DEPTH + 1) * game.action_count, dtype=np.int64)


def new_table(megabytes: float) -> NDArray[np.uint64]:
    """Return an empty transposition table of at most ``megabytes`` (2^20 bytes).

    The number of entries is a power of two, or 0 if there is no room for an entry.
    """
    entries = int(megabytes * 2**20) // (8 * _ENTRY)
    return np.zeros(_ENTRY * (1 << entries.bit_length() - 1 if entries else 0), dtype=np.uint64)


class Negamax(NamedTuple):
    """The parts of a search that are the same in all positions.

    Attributes:
        game: the game.
        evaluator: the object that implements ``evaluate``, or a tuple that begins with it.
        pruning: whether to use alpha-beta pruning and the table.
        use_symmetry: whether to search only one of several actions that are equivalent by a symmetry of the position.
        table: the table of :func:`new_table`.
        work: the array of :func:`new_work`.
    """

    game: Any
    evaluator: Any
    pruning: bool
    use_symmetry: bool
    table: NDArray[np.uint64]
    work: NDArray[np.int64]


@kernel
def begin_search(table: Any, work: Any) -> None:
    """Clear the data of earlier searches, so that a search does not depend on them. The stop flag is not changed."""
    generation = (work[GENERATION] + 1) % _GENERATIONS
    if generation == 0:
        table[:] = 0
        generation = 1
    work[NODES], work[GENERATION] = 0, generation
    work[_KILLERS:] = 0


@inlined
def search_actions(search: Any, own: Any, opp: Any, depth: Any, first: Any, exact: Any, values: Any) -> Any:
    """Write the values of all legal actions of a position, searched ``depth`` plies deep.

    Args:
        search: a :class:`Negamax`.
        own: first word of the position, which must not be over.
        opp: second word of the position.
        depth: search depth in plies, 1 to 64, including the action itself.
        first: a legal action to search first, or -1.
        exact: whether all values must be exact. If false, the values of actions that are not best are upper bounds.
        values: int64 array of shape (actions,), written; ``-INFINITY`` for illegal actions.

    Returns:
        The best action, the lowest of equal ones. It has no meaning if the stop flag in ``work`` is set.
    """
    game, work = search.game, search.work
    work[NODES] += 1
    best, best_action = -INFINITY, -1
    values[:] = -INFINITY
    symmetries = _symmetries_of(game, own, opp) if search.use_symmetry else np.uint64(0)
    for k in range(-1, action_count(game)):
        number = first if k < 0 else k
        action = np.uint64(number)
        if number < 0 or k == first or not legal(game, own, opp, action):
            continue
        values[number] = _symmetric_value(game, symmetries, number, values)
        if values[number] != -INFINITY:
            if values[number] == best:
                best_action = min(best_action, number)
            continue
        next_own, next_opp = play(game, own, opp, action)
        same = keeps_turn(game, own, opp, action)
        if depth == 1 or result(game, next_own, next_opp) != ONGOING:
            work[NODES] += 1
            value = leaf_value(search, next_own, next_opp, depth)
            value = value if same else -value
        else:
            player = 0 if same else 1
            low, high, value = best - 1, best, best
            if exact or not search.pruning or best_action < 0:
                low, high, value = -INFINITY, INFINITY, -INFINITY
            while low < high:  # ask in turn: as good as the best action, better, and if better, which value
                found = _child_value(search, next_own, next_opp, depth - 1, same, player, low, high)
                value = found if low < best else max(best, found)
                if value < high or high == INFINITY:
                    break
                low, high = best, best + 1 if high == best else INFINITY
        values[number] = value
        if value > best or (value == best and number < best_action):
            best, best_action = value, number
    return best_action


@kernel
def _symmetries_of(game: Any, own: Any, opp: Any) -> Any:
    """Return a uint64 whose bit s is set if symmetry s maps a position to itself; 0 if there are over 64 symmetries."""
    found = np.uint64(0)
    if symmetry_count(game) <= 64:
        for symmetry in range(1, symmetry_count(game)):
            image_own, image_opp = transform(game, symmetry, own, opp)
            if image_own == own and image_opp == opp:
                found |= np.uint64(1) << np.uint64(symmetry)
    return found


@kernel
def _symmetric_value(game: Any, symmetries: Any, number: Any, values: Any) -> Any:
    """Return the value of an action that is equivalent to ``number`` by one of ``symmetries``, or ``-INFINITY``."""
    while symmetries:
        value = values[image_of_action(game, trailing_zeros(symmetries), number)]
        if value != -INFINITY:
            return value
        symmetries &= symmetries - np.uint64(1)
    return np.int64(-INFINITY)


@lean_kernel
def leaf_value(search: Any, own: Any, opp: Any, depth: Any) -> Any:
    """Return the value, for its player to move, of a position where the game is over or the search stops.

    ``depth`` is the number of plies that were left to search at the parent.
    """
    outcome = result(search.game, own, opp)
    return evaluate(search.evaluator, own, opp) if outcome == ONGOING else outcome * (WIN_VALUE + depth)


@lean_kernel
def negamax(search: Any, own: Any, opp: Any, depth: Any, player: Any, alpha: Any, beta: Any) -> Any:
    """Return the value of a position for its player to move.

    The value is exact if it lies between ``alpha`` and ``beta``. Otherwise it is a bound (fail-soft).

    Args:
        search: a :class:`Negamax`.
        own: first word of the position, which must not be over.
        opp: second word of the position.
        depth: search depth in plies, at least 1.
        player: the player whose history scores the search uses, 0 or 1.
        alpha: lower bound of the search window.
        beta: upper bound of the search window.
    """
    game, pruning, work = search.game, search.pruning, search.work
    work[NODES] += 1
    if depth == 1:
        return _best_leaf(search, own, opp, beta)
    # constants would be of other types than variables, for which Numba compiles _try_ends again
    best, best_action, lower = np.int64(-INFINITY), np.int64(-1), alpha
    if work[STOP]:
        return best
    table_action, found, value = _probe_table(search, own, opp, depth, alpha, beta)
    if found:
        return value

    hints = _hints(table_action, depth, work)
    history = _HISTORY + player * action_count(game)
    searched = False
    for rest in range(0 if action_count(game) > _TERMINAL_FIRST_LIMIT else 1, 2):
        best, best_action, waiting = _try_ends(search, own, opp, depth, hints, rest, beta, best, best_action)
        alpha = max(alpha, best)
        while waiting > 0:
            number = _take_most_promising(game, work, depth, waiting, table_action, history)
            waiting -= 1
            action = np.uint64(number)
            next_own, next_opp = play(game, own, opp, action)
            same = keeps_turn(game, own, opp, action)
            next_player = player if same else 1 - player
            # principal variation search: the first action is probably the best, so test only if others are better
            high = alpha + 1 if pruning and searched else beta
            while True:  # one call in a loop, because each recursive call in the source takes Numba 0.1 s
                value = _child_value(search, next_own, next_opp, depth - 1, same, next_player, alpha, high)
                if high >= beta or not alpha < value < beta:
                    break
                high = beta
            searched = True
            if value > best:
                best, best_action = value, number
                if pruning:
                    alpha = max(alpha, best)
                    if best >= beta:
                        _remember_cutoff(number, depth, history, work)
                        break
        if pruning and (best >= beta or best == WIN_VALUE + depth):
            break

    bound = _LOWER if best >= beta else (_UPPER if best <= lower else _EXACT)
    _store_entry(search, own, opp, depth, best, bound, best_action)
    return best


@inline_kernel
def _best_leaf(search: Any, own: Any, opp: Any, beta: Any) -> Any:
    """Return the value of a position whose children are leaves."""
    game, pruning, work = search.game, search.pruning, search.work
    best = np.int64(-INFINITY)
    for number in range(action_count(game)):
        action = np.uint64(number)
        if legal(game, own, opp, action) and not (pruning and is_duplicate(game, own, opp, action)):
            work[NODES] += 1
            next_own, next_opp = play(game, own, opp, action)
            value = leaf_value(search, next_own, next_opp, 1)
            best = max(best, value if keeps_turn(game, own, opp, action) else -value)
            if pruning and best >= beta:
                break
    return best


@inline_kernel
def _hints(table_action: Any, depth: Any, work: Any) -> Any:
    """Return the actions to try first: that of the table and the killers of a depth. -1 stands for no action."""
    killers = _KILLERS + 2 * depth
    killer = work[killers] if work[killers] != table_action else -1
    second = work[killers + 1] if work[killers + 1] not in (table_action, killer) else -1
    return table_action, killer, second


@inline_kernel
def _try_ends(
    search: Any, own: Any, opp: Any, depth: Any, hints: Any, rest: Any, beta: Any, best: Any, best_action: Any
) -> Any:
    """Evaluate the actions that end the game, and write the other actions to ``work``.

    :func:`negamax` describes the arguments that are not listed.

    Args:
        hints: the actions of :func:`_hints`.
        rest: whether to try all actions, without the hints if they were tried before; otherwise only the hints.
        best: the best value so far.
        best_action: the action with this value, or -1.

    Returns:
        The best value, its action, and the number of actions to search, which is 0 if no action can be better.
    """
    game, pruning, work = search.game, search.pruning, search.work
    actions = action_count(game)
    row, waiting = _HISTORY + (2 + depth) * actions, np.int64(0)  # a constant 0 would be compiled separately
    for k in range(actions if rest else 3):
        number = k if rest else hints[k]
        if number < 0 or (rest and actions > _TERMINAL_FIRST_LIMIT and number in hints):
            continue
        action = np.uint64(number)
        if not legal(game, own, opp, action) or (pruning and is_duplicate(game, own, opp, action)):
            continue
        next_own, next_opp = play(game, own, opp, action)
        if result(game, next_own, next_opp) == ONGOING:
            work[row + waiting] = number
            waiting += 1
            continue
        work[NODES] += 1
        value = leaf_value(search, next_own, next_opp, depth)
        value = value if keeps_turn(game, own, opp, action) else -value
        if value > best:
            best, best_action = value, number
            if pruning and (best >= beta or best == WIN_VALUE + depth):  # no action can be better
                waiting = np.int64(0)
                break
    return best, best_action, waiting


@inline_kernel
def _remember_cutoff(number: Any, depth: Any, history: Any, work: Any) -> None:
    """Raise the rank of an action that has caused a cutoff, in the killers of the depth and in the history."""
    killers = _KILLERS + 2 * depth
    if work[killers] != number:
        work[killers + 1], work[killers] = work[killers], number
    work[history + number] += depth * depth


@inlined
def _child_value(search: Any, own: Any, opp: Any, depth: Any, same: Any, player: Any, alpha: Any, beta: Any) -> Any:
    """Return the value of a child for the parent's player to move; ``same`` tells whether this player moves again."""
    low, high = (alpha, beta) if same else (-beta, -alpha)
    value = negamax(search, own, opp, depth, player, low, high)
    return value if same else -value


@inline_kernel
def _take_most_promising(game: Any, work: Any, depth: Any, waiting: Any, table_action: Any, history: Any) -> Any:
    """Remove the action to try next from the ``waiting`` actions of a depth in ``work``, and return it."""
    row, killers = _HISTORY + (2 + depth) * action_count(game), _KILLERS + 2 * depth
    chosen, chosen_score = 0, np.int64(-1)
    for k in range(waiting):
        number = work[row + k]
        score = work[history + number]
        if number == table_action:
            score += np.int64(1 << 61)
        elif number == work[killers]:
            score += np.int64(1 << 60)
        elif number == work[killers + 1]:
            score += np.int64(1 << 59)
        if score > chosen_score:
            chosen, chosen_score = k, score
    number = work[row + chosen]
    work[row + chosen] = work[row + waiting - 1]
    return number


@inline_kernel
def _slot(own: Any, opp: Any, table: Any) -> Any:
    return np.uint64(_ENTRY) * home_slot(own, opp, len(table) // _ENTRY)


@inline_kernel
def _probe_table(search: Any, own: Any, opp: Any, depth: Any, alpha: Any, beta: Any) -> Any:
    """Look up a position in the transposition table.

    Returns:
        The stored action or -1, whether the stored value can be used, and this value.
    """
    table = search.table
    if not search.pruning or len(table) == 0:
        return -1, False, 0
    slot = _slot(own, opp, table)
    if table[slot] != own or table[slot + np.uint64(1)] != opp:
        return -1, False, 0
    entry = table[slot + np.uint64(2)]
    if np.int64((entry >> np.uint64(22)) & np.uint64(_GENERATIONS - 1)) != search.work[GENERATION]:
        return -1, False, 0
    value = np.int64(entry >> np.uint64(32)) - INFINITY
    bound = (entry >> np.uint64(20)) & np.uint64(3)
    decides = bound == _EXACT or (bound == _LOWER and value >= beta) or (bound == _UPPER and value <= alpha)
    found = decides and np.int64((entry >> np.uint64(12)) & np.uint64(0xFF)) == depth
    return np.int64(entry & np.uint64(0xFFF)) - 1, found, value


@inline_kernel
def _store_entry(search: Any, own: Any, opp: Any, depth: Any, value: Any, bound: Any, action: Any) -> None:
    table, work = search.table, search.work
    if not search.pruning or len(table) == 0 or work[STOP]:
        return
    slot = _slot(own, opp, table)
    low = (action + 1) | (depth << 12) | (bound << 20) | (work[GENERATION] << 22)
    table[slot], table[slot + np.uint64(1)] = own, opp
    table[slot + np.uint64(2)] = (np.uint64(value + INFINITY) << np.uint64(32)) | np.uint64(low)
