"""Models of Stable-Baselines3 and sb3-contrib as agents, and their zip files."""

import io
import json
import pickle
import zipfile
from pathlib import Path

import gymnasium
import numpy as np
import pettingzoo.utils
import pytest
from click.testing import CliRunner
from sb3_contrib import QRDQN, TRPO, MaskablePPO, RecurrentPPO
from sb3_contrib.common.wrappers import ActionMasker
from stable_baselines3 import A2C, DQN, PPO

from ci_envs import FlatMaskObs, Nim, TicTacToe, make, make_agent
from ci_envs.agent_interface.adapters import PredictorAgent
from ci_envs.agent_interface.observations import observations_of
from ci_envs.agents import as_agent
from ci_envs.arena import compare
from ci_envs.baselines import save_model
from ci_envs.baselines.model_zip import algorithm_of
from ci_envs.cli.main import main
from ci_envs.games.openings import random_openings

GAME = TicTacToe()
ID = "ci_envs/TicTacToe-v0"


class DictObs(gymnasium.ObservationWrapper):
    """The planes and the mask as a dictionary."""

    def __init__(self, env):
        super().__init__(env)
        mask = gymnasium.spaces.Box(0, 1, (9,), np.int8)
        self.observation_space = gymnasium.spaces.Dict({"observation": env.observation_space, "action_mask": mask})

    def observation(self, planes):
        return {"observation": planes, "action_mask": self.env.unwrapped.action_masks().astype(np.int8)}


class SB3ActionMaskWrapper(pettingzoo.utils.BaseWrapper, gymnasium.Env):
    """The wrapper of PettingZoo's tutorial for Stable-Baselines3."""

    def reset(self, seed=None, options=None):
        super().reset(seed, options)
        self.observation_space = super().observation_space(self.possible_agents[0])["observation"]
        self.action_space = super().action_space(self.possible_agents[0])
        return self.observe(self.agent_selection), {}

    def step(self, action):
        current = self.agent_selection
        super().step(action)
        following = self.agent_selection
        return (
            self.observe(following),
            self._cumulative_rewards[current],
            self.terminations[current],
            self.truncations[current],
            self.infos[current],
        )

    def observe(self, agent):
        return super().observe(agent)["observation"]

    def action_mask(self):
        return super().observe(self.agent_selection)["action_mask"]


def tutorial_env():
    env = SB3ActionMaskWrapper(make("TicTacToe-v0"))
    env.reset(seed=0)
    return ActionMasker(env, lambda env: env.action_mask())


ROLLOUT = {"n_steps": 32, "batch_size": 32}
REPLAY = {"learning_starts": 20, "buffer_size": 100}
MODELS = {
    "PPO": (PPO, "MlpPolicy", lambda: gymnasium.make(ID), ROLLOUT),
    "A2C flat": (A2C, "MlpPolicy", lambda: FlatMaskObs(gymnasium.make(ID)), {}),
    "DQN flat": (DQN, "MlpPolicy", lambda: FlatMaskObs(gymnasium.make(ID)), REPLAY),
    "MaskablePPO": (MaskablePPO, "MlpPolicy", lambda: gymnasium.make(ID), ROLLOUT),
    "MaskablePPO dict": (MaskablePPO, "MultiInputPolicy", lambda: DictObs(gymnasium.make(ID)), ROLLOUT),
    "PPO dict": (PPO, "MultiInputPolicy", lambda: DictObs(gymnasium.make(ID)), ROLLOUT),
    "MaskablePPO tutorial": (MaskablePPO, "MlpPolicy", tutorial_env, ROLLOUT),
    "TRPO": (TRPO, "MlpPolicy", lambda: gymnasium.make(ID), ROLLOUT),
    "QRDQN": (QRDQN, "MlpPolicy", lambda: gymnasium.make(ID), REPLAY),
}


@pytest.fixture(scope="module")
def trained():
    """Each model after a short training."""
    return {
        name: cls(policy, make_env(), seed=0, **options).learn(64)
        for name, (cls, policy, make_env, options) in MODELS.items()
    }


@pytest.fixture(scope="module")
def observations():
    words = np.concatenate([random_openings(GAME, 20, plies, 0) for plies in (0, 1, 2, 3, 4)])
    return observations_of(GAME, words)


@pytest.mark.extended
@pytest.mark.parametrize("name", MODELS)
def test_a_model_plays_legal_actions(trained, observations, name):
    agent = as_agent(trained[name], GAME)
    actions = agent.act_batch(observations)
    masks = observations["action_mask"]
    assert masks[np.arange(len(masks)), actions].all()
    each = [agent.act({key: value[i] for key, value in observations.items()}) for i in range(len(masks))]
    assert actions.tolist() == each
    side = compare("TicTacToe-v0", ["random", trained[name]], games=4).pairings[0].match.sides[1]
    assert (side.total.games, side.faults) == (4, 0)


@pytest.mark.extended
@pytest.mark.parametrize("name", ["MaskablePPO", "MaskablePPO tutorial"])
def test_masked_models_play_what_they_predict(trained, observations, name):
    masks = observations["action_mask"]
    predicted, _ = trained[name].predict(observations["observation"], action_masks=masks, deterministic=True)
    assert as_agent(trained[name], GAME).act_batch(observations).tolist() == predicted.tolist()
    assert as_agent(trained[name].policy, GAME).act_batch(observations).tolist() == predicted.tolist()


def test_a_model_is_an_opponent(trained):
    env = gymnasium.make(ID, opponent=trained["PPO dict"], seat=1)
    env.reset(seed=0)
    assert sum(env.unwrapped.action_masks()) == 8


def test_a_policy_without_preferences_predicts():
    model = RecurrentPPO("MlpLstmPolicy", gymnasium.make(ID), n_steps=8, seed=0)
    assert isinstance(as_agent(model, GAME), PredictorAgent)
    assert compare("TicTacToe-v0", ["random", model], games=2).total("RecurrentPPO").total.games == 2


def test_a_model_of_another_game_is_refused(trained):
    with pytest.raises(ValueError, match=r"action space Discrete\(9\), but Nim") as caught:
        as_agent(trained["PPO"], Nim())
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", MODELS)
def test_a_zip_file_plays_with_consent(trained, observations, name, tmp_path):
    path = tmp_path / "a,b=1 model.zip"
    trained[name].save(path)
    assert algorithm_of(path) is MODELS[name][0]
    with pytest.raises(ValueError, match=r"can run any code\. .*trust=true or ci-envs convert") as caught:
        make_agent(f'sb3:"{path}"', GAME)
    assert "\n" not in str(caught.value)
    agent = make_agent(f'sb3:"{path}",trust=true', GAME)
    assert agent.act_batch(observations).tolist() == as_agent(trained[name], GAME).act_batch(observations).tolist()


@pytest.mark.parametrize("name", [name for name in MODELS if MODELS[name][0] in (PPO, A2C, DQN, MaskablePPO)])
def test_a_zip_file_is_converted(trained, observations, name, tmp_path):
    trained[name].save(tmp_path / "model.zip")
    command = ["convert", str(tmp_path / "model.zip"), "TicTacToe-v0", "-o", str(tmp_path / "model.safetensors")]
    refused = CliRunner().invoke(main, command)
    assert (refused.exit_code, refused.stderr.count("\n")) == (2, 1)
    assert "can run any code" in refused.stderr
    done = CliRunner().invoke(main, [*command, "--trust"])
    if "dict" in name:
        assert (done.exit_code, done.stderr.count("\n")) == (2, 1)
        assert "MlpPolicy" in done.stderr
        assert ",trust=true can still play" in done.stderr
        return
    assert done.exit_code == 0, done.output
    agent = make_agent(done.stdout.strip(), GAME)
    assert agent.act_batch(observations).tolist() == as_agent(trained[name], GAME).act_batch(observations).tolist()
    save_model(trained[name], GAME, tmp_path / "again.safetensors")
    assert (tmp_path / "again.safetensors").read_bytes() == (tmp_path / "model.safetensors").read_bytes()


class Attack:
    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return Path.touch, (self.path,)


def test_pickled_objects_do_not_run_without_consent(trained, tmp_path):
    path, made = tmp_path / "evil.zip", tmp_path / "made"
    trained["PPO"].save(path)
    with zipfile.ZipFile(path) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    buffer = io.BytesIO()
    pickle.dump(Attack(made), buffer)
    files["policy.pth"] = buffer.getvalue()
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    with pytest.raises(ValueError, match="can run any code"):
        make_agent(f"sb3:{path}", GAME)
    assert algorithm_of(path) is PPO
    CliRunner().invoke(main, ["convert", str(path), "TicTacToe-v0", "-o", str(tmp_path / "x.safetensors")])
    assert not made.exists()


@pytest.mark.parametrize("content", [b"", b"PK", b"no zip file", None])
def test_damaged_zip_files(content, tmp_path):
    path = tmp_path / "model.zip"
    if content is None:
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("data", json.dumps({"policy_class": {"__module__": "my.policies"}}))
    else:
        path.write_bytes(content)
    with pytest.raises(ValueError, match=r"is not a zip file of Stable-Baselines3|has a policy of my\.policies"):
        make_agent(f"sb3:{path},trust=true", GAME)
    with pytest.raises(FileNotFoundError):
        make_agent(f"sb3:{tmp_path}/missing.zip,trust=true", GAME)
