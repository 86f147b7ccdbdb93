"""Evaluation of leaves by an exact source (:mod:`ci_envs.agents.search.tables`)."""

from dataclasses import dataclass
from typing import Any

from ci_envs.agents.search.evaluators import Evaluator
from ci_envs.games import DRAW, WIN, evaluate, implements
from ci_envs.solver.known_value import UNKNOWN, known_value

_KNOWN_WIN = 500_000  # above the evaluations of all positions, and below the values of wins that a search finds


@dataclass(frozen=True)
class TableEvaluator(Evaluator):
    """Evaluator that returns exact values, or the evaluation of the game for positions that the source does not cover.

    A search gets the tuple (evaluator, game, compiled source). Won positions are
    500,000 better, and lost positions 500,000 worse, than their evaluation, so that a search makes progress from one
    won position to the next. Draws have the value 0.
    """


@implements(evaluate, TableEvaluator)
def _(evaluator: TableEvaluator) -> Any:
    def kernel(evaluator: Any, own: Any, opp: Any) -> Any:
        _, game, source = evaluator
        value = known_value(source, own, opp)
        if value == UNKNOWN:
            return evaluate(game, own, opp)
        if value == DRAW:
            return 0
        return evaluate(game, own, opp) + (_KNOWN_WIN if value == WIN else -_KNOWN_WIN)

    return kernel
