"""What a search by a tree found, and a look into its tree."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ci_envs.agents.search.tree import ROOT, child_of, principal_variation, value_of
from ci_envs.games.game import Game
from ci_envs.games.position import Position

STEPS = 20
"""How often a search with a number of simulations tells what it has found so far."""


@dataclass(frozen=True)
class Branch:
    """An action in a tree, and what follows it.

    Attributes:
        action: its number.
        visits: simulations that went there.
        value: for who plays it, from -1 to 1; nan if no simulation went there.
        prior: what the network gave it; None in a search without one.
        proven: whether the value is exact.
        children: the most visited of the actions that follow.
    """

    action: int
    visits: int
    value: float
    prior: float | None
    proven: bool
    children: tuple["Branch", ...]


@dataclass(frozen=True, eq=False)
class TreeAnalysis:
    """What a search found.

    Attributes:
        value: of the position, from -1 to 1, for its player to move; exact if proven.
        visits: simulations that began with each action, int64 of shape (actions,); of actions that lead to the same
            position one stands for all.
        action_values: the value of each legal action for who plays it; nan for one not tried.
        principal_variation: the actions expected from here on.
        tree_nodes: the tree (:func:`ci_envs.agents.search.tree.node_type`), which the search may go on to change.
    """

    value: float
    visits: NDArray[np.int64]
    action_values: dict[int, float]
    principal_variation: tuple[int, ...]
    tree_nodes: NDArray[np.void] = field(repr=False)

    def tree(self, depth: int = 3, width: int = 5) -> tuple[Branch, ...]:
        """The most visited actions, ``width`` of them after each other and ``depth`` plies deep, as it is now."""
        return _branches(self.tree_nodes, int(ROOT), depth, width)


def children_of(nodes: NDArray[np.void], node: int) -> NDArray[np.void]:
    """The children of a node, by their actions."""
    here = nodes[node]
    children = nodes[here["first"] : here["first"] + here["children"]]
    return children[np.argsort(children["action"])]


def root_findings(
    game: Game, nodes: NDArray[np.void], draw: float = 0.0
) -> tuple[NDArray[np.int64], dict[int, float], tuple[int, ...]]:
    """``-> (visits, action_values, principal_variation)``, as in :class:`TreeAnalysis`.

    ``draw`` is what a draw is worth to the player to move.
    """
    children = children_of(nodes, int(ROOT))
    visits = np.zeros(game.action_count, dtype=np.int64)
    visits[children["action"]] = children["visits"]
    found = {int(child["action"]): child for child in children}
    legal = Position(game, int(nodes[ROOT]["own"]), int(nodes[ROOT]["opp"])).legal_actions()
    for action in legal:
        if action not in found:
            found[action] = nodes[child_of(game, nodes, ROOT, np.uint64(action))]
    values = {action: value_of(found[action]) for action in legal}
    return visits, values, principal_variation(nodes, draw)


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
        value=value_of(here),
        prior=float(here["prior"]) if "prior" in (nodes.dtype.names or ()) else None,
        proven=bool(here["lower"] == here["upper"]),
        children=_branches(nodes, node, depth - 1, width) if here["visits"] else (),
    )
