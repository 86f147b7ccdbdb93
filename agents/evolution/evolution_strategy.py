"""The agent that plays by an evaluation or by weighted rules that an evolution strategy evolved."""

from typing import Annotated, ClassVar

import numpy as np
from typing_extensions import override

from ci_envs.agent_interface.supported_game import require_game
from ci_envs.agents.evolution.champion_agent import ChampionAgent, ChampionPath
from ci_envs.agents.evolution.evaluation import EvaluationPolicy, gene_count
from ci_envs.agents.evolution.rules import RULES, RulesPolicy
from ci_envs.agents.search.negamax import MAX_DEPTH
from ci_envs.games.game import Game
from ci_envs.games.quixo import Quixo
from ci_envs.registry.options import Option, Untrusted, validated

AGENT = "evolution_strategy"
"""The name of the agent, in spec strings and in champions."""

_LARGEST = 1e9  # the largest gene for which a weighted sum of features keeps its precision


class EvolutionStrategyAgent(ChampionAgent):
    """Agent that searches with an evolved evaluation, or plays by weighted rules: ``evolution_strategy:PATH``."""

    agent_name = AGENT
    trainer: ClassVar[str | type] = "ci_envs.agents.evolution.evolution_strategy_training:EvolutionStrategyTrainer"
    genome_policy: EvaluationPolicy | RulesPolicy

    @validated
    def __init__(
        self,
        game: Game,
        path: ChampionPath,
        *,
        depth: Annotated[
            int | None,
            Option(
                "search depth in plies; none is the playing_depth of its training; rules do not search",
                ge=1,
                le=MAX_DEPTH,
                untrusted=Untrusted(most=4),
            ),
        ] = None,
        seed: int | None = None,
    ) -> None:
        """Make the agent.

        Raises:
            ValueError: the file is not a champion of this agent, is for another game, or ``depth`` is out of range or
                given for rules.
            OSError: the file cannot be read.
        """
        super().__init__(game, path, seed=seed)
        if depth is not None:
            if isinstance(self.genome_policy, RulesPolicy):
                raise ValueError(f"depth={depth} is for an evaluation: {str(path)!r} plays by rules, without a search")
            self.genome_policy = EvaluationPolicy(depth)

    @override
    def _make_genome_policy(self) -> EvaluationPolicy | RulesPolicy:
        if self.champion.options.get("evaluation") == "rules":
            require_game("evaluation=rules", self.game, Quixo)
            if not 1 <= len(self.genome) <= len(RULES) or np.abs(self.genome).max() > _LARGEST:
                raise ValueError(f"it needs 1 to {len(RULES)} genes of at most {_LARGEST:g}")
            return RulesPolicy()
        genes = gene_count(self.game, self.champion.options["hidden"])
        if self.genome.shape != (genes,) or np.abs(self.genome).max() > _LARGEST:
            raise ValueError(f"it needs {genes} genes of at most {_LARGEST:g}")
        return EvaluationPolicy(self.champion.options["depth"])

    @property
    def depth(self) -> int:
        """The search depth in plies, or 0 if the agent plays by rules."""
        return 0 if isinstance(self.genome_policy, RulesPolicy) else self.genome_policy.depth
