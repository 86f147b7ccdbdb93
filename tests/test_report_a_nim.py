"""Report A on Nim, compared with slow versions in plain Python and with independently measured figures."""

import re
from itertools import product

import numpy as np
import pytest
from oracles.rules import nim_is_won

from ci_envs import make_agent
from ci_envs.arena import play_match
from ci_envs.games.nim import Nim
from ci_envs.reports.nim_strategies import (
    FIVE_ROWS,
    FIXED_RULES,
    misere_optimal,
    nonzero_nim_sum,
    row_random,
    uniform,
    win_percentage,
    win_share,
)
from ci_envs.reports.report_a import nim_genes
from ci_envs.reports.report_a.a2 import DESCRIBED, OURS, literal_curves, trained_curves
from ci_envs.reports.report_a.nim_genes import (
    EvolutionRecord,
    blend,
    evolve,
    games_won,
    genome_strategy,
    tournament_selection,
)
from ci_envs.reports.report_a.nim_genes_plots import diversity_plot, heat_map

POSITIONS = [rows for rows in product(*(range(size + 1) for size in (1, 2, 3))) if any(rows)]
ENVIRONMENT = Nim(FIVE_ROWS, misere=True)


def nim_sum_after(rows, row, number):
    return int(np.bitwise_xor.reduce([size - number * (place == row) for place, size in enumerate(rows)]))


def accepted_moves(rows, preference, width, interpretation):
    """Return the moves of report A, by its formula or by its text."""
    sums = {
        (row, number): nim_sum_after(rows, row, number)
        for row, size in enumerate(rows)
        for number in range(1, size + 1)
    }
    if interpretation == "relative":
        span = max(sums.values()) - min(sums.values())
        centre, radius = min(sums.values()) + preference * span, width * span / 2
    else:
        centre, radius = preference, width
    return {move for move, left in sums.items() if abs(left - centre) <= radius} or set(sums)


@pytest.mark.parametrize("interpretation", ["relative", "raw"])
def test_a_genome_plays_the_moves_of_report_a(interpretation):
    rng = np.random.default_rng(0)
    for rows in rng.integers(np.array(FIVE_ROWS) + 1, size=(60, 5)).tolist():
        genome = rng.random(2)
        if any(rows):
            moves = accepted_moves(rows, *genome, interpretation)
            expected = dict.fromkeys(moves, 1 / len(moves))
            assert genome_strategy(genome, interpretation)(tuple(rows)) == pytest.approx(expected)


def test_the_optimal_opponent_leaves_a_nim_sum_other_than_0():
    assert nonzero_nim_sum((1, 2, 3)) == pytest.approx(dict.fromkeys(uniform((1, 2, 3)), 1 / 6))
    assert nonzero_nim_sum((1, 2)) == {(0, 1): 0.5, (1, 2): 0.5}
    assert nonzero_nim_sum((0, 3)) == {(1, 1): 0.5, (1, 2): 0.5}
    assert nonzero_nim_sum((1, 0)) == {(0, 1): 1.0}  # no other action is legal


def test_the_exact_strategy_wins_all_that_is_won_in_misere_play():
    for rows in POSITIONS:
        share = win_share(misere_optimal, uniform, rows, misere=True)
        assert (share == pytest.approx(1)) >= nim_is_won(rows, None, True)
        assert (win_share(misere_optimal, misere_optimal, rows, misere=True) > 0.5) == nim_is_won(rows, None, True)


@pytest.mark.parametrize(
    ("genome", "interpretation", "shares"),
    [
        ((0.3, 0.4), "relative", (86, 83, 85)),
        ((0.01, 0.1), "relative", (0, 0, 0)),
        ((0.8, 0.3), "raw", (94.7, 100, 100)),
    ],
)
def test_shares_of_genomes(genome, interpretation, shares):
    strategy = genome_strategy(genome, interpretation)
    exact = [
        win_percentage(strategy, other, 0, FIVE_ROWS, misere=True)
        for other in (row_random, FIXED_RULES["max_lowest"], nonzero_nim_sum)
    ]
    assert exact == pytest.approx(shares, abs=2)


def test_fitness_is_the_wins_of_30_games():
    genomes = np.array([(0.3, 0.4), (0.01, 0.1)]).repeat(40, axis=0)
    wins = games_won(genomes, np.random.default_rng(0))
    assert wins[:40].mean() == pytest.approx(8.43 + 8.27 + 8.52, abs=4 * (30 * 0.84 * 0.16 / 40) ** 0.5)
    assert len(set(wins[:40])) > 1  # equal genomes play different games
    assert not wins[40:].any()


def test_tournament_selection_draws_50_without_replacement():
    rng, fitness = np.random.default_rng(1), np.arange(200.0)
    parents = tournament_selection(None, fitness, 4000, rng)
    assert (parents >= 49).all()
    assert (parents == 199).mean() == pytest.approx(50 / 200, abs=0.03)
    assert (parents == 198).mean() == pytest.approx(50 / 200 * 150 / 199, abs=0.03)
    assert set(tournament_selection(None, fitness[:50], 20, rng)) == {49}


def test_blend_by_hand():
    mothers, fathers = np.array([(0.2, 0.9), (0.5, 0.0)]), np.array([(0.6, 0.9), (0.5, 1.0)])
    children = np.array([blend(mothers, fathers, np.array([0.75, 0.5]), np.random.default_rng(n)) for n in range(300)])
    assert (children[:, 0, 1], children[:, 1, 0]) == (pytest.approx(0.9), pytest.approx(0.5))
    for genes, centre, noise in ((children[:, 0, 0], 0.3, 0.04), (children[:, 1, 1], 0.5, 0.1)):
        assert (np.abs(genes - centre) <= noise + 1e-12).all()
        assert np.ptp(genes) > 1.8 * noise
    assert blend(np.ones((1, 1)), np.zeros((1, 1)), np.ones(1), np.random.default_rng(0)) <= 1


def test_children_lie_between_their_parents_or_are_redrawn():
    genomes = np.zeros((200, 2))
    genomes[100:] = 1
    wins = np.where(genomes[:, 0] == 0, 20, 10)
    children = nim_genes._next_population(genomes, wins, nim_genes.SELECTIONS["roulette"], np.random.default_rng(0))
    between = np.abs(children - 1 / 3) <= 0.1  # a mother with 20 wins and a father with 10
    copied = (children == 0) | (children == 1)
    assert 1 - (between | copied).mean() == pytest.approx(0.1 * 0.8, abs=0.05)  # a tenth of the genes is sampled again
    assert (children == 0).mean() > (children == 1).mean()
    assert between.mean() > 0.3


def first_population(seed):
    return np.random.default_rng(seed).random((200, 2))


@pytest.mark.extended
@pytest.mark.parametrize(
    ("selection", "misere", "first", "last"),
    [("roulette", True, 3379, 4352), ("tournament", True, 3379, 4675), ("tournament", False, 2621, 5570)],
)
def test_total_wins(selection, misere, first, last):
    record = evolve(first_population(0), selection, np.random.default_rng(0), misere=misere)
    assert record.genomes.shape == (11, 200, 2)
    assert ((record.genomes >= 0) & (record.genomes <= 1)).all()
    assert (record.genomes[0] == first_population(0)).all()
    assert record.total_wins[0] == pytest.approx(first, abs=300)
    assert record.total_wins[-1] == pytest.approx(last, abs=350)


def test_runs_are_repeatable():
    one, other = (evolve(first_population(1), "tournament", np.random.default_rng(5)) for _ in range(2))
    assert (one.genomes == other.genomes).all()
    assert (one.wins == other.wins).all()
    assert literal_curves([one]).totals.tolist() == [one.wins.sum(axis=1).tolist()]


def test_plots_of_a_run_by_hand():
    genomes = np.array([[(0.11, 0.95), (0.19, 0.99), (0.8, 0.0)]] * 11)
    record = EvolutionRecord(genomes, np.array([[1, 2, 4]] * 10))
    preference, width = (panel.series[0] for panel in diversity_plot("roulette", record).panels)
    assert (preference.x[:3], preference.y[:3]) == ((0.11, 0.19, 0.8), (1, 1, 1))
    assert (width.x[-3:], width.y[-3:]) == ((0, 0.95, 0.99), (11, 11, 11))
    assert len(heat_map("roulette", record).panels) == 10
    cells = heat_map("roulette", record).panels[9].series[0]
    wins = {(x, y): value for x, y, value in zip(cells.x, cells.y, cells.values, strict=True) if value}
    assert wins == {(0.15, 0.95): 3, (0.85, 0.05): 4}


def test_our_trainer_wins_more_than_report_a():
    described, ours = (trained_curves(options, [0]).totals[0] for options in (DESCRIBED, OURS))
    assert described[-1] > 5000
    assert ours[-1] > 5500
    assert ours[1] > 4600


@pytest.mark.parametrize("name", ["A2", "A2:roulette", "A2:described"])
def test_agents_win_more_than_chance(name):
    agent, other = make_agent(f"report:{name}", ENVIRONMENT, seed=0), make_agent("nim:row_random", ENVIRONMENT, seed=1)
    genome, interpretation = agent.genome, agent.genome_policy.interpretation
    share = win_share(genome_strategy(genome, interpretation), row_random, FIVE_ROWS, misere=True)
    record = play_match(ENVIRONMENT, agent, other, 1000, swap_seats=False).sides[0].seats[0]
    assert record.wins / record.games == pytest.approx(share, abs=0.06)
    assert share > 0.7


@pytest.mark.parametrize(
    ("environment", "words"),
    [("Nim-v0", "plays Nim in misere play, not Nim"), ("TicTacToe-v0", "report plays Nim, not")],
)
def test_agents_refuse_other_games(environment, words):
    with pytest.raises(ValueError, match=re.escape(words)):
        make_agent("report:A2", environment)
