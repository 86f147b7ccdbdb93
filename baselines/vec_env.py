"""The vector environment as a ``VecEnv`` of Stable-Baselines3."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices, VecEnvObs, VecEnvStepReturn
from typing_extensions import override

from ci_envs.agents.search.lookahead import MAX_LOOKAHEAD, Lookahead
from ci_envs.envs.aec import InvalidActionError
from ci_envs.envs.opponent import check_reset_options
from ci_envs.envs.vector import VectorBoardEnv
from ci_envs.validation import finite_number, integer_between


class BoardsVecEnv(VecEnv):
    """A ``VecEnv`` of the boards of one or more vector environments.

    With several vector environments the agent plays against several opponents at once, one in each. SB3-contrib calls
    ``action_masks``.

    Attributes:
        groups: the vector environments.
    """

    def __init__(self, *groups: VectorBoardEnv, draw_reward: float | None = None, lookahead: int = 0) -> None:
        """Combine vector environments of one game.

        Args:
            groups: the vector environments, with ``autoreset_mode="SameStep"``, as Stable-Baselines3 expects.
            draw_reward: the finite reward at the end of a drawn or truncated game, which then has no value left. None
                means 0, and Stable-Baselines3 adds the estimated value of the last position of a truncated game.
            lookahead: plies within which the masks allow only the actions with the best forced result. 0 allows all
                legal actions.

        Raises:
            TypeError: one of ``groups`` is another object.
            ValueError: ``groups`` is empty, contains an environment twice, or has several games or render modes, an
                environment has another ``autoreset_mode``, or a number is out of range.
        """
        _check_groups(groups)
        integer_between("lookahead", lookahead, 0, MAX_LOOKAHEAD)
        self.groups = groups
        self._draw_reward = None if draw_reward is None else finite_number("draw_reward", draw_reward)
        self._lookahead = Lookahead(groups[0].game, lookahead) if lookahead else None
        self._ends = np.cumsum([group.num_envs for group in groups]).tolist()
        self._actions: NDArray[Any] = np.zeros(0)
        first = groups[0]
        self.render_mode = first.render_mode
        super().__init__(self._ends[-1], first.single_observation_space, first.single_action_space)

    @override
    def reset(self) -> VecEnvObs:
        """Start a new game on every board, with the seeds of the last call of :meth:`seed`.

        Raises:
            ValueError: ``set_options`` set an option. No options exist.
        """
        for options in self._options:
            check_reset_options(options)
        planes = []
        for group, part in self._parts():
            seeds = self._seeds[part]
            planes.append(group.reset(seed=None if None in seeds else seeds)[0])
        self._reset_seeds()
        return np.concatenate(planes)

    @override
    def step_async(self, actions: NDArray[Any]) -> None:
        """Store the actions of the next step, integers of shape (boards,).

        Raises:
            InvalidActionError: the actions have another shape.
        """
        self._actions = np.asarray(actions)
        if self._actions.shape != (self.num_envs,):
            raise InvalidActionError(f"actions must have the shape ({self.num_envs},), not {self._actions.shape}")

    @override
    def step_wait(self) -> VecEnvStepReturn:
        """Step all boards. The info of a finished game has ``terminal_observation`` and ``illegal_action``."""
        planes, rewards, dones = [], [], []
        infos: list[dict[str, Any]] = []
        for group, part in self._parts():
            seen, earned, terminated, truncated, info = group.step(self._actions[part])
            planes.append(seen)
            dones.append(terminated | truncated)
            if self._draw_reward is not None:
                earned = np.where(dones[-1] & (earned == 0), self._draw_reward, earned)
                truncated = np.zeros_like(truncated)
            rewards.append(earned)
            infos += [{} for _ in range(group.num_envs)]
            for i in np.flatnonzero(dones[-1]).tolist():
                infos[part.start + i].update(
                    {
                        "terminal_observation": info["final_obs"][i],
                        "TimeLimit.truncated": bool(truncated[i]),
                        "illegal_action": bool(info["final_info"]["illegal_action"][i]),
                    }
                )
        return np.concatenate(planes), np.concatenate(rewards).astype(np.float32), np.concatenate(dones), infos

    def action_masks(self) -> NDArray[np.bool_]:
        """Return the actions that the agent can choose, bool of shape (boards, actions)."""
        masks = np.concatenate([group.action_masks() for group in self.groups])
        if self._lookahead is not None:
            words = np.concatenate([group.words for group in self.groups])
            goes_on = masks.any(axis=1)  # the opponent can end a game before the agent's first action
            masks[goes_on] = self._lookahead.best_actions(words[goes_on])
        return masks

    @override
    def close(self) -> None:
        """Close the vector environments."""
        for group in self.groups:
            group.close()

    @override
    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """Return an attribute of each board's vector environment."""
        return [getattr(self._group_of(i), attr_name) for i in self._get_indices(indices)]

    @override
    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Set an attribute of the boards' vector environments."""
        for group in dict.fromkeys(map(self._group_of, self._get_indices(indices))):
            setattr(group, attr_name, value)

    @override
    def env_method(
        self, method_name: str, *method_args: Any, indices: VecEnvIndices = None, **method_kwargs: Any
    ) -> list[Any]:
        """Return the result of a method for each board. The only such method is ``action_masks``.

        Raises:
            AttributeError: ``method_name`` is another method.
        """
        if method_name != "action_masks":
            raise AttributeError(
                f"boards of a vector environment have only the method action_masks, not {method_name!r}"
            )
        masks = self.action_masks()
        return [masks[i] for i in self._get_indices(indices)]

    @override
    def env_is_wrapped(self, wrapper_class: Any, indices: VecEnvIndices = None) -> list[bool]:
        """Return False for each board, because boards are never wrapped."""
        return [False for _ in self._get_indices(indices)]

    @override
    def get_images(self) -> Sequence[NDArray[np.uint8] | None]:
        """Return a picture of each board."""
        return [image for group in self.groups for image in group.render() or (None,) * group.num_envs]

    def _parts(self) -> Iterable[tuple[VectorBoardEnv, slice]]:
        starts = [0, *self._ends[:-1]]
        return [(group, slice(start, end)) for group, start, end in zip(self.groups, starts, self._ends, strict=True)]

    def _group_of(self, board: int) -> VectorBoardEnv:
        return self.groups[int(np.searchsorted(self._ends, range(self.num_envs)[board], side="right"))]


def _check_groups(groups: Sequence[VectorBoardEnv]) -> None:
    for group in groups:
        if not isinstance(group, VectorBoardEnv):
            raise TypeError(f"groups must be vector environments that ci_envs.make_vec makes, not {group!r}")
        if group.metadata["autoreset_mode"] != AutoresetMode.SAME_STEP:
            raise ValueError(f"autoreset_mode must be SameStep, not {group.metadata['autoreset_mode']}")
    if len({group.game for group in groups}) != 1:
        raise ValueError(f"groups must be vector environments of one game, not {[str(group.game) for group in groups]}")
    if len(set(map(id, groups))) < len(groups):
        raise ValueError("groups must be different vector environments, but one of them is there twice")
    if len({group.render_mode for group in groups}) > 1:
        raise ValueError(f"groups must have one render_mode, not {[group.render_mode for group in groups]}")
