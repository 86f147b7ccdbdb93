"""Tables of Quixo on disk: ranks, values, files, interrupted and damaged runs, and the commands that use them."""

import json
import subprocess
import sys
from functools import cache
from itertools import combinations, product
from math import comb
from pathlib import Path

import numpy as np
import pytest
from check_store import reference_at, wrong_states
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from ci_envs import Position, Quixo, make_agent, solve
from ci_envs.arena.accuracy import measure_accuracy
from ci_envs.arena.analysis import exact_scores
from ci_envs.arena.grading import Grading
from ci_envs.arena.match import play_match
from ci_envs.cli.main import main
from ci_envs.games.board import cell_maps
from ci_envs.kernels import bit_selection
from ci_envs.kernels.bits import popcount
from ci_envs.kernels.compiler import kernel
from ci_envs.solver.quixo import solve_quixo
from ci_envs.solver.quixo_ranking import class_index, ranking_of, write_ranks
from ci_envs.solver.quixo_store import STORE_VARIABLE, QuixoStore, StoreSolution
from ci_envs.solver.solver import solver_of
from ci_envs.storage.block_file import BLOCK, BlockFile, write_blocks
from ci_envs.storage.checked_file import DamagedFileError

WORDS = st.integers(0, 2**64 - 1)
FULL_BOARD = "XOOXO/OXXXX/XXOOO/OXXOX/OOXXX X"


@pytest.fixture(scope="module")
def store4(tmp_path_factory):
    """All tables of 4 x 4 cubes."""
    store = QuixoStore(Quixo(4), tmp_path_factory.mktemp("store4"))
    store.compute(threads=2)
    return store


@pytest.fixture(scope="module")
def store5(tmp_path_factory):
    """The tables of the full boards of 5 x 5 cubes."""
    store = QuixoStore(Quixo(5), tmp_path_factory.mktemp("store5"))
    store.compute(cubes=25, threads=2)
    return store


@pytest.fixture
def default_store(store5, monkeypatch):
    """The store that solvers and agents use."""
    monkeypatch.setenv(STORE_VARIABLE, str(store5.folder))
    return store5


@kernel
def select(word, mask):
    return bit_selection.deposit_bits(word, mask), bit_selection.extract_bits(word, mask)


@settings(deadline=None)  # of the compilation
@given(WORDS, WORDS)
def test_bits_are_selected_as_by_a_loop_over_all_bits(word, mask):
    places = [place for place in range(64) if mask >> place & 1]
    deposited = sum((word >> k & 1) << place for k, place in enumerate(places))
    extracted = sum((word >> place & 1) << k for k, place in enumerate(places))
    arguments = np.uint64(word), np.uint64(mask)
    assert select(*arguments) == (deposited, extracted)
    with np.errstate(over="ignore"):  # of -mask
        assert bit_selection._deposit_loop(*arguments) == deposited
        assert bit_selection._extract_loop(*arguments) == extracted


class TestRanks:
    @pytest.mark.parametrize(("a", "b"), [(a, b) for a in range(10) for b in range(10 - a)])
    def test_two_states_of_3x3_have_the_same_rank_if_and_only_if_they_are_symmetric(self, a, b):
        game, cells = Quixo(3), 9
        states = np.array(
            [
                (own, opp)
                for own in range(1 << cells)
                for opp in range(1 << cells)
                if own & opp == 0 and own.bit_count() == a and opp.bit_count() == b
            ],
            dtype=np.uint64,
        )
        index = class_index(game, a, b)
        ranks = np.empty(len(states), dtype=np.uint64)
        write_ranks(ranking_of(game), index.columns, index.offsets, np.uint64(511), states, ranks)
        forms = [canonical_form(own, opp) for own, opp in states.tolist()]
        pairs = set(zip(ranks.tolist(), forms, strict=True))
        assert len(pairs) == len(set(forms)) == len(set(ranks.tolist()))
        assert max(ranks) < index.size
        assert (index.images * index.columns).sum() == len(states)

    def test_tables_of_5x5_are_less_than_one_percent_larger_than_the_number_of_symmetric_sets(self):
        sizes = [class_index(Quixo(5), a, 22 - a).size for a in range(23)]
        states = sum(comb(25, a) * comb(25 - a, 22 - a) for a in range(23))
        assert states / 8 < sum(sizes) < 1.01 * states / 8


def canonical_form(own: int, opp: int) -> tuple[int, int]:
    """Return the least image of a state under the symmetries of a board of 3 x 3, by definition."""

    def image(cells, mask):
        return sum(1 << int(cells[cell]) for cell in range(9) if mask >> cell & 1)

    return min((image(cells, own), image(cells, opp)) for cells in cell_maps(3, 3))


class TestValues:
    @pytest.mark.parametrize("size", [2, 3])
    def test_small_boards_equal_the_solution_in_memory(self, size, tmp_path):
        store = QuixoStore(Quixo(size), tmp_path)
        store.compute()
        assert_equal_to_memory(store)

    def test_all_states_of_4x4_equal_the_solution_in_memory(self, store4):
        assert_equal_to_memory(store4)
        assert StoreSolution(store4).counts == in_memory(Quixo(4)).counts

    def test_3x3_has_the_published_counts(self, tmp_path):
        store = QuixoStore(Quixo(3), tmp_path)
        store.compute()
        assert StoreSolution(store).counts == {"win": 12_748, "draw": 0, "loss": 6_935}

    def test_values_of_5x5_follow_from_their_successors_by_the_slow_rules(self, store5):
        states = store5.sample_positions(1_000, np.random.default_rng(1))
        assert wrong_states(store5, states) == 0
        assert set(store5.values(states).tolist()) == {1, 0, -1}

    def test_finished_positions_of_5x5_have_their_result(self, store5):
        rng = np.random.default_rng(2)
        cells = rng.permuted(np.tile(np.arange(25), (3_000, 1)), axis=1)
        own = [sum(1 << int(cell) for cell in row[:12]) for row in cells]
        states = np.array([(word, (1 << 25) - 1 - word) for word in own], dtype=np.uint64)
        results = [reference_at(*state).result() for state in states.tolist()]
        over = np.array([result is not None for result in results])
        assert store5.values(states[over]).tolist() == [result for result in results if result is not None]
        assert over.sum() > 100

    def test_each_class_has_as_many_states_as_the_formula_says(self, store4, store5):
        for store, cubes in ((store4, range(17)), (store5, [25])):
            cells = store.game.size**2
            for number in cubes:
                for a in range(number + 1):
                    assert sum(store.counts(a, number - a)) == comb(cells, a) * comb(cells - a, number - a)

    def test_the_counts_on_the_site_have_as_many_states_as_the_formula_says(self):
        results = Path(__file__).parents[1] / "docs" / "results" / "quixo_tables.json"
        rows = json.loads(results.read_text())["classes"]
        sums = {(row["own"], row["opponent"]): row["win"] + row["draw"] + row["loss"] for row in rows}
        assert sums == {
            (a, cubes - a): comb(25, a) * comb(25 - a, cubes - a) for cubes in range(22, 26) for a in range(cubes + 1)
        }

    def test_the_number_of_threads_does_not_change_the_files(self, store4, tmp_path):
        single = QuixoStore(Quixo(4), tmp_path)
        single.compute(cubes=10)
        assert files_of(single) == {
            name: content for name, content in files_of(store4).items() if name in files_of(single)
        }

    def test_samples_are_states_that_are_not_over_and_have_enough_cubes(self, tmp_path):
        store = QuixoStore(Quixo(3), tmp_path)
        with pytest.raises(ValueError, match="has no tables of Quixo"):
            store.sample_positions(5, np.random.default_rng(0))
        store.compute(cubes=7)
        states = store.sample_positions(8_000, np.random.default_rng(0))
        assert store.covers(states).all()
        assert all(reference_at(*state, size=3).result() is None for state in states.tolist())
        by_definition = [
            (own, opp)
            for own in range(512)
            for opp in range(512)
            if own & opp == 0 and (own | opp).bit_count() >= 7 and reference_at(own, opp, size=3).result() is None
        ]
        drawn = {tuple(state) for state in states.tolist()}
        assert drawn <= set(by_definition)
        assert len(drawn) > 0.9 * len(by_definition)  # all states can be drawn
        assert not store.covers(np.array([[1, 2]], np.uint64)).any()


in_memory = cache(solve_quixo)


def assert_equal_to_memory(store: QuixoStore) -> None:
    """Compare the value of every state with the solver that keeps one byte for each state in memory."""
    cells = store.game.size**2
    solution = in_memory(store.game)
    words = np.empty((max(3**cells // 16, 1 << cells), 2), dtype=np.uint64)
    own = 0
    while own < 1 << cells:
        own, count = list_states(np.uint64(own), np.uint64((1 << cells) - 1), words)
        np.testing.assert_array_equal(store.values(words[:count]), solution.values(words[:count]))


@kernel
def list_states(own, full, words):
    """Write all states with some masks of own cubes, from ``own`` on. Return the next mask and the number of states."""
    count = 0
    while own <= full and count + (1 << (popcount(full & ~own))) <= len(words):
        opp = np.uint64(0)
        while True:
            words[count, 0], words[count, 1] = own, opp
            count += 1
            opp = (opp - (full & ~own)) & full & ~own
            if opp == np.uint64(0):
                break
        own += np.uint64(1)
    return own, count


def files_of(store: QuixoStore) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in store.folder.glob("*.values")}


class TestFiles:
    def test_the_content_and_the_description_are_read_again(self, tmp_path):
        content = np.random.default_rng(0).integers(256, size=3 * BLOCK + 5, dtype=np.uint8)
        write_blocks(tmp_path / "file", {"a": [1, "b"]}, content)
        file = BlockFile.open(tmp_path / "file")
        assert file.description == {"a": [1, "b"]}
        file.verify()
        places = np.array([0, BLOCK, 3 * BLOCK + 4, 7], dtype=np.uint64)
        assert file.read(places).tolist() == content[places].tolist()

    @pytest.mark.parametrize("size", [1, BLOCK - 1, BLOCK, BLOCK + 1])
    def test_every_flipped_byte_is_detected(self, size, tmp_path):
        path = tmp_path / "file"
        write_blocks(path, {"a": 1}, np.zeros(size, dtype=np.uint8))
        whole = path.read_bytes()
        for place in (0, 64, 65, 70, 4095, 4096, len(whole) - 5, len(whole) - 1):
            path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
            with pytest.raises(DamagedFileError, match=r"^the file '.*' is damaged: "):
                BlockFile.open(path).verify()
        for damaged in (whole[:-1], whole + b"\0", whole[:4096], whole[:10], b""):
            path.write_bytes(damaged)
            with pytest.raises(DamagedFileError):
                BlockFile.open(path).verify()

    def test_only_the_blocks_that_are_read_are_verified(self, tmp_path):
        path = tmp_path / "file"
        write_blocks(path, {}, np.zeros(3 * BLOCK, dtype=np.uint8))
        whole = bytearray(path.read_bytes())
        whole[4096 + BLOCK] ^= 1  # in the second block
        path.write_bytes(whole)
        file = BlockFile.open(path)
        assert file.read(np.array([0, 2 * BLOCK], np.uint64)).tolist() == [0, 0]
        with pytest.raises(DamagedFileError, match="block 1 has changed"):
            file.read(np.array([BLOCK + 9], np.uint64))

    def test_a_damaged_table_is_refused_and_computed_again(self, tmp_path):
        store = QuixoStore(Quixo(3), tmp_path)
        store.compute()
        good = files_of(store)
        path = tmp_path / "quixo3-03-04.values"
        content = bytearray(path.read_bytes())
        content[4100] ^= 16
        path.write_bytes(content)
        damaged = QuixoStore(Quixo(3), tmp_path)
        with pytest.raises(ValueError, match=r"quixo3-03-04\.values' is damaged: block 0"):
            damaged.values(np.array([[0b111000000, 0b000111001]], np.uint64))
        with pytest.warns(RuntimeWarning, match=r"quixo3-03-04\.values' is damaged.* It is computed again"):
            damaged.compute()
        assert files_of(damaged) == good

    def test_a_table_with_the_name_of_another_is_refused(self, tmp_path):
        store = QuixoStore(Quixo(3), tmp_path)
        store.compute(cubes=9)
        (tmp_path / "quixo3-05-04.values").replace(tmp_path / "quixo3-04-05.values")
        with pytest.raises(ValueError, match="is not the table that its name says"):
            QuixoStore(Quixo(3), tmp_path).counts(4, 5)


KILLS = """
import os, signal, sys, time
from pathlib import Path
from ci_envs.cli.main import main
def tables():
    return len(list(Path(sys.argv[1]).glob("*.values")))
for kill in range(3):  # one process for each, forked from this one, which has no other threads
    before, child = tables(), os.fork()
    if child == 0:
        main(["solve", "Quixo-v0:size=4", "--store", sys.argv[1], "--threads", "2"], standalone_mode=False)
        os._exit(1)
    while tables() < before + 20 and os.waitpid(child, os.WNOHANG) == (0, 0):
        time.sleep(0.001)
    os.kill(child, signal.SIGKILL)
    assert os.waitpid(child, 0)[1] == signal.SIGKILL
"""


@cache
def orbits_of_sets(size, side=4):
    """Return the number of sets of cells up to the symmetries of the square, counted one by one."""
    cells = list(product(range(side), repeat=2))

    def images(chosen):
        for flip, turns in product((False, True), range(4)):
            image = {(col, row) for row, col in chosen} if flip else chosen
            for _ in range(turns):
                image = {(col, side - 1 - row) for row, col in image}
            yield tuple(sorted(image))

    return len({min(images(set(chosen))) for chosen in combinations(cells, size)})


@pytest.mark.parametrize("least", [14, 15, 16])
def test_the_requirements_count_the_states_without_tables(least, tmp_path):
    """The own cubes up to symmetry, with every set of cubes of the opponent."""

    def states(first):
        return sum(orbits_of_sets(a) * comb(16 - a, n - a) for n in range(first, 17) for a in range(n + 1))

    store = QuixoStore(Quixo(4), tmp_path)
    assert store.requirements(least).states == states(least)
    store.compute(15)
    assert store.requirements(least).states == (states(14) - states(15) if least == 14 else 0)


class StoppedError(Exception):
    """An error that stops a computation."""


class TestInterruptions:
    def test_a_stopped_computation_continues_to_the_same_tables(self, store4, tmp_path):
        store, rng = QuixoStore(Quixo(4), tmp_path), np.random.default_rng(3)
        stops = 0
        while store.cubes != 9:
            calls = rng.integers(1, 60)

            def stop(done, total):
                nonlocal calls
                calls -= 1
                if calls == 0:
                    raise StoppedError

            try:
                store.compute(cubes=9, progress=stop)
            except StoppedError:
                stops += 1
        assert files_of(store) == {
            name: content for name, content in files_of(store4).items() if name in files_of(store)
        }
        assert [path.name for path in tmp_path.iterdir() if path.suffix != ".values"] == [".lock"]
        assert stops > 3

    def test_a_killed_process_leaves_tables_that_another_one_completes(self, store4, tmp_path):
        subprocess.run([sys.executable, "-c", KILLS, str(tmp_path)], check=True)
        store = QuixoStore(Quixo(4), tmp_path)
        assert 3 * 20 <= len(files_of(store)) < len(files_of(store4))
        store.compute()
        assert files_of(store) == files_of(store4)

    def test_what_a_computation_has_left_is_used(self, tmp_path):
        """A working file with correct values is completed, and gives the same table as an empty one."""
        store = QuixoStore(Quixo(3), tmp_path / "whole")
        store.compute()
        partial = QuixoStore(Quixo(3), tmp_path / "partial")
        partial.compute(cubes=8)
        rng = np.random.default_rng(5)
        for a, b in ((3, 4), (4, 3)):
            index = class_index(Quixo(3), a, b)
            numbers = np.arange(index.size)
            packed = store._file((a, b)).content
            values = packed[numbers // 4] >> (numbers % 4 * 2).astype(np.uint8) & 3
            partial._working_path((a, b)).write_bytes((values * (rng.random(len(values)) < 0.5)).tobytes())
        partial.compute()
        assert files_of(partial) == files_of(store)

    def test_a_full_disk_stops_with_one_line_and_the_store_can_be_resumed(self, store4, tmp_path):
        limited = (
            "import resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
            "resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000));"
            "from ci_envs.cli.main import main; main(sys.argv[1:])"
        )
        arguments = ["solve", "Quixo-v0:size=4", "--store", str(tmp_path), "--cubes", "9"]
        run = subprocess.run([sys.executable, "-c", limited, *arguments], capture_output=True, text=True, check=False)
        assert run.returncode == 2
        message = [line for line in run.stderr.splitlines() if line.startswith("Error: ")]
        assert len(message) == 1
        assert "File too large" in message[0]
        assert "Traceback" not in run.stderr
        store = QuixoStore(Quixo(4), tmp_path)
        assert store.cubes is not None
        assert store.cubes > 9
        store.compute(cubes=9)
        assert files_of(store) == {
            name: content for name, content in files_of(store4).items() if name in files_of(store)
        }

    def test_two_processes_do_not_compute_in_one_folder(self, tmp_path):
        store, refused = QuixoStore(Quixo(3), tmp_path), []

        def compute_again(done, total):
            with pytest.raises(ValueError, match="another process computes tables in") as caught:
                QuixoStore(Quixo(3), tmp_path).compute()
            refused.append(str(caught.value))

        store.compute(cubes=9, progress=compute_again)
        assert refused


class TestSolution:
    def test_a_position_without_table_is_named_with_what_the_store_has(self, store5):
        solution = StoreSolution(store5)
        with pytest.raises(
            ValueError, match=r"with 0 cubes has no value: the store .* positions with at least 25 cubes"
        ):
            solution.value(Position.start(Quixo(5)))

    def test_the_solver_of_the_game_uses_the_default_store(self, default_store):
        position = Position.from_text(Quixo(5), FULL_BOARD)
        solution = solve(position)
        assert isinstance(solution, StoreSolution)
        best = max(-solution.value(position.play(action)) for action in position.legal_actions())
        assert solution.value(position) == best
        assert solver_of(Quixo(5)).is_quick(position)
        assert not solver_of(Quixo(5)).is_quick(Position.start(Quixo(5)))
        assert max(exact_scores(position)) == best
        assert exact_scores(Position.start(Quixo(5))) == []

    def test_exact_keeps_all_values_and_random_does_not(self, default_store):
        words = default_store.sample_positions(300, np.random.default_rng(6))
        solution = solve(Quixo(5))
        exact = measure_accuracy(Quixo(5), make_agent("exact", Quixo(5), seed=0), words, solution)
        random = measure_accuracy(Quixo(5), make_agent("random", Quixo(5), seed=0), words, solution)
        assert exact.everywhere.keeping == 300
        assert random.everywhere.keeping < 250

    def test_a_match_grades_the_decisions_that_the_store_covers(self, default_store):
        agents = [make_agent("random", Quixo(5), seed=seed) for seed in (1, 2)]
        match = play_match(Quixo(5), *agents, 40, grading=Grading(solve(Quixo(5))))
        graded = match.sides[0].accuracy.everywhere.decisions
        assert 0 < graded < match.sides[0].decisions

    def test_large_and_small_boards_are_refused(self, tmp_path):
        with pytest.raises(ValueError, match="size must be at most 5"):
            QuixoStore(Quixo(6), tmp_path)
        with pytest.raises(ValueError, match="the level must be from 0 to 9 cubes, not 10"):
            QuixoStore(Quixo(3), tmp_path).compute(cubes=10)


class TestCommand:
    def test_it_computes_tables_and_reads_positions(self, tmp_path):
        arguments = ["solve", "Quixo-v0:size=3", "--store", str(tmp_path)]
        run = CliRunner().invoke(main, [*arguments, "--cubes", "8", "--threads", "1"])
        assert run.exit_code == 0
        assert "7 │" not in run.output
        assert "states are left to compute. This needs up to" in run.output
        run = CliRunner().invoke(main, [*arguments, "--json", "-"])
        assert run.exit_code == 0
        assert '"win"' in run.stdout
        run = CliRunner().invoke(main, [*arguments, "XXO/O.X/XOX O"])
        expected = in_memory(Quixo(3)).value(Position.from_text(Quixo(3), "XXO/O.X/XOX O"))
        assert {1: "wins", 0: "draws", -1: "loses"}[expected] in run.output

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (["ConnectFour-v0", "--store", "x"], "--store does not support ConnectN"),
            (["Quixo-v0:size=6", "--store", "x"], "size must be at most 5"),
            (["Quixo-v0:size=3", "--cubes", "8"], "for a game, --level, --threads"),
            (["Quixo-v0:size=3", "--store", "x", "--cubes", "10"], "the level must be from 0 to 9 cubes, not 10"),
            (["Quixo-v0:size=3", "... /... X", "--store", "x", "--cubes", "8"], "do not go with a position"),
            (["Quixo-v0:size=3", "--store", "x", "--device", "abacus"], "PyTorch cannot use --device 'abacus'"),
            (["Quixo-v0:size=3", "--store", "x", "--device", "cpu", "--workers", "1"], "either --workers or --device"),
            (["Quixo-v0:size=3", "--store", "x", "--ray-address", "y:1"], "is for workers: give --workers too"),
            (["Quixo-v0:size=3", ".../.../... X", "--store", "x"], "has no tables of Quixo"),
            (["SetCovering-v0", "greedy", "--store", "x"], "--store, --level, --threads and --device are for games"),
        ],
    )
    def test_wrong_usage_is_one_line(self, arguments, message, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        run = CliRunner().invoke(main, ["solve", *arguments])
        assert run.exit_code == 2
        assert message in run.stderr
        assert len([line for line in run.stderr.splitlines() if line.startswith("Error")]) == 1


def test_the_folder_can_be_given_by_an_environment_variable(monkeypatch):
    from ci_envs.solver.quixo_store import store_folder

    monkeypatch.setenv(STORE_VARIABLE, "/some/folder")
    assert store_folder() == Path("/some/folder")
    monkeypatch.delenv(STORE_VARIABLE)
    assert store_folder().name == "store"
