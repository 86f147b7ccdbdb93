"""Spec strings: ``name:key=value,key=value`` names an environment or an agent with its options."""

import re
from collections.abc import Container
from itertools import takewhile

Value = bool | int | float | str | None | tuple["Value", ...]

_SEPARATOR = re.compile(r""",(?=(?:[^"']|"[^"]*"|'[^']*')*$)""")  # a comma that is not in quotes
_WORDS: dict[str, Value] = {"true": True, "false": False, "none": None}


def split_spec(spec: str) -> tuple[str, str | None]:
    """Return the name in a spec string and the text of its options, or None if it has no options."""
    name, colon, rest = spec.partition(":")
    return name, rest if colon else None


def split_options(text: str, owner: str, names: Container[str], has_unnamed: bool) -> dict[str, str]:
    """Return the texts of the options in ``key=value,key=value`` by name.

    A value can contain commas: a comma ends it only if the name of an option and ``=`` follow. The first value can
    have no name (it gets the name ``""``). It can contain ``=`` if it is a path with a slash, as in
    ``runs/lr=0.1/best.npz``. A value can be in quotes.

    Args:
        text: the options.
        owner: the object that has the options, for messages.
        names: the names of the options.
        has_unnamed: whether a value without a name is allowed.

    Raises:
        ValueError: a value has no name, or an option occurs twice.
    """
    found = dict[str, list[str]]()
    key: str | None = None
    parts = split_values(text)
    for index, part in enumerate(parts):
        word, equals, value = part.partition("=")
        is_path = "/" in "".join(takewhile(lambda one: one.partition("=")[0] not in names, parts[index:]))
        if equals and word.isidentifier() and (word in names or (key is not None and not is_path)):
            if word in found:
                raise ValueError(f"{owner}: {word!r} is set twice")
            key = word
            found[key] = [value]
        else:
            key = key or ""
            found.setdefault(key, []).append(part)
    texts = {name: ",".join(parts) for name, parts in found.items()}
    unnamed = texts.get("", "")
    word, equals, value = unnamed.partition("=")
    if equals and word.isidentifier() and "/" not in unnamed:  # the name of an option, with a mistake
        texts = {word: value, **{name: text for name, text in texts.items() if name}}
    elif "" in texts and not (has_unnamed and unnamed):
        raise ValueError(f"{owner}: expected key=value, not {unnamed!r}")
    return texts


def split_values(text: str) -> list[str]:
    """Return the values that commas separate. A value in quotes can contain commas."""
    return _SEPARATOR.split(text)


def unquoted(text: str) -> str:
    """Return a text without the quotes around it. Those of ``"a" "b"`` are not around it."""
    is_quoted = len(text) > 1 and text[0] == text[-1] and text[0] in "\"'" and text[0] not in text[1:-1]
    return text[1:-1] if is_quoted else text


def quoted(path: str) -> str:
    """Return a path for a spec string: in quotes if a part of it looks like an option."""
    return f"'{path}'" if re.search(r"(^|,)\w+=", path) else path


def option_value(text: str) -> Value:
    """Return the value of a text: true, false, none, a number, a text in quotes, or the text itself."""
    if unquoted(text) != text:
        return unquoted(text)
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
    if isinstance(value, tuple | list):
        return ",".join(map(option_text, value))
    return str(value).lower() if value is None or isinstance(value, bool) else str(value)
