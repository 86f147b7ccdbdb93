"""The registry of agents by name, and functions that make agents from spec strings."""

from collections.abc import Mapping
from typing import Any, cast

from ci_envs.agent.interface import Agent, AgentFactory
from ci_envs.extras import optional_import
from ci_envs.games.game import Game
from ci_envs.plugins import plugins
from ci_envs.registry import resolve
from ci_envs.spec import check_options, option_names, split_spec, unnamed_option
from ci_envs.validation import unknown_name

ENTRY_POINT_GROUP = "ci_envs.agents"

GIVEN = ("game", "seed")
"""The parameters of a factory that are not options."""

_registered: dict[str, AgentFactory] = {}


def register_agent(name: str, factory: AgentFactory) -> None:
    """Register an agent of this process under ``name``. An installed package can use an entry point instead.

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
    if not name.isidentifier():
        raise ValueError(f"the name of an agent must be an identifier, not {name!r}")
    if name in registered_agents():
        raise ValueError(f"an agent {name!r} is registered already: choose another name")
    _registered[name] = factory


def registered_agents() -> tuple[str, ...]:
    """Return the names of all agents: the entry-point group ``ci_envs.agents``, then the agents of this process."""
    return (*plugins(ENTRY_POINT_GROUP), *_registered)


def factory_of(name: str) -> AgentFactory:
    """Return the factory registered under ``name``.

    Raises:
        ValueError: the name is not registered.
        ImportError: the agent needs a package that is not installed.
    """
    if name in _registered:
        return _registered[name]
    found = plugins(ENTRY_POINT_GROUP).get(name)
    if found is None:
        raise unknown_name("agent", name, registered_agents())
    with optional_import(f"agent {name!r}", preferred=name):
        return cast(AgentFactory, found.load())


def option_names_of(factory: AgentFactory) -> tuple[str, ...]:
    """Return the names of the options of an agent."""
    return option_names(factory, without=GIVEN)


def make_agent(spec: str, env_or_game: Any, *, seed: int | None = None) -> Agent:
    """Make an agent from its spec string: ``make_agent("minimax:depth=4", env, seed=0)``.

    Args:
        spec: a name and options.
        env_or_game: an environment of this package (wrapped or not), a game, or an environment's id.
        seed: makes the agent deterministic.

    Raises:
        ValueError: the agent or an option is unknown, an option is missing or has an invalid value, or the agent
            does not play this game.

    Examples:
        >>> from ci_envs import Nim, make_agent
        >>> agent = make_agent("nim_expert", Nim((1, 2, 4)), seed=0)
    """
    name, options = split_spec(spec)
    return make_named(name, options, env_or_game, seed=seed)


def make_named(name: str, options: Mapping[str, Any], env_or_game: Any, *, seed: int | None = None) -> Agent:
    """Make an agent from its name and options. :func:`make_agent` does the same from a spec string.

    Args:
        name: the registered name.
        options: the options by name. The name ``""`` is the option that a spec string need not name.
        env_or_game: an environment of this package (wrapped or not), a game, or an environment's id.
        seed: makes the agent deterministic.

    Raises:
        ValueError: see :func:`make_agent`.
    """
    factory = factory_of(name)
    required = option_names(factory, without=GIVEN, required=True)
    unnamed = unnamed_option(factory, GIVEN)
    named = check_options(f"agent {name}", options, option_names_of(factory), required, unnamed)
    return factory(game_of(env_or_game), seed=seed, **named)


def game_of(env_or_game: Any) -> Game:
    """Return the game of an environment (wrapped or not) or of an id, or the game itself.

    Raises:
        TypeError: the argument is none of these.
    """
    if isinstance(env_or_game, str):
        return resolve(env_or_game)[1]
    game = getattr(getattr(env_or_game, "unwrapped", None), "game", env_or_game)
    if not isinstance(game, Game):
        raise TypeError(f"need an environment of ci_envs, its id, or a game, not {env_or_game!r}")
    return game
