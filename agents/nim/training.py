"""Evolution of what plays Nim: options, fitness by play, run file, learning curve and champion."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ci_envs.agent.supported_game import require_game
from ci_envs.agents.evolution.champion import Champion, best_of, write_champion
from ci_envs.agents.evolution.opponents import make_opponents
from ci_envs.agents.evolution.play import FitnessByPlay, GenomePolicy
from ci_envs.games.nim import Nim
from ci_envs.optimisation.evolution.crossover import Uniform
from ci_envs.optimisation.evolution.engine import Fitness, Plan
from ci_envs.optimisation.evolution.initial import RandomNumbers
from ci_envs.optimisation.evolution.mutation import Gaussian
from ci_envs.optimisation.evolution.run import EvolutionRun, run
from ci_envs.optimisation.evolution.selection import RouletteSelection, Selection, TournamentSelection
from ci_envs.optimisation.evolution.statistics import write_curve
from ci_envs.optimisation.evolution.survival import Elitism
from ci_envs.registry import resolve
from ci_envs.solver.nim import are_won
from ci_envs.solver.reachable import draw_positions
from ci_envs.validation import integer_between

RUN, CURVE, CHAMPION = "run.npz", "curve.csv", "champion.json"
"""The files of a run: what it goes on from, the learning curve, and what plays."""

SELECTIONS: Mapping[str, Selection] = {"roulette": RouletteSelection(), "tournament": TournamentSelection(3)}
"""How parents are selected, by name."""

_STEP = 0.15  # of a mutated gene, as a share of its range
_FINAL_GAMES = 2000


@dataclass(frozen=True)
class Breed:
    """What evolves.

    Attributes:
        agent: name of the agent that plays by the genomes.
        policy: the same in compiled code.
        genes: how many.
        high: the genes are from 0 to it.
        options: what the champion's file needs besides.
    """

    agent: str
    policy: GenomePolicy
    genes: int
    high: float
    options: Mapping[str, Any]


def train_breed(
    breed: Callable[[Nim], Breed],
    environment: str,
    generations: int,
    *,
    output: str | Path,
    seed: int = 0,
    resume: bool = False,
    population: int = 32,
    selection: str = "tournament",
    opponents: str = "nim_expert",
    starts: str = "won",
    games: int = 200,
) -> str:
    """Evolve what plays Nim and keep it in the folder ``output``.

    The same seed makes the same champion, however often the run was interrupted. It is the best of the last population
    and the best ever, in games that none of them has seen.

    Args:
        breed: what evolves in a game.
        environment: an id of Nim, with parameters if wanted.
        generations: of the whole run, after the first population.
        output: a folder, made if need be.
        seed: of all random numbers.
        resume: go on with the run in ``output``.
        population: genomes, at least 2; as many children are made in a generation, and all but the best parent die.
        selection: of parents: ``roulette`` or ``tournament`` (of 3).
        opponents: spec strings joined by ``+``.
        starts: ``won`` draws the starts of a generation from all positions that are won for who moves, and the genomes
            move first; ``game`` begins where the game does, the seats in turn.
        games: of each genome against each opponent in a generation. Fitness is the share that it wins.

    Returns:
        The spec string of the agent.

    Raises:
        ValueError: the environment is not Nim, an option is out of range, or there is a run in ``output`` that cannot
            go on.
        OSError: the folder cannot be written.
    """
    _, game, env_options = resolve(environment)
    nim = require_game("an evolved policy", game, Nim)
    bred = breed(nim)
    options = {
        "environment": environment,
        "population": population,
        "selection": selection,
        "opponents": opponents,
        "starts": starts,
        "games": games,
    }
    plan, initial = plan_of(bred, population, selection), initial_of(bred)
    play = fitness_of(nim, bred, opponents, starts, games, max_cycles=env_options.get("max_cycles"))
    folder = Path(output)
    done = run(
        plan,
        wins(play),
        initial,
        generations,
        seed=integer_between("seed", seed, 0, 2**64 - 1),
        path=folder / RUN,
        resume=resume,
        notes={**options, **bred.options},
    )
    write_curve(folder / CURVE, done.history)
    write_champion(folder / CHAMPION, _champion(bred, play, done, options))
    return f"{bred.agent}:{folder / CHAMPION}"


def plan_of(breed: Breed, population: int, selection: str) -> Plan:
    """How a population evolves: uniform crossover, Gaussian steps, and the best parent lives on.

    Raises:
        ValueError: a value is out of range.
    """
    if selection not in SELECTIONS:
        raise ValueError(f"selection must be {' or '.join(SELECTIONS)}, not {selection!r}")
    size = integer_between("population", population, 2)
    step = Gaussian(_STEP * breed.high, max(0.1, 1 / breed.genes), low=0.0, high=breed.high)
    return Plan(
        size,
        size,
        step,
        select=SELECTIONS[selection],
        crossover=Uniform(),
        survive=Elitism(1),
        reevaluate=True,
    )


def initial_of(breed: Breed) -> RandomNumbers:
    """Genomes to begin with, uniform."""
    return RandomNumbers(breed.genes, 0.0, breed.high)


def fitness_of(
    game: Nim, breed: Breed, opponents: str, starts: str, games: int, *, max_cycles: int | None = None
) -> FitnessByPlay:
    """The mean score in play.

    Raises:
        ValueError: a value is out of range, or no position of the game is won for who moves.
    """
    if starts not in ("won", "game"):
        raise ValueError(f"starts must be won or game, not {starts!r}")
    if starts == "won" and game.misere and sum(game.heaps) < 2:
        raise ValueError(f"starts=won: no position of {game} is won for who moves")
    return FitnessByPlay(
        game,
        breed.policy,
        make_opponents(opponents, game),
        integer_between("games", games, 1),
        starts=partial(won_positions, game) if starts == "won" else None,
        max_cycles=max_cycles,
    )


def wins(play: FitnessByPlay) -> Fitness:
    """The share of games won, which is the fitness; one that is broken off counts half."""
    return lambda genomes, seed: (1 + play(genomes, seed)) / 2


def won_positions(game: Nim, count: int, rng: Generator) -> NDArray[np.uint64]:
    """Positions drawn uniformly from all that are won for who moves, of which there is one: uint64 (count, 2)."""
    words = draw_positions(game, count, rng)
    while len(lost := np.flatnonzero(~are_won(words[:, 0], game))):
        words[lost] = draw_positions(game, len(lost), rng)
    return words


def _champion(breed: Breed, play: FitnessByPlay, done: EvolutionRun, options: Mapping[str, Any]) -> Champion:
    state = done.state
    candidates = np.unique(np.concatenate((state.genomes, state.hall)), axis=0)
    rng = np.random.default_rng([state.seed, 2**32])  # the generations, which number less, have [seed, generation]
    best, score = best_of(
        play.game,
        breed.policy,
        candidates,
        play.opponents,
        _FINAL_GAMES,
        int(rng.integers(2**64, dtype=np.uint64)),
        starts=play.starts(_FINAL_GAMES, rng) if play.starts else None,
        max_cycles=play.max_cycles,
    )
    notes = {**options, "seed": state.seed, "generations": state.generation, "won": (1 + score) / 2}
    return Champion(breed.agent, repr(play.game), breed.options, candidates[best], notes)
