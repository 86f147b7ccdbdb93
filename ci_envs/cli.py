"""The command line ``ci-envs``. What is slow to import is imported by the command that needs it."""

import dataclasses
import inspect
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ci_envs.registration import registered, resolve
from ci_envs.spec import split_spec

if TYPE_CHECKING:
    from ci_envs.arena.tournament import Comparison, Tournament


class _BriefErrors(click.Group):
    """Reports bad usage in one line, without repeating how the command is called."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except click.UsageError as error:
            error.ctx = None
            raise


@contextmanager
def _refusals() -> Iterator[None]:
    """Turn what the arguments of a command make fail into one line and exit status 2."""
    try:
        yield
    except (ValueError, OSError, ImportError) as error:
        raise click.UsageError(str(error)) from None


@click.group(cls=_BriefErrors)
@click.version_option(package_name="ci-envs", prog_name="ci-envs")
def main() -> None:
    """Board games for reinforcement learning, and agents to play them.

    An environment is written Quixo-v0 or Quixo-v0:size=4, an agent random or minimax:depth=4.
    """


_seed = click.option("--seed", default=0, show_default=True, type=click.IntRange(min=0), help="Makes it repeatable.")
_max_cycles = click.option(
    "--max-cycles",
    metavar="PLIES",
    type=click.IntRange(min=1),
    help="Draw a game after so many plies.  [default: 200 where play can go on for ever, else no limit]",
)


@main.command()
@click.argument("environment", metavar="ENV")
@click.argument("agents", metavar="AGENT AGENT...", nargs=-1)
@click.option(
    "--games", default=100, show_default=True, type=click.IntRange(min=2), help="Games of each pair, seats swapped."
)
@_seed
@_max_cycles
@click.option(
    "json_path",
    "--json",
    metavar="FILE",
    type=click.Path(dir_okay=False, writable=True, allow_dash=True, path_type=Path),
    help="Write all results to FILE; - prints them instead of the tables.",
)
def compare(
    *, environment: str, agents: tuple[str, ...], games: int, seed: int, max_cycles: int | None, json_path: Path | None
) -> None:
    """Compare agents: every two play a match in ENV.

    ci-envs compare Quixo-v0 random minimax:depth=3
    """
    from rich.console import Console

    from ci_envs.arena.report import json_text, tables, write_json
    from ci_envs.arena.tournament import Tournament

    to_stdout = str(json_path) == "-"
    if json_path and not to_stdout and not json_path.parent.is_dir():
        raise click.UsageError(f"--json: there is no folder {str(json_path.parent)!r}")
    with _refusals():
        tournament = Tournament(environment, agents, games=games, seed=seed, max_cycles=max_cycles)
    comparison = _play_with_progress(tournament)
    if to_stdout:
        click.echo(json_text(comparison))
        return
    Console(highlight=False).print(tables(comparison))
    if json_path:
        write_json(comparison, json_path)


def _play_with_progress(tournament: "Tournament") -> "Comparison":
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (TextColumn("games"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("games", total=tournament.total_games)
        return tournament.play(lambda ended: bar.advance(task, ended))


@main.command()
@click.argument("environment", metavar="ENV")
@click.argument("agents", metavar="AGENT AGENT", nargs=2)
@_seed
@_max_cycles
def play(environment: str, agents: tuple[str, str], seed: int, max_cycles: int | None) -> None:
    """Show one game in ENV, the first AGENT to move.

    The agent ``human`` is you.

    ci-envs play TicTacToe-v0 human minimax:depth=5
    """
    from ci_envs.arena.tournament import enter
    from ci_envs.arena.watch import Player, watch
    from ci_envs.games.truncation import ply_limit

    with _refusals():
        _, game, options = resolve(environment)
        max_cycles = max_cycles or options.get("max_cycles")
        ply_limit(game, max_cycles)
        entrants = enter(game, agents, seed)
    players = [
        Player(entrant.label, entrant.agent, split_spec(spec)[0] == "human")
        for entrant, spec in zip(entrants, agents, strict=True)
    ]
    watch(game, players, max_cycles=max_cycles, show=click.echo)


@main.command(name="list")
def list_() -> None:
    """List environments and agents with their parameters."""
    from ci_envs.agent import registered as registered_agents

    click.echo("Environments:")
    for id in registered():
        click.echo(f"  {_environment_spec(id)}")
    click.echo("\nAgents:")
    for name in registered_agents():
        click.echo(f"  {_agent_lines(name)}")


def _environment_spec(id: str) -> str:
    _, game, _ = resolve(id)
    return _spec(id, {field.name: getattr(game, field.name) for field in dataclasses.fields(game)})


def _agent_lines(name: str) -> str:
    from ci_envs.agent import factory_of, option_names_of

    try:
        factory = factory_of(name)
        parameters = inspect.signature(factory).parameters
        options = {option: parameters[option].default for option in option_names_of(factory)}
    except Exception as error:  # whatever is wrong with one package, the list of the others is good
        return f"{name}\n    cannot be loaded: {type(error).__name__}: {error}"
    return f"{_spec(name, options)}\n    {_first_line(factory)}"


def _first_line(documented: object) -> str:
    return (inspect.getdoc(documented) or "").partition("\n")[0]


def _spec(name: str, options: Mapping[str, object]) -> str:
    """A spec string; an option that has no default is ``key=...``."""
    written = ",".join(f"{key}={_value(value)}" for key, value in options.items())
    return f"{name}:{written}" if written else name


def _value(value: object) -> str:
    if isinstance(value, tuple):
        return ",".join(map(_value, value))
    if value is inspect.Parameter.empty:
        return "..."
    return str(value).lower() if value is None or isinstance(value, bool) else str(value)
