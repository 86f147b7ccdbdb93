"""Agents by name, and agents of any object: :func:`make_agent` and :func:`as_agent`."""

import inspect
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from ci_envs.agent_interface.adapters import (
    BatchObjectAgent,
    FunctionAgent,
    Maker,
    ObjectAgent,
    PerGameAgent,
    PredictorAgent,
)
from ci_envs.agent_interface.agent_files import as_spec
from ci_envs.agent_interface.child_process import ProcessLimits
from ci_envs.agent_interface.interface import Agent, AgentFactory
from ci_envs.agent_interface.isolation import HostedAgent
from ci_envs.extras import optional_import
from ci_envs.games.game import Game
from ci_envs.registry.agents import AGENTS
from ci_envs.registry.games import resolve
from ci_envs.registry.options import check_options, options_of, read_options, unnamed_option
from ci_envs.registry.plugins import plugins
from ci_envs.registry.user_code import made

ADAPTERS = "ci_envs.adapters"
"""The group of entry points of functions ``adapt(thing, game, *, seed)`` that make agents of the objects of a package.

The name of the entry point is the name of the package, for example ``stable_baselines3``.
"""


_BY_METHOD: Mapping[str, type[FunctionAgent]] = {
    "act": ObjectAgent,
    "act_batch": BatchObjectAgent,
    "predict": PredictorAgent,
    "__call__": FunctionAgent,
}
"""The agents of objects by the first of these methods that an object has."""


def register_agent(name: str, factory: AgentFactory) -> None:
    """Register an agent of this process under ``name``. An installed package can use an entry point instead.

    An agent need not be registered: ``module:Name`` and ``file.py:Name`` name any function or class.

    Args:
        name: the name in spec strings.
        factory: called as ``factory(game, seed=seed, **options)``. Its other parameters are its options.

    Raises:
        ValueError: ``name`` is registered already, or cannot be used in a spec string.

    Examples:
        >>> from ci_envs import register_agent
        >>> from ci_envs.agents import Agent
        >>> class FirstLegalAgent(Agent):
        ...     def act(self, observation):
        ...         return int(observation["action_mask"].argmax())
        ...
        >>> register_agent("first_legal", FirstLegalAgent)
    """
    AGENTS.register(name, factory)


def make_agent(spec: str, env_or_game: Any, *, seed: int | None = None, **options: Any) -> Agent:
    """Make an agent from its spec string: ``make_agent("minimax:depth=4", env, seed=0)``.

    Args:
        spec: a name or a reference such as ``mine.py:MyAgent``, optionally with options, or the path of a trained
            agent.
        env_or_game: an environment of this package (wrapped or not), a game, or an environment's id.
        seed: makes the agent deterministic.
        **options: further options, by name.

    Raises:
        TypeError: ``spec`` is not a text, or ``env_or_game`` is none of these.
        ValueError: the agent or an option is unknown, an option is missing or has an invalid value, or the agent
            does not play this game.
        OSError: a file cannot be read.

    Examples:
        >>> from ci_envs import Nim, make_agent
        >>> agent = make_agent("nim_expert", Nim((1, 2, 4)), seed=0)
        >>> agent = make_agent("minimax", Nim((1, 2, 4)), depth=3)
    """
    if not isinstance(spec, str):
        raise TypeError(f"spec must be a text such as 'minimax:depth=4', not {spec!r}: use as_agent for objects")
    name, thing, named = read_spec(spec, **options)
    game = game_of(env_or_game)
    if name in AGENTS.names():
        return _adapted(thing(game, seed=seed, **named), game, seed)
    if _is_class(thing):
        return _of_class(name, thing, named, game, seed)
    return _adapted(partial(thing, **named) if named else thing, game, seed)


def read_spec(spec: str, **options: Any) -> tuple[str, Any, dict[str, Any]]:
    """Return the name, the object and the checked options of a spec string. Any game can be played.

    Raises:
        ValueError: see :func:`make_agent`.
        OSError: a file cannot be read.
    """
    name, thing, text = AGENTS.load(as_spec(spec))
    owner = f"agent {name}"
    if name in AGENTS.names() or _is_class(thing):
        declared = AGENTS.options(thing)
    elif inspect.isfunction(thing):
        declared = options_of(thing, (next(iter(inspect.signature(thing).parameters), "observation"),))
    else:  # an object has no options
        declared = {}
    given = read_options(owner, text, declared, unnamed_option(declared))
    return name, thing, check_options(owner, {**given, **options}, declared)


def make_named(name: str, options: Mapping[str, Any], env_or_game: Any, *, seed: int | None = None) -> Agent:
    """Make an agent from its registered name and its options. :func:`make_agent` also accepts references.

    Args:
        name: the registered name.
        options: the options by name. The name ``""`` is the option that a spec string need not name.
        env_or_game: an environment of this package (wrapped or not), a game, or an environment's id.
        seed: makes the agent deterministic.

    Raises:
        ValueError: see :func:`make_agent`.
    """
    factory, game = AGENTS.find(name), game_of(env_or_game)
    return _adapted(factory(game, seed=seed, **AGENTS.check(name, factory, options)), game, seed)


def as_agent(thing: Any, env_or_game: Any, *, seed: int | None = None) -> Agent:
    """Return an agent that plays as an object decides, which need not know this package.

    Args:
        thing: an agent, the class of an agent, a function ``observation -> action``, an object or class with a method
            ``act(observation)`` or ``predict(observation)`` as in Stable-Baselines3, a spec string, or the path of a
            Python file or of a trained agent. A class is called with those of the arguments ``game`` and ``seed`` that
            it has. It can be a ``functools.partial`` of a class.
        env_or_game: an environment of this package (wrapped or not), a game, or an environment's id.
        seed: makes the agent deterministic if ``thing`` is a class, a spec string or a path.

    Raises:
        TypeError: the object is none of these.
        ValueError: the agent plays another game, or see :func:`make_agent`.
        OSError: a file cannot be read.

    Examples:
        >>> from ci_envs import Nim
        >>> from ci_envs.agents import as_agent
        >>> agent = as_agent(lambda observation: int(observation["action_mask"].argmax()), Nim())
    """
    game = game_of(env_or_game)
    if isinstance(thing, str | Path):
        return make_agent(as_spec(thing), game, seed=seed)
    if _is_class(thing):
        _check_has_signature(thing)
        name = name_of(thing)
        return _of_class(name, thing, AGENTS.check(name, thing, {}), game, seed)
    return _adapted(thing, game, seed)


@runtime_checkable
class _HasLimits(Protocol):
    """An agent that starts processes."""

    limits: ProcessLimits


def isolated(thing: Any, game: Game, limits: ProcessLimits, seed: int | None) -> Agent:
    """Return an agent as :func:`as_agent` does, in a process of its own unless ``thing`` is a registered name.

    Raises:
        ValueError: the object cannot be sent to another process, or see :func:`make_agent`.
        OSError: there is no such file.
    """
    if isinstance(thing, str | Path):
        thing = as_spec(thing)
    if isinstance(thing, str) and AGENTS.is_registered(thing):
        agent = make_agent(thing, game, seed=seed)
        if isinstance(agent, _HasLimits) and isinstance(agent.limits, ProcessLimits) and not _sets_limits(thing):
            agent.limits = limits
        return agent
    if isinstance(thing, str):
        AGENTS.check_exists(thing)
    return HostedAgent(game, thing, limits=limits, seed=seed)


def name_of(thing: Any) -> str:
    """Return the name of an object that is an agent: its spec string, or the name of the function or class."""
    if isinstance(thing, str | Path):
        return str(thing)
    if isinstance(thing, FunctionAgent):
        return name_of(thing.thing)
    if isinstance(thing, PerGameAgent):
        return name_of(thing.prototype)
    if isinstance(thing, partial):
        return name_of(thing.func)
    return str(getattr(thing, "__name__", None) or type(thing).__name__)


def _is_class(thing: Any) -> bool:
    """Return whether an object is a class, or a class with some of its arguments."""
    return isinstance(thing.func if isinstance(thing, partial) else thing, type)


def _of_class(name: str, cls: Any, named: Mapping[str, Any], game: Game, seed: int | None) -> Agent:
    """Return the agent of an object of a class with its options. It gets the game and the seed if it takes them."""
    parameters = inspect.signature(cls).parameters.values()
    takes_all = any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in parameters)
    names = {parameter.name for parameter in parameters}
    names -= getattr(cls, "keywords", {}).keys()  # those that a functools.partial sets
    given = {key: value for key, value in (("game", game), ("seed", seed)) if takes_all or key in names}

    def make(seed: int | None) -> Any:
        return made(f"agent {name}", cls, **given | ({"seed": seed} if "seed" in given else {}), **named)

    return _adapted(make(seed), game, seed, make)


def _sets_limits(spec: str) -> bool:
    """Return whether the spec string of a registered agent sets limits of its process."""
    return not set(ProcessLimits._fields).isdisjoint(read_spec(spec)[2])


def _adapted(thing: Any, game: Game, seed: int | None, make: Maker | None = None) -> Agent:
    """Return the agent of an object, which ``make`` makes again for another seed."""
    agent = _shared(thing, game, seed, make)
    if not getattr(thing, "per_game", False):
        return agent
    return PerGameAgent(agent, make and (lambda seed: _shared(make(seed), game, seed, make)))


def _shared(thing: Any, game: Game, seed: int | None, make: Maker | None) -> Agent:
    """Return the agent of an object, for all games together."""
    if isinstance(thing, Agent):
        if not hasattr(thing, "game"):
            raise ValueError(f"{type(thing).__name__}.__init__ must call super().__init__(game, seed=seed)")
        if thing.game != game:
            raise ValueError(f"{type(thing).__name__} was made for {thing.game}, not for {game}")
        return thing
    adapters = plugins(ADAPTERS)
    for base in type(thing).__mro__:
        package = base.__module__.partition(".")[0]
        if package in adapters:
            with optional_import(f"an agent of a {type(thing).__name__}"):
                adapt = adapters[package].load()
            agent: Agent = adapt(thing, game, seed=seed)
            return agent
    for method, cls in _BY_METHOD.items():
        if callable(getattr(thing, method, None)):
            _check_takes_observation(thing, method)
            return cls(game, thing, seed=seed, make=make)
    raise _no_agent(thing)


def _check_has_signature(cls: Any) -> None:
    try:
        inspect.signature(cls)
    except ValueError:  # a type of Python such as int
        raise _no_agent(cls) from None


def _no_agent(thing: Any) -> TypeError:
    return TypeError(
        "an agent is an agent of ci_envs, a function of an observation, a class or an object with act(observation) or "
        f"predict(observation), or a spec string, not {thing!r}"
    )


def _check_takes_observation(thing: Any, method: str) -> None:
    try:
        signature = inspect.signature(thing if method == "__call__" else getattr(thing, method))
    except (TypeError, ValueError):  # a function that is written in C
        return
    try:
        signature.bind({})
    except TypeError:
        name = name_of(thing) if method == "__call__" else f"{name_of(thing)}.{method}"
        raise TypeError(
            f"an agent gets one argument, {{'observation': planes, 'action_mask': mask}}: change {name}{signature}"
        ) from None


def game_of(env_or_game: Any) -> Game:
    """Return the game of an environment (wrapped or not) or of an id, or the game itself.

    Raises:
        TypeError: the argument is none of these.
    """
    return resolve(env_or_game)[1]
