"""Small games for the tests of the solvers: one whose play can cycle, and three whose rules turn the board."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from minimal_game import LastCell

from ci_envs.games import DRAW, LOSS, ONGOING, WIN, implements, legal, play, result, transform, transform_action
from ci_envs.kernels.bits import popcount
from ci_envs.kernels.dispatch import operation

ONE = np.uint64(1)
EIGHT_STEPS = np.array([(0, 1), (1, 0), (1, 1), (1, -1), (0, -1), (-1, 0), (-1, -1), (-1, 1)])


def lines_of(rows, cols, n):
    """Return the masks of all lines of ``n`` cells."""
    lines = []
    for row in range(rows):
        for col in range(cols):
            for down, right in EIGHT_STEPS[:4].tolist():
                cells = [(row + k * down, col + k * right) for k in range(n)]
                if all(0 <= r < rows and 0 <= c < cols for r, c in cells):
                    lines.append(sum(1 << r * cols + c for r, c in cells))
    return np.array(lines, dtype=np.uint64)


@dataclass(frozen=True)
class PopOutBoard(LastCell):
    """Connect Four in which a player can also remove an own stone at the bottom of a column.

    Action c drops a stone into column c, and action cols + c removes its lowest stone. If a removal completes lines of
    both players, the player who moved wins. A player without an action ends the game in a draw.
    """

    rows: int = 4
    cols: int = 4
    n: int = 3

    can_cycle: ClassVar[bool] = True

    @property
    def action_count(self):
        return 2 * self.cols

    @property
    def symmetry_count(self):
        return 2


@implements(legal, PopOutBoard)
def _(game):
    cols, cells = np.uint64(game.cols), np.uint64(game.rows * game.cols)

    def kernel(game, own, opp, action):
        if action < cols:
            return (own | opp) >> action & ONE == np.uint64(0)
        return own >> (cells - np.uint64(2) * cols + action) & ONE == ONE

    return kernel


@implements(play, PopOutBoard)
def _(game):
    rows, cols = game.rows, np.uint64(game.cols)
    column = np.uint64(sum(1 << row * game.cols for row in range(rows)))

    def kernel(game, own, opp, action):
        if action >= cols:
            mask = column << (action - cols)
            return (opp & ~mask) | ((opp & mask) << cols & mask), (own & ~mask) | ((own & mask) << cols & mask)
        cell = action
        for _ in range(rows - 1):
            if (own | opp) >> (cell + cols) & ONE == np.uint64(0):
                cell += cols
        return opp, own | ONE << cell

    return kernel


@implements(result, PopOutBoard)
def _(game):
    lines = lines_of(game.rows, game.cols, game.n)
    actions = game.action_count

    def kernel(game, own, opp):
        won = False
        for line in lines:
            if opp & line == line:
                return LOSS
            won |= own & line == line
        if won:
            return WIN
        for number in range(actions):
            if legal(game, own, opp, np.uint64(number)):
                return ONGOING
        return DRAW

    return kernel


@implements(transform_action, PopOutBoard)
def _(game):
    cols = game.cols
    return lambda game, symmetry, action: action - action % cols + cols - 1 - action % cols if symmetry else action


@dataclass(frozen=True)
class HexBoard(LastCell):
    """Hex. The player to move connects the top and the bottom; each action transposes the board."""

    rows: int = 4
    cols: int = 4

    @property
    def symmetry_count(self):
        return 2


@implements(play, HexBoard)
def _(game):
    size = game.rows

    def kernel(game, own, opp, action):
        own |= ONE << action
        next_own = next_opp = np.uint64(0)
        for cell in range(size * size):
            to = np.uint64(cell % size * size + cell // size)
            next_own |= (opp >> np.uint64(cell) & ONE) << to
            next_opp |= (own >> np.uint64(cell) & ONE) << to
        return next_own, next_opp

    return kernel


@implements(result, HexBoard)
def _(game):
    size = np.uint64(game.rows)
    left = np.uint64(sum(1 << row * game.cols for row in range(game.rows)))
    right = left << np.uint64(game.cols - 1)

    def kernel(game, own, opp):
        found, before = opp & left, np.uint64(0)
        while found != before:
            before = found
            from_right, from_left = found & ~left, found & ~right
            found |= from_left << ONE | from_right >> ONE | found << size | found >> size
            found |= from_right << (size - ONE) | from_left >> (size - ONE)
            found &= opp
        return LOSS if found & right else ONGOING

    return kernel


@implements(transform, HexBoard)
def _(game):
    cells = game.action_count

    def kernel(game, symmetry, own, opp):
        if symmetry == 0:
            return own, opp
        own_image = opp_image = np.uint64(0)
        for cell in range(cells):
            own_image |= (own >> np.uint64(cell) & ONE) << np.uint64(cells - 1 - cell)
            opp_image |= (opp >> np.uint64(cell) & ONE) << np.uint64(cells - 1 - cell)
        return own_image, opp_image

    return kernel


@implements(transform_action, HexBoard)
def _(game):
    last = game.action_count - 1
    return lambda game, symmetry, action: last - action if symmetry else action


@dataclass(frozen=True)
class BreakthroughBoard(LastCell):
    """Breakthrough. The player to move moves up; each action turns the board. Action 3 * cell + 1 goes straight."""

    rows: int = 4
    cols: int = 4

    @property
    def action_count(self):
        return 3 * self.rows * self.cols

    @property
    def symmetry_count(self):
        return 2

    def start(self):
        two_rows = (1 << 2 * self.cols) - 1
        return two_rows << (self.rows - 2) * self.cols, two_rows


@implements(legal, BreakthroughBoard)
def _(game):
    cols = game.cols

    def kernel(game, own, opp, action):
        cell, side = np.int64(action) // 3, np.int64(action) % 3 - 1
        if own >> np.uint64(cell) & ONE == np.uint64(0) or cell < cols or not 0 <= cell % cols + side < cols:
            return False
        to = np.uint64(cell - cols + side)
        return (own if side else own | opp) >> to & ONE == np.uint64(0)

    return kernel


@implements(play, BreakthroughBoard)
def _(game):
    cells, cols = game.rows * game.cols, game.cols

    def kernel(game, own, opp, action):
        cell, side = np.int64(action) // 3, np.int64(action) % 3 - 1
        to = ONE << np.uint64(cell - cols + side)
        own, opp = own ^ ONE << np.uint64(cell) | to, opp & ~to
        next_own = next_opp = np.uint64(0)
        for place in range(cells):
            next_own |= (opp >> np.uint64(place) & ONE) << np.uint64(cells - 1 - place)
            next_opp |= (own >> np.uint64(place) & ONE) << np.uint64(cells - 1 - place)
        return next_own, next_opp

    return kernel


@implements(result, BreakthroughBoard)
def _(game):
    goal = np.uint64(((1 << game.cols) - 1) << (game.rows - 1) * game.cols)
    return lambda game, own, opp: LOSS if opp & goal or own == np.uint64(0) else ONGOING


@implements(transform, BreakthroughBoard)
@implements(transform, PopOutBoard)
def _(game):
    cells, cols = game.rows * game.cols, game.cols

    def kernel(game, symmetry, own, opp):
        if symmetry == 0:
            return own, opp
        own_image = opp_image = np.uint64(0)
        for cell in range(cells):
            to = np.uint64(cell - cell % cols + cols - 1 - cell % cols)
            own_image |= (own >> np.uint64(cell) & ONE) << to
            opp_image |= (opp >> np.uint64(cell) & ONE) << to
        return own_image, opp_image

    return kernel


@implements(transform_action, BreakthroughBoard)
def _(game):
    cols = game.cols

    def kernel(game, symmetry, action):
        if symmetry == 0:
            return action
        cell, side = action // 3, action % 3
        return 3 * (cell - cell % cols + cols - 1 - cell % cols) + 2 - side

    return kernel


@dataclass(frozen=True)
class OthelloBoard(LastCell):
    """Othello. The last action is the pass, which is legal only for a player without another action."""

    rows: int = 4
    cols: int = 4

    @property
    def action_count(self):
        return self.rows * self.cols + 1

    def start(self):
        row, col = self.rows // 2 - 1, self.cols // 2 - 1
        at = row * self.cols + col
        return 1 << at + 1 | 1 << at + self.cols, 1 << at | 1 << at + self.cols + 1


@operation
def turned_stones(game, own, opp, cell):
    """Return the stones of the opponent that a stone in a cell turns over: none in an occupied cell."""


@implements(turned_stones, OthelloBoard)
def _(game):
    rows, cols, steps = game.rows, game.cols, EIGHT_STEPS

    def kernel(game, own, opp, cell):
        turned = np.uint64(0)
        if (own | opp) >> np.uint64(cell) & ONE:
            return turned
        for k in range(8):
            row, col, passed = cell // cols + steps[k, 0], cell % cols + steps[k, 1], np.uint64(0)
            while 0 <= row < rows and 0 <= col < cols and opp >> np.uint64(row * cols + col) & ONE:
                passed |= ONE << np.uint64(row * cols + col)
                row, col = row + steps[k, 0], col + steps[k, 1]
            if 0 <= row < rows and 0 <= col < cols and own >> np.uint64(row * cols + col) & ONE:
                turned |= passed
        return turned

    return kernel


@operation
def is_stuck(game, own, opp):
    """Return whether no cell is legal for the player to move."""


@implements(is_stuck, OthelloBoard)
def _(game):
    cells = game.rows * game.cols

    def kernel(game, own, opp):
        stuck = True
        for cell in range(cells):
            stuck &= turned_stones(game, own, opp, cell) == np.uint64(0)
        return stuck

    return kernel


@implements(legal, OthelloBoard)
def _(game):
    cells = game.rows * game.cols

    def kernel(game, own, opp, action):
        if np.int64(action) < cells:
            return turned_stones(game, own, opp, np.int64(action)) != np.uint64(0)
        return is_stuck(game, own, opp)

    return kernel


@implements(play, OthelloBoard)
def _(game):
    cells = game.rows * game.cols

    def kernel(game, own, opp, action):
        if np.int64(action) == cells:
            return opp, own
        turned = turned_stones(game, own, opp, np.int64(action))
        return opp ^ turned, own | turned | ONE << action

    return kernel


@implements(result, OthelloBoard)
def _(game):
    def kernel(game, own, opp):
        if not is_stuck(game, own, opp) or not is_stuck(game, opp, own):
            return ONGOING
        return np.int64(np.sign(np.int64(popcount(own)) - np.int64(popcount(opp))))

    return kernel
