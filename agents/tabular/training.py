"""Trainers of tabular agents."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from typing_extensions import override

from ci_envs.agent_interface.interface import Agent
from ci_envs.agent_interface.making import make_agent
from ci_envs.agent_interface.policy import CompiledPolicy
from ci_envs.agent_interface.python_policy import error_of, policy_of
from ci_envs.agents.random import RandomPolicy
from ci_envs.agents.tabular.agent import TableFile, TabularAgent, check_table, table_arrays, write_table
from ci_envs.agents.tabular.config import SEATS, SELF_PLAY, SHAPINGS, VISITS, MonteCarloConfig, QLearningConfig
from ci_envs.agents.tabular.episodes import (
    DONE,
    FULL,
    ILLEGAL,
    LONGEST_RUN,
    Q_LEARNING,
    RUN,
    SELF,
    TURN,
    UNSHAPED,
    Rule,
    play_episodes,
)
from ci_envs.agents.tabular.run_reward import has_runs
from ci_envs.agents.tabular.value_table import new_table
from ci_envs.games.game import Game
from ci_envs.games.truncation import computed_plies
from ci_envs.training.config import TrainingConfig
from ci_envs.training.ladder import Ladder, Measurement
from ci_envs.training.trainer import Task, Trainer, TrainerState

_EPISODES_PER_STEP = 10_000  # Python handles an interrupt only between two steps
_MAX_SYMMETRIES = 64
_CYCLING_DISCOUNT = 0.99


class TabularTrainer(Trainer):
    """Trainer of a table of values.

    A step is one compiled call that plays up to 10,000 episodes. The kernel writes the number of episodes, the random
    numbers and the table after each episode. Therefore the state is consistent, unless an error ends an episode early.
    """

    unit = "episodes"
    best_file = "best.npz"
    latest_is_best = True
    config: QLearningConfig

    def __init__(self, task: Task, config: QLearningConfig) -> None:
        """Make an empty table.

        Raises:
            ValueError: an option does not fit the game, or the opponent cannot be made.
        """
        super().__init__(task, config)
        self._rule = self._make_rule(config)
        self._table = new_table(1 if self._rule.by_state else task.game.action_count, config.table_mb)
        self._run = np.array([(0, task.seed, 0, 0.0, 0)], RUN)
        self._opponent = None if config.opponent == SELF_PLAY else make_agent(config.opponent, task.game)
        random = CompiledPolicy(RandomPolicy(), ())
        self._opponents_policy = random if self._opponent is None else policy_of(self._opponent)
        self._buffers = np.empty(self._rule.max_plies, TURN), np.empty(task.game.action_count)
        self._consistent = True

    @property
    @override
    def count(self) -> int:
        return int(self._run["played"][0])

    @property
    @override
    def total(self) -> int:
        return self.config.episodes

    @override
    def step(self, stop: float) -> None:
        if self._opponent is not None:  # a run that is resumed here uses the same random numbers
            self._opponent.reseed(int(self._run["state"][0]))
        status = play_episodes(
            self.task.game,
            *self._opponents_policy,
            self._table,
            self._rule.to_record(),
            self.config.learning_rates,
            self.config.exploration_rates,
            min(int(stop), self.count + _EPISODES_PER_STEP),
            self.total,
            *self._buffers,
            self._run,
        )
        self._consistent = status == DONE
        if status == FULL:
            positions = self._run["positions"][0]
            raise ValueError(f"the table is full: {positions:,} positions; increase table_mb")
        if status == ILLEGAL:
            raise error_of(self._opponents_policy, str(self.config.opponent))

    @override
    def metrics(self) -> Mapping[str, float]:
        """Return the number of positions in the table, the mean absolute error, and the games won against the opponent.

        The error is the difference between a target and the value that it updates, averaged exponentially over about
        the last 1,000 episodes.
        """
        reached = self._run[0]
        metrics = {"positions": int(reached["positions"]), "mean_error": round(float(reached["error"]), 6)}
        return metrics if self._opponent is None else metrics | {"won": int(reached["won"])}

    @override
    def state(self) -> TrainerState | None:
        if not self._consistent:
            return None
        keys, values = table_arrays(self._table)
        scores = self._run[["error", "won"]][0].tolist()
        return TrainerState({"reached": self._run_values(), "scores": scores}, {"keys": keys, "values": values})

    @override
    def restore(self, state: TrainerState) -> None:
        game, rule = self.task.game, self._rule
        keys, values = state.arrays["keys"], state.arrays["values"]
        file = TableFile(self.learner, repr(game), rule, {}, keys, values)
        check_table(file, game)
        self._table = file.table(game, self.config.table_mb)
        self._run[0] = (*state.values["reached"], len(keys), *state.values["scores"])

    @override
    def agent(self) -> Agent:
        return TabularAgent(self.task.game, (self._table, self._rule))

    @override
    def adopt(self, measurement: Measurement, ladder: Ladder) -> bool:
        return True

    @override
    def write_best(self, path: Path) -> None:
        notes = {"environment": self.task.environment, "seed": self.task.seed, "reached": self._run_values()}
        write_table(path, self.learner, self.task.game, self._rule, self._table, notes)

    def _run_values(self) -> list[int]:
        """Return the number of episodes and the state of the random number generator."""
        reached: list[int] = self._run[["played", "state"]][0].tolist()
        return reached

    def _make_rule(self, config: QLearningConfig) -> Rule:
        game = self.task.game
        return Rule(
            method=Q_LEARNING,
            by_state=False,
            fold=_shares_symmetries(game, config.symmetries),
            shaping=_shaping(game, config.shaping),
            softmax=config.exploration == "softmax",
            discount=_discount(game) if config.discount is None else config.discount,
            initial=config.initial,
            spread=config.initial_spread,
            random_plies=config.random_plies,
            seat=SELF if config.opponent == SELF_PLAY else SEATS[config.seat],
            max_plies=computed_plies(game, self.task.max_cycles),
        )


class QLearningTrainer(TabularTrainer):
    """Trainer of ``q_learning``."""

    learner = "q_learning"
    config_type: ClassVar[type[TrainingConfig]] = QLearningConfig


class MonteCarloTrainer(TabularTrainer):
    """Trainer of ``monte_carlo``."""

    learner = "monte_carlo"
    config_type: ClassVar[type[TrainingConfig]] = MonteCarloConfig

    @override
    def _make_rule(self, config: Any) -> Rule:
        rule = super()._make_rule(config)
        return rule._replace(method=VISITS[config.visits], by_state=config.values == "state")


def _shares_symmetries(game: Game, symmetries: bool) -> bool:
    if symmetries and game.symmetry_count > _MAX_SYMMETRIES:
        raise ValueError(
            f"symmetries=true is for games with at most {_MAX_SYMMETRIES} symmetries; {game} has {game.symmetry_count}"
        )
    return symmetries


def _shaping(game: Game, shaping: str | None) -> int:
    if shaping is None:
        return UNSHAPED
    if not game.has_lines:
        raise ValueError(f"shaping={shaping} is for games with lines; {game} has no lines")
    kind: int = SHAPINGS[shaping]
    if kind == LONGEST_RUN and not has_runs(game):
        raise ValueError(f"shaping={shaping} is for games on a grid, not for {game}")
    return kind


def _discount(game: Game) -> float:
    return _CYCLING_DISCOUNT if game.can_cycle else 1.0
