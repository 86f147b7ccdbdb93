"""Depth-limited minimax, compiled, for any game: alpha-beta, a transposition table, ordered actions.

Knuth and Moore, "An analysis of alpha-beta pruning", Artificial Intelligence 6 (1975), in the form called negamax: a
value is always that of the player to move, so it changes sign wherever the turn passes. First come the action that the
table remembers and those of Akl and Newborn's killer heuristic (1977), then actions that end the game, then the others
in the order of Schaeffer's history heuristic (1983). Of actions that lead to the same position one is searched.

What is searched is the value of a position at a depth, which depends on nothing else: no repetition is detected, and
the table answers only for the same position at the same depth. So it is right in games with cycles too, and pruning and
the table change the number of nodes but no value.

What a search keeps is in two arrays, as few arguments cost least:

* ``work``: nodes visited, whether to stop, the generation of the table, then killers (2 a depth), history (2 players x
  actions), and the actions yet to be tried (a row a depth).
* ``table``: 3 words an entry: both words of the position, and from the lowest bit 12 bits action + 1, 8 bits depth,
  2 bits bound, 10 bits generation, 32 bits value.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ci_envs.games import (
    ONGOING,
    action_count,
    evaluate,
    inline_kernel,
    inlined,
    is_duplicate,
    keeps_turn,
    kernel,
    legal,
    play,
    result,
    symmetry_count,
    trailing_zeros,
    transform,
    transform_action,
)
from ci_envs.games.game import Game
from ci_envs.kernels.hash_table import home_slot

WIN_VALUE = 1_000_000
"""Value of a win on the board; one found n plies deep counts n less, so quick wins and slow losses are best."""

INFINITY = 2 * WIN_VALUE
"""More than any value."""

MAX_DEPTH = 64
"""Plies that can be searched."""

_FEW = 16
"""With up to so many actions, those that end the game come even before those that the table and the killers name. With
more, looking for them costs too much where an action that refuted other positions refutes this one too."""

NODES, STOP, GENERATION = 0, 1, 2  # fields of ``work``
_KILLERS = 3
_HISTORY = _KILLERS + 2 * (MAX_DEPTH + 1)

_GENERATIONS = 1 << 10
_ENTRY = 3  # words
_EXACT, _LOWER, _UPPER = 0, 1, 2


def new_work(game: Game) -> NDArray[np.int64]:
    """The arrays of one search; one for each thread."""
    return np.zeros(_HISTORY + 2 * game.action_count + (MAX_DEPTH + 1) * game.action_count, dtype=np.int64)


def new_table(megabytes: float) -> NDArray[np.uint64]:
    """An empty transposition table of at most so many megabytes (2^20 bytes): a power of two of entries, or none."""
    entries = int(megabytes * 2**20) // (8 * _ENTRY)
    return np.zeros(_ENTRY * (1 << entries.bit_length() - 1 if entries else 0), dtype=np.uint64)


@kernel
def begin(table: Any, work: Any) -> None:
    """Forget what earlier searches learned, so that a search does not depend on them. A wish to stop stays."""
    generation = (work[GENERATION] + 1) % _GENERATIONS
    if generation == 0:
        table[:] = 0
        generation = 1
    work[NODES], work[GENERATION] = 0, generation
    work[_KILLERS:] = 0


@inlined
def search_actions(
    game: Any,
    evaluator: Any,
    own: Any,
    opp: Any,
    depth: Any,
    first: Any,
    exact: Any,
    pruning: Any,
    fold: Any,
    table: Any,
    work: Any,
    values: Any,
) -> Any:
    """``-> int``: value every legal action of a position that is not over, searching ``depth`` plies deep.

    Args:
        game: the game.
        evaluator: the game whose ``evaluate`` values leaves, or a tuple that begins with what does.
        own: first word.
        opp: second word.
        depth: plies, 1 to 64, the action counted.
        first: an action to begin with, legal, or -1.
        exact: whether every value is wanted; else those that are not best are bounds below the best.
        pruning: whether to use alpha-beta and the table.
        fold: whether to search only one of actions that are images of each other under a symmetry of the position.
        table: of :func:`new_table`.
        work: of :func:`new_work`.
        values: int64 of shape (actions,), written; ``-INFINITY`` for illegal actions.

    Returns:
        The best action, the lowest of equals. It means nothing once ``work`` says to stop.
    """
    work[NODES] += 1
    best, best_action = -INFINITY, -1
    values[:] = -INFINITY
    symmetries = _symmetries_of(game, own, opp) if fold else np.uint64(0)
    for k in range(-1, action_count(game)):
        number = first if k < 0 else k
        action = np.uint64(number)
        if number < 0 or k == first or not legal(game, own, opp, action):
            continue
        values[number] = _value_of_image(game, symmetries, number, values)
        if values[number] != -INFINITY:
            if values[number] == best:
                best_action = min(best_action, number)
            continue
        next_own, next_opp = play(game, own, opp, action)
        same = keeps_turn(game, own, opp, action)
        if depth == 1 or result(game, next_own, next_opp) != ONGOING:
            work[NODES] += 1
            value = leaf_value(game, evaluator, next_own, next_opp, depth)
            value = value if same else -value
        else:
            player = 0 if same else 1
            low, high, value = best - 1, best, best
            if exact or not pruning or best_action < 0:
                low, high, value = -INFINITY, INFINITY, -INFINITY
            while low < high:  # is it as good as the best, if so is it better, if so how good
                found = _searched(
                    game, evaluator, next_own, next_opp, depth - 1, same, player, low, high, pruning, table, work
                )
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
    """``-> uint64``: bit s says whether symmetry s leaves a position as it is; of many symmetries none is tried."""
    found = np.uint64(0)
    if symmetry_count(game) <= 64:
        for symmetry in range(1, symmetry_count(game)):
            image_own, image_opp = transform(game, symmetry, own, opp)
            if image_own == own and image_opp == opp:
                found |= np.uint64(1) << np.uint64(symmetry)
    return found


@kernel
def _value_of_image(game: Any, symmetries: Any, number: Any, values: Any) -> Any:
    """``-> int``: the value of an action that is the image of ``number`` under one of ``symmetries``, if it has one."""
    while symmetries:
        value = values[transform_action(game, np.int64(trailing_zeros(symmetries)), number)]
        if value != -INFINITY:
            return value
        symmetries &= symmetries - np.uint64(1)
    return np.int64(-INFINITY)


@kernel
def leaf_value(game: Any, evaluator: Any, own: Any, opp: Any, depth: Any) -> Any:
    """``-> int``: the value, for its player to move, of a position that is over or not searched further.

    ``depth`` is how many plies before it were left to search.
    """
    outcome = result(game, own, opp)
    return evaluate(evaluator, own, opp) if outcome == ONGOING else outcome * (WIN_VALUE + depth)


@kernel
def negamax(  # noqa: PLR0912, PLR0915 - split, it would be slower or recur through several functions
    game: Any,
    evaluator: Any,
    own: Any,
    opp: Any,
    depth: Any,
    player: Any,
    alpha: Any,
    beta: Any,
    pruning: Any,
    table: Any,
    work: Any,
) -> Any:
    """``-> int``: the value of a position that is not over, for its player to move.

    It is exact if it lies between ``alpha`` and ``beta``, else a bound on the same side (fail-soft).

    Args:
        game: the game.
        evaluator: the game whose ``evaluate`` values leaves.
        own: first word.
        opp: second word.
        depth: plies to search, 1 or more.
        player: 0 or 1; whose history is meant.
        alpha: values up to this do not matter.
        beta: values from this on do not matter.
        pruning: whether to use alpha-beta and the table.
        table: of :func:`new_table`.
        work: of :func:`new_work`.
    """
    work[NODES] += 1
    actions = action_count(game)
    best, best_action, lower = np.int64(-INFINITY), -1, alpha
    if depth == 1:
        for number in range(actions):
            action = np.uint64(number)
            if legal(game, own, opp, action) and not (pruning and is_duplicate(game, own, opp, action)):
                work[NODES] += 1
                next_own, next_opp = play(game, own, opp, action)
                value = leaf_value(game, evaluator, next_own, next_opp, depth)
                best = max(best, value if keeps_turn(game, own, opp, action) else -value)
                if pruning and best >= beta:
                    break
        return best
    if work[STOP]:
        return best

    remembered, found, value = _recall(own, opp, depth, alpha, beta, pruning, table, work)
    if found:
        return value

    row, waiting = _HISTORY + (2 + depth) * actions, 0
    killers, history = _KILLERS + 2 * depth, _HISTORY + player * actions
    killer = work[killers] if work[killers] != remembered else -1
    second = work[killers + 1] if work[killers + 1] not in (remembered, killer) else -1
    searched = False
    for rest in range(0 if actions > _FEW else 1, 2):
        for k in range(actions if rest else 3):
            number = k if rest else (remembered, killer, second)[k]
            if number < 0 or (rest and actions > _FEW and number in (remembered, killer, second)):
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
            value = leaf_value(game, evaluator, next_own, next_opp, depth)
            value = value if keeps_turn(game, own, opp, action) else -value
            if value > best:
                best, best_action = value, number
                if pruning and (best >= beta or best == WIN_VALUE + depth):  # nothing can be better
                    waiting = 0
                    break
        alpha = max(alpha, best)

        while waiting > 0:
            number = _take_most_promising(work, row, waiting, remembered, killers, history)
            waiting -= 1
            action = np.uint64(number)
            next_own, next_opp = play(game, own, opp, action)
            same = keeps_turn(game, own, opp, action)
            next_player = player if same else 1 - player
            # the first is likely the best: of the others it is first asked only whether they are better
            high = alpha + 1 if pruning and searched else beta
            value = _searched(
                game, evaluator, next_own, next_opp, depth - 1, same, next_player, alpha, high, pruning, table, work
            )
            if alpha < value < beta and high < beta:
                value = _searched(
                    game, evaluator, next_own, next_opp, depth - 1, same, next_player, alpha, beta, pruning, table, work
                )
            searched = True
            if value > best:
                best, best_action = value, number
                if pruning:
                    alpha = max(alpha, best)
                    if best >= beta:
                        if work[killers] != number:
                            work[killers + 1], work[killers] = work[killers], number
                        work[history + number] += depth * depth
                        break
        if pruning and (best >= beta or best == WIN_VALUE + depth):
            break

    bound = _LOWER if best >= beta else (_UPPER if best <= lower else _EXACT)
    _remember(own, opp, depth, best, bound, best_action, pruning, table, work)
    return best


@inlined
def _searched(
    game: Any,
    evaluator: Any,
    own: Any,
    opp: Any,
    depth: Any,
    same: Any,
    player: Any,
    alpha: Any,
    beta: Any,
    pruning: Any,
    table: Any,
    work: Any,
) -> Any:
    """``-> int``: the value of a position for who played the action before, ``same`` if that is its player to move."""
    low, high = (alpha, beta) if same else (-beta, -alpha)
    value = negamax(game, evaluator, own, opp, depth, player, low, high, pruning, table, work)
    return value if same else -value


@inline_kernel
def _take_most_promising(work: Any, row: Any, waiting: Any, remembered: Any, killers: Any, history: Any) -> Any:
    """``-> int``: the action to try next, taken out of those that wait in ``work`` from ``row`` on."""
    chosen, chosen_score = 0, np.int64(-1)
    for k in range(waiting):
        number = work[row + k]
        score = work[history + number]
        if number == remembered:
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
def _recall(own: Any, opp: Any, depth: Any, alpha: Any, beta: Any, pruning: Any, table: Any, work: Any) -> Any:
    """``-> (action or -1, whether the value is known, value)``: what the table has of a position."""
    if not pruning or len(table) == 0:
        return -1, False, 0
    slot = _slot(own, opp, table)
    if table[slot] != own or table[slot + np.uint64(1)] != opp:
        return -1, False, 0
    entry = table[slot + np.uint64(2)]
    if np.int64((entry >> np.uint64(22)) & np.uint64(_GENERATIONS - 1)) != work[GENERATION]:
        return -1, False, 0
    value = np.int64(entry >> np.uint64(32)) - INFINITY
    bound = (entry >> np.uint64(20)) & np.uint64(3)
    decides = bound == _EXACT or (bound == _LOWER and value >= beta) or (bound == _UPPER and value <= alpha)
    found = decides and np.int64((entry >> np.uint64(12)) & np.uint64(0xFF)) == depth
    return np.int64(entry & np.uint64(0xFFF)) - 1, found, value


@inline_kernel
def _remember(
    own: Any, opp: Any, depth: Any, value: Any, bound: Any, action: Any, pruning: Any, table: Any, work: Any
) -> None:
    if not pruning or len(table) == 0 or work[STOP]:
        return
    slot = _slot(own, opp, table)
    low = (action + 1) | (depth << 12) | (bound << 20) | (work[GENERATION] << 22)
    table[slot], table[slot + np.uint64(1)] = own, opp
    table[slot + np.uint64(2)] = (np.uint64(value + INFINITY) << np.uint64(32)) | np.uint64(low)
