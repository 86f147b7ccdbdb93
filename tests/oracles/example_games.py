"""Slow and simple references of the games in ``examples/games/``, written from their rules.

A board is a list of rows of symbols as it lies on the table, for both players. Nothing is turned for a player to move.
"""

import math
from itertools import product

import numpy as np
from oracles.rules import cell_of, name_of


class TableReference:
    """A game of X (player 0) and O (player 1) on a board, with X to move first."""

    turned_for_second = "none"
    """How the board looks to player 1: ``none`` (as to player 0), ``half`` (by 180 degrees) or ``transposed``."""

    def __init__(self, rows: int, cols: int) -> None:
        self.board = [["."] * cols for _ in range(rows)]
        self.to_move = 0

    @property
    def mine(self) -> str:
        return "XO"[self.to_move]

    @property
    def theirs(self) -> str:
        return "OX"[self.to_move]

    def cells(self, symbol: str) -> list[tuple[int, int]]:
        return [(r, c) for r, row in enumerate(self.board) for c, found in enumerate(row) if found == symbol]

    def text(self) -> str:
        return f"{'/'.join(map(''.join, self.board))} {self.mine}"

    def planes(self, player: int) -> np.ndarray:
        """Return the planes that a player observes: the own stones, then the stones of the other player."""
        symbols = np.array(self.board)
        if player == 1 and self.turned_for_second == "half":
            symbols = symbols[::-1, ::-1]
        if player == 1 and self.turned_for_second == "transposed":
            symbols = symbols.T
        return np.stack([symbols == symbol for symbol in ("XO", "OX")[player]], axis=-1).astype(np.int8)


class BreakthroughReference(TableReference):
    """X begins in the two lower rows and moves up, O begins in the two upper rows and moves down."""

    turned_for_second = "half"

    def __init__(self, rows: int, cols: int) -> None:
        super().__init__(rows, cols)
        self.board[:2] = [["O"] * cols, ["O"] * cols]
        self.board[-2:] = [["X"] * cols, ["X"] * cols]

    def legal(self) -> set[str]:
        if self.result() is not None:
            return set()
        names = set()
        for row, col in self.cells(self.mine):
            new_row = row - 1 if self.mine == "X" else row + 1
            for new_col in (col - 1, col, col + 1):
                if 0 <= new_row < len(self.board) and 0 <= new_col < len(self.board[0]):
                    found = self.board[new_row][new_col]
                    if found == "." or (found == self.theirs and new_col != col):
                        names.add(name_of(row, col) + name_of(new_row, new_col))
        return names

    def play(self, name: str) -> None:
        (row, col), (new_row, new_col) = cell_of(name[:2]), cell_of(name[2:])
        self.board[row][col], self.board[new_row][new_col] = ".", self.mine
        self.to_move = 1 - self.to_move

    def result(self) -> int | None:
        home = self.board[-1] if self.mine == "X" else self.board[0]
        return -1 if self.theirs in home or not self.cells(self.mine) else None


class HexReference(TableReference):
    """X connects the upper side with the lower side, and O connects the left side with the right side."""

    turned_for_second = "transposed"

    def __init__(self, size: int, swap: bool = False) -> None:
        super().__init__(size, size)
        self.size, self.swap, self.swapped = size, swap, False

    def can_swap(self) -> bool:
        return self.swap and self.to_move == 1 and len(self.cells("X")) == 1 and not self.cells("O")

    def legal(self) -> set[str]:
        if self.result() is not None:
            return set()
        return {name_of(*cell) for cell in self.cells(".")} | ({"swap"} if self.can_swap() else set())

    def play(self, name: str) -> None:
        if name == "swap":
            [(row, col)] = self.cells("X")
            self.board[row][col], self.board[col][row] = ".", "O"  # the second one counts on the diagonal
            self.swapped = True
        else:
            row, col = cell_of(name)
            self.board[row][col] = self.mine
        self.to_move = 1 - self.to_move

    def result(self) -> int | None:
        stones = set(self.cells(self.theirs))
        reached = {cell for cell in stones if cell[self.to_move == 0] == 0}  # rows count for X, columns for O
        while more := {cell for cell in stones - reached if any(are_neighbours(cell, other) for other in reached)}:
            reached |= more
        return -1 if any(cell[self.to_move == 0] == self.size - 1 for cell in reached) else None

    def missing(self, player: int) -> int:
        """Return how many stones a player lacks to connect the own sides, by the Bellman-Ford algorithm."""
        cells = list(product(range(self.size), repeat=2))
        costs = {cell: {"XO"[player]: 0, ".": 1}.get(self.board[cell[0]][cell[1]], math.inf) for cell in cells}
        lengths = {cell: costs[cell] if cell[player] == 0 else math.inf for cell in cells}
        for _, cell, other in product(cells, cells, cells):
            if are_neighbours(cell, other):
                lengths[cell] = min(lengths[cell], lengths[other] + costs[cell])
        return min(lengths[cell] for cell in cells if cell[player] == self.size - 1)

    def text(self) -> str:
        just_swapped = self.swapped and self.to_move == 0 and not self.cells("X")
        return super().text() + (" swapped" if just_swapped else "")

    def planes(self, player: int) -> np.ndarray:
        planes = super().planes(player)
        if not self.swap:
            return planes
        return np.concatenate([planes, np.full_like(planes[..., :1], self.can_swap())], axis=-1)


def are_neighbours(cell: tuple[int, int], other: tuple[int, int]) -> bool:
    """Return whether the centres of two hexagons have the distance 1. Each row is shifted by half a cell."""
    (y, x), (other_y, other_x) = cell, other
    distance = math.hypot(x + y / 2 - other_x - other_y / 2, (y - other_y) * math.sqrt(3) / 2)
    return abs(distance - 1) < 1e-9


class OthelloReference(TableReference):
    """Walk from a cell in each direction over discs of the other player to an own disc."""

    def __init__(self, size: int) -> None:
        super().__init__(size, size)
        low, high = size // 2 - 1, size // 2
        self.board[low][low] = self.board[high][high] = "O"
        self.board[low][high] = self.board[high][low] = "X"

    def turned(self, row: int, col: int, mine: str) -> list[tuple[int, int]]:
        found = []
        for down, right in product((-1, 0, 1), repeat=2):
            line, r, c = [], row + down, col + right
            while 0 <= r < len(self.board) and 0 <= c < len(self.board) and self.board[r][c] not in (".", mine):
                line.append((r, c))
                r, c = r + down, c + right
            if 0 <= r < len(self.board) and 0 <= c < len(self.board) and self.board[r][c] == mine:
                found += line
        return found

    def placements(self, mine: str) -> set[str]:
        return {name_of(*cell) for cell in self.cells(".") if self.turned(*cell, mine)}

    def legal(self) -> set[str]:
        if placements := self.placements(self.mine):
            return placements
        return {"pass"} if self.placements(self.theirs) else set()

    def play(self, name: str) -> None:
        if name != "pass":
            row, col = cell_of(name)
            for r, c in [*self.turned(row, col, self.mine), (row, col)]:
                self.board[r][c] = self.mine
        self.to_move = 1 - self.to_move

    def result(self) -> int | None:
        if self.legal():
            return None
        difference = len(self.cells(self.mine)) - len(self.cells(self.theirs))
        return (difference > 0) - (difference < 0)
