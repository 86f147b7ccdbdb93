"""The reason of an exception that a game raised, in one line with the file and the line of the game."""

import re
import traceback
from pathlib import Path
from sysconfig import get_path

_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
_DIGEST = re.compile(r"#[0-9a-f]{16}\b")
_STEP = re.compile(r"^\w+(Error|Exception): Failed in nopython mode pipeline.*$|^Failed in nopython mode pipeline.*$")
_PLACE = re.compile(r'File "([^"]+)", line (\d+)|at (\S+) \((\d+)\)')
_PARTS = "|".join(part.name for part in Path(__file__).parents[1].iterdir() if part.is_dir())
_LIBRARIES = re.compile(rf"(?:^|[/\\])(site-packages|numba|ci_envs[/\\]({_PARTS}))[/\\]")
_OPERATION = re.compile(r"Function\(<function (\w+) at ")
_LONGEST = 400
HINT_FOR_FLOATS = "compiled code makes a float64 of a uint64 and another integer: write np.uint64(1) instead of 1"
"""The cause of a float in a rule, and what to do."""

_HINTS = {
    "float64": HINT_FOR_FLOATS,
    "type of <class 'function'>": "a function that a kernel calls needs @kernel of ci_envs.games above it",
    "Unknown attribute": "a kernel cannot read the attributes of a game: read them in the function around the kernel",
}
"""What to do about an error in compiled code, by a part of its reason."""


def reason_of(error: Exception) -> str:
    """Return the type of an exception, its reason and its place in one line.

    Numba explains an error in compiled code in a hundred lines. The reason is near the end, after the last candidate
    that was rejected.
    """
    text = _DIGEST.sub("", _COLOURS.sub("", str(error)))
    *_, text = text.split("raised a specific error:")
    name, lines = type(error).__name__, [line.strip() for line in text.splitlines()]
    if rest := [number for number, line in enumerate(lines) if _STEP.match(line)]:
        lines = lines[rest[-1] + 1 :]
    ends = [number for number, line in enumerate(lines) if _PLACE.search(line) and number > 0]
    reason = " ".join(" ".join(lines[: ends[0]] if ends else lines).split()).partition(" During: ")[0][:_LONGEST]
    if isinstance(error, OverflowError):
        reason += "; a word of a position, like every number in a rule, has 64 bits"
    if name == "TypingError":
        reason += "".join(f"; {hint}" for part, hint in _HINTS.items() if part in reason)
    if operation := _OPERATION.search(text):
        reason += f", in {operation[1]}"
    return f"{name}: {reason}{_place_of(error, text)}"


def _place_of(error: Exception, text: str) -> str:
    """Return the file and the line of the game from Numba's text, or from the traceback; empty if unknown."""
    for match in _PLACE.finditer(text):
        file, line = (match[1], match[2]) if match[1] else (match[3], match[4])
        if not _is_library(file):
            return f" ({file.rsplit('/', 1)[-1]}, line {line})"
    frames = traceback.extract_tb(error.__traceback__)
    last = [frame for frame in frames if not _is_library(frame.filename)]
    return f" ({last[-1].filename.rsplit('/', 1)[-1]}, line {last[-1].lineno})" if last else ""


def _is_library(file: str) -> bool:
    return file.startswith(get_path("stdlib")) or _LIBRARIES.search(file) is not None
