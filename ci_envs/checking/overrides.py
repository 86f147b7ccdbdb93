"""Operations that a class inherits although it changes the rules they were written for."""

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
from ci_envs.kernels.dispatch import implementing_class

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


def forgotten_overrides(game: Game) -> list[InvalidGameError]:
    """Return an error that names the operations which the class of a game may have to override, or no error.

    They are the operations that a base class implements for its own rules, while a derived class has other rules.
    """
    cls = type(game)
    changed = {rule: implementing_class(rule, cls) for rule in RULES}
    inherited = [
        (operation.__name__, base.__name__)
        for operation in _DERIVED
        for base in [implementing_class(operation, cls)]
        if base is not Game and any(rule is not base and issubclass(rule, base) for rule in changed.values())
    ]
    if not inherited:
        return []
    rules = ", ".join(rule.__name__ for rule, base in changed.items() if base is cls)
    names = ", ".join(f"{name} of {base}" for name, base in inherited)
    return [InvalidGameError(f"{cls.__name__} changes {rules} but inherits {names}: implement those that differ")]
