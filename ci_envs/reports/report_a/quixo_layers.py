"""Report A's evolution of lists of layers for Quixo, which report A calls NEAT.

The input of a network are 25 cells: 1 for an own cube, -1 for a cube of the opponent, 0 for a blank cube. Every layer,
also the output layer, has a ReLU. A softmax follows. The network plays the legal action with the largest output; of
equal actions it plays the first. ``a6.toml`` lists the bugs of report A's code that the literal version keeps.
"""

from collections.abc import Callable
from functools import partial
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ci_envs.agents.evolution.layers import Layer, Layers, flatten_layers
from ci_envs.agents.evolution.networks import NetworkPolicy
from ci_envs.agents.evolution.play import Individual, play_population
from ci_envs.games.game import Game
from ci_envs.games.quixo import Quixo
from ci_envs.optimisation.evolution.parameters import Values
from ci_envs.reports.literal_agent import LiteralAgent, require_equal
from ci_envs.storage.arrays import read_arrays, write_arrays

INPUTS, OUTPUTS = 25, 44
MOST_HIDDEN, MOST_NEURONS = 5, 100
POPULATION, GENERATIONS = 20, 10
GAMES, MOST_PLIES = 5, 100  # games of each network in a generation, and plies after which a game is a draw

POLICY = NetworkPolicy(by_value=False, softmax=True)
"""The policy that plays by the row of a network."""

_GAME = Quixo()
_ELITE, _TOURNAMENT, _RATE, _TWEAK = 2, 5, 0.3, 0.1
_CHAMPION = Path(__file__).with_name("quixo_layers.npz")
_FORMAT = "ci_envs report A6 1"


def random_network(rng: Generator) -> Layers:
    """Return a random network: 1 to 5 hidden layers of 1 to 100 neurons, all weights and biases from -1 to 1."""
    hidden = [_random_size(rng) for _ in range(rng.integers(1, MOST_HIDDEN + 1))]
    return tuple(_random_layer(*ends, rng) for ends in pairwise([INPUTS, *hidden, OUTPUTS]))


def crossover(mother: Layers, father: Layers, rng: Generator, *, blends: bool = False) -> Layers:
    """Return a child. Each of its layers comes from a random parent, and its output layer is random.

    Args:
        mother: A parent.
        father: The other parent.
        rng: The random number generator.
        blends: Whether to mix the weights of a layer with those of the other parent's layer at the same place, as the
            text of report A says.
    """
    parents = [mother[:-1], father[:-1]]
    fewer, more = sorted(map(len, parents))
    first = int(rng.integers(2))
    child = [_blended(parents[first][0], parents[1 - first][0], rng) if blends else parents[first][0]]
    places = [1, 1]
    for _ in range(rng.integers(fewer - 1, max(fewer - 1, min(more - 1, MOST_HIDDEN)) + 1)):
        left = [parent for parent in (0, 1) if places[parent] < len(parents[parent])]
        parent = left[rng.integers(len(left))]
        layer = _fitted(parents[parent][places[parent]], len(child[-1].biases), rng)
        if blends and places[parent] < len(parents[1 - parent]):
            layer = _blended(layer, parents[1 - parent][places[parent]], rng)
        child.append(layer)
        places[parent] += 1
    return *child, _random_layer(len(child[-1].biases), OUTPUTS, rng)


def mutate(network: Layers, rng: Generator) -> Layers:
    """Return a mutant: with some probability one layer more or less, a new inner layer, and changed weights."""
    layers = list(network)
    if rng.random() < _RATE:
        _add_or_remove(layers, rng)
    if len(layers) > 2:
        _replace(layers, int(rng.integers(1, len(layers) - 1)), _random_size(rng), rng)
    return tuple(Layer(_tweaked(layer.weights, rng), _tweaked(layer.biases, rng)) for layer in layers)


def row_of(network: Layers) -> Values:
    """Return the network as a row for :data:`POLICY`. Its inputs are the planes of Quixo instead of signed cells."""
    first = network[0]
    planes = np.stack([first.weights, -first.weights], axis=2).reshape(len(first.weights), -1)
    return flatten_layers((Layer(planes, first.biases), *network[1:]), "relu")


def wins_in_games(rows: list[Values], rng: Generator) -> NDArray[np.float64]:
    """Return the number of games, of five, that each network wins against random members of the population.

    A network moves first in three of its games.

    Args:
        rows: The networks as rows.
        rng: The random number generator.
    """
    wins = np.zeros(len(rows))
    for place, row in enumerate(rows):
        for game in range(GAMES):
            opponent = rows[rng.integers(len(rows))]
            first, second = (row, opponent) if game % 2 == 0 else (opponent, row)
            seed = int(rng.integers(2**63))
            played = play_population(
                _GAME, POLICY, first[np.newaxis], [Individual(POLICY, second)], 1, seed, max_cycles=MOST_PLIES
            )
            wins[place] += played[0, 0, 0 if game % 2 == 0 else 2]
    return wins


def evolve(
    rng: Generator, generations: int = GENERATIONS, *, blends: bool = False
) -> tuple[Layers, NDArray[np.float64]]:
    """Run report A's evolution.

    Args:
        rng: The random number generator.
        generations: The number of populations that play.
        blends: Whether the crossover mixes the weights of the parents.

    Returns:
        The best network of the last population; and the largest and the mean share of games won of each population,
        float64 (generations, 2).
    """
    population = [random_network(rng) for _ in range(POPULATION)]
    curve = np.empty((generations, 2))
    for generation in range(generations):
        fitness = wins_in_games([row_of(network) for network in population], rng)
        curve[generation] = fitness.max() / GAMES, fitness.mean() / GAMES
        if generation < generations - 1:
            population = _next(population, fitness, rng, partial(crossover, blends=blends))
    return population[int(fitness.argmax())], curve


def layers_agent(game: Game, network: Layers, *, seed: int | None = None) -> LiteralAgent:
    """Make an agent that plays Quixo by a network.

    Args:
        game: Quixo on 5 x 5.
        network: The network.
        seed: Not used, because the agent is deterministic.

    Raises:
        ValueError: The game is not Quixo on 5 x 5.
    """
    require_equal("report:A6", game, _GAME)
    return LiteralAgent(game, partial(POLICY.compiled, game, row_of(network)), seed=seed)


def champion_agent(game: Game, seed: int | None) -> LiteralAgent:
    """Make the agent with the network of this package, which :func:`write_champion` wrote with the seed 0."""
    about, arrays = read_arrays(_CHAMPION, _FORMAT)
    layers = (Layer(*(arrays[f"{part}{place}"].astype(float) for part in "wb")) for place in range(about["layers"]))
    return layers_agent(game, tuple(layers), seed=seed)


def write_champion(path: Path = _CHAMPION, seed: int = 0) -> None:
    """Run report A's evolution, and write the best network of the last population in single precision."""
    network, _ = evolve(np.random.default_rng(seed))
    arrays = {f"w{place}": layer.weights.astype(np.float32) for place, layer in enumerate(network)}
    arrays |= {f"b{place}": layer.biases.astype(np.float32) for place, layer in enumerate(network)}
    write_arrays(path, _FORMAT, {"layers": len(network), "seed": seed}, arrays)


def _next(
    population: list[Layers],
    fitness: NDArray[np.float64],
    rng: Generator,
    cross: Callable[[Layers, Layers, Generator], Layers],
) -> list[Layers]:
    elite = np.argsort(-fitness, kind="stable")[:_ELITE]
    weights = fitness.copy()
    weights[elite] = 0
    select = partial(_winner, weights, rng)
    children = [mutate(cross(population[select()], population[select()], rng), rng) for _ in range(POPULATION - _ELITE)]
    return [*(population[place] for place in elite), *children]


def _winner(fitness: NDArray[np.float64], rng: Generator) -> int:
    """Return the winner of a tournament."""
    drawn = rng.choice(len(fitness), _TOURNAMENT, replace=False)
    return int(drawn[fitness[drawn].argmax()])


def _add_or_remove(layers: list[Layer], rng: Generator) -> None:
    """Add or remove a hidden layer, and sample new weights of the next layer. At least one hidden layer stays."""
    hidden = len(layers) - 1
    if hidden > 1 and (hidden == MOST_HIDDEN or rng.random() < 0.5):
        place = int(rng.integers(hidden))
        inputs = layers.pop(place).weights.shape[1]
    else:
        place = int(rng.integers(hidden + 1))
        new = _random_layer(layers[place].weights.shape[1], _random_size(rng), rng)
        layers.insert(place, new)
        place, inputs = place + 1, len(new.biases)
    layers[place] = _random_layer(inputs, len(layers[place].biases), rng)


def _replace(layers: list[Layer], place: int, size: int, rng: Generator) -> None:
    layers[place] = _random_layer(layers[place].weights.shape[1], size, rng)
    layers[place + 1] = _fitted(layers[place + 1], size, rng)


def _fitted(layer: Layer, inputs: int, rng: Generator) -> Layer:
    """Return the layer with another number of inputs: remove columns, or add random columns."""
    missing = max(0, inputs - layer.weights.shape[1])
    added = rng.uniform(-1, 1, (len(layer.biases), missing))
    return Layer(np.hstack((layer.weights[:, :inputs], added)), layer.biases)


def _blended(layer: Layer, other: Layer, rng: Generator) -> Layer:
    """Return the layer, with the weights and biases that both layers have mixed in a random ratio."""
    share = rng.random()

    def mixed(own: NDArray[np.float64], others: NDArray[np.float64]) -> NDArray[np.float64]:
        both = tuple(slice(min(sizes)) for sizes in zip(own.shape, others.shape, strict=True))
        blend = own.copy()
        blend[both] = share * own[both] + (1 - share) * others[both]
        return blend

    return Layer(mixed(layer.weights, other.weights), mixed(layer.biases, other.biases))


def _tweaked(numbers: NDArray[np.float64], rng: Generator) -> NDArray[np.float64]:
    steps = rng.uniform(-_TWEAK, _TWEAK, numbers.shape)
    return np.where(rng.random(numbers.shape) < _RATE, numbers + steps, numbers)


def _random_size(rng: Generator) -> int:
    return int(rng.integers(1, MOST_NEURONS + 1))


def _random_layer(inputs: int, size: int, rng: Generator) -> Layer:
    return Layer(rng.uniform(-1, 1, (size, inputs)), rng.uniform(-1, 1, size))
