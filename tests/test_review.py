"""The review of a game without a browser: lines, variations and mistakes."""

import asyncio
from dataclasses import replace
from functools import cache
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.cycles import cyclic_values
from oracles.exhaustive import exact_value

from ci_envs.games.connect_n import ConnectN
from ci_envs.games.nim import Nim
from ci_envs.games.position import Position
from ci_envs.games.quixo import Quixo
from ci_envs.registry.games import resolve
from ci_envs.solver.solution import HORIZON, NO_SCORE
from ci_envs.web.analysis_panel import exact_report
from ci_envs.web.analysis_report import AnalysisReport
from ci_envs.web.analysis_service import AnalysisService
from ci_envs.web.board_view import BoardView
from ci_envs.web.catalog import Catalog
from ci_envs.web.cells import buttons, clickable_regions
from ci_envs.web.evaluation import Evaluation, PositionEvaluator, combined
from ci_envs.web.game_service import GameService
from ci_envs.web.game_status import status_of, status_text
from ci_envs.web.hosted_game import HostedGame
from ci_envs.web.line import Line
from ci_envs.web.mistakes import Mistake, mistake, tried_mistake
from ci_envs.web.review import mistakes_of, source_text
from ci_envs.web.store import GameRecord, Store

GAME = ConnectN(3, 3, 3)


def hosted(*actions):
    positions = [Position.start(GAME)]
    for action in actions:
        positions.append(positions[-1].play(action))
    record = GameRecord("id", "TicTacToe-v0", ("human", "human"), 0, positions[0].to_text(), "", 0.0, tuple(actions))
    return HostedGame(record, GAME, tuple(positions), 9)


def replayed(line):
    """The position that is shown, from the actions alone."""
    position = line.hosted.positions[0]
    for action in line.actions[: line.ply]:
        position = position.play(action)
    return position


STEPS = st.lists(st.tuples(st.sampled_from(["play", "go", "leave"]), st.integers(-2, 9)))


@settings(deadline=None)  # the rules may have to be compiled
@given(STEPS)
def test_a_line_shows_what_its_actions_lead_to_and_never_changes_the_game(steps):
    line = Line.end_of(hosted(4, 0, 8, 2))
    for step, number in steps:
        if step == "play":
            if number not in line.position.legal_actions():
                continue
            expected = line.position.play(number)
            line = line.play(number)
            assert line.position == expected
        else:
            line = line.leave() if step == "leave" else line.go(number)
        assert line.position == replayed(line)
        assert line.hosted.record.actions == (4, 0, 8, 2)
        assert line.actions[: line.base] == (4, 0, 8, 2)[: line.base]
    home = line.leave()
    assert home.actions == (4, 0, 8, 2)
    assert home.go(9).is_current


def test_the_next_move_of_the_game_is_no_variation():
    line = Line.end_of(hosted(4, 0, 8)).go(1)
    assert line.play(0) == Line.end_of(hosted(4, 0, 8)).go(2)
    tried = line.play(2).play(3)
    assert (tried.base, tried.variation, tried.ply) == (1, (2, 3), 3)
    assert tried.go(2).play(3) == tried
    assert tried.go(0).play(4) == tried.go(1)
    assert tried.go(0).play(1).actions == (1,)
    assert tried.leave() == line


def test_the_end_follows_the_game_and_an_earlier_position_stays():
    before, after = hosted(4, 0), hosted(4, 0, 8)
    assert Line.end_of(before).follow(after) == Line.end_of(after)
    assert Line.end_of(before).go(1).follow(after) == Line.end_of(after).go(1)
    tried = Line.end_of(before).go(1).play(2)
    assert tried.follow(after).actions == (4, 2)
    assert tried.follow(hosted(3)) == Line.end_of(hosted(3))
    assert Line.end_of(after).go(2).follow(hosted(4)) == Line.end_of(hosted(4))


@pytest.mark.parametrize(
    ("seats", "thinking", "agent_error", "text"),
    [
        (("human", "random"), True, None, "X (you) to move"),  # an agent still thinks about what was taken back
        (("random", "human"), True, None, "X (random) is thinking"),
        (("random", "human"), False, None, "X (random) is thinking"),  # it has not begun, but a person waits for it
        (("random", "random"), False, None, "X (random) to move"),
        (("random", "random"), True, None, "X (random) is thinking"),
        (("random", "human"), False, "no idea", "X (random) failed: no idea"),
        (("human", "random"), False, "no idea", "X (you) to move"),
    ],
)
def test_the_status_is_that_of_the_state_that_is_shown(seats, thinking, agent_error, text):
    at = hosted()
    at = replace(at, record=replace(at.record, seats=seats))
    service = SimpleNamespace(
        is_thinking=lambda _: thinking,
        apply_clock=lambda _: at,
        agent_error=lambda _: agent_error,
        is_compiling=lambda _: False,
    )
    assert status_text(status_of(service, "id"), [0, 1]) == text
    service.is_compiling = lambda _: True
    expected = "Preparing Tic-tac-toe for the first time, about 5 s" if text.endswith("thinking") else text
    assert status_text(status_of(service, "id"), [0, 1]) == expected


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({"tokens": ("a", "b")}, True),
        ({"tokens": ("a", "")}, True),  # a seat is free for a friend
        ({"tokens": ("", "")}, True),
        ({"tokens": ("a", "a")}, False),  # one browser tries moves
        ({"tokens": ("a", "a"), "clock": 60.0}, True),  # two people at one computer
        ({"tokens": ("a", "b"), "seats": ("human", "random"), "clock": 60.0}, False),
        ({"tokens": ("a", "b"), "resigned": 0}, False),
    ],
)
def test_help_is_off_in_a_game_between_people_until_its_end(more, expected):
    at = hosted(4, 0)
    assert replace(at, record=replace(at.record, **more)).is_between_people == expected


@pytest.mark.parametrize(
    ("scores", "action", "expected"),
    [
        ((HORIZON - 1, 0, -1), 0, None),
        ((HORIZON - 1, HORIZON - 3, -1), 1, None),
        ((1, 0, -1), 1, Mistake("mistake", "threw away a win")),
        ((1, 0, 3 - HORIZON), 2, Mistake("blunder", "turned a win into a loss")),
        ((0, 0, -1), 2, Mistake("mistake", "threw away a draw")),
        ((3 - HORIZON, -1, 1 - HORIZON), 2, None),
    ],
)
def test_mistakes_by_exact_values(scores, action, expected):
    position = Position.from_text(GAME, ".../XOX/OXO X")
    before = Evaluation(0.5, True, (*scores, *[NO_SCORE] * 6))
    assert mistake(position, action, before, Evaluation(0.5, False)) == expected


def test_mistakes_by_estimates_are_drops_of_the_chances_of_the_player_who_moved():
    first = Position.start(GAME)
    second = first.play(0)
    high, low = Evaluation(0.8, False), Evaluation(0.3, False)
    assert mistake(first, 0, high, low) == Mistake("mistake", "winning chances fell from 80% to 30%")
    assert mistake(second, 1, high, low) is None
    assert mistake(second, 1, low, high) == Mistake("mistake", "winning chances fell from 70% to 20%")
    assert mistake(first, 0, high, Evaluation(0.6, False)) is None
    assert mistake(first, 0, high, Evaluation(0.5, False)).grade == "inaccuracy"
    assert mistake(first, 0, Evaluation(0.9, False), Evaluation(0.1, False)).grade == "blunder"


def test_an_estimate_and_an_exact_value_are_never_compared():
    first = Position.start(GAME)
    likely, lost = Evaluation(0.9, False), Evaluation(0.0, True)
    assert mistake(first, 0, likely, lost) is None
    assert mistake(first, 0, Evaluation(1.0, True), Evaluation(0.1, False)) is None
    assert tried_mistake(first, 0, likely, lost) == Mistake("blunder", "loses")  # a try that loses is not praised


def test_neighbouring_exact_values_and_better_estimates_are_used():
    positions, actions = hosted(4, 0, 8, 2).positions, (4, 0, 8, 2)
    estimates = [Evaluation(chance, False) for chance in (0.5, 0.6, 0.3, 0.2, 0.9)]
    chances = [each.chance for each in combined(positions, actions, estimates)]
    assert chances == [0.5, 0.3, 0.3, 0.2, 0.9]  # O reaches 30%, which is more than the 40% of the second position
    scores = [NO_SCORE] * 9
    scores[8] = -1
    known = [*estimates[:2], Evaluation(0.0, True, tuple(scores)), *estimates[3:]]
    found = combined(positions, actions, known)
    assert [(each.chance, each.exact) for each in found[1:4]] == [(0.0, True), (0.0, True), (0.0, True)]
    assert found[1].best == (0,)  # the move that was played wins for O
    assert found[0] == estimates[0]
    assert combined(positions, actions, estimates[:1]) == estimates[:1]


def test_the_source_of_winning_chances_is_said():
    solved, estimated, over = Evaluation(1.0, True, (1, 0)), Evaluation(0.5, False), Evaluation(0.0, True)
    assert source_text([]) == ""
    assert source_text([solved, over]) == "Exact values: 100% is a win, 50% a draw, 0% a loss."
    assert source_text([estimated, over]) == "Estimated by mcts:simulations=200."
    mixed = [solved, solved, estimated, solved, estimated, over]
    assert source_text(mixed) == "Exact values after moves 0 to 1, 3; otherwise estimated by mcts:simulations=200."


def test_a_button_lies_on_each_target_and_on_each_other_region_that_no_target_covers():
    def names(game, text=None):
        position = Position.start(game) if text is None else Position.from_text(game, text)
        return {region.name for region in clickable_regions(position.draw().regions, game.all_targets)}

    cells = {f"{col}{row}" for col in "abc" for row in "123"}
    assert names(ConnectN(3, 3, 3)) == names(Quixo(3)) == cells
    assert names(ConnectN(3, 3, 3, gravity=True)) == set("abc")
    taken = Position.start(Nim((2, 2))).play("1-1").to_text()
    assert names(Nim((2, 2)), taken) == {"1-1", "1+1", "2-1", "2-2"}


def test_the_work_for_the_buttons_of_a_board_grows_linearly_with_its_actions(monkeypatch):
    """Otherwise a page with many actions occupies the server for a second."""
    game, calls, targets = Nim((20,) * 5), [], Position.targets
    monkeypatch.setattr(Position, "targets", lambda self, action: calls.append(action) or targets(self, action))
    written = buttons(BoardView(Position.start(game), playable=True), ())
    assert written.count('aria-disabled="false"') == game.action_count
    assert len(calls) <= 5 * game.action_count


def test_an_analysis_has_the_exact_value_and_a_best_action_where_they_are_known():
    position = Position.from_text(GAME, "XX./OO./... X").play("a3")  # O wins with c2
    report = AnalysisReport(
        value=-0.2, win_probability=0.4, simulations=9, depth=None, nodes=None, tables=None,
        principal_variation=["b3", "c3"], actions=[], tree=[],
    )  # fmt: skip
    scores = [NO_SCORE if action not in position.legal_actions() else -1 for action in range(9)]
    scores[5] = HORIZON - 1
    exact = exact_report(report, position, Evaluation(0.0, True, tuple(scores)))
    assert (exact.value, exact.win_probability, exact.principal_variation) == (1, 1, ["c2"])
    scores[7] = HORIZON - 1  # both are best: the agent chooses
    assert exact_report(report, position, Evaluation(0.0, True, tuple(scores))).principal_variation == ["b3", "c3"]
    for unknown in (None, Evaluation(0.5, False, line=(5,))):
        assert exact_report(report, position, unknown) == report


# ------------------------------------------------------------------------------------------- solved games, by an oracle

SOLVED = {
    "TicTacToe-v0": (60, 0),
    "Nim-v0:heaps=2,3,4": (40, 0),
    "Nim-v0:heaps=2,3,3,max_take=2,misere=true": (30, 0),
    "ConnectN-v0:rows=4,cols=3,n=3,gravity=true": (30, 0),
    "Quixo-v0:size=3": (30, 0),
    "ConnectFour-v0": (10, 33),
}
"""The number of reviewed games, and the number of random moves before the first position."""


@pytest.fixture(scope="module")
def evaluator(tmp_path_factory):
    service = GameService(Store(tmp_path_factory.mktemp("review") / "games.sqlite"), Catalog(), workers=1)
    analyses = AnalysisService(service)
    with pytest.MonkeyPatch.context() as patch:  # a busy machine may need longer
        patch.setattr("ci_envs.web.analysis_service._EXACT_SECONDS", 600.0)
        yield PositionEvaluator(analyses)
    analyses.close()
    service.close()


def oracle(start):
    """A function from positions after ``start`` to their values for the player to move."""
    if not start.game.can_cycle:
        return exact_value
    return lambda position: quixo_values(start.game)[position.own, position.opp][0]


@cache
def quixo_values(game):
    def after(words):
        position = Position(game, *words)
        return {((each.own, each.opp), False) for each in map(position.play, position.legal_actions())}

    start = Position.start(game)
    return cyclic_values((start.own, start.opp), after, lambda words: Position(game, *words).result)


def random_game(game, rng, plies, most=25):
    """The positions and the actions of a game that begins after some random moves."""
    position = Position.start(game)
    for _ in range(plies):
        if position.result is None:
            position = position.play(int(rng.choice(position.legal_actions())))
    positions, actions = [position], []
    while positions[-1].result is None and len(actions) < most:
        actions.append(int(rng.choice(positions[-1].legal_actions())))
        positions.append(positions[-1].play(actions[-1]))
    return positions, actions


def games_of(environment, seed=0):
    number, plies = SOLVED[environment]
    game, rng = resolve(environment)[1], np.random.default_rng(seed)
    while number:
        positions, actions = random_game(game, rng, plies)
        if actions:
            number -= 1
            record = GameRecord("id", environment, ("human",) * 2, 0, positions[0].to_text(), "", 0.0, tuple(actions))
            yield Line.end_of(HostedGame(record, game, tuple(positions), 10**6))


def losses(line):
    """The values before and after each move that loses value, by the oracle, for the player who moves."""
    value = oracle(line.positions[0])
    values = [value(position) for position in line.positions]
    pairs = [(before, -after) for before, after in pairwise(values)]
    return {ply: pair for ply, pair in enumerate(pairs, 1) if pair[0] != pair[1]}


def evaluations(evaluator, line):
    async def all_of_them():
        return [await evaluator.evaluate(line.hosted.record.environment, each) for each in line.positions]

    return asyncio.run(all_of_them())


@pytest.mark.extended
@pytest.mark.parametrize("environment", SOLVED)
def test_a_review_finds_all_mistakes_of_solved_games_and_no_others(evaluator, environment):
    rng = np.random.default_rng(1)
    for line in games_of(environment):
        positions, actions, found = line.positions, line.actions, evaluations(evaluator, line)
        assert all(each.exact for each in found)
        expected = losses(line)
        graded = {ply: "blunder" if pair == (1, -1) else "mistake" for ply, pair in expected.items()}
        marked = mistakes_of(line, combined(positions, actions, found))
        assert {ply: each.grade for ply, each in marked.items()} == graded
        # with some positions only estimated, there are fewer mistakes but no others
        kept = [each if rng.random() < 0.5 else Evaluation(0.54, False) for each in found]
        assert mistakes_of(line, combined(positions, actions, kept)).keys() <= expected.keys()


@pytest.mark.extended
@pytest.mark.parametrize("environment", SOLVED)
def test_a_hint_and_the_best_line_keep_the_value_as_the_oracle_knows_it(evaluator, environment):
    async def check(position):
        value = oracle(position)
        hint = await evaluator.hint(environment, position, "mcts:simulations=2")
        line = await evaluator.best_line(environment, position)
        assert line[0] == hint
        for action in line:
            after = position.play(action)
            assert -value(after) == value(position)
            position = after

    for number, line in enumerate(games_of(environment, seed=2)):
        asyncio.run(check(line.positions[min(number % 4, len(line.positions) - 2)]))


def test_the_game_whose_review_invented_mistakes(evaluator):
    """In Connect Four every position of the game d d c e d e b a is solved, so no estimate is in the review."""
    game, positions = resolve("ConnectFour-v0")[1], []
    positions.append(Position.start(game))
    for name in "ddcedeba":
        positions.append(positions[-1].play(name))
    actions = tuple(before.parse_action(name) for before, name in zip(positions, "ddcedeba", strict=False))
    record = GameRecord("id", "ConnectFour-v0", ("human",) * 2, 0, positions[0].to_text(), "", 0.0, actions)
    line = Line.end_of(HostedGame(record, game, tuple(positions), 42))
    found = evaluations(evaluator, line)
    assert all(each.scores for each in found)
    for ply, wrong in mistakes_of(line, combined(positions, actions, found)).items():
        assert found[ply].chance != found[ply - 1].chance, wrong
