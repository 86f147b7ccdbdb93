"""The tree search of report E: ``explore`` and ``next`` of its class ``Node``, compiled.

Report E prints a listing, and its text describes more than the listing does. ``repaired`` chooses between the two:

| | listing | repaired, as the text says |
|---|---|---|
| symmetries | none | each evaluation is of one of the 8 images of the board, at random |
| a child that wins has U = inf | until the next back-up | for ever; a node with such a child gets U = -inf |
| ``next`` | draws by visits | draws among the children with U = inf, if there are any |

All values of a node are for the player who moved to it.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ci_envs.games.game import Game
from ci_envs.games.observation import write_planes
from ci_envs.games.operations import (
    ONGOING,
    action_count,
    image_of_action,
    legal,
    play,
    result,
    symmetry_count,
    transform,
)
from ci_envs.kernels.compiler import kernel
from ci_envs.kernels.random_draws import draw_by_weight
from ci_envs.kernels.random_numbers import random_below
from ci_envs.reports.report_e.compiled_network import CompiledNetwork, evaluate_board

NODE = np.dtype(
    [
        ("own", np.uint64),
        ("opp", np.uint64),
        ("v", np.float64),
        ("u", np.float64),
        ("prior", np.float64),
        ("n", np.int64),
        ("parent", np.int32),
        ("first", np.int32),
        ("children", np.int16),
        ("action", np.int16),
        ("image", np.int16),
        ("over", np.int8),
    ],
    align=True,
)
"""The dtype of a node.

``own`` and ``opp`` are the stones of the player to move and of the opponent. ``v``, ``u``, ``prior`` and ``n`` are V,
U, the prior and the visits N in report E. ``image`` is the symmetry under which the network evaluated the board.
``over`` is 1 if the game is over."""

_ROOT = 0


class ExploreSettings(NamedTuple):
    """The settings of the search and of self-play.

    Attributes:
        c: The exploration constant.
        explorations: The visits of the root up to which it is explored.
        temperature: With which a move is drawn by visits.
        repaired: Whether the search does what the text of report E says; otherwise it does what its listing does.
        growth: If above 0, c grows with the visits N of a node by log((N + 1 + growth) / growth), as in AlphaZero.
        symmetries: Whether the repaired search evaluates random images of the board.
        opening_plies: The number of random plies at the start of each game of self-play, an even number.
    """

    c: float = 1.0
    explorations: int = 1000
    temperature: float = 1.0
    repaired: bool = True
    growth: float = 0.0
    symmetries: bool = True
    opening_plies: int = 0


class Tree(NamedTuple):
    """The memory of a search.

    Attributes:
        nodes: Of dtype ``NODE``; the first is the root.
        spare: As many nodes, for the tree that is kept after a move.
        size: The number of nodes in use, int64 (1,).
        random: The state of the random numbers, uint64 (1,).
        shares: The probabilities of the moves in ``next``, float64 (actions,).
        planes: The observation of a board, int8.
        network: The network.
    """

    nodes: NDArray[np.void]
    spare: NDArray[np.void]
    size: NDArray[np.int64]
    random: NDArray[np.uint64]
    shares: NDArray[np.float64]
    planes: NDArray[np.int8]
    network: CompiledNetwork


def new_tree(game: Game, explorations: int, network: CompiledNetwork, seed: int) -> Tree:
    """Return the memory of a search with up to ``explorations`` visits of the root."""
    nodes = 1 + (explorations + 1) * game.action_count
    return Tree(
        np.zeros(nodes, NODE),
        np.zeros(nodes, NODE),
        np.zeros(1, np.int64),
        np.array([seed], np.uint64),
        np.zeros(game.action_count),
        np.zeros(game.observation_shape, np.int8),
        network,
    )


@kernel
def plant_root(tree: Any, own: Any, opp: Any) -> None:
    """Begin a tree with a position that is not over."""
    _write_node(tree.nodes[_ROOT], own, opp, -1, -1, 0.0, ONGOING)
    tree.size[0] = 1


@kernel
def explore(game: Any, tree: Any, settings: Any) -> None:
    """Explore the root until it has as many visits as the settings say."""
    nodes = tree.nodes
    while nodes[_ROOT].n < settings.explorations:
        here = _descend(tree, settings)
        if nodes[here].children == 0 and nodes[here].over == 0:
            nodes[here].v = -_expand(game, tree, here, settings.repaired and settings.symmetries)
        nodes[here].n += 1
        while here != _ROOT:
            parent = nodes[here].parent
            nodes[parent].n += 1
            nodes[parent].v += (-nodes[here].v - nodes[parent].v) / nodes[parent].n
            _score_children(nodes, parent, settings)
            here = parent


@kernel
def next_move(tree: Any, settings: Any) -> Any:
    """Write ``tree.shares``, the probabilities of the moves, and return the child of the root that was drawn."""
    nodes, shares = tree.nodes, tree.shares
    root = nodes[_ROOT]
    for action in range(len(shares)):
        shares[action] = 0
    children = range(root.first, root.first + root.children)
    most, wins = 1, False
    for child in children:
        most = max(most, nodes[child].n)
        wins |= nodes[child].u == np.inf
    wins &= settings.repaired
    for child in children:
        weight = (nodes[child].n / most) ** (1 / settings.temperature)
        if wins:
            weight = 1.0 if nodes[child].u == np.inf else 0.0
        shares[nodes[child].action] = weight
    action, tree.random[0] = draw_by_weight(shares, len(shares), tree.random[0])
    total = shares.sum()
    drawn = -1
    for child in children:
        shares[nodes[child].action] /= total
        if nodes[child].action == action:
            drawn = child
    return drawn


@kernel
def keep_subtree(tree: Any, root: Any) -> None:
    """Make a child the root of the tree, and forget all nodes that are not below it."""
    nodes, spare = tree.nodes, tree.spare
    spare[_ROOT] = nodes[root]
    spare[_ROOT].parent = -1
    size, here = 1, 0
    while here < size:
        first, children = spare[here].first, spare[here].children
        spare[here].first = size
        for child in range(first, first + children):
            spare[size] = nodes[child]
            spare[size].parent = here
            size += 1
        here += 1
    for node in range(size):
        nodes[node] = spare[node]
    tree.size[0] = size


@kernel
def _descend(tree: Any, settings: Any) -> Any:
    """Return the node where an exploration ends: a leaf, or a node that its children decide."""
    nodes, here = tree.nodes, _ROOT
    while nodes[here].children > 0:
        first, largest, count, chosen = nodes[here].first, -np.inf, 0, here
        for child in range(first, first + nodes[here].children):
            u = nodes[child].u
            if u > largest or count == 0:
                largest, count = u, 0
            if u == largest:
                count += 1
        number, tree.random[0] = random_below(tree.random[0], count)
        for child in range(first, first + nodes[here].children):
            if nodes[child].u == largest:
                chosen = child
                if number == 0:
                    break
                number -= np.uint64(1)
        if settings.repaired and np.isinf(largest):
            nodes[here].u = -largest
            nodes[here].v = -1.0 if largest > 0 else 1.0
            return here
        here = chosen
    return here


@kernel
def _score_children(nodes: Any, parent: Any, settings: Any) -> None:
    """Compute U of the children of a node."""
    c, visits = settings.c, np.float64(nodes[parent].n)
    if settings.growth > 0:
        c += np.log((visits + 1 + settings.growth) / settings.growth)
    factor = c * np.sqrt(visits)
    for child in range(nodes[parent].first, nodes[parent].first + nodes[parent].children):
        node = nodes[child]
        if not (settings.repaired and np.isinf(node.u)):
            node.u = node.v + factor * node.prior / (1 + node.n)


@kernel
def _expand(game: Any, tree: Any, here: Any, symmetries: Any) -> Any:
    """Append the children of a node with their priors, and return the value of the network for the player to move."""
    nodes = tree.nodes
    own, opp = nodes[here].own, nodes[here].opp
    image = np.uint64(0)
    if symmetries:
        image, tree.random[0] = random_below(tree.random[0], symmetry_count(game))
    value = _evaluate(game, tree, own, opp, image)
    logits, largest, total = tree.network.policy.out[0, 0], -np.inf, 0.0
    for cell in range(len(logits)):
        largest = max(largest, np.float64(logits[cell]))
    first = end = np.int64(tree.size[0])
    for number in range(action_count(game)):
        action = np.uint64(number)
        if legal(game, own, opp, action):
            next_own, next_opp = play(game, own, opp, action)
            prior = np.exp(logits[image_of_action(game, image, action)] - largest)
            _write_node(nodes[end], next_own, next_opp, here, number, prior, result(game, next_own, next_opp))
            total += prior
            end += 1
    for child in range(first, end):
        nodes[child].prior /= total
    nodes[here].first, nodes[here].children, nodes[here].image = first, end - first, image
    tree.size[0] = end
    return value


@kernel
def _evaluate(game: Any, tree: Any, own: Any, opp: Any, image: Any) -> Any:
    own, opp = transform(game, image, own, opp)
    planes, board = tree.planes, tree.network.board
    write_planes(game, own, opp, planes)
    for row in range(board.shape[0]):
        for column in range(board.shape[1]):
            board[row, column, 0] = planes[row, column, 0] - planes[row, column, 1]
    return evaluate_board(tree.network)


@kernel
def _write_node(node: Any, own: Any, opp: Any, parent: Any, action: Any, prior: Any, outcome: Any) -> None:
    """Write a node that was never visited; ``outcome`` is for the player to move."""
    node.own, node.opp, node.parent, node.action, node.prior = own, opp, parent, action, prior
    node.n = node.first = node.children = node.image = 0
    node.v = node.u = 0.0
    node.over = outcome != ONGOING
    if node.over:
        node.v = -outcome
        if outcome != 0:
            node.u = np.inf if outcome < 0 else -np.inf
