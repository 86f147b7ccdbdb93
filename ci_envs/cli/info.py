"""The command ``ci-envs info``."""

import inspect
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

import click

from ci_envs.cli.docstrings import documented_object, plain_text
from ci_envs.cli.errors import usage_errors
from ci_envs.optimisation.registry import is_problem, problem_maker, registered_problems
from ci_envs.registry.docstring import docstring
from ci_envs.registry.games import registered, resolve, split_id
from ci_envs.registry.options import NamedOption, check_options, options_of
from ci_envs.registry.references import split_reference
from ci_envs.registry.spec import split_spec
from ci_envs.validation import unknown_name

if TYPE_CHECKING:
    from rich.console import RenderableType

    from ci_envs.registry.components import Components


@click.command()
@click.argument("name", metavar="ENV|AGENT|SOLVER")
def info(name: str) -> None:
    """Describe an environment, an agent or a solver, with all options.

    The description of an agent includes the options of its training.

    \b
    ci-envs info Quixo-v0
    ci-envs info q_learning
    ci-envs info tabu
    """
    from rich.console import Console

    with usage_errors():
        parts = list(_environment_parts(name) if _is_environment(name) else _named_parts(name))
    Console(highlight=False).print(*parts, sep="\n")


def _is_environment(name: str) -> bool:
    from ci_envs.registry.agents import AGENTS

    if AGENTS.is_registered(name):  # its options can contain references
        return False
    return split_id(name)[0] in registered() or is_problem(name) or _is_game(name)


def _is_game(name: str) -> bool:
    """Return whether a name is a reference to the class of a game."""
    if split_reference(name) is None:
        return False
    try:
        resolve(name)
    except ValueError:
        return False
    return True


def _environment_parts(name: str) -> "Iterator[RenderableType]":
    """Yield the documentation of an environment, its options unless they are in its documentation, and its start."""
    from rich.markdown import Markdown

    from ci_envs.games.position import Position

    if is_problem(name):
        maker = problem_maker(split_id(name)[0])
        yield from _factory_parts(name, maker, options_of(maker).values())
        return
    spec, game, _ = resolve(name)
    documented = documented_object(spec)
    lines = docstring(documented).splitlines()
    yield Markdown("\n".join(line for line in lines if not line.startswith((">>>", "..."))))
    if isinstance(documented, type) and (options := options_of(documented)):
        yield _options_table(options.values())
    if name != spec.id:
        yield f"\nWith these parameters: {game.action_count} actions, planes of the shape {game.observation_shape}."
    yield f"\nThe initial position of {name}:\n\n{Position.start(game).diagram()}"


def _named_parts(name: str) -> "Iterator[RenderableType]":
    """Yield the documentation of the agent, its training, and the solver of this name.

    Raises:
        ValueError: No agent and no solver has this name.
    """
    from ci_envs.agent_interface.capabilities import Trainable
    from ci_envs.optimisation.solving import SOLVERS
    from ci_envs.registry.agents import AGENTS

    agents, solvers = AGENTS.names(), SOLVERS.names()
    is_reference = not AGENTS.is_registered(name) and not SOLVERS.is_registered(name) and split_reference(name)
    if is_reference:
        yield from _referred_parts(name)
        return
    name, text = split_spec(name)
    if name not in (*agents, *solvers):
        names = (*registered(), *registered_problems(), *agents, *solvers)
        raise unknown_name("environment, agent or solver", name, names)
    if name in agents:
        factory = AGENTS.find(name)
        _check_given(AGENTS, name, factory, text)
        yield from _factory_parts(f"Agent {name}", factory, AGENTS.options(factory).values())
        if isinstance(factory, Trainable):
            yield from _training_parts(name)
    if name in solvers:
        solver = SOLVERS.find(name)
        if name not in agents:
            _check_given(SOLVERS, name, solver, text)
        yield from _factory_parts(f"Solver {name}", solver, SOLVERS.options(solver).values())


def _referred_parts(reference: str) -> "Iterator[RenderableType]":
    """Yield the documentation of a trainer, solver or agent that a reference names."""
    from ci_envs.optimisation.solving import SOLVERS
    from ci_envs.registry.agents import AGENTS
    from ci_envs.training.trainer import Trainer

    found = split_reference(reference)
    name, thing, text = AGENTS.load(reference, callable if found and found[0].name else _can_be_described)
    if isinstance(thing, type) and issubclass(thing, Trainer):
        yield from _training_parts(name)
        return
    kind = SOLVERS if "problem" in inspect.signature(thing).parameters else AGENTS
    given = () if isinstance(thing, type) else tuple(inspect.signature(thing).parameters)[:1]
    options = [option for option in kind.options(thing).values() if option.name not in given]
    _check_given(kind, name, thing, text)
    yield from _factory_parts(f"{kind.kind.capitalize()} {name}", thing, options)


def _can_be_described(thing: Any) -> bool:
    """Return whether an object of a file is an agent or a trainer, also if nobody names it."""
    from ci_envs.registry.agents import AGENTS
    from ci_envs.training.trainer import Trainer

    return AGENTS.suits(thing) or (isinstance(thing, type) and issubclass(thing, Trainer))


def _check_given(kind: "Components", name: str, thing: Callable[..., Any], text: str | None) -> None:
    """Check the options in the text of a spec string. Required options may be missing."""
    given = kind.read(name, thing, text)
    options = {key: one for key, one in kind.options(thing).items() if key in given or not one.is_required}
    check_options(f"{kind.kind} {name}", given, options)


def _factory_parts(
    title: str, factory: Callable[..., Any], options: Iterable[NamedOption]
) -> "Iterator[RenderableType]":
    """Yield the description of the object that a factory makes, and a table of the factory's options."""
    from docstring_parser import parse

    described = parse(docstring(factory))
    texts = filter(None, (described.short_description, described.long_description))
    yield plain_text("\n\n".join((title, *texts)))
    if options := list(options):
        yield _options_table(options)


def _training_parts(name: str) -> "Iterator[RenderableType]":
    """Yield a table of the options of the training of an agent."""
    from ci_envs.training.config import training_options
    from ci_envs.training.learners import trainer_of, training_command

    yield f"\nTraining: {training_command(name)}"
    yield _options_table(training_options(trainer_of(name).config_type).values())


def _options_table(options: Iterable[NamedOption]) -> "RenderableType":
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD)
    table.add_column("option", no_wrap=True)
    table.add_column("default", overflow="fold", max_width=24)
    table.add_column("meaning")
    for option in options:
        table.add_row(option.name, option.default_text, option.meaning)
    return table
