"""Drawings as pixels: frames for videos, and a window. Only this module needs pygame, and only for rendering."""

import io
import os
from types import ModuleType
from typing import Any

import numpy as np
from gymnasium.error import DependencyNotInstalled
from numpy.typing import NDArray

from ci_envs.drawing.drawing import BACKGROUND, Drawing
from ci_envs.extras import missing_package

_FONT_SCALE = 16 / 11  # pygame renders its own font at 11/16 of the requested size


class MissingPackageError(DependencyNotInstalled, ImportError):
    """Raised if pygame or Pillow is not installed: the error of Gymnasium, which commands report as a failed import."""


def rgb_array(drawing: Drawing) -> NDArray[np.uint8]:
    """Return the pixels of ``drawing``, uint8 of shape (height, width, 3). A display is not necessary.

    Raises:
        DependencyNotInstalled: pygame is not installed.
    """
    surface = _surface(drawing)
    width, height = surface.get_size()
    pixels = bytearray(_pygame().image.tobytes(surface, "RGB"))  # a bytearray, for a writable array
    return np.frombuffer(pixels, dtype=np.uint8).reshape(height, width, 3)


def png_bytes(drawing: Drawing) -> bytes:
    """Return ``drawing`` as the content of a PNG file.

    Raises:
        DependencyNotInstalled: pygame is not installed.
    """
    content = io.BytesIO()
    _pygame().image.save(_surface(drawing), content, "drawing.png")
    return content.getvalue()


class Window:
    """A window on the screen, which the first call of :meth:`show` opens."""

    def __init__(self) -> None:
        self._clock: Any = None

    def show(self, drawing: Drawing, fps: float) -> None:
        """Show ``drawing``, and wait so that at most ``fps`` pictures per second are shown.

        Raises:
            DependencyNotInstalled: pygame is not installed.
        """
        pygame = _pygame()
        surface = _surface(drawing)
        self._clock = self._clock or pygame.time.Clock()
        screen = pygame.display.get_surface()
        if screen is None or screen.get_size() != surface.get_size():
            screen = pygame.display.set_mode(surface.get_size())
            pygame.display.set_caption("ci_envs")
        screen.blit(surface, (0, 0))
        pygame.event.pump()
        pygame.display.flip()
        self._clock.tick(fps)

    def close(self) -> None:
        """Close the window, if it is open."""
        if self._clock is not None:
            _pygame().display.quit()
            self._clock = None


def _surface(drawing: Drawing) -> Any:
    pygame = _pygame()
    shapes = pygame.image.load(io.BytesIO(drawing.shapes_svg().encode()), "drawing.svg")
    surface = shapes.copy()  # blending is ten times as fast between surfaces of the same pixel format
    surface.fill(BACKGROUND)
    surface.blit(shapes, (0, 0))
    pygame.font.init()
    sizes = {label.size for label in drawing.labels}
    fonts = {size: pygame.font.Font(None, round(_FONT_SCALE * size)) for size in sizes}
    for label in drawing.labels:
        text = fonts[label.size].render(label.text, True, label.color)
        surface.blit(text, text.get_rect(center=(label.x, label.y)))
    return surface


def _pygame() -> ModuleType:
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")  # otherwise pygame prints to the program's output
    try:
        import pygame
    except ImportError as error:
        raise MissingPackageError(missing_package("rendering", "pygame", "render")) from error
    return pygame
