"""The daily puzzles and the opening explorer, against a search through the whole game."""

from contextlib import closing
from datetime import date, timedelta
from functools import cache

import pytest

import ci_envs
from ci_envs import Position
from ci_envs.web.analysis_service import AnalysisService
from ci_envs.web.catalog import Catalog
from ci_envs.web.daily_puzzles import DailyPuzzles
from ci_envs.web.explorer import explore, value_text
from ci_envs.web.game_service import GameService
from ci_envs.web.hosted_game import History
from ci_envs.web.puzzles import has_puzzles, make_puzzle, seed_of
from ci_envs.web.store import Store

ENVIRONMENT = "TicTacToe-v0"
TODAY = date.today()


@cache
def result_of(position):
    """The result for player 0 under perfect play, and the number of moves to it: fast wins and slow losses."""
    if position.result is not None:
        return position.result * (1 if position.to_move == 0 else -1), 0
    sign = 1 if position.to_move == 0 else -1
    results = [result_of(position.play(action)) for action in position.legal_actions()]
    best = max(sign * result for result, _ in results)
    plies = [plies for result, plies in results if sign * result == best]
    return sign * best, 1 + (min(plies) if best > 0 else max(plies))


@pytest.fixture
def service(tmp_path):
    with (
        closing(Store(tmp_path / "games.sqlite")) as store,
        closing(GameService(store, Catalog(), workers=1)) as service,
    ):
        yield service


def test_exactly_one_action_of_a_puzzle_wins():
    game = ci_envs.make(ENVIRONMENT).game
    puzzles = [make_puzzle(game, seed_of(TODAY - timedelta(days), ENVIRONMENT)) for days in range(20)]
    for puzzle in puzzles:
        position, sign = puzzle.position, 1 if puzzle.position.to_move == 0 else -1
        wins = [action for action in position.legal_actions() if sign * result_of(position.play(action))[0] > 0]
        assert wins == [puzzle.solution]
        assert result_of(position) == (sign, puzzle.plies)
        assert puzzle.plies > 1
        assert len(position.legal_actions()) >= 3
    assert len({puzzle.position for puzzle in puzzles}) > 5


def test_nim_puzzles_follow_its_theory():
    """In Nim a move wins if the nim-sum of the heaps is 0 after it."""
    game = ci_envs.make("Nim-v0").game
    for seed in range(20):
        puzzle = make_puzzle(game, seed)
        sums = {action: nim_sum(puzzle.position.play(action)) for action in puzzle.position.legal_actions()}
        assert [action for action, total in sums.items() if total == 0] == [puzzle.solution]


def nim_sum(position):
    total = 0
    for heap in str(position).split()[0].split(","):
        total ^= int(heap)
    return total


@pytest.mark.extended
def test_a_day_has_one_puzzle_for_each_environment(service):
    puzzles = DailyPuzzles(service)
    assert puzzles.environments() == [
        name for name in ci_envs.registry.games.registered() if has_puzzles(ci_envs.make(name).game)
    ]
    puzzle = puzzles.of(ENVIRONMENT, TODAY)
    assert puzzle == make_puzzle(ci_envs.make(ENVIRONMENT).game, seed_of(TODAY, ENVIRONMENT))
    assert puzzles.of(ENVIRONMENT, TODAY) is puzzle
    with pytest.raises(ValueError, match=r"There is no puzzle of .*Allowed: 2024-01-01 to"):
        puzzles.of(ENVIRONMENT, TODAY + timedelta(1))
    with pytest.raises(ValueError, match=r"ConnectN-v0 has no puzzles\. Available: .*TicTacToe-v0"):
        puzzles.of("ConnectN-v0", TODAY)


def test_the_explorer_shows_exact_values_and_finished_games(service):
    for actions, over in ((("b2", "a1"), 0), (("b2", "b1"), 0), (("b2", "a1"), None), (("a1",), 0)):
        service.create(ENVIRONMENT, ("human", "human"), tokens=("a", "b"), history=History(actions, resigned=over))
    found = explore(service, AnalysisService(service), ENVIRONMENT, ["b2"])
    assert {move.name: move.games for move in found.moves if move.games} == {"a1": 1, "b1": 1}
    assert found.moves[0].name == "a1"  # the best value, and then the number of games
    for move in found.moves:
        after = found.position.play(move.name)
        result, plies = result_of(after)
        assert move.exact.value == -result  # player 1 plays it
        assert move.exact.plies == (plies + 1 if result else None)
    assert value_text(found.moves[-1].exact) == f"loses in {found.moves[-1].exact.plies}"
    start = explore(service, AnalysisService(service), ENVIRONMENT, [])
    assert {move.name: move.games for move in start.moves if move.games} == {"b2": 2, "a1": 1}


def test_the_explorer_refuses_unknown_moves(service):
    analyses = AnalysisService(service)
    with pytest.raises(ValueError, match="legal are a1"):
        explore(service, analyses, ENVIRONMENT, ["z9"])
    won = explore(service, analyses, ENVIRONMENT, ["a1", "b1", "a2", "b2", "a3"])
    assert (won.moves, won.position.result) == ((), -1)
    assert isinstance(won.position, Position)
