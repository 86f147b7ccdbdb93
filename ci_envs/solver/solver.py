"""How a game is solved: the base class of solvers, which suits every game that cannot cycle, and choosing a solver.

A game names a solver of its own in :attr:`ci_envs.games.game.Game.solver`.
"""

from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from ci_envs.games.game import Game
from ci_envs.games.position import Position
from ci_envs.registry import import_object
from ci_envs.solver.enumeration import Reachable
from ci_envs.solver.search import SearchSolution, is_small
from ci_envs.solver.solution import Progress, Solution

G = TypeVar("G", bound=Game)


class Solver(Generic[G]):
    """Solves a game by a search of every position. A subclass uses what is known about its game."""

    def solve(self, game: G, position: Position | None, progress: Progress | None) -> Solution:
        """Solve a game, or one position with everything that can follow it.

        Args:
            game: The game.
            position: A position of the game; None solves the whole game.
            progress: See :data:`~ci_envs.solver.solution.Progress`.

        Raises:
            ValueError: There are too many positions, or the method does not suit the game.
        """
        return SearchSolution(position or Position.start(game), progress=progress)

    def is_quick(self, position: Position) -> bool:
        """Return whether solving ``position`` is expected to take seconds at most."""
        return is_small(position)

    def quick_action_scores(self, position: Position, progress: Progress | None) -> NDArray[np.int16] | None:
        """Return the score of each action, or None if that is expected to take more than seconds.

        Where only the values are found quickly, these are returned.
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
            ValueError: There are too many.
        """
        return Reachable(game, progress=progress)

    def draw_positions(
        self, game: G, n: int, rng: np.random.Generator, progress: Progress | None
    ) -> NDArray[np.uint64]:
        """Draw positions as :func:`ci_envs.solver.reachable.draw_positions` does."""
        return self.reachable(game, progress).draw(n, rng)

    def how_drawn(self, game: G) -> str:
        """Return in words how :meth:`draw_positions` draws."""
        return "drawn uniformly from all that play can reach"


def solver_of(game: G) -> Solver[G]:
    """Return the solver of a game.

    A derived class can have other rules, so it uses the solver of its base class only if it names that solver itself.
    """
    reference = vars(type(game)).get("solver")
    cls: type[Solver[G]] = Solver if reference is None else import_object(reference)
    return cls()
