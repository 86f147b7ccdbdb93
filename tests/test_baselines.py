"""Stable-Baselines3 on the vector environment, model files, and the agent of a model."""

import base64
import csv
import json
import pickle
import re
import zipfile
from pathlib import Path

import cloudpickle
import gymnasium
import numpy as np
import pytest
import torch
from click.testing import CliRunner
from playing import batch_of, best_forced_actions, observation_of, random_positions
from safetensors.torch import load_file, save_file
from sb3_contrib import QRDQN, MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3 import A2C, DQN, PPO
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from stable_baselines3.common.vec_env import DummyVecEnv, VecMonitor, VecNormalize

import ci_envs
from ci_envs import baselines, make, make_agent, make_vec
from ci_envs.agent_interface.observations import observations_of
from ci_envs.agents import as_agent
from ci_envs.agents.search.lookahead import Lookahead
from ci_envs.arena.match import play_match
from ci_envs.baselines import BoardsVecEnv, SB3Agent, save_model
from ci_envs.baselines.config import SB3Config
from ci_envs.baselines.model_file import read_model, write_model
from ci_envs.baselines.policies import ALGORITHMS, PolicyArchitecture, preferences
from ci_envs.baselines.training import SB3Trainer
from ci_envs.cli.main import main
from ci_envs.devices import torch_threads
from ci_envs.envs.aec import InvalidActionError
from ci_envs.envs.single_agent import make_single_agent
from ci_envs.registry.games import resolve
from ci_envs.training import train
from ci_envs.training.presets import training_presets
from ci_envs.training.trainer import Task

GAME = ci_envs.ConnectN(3, 3, 3)
TICTACTOE = "TicTacToe-v0"
SHAPES = [
    (algorithm, layers, activation)
    for algorithm in ALGORITHMS
    for layers, activation in (([], "tanh"), ([8, 12], "relu"), ({"pi": [8], "vf": [12, 4]}, "tanh"))
    if algorithm != "dqn" or isinstance(layers, list)
]


def boards(id, *counts, **options):
    groups = (ci_envs.make_vec(id, n, autoreset_mode="SameStep", **options) for n in counts)
    return BoardsVecEnv(*groups)


def legal_actions(masks, rng):
    return (masks * rng.random(masks.shape)).argmax(axis=1)


def new_model(algorithm, layers=(8,), activation="relu", id=TICTACTOE, seed=0, **arguments):
    """Return a model with random weights."""
    widths = list(layers) if isinstance(layers, tuple) else layers
    policy = PolicyArchitecture(algorithm, widths, activation).policy_arguments()
    env = VecMonitor(boards(id, 4))
    return ALGORITHMS[algorithm]("MlpPolicy", env, seed=seed, device="cpu", policy_kwargs=policy, **arguments)


def scrambled(model, scale=3.0):
    """Return a model with larger weights, so that its preferences differ widely."""
    with torch.no_grad():
        for parameter in model.policy.parameters():
            parameter.add_(torch.randn(parameter.shape, generator=torch.Generator().manual_seed(0)), alpha=scale)
    return model


@pytest.fixture(scope="module")
def model_path(tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "tictactoe.safetensors"
    save_model(scrambled(new_model("ppo")), GAME, path)
    return path


class TestBoardsVecEnv:
    @pytest.mark.parametrize("actions", [np.zeros(3, int), np.array([0, 0, 0, 0, 99, -5]), np.zeros((4, 1), int), 0])
    def test_actions_of_another_shape_are_refused(self, actions):
        env = boards(TICTACTOE, 1, 3)
        env.reset()
        with pytest.raises(InvalidActionError, match=r"actions must have the shape \(4,\)"):
            env.step(actions)
        assert env.step(np.zeros(4, int))[0].shape[0] == 4

    def test_options_are_refused(self):
        env = boards(TICTACTOE, 2)
        env.set_options({"foo": 1})
        with pytest.raises(ValueError, match="Unknown option 'foo' for reset"):
            env.reset()

    @pytest.mark.parametrize("draw_reward", [np.nan, np.inf, "x", True])
    def test_draw_rewards_are_finite_numbers(self, draw_reward):
        [group] = boards(TICTACTOE, 2).groups
        with pytest.raises(ValueError, match="draw_reward must be a finite number"):
            BoardsVecEnv(group, draw_reward=draw_reward)

    def test_groups_are_different_vector_environments(self):
        def group(**options):
            return make_vec(TICTACTOE, 2, autoreset_mode="SameStep", **options)

        one = group()
        for wrong in (5, [one], gymnasium.make_vec("ci_envs/TicTacToe-v0", 2, vectorization_mode="sync")):
            with pytest.raises(TypeError, match="groups must be vector environments that"):
                BoardsVecEnv(wrong)
        with pytest.raises(ValueError, match="one of them is there twice"):
            BoardsVecEnv(one, one)
        with pytest.raises(ValueError, match="groups must have one render_mode"):
            BoardsVecEnv(one, group(render_mode="ansi"))

    @pytest.mark.parametrize("id", [TICTACTOE, "Quixo-v0:size=3,max_cycles=7", "Nim-v0", "Quarto-v0"])
    def test_it_is_its_groups_side_by_side(self, id):
        counts = (3, 1, 5)
        env, alone = boards(id, *counts), boards(id, *counts).groups
        rng = np.random.default_rng(0)
        env.seed(7)
        planes = env.reset()
        starts = np.cumsum((0, *counts))
        seen = [group.reset(seed=7 + int(start)) for group, start in zip(alone, starts, strict=False)]
        assert np.array_equal(planes, np.concatenate([planes for planes, _ in seen]))
        truncations = finished = 0
        for _ in range(60):
            masks = env.action_masks()
            assert np.array_equal(masks, np.concatenate([info["action_mask"] for _, info in seen]).astype(bool))
            assert np.array_equal(masks, get_action_masks(env))
            actions = legal_actions(masks, rng)
            planes, rewards, dones, infos = env.step(actions)
            parts = [g.step(actions[a:b]) for g, a, b in zip(alone, starts, starts[1:], strict=False)]
            seen = [(part[0], part[4]) for part in parts]
            ended, cut = (np.concatenate([part[k] for part in parts]) for k in (2, 3))
            assert np.array_equal(planes, np.concatenate([part[0] for part in parts]))
            assert rewards.dtype == np.float32
            assert np.array_equal(rewards, np.concatenate([part[1] for part in parts]))
            assert np.array_equal(dones, ended | cut)
            finals = [
                final for part, n in zip(parts, counts, strict=True) for final in part[4].get("final_obs", [None] * n)
            ]
            for done, truncated, info, final in zip(dones, cut, infos, finals, strict=True):
                assert (info != {}) == done
                if done:
                    assert info["TimeLimit.truncated"] == truncated
                    assert np.array_equal(info["terminal_observation"], final)
            truncations, finished = truncations + cut.sum(), finished + dones.sum()
        assert finished > 20
        assert (truncations > 0) == ("max_cycles" in id)

    @pytest.mark.parametrize("id", [TICTACTOE, "Quixo-v0:size=3,max_cycles=7", "Quarto-v0"])
    def test_each_board_is_the_single_environment_of_its_seed(self, id):
        env, singles = boards(id, 2, 3), [make_single_agent(id, opponent="random") for _ in range(5)]
        rng = np.random.default_rng(1)
        env.seed(20)
        planes = env.reset()
        first = [single.reset(seed=20 + i)[0] for i, single in enumerate(singles)]
        assert np.array_equal(planes, first)
        going = set(range(5))
        while going:
            actions = legal_actions(env.action_masks(), rng)
            planes, rewards, dones, infos = env.step(actions)
            for i in tuple(going):
                seen, reward, terminated, truncated, _ = singles[i].step(int(actions[i]))
                assert (rewards[i], dones[i]) == (reward, terminated or truncated)
                assert np.array_equal(infos[i]["terminal_observation"] if dones[i] else planes[i], seen)
                if dones[i]:
                    assert infos[i]["TimeLimit.truncated"] == (truncated and not terminated)
                    going.discard(i)

    def test_an_illegal_action_is_reported(self):
        env = boards(TICTACTOE, 2, 3)
        env.reset()
        env.step(env.action_masks().argmax(axis=1))
        occupied = env.action_masks().argmin(axis=1)
        _, rewards, dones, infos = env.step(occupied)
        assert dones.all()
        assert (rewards == -1).all()
        assert [info["illegal_action"] for info in infos] == [True] * 5

    def test_a_draw_reward_replaces_the_value_of_undecided_games(self):
        """Wins, losses and the games themselves are the same as without it."""
        made = [ci_envs.make_vec("Quixo-v0:size=3,max_cycles=7", 6, autoreset_mode="SameStep") for _ in range(2)]
        usual, other = BoardsVecEnv(made[0]), BoardsVecEnv(made[1], draw_reward=-0.25)
        for env in (usual, other):
            env.seed(3)
            env.reset()
        rng, undecided, decided = np.random.default_rng(3), 0, 0
        for _ in range(60):
            actions = legal_actions(usual.action_masks(), rng)
            (planes, rewards, dones, infos), step = usual.step(actions), other.step(actions)
            assert np.array_equal(planes, step[0])
            assert np.array_equal(dones, step[2])
            for reward, done, info, changed, info_of_other in zip(rewards, dones, infos, step[1], step[3], strict=True):
                assert changed == (-0.25 if done and not reward else reward)
                if done:
                    assert not info_of_other["TimeLimit.truncated"]
                    undecided, decided = undecided + info["TimeLimit.truncated"], decided + (reward != 0)
        assert undecided > 5
        assert decided > 5

    def test_an_illegal_action_ends_the_game_with_a_loss(self):
        env = boards(TICTACTOE, 4, seat=0)
        env.reset()
        env.step(np.array([0, 1, 2, 3]))
        _, rewards, dones, _ = env.step(np.array([0, 1, 2, 3]))
        assert dones.all()
        assert (rewards == -1).all()

    def test_vec_monitor_counts_episodes(self):
        env = VecMonitor(boards("Quixo-v0:size=3,max_cycles=8", 3, 2))
        rng, returns, lengths, episodes = np.random.default_rng(0), np.zeros(5), np.zeros(5, int), 0
        env.reset()
        for _ in range(60):
            _, rewards, dones, infos = env.step(legal_actions(get_action_masks(env), rng))
            returns, lengths = returns + rewards, lengths + 1
            for i in np.flatnonzero(dones):
                assert (infos[i]["episode"]["r"], infos[i]["episode"]["l"]) == (returns[i], lengths[i])
                episodes += 1
            returns[dones], lengths[dones] = 0, 0
        assert episodes > 10

    def test_seeds_repeat_it(self):
        def play(env, seed, steps=30):
            env.seed(seed)
            trace, rng = [env.reset()], np.random.default_rng(0)
            for _ in range(steps):
                trace.append(env.step(legal_actions(env.action_masks(), rng))[0])
            return np.array(trace)

        env = boards(TICTACTOE, 4, 4)
        first = play(env, 3)
        assert np.array_equal(play(env, 3), first)
        assert np.array_equal(play(boards(TICTACTOE, 8), 3), first)  # the grouping has no effect
        assert not np.array_equal(play(env, 4), first)
        env.seed(3)
        env.reset()
        assert not np.array_equal(env.reset(), first[0])  # a seed has an effect only once

    def test_masking_helpers_find_the_masks(self):
        env = boards(TICTACTOE, 2, 3)
        env.reset()
        for wrapped in (env, VecMonitor(env)):
            assert is_masking_supported(wrapped)
            assert get_action_masks(wrapped).shape == (5, 9)
        assert env.env_method("action_masks", indices=[4])[0].tolist() == env.action_masks()[4].tolist()
        model = new_model("maskable_ppo")
        mean, _ = evaluate_policy(model, VecMonitor(boards(TICTACTOE, 5)), n_eval_episodes=10, warn=False)
        assert -1 <= mean <= 1

    def test_attributes_are_those_of_the_groups(self):
        env = boards(TICTACTOE, 2, 3)
        assert env.get_attr("num_envs") == [2, 2, 3, 3, 3]
        assert env.get_attr("num_envs", indices=[1, 2]) == [2, 3]
        assert env.get_attr("num_envs", indices=-1) == [3]
        assert env.has_attr("opponent")
        assert not env.has_attr("no_such_thing")
        assert env.env_is_wrapped(Monitor) == [False] * 5
        with pytest.raises(IndexError):
            env.get_attr("num_envs", indices=5)
        for name in ("reset", "render"):
            with pytest.raises(AttributeError, match=f"only the method action_masks, not '{name}'"):
                env.env_method(name)

    def test_opponents_can_be_replaced_in_some_groups(self):
        env = boards(TICTACTOE, 2, 3)
        env.seed(0)
        env.reset()
        before = env.groups[0].opponent
        env.set_attr("opponent", "minimax:depth=2", indices=[2, 3, 4])
        assert env.groups[0].opponent is before
        assert isinstance(env.groups[1].opponent, make_agent("minimax", GAME).__class__)
        with pytest.raises(ValueError, match="'nobody'"):
            env.set_attr("opponent", "nobody")
        made = []
        env.set_attr("opponent", made.append)
        assert [group.opponent.thing for group in env.groups] == [made.append] * 2

    @pytest.mark.parametrize("mode", ["NextStep", "Disabled"])
    def test_other_resets_are_refused(self, mode):
        good = ci_envs.make_vec(TICTACTOE, 2, autoreset_mode="SameStep")
        with pytest.raises(ValueError, match="must be SameStep"):
            BoardsVecEnv(good, ci_envs.make_vec(TICTACTOE, 2, autoreset_mode=mode))

    def test_mixed_games_and_none_are_refused(self):
        groups = [ci_envs.make_vec(id, 2, autoreset_mode="SameStep") for id in (TICTACTOE, "ConnectN-v0")]
        for given in (groups, []):
            with pytest.raises(ValueError, match="one game"):
                BoardsVecEnv(*given)

    def test_pictures(self):
        env = boards(TICTACTOE, 2, 1, render_mode="rgb_array")
        env.reset()
        images = env.get_images()
        assert len(images) == 3
        assert {(image.dtype, image.shape[2]) for image in images} == {(np.dtype(np.uint8), 3)}
        assert env.render().shape[:2] >= images[0].shape[:2]
        assert list(boards(TICTACTOE, 2, 1).get_images()) == [None] * 3

    @pytest.mark.parametrize("id", [TICTACTOE, "Nim-v0:heaps=2,3,4", "Quarto-v0"])
    @pytest.mark.parametrize("algorithm", ALGORITHMS)
    def test_every_algorithm_learns_on_it(self, algorithm, id):
        sizes = {"n_steps": 8} if algorithm != "dqn" else {"learning_starts": 16, "buffer_size": 100, "batch_size": 8}
        model = new_model(algorithm, id=id, **sizes)
        before = {name: tensor.clone() for name, tensor in model.policy.state_dict().items()}
        model.learn(64)
        after = model.policy.state_dict()
        assert any(not torch.equal(before[name], after[name]) for name in before)
        assert all(tensor.isfinite().all() for tensor in after.values())
        if algorithm == "maskable_ppo":
            buffer = model.rollout_buffer
            masks = buffer.action_masks.reshape(-1, model.action_space.n)
            assert (masks[np.arange(len(masks)), buffer.actions.reshape(-1).astype(int)] == 1).all()


class TestModelFiles:
    @pytest.mark.parametrize(("algorithm", "layers", "activation"), SHAPES)
    def test_round_trip(self, algorithm, layers, activation, tmp_path):
        model = scrambled(new_model(algorithm, layers, activation))
        path = tmp_path / "model.safetensors"
        save_model(model, GAME, path)
        planes = np.random.default_rng(0).integers(0, 2, (50, *GAME.observation_shape), dtype=np.int8)
        read = read_model(path)
        assert read.network == PolicyArchitecture(algorithm, layers, activation)
        assert torch.equal(preferences(read.policy(GAME), planes), preferences(model.policy, planes))
        assert [other.name for other in tmp_path.iterdir()] == ["model.safetensors"]

    def test_default_models_of_stable_baselines_can_be_saved(self, tmp_path):
        env = VecMonitor(boards(TICTACTOE, 2))
        for cls in (MaskablePPO, PPO, A2C, DQN):
            model = cls("MlpPolicy", env, device="cpu", **({"buffer_size": 10} if cls is DQN else {}))
            save_model(model, GAME, tmp_path / "model")
            weights = read_model(tmp_path / "model").policy(GAME).state_dict()
            assert weights.keys() == model.policy.state_dict().keys()

    def test_reading_draws_no_random_numbers(self, model_path):
        torch.manual_seed(0)
        before = torch.get_rng_state()
        SB3Agent(GAME, model_path)
        assert torch.equal(torch.get_rng_state(), before)

    def refuse(self, path, *words, error=ValueError):
        with pytest.raises(error) as caught:
            make_agent(f"sb3:{path}", GAME)
        text = str(caught.value)
        assert "\n" not in text
        assert str(path) in text
        assert all(word in text for word in words), text

    def test_a_truncated_file(self, model_path, tmp_path):
        content, path = model_path.read_bytes(), tmp_path / "model"
        for length in {*range(0, 1200, 7), *range(1200, len(content), 97), len(content) - 1}:
            path.write_bytes(content[:length])
            self.refuse(path, "is not a valid model file")

    def test_noise_and_damage(self, model_path, tmp_path):
        rng, path = np.random.default_rng(0), tmp_path / "model"
        for length in (1, 8, 9, 100, 5000):
            for _ in range(10):
                path.write_bytes(rng.bytes(length))
                self.refuse(path)
        content = model_path.read_bytes()
        header = int.from_bytes(content[:8], "little")
        refused = 0
        for _ in range(300):  # a changed byte in the header: the file is still a model, or it is refused
            damaged = bytearray(content)
            damaged[rng.integers(8 + header)] = rng.integers(256)
            path.write_bytes(damaged)
            try:
                make_agent(f"sb3:{path}", GAME)
            except ValueError:
                self.refuse(path)
                refused += 1
        assert refused > 200

    @pytest.mark.parametrize("lookahead", [-1, 9, 100_000, 10**12, 1 << 62, 1 << 63, 2.5, "3", None])
    def test_a_lookahead_out_of_range(self, lookahead, model_path, tmp_path):
        """The search of this many plies would need more memory than there is."""
        content, path = model_path.read_bytes(), tmp_path / "model"
        begin = 8 + int.from_bytes(content[:8], "little")
        header = json.loads(content[8:begin])
        about = json.loads(header["__metadata__"]["about"]) | {"lookahead": lookahead}
        header["__metadata__"]["about"] = json.dumps(about)
        text = json.dumps(header).encode()
        path.write_bytes(len(text).to_bytes(8, "little") + text + content[begin:])
        self.refuse(path, "is not a valid model file: lookahead must be a whole number from 0 to 8")

    def test_weights_that_are_not_finite(self, model_path, tmp_path):
        tensors, content = load_file(model_path), model_path.read_bytes()
        name = next(name for name, tensor in tensors.items() if tensor.is_floating_point())
        tensors[name] *= np.nan
        header = json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])
        save_file(tensors, tmp_path / "model", header["__metadata__"])
        self.refuse(tmp_path / "model", f"is not a valid model file: {name} is not finite")

    def test_missing_files_and_folders(self, tmp_path):
        self.refuse(tmp_path / "missing", error=FileNotFoundError)
        self.refuse(tmp_path, error=IsADirectoryError)

    def test_no_suffix_is_guessed(self, model_path):
        self.refuse(str(model_path).removesuffix(".safetensors"), error=FileNotFoundError)

    @pytest.mark.parametrize("value", ["5", "1.5", "true", "a,b"])
    def test_a_path_is_a_text(self, value):
        with pytest.raises(FileNotFoundError, match=value):
            make_agent(f"sb3:path={value}", GAME)

    def test_a_pickle_is_never_run(self, tmp_path):
        bait, canary = tmp_path / "bait.zip", tmp_path / "canary"

        class Evil:
            def __reduce__(self):
                return Path.touch, (canary,)

        new_model("ppo").save(bait)
        with zipfile.ZipFile(bait) as archive:
            parts = {name: archive.read(name) for name in archive.namelist()}
        data = json.loads(parts["data"])
        data["evil"] = {":type:": "evil", ":serialized:": base64.b64encode(cloudpickle.dumps(Evil())).decode()}
        parts["data"] = json.dumps(data).encode()
        with zipfile.ZipFile(bait, "w") as archive:
            for name, part in parts.items():
                archive.writestr(name, part)
        self.refuse(bait, "pickled", "trust=true", "ci-envs convert")
        for path, content in ((tmp_path / "p", pickle.dumps(Evil())), (tmp_path / "m", bait.read_bytes()[1:])):
            path.write_bytes(content)
            self.refuse(path)
        torch.save(Evil(), tmp_path / "t")
        self.refuse(tmp_path / "t", "pickled")
        assert not canary.exists()
        PPO.load(bait)
        assert canary.exists()  # the pickled code would have run

    def test_other_safetensors(self, tmp_path):
        path = tmp_path / "model"
        save_file({"weight": torch.zeros(3)}, path)
        self.refuse(path)
        save_file({"weight": torch.zeros(3)}, path, {"format": "pt"})
        self.refuse(path, "'pt'", "ci_envs sb3")

    def test_another_game(self, model_path):
        with pytest.raises(ValueError, match=rf"^'{re.escape(str(model_path))}' was trained for ConnectN.*Quixo"):
            make_agent(f"sb3:{model_path}", "Quixo-v0")

    def test_weights_that_do_not_fit(self, tmp_path):
        weights = new_model("ppo", [8]).policy.state_dict()
        for network in (
            PolicyArchitecture("ppo", [9], "relu"),
            PolicyArchitecture("dqn", [8], "relu"),
            PolicyArchitecture("ppo", [8, 8], "relu"),
        ):
            write_model(tmp_path / "model", network, GAME, 0, weights)
            self.refuse(tmp_path / "model", "do not fit")

    @pytest.mark.parametrize(
        ("key", "value"),
        [
            *(("layers", layers) for layers in ("abc", 3, [0], [-1], [2.5], [[8]], [None], {"pi": 3}, {"qf": [8]})),
            ("algorithm", "sac"),
            ("algorithm", ["ppo"]),
            ("activation", "os.system"),
            ("more", 1),
        ],
    )
    def test_descriptions_that_mean_nothing(self, key, value, tmp_path):
        class Described:
            def to_dict(self):
                return {"algorithm": "ppo", "layers": [8], "activation": "relu", key: value}

        write_model(tmp_path / "model", Described(), GAME, 0, new_model("ppo", [8]).policy.state_dict())
        self.refuse(tmp_path / "model")

    def test_models_that_cannot_be_kept(self, tmp_path):
        env = VecMonitor(boards(TICTACTOE, 2))
        path = tmp_path / "model"

        class Flat(BaseFeaturesExtractor):
            def __init__(self, space):
                super().__init__(space, 18)

            def forward(self, planes):
                return planes.flatten(1)

        class Mine(PPO.policy_aliases["MlpPolicy"]):
            pass

        for model, words in (
            (PPO(Mine, env, device="cpu"), "MlpPolicy, not Mine"),
            (QRDQN("MlpPolicy", env, buffer_size=10, device="cpu"), "MlpPolicy, not QRDQN$"),
            (PPO("MlpPolicy", env, device="cpu", policy_kwargs={"features_extractor_class": Flat}), "flat planes"),
            (PPO("MlpPolicy", env, device="cpu", policy_kwargs={"activation_fn": torch.nn.ELU}), "activation.*ELU"),
            (new_model("ppo", id="Nim-v0"), "differ from those of ConnectN"),
        ):
            with pytest.raises(ValueError, match=words):
                save_model(model, GAME, path)
        broken = new_model("ppo")
        broken.policy.action_net.bias.data[3] = float("nan")
        with pytest.raises(ValueError, match=r"not written: policy.action_net.bias is not finite"):
            save_model(broken, GAME, path)
        assert not path.exists()

    @pytest.mark.parametrize("layers", [[np.int64(8)], (8, 8), {"pi": [np.int32(8)], "vf": [4]}])
    def test_widths_can_be_integers_of_numpy(self, layers, tmp_path):
        env = gymnasium.make("ci_envs/TicTacToe-v0")
        model = PPO("MlpPolicy", env, policy_kwargs={"net_arch": layers}, device="cpu")
        save_model(model, GAME, tmp_path / "model")
        assert make_agent(f"sb3:{tmp_path / 'model'}", GAME)

    @pytest.mark.parametrize("norm_obs", [True, False])
    def test_only_normalised_observations_are_refused(self, norm_obs, tmp_path):
        env = VecNormalize(DummyVecEnv([lambda: gymnasium.make("ci_envs/TicTacToe-v0")]), norm_obs=norm_obs)
        model, path = PPO("MlpPolicy", env, device="cpu"), tmp_path / "model"
        if norm_obs:
            with pytest.raises(ValueError, match="trained with VecNormalize"):
                save_model(model, GAME, path)
        else:
            save_model(model, GAME, path)
        assert path.exists() != norm_obs

    @pytest.mark.parametrize("norm_obs", [True, False])
    @pytest.mark.parametrize(("algorithm", "options"), [(PPO, {"n_steps": 16, "batch_size": 16}), (DQN, {})])
    def test_zip_files_of_normalised_observations_are_refused(self, algorithm, options, norm_obs, tmp_path):
        env = VecNormalize(DummyVecEnv([lambda: gymnasium.make("ci_envs/TicTacToe-v0")]), norm_obs=norm_obs)
        model = algorithm("MlpPolicy", env, device="cpu", seed=0, **options).learn(16)
        model.save(tmp_path / "model.zip")
        spec = f"sb3:{tmp_path / 'model.zip'},trust=true"
        if norm_obs:
            with pytest.raises(ValueError, match="normalised observations"):
                make_agent(spec, GAME)
            agent = as_agent(algorithm.load(tmp_path / "model.zip", env=env), GAME)
        else:
            agent = make_agent(spec, GAME)
        env = make("TicTacToe-v0")
        env.reset()
        assert agent.act(env.last()[0]) in range(9)

    def test_the_ending_of_a_converted_model_is_checked_first(self, tmp_path):
        (tmp_path / "broken.zip").write_bytes(b"nothing is loaded")
        names = [str(tmp_path / name) for name in ("broken.zip", "y.zip")]
        done = CliRunner().invoke(main, ["convert", names[0], TICTACTOE, "-o", names[1], "--trust"])
        assert done.exit_code == 2
        assert done.stderr.endswith("would be read as a zip file of Stable-Baselines3: choose another ending\n")


class TestAgent:
    @pytest.mark.parametrize("algorithm", ALGORITHMS)
    def test_masks_are_always_applied(self, algorithm):
        seen = batch_of(random_positions(GAME, 2000, seed=0))
        masks = seen["action_mask"]
        policy = scrambled(new_model(algorithm)).policy
        for deterministic in (True, False):
            actions = SB3Agent(GAME, policy, deterministic=deterministic, seed=0).act_batch(seen)
            assert actions.dtype == np.int64
            assert (masks[np.arange(2000), actions] == 1).all()
            assert len(set(actions.tolist())) > 3

    def test_it_plays_the_actions_of_stable_baselines(self):
        model = scrambled(new_model("maskable_ppo"))
        seen = batch_of(random_positions(GAME, 200, seed=0))
        expected, _ = model.predict(seen["observation"], action_masks=seen["action_mask"], deterministic=True)
        agent = SB3Agent(GAME, model.policy)
        for _ in range(2):
            assert np.array_equal(agent.act_batch(seen), expected)

    @pytest.mark.parametrize("algorithm", ["maskable_ppo", "a2c"])
    def test_draws_follow_the_softmax_over_legal_actions(self, algorithm):
        model = scrambled(new_model(algorithm), 0.3)
        position = random_positions(GAME, 3, seed=0)[2]
        planes, mask = (torch.as_tensor(value[np.newaxis]) for value in observation_of(position).values())
        logits = model.policy.get_distribution(planes).distribution.logits[0].detach().numpy()
        weights = np.where(mask[0], np.exp(logits), 0)
        shares = weights / weights.sum()
        agent = SB3Agent(GAME, model.policy, deterministic=False, seed=1)
        counts = np.bincount(agent.act_batch(batch_of([position] * 20_000)), minlength=9)
        assert (abs(counts - 20_000 * shares) <= 5 * np.sqrt(20_000 * shares * (1 - shares))).all()
        assert shares.max() < 0.9

    def test_seeds_repeat_the_draws(self, model_path):
        seen = batch_of(random_positions(GAME, 100, seed=0))

        def actions(seed):
            return make_agent(f"sb3:{model_path},deterministic=false", GAME, seed=seed).act_batch(seen).tolist()

        assert actions(1) == actions(1) != actions(2)
        with pytest.raises(ValueError, match="deterministic must be true or false, not 'maybe'"):
            make_agent(f"sb3:{model_path},deterministic=maybe", GAME)

    def test_dqn_draws_close_to_its_best_actions(self):
        """Otherwise opponents from the pool would play at random."""
        policy = new_model("dqn", []).policy
        policy.q_net.q_net[0].weight.data.zero_()
        policy.q_net.q_net[0].bias.data = torch.tensor([0.5] + [0.0] * 8)
        agent = SB3Agent(GAME, policy, deterministic=False, seed=0)
        start = batch_of([ci_envs.Position.start(GAME)] * 1000)
        assert (agent.act_batch(start) == 0).mean() > 0.9

    def test_it_computes_in_one_thread(self, model_path, monkeypatch):
        seen = []

        def counting(policy, planes):
            seen.append(torch.get_num_threads())
            return preferences(policy, planes)

        monkeypatch.setattr("ci_envs.baselines.trained_policy.preferences", counting)
        with torch_threads(3):
            make_agent(f"sb3:{model_path}", GAME, seed=0).act_batch(batch_of(random_positions(GAME, 2, seed=0)))
            assert torch.get_num_threads() == 3
        assert seen == [1]

    def test_it_is_an_opponent_everywhere(self, model_path):
        spec = f"sb3:{model_path}"
        single = gymnasium.make(f"ci_envs/{TICTACTOE}", opponent=spec)
        envs = gymnasium.make_vec(f"ci_envs/{TICTACTOE}", 4, opponent=spec, autoreset_mode="SameStep")
        planes, info = envs.reset(seed=3)
        for i in range(4):
            alone, alone_info = single.reset(seed=3 + i)
            assert np.array_equal(planes[i], alone)
            assert np.array_equal(info["action_mask"][i], alone_info["action_mask"])
        actions = info["action_mask"].argmax(axis=1)
        planes = envs.step(actions)[0]
        single.reset(seed=3)
        assert np.array_equal(single.step(actions[0])[0], planes[0])
        result = play_match(GAME, make_agent(spec, GAME), make_agent("random", GAME, seed=0), 50)
        assert result.sides[0].total.games == 50
        with pytest.raises(ValueError, match="was trained for"):
            gymnasium.make("ci_envs/Quixo-v0", opponent=spec)

    def test_the_command_line_takes_it(self, model_path, tmp_path):
        spec = f"sb3:{model_path}"
        done = CliRunner().invoke(main, ["compare", TICTACTOE, spec, "random", "--games", "10", "--json", "-"])
        assert done.exit_code == 0
        assert [agent["agent"] for agent in json.loads(done.stdout)["agents"]] == [spec, "random"]
        done = CliRunner().invoke(main, ["play", TICTACTOE, spec, "random"])
        assert done.exit_code == 0
        assert f"{spec} (player 0) plays" in done.stdout
        for arguments in (["play", "Quixo-v0", spec, "random"], ["compare", TICTACTOE, "random", f"sb3:{tmp_path}/x"]):
            done = CliRunner().invoke(main, arguments)
            assert done.exit_code == 2
            assert done.stderr.count("\n") == 1
            assert str(tmp_path if "x" in arguments[-1][-1] else model_path) in done.stderr


@pytest.mark.extended
@pytest.mark.parametrize(
    ("spec", "id", "opponent", "fewest_wins", "most_losses"),
    [
        ("sb3:tictactoe", "TicTacToe-v0", "random", 80, 0),
        ("sb3:tictactoe", "TicTacToe-v0", "exact", 0, 0),
        ("sb3:quixo", "Quixo-v0", "random", 96, 4),
        ("sb3:quixo", "Quixo-v0", "minimax:depth=1", 90, 10),
        ("sb3:connect_four", "ConnectFour-v0", "random", 95, 5),
        ("sb3:connect_four", "ConnectFour-v0", "minimax:depth=1", 90, 10),
    ],
)
def test_the_models_that_come_with_the_package_play_well(spec, id, opponent, fewest_wins, most_losses):
    model, other = make_agent(spec, id, seed=0), make_agent(opponent, id, seed=1)
    total = play_match(model.game, model, other, 100).sides[0].total
    assert total.wins >= fewest_wins
    assert total.losses <= most_losses


def test_the_models_that_come_with_the_package_are_small():
    files = list(Path(baselines.__file__).with_name("models").glob("*.safetensors"))
    assert {file.stem for file in files} == {"tictactoe", "quixo", "connect_four"}
    assert all(file.stat().st_size < 1e6 for file in files)


def test_the_learning_curve_has_the_losses(tmp_path):
    options = {"steps": 3000, "measurements": 3, "ladder": ("random",), "ladder_games": 2, "boards": 8}
    train("sb3:ppo", "TicTacToe-v0", output=tmp_path / "run", **options)
    with (tmp_path / "run" / "curve.csv").open() as file:
        last = list(csv.DictReader(file))[-1]
    for name in ("train/loss", "train/value_loss", "train/policy_gradient_loss"):
        assert np.isfinite(float(last[name]))


def test_a_run_can_start_from_a_model(tmp_path):
    options = {"algorithm": "maskable_ppo", "steps": 1, "initial_model": "tictactoe"}
    trainer = SB3Trainer(Task(TICTACTOE, GAME, None, 0), SB3Config(**options))
    expected = read_model("tictactoe").policy(GAME).state_dict()
    started = trainer.model.policy.state_dict()
    assert started.keys() == expected.keys()
    for name, tensor in expected.items():
        assert torch.equal(started[name], tensor)
    for change, environment, message in (
        ({"layers": (64,)}, TICTACTOE, "initial_model='tictactoe' has .*128.* but the options give .*64"),
        ({"algorithm": "ppo"}, TICTACTOE, "but the options give"),
        ({"initial_model": str(tmp_path / "missing")}, TICTACTOE, "missing"),
        ({}, "ConnectN-v0:rows=3,cols=4,n=3", "was trained for"),
    ):
        _, other, _ = resolve(environment)
        with pytest.raises((ValueError, OSError), match=message):
            SB3Trainer(Task(environment, other, None, 0), SB3Config(**(options | change)))


def test_a_look_ahead_in_training_games_needs_action_masks():
    with pytest.raises(ValueError, match="training_lookahead=2 is for algorithm=maskable_ppo, not for algorithm=dqn"):
        SB3Config(algorithm="dqn", training_lookahead=2)
    with pytest.raises(ValueError, match="lookahead must be a whole number from 0 to 8, not 9"):
        BoardsVecEnv(*boards(TICTACTOE, 2).groups, lookahead=9)


class TestLookahead:
    @pytest.mark.parametrize("plies", [1, 2, 3])
    def test_the_best_actions_are_those_of_a_full_search(self, plies):
        positions = random_positions(GAME, 60, seed=plies)
        words = np.array([(position.own, position.opp) for position in positions], np.uint64)
        for position, found in zip(positions, Lookahead(GAME, plies).best_actions(words), strict=True):
            assert set(np.flatnonzero(found)) == best_forced_actions(position, plies)

    def test_the_policy_chooses_among_the_best_actions(self):
        positions = random_positions(GAME, 300, seed=0)
        words = np.array([(position.own, position.opp) for position in positions], np.uint64)
        best, observations = Lookahead(GAME, 2).best_actions(words), observations_of(GAME, words)
        scores = preferences(read_model("tictactoe").policy(GAME), observations["observation"]).numpy()
        actions = SB3Agent(GAME, "tictactoe", lookahead=2).act_batch(observations)
        assert (actions == np.where(best, scores, -np.inf).argmax(axis=1)).all()
        assert (actions != SB3Agent(GAME, "tictactoe").act_batch(observations)).any()

    def test_the_file_has_the_setting(self, tmp_path):
        file, observations = read_model("tictactoe"), batch_of(random_positions(GAME, 300, seed=0))
        weights = file.policy(GAME).state_dict()
        write_model(tmp_path / "model", file.network, GAME, 0, weights, lookahead=2)
        actions = SB3Agent(GAME, tmp_path / "model").act_batch(observations)
        assert (actions == SB3Agent(GAME, "tictactoe", lookahead=2).act_batch(observations)).all()
        plain = SB3Agent(GAME, tmp_path / "model", lookahead=0).act_batch(observations)
        assert (plain == SB3Agent(GAME, "tictactoe").act_batch(observations)).all()


ZOO = Path(baselines.__file__).parent / "rl_zoo3" / "ppo.yml"


@pytest.mark.parametrize("id", ["TicTacToe-v0", "ConnectFour-v0", "Quixo-v0", "Nim-v0"])
def test_the_file_for_the_zoo_has_the_presets(id):
    """RL Baselines3 Zoo reads the section of an environment, else the section ``default``."""
    sections = pytest.importorskip("yaml").safe_load(ZOO.read_text())
    given = sections.get(f"ci_envs/{id}", sections["default"])
    game = ci_envs.make(id).game
    config = SB3Config(algorithm="ppo", steps=1, **training_presets(game).get("sb3", {})).resolved(game)
    assert {name: given[name] for name in config.arguments} == config.arguments
    assert given["n_envs"] == config.boards * len(config.opponents)
    assert given["policy_kwargs"] == f"dict(net_arch={list(config.layers)}, activation_fn=nn.ReLU)"
    assert (given["policy"], config.activation) == ("MlpPolicy", "relu")
    settings = {"policy", "policy_kwargs", "n_envs", "n_timesteps"}
    assert given.keys() == settings | config.arguments.keys()
