"""NEAT: neural networks whose structure evolves, with historical markings of the genes and with species.

Stanley and Miikkulainen, "Evolving neural networks through augmenting topologies", Evolutionary Computation 10(2),
2002. Genomes, species and reproduction are those of neat-python 2.0. Compiled code evaluates the networks as rows
(:mod:`ci_envs.agents.evolution.networks`).
"""

import random
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from types import SimpleNamespace
from typing import Any

import neat
import numpy as np
from neat.reporting import ReporterSet

from ci_envs.agents.evolution.neat_parameters import (
    DEFAULT_PARAMETERS,
    REPRODUCTION,
    SPECIES,
    STAGNATION,
    NeatParameters,
)
from ci_envs.agents.evolution.networks import ACTIVATIONS, Node, stack_rows, write_row
from ci_envs.optimisation.evolution.parameters import Genomes, Values
from ci_envs.validation import integer_between, one_of

_LOCK = Lock()  # neat-python uses the global generator of Python's random


class Genome(neat.DefaultGenome):  # type: ignore[misc]
    """A genome of neat-python with two changes.

    Genomes that split the same connection in the same generation get the same node, as in the paper. In neat-python 2.0
    each genome gets a new node, so the innovation numbers never match.

    Children are not checked for cycles: all their connections come from the fitter parent, which has no cycle. The
    check increased the time for a child with 2,200 connections from 3 ms to 70 ms.
    """

    def configure_crossover(self, genome1: Any, genome2: Any, config: Any) -> None:
        """Initialise this genome as the child of two genomes."""
        config.feed_forward = False
        try:
            super().configure_crossover(genome1, genome2, config)
        finally:
            config.feed_forward = True

    def mutate_add_node(self, config: Any) -> None:
        """Split a random connection with a node."""
        if not self.connections:
            return
        split = random.choice(list(self.connections.values()))
        marks = config.innovation_tracker.generation_innovations
        key = marks.get((split.innovation, "node"))
        if key is None or key in self.nodes:
            key = config.get_new_node_key(self.nodes)
            marks[split.innovation, "node"] = key
        node = self.create_node(config, key)
        node.bias = 0.0
        self.nodes[key] = node
        split.enabled = False
        source, target = split.key
        for ends, weight, kind in (((source, key), 1.0, "in"), ((key, target), split.weight, "out")):
            mark = config.innovation_tracker.get_innovation_number(*ends, f"add_node_{kind}")
            self.add_connection(config, *ends, weight, True, innovation=mark)


def neat_config(
    inputs: int,
    outputs: int,
    population: int,
    activation: str = "tanh",
    parameters: NeatParameters = DEFAULT_PARAMETERS,
) -> SimpleNamespace:
    """Return a configuration of neat-python, with the attributes of its class ``Config``.

    Args:
        inputs: number of inputs. Their keys are -1, -2, ...
        outputs: number of outputs. Their keys are 0, 1, ...
        population: number of genomes.
        activation: activation of all nodes, one of :data:`~ci_envs.agents.evolution.networks.ACTIVATIONS`.
        parameters: all other parameters.
    """
    sizes = {"num_inputs": str(inputs), "num_outputs": str(outputs)}
    kind = {"activation_default": activation, "activation_options": activation}
    return SimpleNamespace(
        pop_size=population,
        genome_type=Genome,
        genome_config=Genome.parse_config({**parameters.genome_parameters(), **sizes, **kind}),
        species_set_config=neat.DefaultSpeciesSet.parse_config(parameters.texts(SPECIES[:1])),
        stagnation_config=neat.DefaultStagnation.parse_config(parameters.texts(STAGNATION)),
        reproduction_config=neat.DefaultReproduction.parse_config(parameters.texts(REPRODUCTION)),
    )


class _Reproduction(neat.DefaultReproduction):  # type: ignore[misc]
    """The reproduction of neat-python, also if species have to shrink by more than one network each.

    neat-python reduces each species at most once to reach the size of the population, and otherwise ends with an error.
    """

    def _adjust_spawn_exact(self, spawn_amounts: list[int], pop_size: int, min_species_size: int) -> list[int]:
        amounts = spawn_amounts
        while sum(amounts) - pop_size > sum(amount > min_species_size for amount in amounts) > 0:
            amounts = [amount - (amount > min_species_size) for amount in amounts]
        adjusted: list[int] = super()._adjust_spawn_exact(amounts, pop_size, min_species_size)
        return adjusted


def flatten(genome: Any, config: Any) -> Values:
    """Return the network of a genome of neat-python as a row (:mod:`ci_envs.agents.evolution.networks`).

    Args:
        genome: a feed-forward genome with sum aggregation and known activations.
        config: its ``genome_config``.
    """
    links: dict[int, list[tuple[int, float]]] = {key: [] for key in config.output_keys}
    for (source, target), gene in genome.connections.items():
        if gene.enabled:
            links.setdefault(target, []).append((source, gene.weight))
    order = [key for key in _in_order(links, config.output_keys) if key not in config.output_keys]
    places = {key: -1 - key for key in config.input_keys}
    places |= {key: len(places) + place for place, key in enumerate(order)}

    def node(key: int) -> Node:
        gene = genome.nodes[key]
        known = tuple((places[source], weight) for source, weight in links.get(key, ()))
        return Node(gene.bias, gene.response, gene.activation, known)

    return write_row([node(key) for key in order], [node(key) for key in config.output_keys])


def _in_order(links: dict[int, list[tuple[int, float]]], outputs: list[int]) -> list[int]:
    """Return the outputs and the nodes that they depend on, in topological order."""
    done: dict[int, None] = {}
    stack = [(key, False) for key in reversed(outputs)]
    while stack:
        key, seen = stack.pop()
        if key in done or key < 0:
            continue
        if seen:
            done[key] = None
        else:
            stack.append((key, True))
            stack += [(source, False) for source, _ in links.get(key, ())]
    return list(done)


class Neat:
    """NEAT as an :class:`~ci_envs.optimisation.evolution.ask_tell.Optimiser` of networks as rows.

    neat-python uses the global random numbers of Python. Their state is restored after each call.

    Attributes:
        genomes: the genomes of neat-python in the latest generation.
        config: the configuration of neat-python.
        shapes: for each generation: the number of species, and the numbers of hidden nodes and of enabled connections
            of the best genome.
        hall: rows of the best genomes of the latest generations, the newest last.
    """

    def __init__(
        self,
        inputs: int,
        outputs: int,
        population: int,
        *,
        seed: int,
        species: int = 8,
        activation: str = "tanh",
        hall: int = 32,
        parameters: NeatParameters = DEFAULT_PARAMETERS,
    ) -> None:
        """Make the initial population: networks without hidden nodes, each input connected to each output.

        Args:
            inputs: number of inputs, at least 1.
            outputs: number of outputs, at least 1.
            population: number of networks, at least 4.
            seed: the seed of all random numbers.
            species: the number of species to which the compatibility threshold adapts.
            activation: the activation of all nodes.
            hall: number of generations whose best genome is kept.
            parameters: the rates of mutation, and the parameters of species.

        Raises:
            ValueError: an argument is out of range.
        """
        integer_between("population", population, 4)
        self._target_species = integer_between("species", species, 1, population)
        one_of("activation", activation, ACTIVATIONS)
        integer_between("inputs", inputs, 1)
        integer_between("outputs", outputs, 1)
        self.config = neat_config(inputs, outputs, population, activation, parameters)
        self._parameters = parameters
        self.shapes: list[tuple[int, int, int]] = []
        self.hall: deque[Values] = deque(maxlen=integer_between("hall", hall, 1))
        self._random = random.Random(integer_between("seed", seed, 0)).getstate()
        reporters = ReporterSet()
        stagnation = neat.DefaultStagnation(self.config.stagnation_config, reporters)
        self._reproduction = _Reproduction(self.config.reproduction_config, reporters, stagnation)
        self._species = neat.DefaultSpeciesSet(self.config.species_set_config, reporters)
        self._is_evaluated = False
        with self._use_own_random_state():
            self._speciate(self._new_population())

    def ask(self) -> Genomes:
        """Return the networks of the next generation as rows, float64 of shape (population, numbers)."""
        if self._is_evaluated:
            with self._use_own_random_state():
                self._limit_minima()
                offspring = self._reproduction.reproduce(
                    self.config, self._species, self.config.pop_size, len(self.shapes) - 1
                )
                self._speciate(offspring or self._new_population())  # if all species stagnated, evolution begins again
            self._is_evaluated = False
        self._rows = [flatten(genome, self.config.genome_config) for genome in self.genomes]
        return stack_rows(self._rows)

    def tell(self, fitness: Values) -> None:
        """Set the fitness of these networks, float64 of shape (population,); higher is better."""
        for genome, value in zip(self.genomes, fitness, strict=True):
            genome.fitness = float(value)
        best = int(np.argmax(fitness))
        connections = self.genomes[best].size()[1]
        self.shapes.append((len(self._species.species), int(self._rows[best][0]), connections))
        self.hall.append(self._rows[best])
        self._is_evaluated = True

    def _new_population(self) -> dict[int, Any]:
        genomes: dict[int, Any] = self._reproduction.create_new(Genome, self.config.genome_config, self.config.pop_size)
        return genomes

    def _limit_minima(self) -> None:
        """Lower the minimum size and the elite of the species for a generation in which they exceed the population."""
        most, settings = self.config.pop_size // len(self._species.species), self.config.reproduction_config
        settings.min_species_size = min(self._parameters.min_species_size, max(1, most))
        settings.elitism = min(self._parameters.elitism, most)

    def _speciate(self, population: dict[int, Any]) -> None:
        """Divide a new population into species, and adapt the compatibility threshold.

        In neat-python a species exists until it is stagnant, even if the threshold is large. Therefore the threshold
        increases only while there are too many species and their number grows.
        """
        before = len(self._species.species)
        self._species.speciate(self.config, population, len(self.shapes))
        self.genomes = list(population.values())
        count, threshold = len(self._species.species), self.config.species_set_config.compatibility_threshold
        if count < self._target_species:
            threshold = max(self._parameters.compatibility_least, threshold / self._parameters.compatibility_step)
        elif count > max(before, self._target_species):
            threshold *= self._parameters.compatibility_step
        self.config.species_set_config.compatibility_threshold = threshold

    @contextmanager
    def _use_own_random_state(self) -> Iterator[None]:
        with _LOCK:
            found = random.getstate()
            random.setstate(self._random)
            try:
                yield
            finally:
                self._random = random.getstate()
                random.setstate(found)
