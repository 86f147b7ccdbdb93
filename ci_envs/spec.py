"""Spec strings: ``name:key=value,key=value``, how an environment or an agent is written everywhere."""

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from ci_envs.validation import unknown_name

Option = bool | int | float | str | None | tuple["Option", ...]

_WORDS: dict[str, Option] = {"true": True, "false": False, "none": None}


def split_spec(text: str) -> tuple[str, dict[str, Option]]:
    """The name and the options of a spec string.

    A value is true, false, none, a number or a word; several separated by commas make a tuple:
    ``Nim-v0:heaps=3,4,5,misere=true``. A first value without a name, as in ``sb3:runs/quixo/best.safetensors``, is kept
    as it is under the name ``""`` (:func:`check_options`).

    Raises:
        ValueError: another option has no name, or one is given twice.
    """
    name, colon, rest = text.partition(":")
    options: dict[str, Option] = {}
    key = ""
    for part in rest.split(",") if colon else []:
        word, equals, value = part.partition("=")
        if equals and word.isidentifier():
            if word in options:
                raise ValueError(f"{text!r} gives {word!r} twice")
            key = word
            options[key] = option_value(value)
        elif word and not options:
            options[""] = part
        elif key and not equals:
            before = options[key]
            options[key] = (*(before if isinstance(before, tuple) else (before,)), option_value(part))
        else:
            raise ValueError(f"{text!r} has {part!r} where key=value was expected")
    return name, options


def option_value(text: str) -> Option:
    """Return the value that a text means: true, false, none, a number, or the text itself."""
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    for number in (int, float):
        try:
            return number(text)
        except ValueError:
            continue
    return text


def option_text(value: object) -> str:
    """The value of an option as it is written in a spec string."""
    if isinstance(value, tuple):
        return ",".join(map(option_text, value))
    return str(value).lower() if value is None or isinstance(value, bool) else str(value)


def option_names(factory: Callable[..., Any], without: tuple[str, ...] = (), required: bool = False) -> tuple[str, ...]:
    """The names of the parameters that ``factory`` can be given, or must be, except those of ``without``."""
    parameters = inspect.signature(factory).parameters.values()
    candidates = [p for p in parameters if not required or p.default is inspect.Parameter.empty]
    return tuple(parameter.name for parameter in candidates if parameter.name not in without)


def unnamed_option(factory: Callable[..., Any], without: tuple[str, ...] = ()) -> str | None:
    """The parameter that a value without a name is for: the first that can be given by position."""
    parameters = inspect.signature(factory).parameters.values()
    positional = [p.name for p in parameters if p.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD]
    return next((name for name in positional if name not in without), None)


def check_options(
    owner: str,
    options: Mapping[str, Any],
    allowed: tuple[str, ...],
    required: tuple[str, ...] = (),
    unnamed: str | None = None,
) -> dict[str, Any]:
    """The options of ``owner`` by their names; a value without one is for the option ``unnamed``.

    Raises:
        ValueError: ``owner`` does not have an option, or lacks a required one; it is named, as are those there are.
    """
    named = dict(options)
    if "" in named:
        value = named.pop("")
        if unnamed is None or unnamed in named:
            raise ValueError(f"{owner}: {value!r} stands where key=value was expected")
        named[unnamed] = value
    for name in named:
        if name not in allowed:
            raise unknown_name("option", name, allowed, owner=owner)
    for name in required:
        if name not in named:
            raise ValueError(f"{owner} needs the option {name!r}: {name}=...")
    return named
