"""A training run on disk, so that it can go on after whatever stopped it."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from stable_baselines3.common.base_class import BaseAlgorithm

from baselines.model_file import ModelFile, read_model, write_model
from baselines.policies import Network
from baselines.self_play import Pool
from ci_envs.games.game import Game

_OPTIMIZER, _POOL = "optimizer", "pool"


@dataclass(frozen=True)
class Checkpoint:
    """The weights, the optimizer, the pool and the steps of a run; DQN's replay buffer is left out and filled anew.

    Attributes:
        path: the file.
        game: what is played.
        network: of the agent.
        run: what must be the same when the run goes on, plain values.
    """

    path: Path
    game: Game
    network: Network
    run: Mapping[str, Any]

    def write(self, model: BaseAlgorithm, pool: Pool, best_reward: float | None) -> None:
        """Keep a run as it stands."""
        state = model.policy.optimizer.state_dict()["state"]
        others = {f"{_POOL}.{i}.{name}": tensor for i, old in enumerate(pool.weights) for name, tensor in old.items()}
        numbers = {}
        for parameter, values in state.items():
            for name, value in values.items():
                key = f"{_OPTIMIZER}.{parameter}.{name}"
                if isinstance(value, torch.Tensor):
                    others[key] = value
                else:
                    numbers[key] = value
        notes = {"run": dict(self.run), "numbers": numbers, "best_reward": best_reward}
        weights = model.policy.state_dict()
        write_model(self.path, self.network, self.game, model.num_timesteps, weights, others, notes)

    def read(self, model: BaseAlgorithm, pool: Pool) -> float | None:
        """Put a run back as it stood; the reward of its best model is returned.

        Raises:
            ValueError: the file is damaged, or of another run.
            OSError: it cannot be read.
        """
        saved = read_model(self.path)
        if saved.notes.get("run") != self.run:
            raise ValueError(f"{str(self.path)!r} is of another run: {saved.notes.get('run')}, not {dict(self.run)}")
        model.policy.load_state_dict(saved.policy(self.game).state_dict())
        optimizer = model.policy.optimizer
        optimizer.load_state_dict({**optimizer.state_dict(), "state": _optimizer_state(saved)})
        pool.weights[:] = _nested(saved.tensors, _POOL).values()
        model.num_timesteps = saved.steps
        reward: float | None = saved.notes["best_reward"]
        return reward


def _optimizer_state(saved: ModelFile) -> dict[int, dict[str, Any]]:
    return _nested({**saved.tensors, **saved.notes["numbers"]}, _OPTIMIZER)


def _nested(values: Mapping[str, Any], prefix: str) -> dict[int, dict[str, Any]]:
    """``{i: {name: value}}`` of what is called ``prefix.i.name``, by ascending ``i``."""
    nested: dict[int, dict[str, Any]] = {}
    for key, value in values.items():
        first, _, rest = key.partition(".")
        if first == prefix:
            number, _, name = rest.partition(".")
            nested.setdefault(int(number), {})[name] = value
    return dict(sorted(nested.items()))
