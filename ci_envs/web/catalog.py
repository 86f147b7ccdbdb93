"""The environments and agents that clients may name, and the limits of their options."""

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

from ci_envs.agent.capabilities import HasCheckpoints
from ci_envs.agent.interface import Agent, AgentFactory
from ci_envs.agent.registry import GIVEN, factory_of, make_agent, make_named, option_names_of, registered_agents
from ci_envs.games.game import Game
from ci_envs.games.position import Position
from ci_envs.games.truncation import ply_limit
from ci_envs.registry import GameSpec, registered, resolve
from ci_envs.solver.solver import solver_of
from ci_envs.spec import split_spec, unnamed_option
from ci_envs.validation import integer_between, unknown_name

HUMAN = "human"
"""The seat of a person; anything else names an agent."""

MOST: Mapping[str, float] = MappingProxyType(
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
"""The largest value of options that cost time or memory. An agent that has ``time`` too may be given any depth: it is
held to that time."""

SOLVING_AGENTS = frozenset({"exact"})
"""The agents that solve the game. Clients may choose them only for games that are solved in seconds."""

MAX_CYCLES = 1000
"""The largest ``max_cycles`` of a game. Every move of a game is stored and sent again with the game."""

_LONGEST = 300  # characters of a spec string


@dataclass(frozen=True)
class Entry:
    """An environment or an agent that clients may name, with its options.

    Attributes:
        name: of an environment or agent.
        purpose: in a line.
        options: their defaults; None for one that must be given, or has no default of its own.
        checkpoints: names of what was trained and comes with the package, the value of the option that is a path.
        meanings: what the options do, by name, where that is documented.
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
        listed: spec strings of the agents that the owner of the server adds, by their names. All options are allowed.
    """

    listed: Mapping[str, str] = field(default_factory=dict)

    def environments(self) -> list[Entry]:
        """Every game."""
        return list(map(_environment, registered()))

    def agents(self) -> list[Entry]:
        """Every agent that can be loaded here; those of the owner have no options."""
        return list(map(self.agent_entry, self.agent_names()))

    def agent_names(self) -> list[str]:
        """The names of all agents, none of which is loaded for that."""
        return [*(name for name in registered_agents() if name != HUMAN), *self.listed]

    def agent_entry(self, name: str) -> Entry:
        """The agent of one of these names."""
        return Entry(name, self.listed[name], {}) if name in self.listed else _agent(name)

    def game(self, environment: str) -> tuple[Game, int]:
        """Return the game of an id with parameters, and the ply after which a game is a draw.

        Raises:
            ValueError: there is no such environment or parameter, or a value is refused.
        """
        _check_text(environment)
        return _game(environment)

    def agent(self, spec: str, game: Game) -> Agent:
        """Make an agent.

        Raises:
            ValueError: there is no such agent or option, a value is refused, or it does not play this game.
            ImportError: it needs a package that is not installed.
        """
        _check_text(spec)
        if spec in self.listed:
            return make_agent(self.listed[spec], game)
        name, options = split_spec(spec)
        if name == HUMAN:
            raise ValueError(f"{HUMAN!r} is not an agent here: you are")
        if name in SOLVING_AGENTS and not solver_of(game).is_quick(Position.start(game)):
            raise ValueError(f"Agent {name!r} can take minutes for a move of {game}. Choose another agent.")
        factory = factory_of(name)
        names = option_names_of(factory)
        if "" in options:
            options[unnamed_option(factory, GIVEN) or ""] = options.pop("")
        held = {option: _held(option, value, factory) for option, value in options.items()}
        if "depth" in held and "time" in names:
            held.setdefault("time", MOST["time"])
        return make_named(name, held, game)


@lru_cache(maxsize=256)  # a game knows its compiled rules, and finding them takes a while
def _game(environment: str) -> tuple[Game, int]:
    if not re.fullmatch(r"\w+-v\d+(:[\w=,.]*)?", environment, re.ASCII):  # no module to import, no path
        raise unknown_name("environment", environment, registered())
    _, game, options = resolve(environment)
    if "render_mode" in options:
        raise ValueError("Unknown option 'render_mode'. The server draws games itself")
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
        factory = factory_of(name)
        parameters = signature(factory).parameters
    except Exception as error:  # whatever is wrong with one package, the others can be chosen
        return Entry(name, f"cannot be loaded: {error}", {})
    options = {option: _default(parameters[option]) for option in option_names_of(factory)}
    documented = parse(getdoc(getattr(factory, "__init__", None)) or getdoc(factory) or "").params
    meanings = {each.arg_name: " ".join((each.description or "").replace("``", "").split()) for each in documented}
    return Entry(name, _purpose(factory), options, tuple(_checkpoints(factory)), meanings)


def _default(parameter: Parameter) -> Any:
    return None if parameter.default is Parameter.empty else parameter.default


def _purpose(documented: object) -> str:
    return (getdoc(documented) or "").partition("\n")[0]


def _checkpoints(factory: AgentFactory) -> Mapping[str, Path]:
    return factory.checkpoints() if isinstance(factory, HasCheckpoints) else {}


def _held(option: str, value: Any, factory: AgentFactory) -> Any:
    """Return a value that is within its limits; for a path, the file of the package with this name.

    Raises:
        ValueError: it is beyond the limit, or there is no such file.
    """
    parameter = signature(factory).parameters.get(option)
    if parameter is not None and "Path" in str(parameter.annotation):
        known = _checkpoints(factory)
        if value is not None and value not in known:
            raise ValueError(f"{option} must be one of {', '.join(known) or 'none'}, not {value!r}")
        return known.get(value)
    most = most_of(option, option_names_of(factory))
    if most is not None and isinstance(value, int | float) and value > most:
        raise ValueError(f"{option} must be {most:g} or less here, not {value!r}")
    return value


def most_of(option: str, names: tuple[str, ...]) -> float | None:
    """Return the largest value of an option that a server accepts, or None; ``names`` are all options of the agent."""
    return None if option == "depth" and "time" in names else MOST.get(option)


def _check_text(text: str) -> None:
    if len(text) > _LONGEST:
        raise ValueError(f"{text[:20]!r}... is too long: up to {_LONGEST} characters")
    if not text.isascii():  # else Python reads other digits as numbers
        raise ValueError(f"Invalid character in {text!r}. Allowed: ASCII")
