"""Section B31: Nim by fixed rules.

Report B's names of two rules are exchanged: "minimum from the highest row" has the key of our ``max_lowest``, and
"maximum from the lowest row" that of our ``min_highest``. The literal version plays what the code of report B plays;
the described version plays what the names say.
"""

from ci_envs.reports.estimates import share_in_games
from ci_envs.reports.nim_agent import strategy_agent
from ci_envs.reports.nim_strategies import (
    FIXED_RULES,
    REPORT_ROWS,
    Strategy,
    always,
    count_and_decide,
    leave_one,
    leave_one_of_larger,
    nim_expert,
    nim_optimal,
    row_random,
    win_percentage,
    win_share,
)
from ci_envs.reports.section import Claim, ClaimVerdict, Estimate, FigureRow, Findings, RunOptions, Section

_MATCHES = 100  # of each measurement of report B

_RULES = {
    "max_lowest": ("minimum from highest row", 80),
    "max_highest": ("maximum from highest row", None),
    "min_lowest": ("minimum from lowest row", 45),
    "min_highest": ("maximum from lowest row", 45),
}
"""Report B's name and figure for each rule, by our name."""

_MEANT = {"max_lowest": "min_highest", "min_highest": "max_lowest"}
"""The rules whose names are exchanged in report B."""

_COMBINATIONS = {
    ("max_highest", "min_lowest"): 85,
    ("max_highest", "min_highest"): 85,
    ("max_highest", "max_lowest"): 70,
    ("max_lowest", "min_lowest"): 85,
    ("max_lowest", "min_highest"): 85,
}
"""Report B's figures for the rules that are played with an odd and with an even number of rows left."""

_LOST_START = "The start is lost for the player who moves first, so no strategy wins against the optimal opponent."
_OPPONENTS_SHARE = "The printed 100 is the share of the opponent."


def run(options: RunOptions) -> Findings:
    """Compute the exact shares of all rules of the section."""
    best = win_percentage(nim_expert, row_random)
    rows = [*_rule_rows(best), *_combination_rows(best), *_always_rows()]
    options.report_progress(1.0)
    return Findings(tuple(rows), _CLAIMS)


def _rule_rows(best: float) -> list[FigureRow]:
    rows = []
    for rule, (name, figure) in _RULES.items():
        literal, described = FIXED_RULES[rule], FIXED_RULES[_MEANT.get(rule, rule)]
        note = "Report B gives no figure: 'in between'." if figure is None else ""
        rows.append(_row(f'"{name}" ({rule}), wins', figure, literal, described, best, note))
    return rows


def _combination_rows(best: float) -> list[FigureRow]:
    rows = []
    for (odd, even), figure in _COMBINATIONS.items():
        described = count_and_decide(_MEANT.get(odd, odd), _MEANT.get(even, even))
        quantity = f"odd {odd}, even {even}, wins"
        rows.append(_row(quantity, figure, count_and_decide(odd, even), described, best))
    return rows


def _row(
    quantity: str, figure: float | None, literal: Strategy, described: Strategy, best: float, note: str = ""
) -> FigureRow:
    measured = share_in_games(win_share(literal, row_random), _MATCHES)
    return FigureRow(quantity, figure, measured, win_percentage(described, row_random), best, note, "%")


def _always_rows() -> list[FigureRow]:
    return [
        _always_row(0, row_random, "random", ""),
        _always_row(0, nim_optimal, "optimal", _LOST_START),
        _always_row(1, row_random, "random", _OPPONENTS_SHARE),
        _always_row(1, nim_optimal, "optimal", _OPPONENTS_SHARE),
    ]


def _always_row(seat: int, opponent: Strategy, name: str, note: str) -> FigureRow:
    literal, legal = (win_percentage(always(seat, one), opponent, seat) for one in (leave_one, leave_one_of_larger))
    quantity = f'"always" moving {("first", "second")[seat]} v {name}, wins'
    best = win_percentage(nim_expert, opponent, seat)
    return FigureRow(quantity, 100, Estimate.exact(literal), legal, best, note, "%")


_CLAIMS = (
    Claim(
        "Taking the minimum from the highest row is best, because objects left are good.",
        ClaimVerdict.FAILS,
        "The key of that rule takes all of the lowest row; what the name says wins 43.4% instead of 75.7%.",
    ),
    Claim(
        "The best combinations lead to two rows of one object.",
        ClaimVerdict.UNKNOWN,
        "Report B gives no measurement of the rows that a game ends with.",
    ),
    Claim(
        "The last rule beats every opponent in both seats.",
        ClaimVerdict.FAILS,
        "It wins only by taking 0 objects, which is illegal, and the rule for the second seat always loses.",
    ),
)

SECTION = Section(
    name="B31",
    title="Nim by fixed rules",
    game=f"Nim-v0:heaps={','.join(map(str, REPORT_ROWS))}",
    purpose="Find a fixed rule, or a pair of rules chosen by the number of rows left, that plays Nim well.",
    lesson=(
        "The differences between the printed shares are within the noise of 100 matches. The rule that always wins"
        " takes 0 objects from a row of one, which is illegal; played legally it wins 85 to 90% against random."
    ),
    conditions=(
        "The rule moves first, except where the row says otherwise. The opponent draws a row, then a number of objects"
        " (row-random), or plays the nim-sum (optimal). Report B plays 100 matches; our shares are exact, and the"
        " interval is that of 100 matches."
    ),
    seconds=1,
    run=run,
    agents={
        "B:row_random": strategy_agent(row_random),
        "B:nim_optimal": strategy_agent(nim_optimal),
        **{f"B31:{name}": strategy_agent(rule) for name, rule in FIXED_RULES.items()},
        "B31:always_first": strategy_agent(always(0, leave_one_of_larger)),
        "B31:always_second": strategy_agent(always(1, leave_one_of_larger)),
    },
)
