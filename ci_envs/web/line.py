"""The moves that a page shows: those of a game, or a variation that leaves the game."""

from dataclasses import dataclass, replace
from functools import cached_property

from ci_envs.games.position import Position
from ci_envs.web.hosted_game import HostedGame


@dataclass(frozen=True)
class Line:
    """The moves of a game with a position that is shown, or a variation, which does not change the game.

    Attributes:
        hosted: the game.
        ply: the number of moves before the position that is shown.
        base: the number of moves of the game that a variation follows.
        variation: the actions of the variation after them; empty if there is no variation.
    """

    hosted: HostedGame
    ply: int
    base: int = 0
    variation: tuple[int, ...] = ()

    @classmethod
    def end_of(cls, hosted: HostedGame) -> "Line":
        """Return the line of a game that shows its last position."""
        return cls(hosted, len(hosted.record.actions))

    @cached_property
    def positions(self) -> tuple[Position, ...]:
        """The positions from the first one on."""
        if not self.variation:
            return self.hosted.positions
        found = list(self.hosted.positions[: self.base + 1])
        for action in self.variation:
            found.append(found[-1].play(action))
        return tuple(found)

    @property
    def actions(self) -> tuple[int, ...]:
        """The actions between the positions."""
        played = self.hosted.record.actions
        return (*played[: self.base], *self.variation) if self.variation else played

    @property
    def position(self) -> Position:
        """The position that is shown."""
        return self.positions[self.ply]

    @property
    def last(self) -> int | None:
        """The action that led to the position that is shown; None at the start."""
        return self.actions[self.ply - 1] if self.ply else None

    @property
    def length(self) -> int:
        """The number of moves."""
        return len(self.actions)

    @property
    def is_current(self) -> bool:
        """Whether the position is the one at which the game stands."""
        return not self.variation and self.ply == self.length

    def go(self, ply: int) -> "Line":
        """Return the line that shows the position after ``ply`` moves, or the nearest one that exists."""
        return replace(self, ply=max(0, min(ply, self.length)))

    def play(self, action: int) -> "Line":
        """Return the line after an action at the position that is shown: the next move of the line, or a variation."""
        if self.actions[self.ply : self.ply + 1] == (action,):
            return self.go(self.ply + 1)
        base = min(self.ply, self.base) if self.variation else self.ply
        return Line(self.hosted, self.ply + 1, base, (*self.actions[base : self.ply], action))

    def leave(self) -> "Line":
        """Return the line of the game that shows the position where the variation leaves it."""
        return Line(self.hosted, self.base) if self.variation else self

    def follow(self, hosted: HostedGame) -> "Line":
        """Return the line of the same game after a change: what is shown stays, but the end follows the game."""
        if self.is_current:
            return Line.end_of(hosted)
        shown = self.base if self.variation else self.ply
        if hosted.record.actions[:shown] == self.hosted.record.actions[:shown]:
            return replace(self, hosted=hosted)
        return Line.end_of(hosted)
