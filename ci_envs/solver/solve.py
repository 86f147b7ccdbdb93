"""The function that solves a game, or a position and all positions that play can reach from it."""

from ci_envs.games.game import Game
from ci_envs.games.position import Position
from ci_envs.solver.solution import Progress, Solution
from ci_envs.solver.solver import solver_of


def solve(game_or_position: Game | Position, *, progress: Progress | None = None) -> Solution:
    """Solve a whole game, or one position with all positions that play can reach from it.

    A game without its own solver (:attr:`Game.solver`) is solved in one of these ways:

    * All positions that play can reach are stored and solved with their distances, up to 17 million positions, or 134
      million if the game can cycle (retrograde analysis, 36 bytes and 4 bytes per action for each position, and at most
      half of the machine's memory). Of symmetric positions one is stored.
    * If these are too many, and the game cannot cycle, a proof-number search computes the value of each position on
      demand, without distances. Of a won position it finds at least one winning action. It refuses a position whose
      :meth:`Game.position_bound` is above 10 ** 12 immediately, and other positions after 67 million nodes or 17
      million stored positions (1.1 GB), which takes minutes.

    The games of this package have these solvers:

    * Quixo up to 4 x 4 is solved once for all states of the board. The table is stored in the user's cache directory.
    * Nim is solved by theory, without distances, if a search would take minutes.
    * A position of :class:`ConnectN` without gravity is solved by a search for forced wins if it has too many
      successors. The solution of the whole game searches each position on demand.
    * A position of Quarto is solved by a special search, in milliseconds with at least 5 pieces on the board. Earlier
      values are in a book that is included.
    * A position of Connect Four and of other games with gravity is solved by a special search, in about 0.02 s with 30
      empty cells and in minutes with 42. The whole game is solved if it has an opening book. A book for Connect Four is
      included, and ``ci-envs book`` extends it.

    Examples:
        >>> from ci_envs import ConnectN, Position, solve
        >>> start = Position.start(ConnectN(6, 6, 4))
        >>> solve(start).distance(start)
        11

    Args:
        game_or_position: The game or the position.
        progress: A function that is called repeatedly with the number of finished positions and of all positions (None
            if unknown).

    Raises:
        TypeError: The argument is neither a game nor a position.
        ValueError: There are too many positions. The message gives their number and the required memory.
    """
    if isinstance(game_or_position, Position):
        return solver_of(game_or_position.game).solve(game_or_position.game, game_or_position, progress)
    if not isinstance(game_or_position, Game):
        raise TypeError(f"solve needs a game such as Quixo(size=3), or a position, not {game_or_position!r}")
    return solver_of(game_or_position).solve(game_or_position, None, progress)
