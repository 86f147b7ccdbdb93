"""The limit of plies of an environment, which can be changed."""

from ci_envs.games.game import Game
from ci_envs.games.truncation import ply_limit


class LimitedPlies:
    """An environment whose games are truncated after a number of plies."""

    game: Game

    @property
    def max_cycles(self) -> int | None:
        """The plies after which an undecided game is truncated, or None. It can be changed, also during a game."""
        return self._max_cycles

    @max_cycles.setter
    def max_cycles(self, max_cycles: int | None) -> None:
        self._limit = ply_limit(self.game, max_cycles)
        self._max_cycles = max_cycles
        self._limit_has_changed()

    def _limit_has_changed(self) -> None:
        """Use the new limit where a copy of it is kept."""
