"""Methods for Nim from reviews of report B.

* :class:`MinmaxMemory`: minmax with a transposition table in memory and on disk.
* :func:`expected_visits`: the number of positions that minmax visits without a transposition table.
* :func:`search_with_rollouts`: minmax with few plies, and Monte Carlo tree search at its leaves.
* :func:`decision_tree`: a decision tree for Nim with a maximum number k of objects in a move.
"""

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path

from ci_envs.agent_interface.capabilities import Analyst
from ci_envs.agent_interface.interface import Agent
from ci_envs.games.nim import Nim, pack
from ci_envs.games.position import Position
from ci_envs.reports.nim_strategies import Chances, Move, Rows, Strategy, after, moves_of, nim_optimal, nim_sum
from ci_envs.storage.files import write_whole

ChanceOfWin = Callable[[Rows, bool], float]
"""``(rows, maximises) -> chance``: the probability that report B's minmax returns +1."""


class MinmaxMemory:
    """Report B's minmax with a transposition table, which can be stored in a file.

    Attributes:
        evaluated: The number of positions evaluated since the table was made or read.
    """

    def __init__(self, path: Path | None = None) -> None:
        """Make a table with the values of a file.

        Args:
            path: The file. If it does not exist, or is None, the table is empty.

        Raises:
            ValueError: The file is damaged.
        """
        self.evaluated = 0
        self._values: dict[tuple[Rows, bool], int] = {}
        if path is not None and path.exists():
            for rows, maximises, value in json.loads(path.read_bytes()):
                self._values[tuple(rows), bool(maximises)] = int(value)

    def value(self, rows: Rows, maximises: bool) -> int:
        """Return the value of a position: +1 or -1.

        Args:
            rows: The position.
            maximises: The argument ``max?`` of report B's ``minmax``.
        """
        key = rows, maximises
        if key not in self._values:
            self.evaluated += 1
            self._values[key] = self._evaluate(rows, maximises)
        return self._values[key]

    def choose(self, rows: Rows) -> Move:
        """Return the move of report B's strategy, with ``max? = FALSE`` at the root."""
        moves = moves_of(rows)
        return next((move for move in moves if self.value(after(rows, move), False) > 0), moves[-1])

    def save(self, path: Path) -> None:
        """Write the values to a file."""
        content = [[rows, maximises, value] for (rows, maximises), value in self._values.items()]
        write_whole(path, json.dumps(content).encode())

    def _evaluate(self, rows: Rows, maximises: bool) -> int:
        if not any(rows):
            return -1 if maximises else 1
        if maximises:
            return max(self._until_won(rows))
        return self.value(after(rows, next(iter(nim_optimal(rows)))), True)

    def _until_won(self, rows: Rows) -> list[int]:
        """Return the values of the moves up to the first winning move, at which alpha-beta stops."""
        values = []
        for move in moves_of(rows):
            values.append(self.value(after(rows, move), False))
            if values[-1] > 0:
                break
        return values


def expected_visits(rows: Rows, max_at_root: bool, chance: ChanceOfWin, *, prunes: bool = True) -> float:
    """Return the expected number of positions that minmax without a transposition table visits for a move.

    Args:
        rows: The position.
        max_at_root: The argument ``max?`` of the first call.
        chance: The probability that a position has the value +1.
        prunes: Whether a winning move ends the search of a position.
    """

    @cache
    def visits(rows: Rows, maximises: bool) -> float:
        if not any(rows):
            return 1.0
        if maximises:
            return 1 + until_won(rows, False)
        return 1 + sum(share * visits(after(rows, move), True) for move, share in nim_optimal(rows).items())

    def until_won(rows: Rows, maximises: bool) -> float:
        total, left = 0.0, 1.0
        for move in moves_of(rows):
            following = after(rows, move)
            total += left * visits(following, maximises)
            left *= 1 - chance(following, maximises) * prunes
        return total

    return until_won(rows, max_at_root)


def search_with_rollouts(game: Nim, plies: int, agent: Agent) -> Strategy:
    """Return a strategy that searches a few plies, and evaluates the leaves by another agent.

    Args:
        game: The game.
        plies: The number of plies of the search, including the own move.
        agent: The agent, for example ``mcts``. It analyses each position once.
    """
    assert isinstance(agent, Analyst), "the agent does not analyse positions"

    @cache
    def value(rows: Rows, plies: int) -> float:
        """Return the value for the player to move."""
        if not any(rows):
            return -1.0
        if plies == 0:
            return float(agent.analyse(Position(game, pack(rows), 0)).value)
        return max(-value(after(rows, move), plies - 1) for move in moves_of(rows))

    @cache
    def strategy(rows: Rows) -> Chances:
        return {max(moves_of(rows), key=lambda move: -value(after(rows, move), plies - 1)): 1.0}

    return strategy


def decision_tree(bound: int) -> Strategy:
    """Return a decision tree for Nim with at most k objects in a move.

    The tree uses the remainder of the size of each row divided by k + 1. It has three tests:

    1. All remainders are 0: take one object of the first row.
    2. One row has a remainder: take as many objects from this row.
    3. Two rows have remainders: take their difference from the row with the larger remainder.

    Otherwise, or if the difference is 0, take one object from the row with the largest remainder.

    Args:
        bound: The maximum number k of objects in a move, 1 or more.
    """

    def strategy(rows: Rows) -> Chances:
        remainders = {row: size % (bound + 1) for row, size in enumerate(rows) if size % (bound + 1)}
        if not remainders:
            return {(next(row for row, size in enumerate(rows) if size), 1): 1.0}
        largest = max(remainders, key=remainders.__getitem__)
        number = 1
        if len(remainders) == 1:
            number = remainders[largest]
        elif len(remainders) == 2:
            number = max(1, remainders[largest] - min(remainders.values()))
        return {(largest, number): 1.0}

    return strategy


def bounded_row_random(bound: int) -> Strategy:
    """Return the strategy that chooses a row that is not empty, and then a number up to the bound, both at random."""

    def strategy(rows: Rows) -> Chances:
        left = [(row, min(size, bound)) for row, size in enumerate(rows) if size]
        return {(row, number): 1 / len(left) / most for row, most in left for number in range(1, most + 1)}

    return strategy


def bounded_expert(bound: int) -> Strategy:
    """Return optimal play with a bound: a random move to remainders with a nim-sum of 0, or any random move."""

    def strategy(rows: Rows) -> Chances:
        moves = [move for move in moves_of(rows) if move[1] <= bound]
        best = [move for move in moves if nim_sum(tuple(size % (bound + 1) for size in after(rows, move))) == 0]
        return {move: 1 / len(best or moves) for move in best or moves}

    return strategy
