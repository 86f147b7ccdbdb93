"""Feed-forward networks as rows of numbers, and a policy that plays by them.

A row lists the nodes of a network in the order of their evaluation, so that compiled code reads it from left to right::

    hidden, then for each hidden node and after them for each output:
        bias, response, activation, links, then for each link: source, weight

A source is the index of an input, or ``inputs`` plus the index of an earlier node. The value of a node is
``activation(bias + response * sum of (source * weight))``. Numbers after the last node are ignored: rows of networks of
different sizes are padded with zeros.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from ci_envs.agent_interface.policy import choose
from ci_envs.agents.evolution.play import GenomePolicy
from ci_envs.agents.search.lookahead import mark_best_actions, new_lookahead
from ci_envs.games import (
    ONGOING,
    action_count,
    image_of_action,
    implements,
    inlined,
    is_duplicate,
    keeps_turn,
    kernel,
    legal,
    observe,
    play,
    result,
    symmetry_count,
    transform,
    write_features,
)
from ci_envs.games.game import Game
from ci_envs.kernels.dispatch import operation
from ci_envs.kernels.random_draws import draw_by_weight
from ci_envs.kernels.random_numbers import random_index_from
from ci_envs.optimisation.evolution.parameters import Genomes, Values
from ci_envs.validation import integer_between

ACTIVATIONS = ("identity", "relu", "sigmoid", "tanh")
"""The activations, whose indices are in rows. As in neat-python they are steep: sigmoid(5 z) and tanh(2.5 z)."""

MAX_SYMMETRIES = 64
"""Maximum number of symmetries of a game over which a network is averaged."""

_TERMINAL_VALUE = 1e6  # the value of a finished game, above the outputs of networks
_NODE, _LINK = 4, 2  # numbers per node and per link in a row


class Node(NamedTuple):
    """A node of a network.

    Attributes:
        bias: added to the weighted sum of the inputs.
        response: factor of the weighted sum of the inputs.
        activation: one of :data:`ACTIVATIONS`.
        links: pairs (source, weight).
    """

    bias: float
    response: float
    activation: str
    links: tuple[tuple[int, float], ...]


def write_row(hidden: Sequence[Node], outputs: Sequence[Node]) -> Values:
    """Return the row of a network, float64. Every source must precede its node."""
    row = [float(len(hidden))]
    for node in (*hidden, *outputs):
        row += [node.bias, node.response, ACTIVATIONS.index(node.activation), len(node.links)]
        for link in node.links:
            row += link
    return np.array(row, dtype=np.float64)


def read_row(row: Values, inputs: int, outputs: int) -> tuple[tuple[Node, ...], tuple[Node, ...]]:
    """Return the hidden nodes and the outputs that :func:`write_row` wrote.

    Raises:
        ValueError: ``row`` is not a network with ``inputs`` inputs and ``outputs`` outputs.
    """
    at = 1

    def read_numbers(count: int) -> list[float]:
        nonlocal at
        if at + count > len(row):
            raise ValueError(f"a network ends after {len(row)} numbers, before its last node")
        at += count
        return [float(number) for number in row[at - count : at]]

    hidden = _integer("hidden nodes", row[0] if len(row) else 0, len(row) // _NODE)
    nodes = []
    for place in range(hidden + outputs):
        bias, response, activation, links = read_numbers(_NODE)
        kind = _integer("an activation", activation, len(ACTIVATIONS) - 1)
        count = _integer("links", links, len(row) // _LINK)
        last = inputs + min(place, hidden) - 1  # outputs are not sources
        numbers = read_numbers(_LINK * count)
        sources = [_integer("a source", source, last) for source in numbers[::2]]
        nodes.append(Node(bias, response, ACTIVATIONS[kind], tuple(zip(sources, numbers[1::2], strict=True))))
    return tuple(nodes[:hidden]), tuple(nodes[hidden:])


def stack_rows(rows: Iterable[Values]) -> Genomes:
    """Return rows of any lengths as one array, padded with zeros."""
    rows = list(rows)
    stacked = np.zeros((len(rows), max(len(row) for row in rows)))
    for place, row in enumerate(rows):
        stacked[place, : len(row)] = row
    return stacked


def evaluate_row(row: Values, inputs: NDArray[Any], outputs: int) -> Values:
    """Return the outputs of a network for n inputs of shape (n, inputs), float64 of shape (n, outputs)."""
    count = inputs.shape[1]
    values = np.empty(_buffer_size(count, outputs, len(row)))
    answers = np.empty((len(inputs), outputs))
    for place, given in enumerate(inputs):
        values[:count] = given
        end = _evaluate(row, count, outputs, values)
        answers[place] = values[end - outputs : end]
    return answers


def _integer(name: str, value: float, most: int) -> int:
    return integer_between(name, int(value) if value == int(value) else value, 0, most)


def _buffer_size(inputs: int, outputs: int, genes: int) -> int:
    """Return an upper bound of the number of values of inputs and nodes."""
    return inputs + outputs + genes // _NODE


@kernel
def _evaluate(row: Any, inputs: Any, outputs: Any, values: Any) -> Any:
    """Compute the nodes after ``values[:inputs]``. Return the index ``end`` after the outputs, which are last."""
    end = inputs + np.int64(row[0]) + outputs
    at = np.int64(1)
    for node in range(inputs, end):
        total = 0.0
        links = np.int64(row[at + 3])
        first = at + _NODE
        for link in range(first, first + _LINK * links, _LINK):
            total += values[np.uint64(np.int64(row[np.uint64(link)]))] * row[np.uint64(link + 1)]
        values[node] = _activate(np.int64(row[at + 2]), row[at] + row[at + 1] * total)
        at = first + _LINK * links
    return end


@inlined
def _activate(kind: Any, z: Any) -> Any:
    if kind == 0:
        return z
    if kind == 1:
        return max(0.0, z)
    if kind == 2:
        return 1 / (1 + math.exp(-max(-60.0, min(60.0, 5 * z))))
    return math.tanh(max(-60.0, min(60.0, 2.5 * z)))


@operation
def write_inputs(policy: Any, game: Any, own: Any, opp: Any, described: Any, values: Any) -> Any:
    """Write the inputs of a network for a position to the start of ``values``, and return their number.

    Args:
        policy: the policy of the network.
        game: the game.
        own: first word of the position.
        opp: second word of the position.
        described: the array of the features or planes, written.
        values: the work array of the network.
    """


@dataclass(frozen=True)
class NetworkPolicy(GenomePolicy):
    """Policy that plays by a network whose inputs describe a position for the player to move.

    Attributes:
        by_value: True if the network has one output, the value of a position for its player to move. It then evaluates
            the position after each legal action, unless the game is over there. False if the network has one output per
            action, of which those of legal actions count.
        symmetries: whether the outputs are averaged over all symmetric images of the position.
        temperature: temperature of the softmax from which an action is drawn. 0 plays the best action.
        softmax: whether a softmax over the action outputs gives probabilities. Of equally probable legal actions the
            policy then plays the first one, instead of a random one.
        lookahead: plies within which a search finds forced results; the network then chooses among the best actions
            (:func:`~ci_envs.agents.search.lookahead.mark_best_actions`). 0 plays by the network alone.
        features: True if the inputs are the features of the game, divided by their number. False if they are the
            observation planes.
    """

    by_value: bool = True
    symmetries: bool = False
    temperature: float = 0.0
    softmax: bool = False
    lookahead: int = 0
    features: bool = False

    def inputs(self, game: Game) -> int:
        """Return the number of inputs of a network."""
        return len(game.feature_names) if self.features else math.prod(game.observation_shape)

    def outputs(self, game: Game) -> int:
        """Return the number of outputs of a network."""
        return 1 if self.by_value else game.action_count

    @override
    def buffer_size(self, game: Game, genes: int) -> int:
        return _buffer_size(self.inputs(game), self.outputs(game), genes)

    @override
    def memory(self, game: Game, genome: NDArray[Any]) -> tuple[Any, ...]:
        """Return the genome and the work array, the features or the planes, the score of each action, and a search."""
        features, planes = np.zeros(len(game.feature_names)), np.zeros(game.observation_shape, dtype=np.int8)
        described = features if self.features else planes
        return *super().memory(game, genome), described, np.zeros(game.action_count), new_lookahead(game)


@implements(choose, NetworkPolicy)
def _(policy: NetworkPolicy) -> Any:
    by_value, temperature = policy.by_value, policy.temperature
    score = _score_afterstates if by_value else _score_legal_actions
    averaged, softmax, plies = policy.symmetries, policy.softmax, policy.lookahead
    restrict = _exclude_worse_actions if plies else _exclude_nothing

    def kernel(policy: Any, game: Any, own: Any, opp: Any, seed: Any, memory: Any) -> Any:
        genome, values, described, scores, search = memory
        images = symmetry_count(game) if averaged else 1
        score(policy, game, genome, own, opp, images, values, described, scores, softmax)
        restrict(search, own, opp, plies, scores)
        if softmax:
            return scores.argmax()
        best = scores.max()
        if temperature == 0:
            return random_index_from(scores, action_count(game), best, seed)[0]
        for number in range(action_count(game)):
            scores[number] = math.exp((scores[number] - best) / temperature)
        return draw_by_weight(scores, action_count(game), seed)[0]

    return kernel


@implements(write_inputs, NetworkPolicy)
def _(policy: NetworkPolicy) -> Any:
    def write_divided_features(policy: Any, game: Any, own: Any, opp: Any, described: Any, values: Any) -> Any:
        write_features(game, own, opp, described)
        count = len(described)
        for place in range(count):
            values[place] = described[place] / count
        return count

    def write_planes(policy: Any, game: Any, own: Any, opp: Any, described: Any, values: Any) -> Any:
        described[:] = 0
        observe(game, own, opp, described)
        place = 0
        for plane in described.flat:
            values[place] = plane
            place += 1
        return place

    return write_divided_features if policy.features else write_planes


@kernel
def _exclude_nothing(search: Any, own: Any, opp: Any, plies: Any, scores: Any) -> None:
    pass


@kernel
def _exclude_worse_actions(search: Any, own: Any, opp: Any, plies: Any, scores: Any) -> None:
    best = np.empty(len(scores), dtype=np.bool_)
    mark_best_actions(search, own, opp, plies, best)
    for number in range(len(scores)):
        if not best[number]:
            scores[number] = -np.inf


@kernel
def _score_afterstates(
    policy: Any,
    game: Any,
    genome: Any,
    own: Any,
    opp: Any,
    images: Any,
    values: Any,
    described: Any,
    scores: Any,
    softmax: Any,
) -> None:
    for number in range(action_count(game)):
        action = np.uint64(number)
        scores[number] = -np.inf
        if not legal(game, own, opp, action) or is_duplicate(game, own, opp, action):
            continue
        own_after, opp_after = play(game, own, opp, action)
        outcome = result(game, own_after, opp_after)
        value = 0.0
        if outcome == ONGOING:
            for image in range(images):
                own_image, opp_image = transform(game, np.uint64(image), own_after, opp_after)
                end = _evaluate(genome, write_inputs(policy, game, own_image, opp_image, described, values), 1, values)
                value += values[end - 1] / images
        else:
            value = outcome * _TERMINAL_VALUE
        scores[number] = value if keeps_turn(game, own, opp, action) else -value


@kernel
def _score_legal_actions(
    policy: Any,
    game: Any,
    genome: Any,
    own: Any,
    opp: Any,
    images: Any,
    values: Any,
    described: Any,
    scores: Any,
    softmax: Any,
) -> None:
    count = action_count(game)
    scores[:] = 0
    for image in range(images):
        own_image, opp_image = transform(game, np.uint64(image), own, opp)
        end = _evaluate(genome, write_inputs(policy, game, own_image, opp_image, described, values), count, values)
        for number in range(count):
            scores[number] += values[end - count + image_of_action(game, image, number)] / images
    if softmax:
        highest = scores.max()
        for number in range(count):
            scores[number] = math.exp(scores[number] - highest)
    for number in range(count):
        if not legal(game, own, opp, np.uint64(number)):
            scores[number] = -np.inf
