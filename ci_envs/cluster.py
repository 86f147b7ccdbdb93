"""A pool of worker processes of a Ray cluster.

Ray: Moritz et al., "Ray: a distributed framework for emerging AI applications", OSDI 2018.
"""

import signal
import socket
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from logging import ERROR
from threading import current_thread, main_thread
from typing import Any, Concatenate, Generic, ParamSpec, Self, TextIO, TypeVar

from ci_envs.extras import optional_import
from ci_envs.registry.references import load_files, loaded_files
from ci_envs.validation import integer_between

RETRIES = 3
"""The maximum number of times that a call is repeated because its worker died."""

State = TypeVar("State")
Result = TypeVar("Result")
Arguments = ParamSpec("Arguments")


class ClusterError(ValueError):
    """A cluster cannot be used, has too few cores, or lost the workers of the same call too often."""


class RayPool(Generic[State]):
    """A pool of workers of a Ray cluster, each with its own copy of a state.

    If a worker dies, Ray starts it again with a new copy of the state and repeats its call, so no result is lost. If
    this process has a connection to Ray already, the pool uses this connection and leaves it open.
    """

    def __init__(self, state: State, workers: int, address: str | None = None) -> None:
        """Connect to a cluster and start the workers.

        Args:
            state: The first argument of all calls. Each worker gets a pickled copy.
            workers: The number of workers, at least 1. Each worker takes one core.
            address: The address of the cluster. None starts a cluster on this machine, which :meth:`close` stops.

        Raises:
            ImportError: Ray is not installed.
            ClusterError: No cluster is at ``address``, or the cluster has too few cores.
            ValueError: ``state`` cannot be pickled.
        """
        check_cluster(workers, address)
        import ray

        self._ray: Any = ray
        pickled = pickled_for_workers("the work", state)
        self._is_connected_here = not ray.is_initialized()
        if self._is_connected_here:
            _connect(workers, address)
        self._actors: list[Any] = []
        self._attempts = RETRIES + 1
        cores = int(self._ray.cluster_resources().get("CPU", 0))
        if cores < workers:
            self.close()
            raise ClusterError(f"workers={workers} is too much: the Ray cluster has {cores} cores, one for each worker")
        actor = ray.remote(num_cpus=1, max_restarts=-1, max_task_retries=RETRIES)(_Worker)
        self._actors = [actor.remote(loaded_files()) for _ in range(workers)]
        self._state = ray.put(pickled)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def share(self, value: Any) -> Any:
        """Send a value to each machine once, and return a reference to it that can be an argument of :meth:`run`."""
        return self._ray.put(value)

    def run(
        self,
        function: Callable[Concatenate[State, Arguments], Result],
        work: Sequence[tuple[Any, ...]],
        done: Callable[[Result], object] | None = None,
    ) -> list[Result]:
        """Return ``function(state, *arguments)`` for each item of ``work``. A free worker takes the next item.

        Args:
            function: A module-level function. Its array arguments are read-only, because they are in shared memory.
            work: The arguments of each call, or references to arguments from :meth:`share`.
            done: A function that is called with each result as soon as the result is available.

        Raises:
            ClusterError: The worker of the same call died more than :data:`RETRIES` times.
            Exception: The exception that ``function`` raises.
        """
        results: dict[int, Result] = {}
        for number, result in self.results(function, work):
            results[number] = result
            if done is not None:
                done(result)
        return [results[number] for number in range(len(work))]

    def results(
        self,
        function: Callable[Concatenate[State, Arguments], Result],
        work: Sequence[tuple[Any, ...]],
    ) -> Iterator[tuple[int, Result]]:
        """Yield the number of each item of ``work`` and its result as soon as the result is available.

        The arguments and errors are those of :meth:`run`.
        """
        from ray.util import ActorPool

        state = [self._state]  # Ray does not resolve a reference inside a list
        calls: Iterator[tuple[int, Result]] = ActorPool(self._actors).map_unordered(
            lambda actor, call: actor.call.remote(state, function, call[0], *call[1]), list(enumerate(work))
        )
        for _ in work:
            yield self._next_result(calls)

    def _next_result(self, calls: Iterator[tuple[int, Result]]) -> tuple[int, Result]:
        try:
            with redirect_stdout(_StdoutWithoutRay(sys.stdout)):
                return next(calls)
        except self._ray.exceptions.RayTaskError as error:
            raise error.cause from error
        except self._ray.exceptions.RayActorError:
            raise ClusterError(f"the worker of the same call died {self._attempts} times") from None

    def close(self) -> None:
        """Stop the workers and abandon the calls in progress."""
        if self._is_connected_here:
            with redirect_stdout(sys.stderr), _same_handler_of_sigterm():  # Ray prints its last messages in this thread
                self._ray.shutdown()
            return
        for actor in self._actors:
            self._ray.kill(actor)


class _StdoutWithoutRay:
    """Standard output that redirects the messages of Ray's thread about lost workers to standard error."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        is_ray = current_thread().name == "ray_listen_error_messages"
        return (sys.stderr if is_ray else self._stream).write(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


class _Worker:
    """The code of a worker."""

    def __init__(self, files: Mapping[str, str]) -> None:
        load_files(files)
        self._state: Any = None

    def call(self, state: list[Any], function: Callable[..., Any], number: int, *arguments: Any) -> tuple[int, Any]:
        if self._state is None:
            import ray

            self._state = ray.cloudpickle.loads(ray.get(state[0]))
        return number, function(self._state, *arguments)


def check_cluster(workers: int, address: str | None) -> None:
    """Check that Ray is installed and that a server listens at the address of the cluster.

    Raises:
        ImportError: Ray is not installed.
        ClusterError: No server listens at ``address``.
        ValueError: ``workers`` is out of range.
    """
    integer_between("workers", workers, 1)
    with optional_import(f"workers={workers}", "ray"):
        import ray
    if address is not None and ray.is_initialized():
        raise ValueError(
            f"ray_address={address!r} is too late: this process has a connection to Ray. Remove the option."
        )
    try:
        _check_reachable(address)
    except OSError as error:
        raise _no_cluster(address, error) from None


def check_address(workers: int | None, address: str | None) -> None:
    """Check that the address of a cluster is not given without workers.

    Raises:
        ValueError: ``address`` is given, but ``workers`` is None.
    """
    if workers is None and address is not None:
        raise ValueError(f"ray_address={address!r} is for workers: give workers too")


def pickled_for_workers(name: str, value: Any) -> bytes:
    """Return a value as bytes that a worker can load.

    Args:
        name: The name of the value for the message.
        value: The value.

    Raises:
        ValueError: The value cannot be pickled.
    """
    from ray import cloudpickle

    dumps: Callable[[Any], bytes] = cloudpickle.dumps
    try:
        return dumps(value)
    except Exception as error:  # pickling can raise any exception
        reason = str(error).partition("\n")[0]
        raise ValueError(f"{name} cannot be sent to workers, because it cannot be pickled: {reason}") from None


def _connect(workers: int, address: str | None) -> None:
    import ray

    own: dict[str, Any] = {"address": "local", "num_cpus": workers, "include_dashboard": False}
    try:
        with _same_handler_of_sigterm():
            ray.init(**(own if address is None else {"address": address}), log_to_driver=False, logging_level=ERROR)
    except Exception as error:  # Ray raises Exception itself if it does not start in time
        raise _no_cluster(address, error) from None


@contextmanager
def _same_handler_of_sigterm() -> Iterator[None]:
    """Keep the handler of SIGTERM, which Ray replaces when it connects, and removes when it shuts down."""
    handler = signal.getsignal(signal.SIGTERM)
    try:
        yield
    finally:
        if handler is not None and current_thread() is main_thread():
            signal.signal(signal.SIGTERM, handler)


def _check_reachable(address: str | None) -> None:
    """Raise an OSError if no server listens at ``host:port``. Otherwise Ray would end the process after a minute."""
    host, _, port = (address or "").rpartition(":")
    if host and port.isdigit() and "/" not in host:
        socket.create_connection((host, int(port)), timeout=10).close()


def _no_cluster(address: str | None, error: Exception) -> ClusterError:
    reason = str(error).partition("\n")[0]
    if address is None:
        return ClusterError(f"no Ray cluster could be started on this machine: {reason}")
    return ClusterError(f"there is no Ray cluster at ray_address={address!r}: {reason}")
