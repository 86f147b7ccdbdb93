"""The replay buffer: positions of self-play that are sampled in random order under random symmetries.

A full buffer replaces its oldest positions, or keeps a random fraction of its positions.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ci_envs.games import action_count, image_of_action, integer_between, kernel, symmetry_count, transform
from ci_envs.games.game import Game
from ci_envs.games.observation import write_mask, write_planes
from ci_envs.validation import probability


def sample_type(game: Game) -> np.dtype[np.void]:
    """Return the dtype of a sample: a position, the policy of the search, and the targets of value and draw.

    ``value``, from -1 to 1, is for the player to move; ``drawn`` is 1 if the game was a draw, else 0.
    """
    fields = [
        ("own", np.uint64),
        ("opp", np.uint64),
        ("policy", np.float32, (game.action_count,)),
        ("value", np.float32),
        ("drawn", np.float32),
    ]
    return np.dtype(fields, align=True)


class TrainingBatch(NamedTuple):
    """A batch of n samples.

    Attributes:
        planes: observations, int8 of shape (n, height, width, channels).
        masks: 1 for each legal action, int8 of shape (n, actions).
        policies: targets of the policy, float32 of shape (n, actions).
        values: targets of the value for the player to move, from -1 to 1, float32 of shape (n,).
        drawn: targets of the draw probability: 1 if the game was a draw, else 0, float32 of shape (n,).
    """

    planes: NDArray[np.int8]
    masks: NDArray[np.int8]
    policies: NDArray[np.float32]
    values: NDArray[np.float32]
    drawn: NDArray[np.float32]


class Replay:
    """A buffer of samples.

    Attributes:
        game: the game of the positions.
        kept: fraction of a full buffer that is kept, at random. 0 replaces the oldest samples.
        samples: array of :func:`sample_type` and shape (capacity,). The first :attr:`size` samples are in use.
        size: number of samples in use.
        next: index at which the next sample is added.
        added: number of samples that were ever added.
    """

    def __init__(self, game: Game, capacity: int, kept: float = 0.0) -> None:
        """Make an empty buffer.

        Args:
            game: the game of the positions.
            capacity: maximum number of samples, at least 1.
            kept: fraction of a full buffer that is kept, at random. 0 replaces the oldest samples.

        Raises:
            ValueError: a value is not allowed.
        """
        integer_between("capacity", capacity, 1)
        self.game, self.kept = game, probability("kept", kept)
        self.samples = np.zeros(capacity, sample_type(game))
        self.size = self.next = self.added = 0

    def add(self, samples: NDArray[np.void], rng: Generator) -> None:
        """Add samples. If there are more than the capacity, only the last ones are added.

        Args:
            samples: array of :func:`sample_type`.
            rng: draws the samples that are kept if the buffer is full.
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

    def restore(self, samples: NDArray[np.void], next: int, added: int) -> None:
        """Continue with the contents of another buffer.

        Args:
            samples: the samples in use.
            next: index at which the next sample is added.
            added: number of samples that were ever added.

        Raises:
            TypeError: the samples are of another game.
            IndexError: there are more samples than the capacity.
        """
        if samples.dtype != self.samples.dtype:
            raise TypeError(f"the samples have the dtype {samples.dtype}, not {self.samples.dtype}")
        if len(samples) > len(self.samples):
            raise IndexError(f"there are {len(samples)} samples, more than capacity={len(self.samples)}")
        self.samples[: len(samples)] = samples
        self.size, self.next, self.added = len(samples), next, added

    def batch(self, count: int, rng: Generator, *, symmetries: bool = True, latest: bool = False) -> TrainingBatch:
        """Return random samples, or the latest ones.

        Args:
            count: number of samples, drawn with replacement.
            rng: draws the samples and their symmetries.
            symmetries: whether each sample is replaced by a random symmetric one.
            latest: whether to return the samples that were added last, at most :attr:`size`, instead of random ones.
        """
        game = self.game
        if latest:
            chosen = (self.next - 1 - np.arange(count)) % len(self.samples)
        else:
            chosen = rng.integers(self.size, size=count)
        images = rng.integers(game.symmetry_count if symmetries else 1, size=count)
        planes = np.empty((count, *game.observation_shape), np.int8)
        masks = np.empty((count, game.action_count), np.int8)
        policies = np.zeros((count, game.action_count), np.float32)
        _write_batch(game, self.samples, chosen, images, planes, masks, policies)
        return TrainingBatch(planes, masks, policies, self.samples["value"][chosen], self.samples["drawn"][chosen])


@kernel
def _write_batch(game: Any, samples: Any, chosen: Any, images: Any, planes: Any, masks: Any, policies: Any) -> None:
    """Write the planes, masks and policies of the chosen samples under their symmetries."""
    for i in range(len(chosen)):
        sample, symmetry = samples[chosen[i]], images[i] % symmetry_count(game)
        own, opp = transform(game, symmetry, sample.own, sample.opp)
        write_planes(game, own, opp, planes[i])
        write_mask(game, own, opp, True, masks[i])
        for action in range(action_count(game)):
            policies[i, image_of_action(game, symmetry, action)] = sample.policy[action]
