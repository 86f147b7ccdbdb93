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
"""Episodes per run: enough that most positions were visited before, as in real training runs."""

_LEARNED = 300_000  # episodes before a match


def episodes(method: str) -> Callable[[int], int]:
    """Episodes of self-play of tic-tac-toe, with the options that ``ci-envs train`` has by default."""

    def work(amount: int) -> int:
        _learned(_rule(method), amount)
        return amount

    return work


def plain_episodes(amount: int) -> int:
    """The same by Q-learning in plain Python."""
    plain_q_learning.learn(amount)
    return amount


def match(games: int) -> Callable[[], MatchResult]:
    """Games of tic-tac-toe between Q-learning and Monte Carlo."""
    first, second = (TabularAgent(_GAME, _made(method), seed=0) for method in ("q_learning", "monte_carlo"))
    return lambda: play_match(_GAME, first, second, games)


def _made(method: str) -> tuple[NDArray[np.void], Rule]:
    rule = _rule(method)
    return _learned(rule, _LEARNED), rule


def _learned(rule: Rule, amount: int) -> NDArray[np.void]:
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
