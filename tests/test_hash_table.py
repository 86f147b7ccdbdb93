"""The hash table of compiled code, compared with a dictionary."""

import numpy as np
import pytest

from ci_envs.kernels.compiler import kernel
from ci_envs.kernels.hash_table import find_indexed_slot, find_slot, hash_of, home_slot

FREE = -1


@kernel
def home(own, opp, slots):
    return home_slot(own, opp, slots)


@kernel
def hashed(own, opp):
    return hash_of(own, opp)


@kernel
def slot_of(keys, marks, own, opp):
    return find_slot(keys[:, 0], keys[:, 1], marks, FREE, own, opp)


@kernel
def indexed_slot_of(keys, rows, own, opp):
    return find_indexed_slot(keys[:, 0], keys[:, 1], rows, FREE, own, opp)


def random_positions(count):
    words = np.random.default_rng(0).integers(2**64, size=(count, 2), dtype=np.uint64)
    words[::3, 1] = 0  # as on a shared board
    words[1::3, 0] = words[::3, 0][: len(words[1::3])]  # positions with a common word
    return np.unique(words, axis=0)


@pytest.mark.parametrize("slots", [64, 1024])
def test_a_full_but_for_one_slot_table_finds_every_position(slots):
    positions = random_positions(2 * slots)
    kept, absent = positions[: slots - 1], positions[slots - 1 :]
    keys, marks = np.zeros((slots, 2), np.uint64), np.full(slots, FREE)
    for number, (own, opp) in enumerate(kept):
        slot = slot_of(keys, marks, own, opp)
        assert marks[slot] == FREE
        keys[slot], marks[slot] = (own, opp), number
    assert [marks[slot_of(keys, marks, own, opp)] for own, opp in kept] == list(range(slots - 1))
    (free,) = np.flatnonzero(marks == FREE)
    assert {slot_of(keys, marks, own, opp) for own, opp in absent} == {free}


def test_rows_are_found_by_their_positions():
    positions = random_positions(300)
    rows = np.full(512, FREE, np.int32)
    for row, (own, opp) in enumerate(positions[:250]):
        slot = indexed_slot_of(positions, rows, own, opp)
        assert rows[slot] == FREE
        rows[slot] = row
    assert [rows[indexed_slot_of(positions, rows, own, opp)] for own, opp in positions[:250]] == list(range(250))
    assert {rows[indexed_slot_of(positions, rows, own, opp)] for own, opp in positions[250:]} == {FREE}


def test_probing_wraps_around_at_the_end():
    slots = 8
    last = [words for words in random_positions(200) if home(*words, slots) == slots - 1][:3]
    keys, marks = np.zeros((slots, 2), np.uint64), np.full(slots, FREE)
    found = []
    for own, opp in last:
        slot = slot_of(keys, marks, own, opp)
        keys[slot], marks[slot] = (own, opp), 0
        found.append(slot)
    assert found == [7, 0, 1]


def test_the_hash_is_the_one_of_its_formula():
    mask = 2**64 - 1
    for own, opp in random_positions(100).tolist():
        mixed = (own * 0x9E3779B97F4A7C15 & mask) ^ (opp * 0xC2B2AE3D27D4EB4F & mask)
        expected = ((mixed ^ mixed >> 29) * 0xBF58476D1CE4E5B9 & mask) >> 20
        assert hashed(np.uint64(own), np.uint64(opp)) == expected


def test_similar_positions_spread_over_the_slots():
    stones = [(np.uint64(1 << a), np.uint64(1 << b)) for a in range(36) for b in range(36) if a != b]
    used = np.bincount([home(own, opp, 256) for own, opp in stones], minlength=256)
    expected = len(stones) / 256
    assert abs(((used - expected) ** 2 / expected).sum() - 255) < 4 * np.sqrt(2 * 255)
