"""Errors of solutions."""


class UnknownValueError(ValueError):
    """A solution does not contain the value of a position. The message says which positions it contains."""


class EndlessPlayError(ValueError):
    """Play of a game that declares that it cannot cycle does not end. The message names the position."""


def endless(problem: str) -> EndlessPlayError:
    """Return the error for a game that declares no cycles. The problem is a clause without a full stop."""
    return EndlessPlayError(
        f"{problem}. If the rules allow positions to repeat, set can_cycle = True; check_game names such a position"
    )
