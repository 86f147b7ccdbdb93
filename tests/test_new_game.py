"""Chomp of ``examples/new_game.py``, a game outside the package, has all features of the shipped games."""

import html
import re
import subprocess
import sys
from functools import cache
from importlib import import_module
from itertools import product
from math import comb
from pathlib import Path

import gymnasium
import httpx
import numpy as np
import pettingzoo.test
import pytest
from serving import free_port, process

from ci_envs import Position, check_game, make, make_agent, perft, solve
from ci_envs.arena.accuracy import measure_accuracy
from ci_envs.arena.match import play_match
from ci_envs.games.operations import transform_action
from ci_envs.kernels.compiler import kernel
from ci_envs.solver.reachable import sample_positions
from ci_envs.training.learners import make_config, trainer_of

EXAMPLES = Path(__file__).parents[1] / "examples"
OTHER_BARS = [pytest.param(bar, marks=pytest.mark.slow) for bar in ((1, 1), (2, 2), (3, 4), (2, 6))]
BARS = [(1, 4), (3, 3), *OTHER_BARS]


@pytest.fixture
def chomp(monkeypatch):
    """Return the class of the game. Its module is only on the path during a test, as it registers an environment."""
    monkeypatch.syspath_prepend(str(EXAMPLES))
    # otherwise the module would be a source of the kernels of other tests
    monkeypatch.delitem(sys.modules, "custom_agent", raising=False)
    return import_module("new_game").Chomp


def positions_of(game):
    """Return every position of Chomp, by the lengths of its rows. Player 0 moves."""
    for lengths in product(range(game.cols + 1), repeat=game.rows):
        if list(lengths) == sorted(lengths, reverse=True):
            yield Position.from_text(game, f"{','.join(map(str, lengths))} 0")


def bitten(lengths, row, col):
    """Chomp by the rulebook: a player eats all squares from ``(row, col)`` on, to the right and below."""
    return tuple(min(length, col) if r >= row else length for r, length in enumerate(lengths))


@cache
def is_won(lengths):
    """Return whether the player to move wins, by enumeration."""
    bites = {bitten(lengths, row, col) for row, length in enumerate(lengths) for col in range(length)}
    return not bites or any(not is_won(after) for after in bites)


def lengths_of(position):
    return tuple(position.game.lengths(position.own))


@kernel
def image_of(game, symmetry, action):
    return transform_action(game, symmetry, action)


class TestChomp:
    @pytest.mark.parametrize("bar", BARS)
    def test_rules(self, chomp, bar):
        game = chomp(*bar)
        for position in positions_of(game):
            lengths = lengths_of(position)
            over = not any(lengths)
            assert position.result == (1 if over else None)
            cells = [(row, col) for row, length in enumerate(lengths) for col in range(length)]
            assert position.legal_actions() == tuple(row * game.cols + col for row, col in cells)
            for (row, col), action in zip(cells, position.legal_actions(), strict=True):
                after = position.play(action)
                assert (lengths_of(after), after.opp, after.to_move) == (bitten(lengths, row, col), 0, 1)

    def test_perft(self, chomp):
        # by hand: the actions leave 0, 2, 2 and 3 squares; from the 3 squares after b2 the actions leave 0, 2 and 2
        assert [perft(Position.start(chomp(2, 2)), depth) for depth in range(6)] == [1, 4, 7, 6, 2, 0]

    @pytest.mark.parametrize("bar", BARS)
    def test_round_trips(self, chomp, bar):
        for position in positions_of(chomp(*bar)):
            assert Position.from_observation(position.game, position.observation()) == position
            assert Position.from_text(position.game, position.to_text()) == position

    @pytest.mark.parametrize(
        "text", ["", "4,4,4", "4,4,4 2", "4,4 0", "4,4,4,0 0", "5,4,4 0", "3,4,4 0", "4,4,4  0", "4,4,٤ 0", "4,,4 0"]
    )
    def test_malformed_text(self, chomp, text):
        with pytest.raises(ValueError, match=re.escape(f"{text!r} is not a position of Chomp")):
            Position.from_text(chomp(3, 4), text)

    @pytest.mark.parametrize(("name", "value"), [("rows", 0), ("cols", 9), ("rows", 2.0), ("cols", True)])
    def test_bad_parameters(self, chomp, name, value):
        with pytest.raises(ValueError, match=f"{name} must be a whole number from 1 to 8, not {value!r}"):
            chomp(**{name: value})

    @pytest.mark.parametrize("bar", [(2, 2), (3, 3), (3, 4)])
    def test_symmetries_commute_with_play(self, chomp, bar):
        game = chomp(*bar)
        assert game.symmetry_count == (2 if game.rows == game.cols else 1)
        for position in positions_of(game):
            images = position.symmetries
            assert images[0] == position
            assert all(image.symmetries[symmetry] == position for symmetry, image in enumerate(images))
            for action, (symmetry, image) in product(position.legal_actions(), enumerate(images)):
                assert image.play(image_of(game, symmetry, action)) == position.play(action).symmetries[symmetry]

    @pytest.mark.parametrize("bar", [(3, 3), pytest.param((1, 4), marks=pytest.mark.slow), *OTHER_BARS])
    def test_minimax_plays_by_theory(self, chomp, bar):
        game = chomp(*bar)
        minimax = make_agent(f"minimax:depth={game.action_count}", game, seed=0)
        for position in positions_of(game):
            if not any(lengths_of(position)):
                continue
            mask = np.zeros(game.action_count, dtype=np.int8)
            mask[list(position.legal_actions())] = 1
            after = position.play(minimax.act({"observation": position.observation(), "action_mask": mask}))
            assert is_won(lengths_of(after)) != is_won(lengths_of(position))

    def test_theory(self):
        bars = [(cols,) * rows for rows, cols in product(range(1, 5), repeat=2)]
        assert [bar for bar in bars if not is_won(bar)] == [(1,)]  # strategy stealing
        for size in (2, 3, 4):
            square = (size,) * size
            winning = [cell for cell in product(range(size), repeat=2) if not is_won(bitten(square, *cell))]
            assert winning == [(1, 1)]
        assert [(a, b) for a in range(1, 8) for b in range(a + 1) if not is_won((a, b))] == [
            (a, a - 1) for a in range(1, 8)
        ]

    @pytest.mark.filterwarnings("ignore:Observation:UserWarning")  # a dictionary with empty planes at the end
    @pytest.mark.parametrize("id", ["Chomp-v0", "Chomp-v0:rows=8,cols=8", "Chomp-v0:rows=1,cols=1"])
    def test_pettingzoo(self, chomp, id):
        pettingzoo.test.api_test(make(id), num_cycles=100)
        pettingzoo.test.seed_test(lambda: make(id), num_cycles=50)

    def test_picture(self, chomp):
        env = make("Chomp-v0", render_mode="rgb_array")
        env.reset()
        whole = env.render()
        env.step(6)
        assert whole.dtype == np.uint8
        assert (whole != env.render()).any()

    def test_diagram(self, chomp):
        assert Position.from_text(chomp(3, 4), "4,2,0 1").diagram().splitlines() == [
            "  a b c d",
            "1 ! # # #",
            "2 # # . .",
            "3 . . . .",
            "Second to move",
        ]

    def test_gymnasium(self, chomp):
        env = gymnasium.make("ci_envs/Chomp-v0", rows=3, cols=3, opponent="minimax:depth=9", seat=1)
        env.reset(seed=0)
        assert str(env.unwrapped.position) == "3,1,1 1"


@cache
def slow_score(lengths):
    """Return the value for the player to move, and the plies to the end under optimal play."""
    bites = {bitten(lengths, row, col) for row, length in enumerate(lengths) for col in range(length)}
    if not bites:
        return 1, 0  # the opponent has just eaten the poison
    after = [slow_score(each) for each in bites]
    wins = [plies + 1 for value, plies in after if value == -1]
    return (1, min(wins)) if wins else (-1, max(plies + 1 for _, plies in after))


class TestSolver:
    @pytest.mark.parametrize("bar", [(1, 1), (1, 4), (3, 3), (4, 5), pytest.param((5, 6), marks=pytest.mark.slow)])
    def test_every_position_equals_a_slow_search(self, chomp, bar):
        game = chomp(*bar)
        solution = solve(game)
        for position in positions_of(game):
            value, plies = slow_score(lengths_of(position))
            assert solution.value(position) == value
            assert solution.distance(position) == plies
        assert sum(solution.counts.values()) == comb(sum(bar), bar[0])

    def test_the_first_player_wins_by_strategy_stealing(self, chomp):
        solution = solve(chomp(4, 5))
        for rows, cols in product(range(1, 5), range(1, 6)):
            lengths = [cols] * rows + [0] * (4 - rows)  # a smaller bar is a position of a larger one
            bar = Position.from_text(chomp(4, 5), f"{','.join(map(str, lengths))} 0")
            assert solution.value(bar) == (-1 if (rows, cols) == (1, 1) else 1)

    @pytest.mark.parametrize("size", [2, 3, 4, 5])
    def test_b2_is_the_only_winning_bite_on_a_square(self, chomp, size):
        start = Position.start(chomp(size, size))
        assert [start.action_name(action) for action in solve(start).value_actions(start)] == ["b2"]

    def test_a_bound_refuses_large_games_at_once(self, chomp, monkeypatch):
        monkeypatch.setattr("ci_envs.solver.search.MAX_POSITIONS", 100)
        monkeypatch.setattr("ci_envs.solver.solver._MOST_SEARCHED", 100)
        with pytest.raises(ValueError, match=r"Chomp\(rows=4, cols=5\) is too large to solve: 126 states"):
            solve(chomp())

    def test_random_positions_are_those_that_play_reaches(self, chomp):
        game = chomp(3, 4)
        drawn = {tuple(words) for words in sample_positions(game, 2000, np.random.default_rng(0)).tolist()}
        assert drawn == {(each.own, each.opp) for each in positions_of(game) if each.result is None}

    def test_the_player_who_moves_first_wins_by_exact_play(self, chomp):
        game = chomp(3, 4)
        exact, minimax = make_agent("exact", game, seed=0), make_agent("minimax:depth=12", game, seed=0)
        result = play_match(game, exact, minimax, 20)
        assert [record.wins for record in result.sides[0].seats] == [10, 0]


@pytest.mark.parametrize("bar", [(1, 1), (4, 5), (3, 3), pytest.param((8, 8), marks=pytest.mark.slow)])
def test_check_game(chomp, bar):
    check_game(chomp(*bar))


def test_a_derived_class_inherits_no_solver(monkeypatch):
    """A subclass can have other rules, so only the search of all positions is valid for it."""
    from ci_envs import Nim, Quixo
    from ci_envs.solver.solver import Solver, solver_of

    class OtherQuixo(Quixo):
        pass

    class OtherNim(Nim):
        solver = Nim.solver

    assert type(solver_of(OtherQuixo())) is Solver
    assert type(solver_of(Quixo())) is not Solver
    assert type(solver_of(OtherNim())) is type(solver_of(Nim()))


class TestAlphaZero:
    def test_the_presets_of_the_game_are_used(self, chomp):
        trainer = trainer_of("alphazero")
        settings = make_config(trainer, chomp(), {"iterations": 1, "simulations": 7})
        assert settings.ladder == ("random", "minimax:depth=2", "exact")
        assert (settings.capacity, settings.simulations) == (30_000, 7)
        assert settings.reuse == make_config(trainer, chomp(2, 2), {"iterations": 1}).reuse

    @pytest.mark.parametrize(
        ("length", "least"),
        [(("--iterations", "1"), 0.5), pytest.param(("--minutes", "1"), 0.95, marks=pytest.mark.slow)],
        ids=["one iteration", "one minute"],
    )
    def test_training_learns_to_keep_the_win(self, chomp, tmp_path, length, least):
        bar, game = "new_game:Chomp-v0:rows=3,cols=4", chomp(3, 4)
        command = [sys.executable, "-m", "ci_envs", "train", "alphazero", bar, *length, "--seed", "0"]
        output = ["--output", str(tmp_path / "run")]
        done = subprocess.run(
            [*command, *output], cwd=EXAMPLES, capture_output=True, text=True, timeout=400, check=False
        )
        assert done.returncode == 0, done.stderr
        (network,) = [line for line in done.stdout.split() if line.startswith("alphazero:")]
        words = sample_positions(game, 400, np.random.default_rng(0))
        scores = solve(game).action_scores(words)
        agent = make_agent(network.replace("alphazero:", "alphazero:path=") + ",simulations=50", game, seed=0)
        accuracy = measure_accuracy(game, agent, words, solve(game))
        assert scores.shape == (400, 12)
        assert accuracy.everywhere.keeping >= least * 400


class TestWeb:
    def test_the_server_offers_the_game(self, tmp_path):
        port = free_port()
        with process(tmp_path / "games.sqlite", port, "--game", "new_game:Chomp-v0", cwd=EXAMPLES) as (client, _):
            offered = {entry["name"]: entry for entry in client.get("/api/environments").json()}
            assert offered["Chomp-v0"]["options"] == {"rows": 4, "cols": 5}
            assert "Chomp" in client.get("/").text
            game = {"environment": "Chomp-v0:rows=3,cols=3", "seats": ["human", "exact"]}
            begun = client.post("/api/games", json=game)
            assert begun.status_code == 201
            squares = {f"{col}{row}" for col in "abc" for row in "123"}
            assert {action["name"] for action in begun.json()["legal"]} == squares
            board = html.unescape(client.get(f"/game/{begun.json()['id']}").text).replace("\\", "")
            assert set(re.findall(r'data-region="(\w+)"', board)) == squares  # the regions to click on the page
            self.lose_against_the_solver(client, begun.json()["id"])

    def lose_against_the_solver(self, client: httpx.Client, id):
        """Play the smallest legal bite each time. The solver moves second and wins."""
        for _ in range(9):
            state = client.get(f"/api/games/{id}").json()
            while state["thinking"]:
                state = client.get(f"/api/games/{id}").json()
            if state["ending"]:
                break
            action = state["legal"][-1]["name"]
            assert client.post(f"/api/games/{id}/moves", json={"action": action}).status_code == 201
        assert state["ending"] == "rules"
        assert state["winner"] == 1
