"""The HTTP protocol of the server with a time limit for incomplete requests."""

import asyncio
from asyncio import TimerHandle

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

REQUEST_SECONDS = 20.0
"""The time limit for the headers and the body of a request together."""


class TimedProtocol(HttpToolsProtocol):
    """Close a connection on which a request is incomplete for too long. Uvicorn itself waits for ever."""

    _timer: TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for the first request."""
        super().connection_made(transport)
        self._check()

    def data_received(self, data: bytes) -> None:
        """Receive a part of a request."""
        super().data_received(data)
        self._check()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop to wait."""
        self._stop()
        super().connection_lost(exc)

    def _check(self) -> None:
        cycle = self.cycle
        if self.transport.get_protocol() is not self or not (
            cycle is None or cycle.response_complete or cycle.more_body
        ):
            self._stop()  # a WebSocket, or a complete request
        elif self._timer is None:
            self._timer = self.loop.call_later(REQUEST_SECONDS, self.transport.close)

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
