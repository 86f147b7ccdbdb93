"""The command ``ci-envs list``."""

import dataclasses
import inspect
from collections.abc import Callable, Mapping
from typing import Any

import click

from ci_envs.optimisation.registry import problem_maker, registered_problems
from ci_envs.registry import registered, resolve
from ci_envs.spec import option_names, option_text


@click.command(name="list")
def list_command() -> None:
    """List environments, agents, optimisation problems and solvers with their parameters."""
    from ci_envs.agent import registry as agents
    from ci_envs.optimisation import solving

    click.echo("Environments:")
    for id in registered():
        click.echo(f"  {_environment_spec(id)}")
    for title, names, find, names_of in (
        ("Agents", agents.registered_agents(), agents.factory_of, agents.option_names_of),
        ("Problems", registered_problems(), problem_maker, option_names),
        ("Solvers of problems", solving.solvers(), solving.solver_named, solving.option_names_of),
    ):
        click.echo(f"\n{title}:")
        for name in names:
            click.echo(f"  {_entry(name, find, names_of)}")


def _environment_spec(id: str) -> str:
    _, game, _ = resolve(id)
    return _spec(id, {field.name: getattr(game, field.name) for field in dataclasses.fields(game)})


def _entry(
    name: str, find: Callable[[str], Callable[..., Any]], names_of: Callable[[Callable[..., Any]], tuple[str, ...]]
) -> str:
    """Return the spec string of the factory that ``find`` returns for a name, and its one-line description."""
    try:
        factory = find(name)
        parameters = inspect.signature(factory).parameters
        options = {option: parameters[option].default for option in names_of(factory)}
    except Exception as error:  # one broken package must not hide the others
        return f"{name}\n    cannot be loaded: {type(error).__name__}: {error}"
    return f"{_spec(name, options)}\n    {_first_line(factory)}"


def _first_line(documented: object) -> str:
    return (inspect.getdoc(documented) or "").partition("\n")[0]


def _spec(name: str, options: Mapping[str, object]) -> str:
    """Return a spec string in which an option without a default is written ``key=...``."""
    written = ",".join(f"{key}={_value_text(value)}" for key, value in options.items())
    return f"{name}:{written}" if written else name


def _value_text(value: object) -> str:
    return "..." if value is inspect.Parameter.empty else option_text(value)
