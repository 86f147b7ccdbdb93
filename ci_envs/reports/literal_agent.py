"""Agents of the reports with a compiled policy."""

from collections.abc import Callable
from typing import Any

from typing_extensions import override

from ci_envs.agent_interface.policy import CompiledPolicy, Policy, choose
from ci_envs.agent_interface.policy_agent import PolicyAgent
from ci_envs.games.game import Game
from ci_envs.kernels.dispatch import implements


def require_equal(name: str, game: Game, expected: Game) -> None:
    """Check that a game is the one that an agent plays.

    Args:
        name: The name of the agent for the message.
        game: The game.
        expected: The game that the agent plays.

    Raises:
        ValueError: The game is another one.
    """
    if game != expected:
        raise ValueError(f"{name} plays {expected}, not {game}")


class LiteralPolicy(Policy):
    """Base class of the compiled policies of the reports."""

    @staticmethod
    def action(policy: Any, game: Any, own: Any, opp: Any, seed: Any, memory: Any) -> Any:
        """Return the action in a position, in compiled code. :func:`choose` describes the arguments."""
        raise NotImplementedError


@implements(choose, LiteralPolicy)
def _(policy: LiteralPolicy) -> Any:
    return type(policy).action


class LiteralAgent(PolicyAgent):
    """An agent that plays by the compiled policy of a report."""

    def __init__(self, game: Game, new_policy: Callable[[], CompiledPolicy], *, seed: int | None = None) -> None:
        """Make the agent.

        Args:
            game: The game.
            new_policy: A function that returns the policy with new memory for one thread.
            seed: The seed of all random numbers.
        """
        super().__init__(game, seed=seed)
        self._new_literal_policy = new_policy

    @override
    def policy(self) -> CompiledPolicy:
        return self._new_literal_policy()
