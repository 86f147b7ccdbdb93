"""Section B1: greedy set covering.

Our solver ``greedy:rule=overlap`` is the algorithm of report B: it takes the longest list first, then the list with the
least ratio of covered to new numbers, and of equal lists the longest. The look-ahead that a review of report B proposes
is ``greedy:rule=overlap,width=3,lookahead=4``.
"""

from collections.abc import Iterator
from math import inf
from time import perf_counter

from ci_envs.optimisation.set_covering.instances import set_covering
from ci_envs.optimisation.solving import optimise
from ci_envs.reports.claims import Cell, Claim, Text
from ci_envs.reports.estimates import Estimate, measured_share, median_of
from ci_envs.reports.report_b.best_covers import CONDITIONS, best_weight, weights_of_starts
from ci_envs.reports.report_b.bounded_searches import breadth_first, dijkstra
from ci_envs.reports.rows import FigureRow, figure_row
from ci_envs.reports.section import Findings, RunOptions, Section
from ci_envs.reports.sources import Figure, printed

_WEIGHTS = {5: 5, 10: 10, 20: 24, 100: 182, 500: 1262, 1000: 2878}
"""The weight of report B's cover by N; that of N = 1000 is printed in a review."""

_NOT_PRINTED = 1000  # the N whose bloat report B does not give
_TABLE = printed("lab 1, the results of the greedy algorithm")
_REVIEW_OF_ALL = printed("lab 1, a review given by the author")

_GREEDY = "greedy:rule=overlap"
_REPETITIONS = 9  # measurements of the time
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
_DIJKSTRA = f"states in the queue of Dijkstra's algorithm, N = {_DIJKSTRA_SIZE}"
_BREADTH_FIRST = f"states in the queue of breadth-first search, N = {_BREADTH_FIRST_SIZE}"
_LEAST = f"least weight of a cover, N = {_DIJKSTRA_SIZE}"
_SUM, _SUM_UNIQUE = "sum of the weights of all N", "sum of the weights of all N without repeated lists"
_TIME = "time of the greedy algorithm, N = 1000"
_START_NOTE = "Report B starts with the longest list and measures no other start."
_LEAST_NOTE = "Literal: Dijkstra's algorithm. Described: with the bound. Ours: astar. All are exact."
_REVIEW = "A review proposes it: the 3 best lists are each extended by 4 lists, in all, fixed or random steps."


def run(options: RunOptions) -> Findings:
    """Cover report B's instances greedily, with a look-ahead, and by our best heuristic."""
    rows: list[FigureRow] = []
    for done, n in enumerate(_WEIGHTS, 1):
        rows += _size_rows(n, options)
        options.report_progress(done / len(_WEIGHTS))
    return Findings((*rows, *_bound_rows(), *_whole_rows(), _time_row()))


def _size_rows(n: int, options: RunOptions) -> Iterator[FigureRow]:
    """Yield the rows of an instance."""
    problem, weight = set_covering(n), Figure(_WEIGHTS[n], _REVIEW_OF_ALL if n == _NOT_PRINTED else _TABLE)
    greedy = optimise(problem, _GREEDY).value
    starts, ours = weights_of_starts(problem, options), best_weight(problem, options)
    note = "No cover can be lighter than N." if ours.value == n else ""
    yield figure_row(_weight(n), weight, *map(Estimate.exact, (greedy, greedy)), ours, note=note)
    printed_bloat = None if n == _NOT_PRINTED else Figure(_bloat(weight.value, n), _TABLE)
    bloats = (
        *(Estimate.exact(_bloat(greedy, n)) for _ in range(2)),
        Estimate.exact(_bloat(ours.value, n))._replace(sample=ours.sample),
    )
    yield figure_row(f"bloat, N = {n}", printed_bloat, *bloats, note=note, unit="%")
    for cycles, name in _CYCLES.items():
        ahead = Estimate.exact(optimise(problem, f"{_GREEDY},{_LOOK_AHEAD},cycles={cycles}", seed=options.seed).value)
        yield figure_row(f"weight with look-ahead{name}, N = {n}", None, ahead, ahead, ours, note=_REVIEW)
    if n in _RULE_SIZES:
        for rule in _RULES:
            by_rule = Estimate.exact(optimise(problem, f"greedy:rule={rule}").value)
            yield figure_row(f"weight by the rule {rule}, N = {n}", None, by_rule, by_rule, ours, note=_RULE_NOTE)
        least = Estimate.exact(min(starts))._replace(sample=f"best of {len(starts)} starts")
        yield figure_row(f"weight of the best start, N = {n}", None, least, least, ours, note=_START_NOTE)
        lighter = measured_share(sum(one < greedy for one in starts), len(starts), sample="starts")
        yield figure_row(_lighter_starts(n), None, lighter, lighter, note=_START_NOTE, unit="%")


def _bound_rows() -> Iterator[FigureRow]:
    """Yield the rows on exact searches with the greedy cover as a bound."""
    for name, search, n in (
        (_DIJKSTRA, dijkstra, _DIJKSTRA_SIZE),
        (_BREADTH_FIRST, breadth_first, _BREADTH_FIRST_SIZE),
    ):
        problem = set_covering(n, unique=True)
        free, bounded = (search(problem, bound) for bound in (inf, optimise(problem, _GREEDY).value))
        exact = optimise(problem, "astar")
        states = map(Estimate.exact, (free.generated, bounded.generated, exact.work))
        yield figure_row(name, None, *states, note=_BOUND_NOTE, unit="states")
        if n == _DIJKSTRA_SIZE:
            weights = map(Estimate.exact, (free.weight, bounded.weight, exact.value))
            yield figure_row(_LEAST, Figure(23, printed("a review of lab 1")), *weights, note=_LEAST_NOTE)


def _whole_rows() -> Iterator[FigureRow]:
    """Yield the rows on the sum of the weights of all instances, with and without repeated lists."""
    for quantity, is_unique in ((_SUM, False), (_SUM_UNIQUE, True)):
        total = Estimate.exact(sum(optimise(set_covering(n, unique=is_unique), _GREEDY).value for n in _WEIGHTS))
        yield figure_row(quantity, None, total, total, note="A review proposes to drop repeated lists.")


def _time_row() -> FigureRow:
    problem = set_covering(_NOT_PRINTED)
    times = []
    for _ in range(_REPETITIONS):
        began = perf_counter()
        optimise(problem, _GREEDY)
        times.append(1000 * (perf_counter() - began))
    return figure_row(_TIME, None, median_of(times, "repetitions"), note="On one core of our machine.", unit="ms")


def _bloat(weight: float, n: int) -> float:
    """Return by how many percent the weight of a cover exceeds N, rounded as report B rounds."""
    return round(100 * (weight - n) / n)


def _weight(n: int) -> str:
    return f"weight of the cover, N = {n}"


def _lighter_starts(n: int) -> str:
    return f"starts that give a lighter cover than the longest list, N = {n}"


_CLAIMS = (
    Claim(
        "The cover is optimal for N = 5 and N = 10.",
        (Cell(_weight(5)) <= 5) & (Cell(_weight(10)) <= 10),
        "Its weights are {:.0f} and {:.0f}, and every cover weighs at least N.",
    ),
    Claim(
        "For N = 20 the least weight is 23 (a review).",
        (Cell(_LEAST, "ours") <= 23) & (Cell(_LEAST, "ours") >= 23),
        "A* with an admissible heuristic proves that the least weight is {:.0f}.",
    ),
    Claim(
        "The algorithm is fast.",
        Cell(_TIME) < 1000,
        "For N = 1000 it takes {:.0f} ms on our machine; we call less than a second fast.",
    ),
    Claim(
        "The weight of the greedy cover is a lower bound: breadth-first search can skip nodes of lower cost.",
        Cell(_LEAST, "ours") >= Cell(_weight(20)),
        "The least weight for N = 20 is {:.0f}, and the greedy cover weighs {:.0f}: it is an upper bound, with which a"
        " search can skip nodes of higher cost, as a review says. Dijkstra's algorithm then has {:,.0f} states in its"
        " queue instead of {:,.0f}.",
        (Cell(_LEAST, "ours"), Cell(_weight(20)), Cell(_DIJKSTRA, "described"), Cell(_DIJKSTRA)),
    ),
    Claim(
        "It is good to start with the longest list.",
        (Cell(_lighter_starts(100)) < 50) & (Cell(_lighter_starts(500)) < 50),
        "{:.0f}% of the other starts give a lighter cover for N = 100, and {:.0f}% for N = 500. The best start gives"
        " {:,.0f} instead of {:,.0f} for N = 100.",
        (
            Cell(_lighter_starts(100)),
            Cell(_lighter_starts(500)),
            Cell("weight of the best start, N = 100"),
            Cell(_weight(100)),
        ),
    ),
    Claim(
        "Repeated lists can be dropped (a review).",
        (Cell(_SUM_UNIQUE) <= Cell(_SUM)) & (Cell(_SUM_UNIQUE) >= Cell(_SUM)),
        "A repeated list covers nothing new: all covers together weigh {:,.0f} without them and {:,.0f} with them.",
    ),
)


SECTION = Section(
    name="B1",
    title="Greedy set covering",
    game="SetCovering-v0:n=100",
    purpose="Cover N elements by a greedy heuristic, as a bound for an exact search.",
    conclusion=Text(
        "The heuristic is fast, and optimal for N = 5 and 10. For N = 100, 500 and 1000 a local search and other starts"
        " find covers of weight {:,.0f}, {:,.0f} and {:,.0f} instead of {:,.0f}, {:,.0f} and {:,.0f}.",
        tuple(Cell(_weight(n), column) for column in ("ours", "literal") for n in _RULE_SIZES),
    ),
    conditions=(f"The instances are those of report B, with the seed 42. The algorithm is deterministic. {CONDITIONS}"),
    seconds=120,
    run=run,
    claims=_CLAIMS,
)
