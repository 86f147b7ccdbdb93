"""Agents in compiled code, for environments that step thousands of boards in one call."""

from dataclasses import dataclass
from typing import Any

from ci_envs.kernels.compiler import kernel
from ci_envs.kernels.dispatch import Static, operation


@operation
def choose(policy: Any, game: Any, own: Any, opp: Any, state: Any, memory: Any) -> Any:
    """``-> (action, state)``: what ``policy`` plays in a position that is not over.

    It depends on nothing but its arguments, and on nothing that earlier calls left in ``memory``.

    Args:
        policy: a :class:`Policy`, on whose class this dispatches.
        game: the game.
        own: first word, seen by who acts.
        opp: second word.
        state: of the random numbers (:mod:`ci_envs.kernels.random_numbers`).
        memory: a tuple of arrays: the policy's options and its working memory. Two threads need two.
    """


@dataclass(frozen=True)
class Policy(Static):
    """Base of policies: a frozen dataclass of what is constant in compiled code, and a kernel for :func:`choose`."""


@kernel
def choose_batch(policy: Any, game: Any, words: Any, seeds: Any, memory: Any, actions: Any) -> None:
    """What ``policy`` plays in each of n positions.

    Args:
        policy: what plays.
        game: the game.
        words: of the positions, uint64 (n, 2).
        seeds: of the random numbers in each, uint64 (n,).
        memory: as :func:`choose` gets it.
        actions: int64 (n,), to be written.
    """
    for i in range(len(words)):
        actions[i], _ = choose(policy, game, words[i, 0], words[i, 1], seeds[i], memory)
