"""The state of a game as its page shows it, and whether an agent thinks about this state."""

from collections.abc import Collection
from dataclasses import dataclass

from ci_envs.web.game_service import GameService
from ci_envs.web.hosted_game import HostedGame
from ci_envs.web.players import player_label, result_text


@dataclass(frozen=True)
class GameStatus:
    """The state of a game at one moment.

    Attributes:
        hosted: the game.
        thinking: whether an agent thinks about the move to play next.
        agent_error: why the agent to move could not play, or None.
    """

    hosted: HostedGame
    thinking: bool
    agent_error: str | None


def status_of(service: GameService, id: str) -> GameStatus:
    """Return where a game stands.

    Args:
        service: where games are played.
        id: of the game.

    Raises:
        UnknownGameError: there is no such game.
    """
    thinking = service.is_thinking(id)  # before the game is read: what an agent plays after that is seen the next time
    hosted, agent_error = service.apply_clock(id), service.agent_error(id)
    waits = hosted.is_for_agent and agent_error is None
    return GameStatus(hosted, waits and (thinking or hosted.is_awaited), agent_error if hosted.is_for_agent else None)


def status_text(status: GameStatus, held: Collection[int]) -> str:
    """Return the status of a game in a line, for example ``X (you) to move``.

    Args:
        status: the state of the game.
        held: the players whose seats the reader has.
    """
    hosted = status.hosted
    if hosted.ending:
        return result_text(hosted, held)
    mover = player_label(hosted, hosted.position.to_move, held)
    if status.thinking:
        return f"{mover} is thinking"
    return f"{mover} failed: {status.agent_error}" if status.agent_error else f"{mover} to move"
