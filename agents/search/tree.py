"""The tree of a search that averages, compiled: one array of nodes, children side by side.

What is certain is kept apart from the averages: Winands, Bjornsson and Saito, "Monte-Carlo tree search solver", CG
2008, with draws as in Cazenave and Saffidine, "Score bounded Monte-Carlo tree search", CG 2010. A node has a lower and
an upper bound of its exact value and is proven where they meet. A child whose upper bound is no more than its parent's
lower bound can add nothing: it is closed, no simulation goes there again.
"""

from math import nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ci_envs.games.operations import (
    DRAW,
    LOSS,
    ONGOING,
    WIN,
    action_count,
    is_duplicate,
    keeps_turn,
    legal,
    may_end,
    play,
    result,
)
from ci_envs.kernels.arrays import copy_items
from ci_envs.kernels.compiler import inlined, kernel
from ci_envs.kernels.random_numbers import random_below


def node_type(
    total: type[np.generic], real: type[np.generic], *more: tuple[str, type[np.generic]]
) -> np.dtype[np.void]:
    """A node: the position, the action that led to it, and what is known of it.

    All values are those for the player who played ``action``, so a parent compares its children as they are; times
    ``sign`` they are those for the player to move. The ``sign`` of a root is 1, that of a :func:`subtree` stays as it
    was.

    Args:
        total: the type of the sum of all values that simulations found.
        real: the type of their mean.
        more: fields of the search's own.
    """
    return np.dtype(
        [
            ("own", np.uint64),
            ("opp", np.uint64),
            ("mean", real),  # what selection compares: +inf before the first visit, -inf once it is closed
            ("spread", real),  # 1 / sqrt(visits)
            ("total", total),
            ("visits", np.uint32),
            ("parent", np.uint32),
            ("first", np.uint32),
            ("children", np.uint16),  # 0 until the node is expanded
            ("action", np.uint16),
            ("plies", np.uint16),  # to the end, once proven
            ("sign", np.int8),  # 1 if who played ``action`` acts again, else -1
            ("lower", np.int8),
            ("upper", np.int8),
            *more,
        ],
        align=True,
    )


ROOT = np.uint64(0)


@kernel
def enlarged(nodes: Any, size: Any) -> Any:
    """``-> nodes``: the same in an array of twice the length."""
    larger = np.empty(2 * len(nodes), nodes.dtype)
    copy_items(nodes, larger, size)
    return larger


@kernel
def reset(node: Any, own: Any, opp: Any, parent: Any, sign: Any, outcome: Any) -> None:
    """Write a node that was never visited."""
    node.own, node.opp = own, opp
    node.mean, node.spread = np.inf, 0.0
    node.total, node.visits = 0, 0
    node.parent, node.first, node.children = parent, 0, 0
    node.plies, node.sign = 0, sign
    over = outcome != ONGOING
    node.lower, node.upper = (sign * outcome, sign * outcome) if over else (LOSS, WIN)


@kernel
def expand(game: Any, nodes: Any, parent: Any, first: Any, state: Any) -> Any:
    """``-> (size, state)``: append the children of a node, in random order, and see which of them end the game.

    Duplicates among the actions are left out: simulations that are shared between them would be wasted.
    """
    children = np.uint64(0)
    own, opp = nodes[parent].own, nodes[parent].opp
    for number in range(action_count(game)):
        action = np.uint64(number)
        if legal(game, own, opp, action) and not is_duplicate(game, own, opp, action):
            place, state = random_below(state, children + np.uint64(1))
            nodes[first + children].action = nodes[first + place].action
            nodes[first + place].action = number
            children += np.uint64(1)
    nodes[parent].first, nodes[parent].children = first, children
    for child in range(first, first + children):
        action = np.uint64(nodes[child].action)
        next_own, next_opp = play(game, own, opp, action)
        sign = np.int8(1 if keeps_turn(game, own, opp, action) else -1)
        reset(nodes[child], next_own, next_opp, parent, sign, result(game, next_own, next_opp))
    tighten(nodes, parent)
    return first + children, state


@kernel
def child_of(game: Any, nodes: Any, parent: Any, action: Any) -> Any:
    """``-> child``: where a legal action leads from an expanded node, itself or as a duplicate of another.

    The root if no child stands for it, which the rules of a game must not let happen.
    """
    here = nodes[parent]
    own, opp = play(game, here.own, here.opp, action)
    for child in range(here.first, here.first + here.children):
        if nodes[child].own == own and nodes[child].opp == opp:
            return np.uint64(child)
    return ROOT


@inlined
def look_ahead(game: Any, nodes: Any, parent: Any, plies: Any) -> None:
    """See which children of an expanded node are decided within so many plies of it, 2 or more."""
    for child in range(nodes[parent].first, nodes[parent].first + nodes[parent].children):
        here = nodes[child]
        if is_proven(here):
            continue
        found = forced(game, here.own, here.opp, plies - 1)
        if found != 0:
            here.lower = here.upper = here.sign * (WIN if found > 0 else LOSS)
            here.plies = abs(found)
    tighten(nodes, parent)


@inlined
def forced(game: Any, own: Any, opp: Any, plies: Any) -> Any:
    """``-> int``: n if the player to move wins within n plies, -n for a loss, 0 if ``plies`` do not decide it."""
    found = _force(game, own, opp, plies, np.bool_(True))
    return found if found > 0 else -_force(game, own, opp, plies, np.bool_(False))


@kernel
def _force(game: Any, own: Any, opp: Any, plies: Any, mine: Any) -> Any:
    """``-> int``: n if who is asked about wins within n plies whatever the other does, 0 if not within ``plies``.

    ``mine``: it is the player to move who is asked about, not the other.
    """
    wanted = WIN if mine else LOSS
    if plies == 1 and not may_end(game, own, opp, wanted):
        return np.int64(0)
    if mine and plies > 1 and _force(game, own, opp, np.int64(1), mine) > 0:
        return np.int64(1)
    slowest = np.int64(0)
    for number in range(action_count(game)):
        action = np.uint64(number)
        if not legal(game, own, opp, action) or is_duplicate(game, own, opp, action):
            continue
        next_own, next_opp = play(game, own, opp, action)
        same = keeps_turn(game, own, opp, action)
        outcome = result(game, next_own, next_opp)
        found = np.int64((outcome if same else -outcome) == wanted)
        if outcome == ONGOING and plies > 1:
            found = _force(game, next_own, next_opp, plies - 1, mine == same)
            found += found > 0
        if mine == (found > 0):
            return found
        slowest = max(slowest, found)
    return slowest


@kernel
def choose_child(nodes: Any, parent: Any, draw: Any) -> Any:
    """``-> child``: the best child of an expanded node, whose player to move thinks a draw worth ``draw``.

    The children lie in random order, so the first of equals will do.
    """
    first = nodes[parent].first
    lower, upper = own_bounds(nodes[parent])
    best, best_rank = first, -np.inf
    for child in range(first, first + nodes[parent].children):
        rank = _rank(nodes[child], lower, upper, draw)
        if rank > best_rank:
            best, best_rank = child, rank
    return best


@inlined
def _rank(child: Any, lower: Any, upper: Any, draw: Any) -> Any:
    """``-> float``: of a proven win the quickest, of a proven loss the slowest, else the most visited open child.

    A proven draw is better than an open child that looks worse.
    """
    if lower == upper:
        return -np.float64(lower) * child.plies if child.lower == lower else -np.inf
    if child.upper <= lower:
        return 0.0 if child.lower == DRAW else -np.inf
    if lower == DRAW and child.total <= draw * child.visits:
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
    kept = np.empty_like(nodes)
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
def back_up(nodes: Any, node: Any, value: Any, draw: Any) -> None:
    """Add a value found in a node to that of the node and of all above it.

    It is that for who played the node's action, as is what a draw is worth.
    """
    while True:
        here = nodes[node]
        # a player who has a draw for certain need not go where a rollout lost
        value = min(max(value, worth(here.lower, draw)), worth(here.upper, draw))
        here.total += value
        here.visits += 1
        here.mean = here.total / here.visits
        here.spread = 1 / np.sqrt(here.visits)
        if node == ROOT:
            break
        node = here.parent
        value *= nodes[node].sign
        draw *= nodes[node].sign


@inlined
def worth(outcome: Any, draw: Any) -> Any:
    """``-> value``: of an outcome, for who thinks a draw worth ``draw``."""
    return draw if outcome == DRAW else outcome


@inlined
def update_ancestors(nodes: Any, node: Any) -> None:
    """Tighten the bounds above a node whose bounds have changed."""
    while node != ROOT:
        node = np.uint64(nodes[node].parent)  # of the type that other callers of tighten pass
        if not tighten(nodes, node):
            break


@kernel
def tighten(nodes: Any, parent: Any) -> Any:
    """``-> bool``: did the bounds of an expanded node change; children that can add nothing are closed."""
    here = nodes[parent]
    first, end = here.first, here.first + here.children
    lower, upper = LOSS, LOSS
    for child in range(first, end):
        lower, upper = max(lower, nodes[child].lower), max(upper, nodes[child].upper)
    for child in range(first, end):
        if nodes[child].upper <= lower:
            nodes[child].mean = -np.inf
    if own_bounds(here) == (lower, upper):
        return False
    here.lower, here.upper = (lower, upper) if here.sign > 0 else (-upper, -lower)
    if lower == upper:
        here.plies = _plies_to_end(nodes, parent, lower)
    return True


@inlined
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


@inlined
def own_bounds(node: Any) -> Any:
    """``-> (lower, upper)``: the bounds of a node for its player to move."""
    if node.sign > 0:
        return np.int64(node.lower), np.int64(node.upper)
    return -np.int64(node.upper), -np.int64(node.lower)


@inlined
def is_proven(node: Any) -> Any:
    """``-> bool``: is the exact value of a node known."""
    return node.lower == node.upper


def value_of(node: np.void) -> float:
    """The mean value of a node, exact if it is proven, for who played its action; nan if it was not visited."""
    if node["lower"] < node["upper"] and not node["visits"]:
        return nan
    mean = node["total"] / max(node["visits"], 1)
    return float(np.clip(mean, node["lower"], node["upper"]))


def principal_variation(nodes: NDArray[np.void], draw: float) -> tuple[int, ...]:
    """The best actions, from the root on, whose player to move thinks a draw worth ``draw``."""
    actions = []
    node = ROOT
    while nodes[node]["children"]:
        node = np.uint64(choose_child(nodes, node, draw))
        actions.append(int(nodes[node]["action"]))
        draw *= int(nodes[node]["sign"])
    return tuple(actions)
