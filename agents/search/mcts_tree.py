"""Monte Carlo tree search with random rollouts, compiled. :mod:`ci_envs.agents.search.tree` defines the tree.

Selection uses UCB1: Kocsis and Szepesvari, "Bandit based Monte-Carlo planning", ECML 2006.
"""

from typing import Any, NamedTuple

import numpy as np

from ci_envs.agents.search.tables import prove_by_tables
from ci_envs.agents.search.tree import (
    ROOT,
    back_up,
    choose_child,
    double_capacity,
    expand,
    is_proven,
    node_type,
    reset,
    tighten_ancestors,
)
from ci_envs.games.operations import DRAW, LOSS, ONGOING, WIN, action_count, keeps_turn, play, result
from ci_envs.games.walk import random_action
from ci_envs.kernels.compiler import called_from_python, inlined, kernel

NODE = node_type(np.int32, np.float64)

FIRST_NODES = 4096
"""Initial capacity of a tree, in nodes, in addition to the children of the root."""

_MAX_VISITS = 2**31 - 1  # the largest value of ``total``

# sqrt(log(1 + visits)): computing the logarithms every time would take a fifth of a simulation of tic-tac-toe
_SQRT_LOG = np.sqrt(np.log(np.arange(1.0, 4097.0)))


class UCTSettings(NamedTuple):
    """The settings of a search.

    Attributes:
        exploration: the exploration constant of UCB1.
        max_plies: the maximum length of a simulation in plies from the root. A longer simulation counts as a draw.
        max_nodes: the maximum number of nodes. Simulations continue in a full tree.
        proofs: whether to prove values. If false, only positions where the game is over have a proven value.
    """

    exploration: float
    max_plies: int
    max_nodes: int
    proofs: bool


@called_from_python
@kernel
def write_root(game: Any, nodes: Any, own: Any, opp: Any, tables: Any, state: Any) -> Any:
    """Write the root of a new tree and its children.

    Args:
        game: the game.
        nodes: the array of nodes, written.
        own: first word of the position, which must not be over.
        opp: second word of the position.
        tables: see :func:`~ci_envs.agents.search.tables.prove_by_tables`.
        state: the state of the random number generator.

    Returns:
        The number of nodes in use, and the new state of the random number generator.
    """
    reset(nodes[ROOT], own, opp, ROOT, np.int8(1), ONGOING)
    size, state = expand(game, nodes, ROOT, np.uint64(1), state)
    prove_by_tables(tables, nodes, ROOT)
    return np.int64(size), state


@kernel
def reset_bounds(nodes: Any, parent: Any) -> None:
    """Reset the bounds that :func:`~ci_envs.agents.search.tree.expand` derived from children that end the game."""
    nodes[parent].lower, nodes[parent].upper = LOSS, WIN
    for child in range(nodes[parent].first, nodes[parent].first + nodes[parent].children):
        nodes[child].mean = np.inf


@called_from_python
@kernel
def simulate(
    game: Any,
    nodes: Any,
    size: Any,
    simulations: Any,
    settings: Any,
    tables: Any,
    state: Any,
) -> Any:
    """Run simulations. The search stops early if the value of the root is proven.

    Args:
        game: the game.
        nodes: the tree. If it becomes full, the search continues with a larger copy.
        size: the number of nodes in use.
        simulations: the number of simulations to run.
        settings: a :class:`UCTSettings`.
        tables: see :func:`~ci_envs.agents.search.tables.prove_by_tables`. They need ``proofs``.
        state: the state of the random number generator.

    Returns:
        The tree, the number of nodes in use, and the new state of the random number generator.
    """
    exploration, max_plies, max_nodes, proofs = settings
    size = np.uint64(size)  # unsigned indices need no test for wraparound
    for _ in range(simulations):
        if is_proven(nodes[ROOT]) or nodes[ROOT].visits >= _MAX_VISITS:
            break
        needed = size + np.uint64(action_count(game))
        may_grow = needed <= max_nodes
        if may_grow and needed > len(nodes):
            nodes = double_capacity(nodes, size)
        node, expanded, plies = ROOT, ROOT, 0
        while plies < max_plies:
            if nodes[node].children == 0:
                if nodes[node].visits == 0 or not may_grow or is_proven(nodes[node]):
                    break
                size, state = expand(game, nodes, node, size, state)
                if not proofs:
                    reset_bounds(nodes, node)
                prove_by_tables(tables, nodes, node)
                expanded = node
                if is_proven(nodes[node]):
                    break
            node = _select(nodes, node, exploration)
            plies += 1
        value, state = _value_of_leaf(game, nodes[node], max_plies - plies, state)
        back_up(nodes, node, value, np.int64(DRAW))
        if proofs and (nodes[expanded].lower > LOSS or nodes[expanded].upper < WIN):
            tighten_ancestors(nodes, expanded)
    return nodes, np.int64(size), state


@inlined
def search(game: Any, own: Any, opp: Any, state: Any, simulations: Any, settings: Any, tables: Any) -> Any:
    """Return the best action found by a search with a new tree. :func:`simulate` describes the arguments."""
    nodes = np.empty(FIRST_NODES + action_count(game), NODE)
    size, state = write_root(game, nodes, own, opp, tables, state)
    if not settings.proofs:
        reset_bounds(nodes, ROOT)
    nodes, size, state = simulate(game, nodes, size, simulations, settings, tables, state)
    # index the field's array, not the element: Numba frees an array after the last use of its name
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
    value, state = _rollout(game, leaf.own, leaf.opp, plies, state)
    return leaf.sign * value, state


@inlined
def _rollout(game: Any, own: Any, opp: Any, plies: Any, state: Any) -> Any:
    """Play random actions to the end of the game.

    Returns:
        The result for the player to move in the first position, and the new state of the random number generator.
    """
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
