"""Training of ``evolution_strategy``.

The strategies are (mu + lambda) and (mu, lambda) (Rechenberg 1973, Schwefel 1975) with the one-fifth rule, and CMA-ES
(:mod:`ci_envs.optimisation.evolution.cma_es`).
"""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import Annotated, Any, ClassVar

import numpy as np
from typing_extensions import override

from ci_envs.agent_interface.supported_game import require_game
from ci_envs.agents.evolution.config import ELITE, EvolutionConfig, PopulationOptions
from ci_envs.agents.evolution.evaluation import MAX_HIDDEN, EvaluationPolicy, gene_count
from ci_envs.agents.evolution.evolution_strategy import AGENT, EvolutionStrategyAgent
from ci_envs.agents.evolution.rules import RULES, RulesPolicy
from ci_envs.agents.evolution.training import EvolutionTrainer
from ci_envs.agents.search.negamax import MAX_DEPTH
from ci_envs.extras import missing_package
from ci_envs.games.quixo import Quixo
from ci_envs.optimisation.evolution.ask_tell import OptimiserEvolution
from ci_envs.optimisation.evolution.cma_es import CMAES
from ci_envs.optimisation.evolution.engine import Fitness, Plan
from ci_envs.optimisation.evolution.evolution import PopulationEvolution
from ci_envs.optimisation.evolution.initial import RandomNumbers
from ci_envs.optimisation.evolution.mutation import Gaussian
from ci_envs.optimisation.evolution.parameters import Values
from ci_envs.registry.options import Option
from ci_envs.training.config import OpeningOptions, TrainingConfig

_SIZES = {"plus": (1, 10), "comma": (5, 35)}  # (mu, lambda)
_HIDDEN = 8


@dataclass(frozen=True, kw_only=True)
class EvolutionStrategyConfig(PopulationOptions, OpeningOptions, EvolutionConfig):
    """The options of ``evolution_strategy``."""

    only_with: ClassVar[Mapping[type, str]] = {PopulationOptions: "strategy=plus|comma"}

    generations: int = 60
    random_share: float = 0.0
    strategy: Annotated[
        str | None,
        Option(
            "plus is (mu + lambda), comma is (mu, lambda), cma is CMA-ES with the package cma (extra evolution); "
            "none is cma if this package is installed, otherwise comma",
            choices=(*_SIZES, "cma"),
        ),
    ] = None
    evaluation: Annotated[
        str,
        Option(
            "linear evaluation, perceptron with one hidden layer (mlp), or 14 weighted rules of Quixo (no search)",
            choices=("linear", "mlp", "rules"),
        ),
    ] = "linear"
    hidden: Annotated[
        int | None,
        Option(f"number of hidden units; none is {_HIDDEN}", ge=1, le=MAX_HIDDEN, only_with="evaluation=mlp"),
    ] = None
    rules: Annotated[
        int, Option("number of rules, from the first one", ge=1, le=len(RULES), only_with="evaluation=rules")
    ] = len(RULES)
    depth: Annotated[int, Option("search depth in plies", ge=1, le=MAX_DEPTH, not_with="evaluation=rules")] = 2
    playing_depth: Annotated[
        int | None,
        Option(
            "search depth in plies with which the agent plays; the games of the evolution have depth; none is depth",
            ge=1,
            le=MAX_DEPTH,
            not_with="evaluation=rules",
        ),
    ] = None
    population: Annotated[
        int | None,
        Option("mu, the number of parents; none is 1 (plus), 5 (comma) or half of the offspring (cma)", ge=1),
    ] = None
    offspring: Annotated[
        int | None,
        Option("lambda, the number of offspring; none is 10 (plus), 35 (comma) or 4 + 3 ln genes (cma)", ge=1),
    ] = None
    sigma: Annotated[float, Option("initial standard deviation of the mutations", gt=0)] = 0.5
    initial_range: Annotated[
        float,
        Option("initial genes are uniform from -initial_range to initial_range", gt=0, only_with="strategy=plus|comma"),
    ] = 1.0
    elite: Annotated[int, replace(ELITE, only_with="strategy=comma")] = 0
    selection: str = "truncation"
    mutation_rate: float | None = 1.0
    step_rule: str | None = "one_fifth"
    hall_size: int = 10

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.strategy is None:
            object.__setattr__(self, "strategy", _default_strategy())


def _default_strategy() -> str:
    """Return ``cma``, or ``comma`` with a warning if the package ``cma`` is not installed."""
    if find_spec("cma") is not None:
        return "cma"
    needed = missing_package("strategy=cma", "cma", "evolution")
    warnings.warn(f"{needed}. The strategy comma is used instead", RuntimeWarning, stacklevel=2)
    return "comma"


class EvolutionStrategyTrainer(EvolutionTrainer):
    """Trainer of ``evolution_strategy``."""

    learner = AGENT
    config_type: ClassVar[type[TrainingConfig]] = EvolutionStrategyConfig
    agent_type = EvolutionStrategyAgent
    config: EvolutionStrategyConfig

    @override
    def make_policy(self) -> EvaluationPolicy | RulesPolicy:
        config = self.config
        if self._is_rules:
            require_game("evaluation=rules", self.task.game, Quixo)
        return RulesPolicy() if self._is_rules else EvaluationPolicy(config.depth)

    @override
    def make_evolution(self, fitness: Fitness) -> OptimiserEvolution | PopulationEvolution:
        config, seed = self.config, self.task.seed
        hidden = self._hidden_units()
        genes = config.rules if self._is_rules else gene_count(self.task.game, hidden)
        self._optimiser: CMAES | None = None
        if config.strategy != "cma":
            initial = RandomNumbers(genes, -config.initial_range, config.initial_range)
            self._population = PopulationEvolution(make_plan(config, genes), fitness, initial, seed)
            return self._population
        self._optimiser = CMAES(
            np.zeros(genes), config.sigma, seed=seed, offspring=config.offspring, parents=config.population
        )
        return OptimiserEvolution(self._optimiser, fitness, seed)

    @override
    def latest_genome(self) -> Values:
        genome: Values = self._population.population.hall[0] if self._optimiser is None else self._optimiser.mean
        return genome

    @override
    def candidates(self) -> list[Values]:
        if self._optimiser is not None:
            return [self._optimiser.mean, *self._optimiser.genomes]
        population = self._population.population
        return [*population.genomes, *population.hall]

    @override
    def playing_options(self) -> Mapping[str, Any]:
        if self._is_rules:
            return {"evaluation": "rules"}
        config = self.config
        depth = config.depth if config.playing_depth is None else config.playing_depth
        return {"depth": depth, "hidden": self._hidden_units()}

    @property
    def _is_rules(self) -> bool:
        return self.config.evaluation == "rules"

    def _hidden_units(self) -> int:
        if self.config.evaluation != "mlp":
            return 0
        return _HIDDEN if self.config.hidden is None else self.config.hidden


def make_plan(config: EvolutionStrategyConfig, genes: int) -> Plan:
    """Return the evolution strategy ``plus`` or ``comma`` for genomes of ``genes`` genes.

    Raises:
        ValueError: the sizes do not fit each other.
    """
    assert config.strategy is not None, "the constructor replaces it"
    mu, lambda_ = _SIZES[config.strategy]
    return config.make_plan(
        mu if config.population is None else config.population,
        lambda_ if config.offspring is None else config.offspring,
        Gaussian(config.sigma, config.mutation_probability(genes)),
        genes,
        plus=config.strategy == "plus",
        bounds=(-np.inf, np.inf),
    )
