"""The turns of clients that load pages, so that the pages of one client take only a part of the time of the server."""

import asyncio

from starlette.types import ASGIApp, Receive, Scope, Send

from ci_envs.web.error_response import send_error
from ci_envs.web.limits import current_client, is_page

_MOST_PAGES = 16  # of a client that are built or wait
_LONGEST_PAUSE = 2.0  # seconds; a page can take long because its client receives slowly


class _Turns:
    """The pages of a client. ``free_at`` is the end of the pause after the last one, on the clock of the event loop."""

    def __init__(self) -> None:
        self.lock, self.pages, self.free_at = asyncio.Lock(), 0, 0.0


class PageTurns:
    """Build one page of a client at a time, with a pause after each page that depends on its duration."""

    def __init__(self, app: ASGIApp, share: float) -> None:
        """Begin without pages.

        Args:
            app: The application, called after :class:`~ci_envs.web.limits.RateLimit`.
            share: The largest part of the time of the server that a client can take, above 0. From 1 on there are no
                pauses.
        """
        self._app = app
        self._pause = max(0.0, 1 / share - 1)
        self._clients: dict[str, _Turns] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request as an ASGI application."""
        if scope["type"] != "http" or not is_page(scope["path"]):
            await self._app(scope, receive, send)
            return
        turns = self._clients.setdefault(current_client.get(), _Turns())
        if turns.pages >= _MOST_PAGES:
            detail = f"This client loads {_MOST_PAGES} pages at the same time. Retry in a few seconds."
            await send_error(scope, receive, send, 429, detail, retry_after="2")
            return
        turns.pages += 1
        try:
            async with turns.lock:
                await self._build(turns, scope, receive, send)
        finally:
            turns.pages -= 1
            self._forget()

    async def _build(self, turns: _Turns, scope: Scope, receive: Receive, send: Send) -> None:
        loop = asyncio.get_running_loop()
        await asyncio.sleep(max(0.0, turns.free_at - loop.time()))
        began = loop.time()
        try:
            await self._app(scope, receive, send)
        finally:
            ended = loop.time()
            turns.free_at = ended + min(_LONGEST_PAUSE, self._pause * (ended - began))

    def _forget(self) -> None:
        """Forget the clients that have no pages, and whose pauses have ended."""
        now = asyncio.get_running_loop().time()
        for name in [name for name, turns in self._clients.items() if not turns.pages and turns.free_at <= now]:
            del self._clients[name]
