"""Check tables of Quixo by the slow rules: ``python tests/check_store.py DIR [STATES] [SIZE]``.

The value of each of some random states must follow from the values of its successors, which are found by the slow
reference implementation of the rules.
"""

import sys
from pathlib import Path

import numpy as np
from oracles.rules import QuixoReference

from ci_envs import Quixo
from ci_envs.solver.quixo_store import QuixoStore

_BATCH = 1_000


def reference_at(own: int, opp: int, size: int = 5) -> QuixoReference:
    """Return the slow game in a position with the first player to move."""
    board = QuixoReference(size)
    for cell in range(size * size):
        board.board[cell // size][cell % size] = "X" if own >> cell & 1 else "O" if opp >> cell & 1 else "."
    return board


def successors_of(board: QuixoReference) -> list[tuple[int, int]]:
    """Return the words of the different successors."""
    found = set()
    rows = [list(row) for row in board.board]
    for name in board.legal():
        board.play(name)
        found.add(_words_of(board))
        board.board, board.to_move = [list(row) for row in rows], 1 - board.to_move
    return sorted(found)


def wrong_states(store: QuixoStore, states: np.ndarray) -> int:
    """Return the number of states whose value does not follow from the values of their successors.

    Args:
        store: The tables.
        states: States that are not over, rows (own, opp), uint64 of shape (n, 2).
    """
    successors = [successors_of(reference_at(*state, size=store.game.size)) for state in states.tolist()]
    after = iter((-store.values(np.array([words for found in successors for words in found], np.uint64))).tolist())
    expected = [max(next(after) for _ in found) for found in successors]
    return int(np.count_nonzero(store.values(states) != expected))


def _words_of(board: QuixoReference) -> tuple[int, int]:
    cells = [symbol for row in board.board for symbol in row]
    own, opp = "XO" if board.to_move == 0 else "OX"
    return tuple(sum(1 << cell for cell, symbol in enumerate(cells) if symbol == wanted) for wanted in (own, opp))


def main() -> None:
    """Check the states that the command line names."""
    folder, count, size = Path(sys.argv[1]), *map(int, (*sys.argv[2:], *("1000", "5")[len(sys.argv) - 2 :]))
    store, rng = QuixoStore(Quixo(size), folder), np.random.default_rng(0)
    wrong = 0
    for done in range(0, count, _BATCH):
        wrong += wrong_states(store, store.sample_positions(min(_BATCH, count - done), rng))
    print(f"{count:,} states with at least {store.cubes} cubes: {wrong} wrong values")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
