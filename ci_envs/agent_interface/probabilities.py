"""The probabilities of an agent's actions, an optional capability of agents."""

from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray


@runtime_checkable
class HasProbabilities(Protocol):
    """An agent that knows the probabilities of its actions."""

    def action_probabilities(self, words: NDArray[np.uint64]) -> NDArray[np.float64] | None:
        """Return the probability of each action in n positions that are not over.

        Args:
            words: the positions, rows (own, opp), uint64 of shape (n, 2).

        Returns:
            float64 of shape (n, actions), or None if the probabilities are unknown with the options of this agent.
        """


def uniform(choices: NDArray[Any]) -> NDArray[np.float64]:
    """Return equal probabilities of the marked actions of each row of ``choices`` (n, actions); 0 for the others."""
    marked = choices != 0
    return np.asarray(marked / np.maximum(marked.sum(axis=1, keepdims=True), 1))
