"""The options of the evolution of Nim agents."""

from dataclasses import dataclass, replace
from typing import Annotated

from ci_envs.agents.evolution.config import ELITE, EvolutionConfig, PopulationOptions
from ci_envs.agents.nim.evolved import FEATURES, RULES
from ci_envs.agents.nim.genetic import INTERPRETATIONS
from ci_envs.agents.nim.rules import DETERMINISTIC_RULES
from ci_envs.registry.options import Option, options_of

ALL = "all"
"""The value of ``features`` for all features that can differ in the game."""


@dataclass(frozen=True, kw_only=True)
class NimEvolutionConfig(PopulationOptions, EvolutionConfig):
    """The options that both trainers share."""

    generations: int = 30
    population: Annotated[int, Option("number of genomes that survive a generation", ge=2)] = 32
    offspring: Annotated[
        int | None, Option("number of children per generation; none is the size of the population", ge=1)
    ] = None
    survival: Annotated[
        str,
        Option(
            "plus: all parents compete with the offspring; comma: only the elite of the parents survives",
            choices=("plus", "comma"),
        ),
    ] = "comma"
    elite: Annotated[int, replace(ELITE, only_with="survival=comma")] = 1
    crossover: str | None = "uniform"
    mutation: Annotated[
        str,
        Option(
            "normal: adds normal noise to a mutated gene; uniform: draws a mutated gene uniformly from its range",
            choices=("normal", "uniform"),
        ),
    ] = "normal"
    sigma: Annotated[
        float,
        Option(
            "standard deviation of the mutations as a fraction of the range of a gene",
            gt=0,
            le=1e6,
            only_with="mutation=normal",
        ),
    ] = 0.15
    opponents: tuple[str, ...] = ("nim_expert",)
    starts: Annotated[
        str,
        Option(
            "won: games start in positions that are won for the genome, which moves first; they are drawn for each "
            "generation; game: games start in the initial position, and the seats alternate; first: games start in the "
            "initial position, and the genome moves first",
            choices=("won", "game", "first"),
        ),
    ] = "won"
    games: int = 200
    final_games: int | None = 2000
    ladder: tuple[str, ...] = ("random", "nim_expert")


@dataclass(frozen=True, kw_only=True)
class NimGAConfig(NimEvolutionConfig):
    """The options of ``nim_ga``."""

    interpretation: Annotated[
        str,
        Option(
            "meaning of the two genes; nearest: a nim-sum, or the nearest that can be left; raw: a nim-sum from 0 to "
            "1, or "
            "any action; relative: a fraction of the range from the smallest to the largest nim-sum that can be left",
            choices=INTERPRETATIONS,
        ),
    ] = "nearest"


@dataclass(frozen=True, kw_only=True)
class NimEvolvedConfig(NimEvolutionConfig):
    """The options of ``nim_evolved``."""

    generations: int = 60
    population: int = 64
    rules: Annotated[
        tuple[str, ...],
        Option(
            "rules in their order; each is played with the probability in its gene, otherwise the next one",
            choices=RULES,
            allowed=f"at least 2 different names of {', '.join(RULES)} joined by +",
        ),
    ] = DETERMINISTIC_RULES
    features: Annotated[
        tuple[str, ...],
        Option(
            "features of the position on which the probabilities depend; all means those that can differ in the game",
            choices=(*FEATURES, ALL),
            allowed=f"different names of {', '.join(FEATURES)} joined by +, {ALL} or none",
        ),
    ] = (ALL,)

    def __post_init__(self) -> None:
        super().__post_init__()
        options = options_of(type(self))
        if len({*self.rules}) < max(2, len(self.rules)):
            raise ValueError(f"rules must be {options['rules'].allowed}, not {self.rules!r}")
        if len({*self.features}) < len(self.features) or (ALL in self.features and len(self.features) > 1):
            raise ValueError(f"features must be {options['features'].allowed}, not {self.features!r}")
