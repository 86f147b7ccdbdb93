"""Section B32: Nim by an evolved threshold.

A genome is a probability p: the strategy takes all of a random row with probability p, else all but one, which of a row
of one object is an illegal pass. The fitness is the share of 100 matches against the optimal opponent, measured once
(:mod:`~ci_envs.reports.report_b.nim_proposals`).
The optimal opponent is the plain nim-sum player of report B: it plays the first move that leaves a nim-sum of 0.
"""

from collections.abc import Iterable
from functools import cache

import numpy as np
from numpy.polynomial import Chebyshev

from ci_envs.optimisation.evolution.engine import Plan
from ci_envs.optimisation.evolution.parameters import Genomes, Values
from ci_envs.reports.estimates import Estimate, mean_of_runs
from ci_envs.reports.nim_agent import strategy_agent
from ci_envs.reports.nim_strategies import (
    FIXED_RULES,
    Chances,
    Rows,
    Strategy,
    always,
    leave_one,
    leave_one_of_larger,
    leave_one_or_take_it,
    nim_expert,
    nim_optimal,
    row_random,
    take_row,
    win_percentage,
    win_share,
)
from ci_envs.reports.report_b.nim_mixtures import Mixtures
from ci_envs.reports.report_b.nim_proposals import (
    PROPOSED_PLANS,
    REPORT_PLAN,
    ExactShares,
    best_genomes,
    exact_fitness,
    measured_fitness,
)
from ci_envs.reports.report_b.nim_reviews import bounded_rule
from ci_envs.reports.section_run import SectionRun, section

_GENERATIONS = 100
_PRINTED_GENERATIONS = (0, 5, 10, 25, 50, 90)
_PLANS = {"(mu + lambda), as printed": REPORT_PLAN, **PROPOSED_PLANS}
_BOUND = 3  # maximum number of objects in a move, which a review proposes
_BEST_THRESHOLD = 0.4614  # the genome that report B prints for its last generations
_SHARE_GRID = np.linspace(0, 1, 1001)
_BOUND_GRID = np.linspace(0, 1, 101)
_DEGREE = 32  # the share is a polynomial of p of at most this degree: a match has 16 objects, and as many passes


def threshold(p: float, leaves_one: Strategy = leave_one) -> Strategy:
    """Return the strategy of a genome.

    Args:
        p: The probability to take all of a random row, 0 to 1.
        leaves_one: What it plays otherwise.
    """

    def strategy(rows: Rows) -> Chances:
        chances = {move: p * chance for move, chance in take_row(rows).items()}
        for move, chance in leaves_one(rows).items():
            chances[move] = chances.get(move, 0.0) + (1 - p) * chance
        return chances

    return strategy


@cache
def share_of() -> Chebyshev:
    """Return the exact share of matches that a genome wins, as a function of p: its interpolation polynomial."""
    shares = np.vectorize(lambda p: win_share(threshold(float(p)), nim_optimal))
    return Chebyshev.interpolate(shares, _DEGREE, domain=[0, 1])


def share_of_genomes(genomes: Genomes) -> Values:
    """Return the exact shares of matches that genomes (n, 1) win, float64 (n,)."""
    shares: Values = share_of()(genomes[:, 0])
    return shares


def share_of_legal_genomes(genomes: Genomes) -> Values:
    """Return the shares of matches that genomes win without the illegal pass: 0, because the start is lost."""
    return np.zeros(len(genomes))


def _measure_printed(run: SectionRun) -> None:
    """Add the rows on the best fitness and p of report B's evolution, with passes and with legal moves."""
    genomes, values = _evolved(share_of_genomes, run.steps(run.seeds("runs")))
    legal, _ = _evolved(share_of_legal_genomes, run.seeds("legal_runs"))
    for generation in _PRINTED_GENERATIONS:
        _add(run, f"best measured fitness, generation {generation}", mean_of_runs(100 * values[:, generation]))
    best = float(_SHARE_GRID[share_of()(_SHARE_GRID).argmax()])
    for generation in _PRINTED_GENERATIONS:
        thresholds = (mean_of_runs(each[:, generation, 0]) for each in (genomes, legal))
        run.add(f"p of the best genome, generation {generation}", *thresholds, best)
    _add(run, "exact share of the last best genome", mean_of_runs(100 * share_of_genomes(genomes[:, -1])))
    _add(run, "exact share of the best p", 100 * float(share_of()(_SHARE_GRID).max()))


def _evolved(shares: ExactShares, seeds: Iterable[int]) -> tuple[Genomes, Values]:
    """Run report B's evolution of one gene for each seed."""
    return best_genomes(REPORT_PLAN, measured_fitness(shares), 1, _GENERATIONS, seeds)


def _add(run: SectionRun, quantity: str, literal: Estimate | float) -> None:
    """Add a row on strategies that move first against the optimal opponent."""
    others = threshold(0.5, leave_one_or_take_it), nim_expert
    run.add(quantity, literal, *(win_percentage(one, nim_optimal) for one in others))


def _measure_bound(run: SectionRun) -> None:
    """Add the row on the best p with a bound on the objects of a move."""
    expert, p = bounded_rule("expert", _BOUND), _BOUND_GRID
    shares = Mixtures((_bounded(take_row), _bounded(leave_one)), expert).shares(np.stack((p, 1 - p), axis=1))
    others = (win_percentage(one, expert) for one in (_bounded(leave_one_or_take_it), expert))
    run.add(f"exact share of the best p with k = {_BOUND}", 100 * float(shares.max()), *others)


def _bounded(strategy: Strategy) -> Strategy:
    """Return a strategy that takes at most ``_BOUND`` objects where the given one takes more."""

    def bounded(rows: Rows) -> Chances:
        chances: Chances = {}
        for (row, number), chance in strategy(rows).items():
            move = row, min(number, _BOUND)
            chances[move] = chances.get(move, 0.0) + chance
        return chances

    return bounded


def _measure_proposals(run: SectionRun) -> None:
    """Add the rows on other plans for one gene, and on a gene for each of seven rules."""

    def measure(name: str, plan: Plan, shares: ExactShares, genes: int) -> None:
        genomes, values = best_genomes(plan, measured_fitness(shares), genes, generations, run.seeds("proposal_runs"))
        genomes, values = genomes[:, -1], values[:, -1]
        for quantity, found in (("best measured fitness", values), ("its exact share", shares(genomes))):
            _add(run, f"{name}: {quantity}", mean_of_runs(100 * found, f"runs of {generations} generations"))

    generations = run.budget("proposal_generations")
    for name in run.steps(_PLANS):
        measure(name, _PLANS[name], share_of_genomes, 1)
    mixtures = Mixtures((take_row, leave_one, row_random, *FIXED_RULES.values()), nim_optimal)
    genes = len(mixtures.strategies)
    measure(f"{genes} rules", REPORT_PLAN, mixtures.shares, genes)
    seeds = run.seeds("proposal_runs")[:2]
    _, exact = best_genomes(REPORT_PLAN, exact_fitness(mixtures.shares), genes, generations, seeds)
    _add(run, f"{genes} rules, exact fitness: share of the best weights", 100 * float(exact[:, -1].max()))


def _measure_students(run: SectionRun) -> None:
    """Add the rows on the strategies of two other students, as reviews of report B describe them."""
    generations, seeds = run.budget("proposal_generations"), run.seeds("student_runs")
    for name, opponent in (
        ("a student with three genes v random", row_random),
        ("another student v optimal", nim_optimal),
    ):
        mixtures = Mixtures((take_row, leave_one_of_larger, row_random), opponent)
        genomes, _ = best_genomes(REPORT_PLAN, measured_fitness(mixtures.shares), 3, generations, seeds)
        shares = mean_of_runs((100 * mixtures.shares(genomes[:, -1])).round(10), f"runs of {generations} generations")
        others = (win_percentage(one, opponent) for one in (always(0, leave_one_of_larger), nim_expert))
        run.add(f"{name}, wins", shares, *others)


SECTION = section(
    __file__,
    _measure_printed,
    _measure_bound,
    _measure_proposals,
    _measure_students,
    agents={"B32": strategy_agent(threshold(_BEST_THRESHOLD, leave_one_or_take_it))},
)
