"""Quixo on 2 x 2 to 4 x 4 cubes, every state of the board.

Method: Tanaka, Bonnet, Tixeuil and Tamura, "Quixo Is Solved", Advances in Computer Games 2021, without its economies on
disk. A move takes a cube of one's own, which leaves both numbers of cubes as they are, or a blank one, after which
there is one cube more. So the classes of states with a cubes of the player to move and b of the opponent are solved
from the full board down; of those with equally many cubes, (a, b) and (b, a) lead to each other and are solved
together. In such a pair play can cycle. Level after level the states that are won or lost in exactly so many plies are
found, from the levels before; the states that no level settles are draws, as no one can force an end.
"""

import warnings
from collections.abc import Iterator
from functools import cached_property
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from ci_envs.games.grid import cell_maps
from ci_envs.games.operations import ONGOING, action_count, legal, play, result, transform
from ci_envs.games.position import Position
from ci_envs.games.quixo import Quixo
from ci_envs.kernels.bits import popcount
from ci_envs.kernels.compiler import kernel
from ci_envs.solver.enumeration import Reachable
from ci_envs.solver.solution import HORIZON, Progress, Solution, by_distance, too_large
from ci_envs.solver.solver import Solver
from ci_envs.solver.table_file import read_table, table_path, write_table

MAX_SIZE = 4

_TOP = 127  # a state's code is _TOP - distance if won, distance - _TOP if lost, 0 if drawn: an int8 holds it


class QuixoSolution(Solution):
    """The score of every state of the board, reachable or not, from a table of one byte a state.

    Attributes:
        table: int8 of shape (3 ** cells,), a code for each state; in the number of a state cell i is the digit of
            3 ** i: 0 blank, 1 of the player to move, 2 of the opponent.
    """

    game: Quixo

    def __init__(self, game: Quixo, table: NDArray[np.int8]) -> None:
        super().__init__(game)
        self.table = table
        self._numbers = _numbers(game)[0].astype(np.int64)

    @override
    def scores(self, words: NDArray[np.uint64]) -> NDArray[np.int16]:
        return _scores_of(self.table[self._numbers[words[:, 0]] + 2 * self._numbers[words[:, 1]]])

    @cached_property
    def counts(self) -> dict[str, int]:
        """How many of all 3 ** cells states are a ``win``, a ``draw`` and a ``loss``."""
        win, loss = (sum(self.counts_by_distance[value].values()) for value in ("win", "loss"))
        return {"win": win, "draw": len(self.table) - win - loss, "loss": loss}

    @cached_property
    def counts_by_distance(self) -> dict[str, dict[int, int]]:
        """The number of ``win`` and of ``loss`` states by their distance in plies."""
        states = _histogram(self.table)
        codes = np.arange(-128, 128, dtype=np.int8)[states > 0]
        return by_distance(dict(zip(_scores_of(codes).tolist(), states[states > 0].tolist(), strict=True)))


def state_count(game: Quixo) -> int:
    """How many states the board has, reachable or not."""
    count: int = 3**game.size**2
    return count


def solve_quixo(game: Quixo, *, progress: Progress | None = None) -> QuixoSolution:
    """Solve a board of at most 4 x 4 cubes.

    Args:
        game: the game.
        progress: see :data:`~ci_envs.solver.solution.Progress`.

    Raises:
        ValueError: the board is larger.
    """
    states = state_count(game)
    if game.size > MAX_SIZE:
        raise too_large(game, states, 1)
    table, numbers = np.zeros(states, dtype=np.int8), _numbers(game)
    longest = done = 0
    for a, b in _pairs(game):
        open_states = _class(game, a, b, numbers)
        if a != b:
            open_states = np.concatenate([open_states, _class(game, b, a, numbers)])
        longest = max(longest, _solve_pair(game, open_states, longest, numbers, table))
        done += _class_size(game, a, b) * (1 if a == b else 2)
        if progress:
            progress(done, states)
    return QuixoSolution(game, table)


class ReachableQuixo(Reachable):
    """The reachable positions of Quixo, found several times as fast with a mark for each state of the board."""

    game: Quixo

    @override
    def _enumerate(self, progress: Progress | None) -> NDArray[np.uint64]:
        states = state_count(self.game)
        if self.game.size > MAX_SIZE:
            raise too_large(self.game, states, 1)
        words = np.empty((states, 2), dtype=np.uint64)  # memory that is never written costs nothing
        numbers, seen = _numbers(self.game)[0].astype(np.int64), np.zeros(states, dtype=np.bool_)
        return words[: _reach(self.game, self.symmetries, numbers, seen, words)].copy()


class QuixoSolver(Solver[Quixo]):
    """Solves every state of the board once, and keeps the table in the user's cache directory."""

    @override
    def solve(self, game: Quixo, position: Position | None, progress: Progress | None) -> Solution:
        path = table_path(game)
        table = read_table(game, path)
        if table is not None:
            return QuixoSolution(game, table)
        solution = solve_quixo(game, progress=progress)
        try:
            write_table(game, solution.table, path)
        except OSError as error:
            warnings.warn(f"the table of {game} cannot be kept: {error}", RuntimeWarning, stacklevel=2)
        return solution

    @override
    def reachable(self, game: Quixo, progress: Progress | None) -> Reachable:
        return ReachableQuixo(game, progress=progress)


def _pairs(game: Quixo) -> Iterator[tuple[int, int]]:
    """The pairs of classes (a, b) and (b, a), each once, in the order in which they can be solved."""
    for cubes in range(game.size**2, -1, -1):
        for a in range(cubes // 2 + 1):
            yield a, cubes - a


def _class_size(game: Quixo, a: int, b: int) -> int:
    cells: int = game.size**2
    return comb(cells, a) * comb(cells - a, b)


def _numbers(game: Quixo) -> NDArray[np.int32]:
    """``numbers[s, mask]``: the sum of 3 ** cell over the images of a mask's cells under each symmetry."""
    masks = np.arange(1 << game.size**2)
    maps = cell_maps(game.size, game.size).astype(np.int64)
    return np.array([sum((masks >> cell & 1) * 3**to for cell, to in enumerate(cells)) for cells in maps], np.int32)


def _class(game: Quixo, a: int, b: int, numbers: NDArray[np.int32]) -> NDArray[np.uint64]:
    """States with ``a`` own and ``b`` of the opponent's cubes, rows (own, opp): one or more of each set of images.

    Of a set of images those are taken whose first word has the least number: of all but few sets just one.
    """
    cells = game.size**2
    masks = np.arange(1 << cells)
    cubes = sum(masks >> cell & 1 for cell in range(cells))
    own = masks[(numbers.min(axis=0) == numbers[0]) & (cubes == a)]
    states = np.empty((len(own) * comb(cells - a, b), 2), dtype=np.uint64)
    _fill_class(own.astype(np.uint64), np.uint64(b), np.uint64(masks[-1]), states)
    return states


def _solve_pair(
    game: Quixo, states: NDArray[np.uint64], longest: int, numbers: NDArray[np.int32], table: NDArray[np.int8]
) -> int:
    """Write the codes of all images of ``states`` and return the greatest distance among them.

    Distances up to ``longest`` occur in the classes that were solved before.
    """
    left, greatest, level = len(states), 0, 0
    while left and level <= max(longest, greatest) + 1:
        before, left = left, _solve_level(game, states, left, np.int64(level), numbers, table)
        if left < before:
            greatest = level
        level += 1
    return greatest


def _scores_of(codes: NDArray[np.int8]) -> NDArray[np.int16]:
    wide = codes.astype(np.int16)
    scores: NDArray[np.int16] = wide + np.sign(wide) * (HORIZON - _TOP)
    return scores


@kernel
def _histogram(table: Any) -> Any:
    states = np.zeros(256, dtype=np.int64)
    for code in table:
        states[code + 128] += 1
    return states


@kernel
def _fill_class(own_masks: Any, count: Any, full: Any, states: Any) -> None:
    n = 0
    for own in own_masks:
        free = full & ~own
        opp = np.uint64(0)
        while True:  # through all subsets of the free cells, ascending
            if popcount(opp) == count:
                states[n, 0], states[n, 1] = own, opp
                n += 1
            opp = (opp - free) & free
            if opp == np.uint64(0):
                break


@kernel
def _solve_level(game: Any, states: Any, left: Any, level: Any, numbers: Any, table: Any) -> Any:
    """Settle those of the first ``left`` states that end in ``level`` plies, and move the others to the front.

    Returns how many are left.
    """
    kept = 0
    for i in range(left):
        own, opp = states[i, 0], states[i, 1]
        code = _code(game, own, opp, level, numbers, table)
        if code:
            for s in range(len(numbers)):
                table[numbers[s, own] + 2 * numbers[s, opp]] = code
        else:
            states[kept, 0], states[kept, 1] = own, opp
            kept += 1
    return kept


@kernel
def _code(game: Any, own: Any, opp: Any, level: Any, numbers: Any, table: Any) -> Any:
    """``-> int``: the code of a state that is won or lost in ``level`` plies, 0 for any other."""
    outcome = result(game, own, opp)
    if outcome != ONGOING:
        return _TOP * outcome
    if level == 0:
        return 0
    least = np.int64(_TOP)  # the worst that the opponent can be left with
    for number in range(action_count(game)):
        action = np.uint64(number)
        if legal(game, own, opp, action):
            next_own, next_opp = play(game, own, opp, action)
            least = min(least, np.int64(table[numbers[0, next_own] + 2 * numbers[0, next_opp]]))
    settled = _TOP - level + 1  # codes of this size or more were known before this level
    if least <= -settled:
        return _TOP - level
    return level - _TOP if least >= settled else 0


@kernel
def _reach(game: Any, symmetries: Any, numbers: Any, seen: Any, words: Any) -> Any:
    """``-> int``: write one of each set of images into ``words`` and return how many; ``seen`` is False on entry.

    The number of a state has the digit of 3 ** i for cell i; ``numbers`` are those of each mask.
    """
    words[0] = 0
    seen[0] = True
    done, count = 0, 1
    while done < count:
        own, opp = words[done, 0], words[done, 1]
        for number in range(action_count(game)):
            action = np.uint64(number)
            if not legal(game, own, opp, action):
                continue
            next_own, next_opp = play(game, own, opp, action)
            if seen[numbers[next_own] + 2 * numbers[next_opp]] or result(game, next_own, next_opp) != ONGOING:
                continue
            for symmetry in symmetries:
                image_own, image_opp = transform(game, symmetry, next_own, next_opp)
                seen[numbers[image_own] + 2 * numbers[image_opp]] = True
            words[count, 0], words[count, 1] = next_own, next_opp
            count += 1
        done += 1
    return count
