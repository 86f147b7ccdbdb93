"""An exception type for tests of crashes."""


class Crash(BaseException):
    """An exception that no code catches."""
