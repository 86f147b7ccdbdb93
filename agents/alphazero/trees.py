"""The trees of the search in memory."""

from typing import Any

import numpy as np

from ci_envs.agents.alphazero.noise import mix_in_noise
from ci_envs.agents.search.tree import ROOT, find, node_type, reset, subtree
from ci_envs.games import ONGOING, kernel
from ci_envs.kernels.arrays import copy_items

NODE = node_type(np.float32, np.float32, ("waiting", np.uint8), ("prior", np.float32))
"""The dtype of a node: one of :mod:`ci_envs.agents.search.tree` with a prior.

``waiting`` is the number of simulations through the node that wait for the network.
"""

WAITING = np.dtype(
    [("tree", np.int64), ("leaf", np.uint64), ("draw", np.float64), ("entry", np.int64), ("children", np.uint16)],
    align=True,
)
"""The dtype of a leaf that waits for the network.

Fields: its tree and node, the value of a draw as in :data:`TREE`, its entry in the cache or -1, and the number of its
children. While it waits, the node itself has no children, because they have no priors yet.
"""

TREE = np.dtype(
    [
        ("size", np.uint64),
        ("leaf", np.uint64),
        ("draw", np.float64),
        ("left", np.int64),
        ("kept", np.uint64),
        ("state", np.uint64),
        ("raw", np.float64),
        ("drawn", np.float64),
        ("contempt", np.float64),
        ("cost", np.float64),
    ]
)
"""The dtype of a tree.

Fields:

* ``size``: the number of nodes in use.
* ``leaf``: the node where the last simulation ended.
* ``draw``: the value of a draw for the player who moved to the leaf.
* ``left``: the number of remaining simulations.
* ``kept``: the number of visits of the root in earlier searches.
* ``state``: the state of the random number generator.
* ``raw``: the network's value of the root for the player to move, without search.
* ``drawn``: the sum of the draw probabilities of the leaves.
* ``contempt``: the maximum reduction of the value of a draw for the player to move at the root.
* ``cost``: the sum of the reductions of the values of the leaves by contempt, for the player to move at the root.
"""


@kernel
def write_roots(game: Any, forest: Any, trees: Any, words: Any, seeds: Any, contempt: Any) -> None:
    """Initialise each tree that is not kept with its root."""
    for i in range(len(trees)):
        if trees[i].kept > 0:
            continue
        reset(forest[i, ROOT], words[i, 0], words[i, 1], ROOT, np.int8(1), ONGOING)
        forest[i, ROOT].waiting = 0
        trees[i].size, trees[i].left, trees[i].state = 1, 0, seeds[i]
        trees[i].drawn, trees[i].contempt, trees[i].cost = 0.0, contempt[i], 0.0


@kernel
def keep_subtrees(forest: Any, trees: Any, words: Any, seeds: Any, gammas: Any, share: Any) -> None:
    """Reduce each tree that contains its new position below the root to the subtree of the position."""
    for i in range(len(trees)):
        nodes, tree = forest[i], trees[i]
        top = np.uint64(find(nodes, tree.size, words[i, 0], words[i, 1]))
        if top == ROOT:
            continue
        kept, size = subtree(nodes, top)
        copy_items(kept, nodes, size)
        root = nodes[ROOT]
        if root.sign < 0:  # the values of a root are for the player to move
            root.total, root.lower, root.upper, root.sign = -root.total, -root.upper, -root.lower, 1
        if share > 0:
            mix_in_noise(nodes, gammas[i], share)
        tree.size, tree.state, tree.kept, tree.left = size, seeds[i], root.visits, -np.int64(root.visits)
        tree.drawn, tree.contempt, tree.cost = 0.0, 0.0, 0.0
