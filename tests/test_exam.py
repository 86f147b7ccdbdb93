"""Exams, compared with exact values and with agents of known results."""

import json

import numpy as np
import pytest
from click.testing import CliRunner

from ci_envs import ConnectN, Nim, Position, Quixo, TicTacToe, make_agent, solve
from ci_envs.agent_interface.analysis import Analysis
from ci_envs.agents.exact import ExactAgent
from ci_envs.agents.random import RandomAgent
from ci_envs.arena.exam import Exam, exam_table
from ci_envs.cli.main import main
from ci_envs.solver.quixo_store import QuixoStore


class Oracle(ExactAgent):
    """An agent with optimal play, and an analysis that is correct, or wrong in one direction."""

    certainty = 1.0

    def analyse(self, position):
        return Analysis(self.certainty * solve(position.game).value(position), {}, ())


class Doubter(Oracle):
    """An agent with values of the correct sign that are too small."""

    certainty = 0.2


@pytest.fixture(scope="module")
def tic_tac_toe():
    return Exam(TicTacToe(), 60)


def test_an_exam_has_positions_of_all_values_in_which_a_mistake_is_possible(tic_tac_toe):
    game = TicTacToe()
    solution = solve(game)
    assert len(set(tic_tac_toe.positions)) == len(tic_tac_toe.positions) == 60
    assert [tic_tac_toe.values.count(value) for value in (1, 0, -1)] == [20, 20, 20]
    for position, value in zip(tic_tac_toe.positions, tic_tac_toe.values, strict=True):
        assert solution.value(position) == value
        if value >= 0:
            assert len(solution.value_actions(position)) < len(position.legal_actions())


def test_an_exam_is_always_the_same(tic_tac_toe):
    assert Exam(TicTacToe(), 60).positions == tic_tac_toe.positions


def test_perfect_play_passes(tic_tac_toe):
    game = TicTacToe()
    result = tic_tac_toe.take(Oracle(game, seed=0), ExactAgent(game, seed=1), 2)
    assert (result.values.right, result.values.cases) == (60, 60)
    assert (result.actions.right, result.actions.cases) == (40, 40)
    assert (result.conversions.right, result.conversions.cases) == (80, 80)


def test_blunders_fail(tic_tac_toe):
    game = TicTacToe()
    result = tic_tac_toe.take(ExactAgent(game, blunder=1.0, seed=0), ExactAgent(game, seed=1), 2)
    assert result.values.cases == 0
    assert (result.actions.right, result.actions.cases) == (0, 40)
    assert result.conversions.right < 80


def test_a_value_near_zero_is_a_draw(tic_tac_toe):
    result = tic_tac_toe.take(Doubter(TicTacToe(), seed=0), RandomAgent(TicTacToe(), seed=1), 2)
    assert (result.values.right, result.values.cases) == (20, 60)


def test_minimax_sees_the_wins_within_its_depth():
    game = TicTacToe()
    exam = Exam(game, 30)
    result = exam.take(make_agent("minimax:depth=9", game, seed=0), ExactAgent(game, seed=1), 2)
    assert (result.values.right, result.values.cases) == (30, 30)


def test_quixo_has_published_positions():
    exam = Exam(Quixo(5))
    assert Exam(Quixo(5), 2).positions == exam.positions[:2]
    assert exam.values == [0, 1, -1]
    assert exam.positions[0] == Position.start(Quixo(5))
    assert exam.defender == "minimax:depth=6"
    agent = make_agent("random", Quixo(5), seed=0)
    result = exam.take(agent, agent, 4)
    assert (result.values.cases, result.actions.cases, result.conversions.cases) == (0, 0, 8)


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    """A folder with the tables of the positions of 4 x 4 with at least 14 cubes."""
    store = QuixoStore(Quixo(4), tmp_path_factory.mktemp("tables"))
    store.compute(cubes=14)
    return store


def test_tables_give_an_exam_of_positions_that_they_contain(tables):
    exam, solution = Exam(Quixo(4), 24, tables=str(tables.folder)), solve(Quixo(4))
    words = np.array([[position.own, position.opp] for position in exam.positions], dtype=np.uint64)
    assert tables.covers(words).all()
    assert exam.values == solution.values(words).tolist()
    assert [exam.values.count(value) for value in (1, 0, -1)] == [8, 8, 8]
    assert exam.positions == Exam(Quixo(4), 24, tables=str(tables.folder)).positions
    for position, value in zip(exam.positions, exam.values, strict=True):
        if value >= 0:
            assert len(solution.value_actions(position)) < len(position.legal_actions())
    assert exam.defender == f"minimax:depth=6,exact={tables.folder}"
    agent = make_agent(f"minimax:depth=3,exact={tables.folder}", Quixo(4), seed=0)
    result = exam.take(agent, make_agent("random", Quixo(4), seed=0), 2)
    assert (result.values.right, result.values.cases) == (24, 24)
    assert (result.actions.right, result.actions.cases) == (16, 16)
    assert result.conversions.right > 24


def test_the_published_positions_are_the_exam_without_tables(tables):
    assert Exam(Quixo(5)).values == [0, 1, -1]
    arguments = ["exam", "Quixo-v0:size=4", "random", "--positions", "9", "--tables", str(tables.folder)]
    run = CliRunner().invoke(main, [*arguments, "--defender", "random"])
    assert run.exit_code == 0, run.output
    assert "9 positions: 3 won, 3 drawn and 3 lost" in run.output


def test_the_command(tmp_path):
    file = tmp_path / "exam.json"
    arguments = ["exam", "Nim-v0:heaps=1,2,3", "exact", "random", "--positions", "20"]
    run = CliRunner().invoke(main, [*arguments, "--json", str(file)])
    assert run.exit_code == 0, run.output
    assert "Keeps: actions that keep the value" in run.output
    exact, random = json.loads(file.read_text())
    assert exact["agent"] == "exact"
    assert exact["actions"]["right"] == exact["actions"]["cases"] > 0
    assert exact["actions"]["share"] == exact["actions"]["share_high"] == 1 > exact["actions"]["share_low"]
    assert random["conversions"]["right"] < random["conversions"]["cases"]
    printed = CliRunner().invoke(main, [*arguments, "--json", "-"])
    assert json.loads(printed.stdout) == [exact, random]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["Quixo-v0:size=6", "random"], "has no exam: it is not solved, and it has no published positions"),
        (["TicTacToe-v0", "random", "--games", "3"], "games must be an even number from 2, not 3"),
        (["TicTacToe-v0", "randon"], "random"),
        (["TicTacToe-v0", "random", "--defender", "nobody"], "nobody"),
        (["TicTacToe-v0", "random", "--defender", ""], "agent ''"),
        (["Quixo-v0", "random", "--positions", "4"], "has only 3 published positions, not 4"),
        (["TicTacToe-v0", "random", "--tables", "included"], "has no tables 'included': its solver does not store any"),
        (["Quixo-v0", "random", "--tables", "nothing"], "the store 'nothing' has no tables of Quixo"),
    ],
)
def test_errors_are_one_line(arguments, message):
    run = CliRunner().invoke(main, ["exam", *arguments])
    assert run.exit_code == 2
    assert message in run.output
    assert "Traceback" not in run.output


def test_a_game_without_values_within_the_limit_has_no_exam(monkeypatch):
    monkeypatch.setattr("ci_envs.solver.proof._GRADING_NODES", 1)
    with pytest.raises(ValueError, match=r"has no exam: of .* positions of random play, no value was found"):
        Exam(ConnectN(6, 6, 4), 5)


def test_a_game_without_mistakes_has_no_exam():
    for game in (Nim((1,)), ConnectN(1, 2, 1)):
        with pytest.raises(ValueError, match=r"has no exam: no action of \d+ positions is a mistake"):
            Exam(game, 5)


def test_a_table_without_cases_has_dashes(tic_tac_toe):
    from rich.console import Console

    result = tic_tac_toe.take(RandomAgent(TicTacToe(), seed=0), ExactAgent(TicTacToe(), seed=0), 2)
    console = Console(width=100, record=True)
    console.print(exam_table("title", tic_tac_toe, "exact", [("random", result)]))
    text = console.export_text()
    row = next(line for line in text.splitlines() if line.strip().startswith("random"))
    assert row.split()[1] == "-"
    assert np.isclose(float(row.split()[2].strip("%")), 100 * result.actions.right / result.actions.cases, atol=0.5)
    assert f"Keeps, of {result.actions.cases}" in text


def test_the_order_of_the_agents_changes_no_result():
    def conversions(*agents):
        command = ["exam", "TicTacToe-v0", *agents, "--positions", "60", "--defender", "random", "--json", "-"]
        result = CliRunner().invoke(main, command)
        assert result.exit_code == 0, result.output
        return {row["agent"]: row for row in json.loads(result.stdout)}

    assert conversions("random", "minimax:depth=1")["random"] == conversions("minimax:depth=1", "random")["random"]
