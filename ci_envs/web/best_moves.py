"""The best moves of a position with their chances, by exact values if they are known, otherwise by an agent."""

from dataclasses import dataclass

from ci_envs.drawing.annotation import Candidate
from ci_envs.games.position import Position
from ci_envs.solver.solution import HORIZON
from ci_envs.web.analysis_report import AnalysisReport
from ci_envs.web.evaluation import Evaluation
from ci_envs.web.players import plies_text

LISTED, MARKED = 5, 3
"""The largest number of best moves in the list, and on the board."""


@dataclass(frozen=True)
class BestMove:
    """A good move.

    Attributes:
        action: The action.
        short: The chance as a few characters for the board, for example ``62%``, or empty.
        text: The chance as text for the list, for example ``win in 5 moves (exact)``.
        is_good: Whether the exact result of the move is that of the best move, or is unknown.
    """

    action: int
    short: str
    text: str
    is_good: bool = True


def best_moves(position: Position, report: AnalysisReport, evaluation: Evaluation | None) -> list[BestMove]:
    """Return up to :data:`LISTED` best moves, the best one first.

    Args:
        position: A position that is not over.
        report: The analysis of an agent.
        evaluation: The evaluation of the position, or None if it is unknown.
    """
    if evaluation is not None and evaluation.scores:
        scores, preferred = evaluation.scores, report.principal_variation[:1]
        actions = position.legal_actions()
        order = sorted(actions, key=lambda action: (-scores[action], position.action_name(action) not in preferred))
        highest = scores[order[0]]
        return [_exact(action, scores[action], highest) for action in order[:LISTED]]
    if report.win_probability is not None and report.tree:
        branches = [branch for branch in report.tree if branch.value is not None]
        chances = [(branch.number, ((branch.value or 0) + 1) / 2) for branch in branches[:LISTED]]
        return [BestMove(action, f"{chance:.0%}", f"{chance:.0%} to win") for action, chance in chances]
    values = [(each.number, each.value) for each in report.actions if each.value is not None]
    values.sort(key=lambda pair: -pair[1])
    found = [BestMove(action, "", f"value {value:+.2f}") for action, value in values[:LISTED]]
    return found or [BestMove(position.parse_action(name), "", "") for name in report.principal_variation[:1]]


def candidates(position: Position, moves: list[BestMove]) -> tuple[Candidate, ...]:
    """Return the marks of the best moves on the board."""
    good = [move for move in moves if move.is_good]
    return tuple(Candidate(position.targets(move.action), move.short) for move in good[:MARKED])


def _exact(action: int, score: int, highest: int) -> BestMove:
    """Return a move with its exact result, and with its distance to the end of the game if it is known.

    Args:
        action: The action.
        score: The exact score of the action.
        highest: The exact score of the best action.
    """
    result = (score > 0) - (score < 0)
    word, plies = ("draw", "win", "loss")[result], HORIZON - abs(score)
    short, text = (f"{word} {plies}", f"{word} in {plies_text(plies)}") if abs(score) > 1 else (word, word)
    return BestMove(action, short, f"{text} (exact)", is_good=result == (highest > 0) - (highest < 0))
