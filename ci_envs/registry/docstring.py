"""The docstring of an object."""

import inspect
import sys


def docstring(documented: object) -> str:
    """Return the docstring of an object, or ``""`` if it has none.

    Under ``python -OO`` the objects of this package would have the docstrings of their base classes in Python.
    """
    if sys.flags.optimize > 1:
        return "There is no description, because the option -OO of Python removes it."
    return inspect.getdoc(documented) or ""
