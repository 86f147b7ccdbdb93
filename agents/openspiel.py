"""Bots of OpenSpiel as agents, for example ``openspiel:mcts``. They need the extra ``openspiel``."""

from dataclasses import dataclass
from typing import Annotated, Protocol

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray
from open_spiel.python.algorithms import mcts, minimax
from typing_extensions import override

from ci_envs.agent_interface.interface import PositionAgent
from ci_envs.games.game import Game
from ci_envs.games.position import Position
from ci_envs.openspiel import OpenSpielGame, OpenSpielState
from ci_envs.registry.options import Option, Untrusted, validated


class OpenSpielBot(Protocol):
    """An OpenSpiel algorithm with its settings, which chooses an action."""

    def choose(self, state: OpenSpielState, rng: RandomState) -> int:
        """Return an action in a non-terminal state. ``rng`` generates all random numbers."""


@dataclass(frozen=True)
class OpenSpielMCTS:
    """Monte Carlo tree search: ``open_spiel.python.algorithms.mcts.MCTSBot`` with random rollouts.

    The bot in C++ cannot be used: OpenSpiel 2.0 crashes if this bot gets a game that is written in Python.
    """

    simulations: int = 100
    uct_c: float = 1.0
    rollouts: int = 1
    solve: bool = True

    def choose(self, state: OpenSpielState, rng: RandomState) -> int:
        """Return the best action that the search finds."""
        evaluator = mcts.RandomRolloutEvaluator(self.rollouts, rng)
        bot = mcts.MCTSBot(state.get_game(), self.uct_c, self.simulations, evaluator, self.solve, rng)
        return int(bot.step(state))


@dataclass(frozen=True)
class OpenSpielMinimax:
    """Alpha-beta search: ``open_spiel.python.algorithms.minimax``. Undecided leaves have the value 0."""

    depth: int = 3

    def choose(self, state: OpenSpielState, rng: RandomState) -> int:
        """Return the first of the optimal actions."""
        _, action = minimax.alpha_beta_search(state.get_game(), state, lambda leaf: 0, self.depth)
        return int(action)


BOTS: dict[str, type[OpenSpielMCTS] | type[OpenSpielMinimax]] = {"mcts": OpenSpielMCTS, "minimax": OpenSpielMinimax}
"""The bots by their names in spec strings."""


class OpenSpielAgent(PositionAgent):
    """An algorithm of OpenSpiel, written in Python, that plays any game of ci_envs.

    Attributes:
        bot: The algorithm with its settings.
    """

    @validated
    def __init__(
        self,
        game: Game,
        bot: Annotated[
            str,
            Option(
                "algorithm; mcts: Monte Carlo tree search; minimax: alpha-beta search without an evaluation",
                choices=("mcts", "minimax"),
                untrusted=Untrusted(),
            ),
        ],
        *,
        simulations: Annotated[
            int | None,
            Option(
                "simulations per action; none is 100",
                ge=1,
                only_with="bot=mcts",
                untrusted=Untrusted(most=1000),
            ),
        ] = None,
        uct_c: Annotated[
            float | None,
            Option(
                "exploration constant, which equals exploration of our agent mcts; none is 1",
                gt=0,
                only_with="bot=mcts",
                untrusted=Untrusted(),
            ),
        ] = None,
        rollouts: Annotated[
            int | None,
            Option(
                "random rollouts per simulation; none is 1", ge=1, only_with="bot=mcts", untrusted=Untrusted(most=4)
            ),
        ] = None,
        solve: Annotated[
            bool | None,
            Option(
                "whether to prove wins, losses and draws; none is true", only_with="bot=mcts", untrusted=Untrusted()
            ),
        ] = None,
        depth: Annotated[
            int | None,
            Option(
                "search depth in plies; none is 3",
                ge=1,
                only_with="bot=minimax",
                untrusted=Untrusted(most=4),
            ),
        ] = None,
        seed: int | None = None,
    ) -> None:
        """Make the agent.

        Raises:
            ValueError: The bot is unknown, the bot does not have a given option, or a value is out of range.
        """
        options = {"simulations": simulations, "uct_c": uct_c, "rollouts": rollouts, "solve": solve, "depth": depth}
        given = {name: value for name, value in options.items() if value is not None}
        super().__init__(game, seed=seed)
        self.bot: OpenSpielBot = BOTS[bot](**given)  # type: ignore[arg-type] # the bot checks the values

    @override
    def act_on(self, words: NDArray[np.uint64]) -> NDArray[np.int64]:
        return np.array([self._act_at(Position(self.game, *row)) for row in words.tolist()], dtype=np.int64)

    def _act_at(self, position: Position) -> int:
        state = OpenSpielGame(self.game).new_initial_state(position)
        return self.bot.choose(state, RandomState(self.rng.integers(2**32)))
