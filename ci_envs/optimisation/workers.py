"""Running several solvers at the same time, in the processes of a Ray cluster."""

from collections.abc import Callable, Sequence

from ci_envs.cluster import RayPool
from ci_envs.optimisation.problem import Problem
from ci_envs.optimisation.solving import Result, optimise


def optimise_by_workers(
    problem: Problem,
    solvers: Sequence[str],
    workers: int,
    *,
    address: str | None = None,
    seed: int = 0,
    seconds: float | None = None,
    done: Callable[[Result], object] | None = None,
) -> list[Result]:
    """Solve a problem by several solvers at the same time, with :func:`~ci_envs.optimisation.solving.optimise`.

    Args:
        problem: The problem to solve.
        solvers: The spec strings of the solvers.
        workers: The number of processes, at least 1; each takes one core.
        address: The address of the Ray cluster; None starts one on this machine.
        seed: The seed of all random numbers of each solver.
        seconds: The time limit of each solver, above 0; None runs it to its end.
        done: A function that is called with each result as soon as its solver ends.

    Returns:
        The results, in the order of ``solvers``.

    Raises:
        ImportError: Ray, or a package that a solver needs, is not installed.
        ClusterError: There is no cluster at ``address``, it has too few cores, or the worker of a solver died more
            than :data:`~ci_envs.cluster.RETRIES` times.
        ValueError: A solver, an option or a value is invalid, or the problem cannot be pickled.
    """
    with RayPool(problem, min(workers, len(solvers)), address) as pool:
        return pool.run(_optimise, [(solver, seed, seconds) for solver in solvers], done)


def _optimise(problem: Problem, solver: str, seed: int, seconds: float | None) -> Result:
    return optimise(problem, solver, seed=seed, seconds=seconds)
