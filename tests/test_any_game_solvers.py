"""The solvers for any game: retrograde analysis for games that can cycle, and proof-number search of one position."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
from minimal_game import LastCell
from oracles.cycles import cyclic_values, pop_out_outcome, pop_out_successors
from oracles.exhaustive import exact_action_value, exact_value
from solver_games import BreakthroughBoard, HexBoard, OthelloBoard, PopOutBoard

from ci_envs import ConnectN, Nim, Position, Quarto, Quixo, make_agent, solve
from ci_envs.agents.exact import ExactAgent
from ci_envs.arena import compare, play_match
from ci_envs.arena.accuracy import measure_accuracy
from ci_envs.arena.timing import time_one_board
from ci_envs.games import LOSS, ONGOING, implements, keeps_turn, legal, play, result
from ci_envs.games.openings import positions_of_random_play
from ci_envs.solver.errors import EndlessPlayError, UnknownValueError
from ci_envs.solver.proof_number import ProofNumberSolution
from ci_envs.solver.quixo import solve_quixo
from ci_envs.solver.reachable import sample_positions
from ci_envs.solver.retrograde import RetrogradeSolution
from ci_envs.solver.search import SearchSolution
from ci_envs.solver.solution import NO_SCORE
from ci_envs.solver.solver import solver_of

ONE = np.uint64(1)


@dataclass(frozen=True)
class StepBack(LastCell):
    """Move a counter around a ring of cells: 1 or 2 cells forward, or 3 backward. After 2 the same player moves again.

    If the counter reaches cell 0, the player to move loses.
    """

    rows: int = 1
    cols: int = 7

    can_cycle: ClassVar[bool] = True
    shared_board: ClassVar[bool] = True

    @property
    def action_count(self):
        return 3

    def start(self):
        return 1 << 3, 0


@implements(legal, StepBack)
def _(game):
    return lambda game, own, opp, action: True


@implements(play, StepBack)
def _(game):
    cells = game.cols

    def kernel(game, own, opp, action):
        cell = 0
        while own >> np.uint64(cell) & ONE == np.uint64(0):
            cell += 1
        step = -3 if action == np.uint64(2) else np.int64(action) + 1
        return ONE << np.uint64((cell + step) % cells), opp

    return kernel


@implements(keeps_turn, StepBack)
def _(game):
    return lambda game, own, opp, action: action == ONE


@implements(result, StepBack)
def _(game):
    return lambda game, own, opp: LOSS if own & ONE else ONGOING


def words_of(positions):
    return np.array([[position.own, position.opp] for position in positions], dtype=np.uint64)


def position_values(game):
    """Return the value and the distance of each reachable position, from the Python API of positions."""

    def after(words):
        position = Position(game, *words)
        for action in position.legal_actions():
            follower = position.play(action)
            yield (follower.own, follower.opp), follower.to_move == position.to_move

    return cyclic_values(game.start(), after, lambda words: Position(game, *words).result)


def assert_scores(solution, expected):
    for words, (value, distance) in expected.items():
        position = Position(solution.game, *words)
        assert (solution.value(position), solution.distance(position)) == (value, distance)
    assert solution.counts == {
        name: sum(value == counted for value, _ in expected.values())
        for name, counted in (("win", 1), ("draw", 0), ("loss", -1))
    }


@pytest.fixture(scope="module")
def pop_out():
    return solve(PopOutBoard(3, 3, 3))


def bits_of(columns, rows, cols):
    """Return the words of a pop-out position of the reference rules."""
    cells = [(row, col, stone) for col, column in enumerate(columns) for row, stone in enumerate(column)]
    return tuple(
        sum(1 << (rows - 1 - row) * cols + col for row, col, stone in cells if stone == symbol) for symbol in "XO"
    )


def test_pop_out_equals_value_iteration_over_reference_rules(pop_out):
    expected = cyclic_values(
        ("", "", ""),
        lambda columns: [(follower, False) for follower in pop_out_successors(columns, 3)],
        lambda columns: pop_out_outcome(columns, 3, 3),
    )
    assert_scores(pop_out, {bits_of(columns, 3, 3): value for columns, value in expected.items()})


@pytest.mark.parametrize("game", [StepBack(), StepBack(cols=10), StepBack(cols=13)], ids=str)
def test_games_in_which_a_player_moves_again_equal_value_iteration(game):
    solution = solve(game)
    assert isinstance(solution, RetrogradeSolution)
    assert_scores(solution, position_values(game))


@pytest.mark.parametrize("size", [2, 3])
def test_quixo_by_retrograde_analysis_equals_its_own_solver(size):
    game = Quixo(size)
    start = Position.start(game)
    solution, table = RetrogradeSolution(start), solve_quixo(game)
    words = np.vstack([sample_positions(game, 5_000, np.random.default_rng(0)), words_of(start.symmetries)])
    np.testing.assert_array_equal(solution.action_scores(words), table.action_scores(words))


@pytest.mark.slow
def test_quixo_4x4_by_retrograde_analysis_equals_its_own_solver():
    game = Quixo(4)
    words = sample_positions(game, 1_000_000, np.random.default_rng(0))
    solution = RetrogradeSolution(Position.start(game))
    np.testing.assert_array_equal(solution.scores(words), solve(game).scores(words))


def test_games_without_cycles_have_the_same_scores_by_both_solvers():
    for game in (ConnectN(3, 3, 3), Nim((1, 2, 3))):
        start = Position.start(game)
        retrograde, search = RetrogradeSolution(start), SearchSolution(start)
        words = sample_positions(game, 500, np.random.default_rng(0))
        np.testing.assert_array_equal(retrograde.action_scores(words), search.action_scores(words))
        assert retrograde.counts_by_distance == search.counts_by_distance


def test_a_position_in_the_middle_of_a_game_that_can_cycle_is_solved_with_its_successors(pop_out):
    root = Position.start(pop_out.game).play(0).play(1)
    solution = solve(root)
    assert solution.value(root) == pop_out.value(root)
    assert solution.distance(root) == pop_out.distance(root)


def test_other_positions_of_a_game_that_can_cycle_are_refused(pop_out):
    five_own_stones = Position(pop_out.game, 0b111110000, 0)
    floating = Position(pop_out.game, 0b001000000, 0b000000100)
    assert floating.result is None
    assert pop_out.covers(words_of([Position.start(pop_out.game), floating])).tolist() == [True, False]
    assert pop_out.value(five_own_stones) == 1  # the game is over
    with pytest.raises(ValueError, match="does not follow"):
        pop_out.value(floating)


def test_searches_use_the_values_of_a_game_that_can_cycle(pop_out):
    game = pop_out.game
    words = sample_positions(game, 200, np.random.default_rng(0))
    agent = make_agent("minimax:depth=1,exact=exact", game, seed=0)
    accuracy = measure_accuracy(game, agent, words, pop_out)
    assert accuracy.everywhere.keeping == 200


@pytest.mark.parametrize("name", ["MAX_LINKED_POSITIONS", "MAX_MEMORY"])
def test_a_game_that_can_cycle_and_is_too_large_says_how_far_the_enumeration_came(monkeypatch, name):
    monkeypatch.setattr(f"ci_envs.solver.enumeration.{name}", 500)
    with pytest.raises(ValueError, match=r"PopOutBoard.* is too large to solve: more than [\d,]+ states, which would"):
        solve(PopOutBoard(3, 3, 3))


def test_a_game_that_can_cycle_with_a_large_bound_is_refused_at_once(monkeypatch):
    monkeypatch.setattr(PopOutBoard, "position_bound", lambda game, own, opp: 31**6)
    with pytest.raises(ValueError, match="is too large to solve: 887,503,681 states, which would take 32 GB"):
        solve(PopOutBoard(3, 3, 3))


def test_a_solution_of_a_game_that_can_cycle_shows_progress_and_can_be_interrupted():
    def interrupt(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        solve(PopOutBoard(3, 3, 3), progress=interrupt)


def test_the_exact_agent_wins_as_fast_as_possible_in_a_game_that_can_cycle(pop_out):
    game = pop_out.game
    words = sample_positions(game, 300, np.random.default_rng(0))
    accuracy = measure_accuracy(game, ExactAgent(game, seed=0), words, pop_out)
    assert accuracy.everywhere.fastest == accuracy.everywhere.decisions == 300


def test_only_small_games_that_can_cycle_are_quick(monkeypatch):
    start = Position.start(PopOutBoard(3, 3, 2))
    monkeypatch.setattr("ci_envs.solver.solver._QUICK_LINKED", 10)
    assert not solver_of(start.game).is_quick(start)
    assert solver_of(start.game).quick_action_scores(start, None) is None
    monkeypatch.undo()
    assert solver_of(start.game).is_quick(start)


@pytest.mark.parametrize(
    ("game", "value"),
    [
        (HexBoard(4, 4), 1),  # the first player wins Hex on every board (John Nash, strategy stealing)
        (BreakthroughBoard(4, 4), -1),
        (OthelloBoard(4, 4), -1),  # Joel Feinstein 1993 and others: the second player wins on 4 x 4
    ],
    ids=str,
)
def test_starts_have_their_known_values(game, value):
    assert ProofNumberSolution(game).value(Position.start(game)) == value


@pytest.mark.slow
@pytest.mark.parametrize(("game", "value"), [(HexBoard(5, 5), 1), (BreakthroughBoard(5, 5), -1)], ids=str)
def test_starts_on_5x5_have_their_known_values(game, value):
    assert ProofNumberSolution(game).value(Position.start(game)) == value


@pytest.mark.parametrize("game", [ConnectN(3, 3, 3), ConnectN(4, 4, 4, True), Nim((2, 3), 2, True)], ids=str)
def test_proof_numbers_equal_the_search_of_all_positions(game):
    words = sample_positions(game, 300, np.random.default_rng(0))
    everything, search = SearchSolution(Position.start(game)), ProofNumberSolution(game)
    np.testing.assert_array_equal(search.action_values(words), everything.action_values(words))
    np.testing.assert_array_equal(search.values(words), everything.values(words))
    for own, opp in words[:100].tolist():
        position = Position(game, own, opp)
        best, keeping = set(search.best_actions(position)), set(everything.value_actions(position))
        assert best
        assert best <= keeping if everything.value(position) == 1 else best == keeping


def test_grades_within_a_limit_equal_the_search_of_all_positions_and_depend_only_on_the_position(monkeypatch):
    game = HexBoard(3, 3)
    words = sample_positions(game, 60, np.random.default_rng(0))
    everything, search = SearchSolution(Position.start(game)), ProofNumberSolution(game)
    monkeypatch.setattr("ci_envs.solver.proof_number._GRADING_NODES", 20)
    graded = search.grading_scores(words)
    known = (graded != NO_SCORE).any(axis=1)
    assert 10 < known.sum() < 60
    np.testing.assert_array_equal(graded[known], everything.action_values(words)[known])
    np.testing.assert_array_equal(ProofNumberSolution(game).grading_scores(words[::-1]), graded[::-1])
    accuracy = measure_accuracy(game, ExactAgent(game, seed=0), words, search)
    assert (accuracy.everywhere.keeping, accuracy.unknown) == (known.sum(), 60 - known.sum())


def test_a_game_with_too_many_positions_is_graded_within_a_limit(monkeypatch):
    monkeypatch.setattr("ci_envs.solver.search.MAX_POSITIONS", 1_000)
    side = compare(HexBoard(4, 4), ["random", "minimax:depth=2"], games=4).total("random")
    assert side.accuracy.everywhere.decisions + side.accuracy.unknown == side.decisions
    assert side.accuracy.everywhere.decisions > 0


@dataclass(frozen=True)
class UndeclaredCycles(PopOutBoard):
    can_cycle: ClassVar[bool] = False


@dataclass(frozen=True)
class TurnOver(LastCell):
    """Turn a stone over, without end. The game does not declare that positions repeat."""


@implements(legal, TurnOver)
def _(game):
    return lambda game, own, opp, action: True


@implements(play, TurnOver)
def _(game):
    return lambda game, own, opp, action: (opp, own ^ (np.uint64(1) << action))


@implements(result, TurnOver)
def _(game):
    return lambda game, own, opp: ONGOING


@pytest.mark.parametrize("agent", ["random", "mcts:simulations=5"])
def test_timing_and_searches_end_in_a_game_without_an_end(agent):
    assert time_one_board(make_agent(agent, TurnOver(), seed=1)).decisions > 0
    with pytest.raises(EndlessPlayError, match="repeats the position"):
        play_match(TurnOver(), *(make_agent(agent, TurnOver(), seed=seed) for seed in (1, 2)), 2)


@pytest.mark.parametrize(
    "ask",
    [
        lambda: solve(HexBoard(3, 4)),  # this game is correct only on squares
        lambda: ProofNumberSolution(HexBoard(3, 4)).value(Position.start(HexBoard(3, 4))),
        lambda: compare(UndeclaredCycles(4, 4, 3), ["random", "minimax:depth=2"], games=2),
    ],
    ids=["solve", "proof numbers", "compare"],
)
def test_endless_play_of_a_game_that_declares_none_is_an_error(ask):
    """A recursion without a limit would exceed the stack and end the process."""
    with pytest.raises(EndlessPlayError, match=r"cannot be solved, because play from '.*' does not end within 4,096 p"):
        ask()


def test_a_match_of_a_game_that_declares_no_cycles_ends_when_a_position_occurs_again():
    undeclared, declared = UndeclaredCycles(2, 2, 3), PopOutBoard(2, 2, 3)  # nobody can win
    with pytest.raises(EndlessPlayError, match=r"repeats the position '.*'\. If the rules allow"):
        play_match(undeclared, *(make_agent("random", undeclared, seed=seed) for seed in (1, 2)), 100)
    result = play_match(declared, *(make_agent("random", declared, seed=seed) for seed in (1, 2)), 100)
    assert result.sides[0].total.draws == 100


@pytest.mark.extended
@pytest.mark.parametrize(
    ("game", "quick"),
    [
        (ConnectN(6, 6, 4), True),
        (ConnectN(8, 8, 5), False),
        (ConnectN(6, 7, 4, True), False),
        (Quarto(), True),
        (Quarto(squares=True), False),
        (Quixo(5), False),
        (Nim(), True),
    ],
    ids=str,
)
def test_games_that_are_graded_by_default(game, quick):
    assert solver_of(game).grades_quickly(game) == quick


def test_a_value_is_not_searched_again_after_the_table_is_full(monkeypatch):
    search, start = ProofNumberSolution(HexBoard(4, 4)), Position.start(HexBoard(4, 4))
    assert search.value(start) == 1
    nodes, table = search.nodes, search._memory.latest
    monkeypatch.setattr("ci_envs.solver.proof_number.MAX_POSITIONS", table.stored)
    assert search.value(start) == 1
    assert {search.value(start.play(action)) for action in search.best_actions(start)} == {-1}
    assert search.nodes == nodes


def test_a_table_that_grows_keeps_its_states(monkeypatch):
    start, found = Position.start(HexBoard(3, 3)), []
    for slots in (1 << 16, 16):
        monkeypatch.setattr("ci_envs.solver.proof_number._FIRST_SLOTS", slots)
        search = ProofNumberSolution(HexBoard(3, 3))
        found.append((search.value(start), search._memory.latest.stored))
    assert found[0] == found[1]
    assert len(search._memory.latest.keys) >= 2 * search._memory.latest.stored > 16


def test_proof_numbers_equal_plain_minimax_where_the_turn_is_kept_and_games_are_drawn():
    game = Quarto()
    search = ProofNumberSolution(game)
    for own, opp in positions_of_random_play(game, 12, 24, 27, np.random.default_rng(0)).tolist():
        position = Position(game, own, opp)
        values = search.action_values(words_of([position]))[0]
        for action in range(game.action_count):
            expected = exact_action_value(position, action) if action in position.legal_actions() else NO_SCORE
            assert values[action] == expected


def test_proof_numbers_equal_plain_minimax_with_passes():
    game = OthelloBoard(4, 4)
    search = ProofNumberSolution(game)
    for own, opp in positions_of_random_play(game, 20, 5, 8, np.random.default_rng(0)).tolist():
        position = Position(game, own, opp)
        assert search.value(position) == exact_value(position)


def test_solve_searches_a_position_with_too_many_successors(monkeypatch):
    monkeypatch.setattr("ci_envs.solver.search.MAX_POSITIONS", 1_000)
    start = Position.start(HexBoard(4, 4))
    solution = solve(start)
    assert (solution.value(start), solution.distance(start), solution.counts) == (1, None, {})
    assert solve(start.game).searches
    agent = ExactAgent(start.game, seed=0)
    first = start.play(int(agent.act_on(words_of([start]))[0]))
    assert solution.value(first) == -1


def test_positions_of_a_game_with_too_many_positions_come_from_random_play(monkeypatch):
    monkeypatch.setattr("ci_envs.solver.search.MAX_POSITIONS", 1_000)
    monkeypatch.setattr(OthelloBoard, "position_bound", lambda game, own, opp: 3**16)
    game = OthelloBoard(4, 4)
    words = sample_positions(game, 50, np.random.default_rng(0))
    assert "random play" in solver_of(game).sampling_method(game)
    assert {(own | opp).bit_count() for own, opp in words.tolist()} <= set(range(8, 15))
    accuracy = measure_accuracy(game, ExactAgent(game, seed=0), words, solve(game))
    assert accuracy.everywhere.keeping == 50
    assert accuracy.everywhere.fastest is None


@pytest.mark.parametrize(("name", "limit"), [("MAX_NODES", "500 nodes"), ("MAX_POSITIONS", "500 states")])
def test_a_search_that_reaches_a_limit_names_it(monkeypatch, name, limit):
    monkeypatch.setattr(f"ci_envs.solver.proof_number.{name}", 500)
    game = HexBoard(4, 4)
    with pytest.raises(UnknownValueError, match=rf"HexBoard.* is too large to solve.* without a result.*{limit}"):
        ProofNumberSolution(game).value(Position.start(game))


def test_a_search_shows_progress_and_can_be_interrupted():
    def interrupt(nodes, total):
        assert nodes > 0
        assert total is None
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ProofNumberSolution(HexBoard(4, 4), progress=interrupt).value(Position.start(HexBoard(4, 4)))


def test_proof_numbers_refuse_a_game_that_can_cycle():
    with pytest.raises(ValueError, match="can cycle"):
        ProofNumberSolution(Quixo(3))
