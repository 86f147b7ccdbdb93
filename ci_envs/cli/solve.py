"""The command ``ci-envs solve``."""

from collections.abc import Callable, Iterator
from itertools import count
from math import isinf
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from ci_envs.cli.data_files import DataFiles, data_options
from ci_envs.cli.errors import NOTHING_KEPT, cluster_errors, interrupt_advice, usage_errors
from ci_envs.cli.options import FOLDER, seed_option
from ci_envs.cli.progress import ReportRemark, count_progress, remark_progress
from ci_envs.cli.store_resources import resource_options
from ci_envs.cluster import RayPool, check_address, check_cluster
from ci_envs.optimisation.registry import is_problem, resolve_problem
from ci_envs.registry.games import resolve
from ci_envs.registry.user_code import UserCode, reason
from ci_envs.solver.levels import Resources

if TYPE_CHECKING:
    from rich.table import Table

    from ci_envs.games.position import Position
    from ci_envs.optimisation.problem import Problem
    from ci_envs.optimisation.solving import Incumbent, Result
    from ci_envs.solver.solution import Solution


@click.command()
@click.argument("environment", metavar="ENV")
@click.argument("arguments", metavar="[POSITION | SOLVER...]", nargs=-1)
@click.option("--seconds", type=click.FloatRange(min=0, min_open=True), help="Time limit for each SOLVER.")
@click.option(
    "--store",
    metavar="DIR",
    type=FOLDER,
    help="Compute the tables of the game ENV in this folder, or read the value of POSITION from them.",
)
@click.option(
    "--level",
    "--cubes",
    type=click.IntRange(min=0),
    help="With --store, compute the positions with at least this number of pieces on the board.  [default: 0]",
)
@resource_options
@seed_option
@data_options("the results")
def solve(
    *,
    environment: str,
    arguments: tuple[str, ...],
    seconds: float | None,
    store: Path | None,
    level: int | None,
    resources: Resources,
    seed: int,
    data_files: DataFiles,
) -> None:
    """Solve ENV: a game exactly, or an optimisation problem by each SOLVER.

    For the initial position of a game, or for POSITION, the command shows the value, the distance to the end, the best
    actions, and the numbers of won, drawn and lost states. CSV leaves out these numbers. For an optimisation problem
    the command shows the result of each SOLVER. Ctrl-C ends the command with the results so far. If a solver needs a
    package that is not installed, the other solvers run, and the exit status is 1.

    Quixo on 5 x 5 cubes has too many positions for the memory. With --store, the command computes tables of their
    values on the disk, from the full board down to --level cubes. You can stop the command and start it again at any
    time, also with other threads, --workers or --device. The tables are the same.

    \b
    ci-envs solve Quixo-v0:size=4
    ci-envs solve Quixo-v0 --store tables --level 23
    ci-envs solve Quixo-v0 --store tables --device cuda
    ci-envs solve Quixo-v0 "XOOXO/OXXXX/XXOOO/OXXOX/OOXX. X" --store tables
    ci-envs solve SetCovering-v0:n=100 greedy tabu ilp --seconds 10
    """
    with usage_errors():
        if is_problem(environment):
            if store or level is not None or (resources.threads, resources.device) != (None, None):
                raise ValueError(
                    f"{environment} is an optimisation problem: --store, --level, --threads and --device are for games"
                )
            solver_options = _SolverOptions(seed, seconds, resources.workers, resources.ray_address)
            _solve_problem(environment, arguments, data_files, solver_options)
            return
        if len(arguments) > 1 or seconds is not None:
            raise ValueError(f"{environment} is a game: give at most one position, and no --seconds")
        if level is not None or resources != Resources():
            if store is None:
                raise ValueError("for a game, --level, --threads, --device, --workers and --ray-address need --store")
            if arguments:
                raise ValueError("--level, --threads, --device, --workers and --ray-address do not go with a position")
    if store and not arguments:
        from ci_envs.cli.solve_store import compute_store

        compute_store(environment, store, level or 0, resources, data_files)
    else:
        _solve_game(environment, arguments[0] if arguments else None, store, data_files)


class _SolverOptions(NamedTuple):
    """The options of the command for the solvers of a problem."""

    seed: int
    seconds: float | None
    workers: int | None
    ray_address: str | None


def _solve_problem(environment: str, solvers: tuple[str, ...], data_files: DataFiles, options: _SolverOptions) -> None:
    from rich.console import Console

    from ci_envs.optimisation.solving import check_solver, solvers_of

    _, problem, unused = resolve_problem(environment)
    _refuse(unused)
    if not solvers:
        raise ValueError(f"{environment} needs at least one solver. Available: {', '.join(solvers_of(problem))}")
    check_address(options.workers, options.ray_address)
    if options.workers is not None:
        check_cluster(options.workers, options.ray_address)
    available, missing = [], []
    for solver in solvers:  # report a wrong solver before any solver runs
        try:
            check_solver(problem, solver, options.seed)
            available.append(solver)
        except ImportError as error:
            missing.append(str(error))
    if not available:
        raise ValueError("; ".join(missing))
    run = _run_in_turn if options.workers is None else _run_on_workers
    found, interrupted = run(problem, available, options)
    ended = list(zip(available, found, strict=not interrupted))
    results = [(solver, result) for solver, result in ended if not isinstance(result, str)]
    if results and not data_files.on_stdout:
        Console(highlight=False).print(_results_table(environment, problem.measure, results))
    data_files.write([_result_row(solver, problem.measure, result) for solver, result in results])
    if interrupted:
        raise KeyboardInterrupt
    failures = missing + [f"solver {solver} fails: {result}" for solver, result in ended if isinstance(result, str)]
    if failures:
        raise click.ClickException("; ".join(failures))


def _refuse(unused: dict[str, Any]) -> None:
    """Raise a ValueError if ENV has options of environments, which a solver does not use."""
    if unused:
        raise ValueError(f"solve does not use {' and '.join(unused)}: leave it out of ENV")


def _run_in_turn(problem: "Problem", solvers: list[str], options: _SolverOptions) -> "tuple[list[Result | str], bool]":
    """Run the solvers one after the other, and show the best value of the running one.

    Returns:
        The results, or why a solver failed, and whether an interrupt ended the last of them. Then the others have no
        results.
    """
    from ci_envs.optimisation.solving import Incumbent, Result

    results = list[Result | str]()
    for solver in solvers:
        with remark_progress(solver) as remark:

            def report(incumbent: Incumbent, remark: ReportRemark = remark) -> None:
                remark(incumbent.work, f"{problem.measure} {_number_text(incumbent.value)}")

            try:
                found = _optimise(problem, solver, options.seed, options.seconds, report)
            except KeyboardInterrupt:  # before the first solution
                return results, True
            results.append(found)
            if not isinstance(found, str) and found.interrupted:
                return results, True
    return results, False


def _run_on_workers(
    problem: "Problem", solvers: list[str], options: _SolverOptions
) -> "tuple[list[Result | str], bool]":
    """Run the solvers in worker processes, and show how many have ended; the result is that of :func:`_run_in_turn`."""
    assert options.workers is not None
    ended = count(1)
    with (
        cluster_errors(),
        count_progress("solvers") as progress,
        RayPool(problem, min(options.workers, len(solvers)), options.ray_address) as pool,
    ):
        work = [(solver, options.seed, options.seconds) for solver in solvers]
        return pool.run(_optimise, work, lambda _: progress(next(ended), len(solvers))), False


def _optimise(
    problem: "Problem",
    solver: str,
    seed: int,
    seconds: float | None,
    progress: "Callable[[Incumbent], None] | None" = None,
) -> "Result | str":
    """Return the result of a solver, or why it failed: it can be a function of the user."""
    from ci_envs.optimisation.solving import optimise

    try:
        with UserCode():
            return optimise(problem, solver, seed=seed, seconds=seconds, progress=progress)
    except Exception as error:
        return reason(error)


def _results_table(title: str, measure: str, results: "list[tuple[str, Result]]") -> "Table":
    from rich.table import Table

    table = Table("solver", measure, "bound", "gap", "work", "seconds", title=title)
    for column in table.columns[1:]:
        column.justify = "right"
    for solver, result in results:
        table.add_row(
            solver,
            _number_text(result.value),
            "" if result.bound is None else "optimal" if result.optimal else f"{result.bound:,.1f}",
            "" if result.gap is None else f"{result.gap:.1%}",
            f"{result.work:,}",
            f"{result.seconds:.2f}",
        )
    return table


def _result_row(solver: str, measure: str, result: "Result") -> dict[str, Any]:
    return {
        "solver": solver,
        measure: None if isinf(result.value) else result.value,
        "bound": result.bound,
        "optimal": result.optimal,
        "gap": result.gap,
        "work": result.work,
        "seconds": result.seconds,
    }


def _number_text(value: float) -> str:
    return "none" if isinf(value) else f"{value:,.6g}"


def _solve_game(environment: str, text: str | None, store: Path | None, data_files: DataFiles) -> None:
    from ci_envs.games.position import Position
    from ci_envs.solver.solve import solve
    from ci_envs.solver.solver import exact_source

    with interrupt_advice(NOTHING_KEPT), usage_errors(), count_progress("states") as progress:
        _, game, unused = resolve(environment)
        _refuse(unused)
        position = Position.from_text(game, text) if text else Position.start(game)
        solution = exact_source(game, str(store)) if store else solve(position, progress=progress)
        row = _solution_row(environment, solution, position)
    if not data_files.on_stdout:
        _print_solution(solution, row)
    data_files.write({**row, **_state_counts(solution)}, [row])


def _print_solution(solution: "Solution", row: dict[str, Any]) -> None:
    from rich.console import Console

    click.echo("\n".join(_position_lines(**row)))
    try:
        if counts := solution.counts:
            click.echo(_counts_line(counts))
        if solution.counts_by_distance:
            Console(highlight=False).print(_distance_table(solution))
    except ValueError as error:  # there are too many states to count
        click.echo(error)


def _solution_row(environment: str, solution: "Solution", position: "Position") -> dict[str, Any]:
    return {
        "environment": environment,
        "position": position.to_text(),
        "value": solution.value(position),
        "distance": solution.distance(position),
        "best_actions": [position.action_name(action) for action in solution.best_actions(position)],
    }


def _state_counts(solution: "Solution") -> dict[str, Any]:
    """Return the numbers of won, drawn and lost states as plain data, or ``{}`` if there are too many states."""
    try:
        return {"states": solution.counts, "states_by_distance": solution.counts_by_distance}
    except ValueError:
        return {}


_VERBS = {1: "wins", 0: "draws", -1: "loses"}


def _position_lines(
    position: str, value: int, distance: int | None, best_actions: list[str], **_: object
) -> Iterator[str]:
    length = "" if distance is None else f" in {distance} {'ply' if distance == 1 else 'plies'}"
    yield position
    yield f"the player to move {_VERBS[value]}{length}"
    if best_actions:
        yield f"best: {' '.join(best_actions)}"


def _counts_line(counts: dict[str, int]) -> str:
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
