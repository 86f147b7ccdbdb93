"""The agent that plays by an evaluation which an evolution strategy made."""

from pathlib import Path
from typing import ClassVar

import numpy as np
from typing_extensions import override

from ci_envs.agents.evolution.champion import Champion
from ci_envs.agents.evolution.champion_agent import ChampionAgent
from ci_envs.agents.evolution.evaluation import EvaluationPolicy, gene_count
from ci_envs.games.game import Game

AGENT = "evolution_strategy"
"""The name of the agent, in spec strings and in champions."""

_LARGEST = 1e9  # gene that a sum of weighted features can take without losing its value


class EvolutionStrategyAgent(ChampionAgent):
    """Looks one or two plies ahead, by an evaluation whose weights evolved: ``evolution_strategy:PATH``."""

    agent_name = AGENT
    trainer: ClassVar[str | type] = "ci_envs.agents.evolution.evolution_strategy_training:EvolutionStrategyTrainer"
    genome_policy: EvaluationPolicy

    def __init__(
        self, game: Game, path: str | Path | Champion, *, depth: int | None = None, seed: int | None = None
    ) -> None:
        """Make the agent.

        Args:
            game: the game that the genome was evolved for.
            path: of a champion's file, or the name of one that comes with the package, or a champion.
            depth: plies to look ahead, 1 to 64; None means as many as in its training.
            seed: decides between equally good actions.

        Raises:
            ValueError: the file is no champion of this agent, or one for another game, or ``depth`` is out of range.
            OSError: the file cannot be read.
        """
        super().__init__(game, path, seed=seed)
        if depth is not None:
            self.genome_policy = EvaluationPolicy(depth)

    @override
    def _make_genome_policy(self) -> EvaluationPolicy:
        genes = gene_count(self.game, self.champion.options["hidden"])
        if self.genome.shape != (genes,) or np.abs(self.genome).max() > _LARGEST:
            raise ValueError(f"it needs {genes} genes of at most {_LARGEST:g}")
        return EvaluationPolicy(self.champion.options["depth"])

    @property
    def depth(self) -> int:
        """Plies that it looks ahead."""
        return self.genome_policy.depth
