"""Proposals between people: who must agree, what then happens, and when a proposal ends."""

import pytest

from ci_envs.web.catalog import Catalog
from ci_envs.web.clock import Clock
from ci_envs.web.game_service import GameService
from ci_envs.web.hosted_game import GameStateError
from ci_envs.web.players import result_text
from ci_envs.web.proposals import open_proposal
from ci_envs.web.seats import SeatError, held_seats
from ci_envs.web.store import Store

ADA, BEN = "the token of Ada", "the token of Ben"


@pytest.fixture
def service(tmp_path):
    service = GameService(Store(tmp_path / "games.sqlite"), Catalog(), workers=1)
    yield service
    service.close()


def begin(service, moves=(), **more):
    more = {"seats": ("human", "human"), "tokens": (ADA, BEN), "names": ("Ada", "Ben"), **more}
    id = service.create("TicTacToe-v0", **more).record.id
    for move in moves:
        service.play(id, move, tokens=more["tokens"])
    return id


def names(hosted):
    return list(map(hosted.game.action_name, hosted.record.actions))


def test_the_other_person_agrees_to_take_back_the_last_turn_of_the_proposer(service):
    id = begin(service, ["a1", "b2", "c3"])
    asked = service.propose(id, "takeback", tokens=[BEN])
    assert names(asked) == ["a1", "b2", "c3"]
    assert open_proposal(asked) == ("takeback", 1)
    assert names(service.propose(id, "takeback", tokens=[BEN])) == ["a1", "b2", "c3"]  # twice is not an agreement
    agreed = service.propose(id, "takeback", tokens=[ADA])
    assert (names(agreed), open_proposal(agreed)) == (["a1"], None)
    with pytest.raises(SeatError):
        service.propose(id, "takeback", tokens=["a token of nobody"])
    with pytest.raises(GameStateError, match="nothing to take back"):
        service.propose(id, "takeback", tokens=[BEN])


def test_a_person_with_both_seats_or_alone_needs_nobody(service):
    assert names(service.propose(begin(service, ["a1", "b2"]), "takeback", tokens=[ADA, BEN])) == ["a1"]
    alone = begin(service, ["a1"], tokens=(ADA, ""))
    assert names(service.propose(alone, "takeback", tokens=[ADA])) == []


def test_a_draw_is_agreed_and_can_be_taken_back_by_both(service):
    id = begin(service, ["a1"])
    assert service.propose(id, "draw", tokens=[ADA]).ending is None
    over = service.propose(id, "draw", tokens=[BEN])
    assert (over.ending, over.winner, over.record.over) == ("agreement", None, True)
    assert result_text(over) == "Draw by agreement"
    with pytest.raises(GameStateError, match="over"):
        service.propose(id, "draw", tokens=[ADA])
    service.propose(id, "takeback", tokens=[ADA])
    again = service.propose(id, "takeback", tokens=[BEN])
    assert (again.ending, names(again)) == (None, ["a1"])


@pytest.mark.extended
def test_an_agent_agrees_to_no_draw_but_to_a_takeback(service):
    id = begin(service, seats=("human", "random"), tokens=(ADA, ADA))
    with pytest.raises(GameStateError, match="an agent does not agree"):
        service.propose(id, "draw", tokens=[ADA])


@pytest.mark.parametrize(
    ("kind", "player", "kept"), [("draw", 0, True), ("draw", 1, False), ("takeback", 0, False), ("takeback", 1, False)]
)
def test_a_move_ends_a_proposal_except_an_offer_of_a_draw_by_the_mover(service, kind, player, kept):
    id = begin(service, ["a1", "b1"])
    service.propose(id, kind, tokens=[(ADA, BEN)[player]])
    assert (open_proposal(service.play(id, "c3", tokens=[ADA])) is not None) == kept


def test_a_proposal_is_declined_or_withdrawn(service):
    id = begin(service, ["a1"])
    for token in (ADA, BEN):
        service.propose(id, "draw", tokens=[ADA])
        assert open_proposal(service.decline(id, tokens=[token])) is None
    with pytest.raises(SeatError):
        service.decline(id, tokens=["a token of nobody"])


def test_a_rematch_begins_once_with_swapped_seats_and_the_same_clock(service):
    id = begin(service, ["a1"], clock=Clock(60.0, 2.0), owner="Ada")
    with pytest.raises(GameStateError, match="in progress"):
        service.propose(id, "rematch", tokens=[ADA])
    service.resign(id, tokens=[ADA])
    assert not service.propose(id, "rematch", tokens=[ADA]).record.rematch
    rematch = service.propose(id, "rematch", tokens=[BEN]).record.rematch
    record = service.get(rematch).record
    assert (record.names, record.clock, record.increment) == (("Ben", "Ada"), 60.0, 2.0)
    assert (held_seats(record, [ADA]), held_seats(record, [BEN])) == ([1], [0])
    assert (record.actions, record.used) == ((), (0.0, 0.0))
    service.propose(id, "rematch", tokens=[ADA])
    assert service.propose(id, "rematch", tokens=[BEN]).record.rematch == rematch


@pytest.mark.extended
def test_names_follow_their_players_and_a_new_player_has_none(service):
    id = begin(service)
    both = [ADA, BEN]
    assert service.change_seats(id, ("human", "human"), tokens=both).record.names == ("Ada", "Ben")
    assert service.change_seats(id, ("human", "random"), tokens=both).record.names == ("Ada", "")
    assert service.change_seats(id, ("random", "human"), tokens=both).record.names == ("", "Ada")
    assert service.change_seats(id, ("minimax", "human"), tokens=both).record.names == ("", "Ada")


def test_who_takes_a_seat_has_the_game_in_the_list_and_who_watches_has_not(service):
    id = begin(service, tokens=(ADA, ""), owner=ADA)
    begin(service, tokens=("another", ""))
    assert not service.owned(BEN)
    service.take_seat(id, 1, BEN)
    for visitor in (ADA, BEN):
        assert [record.id for record in service.owned(visitor)] == [id]
        assert service.count(visitor) == 1
    assert [record.owner for record in service.owned("")] == [""]  # a visitor without a token has no free seats
