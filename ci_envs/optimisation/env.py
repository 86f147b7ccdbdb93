"""The base class of the Gymnasium environments of optimisation problems."""

from abc import abstractmethod
from typing import Any, Generic, TypeVar, cast

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from typing_extensions import override

from ci_envs.drawing.drawing import Drawing
from ci_envs.envs.aec import checked_action
from ci_envs.envs.opponent import check_reset_options
from ci_envs.envs.rendering import RENDER_MODES, Renderer
from ci_envs.optimisation.problem import Problem
from ci_envs.optimisation.registry import resolve_problem
from ci_envs.validation import checked_seed

P = TypeVar("P", bound=Problem)


class ProblemEnv(gymnasium.Env[NDArray[np.int8], np.int64], Generic[P]):
    """An optimisation problem as an environment.

    Attributes:
        problem: the problem.
    """

    # as the base class declares it
    metadata: dict[str, Any] = {"render_modes": list(RENDER_MODES), "render_fps": 10}  # noqa: RUF012

    def __init__(self, problem: P, bits: int, render_mode: str | None) -> None:
        """Make the environment, with one action for each locus of a genome.

        Args:
            problem: the problem.
            bits: the length of an observation.
            render_mode: ``human`` (a window), ``rgb_array``, ``ansi`` or None.

        Raises:
            ValueError: the ``render_mode`` is unknown.
        """
        self._renderer = Renderer(render_mode)
        self.problem, self.render_mode = problem, render_mode
        self.observation_space = spaces.Box(0, 1, (bits,), np.int8)
        self.action_space = spaces.Discrete(problem.loci)
        self._has_begun = False  # whether there was an episode
        self._is_running = False  # whether an episode has begun and is not over

    @override
    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.int8], dict[str, Any]]:
        """Start an episode.

        Args:
            seed: the seed of the random numbers of the environment.
            options: None or empty: there are no options.

        Returns:
            The observation, int8 (bits,), and the info.

        Raises:
            ValueError: ``seed`` is not an integer from 0 to 2^64 - 1, or there is an option.
        """
        check_reset_options(options)
        super().reset(seed=checked_seed(seed))
        self._start()
        self._has_begun = self._is_running = True
        self._show()
        return self._observe()

    @override
    def step(self, action: np.int64 | int) -> tuple[NDArray[np.int8], float, bool, bool, dict[str, Any]]:
        """Apply an action, a locus from 0 to ``loci - 1``.

        Returns:
            The observation, int8 (bits,); the reward; whether the episode is terminated; whether it is truncated; and
            the info.

        Raises:
            InvalidActionError: the action is out of range; nothing has changed.
            gymnasium.error.ResetNeeded: the episode has not begun, or it is over.
        """
        reward, terminated, truncated = self._apply(self._check(action))
        self._is_running = not (terminated or truncated)
        self._show()
        observation, info = self._observe()
        return observation, reward, terminated, truncated, info

    def _check(self, action: np.int64 | int) -> int:
        """Return the action as an int.

        Raises:
            InvalidActionError: the action is not in the action space.
            gymnasium.error.ResetNeeded: the episode has not begun, or it is over.
        """
        if not self._is_running:
            raise gymnasium.error.ResetNeeded("call reset() first: the episode has not begun, or it is over")
        return checked_action(action, self.problem.loci)

    @override
    def render(self) -> Any:
        """Return the state as text (``ansi``) or as pixels (``rgb_array``), or show it in a window (``human``).

        Raises:
            gymnasium.error.ResetNeeded: ``reset`` was not called yet.
            gymnasium.error.DependencyNotInstalled: pygame is missing.
        """
        if not self._has_begun:
            raise gymnasium.error.ResetNeeded("call reset() first: there is no episode to show")
        return self._renderer.show(self._text, self._drawing, self.metadata["render_fps"])

    @override
    def close(self) -> None:
        """Close the window, if any."""
        self._renderer.close()

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()

    @abstractmethod
    def _start(self) -> None:
        """Set the state to the start of an episode."""

    @abstractmethod
    def _apply(self, locus: int) -> tuple[float, bool, bool]:
        """Apply an action, and return the reward, whether the episode is terminated, and whether it is truncated."""

    @abstractmethod
    def _observe(self) -> tuple[NDArray[np.int8], dict[str, Any]]:
        """Return the observation and the info."""

    @abstractmethod
    def _drawing(self) -> Drawing:
        """Return the state of the episode as a drawing."""

    @abstractmethod
    def _text(self) -> str:
        """Return the state of the episode as one line."""


def make_problem_env(environment: str, **parameters: Any) -> ProblemEnv[Any]:
    """Make the environment of a registered problem; this is Gymnasium's entry point.

    Raises:
        ValueError: the id or a parameter is unknown, or a value is out of range.
    """
    spec, problem, options = resolve_problem(environment, **parameters)
    environment_class: type[ProblemEnv[Any]] = spec.environment_class()
    return environment_class(problem, **options)


cast(Any, make_problem_env).metadata = ProblemEnv.metadata  # where Gymnasium looks for the render modes
