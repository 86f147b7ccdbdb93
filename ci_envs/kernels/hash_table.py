"""Hash tables of positions inside compiled code.

A table has a power of two of slots. What a slot holds is the caller's own layout, so each table keeps its keys next to
what is read with them. There are two kinds:

* An exact table keeps every position that is entered, by open addressing with linear probing: :func:`find_slot`, and
  :func:`find_indexed_slot` where the slots hold the numbers of rows. It must never be full.
* A cache keeps the latest position of each :func:`home_slot` and forgets the one before. The caller compares the key.

Knuth, "The Art of Computer Programming" 3, section 6.4, describes both.
"""

from typing import Any

import numpy as np

from ci_envs.kernels.compiler import inline_kernel


@inline_kernel
def hash_of(own: Any, opp: Any) -> Any:
    """``-> uint64``: 44 well-mixed bits of a position (the finaliser of SplitMix64)."""
    mixed = (own * np.uint64(0x9E3779B97F4A7C15)) ^ (opp * np.uint64(0xC2B2AE3D27D4EB4F))
    return ((mixed ^ (mixed >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)) >> np.uint64(20)


@inline_kernel
def home_slot(own: Any, opp: Any, slots: Any) -> Any:
    """``-> uint64``: the slot of a position in a table of ``slots`` slots, where probing begins."""
    return hash_of(own, opp) & np.uint64(slots - 1)


@inline_kernel
def find_slot(own_keys: Any, opp_keys: Any, marks: Any, free: Any, own: Any, opp: Any) -> Any:
    """``-> uint64``: the slot that holds a position, or the free slot where the position belongs.

    Args:
        own_keys: First word of the position in each slot, uint64 of shape (slots,).
        opp_keys: Second word, uint64 of shape (slots,).
        marks: Any array of shape (slots,) that tells which slots are free.
        free: The mark of a free slot.
        own: First word of the position.
        opp: Second word.
    """
    last = np.uint64(len(marks) - 1)
    slot = home_slot(own, opp, len(marks))
    while marks[slot] != free and (own_keys[slot] != own or opp_keys[slot] != opp):
        slot = (slot + np.uint64(1)) & last
    return slot


@inline_kernel
def find_indexed_slot(own_keys: Any, opp_keys: Any, rows: Any, free: Any, own: Any, opp: Any) -> Any:
    """``-> uint64``: as :func:`find_slot`, in a table whose slots hold the rows of the keys.

    Args:
        own_keys: First word of each position, uint64 of shape (positions,).
        opp_keys: Second word, uint64 of shape (positions,).
        rows: The row of the position in each slot, integers of shape (slots,).
        free: What ``rows`` holds in a free slot.
        own: First word of the position.
        opp: Second word.
    """
    last = np.uint64(len(rows) - 1)
    slot = home_slot(own, opp, len(rows))
    while rows[slot] != free and (own_keys[rows[slot]] != own or opp_keys[rows[slot]] != opp):
        slot = (slot + np.uint64(1)) & last
    return slot
