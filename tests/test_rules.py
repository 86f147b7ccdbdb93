"""The rules of the games, compared with references from the rulebooks and with positions set up by hand."""

import random

import numpy as np
import pytest
from oracles.rules import reference_of
from playing import forced_result, random_positions

from ci_envs import ConnectN, Game, Nim, Position, Quarto, Quixo
from ci_envs.games import LOSS, WIN, kernel, may_end, may_end_soon

PLIES = {
    Quixo(2): 10_000,
    Quixo(3): 20_000,
    Quixo(4): 20_000,
    Quixo(5): 30_000,
    Quixo(6): 10_000,
    Quixo(7): 10_000,
    ConnectN(3, 3, 3): 20_000,
    ConnectN(6, 6, 4): 20_000,
    ConnectN(6, 7, 4, gravity=True): 30_000,
    ConnectN(1, 8, 3): 5_000,
    ConnectN(8, 8, 5): 10_000,
    ConnectN(5, 8, 4): 5_000,
    ConnectN(8, 3, 4, gravity=True): 5_000,
    ConnectN(8, 8, 6, gravity=True): 5_000,
    Nim((1, 3, 5, 7)): 25_000,
    Nim((1, 3, 5, 7), misere=True): 25_000,
    Nim((9, 0, 4), max_take=3): 15_000,
    Nim((2, 6, 6), max_take=2, misere=True): 15_000,
    Nim((1,)): 5_000,
    Nim((20,), max_take=200): 10_000,
    Nim((255,) * 8): 3_000,
    Nim((255,) * 8, max_take=10, misere=True): 2_000,
    Quarto(): 50_000,
    Quarto(squares=True): 50_000,
}


def test_every_game_is_compared_over_100_000_plies():
    for game_class in (Quixo, ConnectN, Nim, Quarto):
        assert sum(plies for game, plies in PLIES.items() if isinstance(game, game_class)) == 100_000


@pytest.mark.extended
@pytest.mark.parametrize("game", PLIES, ids=repr)
def test_random_play_agrees_with_the_reference(game: Game):
    rng = random.Random(repr(game))
    position, reference = Position.start(game), reference_of(game)
    names = [position.action_name(action) for action in range(game.action_count)]
    assert len(set(names)) == game.action_count
    finished = 0
    for _ in range(PLIES[game]):
        actions = position.legal_actions()
        assert {names[action] for action in actions} == reference.legal()
        action = rng.choice(actions)
        position = position.play(action)
        reference.play(names[action])
        assert position.to_text() == reference.text()
        assert position.to_move == reference.to_move
        assert position.result == reference.result()
        if position.result is not None:
            assert position.legal_actions() == ()
            finished += 1
            position, reference = Position.start(game), reference_of(game)
    assert finished or game in (Quixo(6), Quixo(7))  # games in which random play hardly ever ends


@kernel
def _may_end(game, own, opp, outcome):
    return may_end(game, own, opp, outcome), may_end_soon(game, own, opp, outcome)


def ends_of(position):
    """Return the results, for the player to move, of the games that end after one action."""
    after = [position.play(action) for action in position.legal_actions()]
    return {end.result * (1 if end.to_move == position.to_move else -1) for end in after if end.result is not None}


def crowded_boards(game, count, seed):
    """Return positions of Quixo in which one player has most cubes of the border."""
    rng, cells = np.random.default_rng(seed), game.size * game.size
    border = [cell for cell in range(cells) if {cell // game.size, cell % game.size} & {0, game.size - 1}]
    found = []
    while len(found) < count:
        cubes = rng.choice(3, cells)
        cubes[border] = np.where(rng.random(len(border)) < 0.75, 1, cubes[border])
        own, opp = (sum(1 << cell for cell in np.flatnonzero(cubes == player).tolist()) for player in (1, 2))
        position = Position(game, *((own, opp) if rng.random() < 0.5 else (opp, own)), 0)
        if position.result is None:
            found.append(position)
    return found


# the number of positions, of a thousand, without such an action: no cell for the last stone, and pushes
@pytest.mark.parametrize(
    ("game", "wrong"),
    [
        (ConnectN(3, 3, 3), 0),
        (ConnectN(6, 6, 4), 0),
        (ConnectN(6, 7, 4, gravity=True), 250),
        (Quarto(), 0),
        (Quarto(squares=True), 0),
        (Quixo(3), 500),
        (Quixo(5), 300),
    ],
    ids=str,
)
def test_an_end_that_is_not_announced_does_not_come(game, wrong):
    announced, came = 0, 0
    for position in random_positions(game, 1000, seed=1):
        ends = ends_of(position)
        for outcome in (WIN, LOSS):
            says, _ = _may_end(game, np.uint64(position.own), np.uint64(position.opp), outcome)
            assert says or outcome not in ends
            announced, came = announced + says, came + (outcome in ends)
    assert 0 < came <= announced <= came + wrong


@pytest.mark.parametrize(
    "game", [ConnectN(3, 3, 3), ConnectN(4, 5, 3, gravity=True), Quarto(), Quixo(3), Quixo(4)], ids=str
)
def test_an_end_within_two_actions_that_is_not_announced_cannot_be_forced(game):
    announced, excluded, forced = 0, 0, 0
    positions = random_positions(game, 60, seed=2) + (crowded_boards(game, 60, 3) if isinstance(game, Quixo) else [])
    for position in positions:
        expected = forced_result(position, 2)
        for outcome in (WIN, LOSS):
            _, says = _may_end(game, np.uint64(position.own), np.uint64(position.opp), outcome)
            comes = np.sign(expected) == outcome
            assert says or not comes
            announced, excluded, forced = announced + says, excluded + (not says), forced + comes
    assert 0 < forced <= announced
    assert excluded > 0 or isinstance(game, Quarto)  # which does not implement the test for two actions


@pytest.mark.parametrize("size", range(2, 8))
def test_quixo_has_three_pushes_for_a_border_cube_and_two_for_a_corner(size):
    names = [Position.start(Quixo(size)).action_name(action) for action in range(Quixo(size).action_count)]
    pushes = {cube: sum(name.startswith(cube) for name in names) for cube in {name[:2] for name in names}}
    corners = {f"{col}{row}" for col in ("a", "abcdefg"[size - 1]) for row in (1, size)}
    assert {cube for cube, count in pushes.items() if count == 2} == corners
    assert sorted(pushes.values()) == [2] * 4 + [3] * (4 * (size - 2))
    assert len(names) == 12 * (size - 2) + 8


@pytest.mark.parametrize("size", range(2, 8))
def test_every_quixo_line_wins_for_its_owner(size):
    lines = [[(k, i) for i in range(size)] for k in range(size)]
    lines += [[(i, k) for i in range(size)] for k in range(size)]
    lines += [[(i, i) for i in range(size)], [(i, size - 1 - i) for i in range(size)]]
    for line in lines:
        rows = ["".join("X" if (row, col) in line else "." for col in range(size)) for row in range(size)]
        assert Position.from_text(Quixo(size), f"{'/'.join(rows)} X").result == 1
        assert Position.from_text(Quixo(size), f"{'/'.join(rows)} O").result == -1
        short = "/".join(rows).replace("X", ".", 1)
        assert Position.from_text(Quixo(size), f"{short} X").result is None


@pytest.mark.parametrize(
    ("before", "action", "after"),
    [
        ("...../...../...../...../..... X", "a1e1", "....X/...../...../...../..... O"),
        ("XOXO./...../...../...../..... X", "a1e1", "OXO.X/...../...../...../..... O"),
        ("XOXO./...../...../...../..... O", "b1a1", "OXXO./...../...../...../..... X"),
        ("..X../..O../..O../..X../..O.. O", "c5c1", "..O../..X../..O../..O../..X.. X"),
        ("X...O/O...X/X...O/O...X/....O X", "a5a1", "X...O/X...X/O...O/X...X/O...O O"),
        ("X...O/O...X/X...O/O...X/....O O", "e3e5", "X...O/O...X/X...X/O...O/....O X"),
    ],
)
def test_quixo_pushes_slide_the_cubes_up_to_the_hole_and_no_further(before, action, after):
    position = Position.from_text(Quixo(), before)
    assert position.play(position.parse_action(action)).to_text() == after


def test_quixo_mover_who_completes_only_their_own_line_wins():
    position = Position.from_text(Quixo(3), "XX./.../OO. X")
    assert position.play(position.parse_action("c1a1")).result == -1


def test_quixo_mover_who_completes_only_the_opponents_line_loses():
    # the right column slides up by one, which lifts its O beside the two of the first row
    position = Position.from_text(Quixo(3), "OO./..O/..X X")
    after = position.play(position.parse_action("c1c3"))
    assert after.to_text() == "OOO/..X/..X O"
    assert after.result == 1


def test_quixo_mover_who_completes_both_lines_loses():
    # the same slide, with X to fill the second row as well
    position = Position.from_text(Quixo(3), "OO./XXO/..X X")
    after = position.play(position.parse_action("c1c3"))
    assert after.to_text() == "OOO/XXX/..X O"
    assert after.result == 1


@pytest.mark.extended
@pytest.mark.parametrize("size", range(2, 8))
def test_an_unfinished_quixo_position_has_a_legal_action(size):
    rng = random.Random(size)
    for _ in range(500):
        cells = rng.choices("OX.", weights=(8, 1, 1), k=size * size)  # mostly the opponent's
        rows = ["".join(cells[row * size : (row + 1) * size]) for row in range(size)]
        position = Position.from_text(Quixo(size), f"{'/'.join(rows)} X")
        assert (position.result is None) == bool(position.legal_actions())


def test_the_last_cell_of_an_8x8_board_counts():
    game = ConnectN(8, 8, 5)
    empty = Position.start(game)
    assert empty.action_name(63) == "h8"
    assert empty.play(63).to_text() == "/".join(["........"] * 7 + [".......X"]) + " O"
    assert 63 not in empty.play(63).legal_actions()
    for direction in ("d8 e8 f8 g8", "h4 h5 h6 h7", "d4 e5 f6 g7"):
        position = empty
        for mine, theirs in zip(direction.split(), ("a1", "c1", "a3", "c3"), strict=True):
            position = position.play(position.parse_action(mine))
            position = position.play(position.parse_action(theirs))
            assert position.result is None
        assert position.play(63).result == -1


def test_a_full_8x8_board_is_drawn():
    board = "/".join(["XXOOXXOO", "OOXXOOXX"] * 4)
    position = Position.from_text(ConnectN(8, 8, 5), f"{board} X")
    assert position.result == 0
    assert position.legal_actions() == ()


@pytest.mark.parametrize(
    ("game", "before", "action", "result"),
    [
        (ConnectN(3, 3, 3), "XOX/XOO/OX. X", "c3", 0),
        (ConnectN(3, 3, 3), "XOX/OXO/OX. X", "c3", -1),
        (ConnectN(1, 8, 3), "XXOOXXO. O", "h1", 0),
        (ConnectN(2, 3, 3, gravity=True), "XO./XOX O", "c", 0),
        (ConnectN(3, 3, 3, gravity=True), "OX./XXO/XOO X", "c", -1),
        (Quarto(), "a490/75e3/2b8f/c61. d 0", "d4", 0),
        (Quarto(squares=True), "a490/75e3/2b8f/c61. d 0", "d4", 0),
        (Quarto(), "0e61/bfd2/5.39/7c84 a 0", "b3", 1),
    ],
    ids=str,
)
def test_the_last_cell_decides(game, before, action, result):
    position = Position.from_text(game, before)
    assert position.result is None
    assert position.legal_actions() == (position.parse_action(action),)
    after = position.play(position.parse_action(action))
    assert after.result == result
    assert after.legal_actions() == ()


def test_connect_four_stones_fall_to_the_lowest_empty_cell():
    position = Position.start(ConnectN(3, 2, 3, gravity=True))
    for column, text in (("b", "../../.X O"), ("b", "../.O/.X X"), ("b", ".X/.O/.X O"), ("a", ".X/.O/OX X")):
        position = position.play(position.parse_action(column))
        assert position.to_text() == text
    assert position.legal_actions() == (0,)


@pytest.mark.parametrize(("misere", "result"), [(False, -1), (True, 1)])
def test_the_last_object_wins_in_normal_nim_and_loses_in_misere(misere, result):
    position = Position.from_text(Nim((1, 3), misere=misere), "0,1 1")
    assert position.result is None
    assert position.play(position.parse_action("2-1")).result == result


def test_nim_takes_at_most_max_take_from_one_heap():
    game = Nim((1, 5, 3), max_take=3)
    position = Position.start(game)
    assert sorted(game.action_name(action) for action in position.legal_actions()) == [
        *("1-1", "2-1", "2-2", "2-3", "3-1", "3-2", "3-3")
    ]
    assert position.play(position.parse_action("2-3")).to_text() == "1,2,3 1"


def test_nim_heaps_of_255_neither_borrow_nor_carry():
    game = Nim((255,) * 8)
    position = Position.start(game)
    for heap in (8, 1, 4):
        position = position.play(position.parse_action(f"{heap}-255"))
    assert position.to_text() == "0,255,255,0,255,255,255,0 1"
    assert position.play(position.parse_action("7-254")).to_text() == "0,255,255,0,255,255,1,0 0"


def names(position: Position) -> set[str]:
    return {position.action_name(action) for action in position.legal_actions()}


def test_quarto_starts_by_giving_and_the_placer_keeps_the_turn():
    position = Position.start(Quarto())
    assert names(position) == {f"give{piece:x}" for piece in range(16)}
    position = position.play(position.parse_action("give5"))
    assert position.to_move == 1
    assert names(position) == {f"{col}{row}" for col in "abcd" for row in (1, 2, 3, 4)}
    position = position.play(position.parse_action("b3"))
    assert position.to_text() == "..../..../.5../.... - 1"
    assert names(position) == {f"give{piece:x}" for piece in range(16)} - {"give5"}
    assert position.play(position.parse_action("givea")).to_text() == "..../..../.5../.... a 0"


LINES = {
    "row": "a2 b2 c2 d2",
    "column": "d1 d2 d3 d4",
    "falling": "a1 b2 c3 d4",
    "rising": "a4 b3 c2 d1",
    "square": "b2 b3 c2 c3",
    "corner square": "c3 c4 d3 d4",
    "corners": "a1 a4 d1 d4",
    "broken row": "a1 b1 c1 d2",
}


@pytest.mark.parametrize("squares", [False, True])
@pytest.mark.parametrize("line", LINES)
def test_quarto_four_alike_in_a_line_win_for_the_placer(squares, line):
    counts = line in ("row", "column", "falling", "rising") or (squares and "square" in line)
    alike = ("0248", "0148", "0128", "0124", "fdb7", "feb7", "fed7", "fedb")  # each in only one attribute
    for pieces in (*alike, "35a7", "0f37", "69f1"):
        position = Position.start(Quarto(squares))
        for piece, cell in zip(pieces, LINES[line].split(), strict=True):
            assert position.result is None
            position = position.play(position.parse_action(f"give{piece}"))
            position = position.play(position.parse_action(cell))
        assert position.result == (1 if counts and pieces in alike else None)
        assert position.to_move == 0
        assert bool(position.legal_actions()) == (position.result is None)
