"""The environments by id, and making one. Nothing is compiled or imported until one is made."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any

import gymnasium

from ci_envs.spec import check_options, option_names, split_spec

if TYPE_CHECKING:
    from ci_envs.envs.aec import BoardEnv
    from ci_envs.games.game import Game

_ENV_OPTIONS = ("max_cycles", "render_mode")


@dataclass(frozen=True)
class EnvironmentSpec:
    """A registered environment: the class of its game, or ``module:Class``, and the parameters its id stands for."""

    id: str
    game: "type[Game] | str"
    parameters: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The name in PettingZoo's style: ``quixo_v0``."""
        return re.sub(r"(?<=[a-z])(?=[A-Z])|-", "_", self.id).lower()

    def game_class(self) -> "type[Game]":
        """The class of the game, imported if need be."""
        if not isinstance(self.game, str):
            return self.game
        module, _, name = self.game.partition(":")
        cls: type[Game] = getattr(import_module(module), name)
        return cls


_specs: dict[str, EnvironmentSpec] = {}


def register(id: str, game: "type[Game] | str", **parameters: Any) -> None:
    """Register a game as the environment ``id``, here, with Gymnasium and, from its version 1.27 on, with PettingZoo.

    Args:
        id: a name and a version, such as ``Quixo-v0``.
        game: the class of the game, or ``"module:Class"`` to import it when it is first made.
        **parameters: values of the game's parameters that differ from its defaults.

    Raises:
        ValueError: ``id`` is malformed or taken.
    """
    if not re.fullmatch(r"\w+-v\d+", id):
        raise ValueError(f"an id is a name and a version such as Quixo-v0, not {id!r}")
    if id in _specs:
        raise ValueError(f"{id!r} is registered already, as {_specs[id].game}")
    _specs[id] = EnvironmentSpec(id, game, parameters)
    gymnasium.register(
        f"ci_envs/{id}",
        "ci_envs.envs.single_agent:make_single_agent",
        vector_entry_point="ci_envs.envs.vector:make_vec",
        kwargs={"environment": id},
    )
    try:
        from pettingzoo import register as register_aec
    except ImportError:  # before 1.27 PettingZoo has no registry
        return
    register_aec("aec", f"ci_envs/{id}", "ci_envs.registration:make", kwargs={"id": id})


def registered() -> tuple[str, ...]:
    """The ids of all environments, in the order of their registration."""
    return tuple(_specs)


def resolve(id: str, **parameters: Any) -> "tuple[EnvironmentSpec, Game, dict[str, Any]]":
    """What an id with parameters means: the registered environment, its game, and the environment's own options.

    ``module:Hex-v0`` imports ``module`` first, as in Gymnasium.

    Raises:
        ValueError: no such id, no such parameter, or one of its values is refused.
    """
    match = re.fullmatch(r"(?:([a-zA-Z_][\w.]*):)?(\w+-v\d+(?::.*)?)", id)
    if match and match[1]:
        import_module(match[1])
    name, options = split_spec(match[2] if match else id)
    if name not in _specs:
        raise ValueError(f"unknown environment {id!r}; choose from: {', '.join(_specs)}")
    spec = _specs[name]
    cls = spec.game_class()
    allowed = option_names(cls)
    options = check_options(name, {**options, **parameters}, (*allowed, *_ENV_OPTIONS))
    game = cls(**{**spec.parameters, **{key: value for key, value in options.items() if key in allowed}})
    return spec, game, {key: value for key, value in options.items() if key in _ENV_OPTIONS}


def make(id: str, **parameters: Any) -> "BoardEnv":
    """Make a PettingZoo AEC environment.

    ``make("Quixo-v0:size=4")`` and ``make("Quixo-v0", size=4)`` are the same.

    Args:
        id: a registered id, with parameters if wanted.
        **parameters: parameters of the game, and ``max_cycles`` and ``render_mode`` of the environment
            (:class:`ci_envs.envs.aec.BoardEnv`).

    Raises:
        ValueError: no such id, no such parameter, or one of its values is refused.
    """
    from ci_envs.envs.aec import BoardEnv

    spec, game, options = resolve(id, **parameters)
    return BoardEnv(game, name=spec.name, **options)


register("Quixo-v0", "ci_envs.games.quixo:Quixo")
register("TicTacToe-v0", "ci_envs.games.connect_n:ConnectN", rows=3, cols=3, n=3)
register("ConnectN-v0", "ci_envs.games.connect_n:ConnectN")
register("ConnectFour-v0", "ci_envs.games.connect_n:ConnectN", rows=6, cols=7, n=4, gravity=True)
register("Nim-v0", "ci_envs.games.nim:Nim")
register("Quarto-v0", "ci_envs.games.quarto:Quarto")
