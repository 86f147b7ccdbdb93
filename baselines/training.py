"""The trainer of Stable-Baselines3's algorithms by self-play."""

from collections.abc import Mapping
from math import ceil
from pathlib import Path
from typing import Any

import numpy as np
import torch
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import KVWriter, Logger
from stable_baselines3.common.policies import BasePolicy
from stable_baselines3.common.vec_env import VecMonitor
from typing_extensions import override

from ci_envs.agent_interface.interface import Agent
from ci_envs.baselines.agent import SB3Agent
from ci_envs.baselines.checkpoint import BestModel, restore_state, state_of
from ci_envs.baselines.config import SB3Config
from ci_envs.baselines.model_file import read_model, write_model
from ci_envs.baselines.policies import ALGORITHMS, PolicyArchitecture
from ci_envs.baselines.self_play import Pool, SelfPlayCallback, copy_of_weights, self_play_env
from ci_envs.devices import torch_threads
from ci_envs.training.interrupt import DelayedInterrupt
from ci_envs.training.ladder import Ladder, Measurement, MeasurementError
from ci_envs.training.trainer import Run, Task, Trainer, TrainerState
from ci_envs.validation import integer_between

_SEEDS = 2**32


class SB3Trainer(Trainer):
    """Trainer of a policy by self-play with an algorithm of Stable-Baselines3.

    The loop of Stable-Baselines3 trains the policy, and updates the run between rollouts. The same seed gives the same
    agent, unless the run is interrupted: a resumed run begins new games with new random numbers. Stable-Baselines3 uses
    and seeds the global random number generators of Python, NumPy and PyTorch, which
    :func:`~ci_envs.training.learners.train` restores.

    Attributes:
        model: the algorithm with its policy.
        pool: the past selves of the agent.
        callback: the callback that adds the agent to the pool and draws new opponents.
    """

    learner = "sb3"
    config_type = SB3Config
    unit = "steps"
    best_file = "best.safetensors"
    config: SB3Config

    def __init__(self, task: Task, config: SB3Config) -> None:
        """Make a model with random weights, or those of the option ``initial_model``.

        Raises:
            ValueError: an opponent cannot be made, the seed is not below 2**32, or the file of the initial model is
                damaged, or is of another game or network.
            OSError: the file of the initial model cannot be read.
        """
        config = config.resolved(task.game)
        super().__init__(task, config)
        integer_between("seed", task.seed, 0, _SEEDS - 1)
        self._network = PolicyArchitecture(config.algorithm, list(config.layers), config.activation)
        env = self_play_env(task.game, config, task.max_cycles)
        self.model = self._new_model(VecMonitor(env))
        self.pool = Pool(
            task.game,
            self._network,
            size=config.pool_size,
            latest_share=config.pool_latest_share,
            lookahead=config.training_lookahead,
            seed=task.seed,
        )
        self.callback = SelfPlayCallback(env, config.opponents, self.pool, max(1, config.steps // config.pool_updates))
        self._best: BestModel | None = None
        self._updating = False
        self._learned = 0  # steps of the rollouts that are complete
        self._losses: dict[str, float] = {}

    @property
    @override
    def count(self) -> int:
        return self.model.num_timesteps

    @property
    @override
    def total(self) -> int:
        return self.config.steps

    @property
    @override
    def remark(self) -> str | None:
        config = self.config
        rollout = len(config.opponents) * config.boards * (config.n_steps or config.train_freq or 1)
        steps = ceil(self.total / rollout) * rollout
        return None if steps == self.total else f"A rollout has {rollout:,} steps: the run ends after {steps:,} steps."

    @override
    def train(self, run: Run) -> None:
        """Train until the end of the run.

        Args:
            run: the run, which is updated between rollouts.

        Raises:
            MeasurementError: an agent failed in a match of a measurement.
            RuntimeError: the training failed, for example because the weights diverged.
        """
        model = self.model
        with torch_threads(self.config.threads), DelayedInterrupt() as interrupt:
            model.set_logger(Logger(None, [_RunWriter(run, self._losses)]))
            callbacks: list[BaseCallback] = [self.callback, _RunCallback(self, run, interrupt)]
            try:
                model.learn(max(0, self.total - self.count), callback=callbacks, reset_num_timesteps=False)
                self.between_updates()
                model.logger.dump(self.count)
                run.update()
            except MeasurementError:
                raise
            except ValueError as error:  # invalid options were refused earlier
                raise RuntimeError("training failed") from error
            interrupt.check()

    def begin_update(self) -> None:
        """Mark the state as inconsistent until the next rollout, because the weights are about to change."""
        self._updating = True

    def between_updates(self) -> None:
        """Mark the state as consistent until :meth:`begin_update`. An interrupted rollout will not count."""
        self._updating = False
        self._learned = self.count

    @override
    def metrics(self) -> Mapping[str, float]:
        latest = _losses_of(self.model.logger.name_to_value)  # of an update after the last report
        return {"past selves": len(self.pool.weights), **self._losses, **latest}

    @override
    def state(self) -> TrainerState | None:
        if self._updating:
            return None
        _check_finite(self.model.policy)
        return state_of(self.model, self._learned, self.pool, self._best)

    @override
    def restore(self, state: TrainerState) -> None:
        self._best = restore_state(self.model, self.pool, state)
        self._learned = self.count
        seed = (self.task.seed + self.count) % _SEEDS
        self.model.set_random_seed(seed)
        self.pool.reseed(seed)

    @override
    def agent(self) -> Agent:
        return SB3Agent(self.task.game, self.model.policy, lookahead=self.config.lookahead)

    @override
    def adopt(self, measurement: Measurement, ladder: Ladder) -> bool:
        """Adopt the policy as the best one if its mean score is better, and return whether it is."""
        score = measurement.score
        if self._best is not None and score <= self._best.score:
            return False
        _check_finite(self.model.policy)
        self._best = BestModel(score, self.count, copy_of_weights(self.model.policy))
        return True

    @override
    def write_best(self, path: Path) -> None:
        assert self._best is not None
        notes = {"score": self._best.score}
        write_model(
            path,
            self._network,
            self.task.game,
            self._best.steps,
            self._best.weights,
            notes=notes,
            lookahead=self.config.lookahead,
        )

    def _new_model(self, env: VecMonitor) -> BaseAlgorithm:
        arguments: dict[str, Any] = {**self.config.arguments, "policy_kwargs": self._network.policy_arguments()}
        model = ALGORITHMS[self.config.algorithm]("MlpPolicy", env, seed=self.task.seed, device="cpu", **arguments)
        if self.config.initial_model is not None:
            model.policy.load_state_dict(self._initial_weights(self.config.initial_model))
        return model

    def _initial_weights(self, path: str) -> Mapping[str, torch.Tensor]:
        file = read_model(path)
        if file.network != self._network:
            raise ValueError(f"initial_model={path!r} has {file.network}, but the options give {self._network}")
        return file.policy(self.task.game).state_dict()


class _RunCallback(BaseCallback):
    """Callback that updates the run between rollouts, and stops it after Ctrl-C."""

    def __init__(self, trainer: SB3Trainer, run: Run, interrupt: DelayedInterrupt) -> None:
        super().__init__()
        self._trainer, self._run, self._interrupt = trainer, run, interrupt

    @override
    def _on_rollout_start(self) -> None:
        self._trainer.between_updates()
        self._run.update()

    @override
    def _on_step(self) -> bool:
        self._interrupt.check()
        return True

    @override
    def _on_rollout_end(self) -> None:
        self._trainer.begin_update()


class _RunWriter(KVWriter):
    """Writer that passes the numbers that Stable-Baselines3 logs to the run, and stores the latest losses."""

    def __init__(self, run: Run, losses: dict[str, float]) -> None:
        self._run, self._losses = run, losses

    @override
    def write(self, key_values: dict[str, Any], key_excluded: dict[str, tuple[str, ...]], step: int = 0) -> None:
        numbers = {
            key: float(value)
            for key, value in key_values.items()
            if isinstance(value, int | float | np.number) and "tensorboard" not in (key_excluded[key] or ())
        }
        self._losses |= _losses_of(numbers)
        self._run.log(numbers)

    @override
    def close(self) -> None:
        pass


def _losses_of(numbers: Mapping[str, Any]) -> dict[str, float]:
    return {key: round(float(value), 5) for key, value in numbers.items() if key.endswith("loss")}


def _check_finite(policy: BasePolicy) -> None:
    for name, tensor in policy.state_dict().items():
        if not tensor.isfinite().all():
            raise ValueError(f"the weights {name} are not finite: try a smaller learning_rate or max_grad_norm")
