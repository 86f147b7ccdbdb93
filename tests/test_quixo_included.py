"""The tables of Quixo in the package, compared with computed tables and with the slow rules."""

from math import comb

import numpy as np
import pytest
from check_store import wrong_states
from click.testing import CliRunner

from ci_envs import Position, Quixo, make_agent, solve
from ci_envs.arena.accuracy import measure_accuracy
from ci_envs.arena.analysis import exact_scores
from ci_envs.cli.main import main
from ci_envs.kernels.bits import bit_counts
from ci_envs.solver.known_value import UNKNOWN, known_values
from ci_envs.solver.quixo_classes import count_values, pack
from ci_envs.solver.quixo_included import (
    INCLUDED,
    IncludedStore,
    included_path,
    included_store,
    store_named,
    write_included,
)
from ci_envs.solver.quixo_pairs import solve_pair
from ci_envs.solver.quixo_ranking import class_index
from ci_envs.solver.quixo_store import STORE_VARIABLE, QuixoStore, StoreSolution
from ci_envs.solver.solver import solver_of

GAME = Quixo(5)
FULL_LINES = np.array([[31, ~31 & 2**25 - 1], [~31 & 2**25 - 1, 31]], np.uint64)  # two positions that are over
ONE_BLANK = "XOOXO/OXXXX/XXOOO/OXXOX/OOXX. X"


@pytest.fixture(scope="module")
def included():
    store = included_store(GAME)
    assert store is not None
    return store


@pytest.fixture(scope="module")
def computed(tmp_path_factory):
    """Computed tables of the full boards."""
    store = QuixoStore(GAME, tmp_path_factory.mktemp("computed"))
    store.compute(cubes=25, threads=2)
    return store


@pytest.fixture
def no_store(tmp_path, monkeypatch):
    """Remove the computed tables from the environment."""
    monkeypatch.setenv(STORE_VARIABLE, str(tmp_path / "empty"))


class TestTables:
    def test_the_file_is_small(self):
        assert included_path(GAME).stat().st_size < 700_000

    def test_full_boards_equal_computed_tables(self, included, computed):
        for a in range(26):
            np.testing.assert_array_equal(included.content((a, 25 - a)), computed.content((a, 25 - a)))
            assert included.counts(a, 25 - a) == computed.counts(a, 25 - a)

    @pytest.mark.parametrize("a", [0, 3, 7])
    def test_pairs_of_classes_with_24_cubes_equal_computed_values(self, a, included, computed):
        pair = {(a, 24 - a), (24 - a, a)}
        values = {cls: np.zeros(class_index(GAME, *cls).size, dtype=np.uint8) for cls in pair}
        solve_pair(GAME, values, {(d, c + 1): computed.content((d, c + 1)) for c, d in pair}, threads=2)
        for cls in pair:
            packed = np.empty(-(-len(values[cls]) // 4), dtype=np.uint8)
            pack(values[cls], packed)
            np.testing.assert_array_equal(included.content(cls), packed)

    def test_values_follow_from_their_successors_by_the_slow_rules(self, included):
        states = included.sample_positions(1_000, np.random.default_rng(0))
        assert wrong_states(included, states) == 0
        assert set(included.values(states).tolist()) == {1, 0, -1}
        assert set(bit_counts(states).sum(axis=1).tolist()) == {24, 25}

    def test_the_counts_are_those_of_the_tables_and_of_the_formula(self, included):
        for cubes in (24, 25):
            for a in range(cubes + 1):
                assert sum(included.counts(a, cubes - a)) == comb(25, a) * comb(25 - a, cubes - a)
        for cls in ((5, 19), (18, 6), (12, 13)):
            index = class_index(GAME, *cls)
            draw, win, loss, _ = count_values(included.content(cls), index.images, index.columns).tolist()
            assert included.counts(*cls) == (win, draw, loss)

    def test_single_values_equal_those_of_the_restored_table(self):
        store = IncludedStore(GAME, included_path(GAME))
        states = store.sample_positions(2_000, np.random.default_rng(2))
        states = states[(bit_counts(states) == 12).all(axis=1)]
        single = store.values(states)
        store.content((12, 12))
        np.testing.assert_array_equal(store.values(states), single)
        assert set(single.tolist()) == {1, 0, -1}

    def test_values_in_compiled_code_equal_those_of_single_states(self, included):
        states = np.concatenate([included.sample_positions(2_000, np.random.default_rng(3)), FULL_LINES])
        found = known_values(included.compiled(), states)
        np.testing.assert_array_equal(found, included.values(states))
        assert known_values(included.compiled(), np.array([[1, 2]], np.uint64)) == UNKNOWN

    def test_they_have_the_positions_with_at_least_24_cubes_and_cannot_be_changed(self, included):
        assert included.cubes == 24
        with pytest.raises(ValueError, match="the package has the values of positions with at least 24 cubes"):
            included.values(np.array([[1, 2]], np.uint64))
        with pytest.raises(ValueError, match="the tables in the package cannot be changed"):
            included.compute(cubes=23)

    @pytest.mark.parametrize("size", [3, 4])
    def test_any_tables_are_restored_from_their_file(self, size, tmp_path):
        store = QuixoStore(Quixo(size), tmp_path)
        cubes = size * size - 3
        store.compute(cubes=cubes)
        write_included(store, cubes, tmp_path / "all")
        restored = IncludedStore(Quixo(size), tmp_path / "all")
        assert restored.all_counts() == store.all_counts()
        for cls in store.all_counts():
            np.testing.assert_array_equal(restored.content(cls), store.content(cls))

    @pytest.mark.parametrize("place", [10, 5_000, 300_000, -1])
    def test_a_damaged_file_is_an_error_in_one_line(self, place, tmp_path):
        content = bytearray(included_path(GAME).read_bytes())
        content[place] ^= 1
        (tmp_path / "file").write_bytes(content)
        with pytest.raises(ValueError, match=r"^the file '.*' is damaged: .*$"):
            IncludedStore(GAME, tmp_path / "file").content((0, 25))

    def test_the_file_of_another_board_is_refused(self):
        with pytest.raises(ValueError, match="is not the table that its name says"):
            IncludedStore(Quixo(4), included_path(GAME))


@pytest.mark.usefixtures("no_store")
class TestUse:
    def test_the_solver_has_the_values_of_the_tables_without_a_store(self, included):
        position = Position.from_text(GAME, ONE_BLANK)
        solution = solve(position)
        assert isinstance(solution, StoreSolution)
        assert solution.store is included
        assert max(exact_scores(position)) == solution.value(position) == 1
        assert solver_of(GAME).is_quick(position)
        assert exact_scores(Position.start(GAME)) == []

    def test_a_store_takes_precedence(self, computed, monkeypatch):
        monkeypatch.setenv(STORE_VARIABLE, str(computed.folder))
        assert solve(GAME).store.folder == computed.folder

    def test_agents_use_them_by_name(self, included):
        words = included.sample_positions(100, np.random.default_rng(1))
        agent = make_agent(f"mcts:simulations=20,exact={INCLUDED}", GAME, seed=0)
        assert measure_accuracy(GAME, agent, words, StoreSolution(included)).everywhere.keeping == 100
        with pytest.raises(ValueError, match=r"the package has no tables of Quixo\(size=4\)"):
            store_named(Quixo(4), INCLUDED)

    def test_the_commands_use_them(self):
        run = CliRunner().invoke(main, ["solve", "Quixo-v0", ONE_BLANK])
        assert run.exit_code == 0
        assert "the player to move wins" in run.output
        run = CliRunner().invoke(main, ["accuracy", "Quixo-v0", "random", "--positions", "50"])
        assert run.exit_code == 0, run.output
        assert "at least 24 cubes" in run.output
        run = CliRunner().invoke(main, ["analyse", "Quixo-v0", ONE_BLANK, "minimax:depth=1,exact=included"])
        assert "tables won" in run.output

    def test_exact_says_in_one_line_that_a_position_has_no_value(self):
        run = CliRunner().invoke(main, ["compare", "Quixo-v0", "exact", "random", "--games", "2"])
        assert run.exit_code == 2
        assert "positions with at least 24 cubes of Quixo(size=5)" in run.output
        assert len(run.output.strip().splitlines()) == 1
