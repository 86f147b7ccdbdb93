"""Random positions that play can reach."""

import numpy as np
from numpy.typing import NDArray

from ci_envs.games.game import Game
from ci_envs.solver.solution import Progress
from ci_envs.solver.solver import solver_of


def sample_positions(
    game: Game, n: int, rng: np.random.Generator, *, progress: Progress | None = None
) -> NDArray[np.uint64]:
    """Sample non-terminal positions uniformly from all reachable positions, or by random play if these are too many.

    Args:
        game: A game that :func:`ci_envs.solve` can solve.
        n: The number of positions. The sampling is with replacement.
        rng: The random number generator.
        progress: See :data:`~ci_envs.solver.solution.Progress`.

    Returns:
        Rows (own, opp), uint64 of shape (n, 2).

    Raises:
        ValueError: There are too many positions to enumerate.
    """
    return solver_of(game).sample_positions(game, n, rng, progress)
