"""Evaluation of the positions of games, for the graph of winning chances and for the mistakes of a game."""

import asyncio
from typing import Generic, TypeVar

from ci_envs.games.operations import DRAW, WIN
from ci_envs.games.position import Position
from ci_envs.web.thinking import Thinker

_AGENT = "mcts:simulations=200"  # some ten milliseconds a position
_CAPACITY = 20_000

T = TypeVar("T")


class _Memory(Generic[T]):
    """The most recent results by position."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, Position], T] = {}

    def keep(self, environment: str, position: Position, answer: T) -> T:
        while len(self._known) >= _CAPACITY:
            del self._known[next(iter(self._known))]
        self._known[environment, position] = answer
        return answer

    def of(self, environment: str, position: Position) -> T | None:
        return self._known.get((environment, position))


class PositionEvaluator:
    """Evaluate the positions of all games of a server, each position once."""

    def __init__(self, thinker: Thinker) -> None:
        self._thinker = thinker
        self._chances = _Memory[float]()
        self._scores = _Memory[tuple[int, ...]]()

    async def chance(self, environment: str, position: Position) -> float:
        """Return the probability that player 0 wins, as a short search estimates it; a draw counts one half.

        Raises:
            BusyError: too many searches are running.
        """
        known = self._chances.of(environment, position)
        if known is None:
            known = self._chances.keep(environment, position, await self._chance(environment, position))
        return known

    async def scores(self, environment: str, position: Position) -> tuple[int, ...]:
        """Return 1 for each action that wins, -1 for each that loses, else 0; empty if unknown or the game is over."""
        known = self._scores.of(environment, position)
        if known is None:
            found = await asyncio.to_thread(self._exact, environment, position)
            known = self._scores.keep(environment, position, found)
        return known

    async def _chance(self, environment: str, position: Position) -> float:
        if position.result is not None:
            mine = {WIN: 1.0, DRAW: 0.5}.get(position.result, 0.0)
        else:
            *_, last = [each async for each in await self._thinker.begin(environment, position.to_text(), _AGENT)]
            mine = 0.5 if last.win_probability is None else last.win_probability
        return mine if position.to_move == 0 else 1 - mine

    def _exact(self, environment: str, position: Position) -> tuple[int, ...]:
        if position.result is not None:
            return ()
        values = {each.number: each.value for each in self._thinker.verdicts(environment, position.to_text())}
        return tuple(values.get(action, 0) for action in range(position.game.action_count)) if values else ()


_WORDS = {1: "won", 0: "drawn", -1: "lost"}


def mistake(position: Position, scores: tuple[int, ...], action: int) -> str | None:
    """Return the value that an action lost, for example ``from won to drawn``; None if it lost none or if unknown."""
    if not scores:
        return None
    best = max(scores[each] for each in position.legal_actions())
    return None if scores[action] == best else f"from {_WORDS[best]} to {_WORDS[scores[action]]}"
