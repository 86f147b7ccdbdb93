"""Breakthrough, Hex and Othello of ``examples/games/`` equal slow references, published counts and known results."""

import html
import re
from copy import deepcopy
from dataclasses import astuple
from functools import cache, partial
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from oracles.example_games import BreakthroughReference, HexReference, OthelloReference
from serving import free_port, process
from unregistered import unregistered

from ci_envs import Position, check_game, perft, solve
from ci_envs.agent_interface.making import make_agent
from ci_envs.arena.analysis import analysis_data
from ci_envs.cli.main import main
from ci_envs.drawing.hexagons import hex_drawing
from ci_envs.envs.aec import BoardEnv
from ci_envs.envs.keys import keys_of_actions
from ci_envs.envs.vector import VectorBoardEnv
from ci_envs.games import evaluate
from ci_envs.kernels.compiler import kernel
from ci_envs.registry.games import resolve
from ci_envs.web.analysis_report import report_of
from ci_envs.web.evaluation import parse_line
from ci_envs.web.hosted_game import HostedGame
from ci_envs.web.schemas import Export
from ci_envs.web.store import GameRecord

FOLDER = Path(__file__).parents[1] / "examples" / "games"
REFERENCES = {"Breakthrough": BreakthroughReference, "Hex": HexReference, "Othello": OthelloReference}
SMALL = ["Breakthrough:rows=5,cols=4", "Hex:size=3,swap=true", "Othello:size=4"]
LARGE = ["Breakthrough:rows=8,cols=8", "Hex:size=8,swap=true", "Othello:size=8"]  # all bits of a word, 65 actions


@pytest.fixture(autouse=True, scope="module")
def _unregistered():
    with unregistered():
        yield


def place_of(spec):
    """Return the file and the class of a game with its parameters."""
    return f"{FOLDER / spec.split(':')[0].lower()}.py:{spec}"


@cache
def pair(spec):
    """Return a game and a reference in its initial position."""
    game = resolve(place_of(spec))[1]
    return game, partial(REFERENCES[type(game).__name__], *astuple(game))


def test_keys_lie_where_the_picture_shows_an_action():
    game, _ = pair("Hex:size=3")
    for player in (0, 1):
        keys = {game.name_for(player, action): key for action, key in keys_of_actions(game, player).items()}
        assert keys == dict(zip(("a1", "b1", "c1", "a2", "b2", "c2", "a3", "b3", "c3"), "123qweasd", strict=True))


def test_the_last_move_of_both_players_is_marked_where_its_name_says():
    position = Position.start(pair("Breakthrough:rows=5,cols=4")[0])
    for choice in range(6):
        action = position.legal_actions()[choice]
        name, position = position.action_name(action), position.play(action)
        assert position.last_targets(action) == (name[:2], name[2:])
        assert set(position.trace(action)) == {name[:2], name[2:]}


def names_of(position):
    return {position.action_name(action) for action in position.legal_actions()}


@kernel
def evaluation(game, own, opp):
    return evaluate(game, own, opp)


def drawn(position):
    """Return the symbols in the picture of a position by the regions in which they are."""
    drawing = position.draw()
    found = {}
    cells = [region for region in drawing.regions if region.name[-1].isdigit()]
    for *numbers, shapes in re.findall(r'translate\((\S+) (\S+)\) scale\((\S+)\)">(.*?)</g>', drawing.shapes):
        if symbol := re.search('class="([XO])"', shapes):
            left, top, scale = map(float, numbers)
            x, y = left + 50 * scale, top + 50 * scale
            [name] = [one.name for one in cells if 0 < x - one.x < one.width and 0 < y - one.y < one.height]
            found[name] = symbol[1]
    return found


def assert_equal(env, reference):
    """Assert that rules, names, texts, pictures and the views of both players are those of the reference."""
    position = env.position
    assert (position.to_text(), position.result) == (reference.text(), reference.result())
    names = {position.action_name(action): action for action in position.legal_actions()}
    assert set(names) == reference.legal()
    assert all(position.parse_action(name) == action for name, action in names.items())
    assert Position.from_text(position.game, position.to_text()) == position
    for player in (0, 1):
        np.testing.assert_array_equal(env.observe(f"player_{player}")["observation"], reference.planes(player))
    assert Position.from_observation(position.game, position.observation(), position.to_move) == position


@pytest.mark.extended
@pytest.mark.parametrize("spec", [*SMALL, *LARGE])
def test_random_games_equal_the_reference(spec):
    """At every ply and at the end, in the environment of PettingZoo."""
    game, start = pair(spec)
    env, rng = BoardEnv(game), np.random.default_rng(0)
    for _ in range(20 if spec in SMALL else 2):
        env.reset()
        reference = start()
        assert_equal(env, reference)
        while reference.result() is None:
            action = rng.choice(env.position.legal_actions())
            reference.play(env.position.action_name(action))
            env.step(action)
            assert_equal(env, reference)
        cells = {f"{'abcdefgh'[c]}{r + 1}": symbol for symbol in "XO" for r, c in reference.cells(symbol)}
        assert drawn(env.position) == cells
        assert env.rewards[f"player_{reference.to_move}"] == reference.result()


def first_legal(observation):
    return int(np.argmax(observation["action_mask"]))


@pytest.mark.parametrize("spec", SMALL)
@pytest.mark.parametrize("seat", [0, 1])
def test_the_vector_environment_shows_the_view_of_the_seat_also_at_the_end(spec, seat):
    game, start = pair(spec)
    envs = VectorBoardEnv(game, 3, opponent=first_legal, seat=seat, autoreset_mode="SameStep")
    rng, ends = np.random.default_rng(seat), 0

    def replied(reference):
        while reference.result() is None and reference.to_move != seat:
            reference.play(min(reference.legal(), key=game.numbers_for(1 - seat).get))
        return reference

    planes, info = envs.reset(seed=0)
    references = [replied(start()) for _ in range(3)]
    for _ in range(40):
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in info["action_mask"]])
        planes, rewards, over, _, info = envs.step(actions)
        for number, reference in enumerate(references):
            reference.play(game.name_for(seat, int(actions[number])))
            replied(reference)
            assert over[number] == (reference.result() is not None)
            if over[number]:
                sign = 1 if reference.to_move == seat else -1
                assert rewards[number] == sign * reference.result()
                np.testing.assert_array_equal(info["final_obs"][number], reference.planes(seat))
                references[number] = replied(start())
                ends += 1
            np.testing.assert_array_equal(planes[number], references[number].planes(seat))
    assert ends > 3


@pytest.mark.extended
@pytest.mark.parametrize("spec", [*SMALL, *(pytest.param(spec, marks=pytest.mark.slow) for spec in LARGE)])
def test_check_game(spec):
    game, _ = pair(spec)
    for seed in range(5):
        check_game(game, seed=seed)


@pytest.mark.parametrize(
    ("spec", "counts"),
    [
        ("Breakthrough:rows=8,cols=8", [22, 484, 11132, 256036, 6182818]),
        ("Othello:size=8", [4, 12, 56, 244, 1396, 8200, 55092, 390216]),
    ],
)
def test_published_numbers_of_sequences(spec, counts):
    start = Position.start(pair(spec)[0])
    assert [perft(start, depth) for depth in range(1, len(counts) + 1)] == counts


def after(reference, name):
    copied = deepcopy(reference)
    copied.play(name)
    return copied


def values_of(reference, known):
    """Add the values of all positions from a reference on to ``known``, by text, and return that of the reference."""
    text = reference.text()
    if text not in known:
        result = reference.result()
        values = [-values_of(after(reference, name), known) for name in reference.legal()]
        known[text] = max(values) if result is None else result
    return known[text]


@pytest.mark.parametrize("spec", ["Hex:size=2", "Hex:size=2,swap=true", "Hex:size=3", "Breakthrough:rows=4,cols=2"])
def test_all_values_equal_a_slow_search(spec):
    game, start = pair(spec)
    known = {}
    values_of(start(), known)
    solution, positions = solve(game), {text: Position.from_text(game, text) for text in known}
    assert len({(each.own, each.opp) for each in positions.values()}) == sum(solution.counts.values())
    assert {text: solution.value(position) for text, position in positions.items()} == known


class TestHex:
    def test_the_first_player_wins_and_the_swap_gives_the_win_to_the_second(self):
        winning = {2: ["b1", "a2"], 3: ["c1", "a2", "b2", "c2", "a3"]}
        for size, names in winning.items():
            start = Position.start(pair(f"Hex:size={size}")[0])
            solution = solve(start.game)
            assert solution.value(start) == 1
            assert [start.action_name(action) for action in solution.value_actions(start)] == names
            swap = pair(f"Hex:size={size},swap=true")[0]
            assert solve(swap).value(Position.start(swap)) == -1

    @pytest.mark.slow
    def test_the_first_player_wins_on_4_x_4(self):
        game = pair("Hex:size=4")[0]
        assert solve(game).value(Position.start(game)) == 1

    def test_the_swap_mirrors_the_stone_and_happens_once(self):
        start = Position.start(pair("Hex:size=8,swap=true")[0])
        assert "swap" not in names_of(start)
        placed = start.play("c1")
        assert "swap" in names_of(placed)
        swapped = placed.play("swap")
        assert swapped.to_text() == "/".join([*["." * 8] * 2, "O.......", *["." * 8] * 5]) + " X swapped"
        assert names_of(swapped) == names_of(start) - {"a3"}
        again = swapped.play("c1")
        assert again.to_text().endswith(" O")
        assert "swap" not in names_of(again)

    @pytest.mark.parametrize("text", ["X../.../... X swapped", "O../.../... O swapped", "OO./.../... X swapped"])
    def test_a_text_with_a_false_swap_is_refused(self, text):
        with pytest.raises(ValueError, match="only O can swap, and has then the only stone"):
            Position.from_text(pair("Hex:size=3,swap=true")[0], text)

    def test_a_full_board_without_an_end_is_refused(self):
        with pytest.raises(ValueError, match="the game goes on, but no action is legal"):
            Position.from_text(pair("Hex:size=3,swap=true")[0], "XXX/XXX/XXX X")

    @pytest.mark.extended
    def test_the_evaluation_is_the_difference_of_the_missing_stones(self):
        game, start = pair("Hex:size=5")
        rng = np.random.default_rng(0)
        for _ in range(5):
            reference, position = start(), Position.start(game)
            while position.result is None:
                missing = [reference.missing(player) for player in (position.to_move, 1 - position.to_move)]
                found = evaluation(game, np.uint64(position.own), np.uint64(position.opp))
                assert found == missing[1] - missing[0]
                action = rng.choice(position.legal_actions())
                reference.play(position.action_name(action))
                position = position.play(action)

    @pytest.mark.parametrize("shape", [(1, 1), (2, 5), (8, 8)])
    def test_regions_of_hexagons_are_in_the_picture_and_do_not_overlap(self, shape):
        rows, cols = shape
        drawing = hex_drawing(["." * cols] * rows)
        assert len(drawing.regions) == rows * cols
        assert drawing.width % 2 == drawing.height % 2 == 0
        for number, one in enumerate(drawing.regions):
            assert min(one.x, one.y) > 0
            assert one.x + one.width < drawing.width
            assert one.y + one.height < drawing.height
            for other in drawing.regions[:number]:
                assert abs(one.x - other.x) >= one.width or abs(one.y - other.y) >= one.height


def difference(reference, alpha, beta):
    """Return the discs of the player to move at the end less those of the opponent, by alpha-beta search."""
    names = reference.legal()
    if not names:
        return len(reference.cells(reference.mine)) - len(reference.cells(reference.theirs))
    for name in sorted(names):
        alpha = max(alpha, -difference(after(reference, name), -beta, -alpha))
        if alpha >= beta:
            break
    return alpha


class TestOthello:
    def test_the_second_player_wins_with_11_discs_to_3_on_4_x_4(self):
        game, start = pair("Othello:size=4")
        assert solve(game).value(Position.start(game)) == -1
        assert difference(start(), -9, -7) == 3 - 11

    def test_only_boards_of_an_even_size(self):
        for size in (2, 5, 10):
            with pytest.raises(ValueError, match=f"size must be 4, 6 or 8, not {size}"):
                resolve(place_of(f"Othello:size={size}"))


def test_a_person_swaps_on_the_command_line(tmp_path):
    """The names that the second player types are those of the picture, not those of the own view."""
    agent = tmp_path / "first_action.py"
    agent.write_text("def first(observation):\n    return int(observation['action_mask'].argmax())\n")
    command = ["play", place_of("Hex:size=2,swap=true"), f"{agent}:first", "human"]
    done = CliRunner().invoke(main, command, input="swap\na2\n")
    assert done.exit_code == 0, done.output
    assert re.findall(r"\(player \d\) plays (\w+)", done.output) == ["a1", "swap", "b1", "a2", "b2"]
    assert "X has won" in done.output


@pytest.mark.extended
def test_the_page_offers_the_games(tmp_path):
    port, specs = free_port(), ["Breakthrough", "Hex", "Othello"]
    options = [word for spec in specs for word in ("--game", place_of(spec))]
    boards = {"Breakthrough-v0": ["a1"], "Hex-v0:swap=true": ["a1", "swap"], "Othello-v0": ["a1", "pass"]}
    with process(tmp_path / "games.sqlite", port, *options) as (client, _):
        for environment, regions in boards.items():
            begun = client.post("/api/games", json={"environment": environment, "seats": ["human", "human"]})
            assert begun.status_code == 201, (environment, begun.text)
            page = html.unescape(client.get(f"/game/{begun.json()['id']}").text).replace("\\", "")
            assert set(regions) <= set(re.findall(r'data-region="(\w+)"', page))


@pytest.mark.parametrize("spec", SMALL)
def test_the_names_of_a_line_are_those_of_its_positions(spec):
    """In these games, most actions have another name for the other player."""
    game, _ = pair(spec)
    rng = np.random.default_rng(3)
    for _ in range(5):
        start = Position.start(game)
        position, actions = start, []
        while position.result is None and len(actions) < 12:
            actions.append(int(rng.choice(position.legal_actions())))
            position = position.play(actions[-1])
        names = start.line_names(actions)
        assert parse_line(start, names) == tuple(actions)
        exported = Export.of(HostedGame(record_of(actions), game, positions_of(start, actions), 200))
        assert exported.actions == names
        analysed = make_agent("mcts:simulations=200", game, seed=0).analyse(start)
        line = analysed.principal_variation
        assert len(line) > 1
        assert parse_line(start, analysis_data(analysed, start, [])["best_play"]) == line
        assert parse_line(start, report_of(analysed, start).principal_variation) == line


def positions_of(position, actions):
    found = [position]
    for action in actions:
        found.append(found[-1].play(action))
    return tuple(found)


def record_of(actions):
    return GameRecord("x" * 22, "Mine-v0", ("human", "human"), 0, "start", "", 0.0, actions=tuple(actions))
