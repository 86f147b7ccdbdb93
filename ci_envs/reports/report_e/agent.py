"""The agent of report E: its network and its search, for a move."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from ci_envs.agent_interface.interface import PositionAgent
from ci_envs.games.connect_n import ConnectN
from ci_envs.games.game import Game
from ci_envs.kernels.work_memory import WorkMemory
from ci_envs.reports.report_e.compiled_network import weights_of
from ci_envs.reports.report_e.exploration import ExploreSettings, explore, new_tree, next_move, plant_root

if TYPE_CHECKING:
    from ci_envs.agents.alphazero.network import Network

MODEL = Path(__file__).with_name("four_in_a_row.safetensors")
"""A network that was trained by :func:`~ci_envs.reports.report_e.self_play.train` in 3,000 games, instead of the 50,000
of report E, with 2,000 explorations for each move and the seed 0 for the weights and for the games."""

PLAY = ExploreSettings(temperature=0.1, repaired=False)
"""The settings with which the listing of report E plays."""


class ExploringAgent(PositionAgent):
    """Plays by report E's search, with a new tree for each move."""

    def __init__(self, game: Game, network: "Network", settings: ExploreSettings, *, seed: int | None = None) -> None:
        """Make the agent.

        Args:
            game: Four in a row on 6 x 6, or the game that the network was trained for.
            network: With the architecture ``unpadded``.
            settings: Those of the search.
            seed: Of all random numbers.
        """
        super().__init__(game, seed=seed)
        self._settings = settings
        self._trees = WorkMemory(partial(new_tree, game, settings.explorations, weights_of(network), 0))

    @override
    def act_on(self, words: NDArray[np.uint64]) -> NDArray[np.int64]:
        seeds = self.rng.integers(2**64, size=len(words), dtype=np.uint64)
        return np.array([self._action(row, seed) for row, seed in zip(words, seeds, strict=True)], dtype=np.int64)

    def _action(self, words: NDArray[np.uint64], seed: np.uint64) -> int:
        with self._trees.use() as tree:
            tree.random[0] = seed
            plant_root(tree, words[0], words[1])
            explore(self.game, tree, self._settings)
            return int(tree.nodes[next_move(tree, self._settings)]["action"])


def trained_agent(
    game: Game, seed: int | None, *, repaired: bool = False, explorations: int = PLAY.explorations
) -> ExploringAgent:
    """Return the agent with the network of this package.

    Args:
        game: Four in a row on 6 x 6.
        seed: Of all random numbers.
        repaired: Whether the search does what the text of report E says, or else what its listing does.
        explorations: For each move.

    Raises:
        ValueError: The game is another one.
    """
    from ci_envs.agents.alphazero.model_file import read_model

    if game != ConnectN():
        raise ValueError(f"report:E plays {ConnectN()}, not {game}")
    settings = PLAY._replace(repaired=repaired, explorations=explorations)
    return ExploringAgent(game, read_model(MODEL, game).network, settings, seed=seed)
