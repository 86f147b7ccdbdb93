"""Checks of training options. Each check validates a value, and describes the allowed values in words."""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from typing_extensions import override

from ci_envs.registry.spec import option_value
from ci_envs.validation import integer_between, one_of, true_or_false


class Check(ABC):
    """A check of the value of an option; ``str(check)`` describes the allowed values in words."""

    @abstractmethod
    def __call__(self, name: str, value: Any) -> Any:
        """Check a value, and return it in the type of the option.

        Args:
            name: The name of the option for the message.
            value: The value.

        Raises:
            ValueError: The value is not allowed. The message names the option, the value and the allowed values.
        """

    @abstractmethod
    def __str__(self) -> str: ...


@dataclass(frozen=True)
class Integer(Check):
    """A whole number from ``low`` to ``high``."""

    low: int = 0
    high: int | None = None

    @override
    def __call__(self, name: str, value: Any) -> int:
        return integer_between(name, value, self.low, self.high)

    @override
    def __str__(self) -> str:
        return f"a whole number from {self.low}" + ("" if self.high is None else f" to {self.high}")


@dataclass(frozen=True)
class Number(Check):
    """A finite number.

    Attributes:
        low: The smallest allowed number.
        high: The largest allowed number.
        above: Whether the number must be greater than ``low``.
    """

    low: float = 0
    high: float = math.inf
    above: bool = False

    @override
    def __call__(self, name: str, value: Any) -> float:
        is_number = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
        if not is_number or not math.isfinite(value) or not self._contains(value):
            raise ValueError(f"{name} must be {self}, not {value!r}")
        return float(value)

    @override
    def __str__(self) -> str:
        if self.above:
            return f"a number above {self.low:g}" + ("" if math.isinf(self.high) else f" and at most {self.high:g}")
        return f"a number from {self.low:g}" + ("" if math.isinf(self.high) else f" to {self.high:g}")

    def _contains(self, value: float) -> bool:
        return value <= self.high and (value > self.low if self.above else value >= self.low)


@dataclass(frozen=True)
class Integers(Check):
    """Whole numbers of at least ``low``: one number, a sequence, or a text that separates numbers by ``,``."""

    low: int = 0

    @override
    def __call__(self, name: str, value: Any) -> tuple[int, ...]:
        numbers = tuple(map(option_value, value.split(","))) if isinstance(value, str) else value
        if not isinstance(numbers, tuple | list):
            numbers = (numbers,)
        try:
            return tuple(integer_between(name, number, self.low) for number in numbers)
        except ValueError:
            raise ValueError(f"{name} must be {self}, not {value!r}") from None

    @override
    def __str__(self) -> str:
        return f"whole numbers from {self.low} separated by commas"


PROBABILITY = Number(0, 1)
POSITIVE = Number(above=True)


@dataclass(frozen=True)
class Choice(Check):
    """One of several names."""

    names: tuple[str, ...]

    @override
    def __call__(self, name: str, value: Any) -> str:
        return one_of(name, value, self.names)

    @override
    def __str__(self) -> str:
        return " or ".join(self.names)


@dataclass(frozen=True)
class Flag(Check):
    """True or false."""

    @override
    def __call__(self, name: str, value: Any) -> bool:
        return true_or_false(name, value)

    @override
    def __str__(self) -> str:
        return "true or false"


@dataclass(frozen=True)
class Text(Check):
    """A text that is not empty.

    Attributes:
        meaning: The meaning of the text, for example ``a device of PyTorch``.
    """

    meaning: str

    @override
    def __call__(self, name: str, value: Any) -> str:
        if not isinstance(value, str) or not value:
            raise ValueError(f"{name} must be {self}, not {value!r}")
        return value

    @override
    def __str__(self) -> str:
        return self.meaning


@dataclass(frozen=True)
class AgentSpec(Check):
    """The spec string of an agent, or a keyword.

    Attributes:
        keywords: Texts that the trainer interprets itself.
    """

    keywords: tuple[str, ...] = ()

    @override
    def __call__(self, name: str, value: Any) -> str:
        return str(value)

    @override
    def __str__(self) -> str:
        return " or ".join((*self.keywords, "an agent"))


@dataclass(frozen=True)
class AgentSpecs(Check):
    """The spec strings of one or more agents: a sequence, or a text that joins them by ``+``."""

    @override
    def __call__(self, name: str, value: Any) -> tuple[str, ...]:
        specs = tuple(value.split("+")) if isinstance(value, str) else value
        if not isinstance(specs, tuple | list) or not specs or not all(isinstance(spec, str) for spec in specs):
            raise ValueError(f"{name} must be {self}, not {value!r}")
        return tuple(specs)

    @override
    def __str__(self) -> str:
        return "agents joined by +"


@dataclass(frozen=True)
class Names(Check):
    """Different names: a sequence, a text that joins them by ``+`` or commas, or None for no name.

    Attributes:
        names: The allowed names.
        minimum: The minimum number of names.
        keywords: Texts that can replace the names, and that the trainer interprets itself.
    """

    names: tuple[str, ...]
    minimum: int = 0
    keywords: tuple[str, ...] = ()

    @override
    def __call__(self, name: str, value: Any) -> tuple[str, ...]:
        given = value.replace(",", "+").split("+") if isinstance(value, str) else () if value is None else value
        if not isinstance(given, tuple | list) or not self._allows(tuple(given)):
            raise ValueError(f"{name} must be {self}, not {value!r}")
        return tuple(given)

    @override
    def __str__(self) -> str:
        count = f"at least {self.minimum} " if self.minimum else ""
        alternatives = (*self.keywords, *(() if self.minimum else ("none",)))
        return " or ".join((f"{count}different names of {', '.join(self.names)} joined by +", *alternatives))

    def _allows(self, given: tuple[Any, ...]) -> bool:
        is_keyword = len(given) == 1 and given[0] in self.keywords
        are_names = all(name in self.names for name in given) and len(set(given)) == len(given)
        return is_keyword or (are_names and len(given) >= self.minimum)


@dataclass(frozen=True)
class OrNone(Check):
    """None, or a value that another check allows.

    Attributes:
        check: The other check.
    """

    check: Check

    @override
    def __call__(self, name: str, value: Any) -> Any:
        return None if value is None else self.check(name, value)

    @override
    def __str__(self) -> str:
        return f"none or {self.check}"
