"""The mistakes of a game and their grades."""

from dataclasses import dataclass

from ci_envs.games.position import Position
from ci_envs.web.evaluation import Evaluation

GRADES = {"blunder": 0.75, "mistake": 0.45, "inaccuracy": 0.25}
"""The smallest drop of the winning chances of each grade. Two estimates of the same value differ by less than the last.

With exact values, a blunder turns a win into a loss, and a mistake turns a win into a draw or a draw into a loss.
"""

_LOST = {(1, 0): "threw away a win", (1, -1): "turned a win into a loss", (0, -1): "threw away a draw"}


@dataclass(frozen=True)
class Mistake:
    """A move after which the winning chances of the player are smaller.

    Attributes:
        grade: A key of :data:`GRADES`.
        text: A description, for example ``threw away a win``.
    """

    grade: str
    text: str


def mistake(position: Position, action: int, before: Evaluation, after: Evaluation) -> Mistake | None:
    """Return the mistake that an action is, or None if it is not a mistake.

    The exact scores of the actions are used if they are known. An estimate and an exact value are never compared.

    Args:
        position: The position before the action.
        action: The action.
        before: The evaluation of the position.
        after: The evaluation of the position after the action.
    """
    if before.scores:
        best, played = (_sign(score) for score in (max(before.scores), before.scores[action]))
        return _graded((best - played) / 2, _LOST.get((best, played), ""))
    if before.exact or after.exact:
        return None
    high, low = (each.chance if position.to_move == 0 else 1 - each.chance for each in (before, after))
    return _graded(high - low, f"winning chances fell from {high:.0%} to {low:.0%}")


def tried_mistake(position: Position, action: int, before: Evaluation, after: Evaluation) -> Mistake | None:
    """Return the mistake that a try in an exercise is, or None. A lost position is one, also after an estimate.

    The arguments are those of :func:`mistake`.
    """
    lost = after.exact and after.chance == position.to_move
    return Mistake("blunder", "loses") if lost and not before.exact else mistake(position, action, before, after)


def _graded(drop: float, text: str) -> Mistake | None:
    return next((Mistake(grade, text) for grade, least in GRADES.items() if drop >= least), None)


def _sign(score: int) -> int:
    return (score > 0) - (score < 0)
