"""A trained network and its search, as an agent."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from ci_envs.agent_interface.analysis import Analysis
from ci_envs.agent_interface.capabilities import AnytimeAnalyst
from ci_envs.agent_interface.interface import PositionAgent
from ci_envs.agent_interface.making import make_agent
from ci_envs.agent_interface.observations import observations_of
from ci_envs.agent_interface.presets import playing_presets
from ci_envs.agents.alphazero.architecture import INTEGERS, PRECISIONS, HasWeights
from ci_envs.agents.alphazero.model_file import read_onnx_model, shipped_model, shipped_models
from ci_envs.agents.alphazero.onnx_graph import onnx_model
from ci_envs.agents.alphazero.onnx_inference import OnnxInference
from ci_envs.agents.alphazero.quantization import activation_ranges
from ci_envs.agents.alphazero.result import draw_actions
from ci_envs.agents.alphazero.search import Forest
from ci_envs.agents.alphazero.settings import (
    MAX_LEAVES,
    MAX_LOOKAHEAD,
    MAX_SIMULATIONS,
    SELECTIONS,
    PlayingOptions,
    SearchSettings,
)
from ci_envs.agents.opponent_errors import OPPONENT, OpponentErrors
from ci_envs.agents.search.tables import NO_TABLES, AgentTables, Exact, annotated, checked
from ci_envs.agents.search.tree_analysis import REPORT_COUNT, tree_analysis
from ci_envs.games.game import Game
from ci_envs.games.position import Position
from ci_envs.kernels.work_memory import WorkMemory
from ci_envs.registry.options import Option, Untrusted, Validated

_MAX_NODES = 4_000_000  # the maximum number of nodes of simultaneous searches: 220 MB


@dataclass(frozen=True, kw_only=True)
class AlphaZeroOptions(Validated):
    """The options of :class:`AlphaZeroAgent`.

    Raises:
        ValueError: an option is out of range.
    """

    simulations: Annotated[
        int | None,
        Option(
            "number of simulations per action; none is 500 on Quixo 5 x 5 and 300 in Connect Four, which take at"
            " most about 10 ms on one board, otherwise 200",
            ge=1,
            le=MAX_SIMULATIONS,
            untrusted=Untrusted(most=20_000),
        ),
    ] = None
    selection: Annotated[str, Option("selection rule of the search", choices=SELECTIONS, untrusted=Untrusted())] = (
        "puct"
    )
    exploration: Annotated[
        float | None,
        Option(
            "exploration constant, the factor of the prior; none is 0.25 on Quixo 5 x 5, otherwise 1.5",
            gt=0,
            untrusted=Untrusted(),
        ),
    ] = None
    prior_temperature: Annotated[
        float | None,
        Option(
            "temperature of the priors, as the policy temperature of Lc0; above 1 the priors are flatter; policies "
            "that were learned with Gumbel selection at the root are sharp; none is 2 on Quixo 5 x 5, otherwise 1",
            gt=0,
            untrusted=Untrusted(),
        ),
    ] = None
    temperature: Annotated[
        float | None,
        Option(
            "temperature with which an action is sampled from the policy of the search; 0 plays the best action; a "
            "small temperature such as 0.15 breaks the cycles of two deterministic agents on Quixo; none is 0.2 on "
            "Quixo 5 x 5, otherwise 0",
            ge=0,
            untrusted=Untrusted(),
        ),
    ] = None
    contempt: Annotated[
        float | None,
        Option(
            "maximum reduction of the value of a draw; with contempt the agent takes risks rather than repeat "
            "positions; each action draws the reduction from 0 to contempt, which ends cycles; the reduction "
            "decreases if the value of the position is below 0, and is 0 at a value of -1/2; none is 1 on Quixo 5 x 5, "
            "and 0 in analyses and in other games",
            ge=0,
            le=1,
            untrusted=Untrusted(),
        ),
    ] = None
    lookahead: Annotated[
        int | None,
        Option(
            "plies within which every leaf is searched for a forced result: Baier and Winands, MCTS-minimax hybrids, "
            "IEEE TCIAIG 7(2), 2015; on Quixo a lookahead of 3 costs almost no time, because the network does not "
            "evaluate decided leaves; with 4 an action takes twice as long, with 5 nine times; none is 5 in Quarto, "
            "otherwise 3",
            ge=1,
            le=MAX_LOOKAHEAD,
            untrusted=Untrusted(most=4),
        ),
    ] = None
    leaves: Annotated[
        int,
        Option(
            "maximum number of leaves of the tree that the network evaluates together; with 4, an action on one board "
            "takes two thirds of the time with 1",
            ge=1,
            le=MAX_LEAVES,
            untrusted=Untrusted(),
        ),
    ] = 4
    precision: Annotated[
        str,
        Option(
            "numbers of the network's convolutions; with int8, an action of a network of 64x5 takes less than half of"
            " the time",
            choices=PRECISIONS,
            untrusted=Untrusted(),
        ),
    ] = INTEGERS
    exact: Exact = None
    opponent: Annotated[str | None, replace(OPPONENT, not_with="exact=none")] = None

    def for_play(self, game: Game) -> PlayingOptions:
        """Return the options that a game can preset, with its presets in place of all options that are None."""
        given = {name: getattr(self, name) for name in PlayingOptions._fields}
        presets = playing_presets(game).get("alphazero", {})
        return PlayingOptions(**{**presets, **{name: value for name, value in given.items() if value is not None}})


class AlphaZeroAgent(PositionAgent, AnytimeAnalyst):
    """Agent that plays by a search that a trained network guides: ``alphazero:PATH``, or an included network."""

    trainer = "ci_envs.agents.alphazero.training:AlphaZeroTrainer"

    @staticmethod
    def checkpoints() -> Mapping[str, Path]:
        """Return the networks that are included in the package, by name."""
        return shipped_models()

    def __init__(
        self,
        game: Game,
        path: Annotated[
            str | Path | HasWeights | None,
            Option(
                "file of the network, or the name of an included network; none is the included network for the game",
                untrusted=Untrusted(included=True),
            ),
        ] = None,
        *,
        seed: int | None = None,
        **options: Annotated[Any, AlphaZeroOptions],
    ) -> None:
        """Make the agent.

        Args:
            path: the path of a network's file, or the network itself.
            **options: the fields of :class:`AlphaZeroOptions`.

        Raises:
            ValueError: an option is out of range, the file has no network for this game, no network is included, or the
                tables cannot be read.
            OSError: the file cannot be read.
        """
        chosen = AlphaZeroOptions(**options)
        play = chosen.for_play(game)
        path = shipped_model(game) if path is None else path
        integers = chosen.precision == INTEGERS
        if isinstance(path, HasWeights):
            model = onnx_model(path, activation_ranges(path, game) if integers else ())
        else:
            model = read_onnx_model(path, game, integers=integers)
        super().__init__(game, seed=seed)
        self._evaluate = OnnxInference(model)
        self._max_positions = max(1, _MAX_NODES // (play.simulations * game.action_count))
        self._settings = SearchSettings(
            SELECTIONS[chosen.selection],
            play.exploration,
            play.simulations,
            lookahead=play.lookahead,
            prior_temperature=play.prior_temperature,
            leaves=chosen.leaves,
        )
        self._temperature, self._contempt = play.temperature, play.contempt
        self._analysis_contempt = chosen.contempt or 0.0
        self._tables = None if chosen.exact is None else AgentTables(game, str(chosen.exact))
        self._errors = None
        if self._tables is not None and chosen.opponent is not None:
            opponent = make_agent(chosen.opponent, game, seed=0)
            self._errors = OpponentErrors(game, self._tables.solution, opponent)
        self._forests: WorkMemory[Forest] = WorkMemory()

    @override
    def act_on(self, words: NDArray[np.uint64]) -> NDArray[np.int64]:
        words = np.ascontiguousarray(words, dtype=np.uint64)
        seeds, contempt = self._random_streams(len(words), self._contempt)
        parts = [slice(begin, begin + self._max_positions) for begin in range(0, len(words), self._max_positions)]
        found = [self._search(words[part], seeds[part], contempt[part]) for part in parts]
        actions = checked(np.concatenate(found), self._tables)
        return actions if self._errors is None else self._errors.provoked(words, actions, self.rng)

    @override
    def think(self, position: Position) -> Iterator[Analysis]:
        """Search a position and yield intermediate results and then the final result.

        Raises:
            ValueError: ``position`` is of another game, or the game is over.
        """
        words = self.words_of(position)[np.newaxis]
        analyses = self._analyses(
            words, list(position.legal_actions()), *self._random_streams(1, self._analysis_contempt)
        )
        return (annotated(analysis, position, self._tables) for analysis in analyses)

    def _analyses(
        self, words: NDArray[np.uint64], legal: list[int], seeds: NDArray[np.uint64], contempt: NDArray[np.float64]
    ) -> Iterator[Analysis]:
        logits, _, _ = self._evaluate(np.ascontiguousarray(observations_of(self.game, words)["observation"]))
        priors = np.zeros(self.game.action_count)
        priors[legal] = np.exp(logits[0][legal] - logits[0][legal].max())
        priors /= priors.sum()
        with self._forests.use(self._new_forest) as forest:
            try:
                for found in forest.grow(words, seeds, self._evaluate, contempt=contempt, steps=REPORT_COUNT):
                    value, draw = float(found.values[0]), float(found.draws[0])
                    draw_value = -float(found.contempt[0])
                    yield tree_analysis(self.game, forest.tree(0), value, draw_value, priors=priors, draw=draw)
            finally:
                forest.allocate(1)  # later searches must not write into the tree of the analyses

    def _new_forest(self) -> Forest:
        tables = NO_TABLES if self._tables is None else self._tables.for_trees
        return Forest(self.game, self._settings, 1, tables=tables)

    def _random_streams(self, count: int, contempt: float) -> tuple[NDArray[np.uint64], NDArray[np.float64]]:
        """Return the seeds of the next ``count`` searches, and their contempt, from 0 to ``contempt``."""
        return self.rng.integers(2**64, size=count, dtype=np.uint64), contempt * self.rng.random(count)

    def _search(
        self, words: NDArray[np.uint64], seeds: NDArray[np.uint64], contempt: NDArray[np.float64]
    ) -> NDArray[np.int64]:
        with self._forests.use(self._new_forest) as forest:
            if len(words) > forest.positions:
                forest.allocate(len(words))
            found = forest.search(words, seeds, self._evaluate, contempt=contempt)
        return draw_actions(found, self._temperature, self.rng)
