"""Agents that play in Python as they do in compiled code, by their policy."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ci_envs.agent import Agent, Observation
from ci_envs.games.compiled import kernel
from ci_envs.policy import choose


class PolicyAgent(Agent):
    """Plays by its :meth:`policy`, which there is."""

    def act_batch(self, observations: Observation) -> NDArray[np.int64]:
        """As in :meth:`Agent.act_batch`."""
        played = self.policy()
        assert played is not None
        words = self.positions_of(observations)
        seeds = self.rng.integers(2**64, size=len(words), dtype=np.uint64)
        actions = np.empty(len(words), dtype=np.int64)
        _choose_each(*played, self.game, words, seeds, actions)
        return actions


@kernel
def _choose_each(policy: Any, memory: Any, game: Any, words: Any, seeds: Any, actions: Any) -> None:
    for i in range(len(words)):
        action, _ = choose(policy, game, words[i, 0], words[i, 1], seeds[i], memory)
        actions[i] = np.int64(action)
