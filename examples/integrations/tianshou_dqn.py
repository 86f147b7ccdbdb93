"""PettingZoo and Tianshou: one deep Q-network learns by playing both sides of tic-tac-toe.

Run it with ``make integration-tianshou``. It takes half a minute.
"""

import logging

import numpy as np
import torch
from exam import examine
from numpy.typing import NDArray
from tianshou.algorithm import DQN, MultiAgentOffPolicyAlgorithm
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Batch, Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv
from tianshou.env.pettingzoo_env import PettingZooEnv
from tianshou.trainer import OffPolicyTrainerParams
from tianshou.utils.net.common import Net

import ci_envs
from ci_envs.agents import Observation

PLIES = 8_000


def make_env() -> PettingZooEnv:
    """Return the environment in the format of Tianshou: observations with ``obs``, ``mask`` and ``agent_id``."""
    return PettingZooEnv(ci_envs.make("TicTacToe-v0"))


np.random.seed(0)  # noqa: NPY002 - Tianshou explores with the global generator
torch.manual_seed(0)
torch.set_num_threads(1)  # more threads are slower, because the network is small
logging.getLogger("tianshou").setLevel(
    logging.ERROR
)  # hides a warning about two returns of a game, one for each player

env = make_env()
planes = env.observation_space["observation"].shape
net = Net(state_shape=planes, action_shape=env.action_space.n, hidden_sizes=[128, 128])
# with several agents, Tianshou explores with eps_inference in training too
player = DiscreteQLearningPolicy(model=net, action_space=env.action_space, eps_inference=0.2)
learner = DQN(
    policy=player,
    optim=AdamOptimizerFactory(lr=1e-3),
    gamma=0.97,
    n_step_return_horizon=2,  # plies: up to the next turn of the player, including the reward of the opponent's reply
    target_update_freq=100,
)
both = MultiAgentOffPolicyAlgorithm(algorithms=[learner, learner], env=env)

envs = DummyVectorEnv([make_env] * 16)
collector = Collector(both, envs, VectorReplayBuffer(PLIES, len(envs)), exploration_noise=True)
collector.reset()
collector.collect(n_step=800)
both.run_training(
    OffPolicyTrainerParams(
        training_collector=collector,
        max_epochs=1,
        epoch_num_steps=PLIES,
        collection_step_num_env_steps=16,
        batch_size=128,
        update_step_num_gradient_steps_per_sample=1 / 8,
        show_progress=False,
        verbose=False,
    )
)


def policy(observations: Observation) -> NDArray[np.int64]:
    """Return the action with the highest value on each of n boards."""
    boards = Batch(obs=observations["observation"], mask=observations["action_mask"])
    with torch.no_grad():
        return player(Batch(obs=boards, info=Batch())).act


examine(policy)
