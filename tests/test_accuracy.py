"""Accuracy against exact values: sampled positions, measured shares, and the output of the command line."""

import json
from itertools import compress

import numpy as np
import pytest
from click.testing import CliRunner

from ci_envs import ConnectN, Nim, Position, Quixo
from ci_envs.agent_interface.analysis import Analysis
from ci_envs.agent_interface.interface import Agent
from ci_envs.agents.exact import ExactAgent
from ci_envs.agents.random import RandomAgent
from ci_envs.agents.search.minimax import MinimaxAgent
from ci_envs.arena.accuracy import Tally, measure_accuracies, measure_accuracy
from ci_envs.arena.grading import grade
from ci_envs.cli.main import main
from ci_envs.registry.agents import AGENTS
from ci_envs.solver.enumeration import Reachable
from ci_envs.solver.nim import NimSolution
from ci_envs.solver.reachable import sample_positions
from ci_envs.solver.solution import NO_SCORE, keep_value
from ci_envs.solver.solve import solve
from ci_envs.solver.solver import solver_of

TIC_TAC_TOE = ConnectN(3, 3, 3)


class Constant(Agent):
    """An agent that always plays the same action, legal or not."""

    def __init__(self, game, *, action=-1, seed=None):
        super().__init__(game, seed=seed)
        self.action = action

    def act_batch(self, observations):
        return np.full(len(observations["action_mask"]), self.action)


def run(*arguments):
    return CliRunner().invoke(main, arguments)


def images_of(reachable):
    """Return all images of a position under the symmetries that keep the initial position."""
    start = Position.start(reachable.game)
    fixing = [image == start for image in start.symmetries]
    positions = (Position(reachable.game, own, opp) for own, opp in reachable.representatives.tolist())
    images = (image for position in positions for image in compress(position.symmetries, fixing))
    return {(image.own, image.opp) for image in images}


def reachable_slowly(game):
    """Return the words of all positions in which the game is not over, through the Python API of the rules."""
    start = Position.start(game)
    found, new = {(start.own, start.opp)}, [start]
    while new:
        position = new.pop()
        for action in position.legal_actions():
            child = position.play(action)
            if child.result is None and (child.own, child.opp) not in found:
                found.add((child.own, child.opp))
                new.append(child)
    return found


def all_words(game):
    return np.array(sorted(reachable_slowly(game)), dtype=np.uint64)


def test_tic_tac_toe_has_4520_positions_that_are_not_over():
    assert Reachable(TIC_TAC_TOE).count == 4_520


@pytest.mark.parametrize(
    "game",
    [
        Quixo(2),
        Quixo(3),
        ConnectN(3, 3, 3, True),
        Nim((1, 2, 3)),
        Nim((2, 3, 4), 2, True),
        pytest.param(ConnectN(3, 4, 3), marks=pytest.mark.slow),
    ],
    ids=str,
)
def test_reachable_positions_equal_those_found_slowly(game):
    slowly = reachable_slowly(game)
    for reachable in (Reachable(game), solver_of(game).reachable(game, None)):
        assert images_of(reachable) == slowly
        assert reachable.count == len(slowly)


@pytest.mark.extended
@pytest.mark.parametrize("game", [TIC_TAC_TOE, Quixo(3), Nim((1, 3, 5, 7))], ids=str)
def test_positions_are_drawn_uniformly(game):
    expected = 50
    everything = reachable_slowly(game)
    drawn = sample_positions(game, expected * len(everything), np.random.default_rng(0))
    words, counts = np.unique(drawn, axis=0, return_counts=True)
    assert {(own, opp) for own, opp in words.tolist()} == everything
    chi_square = ((counts - expected) ** 2 / expected).sum()
    freedom = len(everything) - 1
    assert abs(chi_square - freedom) < 4 * np.sqrt(2 * freedom)


def test_drawing_is_repeatable():
    first, again, other = (sample_positions(Quixo(3), 100, np.random.default_rng(seed)) for seed in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


@pytest.mark.parametrize("words", [np.zeros(2, np.uint64), np.zeros((0, 2), np.uint64), [["x", "y"]]])
def test_words_are_rows(words):
    game = ConnectN(3, 3, 3)
    with pytest.raises(ValueError, match=r"words must be rows \(own, opp\), uint64 of shape \(n, 2\), not"):
        measure_accuracy(game, "random", words, solve(game))


def test_too_many_positions_are_refused():
    with pytest.raises(ValueError, match="too large"):
        sample_positions(Quixo(6), 1, np.random.default_rng(0))


def test_positions_of_a_nim_too_large_to_enumerate():
    game = Nim((20,) * 8)
    words = sample_positions(game, 10_000, np.random.default_rng(0))
    heaps = np.array([game.sizes(own) for own in words[:, 0].tolist()])
    assert heaps.min() == 0
    assert heaps.max() == 20
    assert abs(heaps.mean() - 10) < 0.1
    accuracy = measure_accuracy(game, ExactAgent(game, seed=0), words, NimSolution(game))
    assert accuracy.everywhere == Tally(10_000, 10_000, None, 0.0)


@pytest.mark.parametrize("game", [TIC_TAC_TOE, Quixo(3), Nim((1, 3, 5, 7))], ids=str)
def test_exact_makes_no_mistake(game):
    words = all_words(game)
    accuracy = measure_accuracy(game, ExactAgent(game, seed=0), words, solve(game))
    assert accuracy.everywhere == Tally(len(words), len(words), len(words), 0.0)
    assert 0 < accuracy.critical.decisions < len(words)
    assert accuracy.critical.keeping == accuracy.critical.fastest == accuracy.critical.decisions
    assert accuracy.illegal == 0


def test_exact_blunders_with_the_given_probability():
    words = sample_positions(Quixo(3), 10_000, np.random.default_rng(0))
    agent = ExactAgent(Quixo(3), randomise=True, blunder=0.2, seed=0)
    critical = measure_accuracy(Quixo(3), agent, words, solve(Quixo(3))).critical
    assert abs(critical.keeping / critical.decisions - 0.8) < 4 * np.sqrt(0.8 * 0.2 / critical.decisions)


def test_random_is_as_good_as_computed():
    n = 100_000
    words = all_words(TIC_TAC_TOE)
    scores = solve(TIC_TAC_TOE).action_scores(words)
    legal, keeps = scores != NO_SCORE, keep_value(scores)
    best = scores.max(axis=1, keepdims=True)
    lost = (np.sign(best) - np.sign(scores)) / 2
    critical = (legal & ~keeps).any(axis=1)

    def mean(per_action, rows):
        return ((per_action * legal).sum(axis=1) / legal.sum(axis=1))[rows].mean()

    drawn = sample_positions(TIC_TAC_TOE, n, np.random.default_rng(0))
    accuracy = measure_accuracy(TIC_TAC_TOE, RandomAgent(TIC_TAC_TOE, seed=0), drawn, solve(TIC_TAC_TOE))
    assert abs(accuracy.critical.decisions / n - critical.mean()) < 4 * np.sqrt(0.25 / n)
    for tally, rows in ((accuracy.everywhere, slice(None)), (accuracy.critical, critical)):
        error = 4 * np.sqrt(0.25 / tally.decisions)
        assert abs(tally.keeping / tally.decisions - mean(keeps, rows)) < error
        assert abs(tally.fastest / tally.decisions - mean(scores == best, rows)) < error
        assert abs(tally.points / tally.decisions - mean(lost, rows)) < error


def test_minimax_that_sees_the_end_keeps_every_value():
    words = all_words(TIC_TAC_TOE)
    accuracy = measure_accuracy(TIC_TAC_TOE, MinimaxAgent(TIC_TAC_TOE, depth=9, seed=0), words, solve(TIC_TAC_TOE))
    assert accuracy.everywhere.keeping == accuracy.everywhere.fastest == len(words)


def test_points_lost_are_halves():
    won = Position.from_text(TIC_TAC_TOE, "XX./OO./... X")
    words = np.array([(won.own, won.opp)], dtype=np.uint64)
    for name, points in {"c1": 0.0, "c2": 0.5, "a3": 1.0}.items():
        agent = Constant(TIC_TAC_TOE, action=won.parse_action(name))
        wins = int(name == "c1")
        expected = Tally(1, wins, wins, points)
        accuracy = measure_accuracy(TIC_TAC_TOE, agent, words, solve(TIC_TAC_TOE))
        assert accuracy.everywhere == accuracy.critical == expected


@pytest.mark.parametrize("action", [-1, 0, 9])
def test_an_illegal_action_counts_as_a_loss(action):
    won, lost = (Position.from_text(TIC_TAC_TOE, text) for text in ("XX./OO./... X", "XX./.X./O.O O"))
    words = np.array([(position.own, position.opp) for position in (won, lost)], dtype=np.uint64)
    accuracy = measure_accuracy(TIC_TAC_TOE, Constant(TIC_TAC_TOE, action=action), words, solve(TIC_TAC_TOE))
    assert accuracy.illegal == 2
    assert accuracy.everywhere == Tally(2, 0, 0, 1.0 + (solve(TIC_TAC_TOE).value(lost) + 1) / 2)


def test_the_positions_of_all_agents_are_solved_once(monkeypatch):
    game, solution = Quixo(3), solve(Quixo(3))
    words = sample_positions(game, 1_500, np.random.default_rng(0))

    def agents():
        return RandomAgent(game, seed=3), MinimaxAgent(game, depth=2, seed=4), RandomAgent(game, seed=5)

    alone = [measure_accuracy(game, agent, words, solution) for agent in agents()]
    looked_up, counts = solution.grading_scores, []
    monkeypatch.setattr(solution, "grading_scores", lambda rows: counts.append(len(rows)) or looked_up(rows))
    seen = []
    together = measure_accuracies(game, agents(), words, solution, progress=lambda *numbers: seen.append(numbers))
    assert together == alone
    assert sum(counts) == 1_500
    assert seen == sorted(seen)
    assert seen[-1] == (4_500, 4_500)


def test_the_table_is_repeatable_and_fits_a_terminal():
    arguments = ("accuracy", "Quixo-v0:size=3", "random", "exact", "minimax:depth=2", "--positions", "500")
    first, again, other = run(*arguments), run(*arguments), run(*arguments, "--seed", "1")
    assert first.exit_code == 0
    assert first.stdout == again.stdout != other.stdout
    assert max(map(len, first.stdout.splitlines())) <= 80
    row = next(line for line in first.stdout.splitlines() if line.strip().startswith("exact"))
    assert row.split() == ["exact", "500", *["100.00", "99.24", "to", "100.00"] * 2, "0.0000"]


def test_the_table_shows_illegal_actions_and_unknown_distances(monkeypatch):
    monkeypatch.setattr(AGENTS, "registered", {"constant": Constant})
    result = run("accuracy", "Nim-v0:heaps=9,9,9,9,9,9,9,9", "constant", "--positions", "10")
    assert "constant: 10 illegal actions" in result.stdout
    row = next(line for line in result.stdout.splitlines() if line.strip().startswith("constant"))
    assert row.split()[1:8] == ["10", "0.00", "0.00", "to", "27.75", "-", "-"]


def test_positions_whose_values_are_not_found_are_counted():
    result = run("accuracy", "ConnectN-v0", "random", "--positions", "12", "--json", "-")
    [row] = json.loads(result.stdout)
    assert 0 < row["everywhere"]["positions"] == 12 - row["unknown"]


def test_decisions_without_known_values_are_not_graded():
    scores = np.array([[NO_SCORE, NO_SCORE, NO_SCORE], [1, 0, NO_SCORE], [0, 0, -1]], np.int16)
    accuracy = grade(scores, np.array([0, 1, 1]))
    assert (accuracy.unknown, accuracy.illegal) == (1, 0)
    assert accuracy.everywhere == Tally(2, 1, None, 0.5)


def table_rows(stdout):
    return [[cell.strip() for cell in line.split("│")[1:-1]] for line in stdout.splitlines() if line.startswith("│")]


def test_analysis_names_the_winning_action_first():
    result = run("analyse", "TicTacToe-v0", "XX./OO./... X", "minimax:depth=9")
    assert result.exit_code == 0
    assert "1 X X ." in result.stdout
    assert "value +1.000\n" in result.stdout
    assert "best play c1\n" in result.stdout
    assert table_rows(result.stdout) == [
        ["c1", "+1.000", "win in 1"],
        ["c2", "+0.000", "draw"],
        ["a3", "-1.000", "loss in 2"],
        ["b3", "-1.000", "loss in 2"],
        ["c3", "-1.000", "loss in 2"],
    ]


def test_analysis_of_a_game_that_is_not_solved_has_no_exact_column():
    result = run("analyse", "Quixo-v0", Position.start(Quixo()).to_text(), "minimax:depth=2")
    assert result.exit_code == 0
    assert "exact" not in result.stdout
    assert len(table_rows(result.stdout)) == 44


def test_analysis_shows_whatever_an_agent_offers(monkeypatch):
    class AnalysingConstant(Constant):
        def analyse(self, position):
            return Analysis(
                value=0.5,
                simulations=1_200,
                proven=1,
                visits=np.array([0, 1_150, 50]),
                action_values={0: float("nan"), 1: 0.5, 2: 0.75},
                principal_variation=(1, 0),
            )

    monkeypatch.setattr(AGENTS, "registered", {"thinker": AnalysingConstant})
    result = run("analyse", "Nim-v0:heaps=1,1,1", "1,1,1 0", "thinker")
    assert result.stdout.splitlines()[3:8] == [
        "First to move",
        "value +0.500",
        "proven 1",
        "simulations 1,200",
        "best play 2-1 1-1",
    ]
    assert table_rows(result.stdout) == [
        ["2-1", "+0.500", "1,150", "win in 3"],
        ["3-1", "+0.750", "50", "win in 3"],
        ["1-1", "-", "0", "win in 3"],
    ]


@pytest.mark.parametrize(
    ("arguments", "mentions"),
    [
        (["accuracy", "Quixo-v0:size=6", "random"], ["too large to solve", "150,094,635,296,999,121"]),
        (["accuracy", "ConnectFour-v0:rows=7", "random"], ["too large to solve"]),
        (["accuracy", "TicTacToe-v0"], ["AGENT"]),
        (["accuracy", "TicTacToe-v0", "nobody"], ["'nobody'"]),
        (["accuracy", "TicTacToe-v9", "random"], ["'TicTacToe-v9'"]),
        (["accuracy", "TicTacToe-v0", "random", "--positions", "0"], ["--positions", "0"]),
        (["accuracy", "TicTacToe-v0", "random", "--seed", "-1"], ["--seed", "-1"]),
        (["analyse", "TicTacToe-v0", "... X", "minimax"], ["'... X'"]),
        (["analyse", "TicTacToe-v0", "XXX/OO./... O", "minimax"], ["the game is over"]),
        (["analyse", "TicTacToe-v0", ".../.../... X", "random"], ["random", "analyse"]),
        (["analyse", "TicTacToe-v0", ".../.../... X", "minimax:depth=0"], ["depth"]),
        (["analyse", "TicTacToe-v0", ".../.../... X"], ["'AGENT'"]),
    ],
    ids=" ".join,
)
def test_bad_input_is_one_line_and_status_2(arguments, mentions):
    result = run(*arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert len(result.stderr.strip().splitlines()) == 1
    assert all(mention in result.stderr for mention in mentions), result.stderr
