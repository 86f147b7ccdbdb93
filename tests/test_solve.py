"""Exact values, compared with published counts, plain minimax, theory and reference rules; tables; the agent."""

import pickle
from collections import Counter
from copy import deepcopy
from functools import cache
from itertools import product
from math import prod

import numpy as np
import pytest
from click.testing import CliRunner
from oracles.rules import LETTERS, QuartoReference, QuixoReference, nim_is_won

from ci_envs import ConnectFour, ConnectN, Nim, Position, Quarto, Quixo
from ci_envs.agents.exact import ExactAgent
from ci_envs.cli.main import main
from ci_envs.games.openings import random_openings
from ci_envs.solver import table_file
from ci_envs.solver.gravity import GravitySolution
from ci_envs.solver.nim import NimSolution
from ci_envs.solver.proof import ProofSolution
from ci_envs.solver.quixo import solve_quixo
from ci_envs.solver.search import SearchSolution, is_small
from ci_envs.solver.solution import HORIZON, NO_SCORE, Solution
from ci_envs.solver.solve import solve
from ci_envs.solver.solver import solver_of

TIC_TAC_TOE = ConnectN(3, 3, 3)


@pytest.fixture(scope="module", autouse=True)
def tables(tmp_path_factory):
    """A cache folder for these tests only, empty like that of a new user."""
    folder = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr(table_file, "user_cache", lambda: folder / "ci_envs")
        yield folder / "ci_envs" / "tables"


@pytest.fixture(scope="module")
def quixo4(tables):
    return solve(Quixo(4))


@cache
def plain_minimax(position: Position) -> tuple[int, int]:
    """Return (value, distance in plies to the end), by definition."""
    if position.result is not None:
        return position.result, 0
    return max(ranking(*after(position, action)) for action in position.legal_actions())[1:]


def after(position: Position, action: int) -> tuple[int, int]:
    child = position.play(action)
    value, distance = plain_minimax(child)
    return value if child.to_move == position.to_move else -value, distance + 1


def ranking(value: int, distance: int) -> tuple[int, int, int]:
    """Return a number that is greater for faster wins and slower losses. All draws are equal, with any distance."""
    return value * (10_000 - distance), value, distance


def assert_equals_minimax(solution: Solution, positions: list[Position]) -> None:
    for position in positions:
        value, distance = plain_minimax(position)
        assert solution.value(position) == value
        assert solution.distance(position) == (distance if value else None)
        ranks = {action: ranking(*after(position, action)) for action in position.legal_actions()}
        best = [action for action, rank in ranks.items() if rank[0] == max(ranks.values())[0]]
        assert list(solution.best_actions(position)) == best
        assert list(solution.value_actions(position)) == [action for action in ranks if ranks[action][1] == value]


def reachable(position: Position) -> list[Position]:
    found, new = {position}, {position}
    while new:
        new = {parent.play(action) for parent in new for action in parent.legal_actions()} - found
        found |= new
    return list(found)


def counts_by_minimax(positions: list[Position]) -> tuple[dict, dict]:
    seen_by_mover = {(position.own, position.opp): position for position in positions}
    values = Counter(plain_minimax(position) for position in seen_by_mover.values())
    totals = {name: sum(n for (v, _), n in values.items() if v == value) for name, value in OUTCOMES.items()}
    by_distance = {
        name: {d: values[OUTCOMES[name], d] for d in range(99) if (OUTCOMES[name], d) in values}
        for name in ("win", "loss")
    }
    return totals, by_distance


OUTCOMES = {"win": 1, "draw": 0, "loss": -1}


@pytest.mark.extended
@pytest.mark.parametrize(
    "game",
    [TIC_TAC_TOE, ConnectN(3, 3, 3, True), Nim((1, 2, 3)), Nim((2, 2, 2), 2, True)],
    ids=str,
)
def test_searched_games_equal_plain_minimax_everywhere(game):
    start = Position.start(game)
    positions = reachable(start)
    solution = solve(game)
    assert_equals_minimax(solution, positions)
    assert (solution.counts, solution.counts_by_distance) == counts_by_minimax(positions)


def test_tic_tac_toe_has_5478_positions_and_is_drawn():
    solution = solve(TIC_TAC_TOE)
    assert sum(solution.counts.values()) == 5_478
    assert solution.value(Position.start(TIC_TAC_TOE)) == 0


@pytest.mark.extended
@pytest.mark.parametrize(
    ("text", "squares"),
    [("7.2./3.9e/0.b4/.1f. c 1", False), ("7.2./3.9e/0.b4/.1f. - 0", False), ("7.2./3.9e/0.b4/.1f. - 0", True)],
)
def test_quarto_endgames_equal_plain_minimax_everywhere(text, squares):
    root = Position.from_text(Quarto(squares), text)
    positions = reachable(root)
    rng = np.random.default_rng(0)
    solution = solve(root)
    assert_equals_minimax(solution, [root, *(positions[i] for i in rng.integers(len(positions), size=3_000))])
    assert sum(solution.counts.values()) == len(positions)


@pytest.mark.extended
def test_quarto_with_eight_empty_cells_is_solved_equally_under_symmetries():
    root = Position.from_text(Quarto(), "b9.e/..../a.d./35.8 - 0")
    images = [root.symmetries[k] for k in (1, 5_000, 12_287)]
    solution = solve(root)
    assert {solution.value(position) for position in (root, *images)} == {0}
    assert solve(images[0]).value(images[0]) == 0


def reference_at(position: Position) -> QuartoReference:
    board, hand, to_move = position.to_text().split()
    reference = QuartoReference(position.game.squares)
    reference.board = [list(row) for row in board.split("/")]
    reference.hand, reference.to_move = hand, int(to_move)
    reference.left -= {*board, hand}
    return reference


def reference_minimax(reference: QuartoReference) -> tuple[int, int]:
    """Return (value, distance) by definition, with the reference rules."""
    if reference.result() is not None:
        return reference.result(), 0
    followers = []
    for name in reference.legal():
        follower = deepcopy(reference)
        follower.play(name)
        value, distance = reference_minimax(follower)
        followers.append((value if follower.to_move == reference.to_move else -value, 1 + distance))
    return max(ranking(*follower) for follower in followers)[1:]


@pytest.mark.extended
@pytest.mark.parametrize("squares", [False, True])
def test_quarto_endgames_equal_minimax_over_the_reference_rules(squares):
    for position in quarto_endgames(Quarto(squares), empty=3, count=20):
        solution = solve(position)
        value, distance = reference_minimax(reference_at(position))
        assert (solution.value(position), solution.distance(position)) == (value, distance if value else None)
        assert sum(solution.counts.values()) == len(reachable(position))


def quarto_endgames(game: Quarto, empty: int, count: int) -> list[Position]:
    """Return positions with a number of empty cells, with or without a piece in hand, from random play."""
    rng = np.random.default_rng(0)
    found: list[Position] = []
    while len(found) < count:
        position = Position.start(game)
        for _ in range(2 * (16 - empty) + len(found) % 2):
            position = position if position.result is not None else position.play(rng.choice(position.legal_actions()))
        if position.result is None:
            found.append(position)
    return found


def test_quarto_with_nine_empty_cells_is_enumerated_and_with_ten_searched():
    nine, ten = (quarto_endgames(Quarto(), empty, 2) for empty in (9, 10))
    assert all(map(is_small, nine))
    assert not any(map(is_small, ten))
    assert solve(ten[0]).searches


def test_positions_too_many_to_count_are_solved_all_the_same(monkeypatch):
    root = Position.from_text(Quarto(), "7.2./3.9e/0.b4/.1f. - 0")
    solution = solve(root)
    monkeypatch.setattr("ci_envs.solver.search.MAX_POSITIONS", 1_000)
    with pytest.raises(ValueError, match="too large to count: more than 1,000 states"):
        solution.counts  # noqa: B018
    assert solution.value(root) == plain_minimax(root)[0]


@pytest.mark.extended
def test_small_boards_of_connect_n():
    four = Position.start(ConnectN(4, 4, 4, gravity=True))
    assert sum(solve(four).counts.values()) == 161_029  # OEIS A212693
    assert solve(four).value(four) == 0
    assert solve(ConnectN(4, 4, 4)).value(Position.start(ConnectN(4, 4, 4))) == 0


def test_counts_below_a_position_are_of_that_position_alone():
    root = Position.from_text(TIC_TAC_TOE, ".X./.O./... X")  # a mirror image of itself, so half of them are stored
    solution = solve(root)
    assert solution.counts == counts_by_minimax(reachable(root))[0]
    with pytest.raises(ValueError, match=r"does not follow '\.X\./\.O\./\.\.\. X'"):
        solution.value(Position.start(TIC_TAC_TOE))


def test_four_in_a_row_on_6x6_is_won_in_11_plies():
    start = Position.start(ConnectN(6, 6, 4))
    solution = solve(start)
    assert (solution.value(start), solution.distance(start)) == (1, 11)
    assert {start.action_name(action) for action in solution.best_actions(start)} == {"c3", "d3", "c4", "d4"}
    reply = start.play(start.parse_action("c3"))
    assert (solution.value(reply), solution.distance(reply)) == (-1, 10)


def test_a_proof_that_takes_too_long_is_given_up(monkeypatch):
    monkeypatch.setattr("ci_envs.solver.proof.MAX_NODES", 100_000)
    with pytest.raises(ValueError, match=r"161,995,031,226 states, which would take 5\.83 TB"):
        solve(Position.start(ConnectN(5, 5, 4)))


@pytest.mark.extended
@pytest.mark.parametrize("game", [ConnectN(4, 4, 3), ConnectN(4, 4, 4)], ids=str)
def test_proofs_equal_search(game, monkeypatch):
    monkeypatch.setattr("ci_envs.solver.proof._GRADING_NODES", 30_000)
    everything = solve(game)
    positions = some_positions(game, 60)
    proofs = ProofSolution(game)
    for position in positions:
        assert proofs.value(position) == everything.value(position)
        assert proofs.distance(position) == everything.distance(position)
    for position in positions[::10]:
        assert proofs.best_actions(position) == everything.best_actions(position)
        assert proofs.value_actions(position) == everything.value_actions(position)
    words = np.array([[position.own, position.opp] for position in positions], np.uint64)
    graded = proofs.grading_scores(words)
    known = (graded != NO_SCORE).any(axis=1)  # the search of the others reached its limit
    assert known.sum() > 25
    np.testing.assert_array_equal(proofs.grading_scores(words[::-1]), graded[::-1])  # earlier searches change nothing
    np.testing.assert_array_equal(graded[known], everything.action_values(words)[known])
    for position, quick in zip(positions, proofs.quick_scores(words), strict=True):
        best = everything.best_actions(position)
        assert tuple(np.flatnonzero((quick == quick.max()) & (quick != NO_SCORE))) == best


@pytest.mark.extended
@pytest.mark.parametrize(
    "game",
    [ConnectN(4, 5, 3, True), ConnectN(7, 2, 3, True)],
    ids=str,
)
def test_the_search_for_connect_four_equals_the_search_of_all_positions(game):
    everything, search = solve(game), GravitySolution(game)
    positions = [Position.start(game), *some_positions(game, 400)]
    words = np.array([[position.own, position.opp] for position in positions], dtype=np.uint64)
    np.testing.assert_array_equal(search.scores(words), everything.scores(words))
    for position in positions[::20]:
        assert search.value(position) == everything.value(position)
        assert search.best_actions(position) == everything.best_actions(position)
        assert search.value_actions(position) == everything.value_actions(position)


def test_a_score_whose_search_took_long_is_remembered(monkeypatch):
    monkeypatch.setattr("ci_envs.solver.on_demand._FEW_NODES", 1)
    game = ConnectFour()
    words = random_openings(game, 20, 22, seed=1)
    expected, solution = GravitySolution(game).scores(words), GravitySolution(game)
    solution.values(words)
    np.testing.assert_array_equal(solution.scores(words), expected)
    nodes = solution.nodes
    mirrored = np.array([game.rules.images(game, *row)[1] for row in words.tolist()], np.uint64)
    assert (mirrored != words).any(axis=1).all()
    np.testing.assert_array_equal(solution.scores(mirrored), expected)
    assert solution.nodes - nodes < nodes / 100
    copied = pickle.loads(pickle.dumps(solution))
    copied.nodes = 0
    np.testing.assert_array_equal(copied.scores(words), expected)
    assert copied.nodes > nodes / 10


def test_a_full_memory_of_scores_forgets_them_and_stays_correct(monkeypatch):
    monkeypatch.setattr("ci_envs.solver.on_demand._FEW_NODES", 1)
    monkeypatch.setattr("ci_envs.solver.found_bounds._MOST_ENTRIES", 3)
    game = ConnectFour()
    words = np.tile(random_openings(game, 8, 24, seed=2), (3, 1))
    scores = GravitySolution(game).scores(words)
    np.testing.assert_array_equal(scores[:8], scores[8:16])
    monkeypatch.undo()
    np.testing.assert_array_equal(scores, GravitySolution(game).scores(words))


@pytest.mark.extended
def test_connect_four_equals_bitbully():
    """BitBully (https://github.com/MarkusThill/BitBully) is another solver of Connect Four."""
    bitbully = pytest.importorskip("bitbully")
    other, game = bitbully.BitBully(), ConnectN(6, 7, 4, gravity=True)
    words = np.concatenate([random_openings(game, 30, plies, seed=plies) for plies in range(14, 31)])
    scores = GravitySolution(game).scores(words)
    for (own, opp), score in zip(words.tolist(), scores.tolist(), strict=True):
        first, second = (own, opp) if own.bit_count() == opp.bit_count() else (opp, own)
        cells = [(first >> cell & 1) + 2 * (second >> cell & 1) for cell in range(42)]
        board = bitbully.Board.from_array([cells[row : row + 7] for row in range(0, 42, 7)])
        stones_left = other.mtdf(board)
        assert np.sign(score) == np.sign(stones_left)
        if stones_left:
            assert HORIZON - abs(score) == other.score_to_moves_left(stones_left, board)


def test_a_long_search_for_connect_four_shows_progress_and_can_be_interrupted(monkeypatch):
    monkeypatch.setattr("ci_envs.solver.on_demand._MANY_NODES", 1000)
    monkeypatch.setattr("ci_envs.solver.on_demand._SECONDS_A_REPORT", 0.001)
    game = ConnectN(6, 7, 4, gravity=True)
    position = Position.from_text(game, "......./......./...O.../...X.../..XOX../..OXOX. O")
    reported = []

    def report(nodes, total):
        reported.append((nodes, total))
        if len(reported) == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        solve(position, progress=report)
    assert [total for _, total in reported] == [None] * 3
    assert reported[0][0] <= reported[1][0] <= reported[2][0]


def test_only_later_positions_of_connect_four_are_quick():
    game = ConnectN(6, 7, 4, gravity=True)
    late = Position.from_text(game, "......./......./...O.../...X.X./..XOXO./X.OXOXO O")
    assert solver_of(game).is_quick(late)
    assert not solver_of(game).is_quick(Position.start(game))


def test_a_board_with_gravity_that_is_too_high_for_the_search_is_refused():
    with pytest.raises(ValueError, match=r"cols=8.* too large to solve: \(rows \+ 1\) \* cols is more"):
        solve(Position.start(ConnectN(8, 8, 4, gravity=True)))


@pytest.mark.parametrize("misere", [False, True])
@pytest.mark.parametrize(("heaps", "max_take"), [((1, 3, 5, 7), None), ((3, 0, 7), 2), ((1, 1, 1), 1)])
def test_nim_by_theory_equals_search(heaps, max_take, misere):
    game = Nim(heaps, max_take, misere)
    theory, search = NimSolution(game), solve(game)
    assert isinstance(search, SearchSolution)
    assert theory.counts == search.counts
    assert sum(theory.counts.values()) == prod(heap + 1 for heap in heaps)
    for sizes in product(*(range(heap + 1) for heap in heaps)):
        position = Position.from_text(game, f"{','.join(map(str, sizes))} 0")
        assert theory.value(position) == search.value(position) == (1 if nim_is_won(sizes, max_take, misere) else -1)
        assert theory.distance(position) is None
        assert theory.value_actions(position) == search.value_actions(position)


def test_nim_of_any_size_is_solved():
    game = Nim((255,) * 8, max_take=100)
    solution = solve(game)
    start = Position.start(game)
    assert (solution.value(start), solution.distance(start), solution.counts_by_distance) == (-1, None, {})
    assert sum(solution.counts.values()) == 256**8
    won = start.play(start.parse_action("3-7"))
    winning = solution.best_actions(won)
    assert won.parse_action("3-94") in winning  # back to eight heaps with equal remainders modulo 101
    for action in won.legal_actions():
        assert nim_is_won(game.sizes(won.play(action).own), 100, False) == (action not in winning)


def test_quixo_3x3_as_published():
    solution = solve(Quixo(3))
    assert solution.counts == {"win": 12_748, "draw": 0, "loss": 6_935}
    assert solution.counts_by_distance == {
        "win": {0: 4_435, 1: 7_359, 3: 650, 5: 275, 7: 29},
        "loss": {0: 4_123, 1: 14, 2: 2_009, 4: 708, 6: 77, 8: 4},
    }
    assert solution.distance(Position.start(Quixo(3))) == 7


@pytest.mark.extended
def test_quixo_4x4_is_won(quixo4):
    start = Position.start(Quixo(4))
    assert sum(quixo4.counts.values()) == 3**16
    assert quixo4.counts == {"win": 26_434_489, "draw": 1_608_496, "loss": 15_003_736}
    assert (quixo4.value(start), quixo4.distance(start)) == (1, 21)


@pytest.mark.extended
@pytest.mark.parametrize("size", [2, 3])
def test_quixo_equals_value_iteration_over_the_reference_rules(size):
    game = Quixo(size)
    texts = [
        "/".join("".join(cells[k : k + size]) for k in range(0, size * size, size)) + " X"
        for cells in product(".XO", repeat=size * size)
    ]
    chosen = texts if size == 2 else np.random.default_rng(0).choice(texts, 1_500)
    assert_follows_the_reference(solve(game), game, chosen)


@pytest.mark.extended
def test_quixo_4x4_follows_the_reference_rules(quixo4):
    rng = np.random.default_rng(0)
    boards = ["/".join("".join(row) for row in rng.choice(list(".XO"), size=(4, 4))) + " X" for _ in range(500)]
    assert_follows_the_reference(quixo4, Quixo(4), boards)


def assert_follows_the_reference(solution, game, texts):
    """Each score follows from the scores of the positions after each action of the reference rules."""
    for text in texts:
        reference = QuixoReference(game.size)
        reference.board = [list(row) for row in text[:-2].split("/")]
        position = Position.from_text(game, text)
        if reference.result() is not None:
            assert (solution.value(position), solution.distance(position)) == (reference.result(), 0)
            continue
        followers = []
        for name in reference.legal():
            played = QuixoReference(game.size)
            played.board = [list(row) for row in reference.board]
            played.play(name)
            follower = Position.from_text(game, played.text())
            followers.append((-solution.value(follower), 1 + (solution.distance(follower) or 0)))
        value, distance = max(ranking(*follower) for follower in followers)[1:]
        assert (solution.value(position), solution.distance(position)) == (value, distance if value else None)


@pytest.mark.extended
def test_each_of_a_million_quixo_4x4_states_follows_from_its_successors(quixo4):
    rng = np.random.default_rng(1)
    for _ in range(10):
        boards = rng.integers(3, size=(100_000, 4, 4), dtype=np.int8)  # 1 of the player to move, 2 of the opponent
        won, lost = has_line(boards, 1), has_line(boards, 2)
        best = np.full(len(boards), NO_SCORE, dtype=np.int16)
        for name in QuixoReference(4).ends:
            for end in QuixoReference(4).ends[name]:
                followers, possible = push(boards, name, end)
                scores = -scores_of(quixo4, followers)
                scores = np.where(possible, scores - np.sign(scores), NO_SCORE)
                best = np.maximum(best, scores)
        expected = np.where(won, HORIZON, np.where(lost, -HORIZON, best))
        assert (scores_of(quixo4, boards) == expected).all()


def scores_of(solution, boards):
    cells = boards.reshape(len(boards), 16)
    powers = 1 << np.arange(16, dtype=np.uint64)
    return solution.scores(np.stack([(cells == who) @ powers for who in (1, 2)], axis=1))


def has_line(boards, symbol):
    full = boards == symbol
    diagonals = full[:, range(4), range(4)].all(axis=1) | full[:, range(4), range(3, -1, -1)].all(axis=1)
    return full.all(axis=1).any(axis=1) | full.all(axis=2).any(axis=1) | diagonals


def push(boards, taken, end):
    """Return the boards after a push from the other player's point of view, and the legal boards, by joining lines."""
    (col, row), (to_col, to_row) = ((LETTERS.index(name[0]), int(name[1]) - 1) for name in (taken, end))
    pushed = boards.copy()
    line, out, into = (boards[:, row], col, to_col) if row == to_row else (boards[:, :, col], row, to_row)
    rest = np.delete(line, out, axis=1)
    new = np.insert(rest, into, 1, axis=1)
    if row == to_row:
        pushed[:, row] = new
    else:
        pushed[:, :, col] = new
    return np.array([0, 2, 1], dtype=np.int8)[pushed], line[:, out] != 2


def test_a_table_is_kept_and_read_again(tables, monkeypatch):
    (tables / "Quixo(size=2).table").unlink(missing_ok=True)
    first = solve(Quixo(2))
    assert (tables / "Quixo(size=2).table").exists()
    monkeypatch.setattr("ci_envs.solver.quixo.solve_quixo", lambda *_, **__: pytest.fail("solved twice"))
    assert solve(Quixo(2)).counts == first.counts
    assert not list(tables.glob("*.table?*"))


@pytest.mark.parametrize("damage", ["cut", "flip", "empty", "header"])
def test_a_damaged_table_is_made_again_with_a_warning(tables, damage):
    file = tables / "Quixo(size=3).table"
    solve(Quixo(3))
    good = file.read_bytes()
    bad = {
        "cut": good[:-9],
        "flip": good[:500] + bytes([good[500] ^ 1]) + good[501:],
        "empty": b"",
        "header": good.replace(b"size=3", b"size=2"),
    }
    file.write_bytes(bad[damage])
    with pytest.warns(RuntimeWarning, match=r"Quixo\(size=3\)\.table' is damaged"):
        assert solve(Quixo(3)).counts["win"] == 12_748
    assert file.read_bytes() == good


def test_a_table_of_another_version_is_made_again(tables, monkeypatch):
    solve(Quixo(3))
    old = (tables / "Quixo(size=3).table").read_bytes()
    monkeypatch.setattr(table_file, "VERSION", 2)
    assert solve(Quixo(3)).counts["win"] == 12_748
    assert (tables / "Quixo(size=3).table").read_bytes() != old


def test_where_no_table_can_be_kept_the_game_is_solved_all_the_same(tmp_path, monkeypatch):
    (tmp_path / "ci_envs").touch()
    monkeypatch.setattr(table_file, "user_cache", lambda: tmp_path / "ci_envs")
    with pytest.warns(RuntimeWarning, match=r"the table of Quixo\(size=3\) cannot be stored"):
        assert solve(Quixo(3)).counts["win"] == 12_748


@pytest.mark.parametrize("where", ["solving", "writing"])
def test_an_interrupt_leaves_no_file(tmp_path, monkeypatch, where):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(table_file, "user_cache", lambda: tmp_path)
    if where == "writing":
        monkeypatch.setattr("pathlib.Path.replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        solve(Quixo(3), progress=interrupt if where == "solving" else None)
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def test_progress_is_reported():
    calls = []
    solve_quixo(Quixo(3), progress=lambda done, total: calls.append((done, total)))
    assert calls == sorted(calls)
    assert calls[-1] == (19_683, 19_683)


@pytest.mark.parametrize(
    ("game", "message"),
    [
        (Quixo(6), "150,094,635,296,999,121 states, which would take 150 PB"),
        (ConnectN(7, 7, 4, True), "70,110,209,207,109,375 states, which would take 2.52 EB"),  # 255 to the power of 7
    ],
    ids=str,
)
def test_a_game_too_large_says_how_large_it_is(game, message):
    with pytest.raises(ValueError, match=message):
        solve(game)


def test_a_search_that_turns_out_too_large_says_how_far_it_came(monkeypatch):
    monkeypatch.setattr("ci_envs.solver.search.MAX_POSITIONS", 1_000)
    monkeypatch.setattr(ConnectN, "position_bound", lambda game, own, opp: None)  # as for an unknown game
    with pytest.raises(ValueError, match="more than 1,000 states, which would take more than 36 kB"):
        SearchSolution(Position.start(ConnectN(4, 4, 4)))


def test_a_game_that_can_cycle_is_not_searched():
    with pytest.raises(ValueError, match="can cycle"):
        SearchSolution(Position.start(Quixo(2)))


def test_a_solution_refuses_another_games_position():
    with pytest.raises(ValueError, match=r"solution is for Quixo\(size=3\), not for Quixo\(size=4\)"):
        solve(Quixo(3)).value(Position.start(Quixo(4)))


def observations_of(positions):
    masks = np.zeros((len(positions), positions[0].game.action_count), dtype=np.int8)
    for mask, position in zip(masks, positions, strict=True):
        mask[list(position.legal_actions())] = 1
    return {"observation": np.stack([position.observation() for position in positions]), "action_mask": masks}


def some_positions(game, count=200):
    rng = np.random.default_rng(0)
    positions = []
    while len(positions) < count:
        position = Position.start(game)
        for _ in range(rng.integers(8)):
            position = position if position.result is not None else position.play(rng.choice(position.legal_actions()))
        if position.result is None:
            positions.append(position)
    return positions


@pytest.mark.extended
@pytest.mark.parametrize("game", [TIC_TAC_TOE, Nim(), Quixo(3), ConnectN(4, 4, 4, True)], ids=str)
def test_exact_plays_as_its_options_say(game):
    solution, positions = solve(game), some_positions(game)
    observations = observations_of(positions)
    best = [set(solution.best_actions(position)) for position in positions]
    keeping = [set(solution.value_actions(position)) for position in positions]
    blunders = [set(p.legal_actions()) - keeping[i] or best[i] for i, p in enumerate(positions)]
    for options, allowed in (({}, best), ({"randomise": True}, keeping), ({"blunder": 1}, blunders)):
        agent = ExactAgent(game, seed=0, **options)
        played = [set() for _ in positions]
        for _ in range(100):
            for actions, action in zip(played, agent.act_batch(observations).tolist(), strict=True):
                actions.add(action)
        assert all(actions <= set(choice) for actions, choice in zip(played, allowed, strict=True))
        assert sum(map(len, played)) > 0.95 * sum(map(len, allowed))  # all of them occur


def test_exact_blunders_as_often_as_asked_and_repeats_itself_with_a_seed():
    game = Nim()
    start = Position.start(game).play(0)  # a won position: every action except one loses
    agent = ExactAgent(game, blunder=0.25, seed=1)
    observations = observations_of([start] * 4_000)
    actions = agent.act_batch(observations)
    keeping = np.isin(actions, solve(game).value_actions(start)).mean()
    assert abs(keeping - 0.75) < 0.03
    assert (ExactAgent(game, blunder=0.25, seed=1).act_batch(observations) == actions).all()


@pytest.mark.parametrize("options", [{"blunder": 1.1}, {"blunder": -1}, {"blunder": True}, {"randomise": 1}])
def test_exact_refuses_bad_options(options):
    with pytest.raises(ValueError, match=next(iter(options))):
        ExactAgent(TIC_TAC_TOE, **options)


def test_exact_refuses_a_game_too_large():
    with pytest.raises(ValueError, match="too large to solve"):
        ExactAgent(Quixo(6))


def run(*arguments):
    return CliRunner().invoke(main, ["solve", *arguments])


def test_the_command_line_solves_a_game():
    printed = run("Quixo-v0:size=3").output
    assert "wins in 7 plies" in printed
    assert "19,683 states: 12,748 won, 0 drawn, 6,935 lost" in printed
    assert "2,009" in printed


def test_the_command_line_solves_a_position():
    printed = run("TicTacToe-v0", "XX./OO./... X").output
    assert "wins in 1 ply\nbest: c1\n" in printed


def test_the_command_line_solves_by_theory():
    assert "loses\nbest: 1-1" in run("Nim-v0:heaps=200,200,200,200").output


@pytest.mark.extended
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["Quixo-v0"], "a position with 0 cubes has no value: the package has"),
        (["Quixo-v0:size=6"], "150 PB"),
        (["TicTacToe-v0", "X"], "is not a position"),
        (["Go-v0"], "Go-v0"),
    ],
)
def test_the_command_line_refuses_in_one_line(arguments, message):
    done = run(*arguments)
    assert done.exit_code == 2
    assert message in done.output
    assert "Traceback" not in done.output
