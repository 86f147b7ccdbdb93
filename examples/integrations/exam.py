"""The test of every trained agent: it must win most games against the random player."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from ci_envs import Game, make, make_agent
from ci_envs.agents import Agent, Observation
from ci_envs.arena import play_match

Policy = Callable[[Observation], NDArray[np.int64]]
"""A function from the observations of n boards (:meth:`ci_envs.agents.Agent.act_batch`) to n actions."""

MIN_SCORE = 0.7
"""The minimum score. The random player itself scores 0.5 (standard error 0.02 over 500 games)."""


class Trained(Agent):
    """A trained policy as an agent, so that it can play matches."""

    def __init__(self, game: Game, policy: Policy) -> None:
        super().__init__(game)
        self.policy = policy

    @override
    def act_batch(self, observations: Observation) -> NDArray[np.int64]:
        return self.policy(observations)


def examine(policy: Policy, games: int = 500) -> None:
    """Play ``games`` games, half of them as first player, and print the result. Exit if the score is too low."""
    game = make("TicTacToe-v0").game
    trained = play_match(game, Trained(game, policy), make_agent("random", game, seed=0), games).sides[0]
    total = trained.total
    print(
        f"{games} games against random: {total.wins} won, {total.draws} drawn, {total.losses} lost, "
        f"{trained.faults} of them by an illegal action; score {total.score:.1%}"
    )
    if total.score < MIN_SCORE or trained.faults:
        raise SystemExit(f"The score is too low: the minimum is {MIN_SCORE:.0%}, without illegal actions.")
