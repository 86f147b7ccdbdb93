"""Section B33: Nim by minmax with alpha-beta.

Report B's strategy looks at the moves in order and plays the first one after which ``minmax(max? = TRUE)`` is above
0, else the last move. ``TRUE`` is wrong, because the opponent moves next. The search sees the end of the game, so its
value follows from the nim-sum, and the strategy needs no search: with ``TRUE`` it plays the first move that leaves a
won position to the opponent, with ``FALSE`` the first move that leaves a lost one.
"""

from ci_envs.reports.nim_agent import strategy_agent
from ci_envs.reports.nim_strategies import (
    REPORT_ROWS,
    Chances,
    Rows,
    Strategy,
    after,
    moves_of,
    nim_expert,
    nim_optimal,
    nim_sum,
    row_random,
    win_percentage,
)
from ci_envs.reports.section import Claim, ClaimVerdict, Estimate, FigureRow, Findings, RunOptions, Section

_FIVE_ROWS: Rows = (1, 3, 5, 7, 9)
_LOST = "The start is lost for the first player."
_WON = "The start is won for the first player."


def minmax_true(rows: Rows) -> Chances:
    """Play as report B prints it: the first move after which the opponent can win, else the last move."""
    return _first(rows, leaves_won=True)


def minmax_false(rows: Rows) -> Chances:
    """Play as report B describes it: the first move after which the opponent cannot win, else the last move."""
    return _first(rows, leaves_won=False)


def _first(rows: Rows, leaves_won: bool) -> Chances:
    moves = moves_of(rows)
    return {next((move for move in moves if (nim_sum(after(rows, move)) != 0) == leaves_won), moves[-1]): 1.0}


def run(options: RunOptions) -> Findings:
    """Compute the exact shares of the strategy as printed and as described."""
    rows = (
        _row("optimal, 4 rows, moving first", 0, nim_optimal, 0, REPORT_ROWS, _LOST),
        _row("optimal, 4 rows, moving second", None, nim_optimal, 1, REPORT_ROWS),
        _row("optimal, 5 rows, moving first", 100, nim_optimal, 0, _FIVE_ROWS),
        _row("optimal, 5 rows, moving second", None, nim_optimal, 1, _FIVE_ROWS, _WON),
        _row("row-random, 4 rows, moving first", None, row_random, 0, REPORT_ROWS),
        _row("row-random, 4 rows, moving second", None, row_random, 1, REPORT_ROWS),
    )
    options.report_progress(1.0)
    return Findings(rows, _CLAIMS)


def _row(versus: str, figure: float | None, opponent: Strategy, seat: int, rows: Rows, note: str = "") -> FigureRow:
    literal, described, ours = (
        win_percentage(strategy, opponent, seat, rows) for strategy in (minmax_true, minmax_false, nim_expert)
    )
    return FigureRow(f"v {versus}, wins", figure, Estimate.exact(literal), described, ours, note, "%")


_CLAIMS = (
    Claim(
        "Minmax never wins against the optimal strategy with 4 rows, and always with 5.",
        ClaimVerdict.HOLDS,
        "This needs the described version, max? = FALSE; the printed one never wins with either number of rows.",
    ),
    Claim(
        "The horizon effect is the reason.",
        ClaimVerdict.FAILS,
        "The search sees the end of the game: 1, 3, 5, 7 has the nim-sum 0 and 1, 3, 5, 7, 9 has the nim-sum 9.",
    ),
)

SECTION = Section(
    name="B33",
    title="Nim by minmax with alpha-beta",
    game="Nim-v0:heaps=1,3,5,7",
    purpose="Search Nim to its end by minmax with alpha-beta.",
    lesson=(
        "With the correct player at the root the search plays perfectly, and the printed results follow from theory:"
        " 1, 3, 5, 7 is lost for the first player and 1, 3, 5, 7, 9 is won."
    ),
    conditions=(
        "The opponent plays the nim-sum (optimal), or draws a row, then a number of objects (row-random). Report B"
        " plays 100 matches in which its strategy moves first; our shares are exact."
    ),
    seconds=1,
    run=run,
    agents={"B33": strategy_agent(minmax_true), "B33:described": strategy_agent(minmax_false)},
)
