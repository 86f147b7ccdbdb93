"""Sweeps of Quixo's tables by a device of PyTorch: the values are those of the threads."""

from functools import cache

import numpy as np
import pytest

from ci_envs import Quixo
from ci_envs.solver.quixo_classes import pack
from ci_envs.solver.quixo_device import DeviceSweeper
from ci_envs.solver.quixo_pairs import Sweeper, solve_pair
from ci_envs.solver.quixo_ranking import class_index
from ci_envs.solver.quixo_store import QuixoStore


@cache
def on_device(size):
    return DeviceSweeper(Quixo(size), "cpu")


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.glob("*.values")}


@pytest.mark.parametrize(("size", "cubes", "states"), [(2, 0, 7), (3, 0, 500), (4, 14, 1 << 18)])
def test_the_files_are_those_of_the_threads(size, cubes, states, tmp_path, monkeypatch):
    monkeypatch.setattr(Sweeper, "states_in_part", states)
    game, files = Quixo(size), []
    for name, sweeper in (("threads", None), ("device", on_device(size))):
        QuixoStore(game, tmp_path / name).compute(cubes, threads=2, sweeper=sweeper)
        files.append(contents(tmp_path / name))
    assert files[0] == files[1]
    assert len(files[0]) == sum(count + 1 for count in range(cubes, size**2 + 1))


@pytest.mark.parametrize("pair", [(4, 21), (3, 21), (22, 2)])
def test_a_pair_of_classes_of_5x5_has_the_values_of_the_threads(pair):
    game, (a, b) = Quixo(5), pair
    above, filled = solved(game, (b, a + 1)) | solved(game, (a, b + 1)) if a + b < 25 else {}, {}
    for cls, values in above.items():
        filled[cls] = np.empty(-(-len(values) // 4), dtype=np.uint8)
        pack(values, filled[cls])
    expected, found = solved(game, pair, filled), solved(game, pair, filled, on_device(5))
    for cls in expected:
        np.testing.assert_array_equal(found[cls] & 3, expected[cls] & 3)


def solved(game, pair, filled=None, sweeper=None):
    """Return the bytes of the classes of a pair. Classes with fewer cubes than the full board need ``filled``."""
    a, b = pair
    values = {cls: np.zeros(class_index(game, *cls).size, dtype=np.uint8) for cls in {(a, b), (b, a)}}
    solve_pair(game, values, filled or {}, sweeper=sweeper)
    return values


class PausedError(Exception):
    """Raised by a report of progress."""


def test_threads_continue_what_a_device_has_begun(tmp_path, monkeypatch):
    monkeypatch.setattr(Sweeper, "states_in_part", 500)
    game, calls = Quixo(3), 0

    def stop(*_):
        nonlocal calls
        calls += 1
        if calls == 40:
            raise PausedError

    store = QuixoStore(game, tmp_path / "stopped")
    with pytest.raises(PausedError):
        store.compute(sweeper=on_device(3), progress=stop)
    begun = len(contents(store.folder))
    assert 0 < begun < 55
    assert list(store.folder.glob(".*.work"))
    store.compute(threads=2)
    whole = QuixoStore(game, tmp_path / "whole")
    whole.compute()
    assert contents(store.folder) == contents(whole.folder)
