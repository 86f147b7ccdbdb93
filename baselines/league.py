"""The league: which opponents the learning agent plays against, and how much a draw counts."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.callbacks import BaseCallback
from typing_extensions import override

from ci_envs.agent_interface.interface import Agent
from ci_envs.agent_interface.making import make_agent
from ci_envs.baselines.config import POOL
from ci_envs.baselines.self_play import Pool
from ci_envs.baselines.vec_env import BoardsVecEnv

_MEMORY = 5_000
"""About the number of the latest games against an opponent that its results contain."""

_LEAST_WEIGHT = 0.1
"""Weight in the draw of opponents of an opponent against which the agent wins every game."""


class League:
    """The opponents of a training run and the results of the learning agent against them.

    The results also contain the end of games that began against the previous opponent of a board.

    Attributes:
        names: the spec strings of the opponents, each once; ``pool`` stands for all past selves.
        records: games won, drawn and lost against each opponent, with less weight for older games, float64 of shape
            (opponents, 3).
    """

    def __init__(
        self, env: BoardsVecEnv, opponents: Sequence[str], pool: Pool, *, by_losses: bool, draw_penalty: float | None
    ) -> None:
        """Make a league without results.

        Args:
            env: an environment with a group of boards for each of ``opponents``.
            opponents: the first opponents of the groups: spec strings, or ``pool`` for a past self.
            pool: the past selves.
            by_losses: whether :meth:`draw` draws the opponent of each group in proportion to the points that the
                opponent makes against the agent. Otherwise every group keeps its opponent, or the pool.
            draw_penalty: the factor of the mean result against an opponent, from -1 to 1, that a draw against the
                opponent costs. None leaves the reward of draws unchanged.
        """
        self.names = tuple(dict.fromkeys(opponents))
        self.records = np.zeros((len(self.names), 3))
        self._env, self._pool = env, pool
        self._by_losses, self._draw_penalty = by_losses, draw_penalty
        self._playing = [self.names.index(name) for name in opponents]

    @property
    def results(self) -> NDArray[np.float64]:
        """The mean result of the agent against each opponent, from -1 to 1, float64 of shape (opponents,)."""
        wins, _, losses = self.records.T
        results: NDArray[np.float64] = (wins - losses) / np.maximum(self.records.sum(axis=1), 1)
        return results

    def update(self) -> None:
        """Add the results of the environment since the last update, and set the rewards of draws."""
        for opponent, result in zip(self._playing, self._env.results, strict=True):
            self.records[opponent] += result
        self._env.results[:] = 0
        games = self.records.sum(axis=1, keepdims=True)
        self.records *= np.minimum(1, _MEMORY / np.maximum(games, 1))
        self._set_draw_rewards()

    def draw(self) -> None:
        """Draw the opponents of the groups."""
        if self._by_losses:
            self._playing = self._drawn(len(self._playing))
        for group, opponent in zip(self._env.groups, self._playing, strict=True):
            if self._by_losses or self.names[opponent] == POOL:
                group.opponent = self._new_agent(self.names[opponent])
        self._set_draw_rewards()

    def _set_draw_rewards(self) -> None:
        """Let a draw in each group cost a share of the mean result against its opponent."""
        if self._draw_penalty is not None:
            rewards = (-self._draw_penalty * self.results).tolist()
            self._env.draw_rewards[:] = [rewards[opponent] for opponent in self._playing]

    def _drawn(self, count: int) -> list[int]:
        """Draw opponents by systematic sampling: each appears its expected number of times, rounded up or down."""
        weights = (1 - self.results) / 2 + _LEAST_WEIGHT
        ends = np.cumsum(weights / weights.sum())
        points = (np.arange(count) + self._pool.rng.random()) / count
        drawn: list[int] = np.minimum(np.searchsorted(ends, points), len(ends) - 1).tolist()
        return drawn

    def _new_agent(self, name: str) -> Agent:
        if name == POOL:
            return self._pool.draw()
        return make_agent(name, self._pool.game, seed=int(self._pool.rng.integers(2**63)))


class SelfPlayCallback(BaseCallback):
    """Callback that updates the league between rollouts.

    Every ``interval`` steps it adds the agent to the pool and draws new opponents.
    """

    model: BaseAlgorithm

    def __init__(self, league: League, pool: Pool, interval: int) -> None:
        """Prepare the callback.

        Args:
            league: the opponents.
            pool: the past selves.
            interval: number of steps between additions.
        """
        super().__init__()
        self._league, self._pool, self._interval = league, pool, interval

    @override
    def _on_training_start(self) -> None:
        if self._pool.weights:  # a resumed run
            self._league.draw()

    @override
    def _on_step(self) -> bool:
        return True

    @override
    def _on_rollout_start(self) -> None:
        self._league.update()
        if self.num_timesteps >= self._pool.next_entry:
            self._pool.next_entry = self.num_timesteps + self._interval
            self._pool.add(self.model.policy)
            self._league.draw()
