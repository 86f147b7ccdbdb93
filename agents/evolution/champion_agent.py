"""The base class of agents that play by an evolved genome."""

from abc import abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar

from numpy.typing import NDArray
from typing_extensions import override

from ci_envs.agent_interface.policy import CompiledPolicy
from ci_envs.agent_interface.policy_agent import PolicyAgent
from ci_envs.agent_interface.supported_game import require_game
from ci_envs.agents.evolution.champion import Champion, read_champion, shipped_champions
from ci_envs.agents.evolution.play import GenomePolicy
from ci_envs.games.game import Game
from ci_envs.registry.options import Option, Untrusted, validated

ChampionPath = Annotated[
    str | Path | Champion,
    Option("file of a champion, or the name of an included one", untrusted=Untrusted(included=True)),
]
"""The option for the genome of an agent."""


class ChampionAgent(PolicyAgent):
    """An agent that plays by a champion.

    Attributes:
        agent_name: the name of the agent in spec strings and in champions.
        champion: the genome with its options.
        game_class: the class of games that the agent plays. None means any game.
        genome_policy: the policy that plays by the genome.
    """

    agent_name: ClassVar[str]
    game_class: ClassVar[type[Game] | None] = None

    @classmethod
    def checkpoints(cls) -> Mapping[str, Path]:
        """Return the champions that come with the package, by name."""
        return shipped_champions(cls.agent_name)

    @validated
    def __init__(self, game: Game, path: ChampionPath, *, seed: int | None = None) -> None:
        """Make the agent.

        Raises:
            ValueError: the agent does not play ``game``, or the file is not a champion for it.
            OSError: the file cannot be read.
        """
        if self.game_class is not None:
            require_game(self.agent_name, game, self.game_class)
        super().__init__(game, seed=seed)
        self.champion = read_champion(path, self.agent_name, game)
        try:
            self.genome_policy = self._make_genome_policy()
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"{str(path)!r} is not a valid champion: {error}") from None

    @abstractmethod
    def _make_genome_policy(self) -> GenomePolicy:
        """Return the policy for the champion's options. KeyError, TypeError or ValueError mean an invalid champion."""

    @property
    def genome(self) -> NDArray[Any]:
        """The champion's genome, float64 of shape (genes,)."""
        return self.champion.genome

    @override
    def policy(self) -> CompiledPolicy:
        return self.genome_policy.compiled(self.game, self.genome)
