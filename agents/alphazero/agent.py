"""A trained network and its search, as an agent."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from ci_envs.agent.analysis import Analysis
from ci_envs.agent.capabilities import AnytimeAnalyst
from ci_envs.agent.interface import PositionAgent
from ci_envs.agent.observations import observations_of
from ci_envs.agents.alphazero.inference import inference
from ci_envs.agents.alphazero.model_file import read_model, shipped_model, shipped_models
from ci_envs.agents.alphazero.network import Network
from ci_envs.agents.alphazero.search import (
    MAX_LOOKAHEAD,
    MAX_SIMULATIONS,
    SELECTIONS,
    Forest,
    SearchSettings,
    draw_actions,
)
from ci_envs.agents.search.tree_analysis import REPORT_COUNT, tree_analysis
from ci_envs.games import integer_between
from ci_envs.games.game import Game
from ci_envs.games.position import Position
from ci_envs.validation import nonnegative_number, one_of, positive_number, probability

_MAX_NODES = 4_000_000  # the maximum number of nodes of simultaneous searches: 220 MB


class AlphaZeroAgent(PositionAgent, AnytimeAnalyst):
    """Agent that plays by a search that a trained network guides: ``alphazero:PATH``, or an included network."""

    trainer = "ci_envs.agents.alphazero.training:AlphaZeroTrainer"

    option_values = MappingProxyType({"selection": tuple(SELECTIONS)})

    @staticmethod
    def checkpoints() -> Mapping[str, Path]:
        """Return the networks that are included in the package, by name."""
        return shipped_models()

    def __init__(
        self,
        game: Game,
        path: str | Path | Network | None = None,
        *,
        simulations: int = 200,
        selection: str = "puct",
        exploration: float = 1.5,
        prior_temperature: float = 1.0,
        temperature: float = 0.0,
        contempt: float = 0.0,
        lookahead: int = 3,
        seed: int | None = None,
    ) -> None:
        """Make the agent.

        Args:
            game: the game that the network was trained for.
            path: the path of a network's file, or the network itself. None is the included network for this game.
            simulations: number of simulations per action.
            selection: ``puct``, ``ucb`` or ``gumbel``.
            exploration: the exploration constant, the factor of the prior.
            prior_temperature: temperature of the priors, as the policy temperature of Lc0. Above 1 the priors are
                flatter. Policies that were learned with Gumbel selection at the root are sharp.
            temperature: temperature with which an action is sampled from the policy of the search. 0 plays the best
                action. A small temperature such as 0.15 breaks the cycles of two deterministic agents on Quixo.
            contempt: maximum reduction of the value of a draw, from 0 to 1. With contempt the agent takes risks
                rather than repeat positions. Each action draws the reduction from 0 to ``contempt``, which ends cycles.
                The reduction decreases if the value of the position is below 0, and is 0 at a value of -1/2.
            lookahead: plies within which every leaf is searched for a forced result, 1 to 8: Baier and Winands,
                "MCTS-minimax hybrids", IEEE TCIAIG 7(2), 2015. On Quixo a lookahead of 3 costs almost no time, because
                the network does not evaluate decided leaves. With 4 an action takes twice as long, with 5 nine times.
            seed: the seed of the order of equal actions and of the samples.

        Raises:
            ValueError: an option is out of range, the file has no network for this game, or no network is included.
            OSError: the file cannot be read.
        """
        one_of("selection", selection, SELECTIONS)
        integer_between("simulations", simulations, 1, MAX_SIMULATIONS)
        settings = SearchSettings(
            SELECTIONS[selection],
            positive_number("exploration", exploration),
            simulations,
            lookahead=integer_between("lookahead", lookahead, 1, MAX_LOOKAHEAD),
            prior_temperature=positive_number("prior_temperature", prior_temperature),
        )
        temperature, contempt = nonnegative_number("temperature", temperature), probability("contempt", contempt)
        path = shipped_model(game) if path is None else path
        network = path if isinstance(path, Network) else read_model(path, game).network
        super().__init__(game, seed=seed)
        self._evaluate = inference(network)
        self._max_positions = max(1, _MAX_NODES // (simulations * game.action_count))
        self._settings, self._temperature, self._contempt = settings, temperature, contempt
        self._forest = Forest(game, settings, 1)

    @override
    def act_on(self, words: NDArray[np.uint64]) -> NDArray[np.int64]:
        words = np.ascontiguousarray(words, dtype=np.uint64)
        seeds, contempt = self._random_streams(len(words))
        parts = [slice(begin, begin + self._max_positions) for begin in range(0, len(words), self._max_positions)]
        return np.concatenate([self._search(words[part], seeds[part], contempt[part]) for part in parts])

    @override
    def think(self, position: Position) -> Iterator[Analysis]:
        """Search a position and yield intermediate results and then the final result.

        Raises:
            ValueError: ``position`` is of another game, or the game is over.
        """
        words = self.words_of(position)[np.newaxis]
        return self._analyses(words, list(position.legal_actions()), *self._random_streams(1))

    def _analyses(
        self, words: NDArray[np.uint64], legal: list[int], seeds: NDArray[np.uint64], contempt: NDArray[np.float64]
    ) -> Iterator[Analysis]:
        logits, _, _ = self._evaluate(np.ascontiguousarray(observations_of(self.game, words)["observation"]))
        priors = np.zeros(self.game.action_count)
        priors[legal] = np.exp(logits[0][legal] - logits[0][legal].max())
        priors /= priors.sum()
        for found in self._forest.grow(words, seeds, self._evaluate, contempt=contempt, steps=REPORT_COUNT):
            value, draw = float(found.values[0]), float(found.draws[0])
            draw_value = -float(found.contempt[0])
            yield tree_analysis(self.game, self._forest.tree(0), value, draw_value, priors=priors, draw=draw)

    def _random_streams(self, count: int) -> tuple[NDArray[np.uint64], NDArray[np.float64]]:
        """Return the seeds and the contempt of the next ``count`` searches."""
        return self.rng.integers(2**64, size=count, dtype=np.uint64), self._contempt * self.rng.random(count)

    def _search(
        self, words: NDArray[np.uint64], seeds: NDArray[np.uint64], contempt: NDArray[np.float64]
    ) -> NDArray[np.int64]:
        if len(words) > self._forest.positions:
            self._forest = Forest(self.game, self._settings, len(words))
        found = self._forest.search(words, seeds, self._evaluate, contempt=contempt)
        return draw_actions(found, self._temperature, self.rng)
