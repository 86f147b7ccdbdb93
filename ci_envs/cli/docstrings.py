"""Docstrings as text for the terminal."""

import re

from ci_envs.envs.rules_module import module_of_rules
from ci_envs.registry.docstring import docstring
from ci_envs.registry.games import GameSpec


def documented_object(spec: GameSpec) -> object:
    """Return the object whose docstring documents an environment.

    It is the module of the environment in this package, or else the class of the game.
    """
    module = module_of_rules(spec.name)
    return spec.game_class() if module is None else module


def first_line(documented: object) -> str:
    """Return the first line of the docstring of an object."""
    return plain_text(docstring(documented).partition("\n")[0])


def plain_text(text: str) -> str:
    """Return a docstring without the markup of Sphinx."""
    return re.sub(r":\w+:`~?(?:[\w.]+\.)?(\w+)`", r"\1", text).replace("``", "")
