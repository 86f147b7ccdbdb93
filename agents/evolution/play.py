"""Fitness by play: every genome of a population plays games against opponents, in compiled code, for any game.

An agent that can be evolved has a :class:`GenomePolicy`: a policy whose memory is ``(genome, room)``, one row of the
population and scratch space. Game g of every genome has the same random numbers (common random numbers), so that the
scores of genomes differ by their play and less by chance (Law, "Simulation modeling and analysis", 5th edition, 2015,
section 11.2).
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from threading import Event
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ci_envs.agent.interface import Agent
from ci_envs.agent.policy import CompiledPolicy, Policy, choose
from ci_envs.agent.python_policy import PythonPolicy, error_of, policy_of
from ci_envs.games import DRAW, ONGOING, action_count, inlined, integer_between, keeps_turn, kernel, legal, play
from ci_envs.games.batch import start_words
from ci_envs.games.game import Game
from ci_envs.games.openings import RandomOpenings
from ci_envs.games.operations import result
from ci_envs.games.truncation import ply_limit
from ci_envs.kernels.seeds import next_seed

_DONE, _GENOME_ILLEGAL, _OPPONENT_ILLEGAL = 0, 1, 2


@dataclass(frozen=True)
class GenomePolicy(Policy):
    """Base of policies that play by a genome.

    The memory that ``choose`` gets is ``(genome, room)``: the genome float64 (genes,), not to be written, and room for
    whatever the policy works out, float64 (:meth:`room_size`,). A policy that needs other room overrides
    :meth:`memory`.
    """

    def room_size(self, game: Game, genes: int) -> int:
        """How many numbers ``choose`` needs room for, with genomes of ``genes`` genes (by default none)."""
        return 0

    def memory(self, game: Game, genome: NDArray[Any]) -> tuple[Any, ...]:
        """New memory for one thread: first a copy of ``genome`` (genes,), float64, then the room."""
        return np.array(genome, dtype=np.float64), np.zeros(self.room_size(game, len(genome)))

    def compiled(self, game: Game, genome: NDArray[Any]) -> CompiledPolicy:
        """Return the policy with new memory for one thread."""
        return CompiledPolicy(self, self.memory(game, genome))


@dataclass(frozen=True, eq=False)
class Individual:
    """A genome as an opponent, for co-evolution.

    Attributes:
        policy: what plays by it.
        genome: (genes,), of numbers.
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
    seed: int,
    *,
    starts: NDArray[np.uint64] | None = None,
    in_turn: bool | None = None,
    max_cycles: int | None = None,
    threads: int = 1,
) -> NDArray[np.int64]:
    """Let every genome play against every opponent.

    Equal arguments give equal results,
    however many threads there are.

    Args:
        game: what is played.
        policy: what plays by the genomes.
        population: of numbers, (n, genes), one genome a row.
        opponents: agents of this game, or :class:`Individual`. One that plays in Python alone is reseeded for every
            genome, and no threads are used.
        games: of each genome against each opponent, at least 1; an even number is fair to both seats.
        seed: of all random numbers, 0 to 2^64 - 1.
        starts: where the games of each pairing begin, words of positions that are not over, uint64 (games, 2); None
            begins all at the game's own start.
        in_turn: whether the genome moves first in games 0, 2, 4, ... alone, else in all; None means that it does so
            without ``starts``.
        max_cycles: plies after which a game is drawn; None means 200 where play can go on for ever, else no limit.
        threads: how many work at once.

    Returns:
        Wins, draws and losses of each genome against each opponent, int64 (n, opponents, 3).

    Raises:
        ValueError: an argument is out of range, an opponent was made for another game, or an action was illegal.
    """
    rows = _checked(population)
    limit = ply_limit(game, max_cycles)
    integer_between("games", games, 1)
    integer_between("threads", threads, 1)
    if not opponents:
        raise ValueError("need at least one opponent")
    for agent in opponents:
        if isinstance(agent, Agent) and agent.game != game:
            raise ValueError(f"{type(agent).__name__} was made for {agent.game}, not for {game}")
    rng = np.random.default_rng(integer_between("seed", seed, 0, 2**64 - 1))
    seeds = rng.integers(2**64, size=(len(opponents), games), dtype=np.uint64)
    words, alternate = _starts(game, starts, games), starts is None if in_turn is None else in_turn
    results = np.zeros((len(rows), len(opponents), 3), dtype=np.int64)
    compiled = not any(isinstance(_policy_of(agent, game).policy, PythonPolicy) for agent in opponents)
    workers = min(threads, len(rows)) if compiled else 1
    stop = Event()

    def work(first: int) -> None:
        _, *room = policy.memory(game, rows[first])
        for number, agent in enumerate(opponents):
            against = _policy_of(agent, game)
            for row in range(first, len(rows), workers):
                if stop.is_set():
                    return
                if not compiled and isinstance(agent, Agent):
                    agent.reseed(seed)
                own, counts = (rows[row], *room), results[row, number]
                status = _play_games(game, policy, own, *against, words, alternate, seeds[number], limit, counts)
                if status != _DONE:
                    raise _illegal(status, policy, agent, against)

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
"""Draws positions that are not over, where games begin: ``(games, rng) -> words``, uint64 (games, 2)."""


def pairs_of_openings(game: Game, openings: RandomOpenings) -> Starts:
    """Return what draws random openings, each for two games in a row."""
    return lambda games, rng: np.repeat(openings.draw(game, (games + 1) // 2, rng), 2, axis=0)[:games]


@dataclass(frozen=True)
class FitnessByPlay:
    """The mean score of genomes in play, as the engine's fitness.

    With ``peers`` it also plays against members of the population, drawn for each generation from the genomes it is
    given: with a plan that reevaluates they are parents and offspring.

    Attributes:
        game: what is played.
        policy: what plays by the genomes.
        opponents: as in :func:`play_population`; there may be none if there are peers.
        games: against each opponent in a generation.
        peers: how many of the genomes are opponents as well.
        starts: draws for each generation where the games begin; None begins all at the game's own start.
        in_turn: as in :func:`play_population`.
        max_cycles: as in :func:`play_population`.
        play: plays the games.
    """

    game: Game
    policy: GenomePolicy
    opponents: tuple[Opponent, ...]
    games: int
    peers: int = 0
    starts: Starts | None = None
    in_turn: bool | None = None
    max_cycles: int | None = None
    play: PlayPopulation = play_population

    def __post_init__(self) -> None:
        integer_between("peers", self.peers, 0)

    def __call__(self, genomes: NDArray[Any], seed: int) -> NDArray[np.float64]:
        """The mean scores, -1 to 1, float64 (n,)."""
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
            in_turn=self.in_turn,
            max_cycles=self.max_cycles,
        )
        return mean_scores(played)


def mean_scores(results: NDArray[np.int64]) -> NDArray[np.float64]:
    """The mean score of each genome, -1 (all lost) to 1 (all won), float64 (n,), of :func:`play_population`'s results.

    All opponents count alike.
    """
    totals = results.sum(axis=1)
    scores: NDArray[np.float64] = (totals[:, 0] - totals[:, 2]) / totals.sum(axis=1)
    return scores


def _checked(population: NDArray[Any]) -> NDArray[np.float64]:
    rows = np.array(population, dtype=np.float64, order="C")  # a copy, as kernels are compiled for what can be written
    if rows.ndim != 2 or not len(rows):
        raise ValueError(f"need a population of the shape (n, genes) with n at least 1, not {rows.shape}")
    return rows


def _starts(game: Game, starts: NDArray[np.uint64] | None, games: int) -> NDArray[np.uint64]:
    """Return where each game begins."""
    if starts is None:
        return start_words(game, games)
    if starts.shape != (games, 2) or starts.dtype != np.uint64:
        raise ValueError(f"need the words of {games} starts, uint64 ({games}, 2), not {starts.dtype} {starts.shape}")
    return np.ascontiguousarray(starts)


def _policy_of(opponent: Opponent, game: Game) -> CompiledPolicy:
    if isinstance(opponent, Individual):
        return opponent.policy.compiled(game, opponent.genome)
    return policy_of(opponent)


def _illegal(status: int, policy: GenomePolicy, opponent: Opponent, against: CompiledPolicy) -> BaseException:
    if status == _GENOME_ILLEGAL:
        return ValueError(f"{type(policy).__name__} plays an illegal action")
    who = opponent.policy if isinstance(opponent, Individual) else opponent
    return error_of(against) or ValueError(f"the opponent {type(who).__name__} plays an illegal action")


@kernel
def _play_games(
    game: Any,
    policy: Any,
    memory: Any,
    other: Any,
    other_memory: Any,
    starts: Any,
    alternate: Any,
    seeds: Any,
    limit: Any,
    counts: Any,
) -> Any:
    """``-> status``: play a game for each of ``seeds`` and count wins, draws and losses of ``policy``."""
    for number in range(len(seeds)):
        own, opp = starts[number, 0], starts[number, 1]
        waits = number % 2 if alternate else 0
        score, status = _play_game(game, policy, memory, other, other_memory, own, opp, seeds[number], waits, limit)
        if status != _DONE:
            return status
        counts[1 - score] += 1
    return _DONE


@inlined
def _play_game(
    game: Any,
    policy: Any,
    memory: Any,
    other: Any,
    other_memory: Any,
    own: Any,
    opp: Any,
    state: Any,
    waits: Any,
    limit: Any,
) -> Any:
    """``-> (score, status)``: of ``policy``, which ``waits`` (1) for the other to begin, or does not (0)."""
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
