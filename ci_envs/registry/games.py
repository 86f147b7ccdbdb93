"""The registry of games by id. Registration neither imports nor compiles the game."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

import gymnasium

from ci_envs.child_processes import register_in_children
from ci_envs.registry.options import NamedOption, Option, Untrusted, check_options, options_of, read_options
from ci_envs.registry.references import module_at, referred, split_reference
from ci_envs.registry.spec import split_spec
from ci_envs.registry.user_code import made
from ci_envs.validation import unknown_name

if TYPE_CHECKING:
    from ci_envs.games.game import Game

ENV_OPTIONS = {
    "max_cycles": NamedOption(
        "max_cycles",
        int | None,
        None,
        Option("plies after which an undecided game is a draw", ge=1, untrusted=Untrusted(most=1000)),
    ),
    "render_mode": NamedOption(
        "render_mode", Any, None, Option("how the environment draws", allowed="human, rgb_array, ansi or none")
    ),
}
"""The options of the environment of every game."""

_OF_ENVIRONMENTS = "autoreset_mode copy environment id num_envs openings opponent seat threads"
_OF_GYMNASIUM = "disable_env_checker max_episode_steps vector_kwargs vectorization_mode wrappers"

RESERVED = frozenset((*ENV_OPTIONS, *_OF_ENVIRONMENTS.split(), *_OF_GYMNASIUM.split()))
"""The names that a parameter of a game cannot have, because functions that make environments have such arguments."""


def check_parameter_names(cls: type) -> None:
    """Check that no parameter of a class of games has the name of an argument of its environments.

    Raises:
        ValueError: a parameter has such a name.
    """
    for name in options_of(cls):
        if name in RESERVED:
            raise ValueError(
                f"{cls.__name__} has the parameter {name!r}, which is an argument of environments: rename it"
            )


@dataclass(frozen=True)
class GameSpec:
    """A registered game.

    Attributes:
        id: The registered id, for example ``Quixo-v0``.
        game: The class of the game, or ``"module:Class"``.
        parameters: The parameters of the game that the id sets, by name.
    """

    id: str
    game: "type[Game] | str"
    parameters: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The id in PettingZoo's style: ``quixo_v0``."""
        return re.sub(r"(?<=[a-z])(?=[A-Z])|-", "_", self.id).lower()

    def game_class(self) -> "type[Game]":
        """Return the class of the game; import its module on the first call."""
        cls: type[Game] = import_object(self.game)
        return cls

    def options(self) -> dict[str, NamedOption]:
        """Return the parameters of the game by name, with the defaults of the id."""
        options = options_of(self.game_class()).items()
        return {name: replace(option, default=self.parameters.get(name, option.default)) for name, option in options}


_ids: dict[str, object] = {}
_ID = re.compile(r"(?:(.+?\.py|[a-zA-Z_][\w.]*):)?(\w+-v\d+(?::.*)?)")
_specs: dict[str, GameSpec] = {}


def register(id: str, game: "type[Game] | str", **parameters: Any) -> None:
    """Register a game under ``id`` with this package, with Gymnasium, and with PettingZoo from version 1.27 on.

    Args:
        id: A name and a version, for example ``Quixo-v0``.
        game: The class of the game, or ``"module:Class"`` to import the class when the first environment is made.
        **parameters: Parameters of the game that differ from the defaults of the class.

    Raises:
        TypeError: ``game`` is neither the class of a game nor such a text.
        ValueError: ``id`` is malformed or already registered.

    Examples:
        >>> from ci_envs import ConnectN, make, register
        >>> register("TallConnectFour-v0", ConnectN, rows=8, cols=5, n=4, gravity=True)
        >>> make("TallConnectFour-v0").game
        ConnectN(rows=8, cols=5, n=4, gravity=True)
    """
    _check_is_game(game)
    claim_id(id, game, partial(register, id, game, **parameters))
    _specs[id] = GameSpec(id, game, parameters)
    gymnasium.register(
        f"ci_envs/{id}",
        "ci_envs.envs.single_agent:make_single_agent",
        vector_entry_point="ci_envs.envs.vector:make_vec",
        kwargs={"environment": id},
    )
    try:
        from pettingzoo import register as register_aec
    except ImportError:  # PettingZoo has no registry before version 1.27
        return
    register_aec("aec", f"ci_envs/{id}", "ci_envs.envs.make:make", kwargs={"id": id})


def _check_is_game(game: object) -> None:
    if isinstance(game, str) and re.fullmatch(r".+:\w+", game):
        return
    from ci_envs.games.game import Game

    if not (isinstance(game, type) and issubclass(game, Game)):
        raise TypeError(f"a game is registered as its class, or as 'module:Class', not {game!r}")


def claim_id(id: str, registered: object, register: Callable[[], None]) -> None:
    """Record that ``id`` stands for ``registered``, a game or an optimisation problem, also in child processes.

    Args:
        id: The id.
        registered: The class or function, or its name.
        register: A function that registers the id.

    Raises:
        ValueError: ``id`` is malformed or already registered.
    """
    if not (isinstance(id, str) and re.fullmatch(r"\w+-v\d+", id)):
        raise ValueError(f"an id must be a name and a version such as Quixo-v0, not {id!r}")
    if id in _ids:
        raise ValueError(f"{id!r} is registered already, as {_ids[id]}")
    _ids[id] = registered
    if not str(registered).startswith("ci_envs."):  # the import of the package registers its own
        register_in_children(id, register)


def registered() -> tuple[str, ...]:
    """Return the ids of all games, in the order of their registration.

    Examples:
        >>> from ci_envs import registered
        >>> "Quixo-v0" in registered()
        True
    """
    return tuple(_specs)


def resolve(
    id: "str | Game | Any", further: tuple[str, ...] = (), /, **parameters: Any
) -> "tuple[GameSpec, Game, dict[str, Any]]":
    """Return the registered spec, the game and the environment options of an id with parameters.

    ``module:Hex-v0`` imports ``module`` first, as in Gymnasium, and ``file.py:Hex-v0`` imports the file. ``module:Hex``
    and ``file.py:Hex`` name the class of a game that is not registered.

    Args:
        id: A registered id or a reference, optionally with parameters. Or a game, or an environment (wrapped or not).
        further: The names of further environment options besides ``max_cycles`` and ``render_mode``. The id cannot
            contain these options.
        **parameters: Parameters of the game, and environment options.

    Raises:
        TypeError: ``id`` is none of these.
        ValueError: The id or a parameter is unknown, or a value is out of range.
    """
    if "max_episode_steps" in parameters:
        raise ValueError(
            f"instead of max_episode_steps use max_cycles={parameters['max_episode_steps']!r}, the plies of both "
            "players, or gymnasium.make_vec(..., vectorization_mode='sync')"
        )
    others = {key: NamedOption(key, Any, None) for key in further}
    if not isinstance(id, str):
        game, own = _game_of_object(id)
        check_parameter_names(type(game))
        options = check_options(str(game), {**own, **parameters}, {**ENV_OPTIONS, **others})
        return GameSpec(type(game).__name__, type(game)), game, options
    name, text = split_id(id)
    spec = _specs.get(name) or _referred(name)
    if spec is None and name in _ids:
        raise ValueError(
            f"{name} is an optimisation problem, not a two-player game: use gymnasium.make('ci_envs/{name}') or "
            f"ci-envs solve {name}"
        )
    if spec is None:
        raise unknown_name("environment", name, _specs)
    cls = spec.game_class()
    check_parameter_names(cls)
    allowed = options_of(cls)
    known = {**allowed, **ENV_OPTIONS}
    options = check_options(name, {**read_options(name, text, known), **parameters}, {**known, **others})
    given = {**spec.parameters, **{key: value for key, value in options.items() if key in allowed}}
    env_options = {key: value for key, value in options.items() if key not in allowed}
    return spec, made(f"the game {name}", cls, **given), env_options


def check_registered(id: str) -> None:
    """Check that an id, optionally with parameters, is registered, without importing anything.

    Raises:
        ValueError: It is the id of a file or module, or unknown.
    """
    match = _ID.fullmatch(id)
    if match is None or match[1] or split_spec(id)[0] not in _specs:
        raise ValueError(f"{id!r} can run any code of its author. Read this code first, then add --trust")


def _game_of_object(thing: Any) -> "tuple[Game, dict[str, Any]]":
    """Return a game or the game of an environment, and the options of the environment that differ from the defaults."""
    from ci_envs.games.game import Game

    if isinstance(thing, Game):  # which can have a parameter of any other name
        return thing, {}
    env = getattr(thing, "unwrapped", thing)
    game, max_cycles = getattr(env, "game", thing), getattr(env, "max_cycles", None)
    if not isinstance(game, Game):
        raise TypeError(f"need an environment of ci_envs, its id, or a game such as Quixo(size=5), not {thing!r}")
    return game, {} if max_cycles is None else {"max_cycles": max_cycles}


def split_id(id: str) -> tuple[str, str | None]:
    """Return the name and the text of the options of an id.

    ``module:Hex-v0`` and ``file.py:Hex-v0`` import the module or the file first.
    """
    match = _ID.fullmatch(id)
    if match and match[1]:
        module_at(match[1])
    found = None if match else split_reference(id)
    if found is None:
        return split_spec(match[2] if match else id)
    reference, written = found
    return str(reference), written


def _referred(name: str) -> GameSpec | None:
    """Return the game that a reference such as ``mine.py:Hex`` names, or None if the name is not a reference."""
    if split_reference(name) is None:
        return None
    from ci_envs.games.game import Game

    cls = referred(name, lambda thing: isinstance(thing, type) and issubclass(thing, Game), "game")
    return None if cls is None else GameSpec(name, cls)


def import_object(reference: Any) -> Any:
    """Return the object that ``"module:name"`` refers to. Return a value that is not a string unchanged."""
    if not isinstance(reference, str):
        return reference
    module, _, name = reference.partition(":")
    return getattr(import_module(module), name)


register("Quixo-v0", "ci_envs.games.quixo:Quixo")
register("TicTacToe-v0", "ci_envs.games.connect_n:ConnectN", rows=3, cols=3, n=3)
register("ConnectN-v0", "ci_envs.games.connect_n:ConnectN")
register("ConnectFour-v0", "ci_envs.games.connect_n:ConnectN", rows=6, cols=7, n=4, gravity=True)
register("Nim-v0", "ci_envs.games.nim:Nim")
register("Quarto-v0", "ci_envs.games.quarto:Quarto")
