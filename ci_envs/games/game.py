"""What a game is: a value with its parameters, its face in Python, and what its rules are where it does not say."""

import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

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
    symmetry_count,
    transform,
    transform_action,
    write_features,
)
from ci_envs.games.plane_text import grid_diagram, planes_of, position_from_text, position_to_text, rows_of
from ci_envs.games.rules import Rules
from ci_envs.kernels.compiler import inlined
from ci_envs.kernels.dispatch import GameType, Static, implements, is_implemented, is_overridden


@dataclass(frozen=True)
class Game(Static, ABC):
    """Base of all games: a subclass is a frozen dataclass of its parameters, named as the rulebook names them.

    The methods here are a game's face in Python: text, names and pictures. Its rules are the operations of this
    module, implemented with :func:`~ci_envs.kernels.dispatch.implements`.
    """

    shared_board: ClassVar[bool] = False
    """True if both players see the same words, False if the words swap with the view."""

    can_cycle: ClassVar[bool] = False
    """True if play can go on for ever; an environment then truncates it."""

    slides: ClassVar[bool] = False
    """True if an action with two targets shifts the cells between them, which the web page animates."""

    solver: ClassVar[str | None] = None
    """The :class:`~ci_envs.solver.solver.Solver` of exactly this class, as ``"module:Class"``.

    None means a search of all positions. A derived class can have other rules, so it does not inherit the solver.
    """

    position_share: ClassVar[float] = 1.0
    """The measured share of :meth:`position_bound` that play reaches, more than 0 and at most 1."""

    @property
    def upright(self) -> bool:
        """Whether a flipped picture is mirrored, because it would look wrong upside down; by default it is turned."""
        return False

    @property
    @abstractmethod
    def action_count(self) -> int:
        """Number of actions, legal or not."""

    @property
    @abstractmethod
    def observation_shape(self) -> tuple[int, int, int]:
        """Shape (height, width, channels) of the binary planes that show a position."""

    @property
    def symmetry_count(self) -> int:
        """Number of symmetries; number 0 is the identity."""
        return 1

    @abstractmethod
    def start(self) -> tuple[int, int]:
        """The words ``(own, opp)`` of the first position."""

    def action_name(self, action: int) -> str:
        """Return the name of an action: unique in the game, in lower case and without spaces; by default its number."""
        return str(action)

    @cached_property
    def action_numbers(self) -> dict[str, int]:
        """The number of each action by its name."""
        return {self.action_name(action): action for action in range(self.action_count)}

    def to_text(self, own: int, opp: int, to_move: int) -> str:
        """Return one line from which :meth:`from_text` makes the same position.

        By default it has a symbol for each cell of the planes that player 0 would see, row by row, and then the player
        to move: ``X../.O./... 0``.

        Args:
            own: First word of the position.
            opp: Second word.
            to_move: The player to move, 0 or 1.
        """
        return position_to_text(self, own, opp, to_move)

    def from_text(self, text: str) -> tuple[int, int, int]:
        """Return the ``(own, opp, to_move)`` that :meth:`to_text` wrote.

        Raises:
            ValueError: ``text`` is malformed, or no position of this game.
        """
        return position_from_text(self, text)

    def diagram(self, own: int, opp: int, to_move: int) -> str:
        """Return a position in several lines of text, for a terminal; by default the planes that player 0 would see."""
        return grid_diagram(rows_of(planes_of(self, own, opp, to_move)))

    def player_name(self, player: int) -> str:
        """Return the name of player 0 or 1 in texts and on the web page."""
        return ("First", "Second")[player]

    @property
    def how_to_play(self) -> str:
        """The rules in a few sentences, for people; by default the first line of the class docstring."""
        return (inspect.getdoc(type(self)) or "").partition("\n")[0]

    @property
    def example(self) -> tuple[str, str]:
        """A position as text and the name of an action there, to illustrate the rules.

        By default it is the first action of the first position.
        """
        own, opp = self.start()
        action = next(bits(self.rules.examine(self, own, opp)[4]))
        return self.to_text(own, opp, 0), self.action_name(action)

    def contents(self, own: int, opp: int, to_move: int, region: str) -> str:
        """Return in words what a region of the picture of a position shows; by default nothing.

        Args:
            own: First word of the position.
            opp: Second word.
            to_move: The player to move, 0 or 1.
            region: The name of the region.
        """
        return ""

    def click_effect(self, to_move: int, clicked: tuple[str, ...], region: str) -> str:
        """Return in words what a click on a region does, where it is legal, for example ``place X``.

        Args:
            to_move: The player to move, 0 or 1.
            clicked: The regions that were clicked before, of an action that takes several clicks.
            region: The name of the region.
        """
        return "play this move"

    def why_illegal(self, own: int, opp: int, to_move: int, clicked: tuple[str, ...], region: str) -> str:
        """Return in a sentence why a click is illegal, and what a legal click needs.

        Args:
            own: First word of the position.
            opp: Second word.
            to_move: The player to move, 0 or 1.
            clicked: The regions that were clicked before, of an action that takes several clicks.
            region: The name of the region that was clicked.
        """
        return "No legal move is there."

    def prompt(self, own: int, opp: int, clicked: tuple[str, ...]) -> str:
        """Return what the player to move has to do next, for example ``choose a cell``; by default ``choose a move``.

        Args:
            own: First word of the position.
            opp: Second word.
            clicked: The regions that were clicked before, of an action that takes several clicks.
        """
        return "choose a move"

    def preview(self, action: int) -> tuple[str, ...]:
        """Return the regions to mark while the pointer is on the last click of an action; by default that region."""
        return self.targets(action)[-1:]

    def draw(self, own: int, opp: int, to_move: int) -> Drawing:
        """Return a picture of a position.

        By default it shows the planes that player 0 would see. Actions whose :meth:`targets` are named as cells
        (``b3``) or columns (``b``) are clicked there; there is a button for each target of any other name.
        """
        legal_actions = self.rules.examine(self, own, opp)[4]
        targets: dict[str, bool] = {}
        for action in range(self.action_count):
            for target in self.targets(action):
                targets[target] = targets.get(target, False) or bool(legal_actions >> action & 1)
        return planes_drawing(planes_of(self, own, opp, to_move), targets)

    def targets(self, action: int) -> tuple[str, ...]:
        """Return the names of the regions to click one after the other for an action.

        By default it is one region, which has the name of the action. The picture of a position has the regions of
        every legal action. No legal action's regions begin those of another legal action.
        """
        return (self.action_name(action),)

    def trace(self, own: int, opp: int, action: int) -> tuple[str, ...]:
        """The regions in the picture of a position in which one sees what the ``action`` that led there did."""
        return self.targets(action)

    def winning_lines(self, own: int, opp: int) -> tuple[tuple[str, ...], ...]:
        """The lines that decided the game, each the regions that it joins, in order; none where there is none."""
        return ()

    @property
    def feature_names(self) -> tuple[str, ...]:
        """The names of the numbers that :func:`~ci_envs.games.operations.write_features` writes, in their order."""
        return "constant", "mobility", "mobility odd"

    @property
    def has_lines(self) -> bool:
        """Whether the game implements :func:`~ci_envs.games.operations.longest_line`."""
        return is_overridden(longest_line, type(self), Game)

    def position_bound(self, own: int, opp: int) -> int | None:
        """Return an upper bound on the number of positions at and below a position; None if none is known.

        The solver refuses a position with a large bound at once, instead of searching until its memory is full.

        Args:
            own: First word of the position.
            opp: Second word.
        """
        return None

    def training_presets(self) -> Mapping[str, Mapping[str, Any]]:
        """Return the training settings that suit this game, by the name of the learner.

        A learner uses its own defaults for every setting that is missing here.

        Returns:
            For each learner (``alphazero``; ``sb3`` for all algorithms of Stable-Baselines3, or the name of one of them
            for its arguments) the values that differ from the learner's defaults. By default there are none.
        """
        return {}

    @cached_property
    def rules(self) -> Rules:
        """The rules as compiled functions."""
        return Rules(self)

    @cached_property
    def _numba_type_(self) -> GameType:
        self.need(*RULES)
        return super()._numba_type_

    def need(self, *operations: Callable[..., Any]) -> None:
        """Raise a TypeError that names the ``operations`` which this game does not implement, if there are any."""
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
    """``-> (own, opp)``: the least of a position and its images under ``symmetries``, by first word, then by second."""
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
    """The indices of the ones in ``word``, ascending."""
    while word:
        low = word & -word
        yield low.bit_length() - 1
        word ^= low
