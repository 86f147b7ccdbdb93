"""The options that all evolutionary trainers share, and the evolutionary algorithm that they describe."""

from dataclasses import dataclass
from typing import Annotated

from ci_envs.optimisation.evolution.crossover import Blend, Crossover, OnePoint, Uniform
from ci_envs.optimisation.evolution.engine import Plan
from ci_envs.optimisation.evolution.mutation import Mutation
from ci_envs.optimisation.evolution.parameters import PerGene
from ci_envs.optimisation.evolution.selection import (
    RouletteSelection,
    Selection,
    TournamentSelection,
    TruncationSelection,
)
from ci_envs.optimisation.evolution.step_size import OneFifth
from ci_envs.optimisation.evolution.survival import Elitism, Immigration, Plus, Survival
from ci_envs.registry.options import Option, Validated
from ci_envs.training.config import TrainingConfig, WorkerOptions


@dataclass(frozen=True, kw_only=True)
class EvolutionConfig(WorkerOptions, TrainingConfig):
    """The options of every trainer that evolves genomes by play."""

    generations: Annotated[
        int, Option("number of generations after the initial one", ge=1, changeable=True, is_length=True)
    ]
    games: Annotated[
        int,
        Option(
            "games of each genome against each opponent per generation; an even number gives both seats equally often",
            ge=1,
        ),
    ] = 40
    opponents: Annotated[
        tuple[str, ...] | None,
        Option(
            "agents that each genome plays against in each generation; none means peers only",
            allowed="agents joined by +",
        ),
    ] = ("random", "minimax:depth=1")
    draw_penalty: Annotated[
        float,
        Option(
            "factor of the best genome's wins minus losses per game that a draw costs against an opponent: draws count "
            "against the stronger side",
            ge=0,
            le=1,
        ),
    ] = 0.0
    peers: Annotated[int, Option("number of random genomes of the generation that are additional opponents", ge=0)] = 0
    threads: Annotated[int, Option("number of games that are played at the same time", ge=1, changeable=True)] = 1
    final_games: Annotated[
        int | None,
        Option("games of each candidate against each opponent in the final selection; none is ten times games", ge=1),
    ] = None
    ladder: tuple[str, ...] = ("random", "minimax:depth=1", "minimax:depth=2")
    ladder_games: int = 40
    measurements: int = 5

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.workers is not None and self.threads > 1:
            raise ValueError(f"threads={self.threads} and workers={self.workers} exclude each other: give one of them")

    @property
    def last_games(self) -> int:
        """Games of each candidate against each opponent in the final selection."""
        return 10 * self.games if self.final_games is None else self.final_games


ELITE = Option("number of parents that also survive", ge=0)


@dataclass(frozen=True, kw_only=True)
class PopulationOptions(Validated):
    """The options of an evolutionary algorithm whose genomes are vectors of numbers."""

    selection: Annotated[
        str,
        Option(
            "selection of parents: roulette is proportional to fitness, truncation draws from the best",
            choices=("roulette", "tournament", "truncation"),
        ),
    ] = "tournament"
    tournament_size: Annotated[int, Option("genomes in a tournament", ge=1, only_with="selection=tournament")] = 3
    truncation_share: Annotated[
        float,
        Option("fraction of the population from which parents are drawn", gt=0, le=1, only_with="selection=truncation"),
    ] = 1.0
    crossover: Annotated[
        str | None,
        Option("crossover of two parents; none copies one parent", choices=("one_point", "uniform", "blend")),
    ] = None
    crossover_rate: Annotated[
        float, Option("fraction of the offspring with two parents", ge=0, le=1, not_with="crossover=none")
    ] = 1.0
    uniform_rate: Annotated[
        float, Option("probability of a gene of the second parent", ge=0, le=1, only_with="crossover=uniform")
    ] = 0.5
    blend_alpha: Annotated[
        float,
        Option(
            "distance beyond the parents' genes, as a fraction of the interval between them",
            ge=0,
            only_with="crossover=blend",
        ),
    ] = 0.5
    mutation_rate: Annotated[
        float | None,
        Option("probability that normal noise is added to a gene; none is the larger of 0.1 and 1 / genes", ge=0, le=1),
    ] = None
    step_rule: Annotated[
        str | None,
        Option("adaptation of the mutation step size; one_fifth is Rechenberg's rule", choices=("one_fifth",)),
    ] = None
    step_damping: Annotated[
        float | None,
        Option("damping of step_rule; none is 1 + genes / (2 offspring)", gt=0, not_with="step_rule=none"),
    ] = None
    least_step: Annotated[
        float, Option("smallest factor of the mutation step size", gt=0, not_with="step_rule=none")
    ] = 1e-12
    elite: Annotated[int, ELITE] = 0
    immigration_patience: Annotated[
        int | None,
        Option("generations without improvement after which random genomes replace the worst; none is never", ge=0),
    ] = None
    immigration_share: Annotated[
        float,
        Option("fraction of the population that immigrants replace", ge=0, le=1, not_with="immigration_patience=none"),
    ] = 0.25
    hall_size: Annotated[int, Option("size of the hall of fame: the best genomes of all generations", ge=1)] = 1
    reevaluate: Annotated[bool, Option("evaluate parents again in each generation, in the games of the offspring")] = (
        True
    )

    def mutation_probability(self, genes: int) -> float:
        """Return the probability that a gene is mutated."""
        return max(0.1, 1 / genes) if self.mutation_rate is None else self.mutation_rate

    def make_plan(
        self,
        population: int,
        offspring: int,
        mutation: Mutation,
        genes: int,
        *,
        plus: bool,
        bounds: tuple[PerGene, PerGene],
    ) -> Plan:
        """Return the evolutionary algorithm.

        Args:
            population: mu, the number of survivors.
            offspring: lambda, the number of children per generation.
            mutation: the mutation that is applied to each child.
            genes: the number of genes of a genome.
            plus: whether all parents compete with the offspring, as in (mu + lambda).
            bounds: the smallest and the largest value of a gene.

        Raises:
            ValueError: the sizes do not fit each other.
        """
        damping = 1 + genes / (2 * offspring) if self.step_damping is None else self.step_damping
        patience = self.immigration_patience
        return Plan(
            population,
            offspring,
            mutation,
            select=self._selection(),
            crossover=self._crossover(*bounds),
            crossover_rate=self.crossover_rate,
            survive=self._survival(plus),
            step_rule=None if self.step_rule is None else OneFifth(damping, self.least_step),
            immigration=None if patience is None else Immigration(patience, self.immigration_share),
            hall_size=self.hall_size,
            reevaluate=self.reevaluate,
        )

    def _selection(self) -> Selection:
        if self.selection == "roulette":
            return RouletteSelection()
        if self.selection == "tournament":
            return TournamentSelection(self.tournament_size)
        return TruncationSelection(self.truncation_share)

    def _crossover(self, low: PerGene, high: PerGene) -> Crossover | None:
        if self.crossover is None:
            return None
        if self.crossover == "one_point":
            return OnePoint()
        return Uniform(self.uniform_rate) if self.crossover == "uniform" else Blend(self.blend_alpha, low, high)

    def _survival(self, plus: bool) -> Survival:
        return Plus() if plus else Elitism(self.elite)
