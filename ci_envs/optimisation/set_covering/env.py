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

    A set that covers nothing new still has its cost. ``info`` also has ``cost``, the cost of the episode so far. The
    environment is deterministic.
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
    def _start(self) -> None:
        self._counts = np.zeros(self.problem.size, dtype=np.int64)  # how often each element is covered
        self._gains = np.array([len(elements) for elements in self.problem.sets])  # new elements of each set
        self._cost, self._steps = 0.0, 0

    @override
    def _apply(self, locus: int) -> tuple[float, bool, bool]:
        row = self.problem.incidence[locus]
        self._gains = self._gains - self.problem.incidence[:, row & (self._counts == 0)].sum(axis=1)
        self._counts = self._counts + row
        cost = float(self.problem.costs[locus])
        self._cost += cost
        self._steps += 1
        terminated = bool((self._counts > 0).all())
        return -cost, terminated, not terminated and self._steps >= self.problem.loci

    def action_masks(self) -> NDArray[np.bool_]:
        """Return the sets that cover something new, bool (sets,), for sb3-contrib. Before the first episode: none."""
        mask: NDArray[np.bool_] = self._gains > 0 if self._has_begun else np.zeros(self.problem.loci, np.bool_)
        return mask

    @override
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
