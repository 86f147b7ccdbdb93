"""The games of an evolution, played by the processes of a Ray cluster."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ci_envs.agent_interface.interface import Agent
from ci_envs.agents.evolution.play import GenomePolicy, Individual, Opponent, play_population
from ci_envs.cluster import RayPool
from ci_envs.games.game import Game

_PARTS = 4  # of a population for each worker, so that all workers are busy to the end


class RayPlayers:
    """Processes of a Ray cluster, each of which plays the games of a part of a population.

    The games of a genome do not depend on the other genomes, so the results are those of
    :func:`~ci_envs.agents.evolution.play.play_population`, bit for bit.
    """

    def __init__(self, game: Game, agents: Sequence[Agent], workers: int, address: str | None) -> None:
        """Connect to a cluster and start the workers.

        Args:
            game: The game.
            agents: The opponents that are the same in all generations.
            workers: The number of workers; each takes one core.
            address: The address of the cluster; None starts one on this machine, which :meth:`close` stops.

        Raises:
            ImportError: Ray is not installed.
            ClusterError: There is no cluster at ``address``, or it has too few cores.
            ValueError: An agent cannot be pickled.
        """
        self._workers = workers
        self._pool = RayPool((game, tuple(agents)), workers, address)

    def play(
        self,
        policy: GenomePolicy,
        population: NDArray[Any],
        opponents: Sequence[Opponent],
        games: int,
        seed: int,
        **options: Any,
    ) -> NDArray[np.int64]:
        """Play as :func:`~ci_envs.agents.evolution.play.play_population` does, by the workers.

        The opponents are the agents of the constructor, then individuals. The other arguments are those of that
        function.

        Raises:
            ValueError: An argument is out of range.
            ClusterError: The same games lost their worker more than :data:`~ci_envs.cluster.RETRIES` times.
        """
        individuals = [opponent for opponent in opponents if isinstance(opponent, Individual)]
        shared = self._pool.share((policy, individuals, {"games": games, "seed": seed, **options}))
        parts = np.array_split(population, min(len(population), _PARTS * self._workers))
        return np.concatenate(self._pool.run(_play_part, [(shared, part) for part in parts]))

    def close(self) -> None:
        """Stop the workers; games that are in progress are abandoned."""
        self._pool.close()


def _play_part(
    state: tuple[Game, tuple[Agent, ...]],
    shared: tuple[GenomePolicy, list[Individual], dict[str, Any]],
    part: NDArray[Any],
) -> NDArray[np.int64]:
    (game, agents), (policy, individuals, options) = state, shared
    starts = options.get("starts")  # read-only here, but the kernels are compiled for arrays that can be written
    options = {**options, "starts": None if starts is None else starts.copy()}
    return play_population(game, policy, part, [*agents, *individuals], **options)
