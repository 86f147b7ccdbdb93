"""The analysis of a position: the result of an agent's search or evaluation."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Branch:
    """An action in a search tree, with the branches below it.

    Attributes:
        action: the number of the action.
        visits: simulations that played the action, at least 0.
        value: the value for the player who plays the action, from -1 to 1; nan if no simulation played it.
        prior: the prior probability from the network, 0 to 1; None in a search without a network.
        proven: whether the value is exact.
        children: the most visited actions that follow.
    """

    action: int
    visits: int
    value: float
    prior: float | None
    proven: bool
    children: tuple["Branch", ...]


class SearchTree(Protocol):
    """A search tree that can be read: ``tree(depth=4, width=8)``."""

    def __call__(self, depth: int = 3, width: int = 5) -> tuple[Branch, ...]:
        """Return the branches at the root.

        Args:
            depth: plies to return, at least 1.
            width: branches of a node to return at most, the most visited first.
        """


@dataclass(frozen=True)
class Analysis:
    """The result of analysing a position that is not over. Values are for the player to move.

    Analyses are equal if all their attributes except the arrays and the tree are.

    Attributes:
        value: of the position. A search by simulations gives -1 to 1; minimax gives the integers that
            :class:`~ci_envs.agents.search.minimax.MinimaxAgent` describes.
        action_values: the value of each legal action by its number; nan for an action that was not tried.
        principal_variation: the actions expected from here on; the first is the action that the agent would play.
        visits: simulations that began with each action, int64 (actions,); of several actions that lead to the same
            position only one has visits. None if the agent does not simulate.
        priors: the prior probability of each action by the network, float64 (actions,), or None.
        depth: plies searched, or None.
        nodes: positions visited by a search to a depth, or None.
        simulations: simulations run, or None; fewer than the budget if the value was proven earlier.
        proven: the exact value +1, 0 or -1 if the search proved it, else None.
        draw: the probability of a draw, 0 to 1, or None.
        tree: the search tree; it shows the present state of a search that continues. None if there is no tree.
    """

    value: float
    action_values: Mapping[int, float]
    principal_variation: tuple[int, ...]
    visits: NDArray[np.int64] | None = field(default=None, compare=False)
    priors: NDArray[np.float64] | None = field(default=None, compare=False)
    depth: int | None = None
    nodes: int | None = None
    simulations: int | None = None
    proven: int | None = None
    draw: float | None = None
    tree: SearchTree | None = field(default=None, compare=False, repr=False)
