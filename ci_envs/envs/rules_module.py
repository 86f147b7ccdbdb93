"""The module whose docstring explains an environment.

Agents of language models read ``inspect.getmodule(env.unwrapped).__doc__``, as PettingZoo's tutorial for them does.
"""

from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ci_envs.games.game import Game


def rules_module(name: str, game: "Game") -> str:
    """Return the name of the module with the rules of an environment.

    Args:
        name: The name of the environment.
        game: The game. If there is no module of the environment, the result is the module of its class.
    """
    module = module_of_rules(name)
    return type(game).__module__ if module is None else module.__name__


@lru_cache
def module_of_rules(name: str) -> ModuleType | None:
    """Return the module of this package that has the name of an environment, for example ``quixo_v0``, or None."""
    stem, _, version = name.rpartition("_")
    for page in (name, f"{stem.replace('_', '')}_{version}"):  # tic_tac_toe_v0 has the module tictactoe_v0
        if page.isidentifier() and find_spec(f"ci_envs.{page}") is not None:
            return import_module(f"ci_envs.{page}")
    return None
