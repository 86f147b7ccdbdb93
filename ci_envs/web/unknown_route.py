"""The responses to requests under ``/api`` that no operation handles. Otherwise, NiceGUI would answer with a page."""

from collections.abc import Sequence

from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Match
from starlette.types import Receive, Scope, Send

_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")


class UnknownRoute:
    """Answer OPTIONS with the allowed methods of a path, another method with 405, and an unknown path with 404."""

    def __init__(self, operations: Sequence[BaseRoute]) -> None:
        """Make the handler for an application with these routes."""
        self._operations = operations

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request as an ASGI application."""
        path, method = scope["path"], scope["method"]
        allowed = [each for each in _METHODS if self._is_operation({**scope, "method": each})]
        headers = {"Allow": ", ".join(["OPTIONS", *allowed])}
        if not allowed:
            response: Response = JSONResponse({"detail": f"There is no operation {path[:100]!r}. See /docs."}, 404)
        elif method == "OPTIONS":
            response = Response(status_code=204, headers=headers)
        else:
            detail = f"{path[:100]!r} does not allow {method[:20]}. Allowed: {', '.join(allowed)}."
            response = JSONResponse({"detail": detail}, 405, headers)
        await response(scope, receive, send)

    def _is_operation(self, scope: Scope) -> bool:
        return any(route.matches(scope)[0] == Match.FULL for route in self._operations)
