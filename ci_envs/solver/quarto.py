"""The solver of Quarto."""

from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from ci_envs.games.openings import positions_of_random_play
from ci_envs.games.position import Position
from ci_envs.games.quarto.game import Quarto
from ci_envs.games.quarto.layout import CELLS, HAND, HOLDING, LANE
from ci_envs.kernels.dispatch import implements
from ci_envs.solver.book_solver import BookSolver, read_book
from ci_envs.solver.on_demand import Memory, OnDemandSolution
from ci_envs.solver.opening_book import NO_KEY, BookSource, OpeningBook, book_key
from ci_envs.solver.quarto_keys import position_key
from ci_envs.solver.quarto_search import new_memory, solve_position
from ci_envs.solver.search import is_small
from ci_envs.solver.solution import Progress, Solution

_LANE = int(LANE)
_QUICK_PIECES = 5  # the values of a position with as many pieces on the board take about 0.01 s
_DISTANCE_PIECES = 6  # and its distance takes about as long
_GRADED_PLIES = 9  # after 4 pieces and a fifth in hand, the values of all actions take 0.2 s; two plies earlier, 2 s
_VALUED_PLIES = _GRADED_PLIES - 2  # after these plies, a value that the book does not have takes at most 1 s
_RANDOM_PLIES = _GRADED_PLIES, 24


class QuartoSolver(BookSolver[Quarto]):
    """Solver that searches each position on demand, from the opening book on."""

    @override
    def solve(self, game: Quarto, position: Position | None, progress: Progress | None) -> Solution:
        if position is not None and is_small(position):
            return super().solve(game, position, progress)
        solution = self.on_demand(game, book=read_book(game), progress=progress)
        if position is not None:
            solution.value(position)
        return solution

    @override
    def on_demand(
        self, game: Quarto, *, book: OpeningBook | None = None, progress: Progress | None = None
    ) -> "QuartoSolution":
        return QuartoSolution(game, book=book, progress=progress)

    @override
    def quick_action_scores(self, position: Position, progress: Progress | None) -> NDArray[np.int16] | None:
        if not self.is_quick(position):
            return None
        solution = self.solve(cast(Quarto, position.game), None, progress)
        scores: NDArray[np.int16] = solution.quick_scores(np.array([[position.own, position.opp]], np.uint64))[0]
        return scores

    @override
    def is_quick(self, position: Position) -> bool:
        if (position.opp & _LANE).bit_count() >= _QUICK_PIECES:
            return True
        game = cast(Quarto, position.game)
        return self.on_demand(game, book=read_book(game)).known_plies >= _VALUED_PLIES

    @override
    def sample_positions(
        self, game: Quarto, n: int, rng: np.random.Generator, progress: Progress | None
    ) -> NDArray[np.uint64]:
        return positions_of_random_play(game, n, *_RANDOM_PLIES, rng)

    @override
    def sampling_method(self, game: Quarto) -> str:
        return "sampled by random play of {} to {} plies".format(*_RANDOM_PLIES)


@dataclass(frozen=True)
class QuartoBookSource(BookSource):
    """The source of books of positions with a piece in hand. Equivalent positions have one key."""


class QuartoSolution(OnDemandSolution):
    """The solution of Quarto. Each position is searched on demand.

    The search score of a won position is 1 plus the number of cells that are empty at the end.
    """

    game: Quarto

    book_source = QuartoBookSource()
    book_plies = 9  # 4 pieces on the board and one in hand

    @override
    def new_memory(self) -> Memory:
        memory = new_memory()
        return memory[:2], memory

    @override
    def search(self, own: int, opp: int, low: int, high: int, memory: Memory) -> int:
        return int(solve_position(self.game, np.uint64(own), np.uint64(opp), low, high, memory[1]))

    @property
    @override
    def most(self) -> int:
        return CELLS

    @override
    def plies(self, own: int, opp: int) -> int:
        return 2 * (opp & _LANE).bit_count() + (opp >> HOLDING & 1)

    @override
    def takes_long(self, own: int, opp: int) -> bool:
        return self.known_plies <= self.plies(own, opp) < _GRADED_PLIES

    @override
    def distance_of(self, own: int, opp: int, search_score: int) -> int:
        return 2 * (CELLS + 1 - abs(search_score)) - self.plies(own, opp)

    @override
    def immediate_win(self, own: int, opp: int) -> int:
        return CELLS - (opp & _LANE).bit_count()

    @override
    def is_late(self, own: int, opp: int) -> bool:
        return (opp & _LANE).bit_count() >= _DISTANCE_PIECES


@implements(book_key, QuartoBookSource)
def _(source: QuartoBookSource) -> Any:
    def kernel(source: Any, game: Any, own: Any, opp: Any) -> Any:
        if not opp >> np.uint64(HOLDING):
            return np.uint64(NO_KEY)
        return position_key(game, own, opp & LANE, opp >> np.uint64(HAND) & np.uint64(15), np.uint64(0xFF))

    return kernel
