"""How good a network is while it learns: a ladder of opponents, a rating, and a match against the best before."""

from itertools import combinations

import numpy as np

from ci_envs.agent.interface import Agent
from ci_envs.agent.registry import make_agent
from ci_envs.agents.alphazero.config import Config
from ci_envs.agents.alphazero.network import Network
from ci_envs.arena.match import play_match
from ci_envs.arena.ratings import elo_ratings
from ci_envs.arena.results import Record
from ci_envs.games.game import Game
from ci_envs.games.openings import random_openings


class NetworkLadder:
    """Fixed opponents, who met each other before.

    Attributes:
        opponents: by their spec strings.
    """

    def __init__(self, game: Game, config: Config, max_cycles: int | None, seed: int) -> None:
        self.game, self.config, self.max_cycles = game, config, max_cycles
        self.opponents = {spec: make_agent(spec, game) for spec in config.ladder}
        self._openings = random_openings(game, (config.ladder_games + 1) // 2, config.openings, seed)
        self._met: dict[tuple[int, int], Record] | None = None

    def climb(self, network: Network, seed: int) -> tuple[dict[str, Record], float]:
        """The results against each opponent, and the rating: Elo above the first of them."""
        agent = self._agent(network, seed)
        results = {spec: self._match(agent, opponent, seed) for spec, opponent in self.opponents.items()}
        return results, self._rating(list(results.values()))

    def is_as_good(self, network: Network, best: Network, seed: int) -> bool:
        """Whether a network gets the share of the points against the best one that it takes."""
        record = self._match(self._agent(network, seed), self._agent(best, seed), seed)
        return record.score >= self.config.gate

    def _agent(self, network: Network, seed: int) -> Agent:
        from ci_envs.agents.alphazero.agent import AlphaZeroAgent  # whose training this is part of

        return AlphaZeroAgent(
            self.game,
            network,
            simulations=self.config.ladder_simulations,
            temperature=self.config.ladder_temperature,
            contempt=self.config.contempt,
            lookahead=1,  # it is the network that is measured
            seed=seed,
        )

    def _match(self, first: Agent, second: Agent, seed: int) -> Record:
        for agent in (first, second):
            agent.reseed(seed)
        games, limit = self.config.ladder_games, self.max_cycles
        match = play_match(self.game, first, second, games, max_cycles=limit, openings=self._openings)
        return match.sides[0].total

    def _rating(self, results: list[Record]) -> float:
        if self._met is None:
            agents = list(self.opponents.values())
            self._met = {(i, j): self._match(agents[i], agents[j], 0) for i, j in combinations(range(len(agents)), 2)}
        new = len(results)
        wins, draws = np.zeros((2, new + 1, new + 1), dtype=np.int64)
        for (i, j), record in (self._met | {(new, i): record for i, record in enumerate(results)}).items():
            wins[i, j], wins[j, i] = record.wins, record.losses
            draws[i, j] = draws[j, i] = record.draws
        ratings = elo_ratings(wins, draws)
        return ratings[new].elo - ratings[0].elo
