"""Compiled tree search with a network: many trees grow in lock-step, and their leaves are evaluated in one batch.

The result of a tree does not depend on the other trees. Proven values are stored separately from the estimates of the
network (:mod:`ci_envs.agents.search.tree`). The network does not evaluate a leaf that its children prove, and no
position twice while it is in the cache (:mod:`ci_envs.agents.alphazero.memory`).

A position that repeats an earlier position of the same path counts as a draw, so that the better side tries another
action. On Quixo, for example, both sides can sometimes leave the board unchanged for ever. With contempt, the player to
move at the root gives a draw a value below 0, and adjusts the value of each position in proportion to its draw
probability. Contempt decreases with the value of the root, because a draw is a good result for a player who is behind.

A simulation selects actions by PUCT, as in AlphaZero, or by UCB1 with the prior as a factor, as report A describes it.
In this rule an untried action has the value 0 and counts as tried once.

At the root, the search can use sequential halving with Gumbel noise instead, which improves the policy even with few
simulations: Danihelka, Guez, Schrittwieser and Silver, "Policy improvement by planning with Gumbel", ICLR 2022. Values
are from -1 to 1 here, so the constant of 1 for values from 0 to 1 becomes 1/2.

Several leaves of one tree can wait for the network together, because a batch takes less time for each position. PUCT
counts a waiting simulation as a visit of the nodes on its path, so the next simulation prefers other actions, but the
mean values do not change: Liu, Chen, Yu, Zhai, Zhou and Liu, "Watch the unobserved: a simple approach to parallelizing
Monte Carlo tree search", ICLR 2020.

A network with a few hundred simulations misses some threats. Therefore each leaf can be searched for a result that one
side can force within a few plies: Baier and Winands, "MCTS-minimax hybrids", IEEE Transactions on Computational
Intelligence and AI in Games 7(2), 2015.
"""

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ci_envs.agents.alphazero.memory import add_entry, find_entry, new_memory
from ci_envs.agents.search.tables import NO_TABLES, TablesArgument, prove_by_tables
from ci_envs.agents.search.tree import (
    ROOT,
    back_up,
    child_of,
    choose_child,
    expand,
    find,
    is_proven,
    node_type,
    outcome_value,
    own_bounds,
    prove_children,
    reset,
    subtree,
    tighten_ancestors,
)
from ci_envs.games import DRAW, LOSS, ONGOING, WIN, action_count, is_duplicate, kernel, legal
from ci_envs.games.game import Game
from ci_envs.games.observation import write_planes
from ci_envs.kernels.arrays import copy_items
from ci_envs.kernels.compiler import Monomorphic, inlined

NetworkOutput = tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]
"""The outputs of a network for n positions, ``(logits, values, draws)``: float32 (n, actions), (n,) and (n,).

Logits of illegal actions are ignored. A value, from -1 to 1, is for the player to move. ``draws`` are probabilities.
"""

Evaluate = Callable[[NDArray[np.int8]], NetworkOutput]
"""A function that evaluates planes, int8 of shape (n, height, width, channels), with a network."""

NODE = node_type(np.float32, np.float32, ("waiting", np.uint8), ("prior", np.float32))
"""The dtype of a node: one of :mod:`ci_envs.agents.search.tree` with a prior.

``waiting`` is the number of simulations through the node that wait for the network.
"""

WAITING = np.dtype(
    [("tree", np.int64), ("leaf", np.uint64), ("draw", np.float64), ("entry", np.int64), ("children", np.uint16)],
    align=True,
)
"""The dtype of a leaf that waits for the network.

Fields: its tree and node, the value of a draw as in :data:`TREE`, its entry in the cache or -1, and the number of its
children. While it waits, the node itself has no children, because they have no priors yet.
"""

TREE = np.dtype(
    [
        ("size", np.uint64),
        ("leaf", np.uint64),
        ("draw", np.float64),
        ("left", np.int64),
        ("kept", np.uint64),
        ("state", np.uint64),
        ("raw", np.float64),
        ("drawn", np.float64),
        ("contempt", np.float64),
        ("cost", np.float64),
    ]
)
"""The dtype of a tree.

Fields:

* ``size``: the number of nodes in use.
* ``leaf``: the node where the last simulation ended.
* ``draw``: the value of a draw for the player who moved to the leaf.
* ``left``: the number of remaining simulations.
* ``kept``: the number of visits of the root in earlier searches.
* ``state``: the state of the random number generator.
* ``raw``: the network's value of the root for the player to move, without search.
* ``drawn``: the sum of the draw probabilities of the leaves.
* ``contempt``: the maximum reduction of the value of a draw for the player to move at the root.
* ``cost``: the sum of the reductions of the values of the leaves by contempt, for the player to move at the root.
"""

PUCT, UCB, GUMBEL = 0, 1, 2
SELECTIONS = {"puct": PUCT, "ucb": UCB, "gumbel": GUMBEL}
"""The selection rules by name."""

MAX_SIMULATIONS, MAX_LOOKAHEAD, MAX_LEAVES = 1_000_000, 8, 64
"""The largest values of :class:`SearchSettings`."""

_VISITS_ADDED, _Q_SCALE = 50.0, 0.5
_CONTEMPT_LIMIT = 0.5  # contempt is 0 below the negative of this value


class SearchSettings(NamedTuple):
    """The settings of a search.

    Attributes:
        selection: PUCT, UCB or GUMBEL.
        exploration: the exploration constant, the factor of the prior.
        simulations: number of simulations, without the evaluation of the root.
        considered: number of actions that the root considers with GUMBEL.
        lookahead: plies within which a leaf about to be evaluated is searched for a forced result; 1 examines only its
            children.
        prior_temperature: divisor of the logits of the network. Above 1 the priors are flatter than its policy.
        leaves: maximum number of leaves of a tree that the network evaluates together.
    """

    selection: int = PUCT
    exploration: float = 1.5
    simulations: int = 200
    considered: int = 16
    lookahead: int = 1
    prior_temperature: float = 1.0
    leaves: int = 1


class SearchResult(NamedTuple):
    """The results of a search of n positions.

    Attributes:
        visits: number of simulations that began with each action, float64 of shape (n, actions). Of several actions
            that lead to the same position only one is searched.
        policy: the policy of the search, float64 of shape (n, actions): the shares of the visits of the actions that
            are not closed; the improved policy with GUMBEL; only the best action if the position or that action is
            proven.
        values: values for the player to move, from -1 to 1, including contempt, float64 of shape (n,).
        draws: mean draw probability of the leaves of this search, from 0 to 1, float64 of shape (n,).
        contempt: contempt at the end of the search, from 0 to 1, float64 of shape (n,).
        costs: reduction of ``values`` by contempt, float64 of shape (n,).
        actions: the best actions, int64 of shape (n,).
    """

    visits: NDArray[np.float64]
    policy: NDArray[np.float64]
    values: NDArray[np.float64]
    draws: NDArray[np.float64]
    contempt: NDArray[np.float64]
    costs: NDArray[np.float64]
    actions: NDArray[np.int64]


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
        self.game, self.settings, self.positions, self.keeps_trees = game, settings, positions, keeps_trees
        self.tables = tables
        nodes = 1 + (settings.simulations + 1) * game.action_count
        self._nodes = np.empty((positions, nodes), NODE)
        self._trees = np.zeros(positions, TREE)
        self._planes = np.empty((positions * settings.leaves, *game.observation_shape), np.int8)
        self._waiting = np.empty(len(self._planes), WAITING)
        self._halving = halving_table(settings.considered, settings.simulations)
        self._evaluate: Evaluate | None = None
        self._grow, self._receive_outputs = Monomorphic(grow), Monomorphic(receive_outputs)

    def search(
        self,
        words: NDArray[np.uint64],
        seeds: NDArray[np.uint64],
        evaluate: Evaluate,
        *,
        contempt: NDArray[np.float64] | None = None,
        gumbel: NDArray[np.float64] | None = None,
        dirichlet: tuple[NDArray[np.float64], float] | None = None,
    ) -> SearchResult:
        """Search several positions in lock-step.

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
        """
        *_, found = self.grow(words, seeds, evaluate, contempt=contempt, gumbel=gumbel, dirichlet=dirichlet)
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
        """Search as :meth:`search` does, and yield up to ``steps`` results; the last one is the final result."""
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
        for begin, end in pairwise(np.linspace(0, budget, min(steps, budget) + 1).astype(int).tolist()):
            trees["left"] += end - begin + (begin == 0)  # plus one simulation that evaluates the root
            search = self.game, nodes, trees, self.settings
            while True:
                count, asked = self._grow(*search, noise, self._halving, context, planes, waiting)
                if not asked:
                    break
                outputs = (np.ascontiguousarray(output, np.float32) for output in evaluate(planes[:asked]))
                self._receive_outputs(*search, context, waiting[:count], *outputs)
            (visits, policy), (values, draws, contempts, costs) = np.zeros((2, *shape)), np.zeros((4, n))
            found = SearchResult(visits, policy, values, draws, contempts, costs, np.zeros(n, np.int64))
            write_result(nodes, trees, self.settings, noise, *found)
            yield found

    def discard(self, trees: NDArray[np.int64]) -> None:
        """Discard the trees with these numbers. The cache of the network's outputs is kept."""
        self._trees["size"][trees] = 0

    def move(self, trees: NDArray[np.int64]) -> None:
        """Make the trees with these increasing numbers the first ones, and discard the others."""
        for new, old in enumerate(trees.tolist()):
            size = int(self._trees[old]["size"])
            self._trees[new], self._nodes[new, :size] = self._trees[old], self._nodes[old, :size]
        self.discard(np.arange(len(trees), self.positions))

    def tree(self, position: int) -> NDArray[np.void]:
        """Return the nodes of a position of the last search. The next search overwrites them."""
        nodes: NDArray[np.void] = self._nodes[position]
        return nodes


def draw_actions(found: SearchResult, temperature: float, rng: Generator) -> NDArray[np.int64]:
    """Sample actions from the policies to the power of 1 / temperature. 0 returns the best actions."""
    if temperature == 0:
        return found.actions
    weights = (found.policy / found.policy.max(axis=1, keepdims=True)) ** (1 / temperature)
    heights = np.cumsum(weights, axis=1)
    drawn: NDArray[np.int64] = (heights <= rng.random((len(heights), 1)) * heights[:, -1:]).sum(axis=1)
    return drawn


def halving_table(considered: int, simulations: int) -> NDArray[np.int64]:
    """Return the visit count of the action that each simulation selects at the root.

    There is one row for each number of considered actions, as in DeepMind's mctx: all of them are visited equally
    often, then the better half of them, and so on.

    Returns:
        int64 of shape (considered + 1, simulations).
    """
    return np.array([_halving(number, simulations) for number in range(considered + 1)], dtype=np.int64).reshape(
        considered + 1, simulations
    )


def _halving(considered: int, simulations: int) -> list[int]:
    if considered <= 1:
        return list(range(simulations))
    rounds = int(np.ceil(np.log2(considered)))
    sequence: list[int] = []
    visits, left = [0] * considered, considered
    while len(sequence) < simulations:
        for _ in range(max(1, int(simulations / (rounds * left)))):
            sequence += visits[:left]
            visits = [count + 1 for count in visits[:left]]
        left = max(2, left // 2)
    return sequence[:simulations]


@kernel
def write_roots(game: Any, forest: Any, trees: Any, words: Any, seeds: Any, contempt: Any) -> None:
    """Initialise each tree that is not kept with its root."""
    for i in range(len(trees)):
        if trees[i].kept > 0:
            continue
        reset(forest[i, ROOT], words[i, 0], words[i, 1], ROOT, np.int8(1), ONGOING)
        forest[i, ROOT].waiting = 0
        trees[i].size, trees[i].left, trees[i].state = 1, 0, seeds[i]
        trees[i].drawn, trees[i].contempt, trees[i].cost = 0.0, contempt[i], 0.0


@kernel
def keep_subtrees(forest: Any, trees: Any, words: Any, seeds: Any, gammas: Any, share: Any) -> None:
    """Reduce each tree that contains its new position below the root to the subtree of the position."""
    for i in range(len(trees)):
        nodes, tree = forest[i], trees[i]
        top = np.uint64(find(nodes, tree.size, words[i, 0], words[i, 1]))
        if top == ROOT:
            continue
        kept, size = subtree(nodes, top)
        copy_items(kept, nodes, size)
        root = nodes[ROOT]
        if root.sign < 0:  # the values of a root are for the player to move
            root.total, root.lower, root.upper, root.sign = -root.total, -root.upper, -root.lower, 1
        if share > 0:
            _mix_in_noise(nodes, gammas[i], share)
        tree.size, tree.state, tree.kept, tree.left = size, seeds[i], root.visits, -np.int64(root.visits)
        tree.drawn, tree.contempt, tree.cost = 0.0, 0.0, 0.0


@kernel
def grow(
    game: Any, forest: Any, trees: Any, settings: Any, noise: Any, halving: Any, context: Any, planes: Any, waiting: Any
) -> Any:
    """Grow each tree to leaves that wait for the network.

    The leaves are written to ``waiting``, and the planes of those that the cache does not contain to ``planes``. A tree
    without such a leaf has no simulations left or is proven. ``context`` is the cache of network outputs, the gamma
    variates for the roots (:func:`_mix_in_noise`), the fraction of the noise, and the tables.

    Returns:
        The number of leaves, and the number of planes.
    """
    memory, gammas, share, tables = context
    count, asked = 0, 0
    for i in range(len(trees)):
        begin, asked_before = count, asked
        while True:
            for _ in range(settings.leaves):
                if not _grow(game, forest[i], trees[i], settings, noise[i], halving, tables):
                    break
                leaf = forest[i, trees[i].leaf]
                entry = find_entry(memory, leaf.own, leaf.opp)
                if entry < 0:
                    write_planes(game, leaf.own, leaf.opp, planes[asked])
                    asked += 1
                waits = waiting[count]
                waits.tree, waits.leaf, waits.draw, waits.entry = i, trees[i].leaf, trees[i].draw, entry
                waits.children, leaf.children = leaf.children, 0
                _count_waiting(forest[i], trees[i].leaf, 1)
                count += 1
            if asked > asked_before or count == begin:
                break
            # the cache contains all of them: they have waited nevertheless, so the result does not depend on the cache
            for k in range(begin, count):
                _end_waiting(game, forest[i], trees[i], settings, waiting[k], memory, gammas[i], share)
            count = begin
    return count, asked


@kernel
def _grow(game: Any, nodes: Any, tree: Any, settings: Any, noise: Any, halving: Any, tables: Any) -> Any:
    """Grow a tree and return whether it has a new leaf for the network. Other leaves are backed up at once."""
    while tree.left > 0 and not is_proven(nodes[ROOT]):
        node = _select_leaf(nodes, tree, settings, noise, halving)
        if _waits(nodes[node]):
            return False
        tree.left -= 1
        if _repeats(nodes, node):
            _back_up_outcome(nodes, tree, np.int8(DRAW))
            continue
        if not is_proven(nodes[node]):
            tree.size, tree.state = expand(game, nodes, node, tree.size, tree.state)
            prove_by_tables(tables, nodes, node)
            if settings.lookahead > 1 and not is_proven(nodes[node]):
                prove_children(game, nodes, node, settings.lookahead)
            if not is_proven(nodes[node]):
                return True
        _back_up_outcome(nodes, tree, nodes[node].lower)
        tighten_ancestors(nodes, node)
    return False


@kernel
def _back_up_outcome(nodes: Any, tree: Any, outcome: Any) -> None:
    """Back up the outcome of the leaf for the player who moved to it."""
    _count_draw(tree, np.float64(outcome == DRAW))
    back_up(nodes, tree.leaf, outcome_value(outcome, tree.draw), tree.draw)


@inlined
def _count_draw(tree: Any, probability: Any) -> None:
    """Record the probability of a draw at a leaf."""
    tree.drawn += probability
    tree.cost += abs(tree.draw) * probability


@inlined
def _contempt(nodes: Any, tree: Any) -> Any:
    """Return the contempt of the player to move at the root for the present value of the root without contempt."""
    root = nodes[ROOT]
    value = (np.float64(root.total) + tree.cost) / max(np.float64(root.visits), 1.0)
    return _reduced_contempt(tree.contempt, value)


@inlined
def _reduced_contempt(contempt: Any, value: Any) -> Any:
    """Return the contempt in a position of this value: all of it from 0 on, 0 at -``_CONTEMPT_LIMIT`` and below."""
    return contempt * min(max(1.0 + value / _CONTEMPT_LIMIT, 0.0), 1.0)


@kernel
def _repeats(nodes: Any, node: Any) -> Any:
    """Return whether an ancestor of a node has the same position with the same player to move."""
    here = nodes[node]
    sign = here.sign
    while node != ROOT:
        node = nodes[node].parent
        if sign > 0 and nodes[node].own == here.own and nodes[node].opp == here.opp:
            return True
        sign *= nodes[node].sign
    return False


@kernel
def receive_outputs(
    game: Any, forest: Any, trees: Any, settings: Any, context: Any, waiting: Any, logits: Any, values: Any, draws: Any
) -> None:
    """Pass the outputs of the network to the trees that wait for them."""
    memory, gammas, share, _ = context
    row = 0
    for k in range(len(waiting)):
        i = waiting[k].tree
        if waiting[k].entry < 0:
            leaf = forest[i, waiting[k].leaf]
            waiting[k].entry = add_entry(memory, leaf.own, leaf.opp, logits[row], values[row], draws[row])
            row += 1
        _end_waiting(game, forest[i], trees[i], settings, waiting[k], memory, gammas[i], share)


@kernel
def _end_waiting(
    game: Any, nodes: Any, tree: Any, settings: Any, waits: Any, memory: Any, gammas: Any, share: Any
) -> None:
    """Give a leaf its output, which is in the cache."""
    output = memory.entries[waits.entry]
    tree.leaf, tree.draw = waits.leaf, waits.draw
    nodes[tree.leaf].children = waits.children
    if _count_waiting(nodes, tree.leaf, -1):
        _apply_output(game, nodes, tree, settings, output, gammas, share)
    else:
        _set_priors(game, nodes, tree.leaf, output.logits, settings.prior_temperature)


@inlined
def _waits(node: Any) -> Any:
    """Return whether a node is a leaf that waits for the network."""
    return node.waiting > 0 and node.children == 0


@kernel
def _count_waiting(nodes: Any, node: Any, change: Any) -> Any:
    """Change the number of waiting simulations on a path, and return whether no node below the root is closed."""
    is_open = True
    while node != ROOT:
        nodes[node].waiting += change
        is_open &= nodes[node].mean != -np.inf
        node = np.uint64(nodes[node].parent)
    nodes[ROOT].waiting += change
    return is_open


@kernel
def _apply_output(game: Any, nodes: Any, tree: Any, settings: Any, output: Any, gammas: Any, share: Any) -> None:
    """Expand and back up the leaf of a tree with the output of the network."""
    leaf = tree.leaf
    _set_priors(game, nodes, leaf, output.logits, settings.prior_temperature)
    if leaf == ROOT:
        tree.draw = -_reduced_contempt(tree.contempt, np.float64(output.value))
    value = np.float64(nodes[leaf].sign) * np.float64(output.value) + tree.draw * np.float64(output.draw)
    if leaf == ROOT:
        tree.raw = max(value, np.float64(LOSS))
        if share > 0:
            _mix_in_noise(nodes, gammas, share)
    _count_draw(tree, np.float64(output.draw))
    back_up(nodes, leaf, value, tree.draw)
    if nodes[leaf].lower > LOSS or nodes[leaf].upper < WIN:
        tighten_ancestors(nodes, leaf)


@kernel
def _set_priors(game: Any, nodes: Any, parent: Any, logits: Any, temperature: Any) -> None:
    """Set the priors of the children; the prior of a duplicate is added to that of the child with the same position."""
    here = nodes[parent]
    first, end = here.first, here.first + here.children
    largest = -np.inf
    for number in range(action_count(game)):
        if legal(game, here.own, here.opp, np.uint64(number)):
            largest = max(largest, np.float64(logits[number]))
    for child in range(first, end):
        nodes[child].waiting = 0
        nodes[child].prior = np.exp((np.float64(logits[nodes[child].action]) - largest) / temperature)
    for number in range(action_count(game)):
        action = np.uint64(number)
        if legal(game, here.own, here.opp, action) and is_duplicate(game, here.own, here.opp, action):
            weight = np.exp((np.float64(logits[number]) - largest) / temperature)
            nodes[child_of(game, nodes, parent, action)].prior += weight
    total = 0.0
    for child in range(first, end):
        total += nodes[child].prior
    for child in range(first, end):
        nodes[child].prior = np.float64(nodes[child].prior) / total


@kernel
def _mix_in_noise(nodes: Any, gammas: Any, share: Any) -> None:
    """Mix Dirichlet noise, made of gamma variates, with the priors of the root."""
    first, end = nodes[ROOT].first, nodes[ROOT].first + nodes[ROOT].children
    total = 0.0
    for child in range(first, end):
        total += gammas[nodes[child].action]
    for child in range(first, end):
        noise = gammas[nodes[child].action] / total
        nodes[child].prior = (1 - share) * nodes[child].prior + share * noise


@kernel
def _select_leaf(nodes: Any, tree: Any, settings: Any, noise: Any, halving: Any) -> Any:
    """Select a path from the root to a leaf, a node without children, and return the leaf."""
    node, draw = ROOT, -_contempt(nodes, tree)
    if settings.selection == GUMBEL and nodes[ROOT].children > 0:
        node = _select_at_root(nodes, tree, settings, noise, halving)
    while nodes[node].children > 0 and not is_proven(nodes[node]):
        draw *= nodes[node].sign
        node = _select(nodes, node, settings)
    tree.leaf, tree.draw = node, draw
    return node


@kernel
def _select(nodes: Any, parent: Any, settings: Any) -> Any:
    here = nodes[parent]
    # an unvisited action gets the value of the position
    unvisited = np.float64(here.sign) * np.float64(here.total) / np.float64(here.visits)
    ucb = settings.selection == UCB
    begun = np.float64(here.visits) + np.float64(here.waiting)
    factor = settings.exploration * np.sqrt(np.log(begun) if ucb else begun)
    best, best_score = here.first, -np.inf
    for child in range(here.first, here.first + here.children):
        mean, visits, prior = np.float64(nodes[child].mean), nodes[child].visits, np.float64(nodes[child].prior)
        if mean == -np.inf:
            continue
        if ucb:
            score = factor * prior if visits == 0 else mean + factor * prior * np.float64(nodes[child].spread)
        else:
            score = (unvisited if visits == 0 else mean) + factor * prior / (1.0 + visits + nodes[child].waiting)
        if score > best_score:
            best, best_score = child, score
    return np.uint64(best)


@kernel
def _select_at_root(nodes: Any, tree: Any, settings: Any, noise: Any, halving: Any) -> Any:
    """Return the best child whose visit count is closest to the one that sequential halving selects."""
    root = nodes[ROOT]
    filled, scale = _value_of_unvisited(nodes, tree.raw)
    draw = -_contempt(nodes, tree)
    number = np.int64(root.visits) - 1
    wanted = halving[min(settings.considered, np.int64(root.children)), min(number, halving.shape[1] - 1)]
    best, best_gap, best_score = root.first, np.inf, -np.inf
    for child in range(root.first, root.first + root.children):
        if nodes[child].mean == -np.inf:
            continue
        gap = abs(np.float64(nodes[child].visits) - wanted)
        score = noise[nodes[child].action] + _improved_logit(nodes[child], filled, scale, draw)
        if gap < best_gap or (gap == best_gap and score > best_score):
            best, best_gap, best_score = child, gap, score
    return np.uint64(best)


@kernel
def _value_of_unvisited(nodes: Any, raw: Any) -> Any:
    """Return the value of unvisited actions at the root, and the weight of all values."""
    root = nodes[ROOT]
    tried, weighted, visits, most = 0.0, 0.0, 0.0, 0.0
    for child in range(root.first, root.first + root.children):
        if nodes[child].visits > 0:
            prior = np.float64(nodes[child].prior)
            tried += prior
            weighted += prior * np.float64(nodes[child].total) / nodes[child].visits
            visits += nodes[child].visits
            most = max(most, np.float64(nodes[child].visits))
    value = raw
    if tried > 0:
        value = (value + visits * weighted / tried) / (1 + visits)
    return value, (_VISITS_ADDED + most) * _Q_SCALE


@kernel
def _improved_logit(child: Any, filled: Any, scale: Any, draw: Any) -> Any:
    value = filled
    if is_proven(child):
        value = np.float64(outcome_value(child.lower, draw))
    elif child.visits > 0:
        value = np.float64(child.total) / child.visits
    return np.log(max(np.float64(child.prior), 1e-30)) + scale * value


@kernel
def write_result(
    forest: Any,
    trees: Any,
    settings: Any,
    noise: Any,
    visits: Any,
    policy: Any,
    values: Any,
    draws: Any,
    contempt: Any,
    costs: Any,
    actions: Any,
) -> None:
    """Write a :class:`SearchResult` into arrays of zeros."""
    for i in range(len(forest)):
        nodes = forest[i]
        root = nodes[ROOT]
        first, end = root.first, root.first + root.children
        for child in range(first, end):
            visits[i, nodes[child].action] = nodes[child].visits
        contempt[i] = _contempt(nodes, trees[i])
        best = choose_child(nodes, ROOT, -contempt[i])
        lower, upper = own_bounds(root)
        if lower == upper:
            policy[i, nodes[best].action] = 1
            values[i], draws[i] = lower, lower == DRAW
        else:
            values[i], draws[i] = (
                np.float64(root.total) / root.visits,
                trees[i].drawn / max(root.visits - trees[i].kept, 1),
            )
            costs[i] = trees[i].cost / root.visits
            if settings.selection == GUMBEL:
                best = _write_improved_policy(nodes, trees[i], noise[i], policy[i])
            else:
                _write_visit_shares(nodes, best, policy[i])
        actions[i] = nodes[best].action


@kernel
def _write_visit_shares(nodes: Any, best: Any, policy: Any) -> None:
    """Write the visit shares of the root's open children, or 1 for the best child if it is closed."""
    root = nodes[ROOT]
    total = 0.0
    for child in range(root.first, root.first + root.children):
        if nodes[child].mean != -np.inf:
            policy[nodes[child].action] = nodes[child].visits
            total += nodes[child].visits
    if total > 0 and nodes[best].mean != -np.inf:
        policy /= total
    else:
        policy[:] = 0
        policy[nodes[best].action] = 1


@kernel
def _write_improved_policy(nodes: Any, tree: Any, noise: Any, policy: Any) -> Any:
    """Write the improved policy, and return the best child of the root."""
    root = nodes[ROOT]
    first, end = root.first, root.first + root.children
    filled, scale = _value_of_unvisited(nodes, tree.raw)
    draw = -_contempt(nodes, tree)
    largest, total, most = -np.inf, 0.0, np.uint32(0)
    for child in range(first, end):
        largest = max(largest, _improved_logit(nodes[child], filled, scale, draw))
        if nodes[child].mean != -np.inf:
            most = max(most, nodes[child].visits)
    best, best_score = first, -np.inf
    for child in range(first, end):
        logit = _improved_logit(nodes[child], filled, scale, draw)
        policy[nodes[child].action] = np.exp(logit - largest)
        total += np.exp(logit - largest)
        score = noise[nodes[child].action] + logit
        if nodes[child].visits == most and nodes[child].mean != -np.inf and score > best_score:
            best, best_score = child, score
    policy /= total
    return best
