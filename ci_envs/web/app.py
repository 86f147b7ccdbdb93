"""The server as a whole."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from fastapi import FastAPI
from platformdirs import user_data_path

from ci_envs.web.api import add_handlers, games_router, thinking_router
from ci_envs.web.catalog import Catalog
from ci_envs.web.room import Room
from ci_envs.web.store import Store
from ci_envs.web.thinking import Thinker


def games_file() -> Path:
    """Where games are kept unless another file is named."""
    return user_data_path("ci_envs") / "games.sqlite"


def create_app(path: Path, catalog: Catalog | None = None, *, workers: int | None = None) -> FastAPI:
    """Make the application, with the games in a file.

    Args:
        path: of the file, made if need be.
        catalog: of what can be played; None means all that is registered.
        workers: threads in which agents think; None means as many as there are processors.

    Raises:
        ValueError: ``workers`` is not positive.
        OSError: the file cannot be made, or is something else.
    """
    store = Store(path)
    room = Room(store, catalog or Catalog(), workers=workers)

    thinker = Thinker(room)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        thinker.close()
        room.close()
        store.close()

    app = FastAPI(
        title="ci_envs",
        summary="Board games to play against agents, and to look into their heads",
        lifespan=lifespan,
    )
    add_handlers(app)
    app.include_router(games_router(room))
    app.include_router(thinking_router(thinker))
    app.state.room, app.state.thinker = room, thinker
    return app
