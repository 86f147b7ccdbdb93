"""Agents of models and policies of Stable-Baselines3 and sb3-contrib."""

from typing import Any

from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.policies import BasePolicy

from ci_envs.agent_interface.adapters import PredictorAgent
from ci_envs.agent_interface.interface import Agent
from ci_envs.baselines.agent import SB3Agent
from ci_envs.baselines.policies import check_spaces, has_preferences
from ci_envs.games.game import Game


def adapt(thing: Any, game: Game, *, seed: int | None = None) -> Agent:
    """Return the agent of a model or a policy. It plays the legal action that the policy prefers.

    A policy without preferences for actions, for example that of RecurrentPPO, plays the action that its method
    ``predict`` returns, which can be illegal.

    Args:
        thing: a model or a policy of Stable-Baselines3 or sb3-contrib.
        game: the game that the model was trained for.
        seed: the seed of the agent.

    Raises:
        TypeError: the object is neither a model nor a policy.
        ValueError: the model has the observations or the actions of another game.
    """
    if not isinstance(thing, BaseAlgorithm | BasePolicy):
        raise TypeError(f"an agent of Stable-Baselines3 needs a model or a policy, not {thing!r}")
    check_spaces(thing, game)
    if has_preferences(thing.policy if isinstance(thing, BaseAlgorithm) else thing):
        return SB3Agent(game, thing, seed=seed)
    return PredictorAgent(game, thing, seed=seed)
