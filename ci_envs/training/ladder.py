"""Measurement of an agent during training: matches against fixed opponents, and a rating on the Elo scale."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from ci_envs.agent_interface.interface import Agent
from ci_envs.agent_interface.making import as_agent, name_of
from ci_envs.arena.match import play_match
from ci_envs.arena.ratings import point_ratings
from ci_envs.arena.results import Record
from ci_envs.games.game import Game
from ci_envs.games.openings import random_openings
from ci_envs.registry.user_code import reason


class MeasurementError(ValueError):
    """An agent failed in a match on a ladder."""


@dataclass(frozen=True)
class Measurement:
    """The results of an agent against the opponents of a ladder.

    Attributes:
        results: The results by the spec string of the opponent.
        rating: The difference in Elo from the first opponent.
    """

    results: Mapping[str, Record]
    rating: float

    @property
    def score(self) -> float:
        """The mean score over all opponents, from 0 to 1; a draw counts 1/2."""
        return sum(record.score for record in self.results.values()) / len(self.results)


class Ladder:
    """Fixed opponents, and the results of their matches against each other.

    Every match is repeatable: it uses the same openings, and reseeds both agents.
    """

    def __init__(
        self,
        game: Game,
        opponents: Sequence[Any],
        games: int,
        *,
        random_plies: int = 0,
        max_cycles: int | None = None,
        seed: int = 0,
    ) -> None:
        """Make the opponents.

        Args:
            game: The game.
            opponents: The opponents: spec strings, or other objects that
                :func:`~ci_envs.agent_interface.making.as_agent` accepts.
            games: The number of games of each match, at least 2.
            random_plies: The number of random plies at the start of each game.
            max_cycles: The number of plies after which a game is a draw. None means the limit of the game.
            seed: The seed of the openings.

        Raises:
            ValueError: There is no opponent, an opponent cannot be made, or the games end within the random plies.
        """
        if not opponents:
            raise ValueError("ladder needs an opponent, for example random: the rating is relative to the first one")
        self._game, self._games, self._max_cycles = game, games, max_cycles
        self._opponents = {name_of(opponent): as_agent(opponent, game) for opponent in opponents}
        self._openings = random_openings(game, (games + 1) // 2, random_plies, seed) if random_plies else None
        self._records: dict[tuple[int, int], Record] | None = None

    def measure(self, agent: Agent) -> Measurement:
        """Play a match against every opponent, and return the results."""
        results = {
            spec: self.play(agent, opponent, seed) for seed, (spec, opponent) in enumerate(self._opponents.items())
        }
        return Measurement(results, self._rating(list(results.values())))

    def play(self, first: Agent, second: Agent, seed: int) -> Record:
        """Reseed both agents with ``seed``, play a match, and return the results of ``first``.

        Raises:
            MeasurementError: An agent fails.
        """
        settings: dict[str, Any] = {"max_cycles": self._max_cycles, "openings": self._openings}
        try:
            first.reseed(seed)
            second.reseed(seed)
            return play_match(self._game, first, second, self._games, **settings).sides[0].total
        except Exception as error:
            names = f"{name_of(first)} and {name_of(second)}"
            raise MeasurementError(f"a match of {names} on the ladder ends with an error: {reason(error)}") from error

    def _rating(self, results: list[Record]) -> float:
        if self._records is None:  # the opponents play their matches against each other only once
            agents = list(self._opponents.values())
            pairs = combinations(range(len(agents)), 2)
            self._records = {(i, j): self.play(agents[i], agents[j], 0) for i, j in pairs}
        new = len(results)
        wins, draws = np.zeros((2, new + 1, new + 1), dtype=np.int64)
        for (i, j), record in (self._records | {(new, i): record for i, record in enumerate(results)}).items():
            wins[i, j], wins[j, i] = record.wins, record.losses
            draws[i, j] = draws[j, i] = record.draws
        ratings = point_ratings(wins, draws)
        return float(ratings[new] - ratings[0])
