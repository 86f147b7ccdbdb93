"""Positions of random games and of games between agents, from which a set of positions is chosen."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.typing import NDArray

from ci_envs.agent_interface.decision import decide
from ci_envs.agent_interface.interface import Agent
from ci_envs.agent_interface.making import make_agent
from ci_envs.games.batch import canonical_batch, play_batch, start_words
from ci_envs.games.game import Game
from ci_envs.games.operations import ONGOING
from ci_envs.games.position import Position
from ci_envs.games.truncation import DEFAULT_MAX_CYCLES
from ci_envs.solver.solution import Solution

PLAYERS = "minimax:depth=4", "mcts:simulations=200", "mcts:simulations=1000"
"""The agents whose games give positions. They play every game."""

ORIGINS = "all positions", "random play", "agents", "tables"
"""Where a position is from."""

PHASES = "opening", "middle", "ending"
"""The thirds of the positions of play by their plies. Positions that were sampled from tables are in the last one."""

UNKNOWN_PLY = -1
"""The number of plies before a position that is from tables."""

POSITIONS_A_GAME = 4
"""The maximum number of positions from one game. They are few, so that they depend little on each other."""

_ALL, _RANDOM, _AGENTS, _TABLES = range(4)
_OPENING_PLIES = 8
_BATCH = 256  # games at a time


@dataclass(frozen=True)
class Candidates:
    """Positions that are not over, each once under the symmetries of the game.

    Attributes:
        words: Rows (own, opp), uint64 of shape (n, 2).
        plies: The number of plies before the position, or :data:`UNKNOWN_PLY`, int16 of shape (n,). It is the smallest
            one where all positions of a game were found.
        phases: The number of the position's phase in :data:`PHASES`, int8 of shape (n,).
        players: The player to move, int8 of shape (n,).
        origins: The number of the position's origin in :data:`ORIGINS`, int8 of shape (n,).
    """

    words: NDArray[np.uint64]
    plies: NDArray[np.int16]
    phases: NDArray[np.int8]
    players: NDArray[np.int8]
    origins: NDArray[np.int8]

    def __len__(self) -> int:
        return len(self.words)

    def at(self, rows: NDArray[np.int64]) -> "Candidates":
        """Return some of the positions."""
        return Candidates(*(getattr(self, field.name)[rows] for field in fields(self)))


def all_positions(game: Game, most: int) -> Candidates | None:
    """Return all positions that play can reach, or None if they are more than ``most`` without symmetric ones."""
    found = {_canonical_words(game, start := Position.start(game)): (start, 0)}
    frontier = [start]
    for ply in range(1, DEFAULT_MAX_CYCLES + 1):
        followers = [position.play(action) for position in frontier for action in position.legal_actions()]
        frontier = []
        for position in followers:
            key = _canonical_words(game, position)
            if position.result is None and key not in found:
                found[key] = position, ply
                frontier.append(position)
        if len(found) > most:
            return None
        if not frontier:
            break
    positions, plies = zip(*found.values(), strict=True)
    words = np.array([[position.own, position.opp] for position in positions], np.uint64)
    all_plies = np.array(plies, np.int16)
    players = np.array([position.to_move for position in positions], np.int8)
    return Candidates(words, all_plies, _thirds(all_plies), players, np.full(len(words), _ALL, np.int8))


def played_positions(game: Game, games: int, seed: int) -> Candidates:
    """Return positions of random games and of as many games between :data:`PLAYERS`, in random order.

    The games between agents begin with up to 8 random plies. Each game gives up to 4 positions.

    Args:
        game: The game.
        games: The number of games of each kind.
        seed: The seed of the games.
    """
    rng = np.random.default_rng(seed)
    agents = [make_agent(spec, game, seed=seed) for spec in ("random", *PLAYERS)]
    parts = []
    for begin in range(0, games, _BATCH):
        count = min(_BATCH, games - begin)
        parts.append(_played(agents, count, np.full(count, DEFAULT_MAX_CYCLES), _RANDOM, rng))
        parts.append(_played(agents, count, rng.integers(_OPENING_PLIES + 1, size=count), _AGENTS, rng))
    everything = _joined(parts)
    different = _different(game, everything.at(rng.permutation(len(everything))))
    return replace(different, phases=_thirds(different.plies))


def covered_positions(solution: Solution, candidates: Candidates, count: int, seed: int) -> Candidates:
    """Return the candidates that a solution covers. If it does not cover all, ``count`` samples of it are added."""
    covered = solution.covers(candidates.words)
    if covered.all():
        return candidates
    words = solution.sample_positions(count, np.random.default_rng(seed))
    players = np.array([Position.from_words(solution.game, *row).to_move for row in words.tolist()], np.int8)
    origins = np.full(count, _TABLES, np.int8)
    plies, phases = np.full(count, UNKNOWN_PLY, np.int16), np.full(count, len(PHASES) - 1, np.int8)
    sampled = Candidates(words, plies, phases, players, origins)
    return _different(solution.game, _joined([candidates.at(np.flatnonzero(covered)), sampled]))


def _thirds(plies: NDArray[np.int16]) -> NDArray[np.int8]:
    """Return the phase of each position. Positions with equal plies have the same phase."""
    return (np.searchsorted(np.sort(plies), plies) * len(PHASES) // max(len(plies), 1)).astype(np.int8)


def _joined(parts: Sequence[Candidates]) -> Candidates:
    names = [field.name for field in fields(Candidates)]
    return Candidates(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))


def _different(game: Game, candidates: Candidates) -> Candidates:
    """Return the first of all candidates with the same canonical form."""
    _, first = np.unique(canonical_batch(game, candidates.words), axis=0, return_index=True)
    return candidates.at(np.sort(first))


def _canonical_words(game: Game, position: Position) -> tuple[int, int]:
    own, opp = canonical_batch(game, np.array([[position.own, position.opp]], np.uint64))[0]
    return int(own), int(opp)


def _played(
    agents: Sequence[Agent], count: int, openings: NDArray[np.int64], origin: int, rng: np.random.Generator
) -> Candidates:
    """Play games in lock-step, and return up to four positions of each.

    Args:
        agents: The agents. The first one plays the first plies of all games.
        count: The number of games.
        openings: The number of its plies in each game, shape (n,).
        origin: The origin of the positions.
        rng: The random number generator.
    """
    game = agents[0].game
    words, to_act = start_words(game, count), np.zeros(count, np.int8)
    seats = rng.integers(1, len(agents), size=(count, 2))
    going, records = np.arange(count), []
    for ply in range(DEFAULT_MAX_CYCLES):
        if len(going) == 0:
            break
        records.append((going, words[going], np.full(len(going), ply, np.int16), to_act[going]))
        acting = np.where(ply < openings[going], 0, seats[going, to_act[going]])
        over = np.zeros(len(going), np.bool_)
        for number, agent in enumerate(agents):
            chosen = np.flatnonzero(acting == number)
            if len(chosen):
                rows = going[chosen]
                moved, outcomes = words[rows], np.empty((len(rows), 2), np.int8)
                play_batch(game, moved, decide(agent, moved.copy()).actions, outcomes)
                words[rows] = moved
                over[chosen] = outcomes[:, 0] != ONGOING
                to_act[rows[outcomes[:, 1] == 0]] ^= 1
        going = going[~over]
    numbers = np.concatenate([record[0] for record in records])
    words, plies, players = (np.concatenate([record[part] for record in records]) for part in (1, 2, 3))
    unknown, origins = np.zeros(len(words), np.int8), np.full(len(words), origin, np.int8)
    played = Candidates(words, plies, unknown, players, origins)  # the phases follow from the plies of all games
    return played.at(_few_of_each(numbers, rng))


def _few_of_each(numbers: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int64]:
    """Return up to four random rows of each game."""
    order = np.lexsort((rng.random(len(numbers)), numbers))
    games = numbers[order]
    begins = np.flatnonzero(np.r_[True, games[1:] != games[:-1]])
    place = np.arange(len(order)) - np.repeat(begins, np.diff(np.r_[begins, len(order)]))
    return np.sort(order[place < POSITIONS_A_GAME])
