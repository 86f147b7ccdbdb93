"""Check that each figure of the documentation has a source: ``python docs/check_figures.py`` prints those without one.

A figure is a number in digits or a word with a unit or a percent sign, a result such as 393/7/0 or 3 of 4, or a number
alone in the cell of a table, in the README, in a page or in the text of a tutorial. Figures that a script or the build
of the site writes have a source. ``docs/figures.toml`` names the
sources of the others. The command prints a line ``FILE:LINE: MESSAGE`` for each finding, and exits with 1 if there are
any.
"""

import re
import sys
import tomllib
from collections.abc import Iterator, Mapping
from importlib import import_module
from math import isclose
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
SOURCES = ROOT / "docs" / "figures.toml"

SCALES: dict[str, float] = {
    "%": 0.01,
    "per cent": 0.01,
    "ms": 0.001,
    "s|seconds?": 1,
    "min|minutes?": 60,
    "hours?": 3600,
    "core-hours": 3600,
    "days?": 86_400,
    "bytes": 1,
    "kB": 1000,
    "MB": 1e6,
    "GB": 1e9,
    "KiB": 2**10,
    "MiB": 2**20,
    "GiB": 2**30,
    "million": 1e6,
    "billion": 1e9,
    "times|nodes|points": 1,
}
"""Regular expressions of the units, with the factor of a number with this unit."""

NUMERALS: dict[str, float] = {
    "half an?": 0.5,
    **dict(zip(("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"), range(2, 11), strict=True)),
    **dict(zip(("twenty", "thirty", "forty", "fifty", "sixty"), range(20, 70, 10), strict=True)),
    "(?:a|one) hundred": 100,
}
"""Regular expressions of numbers in words, with their values."""

_NUMBER = r"(?<![\w.,/])\d(?:[\d,.]*\d)?"
_UNIT = rf"(?:%|(?:{'|'.join(SCALES)})\b)"
_WHOLE = r"the\s+(?:games|points|positions|time)\b"
_FIGURE = re.compile(
    rf"{_NUMBER}[ \n-]?{_UNIT}"
    rf"|\b(?:{'|'.join(NUMERALS)})[ \n-]{_UNIT}"
    rf"|{_NUMBER}/\d+/\d+\b|{_NUMBER} / \d+ / \d+\b|{_NUMBER}\s+of\s+(?:the\s+)?{_NUMBER}(?! x )"
    rf"|\b(?:(?:half|two\s+thirds|three\s+quarters|an?\s+(?:third|quarter|tenth))\s+of\s+{_WHOLE}|twice\s+as\s+\w+)"
    rf"|(?<=\| ){_NUMBER}(?= \|)",
    re.ASCII,
)
_NO_TEXT = re.compile(r"```.*?```|`[^`]*`|<!--.*?-->|\]\([^)]*\)|https?://\S+", re.DOTALL)
_TUTORIAL_CODE = re.compile(r"^(?!# ).*$", re.MULTILINE)


class FigureFinding(NamedTuple):
    """A figure without a source, or a source that is wrong.

    Attributes:
        page: The path of the page, or of the file of the sources.
        line: The number of the line, from 1.
        message: The error.
    """

    page: str
    line: int
    message: str


class PageFigure(NamedTuple):
    """A figure in the text of a page.

    Attributes:
        text: The number with its unit.
        start: The place of its first character in the text.
        line: The number of its line, from 1.
    """

    text: str
    start: int
    line: int

    @property
    def values(self) -> tuple[float, ...]:
        """The number, and the number in the base unit if it has a unit: seconds, bytes, or a share."""
        match = re.match(rf"[\d.,]+|{'|'.join(NUMERALS)}|", self.text)
        number, unit = match[0], self.text[match.end() :].strip(" \n-")  # type: ignore[index,union-attr]
        words = (value for pattern, value in NUMERALS.items() if re.fullmatch(pattern, number))
        value = float(number.replace(",", "")) if number[:1].isdigit() else next(words, None)
        scale = next((scale for pattern, scale in SCALES.items() if re.fullmatch(pattern, unit)), None)
        return tuple(() if value is None else (value,) if scale is None else (value, value * scale))


def figures(text: str) -> Iterator[PageFigure]:
    """Yield the figures of a text in Markdown, without those in code and in links."""
    for match in _FIGURE.finditer(_NO_TEXT.sub(_blank, text)):
        yield PageFigure(match[0], match.start(), text.count("\n", 0, match.start()) + 1)


def page_text(path: Path) -> str:
    """Return the text of a page; of a tutorial, only its comments, with all other characters as spaces."""
    text = path.read_text(encoding="utf-8")
    return _TUTORIAL_CODE.sub(_blank, text) if path.suffix == ".py" else text


def findings() -> Iterator[FigureFinding]:
    """Yield the figures without a source in the README, pages and tutorials, and the sources without a figure."""
    sources = tomllib.loads(SOURCES.read_text(encoding="utf-8"))
    written = sources.pop("written by a script")
    common = sources.pop("all pages")
    for pattern, script in written.items():
        if not (ROOT / script).is_file():
            yield FigureFinding(str(SOURCES.relative_to(ROOT)), 1, f"{pattern!r}: there is no script {script!r}")
    paths = [
        ROOT / "README.md",
        *sorted((ROOT / "docs").rglob("*.md")),
        *sorted((ROOT / "docs/tutorials").glob("*.py")),
    ]
    names = {path.relative_to(ROOT).as_posix(): path for path in paths}
    for name in sources.keys() - names.keys():
        yield FigureFinding(str(SOURCES.relative_to(ROOT)), 1, f"there is no page {name!r}")
    for name, path in names.items():
        if not any(path.match(pattern) for pattern in written):
            yield from page_findings(name, page_text(path), sources.get(name, {}), common)


def page_findings(
    name: str, text: str, sources: Mapping[str, str], common: Mapping[str, str]
) -> Iterator[FigureFinding]:
    """Yield the findings in a page.

    Args:
        name: The path of the page.
        text: Its text in Markdown.
        sources: The sources of its figures, by a part of the text that contains the figures.
        common: The sources of figures that all pages can contain.
    """
    joined = text.replace("\n", " ")  # a quoted part of the text can continue in the next line
    places = {part: [match.start() for match in re.finditer(re.escape(part), joined)] for part in {**common, **sources}}
    used = set()
    for figure in figures(text):
        parts = [part for part, starts in places.items() if any(_contains(figure, part, start) for start in starts)]
        used.update(parts)
        if not parts:
            yield FigureFinding(
                name, figure.line, f"{' '.join(figure.text.split())} has no source in docs/figures.toml"
            )
        for part in parts:
            if error := _wrong({**common, **sources}[part], figure):
                yield FigureFinding(name, figure.line, error)
    for part in sources.keys() - used:
        yield FigureFinding(name, 1, f"docs/figures.toml has a source of {part!r}, which is no figure of the page")


def _contains(figure: PageFigure, part: str, start: int) -> bool:
    return start <= figure.start and figure.start + len(figure.text) <= start + len(part)


def _wrong(source: str, figure: PageFigure) -> str | None:
    """Return what is wrong with the source of a figure, or None."""
    kind, _, rest = source.partition(": ")
    if kind == "test":
        file, _, test = rest.partition("::")
        path = ROOT / "tests" / file
        if not path.is_file() or f"def {test}(" not in path.read_text(encoding="utf-8"):
            return f"there is no test {rest!r}"
    elif kind == "constant":
        module, _, name = rest.rpartition(".")
        value = getattr(import_module(module), name, None)
        if value is None:
            return f"there is no constant {rest!r}"
        allowed = value.values() if isinstance(value, Mapping) else (value,)
        if not any(isclose(each, number) for each in allowed for number in figure.values):
            return f"{figure.text} differs from {rest}, which is {value}"
    elif kind not in ("measured", "published", "reason"):
        return (
            f"the source {source!r} must begin with 'test: ', 'constant: ', 'measured: ', 'published: ' or 'reason: '"
        )
    return None


def _blank(match: re.Match[str]) -> str:
    """Return spaces in the place of a match, so that all other characters keep their places."""
    return re.sub(r"[^\n]", " ", match[0])


def main() -> int:
    """Print the findings, and return the exit status."""
    found = [*findings()]
    for finding in found:
        print(f"{finding.page}:{finding.line}: {finding.message}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
