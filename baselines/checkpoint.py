"""The state of a training run of Stable-Baselines3 as plain values and arrays, from which the run can be resumed."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from numpy.typing import NDArray
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.buffers import ReplayBuffer

from ci_envs.baselines.self_play import Pool, Weights
from ci_envs.storage.named_parts import numbered_parts, part_of, with_part
from ci_envs.training.trainer import TrainerState

_POLICY, _OPTIMIZER, _POOL, _REPLAY, _BEST = "policy", "optimizer", "pool", "replay", "best"
_COLUMNS = ("observations", "next_observations", "actions", "rewards", "dones", "timeouts")


@dataclass(frozen=True)
class BestModel:
    """The policy with the best score on the ladder so far.

    Attributes:
        score: its mean score, from 0 to 1.
        steps: steps of training before the measurement.
        weights: a copy of its state dictionary.
    """

    score: float
    steps: int
    weights: Weights


def state_of(model: BaseAlgorithm, steps: int, pool: Pool, best: BestModel | None) -> TrainerState:
    """Return the weights, the optimizer, the pool, DQN's replay buffer and the best policy.

    The arrays share the memory of the model if possible. ``steps`` are the steps that the model has learned from.
    """
    values: dict[str, Any] = {"steps": steps, "next_entry": pool.next_entry, "optimizer": {}}
    tensors = with_part(_POLICY, model.policy.state_dict())
    for key, value in _optimizer_items(model):
        if isinstance(value, torch.Tensor):
            tensors[key] = value
        else:
            values["optimizer"][key] = value
    for number, weights in enumerate(pool.weights):
        tensors |= with_part(f"{_POOL}.{number}", weights)
    if best is not None:
        values["best"] = {"score": best.score, "steps": best.steps}
        tensors |= with_part(_BEST, best.weights)
    arrays = {name: tensor.detach().cpu().numpy() for name, tensor in tensors.items()}
    if (replay := _replay_of(model)) is not None:
        values["replay_position"] = replay.pos
        arrays |= {f"{_REPLAY}.{name}": getattr(replay, name)[: replay.size()] for name in _COLUMNS}
    return TrainerState(values, arrays)


def restore_state(model: BaseAlgorithm, pool: Pool, state: TrainerState) -> BestModel | None:
    """Restore a state into a new model and a new pool.

    Args:
        model: a model of the same algorithm with the same arguments.
        pool: an empty pool.
        state: the result of :func:`state_of`.

    Returns:
        The best policy so far.

    Raises:
        KeyError: a part of the state is missing.
        ValueError: the weights do not fit the model.
    """
    values, arrays = state.values, state.arrays
    tensors = {name: torch.from_numpy(array) for name, array in arrays.items() if not name.startswith(f"{_REPLAY}.")}
    optimizer = model.policy.optimizer
    try:
        model.policy.load_state_dict(part_of(tensors, _POLICY))
        state_dict = {**optimizer.state_dict(), "state": numbered_parts({**tensors, **values["optimizer"]}, _OPTIMIZER)}
        optimizer.load_state_dict(state_dict)
    except RuntimeError as error:
        raise ValueError(f"the weights do not fit the network: {error}".splitlines()[0]) from None
    pool.weights[:] = numbered_parts(tensors, _POOL).values()
    pool.next_entry = values["next_entry"]
    model.num_timesteps = values["steps"]
    if (replay := _replay_of(model)) is not None:
        _restore_replay(replay, part_of(arrays, _REPLAY), values["replay_position"])
    best = values.get("best")
    return None if best is None else BestModel(best["score"], best["steps"], part_of(tensors, _BEST))


def _optimizer_items(model: BaseAlgorithm) -> Iterator[tuple[str, Any]]:
    for parameter, values in model.policy.optimizer.state_dict()["state"].items():
        for name, value in values.items():
            yield f"{_OPTIMIZER}.{parameter}.{name}", value


def _replay_of(model: BaseAlgorithm) -> ReplayBuffer | None:
    return getattr(model, "replay_buffer", None)


def _restore_replay(replay: ReplayBuffer, columns: Mapping[str, NDArray[Any]], position: int) -> None:
    for name in _COLUMNS:
        getattr(replay, name)[: len(columns[name])] = columns[name]
    replay.full, replay.pos = len(columns["rewards"]) == replay.buffer_size, position
