"""Drawings as files: SVG, PNG, and animations as GIF or SVG."""

from collections.abc import Sequence
from pathlib import Path

from ci_envs.drawing.drawing import Drawing
from ci_envs.drawing.raster import MissingPackageError, png_bytes, rgb_array
from ci_envs.extras import missing_package
from ci_envs.storage.files import write_whole

PICTURE_FORMATS = (".svg", ".png")
ANIMATION_FORMATS = (".svg", ".gif")


def save_picture(drawing: Drawing, path: str | Path) -> None:
    """Write a drawing to a file, as SVG or PNG depending on its ending.

    Raises:
        ValueError: The file name has another ending.
        DependencyNotInstalled: A PNG needs pygame, which is not installed.
        OSError: The file cannot be written.
    """
    file = check_ending(path, PICTURE_FORMATS)
    content = drawing.svg().encode() if file.suffix == ".svg" else png_bytes(drawing)
    write_whole(file, content)


def save_animation(drawings: Sequence[Drawing], path: str | Path, *, seconds: float = 1.0) -> None:
    """Write drawings as an animation that repeats for ever, as SVG or GIF depending on the ending of the file.

    Args:
        drawings: The frames, at least one, all of the same size.
        path: The path of the file.
        seconds: The duration of each frame, above 0. The last frame has three times this duration.

    Raises:
        ValueError: The file name has another ending.
        DependencyNotInstalled: A GIF needs pygame and Pillow, and one of them is not installed.
        OSError: The file cannot be written.
    """
    file = check_ending(path, ANIMATION_FORMATS)
    content = _svg(drawings, seconds).encode() if file.suffix == ".svg" else gif_bytes(drawings, seconds=seconds)
    write_whole(file, content)


def check_ending(path: str | Path, endings: Sequence[str]) -> Path:
    """Return ``path`` if its ending is one of ``endings``.

    Raises:
        ValueError: The ending is another one.
    """
    file = Path(path)
    if file.suffix not in endings:
        raise ValueError(f"the file name {file.name!r} must end in {' or '.join(endings)}")
    return file


def _times(drawings: Sequence[Drawing], seconds: float) -> list[float]:
    return [seconds] * (len(drawings) - 1) + [3 * seconds]


def _svg(drawings: Sequence[Drawing], seconds: float) -> str:
    """Return an SVG document in which each frame is visible for its time, by means of CSS."""
    times = _times(drawings, seconds)
    total = sum(times)
    rules, frames, start = [], [], 0.0
    for number, (drawing, time) in enumerate(zip(drawings, times, strict=True)):
        first, last = (f"{100 * end / total:.4f}%" for end in (start, start + time))
        start += time
        shown = f"{first}{{visibility:visible}}{last}{{visibility:hidden}}"
        rules.append(f"@keyframes f{number}{{0%{{visibility:hidden}}{shown}}}")
        style = f"visibility:hidden;animation:f{number} {total:g}s step-end infinite"
        frames.append(f'<g style="{style}">{drawing.svg()}</g>')
    width, height = drawings[0].width, drawings[0].height
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">'
        f"<style>{''.join(rules)}</style>{''.join(frames)}</svg>"
    )


def gif_bytes(drawings: Sequence[Drawing], *, seconds: float = 1.0) -> bytes:
    """Return drawings as an animated GIF; the arguments are those of :func:`save_animation`.

    Raises:
        DependencyNotInstalled: pygame or Pillow is not installed.
    """
    import io

    try:
        from PIL import Image
    except ImportError as error:
        raise MissingPackageError(missing_package("a GIF", "Pillow", "render")) from error
    frames = [Image.fromarray(rgb_array(drawing)).quantize(64) for drawing in drawings]
    content = io.BytesIO()
    durations = [round(1000 * time) for time in _times(drawings, seconds)]
    frames[0].save(content, "GIF", save_all=True, append_images=frames[1:], duration=durations, loop=0)
    return content.getvalue()
