"""The solution of Quixo on 2 x 2 to 4 x 4 cubes, for all states of the board.

Method: Tanaka, Bonnet, Tixeuil and Tamura, "Quixo Is Solved", Advances in Computer Games 2021, without its techniques
to reduce disk space. A move takes an own cube, which does not change the numbers of cubes, or a blank cube, which adds
one own cube. Therefore the classes of states with a cubes of the player to move and b cubes of the opponent are solved
from the full board down. Moves lead from class (a, b) to class (b, a) and back, so these two classes are solved
together, and play between them can cycle. Level n contains the states that are won or lost in exactly n plies. It is
computed from the levels before it. The states that are in no level are draws, because no player can force an end.
"""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from math import comb
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from ci_envs.games.board import cell_maps
from ci_envs.games.operations import ONGOING, action_count, legal, play, result, transform
from ci_envs.games.position import Position
from ci_envs.games.quixo import Quixo
from ci_envs.kernels.bits import popcount
from ci_envs.kernels.compiler import kernel
from ci_envs.kernels.dispatch import Static, implements
from ci_envs.solver.enumeration import Reachable
from ci_envs.solver.known_value import CompiledSource, known_value
from ci_envs.solver.quixo_included import included_store, store_named
from ci_envs.solver.quixo_ranking import class_size
from ci_envs.solver.quixo_store import MAX_STORED_SIZE, QuixoStore, StoreSolution, open_store, store_folder
from ci_envs.solver.solution import HORIZON, CountedSolution, Progress, Solution, too_large
from ci_envs.solver.solver import Solver
from ci_envs.solver.table_file import read_table, write_table

MAX_SIZE = 4

_PUBLISHED = (  # Tanaka, Bonnet, Tixeuil, Tamura, "Quixo Is Solved", 2021
    ("...../...../...../...../..... X", 0),
    ("XX..O/...../...../...../..... X", 1),
    ("OOOO./...../...X./...../..XXX X", -1),
)

_TOP = 127  # the code of a state is _TOP - distance if won, distance - _TOP if lost, 0 if drawn, which fits in int8


class QuixoSolution(CountedSolution):
    """The scores of all states of the board, reachable or not, from a table of one byte per state.

    Attributes:
        table: int8 of shape (3 ** cells,), a code for each state. In the number of a state, cell i is the digit of
            3 ** i: 0 is blank, 1 is a cube of the player to move, 2 is a cube of the opponent.
    """

    game: Quixo

    def __init__(self, game: Quixo, table: NDArray[np.int8]) -> None:
        super().__init__(game)
        self.table = table
        self._numbers = _numbers(game)[0].astype(np.int64)

    @override
    def scores(self, words: NDArray[np.uint64]) -> NDArray[np.int16]:
        return _scores_of(self.table[self._numbers[words[:, 0]] + 2 * self._numbers[words[:, 1]]])

    @override
    def compiled(self) -> CompiledSource:
        return TableSource(), self.table, self._numbers

    @cached_property
    @override
    def states_by_score(self) -> dict[int, int]:
        """The number of states with each score, among all 3 ** cells states."""
        states = _histogram(self.table)
        codes = np.arange(-128, 128, dtype=np.int8)[states > 0]
        return dict(zip(_scores_of(codes).tolist(), states[states > 0].tolist(), strict=True))


@dataclass(frozen=True)
class TableSource(Static):
    """The compiled source of a :class:`QuixoSolution`: ``(TableSource(), table, numbers)``."""


@implements(known_value, TableSource)
def _(source: TableSource) -> Any:
    def kernel(source: Any, own: Any, opp: Any) -> Any:
        _, table, numbers = source
        return np.int64(np.sign(table[numbers[own] + 2 * numbers[opp]]))

    return kernel


def state_count(game: Quixo) -> int:
    """Return the number of states of the board, reachable or not."""
    count: int = 3**game.size**2
    return count


def solve_quixo(game: Quixo, *, progress: Progress | None = None) -> QuixoSolution:
    """Solve a board of at most 4 x 4 cubes.

    Args:
        game: the game.
        progress: see :data:`~ci_envs.solver.solution.Progress`.

    Raises:
        ValueError: the board is larger than 4 x 4.
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
        done += class_size(game.size**2, a, b) * (1 if a == b else 2)
        if progress:
            progress(done, states)
    return QuixoSolution(game, table)


class ReachableQuixo(Reachable):
    """The reachable positions of Quixo, found several times as fast with a flag for each state of the board."""

    game: Quixo

    @override
    def _enumerate(self, progress: Progress | None) -> NDArray[np.uint64]:
        states = state_count(self.game)
        if self.game.size > MAX_SIZE:
            raise too_large(self.game, states, 1)
        words = np.empty((states, 2), dtype=np.uint64)  # memory that is never written is never allocated
        numbers, seen = _numbers(self.game)[0].astype(np.int64), np.zeros(states, dtype=np.bool_)
        return words[: _reach(self.game, self.symmetries, numbers, seen, words)].copy()


class QuixoSolver(Solver[Quixo]):
    """Solver that computes all states of the board once, and stores the table in the user's cache directory.

    A larger board has the values of a store (:mod:`ci_envs.solver.quixo_store`), or else those of the tables in the
    package (:mod:`ci_envs.solver.quixo_included`).
    """

    @override
    def solve(self, game: Quixo, position: Position | None, progress: Progress | None) -> Solution:
        store = _store_of(game)
        if store is not None:
            return StoreSolution(store)
        table = read_table(game)
        if table is not None:
            return QuixoSolution(game, table)
        solution = solve_quixo(game, progress=progress)
        try:
            write_table(game, solution.table)
        except OSError as error:
            warnings.warn(f"the table of {game} cannot be stored: {error}", RuntimeWarning, stacklevel=2)
        return solution

    @override
    def stored(self, game: Quixo, name: str) -> Solution:
        return StoreSolution(store_named(game, name))

    @override
    def levels(self, game: Quixo, folder: Path) -> QuixoStore:
        return open_store(game, folder)

    @override
    def published(self, game: Quixo) -> tuple[tuple[str, int], ...]:
        return _PUBLISHED if game == Quixo(5) else ()

    @override
    def is_quick(self, position: Position) -> bool:
        game = cast(Quixo, position.game)
        store = _store_of(game)
        if store is None:
            return game.size <= MAX_SIZE
        return bool(store.covers(np.array([[position.own, position.opp]], np.uint64)).all())

    @override
    def reachable(self, game: Quixo, progress: Progress | None) -> Reachable:
        return ReachableQuixo(game, progress=progress)

    @override
    def sample_positions(
        self, game: Quixo, n: int, rng: np.random.Generator, progress: Progress | None
    ) -> NDArray[np.uint64]:
        store = _store_of(game)
        if store is None:
            return super().sample_positions(game, n, rng, progress)
        return StoreSolution(store).sample_positions(n, rng)

    @override
    def sampling_method(self, game: Quixo) -> str:
        store = _store_of(game)
        if store is None:
            return super().sampling_method(game)
        return f"sampled uniformly from the states with at least {store.cubes} cubes that are not over"


def _store_of(game: Quixo) -> QuixoStore | None:
    """Return the store of a board that is too large for a table in memory, or None if there is none."""
    if not MAX_SIZE < game.size <= MAX_STORED_SIZE:
        return None
    folder = store_folder()
    store = open_store(game, folder) if folder else None
    return store if store and store.cubes is not None else included_store(game)


def _pairs(game: Quixo) -> Iterator[tuple[int, int]]:
    """Yield the pairs of classes (a, b) and (b, a), each once, in the order in which they can be solved."""
    for cubes in range(game.size**2, -1, -1):
        for a in range(cubes // 2 + 1):
            yield a, cubes - a


def _numbers(game: Quixo) -> NDArray[np.int32]:
    """Return ``numbers[s, mask]``: the sum of 3 ** cell over the images of a mask's cells under each symmetry."""
    masks = np.arange(1 << game.size**2)
    maps = cell_maps(game.size, game.size).astype(np.int64)
    return np.array([sum((masks >> cell & 1) * 3**to for cell, to in enumerate(cells)) for cells in maps], np.int32)


def _class(game: Quixo, a: int, b: int, numbers: NDArray[np.int32]) -> NDArray[np.uint64]:
    """Return states with ``a`` own cubes and ``b`` cubes of the opponent, one or a few of each set of symmetric states.

    They are the states whose first word has the smallest number among its images. For most sets this is one state.
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
    """Write the codes of all images of ``states``, and return their largest distance.

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
        while True:  # all subsets of the free cells in ascending order
            if popcount(opp) == count:
                states[n, 0], states[n, 1] = own, opp
                n += 1
            opp = (opp - free) & free
            if opp == np.uint64(0):
                break


@kernel
def _solve_level(game: Any, states: Any, left: Any, level: Any, numbers: Any, table: Any) -> Any:
    """Write the codes of the states that end in ``level`` plies, and move the others of the first ``left`` forward.

    Returns:
        The number of the other states.
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
    """Return the code of a state that is won or lost in ``level`` plies, and 0 for other states."""
    outcome = result(game, own, opp)
    if outcome != ONGOING:
        return _TOP * outcome
    if level == 0:
        return 0
    least = np.int64(_TOP)  # the worst code that the opponent can get
    for number in range(action_count(game)):
        action = np.uint64(number)
        if legal(game, own, opp, action):
            next_own, next_opp = play(game, own, opp, action)
            least = min(least, np.int64(table[numbers[0, next_own] + 2 * numbers[0, next_opp]]))
    settled = _TOP - level + 1  # smallest absolute value of codes that were known before this level
    if least <= -settled:
        return _TOP - level
    return level - _TOP if least >= settled else 0


@kernel
def _reach(game: Any, symmetries: Any, numbers: Any, seen: Any, words: Any) -> Any:
    """Write one of each set of symmetric reachable states into ``words``, and return their number.

    ``seen`` must be False before the call. The number of a state has the digit of 3 ** i for cell i. ``numbers``
    contains the numbers of the masks.
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
