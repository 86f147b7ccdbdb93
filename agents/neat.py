"""Play by a network that evolved: NEAT, and lists of layers."""

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from agents.evolution.champion import read_champion
from agents.evolution.layers import layers_of, torch_module
from agents.evolution.networks import NetworkPolicy, read_row
from agents.neat_training import METHOD, OUTPUTS, train
from ci_envs.agent import Agent, Observation
from ci_envs.games.game import Game
from ci_envs.policy import choose_batch

if TYPE_CHECKING:
    from torch import nn


class NeatAgent(Agent):
    """Plays the action that a network likes best, at random where several are.

    Attributes:
        genome: the network as a row (:mod:`agents.evolution.networks`).
    """

    train = staticmethod(train)

    def __init__(self, game: Game, path: str | Path, *, seed: int | None = None) -> None:
        """Make the agent.

        Args:
            game: the game that the network evolved for.
            path: of the champion, which ``ci-envs train`` wrote; ``quixo`` is one that comes with the package.
            seed: decides between equally good actions.

        Raises:
            ValueError: the file is no such champion, or one for another game.
            OSError: the file cannot be read.
        """
        super().__init__(game, seed=seed)
        champion = read_champion(path, METHOD, game)
        try:
            by_value, symmetries = OUTPUTS[champion.options["outputs"]], bool(champion.options["symmetries"])
            self._policy = NetworkPolicy(by_value, symmetries)
            self._sizes = math.prod(game.observation_shape), self._policy.outputs(game)
            read_row(champion.genome, *self._sizes)
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"{str(path)!r} is no champion that can play here: {error}") from None
        self.genome = champion.genome
        self._memory = self._policy.memory(game, self.genome)

    def act_batch(self, observations: Observation) -> NDArray[np.int64]:
        """As in :meth:`Agent.act_batch`."""
        words = self.positions_of(observations)
        seeds = self.rng.integers(2**64, size=len(words), dtype=np.uint64)
        actions = np.empty(len(words), dtype=np.int64)
        choose_batch(self._policy, self.game, words, seeds, self._memory, actions)
        return actions

    def policy(self) -> tuple[NetworkPolicy, tuple[Any, ...]]:
        """As in :meth:`Agent.policy`."""
        return self._policy, self._policy.memory(self.game, self.genome)

    def module(self) -> "nn.Sequential":
        """A network of ``encoding=layers`` as a module of PyTorch: planes float64 (n, inputs) -> (n, outputs).

        Raises:
            ValueError: it is no list of layers.
            ImportError: PyTorch is not installed.
        """
        return torch_module(layers_of(self.genome, *self._sizes))
