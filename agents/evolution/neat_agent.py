"""Play by a network that evolved: NEAT, and lists of layers."""

import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from typing_extensions import override

from ci_envs.agent.policy import CompiledPolicy
from ci_envs.agent.policy_agent import PolicyAgent
from ci_envs.agents.evolution.champion import Champion, read_champion, shipped_champions
from ci_envs.agents.evolution.layers import layers_of, torch_module
from ci_envs.agents.evolution.networks import NetworkPolicy, read_row
from ci_envs.games.game import Game

if TYPE_CHECKING:
    from torch import nn

AGENT = "neat"
"""The name of the agent, in spec strings and in champions."""

OUTPUTS = {"value": True, "actions": False}
"""The outputs of a network, and whether they are one value."""


class NeatAgent(PolicyAgent):
    """Plays the action that a network likes best, at random where several are.

    Attributes:
        genome: the network as a row (:mod:`ci_envs.agents.evolution.networks`).
    """

    trainer: ClassVar[str | type] = "ci_envs.agents.evolution.neat_training:NeatTrainer"

    @staticmethod
    def checkpoints() -> Mapping[str, Path]:
        """Return the champions that come with the package, by name."""
        return shipped_champions(AGENT)

    def __init__(self, game: Game, path: str | Path | Champion, *, seed: int | None = None) -> None:
        """Make the agent.

        Args:
            game: the game that the network evolved for.
            path: of the champion, which ``ci-envs train`` wrote, or the champion; ``quixo`` comes with the package.
            seed: decides between equally good actions.

        Raises:
            ValueError: the file is no such champion, or one for another game.
            OSError: the file cannot be read.
        """
        super().__init__(game, seed=seed)
        champion = read_champion(path, AGENT, game)
        try:
            by_value, symmetries = OUTPUTS[champion.options["outputs"]], bool(champion.options["symmetries"])
            self._policy = NetworkPolicy(by_value, symmetries)
            self._sizes = math.prod(game.observation_shape), self._policy.outputs(game)
            read_row(champion.genome, *self._sizes)
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"{str(path)!r} is no champion that can play here: {error}") from None
        self.genome = champion.genome

    @override
    def policy(self) -> CompiledPolicy:
        return self._policy.compiled(self.game, self.genome)

    def module(self) -> "nn.Sequential":
        """A network of ``encoding=layers`` as a module of PyTorch: planes float64 (n, inputs) -> (n, outputs).

        Raises:
            ValueError: it is no list of layers.
            ImportError: PyTorch is not installed.
        """
        return torch_module(layers_of(self.genome, *self._sizes))
