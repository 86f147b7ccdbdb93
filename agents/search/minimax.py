"""Minimax: alpha-beta search to a fixed depth or for a fixed time."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from threading import Timer
from time import perf_counter
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from ci_envs.agent_interface.analysis import Analysis
from ci_envs.agent_interface.policy import CompiledPolicy, Policy, choose
from ci_envs.agent_interface.policy_agent import PolicyAgent
from ci_envs.agent_interface.probabilities import uniform
from ci_envs.agents.search.evaluators import Evaluator, LongestRunEvaluator, ZeroEvaluator
from ci_envs.agents.search.negamax import (
    MAX_DEPTH,
    NODES,
    STOP,
    WIN_VALUE,
    Negamax,
    begin_search,
    new_table,
    new_work,
    search_actions,
)
from ci_envs.agents.search.table_evaluator import RootTables, TableEvaluator, correct_actions
from ci_envs.agents.search.tables import NO_TABLES, AgentTables, Exact, NoTables, annotated, calls_python, checked
from ci_envs.games import action_count, implements, inlined, kernel
from ci_envs.games.game import Game
from ci_envs.games.grid import GridGame
from ci_envs.games.position import Position
from ci_envs.kernels.arrays import copy_items
from ci_envs.kernels.compiler import Monomorphic, called_from_python
from ci_envs.kernels.random_numbers import random_index_from
from ci_envs.registry.options import Option, Untrusted, validated
from ci_envs.solver.known_value import CompiledSource

_DEFAULT_DEPTH = 3
_SYMMETRIC = ZeroEvaluator, LongestRunEvaluator, TableEvaluator  # evaluators that give symmetric positions equal values
_WORK = 2  # index in the memory of the policy
_TYPICAL_EVALUATION = 200  # has the value 1/2
_NO_WIN = 1_000_000  # plies until a win that would have the value 0

LeafEvaluator = Game | Evaluator | tuple[Evaluator, *tuple[Any, ...]]
"""An evaluator of leaves: an object that implements ``evaluate``, or a tuple of such an object and its arguments."""


class MinimaxAgent(PolicyAgent):
    """Alpha-beta search to a limited depth. The agent plays one of the best actions, at random if several are equal.

    It uses iterative deepening until it reaches the depth or the time limit, or until the result of the game is known.
    The ``evaluate`` operation of :attr:`evaluator` gives the values of the leaves.

    In an analysis a win in n plies has the value 1 - n / 1,000,000, and a loss in n plies the negative of this. Any
    other value is e / (abs(e) + 200) for the evaluation e at the end of the principal variation, so it is between them.
    """

    @validated
    def __init__(
        self,
        game: Game,
        *,
        depth: Annotated[
            int | None,
            Option(
                "search depth in plies, 1 to 64; none is 64 with a time, and 3 without",
                ge=1,
                le=MAX_DEPTH,
                untrusted=Untrusted(),
            ),
        ] = None,
        time: Annotated[
            float | None,
            Option(
                "time limit of an action in seconds; none is no limit",
                gt=0,
                untrusted=Untrusted(most=5, set_with="depth"),
            ),
        ] = None,
        pruning: Annotated[
            bool,
            Option(
                "whether to use alpha-beta pruning and the transposition table; false visits every node and finds the "
                "same values, but is slower",
                untrusted=Untrusted(),
            ),
        ] = True,
        evaluation: Annotated[
            bool | str,
            Option(
                "values of the leaves; true: the evaluation of the game; false: all leaves where the game is not over "
                "have the value 0, so only wins and losses count; longest_run: the longest run of adjacent stones of "
                "the searching player in a line, for a game on a grid, with a depth and no time",
                choices=("longest_run",),
                allowed="true, false or longest_run",
                untrusted=Untrusted(),
            ),
        ] = True,
        table_mb: Annotated[
            float,
            Option(
                "memory of the transposition table in units of 2^20 bytes; 0 is no table",
                ge=0,
                le=1e6,
                only_with="pruning=true",
                untrusted=Untrusted(most=64),
            ),
        ] = 16,
        exact: Exact = None,
        seed: int | None = None,
    ) -> None:
        """Make the agent.

        Raises:
            ValueError: an option is out of range, two options exclude each other, or the exact source cannot be read.
        """
        super().__init__(game, seed=seed)
        if depth is None:
            depth = _DEFAULT_DEPTH if time is None else MAX_DEPTH
        self.depth, self.time, self.pruning = depth, time, pruning
        if exact is not None and evaluation is not True:
            raise ValueError(f"exact={exact} needs evaluation=true for positions without a table")
        self._tables = None if exact is None else AgentTables(game, str(exact))
        self._evaluator = self._make_evaluator(evaluation)
        self._table_mb = table_mb

    @property
    def nodes(self) -> int:
        """The number of nodes that the last search visited, or 0 before the first search."""
        latest = self._memory.latest
        return 0 if latest is None else int(latest.memory[_WORK][NODES])

    @property
    def evaluator(self) -> LeafEvaluator:
        """The object whose ``evaluate`` gives the values of leaves. By default it is the game.

        To replace the evaluation, derive a class from the game's class, implement ``evaluate`` for this class, and
        assign an object of it.
        """
        return self._evaluator

    @evaluator.setter
    def evaluator(self, evaluator: LeafEvaluator) -> None:
        self._evaluator = evaluator
        for name in ("_memory", "_choose_batch", "_search"):  # they are for the old evaluator
            self.__dict__.pop(name, None)

    @override
    def policy(self) -> CompiledPolicy | None:
        return None if self.time is not None or calls_python(self._tables) else self._new_policy()

    @override
    def act_on(self, words: NDArray[np.uint64]) -> NDArray[np.int64]:
        return checked(super().act_on(words), self._tables)

    @override
    def choose(self, words: NDArray[np.uint64], seeds: NDArray[np.uint64]) -> NDArray[np.int64]:
        if self.time is None:
            return super().choose(words, seeds)
        actions = np.empty(len(words), dtype=np.int64)
        with self._memory.use(self._new_policy) as (policy, memory):
            for i in range(len(words)):
                rows = slice(i, i + 1)
                arguments = policy, self.game, words[rows], seeds[rows], memory, actions[rows]
                _call(self._choose_batch, self.time, memory[_WORK], *arguments)
        return actions

    def action_probabilities(self, words: NDArray[np.uint64]) -> NDArray[np.float64] | None:
        """Return the probability of each action, float64 of shape (n, actions), or None with a time limit."""
        if self.time is not None:
            return None
        values = np.empty((len(words), self.game.action_count), dtype=np.int64)
        best = [self._deepen(None, row, self.depth, False, value)[0] for row, value in zip(words, values, strict=True)]
        return uniform(values >= values[np.arange(len(values)), best][:, np.newaxis])

    def analyse(self, position: Position) -> Analysis:
        """Search a position and return the exact minimax values of all legal actions.

        Raises:
            ValueError: ``position`` is of another game, or the game is over.
        """
        return self._analysis(position, self.depth, self.time)

    def _analysis(self, position: Position, depth: int, seconds: float | None) -> Analysis:
        words = self.words_of(position)
        values = np.empty(self.game.action_count, dtype=np.int64)
        best, depth, nodes = self._deepen(seconds, words, depth, True, values)
        action_values = {action: _scaled_value(int(values[action]), depth) for action in position.legal_actions()}
        variation = (best, *self._principal_variation(position.play(best), depth - 1))
        proven = int(np.sign(values[best])) if abs(values[best]) >= WIN_VALUE else None
        analysis = Analysis(action_values[best], action_values, variation, depth=depth, nodes=nodes, proven=proven)
        return annotated(analysis, position, self._tables)

    def think(self, position: Position) -> Iterator[Analysis]:
        """Search deeper and deeper and yield the result of each depth. The last result equals that of :meth:`analyse`.

        Raises:
            ValueError: ``position`` is of another game, or the game is over.
        """
        self.words_of(position)
        return self._deepening(position)

    def _deepening(self, position: Position) -> Iterator[Analysis]:
        first, left = 1 if self.pruning else self.depth, self.time
        for depth in range(first, self.depth + 1):
            began = perf_counter()
            analysis = self._analysis(position, depth, left)
            if analysis.depth != depth:
                return
            yield analysis
            if left is not None and depth > first:  # the first call may include compilation
                left -= perf_counter() - began
                if left <= 0:
                    return

    def _principal_variation(self, position: Position, depth: int) -> Iterator[int]:
        values = np.empty(self.game.action_count, dtype=np.int64)
        while depth > 0 and position.result is None:
            best, _, _ = self._deepen(None, self.words_of(position), depth, False, values)
            yield best
            position, depth = position.play(best), depth - 1

    def _make_evaluator(self, evaluation: bool | str) -> LeafEvaluator:
        if self._tables is not None:
            return self.game if self._tables.solution.searches else (TableEvaluator(), self.game, self._tables.source)
        if evaluation == "longest_run":
            if self.time is not None:
                raise ValueError("evaluation=longest_run needs a depth and no time: for example depth=2")
            if not isinstance(self.game, GridGame):
                raise ValueError(f"evaluation=longest_run needs a game on a grid, not {self.game}: use evaluation=true")
            return LongestRunEvaluator(of_mover=self.depth % 2 == 0), self.game
        return self.game if evaluation else ZeroEvaluator()

    @override
    def _new_policy(self) -> CompiledPolicy:
        options = np.array([self.depth, self.pruning, self._use_symmetry, self._corrects], dtype=np.int64)
        memory = self.evaluator, new_table(self._table_mb), new_work(self.game), options, self._root_tables
        return CompiledPolicy(MinimaxPolicy(), memory)

    @cached_property
    def _search(self) -> Monomorphic:
        return Monomorphic(_deepen)

    @property
    def _corrects(self) -> bool:
        """Whether an exact source corrects the values of the actions, which must then all be exact minimax values."""
        return self._tables is not None and self._tables.solution.searches

    @property
    def _root_tables(self) -> NoTables | tuple[RootTables, Game, CompiledSource]:
        """The first argument of :func:`~ci_envs.agents.search.table_evaluator.correct_actions`."""
        return (RootTables(), self.game, self._tables.source) if self._tables and self._corrects else NO_TABLES

    @property
    def _use_symmetry(self) -> bool:
        # an evaluator of the user need not give symmetric positions equal values
        evaluator = self.evaluator[0] if isinstance(self.evaluator, tuple) else self.evaluator
        return self.pruning and (evaluator == self.game or isinstance(evaluator, _SYMMETRIC))

    def _deepen(
        self, seconds: float | None, words: NDArray[np.uint64], depth: int, exact: bool, values: NDArray[np.int64]
    ) -> tuple[int, int, int]:
        """Write the values of the actions, and return the best action, the reached depth and the number of nodes."""
        with self._memory.use(self._new_policy) as (_, (evaluator, table, work, _, tables)):
            search = Negamax(self.game, evaluator, self.pruning, self._use_symmetry, table, work)
            exact = exact or self._corrects
            best, reached = _call(self._search, seconds, work, search, *words, depth, exact, values, tables)
            return int(best), int(reached), int(work[NODES])


def _call(search: Monomorphic, seconds: float | None, work: NDArray[np.int64], *arguments: Any) -> Any:
    """Call a search kernel whose arguments include the work array ``work``, and stop it after ``seconds``."""
    search.compile(*arguments)  # before the clock starts
    work[STOP] = 0
    with _stop_after(work, seconds):
        return search(*arguments)


@contextmanager
def _stop_after(work: NDArray[np.int64], seconds: float | None) -> Iterator[None]:
    """Stop the search after ``seconds``; None means no limit."""
    if seconds is None:
        yield
        return
    timer = Timer(seconds, work.__setitem__, (STOP, 1))
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _scaled_value(value: int, depth: int) -> float:
    """Return a value of the search from -1 to 1. That of a win or loss does not depend on the depth of the search."""
    if abs(value) < WIN_VALUE:
        return value / (abs(value) + _TYPICAL_EVALUATION)
    plies = depth + 1 - (abs(value) - WIN_VALUE)
    return (1 if value > 0 else -1) * (_NO_WIN - plies) / _NO_WIN


@called_from_python
@kernel
def _deepen(search: Any, own: Any, opp: Any, depth: Any, exact: Any, values: Any, tables: Any) -> Any:
    """Search with iterative deepening, and write the values of the last completed depth.

    :func:`~ci_envs.agents.search.negamax.search_actions` describes the arguments, and
    :func:`~ci_envs.agents.search.table_evaluator.correct_actions` the tables.

    Returns:
        The best action and the last completed depth.
    """
    begin_search(search.table, search.work)
    latest = np.empty_like(values)
    best, reached = -1, 0
    for plies in range(1 if search.pruning else depth, depth + 1):
        action = search_actions(search, own, opp, plies, best, exact, latest)
        if search.work[STOP] and reached > 0:
            break
        best, reached = action, plies
        copy_items(latest, values, len(values))
        if _is_decided(values, best, exact):
            break
    return correct_actions(tables, own, opp, values, best), reached


@inlined
def _is_decided(values: Any, best: Any, exact: Any) -> Any:
    """Return whether a deeper search cannot change the result."""
    if not exact:
        return abs(values[best]) >= WIN_VALUE
    undecided = 0
    for value in values:
        undecided += abs(value) < WIN_VALUE
    return undecided == 0


@inlined
def best_action(search: Any, own: Any, opp: Any, depth: Any, exact: Any, tables: Any, seed: Any) -> Any:
    """Return one of the best actions of a position, each with the same probability.

    :func:`~ci_envs.agents.search.negamax.search_actions` and
    :func:`~ci_envs.agents.search.table_evaluator.correct_actions` describe the other arguments.
    """
    values = np.empty(action_count(search.game), dtype=np.int64)
    best, _ = _deepen(search, own, opp, depth, exact, values, tables)
    return random_index_from(values, action_count(search.game), values[best], seed)[0]


@dataclass(frozen=True)
class MinimaxPolicy(Policy):
    """:class:`MinimaxAgent` as a compiled policy.

    Its memory is the evaluator, the transposition table, the work array, an array of the options depth, pruning,
    use_symmetry and whether all values are exact, and the tables for the actions at the root
    (:func:`~ci_envs.agents.search.table_evaluator.correct_actions`).
    """


@implements(choose, MinimaxPolicy)
def _(policy: MinimaxPolicy) -> Any:
    def kernel(policy: Any, game: Any, own: Any, opp: Any, seed: Any, memory: Any) -> Any:
        evaluator, table, work, options, tables = memory
        search = Negamax(game, evaluator, options[1] != 0, options[2] != 0, table, work)
        return best_action(search, own, opp, options[0], options[3] != 0, tables, seed)

    return kernel
