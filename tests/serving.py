"""Servers for tests: the application in a thread, and the command in a process."""

import os
import re
import shutil
import socket
import subprocess
import sys
import threading
import time
from contextlib import contextmanager

import httpx
import pytest
import uvicorn
from playwright.sync_api import sync_playwright

from ci_envs.registry.agents import AGENTS
from ci_envs.web.app import create_app
from ci_envs.web.fork_server import ForkServer
from ci_envs.web.limits import ClientLimits
from ci_envs.web.timed_protocol import TimedProtocol

SECRET = "a secret of the tests"

# without the parts of a browser that draw windows, pages take two thirds of the processor time
CHROMIUM = shutil.which("chromium-headless-shell") or shutil.which("chromium")
NEEDS_CHROMIUM = pytest.mark.skipif(CHROMIUM is None, reason="the page is tested with chromium, which is not here")

# the start of this hour; in a later time the cache of kernels would remove all folders as unused
STOPPED_TIME = time.time() // 3600 * 3600
STOPPED_CLOCK = f"import time; time.time = lambda: {STOPPED_TIME}; from ci_envs.cli.main import main; main()"

# all tests count as one client, and send many requests
UNLIMITED = ClientLimits(*[10**9] * 7, client_searches=10, searches=16, client_share=1.0)


class LastingForkServer(ForkServer):
    """A fork server for all servers of this process. It ends with the process."""

    def close(self):
        pass


FORK_SERVER = LastingForkServer()


@contextmanager
def chromium():
    """Yield a browser without a window."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@contextmanager
def served(path, pages=False, **options):
    """Yield ``(client, app)`` of a server in this process with its games in ``path``. One server can have pages."""
    app = create_app(path, **{"limits": UNLIMITED, "workers": 1, "fork_server": FORK_SERVER, **options})
    if pages:
        from nicegui import core

        from ci_envs.web.page import add_pages

        add_pages(app, SECRET)
        core.app.config.reconnect_timeout = 10  # seconds; on a busy machine, pages would reload themselves after 3
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="warning", proxy_headers=False, http=TimedProtocol))
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        wait_until(lambda: server.started)
        port = server.servers[0].sockets[0].getsockname()[1]
        with new_client(f"http://127.0.0.1:{port}") as client:
            yield client, app
    finally:
        server.should_exit = True
        thread.join()


@contextmanager
def registered_until_the_end(**agents):
    """Register agents of a module's tests, and remove them at the end: other tests list all registered agents."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(AGENTS, "registered", agents)
        yield


@contextmanager
def process(path, port, *options, cwd=None, stopped_clock=False):
    """Yield ``(client, process)`` of ``ci-envs serve``, and kill the process at the end.

    With a stopped clock, all requests are in one window of the limits.
    """
    program = ["-c", STOPPED_CLOCK] if stopped_clock else ["-m", "ci_envs"]
    command = [sys.executable, *program, "serve", "--no-prepare", "--port", str(port), "--games", str(path), *options]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    running = subprocess.Popen(command, env=environment, cwd=cwd, stdout=subprocess.PIPE, text=True)
    try:
        assert re.match(rf"http://127.0.0.1:{port}$", running.stdout.readline())
        with new_client(f"http://127.0.0.1:{port}") as client:
            wait_until(lambda: _answers(client))
            yield client, running
    finally:
        running.kill()
        running.wait()
        running.stdout.close()


def other_client(client, address="127.0.0.2"):
    """Return a client with another address on this machine."""
    return new_client(client.base_url, transport=httpx.HTTPTransport(local_address=address, verify=False))


def new_client(url, **options):
    """Return a client that does not read the certificates of this machine, which takes 50 ms."""
    return httpx.Client(base_url=url, timeout=60, verify=False, **options)


def limit_pages(connection, _):
    """Let a connection to SQLite fail as on a full disk: its file may not grow."""
    connection.execute("PRAGMA max_page_count = 1")  # SQLite takes at least the present number


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _answers(client):
    try:
        return client.get("/api/environments").status_code == 200
    except httpx.TransportError:
        return False


def wait_until(condition, seconds=120.0):
    """Wait until a condition holds, and return it."""
    begun = time.monotonic()
    while not (found := condition()):
        waited = time.monotonic() - begun
        assert waited < seconds, "it takes too long"
        time.sleep(min(0.01 + waited / 10, 0.1))  # a question costs the processor more than a short wait
    return found


def post_when_free(client, path, body):
    """Return the answer to a request, which is sent again while the server is busy."""
    return wait_until(lambda: None if (answer := client.post(path, json=body)).status_code == 503 else answer)
