"""Asking the room from a page: in a thread, and what is refused told in a sentence."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

from nicegui import ui
from pydantic import ValidationError

from ci_envs.web.limits import TooManyError
from ci_envs.web.room import BusyError
from ci_envs.web.seats import SeatError
from ci_envs.web.store import ConflictError, UnknownGameError
from ci_envs.web.table import RefusedError

REFUSALS = (ValueError, ImportError, UnknownGameError, RefusedError, SeatError, ConflictError, TooManyError, BusyError)
"""What the room and its searches refuse something with."""

T = TypeVar("T")


async def asked(call: Callable[[], T]) -> T | None:
    """Return the result of a call, or None if it was refused. The user then gets a message."""
    try:
        return await asyncio.to_thread(call)
    except REFUSALS as error:
        ui.notify(sentence(error), type="warning")
        return None


def sentence(error: Exception) -> str:
    """Return the message of an error, without the place where it was raised."""
    if isinstance(error, ValidationError):
        first = error.errors()[0]
        return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
    return str(error.args[0]) if error.args else type(error).__name__
