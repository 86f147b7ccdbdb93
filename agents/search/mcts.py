"""Monte Carlo tree search with random rollouts, for any game.

The search is UCT: Kocsis and Szepesvari, "Bandit based Monte-Carlo planning", ECML 2006. In addition it proves exact
values and stores them separately from the averages (:mod:`ci_envs.agents.search.mcts_tree`).
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from time import perf_counter
from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from ci_envs.agent_interface.analysis import Analysis
from ci_envs.agent_interface.capabilities import AnytimeAnalyst
from ci_envs.agent_interface.policy import CompiledPolicy, Policy, choose
from ci_envs.agent_interface.policy_agent import PolicyAgent
from ci_envs.agents.search.mcts_tree import FIRST_NODES, NODE, UCTSettings, reset_bounds, search, simulate, write_root
from ci_envs.agents.search.tables import NO_TABLES, AgentTables, Exact, annotated, calls_python, checked
from ci_envs.agents.search.tree import ROOT, choose_child, find, subtree, values_of
from ci_envs.agents.search.tree_analysis import REPORT_COUNT, tree_analysis
from ci_envs.games import implements
from ci_envs.games.game import Game
from ci_envs.games.position import Position
from ci_envs.games.truncation import computed_plies
from ci_envs.kernels.compiler import Monomorphic
from ci_envs.registry.options import Option, Untrusted, validated

DEFAULT_SIMULATIONS = 1000

MAX_NODES = 1 << 24
"""Maximum number of nodes of a tree (1 GiB). Simulations continue in a full tree, but add no nodes."""

_CHUNK = 64
"""Number of simulations between two checks of the clock."""

_PAUSE = 0.05
"""Seconds between two intermediate results."""


class _Tree(NamedTuple):
    """A search tree: the array of nodes, the number of nodes in use, and the state of the random number generator."""

    nodes: NDArray[np.void]
    size: int
    state: int


@dataclass(frozen=True)
class MCTSPolicy(Policy):
    """:class:`MCTSAgent` as a compiled policy.

    Its memory is the number of simulations, the settings, and the tables
    (:func:`~ci_envs.agents.search.tables.prove_by_tables`).
    """


@implements(choose, MCTSPolicy)
def _(policy: MCTSPolicy) -> Any:
    def kernel(policy: Any, game: Any, own: Any, opp: Any, seed: Any, memory: Any) -> Any:
        simulations, settings, tables = memory
        return search(game, own, opp, seed, simulations, settings, tables)

    return kernel


class MCTSAgent(PolicyAgent, AnytimeAnalyst):
    """Upper confidence bounds applied to trees (UCT) with random rollouts.

    The agent plays a proven win if it has found one, and a proven loss only if every action is a proven loss. Otherwise
    it plays the most visited action. With ``proofs=False`` it always plays the most visited action.

    It builds a new tree for each position, unless ``reuse`` is true.
    """

    @validated
    def __init__(
        self,
        game: Game,
        *,
        simulations: Annotated[
            int | None,
            Option("simulations per action; none is 1000 without a time", ge=1, untrusted=Untrusted(most=20_000)),
        ] = None,
        time: Annotated[
            float | None,
            Option("seconds per action; give time or simulations, not both", gt=0, untrusted=Untrusted(most=5)),
        ] = None,
        exploration: Annotated[
            float,
            Option(
                "exploration constant of UCB1, for values from -1 to 1; with 1,000 simulations of Connect Four, Quixo "
                "and Quarto, constants from 0.7 to 1 are equally strong, and 0.35 and 1.4 are not stronger",
                gt=0,
                untrusted=Untrusted(),
            ),
        ] = 1.0,
        proofs: Annotated[
            bool,
            Option(
                "whether to prove wins, losses and draws, and to stop when the position is proven; false is plain "
                "UCT, whose values are averages, and which wins more drawn positions against a weak opponent, because "
                "it does not stop when it has proven the draw",
                untrusted=Untrusted(),
            ),
        ] = True,
        reuse: Annotated[
            bool,
            Option(
                "whether to keep the tree between calls with one board and to continue with the subtree of the new "
                "position; this adds simulations, but makes the actions depend on earlier calls",
                untrusted=Untrusted(),
            ),
        ] = False,
        threads: Annotated[
            int,
            Option(
                "boards of a batch to search at the same time; the actions do not depend on this number",
                ge=1,
                untrusted=Untrusted(most=1),
            ),
        ] = 1,
        exact: Exact = None,
        seed: int | None = None,
    ) -> None:
        """Make the agent.

        Raises:
            ValueError: an option is out of range, two options exclude each other, or the exact source cannot be read.
        """
        if simulations is not None and time is not None:
            raise ValueError(
                f"give simulations or time, not both: simulations={simulations!r}, time={time!r}; leave one of them out"
            )
        self.simulations = DEFAULT_SIMULATIONS if simulations is None else simulations
        self.time, self.reuse, self.threads = time, reuse, threads
        if exact is not None and not proofs:
            raise ValueError(f"exact={exact} needs proofs=true: leave one of them out")
        self._agent_tables = None if exact is None else AgentTables(game, str(exact))
        self._tables = NO_TABLES if self._agent_tables is None else self._agent_tables.for_trees
        self._settings = UCTSettings(exploration, computed_plies(game), MAX_NODES, proofs)
        self._write_root, self._simulations = Monomorphic(write_root), Monomorphic(simulate)
        super().__init__(game, seed=seed)

    @override
    def reseed(self, seed: int | None) -> None:
        """Restart the random numbers and discard the tree."""
        super().reseed(seed)
        self._tree: _Tree | None = None

    @override
    def act_on(self, words: NDArray[np.uint64]) -> NDArray[np.int64]:
        reuse = self.reuse and len(words) == 1
        actions = [self._act_with_reuse(words[0], self._seeds.take(1)[0])] if reuse else super().act_on(words)
        return checked(np.array(actions), self._agent_tables)

    @override
    def choose(self, words: NDArray[np.uint64], seeds: NDArray[np.uint64]) -> NDArray[np.int64]:
        if self.threads == 1 or len(words) < 2:
            return self._choose_one_by_one(words, seeds)
        ends = np.linspace(0, len(words), self.threads + 1).astype(int).tolist()
        parts = [slice(begin, end) for begin, end in pairwise(ends)]
        with ThreadPoolExecutor(self.threads) as pool:
            return np.concatenate(
                list(pool.map(lambda part: self._choose_one_by_one(words[part], seeds[part]), parts)), dtype=np.int64
            )

    @override
    def policy(self) -> CompiledPolicy | None:
        return None if self.time is not None or calls_python(self._agent_tables) else self._new_policy()

    @override
    def _new_policy(self) -> CompiledPolicy:
        return CompiledPolicy(MCTSPolicy(), (self.simulations, self._settings, self._tables))

    @override
    def think(self, position: Position) -> Iterator[Analysis]:
        """Search a position with a new tree, and yield intermediate results and then the final result.

        Raises:
            ValueError: ``position`` is of another game, or the game is over.
        """
        tree = self._new_tree(self.words_of(position), self._seeds.take(1)[0])
        trees = self._growing_trees(tree)
        return (annotated(_analysis(self.game, tree.nodes), position, self._agent_tables) for tree in trees)

    def _act_with_reuse(self, words: NDArray[np.uint64], seed: np.uint64) -> int:
        self._tree = self._search(self._reused_tree(words, seed) or self._new_tree(words, seed))
        return _best_action(self._tree)

    def _choose_one_by_one(self, words: NDArray[np.uint64], seeds: NDArray[np.uint64]) -> NDArray[np.int64]:
        if self.time is None:
            return super().choose(words, seeds)
        trees = (self._search(self._new_tree(row, seed)) for row, seed in zip(words, seeds, strict=True))
        return np.array([_best_action(tree) for tree in trees], dtype=np.int64)

    def _new_tree(self, words: NDArray[np.uint64], seed: np.uint64) -> _Tree:
        nodes = np.empty(FIRST_NODES + self.game.action_count, dtype=NODE)
        size, state = self._write_root(self.game, nodes, words[0], words[1], self._tables, seed)
        if not self._settings.proofs:
            reset_bounds(nodes, ROOT)
        return _Tree(nodes, size, state)

    def _reused_tree(self, words: NDArray[np.uint64], seed: np.uint64) -> _Tree | None:
        """Return the part of the last tree below a position, or None if that tree does not contain it."""
        if self._tree is None:
            return None
        top = np.uint64(find(self._tree.nodes, self._tree.size, words[0], words[1]))
        if top == ROOT:
            return None
        nodes, size = subtree(self._tree.nodes, top)
        return _Tree(nodes, size, int(seed))

    def _search(self, tree: _Tree) -> _Tree:
        if self.time is None:
            return self._simulate(tree, self.simulations)
        *_, tree = self._search_for(tree, self.time)
        return tree

    def _growing_trees(self, tree: _Tree) -> Iterator[_Tree]:
        """Yield the tree several times while it grows."""
        if self.time is not None:
            yield from self._search_for(tree, self.time)
            return
        ends = np.linspace(0, self.simulations, min(REPORT_COUNT, self.simulations) + 1).astype(int).tolist()
        for begin, end in pairwise(ends):
            tree = self._simulate(tree, end - begin)
            yield tree
            if _is_proven(tree):
                return

    def _search_for(self, tree: _Tree, seconds: float) -> Iterator[_Tree]:
        began, reported = perf_counter(), 0.0
        while not _is_proven(tree):
            tree = self._simulate(tree, _CHUNK)
            elapsed = perf_counter() - began
            if elapsed >= seconds:
                break
            if elapsed - reported >= _PAUSE:
                reported = elapsed
                yield tree
        yield tree

    def _simulate(self, tree: _Tree, simulations: int) -> _Tree:
        settings, state = (self._settings, self._tables), np.uint64(tree.state)
        return _Tree(*self._simulations(self.game, tree.nodes, tree.size, simulations, *settings, state))


def _best_action(tree: _Tree) -> int:
    return int(tree.nodes[choose_child(tree.nodes, ROOT, 0.0)]["action"])


def _is_proven(tree: _Tree) -> bool:
    root = tree.nodes[0]
    return bool(root["lower"] == root["upper"])


def _analysis(game: Game, nodes: NDArray[np.void]) -> Analysis:
    root = nodes[0]
    proven = int(root["lower"]) if root["lower"] == root["upper"] else None
    return tree_analysis(game, nodes, float(values_of(root)), simulations=int(root["visits"]), proven=proven)
