"""The black-box bit string as a Gymnasium environment."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from ci_envs.drawing.drawing import Drawing
from ci_envs.optimisation.bit_string.problem import BitString
from ci_envs.optimisation.drawing import curve_drawing
from ci_envs.optimisation.env import ProblemEnv
from ci_envs.validation import integer_between


class BitStringEnv(ProblemEnv[BitString]):
    """Flip one bit per step: ``gymnasium.make("ci_envs/BitString-v0", problem=2)``.

    | Name | Value |
    |---|---|
    | Actions | Discrete(loci): flip a bit |
    | Observation | int8 (loci,), the genome |
    | Reward | the change of the fitness |
    | End | truncated after ``max_calls`` calls; never terminated, as a black box does not tell whether it is solved |

    ``info`` has ``fitness``, the ``best`` fitness of the episode, and ``calls``, the number of fitness calls. The first
    genome is random; its evaluation is the first call.
    """

    def __init__(self, problem: BitString, *, max_calls: int | None = None, render_mode: str | None = None) -> None:
        """Make the environment.

        Args:
            problem: the black box; its own counter counts the calls of all episodes.
            max_calls: the maximum number of fitness calls of an episode, 2 or more; None means ``1 + 10 * loci``.
            render_mode: ``human`` (a window), ``rgb_array``, ``ansi`` or None.

        Raises:
            ValueError: an argument is out of range.
        """
        self._max_calls = 1 + 10 * problem.loci if max_calls is None else integer_between("max_calls", max_calls, 2)
        super().__init__(problem, problem.loci, render_mode)

    @override
    def _start(self) -> None:
        self._genome = self.np_random.integers(2, size=self.problem.loci, dtype=np.int8)
        self._fitness, self._calls = self._evaluate(), 1
        self._improvements = [(1, self._fitness)]

    @override
    def _apply(self, locus: int) -> tuple[float, bool, bool]:
        self._genome[locus] ^= 1
        before, self._fitness = self._fitness, self._evaluate()
        self._calls += 1
        if self._fitness > self._improvements[-1][1]:
            self._improvements.append((self._calls, self._fitness))
        return self._fitness - before, False, self._calls >= self._max_calls

    def _evaluate(self) -> float:
        return float(self.problem.fitness(self._genome[np.newaxis])[0])

    @override
    def _observe(self) -> tuple[NDArray[np.int8], dict[str, Any]]:
        info = {"fitness": self._fitness, "best": self._improvements[-1][1], "calls": self._calls}
        return self._genome.copy(), info

    @override
    def _drawing(self) -> Drawing:
        return curve_drawing(self._improvements, self._calls)

    @override
    def _text(self) -> str:
        return f"fitness {self._fitness:.4f}, best {self._improvements[-1][1]:.4f} after {self._calls} calls"
