"""Waiting for the answer of an agent, for as long as the client is connected."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress

from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request

from ci_envs.web.game_service import GameService
from ci_envs.web.hosted_game import HostedGame
from ci_envs.web.schemas import AnalysisReport

_SECONDS = 20.0  # so that no proxy between takes it for dead


async def when_answered(service: GameService, id: str, plies: int) -> HostedGame:
    """Return a game as soon as it has more than ``plies`` plies or no agent has to play, but after at most 20 s.

    Raises:
        UnknownGameError: there is no such game.
    """
    loop, changed = asyncio.get_running_loop(), asyncio.Event()

    def tell() -> None:
        with suppress(RuntimeError):  # the loop was closed: nobody waits
            loop.call_soon_threadsafe(changed.set)

    end = loop.time() + _SECONDS
    with service.subscribe(id, tell):
        while True:
            changed.clear()
            hosted = await run_in_threadpool(service.resume, id)
            left = end - loop.time()
            if len(hosted.record.actions) > plies or left <= 0 or not service.is_agent_due(hosted):
                return hosted
            with suppress(TimeoutError):
                await asyncio.wait_for(changed.wait(), left)


async def last_while_connected(request: Request, thoughts: AsyncIterator[AnalysisReport]) -> AnalysisReport:
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


async def _last(thoughts: AsyncIterator[AnalysisReport]) -> AnalysisReport:
    *_, last = [thought async for thought in thoughts]
    return last


async def _disconnected(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
