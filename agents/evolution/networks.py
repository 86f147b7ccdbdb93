"""Feed-forward networks as rows of numbers, and a policy that plays by them.

A row tells a network in the order in which it is evaluated, so that compiled code reads it from left to right::

    hidden, then for each hidden node and after them for each output:
        bias, response, activation, links, then for each link: source, weight

A source is the number of an input, or ``inputs`` more than that of a node that came before. A node is worth
``activation(bias + response * sum of (source * weight))``. What follows the last node is not read: rows of networks of
different sizes are filled up with zeros.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from ci_envs.agent.policy import choose
from ci_envs.agents.evolution.play import GenomePolicy
from ci_envs.games import (
    ONGOING,
    action_count,
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
    transform_action,
)
from ci_envs.games.game import Game
from ci_envs.kernels.random_numbers import next_random, random_index_from
from ci_envs.optimisation.evolution.parameters import Genomes, Values
from ci_envs.validation import integer_between

ACTIVATIONS = ("identity", "relu", "sigmoid", "tanh")
"""The activations by their number in a row, steep as neat-python's: sigmoid(5 z) and tanh(2.5 z)."""

MOST_SYMMETRIES = 64
"""A network is averaged over the symmetries of a game if there are no more."""

_OVER = 1e6  # larger than what networks say of games that go on
_NODE, _LINK = 4, 2  # numbers in a row


class Node(NamedTuple):
    """A node of a network.

    Attributes:
        bias: added to what comes in.
        response: factor to what comes in.
        activation: one of :data:`ACTIVATIONS`.
        links: pairs (source, weight).
    """

    bias: float
    response: float
    activation: str
    links: tuple[tuple[int, float], ...]


def write_row(hidden: Sequence[Node], outputs: Sequence[Node]) -> Values:
    """The row of a network, float64; every source must come before its node."""
    row = [float(len(hidden))]
    for node in (*hidden, *outputs):
        row += [node.bias, node.response, ACTIVATIONS.index(node.activation), len(node.links)]
        for link in node.links:
            row += link
    return np.array(row, dtype=np.float64)


def read_row(row: Values, inputs: int, outputs: int) -> tuple[tuple[Node, ...], tuple[Node, ...]]:
    """The hidden nodes and the outputs that :func:`write_row` wrote.

    Raises:
        ValueError: ``row`` is no network of so many inputs and outputs.
    """
    at = 1

    def taken(count: int) -> list[float]:
        nonlocal at
        if at + count > len(row):
            raise ValueError(f"a network ends after {len(row)} numbers, before its last node")
        at += count
        return [float(number) for number in row[at - count : at]]

    hidden = _whole("hidden nodes", row[0] if len(row) else 0, len(row) // _NODE)
    nodes = []
    for place in range(hidden + outputs):
        bias, response, activation, links = taken(_NODE)
        kind = _whole("an activation", activation, len(ACTIVATIONS) - 1)
        count = _whole("links", links, len(row) // _LINK)
        last = inputs + min(place, hidden) - 1  # outputs are nobody's source
        numbers = taken(_LINK * count)
        sources = [_whole("a source", source, last) for source in numbers[::2]]
        nodes.append(Node(bias, response, ACTIVATIONS[kind], tuple(zip(sources, numbers[1::2], strict=True))))
    return tuple(nodes[:hidden]), tuple(nodes[hidden:])


def stack_rows(rows: Iterable[Values]) -> Genomes:
    """Rows of any lengths as one array, the shorter ones filled up with zeros."""
    rows = list(rows)
    stacked = np.zeros((len(rows), max(len(row) for row in rows)))
    for place, row in enumerate(rows):
        stacked[place, : len(row)] = row
    return stacked


def evaluate_row(row: Values, inputs: NDArray[Any], outputs: int) -> Values:
    """What a network answers to each of n inputs (n, inputs), float64 (n, outputs)."""
    count = inputs.shape[1]
    values = np.empty(_room(count, outputs, len(row)))
    answers = np.empty((len(inputs), outputs))
    for place, given in enumerate(inputs):
        values[:count] = given
        end = _evaluate(row, count, outputs, values)
        answers[place] = values[end - outputs : end]
    return answers


def _whole(name: str, value: float, most: int) -> int:
    return integer_between(name, int(value) if value == int(value) else value, 0, most)


def _room(inputs: int, outputs: int, genes: int) -> int:
    """How many values there are at most, of inputs and nodes."""
    return inputs + outputs + genes // _NODE


@kernel
def _evaluate(row: Any, inputs: Any, outputs: Any, values: Any) -> Any:
    """``-> end``: work out the nodes after ``values[:inputs]``; the outputs are the last ones before ``end``."""
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


@dataclass(frozen=True)
class NetworkPolicy(GenomePolicy):
    """Plays by a network that sees the planes of a position as its player to move does.

    Attributes:
        by_value: the network has one output, how well the player to move stands, and values the position after each
            legal action, unless the game is over there; else it has one output for each action, and those of the
            legal ones count.
        symmetries: what the network says is its mean over all symmetric images.
        temperature: of the softmax over the legal actions by which one is drawn; 0 plays the best one.
        softmax: the outputs for the actions become probabilities by a softmax, and of equally probable legal actions
            the first is played, not a random one.
    """

    by_value: bool = True
    symmetries: bool = False
    temperature: float = 0.0
    softmax: bool = False

    def outputs(self, game: Game) -> int:
        """How many outputs a network has."""
        return 1 if self.by_value else game.action_count

    @override
    def room_size(self, game: Game, genes: int) -> int:
        return _room(math.prod(game.observation_shape), self.outputs(game), genes)

    @override
    def memory(self, game: Game, genome: NDArray[Any]) -> tuple[Any, ...]:
        """Return the genome and the work array, the planes, and the score of each action."""
        planes = np.zeros(game.observation_shape, dtype=np.int8)
        return *super().memory(game, genome), planes, np.zeros(game.action_count)


@implements(choose, NetworkPolicy)
def _(policy: NetworkPolicy) -> Any:
    by_value, temperature = policy.by_value, policy.temperature
    score = _score_afterstates if by_value else _score_legal_actions
    averaged, softmax = policy.symmetries, policy.softmax

    def kernel(policy: Any, game: Any, own: Any, opp: Any, seed: Any, memory: Any) -> Any:
        genome, values, planes, scores = memory
        images = symmetry_count(game) if averaged else 1
        score(game, genome, own, opp, images, values, planes, scores, softmax)
        if softmax:
            return scores.argmax()
        best = scores.max()
        if temperature == 0:
            return random_index_from(scores, action_count(game), best, seed)[0]
        return _draw(scores, best, temperature, seed)[0]

    return kernel


@kernel
def _show(game: Any, own: Any, opp: Any, planes: Any, values: Any) -> Any:
    planes[:] = 0
    observe(game, own, opp, planes)
    place = 0
    for plane in planes.flat:
        values[place] = plane
        place += 1
    return place


@kernel
def _score_afterstates(
    game: Any, genome: Any, own: Any, opp: Any, images: Any, values: Any, planes: Any, scores: Any, softmax: Any
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
                end = _evaluate(genome, _show(game, own_image, opp_image, planes, values), 1, values)
                value += values[end - 1] / images
        else:
            value = outcome * _OVER
        scores[number] = value if keeps_turn(game, own, opp, action) else -value


@kernel
def _score_legal_actions(
    game: Any, genome: Any, own: Any, opp: Any, images: Any, values: Any, planes: Any, scores: Any, softmax: Any
) -> None:
    count = action_count(game)
    scores[:] = 0
    for image in range(images):
        own_image, opp_image = transform(game, np.uint64(image), own, opp)
        end = _evaluate(genome, _show(game, own_image, opp_image, planes, values), count, values)
        for number in range(count):
            scores[number] += values[end - count + transform_action(game, np.uint64(image), np.uint64(number))] / images
    if softmax:
        highest = scores.max()
        for number in range(count):
            scores[number] = math.exp(scores[number] - highest)
    for number in range(count):
        if not legal(game, own, opp, np.uint64(number)):
            scores[number] = -np.inf


@kernel
def _draw(scores: Any, best: Any, temperature: Any, state: Any) -> Any:
    """``-> (action, state)``: one drawn by the softmax of the scores."""
    total = 0.0
    for score in scores:
        total += math.exp((score - best) / temperature)
    word, state = next_random(state)
    left = np.float64(word >> np.uint64(11)) * 2.0**-53 * total
    drawn = 0
    for number in range(len(scores)):
        weight = math.exp((scores[number] - best) / temperature)
        if weight > 0:
            drawn = number
            if left < weight:
                break
            left -= weight
    return drawn, state
