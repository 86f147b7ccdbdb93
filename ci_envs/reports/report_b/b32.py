"""Section B32: Nim by an evolved threshold.

A genome is a probability p: the strategy takes all of a random row with probability p, else all but one, which of a row
of one object is an illegal pass. The fitness is the share of 100 matches against the optimal opponent, measured once.
Matches are independent, so the measurement of a genome is a draw from the binomial distribution with its exact share.
The optimal opponent plays any of the moves that leave a nim-sum of 0, each with the same probability.
"""

from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np
from numpy.polynomial import Chebyshev
from numpy.random import Generator
from numpy.typing import NDArray

from ci_envs.optimisation.evolution.parameters import Genomes, Values
from ci_envs.reports.estimates import spread_of_runs
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
from ci_envs.reports.section import Claim, ClaimVerdict, Estimate, FigureRow, Findings, RunOptions, Section

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
_BEST_SHARE_ROW = "exact share of the best p"
_RULES_NAME = "7 rules"
_BEST_WEIGHTS_ROW = f"{_RULES_NAME}, exact fitness: share of the best weights"
_RULES_NOTE = (
    "A gene is the weight of a rule, and a rule is drawn for each move: take_row, leave_one (with the pass), row_random"
    f" and the four fixed rules of B31. {_LOST}"
)
_PUBLISHED = f"From what the author of report B published elsewhere. {_LOST}"
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
    "A review mentions this figure without the rules. Literal: weights of take_row, leave_one and row_random, with"
    " legal moves. Described: take_row or leave_one by the parity of the rows, as nim_evolved can with features=odd."
)

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
    shares = np.vectorize(lambda p: win_share(threshold(float(p)), nim_expert))
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
    legal = [
        evolve_threshold(rng, legal=True)[:, 1] for _ in range(_QUICK_LEGAL_RUNS if options.quick else _LEGAL_RUNS)
    ]
    rows = _printed_rows(np.array(curves), np.mean(legal, axis=0))
    rows += [_row(_BEST_SHARE_ROW, None, Estimate.exact(_best_share())), _bound_row()]
    seeds = range(options.seed, options.seed + (_QUICK_PROPOSAL_RUNS if options.quick else _PROPOSAL_RUNS))
    generations = _QUICK_PROPOSAL_GENERATIONS if options.quick else _PROPOSAL_GENERATIONS
    rows += _proposal_rows(seeds, generations)
    options.report_progress(0.7)
    rows += [*_rules_rows(seeds, generations), *_told_rows(seeds, generations)]
    options.report_progress(1.0)
    return Findings(tuple(rows), _claims(rows))


def _printed_rows(curves: NDArray[np.float64], legal: NDArray[np.float64]) -> list[FigureRow]:
    """Return the rows on the best fitness and p.

    Args:
        curves: The runs, float64 (runs, generations + 1, 2).
        legal: The mean p of the best genome with legal moves, float64 (generations + 1,).
    """
    means, (lows, highs) = curves.mean(axis=0), np.quantile(curves, [0.025, 0.975], axis=0)
    fitness_rows, genome_rows = [], []
    best = float(_SHARE_GRID[share_of()(_SHARE_GRID).argmax()])
    for generation, (figure, p) in _FIGURES.items():
        (fitness, genome), low, high = means[generation].tolist(), lows[generation], highs[generation]
        note = _LOST if generation <= _LAST_PRINTED else _PUBLISHED
        estimate = Estimate(100 * fitness, 100 * float(low[0]), 100 * float(high[0]))
        fitness_rows.append(_row(f"best measured fitness, generation {generation}", figure, estimate, note))
        spread = Estimate(genome, float(low[1]), float(high[1]))
        quantity = f"p of the best genome, generation {generation}"
        genome_rows.append(FigureRow(quantity, p, spread, float(legal[generation]), best, _P_NOTE))
    return [*fitness_rows, *genome_rows]


def _row(quantity: str, figure: float | None, literal: Estimate, note: str = _LOST) -> FigureRow:
    """Return a row on strategies that move first against the optimal opponent."""
    legal, ours = (win_percentage(one, nim_expert) for one in (threshold(0.5, leave_one_or_take_it), nim_expert))
    return FigureRow(quantity, figure, literal, legal, ours, note, "%")


def _best_share() -> float:
    return 100 * float(share_of()(_SHARE_GRID).max())


def _bound_row() -> FigureRow:
    """Return the row on the best p with a bound on the objects of a move."""
    expert, p = bounded_expert(_BOUND), _BOUND_GRID
    shares = Mixtures((_bounded(take_row), _bounded(leave_one)), expert).shares(np.stack((p, 1 - p), axis=1))
    legal = win_percentage(_bounded(leave_one_or_take_it), expert)
    quantity = f"exact share of the best p with k = {_BOUND}"
    best = Estimate.exact(100 * float(shares.max()))
    return FigureRow(quantity, None, best, legal, win_percentage(expert, expert), _BOUND_NOTE, "%")


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


def _proposal_rows(seeds: range, generations: int) -> list[FigureRow]:
    rows = []
    for name, plan in PROPOSED_PLANS.items():
        genomes, values = best_genomes(plan, measured_fitness(_threshold_shares), 1, generations, seeds)
        rows += _proposal(name, values, _threshold_shares(genomes), _LOST)
    return rows


def _rules_rows(seeds: range, generations: int) -> list[FigureRow]:
    """Return the rows on a gene for each of seven rules."""
    mixtures = Mixtures((take_row, leave_one, row_random, *FIXED_RULES.values()), nim_expert)
    genes = len(mixtures.strategies)
    genomes, values = best_genomes(REPORT_PLAN, measured_fitness(mixtures.shares), genes, generations, seeds)
    rows = _proposal(_RULES_NAME, values, mixtures.shares(genomes), _RULES_NOTE)
    _, exact = best_genomes(REPORT_PLAN, exact_fitness(mixtures.shares), genes, generations, seeds[:2])
    best = Estimate.exact(100 * float(exact.max()))
    return [*rows, _row(_BEST_WEIGHTS_ROW, None, best, _RULES_NOTE)]


def _proposal(name: str, values: Values, shares: Values, note: str) -> list[FigureRow]:
    return [
        _row(f"{name}: best measured fitness", None, spread_of_runs((100 * values).tolist()), note),
        _row(f"{name}: its exact share", None, spread_of_runs((100 * shares).tolist()), note),
    ]


def _told_rows(seeds: range, generations: int) -> list[FigureRow]:
    """Return the rows on what a review of report B tells of a strategy with three genes."""
    strategies = take_row, leave_one_of_larger, row_random
    rows = []
    for opponent, name, figure in ((row_random, "random", 95), (nim_optimal, "optimal", 0)):
        mixtures = Mixtures(strategies, opponent)
        genomes, _ = best_genomes(REPORT_PLAN, measured_fitness(mixtures.shares), 3, generations, seeds[:_TOLD_RUNS])
        shares = spread_of_runs((100 * mixtures.shares(genomes)).round(10).tolist())
        by_parity, ours = (win_percentage(one, opponent) for one in (always(0, leave_one_of_larger), nim_expert))
        rows.append(FigureRow(f"three genes v {name}, wins", figure, shares, by_parity, ours, _TOLD_NOTE, "%"))
    return rows


def _claims(rows: Sequence[FigureRow]) -> tuple[Claim, ...]:
    found = {row.quantity: row.literal for row in rows}
    share = max(found[f"{name}: its exact share"].value for name in PROPOSED_PLANS)
    best = found[_BEST_SHARE_ROW].value
    return (
        Claim(
            "The algorithm converges early.",
            ClaimVerdict.HOLDS,
            f"It converges to noise: the best p wins {best:.0f}% of the matches, and 41% is the largest of thousands of"
            " measurements of 100 matches.",
        ),
        Claim(
            "A (mu + lambda) scheme would cure the early convergence.",
            ClaimVerdict.FAILS,
            "The algorithm is a (mu + lambda) scheme already: the best of parents and offspring survive.",
        ),
        Claim(
            "(mu, lambda), a larger population or extinction would find a better p (reviews).",
            ClaimVerdict.FAILS,
            f"The genomes that these changes, another crossover and new measurements of the survivors find win at most"
            f" {share:.1f}% of the matches (medians), and the best p wins {best:.1f}%.",
        ),
        Claim(
            "A gene for each of several rules would be better (reviews).",
            ClaimVerdict.FAILS,
            f"With 100 matches a measurement the evolution finds weights of {_RULES_NAME} that win"
            f" {found[f'{_RULES_NAME}: its exact share'].value:.1f}% (median), although the best weights win"
            f" {found[_BEST_WEIGHTS_ROW].value:.1f}%; all need the illegal pass.",
        ),
    )


def _conclusion(rows: Mapping[str, FigureRow]) -> str:
    return (
        f"The best genome wins {rows[_BEST_SHARE_ROW].literal.value:.0f}% of the matches, and only with an illegal"
        " pass. The printed 41% is the largest of thousands of measurements of 100 matches each."
    )


SECTION = Section(
    name="B32",
    title="Nim by an evolved threshold",
    game="Nim-v0:heaps=1,3,5,7",
    purpose="Evolve the probability with which a strategy takes whole rows.",
    conclusion=_conclusion,
    conditions=(
        "The strategy moves first against the optimal opponent (nim-sum), 100 matches a measurement. Population 50, 300"
        f" offspring, {_GENERATIONS} generations. The interval holds the middle 95% of {_RUNS} runs ({_QUICK_RUNS} with"
        f" --quick); the changes that reviews propose have {_PROPOSAL_RUNS} runs of {_PROPOSAL_GENERATIONS} generations"
        f" ({_QUICK_PROPOSAL_RUNS} of {_QUICK_PROPOSAL_GENERATIONS}). Our trainer does the same with legal moves:"
        " nim_evolved:rules=take_row+leave_one,features=none."
    ),
    seconds=120,
    run=run,
    agents={"B32": strategy_agent(threshold(_BEST_THRESHOLD, leave_one_or_take_it))},
)
