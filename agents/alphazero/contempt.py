"""Contempt of the tree search, which prefers other results to a draw.

The player to move at the root gives a draw a value below 0, and the value of each position is adjusted in proportion to
its draw probability. Contempt decreases with the value of the root, because a draw is a good result for a player who is
behind.
"""

from typing import Any

import numpy as np

from ci_envs.agents.search.tree import ROOT
from ci_envs.kernels.compiler import inlined

_CONTEMPT_LIMIT = 0.5  # contempt is 0 below the negative of this value


@inlined
def count_draw(tree: Any, probability: Any) -> None:
    """Record the probability of a draw at a leaf."""
    tree.drawn += probability
    tree.cost += abs(tree.draw) * probability


@inlined
def contempt_at(nodes: Any, tree: Any) -> Any:
    """Return the contempt of the player to move at the root for the present value of the root without contempt."""
    root = nodes[ROOT]
    value = (np.float64(root.total) + tree.cost) / max(np.float64(root.visits), 1.0)
    return reduced_contempt(tree.contempt, value)


@inlined
def reduced_contempt(contempt: Any, value: Any) -> Any:
    """Return the contempt in a position of this value: all of it from 0 on, 0 at -``_CONTEMPT_LIMIT`` and below."""
    return contempt * min(max(1.0 + value / _CONTEMPT_LIMIT, 0.0), 1.0)
