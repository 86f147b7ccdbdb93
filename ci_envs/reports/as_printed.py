"""The method and parameters that the reports print, and the bugs that the literal versions keep.

The texts are in the descriptions of the sections (:mod:`ci_envs.reports.description`).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from ci_envs.reports.descriptions import FOLDER, descriptions


@dataclass(frozen=True)
class KeptBug:
    """A bug of a report that the literal version keeps.

    Attributes:
        text: What is wrong.
        file: The file, relative to ``ci_envs/reports``.
        code: A part of the line of code that keeps the bug. Only this line contains it.
    """

    text: str
    file: str
    code: str

    @property
    def line(self) -> int:
        """The number of the line of code, from 1.

        Raises:
            ValueError: Not exactly one line of the file contains the code.
        """
        lines = (FOLDER / self.file).read_text().splitlines()
        found = [number for number, line in enumerate(lines, 1) if self.code in line]
        if len(found) != 1:
            raise ValueError(f"{len(found)} lines of {self.file} contain {self.code!r}, not 1")
        return found[0]


@dataclass(frozen=True)
class AsPrinted:
    """The contents of a section of a report, in our own words.

    Attributes:
        method: The method and its operators.
        parameters: The parameters, and those that are not printed.
        bugs: The bugs that our literal version keeps.
        pseudo_code: The pseudo-code, or an empty text.
        after: Our work on the plans of the report, in Markdown, or an empty text.
    """

    method: str
    parameters: str
    bugs: tuple[KeptBug, ...]
    pseudo_code: str = ""
    after: str = ""


@cache
def as_printed() -> Mapping[str, AsPrinted]:
    """Return the contents of the reports, by the name of the section."""
    boxes = {name: content["as_printed"] for name, content in descriptions().items()}
    return {
        name: AsPrinted(**{**box, "bugs": tuple(KeptBug(*bug) for bug in box["bugs"])}) for name, box in boxes.items()
    }
