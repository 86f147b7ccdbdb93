"""Set covering as a Gymnasium environment."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from ci_envs.drawing.drawing import Drawing
from ci_envs.optimisation.drawing import coverage_drawing
from ci_envs.optimisation.env import ProblemEnv
from ci_envs.optimisation.set_covering.problem import SetCovering


class SetCoveringEnv(ProblemEnv[SetCovering]):
    """Select one set per step until every element is covered: ``gymnasium.make("ci_envs/SetCovering-v0", n=100)``.

    | Name | Value |
    |---|---|
    | Actions | Discrete(sets): select a set |
    | Observation | int8 (elements,), 1 where an element is covered |
    | Mask | ``info["action_mask"]``, int8 (sets,), and ``action_masks()``, bool: the sets that cover something new |
    | Reward | minus the cost of the set |
    | End | terminated when every element is covered; truncated after as many steps as there are sets |

    A set that covers nothing new still has its cost.
    """

    def __init__(self, problem: SetCovering, *, render_mode: str | None = None) -> None:
        """Make the environment.

        Args:
            problem: the instance.
            render_mode: ``human`` (a window), ``rgb_array``, ``ansi`` or None.

        Raises:
            ValueError: the ``render_mode`` is unknown.
        """
        super().__init__(problem, problem.size, render_mode)

    @override
    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.int8], dict[str, Any]]:
        """Start an episode in which nothing is covered.

        Args:
            seed: the seed of the action space and of wrappers; the environment itself is deterministic.
            options: not used.

        Returns:
            Zeros, and ``{"action_mask": mask, "cost": 0.0}``.
        """
        super().reset(seed=seed, options=options)
        self._counts = np.zeros(self.problem.size, dtype=np.int64)  # how often each element is covered
        self._gains = np.array([len(elements) for elements in self.problem.sets])  # new elements of each set
        self._cost, self._steps, self._is_running = 0.0, 0, True
        self._show()
        return self._observe()

    @override
    def step(self, action: np.int64 | int) -> tuple[NDArray[np.int8], float, bool, bool, dict[str, Any]]:
        """Select a set.

        Raises:
            InvalidActionError: the action is out of range; nothing has changed.
            gymnasium.error.ResetNeeded: the episode has not begun, or it is over.
        """
        index = self._check(action)
        row = self.problem.incidence[index]
        self._gains = self._gains - self.problem.incidence[:, row & (self._counts == 0)].sum(axis=1)
        self._counts = self._counts + row
        cost = float(self.problem.costs[index])
        self._cost += cost
        self._steps += 1
        terminated = bool((self._counts > 0).all())
        truncated = not terminated and self._steps >= self.problem.loci
        self._is_running = not (terminated or truncated)
        self._show()
        observation, info = self._observe()
        return observation, -cost, terminated, truncated, info

    def action_masks(self) -> NDArray[np.bool_]:
        """Return the sets that cover something new, bool (sets,), for sb3-contrib."""
        mask: NDArray[np.bool_] = self._gains > 0
        return mask

    def _observe(self) -> tuple[NDArray[np.int8], dict[str, Any]]:
        mask = self.action_masks().astype(np.int8)
        return (self._counts > 0).astype(np.int8), {"action_mask": mask, "cost": self._cost}

    @override
    def _drawing(self) -> Drawing:
        return coverage_drawing(self._counts, self._cost)

    @override
    def _text(self) -> str:
        covered = int(np.count_nonzero(self._counts))
        return f"{covered} of {self.problem.size} covered by {self._steps} sets, cost {self._cost:g}"
