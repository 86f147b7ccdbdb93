"""The daily puzzles of a server, each of which a worker process makes once."""

from datetime import date
from threading import Lock

from ci_envs.web.game_service import GameService
from ci_envs.web.limits import current_client
from ci_envs.web.puzzles import Puzzle, has_puzzles, seed_of

_KEPT = 256  # puzzles
FIRST_DAY = date(2024, 1, 1)
"""The day of the first puzzles."""


class DailyPuzzles:
    """The puzzles of all days and environments."""

    def __init__(self, service: GameService) -> None:
        """Make the puzzles with the worker processes of a service."""
        self._service = service
        self._known: dict[tuple[str, date], Puzzle] = {}  # the oldest first
        self._lock = Lock()

    def environments(self) -> list[str]:
        """Return the ids of the environments that have puzzles. The first call takes a second."""
        catalog = self._service.catalog
        return [entry.name for entry in catalog.environments() if has_puzzles(catalog.game(entry.name)[0])]

    def of(self, environment: str, day: date) -> Puzzle:
        """Return the puzzle of a day. The first time, this takes seconds.

        Raises:
            ValueError: The environment is unknown or has no puzzles, or the day is in the future or before 2024.
            AgentError: The worker process has failed, or gave no answer in time.
        """
        available = self.environments()
        if environment not in available:
            raise ValueError(f"{environment} has no puzzles. Available: {', '.join(available)}")
        if not FIRST_DAY <= day <= date.today():
            raise ValueError(f"There is no puzzle of {day}. Allowed: {FIRST_DAY} to {date.today()}")
        with self._lock:
            puzzle = self._known.get((environment, day))
        if puzzle is None:
            puzzle = self._service.analysts.submit(current_client.get(), lambda: self._make(environment, day)).result()
            with self._lock:
                self._known[environment, day] = puzzle
                while len(self._known) > _KEPT:
                    del self._known[next(iter(self._known))]
        return puzzle

    def _make(self, environment: str, day: date) -> Puzzle:
        game, _ = self._service.catalog.game(environment)
        with self._service.analysts.process(game, "puzzle") as process:
            return process.puzzle(game, seed_of(day, environment))
