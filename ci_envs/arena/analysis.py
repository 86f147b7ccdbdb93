"""An agent's analysis of a position as text and as a table."""

import math
from typing import Any

from rich.table import Table

from ci_envs.agent.analysis import Analysis
from ci_envs.games.position import Position
from ci_envs.solver.solution import HORIZON, Progress
from ci_envs.solver.solver import solver_of


def summary(analysis: Analysis, position: Position) -> str:
    """Return the value of the position, the statistics of the search and the principal variation, each on a line."""
    numbers = {
        "value": analysis.value,
        "draw": analysis.draw,
        "proven": analysis.proven,
        "depth": analysis.depth,
        "simulations": analysis.simulations,
        "nodes": analysis.nodes,
    }
    lines = [f"{name} {_number(number)}" for name, number in numbers.items() if number is not None]
    lines.append(f"best play {' '.join(map(position.action_name, analysis.principal_variation))}")
    return "\n".join(lines)


def action_table(analysis: Analysis, position: Position, exact: list[int]) -> Table:
    """Return a table of the legal actions: the agent's choice first, then the others by value.

    Args:
        analysis: the analysis of the position.
        position: the position.
        exact: the result of :func:`exact_scores`.
    """
    columns: dict[str, Any] = {"value": analysis.action_values}
    if analysis.visits is not None:
        columns["visits"] = analysis.visits
    ranks = {action: _rank(action, analysis) for action in position.legal_actions()}
    table = Table("action", *columns, *(["exact"] if exact else []))
    for column in table.columns[1:]:
        column.justify = "right"
    for action in sorted(ranks, key=ranks.__getitem__, reverse=True):
        cells = [_number(entries[action]) for entries in columns.values()]
        table.add_row(position.action_name(action), *cells, *([_in_words(exact[action])] if exact else []))
    return table


def exact_scores(position: Position, progress: Progress | None = None) -> list[int]:
    """Return the exact score of each action, or an empty list if that would take more than seconds."""
    scores = solver_of(position.game).quick_action_scores(position, progress)
    return [] if scores is None else scores.tolist()


def _rank(action: int, analysis: Analysis) -> tuple[bool, bool, float]:
    """Return a sort key, larger for better: chosen, tried, value."""
    value = analysis.action_values[action]
    return action in analysis.principal_variation[:1], not math.isnan(value), value


def _in_words(score: int) -> str:
    """Return an exact score in words, such as ``win in 3``."""
    if score == 0:
        return "draw"
    word = "win" if score > 0 else "loss"
    return word if abs(score) == 1 else f"{word} in {HORIZON - abs(score)}"


def _number(number: float) -> str:
    if math.isnan(number):
        return "-"
    return f"{number:+.3f}" if isinstance(number, float) else f"{number:,}"
