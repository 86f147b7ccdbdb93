"""The inputs for the options of games and agents, with their types, defaults and meanings."""

from collections.abc import Mapping, Sequence
from typing import Any

from nicegui import ui

from ci_envs.registry.spec import option_text
from ci_envs.web.offers import OptionField

_SUGGESTED: Mapping[tuple[str, str], Any] = {("mcts", "simulations"): 1000, ("minimax", "depth"): 3}


class OptionInputs:
    """The inputs for the options of a game or of an agent.

    Attributes:
        owner: The id of the game or the name of the agent.
    """

    def __init__(self, owner: str, fields: Sequence[OptionField], given: Mapping[str, Any] | None = None) -> None:
        """Make the inputs in the current element.

        Args:
            owner: The id of the game or the name of the agent.
            fields: The options.
            given: The values at first, by name, if they are not the defaults.
        """
        self.owner = owner
        self._fields = fields
        self._inputs: list[Any] = []
        for field in fields:
            value = (given or {}).get(field.name, _SUGGESTED.get((owner, field.name), field.default))
            with ui.element("div").classes("option"):
                self._inputs.append(_input(field, value))

    @property
    def options(self) -> list[str]:
        """The options that differ from their defaults, as ``name=value``."""
        texts = [(field, _text(element.value)) for field, element in zip(self._fields, self._inputs, strict=True)]
        return [f"{field.name}={text}" for field, text in texts if text != option_text(field.default)]


def spec_of(name: str, options: Sequence[str]) -> str:
    """Return the spec string of a name with options such as ``depth=3``."""
    return f"{name}:{','.join(options)}" if options else name


def _input(field: OptionField, value: Any) -> Any:
    label = field.name.replace("_", " ")
    if field.kind == "switch":
        element: Any = ui.switch(label, value=bool(value))
        ui.label(_sentence(field.meaning)).classes("note")
        return element
    if field.kind == "choice":
        element = ui.select([*field.values], value=value, label=label, clearable=field.default is None)
    elif field.kind == "text":
        element = ui.input(label, value="" if value is None else option_text(value))
    else:
        digits = 0 if field.kind == "whole number" else None
        element = ui.number(label, value=value, max=field.most, precision=digits, format=None)
    element.props("stack-label" if value is None else "").classes("w-full")
    most = "" if field.most is None else f" At most {field.most:g} here."
    ui.label(f"{_sentence(field.meaning)}{most}").classes("note")
    return element


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value.strip() or option_text(None)
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return option_text(value)


def _sentence(meaning: str) -> str:
    first = meaning.replace("`", "").partition(". ")[0].rstrip(".")
    return f"{first[:1].upper()}{first[1:]}." if first else ""
