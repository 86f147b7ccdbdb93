"""Exact values of positions in a search: the tables that ``ci-envs solve --store`` has computed.

A search tree uses the tables in one of two ways:

* The root has no table. Every node whose position has a table is proven with its value when its parent is expanded.
* The root has a table. The tables do not contain the number of plies to a win, so proving all nodes would end the
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

from ci_envs.agent_interface.analysis import Analysis
from ci_envs.agents.search.tree import ROOT, is_proven, plies_to_forced_win, tighten_bounds
from ci_envs.games import LOSS, ONGOING, WIN, action_count, implements, is_duplicate, legal, play, result
from ci_envs.games.game import Game
from ci_envs.games.position import Position
from ci_envs.games.quixo import Quixo
from ci_envs.kernels.bits import popcount
from ci_envs.kernels.compiler import inline_kernel, kernel
from ci_envs.kernels.dispatch import Static, operation
from ci_envs.registry.options import Option, Untrusted
from ci_envs.solver.quixo_classes import DRAWN, LOST, WON, unpacked
from ci_envs.solver.quixo_included import store_named
from ci_envs.solver.quixo_ranking import rank
from ci_envs.solver.quixo_store import LoadedTables, QuixoStore, StoreSolution

Tables = Annotated[
    str | None,
    Option(
        "folder with tables of Quixo that ci-envs solve --store has computed, or included for those in the package; "
        "the search gives positions with a table their exact value, and considers only the actions that keep the value "
        "of the position to play; the tables are loaded into memory",
        untrusted=Untrusted(values=("included",)),
    ),
]
"""The option of the searches for tables."""

_UNKNOWN_PLIES = 1_000
"""The plies to the end of a game whose value is from a table. It is above the distances that a search finds."""

_MOST_STATES, _MOST_PLIES = 10_000, 40
"""The limits of the search for the shortest win: the number of visited states, and the number of plies."""

_WORDS = {1: "won", 0: "drawn", -1: "lost"}


@inline_kernel
def has_table(tables: Any, own: Any, opp: Any) -> Any:
    """Return whether a position has a table."""
    return popcount(own | opp) >= np.uint64(tables.cubes)


@inline_kernel
def table_value(tables: Any, own: Any, opp: Any) -> Any:
    """Return the value DRAWN, WON or LOST of a position that has a table, for the player to move."""
    a, b = popcount(own), popcount(opp)
    cls = a * np.uint64(tables.columns.shape[1]) + b
    place = rank(tables.ranking, tables.columns[a, b], tables.offsets[cls], tables.full, own, opp)
    return unpacked(tables.packed, np.uint64(4) * np.uint64(tables.starts[a, b]) + place)


@operation
def prove_by_tables(tables: Any, nodes: Any, parent: Any) -> None:
    """Tighten the bounds of the children of an expanded node by the tables, as the docstring of the module describes.

    Args:
        tables: a :class:`NoTables`, or a tuple of a :class:`TreeTables`, the game, and the tables in memory.
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
    """The use of tables in a search tree."""


TablesArgument = NoTables | tuple[TreeTables, Quixo, LoadedTables]
"""The first argument of :func:`prove_by_tables`."""

NO_TABLES = NoTables()


@implements(prove_by_tables, TreeTables)
def _(tables: TreeTables) -> Any:
    def kernel(tables: Any, nodes: Any, parent: Any) -> None:
        _, game, loaded = tables
        if is_proven(nodes[parent]):
            return
        excludes = has_table(loaded, nodes[ROOT].own, nodes[ROOT].opp)
        first, end = nodes[parent].first, nodes[parent].first + nodes[parent].children
        best, changed = LOSS, False
        for child in range(first, end):
            here = nodes[child]
            if not is_proven(here) and has_table(loaded, here.own, here.opp):
                value = table_value(loaded, here.own, here.opp)
                here.lower = here.upper = 0 if value == DRAWN else here.sign * (WIN if value == WON else LOSS)
                here.plies = _UNKNOWN_PLIES
                changed = True
            best = max(best, here.lower)
        if excludes:
            for child in range(first, end):
                here = nodes[child]
                if here.lower < best:
                    here.lower = here.upper = LOSS
                elif here.plies == _UNKNOWN_PLIES:
                    here.lower, here.upper, here.plies = LOSS, WIN, 0
            if best == WIN and parent == ROOT:
                _prove_shortest_win(game, loaded, nodes)
        if changed:
            tighten_bounds(nodes, parent)

    return kernel


@kernel
def _prove_shortest_win(game: Any, tables: Any, nodes: Any) -> None:
    """Prove the child of the root that leads to the shortest win, if a limited search finds it.

    All children that are not proven keep the win. The player to move wins, but not with one move.
    """
    left = np.array([_MOST_STATES])
    first, end = nodes[ROOT].first, nodes[ROOT].first + nodes[ROOT].children
    for plies in range(2, _MOST_PLIES, 2):
        for child in range(first, end):
            here = nodes[child]
            if not is_proven(here) and _loses_within(game, tables, here.own, here.opp, plies, left):
                here.lower = here.upper = WIN
                here.plies = plies
                return
        if left[0] < 0:
            return


@kernel
def _loses_within(game: Any, tables: Any, own: Any, opp: Any, plies: Any, left: Any) -> Any:
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
            if going and table_value(tables, own2, opp2) == LOST:
                has_answer = _loses_within(game, tables, own2, opp2, plies - 2, left)
                if has_answer:
                    break
        if not has_answer:
            return False
    return True


class AgentTables:
    """The tables of an agent, in memory.

    Attributes:
        game: the game.
        loaded: the tables for compiled code.
    """

    def __init__(self, game: Game, folder: str) -> None:
        """Load the tables in a folder, or those in the package if ``folder`` is ``included``.

        Raises:
            ValueError: the game cannot have tables, the folder has none, or a table is damaged.
        """
        if not isinstance(game, Quixo):
            raise ValueError(f"tables={folder} is for Quixo, not for {game}")
        self.game = game
        self._store, self.loaded = _load(game, folder)

    @property
    def for_trees(self) -> TablesArgument:
        """The tables as an argument of :func:`prove_by_tables`."""
        return TreeTables(), self.game, self.loaded

    def annotate(self, analysis: Analysis, position: Position) -> Analysis:
        """Return an analysis with what the tables say about the position.

        In a position that has a table, ``proven`` is its value. Values from -1 to 1 are replaced by the exact values.
        The integers of minimax are not replaced, because they show which of several won positions it prefers.
        """
        words = np.array([[position.own, position.opp]], dtype=np.uint64)
        if not self._store.covers(words).all():
            cubes = (position.own | position.opp).bit_count()
            text = f"no value: the position has {cubes} cubes, and the tables need at least {self.loaded.cubes}"
            return replace(analysis, tables=text)
        values = StoreSolution(self._store).action_values(words)[0]
        value = int(values.max())
        analysis = replace(analysis, proven=value, tables=_WORDS[value])
        if isinstance(analysis.value, int):
            return analysis
        exact = {action: float(values[action]) for action in analysis.action_values}
        return replace(analysis, value=float(value), action_values=exact)


def annotated(analysis: Analysis, position: Position, tables: AgentTables | None) -> Analysis:
    """Return :meth:`AgentTables.annotate`, or the unchanged analysis of an agent without tables."""
    return analysis if tables is None else tables.annotate(analysis, position)


@lru_cache(maxsize=2)
def _load(game: Quixo, folder: str) -> tuple[QuixoStore, LoadedTables]:
    store = store_named(game, folder)
    return store, store.load()
