"""A check that an agent for one class of games gets such a game."""

from typing import TypeVar

from ci_envs.games.game import Game

G = TypeVar("G", bound=Game)


def require_game(name: str, game: Game, cls: type[G]) -> G:
    """Return ``game`` if it is of the class that an agent plays.

    Args:
        name: The name of the agent, for the message.
        game: The game.
        cls: The class of games that the agent plays.

    Raises:
        ValueError: ``game`` is of another class.
    """
    if not isinstance(game, cls):
        raise ValueError(f"{name} plays {cls.__name__}, not {game}")
    return game
