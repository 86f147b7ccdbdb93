"""The options of the evolution of Nim agents."""

from dataclasses import dataclass

from ci_envs.agents.evolution.config import EvolutionConfig, PopulationOptions
from ci_envs.agents.nim.evolved import FEATURES, RULES
from ci_envs.agents.nim.genetic import INTERPRETATIONS
from ci_envs.agents.nim.rules import DETERMINISTIC_RULES
from ci_envs.training.checks import POSITIVE, Choice, Integer, Names, OrNone
from ci_envs.training.config import option, with_default

ALL = "all"
"""The value of ``features`` for all features that can differ in the game."""


@dataclass(frozen=True, kw_only=True)
class NimEvolutionConfig(PopulationOptions, EvolutionConfig):
    """The options that both trainers share.

    Raises:
        ValueError: a value is not allowed.
    """

    generations: int = with_default(EvolutionConfig, "generations", 30)
    population: int = option("number of genomes that survive a generation", Integer(2), 32)
    offspring: int | None = option(
        "number of children per generation; none is the size of the population", OrNone(Integer(1)), None
    )
    survival: str = option(
        "plus: all parents compete with the offspring; comma: only the elite of the parents survives",
        Choice(("plus", "comma")),
        "comma",
    )
    elite: int = with_default(PopulationOptions, "elite", 1)
    crossover: str | None = with_default(PopulationOptions, "crossover", "uniform")
    mutation: str = option(
        "normal: adds normal noise to a mutated gene; uniform: draws a mutated gene uniformly from its range",
        Choice(("normal", "uniform")),
        "normal",
    )
    sigma: float = option(
        "standard deviation of the mutations as a fraction of the range of a gene (mutation=normal)", POSITIVE, 0.15
    )
    opponents: tuple[str, ...] = with_default(EvolutionConfig, "opponents", ("nim_expert",))
    starts: str = option(
        "won: games start in positions that are won for the genome, which moves first; they are drawn for each "
        "generation; game: games start in the initial position, and the seats alternate; first: games start in the "
        "initial position, and the genome moves first",
        Choice(("won", "game", "first")),
        "won",
    )
    games: int = with_default(EvolutionConfig, "games", 200)
    final_games: int | None = with_default(EvolutionConfig, "final_games", 2000)
    ladder: tuple[str, ...] = with_default(EvolutionConfig, "ladder", ("random", "nim_expert"))


@dataclass(frozen=True, kw_only=True)
class NimGAConfig(NimEvolutionConfig):
    """The options of ``nim_ga``.

    Raises:
        ValueError: a value is not allowed.
    """

    interpretation: str = option(
        "meaning of the two genes; nearest: a nim-sum, or the nearest that can be left; raw: a nim-sum from 0 to 1, or "
        "any action; relative: a fraction of the range from the smallest to the largest nim-sum that can be left",
        Choice(INTERPRETATIONS),
        "nearest",
    )


@dataclass(frozen=True, kw_only=True)
class NimEvolvedConfig(NimEvolutionConfig):
    """The options of ``nim_evolved``.

    Raises:
        ValueError: a value is not allowed.
    """

    generations: int = with_default(NimEvolutionConfig, "generations", 60)
    population: int = with_default(NimEvolutionConfig, "population", 64)
    rules: tuple[str, ...] = option(
        "rules in their order; each is played with the probability in its gene, otherwise the next one",
        Names(RULES, minimum=2),
        DETERMINISTIC_RULES,
    )
    features: tuple[str, ...] = option(
        "features of the position on which the probabilities depend; all means those that can differ in the game",
        Names(FEATURES, keywords=(ALL,)),
        (ALL,),
    )
