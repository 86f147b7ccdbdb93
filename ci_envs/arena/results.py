"""Results of games between two agents."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from ci_envs.arena.grading import Accuracy
from ci_envs.arena.timing import Timing


@dataclass(frozen=True)
class Record:
    """The numbers of games that one agent won, drew and lost.

    Examples:
        >>> from ci_envs.arena import Record
        >>> Record(wins=3, draws=1, losses=0).score
        0.875
    """

    wins: int = 0
    draws: int = 0
    losses: int = 0

    @property
    def games(self) -> int:
        """The number of games."""
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> float:
        """The mean points per game: 1 for a win, 1/2 for a draw. It is nan without games."""
        return (self.wins + self.draws / 2) / self.games if self.games else math.nan

    def __add__(self, other: "Record") -> "Record":
        return Record(self.wins + other.wins, self.draws + other.draws, self.losses + other.losses)


@dataclass(frozen=True)
class LostGame:
    """A game that an agent lost.

    Attributes:
        opening: the first position, as ``own`` and ``opp``.
        moved_first: whether the agent moved first.
        actions: all actions. The last one can be illegal, or -1 if the agent failed.
    """

    opening: tuple[int, int]
    moved_first: bool
    actions: tuple[int, ...]


@dataclass(frozen=True)
class Side:
    """The results of one agent in a match.

    Attributes:
        seats: the games in which it moved first, and those in which it moved second.
        faults: number of games lost by an illegal action or without an action.
        first_fault: the first reason, or an empty text.
        decisions: number of decisions.
        seconds: total wall-clock time of the decisions, on many boards at once.
        accuracy: the accuracy of its actions. It has no decisions if the game is not solved.
        lost_games: the first game that it lost in each seat.

    Examples:
        >>> from ci_envs import Nim, make_agent
        >>> from ci_envs.arena import play_match
        >>> side, _ = play_match(Nim(), make_agent("nim_expert", Nim()), make_agent("random", Nim(), seed=0), 10).sides
        >>> [record.games for record in side.seats]
        [5, 5]
    """

    seats: tuple[Record, Record]
    faults: int
    first_fault: str
    decisions: int
    seconds: float
    accuracy: Accuracy
    lost_games: tuple[LostGame, ...] = ()

    @property
    def total(self) -> Record:
        """The results of both seats together."""
        return self.seats[0] + self.seats[1]

    @property
    def ms_per_move(self) -> float:
        """Milliseconds per decision, for many boards at once. It is nan without decisions."""
        return Timing(self.decisions, self.seconds).ms

    def __add__(self, other: "Side") -> "Side":
        return Side(
            (self.seats[0] + other.seats[0], self.seats[1] + other.seats[1]),
            self.faults + other.faults,
            self.first_fault or other.first_fault,
            self.decisions + other.decisions,
            self.seconds + other.seconds,
            self.accuracy + other.accuracy,
            self.lost_games + other.lost_games,
        )


@dataclass(frozen=True)
class MatchResult:
    """The result of a match.

    Attributes:
        sides: the results of the two agents, in their order.
        plies: total number of actions in all games.
        different: number of different games (as sequences of actions) with the first agent to move, and with the second
            agent to move. 1 means that the agents are deterministic, so more games would give no new information.
        by_length: the games by number of plies: records of the first agent for games in which it moves first, and for
            games in which it moves second.

    Examples:
        >>> from ci_envs import Nim, make_agent
        >>> from ci_envs.arena import play_match
        >>> result = play_match(Nim(), make_agent("nim_expert", Nim()), make_agent("random", Nim(), seed=0), 10)
        >>> result.sides[0].total.games
        10
    """

    sides: tuple[Side, Side]
    plies: int
    different: tuple[int, int]
    by_length: Mapping[int, tuple[Record, Record]]


@dataclass(frozen=True)
class Pairing:
    """Two labels, and the match of their agents."""

    labels: tuple[str, str]
    match: MatchResult
