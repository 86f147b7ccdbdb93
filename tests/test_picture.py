"""The regions to click for an action, and the marks on a picture."""

import math
import sys
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations, pairwise, permutations
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from click.testing import CliRunner
from numpy.typing import NDArray

import ci_envs
from ci_envs.agent_interface.analysis import Analysis
from ci_envs.cli.main import main
from ci_envs.drawing.annotation import Candidate, Marks, annotated
from ci_envs.drawing.drawing import Drawing, Region
from ci_envs.drawing.raster import rgb_array
from ci_envs.games.connect_n import ConnectN
from ci_envs.games.game import Game
from ci_envs.games.nim import Nim
from ci_envs.games.position import Position
from ci_envs.games.quarto import Quarto
from ci_envs.games.quixo import Quixo
from ci_envs.picture import action_shares, marks_of, next_clicks, show

GAMES = [
    Quixo(2),
    Quixo(3),
    Quixo(5),
    ConnectN(3, 3, 3),
    ConnectN(1, 4, 1),
    ConnectN(),
    ConnectN(4, 5, 3, gravity=True),
    ConnectN(6, 7, 4, gravity=True),
    Nim(),
    Nim((40, 9, 0), max_take=4),
    Quarto(),
    Quarto(squares=True),
]
of_every_game = pytest.mark.parametrize("game", GAMES, ids=repr)
SVG = "{http://www.w3.org/2000/svg}"


def games_of(game: Game, count: int) -> Iterator[list[tuple[Position, int | None]]]:
    """Return random games of at most 60 plies: each position with the action that led to it."""
    rng = np.random.default_rng(3)
    for _ in range(count):
        played: list[tuple[Position, int | None]] = [(Position.start(game), None)]
        while played[-1][0].result is None and len(played) < 60:
            position = played[-1][0]
            action = int(rng.choice(position.legal_actions()))
            played.append((position.play(action), action))
        yield played


def picture_of(position: Position) -> Drawing:
    """Return the picture without labels. Nim also has labels."""
    return replace(position.game.draw(position.own, position.opp, position.to_move), labels=())


def regions_of(position: Position) -> dict[str, Region]:
    """Return the regions of a picture by name."""
    return {region.name: region for region in picture_of(position).regions}


def changed(before: Drawing, after: Drawing) -> NDArray[np.bool_]:
    """Return the pixels that differ between two pictures."""
    different: NDArray[np.bool_] = (rgb_array(before) != rgb_array(after)).any(axis=2)
    return different


def inside(regions: list[Region], pixels: NDArray[Any]) -> NDArray[np.bool_]:
    """Return the pixels of the least rectangle around some regions."""
    mask = np.zeros(pixels.shape[:2], dtype=bool)
    left, top = min(region.x for region in regions), min(region.y for region in regions)
    right = max(region.x + region.width for region in regions)
    bottom = max(region.y + region.height for region in regions)
    mask[math.floor(top) : math.ceil(bottom), math.floor(left) : math.ceil(right)] = True
    return mask


def red_heads(drawing: Drawing, region: Region) -> int:
    """Return the number of pixels of a region with the colour of a match's head."""
    pixels = rgb_array(drawing).astype(int)
    return int((inside([region], pixels) & (pixels[:, :, 0] - pixels[:, :, 1] > 90)).sum())


@of_every_game
def test_targets_distinguish_the_legal_actions(game: Game) -> None:
    for played in games_of(game, 3):
        for position, _ in played:
            regions = regions_of(position)
            sequences = [game.targets(action) for action in position.legal_actions()]
            assert all(target in regions for sequence in sequences for target in sequence)
            assert all(sequences)
            for one, other in permutations(sequences, 2):
                assert one != other[: len(one)]


@of_every_game
def test_clicking_target_after_target_comes_to_the_action(game: Game) -> None:
    for position, _ in next(games_of(game, 1)):
        for action in position.legal_actions():
            left: list[int] = list(position.legal_actions())
            clicked: tuple[str, ...] = ()
            for target in game.targets(action):
                left = next_clicks(position, left, clicked)[target]
                clicked += (target,)
            assert left == [action]
            assert next_clicks(position, left, clicked) == {}
    assert next_clicks(position, [], ()) == {}


@of_every_game
def test_regions_lie_in_the_picture_and_small_ones_apart(game: Game) -> None:
    position = Position.start(game)
    picture = picture_of(position)
    assert len({region.name for region in picture.regions}) == len(picture.regions)
    for region in picture.regions:
        assert min(region.x, region.y, region.width, region.height) > 0
        assert region.x + region.width < picture.width
        assert region.y + region.height < picture.height
    small = [region for region in picture.regions if len(region.name) > 1]  # without the columns, which contain cells
    for one, other in combinations(small, 2):
        beside = min(one.x + one.width, other.x + other.width) - max(one.x, other.x) < 0.01
        below = min(one.y + one.height, other.y + other.height) - max(one.y, other.y) < 0.01
        assert beside or below


@pytest.mark.parametrize("game", [game for game in GAMES if not isinstance(game, Nim)], ids=repr)
def test_cells_are_where_letter_and_number_meet(game: Game) -> None:
    own, opp = game.start()
    picture = game.draw(own, opp, 0)
    top_left = [label for label in picture.labels if min(label.x, label.y) < 20]
    columns = {label.text: label.x for label in top_left if label.text.isalpha()}
    rows = {label.text: label.y for label in top_left if label.text.isdigit()}
    regions = {region.name: region for region in picture.regions}
    for letter, x in columns.items():
        for number, y in rows.items():
            region = regions[letter + number]
            assert (region.x + region.width / 2, region.y + region.height / 2) == (x, y)


@pytest.mark.extended
@pytest.mark.parametrize("game", [game for game in GAMES if not isinstance(game, Quarto)], ids=repr)
def test_an_action_changes_only_pixels_between_the_regions_of_its_trace(game: Game) -> None:
    for before, after in pairwise(next(games_of(game, 1))[:15]):
        position, action = after
        assert action is not None
        different = changed(picture_of(before[0]), picture_of(position))
        regions = regions_of(position)
        trace = [regions[name] for name in game.trace(position.own, position.opp, action)]
        assert not (different & ~inside(trace, different)).any()
        if not isinstance(game, Quixo):  # positions in which an action can keep the board unchanged
            assert all((different & inside([region], different)).any() for region in trace)


def test_a_piece_of_quarto_comes_and_goes_in_the_regions_of_its_trace() -> None:
    game = Quarto()
    for before, after in pairwise(next(games_of(game, 1))):
        position, action = after
        assert action is not None
        (name,) = game.trace(position.own, position.opp, action)
        different = changed(picture_of(before[0]), picture_of(position))
        assert (different & inside([regions_of(position)[name]], different)).any()


def test_a_match_is_named_by_how_many_one_takes_with_it() -> None:
    game = Nim((3, 5))
    before = Position.from_text(game, "3,4 0")
    regions = regions_of(before)
    heads = red_heads(picture_of(before), regions["2-1"])
    for action in before.legal_actions():
        heap, count = map(int, game.action_name(action).split("-"))
        after = picture_of(before.play(action))
        for region in regions.values():
            there = "-" in region.name
            taken = there and region.name.startswith(f"{heap}-") and int(region.name[2:]) <= count
            assert red_heads(after, region) == pytest.approx(heads if there and not taken else 0, rel=0.1)


def test_trace_of_a_position_that_play_did_not_lead_to_stays_in_the_picture() -> None:
    game = Nim((1, 200))
    position = Position.from_text(game, "180,3 0")
    regions = set(regions_of(position))
    assert all(set(game.trace(position.own, position.opp, action)) <= regions for action in range(game.action_count))
    assert ConnectN(6, 7, 4, gravity=True).trace(0, 0, 3) == ()


def test_stones_fall_where_the_trace_is_and_a_column_is_clicked() -> None:
    game = ConnectN(6, 7, 4, gravity=True)
    position = Position.from_text(game, "......./......./......./...X.../...O.../..XO... X")
    column = game.action_numbers["d"]
    after = position.play(column)
    assert game.targets(column) == ("d",)
    assert game.trace(after.own, after.opp, column) == ("d3",)
    regions = regions_of(position)
    assert all(regions[f"d{row}"].x == regions["d"].x for row in range(1, 7))
    assert sum(regions[f"d{row}"].height for row in range(1, 7)) == regions["d"].height


def test_quixo_is_clicked_as_its_actions_are_named() -> None:
    game = Quixo(5)
    assert game.targets(game.action_numbers["a1e1"]) == ("a1", "e1")
    assert game.targets(game.action_numbers["e3e1"]) == ("e3", "e1")


def lines_on(rows: list[str], n: int) -> list[list[tuple[int, int]]]:
    """Return every straight row of ``n`` cells."""
    height, width = len(rows), len(rows[0])
    lines = []
    for row in range(height):
        for col in range(width):
            for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
                cells = [(row + k * down, col + k * right) for k in range(n)]
                if all(0 <= y < height and 0 <= x < width for y, x in cells):
                    lines.append(cells)
    return lines


def named(cells: list[tuple[int, int]]) -> frozenset[str]:
    """Return the names of cells (row, column)."""
    return frozenset(f"{chr(ord('a') + col)}{row + 1}" for row, col in cells)


def decisive_lines(position: Position) -> set[frozenset[str]]:
    """Return the winner's lines, from the text of the position."""
    game, result = position.game, position.result
    if isinstance(game, Nim) or not result:
        return set()
    rows = position.to_text().split()[0].split("/")
    if isinstance(game, ConnectN | Quixo):
        winner = "XO"[position.to_move if result > 0 else 1 - position.to_move]
        n = game.n if isinstance(game, ConnectN) else game.size
        return {named(line) for line in lines_on(rows, n) if all(rows[row][col] == winner for row, col in line)}
    fours = lines_on(rows, 4)
    if game == Quarto(squares=True):
        fours += [[(y, x), (y, x + 1), (y + 1, x), (y + 1, x + 1)] for y in range(3) for x in range(3)]
    found = set()
    for four in fours:
        pieces = [rows[row][col] for row, col in four]
        if "." not in pieces:
            attributes = [f"{int(piece, 16):04b}" for piece in pieces]
            if any(len(set(values)) == 1 for values in zip(*attributes, strict=True)):
                found.add(named(four))
    return found


@of_every_game
def test_winning_lines_are_those_of_the_winner(game: Game) -> None:
    decided = 0
    for played in games_of(game, 25):
        for position, _ in played:
            lines = game.winning_lines(position.own, position.opp)
            assert len(set(lines)) == len(lines)
            assert {frozenset(line) for line in lines} == decisive_lines(position)
            decided += bool(lines)
    assert decided or isinstance(game, Nim)


def test_completing_lines_of_both_players_in_quixo_marks_the_opponents_line() -> None:
    position = Position.from_text(Quixo(3), "XXX/.../OOO O")  # X has just completed both lines
    assert position.result == 1
    assert position.game.winning_lines(position.own, position.opp) == (("a3", "b3", "c3"),)


def test_lines_go_from_neighbour_to_neighbour() -> None:
    for game in GAMES:
        for played in games_of(game, 25):
            position, _ = played[-1]
            regions = regions_of(position)
            for line in game.winning_lines(position.own, position.opp):
                cells = [regions[name] for name in line]
                steps = {(b.x - a.x, b.y - a.y) for a, b in pairwise(cells)}
                assert all(max(abs(x), abs(y)) == cells[0].width for x, y in steps)
                around = len({cell.x for cell in cells}) == len({cell.y for cell in cells}) == 2
                assert len(steps) <= 1 or (around and all(0 in step for step in steps))


EVERY_MARK = {
    "last": lambda name: Marks(last=(name,)),
    "clickable": lambda name: Marks(clickable=(name,)),
    "selected": lambda name: Marks(selected=(name,)),
    "best": lambda name: Marks(best=(name,)),
    "candidate": lambda name: Marks(candidates=(Candidate((name,)),)),
    "heat": lambda name: Marks(heat={name: 0.5}),
    "win": lambda name: Marks(verdicts={name: 1}),
    "draw": lambda name: Marks(verdicts={name: 0}),
    "loss": lambda name: Marks(verdicts={name: -1}),
}


@pytest.mark.parametrize("game", [Quixo(7), ConnectN(6, 7, 4, gravity=True), Nim((3, 20)), Quarto()], ids=repr)
@pytest.mark.parametrize("mark", EVERY_MARK)
def test_a_mark_is_seen_in_its_region_and_nowhere_else(game: Game, mark: str) -> None:
    position = Position.start(game)
    picture = picture_of(position)
    for region in (picture.regions[0], picture.regions[-1]):
        different = changed(picture, annotated(picture, EVERY_MARK[mark](region.name)))
        assert different.sum() > 20
        assert not (different & ~inside([region], different)).any()


@pytest.mark.parametrize("game", [Quixo(4), ConnectN(3, 3, 3), Nim((3, 20)), Quarto()], ids=repr)
def test_marks_differ_from_one_another_without_any_colour(game: Game) -> None:
    picture = picture_of(Position.start(game))
    shades = [
        rgb_array(annotated(picture, Marks(verdicts={picture.regions[0].name: verdict}))).mean(axis=2)
        for verdict in (1, 0, -1)
    ]
    for one, other in combinations(shades, 2):
        assert (np.abs(one - other) > 60).sum() >= 10


def test_the_hotter_the_greener() -> None:
    picture = picture_of(Position.start(ConnectN(3, 3, 3)))
    x, y = (int(picture.regions[4].x + 40), int(picture.regions[4].y + 40))
    frames = [rgb_array(annotated(picture, Marks(heat={"b2": heat}))) for heat in (0, 0.02, 0.2, 0.6, 1)]
    green = [int(frame[y, x, 1]) - int(frame[y, x, 0]) for frame in frames]
    assert green[0] == 0
    assert all(after - before > 5 for before, after in pairwise(green))


def test_a_line_goes_through_all_its_regions() -> None:
    picture = picture_of(Position.start(Quarto()))
    regions = {region.name: region for region in picture.regions}
    for line in (("a1", "b2", "c3", "d4"), ("b2", "c2", "c3", "b3")):
        different = changed(picture, annotated(picture, Marks(lines=(line,))))
        for region in picture.regions:
            middle = int(region.y + region.height / 2), int(region.x + region.width / 2)
            assert different[middle] == (region.name in line)
        middles = [(regions[name].x + 46, regions[name].y + 46) for name in line]
        for (x, y), (to_x, to_y) in pairwise([*middles, middles[0]]):
            assert different[int((y + to_y) / 2), int((x + to_x) / 2)]


@of_every_game
def test_all_marks_at_once_are_an_svg_that_needs_nothing_from_its_page(game: Game) -> None:
    for position, last in next(games_of(game, 1))[::5]:
        scores = [action % 3 - 1 for action in range(game.action_count)]
        marks = marks_of(position, analysis_of(position), last, scores=scores)
        marks = replace(marks, clickable=tuple(next_clicks(position, position.legal_actions())))
        picture = annotated(picture_of(position), marks)
        elements = list(ElementTree.fromstring(picture.svg()).iter())
        drawn = {"svg", "g", "rect", "circle", "ellipse", "line", "polygon", "path"}
        assert {element.tag.removeprefix(SVG) for element in elements} <= drawn
        assert not any("id" in element.attrib for element in elements)
        assert rgb_array(picture).shape == (picture.height, picture.width, 3)


def test_candidates_are_arrows_and_frames_with_texts_that_do_not_overlap_their_neighbours() -> None:
    quixo = picture_of(Position.start(Quixo(3)))
    arrows = (Candidate(("a1", "c1"), "62%"), Candidate(("c1", "a1"), "58%"), Candidate(("a3", "a1")))
    annotated_quixo = annotated(quixo, Marks(candidates=arrows))
    assert [label.text for label in annotated_quixo.labels[len(quixo.labels) :]] == ["58%", "62%"]  # the best on top
    different = changed(quixo, annotated_quixo)
    regions = {region.name: region for region in quixo.regions}
    for name, marked in (("b1", True), ("b2", False), ("a2", True)):
        middle = regions[name].y + regions[name].height / 2, regions[name].x + regions[name].width / 2
        assert different[int(middle[0]), int(middle[1])] == marked
    columns = picture_of(Position.start(ConnectN(6, 7, 4, gravity=True)))
    both = Marks(candidates=(Candidate(("a",), "loss 28"), Candidate(("b",), "loss 28")))
    one, other = annotated(columns, both).labels[-2:]
    width = next(region.width for region in columns.regions if region.name == "a")
    assert 0.62 * len(one.text) * one.size < width <= abs(one.x - other.x)


def test_picture_without_marks_is_the_picture() -> None:
    picture = picture_of(Position.start(Quixo(3)))
    assert annotated(picture, Marks()) == picture


def test_the_ground_is_of_the_colour_asked_for_or_transparent() -> None:
    picture = picture_of(Position.start(Quixo(3)))

    def ground(svg: str) -> str | None:
        first = ElementTree.fromstring(svg)[0]
        return first.get("fill") if first.get("width") == "100%" else None

    assert ground(picture.svg()) is not None
    assert ground(picture.svg("#123456")) == "#123456"
    assert ground(picture.svg(background=None)) is None


def test_bad_marks_are_refused_by_name() -> None:
    with pytest.raises(ValueError, match="heat of 'a1' must be from 0 to 1, not 2"):
        Marks(heat={"a1": 2})
    with pytest.raises(ValueError, match="heat of 'a1' must be from 0 to 1, not nan"):
        Marks(heat={"a1": math.nan})
    with pytest.raises(ValueError, match="verdict on 'a1' must be 1, 0 or -1, not 2"):
        Marks(verdicts={"a1": 2})
    picture = picture_of(Position.start(ConnectN(1, 2, 2)))
    candidate = Marks(candidates=(Candidate(("a1", "c1")),))
    for marks in (
        candidate,
        Marks(last=("c1",)),
        Marks(heat={"c1": 1}),
        Marks(verdicts={"c1": 1}),
        Marks(lines=(("a1", "c1"),)),
    ):
        with pytest.raises(ValueError, match="'c1' is not a region of this picture, which has a1, b1, a, b"):
            annotated(picture, marks)


def analysis_of(position: Position) -> Analysis:
    """Return an analysis with as many visits of each action as its number."""
    actions = position.legal_actions()
    visits = np.zeros(position.game.action_count, dtype=np.int64)
    visits[list(actions)] = actions
    values = dict.fromkeys(actions, 0.0)
    return Analysis(0.0, values, actions[-1:], visits, simulations=int(visits.sum()))


def test_heat_is_the_share_of_the_visits_that_go_through_a_click() -> None:
    position = Position.start(Quixo(3))
    names = {action: position.action_name(action) for action in position.legal_actions()}
    total = sum(names)
    first = marks_of(position, analysis_of(position)).heat
    assert set(first) == {name[:2] for name in names.values()}
    for cell, heat in first.items():
        assert heat == pytest.approx(sum(visits for visits, name in names.items() if name[:2] == cell) / total)
    second = marks_of(position, analysis_of(position), clicked=("c3",)).heat
    assert second == pytest.approx({name[2:]: visits / total for visits, name in names.items() if name[:2] == "c3"})


def test_the_expected_action_is_marked_with_all_its_clicks() -> None:
    position = Position.start(Quixo(3))
    analysis = Analysis(0, dict.fromkeys(position.legal_actions(), 0), (position.parse_action("b1b3"), 0))
    assert marks_of(position, analysis).best == ("b1", "b3")
    assert marks_of(position).best == ()


def test_without_visits_the_best_actions_are_hot() -> None:
    position = Position.from_text(ConnectN(1, 4, 2), "X... O")
    values = {1: 999_999, 2: -7, 3: 999_999}
    analysis = Analysis(value=999_999, depth=2, nodes=9, principal_variation=(1,), action_values=values)
    marks = marks_of(position, analysis)
    assert marks.heat == {"b1": 0.5, "c1": 0, "d1": 0.5}
    assert marks.best == ("b1",)


def test_attention_where_little_is_known() -> None:
    untried = Analysis(0.0, {0: math.nan, 2: -1.0}, (), visits=np.zeros(3, np.int64))
    assert action_shares(untried, (0, 2)) == {0: 0, 2: 1}
    assert action_shares(untried, ()) == {}


def test_a_verdict_is_that_on_the_best_action_to_click() -> None:
    position = Position.start(Quixo(3))
    scores = [-5] * position.game.action_count
    scores[position.parse_action("a1c1")] = 3
    scores[position.parse_action("b1a1")] = 0
    verdicts = marks_of(position, scores=scores).verdicts
    assert {name: verdicts[name] for name in ("a1", "b1", "c1")} == {"a1": 1, "b1": 0, "c1": -1}
    assert marks_of(position, scores=scores, clicked=("a1",)).verdicts == {"c1": 1, "a3": -1}
    assert marks_of(position).verdicts == {}


def test_show_draws_the_position_with_its_marks() -> None:
    position = Position.start(ConnectN(3, 3, 3)).play(4)
    plain, marked = show(position), show(position, analysis_of(position), last=4)
    assert repr(plain) == repr(marked) == position.diagram()
    assert plain._repr_svg_() == position._repr_svg_()
    assert marked.marks.last == ("b2",)
    assert marked.marks.best == ("c3",)
    different = changed(plain.drawing(), marked.drawing())
    for region in position.game.draw(position.own, position.opp, position.to_move).regions[1:9]:
        assert (different & inside([region], different)).any()
    ElementTree.fromstring(marked._repr_svg_())


def test_show_strikes_the_winning_line_out() -> None:
    won = Position.from_text(ConnectN(3, 3, 3), "XXX/OO./... O")
    different = changed(picture_of(won), replace(show(won).drawing(), labels=()))
    regions = regions_of(won)
    assert (different & inside([regions["a1"], regions["c1"]], different)).sum() == different.sum() > 0


def test_show_refuses_numbers_that_are_not_actions() -> None:
    with pytest.raises(ValueError, match="has the actions 0 to 8, not 9"):
        ci_envs.show(Position.start(ConnectN(3, 3, 3)), last=9)


def test_the_command_reports_a_missing_pygame_in_one_line(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "pygame", None)
    result = CliRunner().invoke(main, ["render", "TicTacToe-v0", "-o", str(tmp_path / "board.png")])
    assert result.exit_code == 2
    assert "rendering needs pygame: install the extra 'render'" in result.stderr
    assert not list(tmp_path.iterdir())
