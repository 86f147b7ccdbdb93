"""The evaluation of positions, for the winning chances and the mistakes of a game."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ci_envs.games.operations import DRAW, WIN
from ci_envs.games.position import Position
from ci_envs.solver.solution import HORIZON
from ci_envs.web.analysis_service import AnalysisService

EVALUATOR = "mcts:simulations=200"  # some ten milliseconds for each position
"""The agent that estimates winning chances where exact values are unknown."""

LONGEST_LINE = 8
"""The largest number of moves of a best line."""

_CAPACITY = 20_000


@dataclass(frozen=True)
class Evaluation:
    """The value of a position and of its actions, exact or estimated.

    Attributes:
        chance: The probability that player 0 wins, from 0 to 1. A draw counts as one half.
        exact: Whether the value is exact. Otherwise, it is an estimate.
        scores: The exact score of each action (:mod:`ci_envs.solver.solution`). Empty if they are unknown or the game
            is over.
        line: The best line of play that is known, from the position on. Empty if the game is over.
        source: The agent of an estimate.
    """

    chance: float
    exact: bool
    scores: tuple[int, ...] = ()
    line: tuple[int, ...] = ()
    source: str = EVALUATOR

    @property
    def best(self) -> tuple[int, ...]:
        """The best actions: those with the highest exact score if it is known, otherwise the first of the line."""
        if not self.scores:
            return self.line[:1]
        highest = max(self.scores)
        return tuple(action for action, score in enumerate(self.scores) if score == highest)

    @property
    def plies(self) -> int | None:
        """The number of plies to the end under optimal play, or None if it is unknown or the position is drawn."""
        highest = abs(max(self.scores, default=0))
        return HORIZON - highest if highest > 1 else None


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
            self._running[key].add_done_callback(_retrieve)
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
        scores = await asyncio.to_thread(self._analyses.exact_scores, position)
        if scores:
            exact = Evaluation(_of_score(position, max(scores)), exact=True, scores=tuple(scores))
            return replace(exact, line=exact.best[:1])
        *_, last = [each async for each in await self._analyses.start(environment, position.to_text(), EVALUATOR)]
        chance = 0.5 if last.win_probability is None else last.win_probability
        line = parse_line(position, last.principal_variation)
        return Evaluation(_of_first(position, chance), exact=False, line=line)

    async def hint(self, environment: str, position: Position, agent: str) -> int | None:
        """Return the best action by exact values if they are known, otherwise by an agent, or None if the game is over.

        Args:
            environment: An id with parameters.
            position: A position of this environment.
            agent: The spec string of the agent.

        Raises:
            ValueError: The agent is unknown, or cannot analyse.
            ClientLimitError: The client has too many searches.
            BusyError: All clients together have too many searches.
        """
        found = await self.evaluate(environment, position)
        if found.exact:
            return next(iter(found.best), None)
        *_, last = [each async for each in await self._analyses.start(environment, position.to_text(), agent)]
        return next(iter(parse_line(position, last.principal_variation)), None)

    async def best_line(self, environment: str, position: Position) -> tuple[int, ...]:
        """Return up to :data:`LONGEST_LINE` best actions, from a position on.

        Raises:
            ClientLimitError: The client has too many searches.
            BusyError: All clients together have too many searches.
        """
        actions = list[int]()
        while len(actions) < LONGEST_LINE and position.result is None:
            found = await self.evaluate(environment, position)
            if not found.exact:
                return (*actions, *found.line)[:LONGEST_LINE]
            actions.append(found.best[0])
            position = position.play(actions[-1])
        return tuple(actions)


def _retrieve(task: "asyncio.Task[Evaluation]") -> None:
    """Retrieve the error of a task. Otherwise asyncio would log it if all pages that waited for it were closed."""
    if not task.cancelled():
        task.exception()


def parse_line(position: Position, names: Sequence[str]) -> tuple[int, ...]:
    """Return the actions with these names, which are played one after the other from a position on."""
    actions = list[int]()
    for name in names:
        actions.append(position.parse_action(name))
        position = position.play(actions[-1])
    return tuple(actions)


def combined(positions: Sequence[Position], actions: Sequence[int], found: Sequence[Evaluation]) -> list[Evaluation]:
    """Return the evaluations of a game with the exact values that follow from those of the neighbouring positions.

    The score of an action is the value of the position after it. A position is won if the action that was played wins.
    An estimate is at least as good for the player to move as the next estimate: a short search does not always find
    this. Estimates and exact values are never combined.

    Args:
        positions: The positions of the game in order.
        actions: The actions between them.
        found: The evaluations of the first positions.
    """
    better = list(found)
    for ply, action in enumerate(actions[: max(0, len(found) - 1)]):
        before = better[ply]
        if before.scores and not better[ply + 1].exact:
            chance = _of_score(positions[ply], before.scores[action])
            better[ply + 1] = replace(better[ply + 1], chance=chance, exact=True)
    for ply in range(len(found) - 2, -1, -1):
        before, after = better[ply], better[ply + 1]
        if before.exact:
            continue
        if not after.exact:
            best = max if positions[ply].to_move == 0 else min
            better[ply] = replace(before, chance=best(before.chance, after.chance))
        elif after.chance == _of_score(positions[ply], WIN):
            better[ply] = replace(before, chance=after.chance, exact=True, line=(actions[ply],))
    return better


_CHANCES = {WIN: 1.0, DRAW: 0.5, -WIN: 0.0}


def _of_score(position: Position, score: int) -> float:
    """Return the chance of player 0, given an exact score for the player to move."""
    return _of_first(position, _CHANCES[(score > 0) - (score < 0)])


def _of_first(position: Position, chance: float) -> float:
    """Return the chance of player 0, given that of the player to move."""
    return chance if position.to_move == 0 else 1 - chance
