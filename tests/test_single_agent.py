"""The Gymnasium single-agent environment."""

import copy
import warnings
from functools import partial

import gymnasium
import numpy as np
import pytest
from conftest import ENVIRONMENTS
from gymnasium.utils.env_checker import check_env
from toy_agents import RandomInPython

import ci_envs
from ci_envs import Position, make_agent
from ci_envs.arena import compare
from ci_envs.envs.single_agent import SingleAgentEnv, make_single_agent


def run(env, act, episodes):
    """Return rewards, seats and actions of some episodes, with their numbers as seeds."""
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


def first_legal_reply(observation):
    return int(observation["action_mask"].argmax())


@pytest.mark.parametrize("id", ENVIRONMENTS)
def test_gymnasium_checker(id):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".*WARN: .*(seems that your|not.*normalized|Box observation)")
        check_env(make_single_agent(id), skip_render_check=True)


def test_gymnasium_checker_without_an_opponent():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".*WARN: .*(seems that your|not.*normalized|Box observation)")
        check_env(make_single_agent("TicTacToe-v0", opponent=None), skip_render_check=True)


@pytest.mark.parametrize("id", ci_envs.registered())
def test_vector_of_environments(id):
    envs = gymnasium.make_vec(f"ci_envs/{id}", num_envs=3, vectorization_mode="sync", opponent="random", seat=1)
    planes, infos = envs.reset(seed=0)
    assert planes.shape == (3, *envs.single_observation_space.shape)
    assert infos["action_mask"].shape == (3, envs.single_action_space.n)
    assert [env.unwrapped.seat for env in envs.envs] == [1, 1, 1]


@pytest.mark.extended
def test_gymnasium_checker_with_rendering():
    check_env(gymnasium.make("ci_envs/Quixo-v0", render_mode="rgb_array").unwrapped)


@pytest.mark.parametrize("id", ENVIRONMENTS)
def test_stable_baselines_checker(id):
    checker = pytest.importorskip("stable_baselines3.common.env_checker")
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=UserWarning)  # the check takes small planes for images
        checker.check_env(make_single_agent(id))


@pytest.mark.parametrize("id", ci_envs.registered())
def test_an_episode_is_a_game_of_the_aec_environment(id):
    """The same actions of both players in the AEC environment end with the same reward."""
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


@pytest.mark.parametrize("render_mode", [None, "human"])
def test_one_agent_plays_both_sides(render_mode, monkeypatch):
    """The player with the winning action gets 1, the agent or the opponent."""
    monkeypatch.setitem(SingleAgentEnv.metadata, "render_fps", 1000)
    env = gymnasium.make("ci_envs/TicTacToe-v0", opponent=None, render_mode=render_mode)
    for actions in ([0, 3, 1, 4, 2], [0, 3, 1, 4, 8, 5]):
        _, info = env.reset(seed=0)
        rewards, players = [], []
        for action in actions:
            players.append(info["to_move"])
            planes, reward, terminated, _, info = env.step(action)
            rewards.append(reward)
            seen = Position.from_observation(env.unwrapped.game, planes, info["to_move"])
            assert seen == env.unwrapped.position
        assert players == [i % 2 for i in range(len(actions))]
        assert rewards == [0] * (len(actions) - 1) + [1]
        assert terminated
        assert env.unwrapped.seat == -1
    env.close()


def test_masks_agree():
    env = gymnasium.make("ci_envs/Quarto-v0")
    _, info = env.reset(seed=1)
    masks = env.unwrapped.action_masks()
    assert masks.dtype == bool
    np.testing.assert_array_equal(masks, info["action_mask"])
    assert tuple(np.flatnonzero(masks)) == env.unwrapped.position.legal_actions()


def test_an_illegal_action_loses():
    env = gymnasium.make("ci_envs/TicTacToe-v0", seat=0, opponent=first_legal_reply)
    env.reset()
    env.step(8)
    _, reward, terminated, truncated, info = env.step(8)
    assert (reward, terminated, truncated) == (-1, True, False)
    assert not info["action_mask"].any()


@pytest.mark.parametrize("in_python", [False, True])
def test_the_info_reports_an_illegal_action(in_python):
    """The environment reports exactly the actions that are not legal in the position."""
    env = make_single_agent("TicTacToe-v0", opponent=first_legal_reply if in_python else "random")
    reported = 0
    for seed in range(50):
        _, info = env.reset(seed=seed)
        env.action_space.seed(seed)
        over = False
        assert info["illegal_action"] is False
        while not over:
            action = env.action_space.sample()
            legal = action in env.position.legal_actions()
            _, reward, over, _, info = env.step(action)
            assert info["illegal_action"] is (not legal)
            reported += not legal
            assert legal or (reward, over) == (-1, True)
    assert 10 < reported < 50


def test_an_illegal_action_of_the_opponent_is_not_reported_as_the_agents():
    env = make_single_agent("TicTacToe-v0", seat=0, opponent=lambda seen: 0)
    env.reset()
    _, reward, terminated, _, info = env.step(0)
    assert (reward, terminated, info["illegal_action"]) == (0, True, False)


@pytest.mark.extended
def test_learning_without_masks_prints_nothing(capfd):
    """Most of the first games end with an illegal action."""
    ppo = pytest.importorskip("stable_baselines3").PPO
    env = gymnasium.make("ci_envs/Quixo-v0")
    ppo("MlpPolicy", env, n_steps=500, batch_size=500, n_epochs=1, seed=0, device="cpu").learn(3000)
    assert capfd.readouterr() == ("", "")


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


def test_a_step_without_a_game_is_an_error():
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
    assert set(rewards) == {-1}  # 1, 3, 5, 7 is lost for the first player


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"opponent": "minmax"}, ValueError, ["'minmax'", "minimax"]),
        ({"opponent": "minimax:dept=3"}, ValueError, ["'dept'", "depth"]),
        ({"opponent": 3}, TypeError, ["3"]),
        ({"opponent": make_agent("random", ci_envs.Nim())}, ValueError, ["Nim", "Quixo"]),
        ({"seat": 2}, ValueError, ["2", "0, 1 or None"]),
        ({"seat": 1, "opponent": None}, ValueError, ["seat", "both sides", "1"]),
        ({"size": 9}, ValueError, ["9", "2 to 7"]),
        ({"sise": 4}, ValueError, ["'sise'", "size"]),
        ({"oponent": "random"}, ValueError, ["'oponent'", "Did you mean 'opponent'?"]),
        ({"openings": 3}, TypeError, ["RandomOpenings", "3"]),
    ],
)
def test_bad_options_are_named(options, error, words):
    with pytest.raises(error, match=r"^[^\n]+$") as caught:
        gymnasium.make("ci_envs/Quixo-v0", **options)
    for word in words:
        assert word in str(caught.value)


def last_legal(observation):
    return int(observation["action_mask"].nonzero()[0][-1])


@pytest.mark.parametrize("first", ["random", last_legal])
@pytest.mark.parametrize("second", ["minimax:depth=2", last_legal, "mcts:simulations=20", None])
def test_an_opponent_can_be_replaced(first, second):
    """The episodes are then those of an environment that was made with the new opponent, and copies go on equally."""
    env, other = (make_single_agent("TicTacToe-v0", opponent=each) for each in (first, second))
    run(env, first_legal, 2)
    env.reset(seed=9)
    env.opponent = second
    assert (env.opponent is None) == (second is None)
    assert (env.seat == -1) == (second is None)
    copied = copy.deepcopy(env)
    _, info = other.reset(seed=9)
    for each in (env, copied):
        assert run(each, first_legal, 12) == run(other, first_legal, 12)
    assert env.reset(seed=1)[1].keys() == info.keys()


def test_an_opponent_is_replaced_through_wrappers_and_kept_if_it_is_wrong():
    envs = gymnasium.make_vec("ci_envs/TicTacToe-v0", num_envs=2, vectorization_mode="sync", opponent="random", seat=0)
    envs.set_attr("opponent", "minimax:depth=9")
    assert [type(env.unwrapped.opponent).__name__ for env in envs.envs] == ["MinimaxAgent"] * 2
    env = envs.envs[0].unwrapped
    played = run(env, first_legal, 3)
    with pytest.raises(ValueError, match="Did you mean 'minimax'"):
        env.opponent = "minimaks"
    with pytest.raises(TypeError, match="an agent is"):
        env.opponent = 3
    assert run(env, first_legal, 3) == played


class Remembering:
    games = 0

    def start_games(self, n, seats, seeds):
        self.games += 1

    def act(self, observation):
        return last_legal(observation)


def test_an_opponent_with_a_memory_begins_with_a_new_game():
    env = make_single_agent("TicTacToe-v0", seat=0)
    env.reset(seed=0)
    agent = env.opponent = Remembering()
    begun = agent.games
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(0)
    env.reset(seed=0)
    env.step(0)
    assert agent.games == begun + 1
    assert env.position.to_text() == "X../.../..O X"


@pytest.mark.parametrize(
    "opponent",
    ["exact", "sb3:tictactoe,deterministic=false", "random", RandomInPython, partial(RandomInPython)],
)
@pytest.mark.parametrize("boards", [None, 3])
def test_the_same_seed_gives_the_same_games_against_a_replaced_opponent(opponent, boards):
    def games():
        if boards is None:
            env = gymnasium.make("ci_envs/TicTacToe-v0", seat=1)
        else:
            env = ci_envs.make_vec("TicTacToe-v0", boards, seat=1)
        env.reset(seed=3)
        env.unwrapped.opponent = opponent
        return [env.reset()[0].tobytes() for _ in range(8)]

    assert games() == games()


@pytest.mark.parametrize(
    "make",
    [
        lambda: ci_envs.make("Quixo-v0", max_cycles=3),
        lambda: gymnasium.make("ci_envs/Quixo-v0", max_cycles=3),
        lambda: ci_envs.make_vec("Quixo-v0", 2, max_cycles=3),
    ],
)
def test_environments_keep_their_limit_of_plies(make):
    env = make()
    assert ci_envs.make(env).max_cycles == 3
    assert compare(env, ["random", "random"], games=2).max_cycles == 3
    for wrong in (0, 2.5, "x", 2**63):
        with pytest.raises(ValueError, match="max_cycles must be"):
            env.unwrapped.max_cycles = wrong
    assert env.unwrapped.max_cycles == 3


def test_the_limit_of_plies_can_be_changed_during_a_game():
    single, several = gymnasium.make("ci_envs/Quixo-v0", seat=0).unwrapped, ci_envs.make_vec("Quixo-v0", 2, seat=0)
    for env in (single, several):
        env.reset(seed=0)
        env.max_cycles = 2
    action = np.flatnonzero(single.action_masks())[0]
    assert single.step(action)[2:4] == (False, True)
    assert several.step(np.array([action, action]))[3].tolist() == [True, True]


@pytest.mark.parametrize("id", ["TicTacToe-v0", "SetCovering-v0", "BitString-v0:loci=20"])
@pytest.mark.parametrize("mode", ["rgb_array_list", "ansi_list"])
def test_gymnasium_collects_pictures(id, mode):
    name, _, text = id.partition(":")
    given = {"loci": 20} if text else {}
    env = gymnasium.make(f"ci_envs/{name}", render_mode=mode, **given)
    env.reset(seed=0)
    env.step(int(env.unwrapped.action_masks().argmax()) if hasattr(env.unwrapped, "action_masks") else 0)
    frames = env.render()
    assert len(frames) == 2
    assert all(isinstance(frame, str if mode == "ansi_list" else np.ndarray) for frame in frames)


@pytest.mark.parametrize("seat", [0, 1, None])
def test_there_is_no_seat_before_the_first_game(seat):
    env = gymnasium.make("ci_envs/TicTacToe-v0", seat=seat).unwrapped
    with pytest.raises(AttributeError, match="seat cannot be accessed before reset"):
        _ = env.seat
    env.reset(seed=0)
    assert env.seat in ({0, 1} if seat is None else {seat})


@pytest.mark.parametrize("options", [5, "abc", [1], True])
@pytest.mark.parametrize(
    "make",
    [
        lambda: gymnasium.make("ci_envs/TicTacToe-v0"),
        lambda: ci_envs.make_vec("TicTacToe-v0", 2),
        lambda: gymnasium.make("ci_envs/SetCovering-v0"),
        lambda: ci_envs.TextEnv("Nim-v0"),
    ],
)
def test_options_of_a_reset_are_a_dictionary(options, make):
    with pytest.raises(TypeError, match="the options of reset must be a dictionary or None"):
        make().reset(options=options)


@pytest.mark.parametrize("thing", [int, dict, str, type, range])
def test_types_of_python_are_no_opponents(thing):
    with pytest.raises(TypeError, match="an agent is an agent of ci_envs"):
        gymnasium.make("ci_envs/TicTacToe-v0", opponent=thing)


@pytest.mark.parametrize("option", ["seat", "openings", "opponent"])
@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_numbers_that_are_not_finite_are_named(option, number):
    with pytest.raises((TypeError, ValueError), match=r"(seat|openings) must be .*, not|an agent is") as caught:
        gymnasium.make("ci_envs/TicTacToe-v0", **{option: number})
    assert "be ," not in str(caught.value)
