"""Search tree of a Monte Carlo tree search, compiled: one array of nodes in which siblings are contiguous.

The tree stores proven values separately from averages: Winands, Bjornsson and Saito, "Monte-Carlo tree search solver",
CG 2008, with draws as in Cazenave and Saffidine, "Score bounded Monte-Carlo tree search", CG 2010. A node has a lower
and an upper bound of its exact value. The node is proven if the bounds are equal. A child is closed if its upper bound
is not above its parent's lower bound: it cannot improve the parent, so no simulation visits it again.
"""

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
    may_end_soon,
    play,
    result,
)
from ci_envs.kernels.arrays import copy_items
from ci_envs.kernels.compiler import inlined, kernel
from ci_envs.kernels.random_numbers import random_below


def node_type(
    total: type[np.generic], real: type[np.generic], *more: tuple[str, type[np.generic]]
) -> np.dtype[np.void]:
    """Return the data type of a node.

    All values of a node are for the player who played its ``action``, so selection compares siblings directly. A value
    times ``sign`` is for the player to move. The ``sign`` of a root is 1. The root of a :func:`subtree` keeps its sign.

    Args:
        total: the data type of the sum of the values of all simulations.
        real: the data type of their mean.
        more: names and data types of additional fields.
    """
    return np.dtype(
        [
            ("own", np.uint64),
            ("opp", np.uint64),
            ("mean", real),  # mean value; +inf before the first visit, -inf if the node is closed
            ("spread", real),  # 1 / sqrt(visits)
            ("total", total),
            ("visits", np.uint32),
            ("parent", np.uint32),
            ("first", np.uint32),
            ("children", np.uint16),  # 0 until the node is expanded
            ("action", np.uint16),
            ("plies", np.uint16),  # plies to the end of the game, if the value is proven
            ("sign", np.int8),  # 1 if the player who played ``action`` moves again, else -1
            ("lower", np.int8),
            ("upper", np.int8),
            *more,
        ],
        align=True,
    )


ROOT = np.uint64(0)


@kernel
def double_capacity(nodes: Any, size: Any) -> Any:
    """Return a copy of the nodes in an array of twice the length."""
    larger = np.empty(2 * len(nodes), nodes.dtype)
    copy_items(nodes, larger, size)
    return larger


@kernel
def reset(node: Any, own: Any, opp: Any, parent: Any, sign: Any, outcome: Any) -> None:
    """Initialise a node without visits."""
    node.own, node.opp = own, opp
    node.mean, node.spread = np.inf, 0.0
    node.total, node.visits = 0, 0
    node.parent, node.first, node.children = parent, 0, 0
    node.plies, node.sign = 0, sign
    over = outcome != ONGOING
    node.lower, node.upper = (sign * outcome, sign * outcome) if over else (LOSS, WIN)


@kernel
def expand(game: Any, nodes: Any, parent: Any, first: Any, state: Any) -> Any:
    """Append the children of a node in random order, and set the bounds of those that end the game.

    Duplicate actions are omitted, because they would divide the simulations between equal children.

    Args:
        game: the game.
        nodes: the tree, with room for the children.
        parent: the index of the node.
        first: the number of nodes in use, which is the index of the first child.
        state: the state of the random number generator.

    Returns:
        The new number of nodes in use, and the new state of the random number generator.
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
    tighten_bounds(nodes, parent)
    return first + children, state


@kernel
def child_of(game: Any, nodes: Any, parent: Any, action: Any) -> Any:
    """Return the child of an expanded node that a legal action leads to.

    A duplicate action leads to the child of the action that it duplicates. If no child has the position, which means
    that the rules of the game are inconsistent, the function returns the root.
    """
    here = nodes[parent]
    own, opp = play(game, here.own, here.opp, action)
    found, end = ROOT, here.first + here.children
    for number in range(here.children):  # all children, because it takes longer to leave a loop
        child = np.uint64(end - 1 - number)  # of two actions with the same position, the first child is found
        found = child if (nodes[child].own == own) & (nodes[child].opp == opp) else found
    return found


@inlined
def prove_children(game: Any, nodes: Any, parent: Any, plies: Any) -> None:
    """Prove the children of an expanded node that are decided within ``plies`` plies (at least 2) of the node."""
    for child in range(nodes[parent].first, nodes[parent].first + nodes[parent].children):
        here = nodes[child]
        if is_proven(here):
            continue
        found = plies_to_forced_result(game, here.own, here.opp, plies - 1)
        if found != 0:
            here.lower = here.upper = here.sign * (WIN if found > 0 else LOSS)
            here.plies = abs(found)
    tighten_bounds(nodes, parent)


@inlined
def plies_to_forced_result(game: Any, own: Any, opp: Any, plies: Any) -> Any:
    """Return n if the player to move can force a win in n plies, -n if it loses in n plies, and 0 if neither is proven.

    The search is ``plies`` plies deep.
    """
    found = plies_to_forced_win(game, own, opp, plies, np.bool_(True))
    return found if found > 0 else -plies_to_forced_win(game, own, opp, plies, np.bool_(False))


@kernel
def plies_to_forced_win(game: Any, own: Any, opp: Any, plies: Any, mine: Any) -> Any:
    """Return n if the attacker can force a win in n plies, and 0 if the attacker cannot within ``plies`` plies.

    The attacker is the player to move if ``mine`` is true, and the other player if it is false.
    """
    wanted = WIN if mine else LOSS
    if plies == 1 and not may_end(game, own, opp, wanted):
        return np.int64(0)
    if plies == 2 and not may_end_soon(game, own, opp, wanted):
        return np.int64(0)
    if mine and plies > 1 and plies_to_forced_win(game, own, opp, np.int64(1), mine) > 0:
        return np.int64(1)
    slowest = np.int64(0)
    for number in range(action_count(game)):
        action = np.uint64(number)
        if not legal(game, own, opp, action) or is_duplicate(game, own, opp, action):
            continue
        next_own, next_opp = play(game, own, opp, action)
        same = keeps_turn(game, own, opp, action)
        if mine and plies == 2 and not may_end(game, next_own, next_opp, WIN if same else LOSS):
            continue  # the action does not win at once, so its result need not be computed
        outcome = result(game, next_own, next_opp)
        found = np.int64((outcome if same else -outcome) == wanted)
        if outcome == ONGOING and plies > 1:
            found = plies_to_forced_win(game, next_own, next_opp, plies - 1, mine == same)
            found += found > 0
        if mine == (found > 0):
            return found
        slowest = max(slowest, found)
    return slowest


@kernel
def choose_child(nodes: Any, parent: Any, draw: Any) -> Any:
    """Return the best child of an expanded node. A draw has the value ``draw`` for the player to move.

    The children are in random order, so the first of equal children is a random one.
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
    """Return the rank of a child.

    If the parent is proven, the fastest win or the slowest loss ranks highest. Otherwise the most visited open child
    ranks highest, and a proven draw ranks above a child that can lose and has a lower mean.
    """
    if lower == upper:
        return -np.float64(lower) * child.plies if child.lower == lower else -np.inf
    if child.upper <= lower:
        return 0.0 if child.lower == DRAW else -np.inf
    if lower == DRAW and child.lower < DRAW and child.total <= draw * child.visits:
        return -np.inf
    return child.visits + 0.25 * child.total / max(child.visits, 1)  # of equal visits, the higher mean ranks higher


@kernel
def find(nodes: Any, size: Any, own: Any, opp: Any) -> Any:
    """Return the most visited expanded node below the root that has this position, or the root if no node has it.

    The data below a node depend on the position only, so the path to the position does not matter.
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
    """Return a new tree with the root ``top``, and its number of nodes."""
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
    """Add the value of a simulation to a node and to all its ancestors.

    ``value``, and the value of a draw ``draw``, are for the player who played the node's action.
    """
    while True:
        here = nodes[node]
        # clip the value: a player with a proven draw does not have to enter a line that a rollout lost
        value = min(max(value, outcome_value(here.lower, draw)), outcome_value(here.upper, draw))
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
def outcome_value(outcome: Any, draw: Any) -> Any:
    """Return the value of an outcome if a draw has the value ``draw``."""
    return draw if outcome == DRAW else outcome


@inlined
def tighten_ancestors(nodes: Any, node: Any) -> None:
    """Tighten the bounds of the ancestors of a node whose bounds have changed."""
    while node != ROOT:
        node = np.uint64(nodes[node].parent)  # the type that other callers pass
        if not tighten_bounds(nodes, node):
            break


@kernel
def tighten_bounds(nodes: Any, parent: Any) -> Any:
    """Recompute the bounds of an expanded node from its children, and close children that cannot improve it.

    Returns:
        Whether the bounds have changed.
    """
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
    """Return the plies to the end under optimal play (the winner as fast as possible, the loser as slowly)."""
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
    """Return the lower and the upper bound of a node for its player to move."""
    if node.sign > 0:
        return np.int64(node.lower), np.int64(node.upper)
    return -np.int64(node.upper), -np.int64(node.lower)


@inlined
def is_proven(node: Any) -> Any:
    """Return whether the exact value of a node is known."""
    return node.lower == node.upper


def values_of(nodes: NDArray[np.void]) -> NDArray[np.float64]:
    """Return the mean values of nodes for the players who played their actions.

    The value of a proven node is exact. The value of a node without visits is nan.
    """
    visits, lower, upper = nodes["visits"], nodes["lower"], nodes["upper"]
    means = np.clip(nodes["total"] / np.maximum(visits, 1), lower, upper)
    return np.where((lower < upper) & (visits == 0), np.nan, means)


def principal_variation(nodes: NDArray[np.void], draw: float) -> tuple[int, ...]:
    """Return the best actions from the root on. A draw has the value ``draw`` for the player to move at the root."""
    actions = []
    node = ROOT
    while nodes[node]["children"]:
        node = np.uint64(choose_child(nodes, node, draw))
        actions.append(int(nodes[node]["action"]))
        draw *= int(nodes[node]["sign"])
    return tuple(actions)
