"""The trainer of ``alphazero``: alternating self-play and learning."""

import copy
import os
from collections.abc import Mapping
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from functools import partial
from math import cos, pi
from pathlib import Path
from time import monotonic
from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from typing_extensions import override

from ci_envs.agent_interface.interface import Agent
from ci_envs.agents.alphazero.agent import AlphaZeroAgent
from ci_envs.agents.alphazero.architecture import ARCHITECTURES
from ci_envs.agents.alphazero.config import AlphaZeroConfig
from ci_envs.agents.alphazero.exact_targets import ExactTargets
from ci_envs.agents.alphazero.learner import Learner, Loss
from ci_envs.agents.alphazero.model_file import read_model, write_model
from ci_envs.agents.alphazero.network import Network, new_network
from ci_envs.agents.alphazero.replay import Replay
from ci_envs.agents.alphazero.workers import RayWorkers, SelfPlayWorkers, ThreadWorkers
from ci_envs.cluster import check_cluster
from ci_envs.devices import device_named, torch_threads
from ci_envs.storage.named_parts import part_of, with_part
from ci_envs.training.config import TrainingConfig
from ci_envs.training.ladder import Ladder, Measurement
from ci_envs.training.trainer import Run, Task, Trainer, TrainerState


@dataclass(frozen=True)
class AlphaZeroProgress:
    """The progress of a run.

    Attributes:
        iteration: number of completed iterations.
        unlearned: positions of self-play that are in the replay buffer but were not learned from yet.
        seconds: duration of self-play and learning.
        games: number of completed games of self-play.
        policy_loss: mean policy loss of the last iteration (:class:`~ci_envs.agents.alphazero.learner.Loss`).
        value_loss: mean value loss of the last iteration.
        draw_loss: mean draw loss of the last iteration.
        games_per_second: speed of the last self-play.
        positions_per_second: speed of the last self-play.
        best_rating: rating of the best network when it became the best one.
    """

    iteration: int = 0
    unlearned: int = 0
    seconds: float = 0.0
    games: int = 0
    policy_loss: float = 0.0
    value_loss: float = 0.0
    draw_loss: float = 0.0
    games_per_second: float = 0.0
    positions_per_second: float = 0.0
    best_rating: float = 0.0


class AlphaZeroTrainer(Trainer):
    """Trainer of a policy-value network by self-play.

    An iteration plays games and then learns. In the first iterations, another network can play the games, or positions
    with exact values can be drawn instead. Self-play does not change the state, and an interrupted learning step is
    undone, so an interrupted run can be saved. If the length of the run is in iterations, the same options and seed
    give the same network on one machine. If it is in minutes, the network depends on the speed of the machine.
    """

    learner = "alphazero"
    config_type: ClassVar[type[TrainingConfig]] = AlphaZeroConfig
    unit = "iterations"
    best_file = "best.safetensors"
    logs_every_step = True
    timings = ("seconds", "self-play/games a second", "self-play/positions a second")
    config: AlphaZeroConfig

    def __init__(self, task: Task, config: AlphaZeroConfig) -> None:
        """Make or read the first network, and make an empty replay buffer.

        Raises:
            ValueError: the device cannot be used, there is no Ray cluster at the address, the game has no such source
                of exact values, the file of the first network or of the teacher is damaged or of another game, or the
                first network has another architecture.
            OSError: the file of the first network or of the teacher cannot be read.
            ImportError: the option ``workers`` needs Ray, which is not installed.
        """
        super().__init__(task, config)
        if config.workers is not None:
            check_cluster(config.workers, config.ray_address)
        self._device = device_named(config.device)
        self._learner = Learner(
            _first_network(task, config),
            config.weight_decay,
            self._device,
            config.learning_precision,
            config.optimizer,
            config.value_loss,
        )
        self._teacher = None if config.teacher is None else read_model(config.teacher, task.game).network
        self._replay = Replay(task.game, config.capacity, config.kept)
        self._exact_targets = None if config.exact is None else ExactTargets(task.game, config.exact)
        self._best: Network | None = None
        self._progress = AlphaZeroProgress()
        self._workers: SelfPlayWorkers
        self._consistent = True

    @property
    def network(self) -> Network:
        """The current network."""
        return self._learner.network

    @property
    @override
    def count(self) -> int:
        return self._progress.iteration

    @property
    @override
    def done(self) -> float:
        return self.count if self.config.minutes is None else self._progress.seconds

    @property
    @override
    def total(self) -> float:
        return self.config.iterations or 60.0 * (self.config.minutes or 0)

    @override
    def train(self, run: Run) -> None:
        threads = min(self.config.shares, os.cpu_count() or 1)
        with torch_threads(threads), closing(self._start_workers()) as self._workers:
            super().train(run)

    @override
    def step(self, stop: float) -> None:
        if not self._progress.unlearned:
            self._add_samples()
        self._learn()

    @override
    def metrics(self) -> Mapping[str, float]:
        progress = self._progress
        return {
            "seconds": round(progress.seconds, 1),
            "games": progress.games,
            "positions": self._replay.added,
            "loss/policy": round(progress.policy_loss, 5),
            "loss/value": round(progress.value_loss, 5),
            "loss/draw": round(progress.draw_loss, 5),
            "self-play/games a second": round(progress.games_per_second, 2),
            "self-play/positions a second": round(progress.positions_per_second, 1),
        }

    @override
    def state(self) -> TrainerState | None:
        if not self._consistent:
            return None
        tensors = self._learner.state()
        if self._best is not None:
            tensors |= with_part("best", self._best.state_dict())
        arrays: dict[str, NDArray[Any]] = {name: tensor.cpu().numpy() for name, tensor in tensors.items()}
        arrays["replay"] = self._replay.samples[: self._replay.size]
        replay = {"next": self._replay.next, "added": self._replay.added}
        by_clock = self.config.minutes is not None
        return TrainerState({"progress": asdict(self._progress), "replay": replay, "by_clock": by_clock}, arrays)

    @override
    def restore(self, state: TrainerState) -> None:
        by_clock = self.config.minutes is not None
        if state.values["by_clock"] != by_clock:
            given, needed = ("minutes", "iterations") if by_clock else ("iterations", "minutes")
            raise ValueError(f"the length of this run is in {needed}, not in {given}: give {needed} to resume it")
        samples = state.arrays["replay"]
        tensors = {name: torch.from_numpy(array) for name, array in state.arrays.items() if name != "replay"}
        try:
            self._learner.restore(tensors)
            if best := part_of(tensors, "best"):
                self._best = copy.deepcopy(self._learner.network)
                self._best.load_state_dict(best)
        except RuntimeError as error:
            raise TypeError(str(error).partition("\n")[0]) from None
        self._replay.restore(samples, **state.values["replay"])
        self._progress = AlphaZeroProgress(**state.values["progress"])

    @override
    def agent(self) -> Agent:
        return self._agent(self._learner.network)

    @override
    def adopt(self, measurement: Measurement, ladder: Ladder) -> bool:
        if self._best is not None and self._score_against(self._best, ladder) < self.config.gate:
            return False
        self._best = copy.deepcopy(self._learner.network)
        self._progress = replace(self._progress, best_rating=measurement.rating)
        return True

    @override
    def write_best(self, path: Path) -> None:
        assert self._best is not None
        notes = {
            "environment": self.task.environment,
            "seed": self.task.seed,
            "rating": self._progress.best_rating,
        }
        write_model(path, self._best, self.task.game, notes)

    def _start_workers(self) -> SelfPlayWorkers:
        plan = self.config.self_play(self.task.game, self.task.max_cycles)
        if self.config.workers is None:
            return ThreadWorkers(plan, self.config.threads, self._device)
        return RayWorkers(plan, self.config.workers, self.config.ray_address)

    def _add_samples(self) -> None:
        """Add the positions of an iteration to the replay buffer."""
        begun, progress = monotonic(), self._progress
        seed = [self.task.seed, progress.iteration]
        games = 0 if progress.iteration < self.config.exact_iterations else self.config.games
        samples = self._new_samples(games, seed)
        seconds = monotonic() - begun
        self._consistent = False
        self._replay.add(samples, np.random.default_rng([*seed, self.config.shares + 1]))
        self._progress = replace(
            progress,
            unlearned=len(samples),
            seconds=progress.seconds + seconds,
            games=progress.games + games,
            games_per_second=games / seconds,
            positions_per_second=len(samples) / seconds,
        )
        self._consistent = True

    def _new_samples(self, games: int, seed: list[int]) -> NDArray[np.void]:
        """Return the positions of games of self-play. Without games, they are from random play with exact targets."""
        exact = self._exact_targets
        if exact is not None and games == 0:
            return exact.sample(self.config.exact_positions, np.random.default_rng(seed))
        return self._workers.play(self._player(), games, seed)

    def _player(self) -> Network:
        """Return the network that plays the games of this iteration."""
        if self._teacher is not None and self._progress.iteration < self.config.teacher_iterations:
            return self._teacher
        return self._learner.network

    def _learn(self) -> None:
        """Take the steps of gradient descent for the new positions, and complete the iteration."""
        begun, progress = monotonic(), self._progress
        before = self._learner.state()
        self._consistent = False
        try:
            loss = self._take_steps()
        except KeyboardInterrupt:
            self._learner.restore(before)
            self._consistent = True
            raise
        self._progress = replace(
            progress,
            iteration=progress.iteration + 1,
            unlearned=0,
            seconds=progress.seconds + monotonic() - begun,
            policy_loss=loss.policy,
            value_loss=loss.value,
            draw_loss=loss.draw,
        )
        self._consistent = True

    def _take_steps(self) -> Loss:
        config = self.config
        rng = np.random.default_rng([self.task.seed, self._progress.iteration, config.shares])
        new, rate = self._progress.unlearned, self._learning_rate()
        learn = partial(self._learner.learn, self._replay, learning_rate=rate, rng=rng, symmetries=config.symmetries)
        if config.batch is None:
            return learn(steps=1, batch=min(new, self._replay.size), latest=True)
        return learn(steps=max(1, round(new * config.reuse / config.batch)), batch=config.batch)

    def _learning_rate(self) -> float:
        """Return the learning rate of a cosine schedule (Loshchilov and Hutter 2017)."""
        end, share = self.config.learning_rate_end_share, min(1.0, self.done / self.total)
        return self.config.learning_rate * (end + (1 - end) * (1 + cos(pi * share)) / 2)

    def _score_against(self, best: Network, ladder: Ladder) -> float:
        """Return the score of the present network against the best one, from 0 to 1."""
        return ladder.play(self.agent(), self._agent(best), self._progress.iteration).score

    def _agent(self, network: Network) -> Agent:
        """Return the agent that plays by a network on the ladder."""
        return AlphaZeroAgent(
            self.task.game,
            network,
            simulations=self.config.ladder_simulations,
            selection=self.config.ladder_selection,
            exploration=self.config.ladder_exploration,
            prior_temperature=1.0,
            temperature=self.config.ladder_temperature,
            contempt=self.config.contempt,
            lookahead=self.config.ladder_lookahead,
            precision=self.config.precision,
            seed=self._progress.iteration,
        )


def _first_network(task: Task, config: AlphaZeroConfig) -> Network:
    """Return the network of the option ``initial_network``, or one with random weights."""
    architecture = ARCHITECTURES[config.architecture]
    if config.initial_network is None:
        return new_network(task.game, architecture, task.seed % 2**63)
    network = read_model(config.initial_network, task.game).network
    if network.architecture != architecture:
        raise ValueError(
            f"{config.initial_network!r} does not have architecture={config.architecture}: give the architecture that"
            " it was trained with"
        )
    return network
