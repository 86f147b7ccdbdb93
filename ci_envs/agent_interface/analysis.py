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
        visits: number of simulations that played the action, at least 0.
        value: the value for the player who plays the action, from -1 to 1; nan if no simulation played it.
        prior: the prior probability of the network, 0 to 1; None in a search without a network.
        proven: whether the value is exact.
        children: the most visited actions after this action.
    """

    action: int
    visits: int
    value: float
    prior: float | None
    proven: bool
    children: tuple["Branch", ...]


class SearchTree(Protocol):
    """A readable search tree: ``tree(depth=4, width=8)``."""

    def __call__(self, depth: int = 3, width: int = 5) -> tuple[Branch, ...]:
        """Return the branches at the root.

        Args:
            depth: number of plies to return, at least 1.
            width: maximum number of branches per node, the most visited first.
        """


@dataclass(frozen=True)
class Analysis:
    """The result of analysing a non-terminal position. Values are for the player to move.

    Two analyses are equal if all their attributes except the arrays and the tree are equal.

    Attributes:
        value: the value of the position, from -1 (a loss) to 1 (a win). The mean result of a search by simulations has
            this scale. :class:`~ci_envs.agents.search.minimax.MinimaxAgent` describes how an evaluation gets it.
        action_values: the value of each legal action by its number, also from -1 to 1; nan for an action that was not
            tried.
        principal_variation: the expected actions. The first is the action that the agent would play.
        visits: number of simulations that began with each action, int64 of shape (actions,). Of several actions that
            lead to the same position only one has visits. None if the agent does not simulate.
        priors: the prior probability of each action by the network, float64 of shape (actions,), or None.
        depth: search depth in plies, or None.
        nodes: number of positions visited by a depth-limited search, or None.
        simulations: number of simulations, or None. It is below the budget if the value was proven earlier.
        proven: the exact value +1, 0 or -1 if the search proved it or the agent's tables contain it, else None.
        draw: the probability of a draw, 0 to 1, or None.
        tree: the search tree in its present state, also if the search continues, or None.
        tables: the value of the position in the agent's tables (``won``, ``drawn`` or ``lost``), or the reason why they
            have none, as text. None if the agent has no tables.
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
    tables: str | None = None
