"""Report D's Q-learning for Quixo against a random opponent.

The opponent's reply is part of the environment: an action leads to the position of the agent's next turn. A position is
from the point of view of the agent, so both colours share the values. The table stores only actions that were tried.
All other actions have the value 0. Of equal actions the agent plays the first.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from ci_envs.agent_interface.policy import CompiledPolicy
from ci_envs.agents.tabular.run_reward import run_reward
from ci_envs.agents.tabular.value_table import find, find_or_insert, new_table
from ci_envs.games import (
    ONGOING,
    action_count,
    initial,
    inlined,
    lean_kernel,
    legal,
    play,
    result,
)
from ci_envs.games.game import Game
from ci_envs.games.grid import longest_run
from ci_envs.games.walk import random_action
from ci_envs.kernels.random_draws import random_share
from ci_envs.kernels.random_numbers import random_below
from ci_envs.reports.literal_agent import LiteralAgent, LiteralPolicy, require_equal
from ci_envs.reports.report_d.quixo_rows import QUIXO

EPISODES = 500_000

ADDED, FIRST_THAT_APPLIES = 0, 1
"""The rewards for the longest runs: those in the text of report D, and those that its authors published elsewhere."""

_ALPHA, _GAMMA, _EPSILON = 0.1, 0.95, 0.1
_ROW_BYTES = 24
_TURNS = 32  # more than the mean number of the agent's turns in an episode


def learn_actions(rewards: int, episodes: int = EPISODES, seed: int = 0) -> NDArray[np.void]:
    """Return the table that report D learns.

    Args:
        rewards: :data:`ADDED` or :data:`FIRST_THAT_APPLIES`.
        episodes: The number of games.
        seed: The seed of the games, 0 to 2^64 - 1.

    Returns:
        The values of the tried actions by position and action (:mod:`ci_envs.agents.tabular.value_table`).

    Raises:
        ValueError: The table is full.
    """
    table = new_table(1, max(16.0, 2 * episodes * _TURNS * _ROW_BYTES / 2**20))
    if not _learn_episodes(QUIXO, table, rewards, episodes, np.uint64(seed)):
        raise ValueError(f"the table is full: {len(table):,} actions")
    return table


def action_table_agent(game: Game, table: NDArray[np.void], *, seed: int | None = None) -> LiteralAgent:
    """Make an agent that plays Quixo by a table of report D. Of the actions with the largest value it plays the first.

    Args:
        game: Quixo on 5 x 5 cubes.
        table: The table of :func:`learn_actions`.
        seed: Not used, because the agent is deterministic.

    Raises:
        ValueError: The game is not Quixo on 5 x 5 cubes.
    """
    require_equal("report:D4", game, QUIXO)
    return LiteralAgent(game, lambda: CompiledPolicy(ActionTablePolicy(), (table,)), seed=seed)


class ActionTablePolicy(LiteralPolicy):
    """The compiled policy of :func:`action_table_agent`. Its memory is the table."""

    @staticmethod
    @override
    def action(policy: Any, game: Any, own: Any, opp: Any, seed: Any, memory: Any) -> Any:
        return _best_action(game, memory[0], own, opp)[0]


@inlined
def _with_action(own: Any, action: Any) -> Any:
    """Return the first word of the key of an action."""
    return own | (np.uint64(action) << np.uint64(32))


@lean_kernel
def _best_action(game: Any, table: Any, own: Any, opp: Any) -> Any:
    """Return the first best action and its value. The value of untried actions is 0."""
    chosen, best = -1, -np.inf
    for action in range(action_count(game)):
        if legal(game, own, opp, np.uint64(action)):
            row = find(table, _with_action(own, action), opp)
            value = np.float64(table[row].values[0]) if table[row].taken else 0.0
            if value > best:
                chosen, best = action, value
    return chosen, best


@lean_kernel
def _reward(game: Any, rewards: Any, own: Any, opp: Any, next_own: Any, next_opp: Any, outcome: Any) -> Any:
    """Return the reward for a step between two positions of the agent. ``outcome`` is 1 for a win, -1 for a loss."""
    if rewards == ADDED:
        return outcome + run_reward(game, own, opp, next_own, next_opp)
    if outcome != 0:
        return np.float64(outcome)
    size = 5.0
    mine, new_mine = longest_run(game, own), longest_run(game, next_own)
    others, new_others = longest_run(game, opp), longest_run(game, next_opp)
    if new_mine != mine:
        return (new_mine if new_mine > mine else -mine) / size
    if new_others != others:
        return (-new_others if new_others > others else others) / size
    return 0.0


@lean_kernel
def _change_value(table: Any, own: Any, opp: Any, action: Any, target: Any, count: Any) -> Any:
    """Move the value of an action towards its target, and return the count, or -1 if the table is full."""
    row, _, count = find_or_insert(table, _with_action(own, action), opp, 0.0, 0.0, np.uint64(0), count)
    if row < 0:
        return np.int64(-1)
    value = np.float64(table[row].values[0])
    table[row].values[0] = value + _ALPHA * (target - value)
    return count


@lean_kernel
def _learn_episodes(game: Any, table: Any, rewards: Any, episodes: Any, state: Any) -> Any:
    """Play episodes and learn from them. Return False if the table is full."""
    count = np.int64(0)
    for _ in range(episodes):
        drawn, state = random_below(state, 2)
        agent_moves = drawn == np.uint64(0)
        own, opp = initial(game)
        last_own, last_opp, last_action = own, opp, np.int64(-1)
        outcome = ONGOING
        while outcome == ONGOING:
            action, state = random_action(game, own, opp, state)
            if agent_moves:
                best_action, best = _best_action(game, table, own, opp)
                if last_action >= 0:
                    target = _reward(game, rewards, last_own, last_opp, own, opp, 0) + _GAMMA * best
                    count = _change_value(table, last_own, last_opp, last_action, target, count)
                    if count < 0:
                        return False
                share, state = random_share(state)
                if share >= _EPSILON:
                    action = np.uint64(best_action)
                last_own, last_opp, last_action = own, opp, np.int64(action)
            own, opp = play(game, own, opp, action)
            agent_moves = not agent_moves
            outcome = result(game, own, opp)
        if last_action >= 0:
            if not agent_moves:  # swap to the point of view of the agent
                own, opp, outcome = opp, own, -outcome
            target = _reward(game, rewards, last_own, last_opp, own, opp, outcome)
            count = _change_value(table, last_own, last_opp, last_action, target, count)
            if count < 0:
                return False
    return True
