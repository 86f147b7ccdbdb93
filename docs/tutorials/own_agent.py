# %% [markdown]
# # Your own agent
#
# An agent is a class with a method that takes observations and returns actions. The agent of this tutorial plays every game
# of the suite. It wins at once if it can, otherwise it prevents an immediate win of the opponent, otherwise it plays at
# random.

# %%
import gymnasium
import numpy as np
import rich

from ci_envs import Position, register_agent
from ci_envs.agents import Agent
from ci_envs.arena import compare, tables


class BlockingAgent(Agent):
    """Win at once, otherwise prevent an immediate loss, otherwise play at random."""

    def __init__(self, game, *, block=True, seed=None):
        super().__init__(game, seed=seed)  # makes self.game and self.rng
        self.block = block

    def act_batch(self, observations):
        """Return the actions on n boards."""
        planes = observations["observation"]
        return np.array([self.choose(Position.from_observation(self.game, board)) for board in planes])

    def choose(self, position):
        """Return the action in one position."""
        wins = winning_actions(position)
        if wins:
            return wins[0]
        actions = position.legal_actions()
        safe = [action for action in actions if not winning_actions(position.play(action))]
        return self.rng.choice(safe if self.block and safe else actions)


def winning_actions(position):
    """Return the actions that win at once for the player to move."""
    if position.result is not None:
        return []
    return [action for action in position.legal_actions() if position.play(action).result == -1]


# %% [markdown]
# `position.result` is the result for the player to move: -1 means that this player has lost, so the previous move won.
#
# Register the agent under a name. The keyword arguments of the class are options of its spec string.

# %%
register_agent("blocking", BlockingAgent)
agents = ["random", "blocking:block=false", "blocking", "minimax:depth=2"]
rich.print(tables(compare("ConnectFour-v0:rows=5,cols=5", agents, games=40, seed=0)))

# %% [markdown]
# The agent can be the opponent in the Gymnasium environment:

# %%
env = gymnasium.make("ci_envs/Quixo-v0", opponent="blocking")
planes, info = env.reset(seed=0)
planes.shape

# %% [markdown]
# An installed package adds agents by the entry-point group `ci_envs.agents` in its `pyproject.toml`. The command line finds
# these agents without an import.
