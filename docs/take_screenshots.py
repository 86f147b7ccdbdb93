"""Take the pictures of the page: ``python docs/take_screenshots.py [CHROMIUM]``.

It plays a game of Quixo on a server of its own, and writes ``docs/images/page.png`` and ``page_dark_phone.png``.
"""

import json
import sys
import tempfile
import threading
import time
from base64 import b64encode
from pathlib import Path

import uvicorn
from itsdangerous import TimestampSigner
from playwright.sync_api import Browser, Page, sync_playwright

from ci_envs.web.app import create_app
from ci_envs.web.page import add_pages

IMAGES = Path(__file__).parent / "images"
MOVES = ("a1e1", "a5e5", "e2e5", "a2a5", "c1e1", "a1a5", "e3e1", "a4e4")
AGENT = "mcts:simulations=5000"
SECRET = "a secret of no server that stays"
VISITOR = "the browser that takes the pictures"


def main() -> None:
    """Start a server, and take the pictures in a browser."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        app = create_app(Path(folder) / "games.sqlite")
        add_pages(app, SECRET)
        server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="warning"))
        thread = threading.Thread(target=server.run)
        thread.start()
        while not server.started:
            time.sleep(0.1)
        address = f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
        path = sys.argv[1] if len(sys.argv) > 1 else "/usr/bin/chromium"
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        room = app.state.room
        tokens = (VISITOR, VISITOR)
        id = room.create("Quixo-v0", ("human", "human"), tokens=tokens).record.id
        for move in MOVES:
            room.play(id, move, tokens=tokens)
        room.seat(id, ("human", AGENT), tokens=tokens)
        _desktop(browser, f"{address}/game/{id}")
        _phone(browser, f"{address}/game/{id}")
        browser.close()
        server.should_exit = True
        thread.join()


def _desktop(browser: Browser, address: str) -> None:
    page = browser.new_page(viewport={"width": 1180, "height": 1000})
    _think(page, address)
    page.screenshot(path=IMAGES / "page.png")


def _phone(browser: Browser, address: str) -> None:
    page = browser.new_page(viewport={"width": 360, "height": 740}, color_scheme="dark", device_scale_factor=2)
    _think(page, address)
    page.screenshot(path=IMAGES / "page_dark_phone.png")


def _think(page: Page, address: str) -> None:
    """Open a game and wait until its agent has thought about it, and every position has been judged."""
    session = TimestampSigner(SECRET).sign(b64encode(json.dumps({"id": VISITOR}).encode())).decode()
    page.context.add_cookies([{"name": "session", "value": session, "url": address}])  # it has the seats of the game
    page.goto(address)
    page.wait_for_function("window.did_handshake")
    page.get_by_text("Think along").click()
    page.get_by_text("5,000 simulations").wait_for()
    page.locator(".tree .q-tree__arrow").first.click()
    points = "() => getElement(+document.querySelector('.graph').id.slice(1)).chart.getOption().series[0].data.length"
    while page.evaluate(points) <= len(MOVES):
        page.wait_for_timeout(100)
    page.wait_for_timeout(500)  # for what slides open
    page.evaluate("scrollTo(0, 0)")


if __name__ == "__main__":
    main()
