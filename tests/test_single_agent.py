"""The Gymnasium single-agent environment."""

import warnings

import gymnasium
import numpy as np
import pytest
from conftest import ENVIRONMENTS
from gymnasium.utils.env_checker import check_env

import ci_envs
from ci_envs import make_agent
from ci_envs.envs.single_agent import make_single_agent


def run(env, act, episodes):
    """Rewards, seats and actions of some episodes, seeded by their number."""
    played = []
    for seed in range(episodes):
        planes, info = env.reset(seed=seed)
        actions, over = [], False
        while not over:
            actions.append(act(planes, info))
            planes, reward, terminated, truncated, info = env.step(actions[-1])
            over = terminated or truncated
        played.append((reward, env.unwrapped.seat, tuple(actions)))
    return played


def first_legal(planes, info):
    return int(info["action_mask"].argmax())


@pytest.mark.parametrize("id", ENVIRONMENTS)
def test_gymnasium_checker(id):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".*WARN: .*(seems that your|not.*normalized|Box observation)")
        check_env(make_single_agent(id), skip_render_check=True)


@pytest.mark.parametrize("id", ci_envs.registered())
def test_vector_of_environments(id):
    envs = gymnasium.make_vec(f"ci_envs/{id}", num_envs=3, vectorization_mode="sync", opponent="random", seat=1)
    planes, infos = envs.reset(seed=0)
    assert planes.shape == (3, *envs.single_observation_space.shape)
    assert infos["action_mask"].shape == (3, envs.single_action_space.n)
    assert [env.unwrapped.seat for env in envs.envs] == [1, 1, 1]


def test_gymnasium_checker_with_rendering():
    check_env(gymnasium.make("ci_envs/Quixo-v0", render_mode="rgb_array").unwrapped)


@pytest.mark.parametrize("id", ENVIRONMENTS)
def test_stable_baselines_checker(id):
    checker = pytest.importorskip("stable_baselines3.common.env_checker")
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=UserWarning)  # small planes look like images to it
        checker.check_env(make_single_agent(id))


@pytest.mark.parametrize("id", ci_envs.registered())
def test_an_episode_is_a_game_of_the_aec_environment(id):
    """The same actions of both players, played in the AEC environment, end in the same reward."""
    moves = []

    def opponent(observation):
        moves.append(int(observation["action_mask"].nonzero()[0][-1]))
        return moves[-1]

    def agent(planes, info):
        moves.append(first_legal(planes, info))
        return moves[-1]

    for seat in (0, 1):
        moves.clear()
        ((reward, _, _),) = run(gymnasium.make(f"ci_envs/{id}", opponent=opponent, seat=seat), agent, 1)
        board = ci_envs.make(id)
        board.reset()
        for move in moves:
            board.step(move)
        assert any(board.terminations.values()) or any(board.truncations.values())
        assert board.rewards[f"player_{seat}"] == reward


def test_same_seed_same_episodes_whatever_was_played_before():
    first, second = (gymnasium.make("ci_envs/Quixo-v0", opponent="random") for _ in range(2))
    run(second, first_legal, 3)
    assert run(first, first_legal, 10) == run(second, first_legal, 10)


def test_the_seat_is_drawn_evenly_unless_given():
    env = gymnasium.make("ci_envs/TicTacToe-v0")
    seats = [seat for _, seat, _ in run(env, first_legal, 400)]
    assert 160 < sum(seats) < 240  # 4 standard deviations
    for given in (0, 1):
        env = gymnasium.make("ci_envs/TicTacToe-v0", seat=given)
        assert {seat for _, seat, _ in run(env, first_legal, 20)} == {given}


def test_a_loss_is_delivered():
    env = gymnasium.make("ci_envs/TicTacToe-v0", opponent="minimax:depth=9")
    rewards = [reward for reward, _, _ in run(env, first_legal, 50)]
    assert rewards.count(-1) > 25
    assert rewards.count(1) == 0


def test_masks_agree():
    env = gymnasium.make("ci_envs/Quarto-v0")
    _, info = env.reset(seed=1)
    masks = env.unwrapped.action_masks()
    assert masks.dtype == bool
    np.testing.assert_array_equal(masks, info["action_mask"])
    assert tuple(np.flatnonzero(masks)) == env.unwrapped.position.legal_actions()


def test_an_illegal_action_loses():
    env = gymnasium.make("ci_envs/TicTacToe-v0", seat=0, opponent=lambda seen: seen["action_mask"].argmax())
    env.reset()
    env.step(8)
    _, reward, terminated, truncated, info = env.step(8)
    assert (reward, terminated, truncated) == (-1, True, False)
    assert not info["action_mask"].any()


def test_truncation_is_no_termination():
    env = gymnasium.make("ci_envs/Quixo-v0", seat=0, max_cycles=2, opponent=lambda seen: 43)
    env.reset()
    _, reward, terminated, truncated, _ = env.step(0)
    assert (reward, terminated, truncated) == (0, False, True)


@pytest.mark.parametrize("action", [-1, 44, 1.5, "a1e1", None])
def test_no_action_is_refused_and_changes_nothing(action):
    env = gymnasium.make("ci_envs/Quixo-v0").unwrapped
    env.reset(seed=0)
    before = env.position
    with pytest.raises(ValueError, match="0 to 43"):
        env.step(action)
    assert env.position == before


def test_there_is_no_step_without_a_game():
    env = gymnasium.make("ci_envs/TicTacToe-v0", seat=0).unwrapped
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(0)
    env.reset()
    env.step(0)
    env.step(0)
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(1)


def test_an_agent_instance_can_be_the_opponent():
    game = ci_envs.Nim()
    expert = make_agent("nim_expert", game, seed=0)
    env = gymnasium.make("ci_envs/Nim-v0", opponent=expert, seat=0)
    rewards = [reward for reward, _, _ in run(env, first_legal, 20)]
    assert set(rewards) == {-1}  # 1, 3, 5, 7 is lost for who begins


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"opponent": "minmax"}, ValueError, ["'minmax'", "minimax"]),
        ({"opponent": "minimax:dept=3"}, ValueError, ["'dept'", "depth"]),
        ({"opponent": 3}, TypeError, ["3"]),
        ({"opponent": make_agent("random", ci_envs.Nim())}, ValueError, ["Nim", "Quixo"]),
        ({"seat": 2}, ValueError, ["2", "0, 1 or None"]),
        ({"size": 9}, ValueError, ["9", "2 to 7"]),
        ({"sise": 4}, ValueError, ["'sise'", "size"]),
    ],
)
def test_bad_options_are_named(options, error, words):
    with pytest.raises(error, match=r"^[^\n]+$") as caught:
        gymnasium.make("ci_envs/Quixo-v0", **options)
    for word in words:
        assert word in str(caught.value)
