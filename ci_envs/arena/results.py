"""What came out of games between two agents."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ci_envs.solver.solution import NO_SCORE, keep_value


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
class Accuracy:
    """Actions against the exact answer.

    Attributes:
        actions: how many were judged.
        keeping: those that kept the value of their position.
        optimal: those that also won as soon, or lost as late, as possible.
        critical: actions in positions in which some legal action loses value.
        critical_keeping: of these, those that kept the value.
        points_lost: what the others cost, a win being worth 1, a draw 1/2 and a loss 0.
    """

    actions: int = 0
    keeping: int = 0
    optimal: int = 0
    critical: int = 0
    critical_keeping: int = 0
    points_lost: float = 0.0

    def __add__(self, other: "Accuracy") -> "Accuracy":
        return Accuracy(*(getattr(self, name) + getattr(other, name) for name in self.__dataclass_fields__))


def judge(action_scores: NDArray[np.int16], actions: NDArray[np.int64]) -> Accuracy:
    """Judge legal actions by the exact scores of all.

    Args:
        action_scores: of :meth:`ci_envs.solver.solution.Solution.action_scores`, shape (n, actions).
        actions: those chosen, shape (n,).
    """
    chosen, best = action_scores[np.arange(len(actions)), actions], action_scores.max(axis=1)
    keeps = np.sign(chosen) == np.sign(best)
    critical = ((action_scores != NO_SCORE) & ~keep_value(action_scores)).any(axis=1)
    return Accuracy(
        actions=len(actions),
        keeping=int(np.count_nonzero(keeps)),
        optimal=int(np.count_nonzero(chosen == best)),
        critical=int(np.count_nonzero(critical)),
        critical_keeping=int(np.count_nonzero(critical & keeps)),
        points_lost=float((np.sign(best) - np.sign(chosen)).sum()) / 2,
    )


@dataclass(frozen=True)
class Side:
    """How one agent fared in a match.

    Attributes:
        seats: the games in which it moved first, and those in which it moved second.
        illegal: games it lost by an illegal action.
        decisions: actions it was asked for.
        seconds: wall-clock time it took to decide, in all.
        accuracy: of its legal actions; nothing was judged where the game is not solved.
    """

    seats: tuple[Record, Record]
    illegal: int
    decisions: int
    seconds: float
    accuracy: Accuracy = Accuracy()

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
    """

    sides: tuple[Side, Side]
    plies: int
    different: tuple[int, int]
