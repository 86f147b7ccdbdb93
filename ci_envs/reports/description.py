"""The description of a section: all that the report says about it, and all that we say about it.

A file such as ``report_b/b1.toml`` contains the description of a section: its texts, the method that the report prints,
the published figures with their sources, the notes and units of the rows, the numbers of games and runs, and the
claims. The module next to it only measures. A quantity in brackets is a figure of a row, in a text with its format, and
a name in braces is a number of the budget::

    holds_if = "[weight, N = 5] <= 5 and [weight, N = 10; ours] < [weight, N = 10] * 1.05"
    why = "The weight is [weight, N = 5:.0f] in {runs} runs ({runs.quick} with --quick)."

Notes, reasons why our figure is not better (``not_better``) and units belong to patterns of quantities, in which ``*``
stands for any text.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

from typing_extensions import override

from ci_envs.reports.claims import Cell, CellComparison, Claim, Condition, JoinedConditions, Operand, Text
from ci_envs.reports.descriptions import FOLDER, descriptions
from ci_envs.reports.estimates import Estimate
from ci_envs.reports.rows import FigureRow
from ci_envs.reports.sources import Figure, Source, SourceKind

_CELL = re.compile(r"\[([^];]+?)(?:; (literal|described|ours))?(?::(,?\.\d+[fg]))?\]")
_OPERAND = rf"(?:{_CELL.pattern}(?: \* ([\d.]+))?|(-?[\d.]+))"
_COMPARISON = re.compile(rf"{_OPERAND} (<=|<|>=|>) {_OPERAND}")


class Budget(NamedTuple):
    """A number of games, runs or the like.

    Attributes:
        full: In a full run.
        quick: In a quick run.
    """

    full: int
    quick: int

    @override
    def __format__(self, spec: str) -> str:
        return format(self.full, spec or ",")


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


class AsPrinted(NamedTuple):
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


class Description:
    """The description of a section.

    Attributes:
        name: The identifier, for example ``B31``: the letter of the report and the number of the section.
        title: The title.
        game: The environment or problem, as a spec string.
        purpose: The aim of the report.
        conditions: The first player, the opponents and the number of games, as in the report.
        conclusion: Our conclusion, with measured figures.
        seconds: The approximate duration of a full run on two cores.
        as_printed: The method that the report prints, and the bugs that the literal version keeps.
        claims: The claims of the report.
        budget: The numbers of games and runs, by name.
        figures: The published figures by quantity.
    """

    def __init__(self, name: str, content: Mapping[str, Any]) -> None:
        """Read a description.

        Args:
            name: The identifier of the section.
            content: The content of its file.

        Raises:
            KeyError: A part of the description is missing.
            ValueError: A condition or a source is wrong.
        """
        self.name = name
        self._content = content
        self.budget = {
            key: Budget(*both) if isinstance(both, list) else Budget(both, both)
            for key, both in content.get("budget", {}).items()
        }
        self.figures = {
            quantity: Figure(value, Source(SourceKind(one["kind"]), one["place"]))
            for one in content.get("sources", ())
            for quantity, value in one["figures"].items()
        }
        self.title, self.game, self.purpose = content["title"], content["game"], content["purpose"]
        self.conditions, self.conclusion = self._fill(content["conditions"]), self._text_of(content["conclusion"])
        self.seconds = float(content["seconds"])
        box = content["as_printed"]
        self.as_printed = AsPrinted(**{**box, "bugs": tuple(KeptBug(*bug) for bug in box["bugs"])})
        self.claims = tuple(
            Claim(self._fill(one["claim"]), read_condition(one["holds_if"]), self._text_of(one["why"]))
            for one in content.get("claims", ())
        )

    def row(
        self,
        quantity: str,
        literal: Estimate,
        described: Estimate | None = None,
        ours: Estimate | None = None,
        *,
        note: str = "",
        quick: bool = False,
    ) -> FigureRow:
        """Return a row with its published figure and its unit. ``note`` counts only for a row without another note."""
        note = self.note(quantity, quick=quick) or note
        return FigureRow(quantity, self.figures.get(quantity), literal, described, ours, note, self.unit(quantity))

    def note(self, quantity: str, *, quick: bool = False) -> str:
        """Return the note of a row and the reason why ours is not better, with the numbers of a full or quick run."""
        budget = {name: Budget(both.quick, both.quick) for name, both in self.budget.items()} if quick else self.budget
        notes = (self._first_note(part, quantity).format(**budget) for part in ("notes", "not_better"))
        return " ".join(filter(None, notes))

    def why_not_better(self, quantity: str) -> str:
        """Return the reason why our figure of a row is not better than the others, or an empty text."""
        return self._first_note("not_better", quantity)

    def _first_note(self, part: str, quantity: str) -> str:
        return next((str(one["note"]) for one in self._content.get(part, ()) if _has(one, quantity)), "")

    def unit(self, quantity: str) -> str:
        """Return the unit of a row, or an empty text."""
        units = self._content.get("units", {}).items()
        return next((unit for unit, rows in units if _has({"rows": rows}, quantity)), "")

    def _fill(self, text: str) -> str:
        return text.format(**self.budget)

    def _text_of(self, text: str) -> Text:
        """Return a text with measured figures."""
        cells = tuple(_cell(found[1], found[2]) for found in _CELL.finditer(text))
        return Text(self._fill(_CELL.sub(lambda found: f"{{{{:{found[3]}}}}}", text)), cells)


def description_of(section: str) -> Description:
    """Return the description of a section. :class:`Description` lists the errors."""
    return Description(section, descriptions()[section])


def read_condition(text: str) -> Condition:
    """Read a condition on measured figures: comparisons that are joined by ``and``, and these by ``or``.

    Example:
        >>> from ci_envs.reports.description import read_condition
        >>> [one.larger for one in read_condition("[time; ours] > 5 and [wins] <= 100").comparisons()]
        [Cell(quantity='time', column='ours', factor=1.0), 100.0]

    Raises:
        ValueError: A comparison is wrong.
    """
    return _joined("or", text.strip(), lambda part: _joined("and", part, _comparison))


def _joined(word: str, text: str, read: Callable[[str], Condition]) -> Condition:
    """Read the parts of a condition between a word, which stands in front of a figure or a number."""
    parts = [read(part) for part in re.split(rf"\s+{word}\s+(?=\[|[\d.]+ [<>])", text)]
    return JoinedConditions(tuple(parts), is_conjunction=word == "and") if len(parts) > 1 else parts[0]


def _comparison(text: str) -> Condition:
    found = _COMPARISON.fullmatch(text)
    if found is None:
        raise ValueError(f"{text!r} is no comparison of figures, for example '[wins; ours] > 50'")
    left, right = _operand(found.groups()[:5]), _operand(found.groups()[6:])
    larger, smaller = (left, right) if found[6].startswith(">") else (right, left)
    return CellComparison(larger, smaller, strict=not found[6].endswith("="))


def _operand(groups: Sequence[str | None]) -> Operand:
    quantity, column, _, factor, number = groups
    return float(number or 0) if quantity is None else _cell(quantity, column, float(factor or 1))


def _cell(quantity: str, column: Any, factor: float = 1.0) -> Cell:
    return Cell(quantity, column or "literal", factor)


def _has(entry: Mapping[str, Any], quantity: str) -> bool:
    return any(fnmatchcase(quantity, pattern) for pattern in entry["rows"])
