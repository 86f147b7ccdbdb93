"""Checks that ``play``, ``keeps_turn`` and ``other_view`` agree about whose view a position shows.

The rules do not say how a position of one player looks to the other player. But an action changes few cells of the
board, as one player sees it. If the board that a player sees would change much less after the board were turned, or
after the other player's view were taken, then the game has given a wrong view.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ci_envs.checking.compiled import other_views
from ci_envs.checking.error import InvalidGameError, place
from ci_envs.checking.play import Successors
from ci_envs.drawing.board import board_names
from ci_envs.games.batch import observe_batch
from ci_envs.games.board import BoardGame
from ci_envs.games.game import Game
from ci_envs.games.operations import ONGOING, WIN, other_view
from ci_envs.games.position import Position
from ci_envs.kernels.dispatch import implementing_class

_MAX_POSITIONS = 60
_FEWEST = 3  # positions with an action that are enough to compare it alone
_MANY_ENDS = 10


def check_views(positions: list[Position]) -> None:
    """Check the view of the other player, and the views of both players after every action.

    Raises:
        InvalidGameError: A check failed.
    """
    for position in positions:
        _check_inverse(position)
        _check_regions(position)
    moves = [moves for position in positions[:_MAX_POSITIONS] if (moves := _moves_of(position)) is not None]
    for one in moves:
        _check_stones(one)
    if moves:
        _check_changes(positions[0].game, moves)


def check_winners(positions: list[Position]) -> None:
    """Check that the player who moves last wins some decided games, or loses some if ``last_player_loses`` is true.

    Raises:
        InvalidGameError: A check failed.
    """
    game = positions[0].game
    if game.shared_board:
        return
    ends = [
        outcome
        for position in positions
        if position.result is None
        for after in [Successors(position)]
        for outcome in np.where(after.keeps, -after.outcomes, after.outcomes)[_decided(after)].tolist()
    ]
    if len(ends) < _MANY_ENDS:
        return
    if game.last_player_loses and WIN not in ends:
        raise InvalidGameError(
            f"last_player_loses is true, but the player who moved last has won all {len(ends)} decided games"
        )
    if not game.last_player_loses and set(ends) == {WIN}:
        raise InvalidGameError(
            f"in all {len(ends)} decided games of the sample the player who moved last has lost: result must be WIN or"
            " LOSS for the player to move next, or set last_player_loses = True if this is the rule"
        )


def _decided(after: Successors) -> NDArray[np.bool_]:
    return np.asarray(after.legal & (after.outcomes != ONGOING) & (after.outcomes != 0))


class _Moves(NamedTuple):
    """The legal actions in a position, and the views of the player who moves, before and after each of them.

    Attributes:
        position: The position.
        actions: The numbers of the actions, int64 of shape (n,).
        keeps: Whether the same player acts again, bool of shape (n,).
        before: The planes before the action, int8 of shape (height, width, channels).
        words: The view of the player who moves after each action, uint64 of shape (n, 2).
        views: The planes of ``words``, int8 of shape (n, height, width, channels).
        opposite: The planes of the other player's view, in the same format.
    """

    position: Position
    actions: NDArray[np.int64]
    keeps: NDArray[np.bool_]
    before: NDArray[np.int8]
    words: NDArray[np.uint64]
    views: NDArray[np.int8]
    opposite: NDArray[np.int8]


def _check_inverse(position: Position) -> None:
    if position.game.shared_board and other_words(position) != (position.own, position.opp):
        raise InvalidGameError(f"other_view must not change the shared board at {place(position)}")
    if position.game.rules.other_view(position.game, *other_words(position)) != (position.own, position.opp):
        raise InvalidGameError(f"other_view must restore the position if it is applied twice, at {place(position)}")


def _check_regions(position: Position) -> None:
    """Check that the names of cells move with the view, if the stones of two colours do so."""
    game = position.game
    if not has_two_colours(game):
        return
    mine, theirs = planes_of(game, np.array([[position.own, position.opp], other_words(position)], np.uint64))
    cells = [name for name in board_names(*game.observation_shape[:2]) if name[-1].isdigit()]
    if not np.array_equal(mine, theirs[..., ::-1]) and all(game.other_region(name) == name for name in cells):
        raise InvalidGameError(
            f"other_view moves stones to other cells at {place(position)}, but other_region does not move their names"
        )


def other_words(position: Position) -> tuple[int, int]:
    """Return the words of a position as the other player sees them."""
    return position.game.rules.other_view(position.game, position.own, position.opp)


def _moves_of(position: Position) -> _Moves | None:
    if position.result is not None:
        return None
    game, after = position.game, Successors(position)
    actions = np.flatnonzero(after.legal)
    words, keeps = after.words[actions], after.keeps[actions]
    others = np.empty_like(words)
    other_views(game, words, others)
    mine = np.where(keeps[:, None], words, others)
    theirs = np.where(keeps[:, None], others, words)
    return _Moves(
        position, actions, keeps, position.observation(), mine, planes_of(game, mine), planes_of(game, theirs)
    )


def planes_of(game: Game, words: NDArray[np.uint64]) -> NDArray[np.int8]:
    """Return the planes of n rows of words, int8 of shape (n, height, width, channels)."""
    planes = np.empty((len(words), *game.observation_shape), np.int8)
    observe_batch(game, np.ascontiguousarray(words), planes, np.empty((len(words), game.action_count), np.int8))
    return planes


def _check_stones(moves: _Moves) -> None:
    """Check that a cell does not have a stone of each player, in a game of two colours."""
    game = moves.position.game
    if not has_two_colours(game) or (moves.before[..., 0] & moves.before[..., 1]).any():
        return
    cells = moves.views[..., 0] & moves.views[..., 1]
    both = (moves.words[:, 0] & moves.words[:, 1] != 0) & cells.any(axis=(1, 2))
    for number in np.flatnonzero(both).tolist():
        raise InvalidGameError(
            f"a cell has a stone of each player after action {moves.actions[number]} at {place(moves.position)}: legal"
            " must refuse the action, or play must remove the other stone; if it stands for another fact, observe must"
            " write the fact to a third plane"
        )


def _check_changes(game: Game, moves: list[_Moves]) -> None:
    """Compare the changes of a player's view by all actions, and by each action alone, with those of other views."""
    actions, keeps = (np.concatenate([getattr(one, name) for one in moves]) for name in ("actions", "keeps"))
    changes = {
        name: np.concatenate([_changed_cells(one, name) for one in moves]) for name in ["as declared", *_views(game)]
    }
    for same_player in (False, True):
        _compare(game, moves, changes, keeps == same_player, same_player, 1)
    for action in np.unique(actions).tolist():
        chosen = actions == action
        if chosen.sum() >= _FEWEST and keeps[chosen].all() == keeps[chosen].any():
            _compare(game, moves, changes, chosen, bool(keeps[chosen][0]), 3)


def _compare(
    game: Game,
    moves: list[_Moves],
    changes: dict[str, NDArray[np.int64]],
    chosen: NDArray[np.bool_],
    same_player: bool,
    tolerance: int,
) -> None:
    """Raise an error if another view changes at most half as many cells, and ``tolerance`` cells fewer an action."""
    if not chosen.any():
        return
    totals = {name: int(cells[chosen].sum()) for name, cells in changes.items()}
    declared = totals.pop("as declared")
    name = min(totals, key=lambda each: totals[each])
    if declared <= 2 * totals[name] + tolerance * int(chosen.sum()):
        return
    number = int(np.flatnonzero(chosen)[np.argmax((changes["as declared"] - changes[name])[chosen])])
    raise InvalidGameError(_message(game, _place_of(moves, number), changes["as declared"][number], name, same_player))


def _message(game: Game, where: str, cells: int, name: str, same_player: bool) -> str:
    start = f"the board that a player sees changes in {cells} cells by {where}"
    if name == _OPPOSITE and same_player:
        return f"{start}, as if play gave the other player's view: keeps_turn must be false then"
    if name == _OPPOSITE:
        return f"{start}, as if play gave the view of the player who has moved: it must give that of the next player"
    view = "other_cells" if implementing_class(other_view, type(game)) is BoardGame else "other_view"
    if game.swaps_words and name in _TURNS:
        return f"{start}, as if play {name}: then implement {view}, which gives the view of the other player"
    return (
        f"{start}, as if only one of play and other_view {name}: let play return other_view(game, own, opp), and"
        f" correct {view}"
    )


def _place_of(moves: list[_Moves], number: int) -> str:
    for one in moves:
        if number < len(one.actions):
            return f"action {one.actions[number]} at {place(one.position)}"
        number -= len(one.actions)
    raise IndexError(number)


_OPPOSITE = "gave the view of another player"
_SWAPPED = "swapped the stones of the players"


def _views(game: Game) -> Iterator[str]:
    yield _OPPOSITE
    height, width, _ = game.observation_shape
    square = height == width
    yield from (name for name, (_, keeps_shape) in _TURNS.items() if keeps_shape or square)
    if has_two_colours(game):
        yield _SWAPPED


_TURNS: dict[str, tuple[Any, bool]] = {
    "turned the board by 180 degrees": (lambda planes: planes[:, ::-1, ::-1], True),
    "mirrored the board top to bottom": (lambda planes: planes[:, ::-1], True),
    "mirrored the board left to right": (lambda planes: planes[:, :, ::-1], True),
    "transposed the board": (lambda planes: planes.swapaxes(1, 2), False),
    "turned the board by 90 degrees": (lambda planes: planes.swapaxes(1, 2)[:, ::-1], False),
    "turned the board by -90 degrees": (lambda planes: planes.swapaxes(1, 2)[:, :, ::-1], False),
    "mirrored the board in its other diagonal": (lambda planes: planes.swapaxes(1, 2)[:, ::-1, ::-1], False),
}
"""Functions of planes of shape (n, height, width, channels), and whether they keep the shape of a board that is no
square."""


def _swapped(planes: NDArray[np.int8]) -> NDArray[np.int8]:
    return planes[..., ::-1]


def has_two_colours(game: Game) -> bool:
    """Return whether the planes are the stones of the two players."""
    return not game.shared_board and game.observation_shape[2] == 2


def _changed_cells(moves: _Moves, name: str) -> NDArray[np.int64]:
    """Return the number of cells that each action changes, in a view with a name."""
    if name == "as declared":
        return _differences(moves.views, moves.before)
    if name == _OPPOSITE:
        return _differences(moves.opposite, moves.before)
    turn = _swapped if name == _SWAPPED else _TURNS[name][0]
    return np.minimum(_differences(turn(moves.views), moves.before), _differences(turn(moves.opposite), moves.before))


def _differences(views: NDArray[np.int8], before: NDArray[np.int8]) -> NDArray[np.int64]:
    return np.asarray((views != before).any(axis=3).sum(axis=(1, 2)), np.int64)
