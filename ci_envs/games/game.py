"""The base class of games: parameters, Python API, and default implementations of operations."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ci_envs.drawing.board import board_names, cells_in
from ci_envs.drawing.buttons import with_buttons
from ci_envs.drawing.drawing import Drawing
from ci_envs.drawing.planes import planes_drawing
from ci_envs.games.operations import (
    RULES,
    action_count,
    canonical,
    evaluate,
    initial,
    is_duplicate,
    keeps_turn,
    legal,
    legal_bits,
    longest_line,
    may_end,
    may_end_soon,
    other_view,
    symmetry_count,
    transform,
    transform_action,
    write_features,
)
from ci_envs.games.plane_text import grid_diagram, planes_of, position_from_text, position_to_text, rows_of
from ci_envs.games.random_games import random_game
from ci_envs.games.rules import Rules
from ci_envs.kernels.compiler import inlined
from ci_envs.kernels.dispatch import GameType, Static, implementing_class, implements, is_implemented, is_overridden
from ci_envs.kernels.lazy import cached_property
from ci_envs.registry.options import Validated

_RANDOM_GAMES, _RANDOM_PLIES = 20, 200


@dataclass(frozen=True)
class Game(Validated, Static, ABC):
    """Base class of all games. A subclass is a frozen dataclass of its parameters, with the names of the rulebook.

    The methods are the Python API of a game: text, names and pictures. The rules are the operations of
    :mod:`ci_envs.games.operations`, implemented with :func:`~ci_envs.kernels.dispatch.implements`.

    Examples:
        >>> from ci_envs import Quixo
        >>> game = Quixo(size=4)
        >>> game.action_count, game.observation_shape
        (32, (4, 4, 2))
    """

    shared_board: ClassVar[bool] = False
    """True if both players see the same words, False if the words are swapped for the other player."""

    can_cycle: ClassVar[bool] = False
    """True if a game can go on for ever. An environment then truncates it."""

    last_player_loses: ClassVar[bool] = False
    """True if in a game of two colours no player can win by an own action, as in the misère form of a game."""

    slides: ClassVar[bool] = False
    """True if an action with two targets shifts the cells between them. The web page animates such actions."""

    solver: ClassVar[str | None] = None
    """The :class:`~ci_envs.solver.solver.Solver` of exactly this class, as ``"module:Class"``.

    None means the solver for any game. A derived class can have other rules, so it does not inherit the solver.
    """

    position_share: ClassVar[float] = 1.0
    """The measured fraction of :meth:`position_bound` that play reaches, more than 0 and at most 1."""

    @property
    def upright(self) -> bool:
        """Whether a flipped picture is mirrored, because it would look wrong upside down; by default it is turned."""
        return False

    @property
    @abstractmethod
    def action_count(self) -> int:
        """The number of actions, legal or not."""

    @property
    @abstractmethod
    def observation_shape(self) -> tuple[int, int, int]:
        """The shape (height, width, channels) of the binary observation planes."""

    @property
    def symmetry_count(self) -> int:
        """The number of symmetries. Number 0 is the identity."""
        return 1

    @abstractmethod
    def start(self) -> tuple[int, int]:
        """Return the words ``(own, opp)`` of the initial position."""

    def action_name(self, action: int) -> str:
        """Return the name of an action: unique, lower case, without spaces. By default it is the number."""
        return str(action)

    @cached_property
    def action_numbers(self) -> dict[str, int]:
        """The numbers of player 0's actions by name."""
        return self._numbers_by_name(0)

    @cached_property
    def _action_numbers_of_second(self) -> dict[str, int]:
        return self._numbers_by_name(1)

    def _numbers_by_name(self, player: int) -> dict[str, int]:
        return {self.name_for(player, action): action for action in range(self.action_count)}

    def numbers_for(self, player: int) -> dict[str, int]:
        """Return the numbers of a player's actions by name (:meth:`name_for`)."""
        return self._action_numbers_of_second if player else self.action_numbers

    def other_region(self, region: str) -> str:
        """Return the region of the picture that player 1 means where player 0 means ``region``.

        The picture shows the board as player 0 sees it. A game whose :func:`~ci_envs.games.operations.other_view` moves
        the cells moves their names here in the same way. By default it is the same region.
        """
        return region

    def regions_for(self, player: int, regions: tuple[str, ...]) -> tuple[str, ...]:
        """Return the regions of the picture that a player means: player 1 those of :meth:`other_region`."""
        return tuple(map(self.other_region, regions)) if player else regions

    def name_for(self, player: int, action: int) -> str:
        """Return the name of an action of a player. A name that consists of the action's targets follows them."""
        name, targets = self.action_name(action), self.targets(action)
        return "".join(self.regions_for(player, targets)) if player and name == "".join(targets) else name

    def seen_by_first(self, own: int, opp: int, to_move: int) -> tuple[int, int]:
        """Return a position as player 0 sees it. The same function converts it back."""
        if to_move == 0:
            return own, opp
        return (opp, own) if self.swaps_words else self.rules.other_view(self, own, opp)

    @cached_property
    def swaps_words(self) -> bool:
        """Whether the other player's view of a position is the swap of both words. Then it needs no compiled code."""
        return not self.shared_board and implementing_class(other_view, type(self)) is Game

    def to_text(self, own: int, opp: int, to_move: int) -> str:
        """Return one line of text from which :meth:`from_text` makes the same position.

        By default it has a symbol for each cell of player 0's observation planes, row by row, and then the player to
        move: ``X../.O./... 0``.

        Args:
            own: First word of the position.
            opp: Second word of the position.
            to_move: The player to move, 0 or 1.
        """
        return position_to_text(self, own, opp, to_move)

    def from_text(self, text: str) -> tuple[int, int, int]:
        """Return the ``(own, opp, to_move)`` of a text that :meth:`to_text` wrote.

        Raises:
            ValueError: ``text`` is malformed, or is not a position of this game.
        """
        return position_from_text(self, text)

    def diagram(self, own: int, opp: int, to_move: int) -> str:
        """Return a position in several lines of text, by default player 0's observation planes."""
        return grid_diagram(rows_of(planes_of(self, own, opp, to_move)))

    def player_name(self, player: int) -> str:
        """Return the name of player 0 or 1 in texts and on the web page."""
        return ("First", "Second")[player]

    def draw(self, own: int, opp: int, to_move: int) -> Drawing:
        """Return a picture of a position.

        By default it is the board (:meth:`draw_board`), with a button for each of the :meth:`targets` that the board
        does not have, if the action is legal in the position or was legal in one of some random games.
        """
        board = self.draw_board(own, opp, to_move)
        known = {region.name for region in board.regions}
        if self.all_targets <= known:
            return board
        legal_actions = self.rules.examine(self, own, opp)[4]
        buttons: dict[str, bool] = {}
        for action in bits(self._possible_actions | legal_actions):
            for target in self.regions_for(to_move, self.targets(action)):
                if target not in known:
                    buttons[target] = buttons.get(target, False) or bool(legal_actions >> action & 1)
        return with_buttons(board, buttons)

    def draw_board(self, own: int, opp: int, to_move: int) -> Drawing:
        """Return a picture of the board of a position, by default player 0's observation planes.

        An action whose :meth:`targets` have the names of cells (``b3``) or columns (``b``) is clicked there.
        """
        return planes_drawing(planes_of(self, own, opp, to_move))

    @cached_property
    def all_targets(self) -> frozenset[str]:
        """The names of all regions that are targets of actions of either player."""
        targets = [self.targets(action) for action in range(self.action_count)]
        return frozenset(name for player in (0, 1) for each in targets for name in self.regions_for(player, each))

    @cached_property
    def _possible_actions(self) -> int:
        """The actions that are legal in a position of some random games, as bits."""
        rng, found = np.random.default_rng(0), 0
        for _ in range(_RANDOM_GAMES):
            for *_, legal_actions in random_game(self, rng, _RANDOM_PLIES):
                found |= legal_actions
        return found

    def targets(self, action: int) -> tuple[str, ...]:
        """Return the names of the regions to click, in order, for an action.

        By default it is one region with the name of the action, or two cells if the name consists of two cells
        (``a2b3``). The picture of a position has the regions of every legal action. The regions of a legal action must
        not be the first regions of another legal action.
        """
        name = self.action_name(action)
        return cells_in(name, *self.observation_shape[:2]) or (name,)

    def trace(self, own: int, opp: int, action: int) -> tuple[str, ...]:
        """Return the regions of a position's picture that show the effect of the last action.

        By default they are the targets of the action. The default picture has no buttons of rare actions.
        """
        targets = self.targets(action)
        is_drawn = type(self).draw is not Game.draw or board_names(*self.observation_shape[:2]).issuperset(targets)
        return targets if is_drawn or self._possible_actions >> action & 1 else ()

    def winning_lines(self, own: int, opp: int) -> tuple[tuple[str, ...], ...]:
        """Return the lines that decided the game, each as the names of its regions in order; by default no lines."""
        return ()

    @property
    def feature_names(self) -> tuple[str, ...]:
        """The names of the features that :func:`~ci_envs.games.operations.write_features` writes, in order."""
        return "constant", "mobility", "mobility odd"

    @property
    def has_lines(self) -> bool:
        """Whether the game implements :func:`~ci_envs.games.operations.longest_line`."""
        return is_overridden(longest_line, type(self), Game)

    def position_bound(self, own: int, opp: int) -> int | None:
        """Return an upper bound of the number of positions that play can reach from a position, or None if unknown.

        The solver refuses a position with a large bound immediately, instead of searching until its memory is full.

        Args:
            own: First word of the position.
            opp: Second word of the position.
        """
        return None

    @cached_property
    def rules(self) -> Rules:
        """The rules as compiled functions."""
        return Rules(self)

    @cached_property
    def _numba_type_(self) -> GameType:
        self.need(*RULES)
        return super()._numba_type_

    def need(self, *operations: Callable[..., Any]) -> None:
        """Raise a TypeError that names the ``operations`` that this game does not implement, if there are any."""
        missing = [needed.__name__ for needed in operations if not is_implemented(needed, type(self))]
        if missing:
            raise TypeError(f"{type(self).__name__} does not implement {', '.join(missing)}")


@implements(initial, Game)
def _(game: Game) -> Any:
    own, opp = (np.uint64(word) for word in game.start())
    return lambda game: (own, opp)


@implements(action_count, Game)
def _(game: Game) -> Any:
    count = game.action_count
    return lambda game: count


@implements(symmetry_count, Game)
def _(game: Game) -> Any:
    count = game.symmetry_count
    return lambda game: count


@implements(legal_bits, Game)
def _(game: Game) -> Any:
    def kernel(game, own, opp):
        bits, count = np.uint64(0), action_count(game)
        for number in range(count if count < 64 else 64):
            bits |= np.uint64(legal(game, own, opp, np.uint64(number))) << np.uint64(number)
        return bits

    return kernel


@implements(keeps_turn, Game)
def _(game: Game) -> Any:
    return lambda game, own, opp, action: False


@implements(other_view, Game)
def _(game: Game) -> Any:
    return (lambda game, own, opp: (own, opp)) if game.shared_board else (lambda game, own, opp: (opp, own))


@implements(longest_line, Game)
def _(game: Game) -> Any:
    return lambda game, stones: 0


@implements(write_features, Game)
def _(game: Game) -> Any:
    def kernel(game, own, opp, features):
        mobility = 0
        for number in range(action_count(game)):
            mobility += legal(game, own, opp, np.uint64(number))
        features[0] = 1
        features[1] = mobility / action_count(game)
        features[2] = mobility % 2

    return kernel


@implements(is_duplicate, Game)
def _(game: Game) -> Any:
    return lambda game, own, opp, action: False


@implements(may_end, Game)
@implements(may_end_soon, Game)
def _(game: Game) -> Any:
    return lambda game, own, opp, outcome: True


@implements(transform, Game)
def _(game: Game) -> Any:
    return lambda game, symmetry, own, opp: (own, opp)


@implements(transform_action, Game)
def _(game: Game) -> Any:
    return lambda game, symmetry, action: action


@inlined
def least_image(game: Any, own: Any, opp: Any, symmetries: Any) -> Any:
    """Return the smallest of a position and its images under ``symmetries``, by first word, then by second word."""
    least_own, least_opp = own, opp
    for symmetry in symmetries:
        image_own, image_opp = transform(game, symmetry, own, opp)
        if image_own < least_own or (image_own == least_own and image_opp < least_opp):
            least_own, least_opp = image_own, image_opp
    return least_own, least_opp


@implements(canonical, Game)
def _(game: Game) -> Any:
    symmetries = np.arange(1, game.symmetry_count)
    return lambda game, own, opp: least_image(game, own, opp, symmetries)


@implements(evaluate, Game)
def _(game: Game) -> Any:
    return lambda game, own, opp: 0


def bits(word: int) -> Iterator[int]:
    """Yield the indices of the set bits of ``word`` in ascending order."""
    while word:
        low = word & -word
        yield low.bit_length() - 1
        word ^= low
