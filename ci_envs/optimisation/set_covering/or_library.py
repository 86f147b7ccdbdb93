"""Set covering instances in the file formats of the OR-Library: Beasley, "OR-Library", JORS 41, 1990.

A file has numbers separated by spaces or newlines. It begins with the number of rows (elements) and of columns (sets).
The rest has one of two layouts, in which rows and columns count from 1:

``rows``
    The cost of each column; then, for each row, the number of columns that cover it, and these columns. The files
    ``scp41.txt`` and so on have this layout.
``columns``
    For each column, its cost, the number of rows that it covers, and these rows. The files ``rail507.txt`` and so on
    have this layout.
"""

import codecs
from collections.abc import Iterator
from contextlib import suppress
from math import isfinite
from pathlib import Path
from typing import NamedTuple

from ci_envs.optimisation.set_covering.problem import SetCovering
from ci_envs.storage.files import read_whole, write_whole

LAYOUTS = ("rows", "columns")
"""The layouts of the files."""


class _Instance(NamedTuple):
    """An instance in a file. Its elements count from 0."""

    size: int
    sets: list[list[int]]
    costs: list[float]


def read_scp(path: str | Path, layout: str | None = None) -> SetCovering:
    """Read an instance from a file.

    Args:
        path: the path of the file.
        layout: the layout of the file, ``rows`` or ``columns``. None means the layout that the file has. Few small
            files fit both layouts and need this argument.

    Raises:
        ValueError: the file has neither layout, and the message says where it is wrong; or it fits both, with different
            instances.
        OSError: the file cannot be read.

    Examples:
        >>> from ci_envs.optimisation import read_scp
        >>> problem = read_scp("scp41.txt")  # doctest: +SKIP
        >>> problem = read_scp("small.txt", layout="columns")  # doctest: +SKIP
    """
    if layout is not None and layout not in LAYOUTS:
        raise ValueError(f"layout must be {' or '.join(LAYOUTS)}, not {layout!r}")
    found, errors = list[_Instance](), dict[str, str]()
    try:
        words = read_whole(Path(path)).removeprefix(codecs.BOM_UTF8).decode("ascii").split()
    except UnicodeDecodeError as error:
        raise _format_error(path, str(error)) from None
    for name in LAYOUTS if layout is None else (layout,):
        try:
            found.append(_parse(iter(words), name))
        except ValueError as error:
            errors[name] = str(error)
    if not found:
        texts = set(errors.values())
        raise _format_error(path, *(texts if len(texts) == 1 else [f"{e} (layout={n})" for n, e in errors.items()]))
    if found[0] != found[-1]:
        raise ValueError(
            f"{str(path)!r} fits both layouts of the OR-Library: give layout={' or layout='.join(LAYOUTS)}"
        )
    return SetCovering(*found[0])


def write_scp(problem: SetCovering, path: str | Path) -> None:
    """Write an instance to a file with the layout ``rows``. The file is either written completely or not changed.

    If the file would also fit the layout ``columns``, the costs have a decimal point, so that it does not.

    Raises:
        OSError: the file cannot be written.

    Examples:
        >>> from ci_envs.optimisation import set_covering, write_scp
        >>> write_scp(set_covering(20), "lab20.txt")  # doctest: +SKIP
    """
    text = _text(problem, [repr(cost).removesuffix(".0") for cost in problem.costs.tolist()])
    with suppress(ValueError):
        _parse(iter(text.split()), "columns")
        text = _text(problem, list(map(repr, problem.costs.tolist())))
    write_whole(Path(path), text.encode())


def _text(problem: SetCovering, costs: list[str]) -> str:
    rows = [(problem.incidence[:, element].nonzero()[0] + 1).tolist() for element in range(problem.size)]
    lists = (f"{len(row)}\n{' '.join(map(str, row))}\n" for row in rows)
    return f"{problem.size} {problem.loci}\n{' '.join(costs)}\n{''.join(lists)}"


def _format_error(path: str | Path, *reasons: str) -> ValueError:
    return ValueError(f"{str(path)!r} is not a set covering problem of the OR-Library: {'; '.join(reasons)}")


def _parse(words: Iterator[str], layout: str) -> _Instance:
    size, count = _next_integer(words, "the number of rows"), _next_integer(words, "the number of columns")
    if size < 1 or count < 1:
        raise ValueError(f"it has {size} rows and {count} columns; there must be some")
    if layout == "rows":
        costs = [_next_cost(words, column) for column in range(1, count + 1)]
        sets: list[list[int]] = [[] for _ in costs]
        for row in range(size):
            for column in _next_list(words, f"row {row + 1}", "column", count):
                sets[column].append(row)
    else:
        costs, sets = [], []
        for column in range(1, count + 1):
            costs.append(_next_cost(words, column))
            sets.append(_next_list(words, f"column {column}", "row", size))
    if (more := next(words, None)) is not None:
        raise ValueError(f"{more!r} follows the last {layout.removesuffix('s')}")
    _check_cover(size, sets)
    return _Instance(size, sets, costs)


def _check_cover(size: int, sets: list[list[int]]) -> None:
    if [] in sets:
        raise ValueError(f"column {sets.index([]) + 1} covers no row")
    covered = set().union(*sets)
    if len(covered) < size:
        raise ValueError(f"no column covers row {next(row for row in range(size) if row not in covered) + 1}")


def _next_list(words: Iterator[str], owner: str, kind: str, count: int) -> list[int]:
    """Return the rows of a column, or the columns of a row, counted from 0 and in ascending order.

    Args:
        words: The remaining words of the file.
        owner: The column or row, for messages.
        kind: ``row`` or ``column``, the kind of the numbers in the list.
        count: The largest possible number.
    """
    numbers = set[int]()
    for _ in range(_next_integer(words, f"the number of {kind}s of {owner}")):
        number = _next_integer(words, f"a {kind} of {owner}")
        if not 1 <= number <= count:
            raise ValueError(f"{owner} has {kind} {number}; {kind}s are from 1 to {count}")
        if number - 1 in numbers:
            raise ValueError(f"{owner} has {kind} {number} twice")
        numbers.add(number - 1)
    return sorted(numbers)


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
        cost = 0 if "_" in word else float(word)  # Python reads 1_0 as 10
    except ValueError:
        cost = 0
    if not (isfinite(cost) and cost > 0):
        raise ValueError(f"the cost of column {column} is {word!r}, not a number above 0")
    return cost
