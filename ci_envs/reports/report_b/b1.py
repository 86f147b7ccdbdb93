"""Section B1: greedy set covering.

Our solver ``greedy:rule=overlap`` is the algorithm of report B: it takes the longest list first, then the list with the
least ratio of covered to new numbers, and of equal lists the longest. The look-ahead that a review of report B proposes
is ``greedy:rule=overlap,width=3,lookahead=4``.
"""

from math import inf
from time import perf_counter

from ci_envs.optimisation.set_covering.instances import set_covering
from ci_envs.reports.estimates import Estimate, measured_share, median_of
from ci_envs.reports.optimised import optimised
from ci_envs.reports.report_b.best_covers import best_weight, bloat, weights_of_starts
from ci_envs.reports.report_b.bounded_searches import breadth_first, dijkstra
from ci_envs.reports.section_run import SectionRun, section

_SIZES, _LARGE_SIZES = (5, 10, 20, 100, 500, 1000), (100, 500, 1000)
_GREEDY = "greedy:rule=overlap"
_CYCLES = {"all": "", "alternate": " in every other step", "random": " in random steps"}


def _measure_size(run: SectionRun, n: int) -> None:
    """Add the rows of an instance."""
    problem = set_covering(n)
    greedy = optimised(problem, _GREEDY).value
    starts, ours = weights_of_starts(problem, run), best_weight(problem, run)
    run.add(f"weight of the cover, N = {n}", greedy, greedy, ours)
    literal, best = bloat(greedy, n), Estimate.exact(bloat(ours.value, n))._replace(sample=ours.sample)
    run.add(f"bloat, N = {n}", literal, literal, best)
    for cycles, name in _CYCLES.items():
        ahead = optimised(problem, f"{_GREEDY},width=3,lookahead=4,cycles={cycles}", seed=run.seed).value
        run.add(f"weight with look-ahead{name}, N = {n}", ahead, ahead, ours)
    if n in _LARGE_SIZES:
        for rule in ("chvatal", "course"):
            by_rule = optimised(problem, f"greedy:rule={rule}").value
            run.add(f"weight by the rule {rule}, N = {n}", by_rule, by_rule, ours)
        least = Estimate.exact(min(starts))._replace(sample=f"best of {len(starts)} starts")
        run.add(f"weight of the best start, N = {n}", least, least, ours)
        lighter = measured_share(sum(one < greedy for one in starts), len(starts), sample="starts")
        run.add(f"starts that give a lighter cover than the longest list, N = {n}", lighter, lighter)


def _measure_sizes(run: SectionRun) -> None:
    for n in run.steps(_SIZES):
        _measure_size(run, n)


def _measure_bounds(run: SectionRun) -> None:
    """Add the rows on exact searches with the greedy cover as a bound."""
    for name, search, n in (("Dijkstra's algorithm", dijkstra, 20), ("breadth-first search", breadth_first, 10)):
        problem = set_covering(n, unique=True)
        free, bounded = (search(problem, bound) for bound in (inf, optimised(problem, _GREEDY).value))
        exact = optimised(problem, "astar")
        run.add(f"states in the queue of {name}, N = {n}", free.generated, bounded.generated, exact.work)
        if search is dijkstra:
            run.add(f"least weight of a cover, N = {n}", free.weight, bounded.weight, exact.value)


def _measure_sums(run: SectionRun) -> None:
    """Add the sums of the weights of all instances, with and without repeated lists, and the time."""
    for end, is_unique in (("", False), (" without repeated lists", True)):
        total = sum(optimised(set_covering(n, unique=is_unique), _GREEDY).value for n in _SIZES)
        run.add(f"sum of the weights of all N{end}", total, total)
    problem, times = set_covering(_SIZES[-1]), []
    for _ in range(run.budget("repetitions")):
        began = perf_counter()
        optimised(problem, _GREEDY)
        times.append(1000 * (perf_counter() - began))
    run.add("time of the greedy algorithm, N = 1000", median_of(times, "repetitions"))


SECTION = section(__file__, _measure_sizes, _measure_bounds, _measure_sums)
