"""The error response to a request that is refused before it reaches the application."""

from starlette.responses import JSONResponse
from starlette.types import Receive, Scope, Send


async def send_error(scope: Scope, receive: Receive, send: Send, status: int, detail: str, **headers: str) -> None:
    """Answer a request or the handshake of a WebSocket with an error, and close the connection.

    Args:
        scope: The scope of the request.
        receive: The ASGI function that receives messages.
        send: The ASGI function that sends messages.
        status: The HTTP status code.
        detail: The message, ``detail`` of an ErrorResponse.
        headers: Further headers, with ``_`` instead of ``-`` in their names.
    """
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    response = JSONResponse({"detail": detail}, status, {"connection": "close", **named})
    await response(scope, receive, send)
