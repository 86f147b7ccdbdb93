"""The rows, columns and diagonals of a board, as the matrix that a network with the layout ``lines`` uses."""

import numpy as np
from numpy.typing import NDArray


def line_means(height: int, width: int) -> NDArray[np.float32]:
    """Return the matrix whose product with the values of the cells is their mean on each line.

    The lines are the rows, the columns, the diagonals that are as long as the shorter side, and the whole board.

    Args:
        height: number of rows.
        width: number of columns.

    Returns:
        float32 of shape (lines, height * width). Each row has the sum 1.

    Examples:
        >>> from ci_envs.agents.alphazero.board_lines import line_means
        >>> line_means(2, 2) * 2
        array([[1. , 1. , 0. , 0. ],
               [0. , 0. , 1. , 1. ],
               [1. , 0. , 1. , 0. ],
               [0. , 1. , 0. , 1. ],
               [1. , 0. , 0. , 1. ],
               [0. , 1. , 1. , 0. ],
               [0.5, 0.5, 0.5, 0.5]], dtype=float32)
    """
    row, column = np.divmod(np.arange(height * width), width)
    diagonals = [cells for numbers in (row - column, row + column) for cells in _equal(numbers)]
    longest = [cells for cells in diagonals if cells.sum() == min(height, width)]
    members = np.array([*_equal(row), *_equal(column), *longest, np.ones(height * width)], np.float32)
    means: NDArray[np.float32] = members / members.sum(axis=1, keepdims=True)
    return means


def _equal(numbers: NDArray[np.int64]) -> list[NDArray[np.bool_]]:
    """Return the set of cells with each number."""
    return [numbers == number for number in np.unique(numbers)]
