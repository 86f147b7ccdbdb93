"""Files of set covering problems as the OR-Library has them: Beasley, "OR-Library", JORS 41, 1990.

All numbers, separated by spaces or new lines: the rows (numbers to cover) and the columns (lists); the cost of each
column; and of each row, how many columns cover it and which, counted from 1.
"""

from collections.abc import Iterator
from pathlib import Path

from ci_envs.optimisation.set_covering.problem import SetCovering
from ci_envs.storage.files import write_whole


def read_scp(path: str | Path) -> SetCovering:
    """Read an instance.

    Raises:
        ValueError: the file is not of this format; the message says where it goes wrong.
        OSError: it cannot be read.
    """
    try:
        words = iter(Path(path).read_text(encoding="ascii").split())
        return _parsed(words)
    except ValueError as error:  # one for text that is not ASCII among them
        raise ValueError(f"{str(path)!r} is no set covering problem of the OR-Library: {error}") from None


def write_scp(problem: SetCovering, path: str | Path) -> None:
    """Write an instance, whole or not at all.

    Raises:
        OSError: the file cannot be written.
    """
    rows = [(problem.incidence[:, number].nonzero()[0] + 1).tolist() for number in range(problem.size)]
    lines = [
        f"{problem.size} {problem.loci}",
        " ".join(f"{cost:.15g}" for cost in problem.costs),
        *(f"{len(row)}\n{' '.join(map(str, row))}" for row in rows),
    ]
    write_whole(Path(path), ("\n".join(lines) + "\n").encode())


def _parsed(words: Iterator[str]) -> SetCovering:
    size, count = _whole(words, "the number of rows"), _whole(words, "the number of columns")
    if size < 1 or count < 1:
        raise ValueError(f"it has {size} rows and {count} columns; there must be some")
    costs = [_cost(words, column) for column in range(1, count + 1)]
    lists: list[list[int]] = [[] for _ in range(count)]
    for row in range(1, size + 1):
        for _ in range(_whole(words, f"how many columns cover row {row}")):
            column = _whole(words, f"a column of row {row}")
            if not 1 <= column <= count:
                raise ValueError(f"row {row} has column {column}; columns are from 1 to {count}")
            lists[column - 1].append(row - 1)
    if (more := next(words, None)) is not None:
        raise ValueError(f"{more!r} follows the last row")
    return SetCovering(size, lists, costs)


def _whole(words: Iterator[str], what: str) -> int:
    word = next(words, None)
    if word is None:
        raise ValueError(f"it ends before {what}")
    if not word.isdecimal():
        raise ValueError(f"{what} is {word!r}, no whole number")
    return int(word)


def _cost(words: Iterator[str], column: int) -> float:
    word = next(words, None)
    if word is None:
        raise ValueError(f"it ends before the cost of column {column}")
    try:
        return float(word)
    except ValueError:
        raise ValueError(f"the cost of column {column} is {word!r}, no number") from None
