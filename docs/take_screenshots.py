"""Take the screenshots of the web page: ``python docs/take_screenshots.py [CHROMIUM]``.

The script starts a server and writes ``docs/images/page/SUBJECT_DEVICE_SCHEME.webp``. The subjects are the first page,
a game of each environment and a review. Each subject has a picture for a desktop and a phone, in light and dark mode.
"""

import json
import sys
import tempfile
import threading
import time
from base64 import b64encode
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path

import numpy as np
import uvicorn
from itsdangerous import TimestampSigner
from PIL import Image
from playwright.sync_api import Browser, Page, ViewportSize, sync_playwright

from ci_envs.agent_interface.decision import decide
from ci_envs.agent_interface.making import make_agent
from ci_envs.games.position import Position
from ci_envs.registry.games import resolve
from ci_envs.web.app import create_app
from ci_envs.web.game_service import GameService
from ci_envs.web.hosted_game import History
from ci_envs.web.page import add_pages

IMAGES = Path(__file__).parent / "images" / "page"
SECRET = "a secret of no server that stays"
VISITOR = "the browser that takes the pictures"
GAMES = {
    "quixo": ("Quixo-v0", 10),
    "tictactoe": ("TicTacToe-v0", 4),
    "connect_n": ("ConnectN-v0", 12),
    "connect_four": ("ConnectFour-v0", 12),
    "nim": ("Nim-v0", 4),
    "quarto": ("Quarto-v0", 14),
}
"""The id of each game, and the number of moves before its picture."""

REVIEWED = ("b2", "a1", "c3", "b1", "a3", "c1")
"""A game of tic-tac-toe with two mistakes."""

DEVICES: dict[str, ViewportSize] = {"desktop": {"width": 1280, "height": 800}, "phone": {"width": 390, "height": 844}}
_QUALITY = 60  # quality of WebP; with a lower quality the grid of a dark board has stripes


def main() -> None:
    """Start a server, and take the screenshots in a browser."""
    IMAGES.mkdir(exist_ok=True)
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
        try:
            _take_all(browser, app.state.service, address)
        finally:
            browser.close()
            server.should_exit = True
            thread.join()


def _take_all(browser: Browser, service: GameService, address: str) -> None:
    """Take the screenshot of each subject on each device, in light and dark mode."""
    review = _begin(service, "TicTacToe-v0", REVIEWED)
    ids = {
        name: _begin(service, environment, _played(environment, plies)) for name, (environment, plies) in GAMES.items()
    }
    for device, size in DEVICES.items():
        for scheme in ("light", "dark"):
            page = browser.new_page(viewport=size, color_scheme=scheme)
            session = TimestampSigner(SECRET).sign(b64encode(json.dumps({"id": VISITOR}).encode())).decode()
            page.context.add_cookies([{"name": "session", "value": session, "url": address}])
            _open(page, address)
            _save(page, f"lobby_{device}_{scheme}")
            for name, id in ids.items():
                _open(page, f"{address}/game/{id}")
                if name == "quixo":
                    _analyse(page)
                    page.evaluate("scrollTo(0, 0)")
                _save(page, f"{name}_{device}_{scheme}")
            _open(page, f"{address}/game/{review}")
            page.locator(".mistakes button").first.click()
            if device == "phone":
                page.evaluate("document.querySelector('.analysis').scrollIntoView()")
            _save(page, f"review_{device}_{scheme}")
            page.close()


def _begin(service: GameService, environment: str, actions: Sequence[str]) -> str:
    """Create a game with these actions, and return its id."""
    seats, names, tokens = ("human", "human"), ("Ada", "Ben"), (VISITOR, VISITOR)
    return service.create(
        environment, seats, tokens=tokens, owner=VISITOR, names=names, history=History(actions)
    ).record.id


def _played(environment: str, plies: int) -> list[str]:
    """Return the names of the first actions of a game that an agent plays, at most ``plies``."""
    game = resolve(environment)[1]
    position, agent = Position.start(game), make_agent("minimax:depth=3", game, seed=1)
    names: list[str] = []
    while position.result is None and len(names) < plies:
        action = int(decide(agent, np.array([(position.own, position.opp)], dtype=np.uint64)).actions[0])
        names.append(position.action_name(action))
        position = position.play(action)
    return names


def _open(page: Page, address: str) -> None:
    """Open a page and wait until every position of its game has been evaluated."""
    page.goto(address)
    page.wait_for_function("window.did_handshake")
    if "/game/" in address:
        chart = "getElement(+document.querySelector('.graph').id.slice(1)).chart"
        page.wait_for_function(
            f"""() => {{ const series = {chart}?.getOption()?.series;
            return series?.[1].data.length && series[0].data.length === series[1].data.length; }}""",
            timeout=120_000,
        )


def _analyse(page: Page) -> None:
    page.get_by_text("Live analysis").click()
    page.get_by_text("5,000 simulations").wait_for()


def _save(page: Page, name: str) -> None:
    page.wait_for_timeout(500)  # until the animations end
    picture = Image.open(BytesIO(page.screenshot()))
    picture.save(IMAGES / f"{name}.webp", quality=_QUALITY, method=6)


if __name__ == "__main__":
    main()
