"""The content of a board at one moment."""

from dataclasses import dataclass, replace

from ci_envs.agent_interface.analysis import Analysis
from ci_envs.drawing.annotation import Candidate, Marks
from ci_envs.drawing.drawing import Drawing
from ci_envs.games.position import Position
from ci_envs.guides import guide_of
from ci_envs.picture import arrow_of, marks_of, next_clicks


@dataclass(frozen=True)
class BoardView:
    """The content of a board.

    Attributes:
        position: The position that is shown.
        last: The action before the position, or None.
        playable: Whether the user may play now.
        tries: Whether a move begins or continues a variation instead of being played in the game.
        blocked: Why the user may not play now, in a sentence. A click shows it.
        analysis: The analysis to show, or None.
        scores: The exact scores of the actions, or an empty tuple.
        hint: The recommended action, or None.
        candidates: The marks of the best actions.
        flipped: Whether the board is shown from the other side.
    """

    position: Position
    last: int | None = None
    playable: bool = False
    tries: bool = False
    blocked: str = ""
    analysis: Analysis | None = None
    scores: tuple[int, ...] = ()
    hint: int | None = None
    candidates: tuple[Candidate, ...] = ()
    flipped: bool = False

    def clicks(self, clicked: tuple[str, ...]) -> dict[str, list[int]]:
        """Return the actions by the region to click next (:func:`~ci_envs.picture.next_clicks`)."""
        actions = self.position.legal_actions() if self.playable else ()
        return next_clicks(self.position, actions, clicked)

    def drawing(self) -> Drawing:
        """Return the picture without marks."""
        return self.position.game.draw(self.position.own, self.position.opp, self.position.to_move)

    def marks(self, clicked: tuple[str, ...]) -> Marks:
        """Return the marks on the board after some clicks."""
        marks = marks_of(self.position, self.analysis, self.last, scores=self.scores, clicked=clicked)
        shown = () if clicked else self.candidates
        marks = replace(marks, clickable=tuple(self.clicks(clicked)), candidates=shown)
        if self.hint is None:
            return marks
        return replace(marks, best=self.position.targets(self.hint), best_arrow=arrow_of(self.position, self.hint))

    def prompt(self, clicked: tuple[str, ...]) -> str:
        """Return an instruction for the next click, or an empty text if the user may not play."""
        if not self.playable:
            return ""
        text = guide_of(self.position.game).prompt(self.position, clicked)
        text = f"try a move: {text}" if self.tries else text
        return f"{text[:1].upper()}{text[1:]}."

    def refusal(self, clicked: tuple[str, ...], region: str) -> str:
        """Return a sentence that says why a click on a region has no effect."""
        if not self.playable:
            return self.blocked
        return guide_of(self.position.game).why_illegal(self.position, clicked, region)
