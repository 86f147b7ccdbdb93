"""What self-play found, kept to learn from: positions that are read in random order under random symmetries.

Full, it is a ring in which the newest take the place of the oldest; or it is pruned, as in the report on Quixo, to a
share of it that is drawn at random.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ci_envs.games import action_count, integer_between, kernel, symmetry_count, transform, transform_action
from ci_envs.games.batch import write_mask, write_planes
from ci_envs.games.game import Game
from ci_envs.validation import probability


def sample_type(game: Game) -> np.dtype[np.void]:
    """A position, what the search would play there, what it was worth to the player to move, and was the game drawn."""
    fields = [
        ("own", np.uint64),
        ("opp", np.uint64),
        ("policy", np.float32, (game.action_count,)),
        ("value", np.float32),
        ("drawn", np.float32),
    ]
    return np.dtype(fields, align=True)


class Lessons(NamedTuple):
    """Positions to learn from.

    Attributes:
        planes: int8 (n, height, width, channels).
        masks: int8 (n, actions).
        policies: float32 (n, actions).
        values: float32 (n,), -1 to 1, for the player to move.
        drawn: float32 (n,), 1 where the game was drawn, else 0.
    """

    planes: NDArray[np.int8]
    masks: NDArray[np.int8]
    policies: NDArray[np.float32]
    values: NDArray[np.float32]
    drawn: NDArray[np.float32]


class Replay:
    """A buffer of positions.

    Attributes:
        game: what is played.
        kept: share that stays when it is full and pruned at random; 0 means that the oldest are forgotten first.
        samples: of :func:`sample_type`, (capacity,); the first :attr:`size` are there.
        size: how many there are.
        next: where the next goes.
        added: how many were ever added.
    """

    def __init__(self, game: Game, capacity: int, kept: float = 0.0) -> None:
        integer_between("capacity", capacity, 1)
        self.game, self.kept = game, probability("kept", kept)
        self.samples = np.zeros(capacity, sample_type(game))
        self.size = self.next = self.added = 0

    def add(self, samples: NDArray[np.void], rng: Generator) -> None:
        """Add positions, of which the last stay if there are more than there is room for.

        Args:
            samples: of :func:`sample_type`.
            rng: decides what stays where the buffer is pruned at random.
        """
        capacity = len(self.samples)
        if self.kept and self.size + len(samples) > capacity:
            stay = np.sort(rng.permutation(self.size)[: int(self.kept * self.size)])
            self.samples[: len(stay)] = self.samples[stay]
            self.size = self.next = len(stay)
        places = (self.next + np.arange(len(samples))) % capacity
        self.samples[places[-capacity:]] = samples[-capacity:]
        self.next = int(self.next + len(samples)) % capacity
        self.size = min(self.size + len(samples), capacity)
        self.added += len(samples)

    def batch(self, count: int, rng: Generator, *, symmetries: bool = True) -> Lessons:
        """Random positions, each under a random symmetry of the game."""
        game = self.game
        chosen = rng.integers(self.size, size=count)
        images = rng.integers(game.symmetry_count if symmetries else 1, size=count)
        planes = np.empty((count, *game.observation_shape), np.int8)
        masks, policies = (
            np.empty((count, game.action_count), np.int8),
            np.zeros((count, game.action_count), np.float32),
        )
        _see(game, self.samples, chosen, images, planes, masks, policies)
        return Lessons(planes, masks, policies, self.samples["value"][chosen], self.samples["drawn"][chosen])


@kernel
def _see(game: Any, samples: Any, chosen: Any, images: Any, planes: Any, masks: Any, policies: Any) -> None:
    for i in range(len(chosen)):
        sample, symmetry = samples[chosen[i]], images[i] % symmetry_count(game)
        own, opp = transform(game, symmetry, sample.own, sample.opp)
        write_planes(game, own, opp, planes[i])
        write_mask(game, own, opp, True, masks[i])
        for action in range(action_count(game)):
            policies[i, transform_action(game, symmetry, action)] = sample.policy[action]
