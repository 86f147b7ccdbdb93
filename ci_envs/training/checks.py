"""Checks of the options of training: what values an option allows, in code and in words."""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from typing_extensions import override

from ci_envs.spec import option_value
from ci_envs.validation import integer_between, one_of, true_or_false


class Check(ABC):
    """The values that an option allows; ``str`` of a check says in words which they are."""

    @abstractmethod
    def __call__(self, name: str, value: Any) -> Any:
        """Return the value in the option's own type.

        Args:
            name: of the option, for the message.
            value: what was given.

        Raises:
            ValueError: the value is not allowed; the message has the name, the value and what is allowed.
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
        low: the smallest number that is allowed.
        high: the largest number that is allowed.
        above: whether ``low`` itself is not allowed.
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
    """Whole numbers from ``low`` on: one number, a sequence, or a text that joins them by ``,``."""

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
        meaning: what the text says, for example ``a device of PyTorch``.
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
    """The spec string of an agent, or one of some other words."""

    words: tuple[str, ...] = ()

    @override
    def __call__(self, name: str, value: Any) -> str:
        return str(value)

    @override
    def __str__(self) -> str:
        return " or ".join((*self.words, "an agent"))


@dataclass(frozen=True)
class AgentSpecs(Check):
    """The spec strings of one agent or more: a sequence, or a text that joins them by ``+``."""

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
    """Several different names: a sequence, a text that joins them by ``+`` or commas, or none.

    Attributes:
        names: those that are allowed.
        least: how many there must be.
        words: texts that stand alone and that the trainer interprets.
    """

    names: tuple[str, ...]
    least: int = 0
    words: tuple[str, ...] = ()

    @override
    def __call__(self, name: str, value: Any) -> tuple[str, ...]:
        given = value.replace(",", "+").split("+") if isinstance(value, str) else () if value is None else value
        if not isinstance(given, tuple | list) or not self._allows(tuple(given)):
            raise ValueError(f"{name} must be {self}, not {value!r}")
        return tuple(given)

    @override
    def __str__(self) -> str:
        least = f"at least {self.least} " if self.least else ""
        alternatives = (*self.words, *(() if self.least else ("none",)))
        return " or ".join((f"{least}different ones of {', '.join(self.names)} joined by +", *alternatives))

    def _allows(self, given: tuple[Any, ...]) -> bool:
        is_word = len(given) == 1 and given[0] in self.words
        are_names = all(one in self.names for one in given) and len(set(given)) == len(given)
        return is_word or (are_names and len(given) >= self.least)


@dataclass(frozen=True)
class OrNone(Check):
    """None, or whatever another check allows.

    Attributes:
        check: the other check.
    """

    check: Check

    @override
    def __call__(self, name: str, value: Any) -> Any:
        return None if value is None else self.check(name, value)

    @override
    def __str__(self) -> str:
        return f"none or {self.check}"
