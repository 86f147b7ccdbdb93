"""The base class of solvers, which can solve every game without cycles, and the choice of a game's solver.

A game names its own solver in :attr:`ci_envs.games.game.Game.solver`.
"""

from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from ci_envs.games.game import Game
from ci_envs.games.position import Position
from ci_envs.registry.games import import_object
from ci_envs.solver.enumeration import Reachable
from ci_envs.solver.search import SearchSolution, is_small
from ci_envs.solver.solution import Progress, Solution

G = TypeVar("G", bound=Game)


class Solver(Generic[G]):
    """Solver that searches all positions. A subclass uses special knowledge about its game."""

    def solve(self, game: G, position: Position | None, progress: Progress | None) -> Solution:
        """Solve a game, or one position with all positions that play can reach from it.

        Args:
            game: The game.
            position: A position of the game. None solves the whole game.
            progress: See :data:`~ci_envs.solver.solution.Progress`.

        Raises:
            ValueError: There are too many positions, or the method is not suitable for the game.
        """
        return SearchSolution(position or Position.start(game), progress=progress)

    def is_quick(self, position: Position) -> bool:
        """Return whether solving ``position`` is expected to take at most seconds."""
        return is_small(position)

    def quick_action_scores(self, position: Position, progress: Progress | None) -> NDArray[np.int16] | None:
        """Return the score of each action, or its value if only the values can be computed quickly.

        Return None if even the values would take more than a few seconds.
        """
        game: G = position.game  # type: ignore[assignment]
        if not self.is_quick(position):
            return None
        try:
            solution = self.solve(game, position, progress)
        except ValueError:
            return None
        scores: NDArray[np.int16] = solution.action_scores(np.array([[position.own, position.opp]], np.uint64))[0]
        return scores

    def reachable(self, game: G, progress: Progress | None) -> Reachable:
        """Return the positions that play can reach.

        Raises:
            ValueError: There are too many positions.
        """
        return Reachable(game, progress=progress)

    def sample_positions(
        self, game: G, n: int, rng: np.random.Generator, progress: Progress | None
    ) -> NDArray[np.uint64]:
        """Sample positions. :func:`ci_envs.solver.reachable.sample_positions` describes the arguments."""
        return self.reachable(game, progress).draw(n, rng)

    def sampling_method(self, game: G) -> str:
        """Describe in words how :meth:`sample_positions` samples positions."""
        return "sampled uniformly from all reachable positions"


def solver_of(game: G) -> Solver[G]:
    """Return the solver of a game.

    A derived class can have other rules, so it uses the solver of its base class only if it names that solver itself.
    """
    reference = vars(type(game)).get("solver")
    cls: type[Solver[G]] = Solver if reference is None else import_object(reference)
    return cls()
