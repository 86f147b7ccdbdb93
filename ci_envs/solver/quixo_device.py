"""The sweeps of a pair of classes of Quixo's states by a device of PyTorch, such as a GPU.

The operations are those of :mod:`ci_envs.solver.quixo_classes`, for many states at once. All words, places and ranks
are int64. At the start of each sweep the device gets the values of the pair as they are. After each part its bytes are
written back to the tables, so that an interrupted computation loses at most one part.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from typing_extensions import override

from ci_envs.games.grid import lines_of
from ci_envs.games.quixo import Quixo, push_masks, slide_cubes
from ci_envs.kernels.bits import bit_counts
from ci_envs.solver.quixo_classes import DRAWN, LOST, SAVED, VALUE_BITS, WON, Class, ClassTables
from ci_envs.solver.quixo_pairs import Part, Sweeper, Swept, listed_states
from ci_envs.solver.quixo_ranking import CHUNK, IS_SYMMETRIC, LOW, ROW_BITS, SYMMETRY, Ranking, ranking_of

_STATES_ON_GPU = 1 << 22  # a part of this size keeps a GPU busy, and needs 2 GB for intermediate results


class _Move(NamedTuple):
    """The masks of an action: a row of :func:`~ci_envs.games.quixo.push_masks`."""

    stay: int
    slide: int
    inserted: int
    left: int
    right: int
    taken: int

    def play(self, own: Tensor, opp: Tensor) -> tuple[Tensor, Tensor]:
        """Return the states after the action."""
        slide = cast(Any, slide_cubes).py_func
        masks = self.stay, self.slide, self.left, self.right
        return slide(opp, *masks), slide(own, *masks) | self.inserted


class _DeviceTables(NamedTuple):
    """The tables of a class (a, b) on a device: :class:`~ci_envs.solver.quixo_classes.ClassTables` as tensors.

    Attributes:
        masks: The masks of the opponent's cubes in the free cells, ascending, shape (columns,).
    """

    representatives: Tensor
    images: Tensor
    masks: Tensor
    full: int
    columns: int
    offsets: Tensor
    values: Tensor
    turned: Tensor
    turned_columns: int
    turned_offsets: Tensor
    filled: Tensor
    filled_columns: int
    filled_offsets: Tensor


class DeviceSweeper(Sweeper):
    """Makes the sweeps by a device."""

    def __init__(self, game: Quixo, device: str) -> None:
        """Send the tables of the board to the device.

        Args:
            game: The game.
            device: The name of the device, for example ``cuda``.
        """
        self._game, self._device = game, torch.device(device)
        self._ranks = _Ranks(game, self._device)
        self._moves = [_Move(*map(int, row)) for row in push_masks(game.size)]
        self._lines = lines_of(*game.shape)
        if self._device.type == "cuda":
            self.states_in_part = _STATES_ON_GPU

    @override
    def start(self, tables: Mapping[Class, ClassTables]) -> None:
        self._tables = tables
        self._classes = {cls: self._class_on_device(table) for cls, table in tables.items()}

    @override
    def sweep(self, first: bool, parts: Sequence[Part], report: Callable[[int], None]) -> Iterator[tuple[Part, Swept]]:
        values = {cls: self._sent(table.values) for cls, table in self._tables.items()}
        for done, part in enumerate(parts):
            report(done)
            tables = self._classes[part.cls]._replace(values=values[part.cls], turned=values[part.cls[::-1]])
            yield part, self._sweep_part(tables, part, first)

    def _sweep_part(self, tables: "_DeviceTables", part: Part, first: bool) -> Swept:
        """Visit the unknown states of a part, and write their values on the device and into the tables."""
        ranks = part.ranks(self._tables[part.cls])
        known = tables.values[ranks] & int(VALUE_BITS)
        numbers = torch.nonzero(known == DRAWN).flatten() + ranks.start
        rows = numbers // tables.columns
        own = tables.representatives[rows]
        opp = _deposited(tables.masks[numbers % tables.columns], tables.full & ~own, self._game.size**2)
        used = self._are_used(tables, rows, own, opp, numbers)
        numbers, own, opp = numbers[used], own[used], opp[used]
        values = self._values(tables, own, opp, tables.values[numbers], first)
        tables.values[numbers] = values
        self._tables[part.cls].values[ranks] = tables.values[ranks].cpu().numpy()
        new = (values & int(VALUE_BITS)) != DRAWN
        found = int(new.sum())
        states = None
        if found <= listed_states(self._tables[part.cls], first, part.rows):
            states = torch.stack([own[new], opp[new]], dim=1).cpu().numpy().astype(np.uint32)
        return Swept(found, len(values) - found, states)

    def _are_used(self, tables: "_DeviceTables", rows: Tensor, own: Tensor, opp: Tensor, numbers: Tensor) -> Tensor:
        """Return whether each number is the rank of its state."""
        used = torch.ones_like(numbers, dtype=torch.bool)
        symmetric = torch.nonzero(tables.images[rows] < self._ranks.symmetries).flatten()
        places = self._ranks.of(own[symmetric], opp[symmetric], tables.columns, tables.offsets)
        used[symmetric] = places == numbers[symmetric]
        return used

    def _values(self, tables: "_DeviceTables", own: Tensor, opp: Tensor, known: Tensor, first: bool) -> Tensor:
        """Return what is known of each state: its value, or the bit ``SAVED``, or 0."""
        saved = (known & int(SAVED)) != 0
        won, lost = (self._have_line(cubes) if first else torch.zeros_like(saved) for cubes in (own, opp))
        lost &= ~won
        over, only_lost_moves = won | lost, torch.ones_like(saved)
        for move in self._moves:
            states = torch.nonzero(((own & move.taken) != 0) & ~over & ~won).flatten()
            next_own, next_opp = move.play(own[states], opp[states])
            places = self._ranks.of(next_own, next_opp, tables.turned_columns, tables.turned_offsets)
            values = tables.turned[places] & int(VALUE_BITS)
            won[states] |= values == LOST
            only_lost_moves[states] &= values != DRAWN
            if not first:
                continue
            states = torch.nonzero((((own | opp) & move.taken) == 0) & ~over & ~won).flatten()
            next_own, next_opp = move.play(own[states], opp[states])
            places = self._ranks.of(next_own, next_opp, tables.filled_columns, tables.filled_offsets)
            values = _unpacked(tables.filled, places)
            won[states] |= values == LOST
            saved[states] |= values == DRAWN
        lost |= only_lost_moves & ~saved & ~won & ~over
        values = torch.where(saved, int(SAVED), DRAWN).to(torch.uint8)
        values[won], values[lost] = WON, LOST
        return values

    def _have_line(self, cubes: Tensor) -> Tensor:
        found = torch.zeros_like(cubes, dtype=torch.bool)
        for line in self._lines:
            found |= (cubes & line) == line
        return found

    def _class_on_device(self, tables: ClassTables) -> "_DeviceTables":
        free, cubes = self._game.size**2 - int(tables.cubes), int(tables.first).bit_count()
        masks = np.flatnonzero(bit_counts(np.arange(1 << free, dtype=np.uint64)) == cubes)
        return _DeviceTables(
            self._sent(tables.representatives),
            self._sent(tables.images),
            self._sent(masks),
            int(tables.full),
            tables.columns,
            self._sent(tables.offsets),
            torch.empty(0),
            torch.empty(0),
            tables.turned_columns,
            self._sent(tables.turned_offsets),
            self._sent(tables.filled),
            tables.filled_columns,
            self._sent(tables.filled_offsets),
        )

    def _sent(self, array: NDArray[Any]) -> Tensor:
        return _sent(array, self._device)


class _Ranks:
    """The ranks of states, as :func:`~ci_envs.solver.quixo_ranking.rank` computes them.

    Attributes:
        symmetries: The number of symmetries of the board.
    """

    def __init__(self, game: Quixo, device: torch.device) -> None:
        ranking: Ranking = ranking_of(game)
        cells = game.size**2
        self.symmetries, self._chunks = ranking.images.shape[:2]
        self._full, self._half = (1 << cells) - 1, -(-cells // 2)
        self._orbits = torch.from_numpy(ranking.orbits.view(np.int32)).to(device)
        self._images = _sent(ranking.images.ravel(), device)
        self._low_numbers = _sent(ranking.low_numbers, device)
        self._bits, self._counts = _bit_tables(self._half, device)

    def of(self, own: Tensor, opp: Tensor, columns: int, offsets: Tensor) -> Tensor:
        """Return the ranks of states in their class.

        Args:
            own: The first words of the states.
            opp: The second words.
            columns: The attribute ``columns`` of the :class:`~ci_envs.solver.quixo_ranking.ClassIndex` of the class.
            offsets: The attribute ``offsets`` of this index.
        """
        orbits = self._orbits[own]
        symmetry = (orbits & int(SYMMETRY)).long()
        representative, opponent = self._image(symmetry, own), self._image(symmetry, opp)
        numbers = self._numbers(offsets, opponent, representative)
        symmetric = torch.nonzero(orbits & int(IS_SYMMETRIC)).flatten()
        if len(symmetric):
            numbers[symmetric] = self._least_numbers(
                offsets, numbers[symmetric], opponent[symmetric], representative[symmetric]
            )
        return (orbits >> int(ROW_BITS)).long() * columns + numbers

    def _least_numbers(self, offsets: Tensor, numbers: Tensor, opponent: Tensor, representative: Tensor) -> Tensor:
        """Return the smallest numbers of the images of states under the symmetries that keep the representative."""
        for number in range(1, self.symmetries):
            symmetry = torch.full_like(numbers, number)
            turned = self._numbers(offsets, self._image(symmetry, opponent), representative)
            same = self._image(symmetry, representative) == representative
            numbers = torch.where(same, torch.minimum(numbers, turned), numbers)
        return numbers

    def _image(self, symmetry: Tensor, mask: Tensor) -> Tensor:
        """Return the images of masks, each under its own symmetry."""
        found = torch.zeros_like(mask)
        for chunk in range(self._chunks):
            bits = (mask >> (CHUNK * chunk)) & ((1 << CHUNK) - 1)
            found |= self._images[((symmetry * self._chunks + chunk) << CHUNK) | bits]
        return found

    def _numbers(self, offsets: Tensor, mask: Tensor, representative: Tensor) -> Tensor:
        """Return the numbers of masks of free cells among the masks with equally many bits."""
        free, low = self._full & ~representative, (1 << self._half) - 1
        first = self._bits[((free & low) << self._half) | (mask & low)].long()
        second = self._bits[((free >> self._half) << self._half) | (mask >> self._half)].long()
        bits = first | (second << self._counts[free & low])
        return offsets[bits >> LOW] + self._low_numbers[bits & ((1 << LOW) - 1)]


def _sent(array: NDArray[Any], device: torch.device) -> Tensor:
    """Return an array on a device: bytes as they are, other numbers as int64."""
    return torch.tensor(np.asarray(array) if array.dtype == np.uint8 else array.astype(np.int64), device=device)


def _bit_tables(count: int, device: torch.device) -> tuple[Tensor, Tensor]:
    """Return tables for masks of ``count`` bits.

    Returns:
        The bits of ``mask`` at the set bits of ``free``, moved together to the lowest places, int16 with the index
        (free << count) | mask; and the number of bits of each mask, int64.
    """
    masks = torch.arange(1 << count, dtype=torch.int16, device=device)
    counts = torch.zeros(1 << count, dtype=torch.int16, device=device)
    table = torch.zeros((1 << count, 1 << count), dtype=torch.int16, device=device)
    for place in range(count):
        is_free = (masks >> place) & 1
        table |= (is_free[:, None] & is_free[None, :]) << counts[:, None]
        counts += is_free
    return table.flatten(), counts.long()


def _deposited(words: Tensor, masks: Tensor, cells: int) -> Tensor:
    """Return the words whose bits at the set bits of each mask, from the lowest, are the lowest bits of each word."""
    found = torch.zeros_like(words)
    for cell in range(cells):
        is_set = (masks >> cell) & 1
        found |= (words & is_set) << cell
        words = words >> is_set
    return found


def _unpacked(packed: Tensor, numbers: Tensor) -> Tensor:
    """Return packed values by their numbers (:func:`~ci_envs.solver.quixo_classes.unpacked`)."""
    return (packed[numbers >> 2] >> ((numbers & 3) << 1).to(torch.uint8)) & int(VALUE_BITS)
