"""Options: the annotation of a parameter or a field declares an option, and everything reads this declaration.

``depth: Annotated[int, Option("search depth in plies", ge=1, le=64)] = 3`` declares an option. Checks, messages, spec
strings, ``ci-envs info``, the forms and limits of the page, the REST API, the tables of the documentation and
``config.json`` use it. A parameter without :class:`Option` is an option too, with its type and default.

The values are checked by msgspec. It imports in 10 ms (pydantic in 160 ms), does not turn one type into another, and
gives the JSON schema of a type.
"""

import inspect
import math
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import KW_ONLY, dataclass, is_dataclass, replace
from difflib import get_close_matches
from enum import Enum
from functools import cache, cached_property, wraps
from pathlib import PurePath
from types import MappingProxyType, NoneType, UnionType
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, ParamSpec, Self, TypeVar, Union, get_args, get_origin

import msgspec
import numpy as np

from ci_envs.registry.spec import option_text, option_value, split_options, split_values, unquoted
from ci_envs.validation import unknown_name

REQUIRED = inspect.Parameter.empty
"""The default of an option that must be given."""

P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True, kw_only=True)
class Untrusted:
    """The values that strangers can choose: the clients of a server. By default these are all allowed values.

    Attributes:
        most: the largest value, or None.
        values: the only values. Empty if all values are allowed.
        included: whether the values are the names of the trained models in the package.
        set_with: another option. If a stranger sets that option but not this one, this option is ``most``.

    Examples:
        >>> from typing import Annotated
        >>> from ci_envs import Option, Untrusted
        >>> Depth = Annotated[int, Option("search depth in plies", ge=1, untrusted=Untrusted(most=4))]
    """

    most: float | None = None
    values: tuple[str, ...] = ()
    included: bool = False
    set_with: str | None = None


@dataclass(frozen=True)
class Option:
    """The declaration of an option beside its name, type and default: ``Annotated[int, Option("...", ge=1)]``.

    Attributes:
        doc: the meaning of the option.
        ge: the smallest value. For a tuple this and the other bounds are those of its elements.
        gt: a number below all values.
        le: the largest value.
        choices: the allowed texts.
        allowed: the allowed values in words, if the type and the bounds do not tell them.
        only_with: values of other options without which this option has no effect, for example ``strategy=plus|comma``.
            Several options are joined by commas, and all are needed.
        not_with: values of other options with which this option has no effect, for example ``selection=gumbel``.
        untrusted: the values that strangers can choose. None means that they cannot set the option.
        changeable: whether a training run can be resumed with another value.
        is_length: whether the option sets the length of a training run.

    Examples:
        >>> from typing import Annotated
        >>> from ci_envs import Option
        >>> from ci_envs.registry.options import options_of
        >>> def last(observation, *, skip: Annotated[int, Option("actions to skip", ge=0, le=3)] = 0):
        ...     return int(observation["action_mask"].nonzero()[0][-1 - skip])
        ...
        >>> options_of(last)["skip"].meaning
        'actions to skip; a whole number from 0 to 3'
    """

    doc: str
    _: KW_ONLY
    ge: float | None = None
    gt: float | None = None
    le: float | None = None
    choices: Collection[str] = ()
    allowed: str = ""
    only_with: str = ""
    not_with: str = ""
    untrusted: Untrusted | None = None
    changeable: bool = False
    is_length: bool = False


_MOST_WHOLE = 2**63 - 1  # of a number in compiled code
_UNDECLARED = Option("")


class _Condition(NamedTuple):
    """A condition of the effect of an option.

    Attributes:
        name: another option.
        texts: values of it.
        is_needed: whether it must have one of these values. Otherwise it must have none of them.
    """

    name: str
    texts: tuple[str, ...]
    is_needed: bool

    @classmethod
    def all_in(cls, text: str, is_needed: bool) -> list[Self]:
        """Return the conditions in ``only_with`` or ``not_with`` of an option."""
        parts = [part.partition("=") for part in text.split(",") if part]
        return [cls(name, tuple(values.split("|")), is_needed) for name, _, values in parts]

    def is_met(self, other: "NamedOption", values: Mapping[str, Any]) -> bool:
        """Return whether the values by name meet the condition, which is on the option ``other``."""
        allowed = [other.plain(other.parse(text)) for text in self.texts]
        return (_value(other, values) in allowed) == self.is_needed

    def __str__(self) -> str:
        return f"{self.name}={' or '.join(self.texts)}"


@dataclass(frozen=True, eq=False)
class NamedOption:
    """An option of a function or class.

    Attributes:
        name: the name.
        type: the type of its values.
        default: the default, or :data:`REQUIRED`.
        declared: its declaration.
        is_positional: whether a value without a name can set it.
        make: makes the value of the checked one, for example a path of a text. None does not change it.
    """

    name: str
    type: Any
    default: Any
    declared: Option = _UNDECLARED
    is_positional: bool = False
    make: Callable[[Any], Any] | None = None

    @property
    def is_required(self) -> bool:
        """Whether the option has no default."""
        return self.default is REQUIRED

    @property
    def default_value(self) -> Any:
        """The default, or None if the option is required."""
        return None if self.is_required else self.default

    @cached_property
    def types(self) -> tuple[Any, ...]:
        """The types of the values, without None."""
        union = get_origin(self.type) in (Union, UnionType)
        return tuple(one for one in (get_args(self.type) if union else (self.type,)) if one is not NoneType)

    @cached_property
    def is_optional(self) -> bool:
        """Whether None is allowed."""
        return NoneType in get_args(self.type)

    @cached_property
    def _is_text(self) -> bool:
        """Whether a text is a value, unchanged."""
        return str in self.types and {bool, int, float}.isdisjoint(self.types)

    @cached_property
    def element(self) -> Any:
        """The type of the elements if the values are tuples or lists whose elements have one type, or None."""
        container = _Container.of(self.types[0]) if len(self.types) == 1 else None
        return None if container is None else container.element

    @cached_property
    def _length(self) -> int | None:
        """The number of elements if it is fixed, as in ``tuple[int, int]``, or None."""
        container = _Container.of(self.types[0])
        return None if container is None else container.length

    @cached_property
    def allowed(self) -> str:
        """The allowed values in words. None is left out, except beside texts."""
        one = self.declared
        if one.allowed:
            return one.allowed
        if one.choices:
            names = ", ".join(one.choices)
            return f"{names} or none" if self.is_optional else f"one of {names}"
        numbers = {int: "a whole number", float: "a number"}
        of_elements = {int: "whole numbers", float: "numbers", str: "texts joined by +"}
        words = [numbers.get(kind) or {bool: "true or false", str: "a text"}.get(kind, "") for kind in self.types]
        words += [f"one of {', '.join(map(str, get_args(kind)))}" for kind in self.types if get_origin(kind) is Literal]
        if self.element is not None:
            words = [f"{self._length or ''} {of_elements.get(self.element, '')}".strip()]
        if len(self.types) > 1 and self._is_text:
            words = ["a path"]
        text = " or ".join(filter(None, words))
        if one.gt is not None:
            text += f" above {one.gt:g}" + ("" if one.le is None else f" and at most {one.le:g}")
        elif one.ge is not None:
            text += f" from {one.ge:.15g}" + ("" if one.le is None else f" to {one.le:.15g}")
        return f"{text} separated by commas" if self.element in numbers else text

    @property
    def allowed_or_none(self) -> str:
        """The allowed values in words, with None if it is allowed."""
        is_named = not self.is_optional or not self.allowed or "none" in self.allowed
        return self.allowed if is_named else f"none or {self.allowed}"

    @property
    def meaning(self) -> str:
        """The meaning, the allowed values and the conditions of an effect."""
        return "; ".join(filter(None, (self.declared.doc, self.allowed_or_none, self.condition)))

    @property
    def condition(self) -> str:
        """The conditions of an effect in words. Empty if it does not depend on other options."""
        needed = " and ".join(str(one) for one in self.conditions if one.is_needed)
        excluded = " or ".join(str(one) for one in self.conditions if not one.is_needed)
        return "; ".join(filter(None, (needed and f"only with {needed}", excluded and f"no effect with {excluded}")))

    @cached_property
    def conditions(self) -> list[_Condition]:
        """The conditions under which the option has an effect."""
        one = self.declared
        return _Condition.all_in(one.only_with, True) + _Condition.all_in(one.not_with, False)

    @property
    def default_text(self) -> str:
        """The default as text for a spec string, or ``required``."""
        return "required" if self.is_required else self.text(self.default)

    def text(self, value: Any) -> str:
        """Return a value as text for a spec string."""
        return "+".join(value) if self.element is str and isinstance(value, tuple) else option_text(value)

    def parse(self, text: str) -> Any:
        """Return the value of a text. :meth:`check` must check it."""
        if self._is_text or self.element is str:
            is_none = text.lower() == "none" and (self.is_optional or self.element is str)
            return None if is_none else unquoted(text)
        values = tuple(map(option_value, split_values(text)))
        is_single = self.element is None or (values == (None,) and self.is_optional)
        return values[0] if len(values) == 1 and is_single else values

    def check(self, value: Any) -> Any:
        """Return a value in the type of the option.

        Raises:
            ValueError: the value is not allowed.
        """
        try:
            checked = msgspec.convert(self.plain(value), self._checked_type)
        except msgspec.ValidationError:
            raise self._error(value) from None
        numbers = checked if self.element is not None and isinstance(checked, tuple) else (checked,)
        if any(isinstance(number, float) and not math.isfinite(number) for number in numbers) and self.allowed:
            raise self._error(value)
        return checked if self.make is None or checked is None else self.make(checked)

    def _error(self, value: Any) -> ValueError:
        similar = get_close_matches(str(value), self.declared.choices, n=1)
        suggestion = f". Did you mean {similar[0]!r}?" if similar else ""
        below = " and below 2^63" if isinstance(value, int) and value > _MOST_WHOLE else ""
        return ValueError(f"{self.name} must be {self.allowed}{below}, not {value!r}{suggestion}")

    def plain(self, value: Any) -> Any:
        """Return a value without types of NumPy, enumerations and paths, which become texts, and lists as tuples."""
        if isinstance(value, np.generic):
            value = value.item()
        if self.element is None or (value is None and self.is_optional):
            return _text_of(value)
        if isinstance(value, str) and self.element is str:
            return tuple((value.replace(",", "+") if self.declared.choices else value).split("+"))
        several = isinstance(value, Iterable) and not isinstance(value, str)
        values = () if value is None and self.element is str else value if several else (value,)
        return tuple(one.item() if isinstance(one, np.generic) else _text_of(one) for one in values)

    @cached_property
    def _checked_type(self) -> Any:
        """The type for msgspec, with the bounds."""
        one, types = self.declared, self.types if self.element is None else (self.element,)
        bounds = {name: getattr(one, name) for name in ("ge", "gt", "le") if getattr(one, name) is not None}
        whole_bounds = {"le": _MOST_WHOLE, **bounds} if bounds else bounds
        made = list[Any]()
        for kind in types:
            if kind is str:
                text = Annotated[str, msgspec.Meta(min_length=1)]
                made.append(Literal[tuple(one.choices)] if one.choices else text)
            elif kind in (int, float):
                made.append(Annotated[kind, msgspec.Meta(**(whole_bounds if kind is int else bounds))])
            else:
                made.append(kind if kind is bool or get_origin(kind) is Literal else Any)
        union: Any = Union[tuple(made)]  # noqa: UP007 - the types are known at run time only
        elements = (union, ...) if self._length is None else (union,) * self._length
        whole: Any = tuple.__class_getitem__(elements) if self.element is not None else union
        return whole | None if self.is_optional and whole is not Any else whole

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON schema of the values."""
        return msgspec.json.schema(self._checked_type)

    def can_name_code(self, value: Any) -> bool:
        """Return whether a value can name code to run: strangers cannot set the option, or only to other values."""
        limit = self.declared.untrusted
        return limit is None or bool(limit.values and value not in (*limit.values, self.default))

    def check_untrusted(self, value: Any, included: Collection[str] = ()) -> None:
        """Check the value that a stranger has chosen.

        Args:
            value: the value, which is not the default.
            included: the names of the trained models in the package.

        Raises:
            ValueError: strangers cannot choose this value.
        """
        limit = self.declared.untrusted
        if limit is None:
            raise ValueError(f"{self.name} cannot be set here: leave it out")
        values = tuple(included) if limit.included else limit.values
        if limit.included and value not in values:
            raise ValueError(f"{self.name} must be one of {', '.join(values) or 'none'}, not {value!r}")
        if values and value not in values:
            raise ValueError(f"{self.name} must be {' or '.join(values)} here, not {value!r}")
        if limit.most is not None and (not isinstance(value, int | float) or value > limit.most):
            raise ValueError(f"{self.name} must be {limit.most:g} or less here, not {value!r}")


def options_of(factory: Callable[..., Any], without: tuple[str, ...] = ()) -> Mapping[str, NamedOption]:
    """Return the options of a function or class by name: its parameters.

    The parameter ``**options: Annotated[Any, Fields]`` stands for the fields of the dataclass or NamedTuple ``Fields``.

    Args:
        factory: the function or class.
        without: the names of parameters that are not options.
    """
    return _options_of(factory, without)


@cache
def _options_of(factory: Callable[..., Any], without: tuple[str, ...]) -> Mapping[str, NamedOption]:
    options = dict[str, NamedOption]()
    declared = _declared_fields(factory) if isinstance(factory, type) and is_dataclass(factory) else {}
    for parameter in signature_of(factory).parameters.values():
        annotation = declared.get(parameter.name, parameter.annotation)
        if parameter.kind is inspect.Parameter.VAR_KEYWORD:
            fields = next((one for one in get_args(annotation)[1:] if isinstance(one, type)), None)
            options |= {} if fields is None else options_of(fields, without)
        elif parameter.name not in without and parameter.kind is not inspect.Parameter.VAR_POSITIONAL:
            is_positional = parameter.kind is not inspect.Parameter.KEYWORD_ONLY
            options[parameter.name] = _option(parameter.name, annotation, parameter.default, is_positional)
    conditions = factory.only_with if isinstance(factory, type) and issubclass(factory, Validated) else {}
    for fields, values in conditions.items():
        for name in options_of(fields):
            own = options[name].declared
            if values.partition("=")[0] not in own.only_with:
                only_with = ",".join(filter(None, (values, own.only_with)))
                options[name] = replace(options[name], declared=replace(own, only_with=only_with))
    for name, option in options.items():
        for condition in option.conditions:
            _check_condition(f"the condition of {name}", condition, options)
    return MappingProxyType(options)


def _check_condition(owner: str, condition: _Condition, options: Mapping[str, NamedOption]) -> None:
    if condition.name not in options:
        raise unknown_name("option", condition.name, options, owner=owner)
    if condition.texts == ("",):
        raise ValueError(f"{owner} must be values such as {condition.name}=..., not {condition.name!r}")
    for text in condition.texts:
        try:
            options[condition.name].check(options[condition.name].parse(text))
        except ValueError as error:
            raise ValueError(f"{owner}: {error}") from None


def signature_of(function: Callable[..., Any]) -> inspect.Signature:
    """Return the signature of a function or class. Its annotations are texts if one of them is not an expression."""
    try:
        return inspect.signature(function, eval_str=True)
    except Exception:  # an annotation can be any text, or name something that is imported for type checkers only
        return inspect.signature(function)


def _declared_fields(cls: type) -> dict[str, Any]:
    """Return the annotations of the fields. A field without a declaration has that of its base class."""
    found = dict[str, Any]()
    for base in reversed(cls.__mro__):
        try:
            annotations = inspect.get_annotations(base, eval_str=True)
        except Exception:  # as in signature_of
            annotations = inspect.get_annotations(base)
        for name, annotation in annotations.items():
            if name not in found or _metadata(annotation) is not None:
                found[name] = annotation
    return found


def _metadata(annotation: Any) -> Option | None:
    return next((one for one in getattr(annotation, "__metadata__", ()) if isinstance(one, Option)), None)


def _option(name: str, annotation: Any, default: Any, is_positional: bool) -> NamedOption:
    kind = get_args(annotation)[0] if get_origin(annotation) is Annotated else annotation
    if kind is inspect.Parameter.empty or isinstance(kind, str):
        kind = str if isinstance(default, str) else Any
    declared = _metadata(annotation) or _UNDECLARED
    parts = [
        one for one in (get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)) if one is not NoneType
    ]
    part = parts[0] if len(parts) == 1 else None
    container = _Container.of(part)
    text = _TextType.of(part if container is None else container.element)
    make: Callable[[Any], Any] | None = None if text is None else text.make
    if text is not None:
        part = str if container is None else container.with_elements(str)
        declared = replace(declared, choices=text.choices) if text.choices else declared
        kind = part | None if NoneType in get_args(kind) else part
    if container is not None:
        make = container.maker(make)
    option = NamedOption(name, kind, default, declared, is_positional, make)
    has_plain_default = default is REQUIRED or (text is None and container is None)
    return option if has_plain_default else replace(option, default=option.plain(default))


class _Container(NamedTuple):
    """A list, or a tuple whose elements have one type.

    Attributes:
        type: ``list`` or ``tuple``.
        element: the type of the elements.
        length: the number of elements, or None if it is not fixed.
    """

    type: Any
    element: Any
    length: int | None

    @classmethod
    def of(cls, kind: Any) -> Self | None:
        """Return the description of a type, or None if it is another type."""
        origin, elements = get_origin(kind), get_args(kind)
        if origin is list:
            return cls(list, elements[0], None)
        if origin is not tuple or not elements or any(one not in (elements[0], ...) for one in elements):
            return None
        return cls(tuple, elements[0], None if ... in elements else len(elements))

    def with_elements(self, element: Any) -> Any:
        """Return the type of a container of the same kind, with other elements."""
        if self.type is list:
            return list[element]
        return tuple.__class_getitem__((element, ...) if self.length is None else (element,) * self.length)

    def maker(self, make: Callable[[Any], Any] | None) -> Callable[[Any], Any] | None:
        """Return a function that makes the container of a tuple, and its elements by ``make``. None changes nothing."""
        if make is None:
            return list if self.type is list else None
        return lambda values: self.type(make(value) for value in values)


class _TextType(NamedTuple):
    """A type whose values are written as texts: a path, an enumeration of texts, or a choice of texts.

    Attributes:
        choices: the allowed texts. Empty for all texts.
        make: makes the value of a text, or None.
    """

    choices: tuple[str, ...]
    make: Callable[[str], Any] | None

    @classmethod
    def of(cls, part: Any) -> Self | None:
        """Return the description of a type, or None if it is another type."""
        if isinstance(part, type) and issubclass(part, PurePath):
            return cls((), part)
        if isinstance(part, type) and issubclass(part, Enum):
            values = tuple(one.value for one in part)
            return cls(values, part) if all(isinstance(value, str) for value in values) else None
        if get_origin(part) is Literal and all(isinstance(value, str) for value in get_args(part)):
            return cls(get_args(part), None)
        return None


def _text_of(value: Any) -> Any:
    return value.value if isinstance(value, Enum) else str(value) if isinstance(value, PurePath) else value


def unnamed_option(options: Mapping[str, NamedOption]) -> str | None:
    """Return the name of the option that a value without a name sets: the first positional one, or None."""
    return next((name for name, option in options.items() if option.is_positional), None)


def check_options(owner: str, given: Mapping[str, Any], options: Mapping[str, NamedOption]) -> dict[str, Any]:
    """Check the names and values of options, and return the values by name.

    Args:
        owner: the object that has the options, for messages.
        given: the values by name.
        options: the options of the object.

    Raises:
        ValueError: an option is unknown, a required option is missing, a value is not allowed, or an option has no
            effect.
    """
    for name in given:
        if name not in options:
            raise unknown_name("option", name, options, owner=owner)
    for name, option in options.items():
        if option.is_required and name not in given:
            raise ValueError(f"{owner} needs the option {name!r}: {option.allowed or f'{name}=...'}")
    checked = {name: options[name].check(value) for name, value in given.items()}
    _check_effects(checked, options)
    return checked


def _check_effects(values: Mapping[str, Any], options: Mapping[str, NamedOption]) -> None:
    """Raise a ValueError if an option has no effect beside the others, unless it has its default or turns nothing on.

    Args:
        values: checked values by name. The other options have their defaults.
        options: the options by name.
    """
    for name in values:
        option, condition = options[name], _unmet_condition(options[name], values, options)
        if condition is None:
            continue
        other, value = options[condition.name], _value(option, values)
        given, found = f"{name}={option.text(value)}", f"{other.name}={other.text(_value(other, values))}"
        if condition.is_needed:
            raise ValueError(f"{given} is for {condition}, not for {found}: leave it out")
        raise ValueError(f"{given} has no effect with {found}: leave it out")


def _unmet_condition(
    option: NamedOption, values: Mapping[str, Any], options: Mapping[str, NamedOption]
) -> _Condition | None:
    """Return a condition of an option that the others do not meet, or None. A default and a zero need none."""
    value = _value(option, values) if option.conditions else None
    is_zero = option.default is not None and value is not False and value == 0
    if value is None or value == option.default or is_zero:
        return None
    known = [condition for condition in option.conditions if condition.name in options]  # not without a required option
    return next((one for one in known if not one.is_met(options[one.name], values)), None)


def _value(option: NamedOption, values: Mapping[str, Any]) -> Any:
    return option.plain(values.get(option.name, option.default))


def with_defaults(
    given: Mapping[str, Any], defaults: Mapping[str, Any], options: Mapping[str, NamedOption]
) -> dict[str, Any]:
    """Return given options and, of other defaults than those of the options, the ones that have an effect beside them.

    Args:
        given: the given values by name.
        defaults: the defaults by name.
        options: the options by name.
    """
    values = {**defaults, **given}
    return {
        name: value
        for name, value in values.items()
        if name in given or name not in options or _unmet_condition(options[name], values, options) is None
    }


def read_options(
    owner: str, text: str | None, options: Mapping[str, NamedOption], unnamed: str | None = None
) -> dict[str, Any]:
    """Return the values of the options in a spec string by name, in the types of the options. They are not checked.

    Args:
        owner: the object that has the options, for messages.
        text: the part of the spec string after the name, or None.
        options: the options of the object.
        unnamed: the option that a value without a name sets; None if every value needs a name.

    Raises:
        ValueError: an option is unknown, or the text is malformed.
    """
    written = {} if text is None else split_options(text, owner, options, unnamed is not None)
    named = {name or str(unnamed): value for name, value in written.items()}
    if len(named) < len(written):
        raise ValueError(f"{owner}: expected key=value, not {written['']!r}")
    for name in named:
        if name not in options:
            raise unknown_name("option", name, options, owner=owner)
    is_text = unnamed is not None and "" in written and options[unnamed].type is Any
    return {
        name: unquoted(text) if is_text and name == unnamed else options[name].parse(text)
        for name, text in named.items()
    }


PRESET = NamedOption("preset", str | None, None, Option("name of a set of options"))
"""The option that stands for several options. Other given options replace those of the preset."""


def with_preset(
    owner: str, given: Mapping[str, Any], options: Mapping[str, NamedOption], presets: Mapping[str, str]
) -> dict[str, Any]:
    """Return given options after the option ``preset``, if it is among them, has been replaced.

    Args:
        owner: the object that has the options, for messages.
        given: the values by name.
        options: the options of the object.
        presets: the options of each preset, as in a spec string.

    Raises:
        ValueError: there is no preset of this name.
    """
    own = {name: value for name, value in given.items() if name != "preset"}
    name = given.get("preset")
    if name is None:
        return own
    if name not in presets:
        raise unknown_name("preset", str(name), presets, owner=owner)
    return with_defaults(own, read_options(owner, presets[name], options), options)


def _check_names(owner: str, given: Mapping[str, Any], signature: inspect.Signature) -> None:
    """Raise an UnknownKeywordError if a function with this signature has no argument of a given name."""
    parameters = signature.parameters.values()
    if any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in parameters):
        return
    allowed = [parameter.name for parameter in parameters if parameter.name != "self"]
    for name in given:
        if name not in allowed:
            raise UnknownKeywordError(str(unknown_name("option", name, allowed, owner=owner)))


class UnknownKeywordError(ValueError, TypeError):
    """A function was called with a keyword argument that it does not have. Python raises a TypeError in this case."""


def validated(function: Callable[P, R]) -> Callable[P, R]:
    """Return a function that checks its options when it is called, as their annotations declare them.

    Examples:
        >>> from typing import Annotated
        >>> from ci_envs import Option, validated
        >>> @validated
        ... def half(number: Annotated[int, Option("a number", ge=2)]) -> int:
        ...     return number // 2
        ...
        >>> half(1)
        Traceback (most recent call last):
        ValueError: number must be a whole number from 2, not 1
    """
    signature = inspect.signature(function)
    owner = function.__qualname__.removesuffix(".__init__")

    @wraps(function)
    def checked(*args: P.args, **kwargs: P.kwargs) -> R:
        _check_names(owner, kwargs, signature)
        bound = signature.bind(*args, **kwargs)
        options = options_of(function)
        for name, option in options.items():
            if name in bound.arguments and option.declared is not _UNDECLARED:
                bound.arguments[name] = option.check(bound.arguments[name])
        _check_effects({name: value for name, value in bound.arguments.items() if name in options}, options)
        return function(*bound.args, **bound.kwargs)

    return checked


class Validated:
    """A base class of dataclasses that checks the fields that declare an :class:`Option`.

    ``only_with`` of a class is that of the options of some of its base classes.

    Raises:
        ValueError: there is no such field, a value is not allowed, or an option has no effect.
    """

    only_with: ClassVar[Mapping[type, str]] = {}

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        """Make an object after a check of the names of its fields.

        Raises:
            UnknownKeywordError: there is no such field.
        """
        _check_names(cls.__name__, kwargs, inspect.signature(cls.__init__))
        return super().__new__(cls)

    def __post_init__(self) -> None:
        """Check the fields.

        Raises:
            ValueError: a value is not allowed, or an option has no effect.
        """
        options = options_of(type(self))
        for name, option in options.items():
            if option.declared is not _UNDECLARED:
                object.__setattr__(self, name, option.check(getattr(self, name)))
        _check_effects({name: getattr(self, name) for name in options}, options)
