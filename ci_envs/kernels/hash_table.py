"""Hash tables of positions in compiled code.

The number of slots of a table is a power of two. The caller defines the contents of a slot, so each table stores its
keys next to the data that are read with them. There are two kinds:

* An exact table stores every inserted position, by open addressing with linear probing: :func:`find_slot`, or
  :func:`find_indexed_slot` if the slots contain row numbers. It must never be full.
* A cache stores the latest position of each :func:`home_slot`, and overwrites the previous one. The caller compares the
  key.

Knuth, "The Art of Computer Programming" 3, section 6.4, describes both.
"""

from typing import Any

import numpy as np

from ci_envs.kernels.compiler import inline_kernel


@inline_kernel
def hash_of(own: Any, opp: Any) -> Any:
    """Return 44 well-mixed bits of a position (the finaliser of SplitMix64)."""
    mixed = (own * np.uint64(0x9E3779B97F4A7C15)) ^ (opp * np.uint64(0xC2B2AE3D27D4EB4F))
    return ((mixed ^ (mixed >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)) >> np.uint64(20)


@inline_kernel
def home_slot(own: Any, opp: Any, slots: Any) -> Any:
    """Return the slot where probing for a position begins, in a table of ``slots`` slots."""
    return hash_of(own, opp) & np.uint64(slots - 1)


@inline_kernel
def find_slot(own_keys: Any, opp_keys: Any, marks: Any, free: Any, own: Any, opp: Any) -> Any:
    """Return the slot that contains a position, or the free slot where it can be inserted.

    Args:
        own_keys: First word of the position in each slot, uint64 of shape (slots,).
        opp_keys: Second word of the position in each slot, uint64 of shape (slots,).
        marks: Any array of shape (slots,) that tells which slots are free.
        free: The mark of a free slot.
        own: First word of the position.
        opp: Second word of the position.
    """
    last = np.uint64(len(marks) - 1)
    slot = home_slot(own, opp, len(marks))
    while marks[slot] != free and (own_keys[slot] != own or opp_keys[slot] != opp):
        slot = (slot + np.uint64(1)) & last
    return slot


@inline_kernel
def find_indexed_slot(own_keys: Any, opp_keys: Any, rows: Any, free: Any, own: Any, opp: Any) -> Any:
    """Return the slot of a position as :func:`find_slot` does, in a table whose slots contain the rows of the keys.

    Args:
        own_keys: First word of each position, uint64 of shape (positions,).
        opp_keys: Second word of each position, uint64 of shape (positions,).
        rows: The row of the position in each slot, integers of shape (slots,).
        free: The value of ``rows`` for a free slot.
        own: First word of the position.
        opp: Second word of the position.
    """
    last = np.uint64(len(rows) - 1)
    slot = home_slot(own, opp, len(rows))
    while rows[slot] != free and (own_keys[rows[slot]] != own or opp_keys[rows[slot]] != opp):
        slot = (slot + np.uint64(1)) & last
    return slot
