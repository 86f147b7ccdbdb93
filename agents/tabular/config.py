"""The options of tabular reinforcement learning."""

from dataclasses import dataclass

from ci_envs.agents.tabular.episodes import (
    CONSTANT,
    DRAWN,
    EVERY_VISIT,
    EXPONENTIAL,
    FIRST,
    FIRST_VISIT,
    LINEAR,
    LINES,
    LONGEST_RUN,
    POTENTIAL,
    SECOND,
    Schedule,
)
from ci_envs.training.checks import POSITIVE, PROBABILITY, AgentSpec, Choice, Flag, Integer, Number, OrNone
from ci_envs.training.config import TrainingConfig, option

SCHEDULES = {"constant": CONSTANT, "linear": LINEAR, "exponential": EXPONENTIAL}
SHAPINGS = {"lines": LINES, "potential": POTENTIAL, "longest_run": LONGEST_RUN}
SEATS = {"random": DRAWN, "first": FIRST, "second": SECOND}
VISITS = {"first": FIRST_VISIT, "every": EVERY_VISIT}

SELF_PLAY = "self"
"""The value of ``opponent`` for self-play, in which the agent learns from both sides."""

_RATE = Number(0, 1, above=True)


@dataclass(frozen=True, kw_only=True)
class QLearningConfig(TrainingConfig):
    """The options of ``q_learning``.

    Raises:
        ValueError: a value is not allowed, or two values exclude each other.
    """

    episodes: int = option("number of training games", Integer(1), 1_000_000, is_length=True)
    opponent: str = option(
        "opponent in training; 'self' is self-play, which learns from both sides of every game",
        AgentSpec((SELF_PLAY,)),
        SELF_PLAY,
    )
    seat: str = option(
        "seat of the learner against an opponent; random draws a seat for each game", Choice(tuple(SEATS)), "random"
    )
    symmetries: bool = option("whether symmetric positions share their values", Flag(), False)
    learning_rate: float = option("learning rate at the start", _RATE, 0.3)
    learning_rate_end: float = option("learning rate at the end", _RATE, 0.02)
    exploration: str = option("exploration method", Choice(("epsilon_greedy", "softmax")), "epsilon_greedy")
    epsilon: float = option("probability of a random action at the start", PROBABILITY, 1.0)
    epsilon_end: float = option("probability of a random action at the end", PROBABILITY, 0.05)
    temperature: float = option("temperature of the softmax at the start", POSITIVE, 1.0)
    temperature_end: float = option("temperature of the softmax at the end", POSITIVE, 0.05)
    schedule: str = option("how the rates change from start to end", Choice(tuple(SCHEDULES)), "linear")
    schedule_delay: float = option("fraction of the training before the rates begin to change", PROBABILITY, 0.0)
    discount: float | None = option(
        "discount factor per turn of a player; none is 0.99 in games that can cycle, and 1 in other games",
        OrNone(PROBABILITY),
        None,
    )
    initial: float = option("initial value of new positions; optimistic if above all returns", Number(-1e6, 1e6), 0.0)
    initial_spread: float = option(
        "new values are drawn uniformly from initial - initial_spread to initial + initial_spread", Number(0, 1e6), 0.0
    )
    random_plies: int = option(
        "maximum number of random plies at the start of an episode; they are not learned from", Integer(0, 1000), 0
    )
    shaping: str | None = option(
        "reward shaping; lines: 0.25 per cell by which the longest own line grows or that of the opponent shrinks;"
        " potential: the same as a potential, which keeps the optimal policy (Ng, Harada, Russell 1999); longest_run:"
        " the rewards of report D: a quarter of the board's size for a longer own run and for a shorter run of"
        " the opponent at the next own turn, and minus as much for the opposite",
        OrNone(Choice(tuple(SHAPINGS))),
        None,
    )
    table_mb: float = option("memory of the table, in MiB", POSITIVE, 256.0, changeable=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.opponent == SELF_PLAY and self.seat != "random":
            raise ValueError(f"seat={self.seat} needs an opponent: in self-play the learner plays both sides")
        is_exponential = self.schedule == "exponential" and self.exploration == "epsilon_greedy"
        if is_exponential and min(self.epsilon, self.epsilon_end) == 0:
            raise ValueError(
                f"schedule=exponential needs epsilons above 0, not {self.epsilon:g} and {self.epsilon_end:g}"
            )

    @property
    def learning_rates(self) -> Schedule:
        """The learning rate over the run."""
        return self._schedule(self.learning_rate, self.learning_rate_end)

    @property
    def exploration_rates(self) -> Schedule:
        """Epsilon or the softmax temperature over the run."""
        softmax = self.exploration == "softmax"
        ends = (self.temperature, self.temperature_end) if softmax else (self.epsilon, self.epsilon_end)
        return self._schedule(*ends)

    def _schedule(self, start: float, end: float) -> Schedule:
        return Schedule(SCHEDULES[self.schedule], start, end, self.schedule_delay)


@dataclass(frozen=True, kw_only=True)
class MonteCarloConfig(QLearningConfig):
    """The options of ``monte_carlo``.

    Raises:
        ValueError: a value is not allowed, or two values exclude each other.
    """

    visits: str = option("which visits of a position in an episode are learned from", Choice(tuple(VISITS)), "first")
    values: str = option(
        "whether values belong to actions, or to the states after them", Choice(("action", "state")), "action"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.shaping == "potential" and self.values == "state":  # its reward depends on the previous position
            raise ValueError(
                "shaping=potential is for values=action: with values=state it changes which positions are best"
            )
