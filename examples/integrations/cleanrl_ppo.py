"""PPO with action masks in one file of PyTorch, in the style of CleanRL: one network plays both sides of many boards.

Run it with ``make integration-cleanrl``. It takes a quarter of a minute. The names and details are those of
CleanRL's ppo.py (https://docs.cleanrl.dev/rl-algorithms/ppo). The script imports nothing from CleanRL.
"""

import time
from dataclasses import dataclass

import gymnasium
import numpy as np
import torch
from exam import examine
from gymnasium import spaces
from numpy.typing import NDArray
from torch import nn
from torch.distributions import Categorical

import ci_envs  # noqa: F401 - registers the environments
from ci_envs.agents import Observation


@dataclass
class Args:
    """The options of the training."""

    env_id: str = "ci_envs/TicTacToe-v0"
    seed: int = 0
    total_timesteps: int = 200_000
    """The total number of plies on all boards."""
    num_envs: int = 64
    num_steps: int = 64
    """The number of plies on each board between two updates."""
    learning_rate: float = 2.5e-3
    gamma: float = 1.0
    gae_lambda: float = 0.95
    num_minibatches: int = 8
    update_epochs: int = 4
    clip_coef: float = 0.2
    ent_coef: float = 0.05
    vf_coef: float = 0.5
    max_grad_norm: float = 0.5


def layer_init(layer: nn.Linear, std: float = 2**0.5) -> nn.Linear:
    """Initialise the layer with orthogonal weights and without bias."""
    nn.init.orthogonal_(layer.weight, std)
    nn.init.zeros_(layer.bias)
    return layer


class ActorCritic(nn.Module):
    """Two networks: the critic estimates the value of positions, and the actor the probability of actions."""

    def __init__(self, observations: spaces.Box, actions: spaces.Discrete) -> None:
        super().__init__()
        inputs = int(np.prod(observations.shape))
        self.critic = self.network(inputs, 1, std=1.0)
        self.actor = self.network(inputs, int(actions.n), std=0.01)

    @staticmethod
    def network(inputs: int, outputs: int, std: float) -> nn.Sequential:
        """Make the networks for planes of any shape."""
        hidden = layer_init(nn.Linear(inputs, 128)), nn.ReLU(), layer_init(nn.Linear(128, 128)), nn.ReLU()
        return nn.Sequential(nn.Flatten(), *hidden, layer_init(nn.Linear(128, outputs), std))

    def policy(self, x: torch.Tensor, mask: torch.Tensor) -> Categorical:
        """Return a distribution over the legal actions."""
        # the smallest float, because minus infinity times the probability 0 would make the entropy NaN
        return Categorical(logits=torch.where(mask, self.actor(x), torch.finfo(torch.float32).min))

    def value(self, x: torch.Tensor) -> torch.Tensor:
        """Return the value for the player to move."""
        return self.critic(x).flatten()


args = Args()
torch.set_num_threads(1)  # more threads are slower, because the networks are small
torch.manual_seed(args.seed)

# opponent=None: each step is a ply of the player to move, and the reward is for this player.
# SameStep: the observation after the last ply of a game is the start of the next game, so each step is a real ply.
envs = gymnasium.make_vec(
    args.env_id,
    num_envs=args.num_envs,
    vectorization_mode="vector_entry_point",
    opponent=None,
    autoreset_mode="SameStep",
)
observation_space, action_space = envs.single_observation_space, envs.single_action_space
assert isinstance(observation_space, spaces.Box)
assert isinstance(action_space, spaces.Discrete)
agent = ActorCritic(observation_space, action_space)
optimizer = torch.optim.Adam(agent.parameters(), lr=args.learning_rate, eps=1e-5)

steps = args.num_steps, args.num_envs
batch_size = args.num_steps * args.num_envs
num_iterations = args.total_timesteps // batch_size
obs = torch.zeros(*steps, *observation_space.shape)
masks = torch.zeros(*steps, int(action_space.n), dtype=torch.bool)
actions = torch.zeros(steps, dtype=torch.long)
logprobs, rewards, dones, values = (torch.zeros(steps) for _ in range(4))

planes, info = envs.reset(seed=args.seed)
begin = time.perf_counter()
for iteration in range(1, num_iterations + 1):
    optimizer.param_groups[0]["lr"] = args.learning_rate * (1 - (iteration - 1) / num_iterations)

    for step in range(args.num_steps):
        obs[step] = torch.from_numpy(planes)
        masks[step] = torch.from_numpy(info["action_mask"])
        with torch.no_grad():
            distribution = agent.policy(obs[step], masks[step])
            actions[step] = distribution.sample()
            logprobs[step] = distribution.log_prob(actions[step])
            values[step] = agent.value(obs[step])
        planes, reward, terminations, truncations, info = envs.step(actions[step].numpy())
        rewards[step] = torch.from_numpy(reward)
        dones[step] = torch.from_numpy(terminations | truncations)

    # generalized advantages; the minus signs convert the next player's value to the player's value
    with torch.no_grad():
        next_value = agent.value(torch.from_numpy(planes).float())
    advantages = torch.zeros(steps)
    advantage = torch.zeros(args.num_envs)
    for t in reversed(range(args.num_steps)):
        goes_on = 1 - dones[t]
        delta = rewards[t] - args.gamma * goes_on * next_value - values[t]
        advantage = delta - args.gamma * args.gae_lambda * goes_on * advantage
        advantages[t], next_value = advantage, values[t]

    # learn from all boards and steps, in random order
    returns = (advantages + values).flatten()
    batch = [tensor.flatten(0, 1) for tensor in (obs, masks, actions, logprobs, advantages)]
    for _ in range(args.update_epochs):
        for chosen in torch.randperm(batch_size).chunk(args.num_minibatches):
            b_obs, b_masks, b_actions, b_logprobs, b_advantages = (tensor[chosen] for tensor in batch)
            b_advantages = (b_advantages - b_advantages.mean()) / (b_advantages.std() + 1e-8)
            distribution = agent.policy(b_obs, b_masks)
            ratio = (distribution.log_prob(b_actions) - b_logprobs).exp()
            clipped = ratio.clamp(1 - args.clip_coef, 1 + args.clip_coef)
            policy_loss = -torch.min(b_advantages * ratio, b_advantages * clipped).mean()
            value_loss = 0.5 * (agent.value(b_obs) - returns[chosen]).square().mean()
            loss = policy_loss + args.vf_coef * value_loss - args.ent_coef * distribution.entropy().mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(agent.parameters(), args.max_grad_norm)
            optimizer.step()

    if iteration % 10 == 0:
        plies = iteration * batch_size
        fps = plies / (time.perf_counter() - begin)
        mean_return = (
            rewards.sum() / dones.sum()
        )  # of the player who moved last: 1 if all games are won, 0 if all are drawn
        print(f"{plies:,} plies, {fps:,.0f} a second; mean return {mean_return:.2f}, towards 0 as both sides get good")


def policy(observations: Observation) -> NDArray[np.int64]:
    """Return the most probable action on each of n boards."""
    planes, legal = torch.from_numpy(observations["observation"]), torch.from_numpy(observations["action_mask"])
    with torch.no_grad():
        return agent.policy(planes.float(), legal.bool()).probs.argmax(dim=-1).numpy()


examine(policy)
