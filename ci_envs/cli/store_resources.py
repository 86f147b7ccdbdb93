"""The options of ``ci-envs solve --store`` for the threads, workers or device that compute the tables."""

from collections.abc import Callable
from functools import wraps
from typing import Any

import click

from ci_envs.cli.options import ray_options
from ci_envs.solver.levels import Resources


def resource_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add ``--threads``, ``--device``, ``--workers`` and ``--ray-address`` to a command.

    The command receives them in its argument ``resources``, a :class:`~ci_envs.solver.levels.Resources`.
    """
    threads = click.option(
        "--threads", type=click.IntRange(min=1), help="Number of threads for --store.  [default: all cores]"
    )
    device = click.option(
        "--device", metavar="NAME", help="Device of PyTorch for --store, for example cuda, instead of threads."
    )
    workers = ray_options("run the solvers of a problem, or compute the tables of --store; the results stay the same")

    @wraps(command)
    def with_resources(
        *, threads: int | None, device: str | None, workers: int | None, ray_address: str | None, **options: Any
    ) -> None:
        command(resources=Resources(threads, workers, ray_address, device), **options)

    with_options: Callable[..., None] = threads(device(workers(with_resources)))
    return with_options
