"""Report A's genetic algorithm for Nim with two genes.

The genome is (preference, range), both from 0 to 1. The preference selects a nim-sum between the smallest (0) and the
largest (1) nim-sum that an action can leave. The range is the accepted distance from it. Our agent ``nim_ga`` plays
the genome in compiled code with ``interpretation=relative``.
"""

from collections.abc import Sequence
from functools import cache, partial
from typing import NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ci_envs.agent_interface.interface import Agent
from ci_envs.agent_interface.supported_game import require_game
from ci_envs.agents.evolution.champion import Champion
from ci_envs.agents.evolution.play import play_population
from ci_envs.agents.nim.genetic import NimGAAgent, NimGAPolicy, action_probabilities
from ci_envs.agents.nim.rule_agent import NimRuleAgent
from ci_envs.games.batch import start_words
from ci_envs.games.game import Game
from ci_envs.games.nim import Nim
from ci_envs.optimisation.evolution.mutation import UniformReset
from ci_envs.optimisation.evolution.parameters import Genomes, Indices, Values
from ci_envs.optimisation.evolution.selection import RouletteSelection, Selection
from ci_envs.reports.nim_strategies import (
    FIVE_ROWS,
    FIXED_RULES,
    Strategy,
    compiled_strategy,
    nonzero_nim_sum,
    row_random,
)

POPULATION, PARENTS, EPOCHS, GAMES = 200, 100, 10, 10
"""The numbers of genomes of a population, of parents, of populations that play, and of games against each opponent."""

OPPONENTS: dict[str, Strategy] = {
    "row_random": row_random,
    "max_lowest": FIXED_RULES["max_lowest"],
    "nonzero_nim_sum": nonzero_nim_sum,
}
"""The opponents by the names of our rules: random, the example rule of the course, and report A's "optimal"."""

_TOURNAMENT, _NOISE = 50, 0.1
_POLICY, _MUTATION = NimGAPolicy("relative"), UniformReset(0.0, 1.0, rate=0.1)


class EvolutionRecord(NamedTuple):
    """All populations of a run.

    Attributes:
        genomes: Preferences and ranges, float64 (EPOCHS + 1, POPULATION, 2). The last population does not play.
        wins: The number of games won, of 30, int64 (EPOCHS, POPULATION).
    """

    genomes: NDArray[np.float64]
    wins: NDArray[np.int64]

    @property
    def total_wins(self) -> NDArray[np.int64]:
        """The number of games that each population wins, int64 (EPOCHS,)."""
        totals: NDArray[np.int64] = self.wins.sum(axis=1)
        return totals


def genome_strategy(genome: Sequence[float], interpretation: str = "relative") -> Strategy:
    """Return the strategy of a genome for the rows of report A.

    Args:
        genome: The preference and the range, from 0 to 1.
        interpretation: The meaning of the genes: ``relative`` is that of report A's code, ``raw`` that of its text.
    """
    game = Nim(FIVE_ROWS)
    return compiled_strategy(
        game, partial(action_probabilities, game, np.array(genome, dtype=np.float64), interpretation=interpretation)
    )


def genome_agent(
    game: Game, seed: int | None, *, genome: Sequence[float], interpretation: str = "relative"
) -> NimGAAgent:
    """Return the agent that plays Nim in misere play by a genome.

    Raises:
        ValueError: The game is not Nim in misere play.
    """
    if not require_game("report", game, Nim).misere:
        raise ValueError(f"the agent plays Nim in misere play, not {game}")
    champion = Champion(
        "nim_ga", repr(game), {"interpretation": interpretation}, np.array(genome, dtype=np.float64), {}
    )
    return NimGAAgent(game, champion, seed=seed)


def tournament_selection(genomes: Genomes, fitness: Values, count: int, rng: Generator) -> Indices:
    """Return parents, intp (count,). Each parent is the best of 50 genomes, sampled without replacement."""
    drawn = rng.random((count, len(fitness))).argsort(axis=1)[:, :_TOURNAMENT]
    winners: Indices = drawn[np.arange(count), fitness[drawn].argmax(axis=1)]
    return winners


SELECTIONS: dict[str, Selection] = {"roulette": RouletteSelection(), "tournament": tournament_selection}
"""The two methods of parent selection of report A."""


def blend(mothers: Genomes, fathers: Genomes, shares: Values, rng: Generator) -> Genomes:
    """Return the children of pairs of genomes before their mutation, from 0 to 1.

    Args:
        mothers: The first parents, float64 (count, 2).
        fathers: The second parents, float64 (count, 2).
        shares: The weight of each mother, float64 (count,). The weight of the father is 1 minus this weight.
        rng: The random number generator of the noise, which is at most a tenth of the distance of the parents.
    """
    noise = rng.uniform(-_NOISE, _NOISE, mothers.shape) * np.abs(mothers - fathers)
    weights = shares[:, np.newaxis]
    children: Genomes = np.clip(weights * mothers + (1 - weights) * fathers + noise, 0, 1)
    return children


def evolve(genomes: Genomes, selection: str, rng: Generator, *, misere: bool = True) -> EvolutionRecord:
    """Run report A's evolution.

    Args:
        genomes: The first population, float64 (POPULATION, 2).
        selection: The method of parent selection, one of SELECTIONS.
        rng: The random number generator.
        misere: Whether the player who takes the last object loses, as in report A.
    """
    populations, wins = [genomes], []
    for _ in range(EPOCHS):
        wins.append(games_won(populations[-1], rng, misere=misere))
        populations.append(_next_population(populations[-1], wins[-1], SELECTIONS[selection], rng))
    return EvolutionRecord(np.array(populations), np.array(wins))


def games_won(genomes: Genomes, rng: Generator, *, misere: bool = True) -> NDArray[np.int64]:
    """Return the number of games, of 30, that each genome wins, int64 (n,). The genome moves first in all games."""
    game, opponents = _game_and_opponents(misere)
    seeds = rng.integers(2**64, size=len(genomes), dtype=np.uint64).tolist()  # each genome plays other games
    played = play_population(game, _POLICY, genomes, opponents, GAMES, seeds, starts=start_words(game, GAMES))
    wins: NDArray[np.int64] = played[:, :, 0].sum(axis=1)
    return wins


@cache
def _game_and_opponents(misere: bool) -> tuple[Nim, list[Agent]]:
    game = Nim(FIVE_ROWS, misere=misere)
    return game, [NimRuleAgent(game, rule, seed=0) for rule in OPPONENTS]


def _next_population(genomes: Genomes, wins: NDArray[np.int64], select: Selection, rng: Generator) -> Genomes:
    parents = select(genomes, wins.astype(np.float64), PARENTS, rng)
    first = rng.integers(PARENTS, size=POPULATION)
    second = (first + rng.integers(1, PARENTS, size=POPULATION)) % PARENTS  # another entry of the list of parents
    mothers, fathers = parents[first], parents[second]
    both = wins[mothers] + wins[fathers]
    shares = np.where(both > 0, wins[mothers] / np.maximum(both, 1), 0.5)
    return _MUTATION(blend(genomes[mothers], genomes[fathers], shares, rng), rng, 1.0)
