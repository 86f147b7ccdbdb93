"""The agent of models and policies of Stable-Baselines3 and sb3-contrib.

These packages take two seconds to import, and this module does not import them: lists of agents and forms need only the
options of the agent.
"""

from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from ci_envs.agent_interface.interface import Agent
from ci_envs.agent_interface.observations import Observation, ReadObservations, read_observation, read_observations
from ci_envs.agents.search.lookahead import Lookahead, LookaheadOption
from ci_envs.baselines.shipped_models import shipped_models
from ci_envs.games.game import Game
from ci_envs.registry.options import Option, Untrusted, validated

for _package in ("stable_baselines3", "sb3_contrib"):
    if find_spec(_package) is None:
        raise ModuleNotFoundError(f"No module named {_package!r}", name=_package)


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
            str | Path | Any,  # Any stands for BasePolicy | BaseAlgorithm
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
        from ci_envs.baselines.trained_policy import TrainedPolicy

        super().__init__(game, seed=seed)
        self.deterministic = deterministic
        self.trained = TrainedPolicy.of(path, game, trust=trust)
        plies = self.trained.lookahead if lookahead is None else lookahead
        self._lookahead = Lookahead(game, plies) if plies else None

    @override
    def act(self, observation: Observation) -> int:
        return int(self._choose(read_observation(self.game, observation))[0])

    @override
    def act_batch(self, observations: Observation) -> NDArray[np.int64]:
        return self._choose(read_observations(self.game, observations))

    def _choose(self, read: ReadObservations) -> NDArray[np.int64]:
        scores = self.trained.preferences(read)
        if not self.deterministic:  # the Gumbel-max trick draws from the softmax
            scores = scores + self.rng.gumbel(size=scores.shape)
        choices = read.masks if self._lookahead is None else self._lookahead.best_actions(read.words)
        actions: NDArray[np.int64] = np.where(choices, scores, -np.inf).argmax(axis=1)
        return actions
