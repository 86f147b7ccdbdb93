"""Docstrings as text for the terminal."""

import inspect
import re


def page_of(id: str, cls: type) -> object:
    """Return the object that documents an environment: its module, or its game if another package brings it.

    Args:
        id: The id of the environment, for example ``ConnectFour-v0``, whose module is ``ci_envs.connect_four_v0``.
        cls: The class of the game.
    """
    import ci_envs

    wanted = id.replace("-", "").lower()
    for name in dir(ci_envs):
        if name.replace("_", "") == wanted:
            return getattr(ci_envs, name)
    return cls


def first_line(documented: object) -> str:
    """Return the first line of the docstring of an object."""
    return plain_text((inspect.getdoc(documented) or "").partition("\n")[0])


def plain_text(text: str) -> str:
    """Return a docstring without the marks of Sphinx."""
    return re.sub(r":\w+:`~?(?:[\w.]+\.)?(\w+)`", r"\1", text).replace("``", "")
