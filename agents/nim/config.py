"""The options of training agents of Nim by evolution."""

from dataclasses import dataclass

from ci_envs.agents.evolution.config import EvolutionConfig, PopulationOptions
from ci_envs.agents.nim.evolved import FEATURES, RULES
from ci_envs.agents.nim.genetic import INTERPRETATIONS
from ci_envs.agents.nim.rules import FIXED_RULES
from ci_envs.training.checks import POSITIVE, Choice, Integer, Names, OrNone
from ci_envs.training.config import option, with_default

ALL = "all"
"""All features that can differ in a game."""


@dataclass(frozen=True, kw_only=True)
class NimEvolutionConfig(PopulationOptions, EvolutionConfig):
    """The options of both trainers.

    Raises:
        ValueError: a value is not allowed.
    """

    generations: int = with_default(EvolutionConfig, "generations", 30)
    population: int = option("genomes that survive in a generation", Integer(2), 32)
    offspring: int | None = option(
        "children of a generation; none is as many as the population", OrNone(Integer(1)), None
    )
    survival: str = option(
        "plus: all parents compete with the offspring; comma: only the elite of the parents survives",
        Choice(("plus", "comma")),
        "comma",
    )
    elite: int = with_default(PopulationOptions, "elite", 1)
    crossover: str | None = with_default(PopulationOptions, "crossover", "uniform")
    mutation: str = option(
        "normal: a mutated gene changes by normal noise; uniform: it is drawn again from its whole range",
        Choice(("normal", "uniform")),
        "normal",
    )
    sigma: float = option(
        "standard deviation of the mutations, as a share of the range of a gene (mutation=normal)", POSITIVE, 0.15
    )
    opponents: tuple[str, ...] = with_default(EvolutionConfig, "opponents", ("nim_expert",))
    starts: str = option(
        "won: games begin in positions that are won for the player to move, the genome, drawn for each generation; "
        "game: they begin in the initial position, and the seats alternate; first: they begin there, and the genome "
        "moves first",
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
        "interpretation of the two genes; nearest: a nim-sum, or else the nearest that can be left; raw: a nim-sum "
        "from 0 to 1, or else any; relative: a place between the least and the largest nim-sum that can be left",
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
        "rules, each of which is played with the probability that its gene says, else the next one",
        Names(RULES, least=2),
        FIXED_RULES,
    )
    features: tuple[str, ...] = option(
        "features of the position on which the probabilities depend; all are those that can differ in the game",
        Names(FEATURES, words=(ALL,)),
        (ALL,),
    )
