"""Training with Stable-Baselines3 by self-play, with evaluation on the way; a run can be interrupted and goes on."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.callbacks import BaseCallback, ProgressBarCallback
from stable_baselines3.common.logger import configure
from stable_baselines3.common.vec_env import VecMonitor

from ci_envs.agent.registry import make_agent
from ci_envs.arena.match import play_match
from ci_envs.baselines.agent import SB3Agent
from ci_envs.baselines.checkpoint import Checkpoint
from ci_envs.baselines.hyperparameters import Hyperparameters, hyperparameters
from ci_envs.baselines.model_file import read_model, save_model, write_model
from ci_envs.baselines.policies import ALGORITHMS, PolicyArchitecture
from ci_envs.baselines.self_play import Pool, SelfPlayCallback, self_play_env
from ci_envs.games.game import Game
from ci_envs.registry import resolve
from ci_envs.validation import integer_between, unknown_name

BEST, LAST, CHECKPOINT = "best.safetensors", "last.safetensors", "checkpoint.safetensors"
"""The files of a run: the model that did best on the ladder, the last one, and what it takes to go on."""

_REWARD = "mean_reward"  # kept with the best model, for a kill can come between that and the checkpoint
_GAMES = 100
_SHARE = 50  # of the run between two draws from the pool, two evaluations, two checkpoints


def train(
    algorithm: str,
    environment: str,
    *,
    steps: int,
    output: str | Path,
    seed: int = 0,
    resume: bool = False,
    threads: int = 1,
    progress: bool = True,
) -> BaseAlgorithm:
    """Train an agent and keep it in the folder ``output``, with TensorBoard logs.

    Every 50th of the run, between two rollouts, the agent enters the pool, is measured on the ladder, and all is saved;
    so it is at the end, and when the run is interrupted from the keyboard.
    What Stable-Baselines3 draws comes from the global random numbers, which it seeds.

    Args:
        algorithm: ``maskable_ppo``, ``ppo``, ``a2c`` or ``dqn``.
        environment: an id, with parameters if wanted.
        steps: of the agent, over all boards; the run ends with the rollout that reaches them.
        output: a folder, made if need be.
        seed: makes the run repeatable, unless it is interrupted.
        resume: go on with the run in ``output``.
        threads: of torch. On the small networks here one is quicker than several.
        progress: show a bar.

    Returns:
        The model as it is at the end; the best is in the folder.

    Raises:
        ValueError: an argument is none of these, there is a run in ``output`` and ``resume`` is not set, or ``resume``
            is set and there is none, or another.
        OSError: the folder cannot be written.
        RuntimeError: training failed, as when weights grow without limit; what was saved last is kept.
    """
    steps = integer_between("steps", steps, 1)
    seed = integer_between("seed", seed, 0, 2**32 - 1)
    threads = integer_between("threads", threads, 1)
    if algorithm not in ALGORITHMS:
        raise unknown_name("algorithm", algorithm, ALGORITHMS)
    _, game, options = resolve(environment)
    parameters = hyperparameters(algorithm, game)
    network = PolicyArchitecture(algorithm, parameters.layers, parameters.activation)
    folder = Path(output)
    run = {"algorithm": algorithm, "environment": environment, "seed": seed, "parameters": asdict(parameters)}
    checkpoint = Checkpoint(folder / CHECKPOINT, game, network, run)
    if checkpoint.path.exists() and not resume:
        raise ValueError(f"there is a run in {str(folder)!r} already: resume it, or choose another folder")
    if resume and not checkpoint.path.exists():
        raise ValueError(f"there is no run in {str(folder)!r} to resume")
    max_cycles = options.get("max_cycles")
    env = self_play_env(game, parameters.opponents, parameters.boards, max_cycles)
    model = _new_model(algorithm, VecMonitor(env), network, parameters, seed)
    pool = Pool(game, network, seed=seed)
    best = None
    if resume:
        checkpoint.read(model, pool)
        best = _best_reward(folder / BEST)
        again = (seed + model.num_timesteps) % 2**32
        model.set_random_seed(again)
        pool.reseed(again)
    interval = max(1, steps // _SHARE)
    keeper = KeepCallback(game, parameters.ladder, checkpoint, pool, interval, best, max_cycles)
    keeper.init_callback(model)
    player = SelfPlayCallback(env, parameters.opponents, pool, interval)
    folder.mkdir(parents=True, exist_ok=True)
    if not resume:
        checkpoint.write(model, pool)  # from now on there is a run to resume
    with _torch_threads(threads), _bars(progress) as bars:
        model.set_logger(configure(str(folder), ["tensorboard"]))
        left = max(0, steps - model.num_timesteps)
        try:
            model.learn(left, callback=[player, keeper, *bars], reset_num_timesteps=False)
            keeper.keep()
        except KeyboardInterrupt:
            keeper.keep()
            raise
        except ValueError as error:  # a bad argument would have been found before
            raise RuntimeError("training failed") from error
    return model


def train_agent(
    environment: str,
    algorithm: str,
    steps: int,
    *,
    output: str | Path,
    seed: int = 0,
    resume: bool = False,
    threads: int = 1,
) -> str:
    """Train by :func:`train`; ``ci-envs train sb3:ALGORITHM`` calls this function.

    Returns:
        The spec string of the best model.
    """
    train(algorithm, environment, steps=steps, output=output, seed=seed, resume=resume, threads=threads)
    return f"sb3:{Path(output) / BEST}"


class KeepCallback(BaseCallback):
    """Measures the agent on the ladder and saves it, every ``interval`` steps; the best is kept beside the last."""

    def __init__(
        self,
        game: Game,
        ladder: Sequence[str],
        checkpoint: Checkpoint,
        pool: Pool,
        interval: int,
        best: float | None,
        max_cycles: int | None,
    ) -> None:
        super().__init__()
        self._game = game
        self._ladder = [make_agent(spec, game) for spec in ladder]
        self._names = [f"eval/{spec.replace(':', ' ')}" for spec in ladder]
        self._checkpoint = checkpoint
        self._pool = pool
        self._interval = interval
        self._best = best
        self._max_cycles = max_cycles
        self._next = interval

    def _on_training_start(self) -> None:
        self._next = self.num_timesteps + self._interval

    def _on_step(self) -> bool:
        return True

    def _on_rollout_start(self) -> None:
        if self.num_timesteps >= self._next:
            self._next = self.num_timesteps + self._interval
            self.keep()

    def keep(self) -> None:
        """Measure and save the agent."""
        rewards = [self._mean_reward(k) for k in range(len(self._ladder))]
        mean = sum(rewards) / len(rewards)
        for name, reward in zip((*self._names, "eval/mean_reward"), (*rewards, mean), strict=True):
            self.logger.record(name, reward)
        self.logger.dump(self.model.num_timesteps)
        folder, model = self._checkpoint.path.parent, self.model
        if self._best is None or mean > self._best:
            network, weights, notes = self._checkpoint.network, model.policy.state_dict(), {_REWARD: mean}
            write_model(folder / BEST, network, self._game, model.num_timesteps, weights, notes=notes)
            self._best = mean
        save_model(model, self._game, folder / LAST)
        self._checkpoint.write(model, self._pool)

    def _mean_reward(self, rung: int) -> float:
        """The mean reward against one opponent, over the same games of it each time."""
        opponent = self._ladder[rung]
        opponent.reseed(rung)
        agent = SB3Agent(self._game, self.model.policy)
        total = play_match(self._game, agent, opponent, _GAMES, max_cycles=self._max_cycles).sides[0].total
        return (total.wins - total.losses) / _GAMES


def _new_model(
    algorithm: str, env: VecMonitor, network: PolicyArchitecture, parameters: Hyperparameters, seed: int
) -> BaseAlgorithm:
    arguments: dict[str, Any] = {**parameters.arguments, "policy_kwargs": network.policy_arguments()}
    return ALGORITHMS[algorithm]("MlpPolicy", env, seed=seed, device="cpu", **arguments)


def _best_reward(path: Path) -> float | None:
    return read_model(path).notes.get(_REWARD) if path.exists() else None


@contextmanager
def _bars(wanted: bool) -> Iterator[list[BaseCallback]]:
    """Stable-Baselines3's progress bar, which an interrupt alone would leave open."""
    bar = ProgressBarCallback() if wanted else None
    try:
        yield [bar] if bar else []
    finally:
        if bar and hasattr(bar, "pbar"):
            bar.on_training_end()


@contextmanager
def _torch_threads(threads: int) -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        yield
    finally:
        torch.set_num_threads(before)
