"""Named objects of one kind, such as agents: registered here, by an installed package, or referred to by place."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ci_envs.extras import optional_import
from ci_envs.registry.plugins import plugins
from ci_envs.registry.references import exists, load, split_reference
from ci_envs.registry.spec import check_options, option_names, split_options, unnamed_option
from ci_envs.validation import unknown_name


@dataclass(eq=False)
class Components:
    """The named objects of one kind. Each is called with some given arguments and its options.

    Attributes:
        kind: the kind, for example ``agent``.
        group: the group of entry points of installed packages.
        given: the parameters that are not options.
        suits: whether an object is of this kind.
        registered: the objects that this process registered, by name.
    """

    kind: str
    group: str
    given: tuple[str, ...]
    suits: Callable[[Any], bool]
    registered: dict[str, Any] = field(default_factory=dict)

    def register(self, name: str, component: Any) -> None:
        """Register an object of this process. An installed package can use an entry point instead.

        Raises:
            ValueError: ``name`` is registered already, or cannot be used in a spec string.
        """
        if not name.isidentifier():
            raise ValueError(f"the name of {self.article} {self.kind} must be an identifier, not {name!r}")
        if name in self.names():
            raise ValueError(f"{self.article} {self.kind} {name!r} is registered already: choose another name")
        self.registered[name] = component

    @property
    def article(self) -> str:
        """The indefinite article of the kind."""
        return "an" if self.kind[0] in "aeiou" else "a"

    def names(self) -> tuple[str, ...]:
        """Return the registered names: those of installed packages, then those of this process."""
        return (*plugins(self.group), *self.registered)

    def find(self, name: str) -> Any:
        """Return the object with a registered name.

        Raises:
            ValueError: the name is not registered.
            ImportError: the object needs a package that is not installed.
        """
        if name in self.registered:
            return self.registered[name]
        entry = plugins(self.group).get(name)
        if entry is None:
            raise unknown_name(self.kind, name, self.names())
        with optional_import(f"{self.kind} {name!r}", preferred=name):
            return entry.load()

    def is_registered(self, spec: str) -> bool:
        """Return whether a spec string begins with a registered name."""
        return spec.partition(":")[0] in self.names()

    def check_exists(self, spec: str) -> None:
        """Check the file or module of a spec string that begins with a reference, without running it.

        Raises:
            ValueError: there is no such module, or the spec string begins with an unknown name.
            OSError: there is no such file.
        """
        found = split_reference(spec)
        if found is None or not exists(found[0]):
            raise unknown_name(f"{self.kind} or module", spec.partition(":")[0], self.names())

    def load(self, spec: str, suits: Callable[[Any], bool] | None = None) -> tuple[str, Any, dict[str, Any]]:
        """Return the name, the object and the options of a spec string, which can begin with a reference to any module.

        Args:
            spec: the spec string.
            suits: replaces :attr:`suits` for the object of a reference.

        Raises:
            ValueError: there is no such object, or the options are malformed.
            ImportError: the object needs a package that is not installed.
            OSError: the file of a reference cannot be read.
        """
        name, colon, rest = spec.partition(":")
        found = None if self.is_registered(spec) else split_reference(spec)
        if found is None:
            return name, self.find(name), split_options(rest, spec) if colon else {}
        reference, written = found
        try:
            component = load(reference, suits or self.suits, self.kind)
        except ModuleNotFoundError as error:
            raise unknown_name(f"{self.kind} or module", reference.place, self.names()) from error
        if not (suits or self.suits)(component):
            raise ValueError(f"{reference} cannot be used as {self.article} {self.kind}: it is {component!r}")
        return str(reference), component, {} if written is None else split_options(written, spec)

    def option_names(self, component: Callable[..., Any]) -> tuple[str, ...]:
        """Return the names of the options of an object."""
        return option_names(component, without=self.given)

    def options(self, name: str, component: Callable[..., Any], given: Mapping[str, Any]) -> dict[str, Any]:
        """Return given options by name, with their names checked.

        Raises:
            ValueError: an option is unknown, or a required option is missing.
        """
        required = option_names(component, without=self.given, required=True)
        unnamed = unnamed_option(component, self.given)
        return check_options(f"{self.kind} {name}", given, self.option_names(component), required, unnamed)
