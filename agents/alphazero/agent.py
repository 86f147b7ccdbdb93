"""A trained network and its search, as an agent."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from ci_envs.agent_interface.analysis import Analysis
from ci_envs.agent_interface.capabilities import AnytimeAnalyst
from ci_envs.agent_interface.interface import PositionAgent
from ci_envs.agent_interface.observations import observations_of
from ci_envs.agents.alphazero.inference import inference
from ci_envs.agents.alphazero.model_file import read_model, shipped_model, shipped_models
from ci_envs.agents.alphazero.network import Network
from ci_envs.agents.alphazero.result import draw_actions
from ci_envs.agents.alphazero.search import Forest
from ci_envs.agents.alphazero.settings import MAX_LEAVES, MAX_LOOKAHEAD, MAX_SIMULATIONS, SELECTIONS, SearchSettings
from ci_envs.agents.search.tables import NO_TABLES, AgentTables, annotated
from ci_envs.agents.search.tree_analysis import REPORT_COUNT, tree_analysis
from ci_envs.games import integer_between
from ci_envs.games.game import Game
from ci_envs.games.position import Position
from ci_envs.registry.spec import takes_fields
from ci_envs.validation import nonnegative_number, one_of, positive_number, probability

_MAX_NODES = 4_000_000  # the maximum number of nodes of simultaneous searches: 220 MB


@dataclass(frozen=True, kw_only=True)
class AlphaZeroOptions:
    """The options of :class:`AlphaZeroAgent`.

    Args:
        simulations: number of simulations per action.
        selection: ``puct``, ``ucb`` or ``gumbel``.
        exploration: the exploration constant, the factor of the prior.
        prior_temperature: temperature of the priors, as the policy temperature of Lc0. Above 1 the priors are flatter.
            Policies that were learned with Gumbel selection at the root are sharp.
        temperature: temperature with which an action is sampled from the policy of the search. 0 plays the best action.
            A small temperature such as 0.15 breaks the cycles of two deterministic agents on Quixo.
        contempt: maximum reduction of the value of a draw, from 0 to 1. With contempt the agent takes risks rather than
            repeat positions. Each action draws the reduction from 0 to ``contempt``, which ends cycles. The reduction
            decreases if the value of the position is below 0, and is 0 at a value of -1/2.
        lookahead: plies within which every leaf is searched for a forced result, 1 to 8: Baier and Winands,
            "MCTS-minimax hybrids", IEEE TCIAIG 7(2), 2015. On Quixo a lookahead of 3 costs almost no time, because the
            network does not evaluate decided leaves. With 4 an action takes twice as long, with 5 nine times.
        leaves: maximum number of leaves of the tree that the network evaluates together, 1 to 64. With 4, an action on
            one board takes two thirds of the time with 1.
        tables: a folder with tables of Quixo that ``ci-envs solve --store`` has computed, or ``included`` for those in
            the package. Positions in the tree that they contain have their exact value and are not evaluated by the
            network. If they contain the position to play, the agent considers only the actions that keep its value. The
            tables are loaded into memory.

    Raises:
        ValueError: an option is out of range.
    """

    simulations: int = 200
    selection: str = "puct"
    exploration: float = 1.5
    prior_temperature: float = 1.0
    temperature: float = 0.0
    contempt: float = 0.0
    lookahead: int = 3
    leaves: int = 4
    tables: str | None = None

    def __post_init__(self) -> None:
        """Check the options."""
        one_of("selection", self.selection, SELECTIONS)
        integer_between("simulations", self.simulations, 1, MAX_SIMULATIONS)
        positive_number("exploration", self.exploration)
        integer_between("lookahead", self.lookahead, 1, MAX_LOOKAHEAD)
        integer_between("leaves", self.leaves, 1, MAX_LEAVES)
        positive_number("prior_temperature", self.prior_temperature)
        nonnegative_number("temperature", self.temperature)
        probability("contempt", self.contempt)


@takes_fields(AlphaZeroOptions)
class AlphaZeroAgent(PositionAgent, AnytimeAnalyst):
    """Agent that plays by a search that a trained network guides: ``alphazero:PATH``, or an included network."""

    trainer = "ci_envs.agents.alphazero.training:AlphaZeroTrainer"

    option_values = MappingProxyType({"selection": tuple(SELECTIONS)})

    @staticmethod
    def checkpoints() -> Mapping[str, Path]:
        """Return the networks that are included in the package, by name."""
        return shipped_models()

    def __init__(
        self, game: Game, path: str | Path | Network | None = None, *, seed: int | None = None, **options: Any
    ) -> None:
        """Make the agent.

        Args:
            game: the game that the network was trained for.
            path: the path of a network's file, or the network itself. None is the included network for this game.
            seed: the seed of the order of equal actions and of the samples.
            **options: the fields of :class:`AlphaZeroOptions`.

        Raises:
            ValueError: an option is out of range, the file has no network for this game, no network is included, or the
                tables cannot be read.
            OSError: the file cannot be read.
        """
        chosen = AlphaZeroOptions(**options)
        path = shipped_model(game) if path is None else path
        network = path if isinstance(path, Network) else read_model(path, game).network
        super().__init__(game, seed=seed)
        self._evaluate = inference(network)
        self._max_positions = max(1, _MAX_NODES // (chosen.simulations * game.action_count))
        self._settings = SearchSettings(
            SELECTIONS[chosen.selection],
            float(chosen.exploration),
            chosen.simulations,
            lookahead=chosen.lookahead,
            prior_temperature=float(chosen.prior_temperature),
            leaves=chosen.leaves,
        )
        self._temperature, self._contempt = float(chosen.temperature), float(chosen.contempt)
        self._tables = None if chosen.tables is None else AgentTables(game, str(chosen.tables))
        self._forest = self._new_forest(1)

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
        analyses = self._analyses(words, list(position.legal_actions()), *self._random_streams(1))
        return (annotated(analysis, position, self._tables) for analysis in analyses)

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

    def _new_forest(self, positions: int) -> Forest:
        tables = NO_TABLES if self._tables is None else self._tables.for_trees
        return Forest(self.game, self._settings, positions, tables=tables)

    def _random_streams(self, count: int) -> tuple[NDArray[np.uint64], NDArray[np.float64]]:
        """Return the seeds and the contempt of the next ``count`` searches."""
        return self.rng.integers(2**64, size=count, dtype=np.uint64), self._contempt * self.rng.random(count)

    def _search(
        self, words: NDArray[np.uint64], seeds: NDArray[np.uint64], contempt: NDArray[np.float64]
    ) -> NDArray[np.int64]:
        if len(words) > self._forest.positions:
            self._forest = self._new_forest(len(words))
        found = self._forest.search(words, seeds, self._evaluate, contempt=contempt)
        return draw_actions(found, self._temperature, self.rng)
