"""The current state of each stored game. Two clients can change a game at the same time, and the second one retries."""

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from ci_envs.games.position import Position
from ci_envs.registry.user_code import reason
from ci_envs.web.catalog import Catalog
from ci_envs.web.hosted_game import HostedGame
from ci_envs.web.store import ConflictError, Store

_CACHED_GAMES = 1000


class UnavailableGameError(Exception):
    """The error of a stored game whose environment this server does not have, or has with other rules."""


class GameStates:
    """The games of a store, with their positions. The last used ones are kept in memory."""

    def __init__(self, store: Store, catalog: Catalog, notify: Callable[[str], None]) -> None:
        """Use the games of ``store``. ``notify`` is called with the id of each game that changes."""
        self._store, self._catalog, self._notify = store, catalog, notify
        self._cached: OrderedDict[str, HostedGame] = OrderedDict()  # by id, the last used at the end
        self._lock = threading.Lock()

    def get(self, id: str) -> HostedGame:
        """Return a game.

        Raises:
            UnknownGameError: There is no game with this id.
            UnavailableGameError: Its environment is unknown here, or its moves do not follow the rules.
        """
        known = self._cached.get(id)
        if known is not None and known.record.version == self._store.version(id):
            return known
        record = self._store.get(id)
        try:
            game, limit = self._catalog.game(record.environment)
            positions = [Position.from_text(game, record.start)]
            for action in record.actions:
                positions.append(positions[-1].play(action))
        except Exception as error:  # the rules of a user can raise anything
            raise UnavailableGameError(
                f"This server cannot show the game of {record.environment}: {reason(error)}. If its rules are in a "
                "file, start the server with --game. The game can be deleted."
            ) from error
        return self.keep(HostedGame(record, game, tuple(positions), limit))

    def update(self, id: str, changes: Callable[[HostedGame], dict[str, Any]]) -> HostedGame:
        """Change the record of a game without a new action. ``changes`` computes the changes from the current state.

        Raises:
            UnknownGameError: There is no game with this id.
        """
        while True:
            hosted = self.get(id)
            wanted = changes(hosted)
            plies = len(wanted.get("actions", hosted.record.actions))
            try:
                return self.write(hosted, hosted.positions[: plies + 1], wanted)
            except ConflictError:  # changed in the meantime: retry with the new state
                continue

    def write(self, hosted: HostedGame, positions: tuple[Position, ...], changes: dict[str, Any]) -> HostedGame:
        """Change a game, and return its new state.

        Raises:
            ConflictError: ``hosted`` is not the current state.
        """
        record = self._store.change(hosted.record, **changes)
        after = self.keep(HostedGame(record, hosted.game, positions, hosted.limit))
        self._notify(record.id)
        return after

    def keep(self, hosted: HostedGame) -> HostedGame:
        """Keep a state in memory, and return it."""
        with self._lock:
            self._cached[hosted.record.id] = hosted
            self._cached.move_to_end(hosted.record.id)
            while len(self._cached) > _CACHED_GAMES:
                self._cached.popitem(last=False)
        return hosted

    def forget(self, id: str) -> None:
        """Drop a deleted game from memory."""
        with self._lock:
            self._cached.pop(id, None)
