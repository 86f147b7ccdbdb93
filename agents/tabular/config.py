"""The options of tabular reinforcement learning."""

from dataclasses import dataclass
from typing import Annotated

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
from ci_envs.registry.options import Option
from ci_envs.training.config import TrainingConfig

SCHEDULES = {"constant": CONSTANT, "linear": LINEAR, "exponential": EXPONENTIAL}
SHAPINGS = {"lines": LINES, "potential": POTENTIAL, "longest_run": LONGEST_RUN}
SEATS = {"random": DRAWN, "first": FIRST, "second": SECOND}
VISITS = {"first": FIRST_VISIT, "every": EVERY_VISIT}

SELF_PLAY = "self"
"""The value of ``opponent`` for self-play, in which the agent learns from both sides."""


@dataclass(frozen=True, kw_only=True)
class QLearningConfig(TrainingConfig):
    """The options of ``q_learning``.

    Raises:
        ValueError: a value is not allowed, or two values exclude each other.
    """

    episodes: Annotated[int, Option("number of training games", ge=1, is_length=True)] = 1_000_000
    opponent: Annotated[
        str,
        Option(
            "opponent in training; 'self' is self-play, which learns from both sides of every game",
            allowed=f"{SELF_PLAY} or an agent",
        ),
    ] = SELF_PLAY
    seat: Annotated[
        str, Option("seat of the learner against an opponent; random draws a seat for each game", choices=SEATS)
    ] = "random"
    symmetries: Annotated[bool, Option("whether symmetric positions share their values")] = False
    learning_rate: Annotated[float, Option("learning rate at the start", gt=0, le=1)] = 0.3
    learning_rate_end: Annotated[
        float, Option("learning rate at the end", gt=0, le=1, not_with="schedule=constant")
    ] = 0.02
    exploration: Annotated[str, Option("exploration method", choices=("epsilon_greedy", "softmax"))] = "epsilon_greedy"
    epsilon: Annotated[
        float,
        Option("probability of a random action at the start", ge=0, le=1, only_with="exploration=epsilon_greedy"),
    ] = 1.0
    epsilon_end: Annotated[
        float,
        Option(
            "probability of a random action at the end",
            ge=0,
            le=1,
            only_with="exploration=epsilon_greedy",
            not_with="schedule=constant",
        ),
    ] = 0.05
    temperature: Annotated[
        float, Option("temperature of the softmax at the start", gt=0, only_with="exploration=softmax")
    ] = 1.0
    temperature_end: Annotated[
        float,
        Option(
            "temperature of the softmax at the end",
            gt=0,
            only_with="exploration=softmax",
            not_with="schedule=constant",
        ),
    ] = 0.05
    schedule: Annotated[str, Option("how the rates change from start to end", choices=SCHEDULES)] = "linear"
    schedule_delay: Annotated[
        float,
        Option("fraction of the training before the rates begin to change", ge=0, le=1, not_with="schedule=constant"),
    ] = 0.0
    discount: Annotated[
        float | None,
        Option(
            "discount factor per turn of a player; none is 0.99 in games that can cycle, and 1 in other games",
            ge=0,
            le=1,
        ),
    ] = None
    initial: Annotated[
        float, Option("initial value of new positions; optimistic if above all returns", ge=-1e6, le=1e6)
    ] = 0.0
    initial_spread: Annotated[
        float,
        Option(
            "new values are drawn uniformly from initial - initial_spread to initial + initial_spread", ge=0, le=1e6
        ),
    ] = 0.0
    random_plies: Annotated[
        int,
        Option("maximum number of random plies at the start of an episode; they are not learned from", ge=0, le=1000),
    ] = 0
    shaping: Annotated[
        str | None,
        Option(
            "reward shaping; lines: 0.25 per cell by which the longest own line grows or that of the opponent shrinks;"
            "potential: the same as a potential, which keeps the optimal policy (Ng, Harada, Russell 1999); "
            "longest_run:"
            " a quarter of the board's size for a longer own run and for a shorter run of"
            " the opponent at the next own turn, and minus as much for the opposite",
            choices=SHAPINGS,
        ),
    ] = None
    table_mb: Annotated[float, Option("memory of the table, in MiB", gt=0, le=1e6, changeable=True)] = 256.0

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

    visits: Annotated[str, Option("which visits of a position in an episode are learned from", choices=VISITS)] = (
        "first"
    )
    values: Annotated[
        str, Option("whether values belong to actions, or to the states after them", choices=("action", "state"))
    ] = "action"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.shaping == "potential" and self.values == "state":  # its reward depends on the previous position
            raise ValueError(
                "shaping=potential is for values=action: with values=state it changes which positions are best"
            )
