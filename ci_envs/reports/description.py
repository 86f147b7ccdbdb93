"""The description of a section: all that the report says about it, and all that we say about it.

A file such as ``report_b/b1.toml`` contains the description of a section: its texts, the method that the report prints,
the published figures with their sources, the notes and units of the rows, the numbers of games and runs, and the
claims. The module next to it only measures. A quantity in brackets is a figure of a row, in a text with its format, and
a name in braces is a number of the budget::

    holds_if = "[weight, N = 5] <= 5 and [weight, N = 10; ours] < [weight, N = 10] * 1.05"
    why = "The weight is [weight, N = 5:.0f] in {runs} runs ({runs.quick} with --quick)."

Notes and units belong to patterns of quantities, in which ``*`` stands for any text.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

from typing_extensions import override

from ci_envs.reports.claims import Cell, Claim, Condition, Text, all_of, any_of
from ci_envs.reports.descriptions import descriptions
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


class Description:
    """The description of a section.

    Attributes:
        name: The identifier of the section.
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
        self.claims = tuple(
            Claim(self._fill(one["claim"]), read_condition(one["holds_if"]), self._text_of(one["why"]))
            for one in content.get("claims", ())
        )

    def text(self, name: str) -> str:
        """Return a text, for example the ``conditions``, with the numbers of the budget."""
        return self._fill(self._content[name])

    @property
    def conclusion(self) -> Text:
        """The conclusion, with measured figures."""
        return self._text_of(self._content["conclusion"])

    @property
    def seconds(self) -> float:
        """The approximate duration of a full run on two cores."""
        return float(self._content["seconds"])

    def note(self, quantity: str, *, quick: bool = False) -> str:
        """Return the note of a row with the numbers of a full or of a quick run, or an empty text."""
        note = next((one["note"] for one in self._content.get("notes", ()) if _has(one, quantity)), "")
        budget = {name: Budget(both.quick, both.quick) for name, both in self.budget.items()} if quick else self.budget
        return str(note.format(**budget))

    def unit(self, quantity: str) -> str:
        """Return the unit of a row, or an empty text."""
        units = self._content.get("units", {}).items()
        return next((unit for unit, rows in units if _has({"rows": rows}, quantity)), "")

    def _fill(self, text: str) -> str:
        return text.format(**self.budget)

    def _text_of(self, text: str) -> Text:
        """Return a text with measured figures."""
        cells = tuple(_cell(*found.groups()[:2]) for found in _CELL.finditer(text))
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
    return _joined("or", text.strip(), any_of, lambda part: _joined("and", part, all_of, _comparison))


def _joined(word: str, text: str, join: Callable[..., Condition], read: Callable[[str], Condition]) -> Condition:
    """Read the parts of a condition between a word, which stands in front of a figure or a number."""
    parts = [read(part) for part in re.split(rf"\s+{word}\s+(?=\[|[\d.]+ [<>])", text)]
    return join(*parts) if len(parts) > 1 else parts[0]


def _comparison(text: str) -> Condition:
    found = _COMPARISON.fullmatch(text)
    if found is None:
        raise ValueError(f"{text!r} is no comparison of figures, for example '[wins; ours] > 50'")
    left, right = _operand(found.groups()[:5]), _operand(found.groups()[6:])
    condition: Condition = {
        "<": lambda: left < right,
        "<=": lambda: left <= right,
        ">": lambda: left > right,
        ">=": lambda: left >= right,
    }[found[6]]()
    return condition


def _operand(groups: Sequence[str | None]) -> Any:
    quantity, column, _, factor, number = groups
    return float(number or 0) if quantity is None else _cell(quantity, column) * float(factor or 1)


def _cell(quantity: str, column: Any) -> Cell:
    return Cell(quantity, column or "literal")


def _has(entry: Mapping[str, Any], quantity: str) -> bool:
    return any(fnmatchcase(quantity, pattern) for pattern in entry["rows"])
