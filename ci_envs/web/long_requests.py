"""Requests that are answered later: a wait for the next move, and a search that ends if the client disconnects."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress

from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request

from ci_envs.web.analysis_report import AnalysisReport
from ci_envs.web.game_service import GameService
from ci_envs.web.hosted_game import HostedGame

_SECONDS = 20.0  # less than the timeout of proxies


async def wait_for_move(service: GameService, id: str, plies: int) -> HostedGame:
    """Return a game when it has more than ``plies`` moves or no agent is to move, but after at most 20 s.

    Raises:
        UnknownGameError: There is no game with this id.
    """
    loop = asyncio.get_running_loop()
    end = loop.time() + _SECONDS
    with service.listeners.event(id) as changed:
        while True:
            changed.clear()
            hosted = await run_in_threadpool(service.resume, id)
            left = end - loop.time()
            if len(hosted.record.actions) > plies or left <= 0 or not service.is_agent_due(hosted):
                return hosted
            with suppress(TimeoutError):
                await asyncio.wait_for(changed.wait(), left)


async def last_while_connected(request: Request, reports: AsyncIterator[AnalysisReport]) -> AnalysisReport:
    """Return the last report of a search. Cancel the search if the client disconnects.

    Args:
        request: The request of the client. Its body has been read.
        reports: The reports of the search, at least one.

    Raises:
        ClientDisconnect: The client has disconnected.
    """
    searching, leaving = asyncio.create_task(_last(reports)), asyncio.create_task(_disconnected(request))
    try:
        await asyncio.wait((searching, leaving), return_when=asyncio.FIRST_COMPLETED)
        if searching.done():
            return searching.result()
        raise ClientDisconnect
    finally:
        searching.cancel()
        leaving.cancel()


async def _last(reports: AsyncIterator[AnalysisReport]) -> AnalysisReport:
    *_, last = [report async for report in reports]
    return last


async def _disconnected(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
