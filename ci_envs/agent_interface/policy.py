"""Compiled policies of agents, for environments that step thousands of boards in one call."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ci_envs.kernels.compiler import kernel
from ci_envs.kernels.dispatch import Static, operation


@operation
def choose(policy: Any, game: Any, own: Any, opp: Any, seed: Any, memory: Any) -> Any:
    """Return the action of ``policy`` in a non-terminal position.

    The action depends only on the arguments, not on data that earlier calls left in ``memory``.

    Args:
        policy: a :class:`Policy`, on whose class this operation dispatches.
        game: the game.
        own: first word, from the point of view of the player to move.
        opp: second word.
        seed: seed of the random numbers of this decision, uint64: a state of :mod:`ci_envs.kernels.random_numbers`. The
            caller takes it from a sequence (:mod:`ci_envs.kernels.seeds`).
        memory: a tuple of arrays: the policy's options and its working memory. Each thread needs its own memory.
    """


@dataclass(frozen=True)
class Policy(Static):
    """Base class of policies: a frozen dataclass of constants of compiled code, with a kernel for :func:`choose`."""


class CompiledPolicy(NamedTuple):
    """A policy with memory for one thread.

    Attributes:
        policy: the policy.
        memory: the last argument of :func:`choose`.
    """

    policy: Policy
    memory: tuple[Any, ...]

    def choose(
        self,
        game: Any,
        words: NDArray[np.uint64],
        seeds: NDArray[np.uint64],
        call: Callable[..., None] | None = None,
    ) -> NDArray[np.int64]:
        """Return the actions in n non-terminal positions, int64 of shape (n,).

        Args:
            game: the game.
            words: the positions, C-contiguous uint64 of shape (n, 2).
            seeds: the seeds of the decisions, C-contiguous uint64 of shape (n,).
            call: a :class:`~ci_envs.kernels.compiler.Monomorphic` of :func:`choose_batch` for repeated calls with this
                policy and game. None calls :func:`choose_batch` itself.
        """
        actions = np.empty(len(words), dtype=np.int64)
        (call or choose_batch)(self.policy, game, words, seeds, self.memory, actions)
        return actions


@kernel
def choose_batch(policy: Any, game: Any, words: Any, seeds: Any, memory: Any, actions: Any) -> None:
    """Write the action of ``policy`` in each of n positions.

    Args:
        policy: the policy.
        game: the game.
        words: the positions, uint64 of shape (n, 2).
        seeds: the seeds of the decisions, uint64 of shape (n,).
        memory: the memory of the policy, see :func:`choose`.
        actions: int64 of shape (n,), written.
    """
    for i in range(len(words)):
        actions[i] = choose(policy, game, words[i, 0], words[i, 1], seeds[i], memory)
