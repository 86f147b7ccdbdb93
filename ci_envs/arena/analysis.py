"""An agent's analysis of a position as text and as a table."""

import math
from typing import Any

import numpy as np
from rich.table import Table

from ci_envs.agent_interface.analysis import Analysis
from ci_envs.games.position import Position
from ci_envs.solver.solution import HORIZON, Progress
from ci_envs.solver.solver import solver_of


def summary(analysis: Analysis, position: Position) -> str:
    """Return the value of the position, the statistics of the search and the principal variation, one per line."""
    lines = [f"{name} {_number(number)}" for name, number in _statistics(analysis).items() if number is not None]
    if analysis.tables is not None:
        lines.append(f"tables {analysis.tables}")
    lines.append(f"best play {' '.join(position.line_names(analysis.principal_variation))}")
    return "\n".join(lines)


def action_table(analysis: Analysis, position: Position, exact: list[int]) -> Table:
    """Return a table of the legal actions: first the action that the agent chooses, then the others by value.

    Args:
        analysis: the analysis of the position.
        position: the position.
        exact: the result of :func:`exact_scores`.
    """
    columns: dict[str, Any] = {"value": analysis.action_values}
    if analysis.visits is not None:
        columns["visits"] = analysis.visits
    table = Table("action", *columns, *(["exact"] if exact else []))
    for column in table.columns[1:]:
        column.justify = "right"
    for action in _ranked_actions(analysis, position):
        cells = [_number(entries[action]) for entries in columns.values()]
        table.add_row(position.action_name(action), *cells, *([_in_words(exact[action])] if exact else []))
    return table


def analysis_data(analysis: Analysis, position: Position, exact: list[int]) -> dict[str, Any]:
    """Return an analysis as plain data. Unknown values are None. The arguments are those of :func:`action_table`."""
    return {
        "game": repr(position.game),
        "position": position.to_text(),
        **{name: _finite(number) for name, number in _statistics(analysis).items()},
        "tables": analysis.tables,
        "best_play": position.line_names(analysis.principal_variation),
        "actions": action_rows(analysis, position, exact),
    }


def action_rows(analysis: Analysis, position: Position, exact: list[int]) -> list[dict[str, Any]]:
    """Return the legal actions as plain data: first the action that the agent chooses, then the others by value.

    ``exact`` is 1, 0 or -1 for the player who acts, and ``distance`` is the number of plies to the end, if known. The
    arguments are those of :func:`action_table`.
    """
    return [
        {
            "action": position.action_name(action),
            "number": action,
            "value": _finite(analysis.action_values[action]),
            "visits": None if analysis.visits is None else int(analysis.visits[action]),
            "prior": None if analysis.priors is None else float(analysis.priors[action]),
            "exact": (exact[action] > 0) - (exact[action] < 0) if exact else None,
            "distance": _distance(exact[action]) if exact else None,
        }
        for action in _ranked_actions(analysis, position)
    ]


def exact_scores(position: Position, progress: Progress | None = None) -> list[int]:
    """Return the exact score of each action, or an empty list if computing it would take more than seconds."""
    scores = solver_of(position.game).quick_action_scores(position, progress)
    return [] if scores is None else scores.tolist()


def _statistics(analysis: Analysis) -> dict[str, float | None]:
    return {
        "value": analysis.value,
        "draw": analysis.draw,
        "proven": analysis.proven,
        "depth": analysis.depth,
        "simulations": analysis.simulations,
        "nodes": analysis.nodes,
    }


def _ranked_actions(analysis: Analysis, position: Position) -> list[int]:
    """Return the legal actions, the best first."""
    return sorted(position.legal_actions(), key=lambda action: _rank(action, analysis), reverse=True)


def _rank(action: int, analysis: Analysis) -> tuple[bool, bool, float]:
    """Return a sort key that is higher for better actions: whether chosen, whether tried, value."""
    value = analysis.action_values[action]
    return action in analysis.principal_variation[:1], not math.isnan(value), value


def _in_words(score: int) -> str:
    """Return an exact score in words, for example ``win in 3``."""
    if score == 0:
        return "draw"
    word = "win" if score > 0 else "loss"
    distance = _distance(score)
    return word if distance is None else f"{word} in {distance}"


def _distance(score: int) -> int | None:
    """Return the distance of an exact score, or None for a draw or a score that is only a sign."""
    return None if abs(score) <= 1 else HORIZON - abs(score)


def _finite(number: float | None) -> float | None:
    """Return a Python number, or None for None and nan."""
    if number is None or math.isnan(number):
        return None
    return int(number) if isinstance(number, int | np.integer) else float(number)


def _number(number: float) -> str:
    if math.isnan(number):
        return "-"
    return f"{number:+.3f}" if isinstance(number, float) else f"{number:,}"
