"""Slow and simple reference implementations of the four games, written from the rulebooks, without code of the package.

Boards are lists of rows of what one sees on the table; an action is its public name. ``a1`` is the top left.
"""

from functools import reduce
from operator import xor
from typing import Protocol

from ci_envs import ConnectN, Game, Nim, Quarto, Quixo

LETTERS = "abcdefgh"


class Reference(Protocol):
    """A game in progress."""

    to_move: int

    def legal(self) -> set[str]:
        """Return the names of the legal actions, or no names after the end of the game."""

    def play(self, name: str) -> None:
        """Play a legal action."""

    def result(self) -> int | None:
        """Return None during the game, otherwise +1, 0 or -1 for the player to move."""

    def text(self) -> str:
        """Return the expected text of ``Position.to_text``."""


def reference_of(game: Game) -> Reference:
    """Return the reference of ``game`` in its initial position."""
    match game:
        case Quixo(size):
            return QuixoReference(size)
        case ConnectN(rows, cols, n, gravity):
            return ConnectNReference(rows, cols, n, gravity)
        case Nim(heaps, max_take, misere):
            return NimReference(heaps, max_take, misere)
        case Quarto(squares):
            return QuartoReference(squares)
    raise TypeError(f"no reference for {game}")


def cell_of(name: str) -> tuple[int, int]:
    """Return the row and column of the name of a cell, from 0."""
    return int(name[1:]) - 1, LETTERS.index(name[0])


def name_of(row: int, col: int) -> str:
    """Return the name of a cell."""
    return f"{LETTERS[col]}{row + 1}"


class QuixoReference:
    """Quixo: take a cube out of its row or column, and push it in at an end."""

    def __init__(self, size: int):
        self.board = [["."] * size for _ in range(size)]
        self.to_move = 0
        self.ends: dict[str, list[str]] = {}
        last = size - 1
        for row in range(size):
            for col in range(size):
                if row in (0, last) or col in (0, last):
                    ends = {name_of(row, 0), name_of(row, last), name_of(0, col), name_of(last, col)}
                    self.ends[name_of(row, col)] = sorted(ends - {name_of(row, col)})

    def legal(self) -> set[str]:
        if self.result() is not None:
            return set()
        theirs = "OX"[self.to_move]
        names = set()
        for taken, ends in self.ends.items():
            row, col = cell_of(taken)
            if self.board[row][col] != theirs:
                names.update(taken + end for end in ends)
        return names

    def play(self, name: str) -> None:
        (row, col), (end_row, end_col) = cell_of(name[:2]), cell_of(name[2:])
        if row == end_row:
            self.board[row].pop(col)
            self.board[row].insert(end_col, "XO"[self.to_move])
        else:
            column = [line[col] for line in self.board]
            column.pop(row)
            column.insert(end_row, "XO"[self.to_move])
            for line, cube in zip(self.board, column, strict=True):
                line[col] = cube
        self.to_move = 1 - self.to_move

    def result(self) -> int | None:
        if self._has_line("XO"[self.to_move]):  # the opponent moved last, so the opponent completed this line and loses
            return 1
        return -1 if self._has_line("OX"[self.to_move]) else None

    def _has_line(self, symbol: str) -> bool:
        board, size = self.board, len(self.board)
        full = [symbol] * size
        return (
            full in board
            or any([line[col] for line in board] == full for col in range(size))
            or [board[k][k] for k in range(size)] == full
            or [board[k][-1 - k] for k in range(size)] == full
        )

    def text(self) -> str:
        return f"{'/'.join(map(''.join, self.board))} {'XO'[self.to_move]}"


class ConnectNReference:
    """``n`` in a row: count in all directions from the last stone."""

    def __init__(self, rows: int, cols: int, n: int, gravity: bool):
        self.board = [["."] * cols for _ in range(rows)]
        self.n, self.gravity = n, gravity
        self.to_move = 0
        self.won = False

    def legal(self) -> set[str]:
        if self.won:
            return set()
        if self.gravity:
            return {LETTERS[col] for col, top in enumerate(self.board[0]) if top == "."}
        return {
            name_of(row, col) for row, line in enumerate(self.board) for col, cell in enumerate(line) if cell == "."
        }

    def play(self, name: str) -> None:
        if self.gravity:
            col = LETTERS.index(name)
            row = max(row for row, line in enumerate(self.board) if line[col] == ".")
        else:
            row, col = cell_of(name)
        self.board[row][col] = "XO"[self.to_move]
        self.won = any(
            1 + self._run(row, col, down, right) + self._run(row, col, -down, -right) >= self.n
            for down, right in ((0, 1), (1, 0), (1, 1), (1, -1))
        )
        self.to_move = 1 - self.to_move

    def _run(self, row: int, col: int, down: int, right: int) -> int:
        symbol, length = self.board[row][col], 0
        while True:
            row, col = row + down, col + right
            if not (0 <= row < len(self.board) and 0 <= col < len(self.board[0])) or self.board[row][col] != symbol:
                return length
            length += 1

    def result(self) -> int | None:
        if self.won:
            return -1
        return None if any("." in line for line in self.board) else 0

    def text(self) -> str:
        return f"{'/'.join(map(''.join, self.board))} {'XO'[self.to_move]}"


class NimReference:
    """Nim with a list of heaps."""

    def __init__(self, heaps: tuple[int, ...], max_take: int | None, misere: bool):
        self.heaps, self.max_take, self.misere = list(heaps), max_take, misere
        self.to_move = 0

    def legal(self) -> set[str]:
        return {
            f"{number}-{taken}"
            for number, heap in enumerate(self.heaps, 1)
            for taken in range(1, heap + 1)
            if self.max_take is None or taken <= self.max_take
        }

    def play(self, name: str) -> None:
        number, taken = map(int, name.split("-"))
        self.heaps[number - 1] -= taken
        self.to_move = 1 - self.to_move

    def result(self) -> int | None:
        if any(self.heaps):
            return None
        return 1 if self.misere else -1  # the opponent took the last object

    def text(self) -> str:
        return f"{','.join(map(str, self.heaps))} {self.to_move}"


def nim_is_won(heaps: tuple[int, ...], max_take: int | None, misere: bool) -> bool:
    """Return whether the player to move wins, by the theory of Nim."""
    remainders = [heap if max_take is None else heap % (max_take + 1) for heap in heaps]
    if misere and max(remainders) <= 1:
        return remainders.count(1) % 2 == 0
    return reduce(xor, remainders) != 0


class QuartoReference:
    """Quarto with a board of hexadecimal digits. The four bits of a digit are the attributes of the piece."""

    def __init__(self, squares: bool):
        self.board = [["."] * 4 for _ in range(4)]
        self.left = set("0123456789abcdef")
        self.hand = "-"
        self.to_move = 0
        rows = [[(row, col) for col in range(4)] for row in range(4)]
        columns = [[(row, col) for row in range(4)] for col in range(4)]
        diagonals = [[(k, k) for k in range(4)], [(k, 3 - k) for k in range(4)]]
        self.lines = rows + columns + diagonals
        if squares:
            self.lines += [[(r, c), (r, c + 1), (r + 1, c), (r + 1, c + 1)] for r in range(3) for c in range(3)]

    def legal(self) -> set[str]:
        if self.result() is not None:
            return set()
        if self.hand == "-":
            return {f"give{piece}" for piece in self.left}
        return {
            name_of(row, col) for row, line in enumerate(self.board) for col, cell in enumerate(line) if cell == "."
        }

    def play(self, name: str) -> None:
        if name.startswith("give"):
            self.hand = name[4:]
            self.left.remove(self.hand)
            self.to_move = 1 - self.to_move
        else:
            row, col = cell_of(name)
            self.board[row][col] = self.hand
            self.hand = "-"

    def result(self) -> int | None:
        for line in self.lines:
            digits = [self.board[row][col] for row, col in line]
            if "." not in digits:
                pieces = [f"{int(digit, 16):04b}" for digit in digits]
                if any(len(set(values)) == 1 for values in zip(*pieces, strict=True)):
                    return 1  # the player who placed acts again
        return None if any("." in line for line in self.board) else 0

    def text(self) -> str:
        return f"{'/'.join(map(''.join, self.board))} {self.hand} {self.to_move}"
