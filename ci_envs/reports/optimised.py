"""Results of solvers that ran to their end."""

from ci_envs.optimisation.problem import Problem
from ci_envs.optimisation.solving import Result, optimise


def optimised(problem: Problem, solver: str, seed: int = 0) -> Result:
    """Return the result of a solver, which is part of a section's result only if no interrupt ended the search.

    Raises:
        KeyboardInterrupt: the search was interrupted.
    """
    result = optimise(problem, solver, seed=seed)
    if result.interrupted:
        raise KeyboardInterrupt
    return result
