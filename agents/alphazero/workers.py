"""The workers that play the games of self-play: threads of this process, or processes of a Ray cluster.

Each worker plays a share of the games of an iteration with its own random numbers. Therefore equal numbers of threads
and of Ray workers play the same games.
"""

from collections.abc import Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor
from threading import Event
from typing import Any, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from typing_extensions import override

from ci_envs.agents.alphazero.inference import inference
from ci_envs.agents.alphazero.network import Network, new_network
from ci_envs.agents.alphazero.search import Evaluate, NetworkOutput
from ci_envs.agents.alphazero.self_play import SelfPlay
from ci_envs.cluster import RayPool


class SelfPlayWorkers(Protocol):
    """Workers that play games of self-play."""

    def play(self, network: Network, games: int, seed: Sequence[int]) -> NDArray[np.void]:
        """Play games of a network against itself.

        Args:
            network: the network, which is not changed.
            games: number of games.
            seed: the seed of all random numbers.

        Returns:
            The positions of the games, array of :func:`~ci_envs.agents.alphazero.replay.sample_type`.
        """

    def close(self) -> None:
        """Stop the workers and abandon games in progress."""


class ThreadWorkers(SelfPlayWorkers):
    """Threads of this process."""

    def __init__(self, plan: SelfPlay, threads: int, device: str) -> None:
        """Start the threads.

        Args:
            plan: the settings of self-play.
            threads: number of threads.
            device: the device that evaluates the network.
        """
        self._plan, self._threads, self._device = plan, threads, device
        self._pool = ThreadPoolExecutor(threads)
        self._closed = Event()

    @override
    def play(self, network: Network, games: int, seed: Sequence[int]) -> NDArray[np.void]:
        evaluate_network = _inference(self._plan, network, self._device, self._threads)

        def evaluate(planes: NDArray[np.int8]) -> NetworkOutput:
            if self._closed.is_set():
                raise CancelledError
            return evaluate_network(planes)

        parts = [
            self._pool.submit(self._plan.play, evaluate, share, np.random.default_rng([*seed, number]))
            for number, share in enumerate(_shares(games, self._threads))
        ]
        return np.concatenate([part.result() for part in parts])

    @override
    def close(self) -> None:
        self._closed.set()
        self._pool.shutdown()


class RayWorkers(SelfPlayWorkers):
    """Processes of a Ray cluster. The weights are broadcast once per iteration."""

    def __init__(self, plan: SelfPlay, workers: int, address: str | None) -> None:
        """Connect to a cluster and start the workers.

        Args:
            plan: the settings of self-play.
            workers: number of workers. Each worker uses one core.
            address: the address of the cluster. None starts a cluster on this machine, which :meth:`close` stops.

        Raises:
            ImportError: Ray is not installed.
            ClusterError: there is no cluster at ``address``, or it has too few cores.
        """
        self._workers = workers
        self._pool = RayPool(plan, workers, address)

    @override
    def play(self, network: Network, games: int, seed: Sequence[int]) -> NDArray[np.void]:
        """Play games of a network against itself. :meth:`SelfPlayWorkers.play` describes the arguments.

        Raises:
            ClusterError: the same games lost their worker more than :data:`~ci_envs.cluster.RETRIES` times.
        """
        weights = {name: tensor.cpu() for name, tensor in network.state_dict().items()}
        broadcast = self._pool.share((network.architecture, weights))
        shares = [(broadcast, share, [*seed, number]) for number, share in enumerate(_shares(games, self._workers))]
        return np.concatenate(self._pool.run(_play_share, shares))

    @override
    def close(self) -> None:
        self._pool.close()


def _play_share(
    plan: SelfPlay, broadcast: tuple[Any, dict[str, torch.Tensor]], games: int, seed: Sequence[int]
) -> NDArray[np.void]:
    architecture, weights = broadcast
    network = new_network(plan.game, architecture)
    network.load_state_dict(weights)
    return plan.play(_inference(plan, network), games, np.random.default_rng(seed))


def _inference(plan: SelfPlay, network: Network, device: str = "cpu", threads: int = 1) -> Evaluate:
    return inference(network, device, leaves=plan.lanes * threads, game=plan.game if plan.integers else None)


def _shares(games: int, workers: int) -> list[int]:
    return [games // workers + (number < games % workers) for number in range(workers)]
