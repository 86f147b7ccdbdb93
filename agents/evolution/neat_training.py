"""Training of ``neat``: options, fitness by play, learning curve and champion.

The defaults were tuned on Quixo, with 70 s of processor time and one seed each. The table shows the wins, draws and
losses of the champion in 200 games against each opponent.

| opponents of the evolution | random | minimax:depth=1 | minimax:depth=2 |
|---|---|---|---|
| random, depth 1 and two peers | 199-0-1 | 100-100-0 | 0-169-31 |
| the same with a temperature of 0.05 | 197-0-3 | 0-200-0 | 0-177-23 |
| the same with outputs=actions, 60 networks and no symmetries | 171-0-29 | 0-0-200 | 0-1-199 |
| depth 1 and 2 without peers, in less than half the time per generation | 195-0-5 | 169-31-0 | 0-195-5 |
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.random import Generator
from typing_extensions import override

from ci_envs.agents.evolution.config import EvolutionConfig
from ci_envs.agents.evolution.layers import LayerEvolution, LayerRates, Limits
from ci_envs.agents.evolution.neat_agent import AGENT, INPUTS, OUTPUTS, NeatAgent
from ci_envs.agents.evolution.neat_parameters import NeatParameters
from ci_envs.agents.evolution.networks import ACTIVATIONS, MAX_SYMMETRIES, NetworkPolicy
from ci_envs.agents.evolution.training import EvolutionTrainer
from ci_envs.agents.search.lookahead import MAX_LOOKAHEAD
from ci_envs.extras import optional_import
from ci_envs.games.game import Game
from ci_envs.games.truncation import ply_limit
from ci_envs.optimisation.evolution.ask_tell import OptimiserEvolution
from ci_envs.optimisation.evolution.engine import Fitness
from ci_envs.optimisation.evolution.parameters import Values
from ci_envs.registry.options import Option
from ci_envs.training.config import OpeningOptions, TrainingConfig

_CYCLING_PLIES = 60
_EVOLUTION_LOOKAHEAD = 2  # more plies would take most of the time of the evolution
_SHAPE = ("species", "hidden", "connections")


@dataclass(frozen=True, kw_only=True)
class GraphOptions(NeatParameters):
    """The options of NEAT (``encoding=graph``)."""

    species: Annotated[int, Option("number of species to which the compatibility threshold adapts", ge=1)] = 8
    activation: Annotated[str, Option("activation of all nodes", choices=ACTIVATIONS)] = "tanh"


@dataclass(frozen=True, kw_only=True)
class LayerOptions(LayerRates):
    """The options of ``encoding=layers``."""

    max_layers: Annotated[int, Option("maximum number of hidden layers", ge=0)] = 3
    max_neurons: Annotated[int, Option("maximum number of neurons in a hidden layer", ge=1)] = 32


@dataclass(frozen=True, kw_only=True)
class NeatConfig(GraphOptions, LayerOptions, OpeningOptions, EvolutionConfig):
    """The options of ``neat``."""

    only_with: ClassVar[Mapping[type, str]] = {GraphOptions: "encoding=graph", LayerOptions: "encoding=layers"}

    generations: int = 120
    encoding: Annotated[
        str,
        Option(
            "graph is NEAT, whose networks are graphs with historical markings; layers means lists of layers",
            choices=("graph", "layers"),
        ),
    ] = "graph"
    population: Annotated[int, Option("networks in a generation", ge=4)] = 100
    games: int = 10
    random_share: float = 0.0
    opponents: tuple[str, ...] | None = ("random", "minimax:depth=1", "minimax:depth=2")
    peers: int = 1
    final_games: int | None = 100
    hall: Annotated[int, Option("number of latest best networks, from which the agent is chosen", ge=1)] = 32
    max_plies: Annotated[
        int | None,
        Option(
            f"plies after which a game of the evolution is a draw; none is {_CYCLING_PLIES} in games that can cycle",
            ge=1,
        ),
    ] = None
    inputs: Annotated[
        str,
        Option(
            "planes: the observation; features: the features of the game, of which symmetric positions have equal ones",
            choices=INPUTS,
        ),
    ] = "planes"
    outputs: Annotated[
        str,
        Option(
            "value: a network evaluates the positions after the legal actions; actions: it evaluates the actions",
            choices=OUTPUTS,
        ),
    ] = "value"
    lookahead: Annotated[
        int,
        Option(
            "plies within which the agent searches for forced results; the network then chooses among the best "
            f"actions; 0 is the network alone; the evolution searches at most {_EVOLUTION_LOOKAHEAD}",
            ge=0,
            le=MAX_LOOKAHEAD,
        ),
    ] = 0
    symmetries: Annotated[
        bool | None,
        Option(
            "average the network over the symmetric positions; none does so with inputs=planes for at most "
            f"{MAX_SYMMETRIES} symmetries"
        ),
    ] = None
    temperature: Annotated[
        float,
        Option("temperature of the softmax over the legal actions in the evolution; 0 plays the best action", ge=0),
    ] = 0.0


class NeatTrainer(EvolutionTrainer):
    """Trainer of ``neat``."""

    learner = AGENT
    config_type: ClassVar[type[TrainingConfig]] = NeatConfig
    agent_type = NeatAgent
    config: NeatConfig
    policy: NetworkPolicy

    @override
    def make_policy(self) -> NetworkPolicy:
        plies = min(self.config.lookahead, _EVOLUTION_LOOKAHEAD)
        return replace(self.playing_policy(), temperature=self.config.temperature, lookahead=plies)

    @override
    def playing_policy(self) -> NetworkPolicy:
        config = self.config
        return NetworkPolicy(
            OUTPUTS[config.outputs],
            self._symmetries,
            softmax=self._softmax,
            lookahead=config.lookahead,
            features=INPUTS[config.inputs],
        )

    @override
    def max_plies(self) -> int:
        return longest_game(self.task.game, self.config.max_plies, self.task.max_cycles)

    @override
    def make_evolution(self, fitness: Fitness) -> OptimiserEvolution:
        config, game, seed = self.config, self.task.game, self.task.seed
        outputs = 1 if OUTPUTS[config.outputs] else game.action_count
        sizes = self.policy.inputs(game), outputs, config.population
        is_graph = config.encoding == "graph"
        if self._softmax and OUTPUTS[config.outputs]:
            raise ValueError(f"layer_output=softmax is for outputs=actions, not outputs={config.outputs}")
        if is_graph:
            with optional_import("encoding=graph", "evolution"):
                from ci_envs.agents.evolution.neat import Neat

            self._optimiser: Neat | LayerEvolution = Neat(
                *sizes,
                seed=seed,
                species=config.species,
                activation=config.activation,
                hall=config.hall,
                parameters=config,
            )
        else:
            limits = Limits(config.max_layers, config.max_neurons)
            self._optimiser = LayerEvolution(*sizes, seed=seed, limits=limits, hall=config.hall, rates=config)
        return OptimiserEvolution(self._optimiser, fitness, seed)

    @override
    def latest_genome(self) -> Values:
        return self._optimiser.hall[-1]

    @override
    def candidates(self) -> list[Values]:
        return list(self._optimiser.hall)

    @override
    def playing_options(self) -> Mapping[str, Any]:
        config = self.config
        options = {
            "encoding": config.encoding,
            "inputs": config.inputs,
            "outputs": config.outputs,
            "symmetries": self._symmetries,
            "lookahead": config.lookahead,
        }
        return {**options, "softmax": True} if self._softmax else options

    @override
    def final_rng(self) -> Generator:
        return np.random.default_rng([self.task.seed, 0, 1])

    @override
    def metrics(self) -> Mapping[str, float]:
        shape = dict(zip(_SHAPE, self._optimiser.shapes[-1], strict=True))
        return {**super().metrics(), **shape}

    @property
    def _softmax(self) -> bool:
        return self.config.layer_output == "softmax"

    @property
    def _symmetries(self) -> bool:
        config = self.config
        if not INPUTS[config.inputs]:
            return _averages_symmetries(self.task.game, config.symmetries)
        if config.symmetries:
            raise ValueError("symmetries=true is for inputs=planes: symmetric positions have equal features")
        return False


def longest_game(game: Game, max_plies: int | None, max_cycles: int | None) -> int:
    """Return the number of plies after which a game of the evolution is a draw.

    Args:
        game: the game.
        max_plies: the option. None is 60 plies in games that can cycle, and no limit in other games.
        max_cycles: the limit of the environment, which is never exceeded. None is the game's own limit.
    """
    limit = ply_limit(game, max_cycles)
    if max_plies is not None:
        return min(limit, max_plies)
    return min(limit, _CYCLING_PLIES) if game.can_cycle else limit


def _averages_symmetries(game: Game, symmetries: bool | None) -> bool:
    if symmetries is None:
        return game.symmetry_count <= MAX_SYMMETRIES
    if symmetries and game.symmetry_count > MAX_SYMMETRIES:
        raise ValueError(f"symmetries=true is for up to {MAX_SYMMETRIES} symmetries; {game} has {game.symmetry_count}")
    return symmetries
