"""Agents that play by models and policies of Stable-Baselines3 and sb3-contrib."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.policies import BasePolicy
from typing_extensions import override

from ci_envs.agent_interface.adapters import PredictorAgent, fitted
from ci_envs.agent_interface.interface import Agent
from ci_envs.agent_interface.observations import Observation, ReadObservations, read_observation, read_observations
from ci_envs.agents.search.lookahead import Lookahead, LookaheadOption
from ci_envs.baselines.model_file import read_model, shipped_models
from ci_envs.baselines.model_zip import load_zip
from ci_envs.baselines.policies import check_spaces, has_preferences, preferences
from ci_envs.devices import torch_threads
from ci_envs.games.game import Game
from ci_envs.registry.options import Option, Untrusted, validated


class SB3Agent(Agent):
    """Agent that plays the legal action that a trained policy prefers: ``sb3:PATH``.

    With ``lookahead`` it chooses only among the actions with the best result that is forced within these plies.
    """

    trainer: ClassVar[str | type] = "ci_envs.baselines.training:SB3Trainer"

    @staticmethod
    def checkpoints() -> Mapping[str, Path]:
        """Return the models that are included in the package, by name."""
        return shipped_models()

    @validated
    def __init__(
        self,
        game: Game,
        path: Annotated[
            str | Path | BasePolicy | BaseAlgorithm,
            Option(
                "file of a model that ci-envs train or save_model wrote, or the name of an included model "
                "(connect_four, quixo, tictactoe)",
                untrusted=Untrusted(included=True),
            ),
        ],
        *,
        deterministic: Annotated[
            bool,
            Option(
                "whether to play the preferred action; false draws actions from the softmax of the preferences, as in "
                "training",
                untrusted=Untrusted(),
            ),
        ] = True,
        lookahead: LookaheadOption = None,
        trust: Annotated[
            bool,
            Option(
                "whether path can be a zip file of Stable-Baselines3; it has pickled objects, and loading these can "
                "run any code, so trust only files whose origin you know"
            ),
        ] = False,
        seed: int | None = None,
    ) -> None:
        """Make the agent.

        Raises:
            ValueError: the file is not a model file, or the model is for another game or has no preferences.
            OSError: the file cannot be read.
        """
        super().__init__(game, seed=seed)
        self.deterministic = deterministic
        self._policy, own_lookahead = _policy(path, game, trust)
        check_spaces(self._policy, game)
        plies = own_lookahead if lookahead is None else lookahead
        self._lookahead = Lookahead(game, plies) if plies else None

    @override
    def act(self, observation: Observation) -> int:
        return int(self._choose(read_observation(self.game, observation))[0])

    @override
    def act_batch(self, observations: Observation) -> NDArray[np.int64]:
        return self._choose(read_observations(self.game, observations))

    def _choose(self, read: ReadObservations) -> NDArray[np.int64]:
        policy = self._policy
        if policy.training:  # a batch normalisation or a dropout layer behaves differently in training
            policy.set_training_mode(False)
        observations = fitted({"observation": read.planes, "action_mask": read.masks}, policy.observation_space)
        with torch_threads(1):  # with more threads, small networks are slower: up to a hundred times on a busy machine
            scores = preferences(policy, observations).numpy()
        if not self.deterministic:  # the Gumbel-max trick draws from the softmax
            scores = scores + self.rng.gumbel(size=scores.shape)
        choices = read.masks if self._lookahead is None else self._lookahead.best_actions(read.words)
        actions: NDArray[np.int64] = np.where(choices, scores, -np.inf).argmax(axis=1)
        return actions


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


def _policy(source: str | Path | BasePolicy | BaseAlgorithm, game: Game, trust: bool) -> tuple[BasePolicy, int]:
    """Return the policy of a file or a model, and the look-ahead with which it plays."""
    if not isinstance(source, BasePolicy | BaseAlgorithm):
        if not (isinstance(source, str | Path) and Path(source).suffix == ".zip"):
            file = read_model(source)
            return file.policy(game), file.lookahead
        source = load_zip(source, trust=trust)
        check_spaces(source, game)
    policy = source.policy if isinstance(source, BaseAlgorithm) else source
    if not has_preferences(policy):
        raise ValueError(
            f"{type(policy).__name__} has neither probabilities nor values of actions. Use as_agent(model)"
        )
    return policy, 0
