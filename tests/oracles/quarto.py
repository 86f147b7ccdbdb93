"""Quarto solved by plain negamax on a board of numbers, compiled because it visits millions of positions."""

import numpy as np

from ci_envs.kernels.compiler import kernel

EMPTY = -1

_ROWS = [[4 * row + col for col in range(4)] for row in range(4)]
_COLUMNS = [[4 * row + col for row in range(4)] for col in range(4)]
_DIAGONALS = [[5 * k for k in range(4)], [3 + 3 * k for k in range(4)]]
_SQUARES = [[4 * row + col + k for k in (0, 1, 4, 5)] for row in range(3) for col in range(3)]
LINES = np.array(_ROWS + _COLUMNS + _DIAGONALS)
LINES_AND_SQUARES = np.array(_ROWS + _COLUMNS + _DIAGONALS + _SQUARES)


def quarto_value(text, squares):
    """Return the value of a position with a piece in hand, for the player to move."""
    board, hand, _ = text.split()
    cells = np.array([EMPTY if digit == "." else int(digit, 16) for digit in board.replace("/", "")])
    left = np.array([f"{piece:x}" not in board + hand for piece in range(16)])
    return int(_negamax(cells, left, int(hand, 16), LINES_AND_SQUARES if squares else LINES))


@kernel
def _is_quarto(board, lines, cell):
    for line in lines:
        common, absent, through = 15, 15, False
        for other in line:
            if board[other] == EMPTY:
                common = absent = 0
            else:
                common &= board[other]
                absent &= ~board[other]
            through |= other == cell
        if through and (common or absent):
            return True
    return False


@kernel
def _negamax(board, left, hand, lines):
    best = -2
    for cell in range(16):
        if board[cell] != EMPTY:
            continue
        board[cell] = hand
        if _is_quarto(board, lines, cell):
            board[cell] = EMPTY
            return 1
        is_last = True
        for piece in range(16):
            if left[piece]:
                is_last = left[piece] = False
                best = max(best, -_negamax(board, left, piece, lines))
                left[piece] = True
                if best == 1:
                    break
        board[cell] = EMPTY
        if is_last:
            return 0
        if best == 1:
            break
    return best
