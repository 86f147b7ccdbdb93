"""Named objects of one kind, such as agents: registered here, by an installed package, or referred to by place."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ci_envs.extras import optional_import
from ci_envs.registry.options import NamedOption, check_options, options_of, read_options, unnamed_option
from ci_envs.registry.plugins import plugins
from ci_envs.registry.references import exists, load, split_reference
from ci_envs.registry.spec import split_spec
from ci_envs.validation import unknown_name


@dataclass(eq=False)
class Components:
    """The named objects of one kind. Each is called with some given arguments and its options.

    Attributes:
        kind: the kind, for example ``agent``.
        group: the group of entry points of installed packages.
        given: the parameters that are not options.
        suits: whether an object is of this kind. It selects the object of a file without a name.
        accepts: whether an object with a name is of this kind. None is ``suits``.
        registered: the objects that this process registered, by name.
    """

    kind: str
    group: str
    given: tuple[str, ...]
    suits: Callable[[Any], bool]
    accepts: Callable[[Any], bool] | None = None
    registered: dict[str, Any] = field(default_factory=dict)

    def register(self, name: str, component: Any) -> None:
        """Register an object of this process. An installed package can use an entry point instead.

        Raises:
            TypeError: the object is not of this kind.
            ValueError: ``name`` is registered already, or cannot be used in a spec string.
        """
        if not (self.accepts or self.suits)(component):
            raise TypeError(f"{component!r} cannot be used as {self.article} {self.kind}")
        if not (isinstance(name, str) and name.isidentifier()):
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

    def load(self, spec: str, suits: Callable[[Any], bool] | None = None) -> tuple[str, Any, str | None]:
        """Return the name, the object and the text of the options of a spec string. The name can be a reference.

        Args:
            spec: the spec string.
            suits: replaces :attr:`suits` and :attr:`accepts` for the object of a reference.

        Raises:
            ValueError: there is no such object.
            ImportError: the object needs a package that is not installed.
            OSError: the file of a reference cannot be read.
        """
        found = None if self.is_registered(spec) else split_reference(spec)
        if found is None:
            name, written = split_spec(spec)
            return name, self.find(name), written
        reference, written = found
        try:
            component = load(reference, suits or self.suits, self.kind)
        except ModuleNotFoundError as error:
            raise unknown_name(f"{self.kind} or module", reference.place, self.names()) from error
        if not (suits or self.accepts or self.suits)(component):
            raise ValueError(f"{reference} cannot be used as {self.article} {self.kind}: it is {component!r}")
        return str(reference), component, written

    def options(self, component: Callable[..., Any]) -> Mapping[str, NamedOption]:
        """Return the options of an object."""
        return options_of(component, self.given)

    def read(self, name: str, component: Callable[..., Any], text: str | None) -> dict[str, Any]:
        """Return the options in a spec string by name (:func:`~ci_envs.registry.options.read_options`)."""
        options = self.options(component)
        return read_options(f"{self.kind} {name}", text, options, unnamed_option(options))

    def check(self, name: str, component: Callable[..., Any], given: Mapping[str, Any]) -> dict[str, Any]:
        """Return given options by name, checked (:func:`~ci_envs.registry.options.check_options`)."""
        return check_options(f"{self.kind} {name}", given, self.options(component))
