"""Plain rules for Nim, as named policies: ``nim:rule=max_lowest``.

They are our reading of the rules that reports of a course on computational intelligence describe. Rows are the heaps
in their order, numbered from the top: the lowest row is the first that has objects, the highest the last that has.

| rule | what it takes |
|---|---|
| ``min_lowest``, ``min_highest`` | one object from the lowest row, from the highest |
| ``max_lowest``, ``max_highest`` | as many as allowed from the lowest row, from the highest |
| ``count_and_decide`` | what ``odd`` says, one of the four above, if the number of rows left is odd, else ``even`` |
| ``endgame_first`` | :func:`~ci_envs.agents.nim.rules.endgame_first`, as a player who begins would reason |
| ``endgame_second`` | :func:`~ci_envs.agents.nim.rules.endgame_second`, as a player who answers would reason |
| ``nim_sum`` | what makes the exclusive or of the rows 0, else anything: wrong with a bound, and in misere play |
| ``random`` | anything |
| ``expert`` | as the agent ``nim_expert``, by theory |

Only the last three know chance.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from ci_envs.agent.policy import CompiledPolicy, Policy, choose
from ci_envs.agent.policy_agent import PolicyAgent
from ci_envs.agent.supported_game import require_game
from ci_envs.agents.nim import rules as nim_rules
from ci_envs.agents.nim.rules import CHANCE_RULES, FIXED_RULES, number_of, play_by_parity
from ci_envs.games.game import Game
from ci_envs.games.nim import Nim
from ci_envs.kernels.dispatch import implements
from ci_envs.validation import one_of

BASIC_RULES = tuple(rule.__name__ for rule in nim_rules.BASIC_RULES)
"""The names of the rules that ``count_and_decide`` chooses from."""

RULES = (*BASIC_RULES, "count_and_decide", *FIXED_RULES[len(BASIC_RULES) :], *CHANCE_RULES)
"""The names of all rules."""


@dataclass(frozen=True)
class NimRulePolicy(Policy):
    """:class:`NimRuleAgent` in compiled code; its memory is the rules for an even and an odd number of rows."""


@implements(choose, NimRulePolicy)
def _(policy: NimRulePolicy) -> Any:
    def kernel(policy: Any, game: Any, own: Any, opp: Any, seed: Any, memory: Any) -> Any:
        return play_by_parity(game, memory[0], own, seed)[0]

    return kernel


class NimRuleAgent(PolicyAgent):
    """Plays Nim by a rule that has a name."""

    def __init__(
        self, game: Game, rule: str, *, odd: str | None = None, even: str | None = None, seed: int | None = None
    ) -> None:
        """Make the agent.

        Args:
            game: Nim, with a bound or without, normal or misere.
            rule: one of :data:`RULES`.
            odd: for ``count_and_decide``: one of :data:`BASIC_RULES`, played where the number of rows left is odd.
            even: the same for an even number.
            seed: of ``nim_sum``, ``random`` and ``expert``, where several actions are equal to them.

        Raises:
            ValueError: ``game`` is not Nim, there is no such rule, or ``odd`` or ``even`` is missing, no basic rule, or
                given to another rule.
        """
        self._nim, self._by_parity = require_game("nim", game, Nim), _by_parity(rule, odd, even)
        super().__init__(game, seed=seed)

    @override
    def policy(self) -> CompiledPolicy:
        return CompiledPolicy(NimRulePolicy(), (self._by_parity,))


def _by_parity(rule: str, odd: str | None, even: str | None) -> NDArray[np.int64]:
    """The numbers of the rules that are played where the number of rows left is even, and odd."""
    one_of("rule", rule, RULES)
    rules = even, odd
    if rule == "count_and_decide":
        one_of("odd", odd, BASIC_RULES)
        one_of("even", even, BASIC_RULES)
    elif odd is not None or even is not None:
        raise ValueError(f"odd={odd}, even={even}: only the rule count_and_decide has these options, not {rule}")
    else:
        rules = rule, rule
    return np.array([number_of(str(name)) for name in rules], dtype=np.int64)
