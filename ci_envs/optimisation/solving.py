"""Solve optimisation problems by solvers that are found by name.

A solver is a function ``solver(problem, *, seed, **options)`` that checks its options and returns an iterator. The
iterator yields an :class:`Incumbent` at least a few times per second, and ends when the search is complete. A solver is
registered as an entry point of the group ``ci_envs.solvers``. The annotation of ``problem`` is the type of the problems
that it solves. ``seed`` is the seed of all random numbers, 0 or more; a deterministic solver ignores it. An option that
is out of range raises ValueError.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from math import isinf
from time import perf_counter
from typing import Any

import numpy as np

from ci_envs.optimisation.problem import Genome, Problem
from ci_envs.registry.components import Components
from ci_envs.registry.options import PRESET, check_options, read_options, signature_of, unnamed_option, with_preset
from ci_envs.registry.presets import presets_of
from ci_envs.validation import finite_number, integer_between, positive_number, real_number

SOLVERS = Components("solver", "ci_envs.solvers", ("problem", "seed"), callable)
"""The solvers by name."""

_CONTRACT = "a solver is a function solver(problem, *, seed) that yields Incumbents"
ROUNDING = 1e-12
"""More than the relative rounding error of a sum of costs."""


class SolverContractError(TypeError, ValueError):
    """A function cannot be called as a solver, or it yields something else than incumbents."""


@dataclass(frozen=True, eq=False)
class Incumbent:
    """The best solution that a solver has found so far.

    Attributes:
        genome: the solution, bool (loci,), which is copied; None if there is none yet.
        value: the cost of a cover, or the fitness of a bit string
            (:meth:`~ci_envs.optimisation.problem.Problem.value`).
        work: the number of nodes, moves or fitness calls so far.
        bound: a proven bound: no solution is better than this; None if unknown.

    Raises:
        ValueError: the value is not a number, the bound is not a finite number, or the work is not an integer of 0 or
            more.

    Examples:
        >>> from ci_envs.optimisation import optimise, set_covering
        >>> values = []
        >>> report = lambda incumbent: values.append(incumbent.value)
        >>> result = optimise(set_covering(20), "tabu", seconds=0.2, progress=report)
    """

    genome: Genome | None
    value: float
    work: int
    bound: float | None = None

    def __post_init__(self) -> None:
        checked: dict[str, Any] = {
            "value": real_number("value", self.value),
            "work": integer_between("work", self.work, 0),
        }
        if self.genome is not None:  # a solver can go on working on its array
            checked["genome"] = np.array(self.genome)
        if self.bound is not None:
            checked["bound"] = finite_number("bound", self.bound)
        vars(self).update(checked)


@dataclass(frozen=True, eq=False)
class Result:
    """The result of solving a problem.

    Attributes:
        solution: the solution, bool (loci,); None if none was found. In set covering a one means that the set is
            selected.
        value: the cost of a cover, or the fitness of a bit string; infinite if there is no solution.
        bound: a proven bound: no solution is better than this; None if unknown.
        optimal: whether the solution is proven optimal.
        work: the number of nodes, moves or fitness calls; the solver defines which.
        seconds: the run time.
        history: ``(work, seconds, value)`` of each improvement.
        interrupted: whether an interrupt ended the search.

    Examples:
        >>> from ci_envs.optimisation import optimise, set_covering
        >>> result = optimise(set_covering(20), "greedy")
        >>> result.value, result.optimal, len(result.solution.nonzero()[0]) > 0
        (30.0, False, True)
    """

    solution: Genome | None
    value: float
    bound: float | None
    optimal: bool
    work: int
    seconds: float
    history: tuple[tuple[int, float, float], ...]
    interrupted: bool = False

    @property
    def gap(self) -> float | None:
        """The optimality gap ``|value - bound| / |bound|``; 0 if optimal, None if there is no solution or no bound."""
        if self.solution is None or self.bound is None or self.bound == 0:
            return None
        return 0.0 if self.optimal else abs(self.value - self.bound) / abs(self.bound)


Solver = Callable[..., Iterator[Incumbent]]


def optimise(
    problem: Problem,
    solver: str | Solver,
    *,
    seed: int = 0,
    seconds: float | None = None,
    progress: Callable[[Incumbent], None] | None = None,
) -> Result:
    """Solve a problem, for example ``optimise(set_covering(100), "tabu", seconds=10)``.

    An interrupt (Ctrl-C) ends the search with the best solution so far, if there is one.

    Args:
        problem: the problem to solve.
        solver: a spec string, for example ``astar`` or ``genetic:population=100``, or a solver function.
        seed: the seed of all random numbers. Without ``seconds`` the same seed gives the same solution.
        seconds: the time limit, above 0; None runs the solver to its end.
        progress: a function that is called with the best solution so far, at least a few times per second.

    Raises:
        SolverContractError: the solver is no function of a problem and a seed, or yields anything else than
            :class:`Incumbent`.
        ValueError: the solver or an option is unknown, a value is out of range, the solver is for other problems, or it
            yields a solution that has not the value, is worse than an earlier one, or is better than the bound.
        ImportError: the solver needs a package that is not installed.

    Examples:
        >>> from ci_envs.optimisation import optimise, set_covering
        >>> result = optimise(set_covering(20), "astar")
        >>> result.value, result.optimal
        (23.0, True)
    """
    limit = float("inf") if seconds is None else positive_number("seconds", seconds)
    start, history = perf_counter(), list[tuple[int, float, float]]()
    incumbents = start_solver(problem, solver, seed)
    last = Incumbent(None, float("inf") if problem.is_cost else float("-inf"), 0)
    interrupted = False
    try:
        for incumbent in incumbents:
            elapsed = perf_counter() - start
            _check(problem, incumbent, last)
            if incumbent.genome is not None and (last.genome is None or incumbent.value != last.value):
                history.append((incumbent.work, elapsed, incumbent.value))
            last = incumbent
            if progress is not None:
                progress(incumbent)
            if elapsed >= limit:
                break
    except KeyboardInterrupt:
        if last.genome is None:
            raise
        interrupted = True
    seconds = perf_counter() - start
    solution = None if last.genome is None else last.genome.astype(bool)
    optimal = solution is not None and last.bound is not None and not _is_better(problem, last.bound, last.value)
    return Result(solution, last.value, last.bound, optimal, last.work, seconds, tuple(history), interrupted)


def _check(problem: Problem, incumbent: Any, last: Incumbent) -> None:
    """Check what a solver yields after another incumbent."""
    if not isinstance(incumbent, Incumbent):
        raise SolverContractError(f"a solver yields Incumbent(genome, value, work), not {incumbent!r}")
    if _is_better(problem, last.value, incumbent.value):
        raise ValueError(f"a solver yields the best solution so far, not {incumbent.value:g} after {last.value:g}")
    if incumbent.genome is None:
        if last.genome is not None or not isinf(incumbent.value):
            raise ValueError(f"a solver yields a solution with its value {incumbent.value:g}, not None")
        return
    if last.genome is None or incumbent.value != last.value or not np.array_equal(incumbent.genome, last.genome):
        problem.check_solution(incumbent.genome, incumbent.value)
    if incumbent.bound is not None and _is_better(problem, incumbent.value, incumbent.bound):
        raise ValueError(
            f"no solution is better than the bound {incumbent.bound:g}, but this one is {incumbent.value:g}"
        )


def _is_better(problem: Problem, value: float, other: float) -> bool:
    """Return whether a value is better than another by more than the rounding of both."""
    gain = other - value if problem.is_cost else value - other
    return value != other and gain > ROUNDING * min(abs(value), abs(other))


def start_solver(problem: Problem, solver: str | Solver, seed: int) -> Iterator[Incumbent]:
    """Return the iterator of a solver. The arguments and errors are those of :func:`prepared_solver`."""
    start = prepared_solver(problem, solver, seed)
    incumbents = start()
    if not isinstance(incumbents, Iterable):
        raise SolverContractError(f"{_CONTRACT}, but {_name(start.func)} returned {incumbents!r}")
    return iter(incumbents)


def check_solver(problem: Problem, solver: str, seed: int) -> None:
    """Check a spec string as :func:`prepared_solver` does, without running the function of a user."""
    if SOLVERS.is_registered(solver):
        start_solver(problem, solver, seed)  # checks which options go together
    else:
        prepared_solver(problem, solver, seed)


def prepared_solver(problem: Problem, solver: str | Solver, seed: int) -> "partial[Iterator[Incumbent]]":
    """Return a function without arguments that starts a solver, with its options checked.

    Args:
        problem: the problem to solve.
        solver: a spec string or a solver function.
        seed: the seed of all random numbers, 0 or more.

    Raises:
        TypeError: ``problem`` or ``solver`` is of another type, or the function is no solver.
        ValueError: the solver or an option is unknown, a value is out of range, or the solver is for other problems.
        ImportError: the solver needs a package that is not installed.
    """
    if not isinstance(problem, Problem):
        raise TypeError(f"problem must be a problem such as set_covering(100), not {problem!r}")
    integer_between("seed", seed, 0)
    if callable(solver):
        return _bound(solver, problem, seed=seed)
    if not isinstance(solver, str):
        raise TypeError(f"solver must be a text such as 'annealing:moves=10000' or a function, not {solver!r}")
    name, function, text = SOLVERS.load(solver)
    if not isinstance(problem, problem_type_of(function)):
        raise ValueError(f"solver {name!r} is not for {problem!r}. Available: {', '.join(solvers_of(problem))}")
    owner, options = f"solver {name}", SOLVERS.options(function)
    presets = presets_of(name) if "preset" in (text or "") else {}  # reads files
    known = {**options, "preset": PRESET} if presets else options
    given = with_preset(owner, read_options(owner, text, known, unnamed_option(options)), options, presets)
    return _bound(function, problem, seed=seed, **check_options(owner, given, options))


def _bound(solver: Solver, problem: Problem, **options: Any) -> "partial[Iterator[Incumbent]]":
    try:
        signature_of(solver).bind(problem, **options)
    except TypeError as error:
        raise SolverContractError(f"{_CONTRACT}, but {_name(solver)} {error}") from None
    return partial(solver, problem, **options)


def _name(solver: Solver) -> str:
    return getattr(solver, "__qualname__", repr(solver))


def solvers_of(problem: Problem) -> tuple[str, ...]:
    """Return the names of the solvers for a problem, without those whose packages are not installed."""
    return tuple(name for name in SOLVERS.names() if _is_installed(name) and _solves(name, problem))


def _is_installed(name: str) -> bool:
    try:
        SOLVERS.find(name)
    except ImportError:
        return False
    return True


def _solves(name: str, problem: Problem) -> bool:
    return isinstance(problem, problem_type_of(SOLVERS.find(name)))


def problem_type_of(solver: Solver) -> type[Problem]:
    """Return the type of the problems that a solver solves."""
    parameter = signature_of(solver).parameters.get("problem")
    annotation = None if parameter is None else parameter.annotation
    return annotation if isinstance(annotation, type) and issubclass(annotation, Problem) else Problem
