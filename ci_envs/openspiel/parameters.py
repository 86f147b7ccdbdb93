"""The parameters of games in the form that OpenSpiel stores: each parameter has one type, and a list is a text."""

from typing import Any

from ci_envs.registry.spec import option_text, option_value

OpenSpielValue = bool | int | float | str

NONE = -1
"""The number that stands for None, for example ``max_take=-1`` in Nim, because OpenSpiel has no None."""


def to_openspiel(value: Any) -> OpenSpielValue:
    """Return the value of a parameter in OpenSpiel's form: ``(1, 3, 5)`` becomes ``"1;3;5"``, and None becomes -1.

    Raises:
        TypeError: OpenSpiel cannot store such a value.
    """
    if value is None:
        return NONE
    if isinstance(value, tuple):
        return ";".join(map(option_text, value))
    if not isinstance(value, OpenSpielValue):
        raise TypeError(f"OpenSpiel has no parameters like {value!r}: allowed are numbers, texts, tuples and None")
    return value


def from_openspiel(value: OpenSpielValue, default: Any) -> Any:
    """Return the value of a parameter from OpenSpiel's form: the inverse of :func:`to_openspiel`.

    Args:
        value: The value in OpenSpiel. A list of one number ends with a semicolon (``heaps=7;``), because OpenSpiel
            reads ``7`` as a number.
        default: The default value of the parameter. It determines whether ``value`` is a list or may be None.
    """
    if isinstance(default, tuple):
        return tuple(option_value(part) for part in str(value).split(";") if part)
    return None if default is None and value == NONE else value
