"""The selection of a leaf of a tree.

PUCT, as in AlphaZero, or UCB1 with the prior as a factor. In this rule an untried action has
the value 0 and counts as tried once.
"""

from typing import Any

import numpy as np

from ci_envs.agents.alphazero.contempt import contempt_at
from ci_envs.agents.alphazero.gumbel import select_at_root
from ci_envs.agents.alphazero.settings import GUMBEL, UCB
from ci_envs.agents.search.tree import ROOT, is_proven
from ci_envs.games import inlined, kernel


@inlined
def select_leaf(nodes: Any, tree: Any, settings: Any, gumbel: Any, i: Any) -> Any:
    """Select a path from the root to a leaf, a node without children, and return the leaf.

    With GUMBEL, tree number ``i`` uses its row of noise at the root (:func:`select_at_root`).
    """
    node, draw = ROOT, -contempt_at(nodes, tree)
    if settings.selection == GUMBEL:
        node = select_at_root(nodes, tree, settings, gumbel, i)
    while nodes[node].children > 0 and not is_proven(nodes[node]):
        draw *= nodes[node].sign
        node = _select(nodes, node, settings)
    tree.leaf, tree.draw = node, draw
    return node


@kernel
def _select(nodes: Any, parent: Any, settings: Any) -> Any:
    here = nodes[parent]
    # an unvisited action gets the value of the position
    unvisited = np.float64(here.sign) * np.float64(here.total) / np.float64(here.visits)
    ucb = settings.selection == UCB
    begun = np.float64(here.visits) + np.float64(here.waiting)
    factor = settings.exploration * np.sqrt(np.log(begun) if ucb else begun)
    best, best_score = here.first, -np.inf
    for child in range(here.first, here.first + here.children):
        mean, visits, prior = np.float64(nodes[child].mean), nodes[child].visits, np.float64(nodes[child].prior)
        if mean == -np.inf:
            continue
        if ucb:
            score = factor * prior if visits == 0 else mean + factor * prior * np.float64(nodes[child].spread)
        else:
            score = (unvisited if visits == 0 else mean) + factor * prior / (1.0 + visits + nodes[child].waiting)
        if score > best_score:
            best, best_score = child, score
    return np.uint64(best)
