"""The environments and agents that clients can choose, and the limits of their options."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cache, lru_cache
from importlib import import_module
from importlib.util import find_spec
from inspect import Parameter, getdoc, signature
from pathlib import Path
from types import MappingProxyType
from typing import Any

from docstring_parser import parse

from ci_envs.agent_interface.capabilities import HasCheckpoints
from ci_envs.agent_interface.interface import Agent, AgentFactory
from ci_envs.agent_interface.making import make_agent, make_named
from ci_envs.games.game import Game
from ci_envs.games.position import Position
from ci_envs.games.truncation import ply_limit
from ci_envs.registry.agents import AGENTS
from ci_envs.registry.games import GameSpec, registered, resolve
from ci_envs.registry.spec import split_spec, unnamed_option
from ci_envs.solver.solver import solver_of
from ci_envs.validation import integer_between, unknown_name

HUMAN = "human"
"""The seat of a person. Any other seat is the spec string of an agent."""

OPTION_LIMITS: Mapping[str, float] = MappingProxyType(
    {
        "simulations": 20_000,
        "time": 5.0,
        "depth": 4,
        "table_mb": 64,
        "threads": 1,
        "population": 1024,
        "generations": 100,
        "offspring": 1024,
    }
)
"""The largest values of options that cost time or memory. An agent with an option ``time`` can have any ``depth``,
because its time is limited."""

OWNER_ONLY = frozenset({"process"})
"""The agents that run programs of the server. Only its owner can offer them, under a name."""

SOLVING_AGENTS = frozenset({"exact"})
"""The agents that solve the game. Clients may choose them only for games that are solved in seconds."""

FOLDER_OPTIONS: Mapping[str, str] = MappingProxyType({"tables": "included"})
"""The options that name a folder of the server, each with the only value that clients may choose."""

MAX_CYCLES = 1000
"""The largest ``max_cycles`` of a game. All moves of a game are stored, and sent with each state of the game."""

_MAX_LENGTH = 300  # maximum number of characters of a spec string


@dataclass(frozen=True)
class Entry:
    """An environment or an agent that clients can choose, with its options.

    Attributes:
        name: The id of the environment or the name of the agent.
        purpose: A description in one line.
        options: The default of each option. None means that the option is required or that its default is None.
        checkpoints: The names of the included trained models, which are the allowed values of the path.
        meanings: The documented meaning of each option.
    """

    name: str
    purpose: str
    options: Mapping[str, Any]
    checkpoints: tuple[str, ...] = ()
    meanings: Mapping[str, str] = field(default_factory=dict)


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
        return [*(name for name in AGENTS.names() if name != HUMAN and name not in OWNER_ONLY), *self.listed]

    def agent_entry(self, name: str) -> Entry:
        """Return the entry of an agent by its name."""
        return Entry(name, self.listed[name], {}) if name in self.listed else _agent(name)

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
        name, options = split_spec(spec)
        if name == HUMAN:
            raise ValueError(f"{HUMAN!r} is not an agent here. Choose an agent, or play yourself")
        if name in OWNER_ONLY:
            raise ValueError(f"Only the owner of the server can offer the agent {name!r}. Choose another agent")
        if name in SOLVING_AGENTS and not solver_of(game).is_quick(Position.start(game)):
            raise ValueError(f"Agent {name!r} can take minutes for a move of {game}. Choose another agent.")
        factory = AGENTS.find(name)
        names = AGENTS.option_names(factory)
        if "" in options:
            options[unnamed_option(factory, AGENTS.given) or ""] = options.pop("")
        checked = {option: _checked(option, value, factory) for option, value in options.items()}
        if "depth" in checked and "time" in names:
            checked.setdefault("time", OPTION_LIMITS["time"])
        return make_named(name, checked, game)


@lru_cache(maxsize=256)  # a game keeps its compiled rules, and loading them takes time
def _game(environment: str) -> tuple[Game, int]:
    if not re.fullmatch(r"\w+-v\d+(:[\w=,.]*)?", environment, re.ASCII):  # excludes modules and paths
        raise unknown_name("environment", environment, registered())
    _, game, options = resolve(environment)
    if "render_mode" in options:
        raise ValueError("Unknown option 'render_mode'. Remove it: the server draws all games")
    limit = options.get("max_cycles")
    if limit is not None:
        integer_between("max_cycles", limit, 1, MAX_CYCLES)
    return game, ply_limit(game, limit)


def _environment(id: str) -> Entry:
    spec, game, _ = resolve(id)
    options = {each.name: getattr(game, each.name) for each in fields(game)}
    return Entry(id, _purpose(type(game)), options, meanings=_parameter_meanings(spec))


def _parameter_meanings(spec: GameSpec) -> Mapping[str, str]:
    """Return the last column of the table of parameters in the documentation of an environment, by parameter."""
    for name in (spec.name, spec.id.replace("-", "_").lower()):  # connect_four_v0, tictactoe_v0
        if find_spec(f"ci_envs.{name}"):
            text = getdoc(import_module(f"ci_envs.{name}")) or ""
            rows = re.findall(r"^\| `(\w+)` +\|[^|]*\| ([^|]*?) *\| ([^|]*?) *\|$", text, re.MULTILINE)
            return {name: f"{meaning} ({values})" for name, values, meaning in rows}
    return {}


@cache
def _agent(name: str) -> Entry:
    try:
        factory = AGENTS.find(name)
        parameters = signature(factory).parameters
    except Exception as error:  # the other agents can be chosen even if one package is broken
        return Entry(name, f"cannot be loaded: {error}", {})
    options = {option: _default(parameters[option]) for option in AGENTS.option_names(factory)}
    docstrings = (getdoc(getattr(factory, name, None)) for name in ("__init__", "options_type"))
    documented = [each for text in (getdoc(factory), *docstrings) for each in parse(text or "").params]
    meanings = {each.arg_name: " ".join((each.description or "").replace("``", "").split()) for each in documented}
    return Entry(name, _purpose(factory), options, tuple(_checkpoints(factory)), meanings)


def _default(parameter: Parameter) -> Any:
    return None if parameter.default is Parameter.empty else parameter.default


def _purpose(documented: object) -> str:
    return (getdoc(documented) or "").partition("\n")[0]


def _checkpoints(factory: AgentFactory) -> Mapping[str, Path]:
    return factory.checkpoints() if isinstance(factory, HasCheckpoints) else {}


def _checked(option: str, value: Any, factory: AgentFactory) -> Any:
    """Return the value of an option if it is within its limit. For a path, return the path of the included model.

    Raises:
        ValueError: The value exceeds the limit, there is no included model with this name, or the value is a folder.
    """
    if value not in (None, FOLDER_OPTIONS.get(option, value)):
        raise ValueError(f"{option} must be {FOLDER_OPTIONS[option]} here, not {value!r}")
    parameter = signature(factory).parameters.get(option)
    if parameter is not None and "Path" in str(parameter.annotation):
        known = _checkpoints(factory)
        if value is not None and value not in known:
            raise ValueError(f"{option} must be one of {', '.join(known) or 'none'}, not {value!r}")
        return known.get(value)
    most = limit_of(option, AGENTS.option_names(factory))
    if most is not None and isinstance(value, int | float) and value > most:
        raise ValueError(f"{option} must be {most:g} or less here, not {value!r}")
    return value


def limit_of(option: str, names: tuple[str, ...]) -> float | None:
    """Return the largest allowed value of an option, or None. ``names`` are all options of the agent."""
    return None if option == "depth" and "time" in names else OPTION_LIMITS.get(option)


def _check_text(text: str) -> None:
    if len(text) > _MAX_LENGTH:
        raise ValueError(f"{text[:20]!r}... is too long. Allowed: at most {_MAX_LENGTH} characters")
    if not text.isascii():  # because Python accepts digits of other scripts in numbers
        raise ValueError(f"Invalid character in {text!r}. Allowed: ASCII")
