"""Training of report E: self-play of one game at a time, and one step of Adam after each game."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ci_envs.agent_interface.observations import observations_of
from ci_envs.games.batch import canonical_batch
from ci_envs.games.game import Game
from ci_envs.games.openings import random_openings
from ci_envs.games.operations import image_of_action, transform
from ci_envs.kernels.compiler import kernel
from ci_envs.reports.report_e.compiled_network import compiled_network
from ci_envs.reports.report_e.exploration import ExploreSettings, explore, keep_subtree, new_tree, next_move, plant_root

if TYPE_CHECKING:
    from torch import Tensor

    from ci_envs.agents.alphazero.network import Network

_LEARNING_RATE, _WEIGHT_DECAY = 0.005, 1e-5


class PlayedGame(NamedTuple):
    """A game of self-play of n plies.

    Attributes:
        words: The positions as the network saw them, that is under a symmetry, uint64 (n, 2).
        shares: The probabilities with which the moves were drawn, under the same symmetry, float64 (n, actions).
        outcome: 1 if the first player won, -1 if the second player won, 0 for a draw.
    """

    words: NDArray[np.uint64]
    shares: NDArray[np.float64]
    outcome: int


def play_game(game: Game, network: "Network", settings: ExploreSettings, seed: int) -> PlayedGame:
    """Play a game of a network against itself; the tree is kept from move to move.

    Args:
        game: A game in which the players alternate.
        network: With the architecture ``unpadded``.
        settings: Those of the search and of self-play.
        seed: Of all random numbers, 0 to 2**64 - 1.
    """
    plies = settings.opening_plies
    start = random_openings(game, 1, plies, seed)[0] if plies else np.array(game.start(), np.uint64)
    tree = new_tree(game, settings.explorations, compiled_network(network), seed)
    most = game.action_count
    words, shares = np.zeros((most, 2), np.uint64), np.zeros((most, most))
    plies, outcome = _play(game, tree, settings, start, words, shares)
    return PlayedGame(words[:plies], shares[:plies], int(outcome))


@kernel
def _play(game: Any, tree: Any, settings: Any, start: Any, words: Any, shares: Any) -> Any:
    """Return the number of plies and the outcome for the first player."""
    plant_root(tree, start[0], start[1])
    nodes, plies = tree.nodes, 0
    while nodes[0].over == 0:
        explore(game, tree, settings)
        image = np.uint64(nodes[0].image)
        words[plies, 0], words[plies, 1] = transform(game, image, nodes[0].own, nodes[0].opp)
        drawn = next_move(tree, settings)
        for action in range(len(tree.shares)):
            shares[plies, image_of_action(game, image, action)] = tree.shares[action]
        keep_subtree(tree, drawn)
        plies += 1
    return plies, nodes[0].v if plies % 2 == 1 else -nodes[0].v


def train(network: "Network", game: Game, settings: ExploreSettings, seed: int) -> Iterator[tuple[float, PlayedGame]]:
    """Train a network for ever, and yield the loss and the game after each game.

    Self-play amplifies the smallest difference: one move that is drawn otherwise changes all later games. So equal
    seeds give equal trainings only with the same version and the same number of threads of PyTorch on the same kind of
    processor, because the sums of PyTorch are rounded otherwise elsewhere.

    Args:
        network: With the architecture ``unpadded``; it is changed.
        game: A game in which the players alternate.
        settings: Those of the search, repaired: with the listing of report E nothing can be learned.
        seed: Of all random numbers.
    """
    import torch

    optimizer = torch.optim.Adam(network.parameters(), lr=_LEARNING_RATE, weight_decay=_WEIGHT_DECAY)
    rng = np.random.default_rng(seed)
    while True:
        played = play_game(game, network, settings, int(rng.integers(2**63)))
        loss = game_loss(network, game, played)
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        yield loss.item(), played


def different_openings(played: Iterable[PlayedGame], game: Game, plies: int) -> int:
    """Return the number of different positions after some plies of games. Images by symmetries are equal."""
    words = np.array([one.words[plies] for one in played])
    return len(np.unique(canonical_batch(game, words), axis=0))


def game_loss(network: "Network", game: Game, played: PlayedGame, *, as_listed: bool = False) -> "Tensor":
    """Return the sum over the moves of a game of (value x player - outcome)^2 + KL(shares || priors).

    Args:
        network: Whose value and priors.
        game: The game.
        played: Positions and shares.
        as_listed: Whether to return what the listing computes: its ``next`` returns the shares in the place of the
            priors, and the value of the network is never stored, so that the loss does not depend on the network.
    """
    import torch

    shares = torch.from_numpy(played.shares).float()
    results = torch.from_numpy(played.outcome * (-1.0) ** np.arange(len(played.words))).float()
    values, logs = torch.zeros_like(results), shares.log()
    if not as_listed:
        seen = observations_of(game, played.words)
        logits, values, _ = network(torch.from_numpy(seen["observation"]).permute(0, 3, 1, 2).float())
        logs = logits.masked_fill(torch.from_numpy(seen["action_mask"]) == 0, -torch.inf).log_softmax(dim=1)
    divergence = (shares * (shares.log() - logs))[shares > 0].sum()
    return ((values - results) ** 2).sum() + divergence
