"""The review of a game without a browser: lines, variations and mistakes."""

from dataclasses import replace
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ci_envs.games.connect_n import ConnectN
from ci_envs.games.nim import Nim
from ci_envs.games.position import Position
from ci_envs.games.quixo import Quixo
from ci_envs.web.cells import clickable_regions, targets_of
from ci_envs.web.evaluation import Evaluation, backed_up
from ci_envs.web.game_status import status_of, status_text
from ci_envs.web.hosted_game import HostedGame
from ci_envs.web.line import Line
from ci_envs.web.mistakes import mistake
from ci_envs.web.review import source_text
from ci_envs.web.store import GameRecord

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
        is_thinking=lambda _: thinking, apply_clock=lambda _: at, agent_error=lambda _: agent_error
    )
    assert status_text(status_of(service, "id"), [0, 1]) == text


@pytest.mark.parametrize(
    ("scores", "action", "text"),
    [
        ((1, 0, -1), 0, None),
        ((1, 0, -1), 1, "threw away a win"),
        ((1, 0, -1), 2, "turned a win into a loss"),
        ((0, 0, -1), 2, "threw away a draw"),
        ((-1, -1, -1), 2, None),
    ],
)
def test_mistakes_by_exact_values(scores, action, text):
    position = Position.from_text(GAME, ".../XOX/OXO X")
    before = Evaluation(0.5, True, (*scores, *[-1] * 6))
    assert mistake(position, action, before, Evaluation(0.5, True)) == text


def test_mistakes_by_estimates_are_drops_of_the_chances_of_the_player_who_moved():
    first = Position.start(GAME)
    second = first.play(0)
    high, low = Evaluation(0.8, False), Evaluation(0.3, False)
    assert mistake(first, 0, high, low) == "winning chances fell from 80% to 30%"
    assert mistake(second, 1, high, low) is None
    assert mistake(second, 1, low, high) == "winning chances fell from 70% to 20%"
    assert mistake(first, 0, high, Evaluation(0.6, False)) is None


def test_an_estimate_is_no_worse_for_the_mover_than_what_the_mover_played():
    positions = hosted(4, 0, 8).positions
    chances = [Evaluation(0.5, False), Evaluation(0.6, False), Evaluation(0.1, True, (1,)), Evaluation(0.9, False)]
    found = backed_up(positions, chances)
    # X moves from the third position, which is exact; O moves from the second one to 10%, and X from the first one
    assert [each.chance for each in found] == [0.5, 0.1, 0.1, 0.9]
    assert backed_up(positions, chances[:1]) == chances[:1]
    assert mistake(positions[0], 4, found[0], found[1]) == "winning chances fell from 50% to 10%"


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
        return {region.name for region in clickable_regions(position.draw().regions, targets_of(game))}

    cells = {f"{col}{row}" for col in "abc" for row in "123"}
    assert names(ConnectN(3, 3, 3)) == names(Quixo(3)) == cells
    assert names(ConnectN(3, 3, 3, gravity=True)) == set("abc")
    taken = Position.start(Nim((2, 2))).play("1-1").to_text()
    assert names(Nim((2, 2)), taken) == {"1-1", "1+1", "2-1", "2-2"}
