"""Section B32: Nim by an evolved threshold.

A genome is a probability p: the strategy takes all of a random row with probability p, else all but one, which of a row
of one object is an illegal pass. The fitness is the share of 100 matches against the optimal opponent, measured once.
Matches are independent, so the measurement of a genome is a draw from the binomial distribution with its exact share.
The optimal opponent is the plain nim-sum player of report B: it plays the first move that leaves a nim-sum of 0.
"""

from collections.abc import Iterator
from functools import cache

import numpy as np
from numpy.polynomial import Chebyshev
from numpy.random import Generator
from numpy.typing import NDArray

from ci_envs.optimisation.evolution.parameters import Genomes, Values
from ci_envs.reports.claims import Cell, Claim, Text, any_of
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
    best_genomes,
    exact_fitness,
    measured_fitness,
)
from ci_envs.reports.report_b.nim_reviews import bounded_expert
from ci_envs.reports.rows import FigureRow, figure_row
from ci_envs.reports.section import Findings, RunOptions, Section
from ci_envs.reports.sources import Figure, Source, printed, published

_MATCHES, _POPULATION, _OFFSPRING, _GENERATIONS, _MUTATION = 100, 50, 300, 100, 0.2
_RUNS, _QUICK_RUNS = 500, 40
_LEGAL_RUNS, _QUICK_LEGAL_RUNS = 100, 4
_PROPOSAL_RUNS, _QUICK_PROPOSAL_RUNS = 40, 2
_PROPOSAL_GENERATIONS, _QUICK_PROPOSAL_GENERATIONS = 50, 5
_TOLD_RUNS = 10
_FIGURES = {0: (33, 0.3916), 5: (38, 0.4049), 10: (40, 0.5179), 25: (41, 0.4614), 50: (41, 0.4614), 90: (41, 0.4614)}
"""The best fitness that report B prints, in percent, and its p, by generation."""

_LAST_PRINTED = 50  # the author of report B published the later generations elsewhere

_LOST = "The start is lost for the first player: without the illegal pass every strategy wins 0%."
_BEST_SHARE, _LAST_SHARE = "exact share of the best p", "exact share of the last best genome"
_RULES_NAME = "7 rules"
_BEST_WEIGHTS = f"{_RULES_NAME}, exact fitness: share of the best weights"
_RULES_NOTE = (
    "A gene is the weight of a rule, and a rule is drawn for each move: take_row, leave_one (with the pass), row_random"
    f" and the four fixed rules of B31. {_LOST}"
)
_TABLE = printed("lab 3.2, the printed output of the evolution")
_LOG = published("the output of the evolution in the repository of the author of report B")
_FIRST_STUDENT = printed("a review of lab 3.2, about a student with three genes")
_SECOND_STUDENT = printed("a review of lab 3.2, about another student")
_PLUS = "(mu + lambda), as printed"
_PLANS = {_PLUS: REPORT_PLAN, **PROPOSED_PLANS}
_BOUND = 3
_BOUND_NOTE = (
    f"A review proposes a bound k on the objects of a move. Literal: the best p if a move takes at most {_BOUND}"
    " objects, with the pass. The start is lost with this bound, too."
)
_P_NOTE = (
    "The text and the code of report B exchange p and 1 - p. Described: with legal moves every p wins 0%, so the first"
    " genome of the random population stays. Ours is the p with the largest exact share."
)
_TOLD_NOTE = (
    "The review mentions this figure without the rules. Literal: weights of take_row, leave_one and row_random, with"
    " legal moves. Described: take_row or leave_one by the parity of the rows, as nim_evolved can with features=odd."
)
_NO_PASS = "With legal moves no strategy wins from the lost start."

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


def evolve_threshold(rng: Generator, generations: int = _GENERATIONS, *, legal: bool = False) -> NDArray[np.float64]:
    """Run report B's evolution.

    Args:
        rng: The source of random numbers.
        generations: The number of generations after the first population.
        legal: Whether the moves are legal, so that every strategy loses.

    Returns:
        The best measured fitness of each generation and its genome p, float64 (generations + 1, 2).
    """
    genomes = rng.random(_POPULATION)
    fitness = _measured(genomes, rng, legal)
    best = [(fitness.max(), genomes[fitness.argmax()])]
    for _ in range(generations):
        parents = genomes[_tournaments(fitness, (_OFFSPRING, 2), rng)]
        is_new = rng.random(_OFFSPRING) < _MUTATION
        offspring = np.where(is_new, rng.random(_OFFSPRING), parents.mean(axis=1))
        genomes, fitness = np.append(genomes, offspring), np.append(fitness, _measured(offspring, rng, legal))
        survivors = np.argsort(-fitness, kind="stable")[:_POPULATION]
        genomes, fitness = genomes[survivors], fitness[survivors]
        best.append((fitness[0], genomes[0]))
    return np.array(best)


def _measured(genomes: NDArray[np.float64], rng: Generator, legal: bool) -> NDArray[np.float64]:
    """Return the share of 100 matches that each genome wins: none without the illegal pass, as the start is lost."""
    shares = np.zeros(len(genomes)) if legal else np.clip(share_of()(genomes), 0, 1)
    measured: NDArray[np.float64] = rng.binomial(_MATCHES, shares) / _MATCHES
    return measured


def _tournaments(fitness: NDArray[np.float64], shape: tuple[int, int], rng: Generator) -> NDArray[np.int64]:
    """Return the winners of tournaments of two, drawn with replacement."""
    drawn = rng.integers(len(fitness), size=(2, *shape))
    winners: NDArray[np.int64] = np.where(fitness[drawn[0]] >= fitness[drawn[1]], drawn[0], drawn[1])
    return winners


def run(options: RunOptions) -> Findings:
    """Repeat report B's evolution and what its reviews propose, and compare the measurements with exact shares."""
    runs = _QUICK_RUNS if options.quick else _RUNS
    rng = np.random.default_rng(options.seed)
    curves = []
    for number in range(runs):
        curves.append(evolve_threshold(rng))
        options.report_progress(0.4 * (number + 1) / runs)
    rng = np.random.default_rng([options.seed, 1])
    legal = [evolve_threshold(rng, legal=True) for _ in range(_QUICK_LEGAL_RUNS if options.quick else _LEGAL_RUNS)]
    rows = [*_printed_rows(np.array(curves), np.array(legal))]
    rows += [_row(_BEST_SHARE, None, Estimate.exact(_best_share())), _bound_row()]
    seeds = range(options.seed, options.seed + (_QUICK_PROPOSAL_RUNS if options.quick else _PROPOSAL_RUNS))
    generations = _QUICK_PROPOSAL_GENERATIONS if options.quick else _PROPOSAL_GENERATIONS
    rows += _proposal_rows(seeds, generations)
    options.report_progress(0.7)
    rows += [*_rules_rows(seeds, generations), *_told_rows(seeds, generations)]
    options.report_progress(1.0)
    return Findings(tuple(rows))


def _printed_rows(curves: NDArray[np.float64], legal: NDArray[np.float64]) -> Iterator[FigureRow]:
    """Yield the rows on the best fitness and p.

    Args:
        curves: The runs, float64 (runs, generations + 1, 2).
        legal: The runs with legal moves, of the same shape.
    """
    for generation, (figure, _) in _FIGURES.items():
        fitness = mean_of_runs(100 * curves[:, generation, 0])
        yield _row(_fitness(generation), Figure(figure, _source(generation)), fitness)
    best = Estimate.exact(float(_SHARE_GRID[share_of()(_SHARE_GRID).argmax()]))
    for generation, (_, p) in _FIGURES.items():
        genomes = (mean_of_runs(runs[:, generation, 1]) for runs in (curves, legal))
        quantity = f"p of the best genome, generation {generation}"
        yield figure_row(quantity, Figure(p, _source(generation)), *genomes, best, note=_P_NOTE)
    yield _row(_LAST_SHARE, None, mean_of_runs(100 * share_of()(curves[:, -1, 1])))


def _source(generation: int) -> Source:
    return _TABLE if generation <= _LAST_PRINTED else _LOG


def _row(quantity: str, figure: Figure | None, literal: Estimate, note: str = _LOST) -> FigureRow:
    """Return a row on strategies that move first against the optimal opponent."""
    others = (win_percentage(one, nim_optimal) for one in (threshold(0.5, leave_one_or_take_it), nim_expert))
    return figure_row(quantity, figure, literal, *map(Estimate.exact, others), note=note, unit="%")


def _best_share() -> float:
    return 100 * float(share_of()(_SHARE_GRID).max())


def _bound_row() -> FigureRow:
    """Return the row on the best p with a bound on the objects of a move."""
    expert, p = bounded_expert(_BOUND), _BOUND_GRID
    shares = Mixtures((_bounded(take_row), _bounded(leave_one)), expert).shares(np.stack((p, 1 - p), axis=1))
    others = (win_percentage(one, expert) for one in (_bounded(leave_one_or_take_it), expert))
    estimates = map(Estimate.exact, (100 * float(shares.max()), *others))
    return figure_row(f"exact share of the best p with k = {_BOUND}", None, *estimates, note=_BOUND_NOTE, unit="%")


def _bounded(strategy: Strategy) -> Strategy:
    """Return a strategy that takes at most ``_BOUND`` objects where the given one takes more."""

    def bounded(rows: Rows) -> Chances:
        chances: Chances = {}
        for (row, number), chance in strategy(rows).items():
            move = row, min(number, _BOUND)
            chances[move] = chances.get(move, 0.0) + chance
        return chances

    return bounded


def _threshold_shares(genomes: Genomes) -> Values:
    shares: Values = share_of()(genomes[:, 0])
    return shares


def _proposal_rows(seeds: range, generations: int) -> Iterator[FigureRow]:
    for name, plan in _PLANS.items():
        genomes, values = best_genomes(plan, measured_fitness(_threshold_shares), 1, generations, seeds)
        yield from _proposal(name, values, _threshold_shares(genomes), generations, _LOST)


def _rules_rows(seeds: range, generations: int) -> Iterator[FigureRow]:
    """Yield the rows on a gene for each of seven rules."""
    mixtures = Mixtures((take_row, leave_one, row_random, *FIXED_RULES.values()), nim_optimal)
    genes = len(mixtures.strategies)
    genomes, values = best_genomes(REPORT_PLAN, measured_fitness(mixtures.shares), genes, generations, seeds)
    yield from _proposal(_RULES_NAME, values, mixtures.shares(genomes), generations, _RULES_NOTE)
    _, exact = best_genomes(REPORT_PLAN, exact_fitness(mixtures.shares), genes, generations, seeds[:2])
    yield _row(_BEST_WEIGHTS, None, Estimate.exact(100 * float(exact.max())), _RULES_NOTE)


def _proposal(name: str, values: Values, shares: Values, generations: int, note: str) -> Iterator[FigureRow]:
    sample = f"runs of {generations} generations"
    yield _row(f"{name}: best measured fitness", None, mean_of_runs(100 * values, sample), note)
    yield _row(_exact_share(name), None, mean_of_runs(100 * shares, sample), note)


def _told_rows(seeds: range, generations: int) -> Iterator[FigureRow]:
    """Yield the rows on the strategies of two other students, as reviews of report B describe them."""
    strategies = take_row, leave_one_of_larger, row_random
    for opponent, name, figure, note in (
        (row_random, "a student with three genes v random", Figure(95, _FIRST_STUDENT), _TOLD_NOTE),
        (nim_optimal, "another student v optimal", Figure(0, _SECOND_STUDENT), f"{_TOLD_NOTE} {_NO_PASS}"),
    ):
        mixtures = Mixtures(strategies, opponent)
        genomes, _ = best_genomes(REPORT_PLAN, measured_fitness(mixtures.shares), 3, generations, seeds[:_TOLD_RUNS])
        shares = mean_of_runs((100 * mixtures.shares(genomes)).round(10), f"runs of {generations} generations")
        others = (win_percentage(one, opponent) for one in (always(0, leave_one_of_larger), nim_expert))
        yield figure_row(f"{name}, wins", figure, shares, *map(Estimate.exact, others), note=note, unit="%")


def _fitness(generation: int) -> str:
    return f"best measured fitness, generation {generation}"


def _exact_share(name: str) -> str:
    return f"{name}: its exact share"


_MORE = 1.02  # times the share
_CLAIMS = (
    Claim(
        "The algorithm converges early.",
        Cell(_fitness(90)) < Cell(_fitness(25), factor=1.05),
        "The best measured fitness is {:.1f}% in generation 25 and {:.1f}% in generation 90. It converges to noise: the"
        " best p wins {:.1f}% of the matches.",
        (Cell(_fitness(25)), Cell(_fitness(90)), Cell(_BEST_SHARE)),
    ),
    Claim(
        "A (mu + lambda) scheme would cure the early convergence.",
        Cell(_exact_share(_PLUS)) > Cell(_LAST_SHARE, factor=_MORE),
        "The algorithm is a (mu + lambda) scheme already: its last genomes win {:.1f}% of the matches, and those of our"
        " (mu + lambda) engine {:.1f}%.",
        (Cell(_LAST_SHARE), Cell(_exact_share(_PLUS))),
    ),
    Claim(
        "(mu, lambda), a larger population or extinction would find a better p (reviews).",
        any_of(*(Cell(_exact_share(name)) > Cell(_LAST_SHARE, factor=_MORE) for name in PROPOSED_PLANS)),
        "The genomes that these changes, new measurements of the survivors and another crossover find win {:.1f}%,"
        " {:.1f}%, {:.1f}%, {:.1f}% and {:.1f}% of the matches, and those of report B {:.1f}%. The best p wins"
        " {:.1f}%.",
        (*(Cell(_exact_share(name)) for name in PROPOSED_PLANS), Cell(_LAST_SHARE), Cell(_BEST_SHARE)),
    ),
    Claim(
        "A gene for each of several rules would be better (reviews).",
        Cell(_exact_share(_RULES_NAME)) > Cell(_LAST_SHARE),
        f"With 100 matches a measurement the evolution finds weights of {_RULES_NAME} that win {{:.1f}}%, instead of"
        " {:.1f}% with one gene, although the best weights win {:.1f}%; all need the illegal pass.",
        (Cell(_exact_share(_RULES_NAME)), Cell(_LAST_SHARE), Cell(_BEST_WEIGHTS)),
    ),
)


SECTION = Section(
    name="B32",
    title="Nim by an evolved threshold",
    game="Nim-v0:heaps=1,3,5,7",
    purpose="Evolve the probability with which a strategy takes whole rows.",
    conclusion=Text(
        "The best genome wins {:.0f}% of the matches, and only with an illegal pass. The printed 41% is the largest of"
        " thousands of measurements of 100 matches each.",
        (Cell(_BEST_SHARE),),
    ),
    conditions=(
        "The strategy moves first against the optimal opponent (nim-sum), 100 matches a measurement. Population 50, 300"
        f" offspring, {_GENERATIONS} generations. The interval holds the middle 95% of {_RUNS} runs ({_QUICK_RUNS} with"
        f" --quick); the changes that reviews propose have {_PROPOSAL_RUNS} runs of {_PROPOSAL_GENERATIONS} generations"
        f" ({_QUICK_PROPOSAL_RUNS} of {_QUICK_PROPOSAL_GENERATIONS}). Our trainer does the same with legal moves:"
        " nim_evolved:rules=take_row+leave_one,features=none."
    ),
    seconds=120,
    run=run,
    claims=_CLAIMS,
    agents={"B32": strategy_agent(threshold(_BEST_THRESHOLD, leave_one_or_take_it))},
)
