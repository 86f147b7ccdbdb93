"""Exact values of positions in a search, from any exact source (:func:`~ci_envs.solver.solver.exact_source`).

A source that searches positions itself, such as that of Quarto, takes up to milliseconds for each of them. Therefore it
is asked only for the positions after the root. Any other source is asked for all nodes of a tree, or for all leaves.

A search tree uses the source in one of two ways:

* The source does not cover the root. Every node that it covers is proven with its value when its parent is expanded.
* The source covers the root. It need not know the number of plies to a win, so proving all nodes would end the
  search at once, and the agent could repeat won positions for ever. Instead, each expansion excludes the actions that
  do not keep the value of the position: the tree regards them as lost. The search chooses among the other actions. If
  the root is won, a search with iterative deepening first looks for the shortest win. It is fast, because the winner
  has to try only the actions that keep the win. When it has found a win, each further action of the agent has a shorter
  one, so the agent reaches the end of the game.
"""

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from ci_envs.agent_interface.analysis import Analysis
from ci_envs.agents.search.tree import ROOT, is_proven, plies_to_forced_win, tighten_bounds
from ci_envs.games import LOSS, ONGOING, WIN, action_count, implements, is_duplicate, legal, play, result
from ci_envs.games.game import Game
from ci_envs.games.position import Position
from ci_envs.kernels.compiler import Monomorphic, kernel
from ci_envs.kernels.dispatch import Static, operation
from ci_envs.registry.options import Option, Untrusted
from ci_envs.registry.user_code import UserCodeError, reason
from ci_envs.solver.known_value import UNKNOWN, CompiledSource, PythonSource, known_value, write_known_values
from ci_envs.solver.solution import Solution
from ci_envs.solver.solver import exact_source

Exact = Annotated[
    str | None,
    Option(
        "source of exact values: exact for the solution of the game, included for the tables or the opening book in "
        "the package, a folder with tables that ci-envs solve --store has computed, or an own source FILE.py:NAME; the "
        "search gives positions that the source covers their exact value, and considers only the actions that keep "
        "the value of the position to play; tables are loaded into memory; of Quarto and Connect Four, exact covers "
        "the opening book and the positions that are solved in milliseconds",
        untrusted=Untrusted(values=("included",)),
    ),
]
"""The option of the searches for an exact source."""

_UNKNOWN_PLIES = 1_000
"""The plies to the end of a game whose value is from a table. It is above the distances that a search finds."""

_MOST_STATES, _MOST_PLIES = 10_000, 40
"""The limits of the search for the shortest win: the number of visited states, and the number of plies."""

_WORDS = {1: "won", 0: "drawn", -1: "lost"}


@operation
def prove_by_tables(tables: Any, nodes: Any, parent: Any) -> None:
    """Tighten the bounds of the children of an expanded node by the tables, as the docstring of the module describes.

    Args:
        tables: a :class:`NoTables`, or a tuple of a :class:`TreeTables`, the game, and the compiled source.
        nodes: the tree.
        parent: the index of the node.
    """


@dataclass(frozen=True)
class NoTables(Static):
    """The argument of a search without tables."""


@implements(prove_by_tables, NoTables)
def _(tables: NoTables) -> Any:
    return lambda tables, nodes, parent: None


@dataclass(frozen=True)
class TreeTables(Static):
    """The use of an exact source in a search tree.

    Attributes:
        root_only: whether to ask only for the children of the root.
    """

    root_only: bool


TablesArgument = NoTables | tuple[TreeTables, Game, CompiledSource]
"""The first argument of :func:`prove_by_tables`."""

NO_TABLES = NoTables()


@implements(prove_by_tables, TreeTables)
def _(tables: TreeTables) -> Any:
    root_only = tables.root_only

    def kernel(tables: Any, nodes: Any, parent: Any) -> None:
        _, game, source = tables
        if is_proven(nodes[parent]) or (root_only and parent != ROOT):
            return
        excludes = known_value(source, nodes[ROOT].own, nodes[ROOT].opp) != UNKNOWN
        first, end = nodes[parent].first, nodes[parent].first + nodes[parent].children
        best, changed = LOSS, False
        for child in range(first, end):
            here = nodes[child]
            if not is_proven(here):
                value = known_value(source, here.own, here.opp)
                if value != UNKNOWN:
                    here.lower = here.upper = here.sign * value
                    here.plies = _UNKNOWN_PLIES
                    changed = True
                else:
                    excludes = False
            best = max(best, here.lower)
        if excludes:
            for child in range(first, end):
                here = nodes[child]
                if here.lower < best:
                    here.lower = here.upper = LOSS
                elif here.plies == _UNKNOWN_PLIES:
                    here.lower, here.upper, here.plies = LOSS, WIN, 0
            if best == WIN and parent == ROOT and not root_only:
                _prove_shortest_win(game, source, nodes)
        if changed:
            tighten_bounds(nodes, parent)

    return kernel


@kernel
def _prove_shortest_win(game: Any, source: Any, nodes: Any) -> None:
    """Prove the child of the root that leads to the shortest win, if a limited search finds it.

    All children that are not proven keep the win. The player to move wins, but not with one move.
    """
    left = np.array([_MOST_STATES])
    first, end = nodes[ROOT].first, nodes[ROOT].first + nodes[ROOT].children
    for plies in range(2, _MOST_PLIES, 2):
        for child in range(first, end):
            here = nodes[child]
            if not is_proven(here) and _loses_within(game, source, here.own, here.opp, plies, left):
                here.lower = here.upper = WIN
                here.plies = plies
                return
        if left[0] < 0:
            return


@kernel
def _loses_within(game: Any, source: Any, own: Any, opp: Any, plies: Any, left: Any) -> Any:
    """Return whether the player to move, whose position is lost, loses within ``plies`` plies, an even number.

    ``left`` contains the number of states that may still be visited. If it becomes negative, the result is false.
    """
    for number in range(action_count(game)):
        action = np.uint64(number)
        if not legal(game, own, opp, action) or is_duplicate(game, own, opp, action):
            continue
        next_own, next_opp = play(game, own, opp, action)
        if result(game, next_own, next_opp) == WIN:
            continue
        left[0] -= 1
        if plies_to_forced_win(game, next_own, next_opp, np.int64(1), np.bool_(True)) > 0:
            continue
        if plies == 2 or left[0] < 0:
            return False
        has_answer = False
        for reply in range(action_count(game)):
            answer = np.uint64(reply)
            if not legal(game, next_own, next_opp, answer) or is_duplicate(game, next_own, next_opp, answer):
                continue
            own2, opp2 = play(game, next_own, next_opp, answer)
            going = result(game, own2, opp2) == ONGOING
            if going and known_value(source, own2, opp2) == LOSS:
                has_answer = _loses_within(game, source, own2, opp2, plies - 2, left)
                if has_answer:
                    break
        if not has_answer:
            return False
    return True


class AgentTables:
    """The exact source of an agent.

    Attributes:
        game: the game.
        solution: the exact values.
        source: the exact values for compiled code.
    """

    def __init__(self, game: Game, name: str) -> None:
        """Load the exact values that a name means (:func:`~ci_envs.solver.solver.exact_source`).

        Raises:
            ValueError: there are no such values of the game, or a table is damaged.
        """
        self.game, self._name = game, name
        self._write_known = Monomorphic(write_known_values)
        self.solution, self.source = _load(game, name)

    @property
    def for_trees(self) -> TablesArgument:
        """The source as an argument of :func:`prove_by_tables`."""
        return TreeTables(self.solution.searches), self.game, self.source

    def raise_error(self) -> None:
        """Raise the last error of a source in Python, which cannot pass through compiled code.

        Raises:
            UserCodeError: the source has failed since the last call.
        """
        if not calls_python(self) or (error := self.source[1].error) is None:
            return
        self.source[1].error = None
        if isinstance(error, KeyboardInterrupt):
            raise error
        raise UserCodeError(f"the exact source {self._name!r} fails: {reason(error)}") from error

    def annotate(self, analysis: Analysis, position: Position) -> Analysis:
        """Return an analysis with what the source says about the position.

        In a position that it covers, ``proven`` is its value, and the means of a search by simulations are replaced by
        the exact values. The values of minimax stay, because they show which of several won positions it prefers.
        """
        words = np.array([[position.own, position.opp]], dtype=np.uint64)
        known = np.empty(1, np.int16)
        self._write_known(self.source, words, known)
        self.raise_error()
        if known[0] == UNKNOWN:
            return replace(analysis, tables=f"no value: {self.solution.why_unknown(position)}")
        values = self.solution.action_values(words)[0]
        value = int(values.max())
        analysis = replace(analysis, proven=value, tables=_WORDS[value])
        if analysis.visits is None:
            return analysis
        exact = {action: float(values[action]) for action in analysis.action_values}
        return replace(analysis, value=float(value), action_values=exact)


def annotated(analysis: Analysis, position: Position, tables: AgentTables | None) -> Analysis:
    """Return :meth:`AgentTables.annotate`, or the unchanged analysis of an agent without tables."""
    return analysis if tables is None else tables.annotate(analysis, position)


def calls_python(tables: AgentTables | None) -> bool:
    """Return whether compiled code asks a source in Python, whose errors :meth:`AgentTables.raise_error` raises."""
    return tables is not None and isinstance(tables.source[0], PythonSource)


def checked(actions: NDArray[np.int64], tables: AgentTables | None) -> NDArray[np.int64]:
    """Return the actions of an agent, or raise the error of its exact source (:meth:`AgentTables.raise_error`)."""
    if tables is not None:
        tables.raise_error()
    return actions


@lru_cache(maxsize=2)
def _load(game: Game, name: str) -> tuple[Solution, CompiledSource]:
    solution = exact_source(game, name)
    return solution, solution.compiled()
