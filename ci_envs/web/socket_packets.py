"""The check of the packets that clients send over the WebSocket of the pages."""

import json
import re
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ci_envs.web.error_response import send_error

_INVALID = 1007  # status code that closes a WebSocket
_CONTROL = re.compile(r"[1236]|2probe|5|4[01](\{.*\})?", re.ASCII | re.DOTALL)  # of Engine.IO and Socket.IO
_EVENT = re.compile(r"42\d{0,9}(\[.*\])", re.ASCII | re.DOTALL)
_NONE = type(None)
_FIELDS: dict[str, dict[str, tuple[type, ...]]] = {
    "handshake": {
        "client_id": (str,),
        "tab_id": (str,),
        "document_id": (str,),
        "old_tab_id": (str, _NONE),
        "next_message_id": (int, _NONE),
    },
    "event": {"client_id": (str,), "id": (int,), "listener_id": (str,), "args": (list,)},
    "javascript_response": {"client_id": (str,), "request_id": (str,)},
    "ack": {"client_id": (str,), "next_message_id": (int,)},
}
"""The events that a page sends, with the types of their fields. A log message of a client is not among them."""


class SocketPackets:
    """Close a WebSocket with a packet that no page sends. Refuse the transport without a WebSocket."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request as an ASGI application."""
        if scope["type"] == "http" and scope["path"].startswith("/_nicegui_ws/"):
            await send_error(scope, receive, send, 400, "The pages need a WebSocket.")
            return
        if scope["type"] != "websocket":
            await self._app(scope, receive, send)
            return

        async def receive_checked() -> Message:
            message = await receive()
            if message["type"] == "websocket.receive" and not is_valid_packet(message.get("text")):
                await send({"type": "websocket.close", "code": _INVALID})
                return {"type": "websocket.disconnect", "code": _INVALID}
            return message

        await self._app(scope, receive_checked, send)


def is_valid_packet(text: str | None) -> bool:
    """Return whether a text is a packet that a page sends. None is a binary message, which no page sends."""
    if text is None:
        return False
    event = _EVENT.fullmatch(text)
    try:
        if event is not None:
            return _is_valid_event(json.loads(event[1]))
        control = _CONTROL.fullmatch(text)
        return control is not None and isinstance(json.loads(control[1] or "{}"), dict)
    except (ValueError, RecursionError):
        return False


def _is_valid_event(event: Any) -> bool:
    if len(event) != 2 or not isinstance(event[0], str) or not isinstance(event[1], dict):
        return False
    name, data = event
    fields = _FIELDS.get(name)
    if fields is None or not all(isinstance(data.get(field), types) for field, types in fields.items()):
        return False
    for argument in data["args"] if name == "event" else ():
        if argument is not None:
            json.loads(argument) if isinstance(argument, str) else _refuse()
    return True


def _refuse() -> None:
    raise ValueError("an argument is not a text")
