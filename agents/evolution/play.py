"""Fitness by play: each genome of a population plays games against opponents, in compiled code, for any game.

An agent whose genomes can evolve has a :class:`GenomePolicy`: a policy whose memory is ``(genome, room)``, where the
genome is a row of the population and ``room`` is a buffer. Game g of every genome uses the same random numbers (common
random numbers), so that the differences between scores depend more on play and less on chance (Law, "Simulation
modeling and analysis", 5th edition, 2015, section 11.2).
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from threading import Event
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ci_envs.agent_interface.interface import Agent
from ci_envs.agent_interface.making import name_of
from ci_envs.agent_interface.policy import CompiledPolicy, Policy, choose
from ci_envs.agent_interface.python_policy import PythonPolicy, error_of, policy_of
from ci_envs.games import DRAW, ONGOING, action_count, inlined, integer_between, keeps_turn, kernel, legal, play
from ci_envs.games.batch import start_words
from ci_envs.games.game import Game
from ci_envs.games.openings import RandomOpenings
from ci_envs.games.operations import result
from ci_envs.games.truncation import computed_plies
from ci_envs.kernels.compiler import Monomorphic
from ci_envs.kernels.seeds import next_seed

_DONE, _GENOME_ILLEGAL, _OPPONENT_ILLEGAL = 0, 1, 2


@dataclass(frozen=True)
class GenomePolicy(Policy):
    """Base class of policies that play by a genome.

    The memory that ``choose`` gets is ``(genome, room)``: the genome, float64 of shape (genes,), which is read-only,
    and a buffer, float64 of shape (:meth:`buffer_size`,). A policy that needs other buffers overrides :meth:`memory`.
    """

    def buffer_size(self, game: Game, genes: int) -> int:
        """Return the size of the buffer that ``choose`` needs for genomes of ``genes`` genes, by default 0."""
        return 0

    def memory(self, game: Game, genome: NDArray[Any]) -> tuple[Any, ...]:
        """Return new memory for one thread: a copy of ``genome``, float64 of shape (genes,), and the buffer."""
        return np.array(genome, dtype=np.float64), np.zeros(self.buffer_size(game, len(genome)))

    def compiled(self, game: Game, genome: NDArray[Any]) -> CompiledPolicy:
        """Return the policy with new memory for one thread."""
        return CompiledPolicy(self, self.memory(game, genome))


@dataclass(frozen=True, eq=False)
class Individual:
    """A genome as an opponent, for co-evolution.

    Attributes:
        policy: the policy that plays by the genome.
        genome: numbers of shape (genes,).
    """

    policy: GenomePolicy
    genome: NDArray[Any]


Opponent = Agent | Individual


def play_population(
    game: Game,
    policy: GenomePolicy,
    population: NDArray[Any],
    opponents: Sequence[Opponent],
    games: int,
    seed: int | Sequence[int],
    *,
    starts: NDArray[np.uint64] | None = None,
    alternate_seats: bool | None = None,
    max_cycles: int | None = None,
    threads: int = 1,
) -> NDArray[np.int64]:
    """Play games of each genome against each opponent.

    Equal arguments give equal results, for any number of threads.

    Args:
        game: the game.
        policy: the policy that plays by a genome.
        population: the genomes, numbers of shape (n, genes).
        opponents: agents of this game, or :class:`Individual`. An agent that plays in Python only is reseeded for each
            genome, and all games are then played in one thread.
        games: games of each genome against each opponent, at least 1. An even number gives both seats equally often.
        seed: the seed of all random numbers, 0 to 2^64 - 1, or a seed for each genome, whose games are those that the
            genome plays alone with this seed.
        starts: the first positions of the games of each pairing, words of non-terminal positions, uint64 of shape
            (games, 2). None means the game's initial position.
        alternate_seats: True if the genome moves first only in games 0, 2, 4, ...; False if it moves first in all
            games. None means True without ``starts`` and False with ``starts``.
        max_cycles: plies after which a game is a draw. None means 200 in games that can cycle, and 4,096 in others.
        threads: number of threads.

    Returns:
        Wins, draws and losses of each genome against each opponent, int64 of shape (n, opponents, 3).

    Raises:
        ValueError: an argument is out of range, an opponent was made for another game, or an action was illegal.
    """
    rows = _as_rows(population)
    limit = computed_plies(game, max_cycles)
    integer_between("games", games, 1)
    integer_between("threads", threads, 1)
    if not opponents:
        raise ValueError("opponents is empty: give at least one opponent")
    for agent in opponents:
        if isinstance(agent, Agent) and agent.game != game:
            raise ValueError(f"{type(agent).__name__} was made for {agent.game}, not for {game}")
    given = list(seed) if isinstance(seed, Sequence) else [seed]
    if isinstance(seed, Sequence) and len(given) != len(rows):
        raise ValueError(f"seed must be a number, or contain one for each of {len(rows)} genomes, not {len(given)}")
    rngs = [np.random.default_rng(integer_between("seed", one, 0, 2**64 - 1)) for one in given]
    seeds = np.array([rng.integers(2**64, size=(len(opponents), games), dtype=np.uint64) for rng in rngs])
    words, alternate = (
        _first_positions(game, starts, games),
        starts is None if alternate_seats is None else alternate_seats,
    )
    results = np.zeros((len(rows), len(opponents), 3), dtype=np.int64)
    compiled = not any(isinstance(_policy_of(agent, game).policy, PythonPolicy) for agent in opponents)
    workers = min(threads, len(rows)) if compiled else 1
    stop = Event()

    def work(first: int) -> None:
        _, *room = policy.memory(game, rows[first])
        for number, agent in enumerate(opponents):
            against, play_games = _policy_of(agent, game), Monomorphic(_play_games)
            for row in range(first, len(rows), workers):
                if stop.is_set():
                    return
                drawn = row % len(given)
                if not compiled and isinstance(agent, Agent):
                    agent.reseed(given[drawn])
                player, counts = CompiledPolicy(policy, (rows[row], *room)), results[row, number]
                status = play_games(game, player, against, words, alternate, seeds[drawn, number], limit, counts)
                if status != _DONE:
                    raise _illegal_action_error(status, policy, agent, against)

    if workers == 1:
        work(0)
        return results
    with ThreadPoolExecutor(workers) as pool:
        try:
            for future in [pool.submit(work, first) for first in range(workers)]:
                future.result()
        except BaseException:
            stop.set()
            raise
    return results


PlayPopulation = Callable[..., NDArray[np.int64]]
"""Plays as :func:`play_population`, with the same arguments but ``threads``."""

Starts = Callable[[int, Generator], NDArray[np.uint64]]
"""A function that draws the first positions of games: ``(games, rng) -> words``, uint64 of shape (games, 2)."""


def paired_openings(game: Game, openings: RandomOpenings) -> Starts:
    """Return a function that draws random openings, each for two consecutive games."""
    return lambda games, rng: np.repeat(openings.draw(game, (games + 1) // 2, rng), 2, axis=0)[:games]


@dataclass(frozen=True)
class FitnessByPlay:
    """The mean score of genomes in play, as a fitness function.

    With ``peers`` the genomes also play against members of the population, which are drawn from the evaluated genomes
    for each generation. With a plan that reevaluates, these are parents and offspring.

    Attributes:
        game: the game.
        policy: the policy that plays by a genome.
        opponents: see :func:`play_population`. It can be empty if there are peers.
        games: games against each opponent in a generation.
        peers: number of genomes that are also opponents.
        starts: draws the first positions for each generation. None means the game's initial position.
        alternate_seats: see :func:`play_population`.
        max_cycles: see :func:`play_population`.
        draw_penalty: see :func:`mean_scores`.
        play: the function that plays the games.
    """

    game: Game
    policy: GenomePolicy
    opponents: tuple[Opponent, ...]
    games: int
    peers: int = 0
    starts: Starts | None = None
    alternate_seats: bool | None = None
    max_cycles: int | None = None
    draw_penalty: float = 0.0
    play: PlayPopulation = play_population

    def __post_init__(self) -> None:
        integer_between("peers", self.peers, 0)

    def __call__(self, genomes: NDArray[Any], seed: int) -> NDArray[np.float64]:
        """Return the mean scores, -1 to 1, float64 of shape (n,)."""
        rows = np.random.default_rng([seed, 1]).integers(len(genomes), size=self.peers)
        peers = [Individual(self.policy, genomes[row]) for row in rows]
        opponents = [*self.opponents, *peers]
        played = self.play(
            self.game,
            self.policy,
            genomes,
            opponents,
            self.games,
            seed,
            starts=self.starts(self.games, np.random.default_rng([seed, 2])) if self.starts else None,
            alternate_seats=self.alternate_seats,
            max_cycles=self.max_cycles,
        )
        return mean_scores(played, self.draw_penalty)


def mean_scores(results: NDArray[np.int64], draw_penalty: float = 0.0) -> NDArray[np.float64]:
    """Return the mean score of each genome from the results of :func:`play_population`, float64 of shape (n,).

    A win has the score 1, and a loss the score -1. All opponents have the same weight.

    Args:
        results: wins, draws and losses of each genome against each opponent, of shape (n, opponents, 3).
        draw_penalty: the factor of the best genome's wins minus losses per game that a draw against an opponent costs.
            So draws cost much against opponents that lose to a genome, and count for the genomes against opponents that
            beat all of them.
    """
    games, leads = results.sum(axis=2), results[:, :, 0] - results[:, :, 2]
    draw_scores = -draw_penalty * (leads / games).max(axis=0)
    totals = (leads + results[:, :, 1] * draw_scores).sum(axis=1)
    scores: NDArray[np.float64] = totals / games.sum(axis=1)
    return scores


def _as_rows(population: NDArray[Any]) -> NDArray[np.float64]:
    rows = np.array(population, dtype=np.float64, order="C")  # a copy, because kernels are compiled for writable arrays
    if rows.ndim != 2 or not len(rows):
        raise ValueError(f"population must have the shape (n, genes) with n at least 1, not {rows.shape}")
    return rows


def _first_positions(game: Game, starts: NDArray[np.uint64] | None, games: int) -> NDArray[np.uint64]:
    """Return the first position of each game."""
    if starts is None:
        return start_words(game, games)
    if starts.shape != (games, 2) or starts.dtype != np.uint64:
        raise ValueError(f"starts must be uint64 of shape ({games}, 2), not {starts.dtype} of shape {starts.shape}")
    return np.ascontiguousarray(starts)


def _policy_of(opponent: Opponent, game: Game) -> CompiledPolicy:
    if isinstance(opponent, Individual):
        return opponent.policy.compiled(game, opponent.genome)
    return policy_of(opponent)


def _illegal_action_error(
    status: int, policy: GenomePolicy, opponent: Opponent, against: CompiledPolicy
) -> BaseException:
    if status == _GENOME_ILLEGAL:
        return ValueError(f"{type(policy).__name__} played an illegal action")
    return error_of(against, name_of(opponent.policy if isinstance(opponent, Individual) else opponent))


@kernel
def _play_games(
    game: Any, player: Any, against: Any, starts: Any, alternate: Any, seeds: Any, limit: Any, counts: Any
) -> Any:
    """Play a game for each of ``seeds``, and count the wins, draws and losses of ``player``. Return the status."""
    for number in range(len(seeds)):
        own, opp = starts[number, 0], starts[number, 1]
        waits = number % 2 if alternate else 0
        score, status = _play_game(game, player, against, own, opp, seeds[number], waits, limit)
        if status != _DONE:
            return status
        counts[1 - score] += 1
    return _DONE


@inlined
def _play_game(game: Any, player: Any, against: Any, own: Any, opp: Any, state: Any, waits: Any, limit: Any) -> Any:
    """Play a game and return the score of ``player`` and the status. If ``waits`` is 1, the opponent moves first."""
    policy, memory = player
    other, other_memory = against
    acts_other = waits == 1
    for _ in range(limit):
        seed, state = next_seed(state)
        if acts_other:
            chosen = np.int64(choose(other, game, own, opp, seed, other_memory))
        else:
            chosen = np.int64(choose(policy, game, own, opp, seed, memory))
        if chosen < 0 or chosen >= action_count(game) or not legal(game, own, opp, np.uint64(chosen)):
            return DRAW, _OPPONENT_ILLEGAL if acts_other else _GENOME_ILLEGAL
        action = np.uint64(chosen)
        same = keeps_turn(game, own, opp, action)
        own, opp = play(game, own, opp, action)
        if not same:
            acts_other = not acts_other
        outcome = result(game, own, opp)
        if outcome != ONGOING:
            return -outcome if acts_other else outcome, _DONE
    return DRAW, _DONE
