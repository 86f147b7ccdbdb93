"""The settings of boards with an opponent, which can change between steps."""

from typing_extensions import override

from ci_envs.agent_interface.interface import Agent
from ci_envs.agent_interface.making import as_agent
from ci_envs.envs.boards import BOTH, DRAWN, BoardSettings
from ci_envs.envs.limited_plies import LimitedPlies
from ci_envs.envs.opponent import Opponent, checked_seat
from ci_envs.games.openings import RandomOpenings, checked_openings


class OpponentBoards(LimitedPlies):
    """Boards on which an agent plays against an opponent, or both sides."""

    _opponent: Agent | None = None
    _opponent_seed: int | None = None  # the seed of the last reset that had one

    def _set_rules(
        self, seat: int | None, max_cycles: int | None, openings: RandomOpenings | None, same_step: bool = False
    ) -> None:
        """Set the rules of the boards, which have no opponent yet.

        Raises:
            TypeError: ``openings`` has another type.
            ValueError: an argument is out of range.
        """
        self._seat, self._openings, self._same_step = checked_seat(seat), checked_openings(openings), same_step
        self.max_cycles = max_cycles

    @override
    def _limit_has_changed(self) -> None:
        self._choose_settings()

    def _choose_settings(self) -> None:
        seat = BOTH if self._opponent is None else DRAWN if self._seat is None else self._seat
        self._settings = BoardSettings(seat, self._limit, self._same_step, self._openings)

    def _seed_opponent(self, seed: int, *, is_compiled: bool) -> None:
        """Seed the opponent, and those that replace it. The seeds of boards are those of a compiled policy."""
        self._opponent_seed = seed
        if self._opponent is not None and not is_compiled:
            self._opponent.reseed(seed)

    def _agent_of(self, opponent: Opponent | None) -> Agent | None:
        return None if opponent is None else as_agent(opponent, self.game, seed=self._opponent_seed)
