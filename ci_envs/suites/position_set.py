"""Sets of positions with the exact value of every action, chosen in equal numbers of each kind."""

import math
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from ci_envs.games.game import Game
from ci_envs.games.position import Position
from ci_envs.registry.games import resolve
from ci_envs.solver.solution import NO_SCORE, Progress, Solution, keep_value
from ci_envs.solver.solver import EXACT, exact_source, quick_source
from ci_envs.suites.candidates import (
    POSITIONS_A_GAME,
    Candidates,
    all_positions,
    covered_positions,
    played_positions,
)

_POOL = 3  # candidates for each position of a set
_SOLVED_AT_ONCE = 64


@dataclass(frozen=True)
class PositionSet:
    """Positions of one game, which are not over, with the exact value of every action.

    Attributes:
        environment: The id of the environment.
        game: The game.
        seed: The seed from which the set was made.
        limit: The maximum number of positions for which the set was made.
        positions: The positions and where they are from.
        scores: The score of each action (:mod:`ci_envs.solver.solution`), int16 of shape (n, actions).
    """

    environment: str
    game: Game
    seed: int
    limit: int
    positions: Candidates
    scores: NDArray[np.int16]

    def __len__(self) -> int:
        return len(self.scores)

    def at(self, rows: NDArray[np.int64]) -> Self:
        """Return some of the positions."""
        return replace(self, positions=self.positions.at(rows), scores=self.scores[rows])

    def as_positions(self) -> list[Position]:
        """Return the positions as objects."""
        found = self.positions
        rows = zip(found.words.tolist(), found.players.tolist(), strict=True)
        return [Position(self.game, own, opp, player) for (own, opp), player in rows]

    @property
    def values(self) -> NDArray[np.int16]:
        """The value of each position for the player to move: +1, 0 or -1."""
        values: NDArray[np.int16] = np.sign(self.scores.max(axis=1))
        return values

    @property
    def keeping_shares(self) -> NDArray[np.float64]:
        """The share of the legal actions of each position that keep its value."""
        shares: NDArray[np.float64] = keep_value(self.scores).mean(axis=1) / (self.scores != NO_SCORE).mean(axis=1)
        return shares

    @property
    def regrets(self) -> NDArray[np.float64]:
        """The points that each action loses, float64 of shape (n, actions). A win has 1 point, a draw 1/2.

        An illegal action loses the game.
        """
        values = np.where(self.scores == NO_SCORE, -1, np.sign(self.scores))
        return (self.values[:, np.newaxis] - values) / 2

    def evenly(self, count: int) -> Self:
        """Return at most ``count`` of the positions, spread evenly over the set."""
        chosen = min(count, len(self))
        return self.at(np.arange(chosen) * len(self) // max(chosen, 1))


def make_set(environment: str, count: int, seed: int, progress: Progress | None = None) -> PositionSet:
    """Make a set of positions of an environment.

    If play reaches at most ``count`` positions without symmetric ones, the set has all of them. Otherwise they are from
    random games and from games between agents. They are chosen in equal numbers of each kind as far as possible, where
    a kind is the phase of the game, the value, and the share of actions that keep the value (all, more than half, or at
    most half). Positions whose values are not found within the limit of the exact source are left out.

    Args:
        environment: The id of an environment whose game has exact values.
        count: The maximum number of positions.
        seed: The seed of the games.
        progress: See :data:`~ci_envs.solver.solution.Progress`. It counts solved candidates.

    Raises:
        ValueError: The environment is unknown, or there are no exact values of its game.
    """
    _, game, _ = resolve(environment)
    solution = _exact_values(game)
    everything = all_positions(game, count)
    pool, games = _POOL * count, math.ceil(_POOL * count / (2 * POSITIONS_A_GAME))
    candidates = everything or covered_positions(solution, played_positions(game, games, seed), pool, seed)
    scores = _scores(solution, candidates.words, progress)
    known = np.flatnonzero((scores != NO_SCORE).any(axis=1))
    found = PositionSet(environment, game, seed, count, candidates.at(known), scores[known])
    return _with_distances(found if everything else found.at(_balanced(_kinds(found), count)), solution)


def _exact_values(game: Game) -> Solution:
    """Return exact values that are found quickly if there are some, else the solution of the whole game.

    Raises:
        ValueError: There are neither.
    """
    try:
        return quick_source(game)
    except ValueError:
        return exact_source(game, EXACT)


def _scores(solution: Solution, words: NDArray[np.uint64], progress: Progress | None) -> NDArray[np.int16]:
    parts = [np.empty((0, solution.game.action_count), np.int16)]
    for begin in range(0, len(words), _SOLVED_AT_ONCE):
        if progress:
            progress(begin, len(words))
        parts.append(solution.grading_scores(words[begin : begin + _SOLVED_AT_ONCE]))
    return np.concatenate(parts)


def _with_distances(found: PositionSet, solution: Solution) -> PositionSet:
    """Return the positions with the distances that are found quickly. The other scores are values."""
    words, scores = found.positions.words, found.scores.copy()
    late = solution.quick_from(words)
    scores[late] = solution.action_scores(words[late])
    return replace(found, scores=scores)


def _kinds(found: PositionSet) -> NDArray[np.int64]:
    """Return a number for the kind of each position: its phase, its value, and how many actions keep the value."""
    shares = found.keeping_shares
    classes = np.where(shares == 1, 0, np.where(shares > 1 / 2, 1, 2))
    return (3 * found.positions.phases + found.values + 1) * 3 + classes


def _balanced(kinds: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """Return rows, ascending, with equal numbers of each kind as far as possible: the first rows of each kind."""
    by_size = sorted((np.flatnonzero(kinds == kind) for kind in np.unique(kinds)), key=len)
    chosen, left = [np.empty(0, np.int64)], count
    for number, rows in enumerate(by_size):
        share = min(len(rows), left // (len(by_size) - number))
        chosen.append(rows[:share])
        left -= share
    return np.sort(np.concatenate(chosen))
