"""The rules of the agent ``nim`` in plain Python, one position at a time."""

from collections.abc import Callable, Sequence

from ci_envs.games.nim import Nim

Move = tuple[int, int]
Rule = Callable[[Sequence[int], Nim], Move]


def min_lowest(heaps: Sequence[int], game: Nim) -> Move:
    return _rows_left(heaps)[0], 1


def max_lowest(heaps: Sequence[int], game: Nim) -> Move:
    row = _rows_left(heaps)[0]
    return row, min(heaps[row], game.limit)


def min_highest(heaps: Sequence[int], game: Nim) -> Move:
    return _rows_left(heaps)[-1], 1


def max_highest(heaps: Sequence[int], game: Nim) -> Move:
    row = _rows_left(heaps)[-1]
    return row, min(heaps[row], game.limit)


def count_and_decide(heaps: Sequence[int], game: Nim, *, odd: Rule, even: Rule) -> Move:
    return (odd if len(_rows_left(heaps)) % 2 else even)(heaps, game)


def endgame_first(heaps: Sequence[int], game: Nim) -> Move:
    rows = _rows_left(heaps)
    if len(rows) <= 2:
        return last_rows(heaps, game)
    odd = (len(rows) + game.misere) % 2
    return _down_to(0 if odd else 1, rows[-1], heaps, game)


def endgame_second(heaps: Sequence[int], game: Nim) -> Move:
    rows = _rows_left(heaps)
    if len(rows) <= 2:
        return last_rows(heaps, game)
    smaller, larger = sorted(rows[-2:], key=heaps.__getitem__)
    if heaps[smaller] == heaps[larger]:
        return max_lowest(heaps, game)
    return _down_to(heaps[smaller], larger, heaps, game)


def last_rows(heaps: Sequence[int], game: Nim) -> Move:
    *other, larger = sorted(_rows_left(heaps), key=heaps.__getitem__)
    if not other:
        return _down_to(1 if game.misere else 0, larger, heaps, game)
    size = heaps[other[0]]
    return _down_to(0 if game.misere and size == 1 else size, larger, heaps, game)


def _rows_left(heaps: Sequence[int]) -> list[int]:
    return [row for row, size in enumerate(heaps) if size]


def _down_to(size: int, row: int, heaps: Sequence[int], game: Nim) -> Move:
    number = heaps[row] - size
    return (row, number) if 1 <= number <= game.limit else min_highest(heaps, game)
