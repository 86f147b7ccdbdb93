"""Plain rules for Nim, as named policies: ``nim:rule=max_lowest``.

They are our reading of the rules that reports of a course on computational intelligence describe. Rows are the heaps
in their order, numbered from the top: the lowest row is the first that has objects, the highest the last that has.

| rule | what it takes |
|---|---|
| ``min_lowest``, ``min_highest`` | one object from the lowest row, from the highest |
| ``max_lowest``, ``max_highest`` | as many as allowed from the lowest row, from the highest |
| ``count_and_decide`` | what ``odd`` says, one of the four above, if the number of rows left is odd, else ``even`` |
| ``endgame_first`` | :func:`endgame_first`, as a player who begins would reason |
| ``endgame_second`` | :func:`endgame_second`, as a player who answers would reason |
| ``nim_sum`` | what makes the exclusive or of the rows 0, else anything: wrong with a bound, and in misere play |
| ``random`` | anything |
| ``expert`` | as the agent ``nim_expert``, by theory |

Only the last three know chance.
"""

from collections.abc import Callable, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.nim_expert import actions_leaving, heaps_of, is_lost
from ci_envs.agent import Agent, Observation
from ci_envs.games.game import Game
from ci_envs.games.nim import Nim

Move = tuple[int, int]
"""A row, counted from 0, and how many objects to take from it."""

Rule = Callable[[Sequence[int], Nim], Move]
"""From the sizes of the rows, not all 0, and the bound and kind of play to a move that is allowed."""


def min_lowest(heaps: Sequence[int], game: Nim) -> Move:
    """One object from the lowest row."""
    return _rows_left(heaps)[0], 1


def max_lowest(heaps: Sequence[int], game: Nim) -> Move:
    """As many objects as allowed from the lowest row."""
    row = _rows_left(heaps)[0]
    return row, min(heaps[row], game.limit)


def min_highest(heaps: Sequence[int], game: Nim) -> Move:
    """One object from the highest row."""
    return _rows_left(heaps)[-1], 1


def max_highest(heaps: Sequence[int], game: Nim) -> Move:
    """As many objects as allowed from the highest row."""
    row = _rows_left(heaps)[-1]
    return row, min(heaps[row], game.limit)


def count_and_decide(heaps: Sequence[int], game: Nim, *, odd: Rule, even: Rule) -> Move:
    """By ``odd`` if the number of rows left is odd, else by ``even``."""
    return (odd if len(_rows_left(heaps)) % 2 else even)(heaps, game)


def endgame_first(heaps: Sequence[int], game: Nim) -> Move:
    """As a player who begins would reason: leave an even number of rows, so that the opponent opens the last pair.

    With one or two rows left it plays :func:`last_rows`. With more, it takes from the highest row all objects if the
    number of rows is odd, else all but one; in misere play the other way round, to leave an odd number. What is not
    allowed becomes one object from the highest row.
    """
    rows = _rows_left(heaps)
    if len(rows) <= 2:
        return last_rows(heaps, game)
    odd = (len(rows) + game.misere) % 2
    return _down_to(0 if odd else 1, rows[-1], heaps, game)


def endgame_second(heaps: Sequence[int], game: Nim) -> Move:
    """As a player who answers would reason: leave the two highest rows equal, to mirror what the opponent does there.

    With one or two rows left it plays :func:`last_rows`. With more, it makes the two highest rows equal, or, where they
    are, takes as many as allowed from the lowest, until the pair is alone. What is not allowed becomes one object from
    the highest row.
    """
    rows = _rows_left(heaps)
    if len(rows) <= 2:
        return last_rows(heaps, game)
    smaller, larger = sorted(rows[-2:], key=heaps.__getitem__)
    if heaps[smaller] == heaps[larger]:
        return max_lowest(heaps, game)
    return _down_to(heaps[smaller], larger, heaps, game)


def last_rows(heaps: Sequence[int], game: Nim) -> Move:
    """With one or two rows left: all of a single row; of two, what makes them equal, so that all can be mirrored.

    In misere play all but one of a single row; of two rows of which one has a single object, all of the other. What is
    not allowed becomes one object from the highest row. In normal play, of two rows, it wins where it can make them
    equal; without a bound it wins all that is won, in misere play too.
    """
    *other, larger = sorted(_rows_left(heaps), key=heaps.__getitem__)
    if not other:
        return _down_to(1 if game.misere else 0, larger, heaps, game)
    size = heaps[other[0]]
    return _down_to(0 if game.misere and size == 1 else size, larger, heaps, game)


def _rows_left(heaps: Sequence[int]) -> list[int]:
    return [row for row, size in enumerate(heaps) if size]


def _down_to(size: int, row: int, heaps: Sequence[int], game: Nim) -> Move:
    """What leaves ``size`` objects in ``row`` if it is allowed, else one object from the highest row."""
    number = heaps[row] - size
    return (row, number) if 1 <= number <= game.limit else min_highest(heaps, game)


def _anything(heaps: NDArray[np.int64], game: Nim) -> NDArray[np.bool_]:
    return np.ones(heaps.shape[:-1], dtype=np.bool_)


def _nim_sum_is_zero(heaps: NDArray[np.int64], game: Nim) -> NDArray[np.bool_]:
    zero: NDArray[np.bool_] = np.bitwise_xor.reduce(heaps, axis=-1) == 0
    return zero


BASIC_RULES = MappingProxyType({rule.__name__: rule for rule in (min_lowest, max_lowest, min_highest, max_highest)})
"""The rules that ``count_and_decide`` chooses from."""

_FIXED = {**BASIC_RULES, "endgame_first": endgame_first, "endgame_second": endgame_second}
_WANTED = {"nim_sum": _nim_sum_is_zero, "random": _anything, "expert": is_lost}

RULES = (*BASIC_RULES, "count_and_decide", "endgame_first", "endgame_second", *_WANTED)
"""The names of all rules."""


class NimRuleAgent(Agent):
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
        if not isinstance(game, Nim):
            raise ValueError(f"nim plays Nim, not {game}")
        super().__init__(game, seed=seed)
        self._nim = game
        self._fixed, self._wanted = _fixed_rule(rule, odd, even), _WANTED.get(rule, _anything)

    def act_batch(self, observations: Observation) -> NDArray[np.int64]:
        """As in :meth:`Agent.act_batch`."""
        if self._fixed is None:
            return self.any_of(actions_leaving(self._wanted, self._nim, observations))
        moves = [self._fixed(heaps, self._nim) for heaps in heaps_of(observations).tolist()]
        return np.array([row * self._nim.limit + number - 1 for row, number in moves], dtype=np.int64)


def _fixed_rule(rule: str, odd: str | None, even: str | None) -> Rule | None:
    """The rule of this name; None if it is one that knows chance."""
    _check("rule", rule, RULES)
    if rule == "count_and_decide":
        return partial(count_and_decide, odd=_basic_rule("odd", odd), even=_basic_rule("even", even))
    if odd is not None or even is not None:
        raise ValueError(f"odd={odd}, even={even}: only the rule count_and_decide has these options, not {rule}")
    return _FIXED.get(rule)


def _basic_rule(option: str, name: Any) -> Rule:
    _check(option, name, tuple(BASIC_RULES))
    return BASIC_RULES[name]


def _check(option: str, value: Any, allowed: Sequence[str]) -> None:
    if value not in allowed:
        raise ValueError(f"{option} must be one of {', '.join(allowed)}, not {value!r}")
