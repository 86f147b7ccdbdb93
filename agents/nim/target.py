"""What evolves: genomes by which an agent plays Nim."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ci_envs.agents.evolution.play import GenomePolicy


@dataclass(frozen=True)
class EvolutionTarget:
    """The genomes of an agent in a game of Nim.

    Attributes:
        agent: the name of the agent.
        policy: plays by the genomes.
        genes: the number of genes, each from 0 to ``high``.
        high: the largest value of a gene.
        options: what the champion's file needs besides, plain values.
    """

    agent: str
    policy: GenomePolicy
    genes: int
    high: float
    options: Mapping[str, Any]
