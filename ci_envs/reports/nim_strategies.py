"""Strategies of the reports for Nim, as probabilities of moves, and the exact share of games that a strategy wins.

A position is a tuple of the sizes of the rows. A move ``(row, number)`` takes ``number`` objects from a row. A strategy
returns the probability of each move. Report B checks only that a move does not take too many objects, so some of its
strategies pass: they take 0 objects.
"""

from collections.abc import Callable, Iterable
from functools import cache, reduce
from operator import xor

import numpy as np
from numpy.typing import NDArray

from ci_envs.games.nim import Nim, pack

Rows = tuple[int, ...]
Move = tuple[int, int]
Chances = dict[Move, float]
Strategy = Callable[[Rows], Chances]

REPORT_ROWS: Rows = (1, 3, 5, 7)
"""The rows of most measurements of report B."""

FIVE_ROWS: Rows = (1, 3, 5, 7, 9)
"""The rows of report A, and of some measurements of report B."""


def moves_of(rows: Rows) -> list[Move]:
    """Return the legal moves, sorted by row and then by number."""
    return [(row, number) for row, size in enumerate(rows) for number in range(1, size + 1)]


def after(rows: Rows, move: Move) -> Rows:
    """Return the rows after a move."""
    row, number = move
    return (*rows[:row], rows[row] - number, *rows[row + 1 :])


def nim_sum(rows: Rows) -> int:
    """Return the exclusive or of the rows."""
    return reduce(xor, rows, 0)


def uniform(rows: Rows) -> Chances:
    """Play each legal move with the same probability, like our agent ``random``."""
    return _equal(moves_of(rows))


def row_random(rows: Rows) -> Chances:
    """Choose a row that is not empty, and then a number, both at random: the random opponent of the reports."""
    left = [row for row, size in enumerate(rows) if size]
    return {(row, number): 1 / len(left) / rows[row] for row, number in moves_of(rows)}


def nim_optimal(rows: Rows) -> Chances:
    """Play the first move to a nim-sum of 0, or a random move if no move leads to 0: report B's optimal opponent."""
    return _equal(_to_nim_sum_0(rows)[:1] or moves_of(rows))


def nim_expert(rows: Rows) -> Chances:
    """Play a random move to a nim-sum of 0, or any random move if no move leads to 0, like our ``nim_expert``."""
    return _equal(_to_nim_sum_0(rows) or moves_of(rows))


def misere_optimal(rows: Rows) -> Chances:
    """Play a random winning move of misere play, or any random move if no move wins, like our ``nim_expert``."""
    return _equal([move for move in moves_of(rows) if not _is_won_in_misere_play(after(rows, move))] or moves_of(rows))


def nonzero_nim_sum(rows: Rows) -> Chances:
    """Play a random move to a nim-sum other than 0, or any random move if all lead to 0: report A's "optimal"."""
    return _equal([move for move in moves_of(rows) if nim_sum(after(rows, move))] or moves_of(rows))


def _fixed_rule(place: int, *, takes_all: bool) -> Strategy:
    """Return the rule that takes all objects or one object of the first (place 0) or last (place -1) row left."""

    def strategy(rows: Rows) -> Chances:
        row = _left(rows)[place]
        return {(row, rows[row] if takes_all else 1): 1.0}

    return strategy


FIXED_RULES: dict[str, Strategy] = {
    "max_lowest": _fixed_rule(0, takes_all=True),
    "max_highest": _fixed_rule(-1, takes_all=True),
    "min_lowest": _fixed_rule(0, takes_all=False),
    "min_highest": _fixed_rule(-1, takes_all=False),
}
"""The four fixed rules by our names, in the order of report B's ranking."""


def count_and_decide(odd: str, even: str) -> Strategy:
    """Return the strategy that plays one fixed rule if the number of rows left is odd, and another if it is even."""
    return lambda rows: FIXED_RULES[odd if len(_left(rows)) % 2 else even](rows)


def leave_one(rows: Rows) -> Chances:
    """Take all but one object of a random row. From a row of one this takes 0 objects, which is an illegal pass."""
    return _equal((row, rows[row] - 1) for row in _left(rows))


def leave_one_or_take_it(rows: Rows) -> Chances:
    """Take all but one object of a random row, or the whole row if it has one object, so that the move is legal."""
    return _equal((row, max(1, rows[row] - 1)) for row in _left(rows))


def leave_one_of_larger(rows: Rows) -> Chances:
    """Take all but one object of a random row with more than one object. Without such a row, take one object."""
    larger = [row for row in _left(rows) if rows[row] > 1]
    return _equal([(row, rows[row] - 1) for row in larger] or [(row, 1) for row in _left(rows)])


def take_row(rows: Rows) -> Chances:
    """Take all of a random row."""
    return _equal((row, rows[row]) for row in _left(rows))


def always(seat: int, leaves_one: Strategy) -> Strategy:
    """Return the rule that, according to report B, always wins.

    Playing first (seat 0), it leaves one object in a random row if the number of rows left is even, and takes a random
    row if the number is odd. Playing second (seat 1), it does the opposite.

    Args:
        seat: The seat of the rule, 0 or 1.
        leaves_one: The strategy that leaves one object: :func:`leave_one` (literal) or one of the two legal versions.
    """
    return lambda rows: leaves_one(rows) if len(_left(rows)) % 2 == seat else take_row(rows)


def compiled_strategy(game: Nim, chances_of: Callable[[NDArray[np.uint64]], NDArray[np.float64]]) -> Strategy:
    """Return the strategy of one of our compiled agents.

    Args:
        game: The game of the agent. The positions of the strategy have at most the rows of this game.
        chances_of: A function that takes the first words of positions, uint64 (positions,), and returns the
            probabilities of all actions, float64 (positions, actions).
    """

    def strategy(rows: Rows) -> Chances:
        chances = chances_of(np.array([pack(rows)], dtype=np.uint64))[0]
        places = ((action, divmod(action, game.limit)) for action in np.flatnonzero(chances).tolist())
        return {(row, number + 1): float(chances[action]) for action, (row, number) in places}

    return strategy


def win_percentage(
    strategy: Strategy, opponent: Strategy, seat: int = 0, rows: Rows = REPORT_ROWS, *, misere: bool = False
) -> float:
    """Return the exact percentage of games that a strategy wins from a seat: 0 moves first, 1 second."""
    if seat == 0:
        share = win_share(strategy, opponent, rows, misere=misere)
    else:
        share = 1 - win_share(opponent, strategy, rows, misere=misere)
    return round(100 * share, 10)  # removes the rounding error of a sum of 0


def win_share(first: Strategy, second: Strategy, rows: Rows = REPORT_ROWS, *, misere: bool = False) -> float:
    """Return the exact share of games that the strategy moving first wins.

    At most one of the two strategies may pass.

    Args:
        first: The strategy that moves first.
        second: Its opponent.
        rows: The rows at the start.
        misere: Whether the player who takes the last object loses instead of winning.
    """
    strategies = first, second

    @cache
    def mover_wins(rows: Rows, player: int) -> float:
        if not any(rows):
            return float(misere)
        chances = strategies[player](rows)
        return sum(chance * (1 - mover_wins(after(rows, move), 1 - player)) for move, chance in chances.items())

    return mover_wins(rows, 0)


def _to_nim_sum_0(rows: Rows) -> list[Move]:
    return [move for move in moves_of(rows) if nim_sum(after(rows, move)) == 0]


def _is_won_in_misere_play(rows: Rows) -> bool:
    return nim_sum(rows) != 0 if max(rows) > 1 else sum(rows) % 2 == 0


def _left(rows: Rows) -> list[int]:
    return [row for row, size in enumerate(rows) if size]


def _equal(moves: Iterable[Move]) -> Chances:
    moves = list(moves)
    return {move: 1 / len(moves) for move in moves}
