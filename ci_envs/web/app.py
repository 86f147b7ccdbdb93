"""The application of the server: the REST API and its protection."""

import asyncio
import gc
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from fastapi import FastAPI
from fastapi_offline import FastAPIOffline
from starlette.routing import Route

from ci_envs.storage.user_folders import user_data
from ci_envs.web.analysis_service import AnalysisService
from ci_envs.web.api import add_handlers, analysis_router, games_router
from ci_envs.web.body_limit import BodyLimit
from ci_envs.web.catalog import Catalog
from ci_envs.web.fork_server import ForkServer
from ci_envs.web.game_service import GameService
from ci_envs.web.guard import AllowedHosts, HostGuard, OriginGuard, SecurityHeaders
from ci_envs.web.limits import ClientLimits, RateLimit
from ci_envs.web.page_turns import PageTurns
from ci_envs.web.socket_packets import SocketPackets
from ci_envs.web.store import StorageError, Store
from ci_envs.web.unknown_route import UnknownRoute

_HOUR = 3600.0  # seconds


def games_file() -> Path:
    """Return the default file of the games.

    Raises:
        OSError: The user has no home directory.
    """
    return user_data() / "games.sqlite"


def create_app(
    path: Path,
    catalog: Catalog | None = None,
    *,
    workers: int | None = None,
    hosts: AllowedHosts | None = None,
    limits: ClientLimits | None = None,
    memory_mb: int | None = None,
    prepares: bool = False,
    fork_server: ForkServer | None = None,
) -> FastAPI:
    """Make the application.

    Args:
        path: The path of the file of the games. The file is created if it does not exist.
        catalog: The environments and agents that clients can choose. None means all registered ones.
        workers: The number of processes in which agents compute moves. None means the number of processors, but at
            least 2.
        hosts: The host names under which browsers may reach the server. None means those of the loopback interface.
        limits: The limits for clients. None means the defaults.
        memory_mb: The memory of all worker processes together, in units of 2^20 bytes. None means 192, and 256
            more for each worker.
        prepares: Whether to compile the code of the usual games in the background after the start.
        fork_server: The process that forks the worker processes. None means one that starts with the first of them.

    Raises:
        ValueError: ``workers`` or ``memory_mb`` is not positive.
        OSError: The file cannot be created, or is not a store of games.
    """
    store = Store(path)
    service = GameService(
        store, catalog or Catalog(), workers=workers, limits=limits, memory_mb=memory_mb, fork_server=fork_server
    )

    analyses = AnalysisService(service)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        gc.freeze()  # the modules are never garbage, and a collection would visit all their objects
        threading.Thread(target=service.start, kwargs={"prepares": prepares}, name="start", daemon=True).start()
        expiring = asyncio.create_task(_expire(service))
        yield
        expiring.cancel()
        analyses.close()
        service.close()
        store.close()

    app = FastAPIOffline(
        title="ci_envs",
        summary="Play board games against agents, and analyse positions",
        lifespan=lifespan,
    )
    add_handlers(app)
    _protect(app, hosts or AllowedHosts(), service.limits)
    app.include_router(games_router(service))
    app.include_router(analysis_router(analyses))
    unknown_route = UnknownRoute(list(app.routes))
    for unknown in ("/api", "/api/{rest:path}"):
        app.router.routes.append(Route(unknown, unknown_route, include_in_schema=False))
    app.state.service, app.state.analyses = service, analyses
    return app


async def _expire(service: GameService) -> None:
    """Delete abandoned games now and every hour."""
    while True:
        with suppress(StorageError):  # the next attempt is in an hour
            await asyncio.to_thread(service.expire)
        await asyncio.sleep(_HOUR)


def _protect(app: FastAPI, hosts: AllowedHosts, limits: ClientLimits) -> None:
    """Add the checks of all requests, including those of the pages and of their WebSocket.

    The check that is added last is made first.
    """
    app.add_middleware(BodyLimit)
    app.add_middleware(SocketPackets)
    app.add_middleware(PageTurns, share=limits.client_share)
    app.add_middleware(RateLimit, limits=limits)
    app.add_middleware(OriginGuard)
    app.add_middleware(HostGuard, hosts=hosts)
    app.add_middleware(SecurityHeaders)
