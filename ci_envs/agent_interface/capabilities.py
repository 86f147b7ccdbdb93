"""Optional capabilities of agents, each declared as a protocol."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import ClassVar, Protocol, runtime_checkable

from typing_extensions import override

from ci_envs.agent_interface.analysis import Analysis
from ci_envs.games.position import Position


@runtime_checkable
class Analyst(Protocol):
    """An agent that can analyse a position."""

    def analyse(self, position: Position) -> Analysis:
        """Analyse a position of the agent's game.

        Raises:
            ValueError: the position is of another game, or the game is over.
        """


@runtime_checkable
class AnytimeAnalyst(Analyst, Protocol):
    """An analyst that also reports intermediate results while it searches (an anytime algorithm).

    A subclass implements only :meth:`think`.
    """

    def think(self, position: Position) -> Iterator[Analysis]:
        """Analyse a position and yield intermediate results and then the final result, that of :meth:`analyse`.

        Raises:
            ValueError: the position is of another game, or the game is over.
        """
        ...

    @override
    def analyse(self, position: Position) -> Analysis:
        *_, analysis = self.think(position)
        return analysis


@runtime_checkable
class Trainable(Protocol):
    """An agent class whose agents can be trained.

    Attributes:
        trainer: the trainer class, or ``"module:Class"``, which is imported only for training.
    """

    trainer: ClassVar[str | type]


@runtime_checkable
class HasCheckpoints(Protocol):
    """An agent class with trained checkpoints in the package."""

    @staticmethod
    def checkpoints() -> Mapping[str, Path]:
        """Return the files by the names that the option ``path`` accepts."""


def as_analyst(agent: object, spec: str) -> Analyst:
    """Return the agent if it can analyse positions.

    Args:
        agent: any agent.
        spec: its spec string, for the message.

    Raises:
        ValueError: the agent has no method ``analyse``.
    """
    if not isinstance(agent, Analyst):
        raise ValueError(f"agent {spec} cannot analyse: it has no method 'analyse'")
    return agent


def analyses(agent: Analyst, position: Position) -> Iterator[Analysis]:
    """Yield the intermediate analyses of an :class:`AnytimeAnalyst`, or the only analysis of another analyst."""
    if isinstance(agent, AnytimeAnalyst):
        yield from agent.think(position)
    else:
        yield agent.analyse(position)
