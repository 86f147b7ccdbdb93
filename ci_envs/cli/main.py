"""The command line ``ci-envs``. What is slow to import is imported by the command that needs it."""

import dataclasses
import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from math import isinf
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ci_envs.optimisation.registry import is_problem, problem_maker, registered_problems
from ci_envs.registry import registered, resolve
from ci_envs.spec import check_options, option_names, option_text, split_spec, unnamed_option

if TYPE_CHECKING:
    from rich.table import Table

    from ci_envs.arena.tournament import Comparison, Tournament
    from ci_envs.games.position import Position
    from ci_envs.solver.solution import Progress, Solution


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
    "--random-plies",
    default=0,
    show_default=True,
    type=click.IntRange(min=0),
    help="Begin games so, two in a row with the same, seats swapped.",
)
@click.option(
    "json_path",
    "--json",
    metavar="FILE",
    type=click.Path(dir_okay=False, writable=True, allow_dash=True, path_type=Path),
    help="Write all results to FILE; - prints them instead of the tables.",
)
def compare(
    *,
    environment: str,
    agents: tuple[str, ...],
    games: int,
    seed: int,
    max_cycles: int | None,
    random_plies: int,
    json_path: Path | None,
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
        tournament = Tournament(
            environment, agents, games=games, seed=seed, max_cycles=max_cycles, random_plies=random_plies
        )
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


@main.command()
@click.argument("learner", metavar="AGENT")
@click.argument("environment", metavar="ENV")
@click.option("--steps", type=click.IntRange(min=1), help="How long to train, in actions of the agent.")
@click.option("--episodes", type=click.IntRange(min=1), help="How long to train, in games.")
@click.option("--generations", type=click.IntRange(min=1), help="How long to train, in generations of an evolution.")
@click.option(
    "--iterations", type=click.IntRange(min=1), help="How long to train, in rounds of self-play and learning."
)
@click.option("--minutes", type=click.FloatRange(min=0, min_open=True), help="How long to train, by the clock.")
@click.option("--workers", type=click.IntRange(min=1), help="Processes that play, of a Ray cluster.")
@click.option("--ray-address", metavar="ADDRESS", help="Of the cluster.  [default: one on this machine]")
@_seed
@click.option(
    "--output",
    required=True,
    metavar="DIR",
    type=click.Path(file_okay=False, path_type=Path),
    help="Where the trained agent, checkpoints and logs go.",
)
@click.option("--resume", is_flag=True, help="Go on with the run in DIR.")
def train(learner: str, environment: str, seed: int, output: Path, resume: bool, **given: float | str | None) -> None:
    """Train AGENT in ENV.

    ci-envs train sb3:maskable_ppo TicTacToe-v0 --steps 200000 --output runs/tictactoe
    """
    from ci_envs.agent.registry import trainer_of

    fixed = ("environment", "output", "seed", "resume")
    with _refusals():
        name, options = split_spec(learner)
        trainer = trainer_of(name)
        options |= {key: value for key, value in given.items() if value is not None}
        required = option_names(trainer, without=fixed, required=True)
        allowed, unnamed = option_names(trainer, without=fixed), unnamed_option(trainer, fixed)
        named = check_options(f"training of {name}", options, allowed, required, unnamed)
        try:
            trained = trainer(environment, output=output, seed=seed, resume=resume, **named)
        except KeyboardInterrupt:
            click.echo(f"interrupted; --resume goes on with what is in {str(output)!r}", err=True)
            raise
    click.echo(f"trained: {trained}")


@main.command()
@click.argument("environment", metavar="ENV")
@click.argument("what", metavar="[POSITION | SOLVER...]", nargs=-1)
@click.option("--seconds", type=click.FloatRange(min=0, min_open=True), help="Of each solver of a problem, at most.")
@_seed
def solve(environment: str, what: tuple[str, ...], seconds: float | None, seed: int) -> None:
    r"""Solve ENV: a game, or a problem of optimisation by each SOLVER.

    Of a game, or one POSITION of it and all that can follow, it shows who wins and how soon, the best actions, and how
    many states are won, drawn and lost; of a problem, what the solvers found.

    \b
    ci-envs solve Quixo-v0:size=4
    ci-envs solve SetCovering-v0:n=100 greedy tabu ilp --seconds 10
    """
    with _refusals():
        if is_problem(environment):
            _solve_problem(environment, what, seconds, seed)
            return
        if len(what) > 1 or seconds is not None:
            raise ValueError(f"{environment} is a game, solved exactly: give one position at most, and no time")
    _solve_game(environment, what[0] if what else None)


def _solve_problem(environment: str, solvers: tuple[str, ...], seconds: float | None, seed: int) -> None:
    from rich.console import Console
    from rich.table import Table

    from ci_envs.optimisation.registry import resolve_problem
    from ci_envs.optimisation.solving import Found, optimise, solvers_of, started

    _, problem, _ = resolve_problem(environment)
    if not solvers:
        raise ValueError(f"name solvers: {', '.join(solvers_of(problem))}")
    table = Table("solver", problem.measure, "bound", "gap", "work", "seconds", title=environment)
    for column in table.columns[1:]:
        column.justify = "right"
    for solver in solvers:
        started(problem, solver, seed)  # so that none is refused when others have worked for long
    for solver in solvers:
        with _watching(solver) as watch:

            def report(found: Found, watch: "Watch" = watch) -> None:
                watch(found.work, f"{problem.measure} {_number(found.value)}")

            result = optimise(problem, solver, seed=seed, seconds=seconds, progress=report)
        table.add_row(
            solver,
            _number(result.value),
            "" if result.bound is None else "optimal" if result.optimal else f"{result.bound:,.1f}",
            "" if result.gap is None else f"{result.gap:.1%}",
            f"{result.work:,}",
            f"{result.seconds:.2f}",
        )
    Console(highlight=False).print(table)


def _number(value: float) -> str:
    return "none" if isinf(value) else f"{value:,.6g}"


Watch = Callable[[int, str], None]


@contextmanager
def _watching(what: str) -> "Iterator[Watch]":
    """Show how far ``what`` has come, and a remark."""
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda work, remark: bar.update(task, description=f"{what}: {work:,}, {remark}")


def _solve_game(environment: str, text: str | None) -> None:
    from rich.console import Console

    from ci_envs.games.position import Position
    from ci_envs.solver.solve import solve

    with _refusals(), _counting("states") as progress:
        _, game, _ = resolve(environment)
        position = Position.from_text(game, text) if text else Position.start(game)
        solution = solve(position, progress=progress)
    click.echo("\n".join(_findings(solution, position)))
    try:
        if counts := solution.counts:
            click.echo(_in_numbers(counts))
        if solution.counts_by_distance:
            Console(highlight=False).print(_distance_table(solution))
    except ValueError as error:  # too many to count
        click.echo(error)


@contextmanager
def _counting(what: str) -> "Iterator[Progress]":
    """Show how many of ``what`` are done, and of how many where that is known."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description} {task.completed:,}", markup=False), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


_VERBS = {1: "wins", 0: "draws", -1: "loses"}


def _findings(solution: "Solution", position: "Position") -> Iterator[str]:
    value, distance = solution.value(position), solution.distance(position)
    soon = "" if distance is None else f" in {distance} {'ply' if distance == 1 else 'plies'}"
    yield position.to_text()
    yield f"the player to move {_VERBS[value]}{soon}"
    if best := solution.best_actions(position):
        yield f"best: {' '.join(map(position.action_name, best))}"


def _in_numbers(counts: dict[str, int]) -> str:
    parts = (f"{counts[value]:,} {name}" for value, name in (("win", "won"), ("draw", "drawn"), ("loss", "lost")))
    return f"{sum(counts.values()):,} states: {', '.join(parts)}"


def _distance_table(solution: "Solution") -> "Table":
    from rich.table import Table

    won, lost = (solution.counts_by_distance[value] for value in ("win", "loss"))
    table = Table("plies", "won", "lost", title="states by distance")
    for column in table.columns:
        column.justify = "right"
    for plies in sorted(won.keys() | lost.keys()):
        table.add_row(str(plies), *(f"{states.get(plies, 0):,}" for states in (won, lost)))
    return table


@main.command()
@click.argument("environment", metavar="ENV")
@click.argument("agents", metavar="AGENT...", nargs=-1, required=True)
@click.option(
    "--positions", "count", default=10_000, show_default=True, type=click.IntRange(min=1), help="How many to draw."
)
@_seed
def accuracy(*, environment: str, agents: tuple[str, ...], count: int, seed: int) -> None:
    """Measure agents against the exact solution of ENV, on random positions.

    Each position is drawn uniformly from all that play can reach and that are not over.

    ci-envs accuracy Quixo-v0:size=4 random minimax:depth=3
    """
    import numpy as np
    from rich.console import Console

    from ci_envs.arena.accuracy import accuracy_table, measure_accuracy
    from ci_envs.arena.tournament import enter
    from ci_envs.solver.reachable import draw_positions
    from ci_envs.solver.solve import solve

    with _refusals():
        _, game, _ = resolve(environment)
        with _counting("states solved") as progress:
            solution = solve(game, progress=progress)
        entrants = enter(game, agents, seed)
        with _counting("positions found") as progress:
            words = draw_positions(game, count, np.random.default_rng(seed), progress=progress)
    measured = []
    for label, agent in entrants:
        with _counting(f"{label}: positions") as progress:
            measured.append((label, measure_accuracy(game, agent, words, solution, progress=progress)))
    title = f"{environment}: accuracy"
    Console(highlight=False).print(accuracy_table(title, measured))


@main.command()
@click.argument("environment", metavar="ENV")
@click.argument("text", metavar="POSITION")
@click.argument("spec", metavar="AGENT")
@_seed
def analyse(environment: str, text: str, spec: str, seed: int) -> None:
    """Show what AGENT thinks of a POSITION of ENV, action by action.

    Where the position can be solved at once, the exact value of each action is shown beside.

    ci-envs analyse TicTacToe-v0 "XX./OO./... X" minimax:depth=9
    """
    from rich.console import Console

    from ci_envs.agent.registry import make_agent
    from ci_envs.arena.analysis import action_table, exact_scores, thoughts
    from ci_envs.games.position import Position

    with _refusals():
        _, game, _ = resolve(environment)
        position = Position.from_text(game, text)
        agent = make_agent(spec, game, seed=seed)
        if position.result is not None:
            raise ValueError(f"the game is over in {text!r}: there is nothing to analyse")
        if not hasattr(agent, "analyse"):
            raise ValueError(f"agent {spec} cannot analyse: it has no method 'analyse'")
    analysis = agent.analyse(position)
    with _counting("states solved") as progress:
        exact = exact_scores(position, progress)
    click.echo(position.diagram())
    Console(highlight=False).print(thoughts(analysis, position), action_table(analysis, position, exact), sep="\n")


@main.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen at.")
@click.option("--port", default=8080, show_default=True, type=click.IntRange(1, 65535), help="Port to listen at.")
@click.option(
    "--games",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Where games are kept.  [default: a file in your data directory]",
)
@click.option(
    "listed",
    "--agent",
    metavar="NAME=AGENT",
    multiple=True,
    help="Offer an agent under a name of its own, such as mine=alphazero:runs/quixo/best.safetensors.",
)
@click.option("--workers", type=click.IntRange(min=1), help="Threads in which agents think.  [default: processors]")
def serve(host: str, port: int, games: Path | None, listed: tuple[str, ...], workers: int | None) -> None:
    """Serve games to play in the browser against agents, and the same over HTTP for programs.

    What programs can ask for is described at /docs. Agents can be asked for by their names only, and by those of
    --agent.
    """
    with _refusals():
        try:
            import uvicorn

            from ci_envs.web.app import create_app, games_file
            from ci_envs.web.catalog import Catalog
            from ci_envs.web.page import add_pages
            from ci_envs.web.secret import secret_beside
        except ImportError as error:
            raise ImportError(f"serving needs pip install 'ci-envs[web]': {error}") from None
        path = games or games_file()
        app = create_app(path, Catalog(dict(map(_named_agent, listed))), workers=workers)
        add_pages(app, secret_beside(path))
    click.echo(f"http://{host}:{port}")
    uvicorn.run(
        app,
        host=host,
        port=port,
        log_level="warning",
        timeout_keep_alive=_KEEP_ALIVE,
        timeout_graceful_shutdown=_LAST_WORDS,
    )


_LAST_WORDS = 2  # seconds that who waits for an agent, or follows a search, is given when the server is to end
_KEEP_ALIVE = 75  # seconds, longer than clients keep what they do not use: they would write where nobody reads


def _named_agent(text: str) -> tuple[str, str]:
    from ci_envs.agent.registry import factory_of

    name, equals, spec = text.partition("=")
    if not (equals and name.isidentifier() and spec):
        raise ValueError(f"--agent is NAME=AGENT, not {text!r}")
    if name in registered():
        raise ValueError(f"--agent: {name!r} is the name of an agent already")
    factory_of(split_spec(spec)[0])
    return name, spec


@main.command(name="list")
def list_() -> None:
    """List environments, problems, agents and solvers with their parameters."""
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
            click.echo(f"  {_lines(name, find, names_of)}")


def _environment_spec(id: str) -> str:
    _, game, _ = resolve(id)
    return _spec(id, {field.name: getattr(game, field.name) for field in dataclasses.fields(game)})


def _lines(
    name: str, find: Callable[[str], Callable[..., Any]], names_of: Callable[[Callable[..., Any]], tuple[str, ...]]
) -> str:
    """The spec of what ``find`` finds by its name, with the options that ``names_of`` names, and its purpose."""
    try:
        factory = find(name)
        parameters = inspect.signature(factory).parameters
        options = {option: parameters[option].default for option in names_of(factory)}
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
    return "..." if value is inspect.Parameter.empty else option_text(value)
