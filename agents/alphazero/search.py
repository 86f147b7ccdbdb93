"""Compiled tree search with a network: many trees grow in lock-step, and their leaves are evaluated in one batch.

The result of a tree does not depend on the other trees. Proven values are stored separately from the estimates of the
network (:mod:`ci_envs.agents.search.tree`). The network does not evaluate a leaf that its children prove, and no
position twice while it is in the cache (:mod:`ci_envs.agents.alphazero.memory`).

A position that repeats an earlier position of the same path counts as a draw, so that the better side tries another
action. On Quixo, for example, both sides can sometimes leave the board unchanged for ever.

A network with a few hundred simulations misses some threats. Therefore each leaf can be searched for a result that one
side can force within a few plies: Baier and Winands, "MCTS-minimax hybrids", IEEE Transactions on Computational
Intelligence and AI in Games 7(2), 2015.
"""

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ci_envs.agents.alphazero.growth import grow
from ci_envs.agents.alphazero.gumbel import halving_table
from ci_envs.agents.alphazero.memory import new_memory
from ci_envs.agents.alphazero.result import SearchResult, write_result
from ci_envs.agents.alphazero.settings import GUMBEL, SearchSettings
from ci_envs.agents.alphazero.trees import NODE, TREE, WAITING, keep_subtrees, write_roots
from ci_envs.agents.search.tables import NO_TABLES, TablesArgument
from ci_envs.games.game import Game
from ci_envs.kernels.compiler import Monomorphic

NetworkOutput = tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]
"""The outputs of a network for n positions, ``(logits, values, draws)``: float32 (n, actions), (n,) and (n,).

The arrays are C-contiguous. Logits of illegal actions are ignored. A value, from -1 to 1, is for the player to move.
``draws`` are probabilities.
"""

Evaluate = Callable[[NDArray[np.int8]], NetworkOutput]
"""A function that evaluates planes, int8 of shape (n, height, width, channels), with a network."""


class Forest:
    """The trees of several positions, whose memory is used again for each search.

    The outputs of the network are cached between searches as long as the network is the same.

    Attributes:
        game: the game.
        settings: the settings of the search.
        positions: the maximum number of positions of a search.
        keeps_trees: whether the search of a position continues with the subtree of this position in the tree of the
            search before, if that tree contains it. The visits of the kept root count as simulations. The values in a
            tree include contempt, so contempt must be 0. Gumbel selection needs new trees.
        tables: see :func:`~ci_envs.agents.search.tables.prove_by_tables`.
    """

    def __init__(
        self,
        game: Game,
        settings: SearchSettings,
        positions: int,
        *,
        keeps_trees: bool = False,
        tables: TablesArgument = NO_TABLES,
    ) -> None:
        """Allocate the memory of the trees."""
        self.game, self.settings, self.keeps_trees, self.tables = game, settings, keeps_trees, tables
        self.allocate(positions)
        considered = min(settings.considered, game.action_count) if settings.selection == GUMBEL else 0
        self._halving = halving_table(considered, settings.simulations)
        self._evaluate: Evaluate | None = None
        self._checked: Evaluate | None = None
        self._grow = Monomorphic(grow)
        self._no_outputs = tuple(np.empty(shape, np.float32) for shape in ((0, game.action_count), 0, 0))

    def allocate(self, positions: int) -> None:
        """Discard all trees, and allocate new memory for ``positions`` trees. Arrays of :meth:`tree` stay unchanged."""
        self.positions = positions
        nodes = 1 + (self.settings.simulations + 1) * self.game.action_count
        self._nodes = np.empty((positions, nodes), NODE)
        self._trees = np.zeros(positions, TREE)
        self._planes = np.empty((positions * self.settings.leaves, *self.game.observation_shape), np.int8)
        self._waiting = np.empty(len(self._planes), WAITING)

    def search(
        self, words: NDArray[np.uint64], seeds: NDArray[np.uint64], evaluate: Evaluate, **options: Any
    ) -> SearchResult:
        """Return the final result of :meth:`grow`, which describes the arguments."""
        *_, found = self.grow(words, seeds, evaluate, **options)
        return found

    def grow(
        self,
        words: NDArray[np.uint64],
        seeds: NDArray[np.uint64],
        evaluate: Evaluate,
        *,
        contempt: NDArray[np.float64] | None = None,
        gumbel: NDArray[np.float64] | None = None,
        dirichlet: tuple[NDArray[np.float64], float] | None = None,
        steps: int = 1,
    ) -> Iterator[SearchResult]:
        """Search several positions in lock-step, and yield up to ``steps`` results; the last one is the final result.

        Args:
            words: non-terminal positions, uint64 of shape (n, 2), with n at most :attr:`positions`. Position i
                continues with a part of tree i of the search before if trees are kept.
            seeds: the seeds of the order of equal actions, uint64 of shape (n,).
            evaluate: the network. A different network must be a different function, because outputs are cached.
            contempt: maximum reduction of the value of a draw for each player to move, from 0 to 1, float64 of shape
                (n,). None is 0.
            gumbel: Gumbel noise for the root, float64 of shape (n, actions), for GUMBEL only. None is no noise.
            dirichlet: gamma variates, float64 of shape (n, actions), and the fraction of the resulting Dirichlet noise
                in the priors at the root. None is no noise.
            steps: maximum number of results.

        Raises:
            ValueError: the first outputs of a network are not a :data:`NetworkOutput`.
        """
        n = len(words)
        nodes, trees = self._nodes[:n], self._trees[:n]
        noise = np.zeros((n, self.game.action_count)) if gumbel is None else np.ascontiguousarray(gumbel)
        gammas, share = (noise, 0.0) if dirichlet is None else dirichlet
        if evaluate is not self._evaluate:
            self._memory, self._evaluate = new_memory(self.game.action_count), evaluate
            self.discard(np.arange(self.positions))
        trees["kept"] = 0
        if self.keeps_trees:
            keep_subtrees(nodes, trees, words, seeds, gammas, share)
        write_roots(self.game, nodes, trees, words, seeds, np.zeros(n) if contempt is None else contempt)
        context = self._memory, gammas, share, self.tables
        planes, waiting = self._planes, self._waiting
        shape = n, self.game.action_count
        budget = self.settings.simulations
        steps = min(steps, budget)
        for begin, end in pairwise(budget * step // steps for step in range(steps + 1)):
            trees["left"] += end - begin + (begin == 0)  # plus one simulation that evaluates the root
            search = self.game, nodes, trees, self.settings, (noise, self._halving), context, planes, waiting
            first = 0, *self._no_outputs
            grow_trees = self._grow.compile(*search, first)
            count, asked = grow_trees(*search, first)
            while asked:
                outputs = evaluate(planes[:asked])
                if evaluate is not self._checked:  # only once, because it takes a hundredth of a search
                    self._check(outputs, asked)
                    self._checked = evaluate
                count, asked = grow_trees(*search, (count, *outputs))
            (visits, policy), (values, draws, contempts, costs) = np.zeros((2, *shape)), np.zeros((4, n))
            found = SearchResult(visits, policy, values, draws, contempts, costs, np.zeros(n, np.int64))
            write_result(nodes, trees, self.settings, noise, *found)
            yield found

    def _check(self, outputs: NetworkOutput, count: int) -> None:
        """Raise ValueError if outputs do not have the types that compiled code reads without a check."""
        shapes = (count, self.game.action_count), (count,), (count,)
        for output, shape in zip(outputs, shapes, strict=True):
            if output.dtype != np.float32 or output.shape != shape or not output.flags.c_contiguous:
                raise ValueError(
                    f"a network must return C-contiguous arrays of float32 with the shapes {shapes}, not one of "
                    f"{output.dtype} with the shape {output.shape} and the strides {output.strides}"
                )

    def discard(self, trees: NDArray[np.int64]) -> None:
        """Discard the trees with these numbers. The cache of the network's outputs is kept."""
        self._trees["size"][trees] = 0

    def move(self, trees: NDArray[np.int64]) -> None:
        """Make the trees with these increasing numbers the first ones, and discard the others, if trees are kept."""
        if not self.keeps_trees:
            return
        for new, old in enumerate(trees.tolist()):
            size = int(self._trees[old]["size"])
            self._trees[new], self._nodes[new, :size] = self._trees[old], self._nodes[old, :size]
        self.discard(np.arange(len(trees), self.positions))

    def tree(self, position: int) -> NDArray[np.void]:
        """Return the nodes of a position of the last search. The next search overwrites them."""
        nodes: NDArray[np.void] = self._nodes[position]
        return nodes
