"""Search by a network's priors and values, compiled: many trees in lock-step, their leaves evaluated in one batch.

A tree knows nothing of the others: it grows as it would alone. What is proven is kept apart from what the network
thinks (:mod:`ci_envs.agents.search.tree`): a leaf whose children prove it is not shown to the network, and no position
is shown to it twice while it is remembered (:mod:`ci_envs.agents.alphazero.memory`). A position that comes again on the
way down counts as a draw there, so that who is better finds something else: on Quixo both may be able to leave the
board as it is for ever. With contempt a draw is worse than even for who is to move at the root, and a position by as
much of that as the network thinks a draw likely.

A simulation goes down by PUCT, as in AlphaZero, or by UCB1 with the prior as a factor, as in the report on Quixo. At
the root it may instead go by sequential halving with Gumbel noise, which improves on the policy with few simulations
too: Danihelka, Guez, Schrittwieser and Silver, "Policy improvement by planning with Gumbel", ICLR 2022. Values are here
from -1 to 1, so its constant of 1 for values from 0 to 1 is 1/2.

A network sees threats late and a few hundred simulations miss some, so a leaf may be searched for an end that one side
can force within a few plies: Baier and Winands, "MCTS-minimax hybrids", IEEE Transactions on Computational Intelligence
and AI in Games 7(2), 2015.
"""

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ci_envs.agents.alphazero.memory import new_memory, recall, remember
from ci_envs.agents.search.tree import (
    ROOT,
    back_up,
    child_of,
    choose_child,
    expand,
    is_proven,
    look_ahead,
    node_type,
    own_bounds,
    reset,
    update_ancestors,
    worth,
)
from ci_envs.games import DRAW, LOSS, ONGOING, WIN, action_count, is_duplicate, kernel, legal
from ci_envs.games.batch import write_planes
from ci_envs.games.game import Game

NetworkOutput = tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]
"""``(logits, values, draws)``: what a network says of n positions, float32 (n, actions), (n,) and (n,).

Logits of illegal actions do not count; a value, from -1 to 1, is for the player to move; a draw is so likely, 0 to 1.
"""

Evaluate = Callable[[NDArray[np.int8]], NetworkOutput]
"""A network that says so of planes, int8 (n, height, width, channels)."""

NODE = node_type(np.float32, np.float32, ("prior", np.float32))
"""A node of :mod:`ci_envs.agents.search.tree`, and its prior."""

TREE = np.dtype(
    [
        ("size", np.uint64),
        ("leaf", np.uint64),
        ("draw", np.float64),
        ("left", np.int64),
        ("state", np.uint64),
        ("raw", np.float64),
        ("drawn", np.float64),
        ("contempt", np.float64),
    ]
)
"""A tree: nodes in use, the leaf where the last simulation ended, what a draw is worth to who played its action,
simulations left, the state of its random numbers, the root's value by the network alone, for its player to move, the
sum of how likely draws were at the leaves, and by how much the player to move at the root thinks a draw worse than
even."""

PUCT, UCB, GUMBEL = 0, 1, 2
SELECTIONS = {"puct": PUCT, "ucb": UCB, "gumbel": GUMBEL}
"""How a simulation goes down."""

MAX_SIMULATIONS, MAX_LOOKAHEAD = 1_000_000, 8
"""The largest values of :class:`SearchSettings`."""

_VISITS_ADDED, _Q_SCALE = 50.0, 0.5


class SearchSettings(NamedTuple):
    """How to search.

    Attributes:
        selection: PUCT, UCB or GUMBEL.
        exploration: the constant before the prior.
        simulations: how many, besides the evaluation of the root.
        considered: actions that Gumbel's root looks at.
        lookahead: plies within which a position whose turn it is to be valued is searched for a forced end; 1 looks at
            its children alone.
        prior_temperature: by which the network's logits are divided: above 1 the priors are flatter than what it would
            play.
    """

    selection: int = PUCT
    exploration: float = 1.5
    simulations: int = 200
    considered: int = 16
    lookahead: int = 1
    prior_temperature: float = 1.0


class SearchResult(NamedTuple):
    """What a search found of n positions.

    Attributes:
        visits: simulations that began with each action, float64 (n, actions); of actions that lead to the same position
            one stands for all.
        policy: what the search would play: shares of the visits of the actions that are not closed, with GUMBEL the
            improved policy, and where the position or the best is proven the best alone; float64 (n, actions).
        values: of the positions, for the player to move, -1 to 1, float64 (n,); with contempt for draws.
        draws: how likely draws were in the mean of the leaves, 0 to 1, float64 (n,).
        actions: the best action, int64 (n,).
    """

    visits: NDArray[np.float64]
    policy: NDArray[np.float64]
    values: NDArray[np.float64]
    draws: NDArray[np.float64]
    actions: NDArray[np.int64]


class Forest:
    """Room for the trees of so many positions, which is used again for each search.

    Attributes:
        game: what is played.
        settings: how to search.
        positions: how many there is room for.

    The outputs of the network are remembered from search to search, as long as the network is the same.
    """

    def __init__(self, game: Game, settings: SearchSettings, positions: int) -> None:
        self.game, self.settings, self.positions = game, settings, positions
        nodes = 1 + (settings.simulations + 1) * game.action_count
        self._nodes = np.empty((positions, nodes), NODE)
        self._trees = np.zeros(positions, TREE)
        self._planes = np.empty((positions, *game.observation_shape), np.int8)
        self._waiting = np.empty(positions, np.int64)
        self._halving = halving_table(settings.considered, settings.simulations)
        self._evaluate: Evaluate | None = None

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
        """Search positions that are not over, all at once.

        Args:
            words: the positions, uint64 (n, 2), no more than there is room for.
            seeds: of the order of equal actions, uint64 (n,).
            evaluate: the network, the same function as long as it says the same.
            contempt: by how much a draw is worse than even for who is to move, float64 (n,), 0 to 1; None means not.
            gumbel: Gumbel noise for the root, float64 (n, actions); None means none. With another selection than GUMBEL
                it is not used.
            dirichlet: gamma noise, float64 (n, actions), and its share of the priors at the root; None means none.
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
        """Search as :meth:`search` does, and say up to ``steps`` times what is found so far; the last is all."""
        n = len(words)
        nodes, trees = self._nodes[:n], self._trees[:n]
        noise = np.zeros((n, self.game.action_count)) if gumbel is None else gumbel
        gammas, share = (noise, 0.0) if dirichlet is None else dirichlet
        if evaluate is not self._evaluate:
            self._memory, self._evaluate = new_memory(self.game.action_count), evaluate
        plant(self.game, nodes, trees, words, seeds, np.zeros(n) if contempt is None else contempt)
        context = self._memory, gammas, share
        planes, waiting = self._planes, self._waiting
        shape = n, self.game.action_count
        budget = self.settings.simulations
        for begin, end in pairwise(np.linspace(0, budget, min(steps, budget) + 1).astype(int).tolist()):
            trees["left"] += end - begin + (begin == 0)  # and one for the root
            while count := grow(self.game, nodes, trees, self.settings, noise, self._halving, context, planes, waiting):
                receive(self.game, nodes, trees, self.settings, context, waiting[:count], *evaluate(planes[:count]))
            found = SearchResult(np.zeros(shape), np.zeros(shape), np.empty(n), np.empty(n), np.empty(n, np.int64))
            report(nodes, trees, self.settings, noise, *found)
            yield found

    def tree(self, position: int) -> NDArray[np.void]:
        """The nodes of a position that was searched last; the next search writes over them."""
        nodes: NDArray[np.void] = self._nodes[position]
        return nodes


def draw_actions(found: SearchResult, temperature: float, rng: Generator) -> NDArray[np.int64]:
    """Draw an action of each position in proportion to its policy to the power of 1 / temperature; 0 means the best."""
    if temperature == 0:
        return found.actions
    weights = (found.policy / found.policy.max(axis=1, keepdims=True)) ** (1 / temperature)
    heights = np.cumsum(weights, axis=1)
    drawn: NDArray[np.int64] = (heights <= rng.random((len(heights), 1)) * heights[:, -1:]).sum(axis=1)
    return drawn


def halving_table(considered: int, simulations: int) -> NDArray[np.int64]:
    """How many visits the action has that a simulation of the root takes, int64 (considered + 1, simulations).

    A row for each number of actions that are considered, as in DeepMind's mctx: all of them are visited as often, then
    the better half of them, and so on.
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
def plant(game: Any, forest: Any, trees: Any, words: Any, seeds: Any, contempt: Any) -> None:
    """Write each tree and its root."""
    for i in range(len(trees)):
        reset(forest[i, ROOT], words[i, 0], words[i, 1], ROOT, np.int8(1), ONGOING)
        trees[i].size, trees[i].left, trees[i].state = 1, 0, seeds[i]
        trees[i].drawn, trees[i].contempt = 0.0, contempt[i]


@kernel
def grow(
    game: Any, forest: Any, trees: Any, settings: Any, noise: Any, halving: Any, context: Any, planes: Any, waiting: Any
) -> Any:
    """``-> int``: how many trees have a leaf for the network; their numbers and its planes are written.

    The others have no simulations left, or are proven. ``context`` is the memory of network outputs, gamma variates
    for the roots (:func:`_mix`), and their share.
    """
    count = 0
    for i in range(len(trees)):
        if _grow(game, forest[i], trees[i], settings, noise[i], halving, context, i):
            leaf = forest[i, trees[i].leaf]
            write_planes(game, leaf.own, leaf.opp, planes[count])
            waiting[count] = i
            count += 1
    return count


@kernel
def _grow(game: Any, nodes: Any, tree: Any, settings: Any, noise: Any, halving: Any, context: Any, i: Any) -> Any:
    """``-> bool``: is there a leaf for the network. What needs none is backed up at once."""
    memory, gammas, share = context
    while tree.left > 0 and not is_proven(nodes[ROOT]):
        node = _descend(nodes, tree, settings, noise, halving)
        tree.left -= 1
        if _repeats(nodes, node):
            _end(nodes, tree, np.int8(DRAW))
            continue
        if not is_proven(nodes[node]):
            tree.size, tree.state = expand(game, nodes, node, tree.size, tree.state)
            if settings.lookahead > 1 and not is_proven(nodes[node]):
                look_ahead(game, nodes, node, settings.lookahead)
            if not is_proven(nodes[node]):
                known = recall(memory, nodes[node].own, nodes[node].opp)
                if known < 0:
                    return True
                _take(game, nodes, tree, settings, memory.entries[known], gammas[i], share)
                continue
        _end(nodes, tree, nodes[node].lower)
        update_ancestors(nodes, node)
    return False


@kernel
def _end(nodes: Any, tree: Any, outcome: Any) -> None:
    """Back up the outcome of the leaf, for who played its action."""
    tree.drawn += outcome == DRAW
    back_up(nodes, tree.leaf, worth(outcome, tree.draw), tree.draw)


@kernel
def _repeats(nodes: Any, node: Any) -> Any:
    """``-> bool``: is the position of a node, with the same player to move, that of a node above it."""
    here = nodes[node]
    sign = here.sign
    while node != ROOT:
        node = nodes[node].parent
        if sign > 0 and nodes[node].own == here.own and nodes[node].opp == here.opp:
            return True
        sign *= nodes[node].sign
    return False


@kernel
def receive(
    game: Any, forest: Any, trees: Any, settings: Any, context: Any, waiting: Any, logits: Any, values: Any, draws: Any
) -> None:
    """Give the trees that wait what the network says of their leaves."""
    memory, gammas, share = context
    for k in range(len(waiting)):
        i = waiting[k]
        leaf = forest[i, trees[i].leaf]
        entry = remember(memory, leaf.own, leaf.opp, logits[k], values[k], draws[k])
        _take(game, forest[i], trees[i], settings, memory.entries[entry], gammas[i], share)


@kernel
def _take(game: Any, nodes: Any, tree: Any, settings: Any, output: Any, gammas: Any, share: Any) -> None:
    """Give a tree what the network says of its leaf."""
    leaf = tree.leaf
    _set_priors(game, nodes, leaf, output.logits, settings.prior_temperature)
    value = np.float64(nodes[leaf].sign) * np.float64(output.value) + tree.draw * np.float64(output.draw)
    if leaf == ROOT:
        tree.raw = max(value, np.float64(LOSS))
        if share > 0:
            _mix(nodes, gammas, share)
    tree.drawn += output.draw
    back_up(nodes, leaf, value, tree.draw)
    if nodes[leaf].lower > LOSS or nodes[leaf].upper < WIN:
        update_ancestors(nodes, leaf)


@kernel
def _set_priors(game: Any, nodes: Any, parent: Any, logits: Any, temperature: Any) -> None:
    """Give the children their priors; what a duplicate would have goes to the child that stands for it."""
    here = nodes[parent]
    first, end = here.first, here.first + here.children
    largest = -np.inf
    for number in range(action_count(game)):
        if legal(game, here.own, here.opp, np.uint64(number)):
            largest = max(largest, np.float64(logits[number]))
    for child in range(first, end):
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
def _mix(nodes: Any, gammas: Any, share: Any) -> None:
    """Mix noise with the priors of the root: gamma variates, which make up a Dirichlet distribution."""
    first, end = nodes[ROOT].first, nodes[ROOT].first + nodes[ROOT].children
    total = 0.0
    for child in range(first, end):
        total += gammas[nodes[child].action]
    for child in range(first, end):
        noise = gammas[nodes[child].action] / total
        nodes[child].prior = (1 - share) * nodes[child].prior + share * noise


@kernel
def _descend(nodes: Any, tree: Any, settings: Any, noise: Any, halving: Any) -> Any:
    """``-> node``: the leaf where a simulation ends, a node without children."""
    node, draw = ROOT, -tree.contempt
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
    # an action that was not tried is as good as the position
    unvisited = np.float64(here.sign) * np.float64(here.total) / np.float64(here.visits)
    ucb = settings.selection == UCB
    factor = settings.exploration * np.sqrt(np.log(np.float64(here.visits)) if ucb else np.float64(here.visits))
    best, best_score = here.first, -np.inf
    for child in range(here.first, here.first + here.children):
        mean, visits, prior = np.float64(nodes[child].mean), nodes[child].visits, np.float64(nodes[child].prior)
        if mean == -np.inf:
            continue
        if ucb:
            score = mean + factor * prior * np.float64(nodes[child].spread)
        else:
            score = (unvisited if visits == 0 else mean) + factor * prior / (1.0 + visits)
        if score > best_score:
            best, best_score = child, score
    return np.uint64(best)


@kernel
def _select_at_root(nodes: Any, tree: Any, settings: Any, noise: Any, halving: Any) -> Any:
    """``-> node``: the best of the actions whose turn it is; as proof closes actions, of those that come nearest."""
    root = nodes[ROOT]
    filled, scale = _filling(nodes, tree.raw)
    number = np.int64(root.visits) - 1
    wanted = halving[min(settings.considered, np.int64(root.children)), min(number, halving.shape[1] - 1)]
    best, best_gap, best_score = root.first, np.inf, -np.inf
    for child in range(root.first, root.first + root.children):
        if nodes[child].mean == -np.inf:
            continue
        gap = abs(np.float64(nodes[child].visits) - wanted)
        score = noise[nodes[child].action] + _improved_logit(nodes[child], filled, scale, -tree.contempt)
        if gap < best_gap or (gap == best_gap and score > best_score):
            best, best_gap, best_score = child, gap, score
    return np.uint64(best)


@kernel
def _filling(nodes: Any, raw: Any) -> Any:
    """``-> (value, scale)``: the value of actions that were not tried at the root, and the weight of all values."""
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
        value = np.float64(worth(child.lower, draw))
    elif child.visits > 0:
        value = np.float64(child.total) / child.visits
    return np.log(max(np.float64(child.prior), 1e-30)) + scale * value


@kernel
def report(
    forest: Any,
    trees: Any,
    settings: Any,
    noise: Any,
    visits: Any,
    policy: Any,
    values: Any,
    draws: Any,
    actions: Any,
) -> None:
    """Write what was found, as in :class:`SearchResult`; ``visits`` and ``policy`` are zeros before."""
    for i in range(len(forest)):
        nodes = forest[i]
        root = nodes[ROOT]
        first, end = root.first, root.first + root.children
        for child in range(first, end):
            visits[i, nodes[child].action] = nodes[child].visits
        best = choose_child(nodes, ROOT, -trees[i].contempt)
        lower, upper = own_bounds(root)
        if lower == upper:
            policy[i, nodes[best].action] = 1
            values[i], draws[i] = lower, lower == DRAW
        else:
            values[i], draws[i] = np.float64(root.total) / root.visits, trees[i].drawn / root.visits
            if settings.selection == GUMBEL:
                best = _improve(nodes, trees[i], noise[i], policy[i])
            else:
                _share(nodes, best, policy[i])
        actions[i] = nodes[best].action


@kernel
def _share(nodes: Any, best: Any, policy: Any) -> None:
    """Write the shares of the visits of the root's open children, or of its best child alone if that is closed."""
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
def _improve(nodes: Any, tree: Any, noise: Any, policy: Any) -> Any:
    """``-> node``: the best child of the root; the improved policy is written."""
    root = nodes[ROOT]
    first, end = root.first, root.first + root.children
    filled, scale = _filling(nodes, tree.raw)
    largest, total, most = -np.inf, 0.0, np.uint32(0)
    for child in range(first, end):
        largest = max(largest, _improved_logit(nodes[child], filled, scale, -tree.contempt))
        if nodes[child].mean != -np.inf:
            most = max(most, nodes[child].visits)
    best, best_score = first, -np.inf
    for child in range(first, end):
        logit = _improved_logit(nodes[child], filled, scale, -tree.contempt)
        policy[nodes[child].action] = np.exp(logit - largest)
        total += np.exp(logit - largest)
        score = noise[nodes[child].action] + logit
        if nodes[child].visits == most and nodes[child].mean != -np.inf and score > best_score:
            best, best_score = child, score
    policy /= total
    return best
