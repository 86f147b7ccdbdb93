"""Benchmarks of the tabular learners."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from benchmarks import plain_q_learning
from ci_envs import ConnectN
from ci_envs.agents.random import RandomPolicy
from ci_envs.agents.tabular.agent import TabularAgent
from ci_envs.agents.tabular.episodes import (
    FIRST_VISIT,
    LINEAR,
    Q_LEARNING,
    RUN,
    SELF,
    TURN,
    UNSHAPED,
    Rule,
    Schedule,
    play_episodes,
)
from ci_envs.agents.tabular.value_table import new_table
from ci_envs.arena import MatchResult, play_match

_GAME = ConnectN(3, 3, 3)
EPISODES, PLAIN_EPISODES = 3_000_000, 100_000
"""The number of episodes of a run. It is large, so that most positions were visited before, as in long training."""

_MATCH_EPISODES = 300_000  # episodes of training before a match


def episodes(method: str) -> Callable[[int], int]:
    """Return a function that plays episodes of self-play of tic-tac-toe, with the default options of the trainer."""

    def work(amount: int) -> int:
        _trained_table(_rule(method), amount)
        return amount

    return work


def plain_episodes(amount: int) -> int:
    """Play episodes of Q-learning in plain Python."""
    plain_q_learning.learn(amount)
    return amount


def match(games: int) -> Callable[[], MatchResult]:
    """Return a function that plays a match of tic-tac-toe between Q-learning and Monte Carlo."""
    rules = (_rule(method) for method in ("q_learning", "monte_carlo"))
    first, second = (TabularAgent(_GAME, (_trained_table(rule, _MATCH_EPISODES), rule), seed=0) for rule in rules)
    return lambda: play_match(_GAME, first, second, games)


def _trained_table(rule: Rule, amount: int) -> NDArray[np.void]:
    table, runs = new_table(_GAME.action_count, 1), np.zeros(1, RUN)
    alphas, rates = Schedule(LINEAR, 0.3, 0.02), Schedule(LINEAR, 1.0, 0.05)
    path, values = np.empty(rule.max_plies, TURN), np.empty(_GAME.action_count)
    rules = rule.to_record()
    play_episodes(_GAME, RandomPolicy(), (), table, rules, alphas, rates, amount, amount, path, values, runs)
    return table


def _rule(method: str) -> Rule:
    return Rule(
        method={"q_learning": Q_LEARNING, "monte_carlo": FIRST_VISIT}[method],
        by_state=False,
        fold=False,
        shaping=UNSHAPED,
        softmax=False,
        discount=1.0,
        initial=0.0,
        spread=0.0,
        random_plies=0,
        seat=SELF,
        max_plies=9,
    )
