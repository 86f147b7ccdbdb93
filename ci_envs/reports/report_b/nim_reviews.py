"""Methods for Nim from reviews of report B.

* :func:`minmax_move`: minmax with a transposition table, which can be kept on disk.
* :func:`expected_visits`: the number of positions that minmax visits without a transposition table.
* :func:`search_with_rollouts`: minmax with few plies, and Monte Carlo tree search at its leaves.
* :func:`decision_tree` and :func:`bounded_rule`: strategies with a maximum number k of objects in a move.
"""

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path

from ci_envs.agent_interface.capabilities import Analyst
from ci_envs.agent_interface.interface import Agent
from ci_envs.agents.nim.rules import rule_action_probabilities
from ci_envs.games.nim import Nim, pack
from ci_envs.games.position import Position
from ci_envs.reports.nim_strategies import (
    REPORT_ROWS,
    Chances,
    Move,
    Rows,
    Strategy,
    after,
    compiled_strategy,
    moves_of,
    nim_optimal,
)
from ci_envs.storage.files import write_whole

ChanceOfWin = Callable[[Rows, bool], float]
"""``(rows, maximises) -> chance``: the probability that report B's minmax returns +1."""

Memory = dict[tuple[Rows, bool], int]
"""A transposition table: the values of positions by the position and the argument ``max?``."""


def minmax_value(rows: Rows, maximises: bool, memory: Memory) -> int:
    """Return the value of a position, +1 or -1, by report B's minmax with a transposition table.

    Args:
        rows: The position.
        maximises: The argument ``max?`` of report B's ``minmax``.
        memory: The table. The function adds the positions that it evaluates.
    """
    key = rows, maximises
    if key not in memory:
        if not any(rows):
            memory[key] = -1 if maximises else 1
        elif maximises:  # alpha-beta stops at the first winning move
            wins = any(minmax_value(after(rows, move), False, memory) > 0 for move in moves_of(rows))
            memory[key] = 1 if wins else -1
        else:
            memory[key] = minmax_value(after(rows, next(iter(nim_optimal(rows)))), True, memory)
    return memory[key]


def minmax_move(rows: Rows, memory: Memory) -> Move:
    """Return the move of report B's strategy with a transposition table, and with ``max? = FALSE`` at the root."""
    moves = moves_of(rows)
    return next((move for move in moves if minmax_value(after(rows, move), False, memory) > 0), moves[-1])


def write_memory(path: Path, memory: Memory) -> None:
    """Write a transposition table to a file."""
    write_whole(path, json.dumps([[*key, value] for key, value in memory.items()]).encode())


def read_memory(path: Path) -> Memory:
    """Return the transposition table of a file."""
    return {(tuple(rows), maximises): value for rows, maximises, value in json.loads(path.read_bytes())}


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


def bounded_rule(rule: str, bound: int) -> Strategy:
    """Return the strategy of our agent ``nim`` with a rule and at most k objects in a move.

    Args:
        rule: The rule, for example ``row_random``, or ``expert`` for optimal play.
        bound: The maximum number k of objects in a move, 1 or more.
    """
    game = Nim(REPORT_ROWS, max_take=bound)
    return compiled_strategy(game, lambda words: rule_action_probabilities(game, [rule], words)[0])
