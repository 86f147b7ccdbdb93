"""The message about an invalid value in a request or in an exported game."""

from collections.abc import Mapping, Sequence
from typing import Any

_LONGEST_VALUE = 60  # maximum number of characters of a value in a message


def invalid_value(error: Mapping[str, Any], place: Sequence[int | str]) -> str:
    """Return a sentence with the name and the value of an invalid field and the allowed values.

    Args:
        error: An error of Pydantic.
        place: The names and the indices that lead to the field.
    """
    where = ".".join(map(str, place)) or "the request"
    reason = error["msg"].removeprefix("Value error, ")
    if error["type"] == "missing":
        return f"{where} is missing."
    if error["type"] == "json_invalid":
        return f"The body is not JSON: {error['ctx']['error']} at character {where}."
    if isinstance(error["input"], bytes):
        return "The body must be JSON, with the header Content-Type: application/json."
    return f"Invalid value for {where}: {_shortened(error['input'])}. {reason}."


def _shortened(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _LONGEST_VALUE else f"{text[:_LONGEST_VALUE]}..."
