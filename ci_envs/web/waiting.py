"""Waiting for the answer of an agent, for as long as the client is connected."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress

from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request

from ci_envs.web.room import Room
from ci_envs.web.schemas import Thought
from ci_envs.web.table import Table

_SECONDS = 20.0  # so that no proxy between takes it for dead


async def when_answered(room: Room, id: str, plies: int) -> Table:
    """Return a game as soon as it has more than ``plies`` plies or no agent has to play, but after at most 20 s.

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


async def last_while_connected(request: Request, thoughts: AsyncIterator[Thought]) -> Thought:
    """Return the last thought of a search; cancel the search when the client disconnects.

    Args:
        request: of the client, whose body has been read.
        thoughts: of the search, at least one.

    Raises:
        ClientDisconnect: the client has disconnected.
    """
    thinking, leaving = asyncio.create_task(_last(thoughts)), asyncio.create_task(_disconnected(request))
    try:
        await asyncio.wait((thinking, leaving), return_when=asyncio.FIRST_COMPLETED)
        if thinking.done():
            return thinking.result()
        raise ClientDisconnect
    finally:
        thinking.cancel()
        leaving.cancel()


async def _last(thoughts: AsyncIterator[Thought]) -> Thought:
    *_, last = [thought async for thought in thoughts]
    return last


async def _disconnected(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
