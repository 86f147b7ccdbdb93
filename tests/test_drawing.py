"""Pictures show exactly the position, as SVG and as pixels."""

import re
import subprocess
import sys
from itertools import combinations, pairwise
from xml.etree import ElementTree

import numpy as np
import pytest
from click.testing import CliRunner
from gymnasium.error import DependencyNotInstalled
from numpy.typing import NDArray

from ci_envs.cli.main import main
from ci_envs.drawing.drawing import BACKGROUND, Drawing, Label
from ci_envs.drawing.picture_file import save_animation, save_picture
from ci_envs.drawing.raster import Window, rgb_array
from ci_envs.games.connect_n import ConnectN
from ci_envs.games.game import Game
from ci_envs.games.nim import Nim
from ci_envs.games.position import Position
from ci_envs.games.quarto import Quarto
from ci_envs.games.quixo import Quixo
from ci_envs.picture import show

EMPTY = Drawing(20, 10, "")
GRIDS = [
    (Quixo(2), "X./.O X"),
    (Quixo(5), "XO.XO/O...X/X.O../....O/XXO.X O"),
    (Quixo(7), "XO.XOX./O...X.O/X.O..../....O.X/XXO.X../......./O.X..OO O"),
    (ConnectN(3, 3, 3), "XOX/XOO/OXX O"),
    (ConnectN(1, 1, 1), ". X"),
    (ConnectN(1, 8, 3), "X.O..X.. O"),
    (ConnectN(8, 1, 3), "./X/./././O/./. X"),
    (ConnectN(8, 8, 5), "X.O.OX../......../XO....../......../......../......../......../XO.....X O"),
    (ConnectN(6, 7, 4, gravity=True), "......./......./...X.../..XOO../..OXX../.OXOXO. X"),
]
OTHERS = [
    (Nim(), "1,0,3,5 1"),
    (Nim((1,)), "0 1"),
    (Nim((255,) * 8), "255,255,200,3,0,254,100,255 0"),
    (Nim((1, 200)), "180,3 0"),  # more stones than a game can have: the position comes from text
    (Quarto(), "..../..../..../.... - 0"),
    (Quarto(), "...a/.5../..f./3..8 6 0"),
    (Quarto(), "0123/4567/89ab/cdef - 0"),
]
POSITIONS = [pytest.param(game, text, id=f"{game}-{text}") for game, text in GRIDS + OTHERS]


def drawing(game: Game, text: str) -> Drawing:
    """Return the picture of a position."""
    return game.draw(*game.from_text(text))


def frame(game: Game, text: str) -> NDArray[np.int16]:
    """Return the pixels of a position as signed numbers, so that frames can be subtracted."""
    return rgb_array(drawing(game, text)).astype(np.int16)


def changed_box(before: NDArray[np.int16], after: NDArray[np.int16]) -> tuple[int, int, int, int]:
    """Return left, top, right and bottom of the difference between two frames."""
    ys, xs = np.abs(after - before).max(axis=2).nonzero()
    return xs.min(), ys.min(), xs.max(), ys.max()


def label(picture: Drawing, text: str) -> Label:
    """Return the first label with the text ``text``."""
    return next(item for item in picture.labels if item.text == text)


@pytest.mark.parametrize(("game", "text"), POSITIONS)
def test_svg_is_well_formed_and_needs_nothing_from_its_page(game: Game, text: str) -> None:
    tags = set()
    for element in ElementTree.fromstring(drawing(game, text).svg()).iter():
        tags.add(element.tag.removeprefix("{http://www.w3.org/2000/svg}"))
        assert "id" not in element.attrib  # equal ids in several pictures of a notebook would clash
        assert not any("url(" in value for value in element.attrib.values())
    assert tags <= {"svg", "g", "rect", "circle", "ellipse", "line", "polygon", "path", "text"}


@pytest.mark.parametrize(("game", "text"), GRIDS)
def test_svg_has_a_mark_for_every_stone(game: Game, text: str) -> None:
    root = ElementTree.fromstring(drawing(game, text).svg())
    rows, _ = text.split()
    for symbol in "XO":
        assert len(root.findall(f".//*[@class='{symbol}']")) == rows.count(symbol)


@pytest.mark.parametrize(("game", "text"), POSITIONS)
def test_labels_are_text_in_the_svg_and_lie_inside_the_picture(game: Game, text: str) -> None:
    picture = drawing(game, text)
    texts = [element.text for element in ElementTree.fromstring(picture.svg()).iter() if element.tag.endswith("text")]
    assert texts == [item.text for item in picture.labels]
    for item in picture.labels:
        reach = 0.3 * item.size * len(item.text)
        assert reach <= item.x <= picture.width - reach
        assert item.size / 2 <= item.y <= picture.height - item.size / 2


def test_text_is_escaped() -> None:
    picture = Drawing(10, 10, "", (Label("<&>", 5, 5),))
    assert "".join(ElementTree.fromstring(picture.svg()).itertext()) == "<&>"


def test_position_shows_itself_in_a_notebook() -> None:
    position = Position.start(Quixo(3)).play(0)
    assert position._repr_svg_() == drawing(position.game, str(position)).svg()


@pytest.mark.parametrize(("game", "text"), POSITIONS)
def test_frame_is_a_writable_picture_of_even_sides(game: Game, text: str) -> None:
    picture = drawing(game, text)
    pixels = rgb_array(picture)
    assert pixels.shape == (picture.height, picture.width, 3)
    assert pixels.dtype == np.uint8
    assert pixels.flags.writeable
    assert pixels.flags.c_contiguous
    assert picture.width % 2 == picture.height % 2 == 0  # video codecs need this
    assert max(pixels.shape) <= 800
    for corner in (pixels[0, 0], pixels[0, -1], pixels[-1, 0], pixels[-1, -1]):
        assert bytes(corner).hex() == BACKGROUND.removeprefix("#")


@pytest.mark.extended
@pytest.mark.parametrize(
    "game", [Quixo(2), Quixo(7), ConnectN(3, 3, 3), ConnectN(8, 8, 5), ConnectN(6, 7, 4, gravity=True)], ids=repr
)
def test_a_stone_changes_its_cell_and_no_other(game: ConnectN | Quixo) -> None:
    rows, cols, _ = game.shape
    empty = game.draw(0, 0, 0)
    across, down = (label(empty, "b").x - label(empty, "a").x, label(empty, "2").y - label(empty, "1").y)
    for cell in (0, cols - 1, rows * cols // 2, rows * cols - 1):
        x, y = label(empty, "abcdefgh"[cell % cols]).x, label(empty, str(cell // cols + 1)).y
        for words in ((1 << cell, 0), (0, 1 << cell)):
            left, top, right, bottom = changed_box(
                rgb_array(empty).astype(np.int16), rgb_array(game.draw(*words, 0)).astype(np.int16)
            )
            assert x - across / 2 <= left < x < right <= x + across / 2
            assert y - down / 2 <= top < y < bottom <= y + down / 2
            assert min(right - left, bottom - top) > across / 3  # and it is visible


def test_stones_belong_to_players_independent_of_the_player_to_move() -> None:
    game = Quixo(3)
    assert game.draw(0b1, 0b10, 0) == game.draw(0b10, 0b1, 1)


def test_taking_from_a_heap_changes_its_lane_only() -> None:
    game = Nim((3, 5, 7, 2))
    before, after = frame(game, "3,5,7,2 0"), frame(game, "3,5,4,2 1")
    picture = drawing(game, "3,5,7,2 0")
    lanes = sorted(item.y for item in picture.labels if item.x < picture.width / 2)
    _, top, _, bottom = changed_box(before, after)
    assert (lanes[1] + lanes[2]) / 2 < top < bottom < (lanes[2] + lanes[3]) / 2


@pytest.mark.parametrize("size", [1, 5, 12, 100, 255])
def test_as_many_match_heads_as_objects(size: int) -> None:
    largest = 12 if size <= 12 else 255

    def red(count: int) -> int:
        pixels = frame(Nim((largest,)), f"{count} 0")
        return int((pixels[:, :, 0] - pixels[:, :, 1] > 90).sum())

    assert red(0) == 0 < red(1)
    assert red(size) == pytest.approx(size * red(1), rel=0.05)


def test_quarto_pieces_look_different() -> None:
    frames = [frame(Quarto(), f"{piece:x}.../..../..../.... - 1")[:124, :124] for piece in range(16)]  # a1
    for one, other in combinations(frames, 2):
        assert (np.abs(one - other).max(axis=2) > 30).sum() > 100


def test_quarto_piece_goes_from_the_stock_to_the_hand_to_the_board() -> None:
    stock, hand, board = (
        frame(Quarto(), text)
        for text in ("..../..../..../.... - 0", "..../..../..../.... 7 1", "..../.7../..../.... - 1")
    )
    picture = drawing(Quarto(), "..../..../..../.... - 0")
    below = label(picture, "0").y - 20
    left, top, right, bottom = changed_box(stock, hand)
    assert below < top < label(picture, "7").y + 30 < bottom  # from the stock to the hand, both below the board
    assert left < label(picture, "in hand").x < right
    left, top, right, bottom = changed_box(hand, board)
    assert top < below < bottom
    assert left < label(picture, "b").x < label(picture, "in hand").x < right


def test_every_game_has_frames_of_one_size() -> None:
    for game in (Quixo(4), ConnectN(4, 5, 3), ConnectN(4, 5, 3, gravity=True), Nim((4, 40, 9)), Quarto()):
        rng = np.random.default_rng(0)
        position = Position.start(game)
        sizes = set()
        for _ in range(60):
            picture = game.draw(position.own, position.opp, position.to_move)
            sizes.add((picture.width, picture.height))
            if position.result is not None:
                break
            position = position.play(int(rng.choice(position.legal_actions())))
        assert len(sizes) == 1


def test_window_shows_frames_no_faster_than_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    pygame = pytest.importorskip("pygame")
    window = Window()
    times = []
    for text in ("... X", "X.. O", "X.O X"):
        picture = drawing(ConnectN(1, 3, 3), text)
        window.show(picture, fps=20)
        times.append(pygame.time.get_ticks())
        screen = pygame.surfarray.array3d(pygame.display.get_surface()).swapaxes(0, 1)
        np.testing.assert_array_equal(screen, rgb_array(picture))
    assert all(later - earlier >= 45 for earlier, later in pairwise(times))
    window.show(drawing(Quixo(2), "../.. X"), fps=1000)
    assert pygame.display.get_surface().get_size() != screen.shape[1::-1]
    window.close()
    window.close()
    assert pygame.display.get_surface() is None


def test_without_pygame_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pygame", None)
    with pytest.raises(DependencyNotInstalled, match="rendering needs pygame: install the extra 'render'"):
        rgb_array(drawing(Quixo(2), "../.. X"))
    with pytest.raises(DependencyNotInstalled, match="rendering needs pygame: install the extra 'render'"):
        Window().show(drawing(Quixo(2), "../.. X"), fps=1)
    Window().close()


def test_pygame_is_loaded_only_to_render() -> None:
    code = (
        "import sys; from ci_envs.drawing.raster import Window; from ci_envs.games.quixo import Quixo;"
        "Quixo().draw(0, 0, 0).svg(); Window().close(); sys.exit('pygame' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_position_is_saved_as_svg(tmp_path):
    position = Position.from_text(Quixo(2), "X./.O X")
    position.save(tmp_path / "board.svg")
    assert (tmp_path / "board.svg").read_text() == position.to_svg() == position.draw().svg()
    show(position).save(str(tmp_path / "shown.svg"))
    assert (tmp_path / "shown.svg").read_text() == show(position).drawing().svg()


@pytest.mark.parametrize("name", ["board", "board.PNG", "board.jpg"])
@pytest.mark.parametrize("save", [lambda path: save_picture(EMPTY, path), lambda path: save_animation([EMPTY], path)])
def test_files_of_other_formats_are_refused(name, save, tmp_path):
    with pytest.raises(ValueError, match=f"'{name}' must end in .svg or "):
        save(tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_frames_of_an_animation_are_shown_one_after_the_other(tmp_path):
    save_animation([EMPTY] * 3, tmp_path / "game.svg", seconds=2)
    text = (tmp_path / "game.svg").read_text()
    rules = re.findall(r"([\d.]+)%\{visibility:visible\}([\d.]+)%\{visibility:hidden\}", text)
    assert [(float(start), float(end)) for start, end in rules] == [(0, 20), (20, 40), (40, 100)]  # of 2 + 2 + 6 s


def test_without_pillow_the_error_of_a_gif_names_the_extra(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(DependencyNotInstalled, match="a GIF needs Pillow"):
        save_animation([EMPTY], tmp_path / "game.gif")
    run = CliRunner().invoke(main, ["play", "TicTacToe-v0", "random", "random", "-o", str(tmp_path / "game.gif")])
    assert (run.exit_code, run.stderr.count("\n")) == (2, 1)
    assert "a GIF needs Pillow: install the extra 'render'" in run.stderr
