"""The clock of a game, with a time that the test sets."""

from types import SimpleNamespace

import pytest

from ci_envs.web.catalog import Catalog
from ci_envs.web.clock import clock_text, seconds_left
from ci_envs.web.players import result_text
from ci_envs.web.room import Room
from ci_envs.web.store import Store
from ci_envs.web.table import RefusedError

TOKENS = ("the token of one seat", "the token of the other seat")
NOW = 1_000_000.0


@pytest.fixture
def at(monkeypatch):
    """Sets the time, in seconds after the start of the test."""

    def set_time(seconds):
        monkeypatch.setattr("ci_envs.web.room.time", SimpleNamespace(time=lambda: NOW + seconds))

    set_time(0)
    return set_time


@pytest.fixture
def room(tmp_path, at):
    room = Room(Store(tmp_path / "games.sqlite"), Catalog(), workers=1)
    yield room
    room.close()


def begin(room, **more):
    return room.create("TicTacToe-v0", ("human", "human"), tokens=TOKENS, clock=60.0, **more).record.id


def test_each_player_uses_the_time_of_the_own_turns(room, at, tmp_path):
    id = begin(room)
    for seconds, move in ((100, "b2"), (110, "a1"), (135, "c3"), (136, "c1")):  # the first move is free
        at(seconds)
        room.play(id, move, tokens=TOKENS)
    assert seconds_left(room.table(id), NOW + 136) == (60 - 25, 60 - 10 - 1)
    assert seconds_left(room.table(id), NOW + 140) == (60 - 25 - 4, 60 - 10 - 1)
    other = Room(Store(tmp_path / "games.sqlite"), Catalog(), workers=1)  # as after a restart
    assert seconds_left(other.table(id), NOW + 140) == (31, 49)


def test_a_player_without_time_loses(room, at):
    id = begin(room)
    at(5)
    room.play(id, "b2", tokens=TOKENS)
    at(64.9)
    assert room.on_time(id).ending is None
    at(65)
    with pytest.raises(RefusedError, match="over"):
        room.play(id, "a1", tokens=TOKENS)
    table = room.table(id)
    assert (table.ending, table.winner, table.record.over) == ("time", 0, True)
    assert result_text(table) == "X won on time"
    assert seconds_left(table, NOW + 1000) == (60, 0)
    for refused in (room.undo, room.redo):
        with pytest.raises(RefusedError):
            refused(id, tokens=TOKENS)


def test_undo_gives_no_time_back_and_takes_none(room, at):
    id = begin(room)
    for seconds, move in ((0, "b2"), (30, "a1")):
        at(seconds)
        room.play(id, move, tokens=TOKENS)
    at(40)
    room.undo(id, tokens=TOKENS)
    assert seconds_left(room.table(id), NOW + 40) == (50, 30)
    at(45)
    room.play(id, "c1", tokens=TOKENS)
    assert seconds_left(room.table(id), NOW + 45) == (50, 25)


def test_who_resigns_in_time_does_not_lose_on_time(room, at):
    id = begin(room)
    room.play(id, "b2", tokens=TOKENS)
    at(59)
    room.resign(id, tokens=TOKENS)
    at(100)
    assert room.on_time(id).ending == "resigned"


def test_agents_alone_need_no_clock(room):
    with pytest.raises(ValueError, match="A clock needs a person"):
        room.create("TicTacToe-v0", ("random", "random"), tokens=TOKENS, clock=60.0)


@pytest.mark.parametrize(
    ("seconds", "text"), [(0, "0:00"), (0.2, "0:01"), (59.9, "1:00"), (65, "1:05"), (3600, "60:00")]
)
def test_times_in_words(seconds, text):
    assert clock_text(seconds) == text
