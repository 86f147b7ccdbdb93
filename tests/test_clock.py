"""The clock of a game, with a time that the test sets."""

from types import SimpleNamespace

import pytest

from ci_envs.web.catalog import Catalog
from ci_envs.web.clock import Clock, clock_text, seconds_left
from ci_envs.web.game_service import GameService
from ci_envs.web.hosted_game import GameStateError
from ci_envs.web.players import result_text
from ci_envs.web.schemas import Export
from ci_envs.web.store import Store

TOKENS = ("the token of one seat", "the token of the other seat")
NOW = 1_000_000.0


@pytest.fixture
def at(monkeypatch):
    """Set the time, in seconds after the start of the test."""

    def set_time(seconds):
        for module in ("game_service", "schemas"):
            monkeypatch.setattr(f"ci_envs.web.{module}.time", SimpleNamespace(time=lambda: NOW + seconds))

    set_time(0)
    return set_time


@pytest.fixture
def service(tmp_path, at):
    service = GameService(Store(tmp_path / "games.sqlite"), Catalog(), workers=1)
    yield service
    service.close()


def begin(service, **more):
    return service.create("TicTacToe-v0", ("human", "human"), tokens=TOKENS, clock=Clock(60.0), **more).record.id


def test_each_player_uses_the_time_of_the_own_turns(service, at, tmp_path):
    id = begin(service)
    for seconds, move in ((100, "b2"), (110, "a1"), (135, "c3"), (136, "c1")):  # the first move is free
        at(seconds)
        service.play(id, move, tokens=TOKENS)
    assert seconds_left(service.get(id), NOW + 136) == (60 - 25, 60 - 10 - 1)
    assert seconds_left(service.get(id), NOW + 140) == (60 - 25 - 4, 60 - 10 - 1)
    other = GameService(Store(tmp_path / "games.sqlite"), Catalog(), workers=1)  # as after a restart
    assert seconds_left(other.get(id), NOW + 140) == (31, 49)


def test_a_player_without_time_loses(service, at):
    id = begin(service)
    at(5)
    service.play(id, "b2", tokens=TOKENS)
    at(64.9)
    assert service.apply_clock(id).ending is None
    at(65)
    with pytest.raises(GameStateError, match="over"):
        service.play(id, "a1", tokens=TOKENS)
    hosted = service.get(id)
    assert (hosted.ending, hosted.winner, hosted.record.over) == ("time", 0, True)
    assert result_text(hosted) == "X won on time"
    assert seconds_left(hosted, NOW + 1000) == (60, 0)
    for refused in (service.undo, service.redo):
        with pytest.raises(GameStateError):
            refused(id, tokens=TOKENS)


def test_undo_gives_no_time_back_and_takes_none(service, at):
    id = begin(service)
    for seconds, move in ((0, "b2"), (30, "a1")):
        at(seconds)
        service.play(id, move, tokens=TOKENS)
    at(40)
    service.undo(id, tokens=TOKENS)
    assert seconds_left(service.get(id), NOW + 40) == (50, 30)
    at(45)
    service.play(id, "c1", tokens=TOKENS)
    assert seconds_left(service.get(id), NOW + 45) == (50, 25)


def test_the_clock_stops_when_the_first_move_is_taken_back(service, at):
    id = begin(service)
    service.play(id, "b2", tokens=TOKENS)
    at(10)
    assert service.undo(id, tokens=TOKENS).record.actions == ()
    at(1000)
    left = seconds_left(service.apply_clock(id), NOW + 1000)
    assert left == (60, 50)
    service.redo(id, tokens=TOKENS)
    assert seconds_left(service.apply_clock(id), NOW + 1005) == (60, 45)


def test_an_increment_is_added_after_each_turn_but_the_first(service, at):
    id = service.create("TicTacToe-v0", ("human", "human"), tokens=TOKENS, clock=Clock(60.0, 5.0)).record.id
    for seconds, move in ((100, "b2"), (102, "a1"), (122, "c3")):
        at(seconds)
        service.play(id, move, tokens=TOKENS)
    assert seconds_left(service.get(id), NOW + 122) == (60 - 20 + 5, 60 - 2 + 5)
    at(122 + 63)
    assert service.apply_clock(id).ending == "time"


def test_an_increment_is_for_a_turn_and_not_for_each_of_its_actions(service, at):
    """In Quarto the first player gives a piece; the second player places it and gives one."""
    id = service.create("Quarto-v0", ("human", "human"), tokens=TOKENS, clock=Clock(60.0, 5.0)).record.id
    for seconds, move in ((0, "give0"), (10, "a1"), (20, "give1")):
        at(seconds)
        service.play(id, move, tokens=TOKENS)
    assert seconds_left(service.get(id), NOW + 20) == (60, 60 - 20 + 5)


def test_the_clock_and_a_loss_on_time_survive_the_export(service, at):
    def imported(id):
        text = Export.of(service.get(id)).model_dump_json()
        return Export.model_validate_json(text).create(service, tokens=TOKENS)

    id = service.create("TicTacToe-v0", ("human", "human"), tokens=TOKENS, clock=Clock(60.0, 2.0)).record.id
    for seconds, move in ((0, "b2"), (10, "a1")):
        at(seconds)
        service.play(id, move, tokens=TOKENS)
    at(15)
    running = imported(id)
    assert seconds_left(running, NOW + 1000) == (55, 52)  # the clock goes on with the next move
    at(100)
    assert service.apply_clock(id).ending == "time"
    over = imported(id)
    assert (over.ending, over.winner) == ("time", 1)
    assert seconds_left(over, NOW + 1000) == (0, 52)


def test_who_resigns_in_time_does_not_lose_on_time(service, at):
    id = begin(service)
    service.play(id, "b2", tokens=TOKENS)
    at(59)
    service.resign(id, tokens=TOKENS)
    at(100)
    assert service.apply_clock(id).ending == "resigned"


def test_resigning_and_agreeing_to_a_draw_give_no_time_back(service, at):
    for how in ("resign", "draw"):
        at(0)
        id = begin(service)
        at(5)
        service.play(id, "b2", tokens=TOKENS)
        at(15)
        ended = service.resign(id, tokens=TOKENS) if how == "resign" else service.propose(id, "draw", tokens=TOKENS)
        assert ended.record.over
        assert seconds_left(ended, NOW + 100) == (60, 50)
        at(30)
        service.undo(id, tokens=TOKENS)
        assert seconds_left(service.get(id), NOW + 31) == (60, 49)


def test_nobody_resigns_a_game_that_is_won_on_time(service, at):
    id = begin(service)
    service.play(id, "b2", tokens=TOKENS)
    at(60)
    with pytest.raises(GameStateError, match="over"):
        service.resign(id, 0, tokens=TOKENS)
    assert (service.get(id).ending, service.get(id).winner) == ("time", 0)


def test_agents_alone_need_no_clock(service):
    with pytest.raises(ValueError, match="A clock needs a person"):
        service.change_seats(begin(service), ("random", "lowest"), tokens=TOKENS)
    with pytest.raises(ValueError, match="A clock needs a person"):
        service.create("TicTacToe-v0", ("random", "random"), tokens=TOKENS, clock=Clock(60.0))


@pytest.mark.parametrize(
    ("seconds", "text"), [(0, "0:00"), (0.2, "0:01"), (59.9, "1:00"), (65, "1:05"), (3600, "60:00")]
)
def test_times_in_words(seconds, text):
    assert clock_text(seconds) == text
