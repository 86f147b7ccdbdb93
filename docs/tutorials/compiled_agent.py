# %% [markdown]
# # Your own compiled agent
#
# An agent in Python plays some thousand moves a second. A compiled agent plays millions of moves a second, because the vector
# environment calls it without Python code. This tutorial compiles an agent that wins at once if it can, and otherwise plays
# at random.

# %%
from dataclasses import dataclass
from time import perf_counter

import numpy as np
import rich

from ci_envs import make_vec, register_agent
from ci_envs.agent_interface.policy import CompiledPolicy, Policy, choose
from ci_envs.agent_interface.policy_agent import PolicyAgent
from ci_envs.arena import compare, tables
from ci_envs.games import LOSS, action_count, implements, legal, play, result
from ci_envs.games.walk import random_action

# %% [markdown]
# A policy is a frozen dataclass. `choose` is an operation with one kernel for each policy. The kernel calls operations of the
# game (`legal`, `play`, `result`), so it works for every game. `play` returns the position from the point of view of the next
# player, so the result `LOSS` means that our action won.


# %%
@dataclass(frozen=True)
class WinOrRandom(Policy):
    """Win at once if possible, otherwise play at random."""


@implements(choose, WinOrRandom)
def _(policy):
    def kernel(policy, game, own, opp, seed, memory):
        for number in range(action_count(game)):
            action = np.uint64(number)
            if legal(game, own, opp, action):
                next_own, next_opp = play(game, own, opp, action)
                if result(game, next_own, next_opp) == LOSS:
                    return number
        return random_action(game, own, opp, seed)[0]

    return kernel


class WinOrRandomAgent(PolicyAgent):
    """The policy as an agent."""

    def policy(self):
        """Return the policy; it needs no memory."""
        return CompiledPolicy(WinOrRandom(), ())


register_agent("win_or_random", WinOrRandomAgent)

# %%
rich.print(tables(compare("ConnectFour-v0", ["random", "win_or_random", "minimax:depth=2"], games=200, seed=0)))

# %% [markdown]
# The agent is also an opponent in the vector environment:

# %%
envs = make_vec("ConnectFour-v0", 1024, opponent="win_or_random", autoreset_mode="SameStep")
envs.action_space.seed(0)
planes, info = envs.reset(seed=0)
steps, start = 100, perf_counter()
for _ in range(steps):
    planes, rewards, terminated, truncated, info = envs.step(envs.action_space.sample(info["action_mask"]))
print(f"{steps * 1024 / (perf_counter() - start) / 1e6:.1f} million steps a second")

# %% [markdown]
# A kernel must use the subset of Python that Numba compiles, with 64-bit unsigned integers for words. The options of a policy
# are fields of its dataclass, which become constants of the kernel, or arrays in `memory`.
# [How it works](../how_it_works/kernels.md) explains kernels and operations.
