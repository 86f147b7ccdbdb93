"""Neural networks as lists of layers that evolve: mutations add, remove and resize layers, and change weights.

A genome is a list of layers. In contrast to NEAT there are no historical
markings and no species. The operators here are ours. Crossover matches the neurons of two parents by their index. Each
structural mutation preserves the function of the network as far as possible: a new layer starts as the identity, a
removed layer is merged into the next one, and a new neuron has no outgoing weights (Chen, Goodfellow and Shlens,
"Net2Net", ICLR 2016).

With ``layer_output=softmax`` the output layer has a ReLU too, followed by a softmax. One
crossover aligns whole layers of both parents (``layer_crossover=sequence``), and its mutations are random.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise, zip_longest
from typing import TYPE_CHECKING, Annotated

import numpy as np
from numpy.random import Generator

from ci_envs.agents.evolution.networks import Node, read_row, stack_rows, write_row
from ci_envs.extras import optional_import
from ci_envs.optimisation.evolution.parameters import Genomes, Values
from ci_envs.optimisation.evolution.selection import TournamentSelection
from ci_envs.registry.options import Option, Validated
from ci_envs.validation import integer_between

if TYPE_CHECKING:
    from torch import nn


@dataclass(frozen=True, kw_only=True)
class LayerRates(Validated):
    """The settings of the evolution of lists of layers."""

    layer_output: Annotated[
        str,
        Option(
            "activation of the outputs: linear, or ReLU and softmax (outputs=actions); with softmax "
            "the "
            "agent plays the first of equally good actions",
            choices=("linear", "softmax"),
        ),
    ] = "linear"
    layer_crossover: Annotated[
        str,
        Option(
            "crossover: places matches neurons by index, sequence aligns layers of both parents",
            choices=("places", "sequence"),
        ),
    ] = "places"
    layer_elite: Annotated[int, Option("number of networks that survive unchanged", ge=0)] = 2
    layer_tournament: Annotated[int, Option("networks in the tournament that selects a parent", ge=1)] = 3
    layer_crossover_rate: Annotated[float, Option("fraction of children with two parents", ge=0, le=1)] = 0.5
    layer_structural_rate: Annotated[
        float, Option("probability that a layer of a child is added, removed or resized", ge=0, le=1)
    ] = 0.2
    layer_tweak_rate: Annotated[float, Option("probability that a weight changes", ge=0, le=1)] = 0.3
    layer_tweak_power: Annotated[
        float, Option("standard deviation of this change relative to the scale of new weights", ge=0)
    ] = 0.3


DEFAULT_RATES = LayerRates()
"""The default rates, which were tuned on Quixo."""


@dataclass(frozen=True, eq=False)
class Layer:
    """A layer: ``weights @ inputs + biases``, followed by a ReLU. After the last layer the ReLU is optional.

    Attributes:
        weights: float64 of shape (neurons, inputs).
        biases: float64 of shape (neurons,).
    """

    weights: Genomes
    biases: Values


Layers = tuple[Layer, ...]
"""A genome: the hidden layers, then the output layer. The arrays must not be modified."""


@dataclass(frozen=True)
class Limits:
    """The maximum size of a network.

    Attributes:
        layers: maximum number of hidden layers, at least 0.
        neurons: maximum number of neurons in a hidden layer, at least 1.
    """

    layers: int = 3
    neurons: int = 32

    def __post_init__(self) -> None:
        integer_between("max_layers", self.layers, 0)
        integer_between("max_neurons", self.neurons, 1)


def random_layers(inputs: int, outputs: int, limits: Limits, rng: Generator) -> Layers:
    """Return a random genome with one hidden layer of a random size, or without hidden layers if the limit is 0."""
    sizes = [int(rng.integers(1, limits.neurons + 1))] if limits.layers else []
    widths = [inputs, *sizes, outputs]
    return tuple(_random_layer(*ends, rng) for ends in pairwise(widths))


def add_layer(genome: Layers, limits: Limits, rng: Generator) -> Layers:
    """Add a hidden layer if the limit allows it. The first one is random; the others start as the identity."""
    hidden = len(genome) - 1
    if hidden >= limits.layers:
        return genome
    if not hidden:
        inputs, size = genome[0].weights.shape[1], int(rng.integers(1, limits.neurons + 1))
        return _random_layer(inputs, size, rng), _random_layer(size, len(genome[0].biases), rng)
    place = int(rng.integers(1, hidden + 1))
    size = len(genome[place - 1].biases)
    return *genome[:place], Layer(np.eye(size), np.zeros(size)), *genome[place:]


def remove_layer(genome: Layers, limits: Limits, rng: Generator) -> Layers:
    """Remove a random hidden layer. Its weights are merged into the next layer as if there were no ReLU."""
    if len(genome) == 1:
        return genome
    place = int(rng.integers(len(genome) - 1))
    removed, after = genome[place], genome[place + 1]
    merged = Layer(after.weights @ removed.weights, after.weights @ removed.biases + after.biases)
    return *genome[:place], merged, *genome[place + 2 :]


def resize_layer(genome: Layers, limits: Limits, rng: Generator) -> Layers:
    """Add a neuron without outgoing weights to a random hidden layer, or remove a random neuron from it."""
    if len(genome) == 1:
        return genome
    place = int(rng.integers(len(genome) - 1))
    layer, after = genome[place], genome[place + 1]
    size, inputs = layer.weights.shape
    grows = rng.random() < 0.5
    if grows and size < limits.neurons:
        new = _random_layer(inputs, 1, rng)
        layer = Layer(np.vstack((layer.weights, new.weights)), np.append(layer.biases, new.biases))
        after = Layer(np.pad(after.weights, ((0, 0), (0, 1))), after.biases)
    elif not grows and size > 1:
        removed = int(rng.integers(size))
        layer = Layer(np.delete(layer.weights, removed, axis=0), np.delete(layer.biases, removed))
        after = Layer(np.delete(after.weights, removed, axis=1), after.biases)
    return *genome[:place], layer, after, *genome[place + 2 :]


def tweak_weights(genome: Layers, rng: Generator, rates: LayerRates = DEFAULT_RATES) -> Layers:
    """Add normal noise to a fraction of the weights and biases, scaled like the layer's initial weights."""
    return tuple(
        Layer(*(_add_noise(part, layer.weights.shape[1], rates, rng) for part in (layer.weights, layer.biases)))
        for layer in genome
    )


def crossover(mother: Layers, father: Layers, rng: Generator) -> Layers:
    """Return the mother with about half of the neurons that both parents have replaced by the father's.

    Such a neuron takes the father's weights for the inputs that both parents have. The output layers are matched.
    """
    pairs = list(zip_longest(mother[:-1], father[:-1]))[: len(mother) - 1]
    return tuple(_cross_layers(one, other, rng) for one, other in [*pairs, (mother[-1], father[-1])])


def sequence_crossover(mother: Layers, father: Layers, limits: Limits, rng: Generator) -> Layers:
    """Return a child whose hidden layers are taken from both parents in their order.

    The child has at least as many hidden layers as the smaller parent, and at most as many as both parents together.
    Each layer is the next layer of a random parent. The output layer is that of a random parent. Missing weights are
    random.
    """
    left = [list(mother[:-1]), list(father[:-1])]
    fewest, most = min(map(len, left)), min(sum(map(len, left)), limits.layers)
    child: list[Layer] = []
    inputs = mother[0].weights.shape[1]
    for _ in range(int(rng.integers(fewest, most + 1))):
        parent = int(rng.integers(2))
        child.append(_resize_inputs((left[parent] or left[1 - parent]).pop(0), inputs, rng))
        inputs = len(child[-1].biases)
    return *child, _resize_inputs((mother, father)[rng.integers(2)][-1], inputs, rng)


def flatten_layers(genome: Layers, output: str = "identity") -> Values:
    """Return the network as a row (:mod:`ci_envs.agents.evolution.networks`).

    Args:
        genome: the layers.
        output: the activation of the last layer.
    """
    nodes: list[Node] = []
    first = 0
    for place, layer in enumerate(genome):
        activation = output if place == len(genome) - 1 else "relu"
        for weights, bias in zip(layer.weights.tolist(), layer.biases.tolist(), strict=True):
            nodes.append(Node(bias, 1.0, activation, tuple(enumerate(weights, first))))
        first += layer.weights.shape[1]
    outputs = len(genome[-1].biases)
    return write_row(nodes[:-outputs], nodes[-outputs:])


def layers_of(row: Values, inputs: int, outputs: int) -> Layers:
    """Return the genome that :func:`flatten_layers` wrote as a row.

    Raises:
        ValueError: the network of ``row`` is not a list of layers.
    """
    hidden, last = read_row(row, inputs, outputs)
    groups: dict[tuple[int, ...], list[Node]] = {}
    for node in (*hidden, *last):
        groups.setdefault(tuple(source for source, _ in node.links), []).append(node)
    genome = tuple(
        Layer(
            np.array([[weight for _, weight in node.links] for node in nodes], dtype=np.float64),
            np.array([node.bias for node in nodes], dtype=np.float64),
        )
        for nodes in groups.values()
    )
    if all(layer.weights.size for layer in genome) and len(genome[-1].biases) == outputs:
        written = flatten_layers(genome, last[-1].activation)
        if np.array_equal(written, row[: len(written)]):
            return genome
    raise ValueError("the network is not a list of layers")


def torch_module(genome: Layers, *, softmax: bool = False) -> "nn.Sequential":
    """Return the network as a PyTorch module, which maps float64 of shape (n, inputs) to shape (n, outputs).

    Args:
        genome: the layers.
        softmax: whether a ReLU and a softmax follow the last layer.

    Raises:
        ImportError: PyTorch is not installed.
    """
    with optional_import("a network as a module of PyTorch", "torch"):
        import torch
        from torch import nn

    modules: list[nn.Module] = []
    for layer in genome:
        size, inputs = layer.weights.shape
        linear = nn.Linear(inputs, size, dtype=torch.float64)
        with torch.no_grad():
            linear.weight.copy_(torch.tensor(layer.weights))
            linear.bias.copy_(torch.tensor(layer.biases))
        modules += [linear, nn.ReLU()]
    return nn.Sequential(*modules, nn.Softmax(dim=1)) if softmax else nn.Sequential(*modules[:-1])


class LayerEvolution:
    """A genetic algorithm for lists of layers, with the ask-and-tell interface of an optimiser of rows.

    The best networks survive. The others are children of parents that tournaments select; some have two parents.

    Attributes:
        genomes: the genomes of the latest generation.
        shapes: for each generation: 1 (the number of species), and the numbers of hidden neurons and of weights of the
            best genome.
        hall: rows of the best genomes of the latest generations, the newest last.
    """

    def __init__(
        self,
        inputs: int,
        outputs: int,
        population: int,
        *,
        seed: int,
        limits: Limits,
        hall: int = 32,
        rates: LayerRates = DEFAULT_RATES,
    ) -> None:
        """Make the initial population: networks with one hidden layer of a random size.

        Args:
            inputs: number of inputs, at least 1.
            outputs: number of outputs, at least 1.
            population: number of networks, at least 4.
            seed: the seed of all random numbers.
            limits: the maximum size of networks.
            hall: number of generations whose best genome is kept.
            rates: the rates of mutation and crossover, and the sizes of the elite and of tournaments.

        Raises:
            ValueError: an argument is out of range.
        """
        integer_between("population", population, 4)
        integer_between("inputs", inputs, 1)
        integer_between("outputs", outputs, 1)
        self._rng = np.random.default_rng(integer_between("seed", seed, 0))
        self._limits, self._rates = limits, rates
        integer_between("layer_elite", rates.layer_elite, 0, population)
        self.genomes = [random_layers(inputs, outputs, limits, self._rng) for _ in range(population)]
        self.shapes: list[tuple[int, int, int]] = []
        self.hall: deque[Values] = deque(maxlen=integer_between("hall", hall, 1))
        self._fitness: Values | None = None

    def ask(self) -> Genomes:
        """Return the networks of the next generation as rows, float64 of shape (population, numbers)."""
        if self._fitness is not None:
            self.genomes = self._next(self._fitness)
            self._fitness = None
        output = "relu" if self._rates.layer_output == "softmax" else "identity"
        self._rows = [flatten_layers(genome, output) for genome in self.genomes]
        return stack_rows(self._rows)

    def tell(self, fitness: Values) -> None:
        """Set the fitness of these networks, float64 of shape (population,); higher is better."""
        best = int(np.argmax(fitness))
        neurons = sum(len(layer.biases) for layer in self.genomes[best][:-1])
        self.shapes.append((1, neurons, sum(layer.weights.size for layer in self.genomes[best])))
        self.hall.append(self._rows[best])
        self._fitness = fitness

    def _next(self, fitness: Values) -> list[Layers]:
        elite = [self.genomes[row] for row in np.argsort(-fitness, kind="stable")[: self._rates.layer_elite]]
        count = len(self.genomes) - len(elite)
        select = TournamentSelection(self._rates.layer_tournament)
        parents = select(np.empty((len(fitness), 0)), fitness, 2 * count, self._rng).reshape(count, 2)
        return elite + [self._child(*sorted(pair, key=lambda row: -fitness[row])) for pair in parents]

    def _child(self, better: int, other: int) -> Layers:
        child = self.genomes[better]
        if self._rng.random() < self._rates.layer_crossover_rate:
            child = self._crossover(child, self.genomes[other])
        if self._rng.random() < self._rates.layer_structural_rate:
            child = STRUCTURAL[self._rng.integers(len(STRUCTURAL))](child, self._limits, self._rng)
        return tweak_weights(child, self._rng, self._rates)

    def _crossover(self, mother: Layers, father: Layers) -> Layers:
        if self._rates.layer_crossover == "sequence":
            return sequence_crossover(mother, father, self._limits, self._rng)
        return crossover(mother, father, self._rng)


STRUCTURAL: tuple[Callable[[Layers, Limits, Generator], Layers], ...] = (add_layer, remove_layer, resize_layer)
"""The structural mutations, which are equally likely."""


def _random_layer(inputs: int, size: int, rng: Generator) -> Layer:
    return Layer(rng.normal(0, np.sqrt(2 / inputs), (size, inputs)), np.zeros(size))


def _resize_inputs(layer: Layer, inputs: int, rng: Generator) -> Layer:
    """Return the layer with another number of inputs: remove the last weights, or append random ones."""
    missing = inputs - layer.weights.shape[1]
    if missing <= 0:
        return Layer(layer.weights[:, :inputs], layer.biases)
    added = rng.normal(0, np.sqrt(2 / inputs), (len(layer.biases), missing))
    return Layer(np.hstack((layer.weights, added)), layer.biases)


def _add_noise(numbers: Genomes, inputs: int, rates: LayerRates, rng: Generator) -> Genomes:
    steps = rng.normal(0, rates.layer_tweak_power * np.sqrt(2 / inputs), numbers.shape)
    tweaked: Genomes = numbers + steps * (rng.random(numbers.shape) < rates.layer_tweak_rate)
    return tweaked


def _cross_layers(mother: Layer, father: Layer | None, rng: Generator) -> Layer:
    if father is None:
        return mother
    rows, columns = np.minimum(mother.weights.shape, father.weights.shape)
    taken = np.flatnonzero(rng.random(rows) < 0.5)
    weights, biases = mother.weights.copy(), mother.biases.copy()
    weights[taken, :columns] = father.weights[taken, :columns]
    biases[taken] = father.biases[taken]
    return Layer(weights, biases)
