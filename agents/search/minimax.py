"""Minimax: looking ahead with alpha-beta, to a depth or for a time."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from threading import Timer
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from ci_envs.agent.analysis import Analysis
from ci_envs.agent.policy import CompiledPolicy, Policy, choose, choose_batch
from ci_envs.agent.policy_agent import PolicyAgent
from ci_envs.agents.search.evaluators import Evaluator, LongestRunEvaluator, ZeroEvaluator
from ci_envs.agents.search.negamax import (
    MAX_DEPTH,
    NODES,
    STOP,
    WIN_VALUE,
    begin,
    new_table,
    new_work,
    search_actions,
)
from ci_envs.games import action_count, implements, inlined, integer_between, kernel
from ci_envs.games.game import Game
from ci_envs.games.grid import GridGame
from ci_envs.games.position import Position
from ci_envs.kernels.arrays import copy_items
from ci_envs.kernels.compiler import specialised
from ci_envs.kernels.random_numbers import random_index_from
from ci_envs.validation import nonnegative_number, positive_number, true_or_false

_DEFAULT_DEPTH = 3
_SYMMETRIC = ZeroEvaluator, LongestRunEvaluator  # symmetric positions have equal values
_TABLE, _WORK = 1, 2  # places in the memory of the policy

LeafEvaluator = Game | Evaluator | tuple[Evaluator, Game]
"""What values leaves: an object that implements ``evaluate``, or a tuple that begins with one and is passed to it."""


class MinimaxAgent(PolicyAgent):
    """Looks some plies ahead with alpha-beta and plays one of the best actions, at random where several are best.

    It deepens ply by ply until it reaches a depth or a time limit, or the game is decided. The ``evaluate`` of
    :attr:`evaluator` values the leaves.

    The values of an analysis are for the player to move: 1,000,000 less n is a win in n plies, the negative of that is
    a loss in n plies, and any smaller value is the evaluation at the end of the principal variation.
    """

    def __init__(
        self,
        game: Game,
        *,
        depth: int | None = None,
        time: float | None = None,
        pruning: bool = True,
        evaluation: bool | str = True,
        table_mb: float = 16,
        seed: int | None = None,
    ) -> None:
        """Make the agent.

        Args:
            game: any game.
            depth: plies, 1 to 64; None means as many as ``time`` allows, or 3 without a time.
            time: seconds for a decision; None means no limit.
            pruning: False visits every node, for study: slower, to the same values.
            evaluation: False values all leaves 0 that are not over, so that only wins and losses count: at depth 2 it
                wins where it can, else it blocks, else it plays at random. ``longest_run`` values them by the longest
                run of adjacent stones of the searching player in a line, for games on a grid; it needs a depth and
                no time, because who moves at a leaf depends on the depth.
            table_mb: memory of the transposition table, in 2^20 bytes; 0 does without.
            seed: decides between equally good actions.

        Raises:
            ValueError: an option is out of range.
        """
        super().__init__(game, seed=seed)
        if depth is None:
            depth = _DEFAULT_DEPTH if time is None else MAX_DEPTH
        self.depth = integer_between("depth", depth, 1, MAX_DEPTH)
        self.time = None if time is None else positive_number("time", time)
        self.pruning = true_or_false("pruning", pruning)
        self._evaluator = self._evaluator_named(evaluation)
        self._table_mb = nonnegative_number("table_mb", table_mb)

    @property
    def nodes(self) -> int:
        """The nodes that the last search visited; 0 before the first one."""
        return int(self._compiled.memory[_WORK][NODES])

    @property
    def evaluator(self) -> LeafEvaluator:
        """The object whose ``evaluate`` values leaves, at first the game.

        To replace the evaluation, derive a class from the game's, implement ``evaluate`` for it, and assign an object
        of it.
        """
        return self._evaluator

    @evaluator.setter
    def evaluator(self, evaluator: LeafEvaluator) -> None:
        self._evaluator = evaluator
        self.__dict__.pop("_compiled", None)  # whose memory holds the old one

    @override
    def policy(self) -> CompiledPolicy | None:
        return None if self.time is not None else self._new_policy()

    @override
    def choose(self, words: NDArray[np.uint64], seeds: NDArray[np.uint64]) -> NDArray[np.int64]:
        if self.time is None:
            return super().choose(words, seeds)
        policy, memory = self._compiled
        actions = np.empty(len(words), dtype=np.int64)
        for i in range(len(words)):
            rows = slice(i, i + 1)
            self._call(choose_batch, self.time, policy, self.game, words[rows], seeds[rows], memory, actions[rows])
        return actions

    def analyse(self, position: Position) -> Analysis:
        """Search a position, and value all its actions exactly.

        Raises:
            ValueError: the game is over, or it is another game.
        """
        return self._analysis(position, self.depth, self.time)

    def _analysis(self, position: Position, depth: int, seconds: float | None) -> Analysis:
        words = self.words_of(position)
        values = np.empty(self.game.action_count, dtype=np.int64)
        best, depth = self._deepen(seconds, words, depth, True, values)
        nodes = self.nodes
        action_values = {action: _by_distance(int(values[action]), depth) for action in position.legal_actions()}
        variation = (best, *self._best_play(position.play(best), depth - 1))
        return Analysis(action_values[best], action_values, variation, depth=depth, nodes=nodes)

    def think(self, position: Position) -> Iterator[Analysis]:
        """Search deeper and deeper, and yield the result of each depth; the last one is that of :meth:`analyse`.

        Raises:
            ValueError: the game is over, or it is another game.
        """
        self.words_of(position)
        return self._deeper(position)

    def _deeper(self, position: Position) -> Iterator[Analysis]:
        first, left = 1 if self.pruning else self.depth, self.time
        for depth in range(first, self.depth + 1):
            began = perf_counter()
            analysis = self._analysis(position, depth, left)
            if analysis.depth != depth:
                return
            yield analysis
            if left is not None and depth > first:  # the first may have been compiled
                left -= perf_counter() - began
                if left <= 0:
                    return

    def _best_play(self, position: Position, depth: int) -> Iterator[int]:
        values = np.empty(self.game.action_count, dtype=np.int64)
        while depth > 0 and position.result is None:
            best, _ = self._deepen(None, self.words_of(position), depth, False, values)
            yield best
            position, depth = position.play(best), depth - 1

    def _evaluator_named(self, evaluation: bool | str) -> LeafEvaluator:
        if evaluation == "longest_run":
            if self.time is not None:
                raise ValueError("evaluation=longest_run needs a depth and no time")
            if not isinstance(self.game, GridGame):
                raise ValueError(f"evaluation=longest_run needs a game on a grid, not {self.game}")
            return LongestRunEvaluator(of_mover=self.depth % 2 == 0), self.game
        if not isinstance(evaluation, bool):
            raise ValueError(f"evaluation must be true, false or longest_run, not {evaluation!r}")
        return self.game if evaluation else ZeroEvaluator()

    def _new_policy(self) -> CompiledPolicy:
        options = np.array([self.depth, self.pruning, self._fold], dtype=np.int64)
        memory = self.evaluator, new_table(self._table_mb), new_work(self.game), options
        return CompiledPolicy(MinimaxPolicy(), memory)

    @cached_property
    @override
    def _compiled(self) -> CompiledPolicy:
        return self._new_policy()

    @property
    def _fold(self) -> bool:
        # another evaluation need not be symmetric
        evaluator = self.evaluator[0] if isinstance(self.evaluator, tuple) else self.evaluator
        return self.pruning and (evaluator == self.game or isinstance(evaluator, _SYMMETRIC))

    def _deepen(
        self, seconds: float | None, words: NDArray[np.uint64], depth: int, exact: bool, values: NDArray[np.int64]
    ) -> tuple[int, int]:
        """Return the best action and the depth that the search reached; ``values`` is written."""
        table, work = self._compiled.memory[_TABLE], self._compiled.memory[_WORK]
        options = self.game, self.evaluator, *words, depth, self.pruning, self._fold
        best, reached = self._call(_deepen, seconds, *options, table, work, exact, values)
        return int(best), int(reached)

    def _call(self, function: Any, seconds: float | None, *arguments: Any) -> Any:
        """Call a kernel that searches with this agent's memory, and stop it after ``seconds``."""
        entry = specialised(function, *arguments)  # compiled before the clock starts
        work = self._compiled.memory[_WORK]
        work[STOP] = 0
        with _alarm(work, seconds):
            return entry(*arguments)


@contextmanager
def _alarm(work: NDArray[np.int64], seconds: float | None) -> Iterator[None]:
    """Stop a search when its time is over."""
    if seconds is None:
        yield
        return
    timer = Timer(seconds, work.__setitem__, (STOP, 1))
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _by_distance(value: int, depth: int) -> int:
    """Return a value that tells the distance of a win or loss, independent of the depth of the search."""
    if abs(value) < WIN_VALUE:
        return value
    plies = depth + 1 - (abs(value) - WIN_VALUE)
    return WIN_VALUE - plies if value > 0 else plies - WIN_VALUE


@kernel
def _deepen(
    game: Any,
    evaluator: Any,
    own: Any,
    opp: Any,
    depth: Any,
    pruning: Any,
    fold: Any,
    table: Any,
    work: Any,
    exact: Any,
    values: Any,
) -> Any:
    """``-> (best action, depth)``: search ever deeper; ``values`` are those of the last depth that was finished."""
    begin(table, work)
    latest = np.empty_like(values)
    best, reached = -1, 0
    for plies in range(1 if pruning else depth, depth + 1):
        action = search_actions(game, evaluator, own, opp, plies, best, exact, pruning, fold, table, work, latest)
        if work[STOP] and reached > 0:
            break
        best, reached = action, plies
        copy_items(latest, values, len(values))
        if _is_decided(values, best, exact):
            break
    return best, reached


@inlined
def _is_decided(values: Any, best: Any, exact: Any) -> Any:
    """Whether deeper search would change nothing that is wanted."""
    if not exact:
        return abs(values[best]) >= WIN_VALUE
    undecided = 0
    for value in values:
        undecided += abs(value) < WIN_VALUE
    return undecided == 0


@inlined
def best_action(
    game: Any, evaluator: Any, own: Any, opp: Any, depth: Any, pruning: Any, fold: Any, table: Any, work: Any, seed: Any
) -> Any:
    """``-> action``: one of the best actions of a position, each with the same probability.

    The other arguments are those of :func:`~ci_envs.agents.search.negamax.search_actions`.
    """
    values = np.empty(action_count(game), dtype=np.int64)
    best, _ = _deepen(game, evaluator, own, opp, depth, pruning, fold, table, work, False, values)
    return random_index_from(values, action_count(game), values[best], seed)[0]


@dataclass(frozen=True)
class MinimaxPolicy(Policy):
    """:class:`MinimaxAgent` in compiled code.

    Its memory is the evaluator, the table, the work arrays, and the options depth, pruning and fold.
    """


@implements(choose, MinimaxPolicy)
def _(policy: MinimaxPolicy) -> Any:
    def kernel(policy: Any, game: Any, own: Any, opp: Any, seed: Any, memory: Any) -> Any:
        evaluator, table, work, options = memory
        depth, pruning, fold = options[0], options[1] != 0, options[2] != 0
        return best_action(game, evaluator, own, opp, depth, pruning, fold, table, work, seed)

    return kernel
