"""The threads, workers or device that compute the tables of ``ci-envs solve --store``."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from ci_envs.cli.options import ray_options
from ci_envs.cluster import RayPool, check_address

if TYPE_CHECKING:
    from ci_envs.games.quixo import Quixo
    from ci_envs.solver.quixo_pairs import Sweeper


class Resources(NamedTuple):
    """The resources of a computation of tables: threads, or workers or a device that do most of the work instead.

    Attributes:
        threads: The number of threads, or None for all cores.
        workers: The number of workers of a Ray cluster, or None.
        ray_address: The address of the cluster, or None.
        device: The name of a device of PyTorch, or None.
    """

    threads: int | None = None
    workers: int | None = None
    ray_address: str | None = None
    device: str | None = None

    @property
    def thread_count(self) -> int:
        """The number of threads."""
        return self.threads or os.cpu_count() or 1

    @contextmanager
    def sweeper(self, game: "Quixo") -> "Iterator[Sweeper | None]":
        """Start the workers or the device, and stop them at the end of the ``with`` block.

        Raises:
            ValueError: The options exclude each other, or the workers or the device cannot be used.
            ImportError: A package is not installed.
        """
        check_address(self.workers, self.ray_address)
        if self.workers is not None and self.device is not None:
            raise ValueError("give either --workers or --device")
        if self.workers is not None:
            from ci_envs.solver.quixo_workers import WorkerSweeper

            with RayPool(game, self.workers, self.ray_address) as pool:
                yield WorkerSweeper(pool)
        elif self.device is not None:
            from ci_envs.devices import device_named

            device = device_named(self.device)
            from ci_envs.solver.quixo_device import DeviceSweeper

            yield DeviceSweeper(game, device)
        else:
            yield None


def resource_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add ``--threads``, ``--device``, ``--workers`` and ``--ray-address`` to a command.

    The command receives them in its argument ``resources``, a :class:`Resources`.
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
