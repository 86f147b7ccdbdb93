"""Set covering as a Gymnasium environment."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ci_envs.drawing.drawing import Drawing
from ci_envs.optimisation.drawing import coverage_drawing
from ci_envs.optimisation.env import ProblemEnv
from ci_envs.optimisation.set_covering.problem import SetCovering


class SetCoveringEnv(ProblemEnv[SetCovering]):
    """Take list after list until all is covered; ``gymnasium.make("ci_envs/SetCovering-v0", n=100)`` makes one.

    | Name | Value |
    |---|---|
    | Actions | Discrete(lists): take a list |
    | Observation | int8 (size,), 1 where a number is covered |
    | Mask | ``info["action_mask"]``, int8 (lists,), and ``action_masks()``, bool: lists that add something |
    | Reward | minus the cost of the list |
    | End | terminated when all is covered; truncated after as many steps as there are lists |

    A list that adds nothing costs what it costs.
    """

    def __init__(self, problem: SetCovering, *, render_mode: str | None = None) -> None:
        """Make the environment.

        Args:
            problem: the instance.
            render_mode: ``human`` (a window), ``rgb_array``, ``ansi`` or None.

        Raises:
            ValueError: there is no such ``render_mode``.
        """
        super().__init__(problem, problem.size, render_mode)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.int8], dict[str, Any]]:
        """Begin with nothing covered.

        Args:
            seed: of the action spaces and wrappers; the environment itself has no luck.
            options: none are known.

        Returns:
            Zeros, and ``{"action_mask": mask, "cost": 0.0}``.
        """
        super().reset(seed=seed, options=options)
        self._counts = np.zeros(self.problem.size, dtype=np.int64)  # how often each number is covered
        self._gains = np.array([len(one) for one in self.problem.lists])  # what each list would add
        self._cost, self._steps, self._is_expected = 0.0, 0, True
        self._show()
        return self._observe()

    def step(self, action: np.int64 | int) -> tuple[NDArray[np.int8], float, bool, bool, dict[str, Any]]:
        """Take a list.

        Raises:
            InvalidActionError: there is no such list; nothing has changed.
            gymnasium.error.ResetNeeded: the episode has not begun, or it is over.
        """
        taken = self._check(action)
        row = self.problem.incidence[taken]
        self._gains = self._gains - self.problem.incidence[:, row & (self._counts == 0)].sum(axis=1)
        self._counts = self._counts + row
        cost = float(self.problem.costs[taken])
        self._cost += cost
        self._steps += 1
        terminated = bool((self._counts > 0).all())
        truncated = not terminated and self._steps >= self.problem.loci
        self._is_expected = not (terminated or truncated)
        self._show()
        observation, info = self._observe()
        return observation, -cost, terminated, truncated, info

    def action_masks(self) -> NDArray[np.bool_]:
        """The lists that add something, bool (lists,): where SB3-contrib looks for them."""
        mask: NDArray[np.bool_] = self._gains > 0
        return mask

    def _observe(self) -> tuple[NDArray[np.int8], dict[str, Any]]:
        mask = self.action_masks().astype(np.int8)
        return (self._counts > 0).astype(np.int8), {"action_mask": mask, "cost": self._cost}

    def _drawing(self) -> Drawing:
        return coverage_drawing(self._counts, self._cost)

    def _text(self) -> str:
        covered = int(np.count_nonzero(self._counts))
        return f"{covered} of {self.problem.size} covered by {self._steps} lists, cost {self._cost:g}"
