"""How the m,n,k games and Connect Four are solved."""

from typing import cast

from typing_extensions import override

from ci_envs.games.connect_n import ConnectN
from ci_envs.games.position import Position
from ci_envs.solver.gravity import GravitySolution, fits
from ci_envs.solver.proof import ProofSolution
from ci_envs.solver.search import is_small
from ci_envs.solver.solution import Progress, Solution
from ci_envs.solver.solver import Solver

_QUICK_EMPTY_CELLS = 30
"""A position of Connect Four with at most this many empty cells is solved in about 0.1 s."""


class ConnectNSolver(Solver[ConnectN]):
    """Searches a position with too many successors to keep: for its score with gravity, for forced wins without."""

    @override
    def solve(self, game: ConnectN, position: Position | None, progress: Progress | None) -> Solution:
        if position is None or is_small(position):
            return super().solve(game, position, progress)
        if not game.gravity:
            return ProofSolution(position)
        solution = GravitySolution(game, progress=progress)
        solution.value(position)
        return solution

    @override
    def is_quick(self, position: Position) -> bool:
        if super().is_quick(position):
            return True
        game = cast(ConnectN, position.game)
        empty = game.rows * game.cols - (position.own | position.opp).bit_count()
        return game.gravity and fits(game) and empty <= _QUICK_EMPTY_CELLS
