"""The solver of the m,n,k games and Connect Four."""

from functools import lru_cache
from typing import cast

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from ci_envs.games.connect_n import ConnectN
from ci_envs.games.openings import positions_of_random_play
from ci_envs.games.position import Position
from ci_envs.solver.book_solver import BookSolver, complete_book, read_book
from ci_envs.solver.gravity import QUICK_EMPTY_CELLS, GravitySolution, fits
from ci_envs.solver.opening_book import KnownBook, OpeningBook
from ci_envs.solver.proof import ProofSolution
from ci_envs.solver.search import SearchSolution, is_small
from ci_envs.solver.solution import Progress, Solution
from ci_envs.solver.solver import INCLUDED

_VALUED_EMPTY_CELLS = 34
"""Maximum number of empty cells of a position of Connect Four whose actions have values in about a second."""


class ConnectNSolver(BookSolver[ConnectN]):
    """Solver that searches positions with many successors: for the score with gravity, for forced wins without it."""

    @override
    def solve(self, game: ConnectN, position: Position | None, progress: Progress | None) -> Solution:
        if is_small(position or Position.start(game)):
            return super().solve(game, position, progress)
        if not game.gravity:
            search = ProofSolution(game)
            search.value(position or Position.start(game))
            return search
        if position is None:
            book = read_book(game) if fits(game) else None
            if book:
                return GravitySolution(game, book=book)
            try:
                return SearchSolution(Position.start(game), progress=progress)
            except ValueError as error:  # too many positions
                raise ValueError(f"{error}. With an opening book it needs no memory: run ci-envs book first") from None
        is_early = (position.own | position.opp).bit_count() <= GravitySolution.book_plies
        solution = self.on_demand(game, book=read_book(game) if is_early else None, progress=progress)
        solution.value(position)
        return solution

    @override
    def on_demand(
        self, game: ConnectN, *, book: OpeningBook | None = None, progress: Progress | None = None
    ) -> GravitySolution:
        if not game.gravity:
            raise ValueError(f"{game} has no opening book: its solver has one only for games with gravity")
        return GravitySolution(game, book=book, progress=progress)

    @override
    def stored(self, game: ConnectN, name: str) -> Solution:
        book = read_book(game) if name == INCLUDED and game.gravity and fits(game) else None
        return super().stored(game, name) if book is None else KnownBook(book)

    @override
    def searching(self, position: Position, progress: Progress | None = None) -> Solution | None:
        game = cast(ConnectN, position.game)
        return None if game.gravity else ProofSolution(game)

    @override
    def grades_quickly(self, game: ConnectN) -> bool:
        return self.is_quick(Position.start(game)) or (not game.gravity and _is_start_found(game))

    @override
    def quick_action_scores(self, position: Position, progress: Progress | None) -> NDArray[np.int16] | None:
        scores = super().quick_action_scores(position, progress)
        if scores is not None:
            return scores
        game = cast(ConnectN, position.game)
        if not game.gravity or not fits(game):
            return None
        solution = GravitySolution(game, progress=progress)
        if _empty_cells(position) > _VALUED_EMPTY_CELLS:
            book = complete_book(game)
            if book is None:
                return None
            solution = GravitySolution(game, book=book, progress=progress)
        values: NDArray[np.int16] = solution.action_values(np.array([[position.own, position.opp]], np.uint64))[0]
        return values

    @override
    def plays_quickly(self, game: ConnectN) -> bool:
        return self.grades_quickly(game) or (game.gravity and fits(game) and complete_book(game) is not None)

    @override
    def sample_positions(
        self, game: ConnectN, n: int, rng: np.random.Generator, progress: Progress | None
    ) -> NDArray[np.uint64]:
        if is_small(Position.start(game)) or not game.gravity:
            return super().sample_positions(game, n, rng, progress)
        return positions_of_random_play(game, n, *_random_plies(game), rng)

    @override
    def sampling_method(self, game: ConnectN) -> str:
        if is_small(Position.start(game)) or not game.gravity:
            return super().sampling_method(game)
        least, most = _random_plies(game)
        return f"sampled by random play of {least} to {most} plies"

    @override
    def is_quick(self, position: Position) -> bool:
        if super().is_quick(position):
            return True
        game = cast(ConnectN, position.game)
        return game.gravity and fits(game) and _empty_cells(position) <= QUICK_EMPTY_CELLS


@lru_cache(maxsize=256)
def _is_start_found(game: ConnectN) -> bool:
    """Return whether the value of the initial position of a game without gravity is found in about a second."""
    return ProofSolution(game).finds_quickly(Position.start(game))


def _empty_cells(position: Position) -> int:
    game = cast(ConnectN, position.game)
    return game.rows * game.cols - (position.own | position.opp).bit_count()


def _random_plies(game: ConnectN) -> tuple[int, int]:
    """Return the minimum and the maximum number of random plies before a position is drawn.

    Earlier positions take long to search if no book contains them. Few random games are longer.
    """
    most = 3 * game.rows * game.cols // 4
    return min(GravitySolution.book_plies, most), most
