"""The agents that the form of a new game offers: the agents that can play the game, with their options."""

from collections.abc import Mapping
from dataclasses import dataclass
from inspect import Parameter, signature
from threading import Lock
from typing import Any, Literal

from ci_envs.agent_interface.capabilities import HasCheckpoints, HasOptionValues
from ci_envs.games.game import Game
from ci_envs.registry.agents import AGENTS
from ci_envs.registry.spec import unnamed_option
from ci_envs.web.catalog import Catalog, limit_of

Kind = Literal["switch", "whole number", "number", "text", "choice"]


@dataclass(frozen=True)
class OptionField:
    """An option in a form.

    Attributes:
        name: The name of the option.
        kind: The kind of its values.
        default: The default value, or None.
        meaning: The description of the option.
        values: The allowed values of a ``choice``.
        most: The largest value that the server allows, or None.
    """

    name: str
    kind: Kind
    default: Any
    meaning: str
    values: tuple[str, ...] = ()
    most: float | None = None


@dataclass(frozen=True)
class Offer:
    """An agent that can play a game.

    Attributes:
        name: The name of the agent.
        purpose: A description in one line.
        variants: The included models or rules to choose from. Empty if there are none.
        options: The other options.
    """

    name: str
    purpose: str
    variants: tuple[str, ...]
    options: tuple[OptionField, ...]


class Offers:
    """The offers for all games. To find whether an agent can play a game, the agent is made once."""

    def __init__(self, catalog: Catalog) -> None:
        """Make the offers for the agents of a catalog."""
        self._catalog = catalog
        self._known: dict[tuple[Game, str], Offer | None] = {}
        self._lock = Lock()

    def of(self, environment: str) -> tuple[Offer, ...]:
        """Return the agents that can play a game. The first call for a game takes seconds.

        Args:
            environment: An id with parameters.

        Raises:
            ValueError: The environment is unknown, or a parameter is invalid.
        """
        found = (self.find(environment, name) for name in self.names())
        return tuple(offer for offer in found if offer is not None)

    def names(self) -> list[str]:
        """Return the names of all agents."""
        return self._catalog.agent_names()

    def find(self, environment: str, name: str) -> Offer | None:
        """Return the offer of an agent, or None if it cannot play the game. The first call can import packages.

        Args:
            environment: An id with parameters.
            name: A name from :meth:`names`.

        Raises:
            ValueError: The environment is unknown, or a parameter is invalid.
        """
        game, _ = self._catalog.game(environment)
        with self._lock:
            if (game, name) not in self._known:
                self._known[game, name] = self._offer(name, game)
            return self._known[game, name]

    def _offer(self, name: str, game: Game) -> Offer | None:
        """Return the offer of an agent, or None if it cannot play the game."""
        entry = self._catalog.agent_entry(name)
        if name in self._catalog.listed:
            return Offer(name, entry.purpose, (), ()) if self._can_play(name, game) else None
        try:
            factory = AGENTS.find(name)
        except ImportError:
            return None
        unnamed = unnamed_option(factory, AGENTS.given)
        candidates = _variants(factory, unnamed)
        variants = tuple(value for value in candidates if self._can_play(f"{name}:{value}", game))
        if not variants and (candidates or not self._can_play(name, game)):
            return None
        parameters, names = signature(factory).parameters, AGENTS.option_names(factory)
        fields = [
            option_field(parameters[option], entry.meanings.get(option, ""), _values(factory).get(option, ()), names)
            for option in names
            if option != unnamed
        ]
        return Offer(name, entry.purpose, variants, tuple(fields))

    def _can_play(self, spec: str, game: Game) -> bool:
        try:
            self._catalog.agent(spec, game)
        except Exception:  # an agent can raise anything if it cannot play
            return False
        return True


def option_field(
    parameter: Parameter, meaning: str, values: tuple[str, ...] = (), names: tuple[str, ...] = ()
) -> OptionField:
    """Return the field of an option from the annotation of its parameter.

    Args:
        parameter: The parameter of the factory.
        meaning: The description of the option.
        values: The allowed values, if they are known.
        names: The names of all options of the agent.
    """
    default = None if parameter.default is Parameter.empty else parameter.default
    kind = _kind(str(parameter.annotation), values)
    return OptionField(parameter.name, kind, default, meaning, values, limit_of(parameter.name, names))


def _kind(annotation: str, values: tuple[str, ...]) -> Kind:
    if values:
        return "choice"
    kinds: dict[str, Kind] = {"bool": "switch", "int": "whole number", "float": "number"}
    words = {word for word in annotation.replace("<class '", "").replace("'>", "").split(" | ") if word != "None"}
    return kinds.get(words.pop(), "text") if len(words) == 1 else "text"


def _variants(factory: Any, unnamed: str | None) -> tuple[str, ...]:
    if isinstance(factory, HasCheckpoints):
        return tuple(factory.checkpoints())
    return _values(factory).get(unnamed, ()) if unnamed else ()


def _values(factory: Any) -> Mapping[str, tuple[str, ...]]:
    if not isinstance(factory, HasOptionValues):
        return {}
    return {name: tuple(values) for name, values in factory.option_values.items()}
