"""Rows on the exact shares of games of Nim that strategies win."""

from collections.abc import Iterable

from ci_envs.reports.estimates import share_in_games
from ci_envs.reports.nim_strategies import (
    REPORT_ROWS,
    Rows,
    Strategy,
    nim_expert,
    nim_optimal,
    row_random,
    win_percentage,
)
from ci_envs.reports.section_run import SectionRun

MATCHES = 100
"""The matches of a measurement of report B."""

OPPONENTS: dict[str, Strategy] = {"random": row_random, "optimal": nim_optimal}
"""The opponents of report B by name."""


def add_shares(
    run: SectionRun,
    quantity: str,
    strategies: Iterable[Strategy],
    opponent: Strategy,
    seat: int = 0,
    *,
    rows: Rows = REPORT_ROWS,
    ours: Strategy | None = nim_expert,
    note: str = "",
    decimals: int = 10,
) -> None:
    """Add a row with the percentages that strategies win; the interval is that of 100 matches.

    Args:
        run: The run of the section.
        quantity: The name of the row.
        strategies: The literal strategy, and the described one.
        opponent: Their opponent.
        seat: Their seat: 0 moves first, 1 second.
        rows: The rows of objects at the start.
        ours: Our strategy.
        note: The note of a row that has none in the description.
        decimals: The decimals of the literal percentage. 100 matches do not show less than a tenth of a percent.
    """
    columns = [*strategies, *([] if ours is None else [ours])]
    literal, *others = (win_percentage(one, opponent, seat, rows) for one in columns)
    run.add(quantity, share_in_games(round(literal, decimals) / 100, MATCHES), *others, note=note)
