"""The tree of Monte Carlo tree search, compiled: one array of nodes, children side by side.

Selection is UCB1 applied to trees: Kocsis and Szepesvari, "Bandit based Monte-Carlo planning", ECML 2006. What is
certain is kept apart from the averages: Winands, Bjornsson and Saito, "Monte-Carlo tree search solver", CG 2008, with
draws as in Cazenave and Saffidine, "Score bounded Monte-Carlo tree search", CG 2010. A node has a lower and an upper
bound of its exact value and is proven where they meet. A child whose upper bound is no more than its parent's lower
bound can add nothing: it is closed, no simulation goes there again.
"""

from typing import Any

import numpy as np

from ci_envs.games.compiled import kernel
from ci_envs.games.operations import DRAW, LOSS, ONGOING, WIN, action_count, keeps_turn, legal, play, result
from ci_envs.games.random_numbers import random_below
from ci_envs.games.walk import random_action

NODE = np.dtype(
    [
        ("own", np.uint64),
        ("opp", np.uint64),
        ("mean", np.float64),  # what selection compares: +inf before the first visit, -inf once it is closed
        ("spread", np.float64),  # 1 / sqrt(visits)
        ("total", np.int32),
        ("visits", np.uint32),
        ("parent", np.uint32),
        ("first", np.uint32),
        ("children", np.uint32),  # 0 until the node is expanded
        ("action", np.uint32),
        ("plies", np.uint16),  # to the end, once proven
        ("sign", np.int8),  # 1 if who played ``action`` acts again, else -1
        ("lower", np.int8),
        ("upper", np.int8),
    ],
    align=True,
)
"""A node: the position, the action that led to it, and what is known of it.

All values are those for the player who played ``action``, so a parent compares its children as they are; times ``sign``
they are those for the player to move. The ``sign`` of a root is 1, that of a :func:`subtree` stays as it was.
"""

ROOT = np.uint64(0)

FIRST_NODES = 4096
"""Nodes that an array has room for to begin with, besides those of the first position."""

_MAX_VISITS = 2**31 - 1  # what ``total`` can hold

# sqrt(log(1 + visits)): taken anew, the logarithms are a fifth of the time of a simulation of tic-tac-toe
_SQRT_LOG = np.sqrt(np.log(np.arange(1.0, 4097.0)))


@kernel
def plant(game: Any, nodes: Any, own: Any, opp: Any, state: Any) -> Any:
    """``-> (size, state)``: write the root of a position that is not over, and its children, into ``nodes``."""
    _reset(nodes[ROOT], own, opp, ROOT, np.int8(1), ONGOING)
    size, state = _expand(game, nodes, ROOT, np.uint64(1), state)
    return np.int64(size), state


@kernel
def simulate(
    game: Any, nodes: Any, size: Any, simulations: Any, exploration: Any, max_plies: Any, max_nodes: Any, state: Any
) -> Any:
    """``-> (nodes, size, state)``: run simulations, or fewer if the root is proven before.

    Args:
        game: the game.
        nodes: the tree; a larger copy is returned where it is full.
        size: how many nodes are in use.
        simulations: how many to run.
        exploration: the constant before UCB1's square root.
        max_plies: plies from the root after which a simulation is broken off as a draw.
        max_nodes: a tree of this size grows no more, its simulations go on.
        state: of the random numbers.
    """
    size = np.uint64(size)  # unsigned indices need no test for wraparound
    for _ in range(simulations):
        if _is_proven(nodes[ROOT]) or nodes[ROOT].visits >= _MAX_VISITS:
            break
        needed = size + np.uint64(action_count(game))
        may_grow = needed <= max_nodes
        if may_grow and needed > len(nodes):
            nodes = _enlarged(nodes, size)
        node, expanded, plies = ROOT, ROOT, 0
        while plies < max_plies:
            if nodes[node].children == 0:
                if nodes[node].visits == 0 or not may_grow:
                    break
                size, state = _expand(game, nodes, node, size, state)
                expanded = node
                if _is_proven(nodes[node]):
                    break
            node = _select(nodes, node, exploration)
            plies += 1
        value, state = _value_of_leaf(game, nodes[node], max_plies - plies, state)
        _back_up(nodes, node, value)
        if nodes[expanded].lower > LOSS or nodes[expanded].upper < WIN:
            _tell_ancestors(nodes, expanded)
    return nodes, np.int64(size), state


@kernel
def search_batch(
    game: Any,
    words: Any,
    seeds: Any,
    simulations: Any,
    exploration: Any,
    max_plies: Any,
    max_nodes: Any,
    actions: Any,
) -> None:
    """Write the action chosen on each board into ``actions`` (int64), each searched by a tree of its own.

    ``words`` is uint64 of shape (n, 2), ``seeds`` uint64 of shape (n,); the others are as in :func:`simulate`.
    """
    for i in range(len(words)):
        actions[i], _ = search(game, words[i, 0], words[i, 1], seeds[i], simulations, exploration, max_plies, max_nodes)


@kernel
def search(
    game: Any, own: Any, opp: Any, state: Any, simulations: Any, exploration: Any, max_plies: Any, max_nodes: Any
) -> Any:
    """``-> (action, state)``: the action chosen by a new tree; the arguments are as in :func:`simulate`."""
    nodes = np.empty(FIRST_NODES + action_count(game), NODE)
    size, state = plant(game, nodes, own, opp, state)
    nodes, size, state = simulate(game, nodes, size, simulations, exploration, max_plies, max_nodes, state)
    # the field of the array, not of its element: Numba lets go of an array after the last use of its name
    return np.int64(nodes.action[choose_child(nodes, ROOT)]), state


@kernel
def choose_child(nodes: Any, parent: Any) -> Any:
    """``-> child``: the best child of an expanded node. They lie in random order, so the first of equals will do."""
    first = nodes[parent].first
    lower, upper = _own_bounds(nodes[parent])
    best, best_rank = first, -np.inf
    for child in range(first, first + nodes[parent].children):
        rank = _rank(nodes[child], lower, upper)
        if rank > best_rank:
            best, best_rank = child, rank
    return best


@kernel
def _rank(child: Any, lower: Any, upper: Any) -> Any:
    """``-> float``: of a proven win the quickest, of a proven loss the slowest, else the most visited open child.

    A proven draw is better than an open child that looks lost.
    """
    if lower == upper:
        return -np.float64(lower) * child.plies if child.lower == lower else -np.inf
    if child.upper <= lower:
        return 0.0 if child.lower == DRAW else -np.inf
    if lower == DRAW and child.total <= 0:
        return -np.inf
    return child.visits + 0.25 * child.total / max(child.visits, 1)  # the mean decides between equal visits


@kernel
def find(nodes: Any, size: Any, own: Any, opp: Any) -> Any:
    """``-> node``: an expanded node of this position below the root, the most visited one; the root if there is none.

    All that is known below a node depends on the words alone, so it does not matter how play came there.
    """
    found = ROOT
    for node in range(ROOT + np.uint64(1), np.uint64(size)):
        here = nodes[node]
        same = here.own == own and here.opp == opp and here.children > 0
        if same and (found == ROOT or here.visits > nodes[found].visits):
            found = np.uint64(node)
    return found


@kernel
def subtree(nodes: Any, top: Any) -> Any:
    """``-> (nodes, size)``: a tree of its own, of ``top`` and all below it."""
    kept = np.empty(len(nodes), NODE)
    kept[ROOT] = nodes[top]
    kept[ROOT].parent = ROOT
    size = np.uint64(1)
    node = ROOT
    while node < size:
        first = kept[node].first
        kept[node].first = size
        for child in range(first, first + kept[node].children):
            kept[size] = nodes[child]
            kept[size].parent = node
            size += np.uint64(1)
        node += np.uint64(1)
    return kept, np.int64(size)


@kernel
def _enlarged(nodes: Any, size: Any) -> Any:
    larger = np.empty(2 * len(nodes), NODE)
    larger[:size] = nodes[:size]
    return larger


@kernel
def _reset(node: Any, own: Any, opp: Any, parent: Any, sign: Any, outcome: Any) -> None:
    node.own, node.opp = own, opp
    node.mean, node.spread = np.inf, 0.0
    node.total, node.visits = 0, 0
    node.parent, node.first, node.children = parent, 0, 0
    node.plies, node.sign = 0, sign
    over = outcome != ONGOING
    node.lower, node.upper = (sign * outcome, sign * outcome) if over else (LOSS, WIN)


@kernel
def _expand(game: Any, nodes: Any, parent: Any, first: Any, state: Any) -> Any:
    """``-> (size, state)``: append the children of a node, in random order, and see which of them end the game."""
    children = np.uint64(0)
    own, opp = nodes[parent].own, nodes[parent].opp
    for number in range(action_count(game)):
        if legal(game, own, opp, np.uint64(number)):
            place, state = random_below(state, children + np.uint64(1))
            nodes[first + children].action = nodes[first + place].action
            nodes[first + place].action = number
            children += np.uint64(1)
    nodes[parent].first, nodes[parent].children = first, children
    for child in range(first, first + children):
        action = np.uint64(nodes[child].action)
        next_own, next_opp = play(game, own, opp, action)
        sign = np.int8(1 if keeps_turn(game, own, opp, action) else -1)
        _reset(nodes[child], next_own, next_opp, parent, sign, result(game, next_own, next_opp))
    _tighten(nodes, parent)
    return first + children, state


@kernel
def _select(nodes: Any, parent: Any, exploration: Any) -> Any:
    first = nodes[parent].first
    best, best_score = first, -np.inf
    visits = nodes[parent].visits
    width = _SQRT_LOG[visits] if visits < len(_SQRT_LOG) else np.sqrt(np.log(visits + 1.0))
    factor = exploration * width
    for child in range(first, first + nodes[parent].children):
        score = nodes[child].mean + factor * nodes[child].spread
        better = score > best_score  # without a branch, which would be hard to predict
        best = np.uint64(child) if better else np.uint64(best)
        best_score = score if better else best_score
    return best


@kernel
def _value_of_leaf(game: Any, leaf: Any, plies: Any, state: Any) -> Any:
    if _is_proven(leaf):
        return np.int64(leaf.lower), state
    value, state = _play_out(game, leaf.own, leaf.opp, plies, state)
    return leaf.sign * value, state


@kernel
def _play_out(game: Any, own: Any, opp: Any, plies: Any, state: Any) -> Any:
    """``-> (value, state)``: play at random to the end; the value is for the player to move at the beginning."""
    sign = 1
    for _ in range(plies):
        action, state = random_action(game, own, opp, state)
        if not keeps_turn(game, own, opp, action):
            sign = -sign
        own, opp = play(game, own, opp, action)
        outcome = result(game, own, opp)
        if outcome != ONGOING:
            return sign * outcome, state
    return DRAW, state


@kernel
def _back_up(nodes: Any, node: Any, value: Any) -> None:
    while True:
        here = nodes[node]
        # a player who has a draw for certain need not go where a rollout lost
        value = min(max(value, here.lower), here.upper)
        here.total += value
        here.visits += 1
        here.mean = here.total / here.visits
        here.spread = 1 / np.sqrt(here.visits)
        if node == ROOT:
            break
        node = here.parent
        value *= nodes[node].sign


@kernel
def _tell_ancestors(nodes: Any, node: Any) -> None:
    while node != ROOT:
        node = nodes[node].parent
        if not _tighten(nodes, node):
            break


@kernel
def _tighten(nodes: Any, parent: Any) -> Any:
    """``-> bool``: did the bounds of an expanded node change; children that can add nothing are closed."""
    here = nodes[parent]
    first, end = here.first, here.first + here.children
    lower, upper = LOSS, LOSS
    for child in range(first, end):
        lower, upper = max(lower, nodes[child].lower), max(upper, nodes[child].upper)
    for child in range(first, end):
        if nodes[child].upper <= lower:
            nodes[child].mean = -np.inf
    if _own_bounds(here) == (lower, upper):
        return False
    here.lower, here.upper = (lower, upper) if here.sign > 0 else (-upper, -lower)
    if lower == upper:
        here.plies = _plies_to_end(nodes, parent, lower)
    return True


@kernel
def _plies_to_end(nodes: Any, parent: Any, value: Any) -> Any:
    """``-> int``: who wins hurries, the other delays."""
    first = nodes[parent].first
    plies = np.int64(-1)
    for child in range(first, first + nodes[parent].children):
        if nodes[child].lower == value:
            here = np.int64(nodes[child].plies)
            if plies < 0 or (here < plies) == (value == WIN):
                plies = here
    return plies + 1


@kernel
def _own_bounds(node: Any) -> Any:
    """``-> (lower, upper)``: the bounds of a node for its player to move."""
    if node.sign > 0:
        return np.int64(node.lower), np.int64(node.upper)
    return -np.int64(node.upper), -np.int64(node.lower)


@kernel
def _is_proven(node: Any) -> Any:
    return node.lower == node.upper
