"""The function that makes a PettingZoo environment from an id."""

from typing import Any

from ci_envs.envs.aec import BoardEnv
from ci_envs.games.game import Game
from ci_envs.registry.games import resolve


def make(id: str | Game, **parameters: Any) -> BoardEnv:
    """Make a PettingZoo AEC environment.

    ``make("Quixo-v0:size=4")``, ``make("Quixo-v0", size=4)`` and ``make(Quixo(size=4))`` return equal environments.

    Args:
        id: a registered id, with or without parameters, or a game.
        **parameters: parameters of the game, and the options ``max_cycles`` and ``render_mode`` of the environment
            (:class:`ci_envs.envs.aec.BoardEnv`).

    Raises:
        TypeError: ``id`` is neither a text nor a game.
        ValueError: the id or a parameter is unknown, or a value is out of range.

    Examples:
        >>> from ci_envs import make
        >>> env = make("Quixo-v0", size=4)
        >>> env.reset(seed=0)
        >>> int(env.observe("player_0")["action_mask"].sum())
        32
    """
    spec, game, options = resolve(id, **parameters)
    return BoardEnv(game, name=spec.name, **options)
