"""Set covering instances in the file format of the OR-Library: Beasley, "OR-Library", JORS 41, 1990.

A file has numbers separated by spaces or newlines: the number of rows (elements) and of columns (sets); the cost of
each column; and for each row the number of columns that cover it, followed by these columns, counted from 1.
"""

from collections.abc import Iterator
from pathlib import Path

from ci_envs.optimisation.set_covering.problem import SetCovering
from ci_envs.storage.files import write_whole


def read_scp(path: str | Path) -> SetCovering:
    """Read an instance from a file.

    Raises:
        ValueError: the file does not have this format; the message says where it is wrong.
        OSError: the file cannot be read.

    Examples:
        >>> from ci_envs.optimisation import read_scp
        >>> problem = read_scp("scp41.txt")  # doctest: +SKIP
    """
    try:
        words = iter(Path(path).read_text(encoding="ascii").split())
        return _parse(words)
    except ValueError as error:  # includes the error of text that is not ASCII
        raise ValueError(f"{str(path)!r} is not a set covering problem of the OR-Library: {error}") from None


def write_scp(problem: SetCovering, path: str | Path) -> None:
    """Write an instance to a file; the file is either written completely or not changed.

    Raises:
        OSError: the file cannot be written.

    Examples:
        >>> from ci_envs.optimisation import set_covering, write_scp
        >>> write_scp(set_covering(20), "lab20.txt")  # doctest: +SKIP
    """
    rows = [(problem.incidence[:, element].nonzero()[0] + 1).tolist() for element in range(problem.size)]
    lines = [
        f"{problem.size} {problem.loci}",
        " ".join(f"{cost:.15g}" for cost in problem.costs),
        *(f"{len(row)}\n{' '.join(map(str, row))}" for row in rows),
    ]
    write_whole(Path(path), ("\n".join(lines) + "\n").encode())


def _parse(words: Iterator[str]) -> SetCovering:
    size, count = _next_integer(words, "the number of rows"), _next_integer(words, "the number of columns")
    if size < 1 or count < 1:
        raise ValueError(f"it has {size} rows and {count} columns; there must be some")
    costs = [_next_cost(words, column) for column in range(1, count + 1)]
    sets: list[list[int]] = [[] for _ in range(count)]
    for row in range(1, size + 1):
        for _ in range(_next_integer(words, f"how many columns cover row {row}")):
            column = _next_integer(words, f"a column of row {row}")
            if not 1 <= column <= count:
                raise ValueError(f"row {row} has column {column}; columns are from 1 to {count}")
            sets[column - 1].append(row - 1)
    if (more := next(words, None)) is not None:
        raise ValueError(f"{more!r} follows the last row")
    return SetCovering(size, sets, costs)


def _next_integer(words: Iterator[str], meaning: str) -> int:
    word = next(words, None)
    if word is None:
        raise ValueError(f"it ends before {meaning}")
    if not word.isdecimal():
        raise ValueError(f"{meaning} is {word!r}, not a whole number")
    return int(word)


def _next_cost(words: Iterator[str], column: int) -> float:
    word = next(words, None)
    if word is None:
        raise ValueError(f"it ends before the cost of column {column}")
    try:
        return float(word)
    except ValueError:
        raise ValueError(f"the cost of column {column} is {word!r}, not a number") from None
