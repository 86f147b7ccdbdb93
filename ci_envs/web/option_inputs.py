"""The inputs for the options of games and agents, with their types, defaults and meanings."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from nicegui import ui

from ci_envs.registry.options import NamedOption
from ci_envs.registry.spec import option_text

LONGEST_TEXT = 300
"""The maximum number of characters of texts that visitors enter."""

_SUGGESTED: Mapping[tuple[str, str], Any] = {("mcts", "simulations"): 1000, ("minimax", "depth"): 3}


class OptionInputs:
    """The inputs for the options of a game or of an agent.

    Attributes:
        owner: The id of the game or the name of the agent.
    """

    def __init__(
        self,
        owner: str,
        fields: Sequence[NamedOption],
        given: Mapping[str, Any] | None = None,
        on_leave: Callable[[], None] | None = None,
    ) -> None:
        """Make the inputs in the current element.

        Args:
            owner: The id of the game or the name of the agent.
            fields: The options.
            given: The values at first, by name, if they are not the defaults.
            on_leave: Called when the visitor leaves an input.
        """
        self.owner = owner
        self._fields = fields
        self._inputs: list[Any] = []
        for field in fields:
            value = (given or {}).get(field.name, _SUGGESTED.get((owner, field.name), field.default_value))
            with ui.element("div").classes("option"):
                self._inputs.append(_input(field, value))
            if on_leave is not None:
                self._inputs[-1].on("blur", on_leave)

    @property
    def options(self) -> list[str]:
        """The options that differ from their defaults, as ``name=value``."""
        pairs = zip(self._fields, self._inputs, strict=True)
        texts = [(field, _text(field, element.value)) for field, element in pairs]
        return [f"{field.name}={text}" for field, text in texts if text != option_text(field.default_value)]


def spec_of(name: str, options: Sequence[str]) -> str:
    """Return the spec string of a name with options such as ``depth=3``."""
    return f"{name}:{','.join(options)}" if options else name


def _input(field: NamedOption, value: Any) -> Any:
    label = field.name.replace("_", " ")
    declared, limit = field.declared, field.declared.untrusted
    most = declared.le if limit is None or limit.most is None else limit.most
    note = " ".join(filter(None, (_sentence(declared.doc), _sentence(field.condition))))
    if field.types == (bool,):
        element: Any = ui.switch(label, value=bool(value))
        ui.label(note).classes("note")
        return element
    if declared.choices and field.types == (str,):
        element = ui.select([*declared.choices], value=value, label=label, clearable=field.default is None)
    elif field.types in ((int,), (float,)):
        digits = 0 if field.types == (int,) else None
        element = ui.number(label, value=value, min=declared.ge, max=most, precision=digits, format=None)
    else:
        element = ui.input(label, value="" if value is None else option_text(value)).props(f"maxlength={LONGEST_TEXT}")
    element.props("stack-label" if value is None else "").classes("full-width")
    here = "" if limit is None or limit.most is None else f" At most {limit.most:g} here."
    ui.label(f"{note}{here}").classes("note")
    return element


def _text(field: NamedOption, value: Any) -> str:
    if isinstance(value, str):
        return value.strip() or option_text(None)
    if float in field.types and isinstance(value, int):
        value = float(value)
    elif float not in field.types and isinstance(value, float) and value.is_integer():
        value = int(value)
    return option_text(value)


def _sentence(text: str) -> str:
    first = text.partition("; ")[0]
    return f"{first[:1].upper()}{first[1:]}." if first else ""
