"""The solver of Quarto, compared with plain negamax, a search without symmetries, and published numbers."""

from dataclasses import dataclass

import numpy as np
import pytest
from oracles.quarto import quarto_value

from ci_envs import Position, Quarto
from ci_envs.agents.exact import ExactAgent
from ci_envs.agents.search.minimax import MinimaxAgent
from ci_envs.arena import play_match
from ci_envs.arena.accuracy import measure_accuracy
from ci_envs.games.openings import positions_of_random_play
from ci_envs.games.quarto.layout import LANE
from ci_envs.kernels.bits import bit_counts
from ci_envs.kernels.dispatch import implements
from ci_envs.solver.book_solver import new_book, read_book
from ci_envs.solver.quarto import QuartoSolution
from ci_envs.solver.quarto_keys import position_key
from ci_envs.solver.quarto_lines import is_dead_cell, live_values
from ci_envs.solver.search import SearchSolution
from ci_envs.solver.solve import solve


@dataclass(frozen=True)
class PlainQuarto(Quarto):
    """Quarto, whose search uses no symmetry, and tries all cells and pieces even if no line can be completed."""


@implements(position_key, PlainQuarto)
def _(game):
    def kernel(game, own, filled, hand, live):
        own ^= own >> np.uint64(29)  # two bijective functions of each word: positions with equal keys are improbable
        return (own * np.uint64(0x9E3779B97F4A7C15)) ^ ((filled << np.uint64(4) | hand) * np.uint64(0xD6E8FEB86659FD93))

    return kernel


@implements(live_values, PlainQuarto)
def _(game):
    return lambda game, states: np.uint64(0xFF)


@implements(is_dead_cell, PlainQuarto)
def _(game):
    return lambda game, states, cell: False


def placing(squares, pieces, count, seed):
    """Return positions of random play with a piece in hand."""
    rng = np.random.default_rng(seed)
    return positions_of_random_play(Quarto(squares), count, 2 * pieces + 1, 2 * pieces + 1, rng)


def wins_at_once(position):
    return any(position.play(action).result is not None for action in position.legal_actions())


@pytest.fixture(scope="module", params=[False, True], ids=["lines", "squares"])
def solution(request):
    return QuartoSolution(Quarto(request.param))


def test_late_positions_have_the_values_of_plain_negamax(solution):
    game = solution.game
    for pieces, count in ((8, 40), (9, 80), (10, 200), (11, 300), (12, 300)):
        words = placing(game.squares, pieces, count, pieces)
        texts = [Position(game, *row).to_text() for row in words.tolist()]
        assert solution.values(words).tolist() == [quarto_value(text, game.squares) for text in texts]


@pytest.mark.parametrize(("pieces", "count"), [(5, 30), (6, 100), (7, 200)])
def test_values_do_not_depend_on_symmetries_and_equivalent_actions(pieces, count):
    words = placing(False, pieces, count, pieces)
    plain = QuartoSolution(PlainQuarto())
    assert QuartoSolution(Quarto()).values(words).tolist() == plain.values(words).tolist()


def test_scores_are_invariant_under_symmetries(solution):
    game, rng = solution.game, np.random.default_rng(0)
    words = np.concatenate([placing(game.squares, pieces, 30, 1) for pieces in (7, 8, 9, 10)])
    images = np.array([rng.choice(game.rules.images(game, own, opp)) for own, opp in words.tolist()])
    assert (images != words).any(axis=1).all()
    assert QuartoSolution(game).scores(images).tolist() == solution.scores(words).tolist()


def test_the_scores_of_actions_are_those_of_the_search_of_all_positions(solution):
    """They include the distances. There are positions with and without a piece in hand."""
    game, rng = solution.game, np.random.default_rng(0)
    for plies in range(20, 32):
        words = positions_of_random_play(game, 4, plies, plies, rng)
        for row in words:
            everything = SearchSolution(Position(game, *row.tolist()))
            assert solution.action_scores(row[None]).tolist() == everything.action_scores(row[None]).tolist()
            assert solution.action_values(row[None]).tolist() == everything.action_values(row[None]).tolist()


def test_the_evaluation_of_minimax_predicts_exact_values(solution):
    """Without an evaluation, depth 2 keeps the value with 75% of its actions in positions of this kind."""
    game = solution.game
    words = positions_of_random_play(game, 150, 13, 22, np.random.default_rng(2))
    keeping = measure_accuracy(game, MinimaxAgent(game, depth=2, seed=0), words, solution).everywhere.keeping
    assert keeping > 0.85 * len(words)


def test_a_book_of_quarto_has_an_entry_for_each_position_up_to_symmetry():
    """The numbers were computed independently, by the 12,288 images of each position."""
    book = new_book(Quarto())
    assert np.bincount(bit_counts(book.words[:, 1] & LANE)).tolist() == [1, 8, 148, 3_382, 91_558]
    assert not book.known.any()


def test_the_book_of_the_package_says_that_quarto_is_a_draw():
    """Luc Goossens, "Quarto", 1999. Nobody has lost after any first piece and any first cell, as all are equivalent."""
    solution = solve(Quarto())
    start = Position.start(Quarto())
    assert solution.known_plies == 9  # 4 pieces on the board and one in hand
    assert solution.value(start) == 0
    assert solution.value_actions(start) == start.legal_actions()
    assert solution.nodes == 0


def test_the_book_has_the_values_of_all_its_positions():
    """A player who can complete a line has won; nobody who is to place a piece has lost."""
    book = read_book(Quarto())
    pieces, (low, high) = bit_counts(book.words[:, 1] & LANE), book.bounds
    at_once = [wins_at_once(Position(Quarto(), own, opp)) for own, opp in book.words[low > 0].tolist()]
    assert book.known.all()
    assert ((low > 0) | ((low == 0) & (high == 0))).all()
    assert np.bincount(pieces[low > 0]).tolist() == [0, 0, 0, 66, 9_361]
    assert np.bincount(pieces[low > 0][at_once]).tolist() == [0, 0, 0, 66, 6_402]


def test_some_values_of_the_book_are_those_of_the_search_without_it():
    book, search = read_book(Quarto()), QuartoSolution(Quarto())
    pieces = bit_counts(book.words[:, 1] & LANE)
    for number, count in ((3, 3), (4, 12)):
        for place in np.random.default_rng(0).choice(np.flatnonzero(book.known & (pieces == number)), count, False):
            low, high = book.bounds[:, place].tolist()
            assert np.sign(low) <= int(search.values(book.words[place : place + 1])[0]) <= np.sign(high)


@pytest.mark.parametrize("games", [2, pytest.param(100, marks=pytest.mark.slow)])
def test_exact_agents_draw(games):
    game = Quarto()
    match = play_match(game, ExactAgent(game, seed=0), ExactAgent(game, seed=1), games)
    assert match.sides[0].total.draws == games
