"""Protection against web sites that use a visitor's browser to reach the server.

* :class:`HostGuard` refuses requests for other host names. It stops DNS rebinding, in which an attacker's host name
  resolves to the address of the server.
* :class:`OriginGuard` refuses requests from the pages of other sites. It stops cross-site request forgery, including
  over WebSockets.
* :class:`SecurityHeaders` tells the browser not to show the page in a frame, and to load resources only from the
  server.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import ip_address

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ci_envs.web.error_response import send_error

_LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
_ANY_ADDRESS = ("0.0.0.0", "::", "")
_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?", re.ASCII | re.IGNORECASE)
_SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
_SAME_ORIGIN_ONLY = ("/api", "/_nicegui_ws")  # paths where a GET request changes something or costs time

# NiceGUI compiles templates in the browser and has inline scripts, so it needs the two unsafe sources
_PAGE_POLICY = (
    "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'; object-src 'none'; base-uri 'none'; "
    "form-action 'self'; frame-ancestors 'none'"
)
_API_POLICY = "default-src 'none'; frame-ancestors 'none'"
_HEADERS = {
    "x-frame-options": "DENY",  # for browsers without frame-ancestors
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",  # with no-referrer, the forms of the page would send "Origin: null"
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}


@dataclass(frozen=True)
class AllowedHosts:
    """The host names under which browsers may reach the server.

    Attributes:
        names: Host names and addresses in lower case. IPv6 addresses are in brackets.
        addresses: Whether every IP address is allowed too. DNS rebinding needs a host name, not an address.
    """

    names: frozenset[str] = frozenset(_LOOPBACK)
    addresses: bool = False

    @classmethod
    def of(cls, host: str, extra: Iterable[str] = ()) -> "AllowedHosts":
        """Return the allowed names of a server that listens at ``host`` and also has the names ``extra``.

        Raises:
            ValueError: An element of ``extra`` is not a host name.
        """
        for name in extra:
            match = _HOST.fullmatch(name)
            if match is None or match[1] != name:
                raise ValueError(f"{name!r} is not a host name, such as games.example.org; write it without a port")
        own = f"[{host}]" if ":" in host else host
        names = {*_LOOPBACK, own, *extra}
        return cls(frozenset(name.lower() for name in names), addresses=host in _ANY_ADDRESS)

    def allows(self, host: str) -> bool:
        """Return whether the value of a ``Host`` header names this server."""
        match = _HOST.fullmatch(host)
        if match is None:
            return False
        name = match[1].lower()
        return name in self.names or (self.addresses and _is_address(name))


class HostGuard:
    """Refuse requests whose ``Host`` header does not name the server."""

    def __init__(self, app: ASGIApp, hosts: AllowedHosts) -> None:
        self._app = app
        self._hosts = hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request as an ASGI application."""
        if scope["type"] in ("http", "websocket"):
            given = Headers(scope=scope).getlist("host")
            if len(given) != 1 or not self._hosts.allows(given[0]):
                detail = (
                    f"Unknown host {', '.join(given)[:100]!r}. To allow a name, start the server with --allow-host."
                )
                await send_error(scope, receive, send, 400, detail)
                return
        await self._app(scope, receive, send)


class OriginGuard:
    """Refuse changes, API calls and WebSockets from the pages of other sites. Links to the pages are allowed."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request as an ASGI application."""
        if scope["type"] in ("http", "websocket") and _is_protected(scope) and not _is_same_origin(scope):
            await send_error(
                scope, receive, send, 403, "Another web site sent this request. Open the page of the server."
            )
            return
        await self._app(scope, receive, send)


class SecurityHeaders:
    """Add the security headers to responses."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request as an ASGI application."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        policy = _API_POLICY if _is_under(scope["path"], "/api") else _PAGE_POLICY

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update({**_HEADERS, "content-security-policy": policy})
            await send(message)

        await self._app(scope, receive, send_with_headers)


def _is_protected(scope: Scope) -> bool:
    if scope["type"] == "websocket" or scope["method"] not in _SAFE_METHODS:
        return True
    return any(_is_under(scope["path"], prefix) for prefix in _SAME_ORIGIN_ONLY)


def _is_same_origin(scope: Scope) -> bool:
    """Return whether no header says that another site sent the request. Only browsers send these headers."""
    headers = Headers(scope=scope)
    site, origin = headers.get("sec-fetch-site"), headers.get("origin")
    if site not in (None, "same-origin", "none"):
        return False
    # the scheme is not compared, because behind a TLS proxy the server sees http
    return origin is None or origin.lower().partition("://")[2] == headers.get("host", "").lower()


def _is_under(path: str, prefix: str) -> bool:
    return path == prefix or path.startswith(f"{prefix}/")


def _is_address(name: str) -> bool:
    try:
        ip_address(name.strip("[]"))
    except ValueError:
        return False
    return True
