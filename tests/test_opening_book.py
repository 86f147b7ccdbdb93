"""Opening books of Connect Four, compared with the search of all positions, published numbers and bitbully."""

import json
import subprocess
import sys
import threading
from collections import Counter

import numpy as np
import pytest
from click.testing import CliRunner
from fake_clock import FakeClock

from ci_envs import Position
from ci_envs.agents.exact import ExactAgent
from ci_envs.arena import Grading, play_match
from ci_envs.arena.analysis import exact_scores
from ci_envs.cli.main import main
from ci_envs.games.connect_n import ConnectFour, ConnectN
from ci_envs.games.openings import positions_of_random_play
from ci_envs.kernels.bits import bit_counts
from ci_envs.solver import book_solver, opening_book, table_file
from ci_envs.solver.book_solver import extend_book, new_book, read_book
from ci_envs.solver.enumeration import early_positions
from ci_envs.solver.gravity import GravityBookSource, GravitySolution
from ci_envs.solver.opening_book import OpeningBook, book_path, write_book
from ci_envs.solver.solution import HORIZON
from ci_envs.solver.solve import solve
from ci_envs.solver.table_file import write_table

SMALL = ConnectN(4, 4, 4, gravity=True)
SMALL_ID = "ConnectN-v0:rows=4,cols=4,n=4,gravity=true"


@pytest.fixture(autouse=True)
def _own_cache(tmp_path, monkeypatch):
    monkeypatch.setattr(table_file, "user_cache", lambda: tmp_path / "cache")


@pytest.fixture(scope="module")
def small_solution():
    return solve(SMALL)


def made_book(folder):
    book = new_book(SMALL)
    extend_book(book, folder / "made.book")
    return book


def test_a_book_of_connect_four_has_the_positions_of_the_data_set_connect_4():
    """The UCI data set "Connect-4" by John Tromp: 67,557 positions after 8 plies without a line and a forced move."""
    book = new_book(ConnectFour())
    plies = bit_counts(book.words).sum(axis=1)
    assert np.count_nonzero(plies == 8) == 67_557
    assert plies.max() == 8
    assert not book.known.any()


def test_early_positions_are_as_many_as_published():
    """OEIS A212693: after 0 to 6 plies Connect Four has 1, 7, 49, 238, 1120, 4263 and 16422 positions."""
    game = ConnectFour()
    words = early_positions(game, 6)
    images = {tuple(image) for own, opp in words for image in game.rules.images(game, own, opp).tolist()}
    counts = np.bincount([own.bit_count() + opp.bit_count() for own, opp in images])
    assert counts.tolist() == [1, 7, 49, 238, 1120, 4263, 16_422]


def test_a_book_that_knows_nothing_changes_no_score(small_solution):
    book = new_book(SMALL)
    np.testing.assert_array_equal(
        GravitySolution(SMALL, book=book).scores(book.words), small_solution.scores(book.words)
    )
    low, high = book.bounds
    np.testing.assert_array_equal(low, high)  # all positions were entered


def test_a_book_is_extended_to_the_values_of_all_positions(tmp_path, small_solution):
    book = made_book(tmp_path)
    assert book.known.all()
    solution = GravitySolution(SMALL, book=book)
    np.testing.assert_array_equal(solution.values(book.words), small_solution.values(book.words))
    np.testing.assert_array_equal(solution.scores(book.words), small_solution.scores(book.words))
    read = read_book(SMALL, tmp_path / "made.book")
    assert read.known.all()
    going = np.array([Position(SMALL, *row).result is None for row in book.words.tolist()])
    for exact, expected in zip(
        solution.kept_actions(book.words[going]), small_solution.kept_actions(book.words[going]), strict=True
    ):
        np.testing.assert_array_equal(exact, expected)


def test_the_values_of_a_book_need_no_search(tmp_path):
    solution = GravitySolution(SMALL, book=made_book(tmp_path))
    solution.values(solution.book.words)
    assert solution.nodes == 0


def test_several_threads_make_the_same_book(tmp_path):
    alone, together = made_book(tmp_path), new_book(SMALL)
    extend_book(together, tmp_path / "together.book", threads=3)
    np.testing.assert_array_equal(
        GravitySolution(SMALL, book=together).values(alone.words),
        GravitySolution(SMALL, book=alone).values(alone.words),
    )
    assert together.known.all()


def test_a_book_of_fewer_plies_is_the_beginning_of_a_book(tmp_path, small_solution):
    made, path = made_book(tmp_path), tmp_path / "early.book"
    early = len(OpeningBook(SMALL, GravityBookSource(), 5, 9).words)
    write_table(SMALL, made.bounds[:, :early].ravel(), path)
    read = read_book(SMALL, path)
    assert 1 < early < len(read.words)
    assert read.known.tolist() == (np.arange(len(read.words)) < early).tolist()
    extend_book(read, path)
    np.testing.assert_array_equal(
        GravitySolution(SMALL, book=read_book(SMALL, path)).values(made.words), small_solution.values(made.words)
    )


def test_the_known_plies_are_those_before_the_first_unknown_value(small_solution):
    book = new_book(SMALL)
    assert GravitySolution(SMALL).known_plies == -1
    for place in range(len(OpeningBook(SMALL, GravityBookSource(), 3, 9).words)):
        value = int(small_solution.values(book.words[place : place + 1])[0])
        book.narrow(place, value, value)
    assert GravitySolution(SMALL, book=book).known_plies == 2  # a position after 3 plies can need an unknown value
    assert GravitySolution(SMALL, book=new_book(SMALL)).known_plies < 0


def test_an_interrupted_book_is_kept_and_continued(tmp_path, monkeypatch):
    monkeypatch.setattr(book_solver, "_SECONDS_A_REPORT", 0.001)
    path, threads = tmp_path / "some.book", threading.active_count()
    book = new_book(SMALL)

    def interrupt(known, _all):
        if known:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        extend_book(book, path, progress=interrupt)
    kept = read_book(SMALL, path)
    assert 0 < kept.known.sum() < len(kept.words)
    assert threading.active_count() == threads
    extend_book(kept, path)
    assert read_book(SMALL, path).known.all()


def test_a_book_is_extended_for_a_limited_time(tmp_path, monkeypatch):
    """The search reads the clock several times while it searches a position."""
    clock = FakeClock(step=1 / 16)
    monkeypatch.setattr(book_solver, "monotonic", clock)
    book = new_book(ConnectFour())
    extend_book(book, tmp_path / "some.book", seconds=0.5)
    assert not book.known.all()
    readings = Counter(clock.readings)
    del readings[threading.get_ident()]
    assert {*readings.values()} == {10}  # the deadline is at 9 / 16, after the first reading of this thread


def test_a_user_makes_a_book_that_is_then_used(tmp_path):
    game = ConnectN(4, 7, 4, gravity=True)  # too large to store all positions
    run = CliRunner().invoke(main, ["book", "ConnectN-v0:rows=4,cols=7,n=4,gravity=true", "--minutes", "0.01"])
    assert run.exit_code == 0, run.output
    assert "positions are known" in run.output
    assert book_path(game).is_file()
    assert solve(game).book.game == game


def test_the_book_of_the_package_has_the_values_of_the_data_set_connect_4():
    """Tromp's data set: of the 67,557 positions the first player wins 44,473, draws 6,449 and loses 16,635."""
    book = read_book(ConnectFour())
    assert book.known.all()
    low, high = book.bounds[:, bit_counts(book.words).sum(axis=1) == 8]
    assert [(low > 0).sum(), ((low == 0) & (high == 0)).sum(), (high < 0).sum()] == [44_473, 6_449, 16_635]


def test_the_books_of_the_package_and_of_the_user_count_together(tmp_path, monkeypatch):
    shipped, unknown = read_book(ConnectFour()), new_book(ConnectFour())
    place = len(shipped.words) - 1
    shipped.bounds[:, place] = unknown.bounds[:, place]
    write_book(shipped, tmp_path / book_path(ConnectFour()).name)
    monkeypatch.setattr(opening_book, "_FOLDER", tmp_path)
    unknown.narrow(place, 1, 1)
    write_book(unknown, book_path(ConnectFour()))
    both = read_book(ConnectFour())
    assert both.known.sum() == shipped.known.sum() + 1
    assert both.bounds[:, place].tolist() == [1, 1]


@pytest.mark.parametrize("damage", ["cut", "flip", "empty"])
def test_a_damaged_book_is_not_used(tmp_path, small_solution, damage):
    write_book(made_book(tmp_path), book_path(SMALL))
    good = book_path(SMALL).read_bytes()
    bad = {"cut": good[:-9], "flip": good[:200] + bytes([good[200] ^ 1]) + good[201:], "empty": b""}
    book_path(SMALL).write_bytes(bad[damage])
    with pytest.warns(RuntimeWarning, match=r"\.book' is damaged and is not used"):
        assert read_book(SMALL) is None
    start = Position.start(SMALL)
    assert solve(SMALL).value(start) == small_solution.value(start)


@pytest.mark.parametrize(
    ("environment", "message"),
    [
        ("Quixo-v0", "Quixo(size=5) has no opening book: its solver does not search single positions"),
        ("ConnectN-v0", "has no opening book: its solver has one only for games with gravity"),
        ("ConnectN-v0:rows=8,cols=8,gravity=true", "too large to solve: (rows + 1) * cols is more than 64"),
    ],
)
def test_games_that_have_no_book_are_refused(environment, message):
    run = CliRunner().invoke(main, ["book", environment])
    assert run.exit_code == 2
    assert message in run.output


def test_the_book_of_the_package():
    """First moves of Connect Four: Victor Allis, "A Knowledge-based Approach of Connect-Four", 1988."""
    game = ConnectFour()
    solution = solve(game)
    start = Position.start(game)
    assert solution.value(start) == 1
    values = [-solution.value(start.play(action)) for action in range(7)]
    assert values == [-1, -1, 0, 1, 0, -1, -1]
    assert solution.value_actions(start) == (3,)
    assert solution.nodes == 0


def test_the_book_of_the_package_equals_bitbully():
    bitbully = pytest.importorskip("bitbully")
    other, book = bitbully.BitBully(), read_book(ConnectFour())
    known = np.flatnonzero(book.known)
    chosen = np.random.default_rng(0).choice(known, 200, replace=False)
    for (own, opp), (low, high) in zip(book.words[chosen].tolist(), book.bounds[:, chosen].T.tolist(), strict=True):
        assert low <= other.mtdf(board_of(bitbully, own, opp)) <= high


def board_of(bitbully, own, opp):
    first, second = (own, opp) if own.bit_count() == opp.bit_count() else (opp, own)
    cells = [(first >> cell & 1) + 2 * (second >> cell & 1) for cell in range(42)]
    return bitbully.Board.from_array([cells[row : row + 7] for row in range(0, 42, 7)])


def test_the_actions_have_the_values_of_bitbully_also_outside_the_book():
    bitbully = pytest.importorskip("bitbully")
    other, game, agent = bitbully.BitBully(), ConnectFour(), ExactAgent(ConnectFour(), seed=0)
    words = positions_of_random_play(game, 8, 4, 12, np.random.default_rng(3))
    chosen = agent.act_on(words)
    for (own, opp), action in zip(words.tolist(), chosen.tolist(), strict=True):
        position = Position(game, own, opp)
        followers = {number: position.play(number) for number in position.legal_actions()}
        expected = {
            number: int(np.sign(-other.mtdf(board_of(bitbully, each.own, each.opp)) if each.result is None else 1))
            for number, each in followers.items()
        }
        scores = exact_scores(position)
        assert {number: int(np.sign(scores[number])) for number in followers} == expected
        assert expected[action] == max(expected.values())


def test_positions_of_random_play_are_going_on_and_of_all_lengths():
    game = ConnectFour()
    words = positions_of_random_play(game, 2000, 3, 20, np.random.default_rng(0))
    plies = bit_counts(words).sum(axis=1)
    assert np.bincount(plies)[3:].min() > 50
    assert plies.min() == 3
    assert plies.max() == 20
    assert all(Position(game, own, opp).result is None for own, opp in words[:200].tolist())
    again = positions_of_random_play(game, 2000, 3, 20, np.random.default_rng(0))
    np.testing.assert_array_equal(words, again)


def test_a_sample_of_the_actions_of_a_match_is_graded(small_solution):
    agents = ExactAgent(SMALL, seed=0), ExactAgent(SMALL, blunder=1.0, seed=1)
    everything = play_match(SMALL, *agents, 40, grading=Grading(small_solution))
    for agent in agents:
        agent.reseed(0)
    reports = []
    grading = Grading(GravitySolution(SMALL), 30, lambda done, total: reports.append((done, total)))
    some = play_match(SMALL, *agents, 40, grading=grading)
    ends = [number for number, report in enumerate(reports, 1) if report == (30, 30)]
    assert len(ends) == 2
    assert all(
        end - begin >= 5 for begin, end in zip([0, *ends], ends, strict=False)
    )  # few at once, as each is searched
    for side, whole in zip(some.sides, everything.sides, strict=True):
        assert side.accuracy.everywhere.decisions == 30
        assert whole.accuracy.everywhere.decisions == whole.decisions > 30
    assert some.sides[0].accuracy.everywhere.keeping == 30


def test_compare_grades_connect_four_on_request(tmp_path):
    file = tmp_path / "result.json"
    arguments = ["compare", "ConnectFour-v0", "random", "minimax:depth=2", "--games", "4", "--random-plies", "12"]
    assert CliRunner().invoke(main, [*arguments, "--json", str(file)]).exit_code == 0
    assert "accuracy" not in json.loads(file.read_text())["agents"][0]
    assert CliRunner().invoke(main, [*arguments, "--graded", "5", "--json", str(file)]).exit_code == 0
    assert json.loads(file.read_text())["agents"][0]["accuracy"]["everywhere"]["decisions"] == 5


def test_scores_within_a_window():
    game = ConnectN(5, 5, 4, gravity=True)
    solution, exact = GravitySolution(game), GravitySolution(game)
    for own, opp in positions_of_random_play(game, 60, 0, 12, np.random.default_rng(1)).tolist():
        score = exact.search_score(own, opp, -25, 25)
        for low, high in ((-1, 1), (0, 1), (-3, 2), (2, 5)):
            found = solution.search_score(own, opp, low, high)
            assert (found <= low) == (score <= low)
            assert (found >= high) == (score >= high)
            if low < score < high:
                assert found == score


def test_a_won_score_counts_the_plies():
    game = ConnectFour()
    position = Position.from_text(game, "......./......./......./......./OOO..../XXX.... X")
    assert GravitySolution(game).scores(np.array([[position.own, position.opp]], np.uint64))[0] == HORIZON - 1


def test_the_actions_of_a_known_position_have_values_at_once():
    start = Position.start(ConnectFour())
    assert exact_scores(start) == [-1, -1, 0, 1, 0, -1, -1]


def test_a_position_that_takes_long_has_no_quick_scores(tmp_path):
    game = ConnectN(7, 7, 4, gravity=True)
    assert exact_scores(Position.start(game)) == []
    write_book(new_book(game), book_path(game))
    assert exact_scores(Position.start(game)) == []


def test_a_damaged_book_is_one_line_of_warning(tmp_path):
    (tmp_path / "d.csv").write_text("x,y\n1,2\n")
    command = ["-m", "ci_envs", "book", "ConnectN-v0:rows=3,cols=4,n=3,gravity=true", "--output", "d.csv"]
    done = subprocess.run([sys.executable, *command], check=False, cwd=tmp_path, capture_output=True, text=True)
    assert done.stderr.splitlines()[0] == "WARNING: the file 'd.csv' is damaged and is not used"
    assert done.stderr.splitlines()[1].startswith("Error: 'd.csv' is not an opening book of")
