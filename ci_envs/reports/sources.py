"""Published figures, each with its source."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from math import isfinite


class SourceKind(StrEnum):
    """The kinds of sources of a figure."""

    PRINTED = "printed"
    PUBLISHED = "published elsewhere"
    RERUN = "re-run"

    @property
    def mark(self) -> str:
        """The letter that marks a figure of this kind in a table."""
        return self.value[0] if self is not SourceKind.PUBLISHED else "e"


@dataclass(frozen=True)
class Source:
    """The source of a figure.

    Attributes:
        kind: The kind of the source.
        place: For a printed figure, the section of the report and its table, plot or sentence; for a figure that was
            published elsewhere, the publication and its author; for a re-run, the code and its author.

    Raises:
        ValueError: There is no place.
    """

    kind: SourceKind
    place: str

    def __post_init__(self) -> None:
        if not self.place.strip():
            raise ValueError(f"a figure that is {self.kind} needs the place where it stands, not {self.place!r}")


@dataclass(frozen=True)
class Figure:
    """A published figure.

    Attributes:
        value: The value.
        source: Its source.

    Raises:
        TypeError: The source is not a :class:`Source`.
        ValueError: The value is not a finite number.
    """

    value: float
    source: Source

    def __post_init__(self) -> None:
        if not isinstance(self.source, Source):
            raise TypeError(f"the source of the figure {self.value} must be a Source, not {self.source!r}")
        if not isfinite(self.value):
            raise ValueError(f"a figure must be a finite number, not {self.value}")


def marks_of(figures: Iterable[Figure | None]) -> Mapping[Source, str]:
    """Return the mark of each source: a letter for its kind, with a number if the kind has several sources."""
    sources = list(dict.fromkeys(figure.source for figure in figures if figure is not None))
    marks: dict[Source, str] = {}
    for kind in SourceKind:
        same = [source for source in sources if source.kind is kind]
        marks |= {source: kind.mark + (str(number) if len(same) > 1 else "") for number, source in enumerate(same, 1)}
    return marks
