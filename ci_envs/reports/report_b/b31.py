"""Section B31: Nim by fixed rules.

Report B exchanges the names of two rules: "minimum from the highest row" has the key of our ``max_lowest``, and
"maximum from the lowest row" has the key of our ``min_highest``. The literal version follows the code of report B, and
the described version follows the names.

Our agent ``nim`` plays all these rules with legal moves, for example ``nim:max_lowest``. For the player who moves
first, ``nim:count_and_decide,odd=take_row,even=leave_one`` is the rule that should always win.
"""

from collections.abc import Iterator
from functools import cache
from itertools import permutations, product

from ci_envs.agents.nim.rules import rule_action_probabilities
from ci_envs.games.nim import Nim
from ci_envs.reports.claims import Cell, Claim, Text, all_of
from ci_envs.reports.estimates import Estimate, share_in_games
from ci_envs.reports.nim_agent import strategy_agent
from ci_envs.reports.nim_strategies import (
    FIXED_RULES,
    REPORT_ROWS,
    Rows,
    Strategy,
    after,
    always,
    compiled_strategy,
    count_and_decide,
    leave_one,
    leave_one_of_larger,
    leave_one_or_take_it,
    max_lowest,
    nim_expert,
    nim_optimal,
    row_random,
    uniform,
    win_percentage,
    win_share,
)
from ci_envs.reports.rows import FigureRow, figure_row
from ci_envs.reports.section import Findings, RunOptions, Section
from ci_envs.reports.sources import Figure, printed

_MATCHES = 100  # matches of each measurement of report B

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

_BEST_COMBINATIONS = [pair for pair, figure in _COMBINATIONS.items() if figure == max(_COMBINATIONS.values())]
_TEXT = printed("lab 3.1, the comments on the rules and their shares")
_ALWAYS_TEXT = printed("lab 3.1, the results of the rule that should always win")

_OPPONENTS: dict[Strategy, str] = {
    row_random: "random",
    nim_optimal: "optimal",
    max_lowest: "the sample rule of the template (max_lowest)",
}

_BOUND = 3  # maximum number of objects in a move: the bound k, which report B defines but does not use

_LOST_START = "The start is lost for the player who moves first, so no strategy wins against the optimal opponent."
_LOST_RANDOM = "The start is lost; ours plays at random until the opponent errs."
_OPPONENTS_SHARE = "The printed 100 is the share of the opponent."
_REVIEW = "A review of report B proposes it; report B has no figure."
_TAKEN_WHOLE = "Literal: a row of one is taken whole, which is legal. Described: only rows above one, else one object."


def run(options: RunOptions) -> Findings:
    """Compute the exact shares of all rules of the section."""
    best = Estimate.exact(win_percentage(nim_expert, row_random))
    rows = [*_rule_rows(best), *_combination_rows(best)]
    options.report_progress(0.4)
    rows += [*_always_rows(), *_review_rows()]
    options.report_progress(0.8)
    rows += _bound_rows()
    options.report_progress(1.0)
    return Findings(tuple(rows))


def _rule_rows(best: Estimate) -> Iterator[FigureRow]:
    for rule, (_, figure) in _RULES.items():
        note = "Report B gives no figure: 'in between'. " if figure is None else ""
        note += f"Against our agent random, {rule} wins {win_percentage(FIXED_RULES[rule], uniform):.1f}%."
        named = FIXED_RULES[_MEANT.get(rule, rule)]
        yield _row(_rule(rule), figure, FIXED_RULES[rule], named, best, note)


def _combination_rows(best: Estimate) -> Iterator[FigureRow]:
    others = [pair for pair in permutations(_RULES, 2) if pair not in _COMBINATIONS]
    for odd, even in (*_COMBINATIONS, *others):
        figure = _COMBINATIONS.get((odd, even))
        described = count_and_decide(_MEANT.get(odd, odd), _MEANT.get(even, even))
        note = "" if figure else "Report B does not print this combination."
        yield _row(f"odd {odd}, even {even}, wins", figure, count_and_decide(odd, even), described, best, note)
    for pair in _BEST_COMBINATIONS:
        leaving = share_in_games(share_leaving_a_pair(count_and_decide(*pair)), _MATCHES)
        yield figure_row(_leaving(pair), None, leaving, note="Report B gives no figure.", unit="%")


def _row(
    quantity: str, figure: float | None, literal: Strategy, described: Strategy, best: Estimate, note: str = ""
) -> FigureRow:
    measured = share_in_games(win_share(literal, row_random), _MATCHES)
    named = Estimate.exact(win_percentage(described, row_random))
    return figure_row(
        quantity, None if figure is None else Figure(figure, _TEXT), measured, named, best, note=note, unit="%"
    )


def _always_rows() -> Iterator[FigureRow]:
    """Yield the rows on the rule that should always win: as printed, with legal moves, and from the other seat."""
    for seat, opponent in product((0, 1), (row_random, nim_optimal)):
        note = _OPPONENTS_SHARE if seat else _LOST_RANDOM if opponent is row_random else _LOST_START
        yield _always_row('"always"', seat, seat, opponent, note, figure=Figure(100, _ALWAYS_TEXT))
    for seat, opponent in product((0, 1), (row_random, nim_optimal)):
        yield _always_row('"always", legal', seat, seat, opponent, _TAKEN_WHOLE, leaves_one=leave_one_or_take_it)
    for opponent in (row_random, nim_optimal):
        note = "With passes, the rule for the first seat wins from either seat."
        yield _always_row('"always" for the first', 0, 1, opponent, note)


def _always_row(
    name: str,
    rule: int,
    seat: int,
    opponent: Strategy,
    note: str,
    *,
    figure: Figure | None = None,
    leaves_one: Strategy = leave_one,
) -> FigureRow:
    """Return the row on the rule for one seat, played from a seat."""
    strategies = always(rule, leaves_one), always(rule, leave_one_of_larger), nim_expert
    literal, *others = (win_percentage(one, opponent, seat) for one in strategies)
    estimates = share_in_games(literal / 100, _MATCHES), *map(Estimate.exact, others)
    return figure_row(_always(name, seat, opponent), figure, *estimates, note=note, unit="%")


def _review_rows() -> Iterator[FigureRow]:
    fixed = [*FIXED_RULES.values(), *(count_and_decide(*pair) for pair in permutations(_RULES, 2))]
    best = Estimate.exact(max(win_percentage(rule, nim_optimal) for rule in fixed))
    ours = Estimate.exact(win_percentage(nim_expert, nim_optimal))
    quantity = "the best fixed rule or combination v optimal, wins"
    yield figure_row(quantity, None, best, best, ours, note=_LOST_START, unit="%")
    yield _always_row('"always"', 0, 0, max_lowest, f"{_REVIEW} {_LOST_RANDOM}")


def _bound_rows() -> Iterator[FigureRow]:
    """Yield the rows on the fixed rules with the bound k."""
    opponent = _bounded("row_random")
    ours = Estimate.exact(win_percentage(_bounded("expert"), opponent))
    ignoring = win_percentage(_bounded("nim_sum"), opponent)
    note = f"{_REVIEW} The optimal player of report B ignores k and wins {ignoring:.1f}%."
    for rule in _RULES:
        literal = share_in_games(win_share(_bounded(rule), opponent), _MATCHES)
        described = Estimate.exact(win_percentage(_bounded(_MEANT.get(rule, rule)), opponent))
        yield figure_row(f"{rule} with k = {_BOUND}, wins", None, literal, described, ours, note=note, unit="%")


def _bounded(rule: str) -> Strategy:
    """Return the strategy of our agent ``nim`` with a rule and the bound k."""
    game = Nim(REPORT_ROWS, max_take=_BOUND)
    return compiled_strategy(game, lambda words: rule_action_probabilities(game, [rule], words)[0])


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


def _rule(rule: str) -> str:
    return f'"{_RULES[rule][0]}" ({rule}), wins'


def _leaving(pair: tuple[str, str]) -> str:
    return f"odd {pair[0]}, even {pair[1]}, games in which it leaves two rows of one"


def _always(name: str, seat: int, opponent: Strategy) -> str:
    return f"{name} moving {('first', 'second')[seat]} v {_OPPONENTS[opponent]}, wins"


_NAMED_BEST = Cell(_rule("max_lowest"), "described")
_CLAIMS = (
    Claim(
        "Taking the minimum from the highest row is best, because objects left are good.",
        all_of(*(Cell(_rule(rule), "described") <= _NAMED_BEST for rule in _RULES if rule != "max_lowest")),
        "The key of that rule takes all of the lowest row and wins {:.1f}%. The rule of the name wins {:.1f}%, and the"
        " maximum from the highest row {:.1f}%.",
        (Cell(_rule("max_lowest")), _NAMED_BEST, Cell(_rule("max_highest"))),
    ),
    Claim(
        "The best combinations lead to two rows of one object.",
        all_of(*(Cell(_leaving(pair)) > 50 for pair in _BEST_COMBINATIONS)),
        "The four best leave two rows of one object in only {:.0f}%, {:.0f}%, {:.0f}% and {:.0f}% of their games"
        " against random.",
    ),
    Claim(
        "The last rule beats every opponent in both seats.",
        all_of(
            *(
                Cell(_always('"always"', seat, opponent)) >= 100
                for seat in (0, 1)
                for opponent in (row_random, nim_optimal)
            )
        ),
        "It wins {:.0f}% and {:.0f}% against random and optimal from the first seat, only by taking 0 objects, which is"
        " illegal; the rule for the second seat wins {:.0f}% and {:.0f}%.",
    ),
)


SECTION = Section(
    name="B31",
    title="Nim by fixed rules",
    game=f"Nim-v0:heaps={','.join(map(str, REPORT_ROWS))}",
    purpose="Find a fixed rule, or a pair of rules chosen by the number of rows left, that plays Nim well.",
    conclusion=Text(
        "The differences between the printed shares are within the noise of 100 matches. The rule that always wins"
        " takes 0 objects from a row of one, which is illegal. With legal moves it wins {:.0f} to {:.0f}% against"
        " random.",
        tuple(Cell(_always('"always", legal', 0, row_random), column) for column in ("literal", "described")),
    ),
    conditions=(
        "The rule moves first, except where the row says otherwise. The opponent draws a row, then a number of objects"
        " (row-random), or plays the nim-sum (optimal). Report B plays 100 matches; our shares are exact, and the"
        " interval is that of 100 matches."
    ),
    seconds=1,
    run=run,
    claims=_CLAIMS,
    agents={
        "B:row_random": strategy_agent(row_random),
        "B:nim_optimal": strategy_agent(nim_optimal),
        **{f"B31:{name}": strategy_agent(rule) for name, rule in FIXED_RULES.items()},
        "B31:always_first": strategy_agent(always(0, leave_one_of_larger)),
        "B31:always_second": strategy_agent(always(1, leave_one_of_larger)),
    },
)
