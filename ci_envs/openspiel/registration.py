"""Registration of games with OpenSpiel."""

from collections.abc import Mapping
from dataclasses import fields

import pyspiel

from ci_envs.openspiel.game import MAX_PLIES, OpenSpielGame, default_max_plies, game_type
from ci_envs.openspiel.parameters import OpenSpielValue, from_openspiel, to_openspiel
from ci_envs.registry.games import resolve


def openspiel_name(id: str) -> str:
    """Return the name of the game of an environment in OpenSpiel, for example ``ci_envs_quixo`` for ``Quixo-v0``.

    The name contains the version from 1 on, for example ``ci_envs_quixo_v1``.

    Raises:
        ValueError: No game is registered under ``id``.
    """
    return f"ci_envs_{resolve(id)[0].name.removesuffix('_v0')}"


def register_game(id: str) -> str:
    """Register the game of an environment with OpenSpiel, and return its name in OpenSpiel.

    Args:
        id: A registered id, for example ``Quixo-v0``. ``import ci_envs.openspiel`` registers all ids that are known at
            that time.

    Raises:
        ValueError: No game is registered under ``id``.
        TypeError: OpenSpiel cannot store the default of a parameter.
    """
    game = resolve(id)[1]
    defaults = {field.name: getattr(game, field.name) for field in fields(game)}
    specification = {name: to_openspiel(value) for name, value in defaults.items()}
    type_ = game_type(openspiel_name(id), f"ci_envs {id}", {**specification, MAX_PLIES: default_max_plies(game)})

    # OpenSpiel frees its registered functions after the end of Python, which would crash. A class refers to itself, so
    # it is never freed.
    class RegisteredGame(OpenSpielGame):
        def __init__(self, parameters: Mapping[str, OpenSpielValue]) -> None:
            values = {name: from_openspiel(parameters[name], default) for name, default in defaults.items()}
            super().__init__(resolve(id, **values)[1], int(parameters[MAX_PLIES]), type_, parameters)

    pyspiel.register_game(type_, RegisteredGame)
    return openspiel_name(id)
