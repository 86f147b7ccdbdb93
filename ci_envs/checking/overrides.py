"""Operations and members that a class inherits although it changes the rules they were written for."""

from ci_envs.checking.error import InvalidGameError
from ci_envs.games.game import Game
from ci_envs.games.operations import (
    RULES,
    canonical,
    evaluate,
    is_duplicate,
    keeps_turn,
    legal_bits,
    longest_line,
    may_end,
    may_end_soon,
    other_view,
    transform,
    transform_action,
    write_features,
)
from ci_envs.kernels.dispatch import implementing_class, is_implemented

_DERIVED = (
    legal_bits,
    keeps_turn,
    other_view,
    is_duplicate,
    may_end,
    may_end_soon,
    transform,
    transform_action,
    canonical,
    evaluate,
    write_features,
    longest_line,
)
"""The operations with a default, which must fit the rules of a game."""


_MEMBERS = ("action_count", "action_name", "can_cycle", "from_text", "position_bound", "targets", "trace")
"""The members of a game that depend on its rules."""


def forgotten_overrides(game: Game) -> list[InvalidGameError]:
    """Return an error that names what the class of a game may have to override, or no error.

    This is what a base class implements for its own rules, while the class of the game has other rules.
    """
    cls = type(game)
    changed = [base for base in cls.__mro__[1:-1] if _changed_rules(cls, base)]
    operations = [each.__name__ for each in _DERIVED if implementing_class(each, cls) in changed]
    members = [name for name in _MEMBERS if any(vars(base).get(name) is _member(cls, name) for base in changed)]
    if not operations and not members:
        return []
    return [
        InvalidGameError(
            f"{cls.__name__} changes {', '.join(_changed_rules(cls, changed[0]))} of {changed[0].__name__}, but"
            f" inherits from it {', '.join([*operations, *members])}: implement those that differ"
        )
    ]


def _changed_rules(cls: type, base: type) -> list[str]:
    """Return the rules that a base class has and for which the derived class uses another implementation."""
    return [
        rule.__name__
        for rule in RULES
        if is_implemented(rule, base) and implementing_class(rule, base) is not implementing_class(rule, cls)
    ]


def _member(cls: type, name: str) -> object:
    return next(vars(base)[name] for base in cls.__mro__ if name in vars(base))
