"""Where games of self-play are played: in threads of this process, or by the workers of a Ray cluster.

Each plays a share of the games of an iteration, with random numbers of its own, so that as many threads and workers
find the same.
"""

import socket
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Protocol

import numpy as np
import torch
from numpy.typing import NDArray

from ci_envs.agents.alphazero.inference import inference
from ci_envs.agents.alphazero.network import Network
from ci_envs.agents.alphazero.self_play import SelfPlay


class Players(Protocol):
    """Who plays."""

    def play(self, network: Network, games: int, seed: Sequence[int]) -> tuple[NDArray[np.void], int]:
        """Play about so many games by a network.

        Returns:
            Their positions, of :func:`~ci_envs.agents.alphazero.replay.sample_type`, and how many games there were.
        """

    def close(self) -> None:
        """Let them go."""


class Threads:
    """Threads of this process."""

    def __init__(self, plan: SelfPlay, threads: int, device: str) -> None:
        self._plan, self._threads, self._device = plan, threads, device
        self._pool = ThreadPoolExecutor(threads)

    def play(self, network: Network, games: int, seed: Sequence[int]) -> tuple[NDArray[np.void], int]:
        """As :meth:`Players.play`."""
        evaluate = inference(network, self._device)
        parts = [
            self._pool.submit(self._plan.play, evaluate, share, np.random.default_rng([*seed, number]))
            for number, share in enumerate(_shares(games, self._threads))
        ]
        return np.concatenate([part.result() for part in parts]), games

    def close(self) -> None:
        """As :meth:`Players.close`."""
        self._pool.shutdown()


class RayWorkers:
    """Actors of a Ray cluster: Moritz et al., "Ray: a distributed framework for emerging AI applications", OSDI 2018.

    The weights are broadcast once an iteration. The unfinished games of a worker that is lost are lost with it, and a
    new one takes its place.
    """

    def __init__(self, plan: SelfPlay, workers: int, address: str | None) -> None:
        """Connect.

        Args:
            plan: how games are played.
            workers: how many, a core each.
            address: of the cluster; None means one on this machine, for as long as this lasts.

        Raises:
            ImportError: Ray is not installed.
            ValueError: there is no cluster at ``address``.
        """
        try:
            import ray
        except ImportError as error:
            raise ImportError(f"workers={workers} needs Ray: pip install ci-envs[ray]") from error
        self._ray: Any = ray
        try:
            _knock(address)
            ray.init(address=address or "local", log_to_driver=False)
        except (OSError, ValueError, RuntimeError) as error:
            reason = str(error).partition("\n")[0]
            raise ValueError(f"there is no Ray cluster at ray_address={address!r}: {reason}") from None
        actor = ray.remote(num_cpus=1, max_restarts=-1)(_Worker)
        self._workers: list[Any] = [actor.remote(plan) for _ in range(workers)]

    def play(self, network: Network, games: int, seed: Sequence[int]) -> tuple[NDArray[np.void], int]:
        """As :meth:`Players.play`.

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
        found, played = [], 0
        for share, part in parts:
            try:
                found.append(self._ray.get(part))
                played += share
            except self._ray.exceptions.RayActorError:  # its games are lost, Ray starts it anew
                continue
        if not found:
            raise RuntimeError(f"all {len(self._workers)} workers were lost")
        return np.concatenate(found), played

    def close(self) -> None:
        """As :meth:`Players.close`."""
        self._ray.shutdown()


class _Worker:
    """What an actor does."""

    def __init__(self, plan: SelfPlay) -> None:
        self.plan = plan

    def play(self, broadcast: tuple[Any, dict[str, torch.Tensor]], games: int, seed: Sequence[int]) -> NDArray[np.void]:
        architecture, weights = broadcast
        network = Network(self.plan.game, architecture)
        network.load_state_dict(weights)
        return self.plan.play(inference(network), games, np.random.default_rng(seed))


def _knock(address: str | None) -> None:
    """Raise an OSError if nothing listens at ``host:port``, on which Ray would end the process after a minute."""
    host, _, port = (address or "").rpartition(":")
    if host and port.isdigit() and "/" not in host:
        socket.create_connection((host, int(port)), timeout=10).close()


def _shares(games: int, players: int) -> list[int]:
    return [games // players + (number < games % players) for number in range(players)]
