"""Genomes that play Nim, as the target of an evolution."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ci_envs.agents.evolution.play import GenomePolicy


@dataclass(frozen=True)
class EvolutionTarget:
    """A type of genomes that play a game of Nim.

    Attributes:
        agent: the name of the agent.
        policy: the policy that plays by a genome.
        genes: the number of genes, each from 0 to ``high``.
        high: the largest value of a gene.
        options: additional plain values for the champion's file.
    """

    agent: str
    policy: GenomePolicy
    genes: int
    high: float
    options: Mapping[str, Any]
