"""Benchmark of training with MaskablePPO on one thread, with rollouts and gradient steps (extra ``sb3``).

The unit is a step: an action of the learning agent. If the environment contains the opponent, its reply is part of the
step. In the wrapper of PettingZoo's tutorial the agent plays both sides, so each ply is a step.
"""

from collections.abc import Callable
from typing import Any

import gymnasium

from benchmarks.ours import Work
from ci_envs import make, make_vec
from ci_envs.registry.games import resolve

Settings = Callable[[str, int], dict[str, Any]]
"""A function of the id of an environment and the number of boards that returns the arguments of MaskablePPO."""


def default_settings(id: str, boards: int) -> dict[str, Any]:
    """Return SB3's default hyperparameters with shorter rollouts, with all settings that determine the speed."""
    return {"n_steps": 1024 // boards, "batch_size": 64, "n_epochs": 10, "policy_kwargs": {"net_arch": [64, 64]}}


def our_settings(id: str, boards: int) -> dict[str, Any]:
    """Return the options of ``ci-envs train``. The size of a rollout does not depend on the number of boards."""
    from ci_envs.baselines.policies import PolicyArchitecture

    config = _trainer(id).config
    network = PolicyArchitecture("maskable_ppo", list(config.layers), config.activation)
    rollout = config.n_steps * config.boards * len(config.opponents)
    return {**config.arguments, "n_steps": rollout // boards, "policy_kwargs": network.policy_arguments()}


class TutorialEnv(gymnasium.Env[Any, Any]):
    """A wrapper of an AEC environment for Stable-Baselines3, as in PettingZoo's tutorial of action masks.

    One agent plays both sides. The observation after a step is that of the next player. The reward is that of the
    player who made the step. Source: https://pettingzoo.farama.org/tutorials/sb3/connect_four
    """

    def __init__(self, aec: Any) -> None:
        self.aec = aec
        player = aec.possible_agents[0]
        self.observation_space = aec.observation_space(player)["observation"]
        self.action_space = aec.action_space(player)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Start a new game."""
        self.aec.reset(seed, options)
        return self._observe()["observation"], {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Play one ply."""
        aec, player = self.aec, self.aec.agent_selection
        aec.step(action)
        over = aec.terminations[player], aec.truncations[player]
        return self._observe()["observation"], aec.rewards[player], *over, aec.infos[player]

    def action_masks(self) -> Any:
        """Return the mask of the legal actions of the player to move."""
        return self._observe()["action_mask"]

    def _observe(self) -> Any:
        return self.aec.observe(self.aec.agent_selection)


def tutorial(id: str, settings: Settings = default_settings, boards: int = 8) -> Work:
    """Return the training with our AEC environments in the wrapper of the tutorial, in SB3's DummyVecEnv."""
    return _in_dummy_vec_env(lambda: make(id), boards, settings(id, boards))


def tutorial_on_pettingzoo(boards: int = 8) -> Work:
    """Return the training with PettingZoo's Connect Four in the wrapper of the tutorial, in SB3's DummyVecEnv.

    Raises:
        ImportError: PettingZoo's classic environments lack a dependency.
    """
    from pettingzoo.classic import connect_four_v3

    return _in_dummy_vec_env(connect_four_v3.env, boards, default_settings("ConnectFour-v0", boards))


def our_vec_env(id: str, boards: int) -> Work:
    """Return the training with our VecEnv against a random opponent, with SB3's hyperparameters."""
    from ci_envs.baselines import BoardsVecEnv

    env = BoardsVecEnv(make_vec(id, boards, opponent="random", autoreset_mode="SameStep"))
    return _training(env, default_settings(id, boards))


def our_trainer(id: str) -> Work:
    """Return the training of ``ci-envs train``, against several opponents and past models, without measurements."""
    trainer = _trainer(id)
    return _learning(trainer.model, trainer.callback)


def _trainer(id: str) -> Any:
    from ci_envs.baselines.training import SB3Trainer
    from ci_envs.training.learners import make_config
    from ci_envs.training.trainer import Task
    from experiments.learning import STEPS

    game = resolve(id)[1]
    config = make_config(SB3Trainer, game, {"algorithm": "maskable_ppo", "steps": STEPS[id]})
    return SB3Trainer(Task(id, game, max_cycles=None, seed=0), config)


def _in_dummy_vec_env(make_aec: Callable[[], Any], boards: int, arguments: dict[str, Any]) -> Work:
    from stable_baselines3.common.vec_env import DummyVecEnv

    return _training(DummyVecEnv([lambda: TutorialEnv(make_aec())] * boards), arguments)


def _training(env: Any, arguments: dict[str, Any]) -> Work:
    from sb3_contrib import MaskablePPO
    from stable_baselines3.common.vec_env import VecMonitor

    return _learning(MaskablePPO("MlpPolicy", VecMonitor(env), seed=0, device="cpu", **arguments))


def _learning(model: Any, callback: Any = None) -> Work:
    import torch

    torch.set_num_threads(1)

    def work(amount: int) -> int:
        before = model.num_timesteps
        model.learn(amount, callback=callback, reset_num_timesteps=False)
        return model.num_timesteps - before

    return work
