"""The page, by clicking: what the browser does against the service's record of the game."""

import json
import re
from base64 import b64encode
from contextlib import suppress
from datetime import date
from io import BytesIO
from itertools import chain
from pathlib import Path
from urllib.parse import quote

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from itsdangerous import TimestampSigner
from nicegui import Client
from PIL import Image
from playwright.sync_api import Error, TimeoutError, expect
from served_agents import Held, Slow
from serving import NEEDS_CHROMIUM, SECRET, chromium, free_port, process, registered_until_the_end, served, wait_until

import ci_envs
from ci_envs.agent_interface.decision import decide
from ci_envs.agent_interface.making import make_agent
from ci_envs.guides import guide_of
from ci_envs.picture import show
from ci_envs.registry.games import registered
from ci_envs.web.catalog import Catalog
from ci_envs.web.clock import Clock
from ci_envs.web.hosted_game import History
from ci_envs.web.offers import Offers
from ci_envs.web.puzzles import make_puzzle, seed_of
from ci_envs.web.schemas import Export
from ci_envs.web.seats import hash_of
from ci_envs.web.store import StorageError, Store, new_record

ENABLED = "[data-region]:not([aria-disabled=true])"
VISITOR = "the browser of the test"
SCREEN = {"width": 1280, "height": 720}
MARKED = '"><b class=marked>&amp;'
BEST = "#109648"

pytestmark = NEEDS_CHROMIUM

expect.set_options(timeout=60_000)  # rules may have to be compiled first

GAMES = [
    "TicTacToe-v0",
    "ConnectN-v0:rows=4,cols=4,n=3,gravity=true",
    "Quixo-v0:size=3",
    "Nim-v0:heaps=2,3,4,max_take=2,misere=true",
    "Quarto-v0",
]


WINNING = dict(zip(GAMES, ("exact", "exact", "minimax:depth=4", "exact", "minimax:depth=2"), strict=True))
"""The agent of the test that beats random in each game."""


SMALL_TARGETS = """() => [...document.querySelectorAll('a, button, [role=switch], [role=combobox]')]
    .filter((one) => one.getClientRects().length)
    .map((one) => [one.textContent, one.getBoundingClientRect()])
    .filter(([, box]) => box.width < 44 || box.height < 44)
    .map(([text, box]) => `${text}: ${box.width} x ${box.height}`)"""
"""What is smaller than 44 px in the page, in words."""


@pytest.fixture(scope="module", autouse=True)
def _agents_of_the_test():
    with registered_until_the_end(slow=Slow, held=Held):
        yield


@pytest.fixture(scope="module")
def browser():
    with chromium() as browser:
        yield browser


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with served(tmp_path_factory.mktemp("page") / "games.sqlite", pages=True, workers=2) as served_here:
        yield served_here


@pytest.fixture(scope="module")
def context(browser):
    """A browser that keeps the files of the page, so that it loads them once."""
    with browser.new_context(viewport=SCREEN) as context:
        context.set_default_timeout(60_000)
        yield context


@pytest.fixture(scope="module")
def loaded(context):
    """A page that all visitors use after each other, because a new one loads the scripts again, for half a second."""
    return context.new_page()


@pytest.fixture
def page(request, context):
    """A page of a new visitor. A test with the mark ``new_page`` has one of its own, which it can prepare."""
    own = request.node.get_closest_marker("new_page")
    page, wrong = context.new_page() if own else request.getfixturevalue("loaded"), []

    def note(error):
        wrong.append(str(error))

    page.on("pageerror", note)
    yield page
    page.remove_listener("pageerror", note)
    with suppress(Error):  # an empty page has no storage
        page.evaluate("localStorage.clear()")
    if own:
        page.close()
    else:
        page.set_viewport_size(SCREEN)
        page.emulate_media(color_scheme="null")
    context.clear_cookies()
    context.clear_permissions()
    assert not wrong


@pytest.fixture
def game(server, page):
    """Begins a game and opens its page."""
    client, app = server

    def begin(environment="TicTacToe-v0", seats=("human", "human"), tokens=(VISITOR, VISITOR), **more):
        hosted = app.state.service.create(environment, seats, tokens=tokens, **more)
        page.context.add_cookies([{"name": "session", "value": session(VISITOR), "url": str(client.base_url)}])
        visit(page, f"{client.base_url}/game/{hosted.record.id}")
        return lambda: app.state.service.get(hosted.record.id)

    return begin


def session(visitor):
    """The cookie of a browser that the pages know by this id."""
    return TimestampSigner(SECRET).sign(b64encode(json.dumps({"id": visitor}).encode())).decode()


def visit(page, address):
    page.goto(address)
    page.wait_for_function("window.did_handshake")  # before that NiceGUI loses what is clicked


def region(page, name):
    return page.locator(f'[data-region="{name}"]')


def click(page, *names):
    for name in names:
        region(page, name).click()


def regions(page):
    """Those that a click plays in."""
    return set(page.locator(ENABLED).evaluate_all("all => all.map((one) => one.dataset.region)"))


def can_click(page, names):
    wait_until(lambda: regions(page) == names, 20)


def clickable(hosted, clicked=()):
    targets = map(hosted.game.targets, hosted.position.legal_actions())
    return {each[len(clicked)] for each in targets if each[: len(clicked)] == clicked}


def settled(page, plies):
    expect(page.locator(".moves li")).to_have_count(plies)


@pytest.mark.parametrize("environment", GAMES)
def test_a_whole_game_by_clicking(game, page, environment):
    """What can be clicked is what is legal, and what is clicked is played."""
    rng, now = np.random.default_rng(1), game(environment)
    while not (hosted := now()).ending:
        plies = len(hosted.record.actions)
        action = int(rng.choice(hosted.position.legal_actions()))
        clicked = ()
        for target in hosted.game.targets(action):
            can_click(page, clickable(hosted, clicked) | clickable(hosted) | set(clicked))
            click(page, target)
            clicked += (target,)
        settled(page, plies + 1)
        assert now().record.actions == (*hosted.record.actions, action)
    can_click(page, set())
    expect(page.get_by_role("status")).to_contain_text("Draw" if hosted.winner is None else " won")


def play_to_end(page, now, spec):
    """Click what an agent of the test chooses until the game is over."""
    agent = make_agent(spec, now().game, seed=0)
    while not (hosted := now()).ending:
        if hosted.next_seat == "human":
            settled(page, len(hosted.record.actions))
            words = np.array([(hosted.position.own, hosted.position.opp)], dtype=np.uint64)
            click(page, *hosted.game.targets(int(decide(agent, words).actions[0])))
        wait_until(lambda record=hosted.record: now().record != record)


@pytest.mark.parametrize("environment", GAMES)
def test_a_person_wins_by_clicking(game, page, environment):
    """Against random, with moves that a search of the test chooses."""
    now, spec = game(environment, seats=("human", "random"), seed=4), WINNING[environment]
    play_to_end(page, now, spec)
    assert now().winner == 0
    expect(page.get_by_role("status").first).to_have_text(f"{now().game.player_name(0)} (you) won")


def test_a_new_user_finishes_a_game_with_one_click_and_the_moves(server, page):
    client, app = server
    visit(page, f"{client.base_url}/")
    page.get_by_label("Play Nim against a beginner").click()
    page.wait_for_url("**/game/*")
    page.wait_for_function("window.did_handshake")
    id = page.url.rpartition("/")[2]
    play_to_end(page, lambda: app.state.service.get(id), "minimax:depth=3")
    expect(page.get_by_role("status").first).to_contain_text(" won")
    expect(page.get_by_role("button", name="Resign")).to_be_disabled()
    expect(page.get_by_role("button", name="Back", exact=True)).to_be_enabled()


def open_form(page):
    page.get_by_text("Choose the board").click()
    expect(page.get_by_role("combobox", name="Game")).to_be_visible()


def open_second_players(page, name):
    """Open the menu and return the option ``name``.

    Agents are added to the menu while they are loaded. A page that was disconnected on a busy machine loads again, with
    its menu closed.
    """
    option = page.get_by_role("option", name=name, exact=True)
    for _ in range(12):
        if not option.is_visible():
            page.get_by_role("combobox", name="Second player").click()
        with suppress(TimeoutError):
            option.wait_for(timeout=10_000)
            break
    return option


def choose_second_player(page, name):
    open_second_players(page, name).click()


def begin(page):
    """Press Begin by the keyboard, because the options of a chosen agent move the button while they appear."""
    page.get_by_role("button", name="Begin", exact=True).press("Enter")


def test_a_new_user_plays_after_one_click_even_if_it_is_a_double_click(server, page):
    client, app = server
    visit(page, f"{client.base_url}/")
    page.get_by_label("Play Tic-tac-toe against a beginner").dblclick()
    page.wait_for_url("**/game/*")
    expect(page.get_by_role("status").first).to_contain_text("to move")
    expect(page.get_by_role("alert")).to_have_count(0)
    id = page.url.rpartition("/")[2]
    record = app.state.service.get(id).record
    assert (record.environment, record.seats) == ("TicTacToe-v0", ("human", "random"))
    app.state.service.resign(id, tokens=[record.owner])
    page.get_by_role("link", name="ci_envs").click()
    expect(page.locator(".listed")).to_have_count(1)
    expect(page.locator(".listed")).to_contain_text("O (Beginner) won by resignation. 0 moves")


def test_a_game_begun_by_the_form(server, page):
    client, app = server
    visit(page, f"{client.base_url}/")
    open_form(page)
    page.get_by_role("combobox", name="Game").click()
    page.get_by_role("option", name="Nim").click()
    page.get_by_label("heaps").fill("2,3,4")
    page.get_by_text("misere", exact=True).click()
    page.get_by_label("Name (optional)").first.fill("Ada")
    page.get_by_label("Minutes per player").fill("3")
    page.get_by_label("Increment").fill("2")
    choose_second_player(page, "random")
    begin(page)
    page.wait_for_url("**/game/*")
    record = app.state.service.get(page.url.rpartition("/")[2]).record
    assert record.client == "127.0.0.1"
    assert (record.environment, record.seats) == ("Nim-v0:heaps=2,3,4,misere=true", ("human", "random"))
    assert (record.names, record.clock, record.increment) == (("Ada", ""), 180, 2)
    expect(page.get_by_role("timer")).to_have_text(["3:00", "3:00"])


# test_web.py begins a game with each agent in each environment
@pytest.mark.parametrize(
    "environment",
    [id if id in ("Quixo-v0", "Nim-v0") else pytest.param(id, marks=pytest.mark.slow) for id in registered()],
)
def test_every_offered_agent_begins_and_answers_in_the_browser(server, page, environment):
    """Each agent of the form's menu is chosen as second player, and answers the first move, which is clicked.

    In Nim, those that are not offered in Quixo.
    """
    client, app = server
    form = f"{client.base_url}/?environment={environment}"
    visit(page, form)
    expect(page.get_by_text("Loading the agents")).to_have_count(0)
    open_second_players(page, "minimax")
    names = set(page.get_by_role("option").all_inner_texts()) - {"a person", "slow", "held"}
    assert names == offered(environment)
    for name in sorted(names - offered("Quixo-v0") if environment == "Nim-v0" else names):
        visit(page, form)
        choose_second_player(page, name)
        begin(page)
        page.wait_for_url("**/game/*")
        page.wait_for_function("window.did_handshake")
        hosted = app.state.service.get(page.url.rpartition("/")[2])
        assert hosted.record.seats[1].partition(":")[0] == name
        click(page, *hosted.game.targets(hosted.position.legal_actions()[0]))
        expect(page.locator(".moves li").nth(1)).to_be_visible()  # in Quarto, an agent places a piece and gives one


def offered(environment):
    return {offer.name for offer in Offers(Catalog()).of(environment)} - {"slow", "held"}


def test_an_offered_network_is_chosen_from_a_menu(server, page):
    client, app = server
    visit(page, f"{client.base_url}/?environment=Nim-v0")
    choose_second_player(page, "nim_evolved")
    page.get_by_role("combobox", name="variant").click()
    page.get_by_role("option", name="rows4").click()
    begin(page)
    page.wait_for_url("**/game/*")
    assert app.state.service.get(page.url.rpartition("/")[2]).record.seats == ("human", "nim_evolved:rows4")


def test_what_is_refused_is_told(server, page):
    visit(page, f"{server[0].base_url}/?environment=TicTacToe-v0&position=XXX")
    page.get_by_role("button", name="Begin", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("is not a position of")


def requests_with_marked_text(schema, id):
    """A request for each field of each route, with marked text in this field."""
    base = {"environment": "TicTacToe-v0", "position": ".../.../... X", "agent": "random", "action": "a1"}
    for path, methods in schema["paths"].items():
        for method, operation in methods.items():
            body = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
            properties = schema["components"]["schemas"].get(body.get("$ref", "").rpartition("/")[2], {})
            fields = properties.get("properties", {})
            places = operation.get("parameters", [])
            for name in [each["name"] for each in places] + [*fields]:
                sent = {each["name"]: base.get(each["name"]) for each in places} | {name: MARKED}
                given = {"id": id, "player": 0} | {key: value for key, value in sent.items() if value is not None}
                json_body = {key: value for key, value in base.items() if key in fields}
                if name in fields:
                    json_body[name] = [MARKED, MARKED] if fields[name].get("type") == "array" else MARKED
                where = {kind: [each["name"] for each in places if each["in"] == kind] for kind in ("query", "header")}
                yield (
                    method,
                    path.format(**{key: quote(str(value), "") for key, value in given.items()}),
                    {
                        "params": {key: given[key] for key in where["query"] if key in given},
                        "headers": {key: given[key] for key in where["header"] if key in given},
                        **({"json": json_body} if fields else {}),
                    },
                )


def test_no_text_of_a_client_is_html(server, game, page):
    client, app = server
    record = game(names=(MARKED, MARKED), owner=VISITOR)().record
    created = [record.id]
    for method, path, sent in requests_with_marked_text(app.openapi(), record.id):
        response = client.request(method, path, **sent)
        assert response.headers.get("content-type", "application/json").startswith("application/json"), path
        if response.status_code == 201 and "seat_tokens" in response.json():
            created.append(response.json()["id"])
    assert len(created) >= 2
    app.state.service.resign(record.id, 0, tokens=(VISITOR,))
    quoted = quote(MARKED, "")
    addresses = [f"/?environment={quoted}&position={quoted}", f"/rules/{quoted}", f"/game/{quoted}"]
    addresses += [f"/explorer/{quoted}", f"/explorer/TicTacToe-v0?moves={quoted}", f"/puzzles/{quoted}"]
    for address in (*addresses, "/", *(f"/game/{id}" for id in created)):
        page.goto(f"{client.base_url}{address}")
        expect(page.locator("h1")).to_be_visible()
        assert page.locator(".marked").count() == 0, address
    visit(page, f"{client.base_url}/game/{record.id}")
    expect(page.locator("h1")).to_have_text(f"Tic-tac-toe: {MARKED} against {MARKED}")
    expect(page).to_have_title(f"Tic-tac-toe: {MARKED} against {MARKED}")
    expect(page.locator(".player-name")).to_have_text([MARKED, MARKED])
    page.get_by_label("Agent that analyses").fill(MARKED)
    page.get_by_text("Live analysis").click()
    expect(page.locator(".insight .analysis-text").first).to_contain_text("<b class=marked>")
    page.get_by_role("button", name="Hint").click()
    visit(page, f"{client.base_url}/")
    expect(page.locator(".my-games")).to_contain_text(MARKED)
    page.get_by_text("Import a game").click()
    exported = Export.of(app.state.service.get(record.id)).model_dump() | {"environment": MARKED}
    message = page.get_by_role("alert").filter(has_text="<b class=marked>")

    def is_refused():  # the panel still moves when it opens
        page.get_by_label("Exported game").fill(json.dumps(exported))
        page.get_by_role("button", name="Import", exact=True).press("Enter")
        page.wait_for_timeout(500)
        return message.count()

    wait_until(is_refused)
    assert page.locator(".marked").count() == 0


def test_a_page_that_is_not_there_leads_home(server, page):
    for path in ("game/<b>none", "game/nonsense", "rules/Chess-v0", "nothing/<b>here"):
        answer = page.goto(f"{server[0].base_url}/{path}")
        assert answer.status == 404
        expect(page.locator("b")).to_have_count(0)
        expect(page.get_by_role("link")).to_have_attribute("href", "/")


def test_a_game_whose_rules_are_gone_is_listed_and_can_be_deleted(server, game, page):
    client, app = server
    game()
    seats = hash_of(VISITOR), hash_of(VISITOR)
    gone = new_record("Gone-v0", ("human", "human"), 0, "", VISITOR, False, tokens=seats)
    app.state.service._store.add(gone)
    answer = page.goto(f"{client.base_url}/game/{gone.id}")
    assert (answer.status, "Unknown environment 'Gone-v0'" in page.content()) == (409, True)
    visit(page, f"{client.base_url}/")
    listed = page.locator(".listed").filter(has_text="Gone")
    expect(listed).to_contain_text("Not available on this server")
    listed.get_by_role("button", name="Delete").click()
    page.get_by_role("alertdialog").get_by_role("button", name="Delete").click()
    expect(listed).to_have_count(0)
    assert gone.id not in {record.id for record in app.state.service.owned(VISITOR)}


def test_a_wrong_number_of_a_page_is_told_on_a_page(server, page):
    answer = page.goto(f"{server[0].base_url}/?page=abc")
    assert (answer.status, answer.headers["content-type"].partition(";")[0]) == (422, "text/html")
    expect(page.get_by_text("Invalid value for page: 'abc'")).to_be_visible()


def test_a_limit_of_moves_stays_in_a_new_game_from_a_position(server, game, page):
    hosted = game("TicTacToe-v0:rows=4,max_cycles=5")().record
    visit(page, f"{server[0].base_url}/?environment={hosted.environment}")
    expect(page.get_by_label("max cycles")).to_have_value("5")
    begin(page)
    page.wait_for_url("**/game/*")
    assert server[1].state.service.get(page.url.rpartition("/")[2]).record.environment == hosted.environment


@pytest.mark.parametrize("id", [entry.name for entry in Catalog().environments()])
def test_each_game_has_rules_with_pictures(server, id):
    page = server[0].get(f"/rules/{id}").text
    assert guide_of(Catalog().game(id)[0]).how_to_play()[:40] in page
    assert page.count("figcaption") == 2


def test_an_agent_answers(game, page):
    now = game(seats=("human", "random"))
    click(page, "b2")
    settled(page, 2)
    assert len(now().record.actions) == 2
    expect(page.get_by_role("status")).to_contain_text("X (you) to move")


def test_what_others_do_is_seen(server, game, page):
    now = game()
    server[1].state.service.play(now().record.id, "a1", tokens=(VISITOR,))
    settled(page, 1)
    expect(region(page, "a1")).to_be_disabled()


def test_a_double_click_plays_one_move(game, page):
    now = game()
    region(page, "b2").dblclick()
    settled(page, 1)
    expect(page.locator(".prompt")).to_have_text("Choose an empty cell.")
    expect(page.get_by_role("alert")).to_have_count(0)
    assert len(now().record.actions) == 1


def shows(page, position):
    expect(page.get_by_label("Position", exact=True)).to_have_value(position.to_text())


def test_a_finished_game_is_reviewed_by_clicks_and_by_keys(game, page):
    """O could have been beaten after b1, as X c1 threatens two lines; X plays a3 instead."""
    now = game(history=History(["b2", "a1", "c3", "b1", "a3", "c1"]))
    hosted = now()
    at = hosted.positions
    assert hosted.ending == "rules"
    shows(page, at[6])
    for name, ply in (("Back", 5), ("First position", 0), ("Forward", 1), ("Last position", 6)):
        page.get_by_role("button", name=name, exact=True).click()
        shows(page, at[ply])
    for key, ply in (("ArrowLeft", 5), ("ArrowLeft", 4), ("Home", 0), ("ArrowRight", 1), ("End", 6)):
        page.keyboard.press(key)
        shows(page, at[ply])
    page.get_by_role("button", name="O b1", exact=True).click()
    shows(page, at[4])
    expect(page.locator(".moves [aria-current=true]")).to_have_text("O b1")
    expect(page.locator(".mistakes li")).to_have_text(
        ["Move 4 (O b1), mistake: threw away a draw", "Move 5 (X a3), blunder: turned a win into a loss"]
    )
    page.locator(".mistakes button").last.click()
    shows(page, at[4])  # the position before the mistake
    expect(page.get_by_text("Best line: c1 ")).to_be_visible()
    page.locator(".graph").click(position={"x": 60, "y": 80})
    shows(page, at[0])


def test_a_variation_is_tried_and_left(game, page):
    now = game(history=History(["b2", "a1", "c3"], resigned=0))
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".prompt")).to_have_text("Try a move: choose an empty cell.")
    click(page, "c1", "a3")
    shows(page, now().positions[2].play("c1").play("a3"))
    expect(page.locator(".variation")).to_have_text("Variation after 2 moves: c1 a3")
    page.keyboard.press("ArrowLeft")
    shows(page, now().positions[2].play("c1"))
    page.get_by_role("button", name="Back to the game").click()
    shows(page, now().positions[2])
    expect(page.locator(".variation")).to_have_text("")
    assert list(map(now().game.action_name, now().record.actions)) == ["b2", "a1", "c3"]


def test_a_flipped_board_is_played_on(game, page):
    now = game()
    before = region(page, "a1").bounding_box()
    page.keyboard.press("f")
    expect(page.locator(".board.rotated")).to_be_visible()
    assert region(page, "c3").bounding_box()["x"] == pytest.approx(before["x"], abs=2)
    click(page, "a1")
    settled(page, 1)
    assert now().record.actions == (0,)


def test_others_watch_until_a_seat_is_free(browser, server, game, page):
    """Two browsers: the second one cannot move, whatever it clicks, until it has taken the seat of O."""
    now = game()
    with browser.new_context() as context:
        other = context.new_page()
        visit(other, page.url)
        expect(other.get_by_text("You are watching.")).to_be_visible()
        assert not regions(other)
        for name in ("Undo", "Redo", "Hint", "Swap seats", "Resign"):
            expect(other.get_by_role("button", name=name)).to_be_disabled()
        for key in ("u", "r", "h"):
            other.keyboard.press(key)
        region(other, "b2").click(force=True)
        expect(other.locator(".prompt.illegal")).to_have_text("You are watching.")
        click(page, "a1")
        settled(other, 1)
        other.keyboard.press("u")
        expect(other.get_by_role("alert")).to_contain_text("You can only watch.")
        assert not regions(other)
        page.get_by_role("button", name="Invite").click()
        can_click(page, set())  # the seat of O is free now
        other.get_by_role("button", name="Play O").click()
        expect(other.get_by_text("You are watching.")).to_have_count(0)
        region(page, "c3").click(force=True)
        expect(page.locator(".prompt.illegal")).to_have_text("It is the turn of O.")
        click(other, "b2")
        settled(page, 2)
        can_click(other, set())
        click(page, "c1")
        settled(other, 3)
    assert len(now().record.actions) == 3


FRIEND = "the browser of a friend"


@pytest.fixture
def friend(server, browser, page):
    """The page of another person in another browser, who has taken the seat of O in a game of two people."""
    client, _ = server
    with browser.new_context() as context:
        context.set_default_timeout(60_000)
        context.add_cookies([{"name": "session", "value": session(FRIEND), "url": str(client.base_url)}])
        yield context.new_page()


def button(page, name):
    return page.get_by_role("button", name=name, exact=True)


def test_a_friend_who_took_a_seat_finds_the_game_after_closing_the_tab(server, game, page, friend):
    client, app = server
    now = game(tokens=(VISITOR, ""), names=("Ada", "the friend"), owner=VISITOR)
    assert not app.state.service.owned(FRIEND)
    visit(friend, page.url)
    button(friend, "Play O").click()
    expect(friend.get_by_text("You are watching.")).to_have_count(0)
    friend.close()
    again = friend.context.new_page()
    visit(again, f"{client.base_url}/")
    again.locator(".my-games").get_by_role("link", name="Tic-tac-toe: Ada against the friend").click()
    click(page, "b2")
    click(again, "a1")
    settled(again, 2)
    assert len(now().record.actions) == 2


def test_two_people_agree_to_take_back_a_move_to_a_draw_and_to_a_rematch(server, game, page, friend):
    now = game(tokens=(VISITOR, FRIEND), names=("Ada", "Ben"))
    visit(friend, page.url)
    click(page, "b2")
    settled(friend, 1)
    bar, other_bar = page.locator(".proposal"), friend.locator(".proposal")
    expect(other_bar).to_be_hidden()
    button(page, "Undo").click()
    expect(bar).to_contain_text("You propose to take back a move.")
    expect(other_bar).to_contain_text("X (Ada) proposes to take back a move.")
    button(friend, "Decline").click()
    expect(bar).to_be_hidden()
    assert len(now().record.actions) == 1
    page.keyboard.press("u")
    button(friend, "Accept").click()
    settled(page, 0)
    button(page, "Draw").click()
    button(page, "Withdraw").click()
    expect(other_bar).to_be_hidden()
    assert not now().ending
    button(page, "Draw").click()
    expect(other_bar).to_contain_text("X (Ada) proposes a draw.")
    button(friend, "Accept").click()
    for each in (page, friend):
        expect(each.locator(".status.over")).to_have_text("Draw by agreement")
    before = page.url
    button(friend, "Rematch").click()
    expect(bar).to_contain_text("O (Ben) proposes a rematch.")
    button(page, "Rematch").click()  # the same proposal is an agreement
    for each in (page, friend):
        each.wait_for_url(lambda url: url != before)
        each.wait_for_function("window.did_handshake")
        expect(each.locator("h1")).to_have_text("Tic-tac-toe: Ben against Ada")
    assert page.url == friend.url
    click(friend, "a1")  # the second player of the first game begins
    settled(page, 1)


def test_an_agent_plays_a_rematch_at_once_and_agrees_to_no_draw(server, game, page):
    now = game(seats=("human", "random"), history=History(["b2"], resigned=0))
    before = page.url
    expect(button(page, "Draw")).to_be_disabled()
    button(page, "Rematch").click()
    page.wait_for_url(lambda url: url != before)
    assert server[1].state.service.get(now().record.rematch).record.seats == ("random", "human")
    rematch = page.url
    visit(page, before)
    button(page, "Rematch").click()  # the same rematch, not another one
    page.wait_for_url(rematch)


def test_the_link_is_copied(game, page):
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    game()
    button(page, "Copy link").click()
    expect(page.get_by_role("alert")).to_contain_text("The link is copied.")
    assert page.evaluate("navigator.clipboard.readText()") == page.url


@pytest.mark.new_page
def test_the_link_is_copied_without_a_clipboard_of_a_secure_page(game, page):
    page.add_init_script("""delete Navigator.prototype.clipboard;
        document.execCommand = (what) => { window.copied = [what, getSelection().toString()]; };""")
    game()
    button(page, "Copy link").click()
    expect(page.get_by_role("alert")).to_contain_text("The link is copied.")
    assert page.evaluate("window.copied") == ["copy", page.url]


def test_a_game_is_deleted_after_a_question(server, game, page):
    now = game(owner=VISITOR)
    id = now().record.id
    button(page, "Delete").click()
    page.get_by_role("alertdialog").get_by_role("button", name="Cancel").click()
    expect(page.get_by_role("alertdialog")).to_have_count(0)
    button(page, "Delete").click()
    page.get_by_role("alertdialog").get_by_role("button", name="Delete").click()
    page.wait_for_url(f"{server[0].base_url}/")
    assert server[0].get(f"/api/games/{id}").status_code == 404


def test_agents_stop_in_a_game_that_another_client_deletes(server, game, page):
    now = game(seats=("random", "random"), owner=VISITOR)
    page.get_by_role("switch", name="Autoplay").click()
    app = server[1]
    app.state.service.delete(now().record.id, tokens=(VISITOR,))
    expect(page.get_by_role("status").first).to_have_text("This game was deleted.")
    expect(page.get_by_role("switch", name="Autoplay")).to_be_hidden()
    expect(button(page, "Undo")).to_be_hidden()


def test_a_form_without_changes_begins_with_defaults_and_a_wrong_parameter_is_named(server, page):
    client, app = server
    visit(page, f"{client.base_url}/?environment=TicTacToe-v0:rows=9")
    expect(page.get_by_text("rows must be a whole number from 1 to 8, not 9").first).to_be_visible()
    page.get_by_label("rows").fill("3")
    page.get_by_label("rows").blur()
    choose_second_player(page, "exact")
    begin(page)
    page.wait_for_url("**/game/*")
    record = app.state.service.get(page.url.rpartition("/")[2]).record
    assert (record.environment, record.seats) == ("TicTacToe-v0", ("human", "exact"))


def test_the_side_is_chosen_for_the_games_with_one_click_and_levels_keep_their_names(server, page):
    client, app = server
    visit(page, f"{client.base_url}/")
    button(page, "Second").click()
    page.get_by_label("Play Nim against a club player").click()
    page.wait_for_url("**/game/*")
    record = app.state.service.get(page.url.rpartition("/")[2]).record
    assert (record.seats, record.names) == (("exact:blunder=0.3", "human"), ("Club player", ""))
    settled(page, 1)  # the agent begins
    expect(page.locator("h1")).to_have_text("Nim: Club player against human")
    expect(page.locator(".player.top .player-name")).to_have_text("Club player")
    expect(page.locator(".player.bottom .player-name")).to_have_text("You")
    button(page, "Swap seats").click()
    expect(page.locator("h1")).to_have_text("Nim: human against Club player")
    expect(page).to_have_title("Nim: human against Club player")
    expect(page.locator(".player.top .player-name")).to_have_text("Club player")


def test_the_panels_of_the_players_show_the_names_the_turn_and_the_clocks(game, page):
    game(names=("Ada", "Ben"), clock=Clock(300.0, 5.0))
    top, bottom = page.locator(".player.top"), page.locator(".player.bottom")
    expect(bottom).to_have_text(re.compile("X.*Ada.*to move.*5:00", re.DOTALL))
    expect(top).to_have_text(re.compile("O.*Ben.*5:00", re.DOTALL))
    expect(top.locator(".turn")).to_be_hidden()
    click(page, "b2")
    expect(top.locator(".turn")).to_be_visible()
    expect(bottom.locator(".turn")).to_be_hidden()
    button(page, "Flip board").click()
    expect(bottom.locator(".player-name")).to_have_text("Ben")


@pytest.mark.parametrize(("loser", "look"), [(0, "lost"), (1, "won")])
def test_the_result_is_a_banner(server, game, page, loser, look):
    now = game(seats=("human", "random"), history=History([], resigned=loser))
    banner = page.locator(f".status.over.{look}")
    expect(banner).to_have_text(f"{'O (random)' if look == 'lost' else 'X (you)'} won by resignation")
    assert now().ending == "resigned"


SOUNDS = """window.sounds = 0;
window.AudioContext = class {
    currentTime = 0;
    destination = {};
    createOscillator() { window.sounds += 1; return this.node(); }
    createGain() { return this.node(); }
    node() {
        const value = { setValueAtTime() {}, exponentialRampToValueAtTime() {} };
        return { frequency: value, gain: value, connect: (other) => other, start() {}, stop() {} };
    }
};"""
"""An audio context that counts the sounds."""


@pytest.mark.new_page
def test_moves_have_a_sound_if_the_user_wants_it(game, page):
    page.add_init_script(SOUNDS)
    game(seats=("human", "random"))
    click(page, "b2")
    settled(page, 2)
    assert page.evaluate("window.sounds") == 0
    button(page, "Sound").click()
    wait_until(lambda: page.evaluate("window.sounds") == 1)  # the sound itself, as an example
    page.reload()
    page.wait_for_function("window.did_handshake")
    expect(button(page, "Sound")).to_have_attribute("aria-pressed", "true")
    page.locator(ENABLED).first.click()
    settled(page, 4)
    wait_until(lambda: page.evaluate("window.sounds") >= 1)  # one, if both moves are shown at the same time


def test_moves_are_texts_in_quarto(game, page):
    game("Quarto-v0", history=History(["givea", "b2"]))
    expect(page.locator(".moves li")).to_have_text(["First Give a", "Second b2"])


def test_another_own_cube_is_selected_instead(game, page):
    now = game("Quixo-v0:size=3")
    click(page, "a1")
    expect(region(page, "a1")).to_have_attribute("aria-pressed", "true")
    click(page, "b1")  # not a place to push a1 in
    expect(region(page, "b1")).to_have_attribute("aria-pressed", "true")
    expect(region(page, "a1")).to_have_attribute("aria-pressed", "false")
    click(page, "b3")
    settled(page, 1)
    assert now().game.action_name(now().record.actions[0]) == "b1b3"


def test_a_cube_clicked_again_is_put_back(game, page):
    now = game("Quixo-v0:size=3")
    for put_back in (lambda: click(page, "a1"), lambda: page.keyboard.press("Escape")):
        click(page, "a1")
        expect(region(page, "a1")).to_have_attribute("aria-pressed", "true")
        put_back()
        expect(region(page, "a1")).to_have_attribute("aria-pressed", "false")
    assert not now().record.actions


def test_undo_and_redo(game, page):
    now = game(seats=("human", "random"), seed=5)
    click(page, "b2")
    settled(page, 2)
    before = now().record.actions
    page.get_by_role("button", name="Undo").click()
    settled(page, 0)
    assert not now().record.actions
    page.reload()
    page.wait_for_function("window.did_handshake")
    page.get_by_role("button", name="Redo").click()
    settled(page, 2)
    assert now().record.actions == before
    expect(page.get_by_role("button", name="Redo")).to_be_disabled()


def test_undo_while_an_agent_thinks(server, game, page):
    """The page shows the player to move at once, and the answer to what was taken back is not played."""
    thinking = re.compile(r"O \(held\) is thinking|Preparing")  # the second one if code had to be compiled
    Held.thinks.clear()
    Held.go_on.clear()
    now, status = game(seats=("human", "held")), page.get_by_role("status").first
    expect(status).to_have_text("X (you) to move")
    click(page, "b2")
    assert Held.thinks.wait(20)
    expect(status).to_have_text(thinking)
    page.get_by_role("button", name="Undo").click()
    expect(status).to_have_text("X (you) to move")
    click(page, "c3")
    expect(status).to_have_text(thinking)
    Held.go_on.set()
    settled(page, 2)
    expect(status).to_have_text("X (you) to move")
    assert list(map(now().game.action_name, now().record.actions)) == ["c3", "a1"]


def test_a_game_that_is_too_large_for_a_page(server):
    client, app = server
    hosted = app.state.service.create(f"Nim-v0:heaps={','.join(['255'] * 8)}", ("human", "human"), tokens=("a", "b"))
    response = client.get(f"/game/{hosted.record.id}")
    assert response.status_code == 422
    assert "at most 512 actions. This game has 2,040." in response.text


def test_a_full_disk_is_reported_and_the_page_goes_on_afterwards(game, page, monkeypatch):
    now, message = game(), "The server cannot read or store games now: the disk is full."

    def fail(*_, **__):
        raise StorageError(message)

    with monkeypatch.context() as patch:
        patch.setattr(Store, "change", fail)
        click(page, "b2")
        expect(page.get_by_text(message).first).to_be_visible()
        patch.setattr(Store, "version", fail)
        click(page, "b2")
        expect(page.get_by_role("status").first).to_have_text(message)
    click(page, "b2")
    settled(page, 1)
    expect(page.get_by_role("status").first).to_have_text("O to move")
    assert list(map(now().game.action_name, now().record.actions)) == ["b2"]


def test_cells_say_what_they_are_and_why_a_click_is_illegal(game, page):
    game("Quixo-v0:size=3", start="X../.../O.. X")
    expect(region(page, "a1")).to_have_attribute("aria-label", "a1: cube with X, take this cube")
    expect(page.locator(".prompt")).to_have_text("Choose a cube to take.")
    region(page, "a3").click(force=True)
    expect(page.locator(".prompt.illegal")).to_contain_text("belongs to your opponent")
    click(page, "a1")
    expect(page.locator(".prompt:not(.illegal)")).to_have_text("Choose where to push the cube in.")
    expect(region(page, "a1")).to_have_attribute("aria-label", "a1: cube with X, selected, put it back")


def test_what_nim_takes_is_marked_before_the_click(game, page):
    game("Nim-v0:heaps=2,3,4")
    region(page, "3-2").hover()
    expect(page.locator(".previewed")).to_have_count(2)
    marked = page.locator(".previewed").evaluate_all("all => all.map((one) => one.dataset.region)")
    assert sorted(marked) == ["3-1", "3-2"]


def test_seats_are_swapped_and_games_given_up(game, page):
    now = game(seats=("human", "random"))
    page.get_by_role("button", name="Swap seats").click()
    settled(page, 1)
    assert now().record.seats == ("random", "human")
    page.get_by_role("button", name="Resign").click()
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_role("alertdialog")).to_have_count(0)
    assert not now().ending
    page.get_by_role("button", name="Resign").click()
    page.get_by_role("alertdialog").get_by_role("button", name="Resign").click()
    expect(page.get_by_role("status")).to_have_text("X (random) won by resignation")
    assert now().record.resigned == 1


def test_keys_alone(game, page):
    now = game()
    page.locator("[data-region][tabindex='0']").focus()
    page.keyboard.press("Enter")
    settled(page, 1)
    expect(page.locator("[data-region]:focus")).to_have_attribute("data-region", "a1")
    for key in ("ArrowRight", "ArrowDown", "Space"):
        page.keyboard.press(key)
    settled(page, 2)
    played = now().record.actions
    assert list(map(now().game.action_name, played)) == ["a1", "b2"]
    page.keyboard.press("u")
    settled(page, 1)
    page.keyboard.press("r")
    settled(page, 2)
    assert now().record.actions == played


def test_a_hint_is_marked(game, page):
    game(start="XX./OO./... X")
    before = page.locator(".board svg").first.inner_html()
    page.get_by_label("Agent that analyses").fill("mcts:simulations=200")
    page.keyboard.press("Tab")
    page.get_by_role("button", name="Hint").click()
    wait_until(lambda: page.locator(".board svg").first.inner_html() != before)


def test_agents_play_alone(game, page):
    now = game(seats=("random", "random"), start="XOX/OOX/X.. O")  # they take their time for every ply
    page.get_by_text("Autoplay", exact=True).click()
    wait_until(lambda: now().ending)
    assert now().ending == "rules"


def test_a_position_is_played_from(server, game, page):
    game()
    click(page, "b2")
    settled(page, 1)
    expect(page.get_by_label("Position", exact=True)).to_have_value(".../.X./... O")
    page.get_by_role("button", name="New game from this position").click()
    page.wait_for_url("**/?environment*")
    page.wait_for_function("window.did_handshake")
    expect(page.get_by_role("combobox", name="Game")).to_be_in_viewport()  # below the pictures of the games
    begin(page)
    page.wait_for_url("**/game/*")
    assert server[1].state.service.get(page.url.rpartition("/")[2]).record.start == ".../.X./... O"


def test_the_export_is_a_file(game, page):
    now = game()
    click(page, "b2")
    settled(page, 1)
    with page.expect_download() as download:
        page.get_by_role("button", name="Export").click()
        page.get_by_text("Game (JSON)").click()
    exported = json.loads(Path(download.value.path()).read_text())
    assert exported == Export.of(now()).model_dump(mode="json")
    for item, ending in (("Position (SVG)", ".svg"), ("Animation (GIF)", ".gif")):
        page.get_by_role("button", name="Export").click()
        with page.expect_download() as download:
            page.get_by_text(item).click()
        assert download.value.suggested_filename.endswith(ending)
        content = Path(download.value.path()).read_bytes()
        if ending == ".svg":
            assert content.decode() == show(now().position, last=4).drawing().svg()
        else:
            assert Image.open(BytesIO(content)).n_frames == 2


def test_an_exported_game_is_imported_on_the_first_page(server, game, page):
    client, app = server
    original = game(seats=("human", "random"), names=("Ada", ""), history=History(["b2", "a1", "c3"], resigned=0))()
    visit(page, f"{client.base_url}/")
    page.get_by_text("Import a game").click()
    text, button = page.get_by_label("Exported game"), page.get_by_role("button", name="Import", exact=True)
    message = page.get_by_role("alert").filter(has_text="This text is not an exported game: environment is missing.")

    def is_refused():  # the panel still moves when it opens, and the message disappears after some seconds
        text.fill("{}")
        button.press("Enter")
        page.wait_for_timeout(500)
        return message.count()

    wait_until(is_refused)
    for wrong, sentence in (("{,", "it is not JSON at line 1, column 2"), ('{"seed": -1}', "environment is missing.")):
        text.fill(wrong)
        button.press("Enter")
        expect(page.get_by_role("alert").filter(has_text=sentence).first).to_be_visible()
    text.fill(client.get(f"/api/games/{original.record.id}/export").text)
    button.press("Enter")
    page.wait_for_url("**/game/*")
    expect(page.get_by_role("status").first).to_have_text("O (random) won by resignation")
    imported = app.state.service.get(page.url.rpartition("/")[2])
    assert imported.record.id != original.record.id
    assert Export.of(imported) == Export.of(original)


def test_a_clock_and_a_loss_on_time_are_imported(server, game, page):
    client, app = server
    history = History(["b2", "a1"], resigned=0, used=(60.0, 12.0))
    original = game(seats=("human", "human"), clock=Clock(60.0, 3.0), history=history)()
    assert original.ending == "time"
    visit(page, f"{client.base_url}/")
    page.get_by_text("Import a game").click()
    page.get_by_label("Exported game").fill(client.get(f"/api/games/{original.record.id}/export").text)
    page.get_by_role("button", name="Import", exact=True).press("Enter")
    page.wait_for_url("**/game/*")
    expect(page.locator(".status.over")).to_have_text("O won on time")
    expect(page.get_by_role("timer")).to_have_text(["0:48", "0:00"])
    imported = app.state.service.get(page.url.rpartition("/")[2])
    assert Export.of(imported) == Export.of(original)


HIDDEN_CONTROLS = """() => {
    const shown = (box) => box.width && box.top >= 0 && box.left >= 0
        && box.bottom <= innerHeight && box.right <= innerWidth;
    const controls = 'button, input, select, textarea, [role=switch], [role=combobox], [role=timer], [data-region]';
    const outside = [...document.querySelectorAll(controls)].filter((each) => each.getClientRects().length)
        .filter((each) => !each.closest('.move-list') && !shown(each.getBoundingClientRect()));
    return outside.map((each) => each.ariaLabel || each.textContent || each.tagName);
}"""
"""The controls that are not completely on the screen. The list of moves scrolls by itself."""


def test_all_controls_are_on_the_screen_in_a_game_between_people_and_in_one_of_agents(server, game, page):
    page.set_viewport_size({"width": 1280, "height": 800})
    now = game(tokens=(VISITOR, FRIEND), clock=Clock(300.0))
    server[1].state.service.propose(now().record.id, "draw", tokens=(FRIEND,))
    expect(button(page, "Accept")).to_be_visible()
    assert page.evaluate(HIDDEN_CONTROLS) == []
    game(seats=("random", "random"))
    expect(button(page, "Next move")).to_be_visible()
    assert page.evaluate(HIDDEN_CONTROLS) == []


AREAS = """() => Object.fromEntries(['.board svg', '.side', '.analysis', '.player'].map((name) => {
    const box = document.querySelector(name).getBoundingClientRect();
    return [name, box.width * box.height];
}))"""


@pytest.mark.parametrize("environment", registered())
def test_all_controls_are_on_a_screen_of_1280_x_800_and_a_finger_hits_them_on_a_phone(game, page, environment):
    """On the large screen the board is the largest thing."""
    page.set_viewport_size({"width": 1280, "height": 800})
    game(environment, names=("Ada", "Ben"), clock=Clock(300.0))
    expect(page.locator("[data-region]").first).to_be_visible()
    assert page.evaluate(HIDDEN_CONTROLS) == []
    assert page.evaluate("document.documentElement.scrollHeight") <= 800
    areas = page.evaluate(AREAS)
    assert max(areas, key=areas.get) == ".board svg"
    for width in (390, 360):
        page.set_viewport_size({"width": width, "height": 844})
        assert page.evaluate(SMALL_TARGETS.replace("a, button", "[data-region], button")) == []


def test_the_page_shows_a_loss_on_time(game, page):
    now = game(clock=Clock(2.0))
    expect(page.get_by_role("timer")).to_have_text(["0:02", "0:02"])
    click(page, "b2")  # the clock starts after the first move
    expect(page.get_by_role("status").first).to_have_text("X won on time")
    expect(page.get_by_role("timer")).to_have_text(["0:00", "0:02"])  # O at the top, X at the bottom
    assert now().ending == "time"


ADDRESSES = {
    "/": ["/", "/?environment=Quixo-v0", "/missing"],
    "/rules/{id}": ["/rules/Quixo-v0"],
    "/game/{id}": [],  # games in several states
    "/explorer": ["/explorer"],
    "/explorer/{id}": ["/explorer/TicTacToe-v0?moves=b2+a1"],
    "/puzzles": ["/puzzles"],
    "/puzzles/{id}": ["/puzzles/TicTacToe-v0"],
}
"""Addresses of each page, and one without a page."""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_serious_violation(server, game, page, scheme):
    """The schemes differ in their colours alone."""
    rules = {"runOnly": ["cat.color"]} if scheme == "dark" else None

    def violations():
        assert page.locator("main").count() == page.locator("h1").count() == 1
        found = Axe().run(page, options=rules).response["violations"]
        return [
            f"{each['id']}: {each['nodes'][0]['html']}" for each in found if each["impact"] in ("serious", "critical")
        ]

    assert ADDRESSES.keys() == set(Client.page_routes.values())
    page.emulate_media(color_scheme=scheme)
    game("Quixo-v0", history=History(["a1e1", "a5e5"]))
    wrong = {"game": violations()}
    game(history=History(["b2", "a1", "c3", "b1", "a3", "c1"]))
    expect(page.locator(".mistakes li").first).to_be_visible()
    wrong["review"] = violations()
    game(start="XX./OO./... X")
    page.get_by_label("Agent that analyses").fill("mcts:simulations=50")
    page.get_by_text("Live analysis").click()
    expect(page.locator(".best-moves li").first).to_be_visible()
    wrong["analysis"] = violations()
    now = game(tokens=(VISITOR, FRIEND), names=("Ada", "Ben"), clock=Clock(300.0))
    server[1].state.service.propose(now().record.id, "draw", tokens=(FRIEND,))
    expect(button(page, "Accept")).to_be_visible()
    wrong["proposal"] = violations()
    for path in chain.from_iterable(ADDRESSES.values()):
        page.goto(f"{server[0].base_url}{path}")
        expect(page.locator("h1")).to_be_visible()
        wrong[path] = violations()
    assert wrong == {name: [] for name in wrong}


def visits(page):
    """Of the first branch of the tree."""
    found = re.search(r"([\d,]+) visits", page.locator(".tree").text_content())
    return int(found[1].replace(",", "")) if found else 0


def test_the_tree_grows_while_an_agent_thinks(server, game, page):
    game()
    page.get_by_label("Agent that analyses").fill("slow")
    page.get_by_text("Live analysis").click()
    some = wait_until(lambda: visits(page))
    wait_until(lambda: visits(page) > some)
    expect(page.locator(".bar")).to_be_visible()
    expect(page.locator(".line").first).to_contain_text("Best line")
    expect(page.locator(".board rect[fill='#109648']")).to_have_count(0)
    page.get_by_text("Heat map").click()
    expect(page.locator(".board rect[fill='#109648']").first).to_be_attached()
    page.get_by_text("Search tree").click()
    page.locator(".tree .q-tree__arrow").first.click()
    expect(page.locator(".tree [role=group]:visible")).to_have_count(1)
    assert server[1].state.analyses.running == 1
    page.goto("about:blank")
    wait_until(lambda: server[1].state.analyses.running == 0)


def test_the_best_moves_are_on_the_board_with_their_chances(game, page):
    """Exact values of tic-tac-toe as frames, and estimates of Quixo as arrows."""
    labels, moves = page.locator(".board svg text"), page.locator(".best-moves li")
    game(start="XX./OO./... X")
    page.get_by_label("Agent that analyses").fill("mcts:simulations=50")
    page.get_by_text("Live analysis").click()
    expect(moves.first).to_have_text("c1 win in 1 move (exact)")
    expect(labels.filter(has_text=re.compile("win|draw|loss"))).to_have_text("win 1")  # no other move wins
    page.get_by_text("Best moves").first.click()
    expect(labels.filter(has_text="win 1")).to_have_count(0)
    game("Quixo-v0")
    page.get_by_label("Agent that analyses").fill("mcts:simulations=50")
    page.get_by_text("Live analysis").click()
    expect(moves).to_have_count(5)
    expect(moves.first).to_have_text(re.compile(r"^\w{4} \d+% to win$"))
    expect(labels.filter(has_text=re.compile(r"^\d+%$"))).to_have_count(3)


def test_an_agent_that_cannot_think_says_so(game, page):
    game()
    page.get_by_label("Agent that analyses").fill("random")
    page.get_by_text("Live analysis").click()
    expect(page.get_by_text("agent random cannot analyse")).to_be_visible()


def test_hint_live_analysis_and_chances_are_the_exact_ones_where_they_are_known(game, page):
    game(start="XX./OO./... X")
    page.get_by_label("Agent that analyses").fill("mcts:simulations=1")
    page.get_by_text("Live analysis").click()
    expect(page.get_by_text("X wins in 1 move with best play (exact)")).to_be_visible()
    expect(page.get_by_text("X: 100% to win, value +1.00 for X")).to_be_visible()
    expect(page.locator(".line").first).to_have_text("Best line: c1")
    page.get_by_text("Live analysis").click()
    frames = page.locator(f".board rect[stroke='{BEST}']")
    expect(frames).to_have_count(0)
    page.get_by_role("button", name="Hint").click()
    expect(frames).to_have_count(1)
    assert frames.get_attribute("x") > "100"  # the third column
    click(page, "a3")
    expect(frames).to_have_count(0)


def test_a_game_between_people_has_no_help_until_its_end(browser, server, game, page):
    now = game(tokens=(VISITOR, "the friend"), start="XX./OO./... X", clock=Clock(600.0))
    help_texts = [page.get_by_text("Live analysis"), page.locator(".graph"), page.locator(".bar")]
    expect(page.get_by_text("appear after the game between people")).to_be_visible()
    click(page, "c2")
    settled(page, 1)
    with browser.new_context() as other:
        watcher = other.new_page()
        visit(watcher, page.url)
        expect(watcher.get_by_text("appear after the game between people")).to_be_visible()
        for text in (*help_texts, watcher.get_by_text("Live analysis"), watcher.locator(".graph")):
            expect(text).to_be_hidden()
    page.keyboard.press("ArrowLeft")  # a variation may be tried, without help
    page.keyboard.press("h")
    expect(page.get_by_role("button", name="Hint")).to_be_disabled()
    server[1].state.service.resign(now().record.id, 1, tokens=("the friend",))
    for text in help_texts:
        expect(text).to_be_visible()
    expect(page.locator(".mistakes li")).to_have_text("Move 1 (X c2), mistake: threw away a win")


def test_the_user_learns_from_a_mistake(game, page):
    game(start="XX./OO./... X")
    click(page, "a3")
    page.locator(".mistakes button").click()
    expect(page.get_by_label("Position", exact=True)).to_have_value("XX./OO./... X")
    expect(page.get_by_text("Best line: c1", exact=True)).to_be_visible()
    expect(page.locator(f".board rect[stroke='{BEST}']")).to_have_count(1)
    page.get_by_role("button", name="Learn from your mistakes").click()
    expect(page.get_by_text("Move 1 was a wrong move (blunder: turned a win into a loss).")).to_be_visible()
    click(page, "b3")
    expect(page.get_by_text("b3 is not good enough (blunder). Try again.")).to_be_visible()
    expect(page.get_by_label("Position", exact=True)).to_have_value("XX./OO./... X")
    click(page, "c1")
    expect(page.get_by_text("c1 is the best move.")).to_be_visible()
    page.get_by_role("button", name="Back to the game").click()
    page.get_by_role("button", name="Last position").click()
    expect(page.get_by_text("a3 is not good enough (blunder). Try again.")).to_be_visible()  # the move of the game


def test_true_values_and_mistakes(game, page):
    now = game(start="XX./OO./... X")
    page.get_by_text("Exact values", exact=True).click()
    expect(page.locator(".board circle[fill='#0072b2']")).to_have_count(1)  # c1 wins
    expect(page.locator(".board circle[fill='#d55e00']")).to_have_count(3)
    click(page, "a3")
    expect(page.locator(".mistakes li")).to_have_text("Move 1 (X a3), blunder: turned a win into a loss")
    expect(page.locator(".moves .mistake")).to_have_text("??")
    assert len(now().record.actions) == 1


def test_the_graph_has_a_point_a_position(game, page):
    game(start="XX./OO./... X")
    click(page, "c1")
    settled(page, 1)
    chart = "getElement(+document.querySelector('.graph').id.slice(1)).chart"
    read = f"() => {chart}?.getOption()?.series[0].data.length"
    wait_until(lambda: page.evaluate(read) == 2)


@pytest.mark.parametrize("address", ["/", "/game", "/explorer/TicTacToe-v0", "/puzzles/Nim-v0"])
def test_a_phone(server, game, page, address):
    page.set_viewport_size({"width": 360, "height": 740})
    if address != "/game":
        visit(page, f"{server[0].base_url}{address}")
    else:
        game("Quixo-v0", seats=("human", "mcts:simulations=200"))
    expect(page.get_by_role("button").first).to_be_visible()
    page.wait_for_timeout(300)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    assert page.evaluate(SMALL_TARGETS) == []


def test_the_interface_answers_in_json_beside_pages(server):
    client, _ = server
    for method, path, status, allowed in (
        ("GET", "/api/nothing", 404, None),
        ("GET", "/api", 404, None),
        ("DELETE", "/api/games", 405, "OPTIONS, GET, POST"),
        ("GET", f"/api/games/{'x' * 22}/moves", 405, "OPTIONS, POST"),
        ("PUT", "/api/environments", 405, "OPTIONS, GET"),
        ("TRACE", "/api/games", 405, "OPTIONS, GET, POST"),
        ("OPTIONS", "/api/nothing", 404, None),
        ("PROPFIND", "/api/searches", 405, "OPTIONS, GET"),
    ):
        answer = client.request(method, path)
        assert (answer.status_code, answer.headers.get("Allow")) == (status, allowed)
        assert set(answer.json()) == {"detail"}
    options = client.options(f"/api/games/{'x' * 22}")
    assert (options.status_code, options.headers["Allow"], options.text) == (204, "OPTIONS, GET, DELETE", "")


def test_dark_and_light(game, page):
    page.emulate_media(color_scheme="dark")
    game()
    expect(page.locator("body.body--dark")).to_have_count(1)
    page.get_by_label("light").click()
    expect(page.locator("body.body--dark")).to_have_count(0)
    page.get_by_role("link", name="ci_envs").click()
    expect(page.get_by_role("button").first).to_be_visible()
    expect(page.locator("body.body--dark")).to_have_count(0)
    page.get_by_label("as the system").click()
    expect(page.locator("body.body--dark")).to_have_count(1)


def test_rows_slide(game, page):
    game("Quixo-v0:size=3")
    click(page, "a1", "c1")
    settled(page, 1)
    assert "translate: 144px 0px" in page.locator(".board style").first.text_content()


def test_a_reload_and_another_server_show_the_same_game(browser, page, tmp_path):
    port, path = free_port(), tmp_path / "games.sqlite"
    with process(path, port) as (client, _):
        visit(page, f"{client.base_url}/")
        page.get_by_label("Play Tic-tac-toe against a beginner").click()
        page.wait_for_url("**/game/*")
        page.wait_for_function("window.did_handshake")
        click(page, "b2")
        settled(page, 2)
        position = page.get_by_label("Position", exact=True).input_value()
        page.reload()
        settled(page, 2)
    address = page.url
    page.goto("about:blank")  # because the page of a stopped server reloads itself when the next server starts
    assert (tmp_path / "games.secret").stat().st_mode & 0o777 == 0o600
    with process(path, port) as (client, _):
        page.goto(address)
        settled(page, 2)
        assert position.count("X") == 2  # the one on the board, and the player to move
        expect(page.get_by_label("Position", exact=True)).to_have_value(position)
        page.get_by_role("link", name="ci_envs").click()
        expect(page.locator(".listed")).to_have_count(1)  # it is still known whose game that is


# ------------------------------------------------------------------------------------------------- puzzles, explorer


def test_a_puzzle_accepts_only_its_solution(server, page):
    client, _ = server
    visit(page, f"{client.base_url}/puzzles")
    page.get_by_role("link", name="Tic-tac-toe").click()
    puzzle = make_puzzle(ci_envs.make("TicTacToe-v0").game, seed_of(date.today(), "TicTacToe-v0"))
    names = {action: puzzle.position.action_name(action) for action in puzzle.position.legal_actions()}
    solution = names.pop(puzzle.solution)
    for name in names.values():
        page.locator(f"[data-region='{name}']").click()
        expect(page.get_by_text(f"{name} gives the win away. Try again.")).to_be_visible()
    page.locator(f"[data-region='{solution}']").click()
    expect(page.get_by_text(f"Solved: {solution} wins in")).to_be_visible()
    expect(page.locator(ENABLED)).to_have_count(0)


def test_the_explorer_follows_links_and_moves_on_the_board(server, page):
    client, _ = server
    visit(page, f"{client.base_url}/explorer")
    page.get_by_role("link", name="Tic-tac-toe").click()
    page.locator("[data-region='b2']").click()
    page.wait_for_url("**/explorer/TicTacToe-v0?moves=b2")
    page.get_by_role("table").get_by_role("link", name="a1").click()
    page.wait_for_url("**/explorer/TicTacToe-v0?moves=b2+a1")
    row = page.get_by_role("row").filter(has=page.get_by_role("link", name="c3"))
    expect(row).to_contain_text("draw")
    page.get_by_role("link", name="Start").click()
    page.wait_for_url("**/explorer/TicTacToe-v0")
