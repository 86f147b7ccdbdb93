"""The agents that the form of a new game offers: the agents that can play the game, with their options."""

from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from typing import Any

from ci_envs.agent_interface.capabilities import HasCheckpoints
from ci_envs.games.game import Game
from ci_envs.registry.agents import AGENTS
from ci_envs.registry.options import NamedOption, unnamed_option
from ci_envs.web.catalog import Catalog
from ci_envs.web.limits import BusyError


@dataclass(frozen=True)
class Offer:
    """An agent that can play a game.

    Attributes:
        name: The name of the agent.
        purpose: A description in one line.
        variants: The included models or rules to choose from. Empty if there are none.
        options: The other options that clients can set.
    """

    name: str
    purpose: str
    variants: tuple[str, ...]
    options: tuple[NamedOption, ...]


class Offers:
    """The offers for all games. To find whether an agent can play a game, the agent is made once."""

    def __init__(self, catalog: Catalog, make: Callable[[str, Game], object] | None = None) -> None:
        """Make the offers for the agents of a catalog.

        Args:
            catalog: The agents.
            make: Makes an agent of a spec string for a game, or raises an exception. None makes it in this process.
        """
        self._catalog = catalog
        self._make = make or catalog.agent
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
            BusyError: The server has no time to make the agent.
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
        options = AGENTS.options(factory)
        unnamed = unnamed_option(options)
        candidates = _variants(factory, options[unnamed] if unnamed else None)
        variants = tuple(value for value in candidates if self._can_play(f"{name}:{value}", game))
        if not variants and (candidates or not self._can_play(name, game)):
            return None
        settable = (one for one in options.values() if one.name != unnamed and one.declared.untrusted is not None)
        return Offer(name, entry.purpose, variants, tuple(settable))

    def _can_play(self, spec: str, game: Game) -> bool:
        try:
            self._make(spec, game)
        except BusyError:
            raise
        except Exception:  # an agent can raise anything if it cannot play
            return False
        return True


def _variants(factory: Any, unnamed: NamedOption | None) -> tuple[str, ...]:
    if isinstance(factory, HasCheckpoints):
        return tuple(factory.checkpoints())
    return tuple(unnamed.declared.choices) if unnamed else ()
