"""The environments by id, and making one. Nothing is compiled or imported until one is made."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any

import gymnasium

from ci_envs.spec import check_options, option_names, split_spec

if TYPE_CHECKING:
    from ci_envs.envs.aec import BoardEnv
    from ci_envs.envs.problem import ProblemEnv
    from ci_envs.games.game import Game
    from ci_envs.problems.problem import Problem

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
        cls: type[Game] = _imported(self.game)
        return cls


@dataclass(frozen=True)
class ProblemSpec:
    """A registered problem of optimisation: what makes it, and the class of its environment, or ``module:name``."""

    id: str
    problem: "Callable[..., Problem] | str"
    environment: "type[ProblemEnv[Any]] | str"

    def maker(self) -> "Callable[..., Problem]":
        """What makes the problem, imported if need be."""
        maker: Callable[..., Problem] = _imported(self.problem)
        return maker

    def environment_class(self) -> "type[ProblemEnv[Any]]":
        """The class of the environment, imported if need be."""
        cls: type[ProblemEnv[Any]] = _imported(self.environment)
        return cls


def _imported(named: Any) -> Any:
    """What ``module:name`` names; anything but a text stands for itself."""
    if not isinstance(named, str):
        return named
    module, _, name = named.partition(":")
    return getattr(import_module(module), name)


_specs: dict[str, EnvironmentSpec] = {}
_problems: dict[str, ProblemSpec] = {}


def register(id: str, game: "type[Game] | str", **parameters: Any) -> None:
    """Register a game as the environment ``id``, here, with Gymnasium and, from its version 1.27 on, with PettingZoo.

    Args:
        id: a name and a version, such as ``Quixo-v0``.
        game: the class of the game, or ``"module:Class"`` to import it when it is first made.
        **parameters: values of the game's parameters that differ from its defaults.

    Raises:
        ValueError: ``id`` is malformed or taken.
    """
    _check_id(id)
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


def register_problem(
    id: str, problem: "Callable[..., Problem] | str", environment: "type[ProblemEnv[Any]] | str"
) -> None:
    """Register a problem of optimisation as ``id``, here and with Gymnasium.

    Args:
        id: a name and a version, such as ``SetCovering-v0``.
        problem: makes it, or ``"module:name"`` to import that when it is first made; its parameters are the id's.
        environment: the class of its environment, or ``"module:Class"``.

    Raises:
        ValueError: ``id`` is malformed or taken.
    """
    _check_id(id)
    _problems[id] = ProblemSpec(id, problem, environment)
    gymnasium.register(f"ci_envs/{id}", "ci_envs.envs.problem:make_problem_env", kwargs={"environment": id})


def _check_id(id: str) -> None:
    if not re.fullmatch(r"\w+-v\d+", id):
        raise ValueError(f"an id is a name and a version such as Quixo-v0, not {id!r}")
    taken = _specs[id].game if id in _specs else _problems[id].problem if id in _problems else None
    if taken is not None:
        raise ValueError(f"{id!r} is registered already, as {taken}")


def registered_problems() -> tuple[str, ...]:
    """The ids of all problems of optimisation, in the order of their registration."""
    return tuple(_problems)


def registered() -> tuple[str, ...]:
    """The ids of all games, in the order of their registration."""
    return tuple(_specs)


def resolve(id: str, **parameters: Any) -> "tuple[EnvironmentSpec, Game, dict[str, Any]]":
    """What an id with parameters means: the registered environment, its game, and the environment's own options.

    ``module:Hex-v0`` imports ``module`` first, as in Gymnasium.

    Raises:
        ValueError: no such id, no such parameter, or one of its values is refused.
    """
    name, options = _split_id(id)
    if name in _problems:
        raise ValueError(f"{name} is no game for two: make it by gymnasium.make('ci_envs/{name}'), or solve it")
    if name not in _specs:
        raise ValueError(f"unknown environment {id!r}; choose from: {', '.join(_specs)}")
    spec = _specs[name]
    cls = spec.game_class()
    allowed = option_names(cls)
    options = check_options(name, {**options, **parameters}, (*allowed, *_ENV_OPTIONS))
    game = cls(**{**spec.parameters, **{key: value for key, value in options.items() if key in allowed}})
    return spec, game, {key: value for key, value in options.items() if key in _ENV_OPTIONS}


def resolve_problem(id: str, **parameters: Any) -> "tuple[ProblemSpec, Problem, dict[str, Any]]":
    """What the id of a problem with parameters means: the registered problem, itself, and its environment's options.

    Raises:
        ValueError: no such id, no such parameter, or one of its values is refused.
        OSError: a file that it names cannot be read.
    """
    name, options = _split_id(id)
    if name not in _problems:
        raise ValueError(f"unknown problem {id!r}; choose from: {', '.join(_problems)}")
    spec = _problems[name]
    maker, of_environment = spec.maker(), option_names(spec.environment_class(), without=("problem",))
    allowed = option_names(maker)
    options = check_options(name, {**options, **parameters}, (*allowed, *of_environment))
    problem = maker(**{key: value for key, value in options.items() if key in allowed})
    return spec, problem, {key: value for key, value in options.items() if key in of_environment}


def problem_maker(id: str) -> "Callable[..., Problem]":
    """What makes the problem of a registered id without parameters."""
    return _problems[id].maker()


def is_problem(id: str) -> bool:
    """Whether an id, with parameters or not, is that of a problem of optimisation."""
    return _split_id(id)[0] in _problems


def _split_id(id: str) -> tuple[str, dict[str, Any]]:
    """The name and the options of an id; ``module:Hex-v0`` imports ``module`` first."""
    match = re.fullmatch(r"(?:([a-zA-Z_][\w.]*):)?(\w+-v\d+(?::.*)?)", id)
    if match and match[1]:
        import_module(match[1])
    return split_spec(match[2] if match else id)


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
register_problem(
    "SetCovering-v0", "ci_envs.problems.set_covering:set_covering", "ci_envs.envs.set_covering:SetCoveringEnv"
)
register_problem("BitString-v0", "ci_envs.problems.bit_string:BitString", "ci_envs.envs.bit_string:BitStringEnv")
