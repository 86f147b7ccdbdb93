"""Section B1: greedy set covering.

Our solver ``greedy:rule=overlap`` is the algorithm of report B: it takes the longest list first, then the list with the
least ratio of covered to new numbers, and of equal lists the longest. The look-ahead that a review of report B proposes
is ``greedy:rule=overlap,width=3,lookahead=4``.
"""

from collections.abc import Mapping, Sequence
from math import inf

from ci_envs.optimisation.set_covering.instances import set_covering
from ci_envs.optimisation.set_covering.problem import SetCovering
from ci_envs.optimisation.solving import Result, optimise
from ci_envs.reports.report_b.bounded_searches import breadth_first, dijkstra
from ci_envs.reports.section import Claim, ClaimVerdict, Estimate, FigureRow, Findings, RunOptions, Section

_WEIGHTS = {5: 5, 10: 10, 20: 24, 100: 182, 500: 1262, 1000: 2878}
"""The weight of report B's cover by N; that of N = 1000 is printed in a review."""

_NOT_PRINTED = 1000  # the N whose bloat report B does not give

_GREEDY = "greedy:rule=overlap"
_MOVES, _QUICK_MOVES = 100_000, 500
_RULES = ("chvatal", "course")
"""Other rules of our solver ``greedy``."""

_RULE_SIZES = (100, 500, 1000)
_DIJKSTRA_SIZE, _BREADTH_FIRST_SIZE = 20, 10
_BOUND_NOTE = (
    "A review proposes the weight of the greedy cover as a bound. Literal: without a bound. Described: with it. Ours:"
    " the states of our solver astar, which estimates the weight that is missing."
)
_RULE_NOTE = (
    "A review proposes other heuristics. The rule chvatal takes the list with the least weight for each new number. The"
    " rule course takes each list that covers something new, the shortest first."
)
_LOOK_AHEAD = "width=3,lookahead=4"
_CYCLES = {"all": "", "alternate": " in every other step", "random": " in random steps"}
_REVIEW = "A review proposes it: the 3 best lists are each extended by 4 lists, in all, fixed or random steps."


def run(options: RunOptions) -> Findings:
    """Cover report B's instances greedily, with a look-ahead, and by our best heuristic."""
    moves = _QUICK_MOVES if options.quick else _MOVES
    rows, covers, different = [], [], []
    for done, (n, weight) in enumerate(_WEIGHTS.items(), 1):
        problem = set_covering(n)
        cover = optimise(problem, _GREEDY)
        ours = optimise(problem, f"row_weighting:moves={moves}", seed=options.seed).value
        note = "No cover can be lighter than N." if ours == n else ""
        rows.append(_row(f"weight of the cover, N = {n}", weight, cover.value, ours, note))
        printed = None if n == _NOT_PRINTED else _bloat(weight, n)
        rows.append(_row(f"bloat, N = {n}", printed, _bloat(cover.value, n), _bloat(ours, n), note, "%"))
        for cycles, name in _CYCLES.items():
            ahead = optimise(problem, f"{_GREEDY},{_LOOK_AHEAD},cycles={cycles}", seed=options.seed).value
            rows.append(_row(f"weight with look-ahead{name}, N = {n}", None, ahead, ours, _REVIEW))
        rows += _rule_rows(problem, ours)
        covers.append(cover)
        different.append(len(set(problem.sets)))
        options.report_progress(done / len(_WEIGHTS))
    rows += _bound_rows()
    return Findings(tuple(rows), _claims(covers[-1], different, rows[-2:]))


def _rule_rows(problem: SetCovering, ours: float) -> list[FigureRow]:
    """Return the rows on other rules for the next list."""
    if problem.size not in _RULE_SIZES:
        return []
    weights = {rule: optimise(problem, f"greedy:rule={rule}").value for rule in _RULES}
    return [_row(f"weight by the rule {r}, N = {problem.size}", None, w, ours, _RULE_NOTE) for r, w in weights.items()]


def _bound_rows() -> list[FigureRow]:
    """Return the rows on exact searches with the greedy cover as a bound."""
    rows = []
    for name, search, n in (
        ("Dijkstra's algorithm", dijkstra, _DIJKSTRA_SIZE),
        ("breadth-first search", breadth_first, _BREADTH_FIRST_SIZE),
    ):
        problem = set_covering(n, unique=True)
        free, bounded = (search(problem, bound).generated for bound in (inf, optimise(problem, _GREEDY).value))
        ours = optimise(problem, "astar").work
        quantity = f"states in the queue of {name}, N = {n}"
        rows.append(FigureRow(quantity, None, Estimate.exact(free), bounded, ours, _BOUND_NOTE, "states"))
    return rows


def _row(quantity: str, report: float | None, literal: float, ours: float, note: str, unit: str = "") -> FigureRow:
    return FigureRow(quantity, report, Estimate.exact(literal), literal, ours, note, unit)


def _bloat(weight: float, n: int) -> float:
    """Return by how many percent the weight of a cover exceeds N, rounded as report B rounds."""
    return round(100 * (weight - n) / n)


def _claims(largest: Result, different: Sequence[int], searches: Sequence[FigureRow]) -> tuple[Claim, ...]:
    """Return the claims.

    Args:
        largest: The greedy cover for N = 1000.
        different: The number of different lists of each instance.
        searches: The rows on Dijkstra's algorithm and breadth-first search with a bound.
    """
    saved = [100 * (1 - (row.described or 0) / row.literal.value) for row in searches]
    least = optimise(set_covering(20), "astar")
    return (
        Claim(
            "The cover is optimal for N = 5 and N = 10.",
            ClaimVerdict.HOLDS,
            "Its weight is N, and every cover weighs at least N.",
        ),
        Claim(
            "For N = 20 the least weight is 23 (a review).",
            ClaimVerdict.HOLDS,
            f"A* with an admissible heuristic proves that the least weight is {least.value:.0f}.",
        ),
        Claim(
            "The algorithm is fast.",
            ClaimVerdict.HOLDS,
            f"For N = 1000 it examines {largest.work:,} lists, {largest.work // different[-1]} times all of them.",
        ),
        Claim(
            "The weight of the greedy cover is a lower bound: breadth-first search can skip nodes of lower cost.",
            ClaimVerdict.FAILS,
            "It is an upper bound on the least weight: a search can skip nodes of higher cost, as a review says. This"
            f" saves {saved[0]:.0f}% of the states of Dijkstra's algorithm (N = {_DIJKSTRA_SIZE}) and {saved[1]:.0f}%"
            f" of those of breadth-first search (N = {_BREADTH_FIRST_SIZE}).",
        ),
        Claim(
            "It is good to start with the longest list.",
            ClaimVerdict.UNKNOWN,
            "Report B measures no other start.",
        ),
        Claim(
            "Repeated lists can be dropped (a review).",
            ClaimVerdict.HOLDS,
            "A repeated list covers nothing new, so the covers stay the same. For N = 5 to 1000,"
            f" {', '.join(f'{count:,}' for count in different)} lists remain.",
        ),
    )


def _conclusion(rows: Mapping[str, FigureRow]) -> str:
    large = [rows[f"weight of the cover, N = {n}"] for n in _RULE_SIZES]
    lighter = [100 * (1 - row.ours / row.literal.value) for row in large if row.ours is not None]
    return (
        "The heuristic is fast, and optimal for N = 5 and 10. From N = 100 on, a local search finds covers that are"
        f" {min(lighter):.0f} to {max(lighter):.0f}% lighter."
    )


SECTION = Section(
    name="B1",
    title="Greedy set covering",
    game="SetCovering-v0:n=100",
    purpose="Cover N elements by a greedy heuristic, as a bound for an exact search.",
    conclusion=_conclusion,
    conditions=(
        "The instances are those of report B, with the seed 42. The algorithm is deterministic. Ours is the solver"
        f" row_weighting with {_MOVES:,} moves ({_QUICK_MOVES} with --quick)."
    ),
    seconds=10,
    run=run,
)
