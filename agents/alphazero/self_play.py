"""Games of a network against itself, many at a time, each position searched.

A game is drawn when a position comes for the third time, or after so many plies: more of the same would not teach.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ci_envs.agents.alphazero.replay import sample_type
from ci_envs.agents.alphazero.search import GUMBEL, Evaluate, Forest, SearchResult, SearchSettings, draw_actions
from ci_envs.games import ONGOING
from ci_envs.games.batch import play_batch
from ci_envs.games.game import Game
from ci_envs.games.openings import random_openings


@dataclass(frozen=True)
class Noise:
    """What keeps self-play by visits from being always the same; Gumbel's noise is its own.

    Attributes:
        dirichlet: concentration of the noise at the root, all actions together.
        share: of the noise in the priors at the root.
        opening: plies of a game whose actions are drawn from the policy; then the best is played.
        temperature: of these draws.
    """

    dirichlet: float = 10.0
    share: float = 0.25
    opening: int = 8
    temperature: float = 1.0


@dataclass(frozen=True)
class SelfPlay:
    """How games are played.

    Attributes:
        game: what is played.
        settings: of the search.
        noise: of the search and of the choice of actions.
        lanes: games side by side.
        max_plies: after which a game is drawn.
        random_plies: up to so many begin a game, so that positions are met that are not even.
        discount: of the result of a game, for each ply but the last from a position to the end: below 1, a network
            learns to hurry, where it could win for ever.
        value_mix: share of the search's value in what a position is worth; the rest is the result of its game.
        contempt: by how much a draw is worse than even for who searches; what a position is worth is without it.
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

    def play(self, evaluate: Evaluate, games: int, rng: Generator) -> NDArray[np.void]:
        """Play so many games to the end.

        Returns:
            Every position of every game, of :func:`~ci_envs.agents.alphazero.replay.sample_type`.
        """
        return np.concatenate(list(_Lanes(self, evaluate, games, rng).play()))


class _Lanes:
    """Games that go on, side by side, and how many are yet to begin."""

    def __init__(self, plan: SelfPlay, evaluate: Evaluate, games: int, rng: Generator) -> None:
        lanes = min(plan.lanes, games)
        self.plan, self.evaluate, self.rng, self.to_begin = plan, evaluate, rng, games - lanes
        self.forest = Forest(plan.game, plan.settings, lanes)
        self.words = self._openings(lanes)
        self.player = np.zeros(lanes, np.int8)
        self.length = np.zeros(lanes, np.int64)
        self.open: list[list[tuple[np.void, int]]] = [[] for _ in range(lanes)]  # positions, and who is to move there
        self.met: list[Counter[tuple[int, int, int]]] = [Counter() for _ in range(lanes)]

    def play(self) -> Iterator[NDArray[np.void]]:
        """Yield the positions of each game when it ends."""
        while len(self.words):
            found = self._search()
            self._note(found)
            outcomes = np.empty((len(self.words), 2), np.int8)
            play_batch(self.plan.game, self.words, self._chosen(found), outcomes)
            self.player = np.where(outcomes[:, 1] != 0, self.player, 1 - self.player).astype(np.int8)
            self.length += 1
            ended = (outcomes[:, 0] != ONGOING) | (self.length >= self.plan.max_plies) | self._come_again()
            for lane in np.flatnonzero(ended).tolist():
                yield self._judged(lane, int(outcomes[lane, 0]))
            self._begin_anew(ended)

    def _search(self) -> SearchResult:
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
        gammas = np.maximum(self.rng.gamma(noise.dirichlet / shape[1], size=shape), np.finfo(float).tiny)
        return search(dirichlet=(gammas, noise.share))

    def _note(self, found: SearchResult) -> None:
        samples = np.zeros(len(self.words), sample_type(self.plan.game))
        samples["own"], samples["opp"] = self.words.T
        samples["policy"] = found.policy
        samples["value"] = np.clip(found.values + self.plan.contempt * found.draws, -1, 1)
        for lane, position in enumerate(self._positions()):
            self.open[lane].append((samples[lane], int(self.player[lane])))
            self.met[lane][position] += 1

    def _come_again(self) -> NDArray[np.bool_]:
        """Whether the position of each lane was met twice before in its game, bool (lanes,)."""
        return np.array([met[position] == 2 for met, position in zip(self.met, self._positions(), strict=True)])

    def _positions(self) -> Iterator[tuple[int, int, int]]:
        return zip(*self.words.T.tolist(), self.player.tolist(), strict=True)

    def _chosen(self, found: SearchResult) -> NDArray[np.int64]:
        if self.plan.settings.selection == GUMBEL:
            return found.actions
        drawn = draw_actions(found, self.plan.noise.temperature, self.rng)
        return np.where(self.length < self.plan.noise.opening, drawn, found.actions)

    def _judged(self, lane: int, outcome: int) -> NDArray[np.void]:
        """The positions of a game that ended, with what it brought who was to move."""
        samples = np.array([sample for sample, _ in self.open[lane]], sample_type(self.plan.game))
        players = np.array([player for _, player in self.open[lane]])
        result = 0 if outcome == ONGOING else outcome
        results = np.where(players == self.player[lane], result, -result)
        results = results * self.plan.discount ** np.arange(len(samples) - 1, -1, -1)
        samples["drawn"] = result == 0
        samples["value"] = (1 - self.plan.value_mix) * results + self.plan.value_mix * samples["value"]
        return samples

    def _begin_anew(self, ended: NDArray[np.bool_]) -> None:
        """Begin new games on the lanes that ended, while there are any to begin; the other lanes are closed."""
        free = np.flatnonzero(ended)
        again, closed = free[: self.to_begin], free[self.to_begin :]
        self.to_begin -= len(again)
        self.words[again] = self._openings(len(again))
        self.player[again] = self.length[again] = 0
        for lane in again.tolist():
            self.open[lane], self.met[lane] = [], Counter()
        if len(closed):
            self.words = np.delete(self.words, closed, axis=0)
            self.player, self.length = np.delete(self.player, closed), np.delete(self.length, closed)
            gone = set(closed.tolist())
            self.open = [positions for lane, positions in enumerate(self.open) if lane not in gone]
            self.met = [met for lane, met in enumerate(self.met) if lane not in gone]

    def _openings(self, count: int) -> NDArray[np.uint64]:
        plies = self.rng.integers(self.plan.random_plies + 1, size=count).tolist()
        seeds = self.rng.integers(2**63, size=count).tolist()
        begun = [random_openings(self.plan.game, 1, *each) for each in zip(plies, seeds, strict=True)]
        return np.array(begun, dtype=np.uint64).reshape(count, 2)
