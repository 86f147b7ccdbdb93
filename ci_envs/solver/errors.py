"""Errors of solutions."""


class UnknownValueError(ValueError):
    """A solution does not contain the value of a position. The message says which positions it contains."""


class EndlessPlayError(ValueError):
    """Play of a game that declares that it cannot cycle does not end. The message names the position."""
