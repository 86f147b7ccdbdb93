"""Evaluation of leaves and of the actions at the root by an exact source (:mod:`ci_envs.agents.search.tables`)."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ci_envs.agents.search.evaluators import Evaluator
from ci_envs.agents.search.negamax import WIN_VALUE
from ci_envs.agents.search.tables import NoTables
from ci_envs.games import DRAW, WIN, action_count, evaluate, implements, keeps_turn, legal, play
from ci_envs.kernels.dispatch import Static, operation
from ci_envs.solver.known_value import UNKNOWN, known_value

# so known wins have values above all evaluations, and below those of wins that a search finds
_KNOWN_WIN = 2_000_000


@dataclass(frozen=True)
class TableEvaluator(Evaluator):
    """Evaluator that returns exact values, or the evaluation of the game for positions that the source does not cover.

    A search gets the tuple (evaluator, game, compiled source). Won positions are 2,000,000 better, and lost positions
    2,000,000 worse, than their evaluation, so that a search makes progress from one won position to the next. Draws
    have the value 0.
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


@operation
def correct_actions(tables: Any, own: Any, opp: Any, values: Any, best: Any) -> Any:
    """Correct the values of actions by the exact values of the positions after them.

    Actions that win become 2,000,000 better, and actions that lose 2,000,000 worse, unless the search has found the
    result.

    Args:
        tables: a ``NoTables``, or a tuple of a :class:`RootTables`, the game, and the compiled source.
        own: first word of the position.
        opp: second word of the position.
        values: int64 array of shape (actions,): the exact minimax values of all legal actions, corrected in place.
        best: the best action of the search.

    Returns:
        The best action, the lowest of equal ones.
    """


@implements(correct_actions, NoTables)
def _(tables: NoTables) -> Any:
    return lambda tables, own, opp, values, best: best


@dataclass(frozen=True)
class RootTables(Static):
    """The use of an exact source for the actions at the root of minimax."""


@implements(correct_actions, RootTables)
def _(tables: RootTables) -> Any:
    def kernel(tables: Any, own: Any, opp: Any, values: Any, best: Any) -> Any:
        _, game, source = tables
        best = -1
        for number in range(action_count(game)):
            action = np.uint64(number)
            if not legal(game, own, opp, action):
                continue
            next_own, next_opp = play(game, own, opp, action)
            value = np.int64(known_value(source, next_own, next_opp))
            if value != UNKNOWN and abs(values[number]) < WIN_VALUE:
                values[number] += _KNOWN_WIN * (value if keeps_turn(game, own, opp, action) else -value)
            if best < 0 or values[number] > values[best]:
                best = number
        return best

    return kernel
