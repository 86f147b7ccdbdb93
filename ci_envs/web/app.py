"""The server as a whole."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from fastapi import FastAPI
from fastapi_offline import FastAPIOffline
from platformdirs import user_data_path
from starlette.routing import Route

from ci_envs.web.analysis_service import AnalysisService
from ci_envs.web.api import add_handlers, analysis_router, games_router
from ci_envs.web.body_limit import BodyLimit
from ci_envs.web.catalog import Catalog
from ci_envs.web.game_service import GameService
from ci_envs.web.guard import AllowedHosts, HostGuard, OriginGuard, SecurityHeaders
from ci_envs.web.limits import ClientLimits, RateLimit
from ci_envs.web.store import Store
from ci_envs.web.unknown_route import UnknownRoute

_HOUR = 3600.0  # seconds


def games_file() -> Path:
    """Return the default file of the games."""
    return user_data_path("ci_envs") / "games.sqlite"


def create_app(
    path: Path,
    catalog: Catalog | None = None,
    *,
    workers: int | None = None,
    hosts: AllowedHosts | None = None,
    limits: ClientLimits | None = None,
) -> FastAPI:
    """Make the application, with the games in a file.

    Args:
        path: of the file, made if need be.
        catalog: of what can be played; None means all that is registered.
        workers: threads in which agents think; None means as many as there are processors.
        hosts: the names under which browsers may reach the server; None means those of the loopback interface.
        limits: on what clients may use; None means the defaults.

    Raises:
        ValueError: ``workers`` is not positive.
        OSError: the file cannot be made, or is something else.
    """
    store = Store(path)
    service = GameService(store, catalog or Catalog(), workers=workers, limits=limits)

    analyses = AnalysisService(service)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        expiring = asyncio.create_task(_expire(service))
        yield
        expiring.cancel()
        analyses.close()
        service.close()
        store.close()

    app = FastAPIOffline(
        title="ci_envs",
        summary="Board games to play against agents, and to look into their heads",
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
        await asyncio.to_thread(service.expire)
        await asyncio.sleep(_HOUR)


def _protect(app: FastAPI, hosts: AllowedHosts, limits: ClientLimits) -> None:
    """Check every request, also those of the pages and of their socket. The last check added is the first made."""
    app.add_middleware(BodyLimit)
    app.add_middleware(RateLimit, limits=limits)
    app.add_middleware(OriginGuard)
    app.add_middleware(HostGuard, hosts=hosts)
    app.add_middleware(SecurityHeaders)
