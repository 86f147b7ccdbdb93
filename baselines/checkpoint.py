"""A training run on disk, so that it can go on after whatever stopped it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.buffers import ReplayBuffer

from ci_envs.baselines.model_file import SB3ModelFile, read_model, write_model
from ci_envs.baselines.policies import PolicyArchitecture
from ci_envs.baselines.self_play import Pool
from ci_envs.games.game import Game

_OPTIMIZER, _POOL, _REPLAY = "optimizer", "pool", "replay"
_COLUMNS = ("observations", "next_observations", "actions", "rewards", "dones", "timeouts")


@dataclass(frozen=True)
class Checkpoint:
    """The weights, the optimizer, the pool and the steps of a run, and DQN's replay buffer.

    Attributes:
        path: the file.
        game: what is played.
        network: of the agent.
        run: what must be the same when the run goes on, plain values.
    """

    path: Path
    game: Game
    network: PolicyArchitecture
    run: Mapping[str, Any]

    def write(self, model: BaseAlgorithm, pool: Pool) -> None:
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
        notes: dict[str, Any] = {"run": dict(self.run), "numbers": numbers}
        if (replay := _replay_of(model)) is not None:
            columns = {name: getattr(replay, name)[: replay.size()] for name in _COLUMNS}
            others |= {f"{_REPLAY}.{name}": torch.from_numpy(column) for name, column in columns.items()}
            notes["replay_position"] = replay.pos
        weights = model.policy.state_dict()
        write_model(self.path, self.network, self.game, model.num_timesteps, weights, others, notes)

    def read(self, model: BaseAlgorithm, pool: Pool) -> None:
        """Put a run back as it stood.

        Raises:
            ValueError: the file is damaged, or of another run.
            OSError: it cannot be read.
        """
        saved = read_model(self.path)
        theirs, ours = saved.notes.get("run", {}), json.loads(json.dumps(dict(self.run)))
        for name in ours:
            if theirs.get(name) != ours[name]:
                raise ValueError(
                    f"{str(self.path)!r} is of another run: its {name} is {theirs.get(name)!r}, not {ours[name]!r}"
                )
        model.policy.load_state_dict(saved.policy(self.game).state_dict())
        optimizer = model.policy.optimizer
        optimizer.load_state_dict({**optimizer.state_dict(), "state": _optimizer_state(saved)})
        pool.weights[:] = _nested(saved.tensors, _POOL).values()
        model.num_timesteps = saved.steps
        if (replay := _replay_of(model)) is not None:
            for name in _COLUMNS:
                column = saved.tensors[f"{_REPLAY}.{name}"].numpy()
                getattr(replay, name)[: len(column)] = column
            replay.full, replay.pos = len(column) == replay.buffer_size, saved.notes["replay_position"]


def _replay_of(model: BaseAlgorithm) -> ReplayBuffer | None:
    return getattr(model, "replay_buffer", None)


def _optimizer_state(saved: SB3ModelFile) -> dict[int, dict[str, Any]]:
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
