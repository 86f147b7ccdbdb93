"""Noise in the priors of a root."""

from typing import Any

from ci_envs.agents.search.tree import ROOT
from ci_envs.games import kernel


@kernel
def mix_in_noise(nodes: Any, gammas: Any, share: Any) -> None:
    """Mix Dirichlet noise, made of gamma variates, with the priors of the root."""
    first, end = nodes[ROOT].first, nodes[ROOT].first + nodes[ROOT].children
    total = 0.0
    for child in range(first, end):
        total += gammas[nodes[child].action]
    for child in range(first, end):
        noise = gammas[nodes[child].action] / total
        nodes[child].prior = (1 - share) * nodes[child].prior + share * noise
