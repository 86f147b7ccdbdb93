"""Positions and games as Python values: text, names, errors, copies, observations and symmetries."""

import copy
import dataclasses
import pickle
import random

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ci_envs import ConnectFour, ConnectN, Game, Nim, Position, Quarto, Quixo, TicTacToe
from ci_envs.games.operations import transform_action
from ci_envs.kernels.compiler import kernel

GAMES = [
    Quixo(3),
    Quixo(5),
    ConnectN(3, 3, 3),
    ConnectN(3, 5, 4),
    ConnectN(6, 7, 4, gravity=True),
    Nim((1, 3, 5, 7)),
    Nim((2, 3, 4), max_take=2, misere=True),
    Nim((40, 2)),  # 80 actions, more than the bits of a word
    Quarto(),
    Quarto(squares=True),
]
each_game = pytest.mark.parametrize("game", GAMES, ids=repr)


def playout(game: Game, seed: int, plies: int = 60) -> list[Position]:
    """Return the positions of a random game: the initial position and at most ``plies`` more."""
    rng = random.Random(seed)
    positions = [Position.start(game)]
    while len(positions) <= plies and (actions := positions[-1].legal_actions()):
        positions.append(positions[-1].play(rng.choice(actions)))
    return positions


# Text


@each_game
def test_text_round_trip_is_exact(game):
    for position in playout(game, seed=1):
        text = position.to_text()
        again = Position.from_text(game, text)
        assert again == position
        assert again.to_text() == text == str(position)
        assert "\n" not in text
        assert repr(position) == f"Position.from_text({game!r}, {text!r})"
        assert eval(repr(position)) == position


@each_game
def test_words_of_a_position_are_read_and_others_are_refused(game):
    for position in playout(game, seed=2):
        again = Position.from_words(game, position.own, position.opp)
        assert (again.own, again.opp) == (position.own, position.opp)
        of_numpy = Position(game, np.uint64(position.own), np.uint64(position.opp), np.int8(position.to_move))
        assert of_numpy == position
        assert type(of_numpy.to_move) is type(of_numpy.own) is int
        wrong = position.opp | 1 << 63
        with pytest.raises(ValueError, match=f"^{position.own} and {wrong} are not the words of a position of "):
            Position.from_words(game, position.own, wrong)


TEXTS = {
    Quixo(3): "X.O/.../O.X X",
    ConnectN(3, 3, 3): "X.O/.../O.X X",
    ConnectN(3, 3, 3, gravity=True): "O../X../OXX O",
    Nim((1, 3, 5)): "1,0,5 1",
    Quarto(): "0.../.f../..a./.... 3 0",
}


@pytest.mark.parametrize(("game", "text"), TEXTS.items(), ids=str)
def test_any_change_of_layout_is_refused(game, text):
    assert Position.from_text(game, text).to_text() == text
    spoiled = [
        *("", " ", text[:-1], text[:-2], text[1:], text[0] + text, text + text, text + text[-1]),
        *(f" {text}", f"{text} ", f"{text}\n", f"\n{text}", text.replace(" ", "  "), text.replace(" ", "\t")),
        *(
            text.replace(" ", ""),
            text.replace("/", "|").replace(",", "/"),
            text.replace("/", "", 1).replace(",", "", 1),
        ),
        *(text[:-1] + symbol for symbol in "2xo-.\u0660\uff11"),
        *(symbol + text[1:] for symbol in "gx#-+ \u0663\uff11\xb2"),
    ]
    for bad in spoiled:
        assert_refused(game, bad)


def assert_refused(game: Game, text: str) -> None:
    with pytest.raises(ValueError, match="is not a position of") as caught:
        Position.from_text(game, text)
    assert repr(text) in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("game", "text"),
    [
        (Quixo(3), "X.O/... X"),
        (Quixo(3), "X.O/.../..A X"),
        (Quixo(3), "..../..../.... X"),
        (ConnectN(3, 3, 3), "X../.../... X"),  # O is to move
        (ConnectN(3, 3, 3), "X.O/.../... O"),  # X is to move
        (ConnectN(3, 3, 3), "XX./.../... O"),
        (ConnectN(3, 3, 3), "O../.../... O"),
        (ConnectN(3, 3, 3), "XXX/OOO/... X"),  # both players have a line
        (ConnectN(3, 3, 3), "XXX/OO./..O X"),  # X won, but O moved again
        (ConnectN(3, 3, 3), "OOO/XX./X.X O"),  # O won, but X moved again
        (ConnectN(3, 3, 3, gravity=True), "X../.../... O"),  # a floating stone
        (ConnectN(3, 3, 3, gravity=True), ".../O../.XX O"),
        (ConnectN(3, 2, 3, gravity=True), "O./../X. X"),
        (Nim((1, 3, 5)), "1,3 0"),
        (Nim((1, 3, 5)), "1,3,5,7 0"),
        (Nim((1, 3, 5)), "1,3,6 0"),  # more than any initial heap
        (Nim((1, 3, 5)), "1,3,256 0"),
        (Nim((255, 255)), "256,0 0"),
        (Nim((255, 255)), "0,1000 0"),
        (Nim((255, 255)), "0,1\u0660 0"),  # digits of other scripts
        (Nim((1, 3, 5)), "1,3,-1 0"),
        (Nim((1, 3, 5)), "1,3,05 0"),
        (Nim((1, 3, 5)), "1,3,\u0665 0"),
        (Nim((1, 3, 5)), "1,3,\uff15 0"),
        (Nim((1, 3, 5)), "1, 3, 5 0"),
        (Quarto(), "00../..../..../.... - 0"),  # a piece twice
        (Quarto(), "0.../..../..../.... 0 0"),
        (Quarto(), "0.../..../..../.... 1 1"),  # the wrong player
        (Quarto(), "0.../..../..../.... - 0"),
        (Quarto(), "..../..../..../.... - 1"),
        (Quarto(), "0123/..../..../.... f 1"),  # no piece can be given after a quarto
        (Quarto(squares=True), "01../23../..../.... f 1"),
        (Quarto(), "A.../..../..../.... - 1"),
        (Quarto(), "g.../..../..../.... - 1"),
        (Quarto(), "0.../..../..../.... . 0"),
        (Quarto(), "..../..../..../...0- 1"),
    ],
    ids=str,
)
def test_text_that_is_no_position_is_refused(game, text):
    assert_refused(game, text)


@each_game
def test_a_diagram_shows_the_board_and_the_player_to_move_or_the_winner(game):
    for position in playout(game, seed=2):
        diagram = position.diagram()
        board = position.to_text().split()[0]
        *rows, last = diagram.split("\n")
        shown = "".join(rows).replace(" ", "")
        assert all(row in shown for row in board.split("/")) or isinstance(game, Nim)
        names = ("X", "O") if isinstance(game, Quixo | ConnectN) else ("First", "Second")
        if position.result is None:
            assert last == f"{names[position.to_move]} to move"
        elif position.result == 0:
            assert last == "a draw"
        else:
            assert last == f"{names[position.to_move if position.result == 1 else 1 - position.to_move]} has won"


def test_a_nim_diagram_shows_a_bar_for_each_object():
    assert Position.from_text(Nim((3, 4)), "3,0 1").diagram() == "1: | | | (3)\n2: (0)\nSecond to move"


# Values


@each_game
def test_positions_are_immutable_values(game):
    first, second = playout(game, seed=3)[1], playout(game, seed=3)[1]
    assert first is not second
    assert first == second
    assert hash(first) == hash(second)
    assert first != Position.start(game)
    assert first != Position(first.game, first.own, first.opp, 1 - first.to_move)
    for name in ("game", "own", "opp", "to_move"):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(first, name, getattr(first, name))
    with pytest.raises((AttributeError, TypeError)):
        first.history = []


def test_positions_of_different_games_differ():
    assert Position.start(Quixo(5)) != Position.start(Quixo(4))
    assert Position.start(Nim(misere=True)) != Position.start(Nim())
    assert len({Position.start(game) for game in GAMES}) == len(GAMES)


@each_game
def test_games_are_immutable_values(game):
    twin = dataclasses.replace(game)
    assert game == twin
    assert hash(game) == hash(twin)
    assert game.action_numbers == twin.action_numbers  # a cached property does not change equality and hash
    assert game == twin
    assert eval(repr(game)) == game
    name = dataclasses.fields(game)[0].name
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(game, name, getattr(game, name))


@each_game
@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value))])
def test_games_and_positions_survive_copying_and_pickling(game, duplicate):
    position = playout(game, seed=4, plies=4)[-1]  # the game has its compiled type now
    twin = duplicate(game)
    assert twin == game
    assert hash(twin) == hash(game)
    assert duplicate(position) == position
    assert duplicate(position).legal_actions() == position.legal_actions()
    assert Position.start(twin).legal_actions() == Position.start(game).legal_actions()


@pytest.mark.parametrize(
    ("game", "same"),
    [
        (Quixo(4), Quixo(np.int64(4))),
        (ConnectN(3, 4, 3), ConnectN(np.uint8(3), np.int32(4), np.int64(3))),
        (Nim((2, 3), max_take=2), Nim(np.array([2, 3]), max_take=np.int16(2))),
        (Nim((2, 3)), Nim([2, 3])),
        (Nim((5,)), Nim(5)),
        (Nim((5,)), Nim(np.int64(5))),
        (Nim((1, 2)), Nim(iter([1, 2]))),
    ],
    ids=repr,
)
def test_equal_parameters_make_equal_games_with_one_compiled_type(game, same):
    assert game == same
    assert repr(game) == repr(same)
    assert hash(game) == hash(same)
    assert numba.typeof(game) == numba.typeof(same)
    assert numba.typeof(game) != numba.typeof(Quixo(7))


@pytest.mark.parametrize(
    ("game_class", "parameters"),
    [
        *((Quixo, {"size": size}) for size in (1, 8, 0, -3, 2.0, 5.5, "5", True, None, (5,), np.float64(5), 2**64)),
        *((ConnectN, {name: value}) for name in ("rows", "cols") for value in (0, 9, -1, 3.0, "3", True, None)),
        *((ConnectN, {"n": n}) for n in (0, 7, -1, 4.0, "4", True, None)),
        (ConnectN, {"rows": 2, "cols": 3, "n": 4}),
        *((ConnectN, {"gravity": gravity}) for gravity in (1, 0, "true", None)),
        *(
            (Nim, {"heaps": heaps})
            for heaps in ((), (1,) * 9, (256,), (-1, 2), (0, 0), (1.0,), ("1",), (True,), (None,))
        ),
        *((Nim, {"heaps": heaps}) for heaps in (0, 256, True, "135", None, 3.0)),
        *((Nim, {"max_take": max_take}) for max_take in (0, -1, 256, 2.0, "2", True)),
        *((Nim, {"misere": misere}) for misere in (1, 0, "true", None)),
        *((Quarto, {"squares": squares}) for squares in (1, 0, "true", None)),
    ],
    ids=str,
)
def test_a_parameter_out_of_range_is_refused_by_name(game_class, parameters):
    with pytest.raises(ValueError, match="must ") as caught:
        game_class(**parameters)
    name, value = list(parameters.items())[-1]
    parts = value if isinstance(value, tuple | str) else ()
    message = str(caught.value)
    assert ("heap" if name == "heaps" else name) in message
    assert any(repr(offender) in message for offender in (value, *parts))
    assert "\n" not in message


def test_the_limits_of_parameters_are_allowed():
    assert Quixo(2).action_count == 8
    assert Quixo(7).action_count == 68
    assert ConnectN(1, 1, 1).action_count == 1
    assert ConnectN(8, 8, 8).action_count == 64
    assert ConnectN(8, 1, 8, gravity=True).action_count == 1
    assert Nim((255,) * 8).action_count == 8 * 255
    assert Nim((1,), max_take=255).action_count == 1
    assert Nim((0, 9), max_take=1).action_count == 2


def test_a_position_needs_a_game():
    for wrong in (Quixo, "Quixo-v0", None, 5):
        with pytest.raises(TypeError, match="needs a game"):
            Position.start(wrong)


# Actions


@each_game
def test_legal_actions_are_an_ascending_tuple_of_ints(game):
    for position in playout(game, seed=5):
        actions = position.legal_actions()
        assert isinstance(actions, tuple)
        assert all(type(action) is int for action in actions)
        assert list(actions) == sorted(set(actions))
        assert set(actions) <= set(range(game.action_count))
        assert bool(actions) == (position.result is None)


@each_game
def test_an_action_that_is_neither_integer_nor_text_raises_a_type_error(game):
    position = Position.start(game)
    for wrong in (1.0, b"a1", None, np.float64(1), [1], (0,), np.array([0, 1])):
        with pytest.raises(TypeError, match="integer"):
            position.play(wrong)
    assert position == Position.start(game)


@each_game
def test_an_action_can_be_played_by_its_name(game):
    for position in playout(game, seed=6):
        for action in position.legal_actions():
            assert position.play(position.action_name(action)) == position.play(action)
        with pytest.raises(ValueError, match="'no such action' is not an action of"):
            position.play("no such action")


@pytest.mark.extended
@each_game
def test_an_illegal_action_raises_a_value_error_that_names_it(game):
    for position in playout(game, seed=6):
        legal = position.legal_actions()
        words = (position.own, position.opp, position.to_move)
        beyond = (-1, -game.action_count, game.action_count, 2**31, 2**63, 2**64, 2**64 + 1, -(2**70))
        illegal = [action for action in range(game.action_count) if action not in legal]
        for action in (*illegal, *beyond):
            with pytest.raises(ValueError, match=rf"action {action} is illegal") as caught:
                position.play(action)
            assert position.to_text() in str(caught.value)
            assert "\n" not in str(caught.value)
            assert ("the game is over" in str(caught.value)) == (not legal)
            assert all(position.action_name(action) in str(caught.value) for action in legal)
        assert (position.own, position.opp, position.to_move) == words


@each_game
def test_integers_of_any_type_are_actions(game):
    position = Position.start(game)
    action = position.legal_actions()[-1]
    for same in (np.int64(action), np.int8(action), np.uint64(action), np.array(action)):
        assert position.play(same) == position.play(action)


@each_game
def test_names_and_numbers_of_actions_correspond(game):
    position = Position.start(game)
    names = [position.action_name(action) for action in range(game.action_count)]
    assert len(set(names)) == game.action_count
    assert all(name and not set(name) & set(" \t\n,:=") for name in names)
    for position in playout(game, seed=7):
        for action in position.legal_actions():
            assert position.parse_action(names[action]) == action
            assert position.parse_action(f" {names[action].upper()}\n") == action


@each_game
def test_a_name_that_is_no_legal_action_is_refused(game):
    for position in playout(game, seed=8):
        legal = position.legal_actions()
        for action in set(range(game.action_count)) - set(legal):
            with pytest.raises(ValueError, match=f"action {action} is illegal"):
                position.parse_action(position.action_name(action))
        for wrong in ("", "z9", "0", "resign"):
            with pytest.raises(ValueError, match="is not an action of") as caught:
                position.parse_action(wrong)
            assert repr(wrong) in str(caught.value)
            assert all(position.action_name(action) in str(caught.value) for action in legal)


@each_game
def test_a_number_beyond_the_actions_has_no_name(game):
    for wrong in (-1, game.action_count, 2**64):
        with pytest.raises(ValueError, match=str(wrong)):
            Position.start(game).action_name(wrong)


# Observations


@each_game
def test_observations_show_the_position_exactly(game):
    for position in playout(game, seed=9):
        planes = position.observation()
        assert planes.dtype == np.int8
        assert planes.shape == game.observation_shape
        assert set(np.unique(planes)) <= {0, 1}
        assert Position.from_observation(game, planes, position.to_move) == position
        assert Position.from_observation(game, planes[::-1][::-1].tolist(), position.to_move) == position


def test_a_grid_is_observed_with_the_cells_of_the_player_to_move_first():
    x_to_move = Position.from_text(Quixo(3), "XO./..O/... X").observation()
    assert x_to_move[:, :, 0].tolist() == [[1, 0, 0], [0, 0, 0], [0, 0, 0]]
    assert x_to_move[:, :, 1].tolist() == [[0, 1, 0], [0, 0, 1], [0, 0, 0]]
    o_to_move = Position.from_text(Quixo(3), "XO./..O/... O").observation()
    assert np.array_equal(o_to_move, x_to_move[:, :, ::-1])


def test_nim_is_observed_as_rows_of_objects():
    planes = Position.from_text(Nim((1, 3)), "0,2 1").observation()
    assert planes[:, :, 0].tolist() == [[0, 0, 0], [1, 1, 0]]


def test_quarto_is_observed_with_occupied_cells_attributes_and_hand():
    planes = Position.from_text(Quarto(), "5.../..../..../...0 c 1").observation()
    for channel, cells in enumerate(["ad", "a", "", "a", ""]):
        expected = np.zeros((4, 4))
        expected[0, 0], expected[3, 3] = "a" in cells, "d" in cells
        assert np.array_equal(planes[:, :, channel], expected)
    assert [set(np.unique(planes[:, :, channel])) for channel in range(5, 10)] == [{1}, {0}, {0}, {1}, {1}]


@each_game
def test_planes_of_a_wrong_shape_are_refused(game):
    height, width, channels = game.observation_shape
    for shape in ((height, width), (height, width, channels + 1), (1, height, width, channels)):
        with pytest.raises(ValueError, match="shape"):
            Position.from_observation(game, np.zeros(shape, dtype=np.int8))


# Symmetries


@kernel
def image_of_action(game, symmetry, action):
    return transform_action(game, symmetry, action)


@kernel
def images_of_actions(game, count, images):
    for symmetry in range(count):
        for action in range(images.shape[1]):
            images[symmetry, action] = transform_action(game, symmetry, np.uint64(action))


def action_maps(game: Game) -> np.ndarray:
    """Return the image of each action under each symmetry."""
    images = np.empty((game.symmetry_count, game.action_count), dtype=np.int64)
    images_of_actions(game, game.symmetry_count, images)
    return images


@pytest.mark.parametrize(
    ("game", "count"),
    [
        *((Quixo(5), 8), (ConnectN(3, 3, 3), 8), (ConnectN(3, 5, 4), 4)),
        *((ConnectN(6, 7, 4, gravity=True), 2), (ConnectN(5, 5, 4, gravity=True), 2)),
        *((Nim((1, 3, 5)), 6), (Quarto(), 32 * 384), (Quarto(squares=True), 8 * 384)),
    ],
    ids=str,
)
def test_number_of_symmetries(game, count):
    assert game.symmetry_count == count
    assert len(Position.start(game).symmetries) == count
    maps = action_maps(game)
    assert len(np.unique(maps, axis=0)) == count
    assert np.array_equal(np.sort(maps, axis=1), np.tile(np.arange(game.action_count), (count, 1)))


@each_game
def test_symmetry_0_is_the_identity(game):
    assert action_maps(game)[0].tolist() == list(range(game.action_count))
    for position in playout(game, seed=10, plies=8):
        assert position.symmetries[0] == position


@pytest.mark.extended
@settings(deadline=None, max_examples=150)
@given(game=st.sampled_from(GAMES), seed=st.integers(0, 2**32), plies=st.integers(0, 40), data=st.data())
def test_symmetries_commute_with_play(game, seed, plies, data):
    position = playout(game, seed, plies)[-1]
    symmetry = data.draw(st.integers(0, game.symmetry_count - 1))
    images = position.symmetries
    image = images[symmetry]
    assert image.to_move == position.to_move
    assert image.result == position.result
    assert Position.from_text(game, image.to_text()) == image
    assert Position.from_observation(game, image.observation(), image.to_move) == image
    mapped = {action: int(image_of_action(game, symmetry, action)) for action in position.legal_actions()}
    assert image.legal_actions() == tuple(sorted(mapped.values()))
    if mapped:
        action = data.draw(st.sampled_from(sorted(mapped)))
        assert image.play(mapped[action]) == position.play(action).symmetries[symmetry]


@pytest.mark.extended
@settings(deadline=None, max_examples=30)
@given(game=st.sampled_from(GAMES), seed=st.integers(0, 2**32), data=st.data())
def test_symmetries_have_inverses(game, seed, data):
    position = playout(game, seed, plies=20)[-1]
    symmetry = data.draw(st.integers(0, game.symmetry_count - 1))
    assert position in position.symmetries[symmetry].symmetries


def test_grid_symmetries_are_the_turns_and_mirror_images_of_the_board():
    images = {image.to_text() for image in Position.from_text(Quixo(2), "X./O. X").symmetries}
    assert images == {
        f"{board} X" for board in ("X./O.", ".X/.O", "O./X.", ".O/.X", "XO/..", "OX/..", "../XO", "../OX")
    }
    images = {image.to_text() for image in Position.from_text(ConnectN(2, 3, 3), "XO./... X").symmetries}
    assert images == {f"{board} X" for board in ("XO./...", ".OX/...", ".../XO.", ".../.OX")}
    images = {image.to_text() for image in Position.from_text(ConnectN(2, 2, 2, gravity=True), "../XO X").symmetries}
    assert images == {"../XO X", "../OX X"}


LINES = [{4 * k + i for i in range(4)} for k in range(4)] + [{4 * i + k for i in range(4)} for k in range(4)]
LINES += [{5 * i for i in range(4)}, {3 + 3 * i for i in range(4)}]
SQUARES = [{4 * row + col + step for step in (0, 1, 4, 5)} for row in range(3) for col in range(3)]


@pytest.mark.parametrize(("squares", "count"), [(False, 32), (True, 8)])
def test_quarto_board_symmetries_form_a_group_that_keeps_the_lines(squares, count):
    maps = {tuple(cells) for cells in action_maps(Quarto(squares))[:, :16].tolist()}
    assert len(maps) == count
    assert tuple(range(16)) in maps
    assert {tuple(second[cell] for cell in first) for first in maps for second in maps} == maps
    lines = {frozenset(line) for line in (LINES + SQUARES if squares else LINES)}
    for cells in maps:
        assert {frozenset(cells[cell] for cell in line) for line in lines} == lines


def test_quarto_piece_symmetries_keep_the_number_of_shared_attributes():
    maps = {tuple(pieces) for pieces in (action_maps(Quarto())[:, 16:] - 16).tolist()}
    assert len(maps) == 384
    assert {tuple(second[piece] for piece in first) for first in maps for second in maps} == maps
    for pieces in maps:
        assert all((pieces[a] ^ pieces[b]).bit_count() == (a ^ b).bit_count() for a in range(16) for b in range(16))


def test_the_winner_of_nim_takes_the_last_piece_and_loses_with_misere() -> None:
    for heaps, first_wins in [((1,), True), ((1, 1), False)]:
        for misere in (False, True):
            position = Position.start(Nim(heaps, misere=misere))
            assert position.winner is None
            while position.result is None:
                position = position.play(position.legal_actions()[0])
            assert position.winner == (0 if first_wins is not misere else 1)


def test_a_number_that_is_no_action_is_refused_with_the_range_of_the_actions() -> None:
    with pytest.raises(ValueError, match=r"has the actions 0 to 8, not 9$"):
        Position.start(ConnectN(3, 3, 3)).action_name(9)


@each_game
@pytest.mark.parametrize("wrong", [-1, 10**6, 1.5, None])
def test_a_wrong_action_has_no_region(game: Game, wrong: object) -> None:
    position = Position.start(game)
    for method in (position.targets, position.last_targets, position.trace, position.action_name):
        with pytest.raises(ValueError, match=f"has the actions 0 to {game.action_count - 1}, not"):
            method(wrong)


@each_game
def test_names_and_positions_are_texts(game: Game) -> None:
    with pytest.raises(TypeError, match="the name of an action is a text such as"):
        Position.start(game).parse_action(3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="a position is a text such as"):
        Position.from_text(game, None)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("game", "change"),
    [
        (Nim((1, 3, 5)), lambda planes: planes[1].fill(0) or planes[1].__setitem__((2, 0), 1)),
        (Quarto(), lambda planes: planes[0, 0].fill(1)),
        (TicTacToe(), lambda planes: planes[1, 1].fill(1)),  # both colours in one cell
        (Quixo(), lambda planes: planes[0, 0].fill(1)),
        (ConnectFour(), lambda planes: planes[0, 3].__setitem__(0, 1)),  # a piece above empty cells
        (TicTacToe(), lambda planes: planes[:2, :, 0].fill(1)),  # six stones to none
    ],
)
def test_planes_that_are_no_position_are_refused(game, change):
    planes = Position.start(game).observation().copy()
    change(planes)
    with pytest.raises(ValueError, match="the planes are not those of a position of"):
        Position.from_observation(game, planes)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Position("x", 1, 0),
        lambda: Position.from_words("x", 1, 0),
        lambda: Position.from_observation("x", np.zeros(3)),
    ],
)
def test_texts_are_no_games(make):
    with pytest.raises(TypeError, match="game"):
        make()
