"""Pictures of positions, with marks for the last action, the analysis of an agent and exact scores."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ci_envs.agent_interface.analysis import Analysis
from ci_envs.drawing.annotation import Marks, annotated
from ci_envs.drawing.drawing import Drawing
from ci_envs.drawing.picture_file import save_picture
from ci_envs.games.position import Position


@dataclass(frozen=True, repr=False)
class Picture:
    """A picture of a position, returned by :func:`show`. A notebook shows it as SVG. A terminal shows it as text.

    Attributes:
        position: The position.
        marks: The highlighted regions.
    """

    position: Position
    marks: Marks

    def drawing(self) -> Drawing:
        """Return the picture with its marks.

        Raises:
            ValueError: A mark is on a region that the picture does not have.
        """
        position = self.position
        return annotated(position.draw(), self.marks)

    def save(self, path: str | Path) -> None:
        """Write the picture to a file whose name ends in ``.svg`` or ``.png``.

        Raises:
            ValueError: The name has another ending.
            OSError: The file cannot be written.
            ImportError: PNG needs the package ``pillow``, which is not installed.
        """
        save_picture(self.drawing(), path)

    def _repr_svg_(self) -> str:
        return self.drawing().svg()

    def __repr__(self) -> str:
        return self.position.diagram()


def show(position: Position, analysis: Analysis | None = None, last: int | None = None) -> Picture:
    """Return the picture of a position, with marks for the winning lines, an analysis and the last action.

    Args:
        position: The position.
        analysis: The result of an agent's ``analyse``. A darker green of a region means a larger share of the visits.
            Without ``visits`` the best actions have equal shares. A green frame marks the action of the agent.
        last: The action that led to the position.

    Raises:
        TypeError: ``position`` is no position.
        ValueError: ``last`` is not an action of the game.

    Examples:
        >>> from ci_envs import Position, TicTacToe, make_agent, show
        >>> position = Position.from_text(TicTacToe(), "XX./OO./... X")
        >>> picture = show(position, make_agent("minimax", TicTacToe(), seed=0).analyse(position))
    """
    if not isinstance(position, Position):
        raise TypeError(f"a picture needs a position such as Position.start(game), not {position!r}")
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
        position: The position.
        analysis: The result of an agent's ``analyse``, or None.
        last: The action that led to the position.
        scores: The exact score of each action, legal or not: positive for a win, negative for a loss. An empty sequence
            means that the scores are unknown. The mark of a region shows the score of its best action.
        clicked: The regions that were clicked so far, if an action takes several clicks. The marks are for the next
            click.

    Raises:
        ValueError: ``last`` is not an action of the game.
    """
    actions = position.legal_actions()
    clicks = next_clicks(position, actions, clicked)
    shares = {} if analysis is None else action_shares(analysis, actions)
    best = () if analysis is None else analysis.principal_variation[:1]
    if last is not None:
        position.action_name(last)  # checks the action
    return Marks(
        last=() if last is None else position.trace(last),
        selected=clicked,
        best=tuple(target for action in best for target in position.targets(action)),
        heat={region: _sum(shares[action] for action in there) for region, there in clicks.items() if shares},
        verdicts={region: max(_sign(scores[action]) for action in there) for region, there in clicks.items() if scores},
        lines=position.winning_lines(),
        best_arrow=arrow_of(position, best[0]) if best else (),
        last_arrow=() if last is None else _arrow(position.last_targets(last)),
    )


def arrow_of(position: Position, action: int) -> tuple[str, ...]:
    """Return the first and the last region of the arrow of an action, or ``()`` for an action with one region."""
    return _arrow(position.targets(action))


def _arrow(targets: tuple[str, ...]) -> tuple[str, ...]:
    return targets if len(targets) == 2 else ()


def next_clicks(position: Position, actions: Iterable[int], clicked: tuple[str, ...] = ()) -> dict[str, list[int]]:
    """Return the actions that remain possible after the next click, by the region of this click.

    Args:
        position: The position before the first click.
        actions: The actions to choose from.
        clicked: The regions that were clicked so far.
    """
    clicks: dict[str, list[int]] = {}
    for action in actions:
        targets = position.targets(action)
        if targets[: len(clicked)] == clicked and targets != clicked:
            clicks.setdefault(targets[len(clicked)], []).append(action)
    return clicks


def action_shares(analysis: Analysis, actions: Sequence[int]) -> dict[int, float]:
    """Return the share of the visits of each action. Without visits the best actions have equal shares.

    The sum of the shares is 1.
    """
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
    return min(1.0, math.fsum(shares))  # the sum of rounded shares can exceed 1


def _sign(score: int) -> int:
    return (score > 0) - (score < 0)
