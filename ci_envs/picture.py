"""A position as a picture, with marks for the last action, an agent's analysis and exact scores."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ci_envs.agent.analysis import Analysis
from ci_envs.drawing.annotation import Marks, annotated
from ci_envs.drawing.drawing import Drawing
from ci_envs.drawing.picture_file import save_picture
from ci_envs.games.game import Game
from ci_envs.games.position import Position


@dataclass(frozen=True, repr=False)
class Picture:
    """A picture of a position, returned by :func:`show`. A notebook shows it as SVG, a terminal as text.

    Attributes:
        position: the position.
        marks: the highlighted regions.
    """

    position: Position
    marks: Marks

    def drawing(self) -> Drawing:
        """Return the picture with its marks.

        Raises:
            ValueError: a mark is on no region of it.
        """
        position = self.position
        return annotated(position.draw(), self.marks)

    def save(self, path: str | Path) -> None:
        """Write the picture to a file, as SVG or PNG by its ending; errors as of :meth:`Position.save`."""
        save_picture(self.drawing(), path)

    def _repr_svg_(self) -> str:
        return self.drawing().svg()

    def __repr__(self) -> str:
        return self.position.diagram()


def show(position: Position, analysis: Analysis | None = None, last: int | None = None) -> Picture:
    """Return the picture of a position, with marks for the winning lines, an analysis and the last action.

    Args:
        position: what to show.
        analysis: the result of an agent's ``analyse``. The green of a region shows the share of the visits of the
            actions there; without ``visits`` the best actions share it equally. The agent's choice has a green frame.
        last: the action that led to the position.

    Raises:
        ValueError: ``last`` is no action of the game.

    Examples:
        >>> from ci_envs import Position, TicTacToe, make_agent, show
        >>> position = Position.from_text(TicTacToe(), "XX./OO./... X")
        >>> picture = show(position, make_agent("minimax", TicTacToe(), seed=0).analyse(position))
    """
    return Picture(position, marks_of(position, analysis, last))


def marks_of(
    position: Position,
    analysis: Analysis | None = None,
    last: int | None = None,
    *,
    scores: Sequence[int] = (),
    clicked: tuple[str, ...] = (),
) -> Marks:
    """Return the marks for a position.

    Args:
        position: the position.
        analysis: as in :func:`show`.
        last: the action that led to the position.
        scores: for each action, legal or not, more than 0 if it wins and less if it loses; or nothing. A region has
            the verdict on the best action that one can click there.
        clicked: the regions clicked so far, of an action that takes several; heat and verdicts are for the next click.

    Raises:
        ValueError: ``last`` is no action of the game.
    """
    game, actions = position.game, position.legal_actions()
    clicks = next_clicks(game, actions, clicked)
    shares = {} if analysis is None else action_shares(analysis, actions)
    best = () if analysis is None else analysis.principal_variation[:1]
    if last is not None:
        position.action_name(last)  # which checks it
    return Marks(
        last=() if last is None else game.trace(position.own, position.opp, last),
        selected=clicked,
        best=tuple(target for action in best for target in game.targets(action)),
        heat={region: _sum(shares[action] for action in there) for region, there in clicks.items() if shares},
        verdicts={region: max(_sign(scores[action]) for action in there) for region, there in clicks.items() if scores},
        lines=game.winning_lines(position.own, position.opp),
        best_arrow=arrow_of(game, best[0]) if best else (),
        last_arrow=() if last is None else arrow_of(game, last),
    )


def arrow_of(game: Game, action: int) -> tuple[str, ...]:
    """Return the regions where the arrow of an action begins and ends; nothing for an action of one region."""
    targets = game.targets(action)
    return targets if len(targets) == 2 else ()


def next_clicks(game: Game, actions: Iterable[int], clicked: tuple[str, ...] = ()) -> dict[str, list[int]]:
    """By the region to click next, the ``actions`` that one can come to by clicking it after ``clicked``."""
    clicks: dict[str, list[int]] = {}
    for action in actions:
        targets = game.targets(action)
        if targets[: len(clicked)] == clicked and targets != clicked:
            clicks.setdefault(targets[len(clicked)], []).append(action)
    return clicks


def action_shares(analysis: Analysis, actions: Sequence[int]) -> dict[int, float]:
    """Return each action's share of the visits, in all 1; without visits the best actions have equal shares."""
    visits = analysis.visits
    if visits is not None and any(visits[action] for action in actions):
        weights = {action: float(visits[action]) for action in actions}
    else:
        values = {action: analysis.action_values[action] for action in actions}
        best = max((value for value in values.values() if not math.isnan(value)), default=None)
        weights = {action: float(value == best) for action, value in values.items()}
    total = sum(weights.values())
    return {action: weight / total for action, weight in weights.items()}


def _sum(shares: Iterable[float]) -> float:
    return min(1.0, math.fsum(shares))  # rounded shares may come to a little more


def _sign(score: int) -> int:
    return (score > 0) - (score < 0)
