"""The global random generators of Python, NumPy and PyTorch are left as they were."""

import random

import gymnasium
import numpy as np
import pytest
import torch
from stable_baselines3 import PPO

from ci_envs import Position, TicTacToe, make_agent
from ci_envs.baselines.model_zip import load_zip
from ci_envs.generators import restored_generators
from ci_envs.training import train

LADDER = {"ladder": ("random",), "ladder_games": 2}
SHORT = {
    "sb3:maskable_ppo": {"steps": 32, "boards": 1, "opponents": ("random",), "n_steps": 16, **LADDER},
    "sb3:dqn": {"steps": 8, "boards": 1, "opponents": ("random",), **LADDER},
    "alphazero": {"iterations": 1, "games": 2, "simulations": 4, **LADDER},
    "neat": {"generations": 1, "population": 20, "games": 2, **LADDER},
}


def states():
    kind, words, *rest = np.random.get_state()  # noqa: NPY002
    return random.getstate(), kind, words.tolist(), rest, torch.get_rng_state().tolist()


@pytest.fixture(autouse=True)
def _known_states():
    random.seed(1)
    np.random.seed(2)  # noqa: NPY002
    torch.manual_seed(3)
    before = states()
    yield
    assert states() == before


@pytest.mark.extended
@pytest.mark.parametrize("learner", SHORT)
def test_a_training_leaves_the_generators(learner, tmp_path):
    train(learner, "TicTacToe-v0", output=tmp_path, seed=5, **SHORT[learner])


@pytest.mark.extended
def test_a_training_that_fails_leaves_the_generators(tmp_path, monkeypatch):
    def fail(*_, **__):
        torch.rand(1)
        raise RuntimeError("no")

    monkeypatch.setattr("ci_envs.training.run.TrainingRun.execute", fail)
    with pytest.raises(RuntimeError, match="no"):
        train("sb3:ppo", "TicTacToe-v0", output=tmp_path, seed=5)


@pytest.mark.parametrize("spec", ["alphazero:simulations=2", "sb3:tictactoe", "minimax:depth=1", "mcts:simulations=2"])
def test_an_agent_leaves_the_generators(spec):
    agent, start = make_agent(spec, TicTacToe(), seed=0), Position.start(TicTacToe())
    mask = np.ones(9, np.int8)
    agent.act({"observation": start.observation(), "action_mask": mask})


def test_a_loaded_model_with_a_seed_leaves_the_generators(tmp_path):
    env = gymnasium.make("ci_envs/TicTacToe-v0")
    with restored_generators():
        PPO("MlpPolicy", env, seed=5, n_steps=8, batch_size=8, device="cpu").save(tmp_path / "model.zip")
    load_zip(tmp_path / "model.zip", trust=True)
