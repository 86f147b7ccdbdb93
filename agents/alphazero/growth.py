"""The growth of trees to leaves that wait for the network, and the use of its outputs.

Several leaves of one tree can wait together, because a batch takes less time for each position. PUCT counts a waiting
simulation as a visit of the nodes on its path, so the next simulation prefers other actions, but the mean values do not
change: Liu, Chen, Yu, Zhai, Zhou and Liu, "Watch the unobserved: a simple approach to parallelizing Monte Carlo tree
search", ICLR 2020.
"""

from typing import Any

import numpy as np

from ci_envs.agents.alphazero.contempt import count_draw, reduced_contempt
from ci_envs.agents.alphazero.memory import add_entry, find_entry
from ci_envs.agents.alphazero.noise import mix_in_noise
from ci_envs.agents.alphazero.selection import select_leaf
from ci_envs.agents.search.tables import prove_by_tables
from ci_envs.agents.search.tree import (
    ROOT,
    back_up,
    child_of,
    expand,
    is_proven,
    outcome_value,
    prove_children,
    tighten_ancestors,
)
from ci_envs.games import DRAW, LOSS, WIN, action_count, is_duplicate, kernel, legal
from ci_envs.games.observation import write_planes
from ci_envs.kernels.compiler import inlined


@kernel
def grow(
    game: Any,
    forest: Any,
    trees: Any,
    settings: Any,
    gumbel: Any,
    context: Any,
    planes: Any,
    waiting: Any,
    outputs: Any,
) -> Any:
    """Pass the outputs of the network to the trees that wait for them, and grow each tree to leaves that wait.

    ``outputs`` contains the number of leaves in ``waiting`` from the call before, and the network's logits, values and
    probabilities of a draw for the planes. The new leaves are written to ``waiting``, and the planes of those that the
    cache does not contain to ``planes``. A tree without such a leaf has no simulations left or is proven. ``context``
    is the cache of network outputs, the gamma variates for the roots (:func:`mix_in_noise`), the fraction of the noise,
    and the tables.

    Returns:
        The number of leaves, and the number of planes.
    """
    memory, gammas, share, tables = context
    _receive_outputs(game, forest, trees, settings, context, waiting, outputs)
    count, asked = 0, 0
    for i in range(len(trees)):
        begin, asked_before = count, asked
        while True:
            for _ in range(settings.leaves):
                if not _grow(game, forest[i], trees[i], settings, gumbel, i, tables):
                    break
                leaf = forest[i, trees[i].leaf]
                entry = find_entry(memory, leaf.own, leaf.opp)
                if entry < 0:
                    write_planes(game, leaf.own, leaf.opp, planes[asked])
                    asked += 1
                waits = waiting[count]
                waits.tree, waits.leaf, waits.draw, waits.entry = i, trees[i].leaf, trees[i].draw, entry
                waits.children, leaf.children = leaf.children, 0
                _count_waiting(forest[i], trees[i].leaf, 1)
                count += 1
            if asked > asked_before or count == begin:
                break
            # the cache contains all of them: they have waited nevertheless, so the result does not depend on the cache
            for k in range(begin, count):
                _end_waiting(game, forest[i], trees[i], settings, waiting[k], memory, gammas[i], share)
            count = begin
    return count, asked


@inlined
def _receive_outputs(
    game: Any, forest: Any, trees: Any, settings: Any, context: Any, waiting: Any, outputs: Any
) -> None:
    memory, gammas, share, _ = context
    count, logits, values, draws = outputs
    row = 0
    for k in range(count):
        i = waiting[k].tree
        if waiting[k].entry < 0:
            leaf = forest[i, waiting[k].leaf]
            waiting[k].entry = add_entry(memory, leaf.own, leaf.opp, logits[row], values[row], draws[row])
            row += 1
        _end_waiting(game, forest[i], trees[i], settings, waiting[k], memory, gammas[i], share)


@inlined
def _grow(game: Any, nodes: Any, tree: Any, settings: Any, gumbel: Any, i: Any, tables: Any) -> Any:
    """Grow a tree and return whether it has a new leaf for the network. Other leaves are backed up at once."""
    while tree.left > 0 and not is_proven(nodes[ROOT]):
        node = select_leaf(nodes, tree, settings, gumbel, i)
        if _waits(nodes[node]):
            return False
        tree.left -= 1
        if _repeats(nodes, node):
            _back_up_outcome(nodes, tree, np.int8(DRAW))
            continue
        if not is_proven(nodes[node]):
            tree.size, tree.state = expand(game, nodes, node, tree.size, tree.state)
            prove_by_tables(tables, nodes, node)
            if settings.lookahead > 1 and not is_proven(nodes[node]):
                prove_children(game, nodes, node, settings.lookahead)
            if not is_proven(nodes[node]):
                return True
        _back_up_outcome(nodes, tree, nodes[node].lower)
        tighten_ancestors(nodes, node)
    return False


@inlined
def _repeats(nodes: Any, node: Any) -> Any:
    """Return whether an ancestor of a node has the same position with the same player to move."""
    here = nodes[node]
    sign = here.sign
    while node != ROOT:
        node = nodes[node].parent
        if sign > 0 and nodes[node].own == here.own and nodes[node].opp == here.opp:
            return True
        sign *= nodes[node].sign
    return False


@kernel
def _back_up_outcome(nodes: Any, tree: Any, outcome: Any) -> None:
    """Back up the outcome of the leaf for the player who moved to it."""
    count_draw(tree, np.float64(outcome == DRAW))
    back_up(nodes, tree.leaf, outcome_value(outcome, tree.draw), tree.draw)


@kernel
def _end_waiting(
    game: Any, nodes: Any, tree: Any, settings: Any, waits: Any, memory: Any, gammas: Any, share: Any
) -> None:
    """Give a leaf its output, which is in the cache."""
    output = memory.entries[waits.entry]
    tree.leaf, tree.draw = waits.leaf, waits.draw
    nodes[tree.leaf].children = waits.children
    _set_priors(game, nodes, tree.leaf, output.logits, settings.prior_temperature)
    if _count_waiting(nodes, tree.leaf, -1):
        _back_up_output(nodes, tree, output, gammas, share)


@inlined
def _waits(node: Any) -> Any:
    """Return whether a node is a leaf that waits for the network."""
    return node.waiting > 0 and node.children == 0


@kernel
def _count_waiting(nodes: Any, node: Any, change: Any) -> Any:
    """Change the number of waiting simulations on a path, and return whether no node below the root is closed."""
    is_open = True
    while node != ROOT:
        nodes[node].waiting += change
        is_open &= nodes[node].mean != -np.inf
        node = np.uint64(nodes[node].parent)
    nodes[ROOT].waiting += change
    return is_open


@inlined
def _back_up_output(nodes: Any, tree: Any, output: Any, gammas: Any, share: Any) -> None:
    """Back up the output of the network for the leaf of a tree."""
    leaf = tree.leaf
    if leaf == ROOT:
        tree.draw = -reduced_contempt(tree.contempt, np.float64(output.value))
    value = np.float64(nodes[leaf].sign) * np.float64(output.value) + tree.draw * np.float64(output.draw)
    if leaf == ROOT:
        tree.raw = max(value, np.float64(LOSS))
        if share > 0:
            mix_in_noise(nodes, gammas, share)
    count_draw(tree, np.float64(output.draw))
    back_up(nodes, leaf, value, tree.draw)
    if nodes[leaf].lower > LOSS or nodes[leaf].upper < WIN:
        tighten_ancestors(nodes, leaf)


@kernel
def _set_priors(game: Any, nodes: Any, parent: Any, logits: Any, temperature: Any) -> None:
    """Set the priors of the children; the prior of a duplicate is added to that of the child with the same position."""
    here = nodes[parent]
    first, end = here.first, here.first + here.children
    largest = -np.inf
    for number in range(action_count(game)):
        if legal(game, here.own, here.opp, np.uint64(number)):
            largest = max(largest, np.float64(logits[number]))
    for child in range(first, end):
        nodes[child].waiting = 0
        nodes[child].prior = np.exp((np.float64(logits[nodes[child].action]) - largest) / temperature)
    for number in range(action_count(game)):
        action = np.uint64(number)
        if legal(game, here.own, here.opp, action) and is_duplicate(game, here.own, here.opp, action):
            weight = np.exp((np.float64(logits[number]) - largest) / temperature)
            nodes[child_of(game, nodes, parent, action)].prior += weight
    total = 0.0
    for child in range(first, end):
        total += nodes[child].prior
    for child in range(first, end):
        nodes[child].prior = np.float64(nodes[child].prior) / total
