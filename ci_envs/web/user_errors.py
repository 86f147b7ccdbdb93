"""The errors that users of a page can cause, and their messages."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

from nicegui import ui
from pydantic import ValidationError

from ci_envs.web.agent_process import AgentError
from ci_envs.web.game_states import UnavailableGameError
from ci_envs.web.hosted_game import GameStateError
from ci_envs.web.invalid_value import invalid_value
from ci_envs.web.limits import BusyError, ClientLimitError
from ci_envs.web.seats import SeatError
from ci_envs.web.store import ConflictError, StorageError, UnknownGameError

USER_ERRORS = (
    ValueError,
    ImportError,
    UnknownGameError,
    UnavailableGameError,
    GameStateError,
    SeatError,
    ConflictError,
    ClientLimitError,
    BusyError,
    AgentError,
    StorageError,
)
"""The errors that the game service and the analyses raise for a request that is invalid or not allowed."""

T = TypeVar("T")


async def run_or_notify(call: Callable[[], T]) -> T | None:
    """Run a call in a thread and return its result.

    If it raises one of :data:`USER_ERRORS`, show the message and return None.
    """
    try:
        return await asyncio.to_thread(call)
    except USER_ERRORS as error:
        ui.notify(error_text(error), type="warning")
        return None


def error_text(error: Exception) -> str:
    """Return the message of an error in one line."""
    if isinstance(error, ValidationError):
        first = error.errors()[0]
        return invalid_value(first, first["loc"])
    return str(error.args[0]) if error.args else type(error).__name__
