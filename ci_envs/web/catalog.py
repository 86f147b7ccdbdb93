"""The environments and agents that clients can choose, and the limits of their options."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cache, lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ci_envs.agent_interface.capabilities import HasCheckpoints
from ci_envs.agent_interface.interface import Agent, AgentFactory
from ci_envs.agent_interface.making import make_agent, make_named
from ci_envs.games.game import Game
from ci_envs.games.truncation import ply_limit
from ci_envs.registry.agents import AGENTS, RUN_PROGRAMS
from ci_envs.registry.docstring import docstring
from ci_envs.registry.games import ENV_OPTIONS, registered, resolve
from ci_envs.registry.options import NamedOption
from ci_envs.registry.spec import split_spec
from ci_envs.solver.solver import solver_of
from ci_envs.validation import unknown_name

HUMAN = "human"
"""The seat of a person. Any other seat is the spec string of an agent."""

SOLVING_AGENTS = frozenset({"exact"})
"""The agents that solve the game. Clients may choose them only for games in which each move takes seconds."""

_MAX_LENGTH = 300  # maximum number of characters of a spec string


@dataclass(frozen=True)
class Entry:
    """An environment or an agent that clients can choose, with its options.

    Attributes:
        name: The id of the environment or the name of the agent.
        purpose: A description in one line.
        options: The options by name.
        checkpoints: The names of the included trained models, which are the allowed values of the path.
    """

    name: str
    purpose: str
    options: Mapping[str, NamedOption] = field(default_factory=dict)
    checkpoints: tuple[str, ...] = ()


@dataclass(frozen=True)
class Catalog:
    """The environments and agents of a server.

    Attributes:
        listed: The spec strings of the agents that the owner of the server adds, by name. The limits do not apply to
            them.
    """

    listed: Mapping[str, str] = field(default_factory=dict)

    def environments(self) -> list[Entry]:
        """Return all environments."""
        return list(map(_environment, registered()))

    def agents(self) -> list[Entry]:
        """Return all agents. The agents of the owner have no options."""
        return list(map(self.agent_entry, self.agent_names()))

    def agent_names(self) -> list[str]:
        """Return the names of all agents, without loading the agents."""
        return [*(name for name in AGENTS.names() if name != HUMAN and name not in RUN_PROGRAMS), *self.listed]

    def agent_entry(self, name: str) -> Entry:
        """Return the entry of an agent by its name."""
        return Entry(name, self.listed[name]) if name in self.listed else _agent(name)

    def game(self, environment: str) -> tuple[Game, int]:
        """Return the game of an id with parameters, and the ply after which an undecided game is a draw.

        Raises:
            ValueError: The environment or a parameter is unknown, or a value is invalid.
        """
        _check_text(environment)
        return _game(environment)

    def agent(self, spec: str, game: Game) -> Agent:
        """Make an agent.

        Raises:
            ValueError: The agent or an option is unknown, a value is invalid, or the agent does not play this game.
            ImportError: The agent needs a package that is not installed.
        """
        _check_text(spec)
        if spec in self.listed:
            return make_agent(self.listed[spec], game)
        name, text = split_spec(spec)
        if name in self.listed:
            raise ValueError(f"Unknown agent {name!r} with options: it has none. Choose {name!r}")
        if name == HUMAN:
            raise ValueError(f"{HUMAN!r} is not an agent here. Choose an agent, or play yourself")
        if name in RUN_PROGRAMS:
            raise ValueError(f"Only the owner of the server can offer the agent {name!r}. Choose another agent")
        if name not in AGENTS.names():
            raise unknown_name("agent", name, self.agent_names())
        if name in SOLVING_AGENTS and not solver_of(game).plays_quickly(game):
            raise ValueError(f"Agent {name!r} can take minutes for a move of {game}. Choose another agent.")
        factory = AGENTS.find(name)
        given = AGENTS.check(name, factory, AGENTS.read(name, factory, text))
        return make_named(name, _allowed(given, AGENTS.options(factory), _checkpoints(factory)), game)


@lru_cache(maxsize=256)  # a game keeps its compiled rules, and loading them takes time
def _game(environment: str) -> tuple[Game, int]:
    if not re.fullmatch(r"\w+-v\d+(:[\w=,.;+ -]*)?", environment, re.ASCII):  # excludes modules and paths
        raise unknown_name("environment", environment, registered())
    spec, game, options = resolve(environment)
    _allowed({each.name: getattr(game, each.name) for each in fields(game)}, spec.options())
    _allowed(options, ENV_OPTIONS)
    return game, ply_limit(game, options.get("max_cycles"))


def _environment(id: str) -> Entry:
    spec = resolve(id)[0]
    return Entry(id, _purpose(spec.game_class()), spec.options())


@cache
def _agent(name: str) -> Entry:
    try:
        factory = AGENTS.find(name)
        options = AGENTS.options(factory)
    except Exception as error:  # the other agents can be chosen even if one package is broken
        return Entry(name, f"cannot be loaded: {error}")
    return Entry(name, _purpose(factory), options, tuple(_checkpoints(factory)))


def _purpose(documented: object) -> str:
    return docstring(documented).partition("\n")[0]


def _checkpoints(factory: AgentFactory) -> Mapping[str, Path]:
    return factory.checkpoints() if isinstance(factory, HasCheckpoints) else {}


def _allowed(
    given: Mapping[str, Any], options: Mapping[str, NamedOption], checkpoints: Mapping[str, Path] = MappingProxyType({})
) -> dict[str, Any]:
    """Return the values that differ from the defaults, with the files of included models, and with further limits.

    Raises:
        ValueError: A client cannot choose a value.
    """
    chosen = {name: value for name, value in given.items() if value != options[name].default}
    for name, value in chosen.items():
        options[name].check_untrusted(value, checkpoints)
    limits = {name: option.declared.untrusted for name, option in options.items()}
    further = {name: limit.most for name, limit in limits.items() if limit and limit.set_with in chosen}
    files = {
        name: checkpoints[chosen[name]] for name, limit in limits.items() if limit and limit.included and name in chosen
    }
    return {**further, **chosen, **files}


def _check_text(text: str) -> None:
    if len(text) > _MAX_LENGTH:
        raise ValueError(f"{text[:20]!r}... is too long. Allowed: at most {_MAX_LENGTH} characters")
    if not text.isascii():  # because Python accepts digits of other scripts in numbers
        raise ValueError(f"Invalid character in {text!r}. Allowed: ASCII")
