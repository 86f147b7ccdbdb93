"""Solving a game, or a position and what can follow it."""

from ci_envs.games.connect_n import ConnectN
from ci_envs.games.game import Game
from ci_envs.games.nim import Nim
from ci_envs.games.position import Position
from ci_envs.games.quixo import Quixo
from ci_envs.solver.nim import NimSolution
from ci_envs.solver.nim import state_count as nim_state_count
from ci_envs.solver.proof import ProofSolution
from ci_envs.solver.quixo import QuixoSolution, solve_quixo
from ci_envs.solver.search import SearchSolution, is_small
from ci_envs.solver.solution import Progress, Solution
from ci_envs.solver.table_file import read_table, write_table

_MOST_NIM_MOVES = 1 << 26  # some seconds


def solve(game_or_position: Game | Position, *, progress: Progress | None = None) -> Solution:
    """Solve a whole game, or one position with all that can follow it.

    Quixo up to 4 x 4 is solved for every state of the board, once: its table is kept in the user's cache directory.
    Nim too large to search in seconds is solved by theory, which knows no distances. Of any other game that cannot
    cycle, all positions from the given one on are searched. Where they are too many, one position of a
    :class:`ConnectN` without gravity can still be solved, if a win can be forced soon enough.

    >>> start = Position.start(ConnectN(6, 6, 4))
    >>> solve(start).distance(start)
    11

    Args:
        game_or_position: what to solve.
        progress: called now and then with how many positions are done, and of how many (None if unknown).

    Raises:
        ValueError: there are too many positions; the message says how many and how much memory they would take.
    """
    position = game_or_position if isinstance(game_or_position, Position) else Position.start(game_or_position)
    game = position.game
    # a derived class may have other rules
    if type(game) is Quixo:
        return _quixo(game, progress)
    if type(game) is Nim and nim_state_count(game) * game.action_count > _MOST_NIM_MOVES:
        return NimSolution(game)
    if type(game) is Nim:
        position = Position.start(game)
    asked_for_one = position is game_or_position
    if asked_for_one and type(game) is ConnectN and not game.gravity and not is_small(position):
        return ProofSolution(position)
    return SearchSolution(position, progress=progress)


def _quixo(game: Quixo, progress: Progress | None) -> QuixoSolution:
    table = read_table(game)
    if table is not None:
        return QuixoSolution(game, table)
    solution = solve_quixo(game, progress=progress)
    write_table(game, solution.table)
    return solution
