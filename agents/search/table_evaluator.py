"""Evaluation of leaves by tables (:mod:`ci_envs.agents.search.tables`)."""

from dataclasses import dataclass
from typing import Any

from ci_envs.agents.search.evaluators import Evaluator
from ci_envs.agents.search.tables import has_table, table_value
from ci_envs.games import evaluate, implements
from ci_envs.solver.quixo_classes import DRAWN, WON

_KNOWN_WIN = 500_000  # above the evaluations of all positions, and below the values of wins that a search finds


@dataclass(frozen=True)
class TableEvaluator(Evaluator):
    """Evaluator that returns the value in a table, or the evaluation of the game for positions without a table.

    A search gets the tuple (evaluator, game, :class:`~ci_envs.solver.quixo_store.LoadedTables`). Won positions are
    500,000 better, and lost positions 500,000 worse, than their evaluation, so that a search makes progress from one
    won position to the next. Draws have the value 0.
    """


@implements(evaluate, TableEvaluator)
def _(evaluator: TableEvaluator) -> Any:
    def kernel(evaluator: Any, own: Any, opp: Any) -> Any:
        _, game, tables = evaluator
        if not has_table(tables, own, opp):
            return evaluate(game, own, opp)
        value = table_value(tables, own, opp)
        if value == DRAWN:
            return 0
        return evaluate(game, own, opp) + (_KNOWN_WIN if value == WON else -_KNOWN_WIN)

    return kernel
