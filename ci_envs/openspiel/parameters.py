"""Parameters of games as OpenSpiel knows them: each has one type, and a list is a text."""

from typing import Any

from ci_envs.spec import option_text, option_value

OpenSpielValue = bool | int | float | str

NONE = -1
"""The value that stands for None, for example ``max_take=-1`` in Nim: OpenSpiel has no value of that kind."""


def to_openspiel(value: Any) -> OpenSpielValue:
    """Return the value of a parameter as OpenSpiel stores it: ``(1, 3, 5)`` is ``"1;3;5"``, and None is -1.

    Raises:
        TypeError: OpenSpiel has no such value.
    """
    if value is None:
        return NONE
    if isinstance(value, tuple):
        return ";".join(map(option_text, value))
    if not isinstance(value, OpenSpielValue):
        raise TypeError(f"OpenSpiel has no parameters like {value!r}: allowed are numbers, texts, tuples and None")
    return value


def from_openspiel(value: OpenSpielValue, default: Any) -> Any:
    """Return the value that :func:`to_openspiel` converted.

    Args:
        value: The value in OpenSpiel. A list of one number ends with a semicolon (``heaps=7;``), since OpenSpiel takes
            ``7`` for a number.
        default: The default value of the parameter, which says whether ``value`` is a list or may be None.
    """
    if isinstance(default, tuple):
        return tuple(option_value(part) for part in str(value).split(";") if part)
    return None if default is None and value == NONE else value
