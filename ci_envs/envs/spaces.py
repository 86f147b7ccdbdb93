"""Action spaces of board games: Gymnasium's spaces with fast masked sampling."""

from typing import Any

import numpy as np
from gymnasium.spaces import Discrete, MultiDiscrete
from numpy.typing import NDArray
from typing_extensions import override

from ci_envs.kernels.bits import nth_one, popcount
from ci_envs.kernels.compiler import kernel, specialised
from ci_envs.kernels.random_numbers import random_below


@kernel
def _sample(mask: Any, actions: Any, state: Any) -> Any:
    count = 0
    for legal in mask:
        count += legal != 0
    if len(mask) != actions:
        return -1
    if count == 0:
        return 0
    index, state[0] = random_below(state[0], count)
    action = 0
    while index > 0 or mask[action] == 0:
        index -= np.uint64(mask[action] != 0)
        action += 1
    return action


# compiled for masks with any strides
_draw = specialised(_sample, np.zeros(4, np.int8)[::2], 0, np.zeros(1, np.uint64))


class MaskedDiscrete(Discrete[np.int64]):
    """The actions 0 to ``n - 1``: ``Discrete`` with a ``sample(mask)`` that takes about 0.5 us instead of 20 us.

    The samples are uniform, but differ from those of ``Discrete`` with the same seed.
    """

    _state: NDArray[np.uint64] | None = None

    def __init__(self, n: int, seed: int | None = None) -> None:
        super().__init__(n, seed)
        self._count = n
        self._numbers = np.arange(n)  # indexing is the fastest way to get an np.int64

    def seed(self, seed: int | None = None) -> Any:
        """Seed the sampler."""
        self._state = None
        return super().seed(seed)

    @override
    def contains(self, x: Any) -> bool:
        try:
            return super().contains(x)
        except OverflowError:  # Gymnasium 1.2 converts the number to int64 first
            return False

    def sample(self, mask: NDArray[np.int8] | None = None, probability: Any = None) -> np.int64:
        """Return a random action: uniform, uniform over the ones of ``mask``, or by ``probability``.

        Args:
            mask: int8, uint8 or bool of shape (n,), zeros and ones. All zeros give 0, as in ``Discrete``.
            probability: see ``Discrete``.

        Raises:
            ValueError: ``mask`` has another shape or type.
        """
        if mask is None or probability is not None:
            return super().sample(mask, probability)
        if self._state is None:
            self._state = self.np_random.integers(2**64, size=1, dtype=np.uint64)
        try:
            action = _draw(mask, self._count, self._state) if mask.ndim == 1 else -1
        except (AttributeError, TypeError):  # not an array, or an array of another dtype
            action = -1
        if action < 0:
            raise ValueError(f"the mask of {self} must be a bool or int8 array of shape ({self.n},), not {mask!r}")
        number: np.int64 = self._numbers[action]
        return number


@kernel
def _sample_rows(rows: Any, state: Any, actions: Any) -> None:
    for i in range(len(rows)):
        mask = rows[i].mask
        if len(mask) > 64:
            actions[i] = _sample(mask, len(mask), state)
            continue
        word = np.uint64(0)
        for number in range(len(mask)):
            word |= np.uint64(mask[number] != 0) << np.uint64(number)
        index, state[0] = random_below(state[0], popcount(word))
        actions[i] = nth_one(word, index) if word else 0


class MaskedMultiDiscrete(MultiDiscrete):
    """One action from 0 to ``n - 1`` for each of several boards: ``MultiDiscrete`` with a fast ``sample(masks)``."""

    _state: NDArray[np.uint64] | None = None

    def __init__(self, n: int, boards: int, seed: int | None = None) -> None:
        super().__init__(np.full(boards, n, dtype=np.int64), seed=seed)
        self._row = np.dtype([("mask", np.int8, (n,))])  # so that compiled code knows the length of a row

    def seed(self, seed: Any = None) -> Any:
        """Seed the sampler."""
        self._state = None
        return super().seed(seed)

    def sample(self, mask: Any = None, probability: Any = None) -> NDArray[np.int64]:
        """Return random actions, int64 of shape (boards,).

        Args:
            mask: int8, uint8 or bool of shape (boards, n), ones for the actions to draw from. A row of zeros gives 0. A
                tuple has the same meaning as in ``MultiDiscrete``.
            probability: see ``MultiDiscrete``.

        Raises:
            ValueError: ``mask`` has another shape or type.
        """
        if not isinstance(mask, np.ndarray) or probability is not None:
            return super().sample(mask, probability)
        shape = len(self.nvec), self._row.itemsize
        if mask.shape != shape or mask.dtype not in (np.int8, np.uint8, np.bool_):
            raise ValueError(f"the masks must be a bool or int8 array of shape {shape}, not {mask.dtype} {mask.shape}")
        if self._state is None:
            self._state = self.np_random.integers(2**64, size=1, dtype=np.uint64)
        actions = np.empty(len(mask), dtype=np.int64)
        _sample_rows(np.ascontiguousarray(mask).view(self._row)[:, 0], self._state, actions)
        return actions
