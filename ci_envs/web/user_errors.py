"""Asking the service from a page: in a thread, and what is refused told in a sentence."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

from nicegui import ui
from pydantic import ValidationError

from ci_envs.web.game_service import BusyError
from ci_envs.web.hosted_game import GameStateError
from ci_envs.web.limits import ClientLimitError
from ci_envs.web.seats import SeatError
from ci_envs.web.store import ConflictError, UnknownGameError

USER_ERRORS = (
    ValueError,
    ImportError,
    UnknownGameError,
    GameStateError,
    SeatError,
    ConflictError,
    ClientLimitError,
    BusyError,
)
"""What the service and its searches refuse something with."""

T = TypeVar("T")


async def run_or_notify(call: Callable[[], T]) -> T | None:
    """Return the result of a call, or None if it was refused. The user then gets a message."""
    try:
        return await asyncio.to_thread(call)
    except USER_ERRORS as error:
        ui.notify(error_text(error), type="warning")
        return None


def error_text(error: Exception) -> str:
    """Return the message of an error, without the place where it was raised."""
    if isinstance(error, ValidationError):
        first = error.errors()[0]
        return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
    return str(error.args[0]) if error.args else type(error).__name__
