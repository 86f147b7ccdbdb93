"""Exact sources of any game: the solution, a book, and a user's own source, in compiled code and in agents."""

import sys
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
from click.testing import CliRunner
from minimal_game import LastCell

from ci_envs import ConnectFour, ConnectN, Position, Quarto, Quixo, TicTacToe, make_agent, solve
from ci_envs.arena import compare
from ci_envs.arena.accuracy import measure_accuracy
from ci_envs.arena.exam import Exam
from ci_envs.checking.play import check_evaluation
from ci_envs.cli.main import main
from ci_envs.envs.single_agent import make_single_agent
from ci_envs.games import evaluate, implements
from ci_envs.games.openings import positions_of_random_play
from ci_envs.registry.user_code import UserCodeError
from ci_envs.solver.book_solver import read_book
from ci_envs.solver.known_value import UNKNOWN, known_values
from ci_envs.solver.opening_book import KnownBook
from ci_envs.solver.quarto import QuartoSolution
from ci_envs.solver.solution import Solution
from ci_envs.solver.solver import exact_source

OWN_SOURCE = '''
import numpy as np
from ci_envs.kernels.bits import bit_counts
from ci_envs.solver.solution import Solution

class Parity(Solution):
    """Of the last cell: the player to move wins if an odd number of cells is free. Only of the last four cells."""

    def covers(self, words):
        return bit_counts(words).sum(axis=1) >= 4

    def scores(self, words):
        free = self.game.action_count - bit_counts(words).sum(axis=1)
        return np.where(free % 2 == 1, 1, -1).astype(np.int16)

def wrong(game):
    return 3
'''


class Searched(Solution):
    """The solution as a source that searches, and the positions that it was asked for."""

    searches = True
    asked: ClassVar = set()

    def scores(self, words):
        self.asked.update(map(tuple, words.tolist()))
        return solve(self.game).scores(words)


@pytest.fixture
def own_source(tmp_path):
    (tmp_path / "sources.py").write_text(OWN_SOURCE)
    return f"{tmp_path / 'sources.py'}:Parity"


def followers_of(game, words):
    return np.array(
        [(after.own, after.opp) for row in words.tolist() for after in map(Position(game, *row).play, range(3))],
        np.uint64,
    )


@pytest.mark.parametrize("game", [TicTacToe(), Quixo(3), Quixo(4)], ids=str)
def test_compiled_code_reads_the_values_of_a_solution(game):
    solution = solve(game)
    words = solution.sample_positions(500, np.random.default_rng(0))
    assert known_values(solution.compiled(), words).tolist() == solution.values(words).tolist()
    assert set(solution.values(words).tolist()) == {1, 0, -1} if game != Quixo(3) else {1, -1}


def test_compiled_code_knows_which_positions_a_solution_does_not_contain():
    root = Position.from_text(TicTacToe(), "XX./OO./... X")
    solution = solve(root)
    words = np.array([(root.own, root.opp), (0, 0), (1, 6)], np.uint64)
    assert known_values(solution.compiled(), words).tolist() == [1, UNKNOWN, UNKNOWN]
    assert solution.covers(words).tolist() == [True, False, False]


def test_the_book_of_connect_four_is_a_source():
    game = ConnectFour()
    book, solution = read_book(game), solve(game)
    known, source = KnownBook(book), exact_source(game, "included")
    words = book.words[book.known][::400]
    assert known_values(known.compiled(), words).tolist() == solution.values(words).tolist()
    early = np.array([(0, 0), (0, 1 << 38)], np.uint64)
    assert source.covers(early).all()
    assert source.values(early).tolist() == [1, -1]
    assert source.action_values(early[:1])[0].tolist() == [-1, -1, 0, 1, 0, -1, -1]


@pytest.mark.parametrize("spec", ["minimax:depth=1", "mcts:simulations=30", "alphazero:simulations=8"])
def test_agents_use_the_solution_of_any_game(spec):
    game = TicTacToe()
    agent = make_agent(f"{spec},exact=exact", game, seed=0)
    words = solve(game).sample_positions(300, np.random.default_rng(1))
    assert measure_accuracy(game, agent, words, solve(game)).everywhere.keeping == 300


@dataclass(frozen=True)
class LikesTheCentre(ConnectN):
    """Tic-tac-toe with an evaluation that is as large as allowed."""

    rows: int = 3
    cols: int = 3
    n: int = 3


@implements(evaluate, LikesTheCentre)
def _(game):
    centre = np.uint64(16)
    return lambda game, own, opp: 999_999 * (np.int64(opp & centre != 0) - np.int64(own & centre != 0))


@pytest.mark.parametrize("depth", [1, 3])
def test_exact_values_are_above_the_largest_evaluations(depth):
    game = LikesTheCentre()
    check_evaluation([Position.start(game)])
    agent = make_agent(f"minimax:depth={depth},exact=exact", game, seed=0)
    words = solve(game).sample_positions(300, np.random.default_rng(1))
    assert measure_accuracy(game, agent, words, solve(game)).everywhere.keeping == 300


@pytest.mark.extended
@pytest.mark.parametrize(
    "spec", ["minimax:depth=1", "minimax:depth=3", "mcts:simulations=30", "alphazero:simulations=8"]
)
def test_searches_of_quarto_keep_the_value_from_six_pieces_on(spec):
    """They ask for the values of the positions after the root, also if it has 5 pieces and one in hand."""
    game = Quarto()
    words = positions_of_random_play(game, 80, 11, 22, np.random.default_rng(4))
    agent, solution = make_agent(f"{spec},exact=exact", game, seed=0), QuartoSolution(game)
    assert measure_accuracy(game, agent, words, solution).everywhere.keeping == 80
    assert agent.analyse(Position(game, *words[-1].tolist())).proven == int(solution.values(words[-1:])[0])


@pytest.mark.parametrize("spec", ["minimax:depth=3", "mcts:simulations=200", "alphazero:simulations=20"])
def test_a_source_that_searches_is_asked_only_for_the_root_and_the_positions_after_it(spec):
    game = TicTacToe()
    words = positions_of_random_play(game, 20, 1, 4, np.random.default_rng(0))
    agent = make_agent(f"{spec},exact={__name__}:Searched", game, seed=0)
    for row in words:
        Searched.asked.clear()
        action = int(agent.act_on(row[None])[0])
        root = Position(game, *row.tolist())
        after = [root.play(action) for action in root.legal_actions()]
        expected = {(one.own, one.opp) for one in after}
        assert Searched.asked <= {(root.own, root.opp), *expected}
        assert action in solve(game).value_actions(root)
        if 1 not in [-one.result for one in after if one.result is not None]:  # otherwise no value is needed
            assert Searched.asked >= expected


def test_mcts_opens_connect_four_by_the_book():
    agent = make_agent("mcts:simulations=30,exact=included", ConnectFour(), seed=0)
    analysis = agent.analyse(Position.start(ConnectFour()))
    assert (analysis.proven, analysis.principal_variation[0]) == (1, 3)


@pytest.mark.parametrize("spec", ["minimax:depth=1", "mcts:simulations=20"])
def test_agents_use_an_own_source(own_source, spec):
    game = LastCell(2, 4)
    agent = make_agent(f"{spec},exact={own_source}", game, seed=0)
    covered, early = Position(game, 0b11, 0b1100), Position(game, 0b1, 0b10)
    assert agent.analyse(covered).proven == solve(game).value(covered)
    assert agent.analyse(early).tables == "no value: the solution does not contain 'XO../.... 0'"


def test_an_exam_uses_an_own_source(own_source):
    exam, solution = Exam(LastCell(2, 4), 12, tables=own_source), solve(LastCell(2, 4))
    assert [solution.value(position) for position in exam.positions] == exam.values
    assert all((position.own | position.opp).bit_count() >= 4 for position in exam.positions)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("wrong", "must be a subclass of ci_envs.solver.solution.Solution"),
        ("missing", "has no 'missing'"),
    ],
)
def test_other_objects_are_no_sources(own_source, name, message):
    with pytest.raises(ValueError, match=message):
        exact_source(LastCell(), own_source.replace("Parity", name))


def test_a_game_without_levels_says_so_in_one_line(tmp_path):
    run = CliRunner().invoke(main, ["solve", "TicTacToe-v0", "--store", str(tmp_path), "--level", "3"])
    assert run.exit_code == 2
    assert run.output == f"Error: --store does not support {TicTacToe()!r}: its solver has no levels\n"


def test_generic_modules_import_no_game():
    generic = ("ci_envs.cli", "ci_envs.arena", "ci_envs.agents.search", "ci_envs.solver.solver", "ci_envs.envs")
    games = {"ci_envs.games.quixo", "ci_envs.games.connect_n", "ci_envs.games.nim", "ci_envs.games.quarto.game"}
    for name, module in list(sys.modules.items()):
        if name.startswith(generic):
            used = {getattr(value, "__module__", "") for value in vars(module).values()}
            assert not used & games, name


def test_a_source_needs_values_and_coverage_only():
    class Drawn(Solution):
        def scores(self, words):
            return np.zeros(len(words), np.int16)

    source = Drawn(ConnectN(3, 3, 3))
    assert known_values(source.compiled(), np.zeros((3, 2), np.uint64)).tolist() == [0, 0, 0]


class FailingSource(Solution):
    """A source that fails as ``failure`` says."""

    failure: ClassVar = RuntimeError("boom")

    def scores(self, words):
        if isinstance(self.failure, BaseException):
            raise self.failure
        return self.failure


@pytest.mark.parametrize(
    ("failure", "message"),
    [
        (RuntimeError("boom"), "the exact source '.*:FailingSource' fails: RuntimeError: boom"),
        (SystemExit(3), "the exact source '.*:FailingSource' fails: SystemExit: 3"),
        ([], "the exact source '.*:FailingSource' fails: IndexError"),
    ],
)
@pytest.mark.parametrize(
    "spec",
    [
        "minimax:depth=1",
        "minimax:time=0.1",
        "mcts:simulations=9",
        "mcts:simulations=9,reuse=true",
        "alphazero:simulations=2",
    ],
)
def test_an_error_of_an_own_source_is_that_of_the_agent(monkeypatch, spec, failure, message):
    """Compiled code cannot raise it, and would play on as if the position were lost."""
    monkeypatch.setattr(FailingSource, "failure", failure)
    game = TicTacToe()
    agent = make_agent(f"{spec},exact={__name__}:FailingSource", game, seed=0)
    words = np.array([[1, 16]], np.uint64)
    for decide in (lambda: agent.act_on(words), lambda: agent.analyse(Position(game, 1, 16))):
        with pytest.raises(UserCodeError, match=message):
            decide()
    comparison = compare(game, ["random", agent], games=2)
    [_, label] = comparison.ratings
    assert comparison.total(label).faults == 2


def test_an_error_of_the_source_of_an_opponent_is_raised_in_environments(monkeypatch):
    monkeypatch.setattr(FailingSource, "failure", RuntimeError("boom"))
    env = make_single_agent("TicTacToe-v0", opponent=f"mcts:simulations=9,exact={__name__}:FailingSource", seat=0)
    env.reset(seed=0)
    with pytest.raises(UserCodeError, match="boom"):
        env.step(4)


def test_an_interrupt_in_an_own_source_interrupts(monkeypatch):
    monkeypatch.setattr(FailingSource, "failure", KeyboardInterrupt())
    agent = make_agent(f"mcts:simulations=9,exact={__name__}:FailingSource", TicTacToe(), seed=0)
    with pytest.raises(KeyboardInterrupt):
        agent.act_on(np.array([[1, 16]], np.uint64))
