"""Estimates of how often an opponent errs after an action, for a choice among actions with the same exact value.

Against perfect play, a drawn position stays drawn, and a lost one stays lost. An opponent that errs can lose more
easily in some of these positions than in others. In chess, such choices are called practical chances.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ci_envs.agent_interface.decision import decide
from ci_envs.agent_interface.interface import Agent
from ci_envs.games.batch import play_batch
from ci_envs.games.game import Game
from ci_envs.games.operations import ONGOING
from ci_envs.games.position import Position
from ci_envs.registry.options import Option, Untrusted
from ci_envs.solver.solution import Solution, keep_value

SAMPLES = 8
"""The number of times that the opponent plays its turn in each position."""


OPPONENT = Option(
    "agent whose errors the agent provokes in drawn and lost positions that have exact values, for example "
    "minimax:depth=2 or random; none chooses among the actions that keep the value without regard to an opponent",
    untrusted=Untrusted(values=("minimax:depth=2", "random")),
)
"""The option of agents that provoke errors."""


class OpponentErrors:
    """Estimates of how often an opponent loses exact value in its next turn."""

    def __init__(self, game: Game, solution: Solution, opponent: Agent) -> None:
        """Prepare the estimates.

        Args:
            game: the game.
            solution: the exact values of the game.
            opponent: an agent for this game.
        """
        self.game, self._solution, self._opponent = game, solution, opponent

    def reseed(self, seed: int) -> None:
        """Restart the random numbers of the opponent."""
        self._opponent.reseed(seed)

    def provoked(
        self, words: NDArray[np.uint64], actions: NDArray[np.int64], rng: np.random.Generator
    ) -> NDArray[np.int64]:
        """Return the actions of a search, with others in place of those after which the opponent errs less often.

        Args:
            words: the positions, rows (own, opp), uint64 of shape (n, 2), which the solution need not cover.
            actions: the actions, int64 of shape (n,).
            rng: the random numbers of the choice among several best actions, and of the opponent.
        """
        provoked = actions.copy()
        known = np.flatnonzero(self._solution.covers(words) & self._solution.quick_from(words))
        self.reseed(int(rng.integers(2**32)))
        for row, best in self.provoking(words[known], self._solution.action_values(words[known])):
            if not best[actions[known[row]]]:
                provoked[known[row]] = rng.choice(np.flatnonzero(best))
        return provoked

    def provoking(
        self, words: NDArray[np.uint64], scores: NDArray[np.int16]
    ) -> Iterator[tuple[int, NDArray[np.bool_]]]:
        """Yield drawn and lost positions, and the actions that keep the value after which the opponent errs most often.

        Positions whose values take more than about a millisecond are left out.

        Args:
            words: positions that are not over, rows (own, opp), uint64 of shape (n, 2).
            scores: the exact scores or values of their actions, int16 of shape (n, actions).

        Yields:
            The index of the position, and which actions these are, bool of shape (actions,).
        """
        keeping = keep_value(scores)
        for row in np.flatnonzero((scores.max(axis=1) <= 0) & self._solution.quick_from(words)).tolist():
            own, opp = words[row].tolist()
            rates = self.after_actions(own, opp, keeping[row])
            yield row, rates == rates.max()

    def after_actions(self, own: int, opp: int, keeping: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Return the estimated probability that the opponent loses value in its turn after each action.

        If an action does not end the turn, its probability is that of the best continuation that keeps the value.

        Args:
            own: the first word of a position that is not over.
            opp: the second word.
            keeping: the actions to examine, which keep the value of the position, bool of shape (actions,).

        Returns:
            float64 of shape (actions,): 0 for actions that end the game, -1 for those that were not examined.
        """
        rates = np.where(keeping, 0.0, -1.0)
        turns = list(self._opponent_turns(Position(self.game, own, opp), keeping))
        if turns:
            words = np.array([(turn.own, turn.opp) for _, turn in turns], np.uint64)
            np.maximum.at(rates, [action for action, _ in turns], self.rates(words))
        return rates

    def rates(self, words: NDArray[np.uint64]) -> NDArray[np.float64]:
        """Return the share of samples in which the opponent loses value in its turn, float64 of shape (n,).

        Args:
            words: positions at the beginning of a turn of the opponent, rows (own, opp), uint64 of shape (n, 2).
        """
        before = np.repeat(self._solution.values(words), SAMPLES)
        errs = self._values_after_turns(np.repeat(words, SAMPLES, axis=0)) < before
        rates: NDArray[np.float64] = errs.reshape(-1, SAMPLES).mean(axis=1)
        return rates

    def _opponent_turns(self, position: Position, keeping: NDArray[np.bool_]) -> Iterator[tuple[int, Position]]:
        """Yield pairs of an action and a position after it in which the turn of the opponent begins."""
        for action in np.flatnonzero(keeping).tolist():
            after = position.play(action)
            if after.result is not None:
                continue
            if after.to_move != position.to_move:
                yield action, after
                continue
            values = self._solution.action_values(np.array([[after.own, after.opp]], np.uint64))[0]
            yield from ((action, turn) for _, turn in self._opponent_turns(after, keep_value(values)))

    def _values_after_turns(self, words: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Let the opponent play its turn on each board, and return the values for the opponent afterwards."""
        values, outcomes = np.empty(len(words), np.int64), np.empty((len(words), 2), np.int8)
        active = np.arange(len(words))
        while len(active):
            boards, ends = words[active], outcomes[active]
            play_batch(self.game, boards, decide(self._opponent, boards).actions, ends)
            words[active] = boards
            keeps_turn, ends_game = ends[:, 1] != 0, ends[:, 0] != ONGOING
            signs = np.where(keeps_turn, 1, -1)
            values[active[ends_game]] = (signs * ends[:, 0])[ends_game]
            passed = active[~keeps_turn & ~ends_game]
            values[passed] = -self._values(words[passed])
            active = active[keeps_turn & ~ends_game]
        return values

    def _values(self, words: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Return the values of positions, of which many are equal."""
        different, places = np.unique(words, axis=0, return_inverse=True)
        values: NDArray[np.int64] = self._solution.values(different).astype(np.int64)[places.ravel()]
        return values
