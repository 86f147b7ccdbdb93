"""The names of players, results and games on the page."""

from collections.abc import Collection

from ci_envs.games.position import Position
from ci_envs.guides import guide_of
from ci_envs.web.catalog import HUMAN
from ci_envs.web.hosted_game import HostedGame
from ci_envs.web.seats import FREE
from ci_envs.web.store import GameRecord

_YOU = "you"


def player_label(hosted: HostedGame, player: int, held: Collection[int] = ()) -> str:
    """Return the label of a player: the symbol, for example ``X``, with the name, ``you`` or the agent in parentheses.

    Args:
        hosted: The game.
        player: The player, 0 or 1.
        held: The players whose seats the reader has.
    """
    symbol, name = hosted.game.player_name(player), _shown_name(hosted.record, player, held)
    return f"{symbol} ({name})" if name else symbol


def person_text(record: GameRecord, player: int, held: Collection[int]) -> str:
    """Return the text of a seat: a name, ``You``, an agent, ``Person`` or ``Free seat``.

    Args:
        record: The record of the game.
        player: The player, 0 or 1.
        held: The players whose seats the reader has.
    """
    name = _shown_name(record, player, held)
    if name == _YOU:
        return "You"
    return name or ("Free seat" if record.tokens[player] == FREE else "Person")


def _shown_name(record: GameRecord, player: int, held: Collection[int]) -> str:
    """Return the name of a player, ``you``, the spec string of an agent, or an empty text."""
    name, seats = _isolated(record.names[player]), record.seats
    if name or seats[player] != HUMAN:
        return name or seats[player]
    return _YOU if player in held and (seats[1 - player] != HUMAN or 1 - player not in held) else ""


def _isolated(name: str) -> str:
    """Return a name that does not change the order of the text around it if it is written from right to left."""
    return name if name.isascii() else f"\N{FIRST STRONG ISOLATE}{name}\N{POP DIRECTIONAL ISOLATE}"


def people_among(record: GameRecord, players: Collection[int]) -> list[int]:
    """Return those of some players whose seats belong to people, and not to agents."""
    return [player for player in players if record.seats[player] == HUMAN]


def result_text(hosted: HostedGame, held: Collection[int] = ()) -> str:
    """Return the result of a game, for example ``X (you) won by resignation``, or ``In progress``.

    Args:
        hosted: The game.
        held: The players whose seats the reader has.
    """
    if not hosted.ending:
        return "In progress"
    if hosted.winner is None:
        why = {"limit": f": limit of {plies_text(hosted.limit)}", "agreement": " by agreement"}
        return f"Draw{why.get(hosted.ending, '')}"
    by = {"resigned": " by resignation", "time": " on time"}.get(hosted.ending, "")
    return f"{player_label(hosted, hosted.winner, held)} won{by}"


def move_text(position: Position, action: int) -> str:
    """Return an action of the player to move as text, for example ``Give a`` in Quarto."""
    return guide_of(position.game).action_text(position, action)


def plies_text(count: int) -> str:
    """Return a number of moves with its noun: ``1 move``, ``2 moves``."""
    return f"{count} move{'' if count == 1 else 's'}"


def title_of(record: GameRecord) -> str:
    """Return the title of a game, for example ``Quixo: human against random``."""
    first, second = (_isolated(name) or seat for name, seat in zip(record.names, record.seats, strict=True))
    return f"{game_title(record.environment)}: {first} against {second}"


def game_title(environment: str) -> str:
    """Return the title of an environment without its version: ``Quixo``, ``Nim (heaps=3,4,5)``."""
    name, _, options = environment.partition(":")
    name = TITLES.get(name, name.partition("-")[0])
    return f"{name} ({options})" if options else name


TITLES = {"TicTacToe-v0": "Tic-tac-toe", "ConnectN-v0": "Four in a row", "ConnectFour-v0": "Connect Four"}
"""The titles of environments whose id is not their title."""
