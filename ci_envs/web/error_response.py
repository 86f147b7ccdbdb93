"""The answer to a request that is refused before the application sees it."""

from starlette.responses import JSONResponse
from starlette.types import Receive, Scope, Send


async def send_error(scope: Scope, receive: Receive, send: Send, status: int, detail: str, **headers: str) -> None:
    """Answer a request or a handshake of a socket with a status code and one sentence, and close the connection.

    Args:
        scope: of the request.
        receive: of the request.
        send: of the request.
        status: the HTTP status code.
        detail: the sentence, which becomes ``detail`` of an ErrorResponse.
        headers: further headers, with ``_`` for ``-``.
    """
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    response = JSONResponse({"detail": detail}, status, {"connection": "close", **named})
    await response(scope, receive, send)
