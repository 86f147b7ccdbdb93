"""The evaluation of positions, for the winning chances and the mistakes of a game."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ci_envs.games.operations import DRAW, WIN
from ci_envs.games.position import Position
from ci_envs.web.analysis_service import AnalysisService

EVALUATOR = "mcts:simulations=200"  # some ten milliseconds for each position
"""The agent that estimates winning chances where exact values are unknown."""

_CAPACITY = 20_000


@dataclass(frozen=True)
class Evaluation:
    """The value of a position and of its actions, exact or estimated.

    Attributes:
        chance: The probability that player 0 wins, from 0 to 1. A draw counts as one half.
        exact: Whether the value is exact. Otherwise, it is an estimate by :data:`EVALUATOR`.
        scores: 1 for each action that wins, -1 for each action that loses, else 0. Empty if unknown or if the game is
            over.
    """

    chance: float
    exact: bool
    scores: tuple[int, ...] = ()


class PositionEvaluator:
    """Evaluator of positions for all pages of a server. It evaluates each position once."""

    def __init__(self, analyses: AnalysisService) -> None:
        """Make the evaluator.

        Args:
            analyses: The analyses by agents.
        """
        self._analyses = analyses
        self._known: dict[tuple[str, Position], Evaluation] = {}  # the oldest first
        self._running: dict[tuple[str, Position], asyncio.Task[Evaluation]] = {}

    async def evaluate(self, environment: str, position: Position) -> Evaluation:
        """Return the exact evaluation of a position if it can be solved in 3 s, else an estimate by a short search.

        Args:
            environment: An id with parameters.
            position: A position of this environment.

        Raises:
            ClientLimitError: The client has too many searches.
            BusyError: All clients together have too many searches.
        """
        key = environment, position
        if key in self._known:
            return self._known[key]
        if key not in self._running:
            self._running[key] = asyncio.create_task(self._remember(environment, position))
        return await asyncio.shield(self._running[key])  # another page can wait for the same evaluation

    async def _remember(self, environment: str, position: Position) -> Evaluation:
        key = environment, position
        try:
            found = await self._evaluate(environment, position)
        finally:
            del self._running[key]
        while len(self._known) >= _CAPACITY:
            del self._known[next(iter(self._known))]
        self._known[key] = found
        return found

    async def _evaluate(self, environment: str, position: Position) -> Evaluation:
        if position.result is not None:
            return Evaluation(_of_first(position, _CHANCES[position.result]), exact=True)
        scores = await asyncio.to_thread(self._exact, environment, position)
        if scores:
            best = max(scores[action] for action in position.legal_actions())
            return Evaluation(_of_first(position, _CHANCES[best]), exact=True, scores=scores)
        *_, last = [each async for each in await self._analyses.start(environment, position.to_text(), EVALUATOR)]
        chance = 0.5 if last.win_probability is None else last.win_probability
        return Evaluation(_of_first(position, chance), exact=False)

    def _exact(self, environment: str, position: Position) -> tuple[int, ...]:
        values = {each.number: each.value for each in self._analyses.exact_values(environment, position.to_text())}
        return tuple(values.get(action, 0) for action in range(position.game.action_count)) if values else ()


def backed_up(positions: Sequence[Position], found: Sequence[Evaluation]) -> list[Evaluation]:
    """Return the evaluations of a game with each estimate at least as good for the player to move as the next value.

    A position is worth at least as much as the position after the move that was played. A short search does not always
    find this.

    Args:
        positions: The positions of the game in order.
        found: The evaluations of the first positions.
    """
    better = list(found)
    for ply in range(len(found) - 2, -1, -1):
        before, after = better[ply], better[ply + 1].chance
        best = max(before.chance, after) if positions[ply].to_move == 0 else min(before.chance, after)
        if not before.exact:
            better[ply] = replace(before, chance=best)
    return better


_CHANCES = {WIN: 1.0, DRAW: 0.5, -WIN: 0.0}


def _of_first(position: Position, chance: float) -> float:
    """Return the chance of player 0, given that of the player to move."""
    return chance if position.to_move == 0 else 1 - chance
