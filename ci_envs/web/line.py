"""The line of moves that a page shows: the moves of a game, or a variation."""

from dataclasses import dataclass, replace
from functools import cached_property

from ci_envs.games.position import Position
from ci_envs.web.hosted_game import HostedGame


@dataclass(frozen=True)
class Line:
    """The moves of a game or of a variation, and the position that is shown. A variation does not change the game.

    Attributes:
        hosted: The game.
        ply: The number of moves before the position that is shown.
        base: The number of moves of the game before the variation.
        variation: The actions of the variation. Empty if there is no variation.
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
        """The positions of the line, from the first one to the last one."""
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
        """The action before the position that is shown, or None at the start."""
        return self.actions[self.ply - 1] if self.ply else None

    @property
    def length(self) -> int:
        """The number of moves of the line."""
        return len(self.actions)

    @property
    def is_current(self) -> bool:
        """Whether the line shows the current position of the game."""
        return not self.variation and self.ply == self.length

    def go(self, ply: int) -> "Line":
        """Return the line that shows the position after ``ply`` moves, or the nearest position that exists."""
        return replace(self, ply=max(0, min(ply, self.length)))

    def play(self, action: int) -> "Line":
        """Return the line after an action in the position that is shown.

        The action is the next move of the line, or it begins or continues a variation.
        """
        if self.actions[self.ply : self.ply + 1] == (action,):
            return self.go(self.ply + 1)
        base = min(self.ply, self.base) if self.variation else self.ply
        return Line(self.hosted, self.ply + 1, base, (*self.actions[base : self.ply], action))

    def leave(self) -> "Line":
        """Return the line of the game without the variation, at the position before the variation."""
        return Line(self.hosted, self.base) if self.variation else self

    def follow(self, hosted: HostedGame) -> "Line":
        """Return the line after a change of the game.

        The line shows the same position as before. If it showed the last position of the game, it shows the new one.
        """
        if self.is_current:
            return Line.end_of(hosted)
        shown = self.base if self.variation else self.ply
        if hosted.record.actions[:shown] == self.hosted.record.actions[:shown]:
            return replace(self, hosted=hosted)
        return Line.end_of(hosted)
