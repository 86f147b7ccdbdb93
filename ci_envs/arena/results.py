"""What came out of games between two agents."""

from collections.abc import Mapping
from dataclasses import dataclass

from ci_envs.arena.grading import Accuracy


@dataclass(frozen=True)
class Record:
    """Games won, drawn and lost by one agent."""

    wins: int = 0
    draws: int = 0
    losses: int = 0

    @property
    def games(self) -> int:
        """Number of games."""
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> float:
        """Mean points a game: 1 for a win, 1/2 for a draw."""
        return (self.wins + self.draws / 2) / self.games

    def __add__(self, other: "Record") -> "Record":
        return Record(self.wins + other.wins, self.draws + other.draws, self.losses + other.losses)


@dataclass(frozen=True)
class Side:
    """How one agent fared in a match.

    Attributes:
        seats: the games in which it moved first, and those in which it moved second.
        illegal: games it lost by an illegal action.
        decisions: actions it was asked for.
        seconds: wall-clock time it took to decide, in all.
        accuracy: of its actions; nothing is graded where the game is not solved.
    """

    seats: tuple[Record, Record]
    illegal: int
    decisions: int
    seconds: float
    accuracy: Accuracy

    @property
    def total(self) -> Record:
        """Both seats together."""
        return self.seats[0] + self.seats[1]

    @property
    def ms_per_move(self) -> float:
        """Milliseconds a decision, deciding for many boards at once."""
        return 1000 * self.seconds / self.decisions

    def __add__(self, other: "Side") -> "Side":
        return Side(
            (self.seats[0] + other.seats[0], self.seats[1] + other.seats[1]),
            self.illegal + other.illegal,
            self.decisions + other.decisions,
            self.seconds + other.seconds,
            self.accuracy + other.accuracy,
        )


@dataclass(frozen=True)
class MatchResult:
    """What came out of a match.

    Attributes:
        sides: the two agents, in the order they were given.
        plies: actions of all games together.
        different: how many different games (as sequences of actions) were played with the first agent to move, and how
            many with the second. 1 says that the agents are deterministic: more games would tell nothing new.
        by_length: the games by how many plies they took: records of the first agent, as the one to move first and as
            the second.
    """

    sides: tuple[Side, Side]
    plies: int
    different: tuple[int, int]
    by_length: Mapping[int, tuple[Record, Record]]
