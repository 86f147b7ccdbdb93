"""Perfect play in Nim by theory, with or without a limit per move, in normal and in misere play.

Bouton, "Nim, a game with a complete mathematical theory", Annals of Mathematics 3 (1901). With at most k objects per
move, a heap of h objects counts as h mod (k + 1), by the Sprague-Grundy theorem.
"""

from dataclasses import dataclass
from typing import Any

from typing_extensions import override

from ci_envs.agent_interface.policy import CompiledPolicy, Policy, choose
from ci_envs.agent_interface.policy_agent import PolicyAgent
from ci_envs.agent_interface.supported_game import require_game
from ci_envs.agents.nim.rules import play_rule, rule_number
from ci_envs.games.game import Game
from ci_envs.games.nim import Nim
from ci_envs.kernels.dispatch import implements

_EXPERT = rule_number("expert")


@dataclass(frozen=True)
class NimExpertPolicy(Policy):
    """:class:`NimExpertAgent` as a compiled policy."""


@implements(choose, NimExpertPolicy)
def _(policy: NimExpertPolicy) -> Any:
    return lambda policy, game, own, opp, seed, memory: play_rule(game, _EXPERT, own, seed)[0]


class NimExpertAgent(PolicyAgent):
    """Agent that wins every won position of Nim and plays at random in lost positions."""

    def __init__(self, game: Game, *, seed: int | None = None) -> None:
        """Make the agent.

        Raises:
            ValueError: ``game`` is not Nim.
        """
        self._nim = require_game("nim_expert", game, Nim)
        super().__init__(game, seed=seed)

    @override
    def policy(self) -> CompiledPolicy:
        return CompiledPolicy(NimExpertPolicy(), ())
