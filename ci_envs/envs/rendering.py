"""Rendering in the render modes of the environments."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pettingzoo.utils.env_logger import EnvLogger

from ci_envs.drawing.drawing import Drawing
from ci_envs.envs.warn_once import warn_once

RENDER_MODES = ("human", "rgb_array", "ansi")
RENDER_FPS = 2


def _warn_no_render_mode() -> None:
    EnvLogger.get_logger().warning("render() does nothing: the environment was made without a render_mode.")


class Renderer:
    """A renderer of the state of an environment in one render mode."""

    def __init__(self, mode: str | None) -> None:
        """Make the renderer.

        Args:
            mode: ``human`` (a window), ``rgb_array``, ``ansi`` or None.

        Raises:
            ValueError: the mode is unknown.
        """
        if mode is not None and mode not in RENDER_MODES:
            raise ValueError(f"render_mode must be one of {', '.join(RENDER_MODES)} or None, not {mode!r}")
        self._mode = mode
        self._window: Any = None

    def show(self, text: Callable[[], str], draw: Callable[[], Drawing], fps: float) -> NDArray[np.uint8] | str | None:
        """Return an RGB array (uint8, height x width x 3) or text, or None after drawing in a window.

        Args:
            text: returns the state as text.
            draw: returns the state as a drawing.
            fps: maximum number of states per second in a window.
        """
        if self._mode is None:
            warn_once(_warn_no_render_mode)
            return None
        if self._mode == "ansi":
            return text()
        from ci_envs.drawing.raster import Window, rgb_array

        if self._mode == "rgb_array":
            return rgb_array(draw())
        self._window = self._window or Window()
        self._window.show(draw(), fps)
        return None

    def close(self) -> None:
        """Close the window if it is open."""
        if self._window is not None:
            self._window.close()
            self._window = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_window": None}  # a window cannot be copied
