"""Errors of solutions."""


class UnknownValueError(ValueError):
    """A solution does not contain the value of a position. The message says which positions it contains."""
