"""Play by a network that evolved: NEAT, and lists of layers."""

import math
from typing import TYPE_CHECKING, ClassVar

from typing_extensions import override

from ci_envs.agents.evolution.champion_agent import ChampionAgent
from ci_envs.agents.evolution.layers import layers_of, torch_module
from ci_envs.agents.evolution.networks import NetworkPolicy, read_row

if TYPE_CHECKING:
    from torch import nn

AGENT = "neat"
"""The name of the agent, in spec strings and in champions."""

OUTPUTS = {"value": True, "actions": False}
"""The outputs of a network, and whether they are one value."""


class NeatAgent(ChampionAgent):
    """Plays the action that a network likes best, at random where several are: ``neat:PATH``.

    The genome is the network as a row (:mod:`ci_envs.agents.evolution.networks`); ``neat:quixo`` comes with the
    package.
    """

    agent_name = AGENT
    trainer: ClassVar[str | type] = "ci_envs.agents.evolution.neat_training:NeatTrainer"
    genome_policy: NetworkPolicy

    @override
    def _make_genome_policy(self) -> NetworkPolicy:
        options = self.champion.options
        softmax = bool(options.get("softmax", False))  # only networks of encoding=layers can have one
        policy = NetworkPolicy(OUTPUTS[options["outputs"]], bool(options["symmetries"]), softmax=softmax)
        read_row(self.genome, *self._sizes(policy))
        return policy

    def _sizes(self, policy: NetworkPolicy) -> tuple[int, int]:
        """How many inputs and outputs the network has."""
        return math.prod(self.game.observation_shape), policy.outputs(self.game)

    def module(self) -> "nn.Sequential":
        """A network of ``encoding=layers`` as a module of PyTorch: planes float64 (n, inputs) -> (n, outputs).

        Raises:
            ValueError: it is no list of layers.
            ImportError: PyTorch is not installed.
        """
        policy = self.genome_policy
        return torch_module(layers_of(self.genome, *self._sizes(policy)), softmax=policy.softmax)
