"""The choice of agents among equal actions by the errors of an opponent, compared with plain minimax."""

from functools import lru_cache

import numpy as np
import pytest
from oracles.quarto import quarto_value

from ci_envs import Position, Quarto, Quixo, TicTacToe, make_agent, solve
from ci_envs.agent_interface.interface import PositionAgent
from ci_envs.agents import opponent_errors
from ci_envs.agents.opponent_errors import OpponentErrors
from ci_envs.arena.accuracy import measure_accuracy
from ci_envs.games.openings import positions_of_random_play
from ci_envs.solver.quarto import QuartoSolution

GAME = TicTacToe()
CORNERS = {0, 2, 6, 8}


class LowestLegal(PositionAgent):
    """An agent that plays the lowest legal action."""

    def act_on(self, words):
        return np.array([min(Position(self.game, *row).legal_actions()) for row in words.tolist()])


@lru_cache
def value_of(position):
    """Return the value of a position of tic-tac-toe by plain minimax."""
    if position.result is not None:
        return position.result
    return max(-value_of(position.play(action)) for action in position.legal_actions())


def loses_value(position, action):
    return -value_of(position.play(action)) < value_of(position)


def random_positions(game, count, least, most):
    words = positions_of_random_play(game, count, least, most, np.random.default_rng(0))
    return words, [Position(game, *row) for row in words.tolist()]


def test_a_scripted_opponent_errs_where_its_action_loses_value():
    words, positions = random_positions(GAME, 80, 1, 6)
    rates = OpponentErrors(GAME, solve(GAME), LowestLegal(GAME)).rates(words)
    expected = [loses_value(position, min(position.legal_actions())) for position in positions]
    assert rates.tolist() == expected
    assert 0 < sum(expected) < len(expected)


def test_a_random_opponent_errs_as_often_as_actions_lose_value(monkeypatch):
    monkeypatch.setattr(opponent_errors, "SAMPLES", 4000)
    words, positions = random_positions(GAME, 10, 1, 4)
    rates = OpponentErrors(GAME, solve(GAME), make_agent("random", GAME, seed=0)).rates(words)
    expected = [np.mean([loses_value(one, action) for action in one.legal_actions()]) for one in positions]
    np.testing.assert_allclose(rates, expected, atol=0.05)


def test_a_turn_of_quarto_places_a_piece_and_gives_the_next_one():
    game = Quarto()
    words, positions = random_positions(game, 60, 21, 25)
    holding = [position.to_text().split()[1] != "-" for position in positions]
    words, positions = words[holding], [one for one, is_holding in zip(positions, holding, strict=True) if is_holding]
    rates = OpponentErrors(game, QuartoSolution(game), LowestLegal(game)).rates(words)
    expected = []
    for position in positions:
        placed = position.play(min(position.legal_actions()))
        if placed.result is None:
            given = placed.play(min(placed.legal_actions()))
            after = -quarto_value(given.to_text(), False)
        else:
            after = abs(placed.result)  # the player who completes a line wins
        expected.append(after < quarto_value(position.to_text(), False))
    assert rates.tolist() == expected
    assert 0 < sum(expected) < len(expected)


PROVOKING = "exact:opponent=random", "alphazero:exact=exact,opponent=random"


@pytest.mark.parametrize("spec", PROVOKING)
def test_the_agent_opens_in_a_corner_against_a_random_opponent(spec):
    """After a corner only the middle draws. After any other first move, four of the eight replies draw."""
    agent = make_agent(spec, GAME, seed=0)
    assert set(agent.act_on(np.zeros((20, 2), np.uint64)).tolist()) <= CORNERS


@pytest.mark.parametrize("spec", [*PROVOKING, "exact:opponent=minimax:depth=2", "exact:opponent=random,blunder=0.5"])
def test_the_choice_keeps_the_value_unless_the_agent_blunders(spec):
    words, _ = random_positions(GAME, 300, 0, 7)
    accuracy = measure_accuracy(GAME, make_agent(spec, GAME, seed=0), words, solve(GAME)).everywhere
    assert (accuracy.keeping == accuracy.decisions) == ("blunder" not in spec)


@pytest.mark.parametrize("spec", PROVOKING)
def test_the_same_seed_gives_the_same_choices(spec):
    words, _ = random_positions(GAME, 50, 0, 5)
    first, second = (make_agent(spec, GAME, seed=3).act_on(words) for _ in range(2))
    assert first.tolist() == second.tolist()


def test_a_search_provokes_errors_only_in_positions_with_exact_values():
    """The tables of the package begin with 24 cubes on the board, so they do not contain the start of Quixo."""
    game = Quixo()
    words = np.array([[0, 0], [0b11111, 0b1111100000]], np.uint64)
    plain = make_agent("alphazero:exact=included", game, seed=3).act_on(words)
    provoking = make_agent("alphazero:exact=included,opponent=random", game, seed=3).act_on(words)
    assert plain.tolist() == provoking.tolist()


def test_an_opponent_needs_exact_values():
    with pytest.raises(ValueError, match="opponent=random has no effect with exact=none"):
        make_agent("alphazero:opponent=random", GAME)
