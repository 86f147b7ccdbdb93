"""AlphaZero for Quixo as in report A's program: its search, its training and its agent.

``a7.toml`` lists the bugs of the program. Besides, its network also evaluates finished positions.

The agent plays the action to the child with the largest V; of equal children it plays the first. A child that was never
visited has a V of 0.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from typing_extensions import override

from ci_envs.agent_interface.interface import PositionAgent
from ci_envs.agent_interface.observations import observations_of
from ci_envs.games.batch import play_batch, start_words
from ci_envs.games.game import Game
from ci_envs.games.operations import ONGOING
from ci_envs.games.quixo import Quixo
from ci_envs.reports.alphazero_training import untrained_network
from ci_envs.reports.literal_agent import require_equal

if TYPE_CHECKING:
    from ci_envs.agents.alphazero.network import Network
    from ci_envs.agents.alphazero.search import Evaluate

SIMULATIONS = 10
"""Simulations for each move, in training and in play."""

MODEL = Path(__file__).with_name("quixo_alphazero.safetensors")
"""The network of :func:`train_network` with ``16x10_pooled``, 20 games and the seed 0: 16 channels instead of 256,
because the file of report A's network would have 47 MB."""

CAPACITY = 10_000
"""The entries of the data that stay in the training of report A."""

_MAX_PLIES, _BATCH, _LEARNING_RATE = 100, 64, 1e-3
_EPOCHS, _LAST_EPOCHS = 2, 10  # after each game, and at the end


@dataclass
class ValueNode:
    """A node of the search.

    Attributes:
        words: The position, uint64 (2,).
        total: V: the sum of the value of the node and the values of all leaves below it.
        legal: The legal actions. The list is empty before the expansion of the node, and in a finished position.
        children: The visited children by action.
    """

    words: NDArray[np.uint64]
    total: float = 0.0
    legal: list[int] = field(default_factory=list)
    children: dict[int, "ValueNode"] = field(default_factory=dict)

    def best_action(self) -> int:
        """Return the action to the child with the largest V. Of equal children return the first."""
        return max(self.legal, key=self._total_after)

    def _total_after(self, action: int) -> float:
        return self.children[action].total if action in self.children else 0.0


def search_actions(
    game: Game, words: NDArray[np.uint64], evaluate: "Evaluate", simulations: int = SIMULATIONS
) -> NDArray[np.int64]:
    """Search each of n positions, and return the actions to play, int64 (n,).

    Args:
        game: The game.
        words: The positions, uint64 (n, 2), none of which is over.
        evaluate: The network, for the planes of observations.
        simulations: The number of simulations for each move.
    """
    roots = [ValueNode(row) for row in words]
    for _ in range(simulations):
        paths = [_path_to_leaf(game, root) for root in roots]
        seen = observations_of(game, np.array([path[-1].words for path in paths]))
        _, values, _ = evaluate(np.ascontiguousarray(seen["observation"]))
        for path, mask, value in zip(paths, seen["action_mask"], values.tolist(), strict=True):
            path[-1].legal = np.flatnonzero(mask).tolist()
            for node in path:
                node.total += value
    return np.array([root.best_action() for root in roots], dtype=np.int64)


def _path_to_leaf(game: Game, root: ValueNode) -> list[ValueNode]:
    """Return the nodes from the root to a leaf, which is a new child or a finished position."""
    path = [root]
    while path[-1].legal:
        node = path[-1]
        action = node.best_action()
        if action not in node.children:
            node.children[action] = ValueNode(_played(game, node.words, action)[0])
        path.append(node.children[action])
    return path


def _played(game: Game, words: NDArray[np.uint64], action: int) -> tuple[NDArray[np.uint64], int]:
    """Return the position after an action, and its result for the player to move."""
    after, outcomes = words[np.newaxis].copy(), np.empty((1, 2), np.int8)
    play_batch(game, after, np.array([action]), outcomes)
    return after[0], int(outcomes[0, 0])


def signed_planes(planes: NDArray[np.int8]) -> NDArray[np.int8]:
    """Return the input of report A's network for planes of both players, int8 (n, height, width, 2).

    The first plane has 1 for a cube of the player to move and -1 for one of the opponent; the second is its negative.
    """
    own = planes[..., :1] - planes[..., 1:]
    return np.ascontiguousarray(np.concatenate([own, -own], axis=-1))


def signed_inference(network: "Network") -> "Evaluate":
    """Return a function that evaluates the planes of observations by a network for :func:`signed_planes`."""
    from ci_envs.agents.alphazero.inference import inference

    evaluate = inference(network)
    return lambda planes: evaluate(signed_planes(planes))


class Samples(NamedTuple):
    """Samples of report A's training: n positions, each with the move that led to it.

    Attributes:
        words: The positions after the moves, uint64 (n, 2).
        actions: The moves, int64 (n,).
        values: 1 if the player to move in the position won the game, else -1, float32 (n,).
    """

    words: NDArray[np.uint64]
    actions: NDArray[np.int64]
    values: NDArray[np.float32]


def play_itself(game: Game, evaluate: "Evaluate") -> Samples:
    """Play a game against itself, and return its samples. The game ends without a winner after 100 plies.

    Args:
        game: The game.
        evaluate: The network, for the planes of observations.
    """
    words, outcome = start_words(game, 1)[0], ONGOING
    positions: list[NDArray[np.uint64]] = []
    actions: list[int] = []
    while outcome == ONGOING and len(actions) < _MAX_PLIES:
        actions.append(int(search_actions(game, words[np.newaxis], evaluate)[0]))
        words, outcome = _played(game, words, actions[-1])
        positions.append(words)
    result = 0 if outcome == ONGOING else outcome  # for the player to move in the last position
    results = result * (-1) ** np.arange(len(actions) - 1, -1, -1)
    values = np.where(results > 0, 1, -1).astype(np.float32)
    return Samples(np.array(positions), np.array(actions, dtype=np.int64), values)


class ReportTraining:
    """The training of report A: self-play and epochs of gradient descent.

    After each game the training adds the samples of all games so far to the data again. If the data have more than
    10,000 entries, the training first reduces them to a random sample of 10,000 entries. The text of report A removes
    the oldest entries instead, and adds each sample once.

    Attributes:
        network: The network in training.
        history: The samples of all games.
        data: The entries of the data, as indices of the history.
    """

    def __init__(
        self,
        game: Game,
        network: "Network",
        rng: Generator,
        *,
        capacity: int = CAPACITY,
        removes_oldest: bool = False,
    ) -> None:
        """Make the optimiser.

        Args:
            game: The game.
            network: The network to train. Its inputs are the planes of :func:`signed_planes`.
            rng: The random number generator of the reduction of the data and of the order of the samples.
            capacity: The number of entries that stay when the training reduces the data.
            removes_oldest: Whether the training treats the data as the text of report A says.
        """
        import torch

        self.network = network.eval()
        self.history = Samples(np.empty((0, 2), np.uint64), np.empty(0, np.int64), np.empty(0, np.float32))
        self.data = np.empty(0, np.int64)
        self._game, self._rng = game, rng
        self._capacity, self._removes_oldest = capacity, removes_oldest
        self._optimizer = torch.optim.Adam(network.parameters(), lr=_LEARNING_RATE)

    def play_game(self) -> None:
        """Play a game, and train for 2 epochs."""
        played = play_itself(self._game, signed_inference(self.network))
        self.history = Samples(
            np.concatenate([self.history.words, played.words]),
            np.concatenate([self.history.actions, played.actions]),
            np.concatenate([self.history.values, played.values]),
        )
        self._add_samples(len(played.actions))
        self._learn(_EPOCHS)

    def _add_samples(self, new: int) -> None:
        """Add the samples to the data after a game with some new samples."""
        known = len(self.history.actions)
        if self._removes_oldest:
            self.data = np.append(self.data, np.arange(known - new, known))[-self._capacity :]
            return
        if len(self.data) > self._capacity:
            self.data = self._rng.choice(self.data, self._capacity, replace=False)
        self.data = np.append(self.data, np.arange(known))

    def finish(self) -> None:
        """Train for 10 more epochs."""
        self._learn(_LAST_EPOCHS)

    def _learn(self, epochs: int) -> None:
        """Take steps of Adam: the mean squared error of the value plus the cross-entropy of the policy."""
        import torch
        from torch.nn.functional import cross_entropy, mse_loss

        planes = signed_planes(observations_of(self._game, self.history.words)["observation"])
        inputs = torch.from_numpy(planes).permute(0, 3, 1, 2).float()
        actions, results = torch.from_numpy(self.history.actions), torch.from_numpy(self.history.values)
        self.network.train()
        for _ in range(epochs):
            order = torch.from_numpy(self._rng.permutation(self.data))
            for batch in torch.split(order, _BATCH):
                logits, values, _ = self.network(inputs[batch])
                loss = mse_loss(values, results[batch]) + cross_entropy(logits, actions[batch])
                self._optimizer.zero_grad()
                loss.backward()  # type: ignore[no-untyped-call]
                self._optimizer.step()
        self.network.eval()


class ReportAlphaZeroAgent(PositionAgent):
    """An agent that plays Quixo by report A's search, which is deterministic."""

    def __init__(
        self, game: Game, evaluate: "Evaluate", *, simulations: int = SIMULATIONS, seed: int | None = None
    ) -> None:
        """Make the agent.

        Args:
            game: Quixo.
            evaluate: The network, for the planes of observations.
            simulations: The number of simulations for each move.
            seed: Not used.
        """
        super().__init__(game, seed=seed)
        self._evaluate, self._simulations = evaluate, simulations

    @override
    def act_on(self, words: NDArray[np.uint64]) -> NDArray[np.int64]:
        return search_actions(self.game, words, self._evaluate, self._simulations)


def train_network(game: Game, architecture: str, games: int, seed: int, **data: Any) -> "Network":
    """Train a new network as in report A.

    Args:
        game: The game.
        architecture: The name of the architecture, ``256x10_pooled`` or ``16x10_pooled``.
        games: The number of games of self-play, 1 or more.
        seed: The seed of the weights and of the training.
        data: The options ``capacity`` and ``removes_oldest`` of :class:`ReportTraining`.
    """
    training = ReportTraining(game, untrained_network(game, architecture, seed), np.random.default_rng(seed), **data)
    for _ in range(games):
        training.play_game()
    training.finish()
    return training.network


def trained_agent(game: Game, seed: int | None, *, simulations: int = SIMULATIONS) -> ReportAlphaZeroAgent:
    """Return the agent with the network of this package.

    Args:
        game: Quixo on 5 x 5.
        seed: Not used.
        simulations: The number of simulations for each move.

    Raises:
        ValueError: The game is not Quixo on 5 x 5.
    """
    from ci_envs.agents.alphazero.model_file import read_model

    require_equal("report:A7", game, Quixo())
    evaluate = signed_inference(read_model(MODEL, game).network)
    return ReportAlphaZeroAgent(game, evaluate, simulations=simulations, seed=seed)
