"""The base class of solvers, which can solve every game that is not too large, and the choice of a game's solver.

A game names its own solver in :attr:`ci_envs.games.game.Game.solver`.
"""

from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from ci_envs.games.game import Game
from ci_envs.games.openings import positions_of_random_play
from ci_envs.games.position import Position
from ci_envs.games.random_games import random_game
from ci_envs.registry.games import import_object
from ci_envs.registry.references import referred
from ci_envs.registry.user_code import made
from ci_envs.solver.enumeration import Reachable, has_at_most
from ci_envs.solver.errors import EndlessPlayError
from ci_envs.solver.levels import LevelStore
from ci_envs.solver.proof_number import ProofNumberSolution
from ci_envs.solver.retrograde import RetrogradeSolution
from ci_envs.solver.search import SearchSolution, is_small
from ci_envs.solver.solution import NO_SCORE, Progress, Solution

G = TypeVar("G", bound=Game)

EXACT, INCLUDED = "exact", "included"
"""The names of the solution of the whole game, and of the tables in the package (:func:`exact_source`)."""
_MOST_SEARCHED = 10**12
"""Bound of the positions from which a search for a value has prospects. A larger game is refused immediately."""

_SAMPLED_GAMES, _MOST_PLIES = 101, 200

_QUICK_LINKED = 1 << 20
"""Maximum number of positions of a game that can cycle that are solved in seconds."""


class Solver(Generic[G]):
    """Solver of any game. A subclass uses special knowledge about its game.

    It stores all positions that play can reach. If these are too many, and the game cannot cycle, it searches each
    position on demand.
    """

    def solve(self, game: G, position: Position | None, progress: Progress | None) -> Solution:
        """Solve a game, or one position with all positions that play can reach from it.

        Args:
            game: The game.
            position: A position of the game. None solves the whole game.
            progress: See :data:`~ci_envs.solver.solution.Progress`.

        Raises:
            EndlessPlayError: The game declares that it cannot cycle, but its play does not end.
            ValueError: There are too many positions, or the method is not suitable for the game.
        """
        root = position or Position.start(game)
        if game.can_cycle:
            return RetrogradeSolution(root, progress=progress)
        try:
            return SearchSolution(root, progress=progress)
        except EndlessPlayError:
            raise
        except ValueError:
            search = self.searching(root, progress)
            if search is None:
                raise
        if position is not None:
            search.value(position)
        return search

    def searching(self, position: Position, progress: Progress | None = None) -> Solution | None:
        """Return the solution that searches positions on demand, from ``position`` on, or None if it has no prospects.

        Its :meth:`~ci_envs.solver.solution.Solution.grading_scores` have a limit, so they take milliseconds.
        """
        bound = position.game.position_bound(position.own, position.opp)
        if position.game.can_cycle or (bound or 0) > _MOST_SEARCHED:
            return None
        return ProofNumberSolution(position.game, progress=progress)

    def stored(self, game: G, name: str) -> Solution:
        """Return the solution from the tables in a folder, or from those in the package for the name ``included``.

        Raises:
            ValueError: The game has no tables.
        """
        raise ValueError(f"{game} has no tables {name!r}: its solver does not store any")

    def levels(self, game: G, folder: Path) -> LevelStore:
        """Return the tables of a game that are computed level by level in a folder.

        Raises:
            ValueError: The solver does not support levels.
        """
        raise ValueError(f"--store does not support {game}: its solver has no levels")

    def published(self, game: G) -> tuple[tuple[str, int], ...]:
        """Return positions with published values, as texts and values for the player to move."""
        return ()

    def is_quick(self, position: Position) -> bool:
        """Return whether solving ``position`` is expected to take at most seconds."""
        return has_at_most(position, _QUICK_LINKED) if position.game.can_cycle else is_small(position)

    def grades_quickly(self, game: G) -> bool:
        """Return whether solving the whole game takes seconds, and grading most actions at most milliseconds."""
        start = Position.start(game)
        return self.is_quick(start) or self.searching(start) is not None

    def plays_quickly(self, game: G) -> bool:
        """Return whether the solution of the whole game is expected to find each move in seconds."""
        return self.is_quick(Position.start(game))

    def quick_action_scores(self, position: Position, progress: Progress | None) -> NDArray[np.int16] | None:
        """Return the score of each action, or its value if only the values can be computed quickly.

        Return None if even the values would take more than a few seconds, or are not found within the limit of a
        search.
        """
        game: G = position.game  # type: ignore[assignment]
        words = np.array([[position.own, position.opp]], np.uint64)
        if self.is_quick(position):
            try:
                scores = self.solve(game, position, progress).action_scores(words)
            except ValueError:
                return None
        elif (search := self.searching(position, progress)) is not None:
            scores = search.grading_scores(words)
        else:
            return None
        return None if (scores == NO_SCORE).all() else np.asarray(scores[0])

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
        if _stores_positions(game):
            return self.reachable(game, progress).draw(n, rng)
        plies = _median_plies(game, rng)
        return positions_of_random_play(game, n, plies // 2, 3 * plies // 4, rng)

    def sampling_method(self, game: G) -> str:
        """Describe in words how :meth:`sample_positions` samples positions."""
        if _stores_positions(game):
            return "sampled uniformly from all reachable positions"
        return "sampled by random play of a half to three quarters of the plies of a random game"


def solver_of(game: G) -> Solver[G]:
    """Return the solver of a game.

    A derived class can have other rules, so it uses the solver of its base class only if it names that solver itself.
    """
    reference = vars(type(game)).get("solver")
    cls: type[Solver[G]] = Solver if reference is None else import_object(reference)
    return cls()


def exact_source(game: Game, name: str) -> Solution:
    """Return the exact values that a name means.

    Args:
        game: The game.
        name: ``exact`` for the solution of the whole game, ``included`` for the tables in the package, a folder with
            tables that ``ci-envs solve --store`` has computed, or an own source as ``file.py:Name`` or ``module:Name``:
            a subclass of :class:`~ci_envs.solver.solution.Solution`, or a function, which is called with the game.

    Raises:
        ValueError: There are no such values of the game.
    """
    if name == EXACT:
        return solver_of(game).solve(game, None, None)
    own: Any = referred(name, callable, "exact source")
    if own is None:
        return solver_of(game).stored(game, name)
    solution = made(f"the exact source {name}", own, game)
    if not isinstance(solution, Solution):
        raise ValueError(f"{name} must be a subclass of ci_envs.solver.solution.Solution, not {own!r}")
    return solution


def quick_source(game: Game) -> Solution:
    """Return the solution of the whole game if it takes seconds, else the tables in the package.

    Raises:
        ValueError: There are neither.
    """
    return exact_source(game, EXACT if solver_of(game).plays_quickly(game) else INCLUDED)


def _stores_positions(game: Game) -> bool:
    """Return whether the positions of a game are few enough to store, or their number is unknown."""
    return game.can_cycle or is_small(Position.start(game))


def _median_plies(game: Game, rng: np.random.Generator) -> int:
    """Return the median number of plies of random games."""
    return int(np.median([len(list(random_game(game, rng, _MOST_PLIES))) - 1 for _ in range(_SAMPLED_GAMES)]))
