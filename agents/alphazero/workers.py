"""The workers that play the games of self-play: threads of this process, or processes of a Ray cluster.

Each worker plays a share of the games of an iteration with its own random numbers, so the same number of threads and of
Ray workers play the same games.
"""

import socket
from collections.abc import Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor
from threading import Event
from typing import Any, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from typing_extensions import override

from ci_envs.agents.alphazero.inference import inference
from ci_envs.agents.alphazero.network import Network, network_for
from ci_envs.agents.alphazero.search import NetworkOutput
from ci_envs.agents.alphazero.self_play import SelfPlay


class SelfPlayWorkers(Protocol):
    """Workers that play games of self-play."""

    def play(self, network: Network, games: int, seed: Sequence[int]) -> tuple[NDArray[np.void], int]:
        """Play games of a network against itself.

        Args:
            network: as it is now; it is not changed.
            games: number of games.
            seed: of all random numbers.

        Returns:
            The positions of the games, of :func:`~ci_envs.agents.alphazero.replay.sample_type`, and the number of games
            that were completed.
        """

    def close(self) -> None:
        """Stop the workers; games that are in progress are abandoned."""


class ThreadWorkers(SelfPlayWorkers):
    """Threads of this process."""

    def __init__(self, plan: SelfPlay, threads: int, device: str) -> None:
        """Start the threads.

        Args:
            plan: how games are played.
            threads: number of threads.
            device: on which the network is evaluated.
        """
        self._plan, self._threads, self._device = plan, threads, device
        self._pool = ThreadPoolExecutor(threads)
        self._closed = Event()

    @override
    def play(self, network: Network, games: int, seed: Sequence[int]) -> tuple[NDArray[np.void], int]:
        evaluate_network = inference(network, self._device)

        def evaluate(planes: NDArray[np.int8]) -> NetworkOutput:
            if self._closed.is_set():
                raise CancelledError
            return evaluate_network(planes)

        parts = [
            self._pool.submit(self._plan.play, evaluate, share, np.random.default_rng([*seed, number]))
            for number, share in enumerate(_shares(games, self._threads))
        ]
        return np.concatenate([part.result() for part in parts]), games

    @override
    def close(self) -> None:
        self._closed.set()
        self._pool.shutdown()


class RayWorkers(SelfPlayWorkers):
    """Actors of a Ray cluster: Moritz et al., "Ray: a distributed framework for emerging AI applications", OSDI 2018.

    The weights are broadcast once in each iteration. If a worker is lost, its unfinished games are lost, and Ray starts
    it again.
    """

    def __init__(self, plan: SelfPlay, workers: int, address: str | None) -> None:
        """Connect to a cluster and start the workers.

        Args:
            plan: how games are played.
            workers: number of workers; each takes one core.
            address: of the cluster; None starts one on this machine, which :meth:`close` stops.

        Raises:
            ImportError: Ray is not installed.
            ValueError: there is no cluster at ``address``.
        """
        check_cluster(workers, address)
        import ray

        self._ray: Any = ray
        try:
            ray.init(address=address or "local", log_to_driver=False)
        except (OSError, ValueError, RuntimeError) as error:
            raise _no_cluster(address, error) from None
        actor = ray.remote(num_cpus=1, max_restarts=-1)(_RayActor)
        self._workers: list[Any] = [actor.remote(plan) for _ in range(workers)]

    @override
    def play(self, network: Network, games: int, seed: Sequence[int]) -> tuple[NDArray[np.void], int]:
        """Play games of a network against itself, as :meth:`SelfPlayWorkers.play` does.

        Raises:
            RuntimeError: every worker was lost.
        """
        weights = {name: tensor.cpu() for name, tensor in network.state_dict().items()}
        broadcast = self._ray.put((network.architecture, weights))
        shares = _shares(games, len(self._workers))
        parts = [
            (share, worker.play.remote(broadcast, share, [*seed, number]))
            for number, (worker, share) in enumerate(zip(self._workers, shares, strict=True))
        ]
        samples, completed = [], 0
        for share, part in parts:
            try:
                samples.append(self._ray.get(part))
                completed += share
            except self._ray.exceptions.RayActorError:  # its games are lost, and Ray starts it again
                continue
        if not samples:
            raise RuntimeError(f"all {len(self._workers)} workers were lost")
        return np.concatenate(samples), completed

    @override
    def close(self) -> None:
        self._ray.shutdown()


class _RayActor:
    """The code of a worker of a Ray cluster."""

    def __init__(self, plan: SelfPlay) -> None:
        self.plan = plan

    def play(self, broadcast: tuple[Any, dict[str, torch.Tensor]], games: int, seed: Sequence[int]) -> NDArray[np.void]:
        architecture, weights = broadcast
        network = network_for(self.plan.game, architecture)
        network.load_state_dict(weights)
        return self.plan.play(inference(network), games, np.random.default_rng(seed))


def check_cluster(workers: int, address: str | None) -> None:
    """Check that Ray is installed and that something listens at the address of the cluster.

    Raises:
        ImportError: Ray is not installed.
        ValueError: nothing listens at ``address``.
    """
    try:
        import ray  # noqa: F401
    except ImportError as error:
        raise ImportError(f"workers={workers} needs Ray: pip install ci-envs[ray]") from error
    try:
        _check_reachable(address)
    except OSError as error:
        raise _no_cluster(address, error) from None


def _check_reachable(address: str | None) -> None:
    """Raise an OSError if nothing listens at ``host:port``, because Ray would end the process after a minute."""
    host, _, port = (address or "").rpartition(":")
    if host and port.isdigit() and "/" not in host:
        socket.create_connection((host, int(port)), timeout=10).close()


def _no_cluster(address: str | None, error: Exception) -> ValueError:
    reason = str(error).partition("\n")[0]
    return ValueError(f"there is no Ray cluster at ray_address={address!r}: {reason}")


def _shares(games: int, workers: int) -> list[int]:
    return [games // workers + (number < games % workers) for number in range(workers)]
