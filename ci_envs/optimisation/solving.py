"""Solving a problem: solvers by name, each a generator of what it has found so far, run within a time.

A solver is a function ``solver(problem, *, seed, **options)`` that checks its options and returns an iterator, which
yields a :class:`Found` now and then, a few times a second at least, and ends when there is nothing left to try. It is
registered as an entry point of the group ``ci_envs.solvers``; the annotation of ``problem`` says what it solves.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from time import perf_counter
from typing import Any, get_type_hints

from ci_envs.optimisation.problem import Genome, Problem
from ci_envs.plugins import plugins
from ci_envs.spec import check_options, option_names, split_spec, unnamed_option
from ci_envs.validation import positive_number, unknown_name

GROUP = "ci_envs.solvers"

_GIVEN = ("problem", "seed")  # parameters of a solver that are no options


@dataclass(frozen=True, eq=False)
class Found:
    """The best that a solver has found so far.

    Attributes:
        genome: bool (loci,); None as long as there is no solution.
        value: of it, as :meth:`~ci_envs.optimisation.problem.Problem.value` states it.
        work: nodes, moves or fitness calls so far.
        bound: no solution is better than this, as far as is proven.
    """

    genome: Genome | None
    value: float
    work: int
    bound: float | None = None


@dataclass(frozen=True, eq=False)
class Result:
    """What came of solving a problem.

    Attributes:
        solution: bool (loci,), of a covering the lists taken; None if none was found.
        value: the cost of a covering, the fitness of a bit string.
        bound: no solution is better than this, as far as is proven; None if nothing is.
        optimal: whether the solution is proven to be the best.
        work: nodes, moves or fitness calls, as the solver counts.
        seconds: that it took.
        history: ``(work, seconds, value)`` of each improvement.
    """

    solution: Genome | None
    value: float
    bound: float | None
    optimal: bool
    work: int
    seconds: float
    history: tuple[tuple[int, float, float], ...]

    @property
    def gap(self) -> float | None:
        """By how much of the bound the value may be worse than the best; None where either is not known."""
        if self.solution is None or self.bound is None or self.bound == 0:
            return None
        return 0.0 if self.optimal else abs(self.value - self.bound) / abs(self.bound)


Solver = Callable[..., Iterator[Found]]


def optimise(
    problem: Problem,
    solver: str | Solver,
    *,
    seed: int = 0,
    seconds: float | None = None,
    progress: Callable[[Found], None] | None = None,
) -> Result:
    """Solve a problem: ``optimise(set_covering(100), "tabu", seconds=10)``.

    An interrupt (Ctrl-C) ends the search; what was found by then is the result.

    Args:
        problem: what is to be solved.
        solver: a spec string such as ``astar`` or ``genetic:population=100``, or a solver.
        seed: of all random numbers; without ``seconds`` the same seed gives the same solution.
        seconds: after which to stop; None lets the solver come to its own end.
        progress: called with what was found now and then.

    Raises:
        ValueError: there is no such solver, it has no such option or refuses its value, or it solves other problems.
        ImportError: the solver needs a package that is not installed.
    """
    limit = float("inf") if seconds is None else positive_number("seconds", seconds)
    began, history = perf_counter(), list[tuple[int, float, float]]()
    last = Found(None, float("inf") if problem.is_cost else float("-inf"), 0)
    steps = started(problem, solver, seed)
    try:
        for found in steps:
            elapsed = perf_counter() - began
            if found.genome is not None and (last.genome is None or found.value != last.value):
                history.append((found.work, elapsed, found.value))
            last = found
            if progress is not None:
                progress(found)
            if elapsed >= limit:
                break
    except KeyboardInterrupt:
        if last.genome is None:
            raise
    optimal = last.genome is not None and last.bound is not None and _reached(problem, last.value, last.bound)
    return Result(last.genome, last.value, last.bound, optimal, last.work, perf_counter() - began, tuple(history))


def _reached(problem: Problem, value: float, bound: float) -> bool:
    return value <= bound + 1e-6 if problem.is_cost else value >= bound - 1e-9


def started(problem: Problem, solver: str | Solver, seed: int) -> Iterator[Found]:
    """A solver at work; errors as :func:`optimise` raises them."""
    if callable(solver):
        return solver(problem, seed=seed)
    name, options = split_spec(solver)
    function = solver_named(name)
    if not isinstance(problem, kind_of(function)):
        raise ValueError(f"solver {name!r} is not for {problem!r}; those that are: {', '.join(solvers_of(problem))}")
    unnamed = unnamed_option(function, _GIVEN)
    named = check_options(f"solver {name}", options, option_names_of(function), unnamed=unnamed)
    return function(problem, seed=seed, **named)


def option_names_of(solver: Solver) -> tuple[str, ...]:
    """The names of the options of a solver."""
    return option_names(solver, without=_GIVEN)


def solvers() -> tuple[str, ...]:
    """The names of all solvers."""
    return tuple(plugins(GROUP))


def solvers_of(problem: Problem) -> tuple[str, ...]:
    """The names of the solvers of a problem."""
    return tuple(name for name in solvers() if isinstance(problem, kind_of(solver_named(name))))


def solver_named(name: str) -> Solver:
    """The solver registered under ``name``.

    Raises:
        ValueError: there is none.
        ImportError: it needs a package that is not installed.
    """
    found = plugins(GROUP).get(name)
    if found is None:
        raise unknown_name("solver", name, solvers())
    solver: Solver = found.load()
    return solver


def kind_of(solver: Solver) -> type[Problem]:
    """The problems that a solver solves."""
    kind: Any = get_type_hints(solver)["problem"]
    return kind if isinstance(kind, type) and issubclass(kind, Problem) else Problem
