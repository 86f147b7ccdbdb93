"""The solvers of the reports by name: ``report:B2``."""

from collections.abc import Iterator
from typing import Annotated

from ci_envs.optimisation.problem import Problem
from ci_envs.optimisation.solving import Incumbent, problem_type_of
from ci_envs.registry.options import Option
from ci_envs.reports.catalog import report_solvers
from ci_envs.validation import unknown_name


def report(
    problem: Problem, name: Annotated[str, Option("name of the solver, for example B2")], *, seed: int = 0
) -> Iterator[Incumbent]:
    """Solve a problem by a solver of a report, with its bugs.

    Args:
        problem: The problem.
        seed: The seed of all random numbers.

    Raises:
        ValueError: No solver has this name, or the solver does not solve this problem.
    """
    available = report_solvers()
    if name not in available:
        raise unknown_name("solver", name, available, owner="report")
    solver = available[name]
    if not isinstance(problem, problem_type_of(solver)):
        raise ValueError(f"solver report:{name} is not for {problem!r}")
    return solver(problem, seed=seed)
