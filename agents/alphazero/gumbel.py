"""The choice at the root by sequential halving with Gumbel noise, which improves the policy even with few simulations.

Danihelka, Guez, Schrittwieser and Silver, "Policy improvement by planning with Gumbel", ICLR 2022. Values are from -1
to 1 here, so the constant of 1 for values from 0 to 1 becomes 1/2.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ci_envs.agents.alphazero.contempt import contempt_at
from ci_envs.agents.search.tree import ROOT, is_proven, outcome_value
from ci_envs.games import kernel

_VISITS_ADDED, _Q_SCALE = 50.0, 0.5


def halving_table(considered: int, simulations: int) -> NDArray[np.int64]:
    """Return the visit count of the action that each simulation selects at the root.

    There is one row for each number of considered actions, as in DeepMind's mctx: all of them are visited equally
    often, then the better half of them, and so on.

    Returns:
        int64 of shape (considered + 1, simulations).
    """
    return np.array([_halving(number, simulations) for number in range(considered + 1)], dtype=np.int64).reshape(
        considered + 1, simulations
    )


def _halving(considered: int, simulations: int) -> list[int]:
    if considered <= 1:
        return list(range(simulations))
    rounds = int(np.ceil(np.log2(considered)))
    sequence: list[int] = []
    visits, left = [0] * considered, considered
    while len(sequence) < simulations:
        for _ in range(max(1, int(simulations / (rounds * left)))):
            sequence += visits[:left]
            visits = [count + 1 for count in visits[:left]]
        left = max(2, left // 2)
    return sequence[:simulations]


@kernel
def select_at_root(nodes: Any, tree: Any, settings: Any, gumbel: Any, i: Any) -> Any:
    """Return the best child whose visit count is closest to the one that sequential halving selects, or a root alone.

    ``gumbel`` is the noise of all trees, float64 of shape (n, actions), and the :func:`halving_table`.
    """
    noise, halving = gumbel
    root = nodes[ROOT]
    if root.children == 0:
        return ROOT
    filled, scale = _value_of_unvisited(nodes, tree.raw)
    draw = -contempt_at(nodes, tree)
    number = np.int64(root.visits) - 1
    wanted = halving[min(settings.considered, np.int64(root.children)), min(number, halving.shape[1] - 1)]
    best, best_gap, best_score = root.first, np.inf, -np.inf
    for child in range(root.first, root.first + root.children):
        if nodes[child].mean == -np.inf:
            continue
        gap = abs(np.float64(nodes[child].visits) - wanted)
        score = noise[i, nodes[child].action] + _improved_logit(nodes[child], filled, scale, draw)
        if gap < best_gap or (gap == best_gap and score > best_score):
            best, best_gap, best_score = child, gap, score
    return np.uint64(best)


@kernel
def write_improved_policy(nodes: Any, tree: Any, noise: Any, policy: Any) -> Any:
    """Write the improved policy, and return the best child of the root."""
    root = nodes[ROOT]
    first, end = root.first, root.first + root.children
    filled, scale = _value_of_unvisited(nodes, tree.raw)
    draw = -contempt_at(nodes, tree)
    largest, total, most = -np.inf, 0.0, np.uint32(0)
    for child in range(first, end):
        largest = max(largest, _improved_logit(nodes[child], filled, scale, draw))
        if nodes[child].mean != -np.inf:
            most = max(most, nodes[child].visits)
    best, best_score = first, -np.inf
    for child in range(first, end):
        logit = _improved_logit(nodes[child], filled, scale, draw)
        policy[nodes[child].action] = np.exp(logit - largest)
        total += np.exp(logit - largest)
        score = noise[nodes[child].action] + logit
        if nodes[child].visits == most and nodes[child].mean != -np.inf and score > best_score:
            best, best_score = child, score
    policy /= total
    return best


@kernel
def _value_of_unvisited(nodes: Any, raw: Any) -> Any:
    """Return the value of unvisited actions at the root, and the weight of all values."""
    root = nodes[ROOT]
    tried, weighted, visits, most = 0.0, 0.0, 0.0, 0.0
    for child in range(root.first, root.first + root.children):
        if nodes[child].visits > 0:
            prior = np.float64(nodes[child].prior)
            tried += prior
            weighted += prior * np.float64(nodes[child].total) / nodes[child].visits
            visits += nodes[child].visits
            most = max(most, np.float64(nodes[child].visits))
    value = raw
    if tried > 0:
        value = (value + visits * weighted / tried) / (1 + visits)
    return value, (_VISITS_ADDED + most) * _Q_SCALE


@kernel
def _improved_logit(child: Any, filled: Any, scale: Any, draw: Any) -> Any:
    value = filled
    if is_proven(child):
        value = np.float64(outcome_value(child.lower, draw))
    elif child.visits > 0:
        value = np.float64(child.total) / child.visits
    return np.log(max(np.float64(child.prior), 1e-30)) + scale * value
