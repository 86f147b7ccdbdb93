"""The analysis of a position from the search tree below it."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ci_envs.agent_interface.analysis import Analysis, Branch
from ci_envs.agents.search.tree import ROOT, child_of, principal_variation, values_of
from ci_envs.games.game import Game
from ci_envs.games.position import Position

REPORT_COUNT = 20
"""Number of intermediate results that a search with a fixed number of simulations yields."""


@dataclass(frozen=True, eq=False)
class ArrayTree:
    """A :class:`~ci_envs.agent_interface.analysis.SearchTree` whose nodes are in an array.

    Attributes:
        nodes: the nodes, of type :func:`ci_envs.agents.search.tree.node_type`. A search that continues changes them.
    """

    nodes: NDArray[np.void] = field(repr=False)

    def __call__(self, depth: int = 3, width: int = 5) -> tuple[Branch, ...]:
        """Return the ``width`` most visited branches of each node, ``depth`` plies deep, at the time of the call."""
        return _branches(self.nodes, int(ROOT), depth, width)


def children_of(nodes: NDArray[np.void], node: int) -> NDArray[np.void]:
    """Return the children of a node, sorted by action."""
    here = nodes[node]
    children = nodes[here["first"] : here["first"] + here["children"]]
    return children[np.argsort(children["action"])]


def tree_analysis(
    game: Game,
    nodes: NDArray[np.void],
    value: float,
    draw_value: float = 0.0,
    **optional: Any,
) -> Analysis:
    """Return the analysis of the position at the root of a tree.

    Args:
        game: the game.
        nodes: the tree.
        value: the value of the position for its player to move, -1 to 1.
        draw_value: the value of a draw for the player to move, -1 to 1.
        **optional: other fields of :class:`~ci_envs.agent_interface.analysis.Analysis`.
    """
    children = children_of(nodes, int(ROOT))
    visits = np.zeros(game.action_count, dtype=np.int64)
    visits[children["action"]] = children["visits"]
    found = dict(zip(children["action"].tolist(), values_of(children).tolist(), strict=True))
    values = {}
    for action in Position(game, int(nodes[ROOT]["own"]), int(nodes[ROOT]["opp"])).legal_actions():
        duplicated = None if action in found else nodes[child_of(game, nodes, ROOT, np.uint64(action))]
        values[action] = found[action] if duplicated is None else float(values_of(duplicated))
    line = principal_variation(nodes, draw_value)
    return Analysis(value, values, line, visits, tree=ArrayTree(nodes), **optional)


def _branches(nodes: NDArray[np.void], node: int, depth: int, width: int) -> tuple[Branch, ...]:
    here = nodes[node]
    if depth < 1 or not here["children"]:
        return ()
    first = int(here["first"])
    visits = nodes["visits"][first : first + int(here["children"])].astype(np.int64)
    return tuple(
        _branch(nodes, first + int(place), depth, width) for place in np.argsort(-visits, kind="stable")[:width]
    )


def _branch(nodes: NDArray[np.void], node: int, depth: int, width: int) -> Branch:
    here = nodes[node]
    return Branch(
        action=int(here["action"]),
        visits=int(here["visits"]),
        value=float(values_of(here)),
        prior=float(here["prior"]) if "prior" in (nodes.dtype.names or ()) else None,
        proven=bool(here["lower"] == here["upper"]),
        children=_branches(nodes, node, depth - 1, width) if here["visits"] else (),
    )
