"""Limits for each client and for all clients together, so that one client cannot lock out the others.

A client is an IPv4 address or an IPv6 network with a prefix of 64 bits, the usual network of one household.
"""

import math
import time
from collections import Counter
from contextvars import ContextVar
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address, ip_network

from limits import RateLimitItem, RateLimitItemPerHour, RateLimitItemPerMinute
from limits.aio.storage import MemoryStorage
from limits.aio.strategies import SlidingWindowCounterRateLimiter
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ci_envs.web.error_response import send_error

current_client: ContextVar[str] = ContextVar("current_client", default="")
"""The client of the current request or WebSocket. Empty for the server itself."""

_PAGE_COST = 10  # building a page takes the server as long as some ten calls of the API
_POLICY_VIOLATION = 1008  # status code that closes a WebSocket


@dataclass(frozen=True)
class ClientLimits:
    """The limits. Names with ``client_`` apply to each client, the other names to all clients together.

    Attributes:
        client_requests: Requests per minute, without the static files of the page. A page counts as 10 requests.
        requests: Requests per minute, without the static files of the page. A page counts as 10 requests.
        client_messages: Messages per minute over the WebSockets of the page.
        client_changes: Simultaneous requests other than GET.
        client_new_games: New games per hour.
        client_games: Unfinished games that were changed in the last hour.
        games: Unfinished games that were changed in the last hour.
        client_searches: Simultaneous searches.
        searches: Simultaneous searches.
        client_share: The part of the time of the server that the pages of a client can take.
    """

    client_requests: int = 1_200
    requests: int = 24_000
    client_messages: int = 3_000
    client_changes: int = 16
    client_new_games: int = 600
    client_games: int = 200
    games: int = 2_000
    client_searches: int = 6
    searches: int = 16
    client_share: float = 0.25


class ClientLimitError(Exception):
    """The error of a request beyond the limits for one client."""


class BusyError(Exception):
    """The error of a request beyond what the server allows to all clients together."""


class RateLimit:
    """Refuse requests beyond the limits, and set :data:`current_client` for each request."""

    def __init__(self, app: ASGIApp, limits: ClientLimits) -> None:
        self._app = app
        self._limiter = SlidingWindowCounterRateLimiter(MemoryStorage())
        self._requests = RateLimitItemPerMinute(limits.client_requests, namespace="requests")
        self._all_requests = RateLimitItemPerMinute(limits.requests, namespace="all")
        self._messages = RateLimitItemPerMinute(limits.client_messages, namespace="messages")
        self._new_games = RateLimitItemPerHour(limits.client_new_games, namespace="games")
        self._most_changes = limits.client_changes
        self._changes: Counter[str] = Counter()  # current requests other than GET, by client

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request as an ASGI application."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        client = client_of(scope)
        current_client.set(client)
        if scope["type"] == "websocket":
            await self._handle_socket(client, scope, receive, send)
        else:
            await self._handle_request(client, scope, receive, send)

    async def _handle_request(self, client: str, scope: Scope, receive: Receive, send: Send) -> None:
        path, method = scope["path"], scope["method"]
        cost = _cost(path)
        wait = await self._wait(self._requests, client, cost=cost) if cost else 0
        if not wait and method == "POST" and path in ("/api/games", "/api/games/import"):
            wait = await self._wait(self._new_games, client)
        if wait:
            detail = f"This client sends too many requests. Retry in {wait} s."
            await send_error(scope, receive, send, 429, detail, retry_after=str(wait))
            return
        wait = await self._wait(self._all_requests, cost=cost) if cost else 0
        if wait:
            await send_error(
                scope, receive, send, 503, f"The server is busy. Retry in {wait} s.", retry_after=str(wait)
            )
            return
        if method in ("GET", "HEAD", "OPTIONS"):
            await self._app(scope, receive, send)
            return
        if self._changes[client] >= self._most_changes:
            detail = f"This client has {self._most_changes} open requests. Retry when one of them is answered."
            await send_error(scope, receive, send, 429, detail, retry_after="1")
            return
        self._changes[client] += 1
        try:
            await self._app(scope, receive, send)
        finally:
            self._changes[client] -= 1
            if not self._changes[client]:
                del self._changes[client]

    async def _handle_socket(self, client: str, scope: Scope, receive: Receive, send: Send) -> None:
        wait = await self._wait(self._requests, client)
        if wait:
            detail = f"This client opens too many WebSockets. Retry in {wait} s."
            await send_error(scope, receive, send, 429, detail, retry_after=str(wait))
            return

        async def receive_limited() -> Message:
            message = await receive()
            if message["type"] == "websocket.receive" and await self._wait(self._messages, client):
                await send({"type": "websocket.close", "code": _POLICY_VIOLATION})
                return {"type": "websocket.disconnect", "code": _POLICY_VIOLATION}
            return message

        await self._app(scope, receive_limited, send)

    async def _wait(self, item: RateLimitItem, *client: str, cost: int = 1) -> int:
        """Count a request. Return 0 if it is within the limit, else the seconds to wait."""
        if await self._limiter.hit(item, *client, cost=cost):
            return 0
        stats = await self._limiter.get_window_stats(item, *client)
        return max(1, math.ceil(stats.reset_time - time.time()))


def _cost(path: str) -> int:
    """Return as how many requests a request counts: 0 for the files of the pages, 1 for the API, else a page."""
    if path.startswith("/_nicegui/"):
        return 0
    return _PAGE_COST if is_page(path) else 1


def is_page(path: str) -> bool:
    """Return whether a path is that of a page, and not of a file of the pages, the API or a WebSocket."""
    return not path.startswith(("/_nicegui/", "/api/", "/_nicegui_ws/"))


def client_of(scope: Scope) -> str:
    """Return the client that sent a request: its IPv4 address, or the first 64 bits of its IPv6 address."""
    host = (scope.get("client") or ("unknown", 0))[0]
    try:
        address = ip_address(host)
    except ValueError:
        return str(host)
    if not isinstance(address, IPv6Address):
        return str(address)
    return str(address.ipv4_mapped or ip_network((address.packed[:8] + bytes(8), 64)))
