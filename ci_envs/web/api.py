"""The REST interface: games, and what agents think of positions."""

from collections.abc import AsyncIterator, Callable
from typing import Annotated, Any

from fastapi import APIRouter, FastAPI, Path, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from sse_starlette import EventSourceResponse
from starlette.concurrency import run_in_threadpool

from ci_envs.web.room import BusyError, Room
from ci_envs.web.schemas import (
    AgentQuestion,
    CatalogEntry,
    Environment,
    ErrorResponse,
    Export,
    GameState,
    NewGame,
    NewMove,
    NewSeats,
    Owner,
    Ply,
    PositionText,
    Question,
    Resignation,
    Spec,
    Summary,
    Thought,
    Verdict,
)
from ci_envs.web.store import ConflictError, UnknownGameError
from ci_envs.web.table import RefusedError
from ci_envs.web.thinking import Thinker
from ci_envs.web.waiting import when_answered

Id = Annotated[str, Path(pattern=r"^[\w-]{22}$", description="of a game")]

_STATUS: dict[type[Exception], int] = {
    ValueError: 422,
    ImportError: 422,
    UnknownGameError: 404,
    RefusedError: 409,
    ConflictError: 409,
    BusyError: 503,
}
_WORDS = {
    422: "something is refused",
    404: "there is no such game",
    409: "the game does not allow it now",
    503: "there is too much to do",
}


_AFTER = "wait until more plies than so many were played or no agent is to play, for 20 seconds at most"
_STREAM = "events `thought`, each with a Thought as its data, then `done`, or `failed` with an ErrorResponse"


def _fails(*statuses: int) -> dict[int | str, dict[str, Any]]:
    return {status: {"model": ErrorResponse, "description": _WORDS[status]} for status in (422, *statuses)}


def add_handlers(app: FastAPI) -> None:
    """Let errors be answered by a sentence, and never by a trace."""

    def answer(status: int) -> Callable[[Request, Exception], JSONResponse]:
        def handler(request: Request, error: Exception) -> JSONResponse:
            text = str(error.args[0]) if error.args else type(error).__name__
            headers = {"Retry-After": "1"} if status == 503 else None
            return JSONResponse({"detail": text}, status, headers)

        return handler

    for kind, status in _STATUS.items():
        app.add_exception_handler(kind, answer(status))

    def invalid(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, RequestValidationError)
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"][1:])) or "the request"
        return JSONResponse({"detail": f"{where}: {first['msg']}"}, 422)

    app.add_exception_handler(RequestValidationError, invalid)


def thinking_router(thinker: Thinker) -> APIRouter:
    """What agents think of positions."""
    router = APIRouter(prefix="/api", tags=["thinking"])

    @router.get(
        "/searches",
        response_class=EventSourceResponse,
        responses={200: {"description": _STREAM, "content": {"text/event-stream": {}}}, **_fails(503)},
    )
    async def search(
        environment: Annotated[Environment, Query()],
        position: Annotated[PositionText, Query()],
        agent: Annotated[Spec, Query(examples=["mcts:simulations=1000"])],
    ) -> EventSourceResponse:
        """Let an agent think about a position, and follow it. Who hangs up ends the search."""
        return EventSourceResponse(_events(await thinker.begin(environment, position, agent)))

    @router.post("/analyses", responses=_fails(503))
    async def analyse(question: AgentQuestion) -> Thought:
        """What an agent thinks of a position in the end."""
        thoughts = await thinker.begin(question.environment, question.position, question.agent)
        *_, last = [thought async for thought in thoughts]
        return last

    @router.post("/exact", responses=_fails())
    def exact(question: Question) -> list[Verdict]:
        """The exact value of each action; none where the position cannot be solved at once."""
        return thinker.verdicts(question.environment, question.position)

    return router


async def _events(thoughts: AsyncIterator[Thought]) -> AsyncIterator[dict[str, str]]:
    try:
        async for thought in thoughts:
            yield {"event": "thought", "data": thought.model_dump_json()}
    except Exception as error:  # of whatever agent; the status was sent long ago
        yield {"event": "failed", "data": ErrorResponse(detail=f"{type(error).__name__}: {error}").model_dump_json()}
        return
    yield {"event": "done", "data": "{}"}


def games_router(room: Room) -> APIRouter:
    """What can be done with the games of a room."""
    router = APIRouter(prefix="/api", tags=["games"])

    @router.get("/environments")
    def environments() -> list[CatalogEntry]:
        """The games that can be played, with their parameters."""
        return list(map(CatalogEntry.of, room.catalog.environments()))

    @router.get("/agents")
    def agents() -> list[CatalogEntry]:
        """The agents that can play, with their options."""
        return list(map(CatalogEntry.of, room.catalog.agents()))

    @router.post("/games", status_code=201, responses=_fails(503))
    def create(new: NewGame) -> GameState:
        """Begin a game."""
        first, second = new.seats
        table = room.create(new.environment, (first, second), seed=new.seed, start=new.position, owner=new.owner)
        return GameState.at(room, table)

    @router.get("/games", responses=_fails())
    def owned(
        owner: Annotated[Owner, Query(min_length=16)], limit: Annotated[int, Query(ge=1, le=100)] = 20
    ) -> list[Summary]:
        """The games of an owner, the newest first."""
        return list(map(Summary.of, room.owned(owner, limit)))

    @router.get("/games/{id}", responses=_fails(404))
    async def read(id: Id, after: Annotated[Ply | None, Query(description=_AFTER)] = None) -> GameState:
        """A game and where it stands. An agent that owes an answer, as after a restart, begins to think."""
        if after is None:
            return GameState.at(room, await run_in_threadpool(room.resume, id))
        return GameState.at(room, await when_answered(room, id, after))

    @router.post("/games/{id}/moves", status_code=201, responses=_fails(404, 409))
    def move(id: Id, new: NewMove) -> GameState:
        """Play an action of a person. It is stored before it is answered; an agent then thinks on its own."""
        return GameState.at(room, room.play(id, new.action, new.ply))

    @router.post("/games/{id}/advance", status_code=202, responses=_fails(404, 409))
    def advance(id: Id) -> GameState:
        """Let the agent whose turn it is play a ply: so games of two agents go on."""
        return GameState.at(room, room.advance(id))

    @router.post("/games/{id}/undo", responses=_fails(404, 409))
    def undo(id: Id) -> GameState:
        """Take back the last turn of a person and what followed; without persons, the last ply."""
        return GameState.at(room, room.undo(id))

    @router.post("/games/{id}/resign", responses=_fails(404, 409))
    def resign(id: Id, who: Resignation) -> GameState:
        """Give up."""
        return GameState.at(room, room.resign(id, who.player))

    @router.put("/games/{id}/seats", responses=_fails(404))
    def seats(id: Id, new: NewSeats) -> GameState:
        """Let others play on, as when seats are swapped."""
        first, second = new.seats
        return GameState.at(room, room.seat(id, (first, second)))

    @router.get("/games/{id}/export", responses=_fails(404))
    def export(id: Id) -> Export:
        """All that is needed to replay a game."""
        return Export.of(room.table(id))

    return router
