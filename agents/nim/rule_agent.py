"""Rules for Nim as named policies, for example ``nim:rule=max_lowest``.

Rows are the heaps, numbered from the top. The lowest row is the first row that has objects, and the highest row is the
last one. A rule that finds no legal action of its kind plays any legal action.

| rule | what it takes |
|---|---|
| ``min_lowest``, ``min_highest`` | one object from the lowest row, or from the highest row |
| ``max_lowest``, ``max_highest`` | as many objects as allowed from the lowest row, or from the highest row |
| ``take_row`` | all objects of a random row |
| ``leave_one`` | all but one object of a random row that has more than one |
| ``count_and_decide`` | the rule ``odd`` or ``even``, by the number of rows left; both are one of the six above |
| ``endgame_first`` | :func:`~ci_envs.agents.nim.rules.endgame_first`: leaves an even number of rows |
| ``endgame_second`` | :func:`~ci_envs.agents.nim.rules.endgame_second`: makes the two highest rows equal |
| ``nim_sum`` | leaves a nim-sum of 0: perfect in normal play without a limit, but not with a limit or in misere play |
| ``nonzero_nim_sum`` | leaves a nim-sum other than 0 |
| ``random`` | any legal action, each with the same probability |
| ``row_random`` | draws a row that is not empty, then the number of objects from 1 to the largest allowed |
| ``expert`` | plays perfectly, as the agent ``nim_expert`` does |

``nim:count_and_decide,odd=take_row,even=leave_one`` leaves an even number of rows for the player who moves first; with
``odd`` and ``even`` exchanged it is for the other player.
"""

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from ci_envs.agent_interface.policy import CompiledPolicy, Policy, choose
from ci_envs.agent_interface.policy_agent import PolicyAgent
from ci_envs.agent_interface.supported_game import require_game
from ci_envs.agents.nim import rules as nim_rules
from ci_envs.agents.nim.rules import DETERMINISTIC_RULES, RANDOM_RULES, play_by_parity, rule_number
from ci_envs.games.game import Game
from ci_envs.games.nim import Nim
from ci_envs.kernels.dispatch import implements
from ci_envs.registry.options import Option, Untrusted, validated
from ci_envs.validation import one_of

BASIC_RULES = tuple(rule.__name__ for rule in nim_rules.BASIC_RULES)
"""The names of the rules that take one object, or as many as allowed, from the lowest or the highest row."""

PARITY_RULES = (*BASIC_RULES, "take_row", "leave_one")
"""The names of the rules that ``count_and_decide`` chooses from."""

RULES = (*BASIC_RULES, "count_and_decide", *DETERMINISTIC_RULES[len(BASIC_RULES) :], *RANDOM_RULES)
"""The names of all rules."""


@dataclass(frozen=True)
class NimRulePolicy(Policy):
    """:class:`NimRuleAgent` as a compiled policy. Its memory is the rules for an even and for an odd number of rows."""


@implements(choose, NimRulePolicy)
def _(policy: NimRulePolicy) -> Any:
    def kernel(policy: Any, game: Any, own: Any, opp: Any, seed: Any, memory: Any) -> Any:
        return play_by_parity(game, memory[0], own, seed)[0]

    return kernel


class NimRuleAgent(PolicyAgent):
    """Agent that plays Nim by a named rule."""

    @validated
    def __init__(
        self,
        game: Game,
        rule: Annotated[str, Option("name of the rule", choices=RULES, untrusted=Untrusted())],
        *,
        odd: Annotated[
            str | None,
            Option(
                "the rule if the number of rows left is odd",
                choices=PARITY_RULES,
                only_with="rule=count_and_decide",
                untrusted=Untrusted(),
            ),
        ] = None,
        even: Annotated[
            str | None,
            Option(
                "the rule if the number of rows left is even",
                choices=PARITY_RULES,
                only_with="rule=count_and_decide",
                untrusted=Untrusted(),
            ),
        ] = None,
        seed: int | None = None,
    ) -> None:
        """Make the agent.

        Raises:
            ValueError: ``game`` is not Nim, the rule is unknown, or ``odd`` or ``even`` is missing, is not one of
                :data:`PARITY_RULES`, or is given to another rule.
        """
        self._nim, self._by_parity = require_game("nim", game, Nim), _by_parity(rule, odd, even)
        super().__init__(game, seed=seed)

    @override
    def policy(self) -> CompiledPolicy:
        return CompiledPolicy(NimRulePolicy(), (self._by_parity,))


def _by_parity(rule: str, odd: str | None, even: str | None) -> NDArray[np.int64]:
    """Return the numbers of the rules for an even and for an odd number of rows left."""
    rules = even, odd
    if rule == "count_and_decide":
        one_of("odd", odd, PARITY_RULES)
        one_of("even", even, PARITY_RULES)
    else:
        rules = rule, rule
    return np.array([rule_number(str(name)) for name in rules], dtype=np.int64)
