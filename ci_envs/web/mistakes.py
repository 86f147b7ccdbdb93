"""The mistakes of a game."""

from ci_envs.games.position import Position
from ci_envs.web.evaluation import Evaluation

_DROP = 0.25
"""The smallest drop of the winning chances that is a mistake. Estimates of the same value differ by less."""

_LOST = {(1, 0): "threw away a win", (1, -1): "turned a win into a loss", (0, -1): "threw away a draw"}


def mistake(position: Position, action: int, before: Evaluation, after: Evaluation) -> str | None:
    """Return a description of a mistake, for example ``threw away a win``, or None if an action is not a mistake.

    Args:
        position: The position before the action.
        action: The action.
        before: The evaluation of the position.
        after: The evaluation of the position after the action.
    """
    if before.scores:
        best = max(before.scores[each] for each in position.legal_actions())
        return _LOST.get((best, before.scores[action]))
    chances = [each.chance if position.to_move == 0 else 1 - each.chance for each in (before, after)]
    if chances[0] - chances[1] < _DROP:
        return None
    return f"winning chances fell from {chances[0]:.0%} to {chances[1]:.0%}"
