"""Take the screenshots of the site: ``python docs/take_site_screenshots.py``, after ``make docs``."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).parents[1]
PAGES = {"front": "", "environment": "environments/quixo/", "tutorial": "tutorials/first_environment/"}
_SECONDS_OF_GAME = 8  # then the animation of the front page shows a board with several moves


def main() -> None:
    """Write a screenshot of each page, in light and dark mode, to ``docs/images``."""
    with served() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium")
        for scheme in ("light", "dark"):
            context = browser.new_context(color_scheme=scheme, viewport={"width": 1300, "height": 850})
            page = context.new_page()
            for name, path in PAGES.items():
                page.goto(f"{address}/{path}")
                page.wait_for_load_state("networkidle")
                page.wait_for_timeout(_SECONDS_OF_GAME * 1000)
                page.screenshot(path=ROOT / "docs" / "images" / f"site_{name}_{scheme}.png")
        browser.close()


@contextmanager
def served() -> Iterator[str]:
    """Serve the site that ``make docs`` built, and yield its address."""
    handler = partial(SimpleHTTPRequestHandler, directory=ROOT / "build" / "site")
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


if __name__ == "__main__":
    main()
