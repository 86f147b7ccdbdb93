"""PPO with action masks in one file of PyTorch, in the style of CleanRL: one network plays both sides of many boards.

The names and details are those of CleanRL's ppo.py (https://docs.cleanrl.dev/rl-algorithms/ppo), but the script imports
nothing from CleanRL. It needs the extra ``sb3`` for PyTorch.

``python examples/cleanrl_ppo.py`` learns Quixo, and then compares the network with other agents;
``python examples/cleanrl_ppo.py TicTacToe-v0 --total-timesteps 200000`` learns another game.
"""

import argparse
import time
from dataclasses import dataclass

import numpy as np
import rich
import torch
from gymnasium import spaces
from numpy.typing import NDArray
from torch import nn
from torch.distributions import Categorical

import ci_envs
from ci_envs.agents import Observation
from ci_envs.arena import compare, tables


@dataclass
class Args:
    """The options of the training."""

    env_id: str = "Quixo-v0"
    seed: int = 0
    total_timesteps: int = 1_000_000
    """The total number of plies on all boards."""
    num_envs: int = 128
    num_steps: int = 64
    """The number of plies on each board between two updates."""
    learning_rate: float = 1e-3
    gamma: float = 0.99
    gae_lambda: float = 0.95
    num_minibatches: int = 8
    update_epochs: int = 4
    clip_coef: float = 0.2
    ent_coef: float = 0.01
    vf_coef: float = 0.5
    max_grad_norm: float = 0.5
    hidden: int = 256
    """The width of both hidden layers."""


def layer_init(layer: nn.Linear, std: float = 2**0.5) -> nn.Linear:
    """Initialise the layer with orthogonal weights and without bias."""
    nn.init.orthogonal_(layer.weight, std)
    nn.init.zeros_(layer.bias)
    return layer


class ActorCritic(nn.Module):
    """Two networks: the critic estimates the value of positions, and the actor the probability of actions.

    It is an agent of ci_envs, because it has the method ``act_batch``.
    """

    def __init__(self, observations: spaces.Box, actions: spaces.Discrete, hidden: int) -> None:
        super().__init__()
        inputs = int(np.prod(observations.shape))
        self.critic = self.network(inputs, hidden, 1, std=1.0)
        self.actor = self.network(inputs, hidden, int(actions.n), std=0.01)

    @staticmethod
    def network(inputs: int, hidden: int, outputs: int, std: float) -> nn.Sequential:
        """Make the networks for planes of any shape."""
        layers = layer_init(nn.Linear(inputs, hidden)), nn.ReLU(), layer_init(nn.Linear(hidden, hidden)), nn.ReLU()
        return nn.Sequential(nn.Flatten(), *layers, layer_init(nn.Linear(hidden, outputs), std))

    def policy(self, x: torch.Tensor, mask: torch.Tensor) -> Categorical:
        """Return a distribution over the legal actions."""
        # the smallest float, because minus infinity times the probability 0 would make the entropy NaN
        return Categorical(logits=torch.where(mask, self.actor(x), torch.finfo(torch.float32).min))

    def value(self, x: torch.Tensor) -> torch.Tensor:
        """Return the value for the player to move."""
        return self.critic(x).flatten()

    @torch.no_grad()
    def act_batch(self, observations: Observation) -> NDArray[np.int64]:
        """Return the most probable action on each of n boards."""
        planes, legal = torch.from_numpy(observations["observation"]), torch.from_numpy(observations["action_mask"])
        return self.policy(planes.float(), legal.bool()).probs.argmax(dim=-1).numpy()


def train(args: Args) -> ActorCritic:  # noqa: PLR0915 - one function to read from top to bottom, as in CleanRL
    """Train a network by self-play."""
    torch.set_num_threads(1)  # more threads are slower, because the networks are small
    torch.manual_seed(args.seed)
    # opponent=None: each step is a ply of the player to move, and the reward is for this player.
    # SameStep: the observation after the last ply of a game is the start of the next game, so each step is a real ply.
    envs = ci_envs.make_vec(args.env_id, args.num_envs, opponent=None, autoreset_mode="SameStep")
    observation_space, action_space = envs.single_observation_space, envs.single_action_space
    assert isinstance(observation_space, spaces.Box)
    assert isinstance(action_space, spaces.Discrete)
    agent = ActorCritic(observation_space, action_space, args.hidden)
    optimizer = torch.optim.Adam(agent.parameters(), lr=args.learning_rate, eps=1e-5)

    steps = args.num_steps, args.num_envs
    batch_size = args.num_steps * args.num_envs
    num_iterations = max(args.total_timesteps // batch_size, 1)
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

        if iteration % 20 == 0:
            plies = iteration * batch_size
            fps = plies / (time.perf_counter() - begin)
            print(f"{plies:,} plies, {fps:,.0f} a second")
    return agent


def main() -> None:
    """Train with the options of the command line, and compare the network with other agents."""
    parser = argparse.ArgumentParser(description="Train PPO, and compare it with other agents.")
    parser.add_argument("env_id", nargs="?", default=Args.env_id)
    parser.add_argument("--total-timesteps", type=int, default=Args.total_timesteps)
    parser.add_argument("--seed", type=int, default=Args.seed)
    args = Args(**vars(parser.parse_args()))
    agent = train(args)
    agents = ["random", "minimax:depth=1", "minimax:depth=2", ("PPO", agent)]
    rich.print(tables(compare(args.env_id, agents, games=200, random_plies=4, seed=args.seed)))


if __name__ == "__main__":
    main()
