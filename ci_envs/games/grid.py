"""Games that lines of stones decide: the common base of Quixo and the m,n,k games."""

from abc import abstractmethod
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from ci_envs.games.board import BoardGame, cell_maps, cell_name
from ci_envs.games.game import bits
from ci_envs.games.operations import evaluate, longest_line, write_features
from ci_envs.kernels.bits import popcount
from ci_envs.kernels.dispatch import implements, operation


@lru_cache
def line_steps(rows: int, cols: int, n: int) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Return the lines of ``n`` cells by direction: the step from cell to cell, and the mask of the first cells."""
    steps, starts = [], []
    for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
        first = [
            row * cols + col
            for row in range(rows - (n - 1) * down)
            for col in range(cols)
            if 0 <= col + (n - 1) * right < cols
        ]
        steps.append(down * cols + right)
        starts.append(sum(1 << cell for cell in first))
    return np.array(steps, dtype=np.uint64), np.array(starts, dtype=np.uint64)


@lru_cache
def lines_of(rows: int, cols: int, n: int) -> tuple[int, ...]:
    """Return the masks of all rows, columns and diagonals of ``n`` cells on a board."""
    return tuple(
        sum(1 << start + k * step for k in range(n))
        for step, starts in zip(*(array.tolist() for array in line_steps(rows, cols, n)), strict=True)
        for start in bits(starts)
    )


class GridGame(BoardGame):
    """Base class of games in which two players have cells of a ``rows`` x ``cols`` grid, and lines of ``n`` decide."""

    @property
    @abstractmethod
    def shape(self) -> tuple[int, int, int]:
        """The board size and the length of a line, ``(rows, cols, n)``."""

    @override
    def cell_maps(self) -> NDArray[np.uint8]:
        rows, cols, _ = self.shape
        return cell_maps(rows, cols)

    def winning_lines(self, own: int, opp: int) -> tuple[tuple[str, ...], ...]:
        """Return the full lines of the player to move, or, if there are none, those of the other player.

        A move can complete a line of the opponent only in games where such a move loses, as in Quixo. Then this line
        decides the game, even if the move also completed a line of the player who made it.
        """
        _, cols, _ = self.shape
        lines = dict.fromkeys(lines_of(*self.shape))  # with n = 1 each line occurs in four directions
        full = [[line for line in lines if line & stones == line] for stones in (own, opp)]
        return tuple(tuple(cell_name(cell, cols) for cell in bits(line)) for line in full[0] or full[1])

    @property
    @override
    def feature_names(self) -> tuple[str, ...]:
        """The names of the features: lines by the numbers of stones of both players, then classes of symmetric cells.

        The first third counts lines in which one player has more stones. It changes its sign with the player to move
        and describes who is ahead. The second third, ``anyone's``, does not change and describes the value of being to
        move. Mobility is not a feature: in Quixo it follows from the cells, and in the m,n,k games both players have
        the same.
        """
        leads = [f"lines {more}:{less}" for more, less in _leads(self)]
        cells = [f"cells like {orbit[0]}" for orbit in _orbits(self)]
        return (*leads, *(f"{lead}, anyone's" for lead in leads), *cells)


@operation
def has_line(game: Any, stones: Any) -> Any:
    """Return whether ``stones`` fill a line of the board."""


@implements(has_line, GridGame)
def _(game: GridGame) -> Any:
    lines = np.array(lines_of(*game.shape), dtype=np.uint64)
    count = len(lines)

    def kernel(game, stones):
        found = False
        for k in range(count):  # without an early exit, so that it compiles to vector instructions
            line = lines[np.uint64(k)]
            found |= stones & line == line
        return found

    return kernel


@operation
def nearly_full_lines(game: Any, stones: Any, never: Any, most: Any) -> Any:
    """Return the number of lines of which ``stones`` fill all but at most ``most`` cells, none of them in ``never``."""


@implements(nearly_full_lines, GridGame)
def _(game: GridGame) -> Any:
    lines = np.array(lines_of(*game.shape), dtype=np.uint64)
    count = len(lines)
    none = np.uint64(0)

    def kernel(game, stones, never, most):
        found = 0
        for k in range(count):
            missing = lines[np.uint64(k)] & ~stones
            found += (popcount(missing) <= most) & (missing & never == none)
        return found

    return kernel


@operation
def longest_run(game: Any, stones: Any) -> Any:
    """Return the length of the longest run of adjacent ``stones`` in a row, column or diagonal.

    Diagonals that are too short for a line do not count.
    """


@implements(longest_run, GridGame)
def _(game: GridGame) -> Any:
    rows, cols, n = game.shape
    steps, starts = line_steps(rows, cols, n)
    _, pairs = line_steps(rows, cols, 2)  # the cells that have a next cell in the direction
    cells = np.bitwise_or.reduce([starts << np.uint64(k) * steps for k in range(n)])
    count = len(steps)

    def kernel(game, stones):
        longest = 0
        for k in range(count):
            length, run = 0, stones & cells[k]
            while run != np.uint64(0):
                length += 1
                run &= run >> steps[k] & pairs[k]
            longest = max(longest, length)
        return longest

    return kernel


@implements(evaluate, GridGame)
def _(game: GridGame) -> Any:
    lines = np.array(lines_of(*game.shape), dtype=np.uint64)
    count = len(lines)
    weight = np.array([0, *(4**k for k in range(game.shape[2] + 1))], dtype=np.int64)

    def kernel(game, own, opp):
        score = np.int64(0)
        for k in range(count):
            line = lines[np.uint64(k)]
            mine, theirs = popcount(own & line), popcount(opp & line)
            if theirs == np.uint64(0):
                score += weight[mine]
            elif mine == np.uint64(0):
                score -= weight[theirs]
        return score

    return kernel


@implements(longest_line, GridGame)
def _(game: GridGame) -> Any:
    lines = np.array(lines_of(*game.shape), dtype=np.uint64)

    def kernel(game, stones):
        most = np.uint64(0)
        for line in lines:
            most = max(most, popcount(stones & line))
        return np.int64(most)

    return kernel


def _leads(game: GridGame) -> list[tuple[int, int]]:
    """Return the pairs of different numbers of stones that the players can have in a line while the game goes on."""
    n = game.shape[2]
    return [(more, less) for more in range(1, n) for less in range(min(more, n - more + 1))]


def _orbits(game: GridGame) -> list[tuple[int, ...]]:
    """Return the cells in classes. Symmetries map the cells of a class to each other."""
    maps = game.cell_maps()
    return sorted({tuple(sorted({*maps[:, cell].tolist()})) for cell in range(maps.shape[1])})


@implements(write_features, GridGame)
def _(game: GridGame) -> Any:
    leads, width = _leads(game), game.shape[2] + 1
    lines = np.array(lines_of(*game.shape), dtype=np.uint64)
    orbits = np.array([sum(1 << cell for cell in orbit) for orbit in _orbits(game)], dtype=np.uint64)
    lead_count, line_count, orbit_count = len(leads), len(lines), len(orbits)
    # for the stones of both players in a line: the index and the sign of its feature; equal numbers add 0 to feature 0
    place, sign = np.zeros(width * width, dtype=np.int64), np.zeros(width * width)
    for number, (more, less) in enumerate(leads):
        place[[more * width + less, less * width + more]] = number
        sign[[more * width + less, less * width + more]] = 1, -1
    size = abs(sign)

    def kernel(game, own, opp, features):
        for i in range(2 * lead_count):
            features[i] = 0
        for i in range(line_count):
            line = lines[np.uint64(i)]
            both = popcount(own & line) * np.uint64(width) + popcount(opp & line)
            features[place[both]] += sign[both]
            features[lead_count + place[both]] += size[both]
        for i in range(orbit_count):
            orbit = orbits[np.uint64(i)]
            features[2 * lead_count + i] = np.int64(popcount(own & orbit)) - np.int64(popcount(opp & orbit))

    return kernel
