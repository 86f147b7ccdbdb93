"""Evaluators of leaves other than the evaluation of the game."""

from dataclasses import dataclass
from typing import Any

from ci_envs.games import evaluate, implements
from ci_envs.games.grid import longest_run
from ci_envs.kernels.dispatch import Static


@dataclass(frozen=True)
class Evaluator(Static):
    """Base class of evaluators of leaves that are not games: a frozen dataclass that implements ``evaluate``."""


@dataclass(frozen=True)
class ZeroEvaluator(Evaluator):
    """Evaluator that returns 0 for every position."""


@implements(evaluate, ZeroEvaluator)
def _(evaluator: ZeroEvaluator) -> Any:
    return lambda evaluator, own, opp: 0


@dataclass(frozen=True)
class LongestRunEvaluator(Evaluator):
    """Evaluator that returns the length of the longest run of adjacent stones of one player in a line.

    A search gets the tuple (evaluator, game), where the game is played on a grid.

    Attributes:
        of_mover: True for the stones of the player to move; False for the stones of the other player.
    """

    of_mover: bool

    run_time_fields = run_time_names = ("of_mover",)


@implements(evaluate, LongestRunEvaluator)
def _(evaluator: LongestRunEvaluator) -> Any:
    def kernel(evaluator: Any, own: Any, opp: Any) -> Any:
        settings, game = evaluator
        run = longest_run(game, own if settings.of_mover else opp)
        return run if settings.of_mover else -run

    return kernel
