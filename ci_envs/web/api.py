"""The REST API: games, and analyses of positions by agents."""

from collections.abc import AsyncIterator, Callable, Iterable
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Cookie, Depends, FastAPI, Header, Path, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import Field as PydanticField
from sse_starlette import EventSourceResponse
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect

from ci_envs.web.agent_process import AgentError
from ci_envs.web.analysis_report import AnalysisReport
from ci_envs.web.analysis_service import AnalysisService
from ci_envs.web.game_service import GameService
from ci_envs.web.game_states import UnavailableGameError
from ci_envs.web.hosted_game import GameStateError, HostedGame
from ci_envs.web.invalid_value import invalid_value
from ci_envs.web.limits import BusyError, ClientLimitError
from ci_envs.web.long_requests import last_while_connected, wait_for_move
from ci_envs.web.schemas import (
    AnalysisRequest,
    CatalogEntry,
    CreatedGame,
    Environment,
    ErrorResponse,
    ExactValue,
    Export,
    GameState,
    NewGame,
    NewMove,
    NewProposal,
    NewSeats,
    Owner,
    Ply,
    PositionRequest,
    PositionText,
    Resignation,
    Spec,
    Summary,
    TakenSeat,
)
from ci_envs.web.seats import SEATS_COOKIE, SeatError, held_seats, new_token, tokens_in
from ci_envs.web.store import ConflictError, StorageError, UnknownGameError

Id = Annotated[str, Path(pattern=r"^[\w-]{22}$", description="The id of a game.")]

_STATUS: dict[type[Exception], int] = {
    ValueError: 422,
    ImportError: 422,
    SeatError: 403,
    UnknownGameError: 404,
    GameStateError: 409,
    UnavailableGameError: 409,
    ConflictError: 409,
    ClientLimitError: 429,
    BusyError: 503,
    AgentError: 503,
    StorageError: 503,
}
_DESCRIPTIONS = {
    422: "A value is invalid.",
    404: "There is no game with this id.",
    409: "The request is impossible in the current state of the game.",
    403: "The client does not have the token of the seat, or another web site sent the request.",
    413: "The body is too large.",
    429: "The request exceeds a limit for this client.",
    503: "The server is busy, or cannot store games.",
}


_CLOSED = 499  # the status code of nginx for a client that has disconnected
_AFTER = "Wait until the game has more moves than this number or no agent is to move, but at most 20 seconds."
_STREAM = "Events `analysis` with an AnalysisReport as data, then `done`, or `failed` with an ErrorResponse."


_COOKIE_AGE = 30 * 24 * 3600
_Tokens = Annotated[str | None, PydanticField(max_length=200)]


def _seat_tokens(
    x_seat_token: Annotated[
        _Tokens, Header(description="The tokens of seats of the game, separated by commas.")
    ] = None,
    seats: Annotated[_Tokens, Cookie(description="The tokens of seats of the game, set by the server.")] = None,
) -> list[str]:
    """Return the tokens in the header and in the cookie of a request."""
    return tokens_in(f"{x_seat_token or ''},{seats or ''}")


SeatTokens = Annotated[list[str], Depends(_seat_tokens)]
SeatNumber = Annotated[int, Path(ge=0, le=1, description="0 for the first player, 1 for the second player.")]


def _set_cookie(response: Response, id: str, tokens: Iterable[str]) -> None:
    """Set a cookie with the tokens of a game. The browser sends it only with requests for this game and its page."""
    for path in (f"/api/games/{id}", f"/game/{id}"):
        response.set_cookie(SEATS_COOKIE, ".".join(tokens), _COOKIE_AGE, path=path, httponly=True, samesite="strict")


def _fails(*statuses: int) -> dict[int | str, dict[str, Any]]:
    return {
        status: {"model": ErrorResponse, "description": _DESCRIPTIONS[status]}
        for status in (403, 413, 422, 429, 503, *statuses)
    }


def add_handlers(app: FastAPI) -> None:
    """Add handlers that answer errors with a message and never with a stack trace."""

    def answer(status: int) -> Callable[[Request, Exception], JSONResponse]:
        def handler(request: Request, error: Exception) -> JSONResponse:
            text = str(error.args[0]) if error.args else type(error).__name__
            headers = {"Retry-After": "1"} if status in (429, 503) else None
            return JSONResponse({"detail": text}, status, headers)

        return handler

    for kind, status in _STATUS.items():
        app.add_exception_handler(kind, answer(status))

    def invalid(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, RequestValidationError)
        return JSONResponse({"detail": invalid_value(error.errors()[0], error.errors()[0]["loc"][1:])}, 422)

    app.add_exception_handler(RequestValidationError, invalid)

    def unreadable(request: Request, error: Exception) -> JSONResponse:
        return JSONResponse({"detail": "The body is not JSON in UTF-8, or it is nested too deeply."}, 422)

    app.add_exception_handler(400, unreadable)  # FastAPI's answer to errors of the JSON parser
    # nobody receives the answer, but without it the error would be logged
    app.add_exception_handler(ClientDisconnect, lambda request, error: Response(status_code=_CLOSED))


def analysis_router(analyses: AnalysisService) -> APIRouter:
    """Return the routes for analyses of positions by agents."""
    router = APIRouter(prefix="/api", tags=["analysis"])

    @router.get(
        "/searches",
        response_class=EventSourceResponse,
        responses={200: {"description": _STREAM, "content": {"text/event-stream": {}}}, **_fails()},
    )
    async def search(
        environment: Annotated[Environment, Query()],
        position: Annotated[PositionText, Query()],
        agent: Annotated[Spec, Query(examples=["mcts:simulations=1000"])],
    ) -> EventSourceResponse:
        """Stream the analysis of a position by an agent. Disconnecting cancels the search."""
        return EventSourceResponse(_events(await analyses.start(environment, position, agent)))

    @router.post("/analyses", responses=_fails())
    async def analyse(question: AnalysisRequest, request: Request) -> AnalysisReport:
        """Return the analysis of a position by an agent at the end of its search. Disconnecting cancels the search."""
        reports = await analyses.start(question.environment, question.position, question.agent)
        return await last_while_connected(request, reports)

    @router.post("/exact", responses=_fails())
    def exact(question: PositionRequest) -> list[ExactValue]:
        """Return the exact value of each action, or an empty list if the position cannot be solved in 3 seconds."""
        return analyses.exact_values(question.environment, question.position)

    return router


async def _events(reports: AsyncIterator[AnalysisReport]) -> AsyncIterator[dict[str, str]]:
    try:
        async for report in reports:
            yield {"event": "analysis", "data": report.model_dump_json()}
    except Exception as error:  # an agent can raise anything, and the status has been sent
        yield {"event": "failed", "data": ErrorResponse(detail=f"{type(error).__name__}: {error}").model_dump_json()}
        return
    yield {"event": "done", "data": "{}"}


def _created(service: GameService, response: Response, create: Callable[..., HostedGame]) -> CreatedGame:
    """Create a game whose seats both belong to the client, and return its state for the response."""
    tokens = new_token(), new_token()
    hosted = create(service, tokens=tokens)
    _set_cookie(response, hosted.record.id, tokens)
    return CreatedGame(**GameState.at(service, hosted).model_dump(), seat_tokens=list(tokens))


def games_router(service: GameService) -> APIRouter:
    """Return the routes for games."""
    router = APIRouter(prefix="/api", tags=["games"])

    @router.get("/environments")
    def environments() -> list[CatalogEntry]:
        """Return the environments with their parameters."""
        return list(map(CatalogEntry.of, service.catalog.environments()))

    @router.get("/agents")
    def agents() -> list[CatalogEntry]:
        """Return the agents with their options."""
        return list(map(CatalogEntry.of, service.catalog.agents()))

    @router.post("/games", status_code=201, responses=_fails())
    def create(new: NewGame, response: Response) -> CreatedGame:
        """Create a game. The response and the cookie contain the tokens of both seats, which are needed to play."""
        return _created(service, response, partial(new.create, owner=new.owner))

    @router.post("/games/import", status_code=201, responses=_fails())
    def import_game(exported: Export, response: Response, owner: Annotated[Owner, Query()] = "") -> CreatedGame:
        """Create a game from an exported one. It goes on if it is not over. The response is that of a new game."""
        return _created(service, response, partial(exported.create, owner=owner))

    @router.get("/games", responses=_fails())
    def owned(
        owner: Annotated[Owner, Query(min_length=1)], limit: Annotated[int, Query(ge=1, le=100)] = 20
    ) -> list[Summary]:
        """Return the games of an owner, the newest first."""
        return list(map(Summary.of, service.owned(owner, limit)))

    @router.get("/games/{id}", responses=_fails(404, 409))
    async def read(id: Id, after: Annotated[Ply | None, Query(description=_AFTER)] = None) -> GameState:
        """Return a game and its state. An agent to move starts to compute, for example after a restart."""
        if after is None:
            return GameState.at(service, await run_in_threadpool(service.resume, id))
        return GameState.at(service, await wait_for_move(service, id, after))

    @router.post("/games/{id}/moves", status_code=201, responses=_fails(404, 409))
    def move(id: Id, new: NewMove, tokens: SeatTokens) -> GameState:
        """Play an action of a person. It is stored before the response. An agent to move then starts."""
        return GameState.at(service, service.play(id, new.action, new.ply, tokens=tokens))

    @router.post("/games/{id}/advance", status_code=202, responses=_fails(404, 409))
    def advance(id: Id, tokens: SeatTokens) -> GameState:
        """Let the agent to move play a move. A game between agents continues in this way."""
        return GameState.at(service, service.advance(id, tokens=tokens))

    @router.post("/games/{id}/undo", responses=_fails(404, 409))
    def undo(id: Id, tokens: SeatTokens) -> GameState:
        """Take back the last turn of the client and all later moves, or propose it to the other person.

        If no person plays, take back the last move.
        """
        return GameState.at(service, service.undo(id, tokens=tokens))

    @router.post("/games/{id}/proposals", responses=_fails(404, 409))
    def propose(id: Id, new: NewProposal, tokens: SeatTokens) -> GameState:
        """Propose a draw, taking back a turn or a rematch, or agree to the same proposal of the other person.

        It happens at once if no other person has a seat.
        """
        return GameState.at(service, service.propose(id, new.kind, tokens=tokens))

    @router.delete("/games/{id}/proposals", responses=_fails(404, 409))
    def decline(id: Id, tokens: SeatTokens) -> GameState:
        """Decline the proposal of the other person, or withdraw an own proposal."""
        return GameState.at(service, service.decline(id, tokens=tokens))

    @router.post("/games/{id}/resign", responses=_fails(404, 409))
    def resign(id: Id, who: Resignation, tokens: SeatTokens) -> GameState:
        """Resign."""
        return GameState.at(service, service.resign(id, who.player, tokens=tokens))

    @router.put("/games/{id}/seats", responses=_fails(404, 409))
    def seats(id: Id, new: NewSeats, tokens: SeatTokens) -> GameState:
        """Change the players, for example swap them."""
        first, second = new.seats
        return GameState.at(service, service.change_seats(id, (first, second), tokens=tokens))

    @router.post("/games/{id}/seats/{player}/take", status_code=201, responses=_fails(404, 409))
    def take(id: Id, player: SeatNumber, tokens: SeatTokens, response: Response) -> TakenSeat:
        """Take a free seat. The response and the cookie contain the token of the seat."""
        token = new_token()
        record = service.take_seat(id, player, token).record
        _set_cookie(response, id, (*(old for old in tokens if held_seats(record, [old])), token))
        return TakenSeat(player=player, seat_token=token)

    @router.post("/games/{id}/seats/{player}/free", responses=_fails(404, 409))
    def free(id: Id, player: SeatNumber, tokens: SeatTokens) -> GameState:
        """Free a seat, so that anybody with the link to the game can take it."""
        return GameState.at(service, service.free_seat(id, player, tokens=tokens))

    @router.delete("/games/{id}", status_code=204, responses=_fails(404, 409))
    def delete(id: Id, tokens: SeatTokens) -> None:
        """Delete a game in which nobody else has a seat."""
        service.delete(id, tokens=tokens)

    @router.get("/games/{id}/export", responses=_fails(404, 409))
    def export(id: Id) -> Export:
        """Return the data that is needed to replay a game."""
        return Export.of(service.get(id))

    return router
