"""Our games in OpenSpiel: OpenSpiel's tests, its solvers compared with ours, and its bots as agents."""

import copy
import math
import pickle
import subprocess
import sys

import numpy as np
import pytest
from playing import observation_of, random_positions

from ci_envs import ConnectN, Nim, Position, Quarto, Quixo, make_agent, registered, solve

pyspiel = pytest.importorskip("pyspiel")

from open_spiel.python.algorithms.exploitability import exploitability  # noqa: E402
from open_spiel.python.algorithms.generate_playthrough import playthrough  # noqa: E402
from open_spiel.python.algorithms.get_all_states import get_all_states  # noqa: E402
from open_spiel.python.algorithms.minimax_solver import MinimaxSolver  # noqa: E402
from open_spiel.python.observation import make_observation  # noqa: E402
from open_spiel.python.policy import UniformRandomPolicy  # noqa: E402

from ci_envs.agents.openspiel import OpenSpielAgent  # noqa: E402
from ci_envs.openspiel import OpenSpielGame, openspiel_name, register_game  # noqa: E402

GAMES = {
    "ci_envs_quixo(size=3)": Quixo(3),
    "ci_envs_tic_tac_toe": ConnectN(3, 3, 3),
    "ci_envs_connect_n(rows=4,cols=4,n=3)": ConnectN(4, 4, 3),
    "ci_envs_connect_four": ConnectN(6, 7, 4, gravity=True),
    "ci_envs_nim": Nim((1, 3, 5, 7)),
    "ci_envs_nim(heaps=7;,max_take=3,misere=true)": Nim((7,), max_take=3, misere=True),
    "ci_envs_quarto(squares=true)": Quarto(squares=True),
    "ci_envs_quixo": Quixo(5),
    "ci_envs_connect_n": ConnectN(6, 6, 4),
    "ci_envs_quarto": Quarto(),
}


@pytest.mark.parametrize("name", GAMES)
class TestEveryOpenSpielGame:
    def test_openspiel_tests_it(self, name):
        pyspiel.random_sim_test(pyspiel.load_game(name), num_sims=3, serialize=True, verbose=False)

    def test_a_playthrough_can_be_repeated(self, name):
        text = playthrough(name, None, seed=1)
        actions = [int(line.removeprefix("action: ")) for line in text.splitlines() if line.startswith("action: ")]
        assert len(actions) > 2
        assert playthrough(name, actions, seed=2) == text

    def test_the_parameters_reach_the_game_and_its_name(self, name):
        game = pyspiel.load_game(name)
        assert game.game == GAMES[name]
        assert pyspiel.load_game(str(game)).game == GAMES[name]

    def test_states_are_copied_and_pickled(self, name):
        state = pyspiel.load_game(name).new_initial_state()
        state.apply_action(state.legal_actions()[-1])
        before = str(state)
        copies = state.clone(), copy.deepcopy(state), pickle.loads(pickle.dumps(state))
        state.apply_action(state.legal_actions()[0])
        for other in copies:
            assert (str(other), len(other.history())) == (before, 1)
            other.apply_action(other.legal_actions()[0])
            assert str(other) == str(state)

    def test_no_game_is_longer_than_it_says(self, name):
        game, rng = pyspiel.load_game(name), np.random.default_rng(0)
        state = game.new_initial_state()
        while not state.is_terminal():
            state.apply_action(rng.choice(state.legal_actions()))
        assert state.position.result is not None or state.plies == game.max_plies
        assert len(state.history()) <= game.max_game_length()


def test_every_id_is_registered():
    ids = [id for id in registered() if id.endswith("-v0")]
    assert {"ci_envs_tic_tac_toe", "ci_envs_connect_four"} <= {openspiel_name(id) for id in ids}
    assert {"ci_envs_tic_tac_toe", "ci_envs_connect_four"} <= set(pyspiel.registered_names())
    assert register_game("TicTacToe-v0") == "ci_envs_tic_tac_toe"
    with pytest.raises(ValueError, match="Unknown environment 'TicTacTo-v0'"):
        register_game("TicTacTo-v0")


def test_bad_parameters_are_refused():
    with pytest.raises(ValueError, match="size must be a whole number from 2 to 7, not 9"):
        pyspiel.load_game("ci_envs_quixo(size=9)")
    with pytest.raises(ValueError, match="max_plies must be a whole number from 0, not -3"):
        pyspiel.load_game("ci_envs_quixo(max_plies=-3)")
    with pytest.raises(pyspiel.SpielError, match="Unknown parameter 'rows'"):
        pyspiel.load_game("ci_envs_quixo(rows=3)")


def test_the_reachable_positions_of_tic_tac_toe():
    states = get_all_states(pyspiel.load_game("ci_envs_tic_tac_toe"), include_terminals=True, to_string=str)
    assert len(states) == 5478  # published
    assert {len(states[text].legal_actions()) for text in states} == set(range(10))


class TestMaxPlies:
    def test_a_game_is_drawn_after_max_plies(self):
        game = pyspiel.load_game("ci_envs_quixo(size=3,max_plies=3)")
        state = game.new_initial_state()
        for _ in range(3):
            assert not state.is_terminal()
            state.apply_action(state.string_to_action("b1b3") if state.plies == 1 else state.legal_actions()[0])
        assert state.is_terminal()
        assert state.position.result is None
        assert (state.returns(), state.legal_actions()) == ([0, 0], [])
        assert game.max_game_length() == 3

    def test_a_win_on_the_last_ply_counts(self):
        game = pyspiel.load_game("ci_envs_tic_tac_toe(max_plies=5)")
        state = game.new_initial_state()
        for name in ("a1", "a2", "b1", "b2", "c1"):
            state.apply_action(state.string_to_action(name))
        assert state.returns() == [1, -1]

    def test_defaults(self):
        assert pyspiel.load_game("ci_envs_quixo").max_game_length() == 200  # our environments truncate at the same ply
        assert pyspiel.load_game("ci_envs_quarto").max_plies == 0
        endless = pyspiel.load_game("ci_envs_quixo(size=3,max_plies=0)").new_initial_state()
        for _ in range(300):  # both players move the same two cubes back and forth
            for name in ("a1a3", "c1c3", "a1a3", "c1c3"):
                if not endless.is_terminal():
                    endless.apply_action(endless.string_to_action(name))
        assert endless.is_terminal() is (endless.position.result is not None)


def test_their_minimax_finds_our_values_of_quixo():
    """The value of a game that is a draw after n plies follows from the distance to the end."""
    game, plies = Quixo(3), 5
    solution = solve(game)
    table = MinimaxSolver(f"ci_envs_quixo(size=3,max_plies={plies})").solve()
    assert len(table) > 1_000
    for text, entry in table.items():
        board, _, ply = text.rpartition(" ")
        position = Position.from_text(game, board)
        decided = solution.value(position) != 0 and solution.distance(position) <= plies - int(ply.partition("/")[0])
        assert entry.value == (solution.value(position) if decided else 0)
    assert {entry.value for entry in table.values()} == {0, 1}


def test_exploitability_is_that_of_the_same_game_in_openspiel():
    """OpenSpiel has Nim too. The policy chooses each legal action with the same probability."""

    def uniform(name):
        game = pyspiel.load_game(name)
        return exploitability(game, UniformRandomPolicy(game))

    for misere in ("true", "false"):
        ours = uniform(f"ci_envs_nim(heaps=1;2;3,misere={misere})")
        assert ours == pytest.approx(uniform(f"nim(pile_sizes=1;2;3,is_misere={misere})"))
        assert 0 < ours < 1
    assert uniform("ci_envs_quixo(size=2,max_plies=6)") > 0


class TestOpenSpielObservation:
    @pytest.mark.parametrize("game", [Quixo(3), Nim((1, 3, 5, 7)), Quarto()], ids=lambda game: type(game).__name__)
    def test_it_determines_the_position_for_both_players(self, game):
        bridge = OpenSpielGame(game)
        seen = {}
        for position in random_positions(game, 200, seed=0):
            state = bridge.new_initial_state(position)
            tensor = tuple(state.observation_tensor(0))
            assert tensor == tuple(state.observation_tensor(1))
            assert seen.setdefault(tensor, position) == position
        assert len(seen) > 20
        assert len(tensor) == math.prod(bridge.observation_tensor_shape())

    def test_planes(self):
        bridge = OpenSpielGame(ConnectN(3, 3, 3))
        observation = make_observation(bridge)
        for text, to_move in (("X../.O./... X", 0), ("XX./.O./... O", 1)):
            observation.set_from(bridge.new_initial_state(text), 0)
            crosses, noughts, mover = observation.dict["observation"]
            assert (crosses[0, 0], noughts[1, 1], crosses[1, 1], noughts[0, 0]) == (1, 1, 0, 0)
            assert np.all(mover == to_move)

    def test_parameters_are_refused(self):
        with pytest.raises(ValueError, match="have no parameters"):
            OpenSpielGame(Quixo(3)).make_py_observer(None, {"planes": 2})


def test_play_can_begin_in_any_position():
    game = pyspiel.load_game("ci_envs_tic_tac_toe")
    state = game.new_initial_state("XX./OO./... X")
    state.apply_action(state.string_to_action("c1"))
    assert state.returns() == [1, -1]
    assert pickle.loads(pickle.dumps(state)).returns() == [1, -1]
    with pytest.raises(ValueError, match="need a position of ConnectN"):
        game.new_initial_state(Position.start(Quixo(3)))


@pytest.mark.extended
def test_a_new_process_unpickles_and_ends_well():
    """OpenSpiel frees the registered games after Python has ended, which must not crash."""
    game = pyspiel.load_game("ci_envs_tic_tac_toe")
    state = game.new_initial_state()
    state.apply_action(4)
    program = f"import pickle; print(pickle.loads({pickle.dumps(game)!r}), pickle.loads({pickle.dumps(state)!r}))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"{game} {state}\n"


class TestOpenSpielAgent:
    @pytest.mark.parametrize("name", GAMES)
    @pytest.mark.parametrize("bot", ["mcts", "minimax"])
    def test_it_plays_every_game(self, name, bot):
        game = GAMES[name]
        agent = OpenSpielAgent(game, bot, seed=0, **({"simulations": 3} if bot == "mcts" else {"depth": 1}))
        for position in random_positions(game, 10, seed=1):
            assert agent.act(observation_of(position)) in position.legal_actions()

    @pytest.mark.parametrize("options", [{"bot": "mcts", "simulations": 150}, {"bot": "minimax", "depth": 2}])
    def test_it_wins_at_once(self, options):
        game = Quixo(3)
        solution = solve(game)
        positions = [
            position
            for position in random_positions(game, 200, seed=2)
            if solution.value(position) == 1 and solution.distance(position) == 1
        ][:10]
        assert len(positions) == 10
        agent = OpenSpielAgent(game, seed=3, **options)
        words = np.array([[position.own, position.opp] for position in positions], dtype=np.uint64)
        for position, action in zip(positions, agent.act_on(words).tolist(), strict=True):
            assert position.play(action).result == -1

    def test_the_same_seed_plays_the_same(self):
        game = ConnectN(3, 3, 3)
        words = np.zeros((6, 2), dtype=np.uint64)
        agent = OpenSpielAgent(game, "mcts", simulations=10, seed=5)
        first = agent.act_on(words).tolist()
        agent.reseed(5)
        assert agent.act_on(words).tolist() == first
        assert len(set(first)) > 1

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"bot": "mtcs"}, "bot must be one of mcts, minimax, not 'mtcs'. Did you mean 'mcts'?"),
            ({"bot": "mcts", "depth": 3}, "depth=3 is for bot=minimax, not for bot=mcts"),
            ({"bot": "minimax", "simulations": 3}, "simulations=3 is for bot=mcts, not for bot=minimax"),
            ({"bot": "mcts", "simulations": 0}, "simulations must be a whole number from 1, not 0"),
            ({"bot": "mcts", "uct_c": 0}, "uct_c must be a number above 0, not 0"),
            ({"bot": "minimax", "depth": 0}, "depth must be a whole number from 1, not 0"),
        ],
    )
    def test_wrong_options(self, options, message):
        with pytest.raises(ValueError, match=message):
            OpenSpielAgent(Quixo(3), **options)

    def test_its_spec(self):
        agent = make_agent("openspiel:mcts,simulations=7,uct_c=2", "TicTacToe-v0", seed=0)
        assert (agent.bot.simulations, agent.bot.uct_c, agent.bot.solve) == (7, 2, True)


def test_a_missing_package_names_the_extra(monkeypatch):
    for name in [name for name in sys.modules if name.startswith(("ci_envs.openspiel", "ci_envs.agents.openspiel"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    with pytest.raises(ImportError, match=r"ci_envs\.openspiel needs pyspiel: install the extra 'openspiel'"):
        import ci_envs.openspiel  # noqa: F401
