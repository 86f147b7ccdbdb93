"""The agent that plays by an evaluation which an evolution strategy made."""

from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

import numpy as np
from typing_extensions import override

from ci_envs.agent.policy import CompiledPolicy
from ci_envs.agent.policy_agent import PolicyAgent
from ci_envs.agents.evolution.champion import Champion, read_champion, shipped_champions
from ci_envs.agents.evolution.evaluation import EvaluationPolicy, gene_count
from ci_envs.games.game import Game

AGENT = "evolution_strategy"
"""The name of the agent, in spec strings and in champions."""

_LARGEST = 1e9  # gene that a sum of weighted features can take without losing its value


class EvolutionStrategyAgent(PolicyAgent):
    """Looks one or two plies ahead, by an evaluation whose weights evolved: ``evolution_strategy:PATH``.

    Attributes:
        champion: what it plays by.
        depth: plies that it looks ahead.
    """

    trainer: ClassVar[str | type] = "ci_envs.agents.evolution.evolution_strategy_training:EvolutionStrategyTrainer"

    @staticmethod
    def checkpoints() -> Mapping[str, Path]:
        """Return the champions that come with the package, by name."""
        return shipped_champions(AGENT)

    def __init__(
        self, game: Game, path: str | Path | Champion, *, depth: int | None = None, seed: int | None = None
    ) -> None:
        """Make the agent.

        Args:
            game: the game that it evolved for.
            path: of the champion, which ``ci-envs train`` wrote, or the champion; ``quixo`` comes with the package.
            depth: plies to look ahead, 1 to 64; None means as many as in its training.
            seed: decides between equally good actions.

        Raises:
            ValueError: the file is no champion of this agent, or one for another game, or ``depth`` is out of range.
            OSError: the file cannot be read.
        """
        super().__init__(game, seed=seed)
        self.champion = read_champion(path, AGENT, game)
        _check(self.champion, game, path)
        self._policy = EvaluationPolicy(self.champion.options["depth"] if depth is None else depth)

    @property
    def depth(self) -> int:
        """Plies that it looks ahead."""
        return self._policy.depth

    @override
    def policy(self) -> CompiledPolicy:
        return self._policy.compiled(self.game, self.champion.genome)


def _check(champion: Champion, game: Game, path: str | Path | Champion) -> None:
    try:
        EvaluationPolicy(champion.options["depth"])
        genes = gene_count(game, champion.options["hidden"])
        if champion.genome.shape != (genes,) or np.abs(champion.genome).max() > _LARGEST:
            raise ValueError(f"it needs {genes} genes of at most {_LARGEST:g}")
    except (KeyError, ValueError) as error:
        raise ValueError(f"{str(path)!r} is no champion that can play here: {error}") from None
