"""The command ``ci-envs list``."""

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import click

from ci_envs.cli.data_files import DataFiles, data_options
from ci_envs.cli.docstrings import documented_object, first_line
from ci_envs.optimisation.registry import problem_maker, registered_problems
from ci_envs.registry.games import registered, resolve
from ci_envs.registry.options import NamedOption, options_of
from ci_envs.registry.spec import option_text

KINDS = ("environments", "agents", "learners", "problems", "solvers")

_OptionsOf = Callable[[Any], Mapping[str, NamedOption]]


@dataclasses.dataclass(frozen=True)
class ListEntry:
    """An entry of the list.

    Attributes:
        kind: One of :data:`KINDS`.
        name: The name.
        description: A description in one line.
        options: The default of each option by name, as text. A required option has ``...``.
    """

    kind: str
    name: str
    description: str
    options: Mapping[str, str]

    @property
    def spec(self) -> str:
        """The spec string with all options."""
        written = ",".join(f"{key}={value}" for key, value in self.options.items())
        return f"{self.name}:{written}" if written else self.name


@click.command(name="list")
@click.argument("kinds", metavar="[KIND...]", nargs=-1, type=click.Choice(KINDS))
@click.option("--options", is_flag=True, help="Show all options with their defaults.")
@data_options("the list")
def list_command(kinds: tuple[str, ...], options: bool, data_files: DataFiles) -> None:
    """List environments, agents, learners (agents that can be trained), optimisation problems and their solvers.

    \b
    ci-envs list
    ci-envs list agents --options
    """
    chosen = kinds or KINDS
    entries = [entry for kind in KINDS if kind in chosen for entry in _entries(kind)]
    if not data_files.on_stdout:
        _print_list(entries, options)
    rows = [{"kind": one.kind, "name": one.name, "description": one.description, "spec": one.spec} for one in entries]
    data_files.write([dataclasses.asdict(entry) for entry in entries], rows)


def _print_list(entries: list[ListEntry], options: bool) -> None:
    for kind in dict.fromkeys(entry.kind for entry in entries):
        click.echo(f"{kind.capitalize()}:")
        for line in _lines([entry for entry in entries if entry.kind == kind], options):
            click.echo(f"  {line}")
    click.echo("\nci-envs info NAME describes an entry.")


def _lines(entries: Iterable[ListEntry], options: bool) -> Iterator[str]:
    entries = list(entries)
    width = max((len(entry.name) for entry in entries), default=0)
    for entry in entries:
        if options:
            yield from (entry.spec, f"    {entry.description}")
        else:
            yield f"{entry.name:{width}}  {entry.description}"


def _entries(kind: str) -> Iterator[ListEntry]:
    from ci_envs.optimisation.solving import SOLVERS
    from ci_envs.registry.agents import AGENTS
    from ci_envs.training.learners import learners

    if kind == "environments":
        for id in registered():
            spec, game, _ = resolve(id)
            values = {field.name: option_text(getattr(game, field.name)) for field in dataclasses.fields(game)}
            yield ListEntry(kind, id, first_line(documented_object(spec)), values)
        return
    tables: Mapping[str, tuple[Callable[[], Iterable[str]], Callable[[str], Any], _OptionsOf]] = {
        "agents": (AGENTS.names, AGENTS.find, AGENTS.options),
        "learners": (learners, AGENTS.find, AGENTS.options),
        "problems": (registered_problems, problem_maker, options_of),
        "solvers": (SOLVERS.names, SOLVERS.find, SOLVERS.options),
    }
    names_of_kind, find, options = tables[kind]
    for name in names_of_kind():
        yield _entry(kind, name, find, options)


def _entry(kind: str, name: str, find: Callable[[str], Any], options_of: _OptionsOf) -> ListEntry:
    try:
        factory = find(name)
        options = {
            option.name: "..." if option.is_required else option.default_text for option in options_of(factory).values()
        }
    except Exception as error:  # one broken package must not hide the others
        return ListEntry(kind, name, f"cannot be loaded: {type(error).__name__}: {error}", {})
    return ListEntry(kind, name, first_line(factory), options)
