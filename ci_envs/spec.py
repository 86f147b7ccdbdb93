"""Spec strings: ``name:key=value,key=value``, how an environment or an agent is written everywhere."""

import inspect
from collections.abc import Callable, Mapping
from typing import Any

Option = bool | int | float | str | None | tuple["Option", ...]

_WORDS: dict[str, Option] = {"true": True, "false": False, "none": None}


def split_spec(text: str) -> tuple[str, dict[str, Option]]:
    """The name and the options of a spec string.

    A value is true, false, none, a number or a word; several separated by commas make a tuple:
    ``Nim-v0:heaps=3,4,5,misere=true``.

    Raises:
        ValueError: an option has no name or is given twice.
    """
    name, colon, rest = text.partition(":")
    options: dict[str, Option] = {}
    key = ""
    for part in rest.split(",") if colon else []:
        word, equals, value = part.partition("=")
        if equals and word:
            if word in options:
                raise ValueError(f"{text!r} gives {word!r} twice")
            key = word
            options[key] = _value(value)
        elif key and not equals:
            before = options[key]
            options[key] = (*(before if isinstance(before, tuple) else (before,)), _value(part))
        else:
            raise ValueError(f"{text!r} has {part!r} where key=value was expected")
    return name, options


def _value(text: str) -> Option:
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    for number in (int, float):
        try:
            return number(text)
        except ValueError:
            continue
    return text


def option_names(factory: Callable[..., Any], without: tuple[str, ...] = (), required: bool = False) -> tuple[str, ...]:
    """The names of the parameters that ``factory`` can be given, or must be, except those of ``without``."""
    parameters = inspect.signature(factory).parameters.values()
    candidates = [p for p in parameters if not required or p.default is inspect.Parameter.empty]
    return tuple(parameter.name for parameter in candidates if parameter.name not in without)


def check_options(owner: str, options: Mapping[str, object], allowed: tuple[str, ...]) -> None:
    """Raise a ValueError that names the first option which ``owner`` does not have, and those it has."""
    for name in options:
        if name not in allowed:
            raise ValueError(f"{owner} has no option {name!r}; choose from: {', '.join(allowed) or '(none)'}")
