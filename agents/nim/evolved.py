"""Nim by named rules, played with probabilities that evolve and that depend on simple features of the position.

The rules are asked in their order: each is played with the probability that its gene says, the last where none before
it was. So n rules take n - 1 genes from 0 to 1. With features there are as many genes again for each class of positions
that they tell apart. Two rules and no features take one gene: with the rules ``take_row`` and ``leave_one`` it is the
threshold of report B (section B32 of ``ci-envs reports``), played with legal moves.

| feature | is true where |
|---|---|
| ``odd`` | the number of rows left is odd |
| ``single`` | one row alone has more than one object |
| ``bound`` | the bound is felt: a row has more than a move can take |

With three rows and more, the deterministic rules (:mod:`ci_envs.agents.nim.rules`) cannot express the theory, whatever
the features: 1, 2, 1 is won in normal play only by taking all of the 2, which none of these rules does.
:mod:`ci_envs.agents.nim.analysis` computes what they can win; ``examples/nim_evolution.py`` shows it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from ci_envs.agent.policy import choose
from ci_envs.agents.evolution.champion_agent import ChampionAgent
from ci_envs.agents.evolution.play import GenomePolicy
from ci_envs.agents.nim.rules import (
    CHANCE_RULES,
    FIXED_RULES,
    number_of,
    play_rule,
    rows_above_one,
    rows_left,
    rule_chances,
)
from ci_envs.agents.nim.target import EvolutionTarget
from ci_envs.games import implements, kernel
from ci_envs.games.game import Game
from ci_envs.games.nim import Nim, size_of
from ci_envs.kernels.random_numbers import next_random

FEATURES = ("odd", "single", "bound")
"""The names of the features, in the order of their numbers in compiled code."""

RULES = (*FIXED_RULES, *CHANCE_RULES)
"""The names of the rules that can be combined."""


@dataclass(frozen=True)
class NimEvolvedPolicy(GenomePolicy):
    """:class:`NimEvolvedAgent` in compiled code; its memory is the genome, and the numbers of rules and features.

    Attributes:
        rules: their names, at least one, in the order in which they are asked.
        features: their names; there may be none.

    Raises:
        ValueError: there is no such rule or feature, or one comes twice, or there is no rule.
    """

    rules: tuple[str, ...]
    features: tuple[str, ...]

    run_time_fields: ClassVar[tuple[str, ...]] = ("rules", "features")  # the memory holds them

    def __post_init__(self) -> None:
        for name, found, known in (("rules", self.rules, RULES), ("features", self.features, FEATURES)):
            if any(one not in known for one in found) or len(set(found)) < len(found):
                raise ValueError(f"{name} must be different ones of {', '.join(known)}, not {found!r}")
        if len(self.rules) < 2:
            raise ValueError(f"rules must be at least two of {', '.join(RULES)}, not {self.rules!r}")

    @property
    def classes(self) -> int:
        """How many classes of positions the features tell apart."""
        return 1 << len(self.features)

    @property
    def genes(self) -> int:
        """How many genes a genome has."""
        return self.classes * (len(self.rules) - 1)

    @override
    def memory(self, game: Game, genome: NDArray[Any]) -> tuple[Any, ...]:
        rules = np.array([number_of(rule) for rule in self.rules], dtype=np.int64)
        return np.array(genome, dtype=np.float64), rules, self.feature_numbers()

    def feature_numbers(self) -> NDArray[np.int64]:
        """The numbers of the features, int64."""
        return np.array([FEATURES.index(feature) for feature in self.features], dtype=np.int64)


@kernel
def class_of(game: Any, own: Any, features: Any) -> Any:
    """``-> int``: the class of a position; bit i is the feature whose number is ``features[i]``."""
    found = np.int64(0)
    for i in range(len(features)):
        if features[i] == 0:
            holds = rows_left(own) % 2 == 1
        elif features[i] == 1:
            holds = rows_above_one(own) == 1
        else:
            holds = False
            for row in range(8):
                holds |= size_of(own, row) > np.uint64(game.limit)
        found |= np.int64(holds) << i
    return found


@implements(choose, NimEvolvedPolicy)
def _(policy: NimEvolvedPolicy) -> Any:
    return lambda policy, game, own, opp, seed, memory: _choose(game, own, seed, *memory)[0]


@kernel
def _choose(game: Any, own: Any, state: Any, genome: Any, rules: Any, features: Any) -> Any:
    """``-> (action, state)``: ask the rules one after the other."""
    asked = len(rules) - 1
    first = class_of(game, own, features) * asked
    for i in range(asked):
        word, state = next_random(state)
        if np.float64(word >> np.uint64(11)) * 2.0**-53 < genome[first + i]:
            return play_rule(game, rules[i], own, state)
    return play_rule(game, rules[asked], own, state)


@kernel
def _classify(game: Any, words: Any, features: Any, classes: Any) -> None:
    for i in range(len(words)):
        classes[i] = class_of(game, words[i], features)


def classes_of(game: Nim, features: Sequence[str], words: NDArray[np.uint64]) -> NDArray[np.int64]:
    """The classes that features put positions in, int64 (positions,): bit i is whether ``features[i]`` holds."""
    classes = np.empty(len(words), dtype=np.int64)
    numbers = np.array([FEATURES.index(feature) for feature in features], dtype=np.int64)
    _classify(game, words, numbers, classes)
    return classes


def rule_probabilities(policy: NimEvolvedPolicy, genome: NDArray[np.float64]) -> NDArray[np.float64]:
    """How likely each rule is played in each class of positions, float64 (classes, rules)."""
    asked = genome.reshape(policy.classes, len(policy.rules) - 1)
    ones = np.ones((policy.classes, 1))
    probabilities: NDArray[np.float64] = np.cumprod(np.hstack((ones, 1 - asked)), axis=1, dtype=np.float64) * np.hstack(
        (asked, ones)
    )
    return probabilities


def action_chances(
    game: Nim, policy: NimEvolvedPolicy, genome: NDArray[np.float64], words: NDArray[np.uint64]
) -> NDArray[np.float64]:
    """How likely a genome plays each action, float64 (positions, actions).

    Args:
        game: what is played.
        policy: the rules and the features.
        genome: (genes,).
        words: first words of positions that are not over, uint64 (positions,).
    """
    mixed = rule_probabilities(policy, genome)[classes_of(game, policy.features, words)]
    chances: NDArray[np.float64] = np.einsum("pr,rpa->pa", mixed, rule_chances(game, policy.rules, words))
    return chances


class NimEvolvedAgent(ChampionAgent):
    """Plays rules with evolved probabilities: ``nim_evolved:PATH``; ``nim_evolved:rows4`` comes with the package."""

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
    """Return what evolves: the probabilities of rules.

    Args:
        game: the game.
        rules: their names, at least two.
        features: their names; None means all that can differ in the game.

    Raises:
        ValueError: there is no such rule or feature, or one comes twice.
    """
    if features is None:
        features = FEATURES if game.max_take is not None else FEATURES[:2]
    policy = NimEvolvedPolicy(rules, features)
    options = {"rules": list(policy.rules), "features": list(policy.features)}
    return EvolutionTarget("nim_evolved", policy, policy.genes, 1.0, options)
