"""Play by an evaluation function whose weights are a genome, with a shallow minimax search.

The genome of a linear evaluation has one weight per feature (:attr:`ci_envs.games.game.Game.feature_names`). The
genome of a multilayer perceptron has for each hidden unit the weights of all features, then the output weight of the
unit. There are no biases, because each game that could use a bias has a constant feature. The activation is softsign,
x / (1 + abs(x)) (Bergstra, Desjardins, Lamblin and Bengio, 2009), which needs no transcendental function.

The search is :mod:`ci_envs.agents.search.negamax` with an evaluator that contains the genome.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from ci_envs.agent_interface.policy import choose
from ci_envs.agents.evolution.play import GenomePolicy
from ci_envs.agents.search.evaluators import Evaluator
from ci_envs.agents.search.minimax import best_action
from ci_envs.agents.search.negamax import MAX_DEPTH, Negamax, new_table, new_work
from ci_envs.agents.search.tables import NO_TABLES
from ci_envs.games import evaluate, implements, integer_between, kernel, write_features
from ci_envs.games.game import Game

MAX_HIDDEN = 1000
"""Maximum number of hidden units of a perceptron."""

_SIZE = 999_999  # the largest absolute value of an evaluation


def gene_count(game: Game, hidden: int) -> int:
    """Return the number of genes of an evaluation of ``game`` with ``hidden`` units; 0 units mean a linear evaluation.

    Raises:
        ValueError: ``hidden`` is out of range.
    """
    features = len(game.feature_names)
    return integer_between("hidden", hidden, 0, MAX_HIDDEN) * (features + 1) or features


@dataclass(frozen=True)
class GenomeEvaluator(Evaluator):
    """Evaluator whose weights are a genome.

    A search gets the tuple (evaluator, game, genome, buffer for the features). The value is the integer part of 999,999
    times the softsign of the evaluation: minimax uses only the order of the values.
    """

    game: Game


@implements(evaluate, GenomeEvaluator)
def _(evaluator: GenomeEvaluator) -> Any:
    count = len(evaluator.game.feature_names)

    def kernel(evaluator: Any, own: Any, opp: Any) -> Any:
        _, game, genome, features = evaluator
        write_features(game, own, opp, features)
        if len(genome) == count:
            value = _weighted(genome, 0, features)
        else:
            value = 0.0
            for first in range(0, len(genome), count + 1):
                value += genome[first + count] * _softsign(_weighted(genome, first, features))
        return np.int64(_SIZE * _softsign(value))

    return kernel


@kernel
def _weighted(genome: Any, first: Any, features: Any) -> Any:
    """Return the sum of the features times their weights, which begin at index ``first``."""
    total = 0.0
    for i in range(len(features)):
        total += genome[first + i] * features[i]
    return total


@kernel
def _softsign(x: Any) -> Any:
    return x / (1 + abs(x))


@dataclass(frozen=True)
class EvaluationPolicy(GenomePolicy):
    """Policy that searches ``depth`` plies deep and plays one of the best actions, at random if several are equal.

    Attributes:
        depth: search depth in plies, 1 to 64. Compiled code reads it from the memory, not from the policy.
    """

    depth: int = field(repr=False)

    def __post_init__(self) -> None:
        integer_between("depth", self.depth, 1, MAX_DEPTH)

    @override
    def memory(self, game: Game, genome: NDArray[Any]) -> tuple[Any, ...]:
        """Return new memory for one thread: a copy of ``genome``, then the memory of a search without exact values."""
        features = np.zeros(len(game.feature_names))
        return (
            np.array(genome, dtype=np.float64),
            GenomeEvaluator(game),
            self.depth,
            features,
            new_table(0),
            new_work(game),
            NO_TABLES,
        )


@implements(choose, EvaluationPolicy)
def _(policy: EvaluationPolicy) -> Any:
    def kernel(policy: Any, game: Any, own: Any, opp: Any, seed: Any, memory: Any) -> Any:
        genome, evaluator, depth, features, table, work, tables = memory
        search = Negamax(game, (evaluator, game, genome, features), True, True, table, work)
        return best_action(search, own, opp, depth, False, tables, seed)

    return kernel
