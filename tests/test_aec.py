"""The AEC environment: PettingZoo's tests, and further tests."""

import copy
import inspect
import itertools
import pickle
import random
import subprocess
import sys
import warnings
from types import SimpleNamespace

import gymnasium
import numpy as np
import pettingzoo
import pettingzoo.test
import pytest
from conftest import ENVIRONMENTS
from fake_clock import FakeClock
from gymnasium.utils.env_checker import data_equivalence
from minimal_game import LastCell
from pettingzoo.utils import wrappers
from pettingzoo.utils.env_logger import EnvLogger
from pettingzoo.utils.wrappers import BaseWrapper

import ci_envs
from ci_envs import Position, make
from ci_envs.envs.aec import BoardEnv

every_environment = pytest.mark.parametrize("id", ENVIRONMENTS)


def play_random(env, seed, plies=10_000):
    rng = random.Random(seed)
    env.reset()
    for _ in range(plies):
        observation, _, terminated, truncated, _ = env.last()
        if terminated or truncated:
            break
        env.step(rng.choice(np.flatnonzero(observation["action_mask"]).tolist()))
    return env


@every_environment
class TestPettingZooSuite:
    def test_api(self, id):
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Observation is not a NumPy array")
            pettingzoo.test.api_test(make(id), num_cycles=200)

    def test_seeds(self, id):
        pettingzoo.test.seed_test(lambda: make(id), num_cycles=50)

    def test_performance_benchmark(self, id, monkeypatch, capsys):
        clock = SimpleNamespace(time=FakeClock(step=0.05))  # it runs for 5 seconds of this clock
        monkeypatch.setitem(pettingzoo.test.performance_benchmark.__globals__, "time", clock)
        pettingzoo.test.performance_benchmark(make(id))
        assert "Finished performance benchmark" in capsys.readouterr().out

    def test_bombardment(self, id):
        pettingzoo.test.bombardment_test(PlanesFromStep(make(id)), cycles=20)

    def test_save_observation(self, id, capsys):
        pettingzoo.test.test_save_obs(make(id))
        assert "must be Box" in capsys.readouterr().out  # dictionaries cannot be saved as images

    @pytest.mark.extended
    def test_render(self, id):
        pettingzoo.test.render_test(lambda **options: fast(make(id, **options)))


def fast(env):
    env.metadata["render_fps"] = 1000
    return env


class PlanesFromStep(BaseWrapper):
    """Adapt an environment to the bombardment test of PettingZoo 1.27: array observations, one returned by each step.

    Fixed after 1.27.0 (Farama-Foundation/PettingZoo pull request 1464).
    """

    def observation_space(self, agent):
        return super().observation_space(agent)["observation"]

    def observe(self, agent):
        return super().observe(agent)["observation"]

    def step(self, action):
        super().step(action)
        return self.observe(self.agent_selection)


def stock(id):
    """Return the environment in PettingZoo's wrappers, in the order of its classic environments."""
    env = wrappers.TerminateIllegalWrapper(make(id), illegal_reward=-1)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(env))


def outcome_of(call):
    """Return the result of a call, or the type of its error as PettingZoo's wrappers raise it."""
    try:
        return call()
    except AssertionError:
        return AssertionError
    except Exception as error:
        return type(error)


def state_of(env):
    names = ("agents", "agent_selection", "terminations", "truncations", "infos", "num_agents")
    state = {name: outcome_of(lambda name=name: getattr(env, name)) for name in names}
    # the wrappers return an int here and a float there
    state["rewards"] = outcome_of(lambda: {agent: float(reward) for agent, reward in env.rewards.items()})
    state["cumulative"] = outcome_of(lambda: {agent: float(r) for agent, r in env._cumulative_rewards.items()})
    state["last"] = outcome_of(lambda: [float(item) if i == 1 else item for i, item in enumerate(env.last())])
    state["observations"] = {agent: outcome_of(lambda agent=agent: env.observe(agent)) for agent in env.possible_agents}
    return state


def random_call(rng, env):
    """Play mostly legal actions, and misuse the environment in every way."""
    actions = env.action_space("player_0").n
    kind = rng.choices(["legal", "any", "none", "misuse", "reset", "iterate"], weights=[60, 6, 20, 6, 3, 5], k=1)[0]
    if kind == "legal":
        mask = outcome_of(lambda: env.observe(env.agent_selection)["action_mask"])
        choices = np.flatnonzero(mask).tolist() if isinstance(mask, np.ndarray) else []
        return "step", rng.choice(choices) if choices else None
    misuse = [-1, int(actions), 10**30, 1.0, "1", np.int32(0), np.int64(actions), np.array(0), [0]]
    return {
        "any": ("step", rng.randrange(int(actions))),
        "none": ("step", None),
        "misuse": ("step", rng.choice(misuse)),
        "reset": ("reset", None),
        "iterate": ("iterate", rng.randrange(3)),
    }[kind]


def perform(env, name, argument):
    if name == "step":
        return outcome_of(lambda: env.step(argument))
    if name == "reset":
        return outcome_of(env.reset)
    return outcome_of(lambda: list(itertools.islice(env.agent_iter(), argument)))


@pytest.mark.parametrize("seed", range(3))
@every_environment
def test_checks_are_those_of_the_stock_wrappers(id, seed):
    ours, theirs = make(id), stock(id)
    rng = random.Random(seed)
    for _ in range(300):
        name, argument = random_call(rng, ours)
        assert perform(ours, name, argument) == perform(theirs, name, argument), (name, argument)
        mine, other = state_of(ours), state_of(theirs)
        assert mine.keys() == other.keys()
        for key in mine:
            assert data_equivalence(mine[key], other[key]), (key, name, argument)


MISUSE = """
import ci_envs
from pettingzoo.utils.env_logger import EnvLogger

lengths = []
for _ in range(100):
    env = ci_envs.make("TicTacToe-v0")
    env.reset()
    for action in (4, 4, None, None, None):  # an illegal action, and a step after the end
        env.step(action)
    env.render()
    lengths.append(len(EnvLogger.mqueue))
assert lengths[0] == lengths[-1], lengths
"""


@pytest.mark.extended
def test_each_warning_is_printed_once_in_a_process():
    """The warning is that of PettingZoo's wrappers, and the queue of PettingZoo's logger does not grow."""
    done = subprocess.run([sys.executable, "-c", MISUSE], capture_output=True, text=True, check=True)
    printed = done.stdout + done.stderr
    EnvLogger.warn_on_illegal_move()
    EnvLogger.warn_step_after_terminated_truncated()
    for warning in {*EnvLogger.mqueue, "render() does nothing"}:
        assert printed.count(warning) == 1
    assert len(printed.splitlines()) == 4  # one of the warnings has two lines


@every_environment
def test_observations_show_the_position_to_both(id):
    env = make(id)
    game = env.game
    for seed, plies in itertools.product(range(3), range(8)):
        play_random(env, seed, plies)
        position = env.position
        mover, other = env.possible_agents[position.to_move], env.possible_agents[1 - position.to_move]
        seen = env.observe(mover)
        assert Position.from_observation(game, seen["observation"], position.to_move) == position
        legal = position.legal_actions() if not any(env.truncations.values()) else ()
        assert tuple(np.flatnonzero(seen["action_mask"])) == legal
        idle = env.observe(other)
        assert not idle["action_mask"].any()
        view = seen["observation"] if game.shared_board else seen["observation"][..., ::-1]
        np.testing.assert_array_equal(idle["observation"], view)


@every_environment
def test_rewards_are_the_result_for_both(id):
    for seed in range(20):
        env = play_random(make(id), seed)
        position = env.position
        if any(env.truncations.values()):
            assert position.result is None
            assert env.rewards == {"player_0": 0, "player_1": 0}
        else:
            mover = env.possible_agents[position.to_move]
            assert env.rewards[mover] == position.result
            assert sum(env.rewards.values()) == 0


def test_in_quarto_the_placing_player_acts_again():
    env = make("Quarto-v0")
    env.reset()
    turns = []
    for name in ("give0", "a1", "give1", "b1", "give2"):
        turns.append(env.agent_selection)
        env.step(env.position.parse_action(name))
    assert turns == ["player_0", "player_1", "player_1", "player_0", "player_0"]


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))], ids=["copy", "pickle"])
@every_environment
def test_a_copy_continues_from_the_same_state(id, copied):
    env = play_random(make(id, render_mode="ansi"), seed=5, plies=3)
    twin = copied(env)
    assert data_equivalence(state_of(twin), state_of(env))
    while env.agents:
        observation, _, terminated, truncated, _ = env.last()
        action = None if terminated or truncated else int(np.flatnonzero(observation["action_mask"])[0])
        before = state_of(env)
        twin.step(action)
        assert data_equivalence(state_of(env), before)  # the copy shares no data
        env.step(action)
        assert data_equivalence(state_of(twin), state_of(env))


def test_a_copy_draws_the_same_samples():
    env = make("Quixo-v0")
    env.action_space("player_0").seed(3)
    mask = np.ones(44, np.int8)
    env.action_space("player_0").sample(mask)
    twin = pickle.loads(pickle.dumps(env))
    draws = [[e.action_space("player_0").sample(mask) for _ in range(20)] for e in (env, twin)]
    assert draws[0] == draws[1]


def test_position_can_be_set():
    env = make("Quixo-v0")
    position = Position.from_text(env.game, "XXXX./...../.O.../...../O...O X")
    env.position = position
    assert env.position == position
    assert env.agent_selection == "player_0"
    env.step(env.position.parse_action("e3e1"))
    assert env.rewards == {"player_0": 1, "player_1": -1}
    assert all(env.terminations.values())


def test_before_reset_the_position_is_an_error():
    with pytest.raises(AttributeError, match="position cannot be accessed before reset"):
        _ = make("Quixo-v0").position


def test_a_finished_position_can_be_set():
    env = make("TicTacToe-v0")
    env.position = Position.from_text(env.game, "XXX/OO./... O")
    assert env.terminations == {"player_0": True, "player_1": True}
    assert env.rewards == {"player_0": 1, "player_1": -1}
    assert not env.last()[0]["action_mask"].any()


def test_a_position_of_another_game_is_refused():
    env = make("Quixo-v0")
    with pytest.raises(ValueError, match=r"Quixo\(size=5\).*Quixo\(size=4\)"):
        env.position = Position.start(ci_envs.Quixo(4))


def test_arrays_of_a_turn_are_not_written_to_later():
    env = make("Quixo-v0")
    env.reset()
    seen, _, _, _, info = env.last()
    planes, mask = seen["observation"].copy(), seen["action_mask"].copy()
    env.step(0)
    env.step(20)
    np.testing.assert_array_equal(seen["observation"], planes)
    np.testing.assert_array_equal(seen["action_mask"], mask)
    np.testing.assert_array_equal(info["action_mask"], mask)


def test_writing_to_a_mask_makes_no_action_legal():
    env = make("TicTacToe-v0")
    env.reset()
    env.step(4)
    env.last()[0]["action_mask"][4] = 1
    env.step(4)
    assert env.rewards == {"player_0": 0, "player_1": -1}


@pytest.mark.parametrize("action", ["a1e1", 1.0, None, -1, 44, 2**64, [1]])
def test_no_action_is_named_and_changes_nothing(action):
    env = make("Quixo-v0")
    env.reset()
    with pytest.raises(ValueError, match="0 to 43") as caught:
        env.step(action)
    assert repr(action) in str(caught.value)
    assert "\n" not in str(caught.value)
    assert env.position == Position.start(env.game)


def test_the_limit_of_plies_can_be_changed():
    env = make("Quixo-v0")
    env.reset()
    env.step(0)
    env.max_cycles = 3
    for truncated in (False, True):
        env.step(int(env.observe(env.agent_selection)["action_mask"].argmax()))
        assert env.truncations["player_0"] == truncated
    with pytest.raises(ValueError, match="max_cycles"):
        env.max_cycles = 0
    assert env.max_cycles == 3


def test_truncation_comes_at_max_cycles_with_nothing_won():
    env = make("Quixo-v0", max_cycles=4)
    env.reset()
    for name in ("a1e1", "a5e5", "a2e2"):
        env.step(env.position.parse_action(name))
        assert not any(env.truncations.values())
    env.step(env.position.parse_action("a4e4"))
    assert env.truncations == {"player_0": True, "player_1": True}
    assert not any(env.terminations.values())
    assert not any(env.infos[agent]["action_mask"].any() for agent in env.agents)


def test_a_win_on_the_last_ply_is_a_win():
    env = make("TicTacToe-v0", max_cycles=5)
    env.reset()
    for cell in (0, 3, 1, 4, 2):
        env.step(cell)
    assert all(env.terminations.values())
    assert not any(env.truncations.values())


@every_environment
def test_masked_samples_are_legal_and_uniform(id):
    env = play_random(make(id), seed=1, plies=0)
    mask = env.last()[0]["action_mask"]
    space = env.action_space("player_0")
    space.seed(0)
    draws = np.array([space.sample(mask) for _ in range(400 * int(mask.sum()))])
    counts = np.bincount(draws, minlength=len(mask))
    assert not counts[mask == 0].any()
    assert counts[mask == 1].min() > 280  # 6 standard deviations below 400
    assert counts[mask == 1].max() < 520


@pytest.mark.parametrize("mask", [np.ones(43, np.int8), np.ones(44), np.ones((44, 1), np.int8), [1] * 44])
def test_a_malformed_mask_is_refused(mask):
    with pytest.raises(ValueError, match=r"int8 array of shape \(44,\)"):
        make("Quixo-v0").action_space("player_0").sample(mask)


def test_a_strided_mask_is_read_right():
    wide = np.zeros(88, np.int8)
    wide[2 * 7] = 1
    assert make("Quixo-v0").action_space("player_0").sample(wide[::2]) == 7


def test_every_way_to_make_one_makes_the_same():
    from ci_envs import quixo_v0

    ways = [make("Quixo-v0:size=4"), make("Quixo-v0", size=4), quixo_v0.env(size=4), quixo_v0.raw_env(size=4)]
    if hasattr(pettingzoo, "make"):
        ways.append(pettingzoo.make("aec", "ci_envs/Quixo-v0", size=4))
    assert {env.game for env in ways} == {ci_envs.Quixo(4)}
    assert {str(env) for env in ways} == {"quixo_v0"}


@pytest.mark.parametrize(
    ("id", "parameters", "words"),
    [
        ("Quixo-v1", {}, ["'Quixo-v1'", "Quixo-v0"]),
        ("quixo", {}, ["'quixo'", "Quixo-v0"]),
        ("Quixo-v0", {"sise": 4}, ["'sise'", "size", "max_cycles", "render_mode"]),
        ("Quixo-v0:sise=4", {}, ["'sise'", "size"]),
        ("Quixo-v0:size", {}, ["'size'", "key=value"]),
        ("Quixo-v0:size=4,size=5", {}, ["size", "twice"]),
        ("Quixo-v0:size=8", {}, ["8", "2 to 7"]),
        ("Quixo-v0:size=big", {}, ["'big'", "2 to 7"]),
        ("Quixo-v0", {"max_cycles": 0}, ["max_cycles", "0"]),
        ("Quixo-v0", {"render_mode": "svg"}, ["'svg'", "human", "rgb_array", "ansi"]),
        ("ConnectN-v0:n=9", {}, ["n", "9", "1 to 6"]),
        ("Nim-v0:heaps=1,2,256", {}, ["256", "0 to 255"]),
        ("Nim-v0:misere=1", {}, ["misere", "1", "true or false"]),
    ],
)
def test_bad_parameters_are_named_with_the_choices(id, parameters, words):
    with pytest.raises(ValueError, match=r"^[^\n]+$") as caught:
        make(id, **parameters)
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize(
    ("env", "said"),
    [
        (make("Quixo-v0"), "A player takes a cube from the border"),
        (make("TicTacToe-v0"), "tic-tac-toe"),
        (gymnasium.make("ci_envs/ConnectFour-v0"), "disc"),
        (BoardEnv(LastCell()), "The player who marks the last cell wins"),
    ],
    ids=["quixo", "tictactoe", "connect_four", "own game"],
)
def test_the_module_of_an_environment_explains_the_rules(env, said):
    page = inspect.getmodule(env.unwrapped).__doc__
    assert said.lower() in page.lower()
    assert inspect.getmodule(copy.deepcopy(env).unwrapped).__doc__ == page
