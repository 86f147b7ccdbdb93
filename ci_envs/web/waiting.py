"""Waiting for an agent's answer without asking again and again."""

import asyncio
from contextlib import suppress

from starlette.concurrency import run_in_threadpool

from ci_envs.web.room import Room
from ci_envs.web.table import Table

_SECONDS = 20.0  # so that no proxy between takes it for dead


async def when_answered(room: Room, id: str, plies: int) -> Table:
    """The game of an id as soon as it has more than so many plies or no agent is to play; after 20 s as it is.

    Raises:
        UnknownGameError: there is no such game.
    """
    loop, changed = asyncio.get_running_loop(), asyncio.Event()

    def tell() -> None:
        with suppress(RuntimeError):  # the loop was closed: nobody waits
            loop.call_soon_threadsafe(changed.set)

    end = loop.time() + _SECONDS
    with room.listening(id, tell):
        while True:
            changed.clear()
            table = await run_in_threadpool(room.resume, id)
            left = end - loop.time()
            if len(table.record.actions) > plies or left <= 0 or not room.owes(table):
                return table
            with suppress(TimeoutError):
                await asyncio.wait_for(changed.wait(), left)
