"""Section B31: Nim by fixed rules.

Report B exchanges the names of two rules: "minimum from the highest row" has the key of our ``max_lowest``, and
"maximum from the lowest row" has the key of our ``min_highest``. The literal version follows the code of report B, and
the described version follows the names.

Our agent ``nim`` plays all these rules with legal moves, for example ``nim:max_lowest``. For the player who moves
first, ``nim:count_and_decide,odd=take_row,even=leave_one`` is the rule that should always win.
"""

from functools import cache
from itertools import permutations, product

from ci_envs.reports.estimates import share_in_games
from ci_envs.reports.matches import SEATS
from ci_envs.reports.nim_agent import strategy_agent
from ci_envs.reports.nim_strategies import (
    FIXED_RULES,
    REPORT_ROWS,
    Rows,
    Strategy,
    after,
    always,
    count_and_decide,
    leave_one,
    leave_one_of_larger,
    leave_one_or_take_it,
    nim_expert,
    nim_optimal,
    row_random,
    uniform,
    win_percentage,
)
from ci_envs.reports.report_b.nim_reviews import bounded_rule
from ci_envs.reports.report_b.nim_shares import MATCHES, OPPONENTS, add_shares
from ci_envs.reports.section_run import SectionRun, section

_NAMES = {
    "max_lowest": "minimum from highest row",
    "max_highest": "maximum from highest row",
    "min_lowest": "minimum from lowest row",
    "min_highest": "maximum from lowest row",
}
"""Report B's name for each rule, by our name."""

_MEANT = {"max_lowest": "min_highest", "min_highest": "max_lowest"}
"""The rules whose names are exchanged in report B."""

_BEST_PAIRS = (
    ("max_highest", "min_lowest"),
    ("max_highest", "min_highest"),
    ("max_lowest", "min_lowest"),
    ("max_lowest", "min_highest"),
)
_PAIRS = dict.fromkeys((*_BEST_PAIRS[:2], ("max_highest", "max_lowest"), *_BEST_PAIRS[2:], *permutations(_NAMES, 2)))
"""The pairs of rules for an odd and for an even number of rows left; report B prints the first five."""

_BOUND = 3  # maximum number of objects in a move: the bound k


def _meant(rule: str) -> str:
    return _MEANT.get(rule, rule)


def _measure_rules(run: SectionRun) -> None:
    for rule, name in _NAMES.items():
        quantity, strategy = f'"{name}" ({rule}), wins', FIXED_RULES[rule]
        note = "" if run.figure(quantity) else "Report B gives no figure, and calls it 'in between'. "
        note += f"Against our agent random, {rule} wins {win_percentage(strategy, uniform):.1f}%."
        add_shares(run, quantity, (strategy, FIXED_RULES[_meant(rule)]), row_random, note=note)


def _measure_pairs(run: SectionRun) -> None:
    for odd, even in _PAIRS:
        quantity = f"odd {odd}, even {even}, wins"
        strategies = count_and_decide(odd, even), count_and_decide(_meant(odd), _meant(even))
        add_shares(run, quantity, strategies, row_random)
    for odd, even in _BEST_PAIRS:
        share = share_in_games(share_leaving_a_pair(count_and_decide(odd, even)), MATCHES)
        run.add(f"odd {odd}, even {even}, games in which it leaves two rows of one", share)


def _measure_always(run: SectionRun) -> None:
    """Add the rows on the rule that should always win: as printed, with legal moves, and from the other seat."""
    cases = list(product((0, 1), OPPONENTS.items()))
    variants = (
        *(('"always"', seat, seat, opponent, leave_one) for seat, opponent in cases),
        *(('"always" with legal moves,', seat, seat, opponent, leave_one_or_take_it) for seat, opponent in cases),
        *(('"always" for the first seat,', 0, 1, opponent, leave_one) for opponent in OPPONENTS.items()),
    )
    for name, rule, seat, (versus, opponent), leaves_one in variants:
        strategies = always(rule, leaves_one), always(rule, leave_one_of_larger)
        add_shares(run, f"{name} moving {SEATS[seat]} v {versus}, wins", strategies, opponent, seat)


def _measure_reviews(run: SectionRun) -> None:
    pairs = [count_and_decide(*pair) for pair in permutations(_NAMES, 2)]
    best = max(win_percentage(rule, nim_optimal) for rule in (*FIXED_RULES.values(), *pairs))
    ours = win_percentage(nim_expert, nim_optimal)
    run.add("the best fixed rule or combination v optimal, wins", best, best, ours)
    quantity = '"always" moving first v the sample rule of the template (max_lowest), wins'
    add_shares(run, quantity, (always(0, leave_one), always(0, leave_one_of_larger)), FIXED_RULES["max_lowest"])


def _measure_bound(run: SectionRun) -> None:
    """Add the rows on the fixed rules with the bound k, which report B defines but does not use."""
    opponent, expert = bounded_rule("row_random", _BOUND), bounded_rule("expert", _BOUND)
    ignoring = win_percentage(bounded_rule("nim_sum", _BOUND), opponent)
    note = "A review of report B proposes it; report B has no figure. The optimal player of report B ignores k and wins"
    for rule in _NAMES:
        strategies = bounded_rule(rule, _BOUND), bounded_rule(_meant(rule), _BOUND)
        quantity = f"{rule} with k = {_BOUND}, wins"
        add_shares(run, quantity, strategies, opponent, ours=expert, note=f"{note} {ignoring:.1f}%.")


def share_leaving_a_pair(strategy: Strategy, rows: Rows = REPORT_ROWS) -> float:
    """Return the exact share of games against row-random, moving first, in which a strategy leaves two rows of one."""

    @cache
    def leaves(rows: Rows, own_turn: bool) -> float:
        if not any(rows):
            return 0.0
        if not own_turn and sorted(rows)[-2:] == [1, 1] and sum(rows) == 2:
            return 1.0
        chances = strategy(rows) if own_turn else row_random(rows)
        return sum(chance * leaves(after(rows, move), not own_turn) for move, chance in chances.items())

    return leaves(rows, True)


SECTION = section(
    __file__,
    _measure_rules,
    _measure_pairs,
    _measure_always,
    _measure_reviews,
    _measure_bound,
    agents={
        "B:row_random": strategy_agent(row_random),
        "B:nim_optimal": strategy_agent(nim_optimal),
        **{f"B31:{name}": strategy_agent(rule) for name, rule in FIXED_RULES.items()},
        "B31:always_first": strategy_agent(always(0, leave_one_of_larger)),
        "B31:always_second": strategy_agent(always(1, leave_one_of_larger)),
    },
)
