"""Simulations with random rollouts in a tree (:mod:`ci_envs.agents.search.tree`), compiled.

Selection is UCB1 applied to trees: Kocsis and Szepesvari, "Bandit based Monte-Carlo planning", ECML 2006.
"""

from typing import Any

import numpy as np

from ci_envs.agents.search.tree import (
    ROOT,
    back_up,
    choose_child,
    enlarged,
    expand,
    is_proven,
    node_type,
    reset,
    update_ancestors,
)
from ci_envs.games.operations import DRAW, LOSS, ONGOING, WIN, action_count, keeps_turn, play, result
from ci_envs.games.walk import random_action
from ci_envs.kernels.compiler import inlined, kernel

NODE = node_type(np.int32, np.float64)

FIRST_NODES = 4096
"""Nodes that an array has room for to begin with, besides those of the first position."""

_MAX_VISITS = 2**31 - 1  # what ``total`` can hold

# sqrt(log(1 + visits)): taken anew, the logarithms are a fifth of the time of a simulation of tic-tac-toe
_SQRT_LOG = np.sqrt(np.log(np.arange(1.0, 4097.0)))


@kernel
def plant(game: Any, nodes: Any, own: Any, opp: Any, state: Any) -> Any:
    """``-> (size, state)``: write the root of a position that is not over, and its children, into ``nodes``."""
    reset(nodes[ROOT], own, opp, ROOT, np.int8(1), ONGOING)
    size, state = expand(game, nodes, ROOT, np.uint64(1), state)
    return np.int64(size), state


@kernel
def forget_proof(nodes: Any, parent: Any) -> None:
    """Undo what :func:`~ci_envs.agents.search.tree.expand` concluded from the children that end the game."""
    nodes[parent].lower, nodes[parent].upper = LOSS, WIN
    for child in range(nodes[parent].first, nodes[parent].first + nodes[parent].children):
        nodes[child].mean = np.inf


@kernel
def simulate(
    game: Any,
    nodes: Any,
    size: Any,
    simulations: Any,
    exploration: Any,
    max_plies: Any,
    max_nodes: Any,
    proofs: Any,
    state: Any,
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
        proofs: whether to prove values; without, only positions that are over have a proven value.
        state: of the random numbers.
    """
    size = np.uint64(size)  # unsigned indices need no test for wraparound
    for _ in range(simulations):
        if is_proven(nodes[ROOT]) or nodes[ROOT].visits >= _MAX_VISITS:
            break
        needed = size + np.uint64(action_count(game))
        may_grow = needed <= max_nodes
        if may_grow and needed > len(nodes):
            nodes = enlarged(nodes, size)
        node, expanded, plies = ROOT, ROOT, 0
        while plies < max_plies:
            if nodes[node].children == 0:
                if nodes[node].visits == 0 or not may_grow or is_proven(nodes[node]):
                    break
                size, state = expand(game, nodes, node, size, state)
                if not proofs:
                    forget_proof(nodes, node)
                expanded = node
                if is_proven(nodes[node]):
                    break
            node = _select(nodes, node, exploration)
            plies += 1
        value, state = _value_of_leaf(game, nodes[node], max_plies - plies, state)
        back_up(nodes, node, value, np.int64(DRAW))
        if proofs and (nodes[expanded].lower > LOSS or nodes[expanded].upper < WIN):
            update_ancestors(nodes, expanded)
    return nodes, np.int64(size), state


@inlined
def search(
    game: Any,
    own: Any,
    opp: Any,
    state: Any,
    simulations: Any,
    exploration: Any,
    max_plies: Any,
    max_nodes: Any,
    proofs: Any,
) -> Any:
    """``-> action``: the action chosen by a new tree; the arguments are as in :func:`simulate`."""
    nodes = np.empty(FIRST_NODES + action_count(game), NODE)
    size, state = plant(game, nodes, own, opp, state)
    if not proofs:
        forget_proof(nodes, ROOT)
    nodes, size, state = simulate(game, nodes, size, simulations, exploration, max_plies, max_nodes, proofs, state)
    # the field of the array, not of its element: Numba lets go of an array after the last use of its name
    return np.int64(nodes.action[choose_child(nodes, ROOT, 0.0)])


@inlined
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


@inlined
def _value_of_leaf(game: Any, leaf: Any, plies: Any, state: Any) -> Any:
    if is_proven(leaf):
        return np.int64(leaf.lower), state
    value, state = _play_out(game, leaf.own, leaf.opp, plies, state)
    return leaf.sign * value, state


@inlined
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
