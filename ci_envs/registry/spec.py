"""Spec strings: ``name:key=value,key=value`` names an environment or an agent with its options."""

import inspect
import re
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from ci_envs.validation import unknown_name

Option = bool | int | float | str | None | tuple["Option", ...]

C = TypeVar("C")

_SEPARATOR = re.compile(r""",(?=(?:[^"']|"[^"]*"|'[^']*')*$)""")  # a comma that is not in quotes
_WORDS: dict[str, Option] = {"true": True, "false": False, "none": None}


def split_spec(text: str) -> tuple[str, dict[str, Option]]:
    """Return the name and the options of a spec string (:func:`split_options`).

    Raises:
        ValueError: The options are malformed.
    """
    name, colon, rest = text.partition(":")
    return name, split_options(rest, text) if colon else {}


def split_options(text: str, spec: str) -> dict[str, Option]:
    """Return the options of the text ``key=value,key=value``.

    A value is true, false, none, a number or a word. Several values separated by commas are a tuple:
    ``heaps=3,4,5,misere=true``. A value in quotes is a text that can contain commas: ``path="a,b=1.npz"``. The first
    value can have no name, as in ``runs/quixo/best.safetensors``. It is an unchanged text under the name ``""``, and
    :func:`check_options` gives it its name.

    Args:
        text: The options.
        spec: The whole spec string for messages.

    Raises:
        ValueError: Another value has no name, or an option occurs twice.
    """
    options: dict[str, Option] = {}
    key = ""
    for part in _SEPARATOR.split(text):
        word, equals, value = part.partition("=")
        if equals and word.isidentifier():
            if word in options:
                raise ValueError(f"{spec!r} sets {word!r} twice")
            key = word
            options[key] = option_value(value)
        elif word and not key:
            options[""] = f"{options['']},{part}" if options else _unquoted(part) or part
        elif key and not equals:
            before = options[key]
            options[key] = (*(before if isinstance(before, tuple) else (before,)), option_value(part))
        else:
            raise ValueError(f"{spec!r}: expected key=value, not {part!r}")
    return options


def _unquoted(text: str) -> str | None:
    """Return a text in quotes without them, or None for any other text."""
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'" else None


def option_value(text: str) -> Option:
    """Return the value of a text: true, false, none, a number, a text in quotes, or the text itself."""
    if (quoted := _unquoted(text)) is not None:
        return quoted
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    for number in (int, float):
        try:
            return number(text)
        except ValueError:
            continue
    return text


def option_text(value: object) -> str:
    """Return the value of an option as text for a spec string."""
    if isinstance(value, tuple):
        return ",".join(map(option_text, value))
    return str(value).lower() if value is None or isinstance(value, bool) else str(value)


def option_names(factory: Callable[..., Any], without: tuple[str, ...] = (), required: bool = False) -> tuple[str, ...]:
    """Return the names of the parameters of a factory.

    Args:
        factory: The factory.
        without: The names of parameters to leave out.
        required: Whether to return only the parameters without a default.
    """
    parameters = inspect.signature(factory).parameters.values()
    candidates = [p for p in parameters if not required or p.default is inspect.Parameter.empty]
    return tuple(parameter.name for parameter in candidates if parameter.name not in without)


def takes_fields(options_type: type) -> Callable[[type[C]], type[C]]:
    """Return a decorator that makes the fields of a dataclass options of a class.

    The constructor of the class passes its keyword arguments ``**options`` to the dataclass. The decorated class has
    the complete signature, and the attribute ``options_type`` for its documentation.

    Args:
        options_type: A dataclass whose fields are keyword-only.
    """

    def decorate(cls: type[C]) -> type[C]:
        own = inspect.signature(cls)
        parameters = [p for p in own.parameters.values() if p.kind is not inspect.Parameter.VAR_KEYWORD]
        fields = inspect.signature(options_type).parameters.values()
        cls.__signature__ = own.replace(parameters=[*parameters, *fields])  # type: ignore[attr-defined]
        cls.options_type = options_type  # type: ignore[attr-defined]
        return cls

    return decorate


def unnamed_option(factory: Callable[..., Any], without: tuple[str, ...] = ()) -> str | None:
    """Return the name of the parameter that a value without a name sets: the first positional parameter, or None.

    Args:
        factory: The factory.
        without: The names of parameters to leave out.
    """
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
    """Check the names of options, and return the options by name.

    Args:
        owner: The name of the object that has the options, for the message.
        options: The values by name. The name ``""`` stands for ``unnamed``.
        allowed: The names of all options.
        required: The names of the required options.
        unnamed: The option that a value without a name sets; None if every value needs a name.

    Raises:
        ValueError: An option is unknown, or a required option is missing.
    """
    named = dict(options)
    if "" in named:
        value = named.pop("")
        if unnamed is None or unnamed in named:
            raise ValueError(f"{owner}: expected key=value, not {value!r}")
        named[unnamed] = value
    for name in named:
        if name not in allowed:
            raise unknown_name("option", name, allowed, owner=owner)
    for name in required:
        if name not in named:
            raise ValueError(f"{owner} needs the option {name!r}: {name}=...")
    return named
