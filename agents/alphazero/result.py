"""The results of a search."""

from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ci_envs.agents.alphazero.contempt import contempt_at
from ci_envs.agents.alphazero.gumbel import write_improved_policy
from ci_envs.agents.alphazero.settings import GUMBEL
from ci_envs.agents.search.tree import ROOT, choose_child, own_bounds
from ci_envs.games import DRAW, inlined, kernel


class SearchResult(NamedTuple):
    """The results of a search of n positions.

    Attributes:
        visits: number of simulations that began with each action, float64 of shape (n, actions). Of several actions
            that lead to the same position only one is searched.
        policy: the policy of the search, float64 of shape (n, actions): the shares of the visits of the actions that
            are not closed; the improved policy with GUMBEL; only the best action if the position or that action is
            proven.
        values: values for the player to move, from -1 to 1, including contempt, float64 of shape (n,).
        draws: mean draw probability of the leaves of this search, from 0 to 1, float64 of shape (n,).
        contempt: contempt at the end of the search, from 0 to 1, float64 of shape (n,).
        costs: reduction of ``values`` by contempt, float64 of shape (n,).
        actions: the best actions, int64 of shape (n,).
    """

    visits: NDArray[np.float64]
    policy: NDArray[np.float64]
    values: NDArray[np.float64]
    draws: NDArray[np.float64]
    contempt: NDArray[np.float64]
    costs: NDArray[np.float64]
    actions: NDArray[np.int64]


def draw_actions(found: SearchResult, temperature: float, rng: Generator) -> NDArray[np.int64]:
    """Sample actions from the policies to the power of 1 / temperature. 0 returns the best actions."""
    if temperature == 0:
        return found.actions
    weights = (found.policy / found.policy.max(axis=1, keepdims=True)) ** (1 / temperature)
    heights = np.cumsum(weights, axis=1)
    drawn: NDArray[np.int64] = (heights <= rng.random((len(heights), 1)) * heights[:, -1:]).sum(axis=1)
    return drawn


@kernel
def write_result(
    forest: Any,
    trees: Any,
    settings: Any,
    noise: Any,
    visits: Any,
    policy: Any,
    values: Any,
    draws: Any,
    contempt: Any,
    costs: Any,
    actions: Any,
) -> None:
    """Write a :class:`SearchResult` into arrays of zeros."""
    for i in range(len(forest)):
        nodes = forest[i]
        root = nodes[ROOT]
        first, end = root.first, root.first + root.children
        for child in range(first, end):
            visits[i, nodes[child].action] = nodes[child].visits
        contempt[i] = contempt_at(nodes, trees[i])
        best = choose_child(nodes, ROOT, -contempt[i])
        lower, upper = own_bounds(root)
        if lower == upper:
            policy[i, nodes[best].action] = 1
            values[i], draws[i] = lower, lower == DRAW
        else:
            values[i], draws[i] = (
                np.float64(root.total) / root.visits,
                trees[i].drawn / max(root.visits - trees[i].kept, 1),
            )
            costs[i] = trees[i].cost / root.visits
            if settings.selection == GUMBEL:
                best = write_improved_policy(nodes, trees[i], noise[i], policy[i])
            else:
                _write_visit_shares(nodes, best, policy[i])
        actions[i] = nodes[best].action


@inlined
def _write_visit_shares(nodes: Any, best: Any, policy: Any) -> None:
    """Write the visit shares of the root's open children, or 1 for the best child if it is closed."""
    root = nodes[ROOT]
    total = 0.0
    for child in range(root.first, root.first + root.children):
        if nodes[child].mean != -np.inf:
            policy[nodes[child].action] = nodes[child].visits
            total += nodes[child].visits
    if total > 0 and nodes[best].mean != -np.inf:
        policy /= total
    else:
        policy[:] = 0
        policy[nodes[best].action] = 1
