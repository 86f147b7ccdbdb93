"""The defaults of every game: text, diagram, picture and names, for the minimal game and for the shipped games."""

from math import comb, factorial
from xml.etree import ElementTree

import numpy as np
import pettingzoo.test
import pytest
from minimal_game import LastCell

from ci_envs import ConnectN, Game, Nim, Position, Quarto, Quixo, make_agent, perft, show, solve
from ci_envs.drawing.buttons import with_buttons
from ci_envs.drawing.planes import planes_drawing
from ci_envs.drawing.raster import rgb_array
from ci_envs.envs.aec import BoardEnv
from ci_envs.games import grid_diagram, legal_bits
from ci_envs.kernels.compiler import kernel

GAMES = [
    LastCell(),
    LastCell(1, 3),
    Quixo(3),
    ConnectN(3, 3, 3),
    ConnectN(6, 7, 4, gravity=True),
    Nim(),
    Nim((40, 9, 0), max_take=4),
    Quarto(squares=True),
]
of_every_game = pytest.mark.parametrize("game", GAMES, ids=repr)


@kernel
def legal_bits_of(game, own, opp):
    return legal_bits(game, own, opp)


@pytest.mark.parametrize("shape", [(1, 3), (7, 9), (8, 8)])
def test_the_default_bits_of_legal_actions_have_all_actions(shape):
    """Up to 64 actions, the last of which has the highest bit."""
    count = shape[0] * shape[1]
    own, opp = 0b1, 0b100
    expected = sum(1 << action for action in range(count) if not (own | opp) >> action & 1)
    assert int(legal_bits_of(LastCell(*shape), np.uint64(own), np.uint64(opp))) == expected


def random_positions(game, count=60):
    rng = np.random.default_rng(1)
    position = Position.start(game)
    for _ in range(count):
        yield position
        over = position.result is not None
        position = Position.start(game) if over else position.play(rng.choice(position.legal_actions()))


@of_every_game
def test_the_default_text_is_an_exact_round_trip(game):
    texts = {}
    for position in random_positions(game):
        words = position.own, position.opp, position.to_move
        text = Game.to_text(game, *words)
        assert Game.from_text(game, text) == words
        assert texts.setdefault(text, words) == words
        assert text.split()[0].count("/") == game.observation_shape[0] - 1


def test_the_default_text_of_a_game_of_stones_is_the_text_of_the_grid_games():
    game = ConnectN(4, 5, 3)
    for position in random_positions(game):
        cells, to_move = position.to_text().split()
        assert Game.to_text(game, position.own, position.opp, position.to_move) == f"{cells} {'XO'.index(to_move)}"
        default = Game.diagram(game, position.own, position.opp, position.to_move)
        assert default == game.diagram(position.own, position.opp, position.to_move)


def test_cells_of_many_planes_are_hexadecimal_numbers():
    game = Quarto()
    position = Position.from_text(game, "..../.5../..../.... 6 0")
    cells = Game.to_text(game, position.own, position.opp, position.to_move).split()[0].replace("/", "")
    numbers = [int(cells[3 * k : 3 * k + 3], 16) for k in range(16)]
    in_hand = 0b0110_1 << 5  # planes: occupied, four attributes on the cell, in hand, four attributes in hand
    assert numbers == [in_hand + (0b0101_1 if cell == 5 else 0) for cell in range(16)]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "2 rows of 4 cells separated by '/', then 0 or 1 to move, for example '..../.... 0'"),
        ("..../.... 2", "2 rows of 4 cells"),
        ("..../....", "2 rows of 4 cells"),
        ("..../..... 0", "2 rows of 4 cells"),
        ("..../.... 0 ", "2 rows of 4 cells"),
        ("..../...Z 0", "2 rows of 4 cells"),
        ("..../.... \u0661", "2 rows of 4 cells"),
    ],
)
def test_malformed_text_is_refused(text, reason):
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the message is compared below
        LastCell().from_text(text)
    assert str(caught.value).startswith(f"{text!r} is not a position of LastCell(rows=2, cols=4): {reason}")


@pytest.mark.parametrize(
    ("game", "text"),
    [(Nim((3, 2)), ".X./... 0"), (Nim((3, 2)), "XX./X.X 0"), (Quarto(), "/".join(["e00" * 4] * 4) + " 0")],
    ids=str,
)
def test_text_of_planes_that_no_position_has_is_refused(game, text):
    with pytest.raises(ValueError, match="no position has these planes"):
        Game.from_text(game, text)


def test_a_diagram_names_rows_and_columns():
    rows = [["."] * 28 for _ in range(10)]
    rows[9][27] = "X"
    lines = grid_diagram(rows).splitlines()
    assert lines[0].split()[24:] == ["y", "z", "aa", "ab"]
    assert {len(line) for line in lines} == {len(lines[0])}
    assert lines[-1].startswith("10 ")
    assert lines[-1].endswith("X")


@of_every_game
def test_the_default_picture_has_a_region_for_each_target_of_a_legal_action(game):
    for position in random_positions(game, 10):
        drawing = Game.draw(game, position.own, position.opp, position.to_move)
        regions = {region.name: region for region in drawing.regions}
        assert len(regions) == len(drawing.regions)
        assert {target for action in position.legal_actions() for target in position.targets(action)} <= set(regions)
        for region in drawing.regions:
            assert min(region.x, region.y) >= 0
            assert region.x + region.width <= drawing.width
            assert region.y + region.height <= drawing.height
        assert rgb_array(drawing).shape == (drawing.height, drawing.width, 3)
        assert drawing.width % 2 == drawing.height % 2 == 0


def test_the_default_picture_shows_every_plane():
    planes = np.zeros((2, 3, 5), np.int8)
    blank = ElementTree.fromstring(planes_drawing(planes).svg())
    assert blank.findall(".//{*}circle") == []
    pictures = set()
    for place in np.ndindex(planes.shape):
        planes[:] = 0
        planes[place] = 1
        svg = planes_drawing(planes).svg()
        assert len(ElementTree.fromstring(svg).findall(".//{*}circle")) == 1
        pictures.add(svg)
    assert len(pictures) == planes.size


def test_stones_keep_their_colour_when_the_other_player_is_to_move():
    position = Position.start(LastCell()).play(5)
    svg = position._repr_svg_()
    assert ElementTree.fromstring(svg).findall(".//{*}circle")[0].get("fill") == "#0072b2"  # player 0 is blue
    assert position.diagram().splitlines() == ["  a b c d", "1 . . . .", "2 . X . .", "Second to move"]


def test_buttons_show_which_actions_are_legal():
    position = Position.start(LastCell()).play(5)
    colors = {label.text: label.color for label in position.game.draw(position.own, position.opp, 1).labels}
    assert len({colors[str(action)] for action in range(8) if action != 5}) == 1
    assert colors["5"] != colors["4"]


def test_an_action_that_is_never_legal_has_no_button():
    position = Position.start(Nim((1, 3)))  # a heap of one has no second object to take
    drawing = Game.draw(position.game, position.own, position.opp, position.to_move)
    buttons = {region.name for region in drawing.regions if "-" in region.name}
    assert buttons == {position.action_name(action) for action in position.legal_actions()}
    assert "1-2" in position.game.action_numbers


def test_many_buttons_fit_into_the_picture():
    drawing = with_buttons(planes_drawing(np.zeros((3, 3, 1), np.int8)), {str(number): True for number in range(1000)})
    buttons = [region for region in drawing.regions if region.name.isdigit()]
    assert len(buttons) == 1000
    assert drawing.height <= 800
    left, right = min(each.x for each in buttons), max(each.x + each.width for each in buttons)
    assert left >= 0
    assert right <= drawing.width


def test_the_minimal_game_is_played_everywhere():
    game = LastCell()
    start = Position.start(game)
    assert perft(start, 3) == 8 * 7 * 6
    assert start.parse_action("7") == 7
    # 8 cells: both players have the same number of stones after an even ply, and the second player marks the last cell
    states = sum(comb(8, k) * comb(k, k // 2) for k in range(9))
    counts = solve(game).counts
    assert sum(counts.values()) == states
    assert solve(game).value(start) == -1
    assert solve(game).distance(start) == 8
    assert perft(start, 8) == factorial(8)
    assert solve(LastCell(1, 3)).value(Position.start(LastCell(1, 3))) == 1
    analysis = make_agent("minimax:depth=8", game, seed=0).analyse(start)
    assert analysis.value < 0
    assert show(start.play(3), last=3)._repr_svg_().startswith("<svg")


@pytest.mark.filterwarnings("ignore:Observation:UserWarning")
def test_the_minimal_game_passes_pettingzoos_test():
    pettingzoo.test.api_test(BoardEnv(LastCell()), num_cycles=50)
