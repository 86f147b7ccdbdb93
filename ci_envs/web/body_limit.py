"""A limit on the size of request bodies."""

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ci_envs.web.error_response import send_error

MAX_BODY = 64 * 1024
"""The largest body of a request and the largest message over a WebSocket, in bytes."""


class BodyLimit:
    """Refuse bodies of more than :data:`MAX_BODY` bytes, without reading more than this number of bytes."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request as an ASGI application."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        length = headers.get("content-length", "")
        if length.isdecimal() and int(length) > MAX_BODY:
            await _refuse(scope, receive, send)
        elif "transfer-encoding" in headers:
            await self._read_first(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    async def _read_first(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Read a body of unknown length before the application does, so that it can still be refused."""
        body, more = b"", True
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                return
            body += message.get("body", b"")
            more = message.get("more_body", False)
            if len(body) > MAX_BODY:
                await _refuse(scope, receive, send)
                return
        read: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

        async def receive_again() -> Message:
            return read.pop() if read else await receive()

        await self._app(scope, receive_again, send)


async def _refuse(scope: Scope, receive: Receive, send: Send) -> None:
    await send_error(scope, receive, send, 413, f"The body is too large. The limit is {MAX_BODY:,} bytes.")
