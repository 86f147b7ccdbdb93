"""The requests and responses of the API, as Pydantic models."""

import time
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from ci_envs.web.catalog import Entry
from ci_envs.web.clock import seconds_left
from ci_envs.web.game_service import GameService
from ci_envs.web.hosted_game import Ending, HostedGame
from ci_envs.web.seats import FREE
from ci_envs.web.store import GameRecord


def _ascii(text: str) -> str:
    """Return a text without characters that look like others, for example digits of another script."""
    if not text.isascii():
        raise ValueError("Allowed: ASCII characters")
    return text


Spec = Annotated[str, Field(min_length=1, max_length=300), AfterValidator(_ascii)]
Seat = Annotated[
    Spec, Field(description="`human`, or an agent with options", examples=["human", "mcts:simulations=200"])
]
Environment = Annotated[Spec, Field(description="an id with parameters", examples=["Quixo-v0", "Nim-v0:heaps=3,4,5"])]
PositionText = Annotated[str, Field(min_length=1, max_length=300, examples=["X../.O./... X"]), AfterValidator(_ascii)]
Owner = Annotated[str, Field(max_length=64, description="a token of your own choice: who knows it sees the list")]
PlayerName = Annotated[str, Field(max_length=30, description="of a person, or empty")]
Seed = Annotated[int, Field(ge=0, lt=2**53)]
Ply = Annotated[int, Field(ge=0, lt=2**31)]
Player = Annotated[int, Field(ge=0, le=1)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class CatalogEntry(BaseModel):
    """An environment or an agent, with its options."""

    name: str
    purpose: str
    options: dict[str, Any]
    checkpoints: list[str]

    @classmethod
    def of(cls, entry: Entry) -> "CatalogEntry":
        """As JSON has it."""
        return cls(
            name=entry.name,
            purpose=entry.purpose,
            options=dict(entry.options),
            checkpoints=list(entry.checkpoints),
        )


class NewGame(_Strict):
    """A game to begin."""

    environment: Environment
    seats: Annotated[list[Seat], Field(min_length=2, max_length=2)] = Field(default=["human", "human"])
    seed: Seed = 0
    position: PositionText | None = None
    owner: Owner = ""
    names: Annotated[list[PlayerName], Field(min_length=2, max_length=2)] = Field(default=["", ""])
    minutes: Annotated[float, Field(gt=0, le=1440, allow_inf_nan=False)] | None = Field(
        default=None, description="of each player for all moves, from the first move on; null means no clock"
    )


class NewMove(_Strict):
    """An action to play, by its name or its number."""

    action: Annotated[str, Field(min_length=1, max_length=20), AfterValidator(_ascii)] | Ply
    ply: Ply | None = Field(default=None, description="plies played before: another number is a conflict")


class NewSeats(_Strict):
    """The players from now on."""

    seats: Annotated[list[Seat], Field(min_length=2, max_length=2)]


class Resignation(_Strict):
    """The player who resigns; by default the person to move, otherwise the only person."""

    player: Player | None = None


class Action(BaseModel):
    """A legal action: its number, its name, and what one clicks for it."""

    number: int
    name: str


class Move(BaseModel):
    """An action that was played."""

    ply: int
    player: Player
    number: int
    name: str


class Summary(BaseModel):
    """A game in a list."""

    id: str
    environment: str
    seats: list[str]
    names: list[str] = Field(description="the names that the players gave themselves, or empty")
    created: float = Field(description="seconds since 1970")
    plies: int
    over: bool

    @classmethod
    def of(cls, record: GameRecord) -> "Summary":
        """As JSON has it."""
        return cls(
            id=record.id,
            environment=record.environment,
            seats=list(record.seats),
            names=list(record.names),
            created=record.created,
            plies=len(record.actions),
            over=record.over,
        )


class GameState(Summary):
    """A game and where it stands."""

    seed: int
    start: str
    position: str
    diagram: str
    to_move: Player
    moves: list[Move]
    legal: list[Action] = Field(description="none once it is over")
    ending: Ending | None = Field(description="why it is over")
    winner: Player | None = Field(description="null in a draw and while it goes on")
    thinking: bool = Field(description="whether an agent is about to play")
    agent_error: str | None = Field(description="the error of an agent that had to play")
    seconds_left: list[float] | None = Field(description="of player 0 and of player 1; null without a clock")
    free_seats: list[Player] = Field(description="players whose seats anybody with the link to the game can take")

    @classmethod
    def at(cls, service: GameService, hosted: HostedGame) -> "GameState":
        """As JSON has it."""
        record, position, left = hosted.record, hosted.position, seconds_left(hosted, time.time())
        legal = [] if hosted.ending else position.legal_actions()
        return cls(
            **Summary.of(record).model_dump(),
            seed=record.seed,
            start=record.start,
            position=position.to_text(),
            diagram=position.diagram(),
            to_move=position.to_move,
            moves=[
                Move(ply=ply, player=before.to_move, number=action, name=before.action_name(action))
                for ply, (before, action) in enumerate(zip(hosted.positions, record.actions, strict=False))
            ],
            legal=[Action(number=action, name=position.action_name(action)) for action in legal],
            ending=hosted.ending,
            winner=hosted.winner,
            thinking=service.is_agent_due(hosted),
            agent_error=service.agent_error(record.id),
            seconds_left=None if left is None else list(left),
            free_seats=[player for player, token in enumerate(record.tokens) if token == FREE],
        )


class CreatedGame(GameState):
    """A game that the client has created, with the tokens that it needs to play."""

    seat_tokens: list[str] = Field(description="of player 0 and of player 1; send one as X-Seat-Token, or the cookie")


class TakenSeat(BaseModel):
    """A seat that the client has taken."""

    player: Player
    seat_token: str = Field(description="send it as X-Seat-Token, or the cookie")


class Export(BaseModel):
    """All that is needed to replay a game."""

    format: Literal["ci_envs game 1"] = "ci_envs game 1"
    environment: Environment
    seats: Annotated[list[Seat], Field(min_length=2, max_length=2)]
    names: Annotated[list[PlayerName], Field(min_length=2, max_length=2)] = Field(default=["", ""])
    seed: Seed
    start: PositionText
    actions: Annotated[list[str], Field(max_length=10_000)]
    ending: Ending | None
    winner: Player | None

    @classmethod
    def of(cls, hosted: HostedGame) -> "Export":
        """As JSON has it."""
        record = hosted.record
        return cls(
            environment=record.environment,
            seats=list(record.seats),
            names=list(record.names),
            seed=record.seed,
            start=record.start,
            actions=list(map(hosted.game.action_name, record.actions)),
            ending=hosted.ending,
            winner=hosted.winner,
        )


class ErrorResponse(BaseModel):
    """The error, in a sentence."""

    detail: str


class PositionRequest(_Strict):
    """A position to think about."""

    environment: Environment
    position: PositionText


class AnalysisRequest(PositionRequest):
    """A position for an agent to think about."""

    agent: Annotated[Spec, Field(examples=["mcts:simulations=1000"])]


class AnalysedAction(BaseModel):
    """The analysis of an action by an agent."""

    number: int
    name: str
    value: float | None = Field(description="for the player who plays it, on the scale of the agent; null if not tried")
    visits: int | None = Field(description="simulations that began with it; null where there are none")
    share: float | None = Field(description="of the simulations")
    prior: float | None = Field(description="the probability by the network alone; null without a network")


class TreeBranch(BaseModel):
    """An action in a search tree, and the most visited of those that follow it."""

    number: int
    name: str
    visits: int
    value: float | None = Field(description="from -1 to 1, for the player who plays it")
    prior: float | None
    proven: bool = Field(description="whether the value is exact")
    children: list["TreeBranch"]


class AnalysisReport(BaseModel):
    """The analysis of a position by an agent so far."""

    value: float = Field(description="for the player to move, on the agent's scale")
    win_probability: float | None = Field(description="of the player to move, a draw as a half; null where unknown")
    simulations: int | None
    depth: int | None
    nodes: int | None
    principal_variation: list[str]
    actions: list[AnalysedAction]
    tree: list[TreeBranch]


class ExactValue(BaseModel):
    """The exact value of an action for the player who plays it: 1 wins, 0 draws, -1 loses."""

    number: int
    name: str
    value: Annotated[int, Field(ge=-1, le=1)]
    plies: int | None = Field(description="to the end, where that is known")
