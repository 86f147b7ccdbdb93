"""The vector environment: each board plays like a single environment."""

import copy
import gc
import pickle
import subprocess
import sys
import textwrap

import gymnasium
import numpy as np
import pytest
from conftest import ENVIRONMENTS
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from hypothesis import given, settings
from hypothesis import strategies as st
from toy_agents import FirstLegal, RandomInPython

import ci_envs
from ci_envs import Position, RandomOpenings, make_agent, make_vec
from ci_envs.agents.search.minimax import MinimaxAgent
from ci_envs.envs.aec import InvalidActionError
from ci_envs.envs.single_agent import SingleAgentEnv
from ci_envs.envs.spaces import MaskedMultiDiscrete
from ci_envs.registry.games import ENV_OPTIONS, resolve
from ci_envs.registry.options import options_of, read_options
from ci_envs.registry.spec import split_spec

MODES = ("NextStep", "SameStep")
OPPONENTS = ("random", "minimax:depth=2,table_mb=0.1", "mcts:simulations=20")
BOARDS = 5

modes = pytest.mark.parametrize("mode", MODES)
# for the boards these games are no new case: other tests check their rules and single environments
MORE = {
    "Quixo-v0:size=2",
    "ConnectN-v0",
    "ConnectN-v0:rows=8,cols=8,n=5",
    "ConnectFour-v0",
    "Nim-v0:heaps=3,4,5,max_take=2,misere=true",
    "Quarto-v0:squares=true",
}
environments = pytest.mark.parametrize(
    "id", [pytest.param(id, marks=pytest.mark.slow) if id in MORE else id for id in ENVIRONMENTS]
)
few_examples = settings(deadline=None, max_examples=3, derandomize=True)


def last_legal(observation):
    return int(observation["action_mask"].nonzero()[0][-1])


def single(id, **options):
    """Make Gymnasium's environment. Gymnasium takes the parameters of the id as keyword arguments."""
    name, text = split_spec(id)
    parameters = read_options(name, text, {**options_of(resolve(id)[0].game_class()), **ENV_OPTIONS})
    return gymnasium.make(f"ci_envs/{name}", **parameters, **options)


def pair(id, boards=BOARDS, *, opponent="random", mode="NextStep", threads=1, **options):
    """Return our vector environment, and Gymnasium's vector environment of single environments."""
    ours = make_vec(id, boards, opponent=copy.deepcopy(opponent), autoreset_mode=mode, threads=threads, **options)
    makers = [lambda: single(id, opponent=copy.deepcopy(opponent), **options)] * boards
    return ours, SyncVectorEnv(makers, autoreset_mode=AutoresetMode(mode))


def random_actions(masks, rng, illegal=0.05):
    """Return a legal action for each row of masks, and sometimes any action."""
    actions = (masks * rng.random(masks.shape)).argmax(axis=1)
    return np.where(rng.random(len(masks)) < illegal, rng.integers(masks.shape[1], size=len(masks)), actions)


def assert_same(ours, theirs):
    assert data_equivalence(ours, theirs, exact=True), f"{ours}\n\n{theirs}"


def assert_same_play(ours, theirs, seed, steps=60):
    """Check that both environments return the same from the reset on."""
    first = ours.reset(seed=seed)
    assert_same(first, theirs.reset(seed=seed))
    masks, rng, ends = first[1]["action_mask"], np.random.default_rng(seed), 0
    for _ in range(steps):
        actions = random_actions(masks, rng)
        got = ours.step(actions)
        assert_same(got, theirs.step(actions))
        masks, ends = got[4]["action_mask"], ends + (got[2] | got[3]).sum()
    return ends


def played(env, seed=None, steps=30, rng_seed=0):
    """Return copies of everything that some random steps return. Without a seed the games continue."""
    out = [copy.deepcopy(env.reset(seed=seed))] if seed is not None else []
    rng = np.random.default_rng(rng_seed)
    for _ in range(steps):
        out.append(copy.deepcopy(env.step(random_actions(env.action_masks(), rng))))
    return out


class TestEqualsSingleEnvironments:
    @pytest.mark.extended
    @modes
    @environments
    @given(seed=st.integers(0, 2**32), seat=st.sampled_from([None, 0, 1]), threads=st.sampled_from([1, 2]))
    @few_examples
    def test_random(self, id, mode, seed, seat, threads):
        ours, theirs = pair(id, mode=mode, seat=seat, threads=threads)
        assert assert_same_play(ours, theirs, seed) > 0

    @modes
    @pytest.mark.parametrize("opponent", OPPONENTS[1:])
    @pytest.mark.parametrize(
        "id",
        [
            "Quarto-v0",
            *(pytest.param(id, marks=pytest.mark.slow) for id in ("TicTacToe-v0", "Quixo-v0:size=3", "Nim-v0")),
        ],
    )
    @given(seed=st.integers(0, 2**32), seat=st.sampled_from([None, 0, 1]))
    @few_examples
    def test_searching(self, id, opponent, mode, seed, seat):
        ours, theirs = pair(id, opponent=opponent, mode=mode, seat=seat)
        assert assert_same_play(ours, theirs, seed, steps=25) > 0

    @modes
    @pytest.mark.parametrize("opponent", [last_legal, FirstLegal], ids=["function", "agent"])
    @pytest.mark.parametrize("id", ["Quixo-v0:size=3", "TicTacToe-v0", "Quarto-v0", "Nim-v0:heaps=7"])
    @given(seed=st.integers(0, 2**32), seat=st.sampled_from([None, 0, 1]))
    @few_examples
    def test_in_python(self, id, opponent, mode, seed, seat):
        if opponent is FirstLegal:
            opponent = FirstLegal(ci_envs.make(id).game)
        ours, theirs = pair(id, opponent=opponent, mode=mode, seat=seat)
        assert assert_same_play(ours, theirs, seed) > 0

    @modes
    @pytest.mark.parametrize("id", ["TicTacToe-v0", "Quarto-v0"])
    @given(seed=st.integers(0, 2**32), seat=st.sampled_from([None, 0, 1]))
    @few_examples
    def test_one_board_and_an_agent_that_draws_its_own_numbers(self, id, mode, seed, seat):
        ours, theirs = pair(id, 1, opponent=RandomInPython(ci_envs.make(id).game), mode=mode, seat=seat)
        assert assert_same_play(ours, theirs, seed) > 0
        assert assert_same_play(ours, theirs, seed + 1) > 0  # also after a second reset

    @modes
    @pytest.mark.parametrize("opponent", ["random", last_legal], ids=["compiled", "in Python"])
    def test_truncation(self, mode, opponent):
        ours, theirs = pair("Quixo-v0", opponent=opponent, mode=mode, max_cycles=7)
        assert assert_same_play(ours, theirs, 3) > 0

    @modes
    @pytest.mark.parametrize("id", ["Quixo-v0:size=3", "TicTacToe-v0", "Quarto-v0", "Nim-v0:heaps=7"])
    def test_an_agent_that_plays_both_sides(self, id, mode):
        ours, theirs = pair(id, opponent=None, mode=mode)
        assert assert_same_play(ours, theirs, 3) > 0
        assert [env.unwrapped.seat for env in theirs.envs] == ours.seats.tolist()

    @modes
    def test_a_game_over_before_the_agents_first_turn(self, mode):
        """The opponent takes the only heap at once. The first step reports the loss for any action."""
        expert = make_agent("nim_expert", "Nim-v0:heaps=7")
        ours, theirs = pair("Nim-v0:heaps=7", opponent=expert, mode=mode, seat=1)
        first, second = ours.reset(seed=0), ours.step(np.zeros(BOARDS, np.int64))
        assert not first[1]["action_mask"].any()
        assert (second[1] == -1).all()
        assert second[2].all()
        assert assert_same_play(ours, theirs, 0, steps=6) == BOARDS * (3 if mode == "NextStep" else 6)

    def test_as_gymnasium_makes_it(self):
        options = {"opponent": "minimax:depth=2,table_mb=0.1", "autoreset_mode": "SameStep", "threads": 2}
        made = gymnasium.make_vec("ci_envs/TicTacToe-v0", 3, "vector_entry_point", **options)
        assert_same(played(made, seed=1), played(make_vec("TicTacToe-v0", 3, **options), seed=1))

    def test_seeds_go_to_their_boards(self):
        ours, theirs = pair("TicTacToe-v0", 3)
        for seeds in ([5, 2**63, 0], [7, 7, 7]):
            assert_same(ours.reset(seed=seeds), theirs.reset(seed=seeds))
            rng = np.random.default_rng(0)
            for _ in range(30):
                actions = random_actions(ours.action_masks(), rng)
                assert_same(ours.step(actions), theirs.step(actions))

    @pytest.mark.parametrize("opponent", ["random", last_legal], ids=["compiled", "in Python"])
    def test_resets_of_some_boards(self, opponent):
        """Without autoreset, the mask of ``reset`` restarts finished boards."""
        ours, theirs = pair("TicTacToe-v0", opponent=opponent, mode="Disabled")
        assert_same(ours.reset(seed=1), theirs.reset(seed=1))
        rng = np.random.default_rng(0)
        for step in range(40):
            actions = random_actions(ours.action_masks(), rng)
            got = ours.step(actions)
            assert_same(got, theirs.step(actions))
            over = got[2] | got[3]
            if over.any():
                with pytest.raises(gymnasium.error.ResetNeeded, match=f"board {over.argmax()} "):
                    ours.step(actions)
                seed = None if step % 2 else step
                planes, info = ours.reset(seed=seed, options={"reset_mask": over})
                theirs_planes, theirs_info = theirs.reset(seed=seed, options={"reset_mask": over})
                assert_same(planes, theirs_planes)
                np.testing.assert_array_equal(info["action_mask"][over], theirs_info["action_mask"][over])
                np.testing.assert_array_equal(info["action_mask"][~over], got[4]["action_mask"][~over])


class TestSelfPlay:
    """With opponent=None a step is a ply of an AEC environment."""

    @modes
    @environments
    @given(seed=st.integers(0, 2**32))
    @few_examples
    def test_equals_the_aec_environment(self, id, mode, seed):
        vector = make_vec(id, 3, opponent=None, autoreset_mode=mode)
        boards = [ci_envs.make(id) for _ in range(3)]
        for board in boards:
            board.reset()
        planes, info = vector.reset(seed=seed)
        rng, over = np.random.default_rng(seed), np.zeros(3, bool)
        for _ in range(80):
            movers = vector.to_move
            actions = random_actions(info["action_mask"], rng)
            planes, rewards, terminated, truncated, info = vector.step(actions)
            for i, board in enumerate(boards):
                if over[i] and mode == "NextStep":
                    board.reset()
                    expected = 0, False, False
                else:
                    board.step(actions[i])
                    mover = f"player_{movers[i]}"
                    ended = board.terminations[mover]
                    expected = board.rewards[mover], ended, board.truncations[mover] and not ended
                assert (rewards[i], terminated[i], truncated[i]) == expected
                over[i] = terminated[i] or truncated[i]
                seen = board.observe(f"player_{board.position.to_move}")
                if over[i] and mode == "SameStep":
                    np.testing.assert_array_equal(info["final_obs"][i], seen["observation"])
                    board.reset()
                    seen = board.observe("player_0")
                np.testing.assert_array_equal(planes[i], seen["observation"])
                going = not over[i] or mode == "SameStep"
                np.testing.assert_array_equal(info["action_mask"][i], seen["action_mask"] * going)
                assert vector.positions[i] == board.position
                assert info["to_move"][i] == board.position.to_move
        assert (vector.seats == -1).all()

    def test_a_player_of_quarto_places_and_gives(self):
        vector = make_vec("Quarto-v0", 2, opponent=None)
        vector.reset(seed=0)
        movers = [vector.step(vector.action_space.sample(vector._out.masks["seen"]))[4]["to_move"] for _ in range(5)]
        assert np.array(movers).T.tolist() == [[1, 1, 0, 0, 1]] * 2


class TestGymnasium:
    @modes
    @environments
    def test_spaces_and_metadata_are_those_of_single_environments(self, id, mode):
        ours, theirs = pair(id, mode=mode)
        one = single(id)
        assert ours.single_observation_space == theirs.single_observation_space == one.observation_space
        assert ours.single_action_space == theirs.single_action_space == one.action_space
        assert ours.observation_space == theirs.observation_space
        assert ours.action_space == gymnasium.spaces.MultiDiscrete(theirs.action_space.nvec)
        assert ours.metadata["autoreset_mode"] is AutoresetMode(mode)
        assert ours.num_envs == BOARDS
        assert ours.unwrapped is ours
        for planes, *_, info in played(ours, seed=0, steps=10):
            assert planes in ours.observation_space
            assert info["action_mask"].dtype == np.int8

    def test_the_checker_of_vector_environments_has_nothing_to_say(self, recwarn):
        env = gymnasium.make_vec("ci_envs/Quixo-v0", 2, "vector_entry_point")
        assert not [str(warning.message) for warning in recwarn if "VectorEnv" in str(warning.message)]
        assert env.spec.id == "ci_envs/Quixo-v0"
        remade = gymnasium.make_vec(env.spec)
        assert_same(played(remade, seed=0), played(env, seed=0))

    def test_vector_wrappers_work(self):
        env = make_vec("TicTacToe-v0", 4, opponent="random")
        env = gymnasium.wrappers.vector.RecordEpisodeStatistics(env)
        env = gymnasium.wrappers.vector.DtypeObservation(env, np.float32)
        _, info = env.reset(seed=0)
        lengths = []
        for _ in range(40):
            planes, *_, info = env.step(env.action_space.sample(info["action_mask"]))
            lengths += info["episode"]["l"][info["_episode"]].tolist() if "episode" in info else []
        assert planes.dtype == np.float32
        assert set(lengths) <= {2, 3, 4, 5}
        assert len(lengths) > 10

    def test_action_masks(self):
        env = make_vec("TicTacToe-v0", 3, opponent=None)
        _, info = env.reset()
        assert env.action_masks().dtype == bool
        np.testing.assert_array_equal(env.action_masks(), info["action_mask"])
        info = env.step(np.array([0, 4, 8]))[4]
        np.testing.assert_array_equal(env.action_masks(), info["action_mask"])
        assert (~env.action_masks()).nonzero()[1].tolist() == [0, 4, 8]


class TestArrays:
    @modes
    @pytest.mark.parametrize("opponent", [None, "random", last_legal])
    def test_copies_never_change(self, mode, opponent):
        env = make_vec("TicTacToe-v0", 6, opponent=opponent, autoreset_mode=mode)
        given_out, saved = [env.reset(seed=0)], []
        for _ in range(30):
            saved.append(copy.deepcopy(given_out[-1]))
            given_out.append(env.step(random_actions(env.action_masks(), np.random.default_rng(len(saved)))))
        assert_same(given_out[:-1], saved)

    @modes
    @pytest.mark.parametrize("opponent", [None, "random", last_legal])
    def test_reused_arrays_hold_the_same(self, mode, opponent):
        copying, reusing = (
            make_vec("TicTacToe-v0", 6, opponent=opponent, autoreset_mode=mode, copy=copies) for copies in (True, False)
        )
        assert_same(played(copying, seed=0), played(reusing, seed=0))
        planes, info = reusing.reset(seed=1)
        stepped = reusing.step(info["action_mask"].argmax(axis=1))
        again = reusing.step(stepped[4]["action_mask"].argmax(axis=1))
        assert np.shares_memory(planes, stepped[0])
        assert np.shares_memory(info["action_mask"], again[4]["action_mask"])
        assert all(np.shares_memory(one, other) for one, other in zip(stepped[:4], again[:4], strict=True))

    def test_final_observations_are_not_written_over(self):
        env = make_vec("TicTacToe-v0", 6, opponent="random", autoreset_mode="SameStep", copy=False)
        env.reset(seed=0)
        kept = []
        for number in range(40):
            info = env.step(random_actions(env.action_masks(), np.random.default_rng(number)))[4]
            if "final_obs" in info:
                kept.append((info["final_obs"], copy.deepcopy(info["final_obs"])))
        assert len(kept) > 5
        assert_same([one for one, _ in kept], [saved for _, saved in kept])

    @pytest.mark.parametrize("opponent", [None, *OPPONENTS])
    def test_threads_change_nothing(self, opponent):
        options = {"opponent": opponent, "autoreset_mode": "SameStep"}
        plays = [played(make_vec("TicTacToe-v0", 7, threads=threads, **options), seed=3) for threads in (1, 2, 3, 20)]
        for other in plays[1:]:
            assert_same(plays[0], other)

    def test_a_closed_environment_has_no_threads(self):
        env = make_vec("TicTacToe-v0", 4, threads=2)
        played(env, seed=0)
        env.close()
        assert env._pool is None


class TestSeeds:
    @pytest.mark.parametrize("opponent", [None, *OPPONENTS, "python"])
    def test_repeat_whatever_was_played_before(self, opponent):
        if opponent == "python":
            opponent = RandomInPython(ci_envs.ConnectN(3, 3, 3))
        env, other = (make_vec("TicTacToe-v0", 5, opponent=copy.deepcopy(opponent)) for _ in range(2))
        played(other, seed=9, steps=7)
        assert_same(played(env, seed=4), played(other, seed=4))

    def test_without_one_every_environment_differs(self):
        plays = []
        for _ in range(2):
            env = make_vec("Quixo-v0", 8, opponent="random")
            env.reset()
            plays.append(played(env))
        assert not data_equivalence(*plays)

    def test_without_a_seed_the_random_numbers_continue(self):
        def two_resets():
            env = make_vec("Quixo-v0", 4, opponent="random")
            env.reset(seed=0)
            env.reset()
            return played(env)

        assert_same(two_resets(), two_resets())
        assert not data_equivalence(two_resets(), played(make_vec("Quixo-v0", 4, opponent="random"), seed=0)[1:])

    def test_seats_are_drawn_evenly_unless_given(self):
        env = make_vec("TicTacToe-v0", 1000)
        env.reset(seed=0)
        assert 437 < env.seats.sum() < 563  # 4 standard deviations
        for seat in (0, 1):
            env = make_vec("TicTacToe-v0", 10, seat=seat)
            env.reset(seed=0)
            assert (env.seats == seat).all()


class TestCopies:
    @pytest.mark.parametrize(
        "opponent", [None, *OPPONENTS, last_legal], ids=lambda opponent: getattr(opponent, "__name__", str(opponent))
    )
    @pytest.mark.parametrize(
        "again", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))], ids=["copied", "pickled"]
    )
    def test_copies_continue_equally(self, opponent, again):
        env = make_vec("TicTacToe-v0", 5, opponent=opponent, autoreset_mode="SameStep", threads=2)
        played(env, seed=0, steps=8)
        twin = again(env)
        expected = played(env)
        assert_same(played(twin), expected)
        assert_same(played(twin, seed=3), played(env, seed=3))

    @pytest.mark.extended
    def test_in_another_process(self, tmp_path):
        env = make_vec("TicTacToe-v0", 5, opponent="minimax:depth=2,table_mb=0.1")
        played(env, seed=0, steps=8)
        (tmp_path / "env").write_bytes(pickle.dumps(env))
        program = """
            import pickle, sys
            from pathlib import Path

            env = pickle.loads(Path(sys.argv[1]).read_bytes())
            print(*(env.step(env.action_masks().argmax(axis=1))[1].tolist() for _ in range(9)))
        """
        command = [sys.executable, "-c", textwrap.dedent(program), str(tmp_path / "env")]
        output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        rewards = [env.step(env.action_masks().argmax(axis=1))[1].tolist() for _ in range(9)]
        assert output == " ".join(map(str, rewards)) + "\n"

    def test_the_opponent_can_be_replaced(self):
        env = make_vec("TicTacToe-v0", 4, opponent="random", seat=0)
        other = make_vec("TicTacToe-v0", 4, opponent=last_legal, seat=0)
        for each in (env, other):
            each.reset(seed=0)
        env.opponent = last_legal
        assert env.opponent.thing is last_legal
        assert_same(played(env, steps=20), played(other, steps=20))
        env.opponent = "minimax:depth=2,table_mb=0.1"
        assert isinstance(env.opponent, MinimaxAgent)
        assert len(played(env)) == 30

    def test_self_play_can_follow_and_be_followed(self):
        """The agent takes over the other side at once, and gives it back with the next game."""
        env = make_vec("TicTacToe-v0", 2, opponent=last_legal, seat=0)
        env.reset()
        env.step(np.array([0, 1]))
        env.opponent = None
        assert (env.step(np.array([4, 4]))[4]["to_move"] == 1).all()
        masks = env.action_masks()
        assert (~masks).nonzero()[1].tolist() == [0, 4, 8, 1, 4, 8]
        env.opponent = last_legal
        for action, next_to_move in ((2, 0), (3, 1)):
            env.step(np.array([action] * 2))
            assert env.to_move.tolist() == [next_to_move] * 2
        assert env.seats.tolist() == [-1, -1]
        env.reset()
        assert env.seats.tolist() == [0, 0]


class TestBadInput:
    def test_a_refused_option_prints_nothing(self, monkeypatch):
        """Some versions of Gymnasium close an environment whose constructor has failed."""
        unraisable = []
        monkeypatch.setattr(sys, "unraisablehook", unraisable.append)
        with pytest.raises(ValueError, match="threads must be a whole number from 1, not 0"):
            make_vec("Quixo-v0", 8, threads=0)
        gc.collect()
        assert not unraisable

    @pytest.mark.parametrize(
        ("actions", "words"),
        [
            ([0, 1, 9], ["0 to 8", "board 2", "9"]),
            ([-1, 1, 2], ["0 to 8", "board 0", "-1"]),
            ([0, 1], ["(3,)", "(2,)"]),
            ([[0], [1], [2]], ["(3,)", "(3, 1)"]),
            ([0.0, 1.0, 2.0], ["integers", "float64"]),
            ([True, True, False], ["integers", "bool"]),
            (0, ["(3,)"]),
            (np.array([0, 1, 2**64 - 1], np.uint64), ["board 2", str(2**64 - 1)]),
            ("abc", ["integers"]),
            (None, ["integers"]),
        ],
    )
    def test_no_action_is_refused_and_changes_nothing(self, actions, words):
        env, twin = (make_vec("TicTacToe-v0", 3, opponent="random") for _ in range(2))
        for each in (env, twin):
            each.reset(seed=0)
        with pytest.raises(InvalidActionError) as caught:
            env.step(actions)
        for word in words:
            assert word in str(caught.value)
        assert_same(played(env), played(twin))

    @pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.uint64])
    def test_integers_of_any_type_are_actions(self, dtype):
        env, twin = (make_vec("TicTacToe-v0", 3, opponent="random") for _ in range(2))
        for each in (env, twin):
            each.reset(seed=0)
        assert_same(env.step(np.array([0, 4, 8], dtype)), twin.step([0, 4, 8]))

    def test_an_opponents_answer_that_is_no_action_is_named(self):
        for answer in (lambda seen: 9, lambda seen: -1):
            env = make_vec("TicTacToe-v0", 2, opponent=answer, seat=0)
            env.reset()
            with pytest.raises(InvalidActionError, match="opponent"):
                env.step(np.array([0, 0]))

    def test_an_opponents_illegal_action_loses_nothing_for_the_agent(self):
        ours, theirs = pair("TicTacToe-v0", opponent=lambda seen: 4, seat=0)
        assert_same_play(ours, theirs, 0)

    @pytest.mark.parametrize(
        ("options", "error", "words"),
        [
            ({"opponent": "minmax"}, ValueError, ["'minmax'", "minimax"]),
            ({"opponent": 3}, TypeError, ["3"]),
            ({"opponent": make_agent("random", "Nim-v0")}, ValueError, ["Nim", "Quixo"]),
            ({"seat": 2}, ValueError, ["2", "0, 1 or None"]),
            ({"size": 9}, ValueError, ["9", "2 to 7"]),
            ({"sise": 4}, ValueError, ["'sise'", "size"]),
            ({"num_envs": 0}, ValueError, ["num_envs", "0"]),
            ({"num_envs": 2.5}, ValueError, ["num_envs", "2.5"]),
            ({"threads": 0}, ValueError, ["threads", "0"]),
            ({"autoreset_mode": "Sometimes"}, ValueError, ["'Sometimes'", "SameStep"]),
            ({"oponent": None}, ValueError, ["'oponent'", "Did you mean 'opponent'?"]),
            ({"copy": 2}, ValueError, ["copy", "2"]),
            ({"max_cycles": 0}, ValueError, ["max_cycles", "0"]),
            ({"render_mode": "human"}, ValueError, ["human", "rgb_array"]),
        ],
    )
    def test_bad_options_are_named(self, options, error, words):
        with pytest.raises(error, match=r"^[^\n]+$") as caught:
            make_vec("Quixo-v0", **options)
        for word in words:
            assert word in str(caught.value)

    @pytest.mark.parametrize(
        ("options", "error", "words"),
        [
            ({"seed": -1}, ValueError, ["-1"]),
            ({"seed": 2**64 - 1}, ValueError, ["2^64"]),
            ({"seed": [1, 2]}, ValueError, ["3 boards", "2"]),
            ({"seed": [0, 1, 0.5]}, TypeError, ["float"]),
            ({"options": {"reset_mask": [True, True, False]}}, ValueError, ["(3,)"]),
            ({"options": {"reset_mask": np.ones(2, bool)}}, ValueError, ["(3,)"]),
            ({"options": {"reset_mask": np.ones(3, int)}}, ValueError, ["bool"]),
        ],
    )
    def test_a_bad_reset_changes_nothing(self, options, error, words):
        env, twin = (make_vec("TicTacToe-v0", 3, opponent="random") for _ in range(2))
        for each in (env, twin):
            each.reset(seed=0)
        with pytest.raises(error, match=r"^[^\n]+$") as caught:
            env.reset(**options)
        for word in words:
            assert word in str(caught.value)
        assert_same(played(env), played(twin))

    def test_a_step_without_a_game_is_an_error(self):
        with pytest.raises(gymnasium.error.ResetNeeded):
            make_vec("TicTacToe-v0", 3).step(np.zeros(3, int))


class TestRendering:
    def test_text(self):
        env = make_vec("TicTacToe-v0", 2, opponent=None, render_mode="ansi")
        env.reset()
        env.step(np.array([0, 4]))
        assert env.positions == [Position.start(env.game).play(action) for action in (0, 4)]
        assert env.render() == tuple(position.diagram() for position in env.positions)

    def test_pictures(self):
        pytest.importorskip("pygame")
        one = single("Quixo-v0", render_mode="rgb_array", seat=0, opponent=last_legal)
        env = make_vec("Quixo-v0", 2, render_mode="rgb_array", seat=0, opponent=last_legal)
        one.reset()
        env.reset()
        one.step(3)
        env.step(np.array([3, 3]))
        for picture in env.render():
            np.testing.assert_array_equal(picture, one.render())

    def test_nothing_unless_asked_for(self):
        assert make_vec("TicTacToe-v0", 2).render() is None


class TestSampling:
    @pytest.mark.parametrize("actions", [1, 7, 44, 64, 65, 100])
    def test_is_uniform_over_the_mask(self, actions):
        """Chi-square of every board, within five standard deviations."""
        rng = np.random.default_rng(actions)
        boards, draws = 4, 4000
        masks = (rng.random((boards, actions)) < 0.4).astype(np.int8)
        masks[:, -1] = 1
        masks[0, :-1] = 0  # only the last value
        space = MaskedMultiDiscrete(actions, boards, seed=1)
        drawn = np.array([space.sample(masks) for _ in range(draws)])
        for board, mask in enumerate(masks):
            counts = np.bincount(drawn[:, board], minlength=actions)
            assert not counts[mask == 0].any()
            count = mask.sum()
            chi_square = ((counts[mask == 1] - draws / count) ** 2).sum() / (draws / count)
            assert abs(chi_square - (count - 1)) <= 5 * np.sqrt(2 * (count - 1))

    def test_seeds_repeat(self):
        env = make_vec("Quixo-v0", 3)
        _, info = env.reset(seed=0)
        draws = []
        for _ in range(2):
            env.action_space.seed(7)
            draws.append([env.action_space.sample(info["action_mask"]).tolist() for _ in range(5)])
        assert draws[0] == draws[1]

    def test_a_row_of_zeros_gives_0(self):
        space = MaskedMultiDiscrete(5, 2, seed=0)
        assert space.sample(np.zeros((2, 5), np.int8)).tolist() == [0, 0]

    def test_masks_of_any_layout(self):
        space, other = (MaskedMultiDiscrete(5, 2, seed=0) for _ in range(2))
        masks = np.array([[0, 1, 0, 1, 0], [1, 0, 0, 0, 1]], np.int8)
        for _ in range(20):
            assert space.sample(np.asfortranarray(masks)).tolist() == other.sample(masks).tolist()

    def test_other_ways_of_sampling_are_gymnasiums(self):
        space = MaskedMultiDiscrete(5, 2, seed=0)
        theirs = gymnasium.spaces.MultiDiscrete([5, 5], seed=0)
        one = np.array([0, 0, 1, 0, 0], np.int8)
        assert space.sample().tolist() == theirs.sample().tolist()
        assert space.sample(mask=(one, one)).tolist() == theirs.sample(mask=(one, one)).tolist() == [2, 2]

    def test_the_masks_of_the_environment_are_masks_of_its_space(self):
        env, space = make_vec("TicTacToe-v0", 4, opponent="random"), MaskedMultiDiscrete(9, 4, seed=0)
        _, info = env.reset(seed=0)
        assert env.action_masks().dtype == np.bool_
        expected = MaskedMultiDiscrete(9, 4, seed=0).sample(info["action_mask"])
        assert space.sample(env.action_masks()).tolist() == expected.tolist()

    @pytest.mark.parametrize("mask", [np.ones((2, 4), np.int8), np.ones(5, np.int8), np.ones((2, 5))])
    def test_other_masks_are_refused(self, mask):
        with pytest.raises(ValueError, match=r"int8.*\(2, 5\)"):
            MaskedMultiDiscrete(5, 2).sample(mask)


def started(boards):
    """Return the positions of boards after a reset, as (plies, player to move, own, opp)."""
    return [(place.own.bit_count() + place.opp.bit_count(), place.to_move) for place in boards.positions]


def test_some_games_begin_with_random_plies():
    boards = make_vec("ConnectFour-v0", 4000, opponent=None, openings=RandomOpenings(6, 0.5))
    boards.reset(seed=0)
    plies, to_move = np.array(started(boards)).T
    counts = np.bincount(plies, minlength=7)
    assert abs(counts[0] / 4000 - 0.5) < 4 * np.sqrt(0.25 / 4000)
    assert (abs(counts[1:] / 4000 - 0.5 / 6) < 4 * np.sqrt(0.08 / 4000)).all()
    assert np.array_equal(to_move, plies % 2)
    assert all(place.result is None for place in boards.positions)


def test_after_random_plies_the_agent_is_to_move():
    boards = make_vec("TicTacToe-v0", 500, opponent="random", openings=RandomOpenings(5))
    boards.reset(seed=1)
    plies, to_move = np.array(started(boards)).T
    assert np.array_equal(to_move, boards.seats)
    assert set(plies.tolist()) == set(range(1, 7))
    assert len({(place.own, place.opp) for place in boards.positions}) > 200


@pytest.mark.parametrize("id", ["TicTacToe-v0", "Nim-v0", "Quarto-v0", "Quixo-v0:size=3"])
def test_boards_with_random_openings_play_as_single_environments(id):
    openings = RandomOpenings(4, 0.7)
    ours = make_vec(id, 20, opponent="random", openings=openings)
    singles = [SingleAgentEnv(ours.game, opponent="random", openings=openings) for _ in range(20)]
    planes, info = ours.reset(seed=3)
    for i, env in enumerate(singles):
        seen, mask = env.reset(seed=3 + i)
        assert np.array_equal(seen, planes[i])
        assert np.array_equal(mask["action_mask"], info["action_mask"][i])


def test_without_random_plies_nothing_changes():
    """A share of 0 consumes random numbers, but every game starts from the initial position."""
    boards = make_vec("Quixo-v0", 50, opponent=None, openings=RandomOpenings(4, 0.0))
    boards.reset(seed=0)
    assert {place.own | place.opp for place in boards.positions} == {0}


def test_random_plies_that_end_every_game_are_left_out():
    boards = make_vec("Nim-v0:heaps=1,1", 20, opponent=None, openings=RandomOpenings(40))
    boards.reset(seed=0)
    places = boards.positions
    assert all(place.result is None for place in places)


@pytest.mark.parametrize(
    ("openings", "message"),
    [
        (RandomOpenings(0), "max_plies of openings must be .* from 1 to 2147483647, not 0"),
        (RandomOpenings(2, 1.5), "share of openings must be .* not 1.5"),
    ],
)
def test_wrong_openings_are_refused(openings, message):
    with pytest.raises(ValueError, match=message):
        make_vec("Quixo-v0", 2, openings=openings)


@pytest.mark.parametrize("environment", ["Nim-v0", "Quarto-v0"])
def test_there_are_no_boards_before_the_first_game(environment):
    env = make_vec(environment, 2, render_mode="ansi")
    assert not env.action_masks().any()
    for name in ("words", "positions", "to_move", "seats"):
        with pytest.raises(AttributeError, match="cannot be accessed before reset"):
            getattr(env, name)
    with pytest.raises(gymnasium.error.ResetNeeded, match="no boards"):
        env.render()
    env.reset(seed=0)
    assert len(env.render()) == 2


def test_the_seed_of_a_board_that_is_too_large_is_named():
    with pytest.raises(ValueError, match="not 18446744073709551616, that of board 1"):
        ci_envs.make_vec("TicTacToe-v0", 2).reset(seed=2**64 - 1)
