"""The agent of report E: its network and its search, for a move."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from ci_envs.agent_interface.analysis import Analysis
from ci_envs.agent_interface.interface import PositionAgent
from ci_envs.games.connect_n import ConnectN
from ci_envs.games.game import Game
from ci_envs.games.position import Position
from ci_envs.kernels.work_memory import WorkMemory
from ci_envs.reports.literal_agent import require_equal
from ci_envs.reports.report_e.compiled_network import compiled_network
from ci_envs.reports.report_e.exploration import ExploreSettings, Tree, explore, new_tree, next_move, plant_root

if TYPE_CHECKING:
    from ci_envs.agents.alphazero.network import Network

MODEL = Path(__file__).with_name("four_in_a_row.safetensors")
"""A network that was trained by :func:`~ci_envs.reports.report_e.self_play.train` in 3,000 games, instead of the 50,000
of report E, with 2,000 explorations for each move and the seed 0 for the weights and for the games."""

PLAY = ExploreSettings(temperature=0.1, repaired=False)
"""The settings with which the listing of report E plays."""


class ExploringAgent(PositionAgent):
    """Plays by report E's search, with a new tree for each move.

    Attributes:
        network: The network of the search.
    """

    def __init__(self, game: Game, network: "Network", settings: ExploreSettings, *, seed: int | None = None) -> None:
        """Make the agent.

        Args:
            game: Four in a row on 6 x 6, or the game that the network was trained for.
            network: With the architecture ``unpadded``.
            settings: Those of the search.
            seed: Of all random numbers.
        """
        super().__init__(game, seed=seed)
        self.network = network
        self._settings = settings
        self._trees: WorkMemory[Tree] = WorkMemory()

    @override
    def act_on(self, words: NDArray[np.uint64]) -> NDArray[np.int64]:
        seeds = self.rng.integers(2**64, size=len(words), dtype=np.uint64)
        return np.array([self._action(row, seed) for row, seed in zip(words, seeds, strict=True)], dtype=np.int64)

    def analyse(self, position: Position) -> Analysis:
        """Search a position, and return the values and the visits of its actions.

        Raises:
            ValueError: The game is over, or it is another game.
        """
        words = self.words_of(position)
        with self._explored(words, self.rng.integers(2**64, dtype=np.uint64)) as tree:
            return _analysis_of(tree, self.game.action_count)

    def _action(self, words: NDArray[np.uint64], seed: np.uint64) -> int:
        with self._explored(words, seed) as tree:
            return int(tree.nodes[next_move(tree, self._settings)]["action"])

    @contextmanager
    def _explored(self, words: NDArray[np.uint64], seed: np.uint64) -> Iterator[Tree]:
        """Lend the tree of a position after its search."""
        with self._trees.use(self._new_tree) as tree:
            tree.random[0] = seed
            plant_root(tree, words[0], words[1])
            explore(self.game, tree, self._settings)
            yield tree

    def _new_tree(self) -> Tree:
        return new_tree(self.game, self._settings.explorations, compiled_network(self.network), 0)


def _analysis_of(tree: Tree, actions: int) -> Analysis:
    """Return the analysis of a tree. V of a child is the value for the player who moves to it."""
    root, children = tree.nodes[0], _children(tree, 0)
    visits, priors = np.zeros(actions, np.int64), np.zeros(actions)
    visits[children["action"]], priors[children["action"]] = children["n"], children["prior"]
    is_known = (children["n"] > 0) | (children["over"] > 0)
    values = dict(zip(children["action"].tolist(), np.where(is_known, children["v"], np.nan).tolist(), strict=True))
    return Analysis(
        value=float(-root["v"]),
        action_values=values,
        principal_variation=tuple(_best_path(tree)),
        visits=visits,
        priors=priors,
        simulations=int(root["n"]),
    )


def _best_path(tree: Tree) -> Iterator[int]:
    """Yield the actions to the children that win, or else to the most visited children."""
    here = 0
    while len(children := _children(tree, here)):
        child = int(np.lexsort((children["n"], children["u"] == np.inf))[-1])
        if not (children[child]["n"] or children[child]["over"]):
            return
        here = int(tree.nodes[here]["first"]) + child
        yield int(children[child]["action"])


def _children(tree: Tree, node: int) -> NDArray[np.void]:
    first = tree.nodes[node]["first"]
    children: NDArray[np.void] = tree.nodes[first : first + tree.nodes[node]["children"]]
    return children


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

    require_equal("report:E", game, ConnectN())
    settings = PLAY._replace(repaired=repaired, explorations=explorations)
    return ExploringAgent(game, read_model(MODEL, game).network, settings, seed=seed)
