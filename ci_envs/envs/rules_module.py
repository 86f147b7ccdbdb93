"""The module whose docstring explains an environment.

Agents of language models read ``inspect.getmodule(env.unwrapped).__doc__``, as PettingZoo's tutorial for them does.
"""

from importlib import import_module
from importlib.util import find_spec

from ci_envs.games.game import Game


def rules_module(name: str, game: Game) -> str:
    """Return the name of the module with the rules of an environment.

    Args:
        name: The name of the environment, for example ``quixo_v0``, which has a module of this name.
        game: The game. If there is no such module, the result is the module of its class.
    """
    stem, _, version = name.rpartition("_")
    for page in (name, f"{stem.replace('_', '')}_{version}"):  # tic_tac_toe_v0 has the module tictactoe_v0
        module = f"{__package__.partition('.')[0]}.{page}"
        if page.isidentifier() and find_spec(module) is not None:
            import_module(module)
            return module
    return type(game).__module__
