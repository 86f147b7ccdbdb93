"""The agent that plays by an evolved network: NEAT, or lists of layers."""

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
"""The kinds of network outputs, and whether the network has a single output, the value."""


class NeatAgent(ChampionAgent):
    """Agent that plays the action with the highest network output, at random if several are equal: ``neat:PATH``.

    The genome is the network as a row (:mod:`ci_envs.agents.evolution.networks`). ``neat:quixo`` is included.
    """

    agent_name = AGENT
    trainer: ClassVar[str | type] = "ci_envs.agents.evolution.neat_training:NeatTrainer"
    genome_policy: NetworkPolicy

    @override
    def _make_genome_policy(self) -> NetworkPolicy:
        options = self.champion.options
        softmax = bool(options.get("softmax", False))  # only networks with encoding=layers can have a softmax
        policy = NetworkPolicy(OUTPUTS[options["outputs"]], bool(options["symmetries"]), softmax=softmax)
        read_row(self.genome, *self._sizes(policy))
        return policy

    def _sizes(self, policy: NetworkPolicy) -> tuple[int, int]:
        """Return the numbers of inputs and outputs of the network."""
        return math.prod(self.game.observation_shape), policy.outputs(self.game)

    def module(self) -> "nn.Sequential":
        """Return a network with ``encoding=layers`` as a PyTorch module.

        The module maps observation planes, float64 of shape (n, inputs), to float64 of shape (n, outputs).

        Raises:
            ValueError: the network is not a list of layers.
            ImportError: PyTorch is not installed.
        """
        policy = self.genome_policy
        return torch_module(layers_of(self.genome, *self._sizes(policy)), softmax=policy.softmax)
