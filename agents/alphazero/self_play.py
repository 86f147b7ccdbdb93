"""Self-play: games of a network against itself, many at the same time, with a search in every position.

A game is a draw if a position occurs for the third time, or after a maximum number of plies.
"""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ci_envs.agents.alphazero.exact_targets import ExactTargets, exact_results
from ci_envs.agents.alphazero.history import SelfPlayHistory
from ci_envs.agents.alphazero.replay import sample_type
from ci_envs.agents.alphazero.result import SearchResult, draw_actions
from ci_envs.agents.alphazero.search import Evaluate, Forest
from ci_envs.agents.alphazero.settings import GUMBEL, SearchSettings
from ci_envs.games import ONGOING
from ci_envs.games.batch import play_batch, start_words
from ci_envs.games.game import Game
from ci_envs.games.openings import random_openings
from ci_envs.games.truncation import computed_plies
from ci_envs.solver.known_value import UNKNOWN


@dataclass(frozen=True)
class Noise:
    """Exploration noise for self-play with visit counts. Gumbel selection at the root has its own noise.

    The fields are options of :class:`~ci_envs.agents.alphazero.config.AlphaZeroConfig`: ``dirichlet_concentration``,
    ``dirichlet_fraction``, ``sampled_plies`` and ``sampling_temperature``.
    """

    concentration: float = 10.0
    fraction: float = 0.25
    sampled_plies: int = 8
    temperature: float = 1.0


@dataclass(frozen=True)
class SelfPlay:
    """The settings of self-play.

    The fields that are not listed are options of :class:`~ci_envs.agents.alphazero.config.AlphaZeroConfig`.

    Attributes:
        game: the game.
        settings: the settings of the search.
        noise: the exploration noise, which is not used with Gumbel selection.
        contempt: maximum reduction of the value of a draw in the search. The value target does not contain it.
        exact: the name of the source of exact values that correct the targets, or None
            (:mod:`~ci_envs.agents.alphazero.exact_targets`).
        keeps_trees: whether a search continues with the subtree of the action that was played
            (:class:`~ci_envs.agents.alphazero.search.Forest`).
        integers: whether a CPU computes the convolutions with integers
            (:mod:`~ci_envs.agents.alphazero.quantization`).
    """

    game: Game
    settings: SearchSettings
    noise: Noise
    lanes: int
    max_plies: int
    random_plies: int
    discount: float
    value_mix: float
    contempt: float
    exact: str | None = None
    keeps_trees: bool = False
    integers: bool = True

    def play(self, evaluate: Evaluate, games: int, rng: Generator) -> NDArray[np.void]:
        """Play games to the end.

        Args:
            evaluate: the network.
            games: number of games.
            rng: draws all random numbers.

        Returns:
            All positions of all games, array of :func:`~ci_envs.agents.alphazero.replay.sample_type`.
        """
        return np.concatenate(list(_GamesInProgress(self, evaluate, games, rng).play()))


class _GamesInProgress:
    """Games that are played at the same time, one per lane, and the number of games to start later."""

    def __init__(self, plan: SelfPlay, evaluate: Evaluate, games: int, rng: Generator) -> None:
        lanes = min(plan.lanes, games)
        self.plan, self.evaluate, self.rng, self.to_start = plan, evaluate, rng, games - lanes
        self.forest = Forest(plan.game, plan.settings, lanes, keeps_trees=plan.keeps_trees)
        self.exact_targets = None if plan.exact is None else ExactTargets(plan.game, plan.exact)
        self.words = self._openings(lanes)
        self.player = np.zeros(lanes, np.int8)
        self.history = SelfPlayHistory(plan.game, lanes)

    def play(self) -> Iterator[NDArray[np.void]]:
        """Yield the samples of each game when it ends."""
        while len(self.words):
            found = self._search()
            self._record_samples(found)
            outcomes = np.empty((len(self.words), 2), np.int8)
            play_batch(self.plan.game, self.words, self._choose(found), outcomes)
            self.player = np.where(outcomes[:, 1] != 0, self.player, 1 - self.player).astype(np.int8)
            repetition = self.history.occurrences(self.words, self.player) == 2
            ended = (outcomes[:, 0] != ONGOING) | (self.history.length >= self.plan.max_plies) | repetition
            for lane in np.flatnonzero(ended).tolist():
                yield self._finish_game(lane, int(outcomes[lane, 0]))
            self._start_games(ended)

    def _search(self) -> SearchResult:
        """Search the positions of all lanes."""
        noise, shape = self.plan.noise, (len(self.words), self.plan.game.action_count)
        search = partial(
            self.forest.search,
            self.words,
            self.rng.integers(2**64, size=shape[0], dtype=np.uint64),
            self.evaluate,
            contempt=np.full(shape[0], self.plan.contempt),
        )
        if self.plan.settings.selection == GUMBEL:
            return search(gumbel=self.rng.gumbel(size=shape))
        gammas = np.maximum(self.rng.gamma(noise.concentration / shape[1], size=shape), np.finfo(float).tiny)
        return search(dirichlet=(gammas, noise.fraction))

    def _record_samples(self, found: SearchResult) -> None:
        """Record the position of each lane with the result of its search."""
        samples = np.zeros(len(self.words), sample_type(self.plan.game))
        samples["own"], samples["opp"] = self.words.T
        samples["policy"] = found.policy
        samples["value"] = np.clip(found.values + found.costs, -1, 1)
        self.history.add(samples, self.player)

    def _choose(self, found: SearchResult) -> NDArray[np.int64]:
        """Return the action to play on each lane, int64 of shape (lanes,)."""
        if self.plan.settings.selection == GUMBEL:
            return found.actions
        drawn = draw_actions(found, self.plan.noise.temperature, self.rng)
        return np.where(self.history.length <= self.plan.noise.sampled_plies, drawn, found.actions)

    def _finish_game(self, lane: int, outcome: int) -> NDArray[np.void]:
        """Return the samples of a finished game, with the result for the player to move.

        Args:
            lane: the lane of the game.
            outcome: the outcome of the last action for the player to move after it. ONGOING means a draw by the maximum
                length or by repetition.
        """
        samples, players = self.history.game(lane)
        result = 0 if outcome == ONGOING else outcome
        results = np.where(players == self.player[lane], result, -result).astype(np.int8)
        known = np.zeros(len(samples), np.bool_)
        if self.exact_targets is not None:
            values = self.exact_targets.correct_policies(samples)
            results, known = exact_results(results, values, players), values != UNKNOWN
        discounted = results * self.plan.discount ** np.arange(len(samples) - 1, -1, -1)
        mixed = (1 - self.plan.value_mix) * discounted + self.plan.value_mix * samples["value"]
        samples["value"], samples["drawn"] = np.where(known, discounted, mixed), results == 0
        return samples

    def _start_games(self, ended: NDArray[np.bool_]) -> None:
        """Start games that remain to be started on the lanes of finished games, and remove the other finished lanes."""
        free = np.flatnonzero(ended)
        again, closed = free[: self.to_start], free[self.to_start :]
        self.to_start -= len(again)
        self.words[again] = self._openings(len(again))
        self.player[again] = 0
        self.history.restart(again)
        self.forest.discard(again)
        if len(closed):
            self.forest.move(np.setdiff1d(np.arange(len(self.words)), closed))
            self.words = np.delete(self.words, closed, axis=0)
            self.player = np.delete(self.player, closed)
            self.history.remove(closed)

    def _openings(self, count: int) -> NDArray[np.uint64]:
        """Return the first positions of ``count`` games, uint64 of shape (count, 2)."""
        plies = self.rng.integers(self.plan.random_plies + 1, size=count).tolist()
        seeds = self.rng.integers(2**63, size=count).tolist()
        words = [self._opening(*each) for each in zip(plies, seeds, strict=True)]
        return np.array(words, dtype=np.uint64).reshape(count, 2)

    def _opening(self, plies: int, seed: int) -> NDArray[np.uint64]:
        """Return a position after random plies, or after fewer if random games end earlier, uint64 of shape (1, 2)."""
        for fewer in range(min(plies, computed_plies(self.plan.game)), 0, -1):
            with suppress(ValueError):
                return random_openings(self.plan.game, 1, fewer, seed)
        return start_words(self.plan.game, 1)
