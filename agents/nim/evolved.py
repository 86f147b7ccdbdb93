"""An agent that plays Nim by named rules with evolved probabilities, which depend on features of the position.

The agent goes through the rules in their order. It plays each rule with the probability in its gene, and otherwise goes
on to the next one. It always plays the last rule if it reaches it. Therefore n rules need n - 1 genes from 0 to 1. With
features, each class of positions has its own n - 1 genes. Two rules without features need one gene: with the rules
``take_row`` and ``leave_one``, this gene is the probability to take the whole row.

| feature | is true if |
|---|---|
| ``odd`` | the number of rows left is odd |
| ``single`` | exactly one row has more than one object |
| ``bound`` | a row has more objects than a player can take in one move |

With three or more rows, the deterministic rules (:mod:`ci_envs.agents.nim.rules`) cannot express optimal play with any
features: 1, 2, 1 is won in normal play only by taking both objects of the row of 2, and none of these rules does this.
:mod:`ci_envs.agents.nim.analysis` computes what the rules can win, and ``examples/nim_evolution.py`` shows it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from ci_envs.agent_interface.policy import choose
from ci_envs.agents.evolution.champion_agent import ChampionAgent
from ci_envs.agents.evolution.play import GenomePolicy
from ci_envs.agents.nim.rules import (
    DETERMINISTIC_RULES,
    ONE,
    RANDOM_RULES,
    play_rule,
    rows_above,
    rows_left,
    rule_action_probabilities,
    rule_number,
)
from ci_envs.agents.nim.target import EvolutionTarget
from ci_envs.games import implements, kernel
from ci_envs.games.game import Game
from ci_envs.games.nim import Nim
from ci_envs.kernels.random_draws import random_share

FEATURES = ("odd", "single", "bound")
"""The names of the features. Compiled code uses their indices."""

RULES = (*DETERMINISTIC_RULES, *RANDOM_RULES)
"""The names of the rules that can be combined."""


@dataclass(frozen=True)
class NimEvolvedPolicy(GenomePolicy):
    """:class:`NimEvolvedAgent` as a compiled policy. Its memory is the genome and the numbers of rules and features.

    Attributes:
        rules: the names of the rules, at least two, in their order.
        features: the names of the features, which can be empty.

    Raises:
        ValueError: a rule or feature is unknown or occurs twice, or there are fewer than two rules.
    """

    rules: tuple[str, ...]
    features: tuple[str, ...]

    run_time_fields: ClassVar[tuple[str, ...]] = ("rules", "features")  # the memory contains them

    def __post_init__(self) -> None:
        for name, found, known in (("rules", self.rules, RULES), ("features", self.features, FEATURES)):
            if any(one not in known for one in found) or len(set(found)) < len(found):
                raise ValueError(f"{name} must be different names from {', '.join(known)}, not {found!r}")
        if len(self.rules) < 2:
            raise ValueError(f"rules must be at least two of {', '.join(RULES)}, not {self.rules!r}")

    @property
    def classes(self) -> int:
        """The number of classes that the features divide the positions into."""
        return 1 << len(self.features)

    @property
    def genes(self) -> int:
        """The number of genes of a genome."""
        return self.classes * (len(self.rules) - 1)

    @override
    def memory(self, game: Game, genome: NDArray[Any]) -> tuple[Any, ...]:
        rules = np.array([rule_number(rule) for rule in self.rules], dtype=np.int64)
        return np.array(genome, dtype=np.float64), rules, self.feature_numbers()

    def feature_numbers(self) -> NDArray[np.int64]:
        """Return the numbers of the features, int64 of shape (features,)."""
        return np.array([FEATURES.index(feature) for feature in self.features], dtype=np.int64)


@kernel
def class_of(game: Any, own: Any, features: Any) -> Any:
    """Return the class of a position. Bit i is the value of feature number ``features[i]``."""
    found = np.int64(0)
    for i in range(len(features)):
        if features[i] == 0:
            holds = rows_left(own) % 2 == 1
        elif features[i] == 1:
            holds = rows_above(own, ONE) == 1
        else:
            holds = rows_above(own, np.uint64(game.limit)) > 0
        found |= np.int64(holds) << i
    return found


@implements(choose, NimEvolvedPolicy)
def _(policy: NimEvolvedPolicy) -> Any:
    return lambda policy, game, own, opp, seed, memory: _choose(game, own, seed, *memory)[0]


@kernel
def _choose(game: Any, own: Any, state: Any, genome: Any, rules: Any, features: Any) -> Any:
    """Choose a rule and play it.

    Returns:
        The action and the new state of the random number generator.
    """
    asked = len(rules) - 1
    first = class_of(game, own, features) * asked
    for i in range(asked):
        share, state = random_share(state)
        if share < genome[first + i]:
            return play_rule(game, rules[i], own, state)
    return play_rule(game, rules[asked], own, state)


@kernel
def _classify(game: Any, words: Any, features: Any, classes: Any) -> None:
    for i in range(len(words)):
        classes[i] = class_of(game, words[i], features)


def classes_of(game: Nim, features: Sequence[str], words: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Return the class of each position, int64 of shape (positions,). Bit i is the value of ``features[i]``."""
    classes = np.empty(len(words), dtype=np.int64)
    numbers = np.array([FEATURES.index(feature) for feature in features], dtype=np.int64)
    _classify(game, words, numbers, classes)
    return classes


def rule_probabilities(policy: NimEvolvedPolicy, genome: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the probability of each rule in each class of positions, float64 of shape (classes, rules)."""
    asked = genome.reshape(policy.classes, len(policy.rules) - 1)
    ones = np.ones((policy.classes, 1))
    probabilities: NDArray[np.float64] = np.cumprod(np.hstack((ones, 1 - asked)), axis=1, dtype=np.float64) * np.hstack(
        (asked, ones)
    )
    return probabilities


def action_probabilities(
    game: Nim, policy: NimEvolvedPolicy, genome: NDArray[np.float64], words: NDArray[np.uint64]
) -> NDArray[np.float64]:
    """Return the probability of each action under a genome, float64 of shape (positions, actions).

    Args:
        game: the game.
        policy: the rules and the features.
        genome: the genome, float64 of shape (genes,).
        words: the first words of non-terminal positions, uint64 of shape (positions,).
    """
    mixed = rule_probabilities(policy, genome)[classes_of(game, policy.features, words)]
    chances: NDArray[np.float64] = np.einsum("pr,rpa->pa", mixed, rule_action_probabilities(game, policy.rules, words))
    return chances


class NimEvolvedAgent(ChampionAgent):
    """Agent that plays rules with evolved probabilities: ``nim_evolved:PATH``. ``nim_evolved:rows4`` is included."""

    agent_name = "nim_evolved"
    game_class = Nim
    trainer: ClassVar[str | type] = "ci_envs.agents.nim.training:NimEvolvedTrainer"
    genome_policy: NimEvolvedPolicy

    @override
    def _make_genome_policy(self) -> NimEvolvedPolicy:
        options = self.champion.options
        policy = NimEvolvedPolicy(tuple(options["rules"]), tuple(options["features"]))
        if self.genome.shape != (policy.genes,):
            raise ValueError(f"it has {len(self.genome)} genes, not {policy.genes}")
        return policy


def evolved_target(game: Nim, rules: tuple[str, ...], features: tuple[str, ...] | None) -> EvolutionTarget:
    """Return the evolution target: the probabilities of rules.

    Args:
        game: the game.
        rules: the names of the rules, at least two.
        features: the names of the features. None means all features that can differ in the game.

    Raises:
        ValueError: a rule or feature is unknown or occurs twice.
    """
    if features is None:
        features = FEATURES if game.max_take is not None else FEATURES[:2]
    policy = NimEvolvedPolicy(rules, features)
    options = {"rules": list(policy.rules), "features": list(policy.features)}
    return EvolutionTarget("nim_evolved", policy, policy.genes, 1.0, options)
