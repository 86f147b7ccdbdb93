"""Attacks on the server, as it is started by ``ci-envs serve``: each is refused with a status code and one sentence."""

import http.client
import json
import re
import socket
import threading
import time
import traceback
from dataclasses import replace
from functools import partial
from http.server import BaseHTTPRequestHandler, HTTPServer
from secrets import token_hex

import pytest
import sqlalchemy
from serving import (
    NEEDS_CHROMIUM,
    STOPPED_TIME,
    UNLIMITED,
    chromium,
    free_port,
    limit_pages,
    new_client,
    other_client,
    post_when_free,
    process,
    served,
    wait_until,
)
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from ci_envs.registry.agents import AGENTS
from ci_envs.web.body_limit import MAX_BODY
from ci_envs.web.catalog import Catalog
from ci_envs.web.fair_pool import FairPool
from ci_envs.web.game_service import GameService
from ci_envs.web.guard import AllowedHosts
from ci_envs.web.limits import ClientLimits, client_of, current_client
from ci_envs.web.store import StorageError, Store, UnknownGameError, new_record

GAME = {"environment": "TicTacToe-v0"}
SOCKET = "/_nicegui_ws/socket.io/?EIO=4&transport=websocket"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    path = tmp_path_factory.mktemp("attacks") / "games.sqlite"
    options = "--allow-host", "games.example.org"
    with process(path, free_port(), *options, stopped_clock=True) as (client, _):
        yield client, path


@pytest.fixture
def client(server):
    return server[0]


def refused(response, status, words):
    """Check that the response is JSON with one or a few short sentences."""
    assert response.status_code == status, response.text
    assert set(response.json()) == {"detail"}
    detail = response.json()["detail"]
    assert words in detail
    assert detail.endswith(".")
    assert "Traceback" not in detail
    assert "\n" not in detail
    assert len(detail) < 300


def port_of(client):
    return client.base_url.port


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "http://127.0.0.1"},  # another port is another origin
        {"Origin": "http://localhost:{port}"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:{port}.evil.example"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "cross-site", "Origin": "http://127.0.0.1:{port}"},
    ],
)
def test_requests_from_another_site_are_refused(client, headers):
    headers = {name: value.format(port=port_of(client)) for name, value in headers.items()}
    words = "Another web site sent this request"
    refused(client.post("/api/games", json=GAME, headers=headers), 403, words)
    form = {**headers, "Content-Type": "text/plain"}
    refused(client.post("/api/games", content=json.dumps(GAME), headers=form), 403, words)
    refused(client.post("/", data={"a": "b"}, headers=headers), 403, words)
    refused(client.get("/api/searches", params={**GAME, "agent": "mcts"}, headers=headers), 403, words)
    polling = "/_nicegui_ws/socket.io/?EIO=4&transport=polling"
    refused(client.get(polling, headers=headers), 403, words)
    assert client.get("/", headers=headers).status_code == 200  # a link to the page


@pytest.mark.parametrize(
    "spec",
    [
        "process:touch {file}",
        'process:"touch {file}",move_seconds=1',
        "text:touch {file}",
        "{module}",
        "{module}:agent",
        "attack:agent",
        "sb3:{file}",
        "sb3:{file},trust=true",
        "os:getcwd",
    ],
)
def test_strangers_cannot_name_programs_modules_or_files(client, tmp_path, monkeypatch, spec):
    made, module = tmp_path / "made", tmp_path / "attack.py"
    module.write_text(f"open({str(made)!r}, 'w')\ndef agent(observation):\n    return 0\n")
    monkeypatch.syspath_prepend(tmp_path)
    agent = spec.format(file=made, module=module)
    for body in ({**GAME, "seats": ["human", agent]}, {**GAME, "seats": [agent, agent]}):
        assert post_when_free(client, "/api/games", body).status_code in (400, 422)
    about = {"environment": "TicTacToe-v0", "position": ".../.../... X", "agent": agent}
    assert client.post("/api/analyses", json=about).status_code in (400, 404, 405, 422)
    for environment in (f"{module}:Game", "attack:Game", "attack:Game-v0"):
        assert client.post("/api/games", json={**GAME, "environment": environment}).status_code in (400, 404, 422)
    assert not made.exists()


def test_agents_that_need_what_strangers_cannot_set_are_not_offered():
    for name in set(AGENTS.names()) & set(Catalog().agent_names()):
        options = AGENTS.options(AGENTS.find(name)).values()
        assert all(option.declared.untrusted for option in options if option.is_required), name


def test_the_own_page_may_do_it(client):
    own = {"Origin": f"http://127.0.0.1:{port_of(client)}", "Sec-Fetch-Site": "same-origin"}
    assert client.post("/api/games", json=GAME, headers=own).status_code == 201
    proxied = {"Host": "games.example.org", "Origin": "https://games.example.org"}
    assert client.post("/api/games", json=GAME, headers=proxied).status_code == 201


def test_the_socket_is_for_the_own_page(client):
    port = port_of(client)
    with connect(f"ws://127.0.0.1:{port}{SOCKET}", origin=f"http://127.0.0.1:{port}") as socket:
        assert socket.recv().startswith("0{")  # the first packet of the protocol
    for origin in ("http://evil.example", "null", f"http://127.0.0.1:{port + 1}"):
        with pytest.raises(InvalidStatus) as error:
            connect(f"ws://127.0.0.1:{port}{SOCKET}", origin=origin)
        assert error.value.response.status_code == 403
        assert b"Another web site sent this request" in error.value.response.body
    with pytest.raises(InvalidStatus) as error:
        connect(f"ws://127.0.0.1:{port}{SOCKET}", additional_headers={"Host": "evil.example"})
    assert error.value.response.status_code == 400


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:{port}", "127.0.0.1.evil.example", "10.0.0.1", "a@127.0.0.1", "localhost.", ""],
)
def test_a_name_that_is_not_the_servers_is_refused(client, host):
    host = host.format(port=port_of(client))
    for path in ("/", "/api/environments", "/docs"):
        refused(client.get(path, headers={"Host": host}), 400, "Unknown host")


@pytest.mark.parametrize("host", ["localhost", "LocalHost:{port}", "[::1]:{port}", "127.0.0.1", "games.example.org"])
def test_the_servers_names_are_allowed(client, host):
    assert client.get("/api/environments", headers={"Host": host.format(port=port_of(client))}).status_code == 200


def test_a_server_for_all_addresses_is_reached_by_any_address_but_not_by_any_name():
    hosts = AllowedHosts.of("0.0.0.0", ["Board.Local"])
    assert all(map(hosts.allows, ("192.168.1.5:8080", "[2001:db8::1]:80", "localhost", "board.local:8080")))
    assert not any(map(hosts.allows, ("evil.example", "192.168.1.5.evil.example", "[::1]x", "1.2.3.4, evil", "")))
    assert AllowedHosts.of("192.168.1.5").allows("192.168.1.5:8080")
    assert not AllowedHosts.of("192.168.1.5").allows("192.168.1.6:8080")
    with pytest.raises(ValueError, match=r"'a\.example:80' is not a host name"):
        AllowedHosts.of("localhost", ["a.example:80"])


def test_every_answer_forbids_frames(client):
    for path in ("/", "/docs", "/api/environments", "/api/nothing", "/nothing"):
        headers = client.get(path).headers
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "same-origin"


def test_the_documentation_of_the_interface_needs_no_internet(client):
    page = client.get("/docs").text
    addresses = re.findall(r"""(?:src|href)=["']([^"']+)""", page)
    assert len(addresses) >= 3
    for address in addresses:
        assert address.startswith("/")
        assert client.get(address).status_code == 200
    assert "https://" not in page


class EvilPage(BaseHTTPRequestHandler):
    """Attacks the server that the query names, and stores the result in ``window.found``."""

    PAGE = """<!doctype html><iframe src="TARGET/"></iframe>
    <form method="post" enctype="text/plain" action="TARGET/api/games">
      <input name='{"environment":"TicTacToe-v0","owner":"' value='x"}'>
    </form>
    <script>
      found = {};
      fetch("TARGET/api/games", {method: "POST", mode: "no-cors", body: '{"environment":"TicTacToe-v0"}'})
        .finally(() => { found.fetch = true; });
      const address = "TARGET".replace("http", "ws");
      const socket = new WebSocket(address + "/_nicegui_ws/socket.io/?EIO=4&transport=websocket");
      socket.onopen = () => { found.socket = "open"; };
      socket.onerror = () => { found.socket = "refused"; };
    </script>"""

    def do_GET(self):
        body = self.PAGE.replace("TARGET", self.path.partition("?")[2]).encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@NEEDS_CHROMIUM
def test_a_page_of_another_site_in_a_browser(server):
    """The page on another port is in the same site as the server, which is the hardest case."""
    client, path = server
    evil = HTTPServer(("127.0.0.1", 0), EvilPage)
    threading.Thread(target=evil.serve_forever).start()
    before = games_in(path)
    try:
        with chromium() as browser:
            page = browser.new_page()
            target = str(client.base_url)
            page.goto(f"http://127.0.0.1:{evil.server_port}/?{target}")
            page.wait_for_function("window.found.fetch && window.found.socket")
            assert page.evaluate("window.found.socket") == "refused"
            assert not page.frames[1].locator("main").count()
            with page.expect_navigation():
                page.evaluate("document.forms[0].submit()")
            assert "Another web site sent this request" in page.content()
    finally:
        evil.shutdown()
        evil.server_close()
    assert games_in(path) == before


def games_in(path):
    import sqlite3
    from contextlib import closing

    with closing(sqlite3.connect(path)) as connection:
        return connection.execute("SELECT count(*) FROM games").fetchone()[0]


def test_a_huge_body_is_refused_before_it_is_read(client):
    """Nothing of the 60 MB is sent: the answer comes after the headers."""
    connection = http.client.HTTPConnection("127.0.0.1", port_of(client), timeout=10)
    connection.putrequest("POST", "/api/games")
    connection.putheader("Content-Type", "application/json")
    connection.putheader("Content-Length", str(60 * 2**20))
    connection.endheaders()
    response = connection.getresponse()
    assert response.status == 413
    assert json.loads(response.read()) == {"detail": "The body is too large. The limit is 65,536 bytes."}
    assert response.getheader("connection") == "close"
    connection.close()


def test_a_huge_body_of_unknown_length_is_not_read_to_its_end(client):
    sent = []

    def chunks():
        for _ in range(60 * 2**4):
            sent.append(None)
            yield b" " * 2**16

    refused(client.post("/api/games", content=chunks()), 413, "The body is too large")
    assert len(sent) < 200


def test_bodies_up_to_the_limit_are_read(client):
    body = json.dumps(GAME).encode().ljust(MAX_BODY)
    headers = {"Content-Type": "application/json"}
    assert client.post("/api/games", content=body, headers=headers).status_code == 201
    assert client.post("/api/games", content=iter([body[:99], body[99:]]), headers=headers).status_code == 201
    refused(client.post("/api/games", content=body + b" ", headers=headers), 413, "The body is too large")
    refused(client.post("/api/games", content=iter([body, b" "]), headers=headers), 413, "The body is too large")


def test_nobody_else_reads_the_games(server):
    _, path = server
    files = [path, *(path.with_name(f"{path.name}-{end}") for end in ("wal", "shm"))]
    assert [file.stat().st_mode & 0o777 for file in files] == [0o600] * 3


@pytest.mark.parametrize(
    "beginning",
    [
        b"",
        b"GET /api/environments HTTP/1.1\r\nHost: 127.0.0.1\r\nX-",
        b"POST /api/games HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 40\r\n\r\n{",
        b"POST /api/games HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
        b"GET /api/environments HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\nGET /api/en",
    ],
)
def test_an_incomplete_request_has_a_time_limit(tmp_path, monkeypatch, beginning):
    """Further bytes do not extend it. A complete request that is answered late is not affected."""
    monkeypatch.setattr("ci_envs.web.timed_protocol.REQUEST_SECONDS", 0.7)
    with served(tmp_path / "games.sqlite") as (client, _):
        with socket.create_connection(("127.0.0.1", port_of(client)), timeout=10) as connection:
            connection.sendall(beginning)
            time.sleep(0.4)
            connection.sendall(b"a" if beginning else b"")
            while connection.recv(4096):
                pass
        game = client.post("/api/games", json={**GAME, "seats": ["random", "human"]}).json()
        assert client.get(f"/api/games/{game['id']}", params={"after": 0}).json()["plies"] == 1


INVALID_PACKETS = [
    *("", "9", "x", "4", "4{", "42", "42[", "42[]", '42["x"', "42{}", "42[1]", "49", "43", "451-[", "4" + "9" * 200),
    *('42["handshake"]', '42["handshake",1]', '42["handshake",{"client_id":[]}]', '42["event",{}]', '42["event","a"]'),
    *('42["log",{"client_id":"a","level":"error","message":"x"}]', '42["x",{}]', '42["ack",{"client_id":"a"}]'),
    *('42["event",{"client_id":"a","id":1,"listener_id":"b","args":["{"]}]', "42" + "[" * 9000, b"\x00", "40{", "40/x"),
    '42["event",{"client_id":"a","id":1,"listener_id":"b","args":[1]}]',
]


def test_malformed_packets_close_the_socket_and_write_no_traceback(tmp_path, capfd):
    with process(tmp_path / "games.sqlite", free_port()) as (client, _):
        origin = f"http://127.0.0.1:{port_of(client)}"
        for packet in INVALID_PACKETS:
            with connect(origin.replace("http", "ws") + SOCKET, origin=origin) as socket:
                socket.recv()
                socket.send("40")
                socket.recv()
                socket.send(packet)
                with pytest.raises(ConnectionClosed) as error:
                    socket.recv(5)
                assert error.value.rcvd.code == 1007
        refused(client.get("/_nicegui_ws/socket.io/?EIO=4&transport=polling"), 400, "need a WebSocket")
    assert capfd.readouterr().err == ""


def test_a_full_disk_is_reported_and_nothing_is_lost(tmp_path, caplog):
    """SQLite gives the same error at its own limit of pages."""
    with served(tmp_path / "games.sqlite") as (client, app):
        engine = app.state.service._store._engine
        game = begin(client, "human", "random")
        client.post(f"/api/games/{game['id']}/moves", json={"action": "a1"})
        before = client.get(f"/api/games/{game['id']}", params={"after": 1}).json()
        sqlalchemy.event.listen(engine, "connect", limit_pages)
        engine.dispose()
        full = "The server cannot read or store games now: database or disk is full."
        wait_until(lambda: client.post("/api/games", json=GAME).status_code == 503)
        refused(client.post("/api/games", json=GAME), 503, full)
        sqlalchemy.event.remove(engine, "connect", limit_pages)
        engine.dispose()
        after = client.get(f"/api/games/{game['id']}").json()
        assert [after[name] for name in ("moves", "position")] == [before[name] for name in ("moves", "position")]
        assert client.post(f"/api/games/{game['id']}/resign", json={}).json()["ending"] == "resigned"
    assert not caplog.records


def test_an_error_of_the_file_has_no_values_of_games(tmp_path):
    """An error with the statement would have the address, the owner and the hashes of the tokens."""
    store, owner, address = Store(tmp_path / "games.sqlite"), token_hex(), token_hex()
    with store._engine.begin() as connection:
        connection.execute(sqlalchemy.text("DROP TABLE games"))
    with pytest.raises(StorageError, match="no such table: games") as error:
        store.add(new_record("TicTacToe-v0", ("human", "human"), 1, "...", owner, False, client=address))
    text = "".join(traceback.format_exception(error.value))
    assert not any(secret in text for secret in (owner, address, "INSERT"))


PATHS = ["/%2e%2e/%2e%2e/etc/passwd", "/_nicegui/../../etc/passwd", "//etc/passwd", "/game/..%2f", "//evil.example/"]


@pytest.mark.parametrize("path", PATHS)
def test_no_path_leads_to_files_or_to_other_sites(client, path):
    connection = http.client.HTTPConnection("127.0.0.1", port_of(client), timeout=10)
    connection.request("GET", path)
    response = connection.getresponse()
    assert b"root:" not in response.read()
    assert response.status in (200, 307, 404)  # 200 is the page that says that there is no such game
    assert response.getheader("location", str(client.base_url)).startswith(str(client.base_url))
    connection.close()


# ------------------------------------------------------------------------------------------------------------- seats


@pytest.fixture
def stranger(client):
    with new_client(client.base_url) as stranger:
        yield stranger


def begin(client, *seats):
    response = client.post("/api/games", json={**GAME, "seats": list(seats)})
    assert response.status_code == 201
    return response.json()


def calls(game):
    """Everything that changes a game."""
    url = f"/api/games/{game['id']}"
    return [
        ("POST", f"{url}/moves", {"action": "a1"}),
        ("POST", f"{url}/undo", None),
        ("POST", f"{url}/proposals", {"kind": "draw"}),
        ("DELETE", f"{url}/proposals", None),
        ("POST", f"{url}/resign", {}),
        ("POST", f"{url}/resign", {"player": 1}),
        ("POST", f"{url}/advance", None),
        ("PUT", f"{url}/seats", {"seats": ["random", "random"]}),
        ("POST", f"{url}/seats/0/free", None),
        ("DELETE", url, None),
    ]


@pytest.mark.parametrize("seats", [("human", "human"), ("human", "random"), ("random", "random")])
def test_a_client_without_a_seat_can_only_watch(client, stranger, seats):
    game = begin(client, *seats)
    other = begin(stranger, "human", "human")
    for method, path, body in calls(game):
        for token in (None, "", "x" * 22, ",".join(other["seat_tokens"])):
            response = stranger.request(method, path, json=body, headers={"X-Seat-Token": token} if token else {})
            if seats[0] == "random" and path.endswith("moves"):
                assert response.status_code == 409  # it is nobody's turn but the agent's
            else:
                refused(response, 403, "You can only watch.")
    state = stranger.get(f"/api/games/{game['id']}").json()
    assert (state["plies"], state["ending"], state["seats"]) == (0, None, list(seats))
    assert not set(game["seat_tokens"]) & set(re.findall(r"[\w-]{22}", str(state)))


def test_each_token_is_for_its_seat(client, stranger):
    """The client that created the game sends no cookie here, only one token at a time."""
    game = begin(client, "human", "human")
    url = f"/api/games/{game['id']}"
    first, second = ({"X-Seat-Token": token} for token in game["seat_tokens"])

    def post(what, headers, status, body=None):
        response = stranger.post(f"{url}/{what}", json=body, headers=headers)
        assert response.status_code == status, response.text

    post("moves", second, 403, {"action": "a1"})
    post("moves", first, 201, {"action": "a1"})
    post("moves", first, 403, {"action": "b1"})
    post("undo", second, 409)  # the second player has no move to take back
    post("moves", second, 201, {"action": "b1"})
    post("undo", first, 200)
    assert stranger.get(url).json()["plies"] == 2  # until the second player agrees
    post("undo", second, 200)
    assert stranger.get(url).json()["plies"] == 0
    post("moves", first, 201, {"action": "a1"})
    post("resign", first, 403, {"player": 1})
    refused(stranger.put(f"{url}/seats", json={"seats": ["human", "random"]}, headers=first), 403, "player 1's seat")
    refused(stranger.delete(url, headers=first), 403, "player 1's seat")
    post("resign", second, 200, {})
    assert stranger.get(url).json()["winner"] == 0
    post("undo", first, 200)
    assert stranger.get(url).json()["winner"] == 0
    both = {"X-Seat-Token": ", ".join(game["seat_tokens"])}
    assert stranger.delete(url, headers=both).status_code == 204
    assert stranger.get(url).status_code == 404


def test_a_free_seat_is_taken_once(client, stranger):
    game = begin(client, "human", "human")
    url = f"/api/games/{game['id']}"
    refused(stranger.post(f"{url}/seats/1/take"), 409, "The seat of player 1 is taken.")
    assert client.post(f"{url}/seats/1/free").json()["free_seats"] == [1]
    taken = stranger.post(f"{url}/seats/1/take")
    assert taken.status_code == 201
    assert taken.json()["seat_token"] not in game["seat_tokens"]
    refused(client.post(f"{url}/seats/1/take"), 409, "The seat of player 1 is taken.")
    assert client.post(f"{url}/moves", json={"action": "a1"}).status_code == 201
    refused(client.post(f"{url}/moves", json={"action": "b1"}), 403, "player 1's seat")
    assert stranger.post(f"{url}/moves", json={"action": "b1"}).status_code == 201  # by the cookie
    against = begin(client, "human", "random")
    refused(client.post(f"/api/games/{against['id']}/seats/1/free"), 409, "An agent has the seat")


def test_the_cookie_of_a_game_is_for_this_game_and_no_script(client):
    response = client.post("/api/games", json=GAME)
    cookie = response.headers["set-cookie"]
    assert f"Path=/api/games/{response.json()['id']}" in cookie
    assert {"HttpOnly", "SameSite=strict"} <= set(cookie.split("; "))


def test_the_file_has_no_tokens(server):
    client, path = server
    game = begin(client, "human", "human")
    kept = path.read_bytes() + path.with_name(f"{path.name}-wal").read_bytes()
    assert game["id"].encode() in kept
    assert not any(token.encode() in kept for token in game["seat_tokens"])


# ------------------------------------------------------------------------------------------------------------ limits


@pytest.fixture
def stopped_clock(monkeypatch):
    """Stop the clock of the servers in this process, so that all requests are in one window of the limits."""
    monkeypatch.setattr(time, "time", lambda: STOPPED_TIME)


@pytest.mark.parametrize("attempts", [620, pytest.param(10_000, marks=pytest.mark.slow)])
@pytest.mark.usefixtures("stopped_clock")
def test_a_client_that_floods_the_server_locks_nobody_out(tmp_path, attempts):
    """With the limits as they are: 200 unfinished games, and 600 attempts in an hour."""
    with served(tmp_path / "games.sqlite", limits=ClientLimits()) as (client, _), other_client(client) as other:
        answers = [client.post("/api/games", json=GAME) for _ in range(attempts)]
        statuses = [answer.status_code for answer in answers]
        assert statuses == [201] * 200 + [429] * (attempts - 200)
        refused(answers[200], 429, "You have 200 unfinished games.")
        refused(answers[-1], 429, "This client sends too many requests.")
        assert 1 <= int(answers[-1].headers["retry-after"]) <= 3600
        assert other.post("/api/games", json=GAME).status_code == 201
    with served(tmp_path / "other.sqlite", limits=replace(UNLIMITED, client_new_games=2)) as (client, _):
        game = client.post("/api/games", json=GAME).json()
        exported = client.get(f"/api/games/{game['id']}/export").json()
        assert [client.post("/api/games/import", json=exported).status_code for _ in range(2)] == [201, 429]


@pytest.mark.usefixtures("stopped_clock")
def test_all_clients_together_have_limits(tmp_path):
    limits = replace(UNLIMITED, client_games=2, games=3)
    with served(tmp_path / "games.sqlite", limits=limits) as (client, _), other_client(client) as other:
        assert [client.post("/api/games", json=GAME).status_code for _ in range(3)] == [201, 201, 429]
        assert [other.post("/api/games", json=GAME).status_code for _ in range(2)] == [201, 503]
        refused(other.post("/api/games", json=GAME), 503, "The server has 3 unfinished games")
    with served(tmp_path / "games.sqlite", limits=replace(UNLIMITED, requests=3)) as (client, _):
        assert [client.get("/api/environments").status_code for _ in range(4)] == [200, 200, 200, 503]
    with served(tmp_path / "games.sqlite", limits=replace(UNLIMITED, client_requests=21)) as (client, _):
        assert [client.get(path).status_code for path in ("/docs", "/docs", "/docs")] == [200, 200, 429]  # 10 each
        assert client.get("/api/environments").status_code == 200


def test_a_pool_serves_clients_in_turn():
    pool, served_jobs, begin = FairPool(1, "test"), [], threading.Event()
    pool.submit("first", begin.wait)
    for client, count in (("greedy", 3), ("modest", 1), ("other", 2)):
        for _ in range(count):
            pool.submit(client, lambda client=client: served_jobs.append(client))
    begin.set()
    wait_until(lambda: len(served_jobs) == 6)
    pool.close()
    assert served_jobs == ["greedy", "modest", "other", "greedy", "other", "greedy"]


@pytest.mark.parametrize(
    ("address", "client"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2:ffff::1", "2001:db8:1:2::/64"),
    ],
)
def test_a_client_is_an_address_or_a_network(address, client):
    assert client_of({"client": (address, 1)}) == client


def test_abandoned_games_expire(tmp_path):
    store = Store(tmp_path / "games.sqlite")
    service = GameService(store, Catalog(), workers=1)
    current_client.set("somebody")
    create = partial(service.create, "TicTacToe-v0", ("human", "human"))
    untouched, begun, finished = (create(tokens=("a", "b")).record.id for _ in range(3))
    service.play(begun, "a1", tokens=("a",))
    service.resign(finished, tokens=("a",))
    now, day = time.time(), 24 * 3600
    assert store.count_unfinished(now - 60) == store.count_unfinished(now - 60, "somebody") == 2
    assert store.count_unfinished(now - 60, "else") == store.count_unfinished(now + 60) == 0
    assert (store.expire(now), store.expire(now + 0.9 * day), store.expire(now + 1.1 * day)) == (0, 0, 1)
    with pytest.raises(UnknownGameError):
        service.get(untouched)
    assert (store.expire(now + 13 * day), store.expire(now + 15 * day), store.expire(now + 999 * day)) == (0, 1, 0)
    assert service.get(finished).ending == "resigned"
    service.close()
    store.close()


def test_a_client_cannot_choose_its_address(client):
    """The last test: afterwards the server refuses this client, whatever its address claims to be."""
    connection, statuses = http.client.HTTPConnection("127.0.0.1", port_of(client), timeout=10), set()
    for number in range(1250):
        connection.request("GET", "/api/nothing", headers={"X-Forwarded-For": f"10.0.{number // 250}.{number % 250}"})
        response = connection.getresponse()
        response.read()
        statuses.add(response.status)
        if response.status == 429:
            connection.close()
            break
    assert statuses == {404, 429}
    refused(client.get("/"), 429, "This client sends too many requests. Retry in")
    with other_client(client) as other:
        assert other.post("/api/games", json=GAME).status_code == 201
