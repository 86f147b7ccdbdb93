"""The test of every trained agent: it must win most games against the random player."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from ci_envs import Game, make, make_agent
from ci_envs.agents import Agent, Observation
from ci_envs.arena import play_match

Policy = Callable[[Observation], NDArray[np.int64]]
"""From the observations of n boards, as :meth:`agents.Agent.act_batch` takes them, to n actions."""

ENOUGH = 0.7
"""The minimum score. The random player itself scores 0.5 (standard error 0.02 over 500 games)."""


class Trained(Agent):
    """A trained policy as an agent of the suite, which can so be compared with all the others."""

    def __init__(self, game: Game, policy: Policy) -> None:
        super().__init__(game)
        self.policy = policy

    @override
    def act_batch(self, observations: Observation) -> NDArray[np.int64]:
        return self.policy(observations)


def examine(policy: Policy, games: int = 500) -> None:
    """Play ``games`` games, half of them moving first, print how they went, and exit if that is not enough."""
    game = make("TicTacToe-v0").game
    trained = play_match(game, Trained(game, policy), make_agent("random", game, seed=0), games).sides[0]
    total = trained.total
    print(
        f"{games} games against random: {total.wins} won, {total.draws} drawn, {total.losses} lost, "
        f"{trained.illegal} of them by an illegal action; score {total.score:.1%}"
    )
    if total.score < ENOUGH or trained.illegal:
        raise SystemExit(f"it has learnt too little: the score should be {ENOUGH:.0%} or more, without illegal actions")
