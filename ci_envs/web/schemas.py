"""The requests and responses of the API, as Pydantic models."""

import time
from typing import Annotated, Any, Literal
from unicodedata import category

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
)
from typing_extensions import override

from ci_envs.registry.options import NamedOption
from ci_envs.web.catalog import Entry
from ci_envs.web.clock import Clock, seconds_left, used_seconds
from ci_envs.web.game_service import GameService
from ci_envs.web.hosted_game import Ending, History, HostedGame
from ci_envs.web.proposals import Kind, open_proposal
from ci_envs.web.seats import FREE
from ci_envs.web.store import GameRecord

_LEAST_OWNER, _MOST_OWNER = 16, 64  # characters


def _ascii(text: str) -> str:
    """Return a text if it is ASCII. Other scripts contain characters that look alike, and other digits."""
    if not text.isascii():
        raise ValueError("Allowed: ASCII characters")
    return text


def _long_or_empty(owner: str) -> str:
    if 0 < len(owner) < _LEAST_OWNER:
        raise ValueError(f"Allowed: {_LEAST_OWNER} to {_MOST_OWNER} characters, or an empty text")
    return owner


def _printable(name: str) -> str:
    if any(category(character) == "Cc" for character in name):
        raise ValueError("Allowed: text without control characters")
    return name


def _name_or_number(value: Any, check: ValidatorFunctionWrapHandler) -> Any:
    """Check an action. Without this function, the error is about one of the two types."""
    try:
        return check(value)
    except ValidationError:
        raise ValueError("Allowed: the name of an action, or its number from 0") from None


_ASCII: dict[str, Any] = {"pattern": "^[\\x00-\\x7F]*$"}  # in the document; the message is that of _ascii
Spec = Annotated[str, Field(min_length=1, max_length=300, json_schema_extra=_ASCII), AfterValidator(_ascii)]
Seat = Annotated[
    Spec, Field(description="`human`, or the spec string of an agent.", examples=["human", "mcts:simulations=200"])
]
Environment = Annotated[
    Spec,
    Field(description="The id of an environment with parameters.", examples=["TicTacToe-v0", "Nim-v0:heaps=3,4,5"]),
]
PositionText = Annotated[
    str,
    Field(min_length=1, max_length=300, examples=["X../.O./... X"], json_schema_extra=_ASCII),
    AfterValidator(_ascii),
]
Owner = Annotated[
    str,
    Field(
        max_length=_MOST_OWNER,
        description=f"A secret of at least {_LEAST_OWNER} characters, with which you can list your games, or empty.",
        json_schema_extra={"pattern": rf"^([\s\S]{{{_LEAST_OWNER},}})?$"},
    ),
    AfterValidator(_long_or_empty),
]
PlayerName = Annotated[
    str,
    Field(
        max_length=30,
        description="The name of a person, or empty.",
        json_schema_extra={"pattern": r"^[^\x00-\x1F\x7F-\x9F]*$"},
    ),
    AfterValidator(_printable),
]
Seed = Annotated[int, Field(ge=0, lt=2**53)]
Ply = Annotated[int, Field(ge=0, lt=2**31)]
Increment = Annotated[
    float, Field(ge=0, le=180, allow_inf_nan=False, description="The seconds that a player gets after each turn.")
]
Player = Annotated[int, Field(ge=0, le=1)]
_ActionName = Annotated[str, Field(min_length=1, max_length=20, json_schema_extra=_ASCII), AfterValidator(_ascii)]
_DAY = 86_400.0  # seconds
Used = Annotated[
    float,
    Field(ge=-_DAY, le=_DAY, allow_inf_nan=False, description="The seconds used, less the increments."),
]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class OptionDeclaration(BaseModel):
    """An option: its meaning, the JSON schema of its values, and the values that clients can choose."""

    meaning: str
    values: dict[str, Any]
    settable: bool = Field(description="Whether clients can set the option.")
    most: float | None = Field(description="The largest value that clients can choose, or null.")

    @classmethod
    def of(cls, option: NamedOption) -> "OptionDeclaration":
        """Return the declaration of an option."""
        limit = option.declared.untrusted
        most = None if limit is None else limit.most
        return cls(meaning=option.meaning, values=option.schema, settable=limit is not None, most=most)


class CatalogEntry(BaseModel):
    """An environment or an agent with its options."""

    name: str
    purpose: str
    options: dict[str, Any]
    declarations: dict[str, OptionDeclaration]
    checkpoints: list[str]

    @classmethod
    def of(cls, entry: Entry) -> "CatalogEntry":
        """Return the entry of a catalog."""
        return cls(
            name=entry.name,
            purpose=entry.purpose,
            options={name: one.default_value for name, one in entry.options.items()},
            declarations={name: OptionDeclaration.of(one) for name, one in entry.options.items()},
            checkpoints=list(entry.checkpoints),
        )


class GameSetup(BaseModel):
    """The environment and the players of a game to create."""

    environment: Environment
    seats: Annotated[list[Seat], Field(min_length=2, max_length=2)]
    names: Annotated[list[PlayerName], Field(min_length=2, max_length=2)] = Field(default=["", ""])
    seed: Seed

    def create(self, service: GameService, **others: Any) -> HostedGame:
        """Create the game on a server. The other arguments and the errors are those of its ``create``."""
        (first, second), (name, other) = self.seats, self.names
        return service.create(self.environment, (first, second), names=(name, other), seed=self.seed, **others)


class NewGame(_Strict, GameSetup):
    """A game to create."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"environment": "Quixo-v0", "seats": ["human", "human"]}]}
    )
    seats: Annotated[list[Seat], Field(min_length=2, max_length=2)] = Field(default=["human", "human"])
    seed: Seed = 0
    position: PositionText | None = None
    owner: Owner = ""
    minutes: Annotated[float, Field(gt=0, le=1440, allow_inf_nan=False)] | None = Field(
        default=None, description="The minutes of each player for all moves after the first move. null means no clock."
    )
    increment: Increment = 0.0

    @override
    def create(self, service: GameService, **others: Any) -> HostedGame:
        clock = Clock(60 * (self.minutes or 0), self.increment)
        return super().create(service, start=self.position, clock=clock, **others)


class NewMove(_Strict):
    """An action to play, by its name or number."""

    action: Annotated[_ActionName | Ply, WrapValidator(_name_or_number)]
    ply: Ply | None = Field(
        default=None, description="The expected number of earlier moves. With another number, the status is 409."
    )


class NewSeats(_Strict):
    """The new players."""

    seats: Annotated[list[Seat], Field(min_length=2, max_length=2)]


class OpenProposal(BaseModel):
    """A proposal of a person, which the other person can accept by proposing the same."""

    kind: Kind
    player: Player


class NewProposal(_Strict):
    """A proposal to the other person."""

    kind: Kind


class Resignation(_Strict):
    """The player who resigns. By default, this is a person whose token the client sends, first the player to move."""

    player: Player | None = None


class Action(BaseModel):
    """A legal action."""

    number: int
    name: str


class Move(BaseModel):
    """A move of a game."""

    ply: int
    player: Player
    number: int
    name: str


class Summary(BaseModel):
    """A game in a list of games."""

    id: str
    environment: str
    seats: list[str]
    names: list[str] = Field(description="The names of the persons, or empty.")
    created: float = Field(description="The time of creation, in seconds since 1970.")
    plies: int
    over: bool

    @classmethod
    def of(cls, record: GameRecord) -> "Summary":
        """Return the summary of a record."""
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
    """A game and its current state."""

    seed: int
    start: str
    position: str
    diagram: str
    to_move: Player
    moves: list[Move]
    legal: list[Action] = Field(description="The legal actions. Empty after the end of the game.")
    ending: Ending | None = Field(
        description="The reason for the end of the game, or null while the game is in progress."
    )
    winner: Player | None = Field(
        description="The player who has won, or null in a draw and while the game is in progress."
    )
    thinking: bool = Field(description="Whether an agent is computing a move.")
    agent_error: str | None = Field(description="The error of the agent to move, or null.")
    seconds_left: list[float] | None = Field(
        description="The seconds that players 0 and 1 have left, or null without a clock."
    )
    increment: float = Field(description="The seconds that a player gets after each turn.")
    free_seats: list[Player] = Field(description="The players whose seats anybody with the link to the game can take.")
    proposal: OpenProposal | None = Field(description="The open proposal of a person, or null.")
    rematch: str = Field(description="The id of the rematch, or empty.")

    @classmethod
    def at(cls, service: GameService, hosted: HostedGame) -> "GameState":
        """Return the state of a game."""
        record, position, left = hosted.record, hosted.position, seconds_left(hosted, time.time())
        proposal = open_proposal(hosted)
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
            increment=record.increment,
            free_seats=[player for player, token in enumerate(record.tokens) if token == FREE],
            proposal=None if proposal is None else OpenProposal(kind=proposal.kind, player=proposal.player),
            rematch=record.rematch,
        )


class CreatedGame(GameState):
    """A new game with the tokens of its seats."""

    seat_tokens: list[str] = Field(
        description="The tokens of players 0 and 1. Send one as X-Seat-Token, or send the cookie."
    )


class TakenSeat(BaseModel):
    """A seat that the client has taken, with its token."""

    player: Player
    seat_token: str = Field(description="The token of the seat. Send it as X-Seat-Token, or send the cookie.")


class Export(_Strict, GameSetup):
    """The data that is needed to replay a game."""

    format: Literal["ci_envs game 1"] = "ci_envs game 1"
    start: PositionText
    actions: Annotated[list[_ActionName], Field(max_length=10_000)]
    ending: Ending | None
    winner: Player | None
    clock: Annotated[float, Field(ge=0, le=_DAY, allow_inf_nan=False, description="0 means no clock.")] = 0.0
    increment: Increment = 0.0
    used: Annotated[list[Used], Field(min_length=2, max_length=2)] = Field(default=[0.0, 0.0])

    @override
    def create(self, service: GameService, **others: Any) -> HostedGame:
        clock = Clock(self.clock, self.increment)
        return super().create(service, start=self.start, clock=clock, history=self._history, **others)

    @property
    def _history(self) -> History:
        """The moves, the result and the used time."""
        loser = 1 - self.winner if self.winner is not None and self.ending in ("resigned", "time") else None
        used = [self.clock if self.ending == "time" and player == loser else self.used[player] for player in range(2)]
        first, second = (min(seconds, self.clock) for seconds in used)
        return History(self.actions, loser, self.ending == "agreement", (first, second), (self.ending, self.winner))

    @classmethod
    def of(cls, hosted: HostedGame) -> "Export":
        """Return the export of a game."""
        record = hosted.record
        return cls(
            environment=record.environment,
            seats=list(record.seats),
            names=list(record.names),
            seed=record.seed,
            start=record.start,
            actions=hosted.positions[0].line_names(record.actions),
            ending=hosted.ending,
            winner=hosted.winner,
            clock=record.clock,
            increment=record.increment,
            used=list(used_seconds(hosted, time.time())),
        )


class ErrorResponse(BaseModel):
    """An error."""

    detail: str = Field(description="The message: what was wrong, what is allowed, and how to fix it.")


class PositionRequest(_Strict):
    """A position to evaluate."""

    environment: Environment
    position: PositionText


class AnalysisRequest(PositionRequest):
    """A position to analyse, and the agent that analyses it."""

    agent: Annotated[Spec, Field(examples=["mcts:simulations=1000"])]


class ExactValue(BaseModel):
    """The exact value of an action for the player who plays it: 1 is a win, 0 a draw, -1 a loss."""

    number: int
    name: str
    value: Annotated[int, Field(ge=-1, le=1)]
    plies: int | None = Field(
        description="The number of plies to the end of the game under optimal play, or null if unknown."
    )
