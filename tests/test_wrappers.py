"""The wrappers of Gymnasium and PettingZoo around our environments, and our wrappers for flat observations."""

import sys
import warnings
from itertools import pairwise
from types import ModuleType, SimpleNamespace

import gymnasium
import numpy as np
import pettingzoo.test
import pytest
from gymnasium import wrappers
from gymnasium.utils.env_checker import check_env, data_equivalence
from gymnasium.vector import SyncVectorEnv

import ci_envs
from ci_envs import FlatMaskObs, FlatMaskObsAEC, Position

WRAPPERS = {  # the shape of the (3, 3, 2) planes of tic-tac-toe in each wrapper
    "RecordEpisodeStatistics": (wrappers.RecordEpisodeStatistics, (3, 3, 2)),
    "TimeLimit": (lambda env: wrappers.TimeLimit(env, 2), (3, 3, 2)),
    "FlattenObservation": (wrappers.FlattenObservation, (18,)),
    "FrameStackObservation": (lambda env: wrappers.FrameStackObservation(env, 4), (4, 3, 3, 2)),
    "DtypeObservation": (lambda env: wrappers.DtypeObservation(env, np.float32), (3, 3, 2)),
    "FlatMaskObs": (FlatMaskObs, (27,)),
}


def tictactoe(**options):
    return gymnasium.make("ci_envs/TicTacToe-v0", **options)


def episode(env, seed=0):
    """Return everything that the steps of a game with the first legal actions return."""
    observation, info = env.reset(seed=seed)
    steps = [(observation, 0.0, False, False, info)]
    while not (steps[-1][2] or steps[-1][3]):
        steps.append(env.step(int(steps[-1][4]["action_mask"].argmax())))
    return steps


@pytest.mark.parametrize("name", WRAPPERS)
def test_gymnasiums_wrappers_keep_the_game_and_the_masks(name):
    wrap, shape = WRAPPERS[name]
    plain, wrapped = episode(tictactoe()), episode(env := wrap(tictactoe()))
    assert env.observation_space.shape == shape
    assert all(observation in env.observation_space for observation, *_ in wrapped)
    for (_, reward, terminated, _, info), (_, wrapped_reward, wrapped_terminated, _, wrapped_info) in zip(
        plain[: len(wrapped)], wrapped, strict=True
    ):
        assert (wrapped_reward, wrapped_terminated) == (reward, terminated)
        np.testing.assert_array_equal(wrapped_info["action_mask"], info["action_mask"])
    np.testing.assert_array_equal(env.get_wrapper_attr("action_masks")(), wrapped[-1][4]["action_mask"])
    assert wrapped[-1][3] == (name == "TimeLimit")
    assert len(wrapped) == (3 if name == "TimeLimit" else len(plain))
    if name == "RecordEpisodeStatistics":
        assert wrapped[-1][4]["episode"]["l"] == len(plain) - 1


def test_videos_are_recorded(tmp_path, monkeypatch):
    """Gymnasium gives MoviePy one picture for each position of the game, with the initial position."""
    clips = []

    class Clip:
        def __init__(self, frames, fps):
            clips.append((np.array(frames), fps))

        def write_videofile(self, path, logger):
            assert path.startswith(str(tmp_path))

    for name in ("moviepy", "moviepy.video", "moviepy.video.io"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    monkeypatch.setitem(sys.modules, "moviepy.video.io.ImageSequenceClip", SimpleNamespace(ImageSequenceClip=Clip))
    env = wrappers.RecordVideo(tictactoe(render_mode="rgb_array"), str(tmp_path))
    steps = episode(env)
    env.close()
    [(frames, fps)] = clips
    assert len(frames) == len(steps)
    assert fps == env.metadata["render_fps"]
    np.testing.assert_array_equal(frames[-1], env.render())
    assert all((before != after).any() for before, after in pairwise(frames))


def test_a_vector_of_wrapped_environments():
    envs = SyncVectorEnv([lambda: FlatMaskObs(tictactoe())] * 3)
    envs = wrappers.vector.RecordEpisodeStatistics(envs)
    observations, info = envs.reset(seed=0)
    assert observations.shape == (3, 27)
    for _ in range(10):
        observations, *_, info = envs.step(info["action_mask"].argmax(axis=1))
        np.testing.assert_array_equal(observations[:, -9:], info["action_mask"])


@pytest.mark.parametrize(
    "wrap",
    [wrappers.vector.FlattenObservation, lambda env: wrappers.vector.ClipReward(env, 0, 1)],
    ids=["flat", "clip"],
)
def test_vector_wrappers(wrap):
    """The wrappers have the same effect on our vector environment and on one of single environments."""
    ours, theirs = (wrap(env) for env in (ci_envs.make_vec("TicTacToe-v0", 3), SyncVectorEnv([tictactoe] * 3)))
    assert data_equivalence(ours.reset(seed=0), theirs.reset(seed=0), exact=True)
    for _ in range(15):
        actions = ours.unwrapped.action_masks().argmax(axis=1)
        assert data_equivalence(ours.step(actions), theirs.step(actions), exact=True)


class TestFlatObservations:
    @pytest.mark.parametrize("name", ["FlattenObservation", "FrameStackObservation", "DtypeObservation", "FlatMaskObs"])
    def test_observations_that_were_changed_are_refused(self, name):
        with pytest.raises(TypeError, match="must be below the wrappers that change observations"):
            FlatMaskObs(WRAPPERS[name][0](tictactoe()))

    @pytest.mark.parametrize("env", [None, "TicTacToe-v0", tictactoe()])
    def test_other_objects_are_no_aec_environments(self, env):
        with pytest.raises(TypeError, match="needs an AEC environment of a board game"):
            FlatMaskObsAEC(env)

    def test_an_aec_environment_is_flattened_once(self):
        with pytest.raises(TypeError, match="must be below the wrappers that change observations"):
            FlatMaskObsAEC(FlatMaskObsAEC(ci_envs.make("TicTacToe-v0")))

    @pytest.mark.parametrize("id", ci_envs.registered())
    def test_the_vector_is_the_planes_and_the_mask(self, id):
        plain, flat = gymnasium.make(f"ci_envs/{id}"), FlatMaskObs(gymnasium.make(f"ci_envs/{id}"))
        game = flat.unwrapped.game
        for (planes, *_, info), (vector, *_, flat_info) in zip(episode(plain, 3), episode(flat, 3), strict=True):
            np.testing.assert_array_equal(vector[: -game.action_count].reshape(game.observation_shape), planes)
            np.testing.assert_array_equal(vector[-game.action_count :], info["action_mask"])
            np.testing.assert_array_equal(flat_info["action_mask"], info["action_mask"])
            assert vector.dtype == np.int8
            assert vector in flat.observation_space

    def test_gymnasium_checker(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.filterwarnings("ignore", message=".*WARN: .*wrapped")
            check_env(FlatMaskObs(tictactoe()), skip_render_check=True)

    def test_stable_baselines_checker(self):
        pytest.importorskip("stable_baselines3.common.env_checker").check_env(FlatMaskObs(tictactoe()))

    @pytest.mark.parametrize("id", ["TicTacToe-v0", "Quarto-v0"])
    def test_pettingzoo_checker(self, id):
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="The (observation|action) space")
            pettingzoo.test.api_test(FlatMaskObsAEC(ci_envs.make(id)), num_cycles=100)

    def test_both_players_see_the_position(self):
        env = FlatMaskObsAEC(ci_envs.make("TicTacToe-v0"))
        env.reset()
        env.position = position = env.position.play("b2")
        assert (env.position, env.unwrapped.position, env.agent_selection) == (position, position, "player_1")
        env.reset()
        for action in (4, 0, 8):
            env.step(action)
        vector, reward, *_ = env.last()
        position = env.unwrapped.position
        assert Position.from_observation(position.game, vector[:18].reshape(3, 3, 2), 1) == position
        assert tuple(np.flatnonzero(vector[18:])) == position.legal_actions()
        assert reward == 0
        assert not env.observe("player_0")[18:].any()
        assert env.observation_space("player_0") is env.observation_space("player_0")

    def test_other_environments_are_refused(self):
        with pytest.raises(TypeError, match=r"^FlatMaskObs needs a single-agent .*CartPole[^\n]*FlatMaskObsAEC$"):
            FlatMaskObs(gymnasium.make("CartPole-v1"))
        with pytest.raises(TypeError, match=r"FlatMaskObs needs a single-agent .*tic_tac_toe_v0"):
            FlatMaskObs(ci_envs.make("TicTacToe-v0"))
        with pytest.raises(TypeError, match=r"FlatMaskObsAEC needs an AEC .*for Gymnasium use FlatMaskObs$"):
            FlatMaskObsAEC(tictactoe())
