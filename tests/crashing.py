"""A crash to test with."""


class Crash(BaseException):
    """An exception that no program catches."""
