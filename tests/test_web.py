"""The server: games over HTTP against the rules played beside, agents that answer, and what must not be possible."""

import sqlite3
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import ExitStack, closing, suppress
from functools import partial

import httpx
import numpy as np
import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis.specs.openapi.checks import positive_data_acceptance
from served_agents import Endless, Failing, Held
from serving import (
    FORK_SERVER,
    UNLIMITED,
    free_port,
    other_client,
    process,
    registered_until_the_end,
    served,
    wait_until,
)

import ci_envs
from ci_envs import ConnectN, Position, Quixo, solve
from ci_envs.solver.solution import NO_SCORE
from ci_envs.web.agent_jobs import AgentJobs
from ci_envs.web.analysis_panel import summary_text
from ci_envs.web.analysis_report import AnalysisReport
from ci_envs.web.app import create_app
from ci_envs.web.catalog import Catalog
from ci_envs.web.game_service import GameService
from ci_envs.web.guard import AllowedHosts
from ci_envs.web.hosted_game import GameStateError, History
from ci_envs.web.levels import LEVELS, agents_of_level
from ci_envs.web.limits import BusyError
from ci_envs.web.lobby import exported_game
from ci_envs.web.offers import Offers
from ci_envs.web.players import player_label, title_of
from ci_envs.web.seats import hash_of
from ci_envs.web.store import ConflictError, Store, new_record

TICTACTOE = "TicTacToe-v0"
TOKENS = ("the token of one seat", "the token of the other seat")
OWNER = "a-token-of-my-own"
ENVIRONMENTS = [
    TICTACTOE,
    "ConnectN-v0:rows=4,cols=4,n=3,gravity=true",
    "Quixo-v0:size=3",
    "Nim-v0:heaps=2,3,4,max_take=2,misere=true",
    "Quarto-v0",
]


@pytest.fixture(scope="module", autouse=True)
def _agents_of_the_test():
    with registered_until_the_end(held=Held, failing=Failing, endless=Endless):
        yield
    Held.go_on.set()


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    catalog = Catalog({"mine": "minimax:depth=2"})
    with served(tmp_path_factory.mktemp("web") / "games.sqlite", catalog=catalog, workers=2) as (client, app):
        yield client, app


@pytest.fixture
def client(server):
    Held.go_on.clear()
    Held.thinks.clear()
    return server[0]


def begin(client, environment=TICTACTOE, seats=("human", "human"), **more):
    response = client.post("/api/games", json={"environment": environment, "seats": list(seats), **more})
    assert response.status_code == 201, response.text
    return response.json()


def play(client, game, action, status=201, **more):
    response = client.post(f"/api/games/{game['id']}/moves", json={"action": action, **more})
    assert response.status_code == status, response.text
    return response.json()


def post(client, game, what, status=200, **body):
    response = client.post(f"/api/games/{game['id']}/{what}", json=body)
    assert response.status_code == status, response.text
    return response.json()


def read(client, game):
    return client.get(f"/api/games/{game['id']}").json()


def settled(client, game):
    """The game when no agent thinks about it any more."""
    return wait_until(lambda: None if (state := read(client, game))["thinking"] else state)


def answered(client, game, plies):
    return wait_until(lambda: state if (state := read(client, game))["plies"] >= plies else None)


@pytest.mark.extended
@pytest.mark.parametrize("environment", ENVIRONMENTS)
@pytest.mark.parametrize("seat", [0, 1])
def test_a_whole_game_against_an_agent(client, environment, seat):
    """The rules, played beside, agree with every state, and the export replays to the same end."""
    rng = np.random.default_rng(seat)
    seats = ["random", "random"]
    seats[seat] = "human"
    game = begin(client, environment, seats, seed=5)
    position = ci_envs.Position.start(ci_envs.make(environment).game)
    while True:
        state = settled(client, game)
        position = ci_envs.Position.start(position.game)
        for move in state["moves"]:
            assert (move["player"], move["name"]) == (position.to_move, position.action_name(move["number"]))
            position = position.play(move["number"])
        assert state["position"] == position.to_text()
        assert [action["number"] for action in state["legal"]] == list(position.legal_actions())
        if state["ending"]:
            break
        assert state["to_move"] == seat
        action = rng.choice(state["legal"])
        play(client, game, action["name"] if rng.random() < 0.5 else action["number"], ply=state["plies"])
    assert state["ending"] == "rules"
    loser_to_move = position.result == -1
    assert state["winner"] == (None if position.result == 0 else abs(position.to_move - loser_to_move))
    exported = client.get(f"/api/games/{game['id']}/export").json()
    again = ci_envs.Position.from_text(position.game, exported["start"])
    for name in exported["actions"]:
        again = again.play(again.parse_action(name))
    assert again == position
    play(client, game, 0, status=409)


@pytest.mark.extended
def test_agents_are_repeatable_by_their_seed(client):
    games = [begin(client, seats=("human", "mcts:simulations=50"), seed=seed) for seed in (3, 3)]
    for game in games:
        play(client, game, "b2")
    assert len({answered(client, game, 2)["position"] for game in games}) == 1


def test_a_game_may_begin_anywhere_and_end_at_its_limit(client):
    game = begin(client, "Quixo-v0:size=5,max_cycles=3", position="X..../...../...../...../....O X")
    for _ in range(3):
        state = read(client, game)
        assert state["ending"] is None
        play(client, game, state["legal"][-1]["number"])
    assert (read(client, game)["ending"], read(client, game)["winner"]) == ("limit", None)
    assert begin(client, position="XXX/OO./... O")["ending"] == "rules"


def test_two_agents_play_ply_by_ply(client):
    game = begin(client, seats=("mine", "random"))
    for plies in range(1, 10):
        post(client, game, "advance", 202)
        if answered(client, game, plies)["ending"]:
            break
    assert read(client, game)["ending"] == "rules"
    post(client, game, "advance", 409)


def test_taking_back(client):
    game = begin(client)
    assert post(client, game, "undo", 409)["detail"] == "there is nothing to take back"
    for name in ("a1", "b2", "c3"):
        play(client, game, name)
    assert [move["name"] for move in post(client, game, "undo")["moves"]] == ["a1", "b2"]
    against = begin(client, seats=("human", "random"))
    play(client, against, "b2")
    answered(client, against, 2)
    assert post(client, against, "undo")["plies"] == 0
    late = begin(client, seats=("random", "human"))
    answered(client, late, 1)
    post(client, late, "undo", 409)  # the agent's ply alone is not the person's to take back


@pytest.mark.extended
def test_redo_plays_the_same_moves_again_in_another_process_too(tmp_path):
    """The moves of the agent are played again too, and a different move forgets what was taken back."""
    service = GameService(Store(tmp_path / "games.sqlite"), Catalog(), workers=1)
    id = service.create(TICTACTOE, ("human", "human"), tokens=TOKENS).record.id
    for name in ("b2", "a1", "c3"):
        service.play(id, name, tokens=TOKENS)
    played = service.get(id).record.actions
    service.change_seats(id, ("human", "failing"), tokens=TOKENS)  # which could not answer
    for plies in (2, 0):
        assert len(service.undo(id, tokens=TOKENS).record.actions) == plies
    other = GameService(Store(tmp_path / "games.sqlite"), Catalog(), workers=1)
    assert other.redo(id, tokens=TOKENS).record.actions == played[:2]
    assert other.redo(id, tokens=TOKENS).record.actions == played
    with pytest.raises(GameStateError, match="nothing to redo"):
        other.redo(id, tokens=TOKENS)
    other.change_seats(id, ("human", "human"), tokens=TOKENS)
    other.undo(id, tokens=TOKENS)
    assert other.play(id, "a3", tokens=TOKENS).record.undone == ()


def test_a_program_imports_an_exported_game(client):
    game = begin(client, "Nim-v0:heaps=2,3")
    for name in ("2-1", "1-1"):
        play(client, game, name)
    exported = client.get(f"/api/games/{game['id']}/export").json()
    again = client.post("/api/games/import", json=exported, params={"owner": "somebody-somewhere"}).json()
    same = {key: again[key] for key in again if key not in ("id", "created", "seat_tokens")}
    assert same == {key: read(client, game)[key] for key in same}
    assert again["id"] != game["id"]
    play(client, again, "2-1")  # with the tokens of the new game
    assert len(client.get("/api/games", params={"owner": "somebody-somewhere"}).json()) == 1
    post(client, game, "resign", player=0)
    exported = client.get(f"/api/games/{game['id']}/export").json()
    assert client.post("/api/games/import", json=exported).json()["ending"] == "resigned"
    for wrong in ({"actions": ["2-1", "9-9"]}, {"start": "?"}, {"environment": "Chess"}, {"format": "PGN"}):
        answer = client.post("/api/games/import", json=exported | wrong)
        assert answer.status_code == 422, answer.text
        assert isinstance(answer.json()["detail"], str)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"ending": "resigned", "winner": 1, "actions": ["a1", "b1", "a2", "b2", "a3"]}, "do not fit together"),
        ({"ending": "agreement", "actions": ["a1", "b1", "a2", "b2", "a3"]}, "do not fit together"),
        ({"ending": "rules", "winner": 0}, "do not fit together"),
        ({"ending": "limit"}, "do not fit together"),
        ({"ending": "resigned"}, "do not fit together"),
        ({"ending": "agreement", "winner": 1}, "do not fit together"),
        ({"ending": "time", "winner": 1}, "do not fit together"),
        ({"winner": 0}, "do not fit together"),
        ({"actions": ["a1", "b1", "a2", "b2", "a3"]}, "do not fit together"),
        ({"actions": ["a1", "b1", "a2", "b2", "a3"], "ending": "rules", "winner": 1}, "do not fit together"),
        ({"clock": 60, "used": [0, 60]}, "the player to move has no time left, but the game has no result"),
        ({"increment": 5}, "increment=5 needs minutes"),
        ({"colour": 1}, "Extra inputs are not permitted"),
        ({"seed": "5"}, "Input should be a valid integer"),
        ({"actions": ["z" * 20_000]}, "at most 20 characters"),
    ],
)
def test_an_imported_game_agrees_with_its_result(client, change, message):
    game = begin(client, TICTACTOE)
    play(client, game, "b2")
    exported = client.get(f"/api/games/{game['id']}/export").json()
    response = client.post("/api/games/import", json=exported | change)
    assert response.status_code == 422
    assert message in response.json()["detail"]
    assert len(response.text) < 300


@pytest.mark.parametrize("text", ["[" * 3000, '{"seed": ' + "9" * 6000 + "}", "{,", ""])
def test_a_text_that_is_no_exported_game_is_named(text):
    with pytest.raises(ValueError, match="This text is not an exported game: it is not JSON"):
        exported_game(text)


def test_a_mark_before_an_exported_game_is_no_part_of_it(client):
    game = begin(client, TICTACTOE)
    text = client.get(f"/api/games/{game['id']}/export").text
    assert exported_game("\ufeff" + text) == exported_game(text)


def test_the_players_of_a_finished_game_stay(client):
    game = begin(client, TICTACTOE, seats=("human", "random"))
    post(client, game, "resign", player=0)
    response = client.put(
        f"/api/games/{game['id']}/seats",
        json={"seats": ["random", "human"]},
        headers={"X-Seat-Token": game["seat_tokens"][0]},
    )
    assert response.status_code == 409
    assert "the game is over (resigned), so the players stay" in response.json()["detail"]
    assert read(client, game)["seats"] == ["human", "random"]


def test_a_name_does_not_turn_the_text_around_it(tmp_path):
    service = GameService(Store(tmp_path / "games.sqlite"), Catalog(), workers=1)
    hosted = service.create(TICTACTOE, ("human", "human"), tokens=TOKENS, names=("\u202eevil", "Ada"))
    assert player_label(hosted, 0) == "X (\u2068\u202eevil\u2069)"
    assert player_label(hosted, 1) == "O (Ada)"
    assert "\u2068\u202eevil\u2069 against Ada" in title_of(hosted.record)


@pytest.mark.extended
def test_an_exported_game_is_imported(tmp_path):
    service = GameService(Store(tmp_path / "games.sqlite"), Catalog(), workers=1)
    actions = ["b2", "a1", "c3"]
    hosted = service.create(
        TICTACTOE, ("human", "random"), tokens=TOKENS, names=("Ada", ""), history=History(actions, resigned=0)
    )
    assert (list(map(hosted.game.action_name, hosted.record.actions)), hosted.winner) == (actions, 1)
    assert service.get(hosted.record.id).record.names == ("Ada", "")
    with pytest.raises(ValueError, match="illegal"):
        service.create(TICTACTOE, ("human", "human"), tokens=TOKENS, history=History(["b2", "b2"]))


def test_a_file_of_an_earlier_version_is_read(tmp_path):
    path = tmp_path / "games.sqlite"
    id = GameService(Store(path), Catalog(), workers=1).create(TICTACTOE, ("human", "human"), tokens=TOKENS).record.id
    with closing(sqlite3.connect(path)) as connection:
        for column in ("names", "undone", "increment", "agreed", "proposal", "rematch"):
            connection.execute(f"ALTER TABLE games DROP COLUMN {column}")
        for seat in range(2):
            connection.execute(f"DROP INDEX by_token_{seat}")
    store = Store(path)
    record = store.get(id)
    assert (record.names, record.undone) == (("", ""), ())
    assert (record.increment, record.agreed, record.proposal, record.rematch) == (0, False, (), "")
    with closing(sqlite3.connect(path)) as connection:
        condition = "owner = 'a' OR json_extract(tokens, '$[0]') = 'b' OR json_extract(tokens, '$[1]') = 'b'"
        plan = str(connection.execute(f"EXPLAIN QUERY PLAN SELECT * FROM games WHERE {condition}").fetchall())
    assert all(index in plan for index in ("by_owner", "by_token_0", "by_token_1"))
    assert [listed.id for listed in store.listed("a visitor", hash_of(TOKENS[1]), limit=10)] == [id]


def test_giving_up_and_thinking_again(client):
    game = begin(client, seats=("human", "random"))
    play(client, game, "a1")
    answered(client, game, 2)
    over = post(client, game, "resign")
    assert (over["ending"], over["winner"], over["legal"]) == ("resigned", 1, [])
    play(client, game, "b2", status=409)
    assert post(client, game, "undo")["ending"] is None
    post(client, game, "resign", 409, player=1)
    people = begin(client)
    assert post(client, people, "resign", player=1)["winner"] == 0
    post(client, begin(client, seats=("random", "random")), "resign", 409)


def test_the_move_for_a_position_that_was_taken_back_is_not_played(client):
    game = begin(client, seats=("human", "held"))
    play(client, game, "a1")
    assert Held.thinks.wait(60)
    assert read(client, game)["thinking"]
    play(client, game, "b1", status=409)  # not the person's turn
    post(client, game, "undo")
    play(client, game, "c3")
    Held.go_on.set()  # the first answer is for a board with a1; the second, to c3, is a1
    state = answered(client, game, 2)
    assert [move["name"] for move in state["moves"]] == ["c3", "a1"]
    assert settled(client, game)["plies"] == 2


def test_a_request_for_the_next_move_waits_for_it(client):
    game = begin(client, seats=("human", "held"))
    after = play(client, game, "a1")["plies"]
    assert Held.thinks.wait(60)
    url = f"{client.base_url}/api/games/{game['id']}"
    with ThreadPoolExecutor(8) as pool:
        waiting = [pool.submit(httpx.get, url, params={"after": after}, timeout=60, verify=False) for _ in range(8)]
        assert not wait(waiting, timeout=0.5).done
        assert read(client, game)["plies"] == after  # and nobody else has to
        Held.go_on.set()
        assert [one.result().json()["plies"] for one in waiting] == [after + 1] * 8
    assert client.get(url, params={"after": 7}).json()["plies"] == after + 1  # a person is to play
    failing = begin(client, seats=("failing", "human"))
    assert (
        client.get(f"/api/games/{failing['id']}", params={"after": 0}).json()["agent_error"] == "RuntimeError: no idea"
    )
    assert client.get(f"/api/games/{'x' * 22}", params={"after": 0}).status_code == 404


def test_what_another_process_does_to_a_game_is_seen(tmp_path):
    """Two rooms with one file, as two servers would be."""
    stores = [Store(tmp_path / "games.sqlite") for _ in range(2)]
    one, other = (GameService(store, Catalog(), workers=1) for store in stores)
    id = one.create(TICTACTOE, ("human", "human"), tokens=TOKENS).record.id
    other.play(id, "a1", tokens=TOKENS)
    stale = one.get(id).record
    assert len(stale.actions) == 1
    other.play(id, "b1", tokens=TOKENS)
    with pytest.raises(ConflictError):
        stores[0].change(stale, over=True)
    one.undo(id, tokens=TOKENS)
    one.play(id, "c1", tokens=TOKENS)
    assert other.get(id).record == one.get(id).record == stores[0].get(id)
    assert list(map(other.get(id).game.action_name, stores[1].get(id).actions)) == ["a1", "c1"]


def test_a_file_with_another_format_is_refused(tmp_path):
    path = tmp_path / "games.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE games (id VARCHAR PRIMARY KEY)")
    with pytest.raises(OSError, match=r"games cannot be kept in .*games\.sqlite.*: no such column"):
        Store(path)


def test_swapping_seats_makes_the_agent_move(client):
    game = begin(client, seats=("human", "random"))
    response = client.put(f"/api/games/{game['id']}/seats", json={"seats": ["random", "human"]})
    assert response.json()["seats"] == ["random", "human"]
    assert answered(client, game, 1)["to_move"] == 1


def test_an_agent_that_fails_is_reported_and_can_be_asked_again(client):
    game = begin(client, seats=("human", "failing"))
    play(client, game, "a1")
    state = settled(client, game)
    assert (state["agent_error"], state["plies"]) == ("RuntimeError: no idea", 1)
    post(client, game, "advance", 202)
    assert settled(client, game)["agent_error"] == "RuntimeError: no idea"
    assert "Traceback" not in str(state)


def test_a_step_that_fails_is_not_repeated_for_those_who_asked_meanwhile():
    steps, errors, ended = [], [], threading.Event()
    asked, go_on = threading.Event(), threading.Event()

    def step(id, canceled):
        steps.append(id)
        asked.set()
        assert go_on.wait(60)
        raise RuntimeError("no idea")

    with ThreadPoolExecutor(1) as pool:
        jobs = AgentJobs(
            lambda client, work: pool.submit(work), step, lambda id, error: errors.append(id), lambda id: ended.set()
        )
        jobs.start("a game", "")
        assert asked.wait(60)
        for _ in range(3):
            jobs.start("a game", "")
        go_on.set()
        assert ended.wait(60)
        assert (steps, errors, jobs.is_running("a game")) == (["a game"], ["a game"], False)
        ended.clear()
        jobs.start("a game", "")
        assert ended.wait(60)
    assert len(steps) == len(errors) == 2


def test_moves_at_once_are_played_once(client):
    game = begin(client)
    with ThreadPoolExecutor(8) as pool:
        url = f"{client.base_url}/api/games/{game['id']}/moves"
        headers = {"X-Seat-Token": game["seat_tokens"][0]}
        send = partial(httpx.post, url, headers=headers, verify=False)
        answers = list(pool.map(lambda n: send(json={"action": n, "ply": 0}).status_code, range(8)))
    assert sorted(answers) == [201] + [409] * 7
    assert read(client, game)["plies"] == 1


def test_games_are_listed_for_their_owner(client):
    mine = [begin(client, owner=OWNER)["id"] for _ in range(3)]
    begin(client, owner="somebody-else-entirely")
    listed = client.get("/api/games", params={"owner": OWNER}).json()
    assert [one["id"] for one in listed] == mine[::-1]
    assert len(set(mine)) == 3
    assert all(len(id) == 22 for id in mine)
    for owner in (None, "", "short"):
        assert client.get("/api/games", params={"owner": owner} if owner is not None else {}).status_code == 422


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"environment": "os:Quixo-v0"}, "Unknown environment 'os:Quixo-v0'"),
        ({"environment": "Hex-v0"}, "Unknown environment 'Hex-v0'"),
        ({"environment": "SetCovering-v0:path=/etc/passwd"}, "Unknown environment"),
        ({"environment": "Quixo-v0:size=99"}, "size must be a whole number from 2 to 7, not 99"),
        ({"environment": "x" * 301}, "at most 300 characters"),
        ({"environment": "Quixo-v0:render_mode=human"}, "render_mode cannot be set here"),
        ({"environment": "Quixo-v0:max_cycles=1001"}, "max_cycles must be 1000 or less here, not 1001"),
        ({"environment": "Quixo-v0:size=\u0665"}, "Allowed: ASCII"),
        ({"environment": "Nim-v0", "position": "\uff11,3,5,7 0"}, "Allowed: ASCII"),
        ({"seats": ["human", "mcts:simulations=\u0661"]}, "Allowed: ASCII"),
        ({"seats": ["human", "nobody"]}, "Unknown agent 'nobody'"),
        ({"seats": ["human", "human:x=1"]}, "'human' is not an agent here"),
        ({"seats": ["human", "mcts:simulations=1000000"]}, "simulations must be 20000 or less here, not 1000000"),
        ({"seats": ["human", "mcts:time=60"]}, "time must be 5 or less here, not 60"),
        ({"seats": ["human", "mcts:threads=64"]}, "threads must be 1 or less here, not 64"),
        ({"seats": ["human", "minimax:exact=/srv"]}, "exact must be included here, not '/srv'"),
        ({"seats": ["human", "q_learning:runs/table.npz"]}, "path must be one of none, not 'runs/table.npz'"),
        ({"seats": ["human", "alphazero:path=../quixo5"]}, "path must be one of connect6x6"),
        ({"seats": ["human", "mine:depth=9"]}, "Unknown agent 'mine'"),
        (
            {"environment": "Quarto-v0:squares=true", "seats": ["exact", "human"]},
            "'exact' can take minutes for a move of",
        ),
        ({"seats": ["human"]}, "at least 2 items"),
        ({"seats": ["human", "random"], "position": "XXX"}, "is not a position of"),
        ({"environment": None}, "Invalid value for environment: None."),
        ({"seed": -1}, "Invalid value for seed: -1. Input should be greater than or equal to 0"),
        ({"more": 1}, "Extra inputs"),
        ({"increment": 5}, "increment=5 needs minutes"),
        ({"environment": "Quixo-v0:size=-1"}, "size must be a whole number from 2 to 7, not -1"),
        ({"environment": "Nim-v0:heaps=1;2"}, "heaps must be "),
        ({"owner": "abc"}, "Allowed: 16 to 64 characters, or an empty text"),
        ({"names": ["a\nb", ""]}, "Allowed: text without control characters"),
    ],
)
def test_what_is_refused(client, body, message):
    response = client.post("/api/games", json={"environment": TICTACTOE, **body})
    assert response.status_code == 422
    assert message in response.json()["detail"]


def test_only_agents_that_can_be_chosen_are_suggested(client):
    body = {"environment": TICTACTOE, "seats": ["human", "mihe"]}
    message = client.post("/api/games", json=body).json()["detail"]
    assert "Did you mean 'mine'?" in message
    assert "process" not in message
    body["seats"][1] = "mine:depth=3"
    assert "it has none. Choose 'mine'" in client.post("/api/games", json=body).json()["detail"]


@pytest.mark.parametrize("action", [8.5, None, -1, "", [1], 2**40])
def test_an_action_is_a_name_or_a_number(client, action):
    game = begin(client)
    response = client.post(f"/api/games/{game['id']}/moves", json={"action": action})
    assert response.status_code == 422
    assert "Invalid value for action: " in response.json()["detail"]
    assert "Allowed: the name of an action, or its number" in response.json()["detail"]


def test_a_body_that_is_not_json_is_named(client):
    response = client.post("/api/games", content=b'{"environment": ', headers={"Content-Type": "application/json"})
    assert response.status_code == 422
    assert response.json()["detail"].startswith("The body is not JSON: ")


@pytest.mark.parametrize(
    ("content", "type", "message"),
    [
        (b"\xff", "application/json", "not JSON in UTF-8"),
        (b"[" * 30_000, "application/json", "nested too deeply"),
        (b'{"environment": "Nim-v0"}', "text/plain", "the header Content-Type: application/json"),
    ],
)
def test_a_body_that_cannot_be_read_is_refused_as_documented(client, content, type, message):
    response = client.post("/api/games", content=content, headers={"Content-Type": type})
    assert (response.status_code, message in response.json()["detail"]) == (422, True), response.text


@pytest.mark.extended
def test_the_examples_of_the_documentation_are_accepted(client):
    """Swagger fills a body with the example of a schema, or with those of its fields."""
    schemas = client.get("/openapi.json").json()["components"]["schemas"]
    bodies = {"games": schemas["NewGame"]["examples"][0]}
    for path, schema in (("exact", "PositionRequest"), ("analyses", "AnalysisRequest")):
        bodies[path] = {name: field["examples"][0] for name, field in schemas[schema]["properties"].items()}
    for path, body in bodies.items():
        assert client.post(f"/api/{path}", json=body).is_success, body


def test_a_stored_game_without_its_rules_can_be_deleted(server):
    client, app = server
    store = app.state.service._store
    unknown = new_record("Gone-v0", ("human", "human"), 0, "", OWNER, False, tokens=(hash_of(OWNER), ""))
    changed = new_record(TICTACTOE, ("human", "human"), 0, ".../.../... X", OWNER, False, actions=(4, 4))
    for record in (unknown, changed):
        store.add(record)
    for record in (unknown, changed):
        assert [one["id"] for one in client.get("/api/games", params={"owner": OWNER}).json()].count(record.id) == 1
        for method, path in (("GET", ""), ("GET", "/export"), ("POST", "/undo"), ("GET", "?after=0")):
            response = client.request(method, f"/api/games/{record.id}{path}")
            assert response.status_code == 409, response.text
            assert "This server cannot show the game of" in response.json()["detail"]
    assert client.delete(f"/api/games/{unknown.id}").status_code == 403
    headers = {"X-Seat-Token": OWNER}
    assert client.delete(f"/api/games/{unknown.id}", headers=headers).status_code == 204
    assert client.get(f"/api/games/{unknown.id}").status_code == 404
    store.delete(changed)


SEATS = [{"seats": [first, second]} for first in ("human", "mine") for second in ("human", "random")]
MOVES = st.fixed_dictionaries({"action": st.integers(0, 9)}, optional={"ply": st.integers(0, 9)})
REQUESTS = st.one_of(
    st.tuples(st.just("moves"), MOVES),
    st.tuples(st.sampled_from(["undo", "advance"]), st.just({})),
    st.tuples(st.just("resign"), st.fixed_dictionaries({}, optional={"player": st.integers(0, 1)})),
    st.tuples(st.just("seats"), st.sampled_from(SEATS)),
)


@pytest.mark.extended
@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(requests=st.lists(REQUESTS, min_size=1, max_size=25))
def test_a_game_is_consistent_after_any_sequence_of_requests(client, requests):
    """The actions replay to the position, and who may do what follows from it."""
    game = begin(client)
    for what, body in requests:
        send = client.put if what == "seats" else client.post
        assert send(f"/api/games/{game['id']}/{what}", json=body).status_code in (200, 201, 202, 409, 422)
    state = settled(client, game)
    position = ci_envs.Position.start(ci_envs.make(TICTACTOE).game)
    for move in state["moves"]:
        position = position.play(move["number"])
    assert state["position"] == position.to_text()
    assert (position.result is not None) == (state["ending"] == "rules")
    assert state["over"] == (state["ending"] is not None)
    assert not state["legal"] or state["legal"][0]["number"] == position.legal_actions()[0]


def test_nobody_guesses_a_game(client):
    assert client.get("/api/games/" + "a" * 22).status_code == 404
    assert client.get("/api/games/1").status_code == 422


def test_what_is_on_offer(client):
    environments = {one["name"]: one["options"] for one in client.get("/api/environments").json()}
    assert environments["Quixo-v0"] == {"size": 5}
    assert set(environments) >= set(ci_envs.registered())
    offered = {one["name"]: one for one in client.get("/api/agents").json()}
    assert offered["mine"]["purpose"] == "minimax:depth=2"
    assert offered["mcts"]["options"]["exploration"] == 1.0
    assert offered["sb3"]["checkpoints"] == ["connect_four", "quixo", "tictactoe"]
    assert offered["alphazero"]["checkpoints"] == [
        "connect6x6",
        "connect_four",
        "connect_four_32x3",
        "quarto",
        "quixo4",
        "quixo5",
        "quixo5_lines",
        "tictactoe",
    ]
    assert "human" not in offered


@pytest.mark.extended
@pytest.mark.parametrize("environment", ci_envs.registered())
def test_every_offered_agent_begins_and_answers(server, environment):
    """With its defaults, and each of its networks or rules; and so do the opponents of a first game."""
    client, app = server
    found = Offers(app.state.service.catalog).of(environment)
    offers = [offer for offer in found if offer.name not in ("held", "failing", "endless")]
    names = {offer.name for offer in offers}
    assert names >= {"random", "minimax", "mcts", "mine"}
    assert ("exact" in names) == (environment != "Quixo-v0")
    assert ("nim_expert" in names) == (environment == "Nim-v0")
    assert all(field.meaning for offer in offers for field in offer.options)
    specs = {f"{offer.name}:{variant}" for offer in offers for variant in offer.variants}
    specs |= {offer.name for offer in offers if not offer.variants}
    for spec in specs | {agents_of_level(environment, level)[0] for level in LEVELS}:
        game = begin(client, environment, (spec, "human"))
        state = settled(client, game)
        assert (state["agent_error"], state["plies"]) == (None, 1), spec


# -------------------------------------------------------------------------------------------------------- analyses


def events(client, environment, position, agent):
    """``(event, data)`` of a search, as text."""
    about = {"environment": environment, "position": position, "agent": agent}
    with client.stream("GET", "/api/searches", params=about) as response:
        assert response.status_code == 200
        assert response.headers["content-type"].startswith("text/event-stream")
        event = None
        for line in response.iter_lines():
            if line.startswith("event: "):
                event = line.removeprefix("event: ")
            elif line.startswith("data: "):
                yield event, line.removeprefix("data: ")


WON = "XX./OO./... X"


def test_a_search_reports_its_progress(client):
    from json import loads

    heard = [(event, loads(data)) for event, data in events(client, TICTACTOE, ".../.X./... O", "mcts:simulations=400")]
    assert [event for event, _ in heard] == ["analysis"] * (len(heard) - 1) + ["done"]
    counts = [thought["simulations"] for _, thought in heard[:-1]]
    assert counts == sorted(set(counts))
    assert counts[-1] == 400
    last = heard[-2][1]
    assert sum(action["visits"] for action in last["actions"]) == 400
    assert last["tree"][0]["visits"] == max(action["visits"] for action in last["actions"])
    branches = last["tree"]
    assert len(branches) == 8
    assert branches[0]["name"] not in {child["name"] for child in branches[0]["children"]}


@pytest.mark.parametrize("agent", ["mcts:simulations=300", "alphazero:simulations=50", "minimax:depth=3", "mine"])
def test_agents_see_a_win_at_hand(client, agent):
    body = {"environment": TICTACTOE, "position": WON, "agent": agent}
    thought = client.post("/api/analyses", json=body).json()
    assert thought["principal_variation"][0] == "c1"
    values = {action["name"]: action["value"] for action in thought["actions"]}
    assert values["c1"] == max(value for value in values.values() if value is not None)
    if agent != "mine" and not agent.startswith("minimax"):
        assert thought["win_probability"] == 1


@pytest.mark.extended
def test_an_analysis_says_what_the_tables_of_the_agent_contain(client):
    texts = {}
    for position in ("XOOXO/OXXXX/XXOOO/OXXOX/OOXXX X", "...../...../...../...../..... X"):
        body = {"environment": "Quixo-v0", "position": position, "agent": "mcts:simulations=20,exact=included"}
        texts[position[0]] = client.post("/api/analyses", json=body).json()["tables"]
        report = AnalysisReport.model_validate(client.post("/api/analyses", json=body).json())
        assert f"tables: {texts[position[0]]}" in summary_text(report, Position.from_text(Quixo(), position))
    assert texts["X"] in ("won", "drawn", "lost")
    assert texts["."] == "no value: the position has 0 cubes, and the tables need at least 24"
    body = {"environment": TICTACTOE, "position": WON, "agent": "mcts:simulations=20"}
    assert client.post("/api/analyses", json=body).json()["tables"] is None


def test_exact_values(client):
    found = client.post("/api/exact", json={"environment": TICTACTOE, "position": WON}).json()
    assert {one["name"]: one["value"] for one in found} == {"c1": 1, "c2": 0, "a3": -1, "b3": -1, "c3": -1}
    assert next(one["plies"] for one in found if one["name"] == "c1") == 1
    large = {"environment": "Quixo-v0", "position": "/".join(["....."] * 5) + " X"}
    assert client.post("/api/exact", json=large).json() == []


def test_exact_values_of_the_default_m_n_k_game_are_those_found_within_the_limit(client):
    game = ci_envs.make("ConnectN-v0").game
    positions = [Position.start(game)]
    for name in ("c3", "a1", "d4", "f6", "b5", "e2", "c5"):
        positions.append(positions[-1].play(name))
    found = []
    for position in positions:
        question = {"environment": "ConnectN-v0", "position": position.to_text()}
        values = {one["number"]: one["value"] for one in client.post("/api/exact", json=question).json()}
        scores = solve(game).grading_scores(np.array([[position.own, position.opp]], np.uint64))[0]
        assert values == {action: scores[action] for action in position.legal_actions() if scores[action] != NO_SCORE}
        found.append(bool(values))
    assert not all(found)
    assert any(found)


@pytest.mark.extended
def test_exact_plays_the_default_m_n_k_game():
    assert Catalog().agent("exact", ConnectN(6, 6, 4)).game == ConnectN(6, 6, 4)
    with pytest.raises(ValueError, match="'exact' can take minutes for a move of"):
        Catalog().agent("exact", ConnectN(8, 8, 5))


def test_solving_that_takes_too_long_is_stopped(client, monkeypatch):
    question = {"environment": TICTACTOE, "position": "X../.O./... X"}
    assert len(client.post("/api/exact", json=question).json()) == 7
    monkeypatch.setattr("ci_envs.web.analysis_service._EXACT_SECONDS", 0.0)
    assert client.post("/api/exact", json=question).json() == []


@pytest.mark.parametrize(
    ("position", "agent", "message"),
    [
        ("XXX/OO./... O", "mcts", "the game is over"),
        (WON, "random", "agent random cannot analyse"),
        (WON, "mcts:simulations=99999", "simulations must be"),
        ("?", "mcts", "is not a position of"),
    ],
)
def test_positions_that_cannot_be_analysed(client, position, agent, message):
    body = {"environment": TICTACTOE, "position": position, "agent": agent}
    for response in (client.post("/api/analyses", json=body), client.get("/api/searches", params=body)):
        assert response.status_code == 422
        assert message in response.json()["detail"]


def test_disconnecting_cancels_an_analysis(server):
    client, app = server
    about = {"environment": TICTACTOE, "position": WON, "agent": "endless"}
    with pytest.raises(httpx.ReadTimeout):
        httpx.post(f"{client.base_url}/api/analyses", json=about, timeout=0.5)
    wait_until(lambda: app.state.analyses.running == 0)


def test_disconnecting_ends_a_search_and_too_many_searches_are_refused(server):
    client, app = server
    about = {"environment": TICTACTOE, "position": WON, "agent": "endless"}
    with ExitStack() as streams, other_client(client) as other:
        for one, count, status in ((client, 10, 429), (other, 6, 503)):
            for _ in range(count):
                stream = one.stream("GET", "/api/searches", params=about)
                assert streams.enter_context(stream).status_code == 200
            refused = one.get("/api/searches", params=about)
            assert (refused.status_code, refused.headers["retry-after"]) == (status, "1")
            assert "searches running" in refused.json()["detail"]
    wait_until(lambda: app.state.analyses.running == 0)


# ----------------------------------------------------------------------------------------------------- as a process


@pytest.mark.extended
def test_a_killed_server_resumes_every_game(tmp_path):
    port, path = free_port(), tmp_path / "folder" / "games.sqlite"
    with process(path, port) as (client, running):
        people, owing = begin(client), begin(client, seats=("human", "mcts:simulations=20000"))
        play(client, people, "b2")
        before = play(client, people, "a1")
        second = [sys.executable, "-m", "ci_envs", "serve", "--port", str(port), "--games", str(tmp_path / "other")]
        refused = subprocess.run(second, check=False, capture_output=True, text=True, timeout=120)
        assert (refused.returncode, refused.stdout) == (2, "")  # no address
        assert f"Port {port} of 127.0.0.1 cannot be used: Address already in use" in refused.stderr
        play(client, owing, "b2")  # and the agent has no time to answer
        running.kill()
        running.wait()
    with process(path, port) as (client, _):
        assert read(client, people) == before
        assert answered(client, owing, 2)["moves"][0]["name"] == "b2"


# ------------------------------------------------------------------------------------------------- random requests


OPERATIONS = [
    ("GET", "/environments"),
    ("GET", "/agents"),
    ("POST", "/games"),
    ("POST", "/games/import"),
    ("GET", "/games"),
    ("GET", "/games/{id}"),
    ("POST", "/games/{id}/moves"),
    ("POST", "/games/{id}/advance"),
    ("POST", "/games/{id}/undo"),
    ("POST", "/games/{id}/proposals"),
    ("DELETE", "/games/{id}/proposals"),
    ("POST", "/games/{id}/resign"),
    ("PUT", "/games/{id}/seats"),
    ("POST", "/games/{id}/seats/{player}/take"),
    ("POST", "/games/{id}/seats/{player}/free"),
    ("DELETE", "/games/{id}"),
    ("GET", "/games/{id}/export"),
    ("GET", "/searches"),
    ("POST", "/analyses"),
    ("POST", "/exact"),
]


@pytest.fixture
def schema(tmp_path):
    path, hosts = tmp_path / "games.sqlite", AllowedHosts.of("testserver")
    app = create_app(path, workers=1, hosts=hosts, limits=UNLIMITED, fork_server=FORK_SERVER)

    def is_checked():
        """Whether the agent of the examples is known; its first process imports all agents, and is busy until then."""
        with suppress(BusyError):
            return app.state.service.agents.check("", ConnectN(3, 3, 3), "mcts:simulations=1000")

    wait_until(is_checked)
    return schemathesis.openapi.from_asgi("/openapi.json", app)


@pytest.mark.extended
def test_no_input_breaks_it(schema):
    """Every answer is one that the OpenAPI document promises, whatever is sent.

    One test for all operations, because Schemathesis stops the server at the end of a test, for good.
    """
    known = {(operation.ok().method.upper(), operation.ok().path) for operation in schema.get_all_operations()}
    assert known == {(method, f"/api{path}") for method, path in OPERATIONS}
    for method, path in OPERATIONS:

        @settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
        @given(case=schema[f"/api{path}"][method].as_strategy())
        def ask(case):
            response = case.call(timeout=120)  # the first request imports all agents
            # the document cannot know every rule
            case.validate_response(response, excluded_checks=[positive_data_acceptance])

        ask()
