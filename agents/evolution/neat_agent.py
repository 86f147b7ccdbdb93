"""The agent that plays by an evolved network: NEAT, or lists of layers."""

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from typing_extensions import override

from ci_envs.agents.evolution.champion_agent import ChampionAgent, ChampionPath
from ci_envs.agents.evolution.layers import layers_of, torch_module
from ci_envs.agents.evolution.networks import NetworkPolicy, read_row
from ci_envs.agents.search.lookahead import MAX_LOOKAHEAD, LookaheadOption
from ci_envs.games.game import Game
from ci_envs.registry.options import validated
from ci_envs.validation import integer_between

if TYPE_CHECKING:
    from torch import nn

AGENT = "neat"
"""The name of the agent, in spec strings and in champions."""

INPUTS = {"planes": False, "features": True}
"""The kinds of network inputs, and whether they are the features of the game instead of the observation planes."""

OUTPUTS = {"value": True, "actions": False}
"""The kinds of network outputs, and whether the network has a single output, the value."""


class NeatAgent(ChampionAgent):
    """Agent that plays the action with the highest network output, at random if several are equal: ``neat:PATH``.

    The genome is the network as a row (:mod:`ci_envs.agents.evolution.networks`). ``neat:quixo`` is included.
    """

    agent_name = AGENT
    trainer: ClassVar[str | type] = "ci_envs.agents.evolution.neat_training:NeatTrainer"
    genome_policy: NetworkPolicy

    @validated
    def __init__(
        self,
        game: Game,
        path: ChampionPath,
        *,
        lookahead: LookaheadOption = None,
        seed: int | None = None,
    ) -> None:
        """Make the agent.

        Raises:
            ValueError: the file is not a champion of this agent, is for another game, or ``lookahead`` is out of range.
            OSError: the file cannot be read.
        """
        super().__init__(game, path, seed=seed)
        if lookahead is not None:
            self.genome_policy = replace(self.genome_policy, lookahead=lookahead)

    @override
    def _make_genome_policy(self) -> NetworkPolicy:
        options = self.champion.options
        policy = NetworkPolicy(
            OUTPUTS[options["outputs"]],
            bool(options["symmetries"]),
            softmax=bool(options.get("softmax", False)),  # only networks with encoding=layers can have a softmax
            lookahead=integer_between("lookahead", options.get("lookahead", 0), 0, MAX_LOOKAHEAD),
            features=INPUTS[options.get("inputs", "planes")],
        )
        read_row(self.genome, *self._sizes(policy))
        return policy

    def _sizes(self, policy: NetworkPolicy) -> tuple[int, int]:
        """Return the numbers of inputs and outputs of the network."""
        return policy.inputs(self.game), policy.outputs(self.game)

    def module(self) -> "nn.Sequential":
        """Return a network with ``encoding=layers`` as a PyTorch module.

        The module maps the inputs, float64 of shape (n, inputs), to float64 of shape (n, outputs).

        Raises:
            ValueError: the network is not a list of layers.
            ImportError: PyTorch is not installed.
        """
        policy = self.genome_policy
        return torch_module(layers_of(self.genome, *self._sizes(policy)), softmax=policy.softmax)
