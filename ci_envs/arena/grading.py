"""Grades of actions by the exact solution of a game."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ci_envs.arena.proportion import Proportion
from ci_envs.games.operations import LOSS
from ci_envs.solver.solution import NO_SCORE, Progress, Solution, keep_value
from ci_envs.validation import integer_between

_SEARCHED_AT_ONCE = 4  # positions between two reports of progress if each needs searches
_READ_AT_ONCE = 1024


@dataclass(frozen=True)
class Grading:
    """The grading of the actions of a match.

    Attributes:
        solution: the solution of the game.
        limit: maximum number of graded actions per agent, spread evenly over the match. None grades all actions.
        progress: a function that is called repeatedly with the number of graded actions of an agent and the number of
            its actions to grade, or None.

    Raises:
        ValueError: ``limit`` is not 0 or more.

    Examples:
        >>> from ci_envs import TicTacToe, make_agent, solve
        >>> from ci_envs.arena import Grading, play_match
        >>> agents = [make_agent("minimax:depth=9", TicTacToe(), seed=seed) for seed in (0, 1)]
        >>> match = play_match(TicTacToe(), *agents, 20, grading=Grading(solve(TicTacToe()), limit=50))
        >>> match.sides[0].accuracy.everywhere.decisions
        50
    """

    solution: Solution
    limit: int | None = None
    progress: Progress | None = None

    def __post_init__(self) -> None:
        if self.limit is not None:
            object.__setattr__(self, "limit", integer_between("limit", self.limit, 0))


@dataclass(frozen=True)
class Tally:
    """The quality of some decisions.

    Attributes:
        decisions: the number of decisions.
        keeping: the number of decisions that kept the value of the position.
        fastest: the number of decisions that also won as fast or lost as slowly as possible; None if distances are
            unknown.
        points: the points that all decisions lost; a win has 1 point, a draw 1/2.
    """

    decisions: int = 0
    keeping: int = 0
    fastest: int | None = 0
    points: float = 0.0

    @property
    def keeps(self) -> Proportion:
        """The decisions that kept the value."""
        return Proportion(self.keeping, self.decisions)

    @property
    def best(self) -> Proportion:
        """The decisions that also were as fast or as slow as possible. It has no cases if distances are unknown."""
        return Proportion() if self.fastest is None else Proportion(self.fastest, self.decisions)

    def __add__(self, other: "Tally") -> "Tally":
        fastest = None if self.fastest is None or other.fastest is None else self.fastest + other.fastest
        return Tally(
            self.decisions + other.decisions, self.keeping + other.keeping, fastest, self.points + other.points
        )


@dataclass(frozen=True)
class Accuracy:
    """The quality of an agent's decisions.

    Attributes:
        everywhere: in all positions.
        critical: in the positions in which a mistake is possible, because some legal action does not keep the value.
        illegal: the number of illegal actions. Each counts as a loss.
        unknown: the number of decisions that were not graded, because the solution did not find their values within its
            limit.
        first_fault: why the agent gave no action when this happened first, or an empty text.
    """

    everywhere: Tally = Tally()
    critical: Tally = Tally()
    illegal: int = 0
    unknown: int = 0
    first_fault: str = ""

    def __add__(self, other: "Accuracy") -> "Accuracy":
        return Accuracy(
            everywhere=self.everywhere + other.everywhere,
            critical=self.critical + other.critical,
            illegal=self.illegal + other.illegal,
            unknown=self.unknown + other.unknown,
            first_fault=self.first_fault or other.first_fault,
        )


def grade_decisions(grading: Grading, words: NDArray[np.uint64], actions: NDArray[np.int64]) -> Accuracy:
    """Grade the decisions of an agent in a match, or the requested number of them. Each position is solved once.

    Args:
        grading: how to grade the decisions.
        words: the positions, uint64 of shape (n, 2).
        actions: the chosen actions, shape (n,), legal or not.
    """
    covered = np.flatnonzero(grading.solution.covers(words))
    count = len(covered) if grading.limit is None else min(grading.limit, len(covered))
    chosen = covered[np.arange(count) * len(covered) // max(count, 1)]
    different, numbers = np.unique(words[chosen], axis=0, return_inverse=True)
    chosen = chosen[np.argsort(numbers.ravel(), kind="stable")]  # equal positions follow each other
    ends = np.cumsum(np.bincount(numbers.ravel(), minlength=len(different)))
    size = _SEARCHED_AT_ONCE if grading.solution.searches else _READ_AT_ONCE
    accuracy, graded = Accuracy(), 0
    for begin in range(0, len(different), size):
        scores = grading.solution.grading_scores(different[begin : begin + size])
        repeats = np.diff(ends[begin : begin + size], prepend=graded)
        rows = chosen[graded : graded + repeats.sum()]
        accuracy += grade(scores.repeat(repeats, axis=0), actions[rows])
        graded += len(rows)
        if grading.progress:
            grading.progress(graded, count)
    return accuracy


def grade(action_scores: NDArray[np.int16], actions: NDArray[np.int64]) -> Accuracy:
    """Grade one action in each of n positions.

    Args:
        action_scores: the result of :meth:`ci_envs.solver.solution.Solution.grading_scores`, shape (n, actions).
        actions: the chosen actions, shape (n,), legal or not.
    """
    known = (action_scores != NO_SCORE).any(axis=1)
    action_scores, actions = action_scores[known], actions[known]
    count = action_scores.shape[1]
    within = actions.clip(0, count - 1)
    chosen = np.where(actions == within, action_scores[np.arange(len(actions)), within], np.int16(NO_SCORE))
    best = action_scores.max(axis=1)
    critical = ((action_scores != NO_SCORE) & ~keep_value(action_scores)).any(axis=1)
    return Accuracy(
        everywhere=_tally(chosen, best),
        critical=_tally(chosen[critical], best[critical]),
        illegal=int(np.count_nonzero(chosen == NO_SCORE)),
        unknown=int(np.count_nonzero(~known)),
    )


def _tally(chosen: NDArray[np.int16], best: NDArray[np.int16]) -> Tally:
    legal = chosen != NO_SCORE
    value, best_value = np.where(legal, np.sign(chosen), LOSS), np.sign(best)
    distances_known = not (np.abs(best) == 1).any()
    return Tally(
        decisions=len(chosen),
        keeping=int(np.count_nonzero(legal & (value == best_value))),
        fastest=int(np.count_nonzero(chosen == best)) if distances_known else None,
        points=float((best_value - value).sum()) / 2,
    )
