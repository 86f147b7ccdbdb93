"""The status of a game: its state, and whether an agent is computing a move in this state."""

from collections.abc import Collection
from dataclasses import dataclass

from ci_envs.web.game_service import GameService
from ci_envs.web.hosted_game import HostedGame
from ci_envs.web.players import game_title, player_label, result_text


@dataclass(frozen=True)
class GameStatus:
    """The state of a game at one moment.

    Attributes:
        hosted: The game.
        thinking: Whether an agent is computing the next move.
        agent_error: The error of the agent to move, or None.
        compiling: Whether the code of this agent is being compiled, which happens once.
    """

    hosted: HostedGame
    thinking: bool
    agent_error: str | None
    compiling: bool = False


def status_of(service: GameService, id: str) -> GameStatus:
    """Return the status of a game.

    Args:
        service: The games of the server.
        id: The id of the game.

    Raises:
        UnknownGameError: There is no game with this id.
    """
    thinking = service.is_thinking(id)  # read before the game, so that a move in between is not missed
    hosted, agent_error = service.apply_clock(id), service.agent_error(id)
    waits = hosted.is_for_agent and agent_error is None
    thinking = waits and (thinking or hosted.is_awaited)
    compiling = thinking and service.is_compiling(id)
    return GameStatus(hosted, thinking, agent_error if hosted.is_for_agent else None, compiling)


def status_text(status: GameStatus, held: Collection[int]) -> str:
    """Return the status of a game as text, for example ``X (you) to move``.

    Args:
        status: The status of the game.
        held: The players whose seats the reader has.
    """
    hosted = status.hosted
    if hosted.ending:
        return result_text(hosted, held)
    if status.compiling:
        return f"Preparing {game_title(hosted.record.environment)} for the first time, about 5 s"
    mover = player_label(hosted, hosted.position.to_move, held)
    if status.thinking:
        return f"{mover} is thinking"
    return f"{mover} failed: {status.agent_error}" if status.agent_error else f"{mover} to move"
