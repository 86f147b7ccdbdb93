"""Learning from mistakes: the user looks for a better move in the position before each mistake of a game."""

from collections.abc import Callable, Mapping

from nicegui import ui

from ci_envs.games.position import Position
from ci_envs.web.evaluation import Evaluation
from ci_envs.web.line import Line
from ci_envs.web.mistakes import Mistake
from ci_envs.web.players import move_text


class Practice:
    """The button that goes through the mistakes of a game, and the text that says what to do."""

    def __init__(self, on_go: Callable[[int], None]) -> None:
        """Make the button in the current element.

        Args:
            on_go: Called with the number of moves of the game before the position to show.
        """
        self._on_go = on_go
        self._mistakes: Mapping[int, Mistake] = {}
        self._ply: int | None = None  # of the mistake in whose position the user looks for a better move
        self._button = ui.button("Learn from your mistakes", icon="school", on_click=self._next)
        self._button.props("flat dense no-caps")
        self._text = ui.label().classes("note").props("aria-live=polite")

    def show(self, line: Line, mistakes: Mapping[int, Mistake]) -> None:
        """Show a line, and end the exercise if the line has left its position.

        Args:
            line: The line.
            mistakes: The mistakes of the user, by the number of the move, from 1.
        """
        self._mistakes = mistakes
        self._button.set_visibility(bool(mistakes))
        if self._ply is not None and (self._ply not in mistakes or not _shows(line, self._ply)):
            self.end()

    def tried(self, line: Line) -> bool:
        """Return whether the last move of a line is a try in an exercise. If it is, :meth:`grade` is to be called."""
        return self._ply is not None and line.ply == self._ply

    def grade(self, before: Evaluation, action: int, position: Position, wrong: Mistake | None) -> None:
        """Say whether a move is better than the mistake. If it is not, show the position before it again.

        Args:
            before: The evaluation of the position before the move.
            action: The move.
            position: The position before the move.
            wrong: The mistake that the move is, or None.
        """
        assert self._ply is not None
        name = move_text(position, action)
        if wrong is None:
            self._text.set_text(f"{name} is {'the best move' if action in before.best else 'a good move'}.")
        else:
            self._text.set_text(f"{name} is not good enough ({wrong.grade}). Try again.")
            self._on_go(self._ply - 1)

    def end(self) -> None:
        """End the exercise."""
        self._ply = None
        self._text.set_text("")

    def _next(self) -> None:
        """Begin the exercise with the next mistake. The first one follows the last one."""
        later = [ply for ply in self._mistakes if ply > (self._ply or 0)]
        ply = next(iter(later or self._mistakes), None)
        if ply is None:
            return
        self._ply = None
        self._on_go(ply - 1)
        self._ply = ply
        wrong = self._mistakes[ply]
        self._text.set_text(f"Move {ply} was a wrong move ({wrong.grade}: {wrong.text}). Find a better move.")


def _shows(line: Line, ply: int) -> bool:
    """Return whether a line shows the position before a move of the game, or the position after one move there."""
    return line.ply in (ply - 1, ply) and (not line.variation or line.base == ply - 1)
