"""A position of a game as an immutable value: the Python API of the rules."""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import FrozenInstanceError
from functools import lru_cache
from itertools import compress, count
from pathlib import Path
from typing import NoReturn, Self, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from ci_envs.drawing.drawing import Drawing
from ci_envs.drawing.picture_file import save_picture
from ci_envs.games.game import Game
from ci_envs.games.operations import DRAW, ONGOING, WIN
from ci_envs.games.rules import Facts
from ci_envs.validation import exact_integer, integer_between

_BITS = bytes.maketrans(b"01", b"\0\1")
_LARGEST = 2**64 - 1


class Position:
    """An immutable, hashable position. Playing an action returns a new position.

    Attributes:
        game: the game with its parameters.
        to_move: the player to move, 0 or 1. It need not alternate: in Quarto the player who places also gives.

    Examples:
        >>> from ci_envs import Position, TicTacToe
        >>> position = Position.start(TicTacToe())
        >>> print(position.play("b2").play("a1"))
        O../.X./... X
    """

    __slots__ = ("_facts", "game", "to_move")

    game: Game
    to_move: int
    _facts: Facts

    def __init__(self, game: Game, own: int, opp: int, to_move: int = 0) -> None:
        """Make a position from its words (:mod:`ci_envs.games.operations`), without checking that play can reach it.

        Args:
            game: the game with its parameters.
            own: first 64-bit word, from the point of view of the player to move.
            opp: second 64-bit word.
            to_move: the player to move, 0 or 1.

        Raises:
            TypeError: ``game`` is not a game.
            ValueError: a word is no integer of 64 bits, or there is no such player.
        """
        if not (type(own) is type(opp) is int and 0 <= own <= _LARGEST and 0 <= opp <= _LARGEST):
            own, opp = _word(own), _word(opp)
        if type(to_move) is not int or not 0 <= to_move <= 1:
            to_move = integer_between("to_move", to_move, 0, 1)
        try:
            facts = game.rules.examine(game, own, opp)
        except AttributeError:
            _check_game(game)
            raise
        _set_game(self, game)
        _set_to_move(self, to_move)
        _set_facts(self, facts)

    @property
    def own(self) -> int:
        """The first 64-bit word, from the point of view of the player to move (:mod:`ci_envs.games.operations`)."""
        return self._facts[0]

    @property
    def opp(self) -> int:
        """The second 64-bit word."""
        return self._facts[1]

    @classmethod
    def start(cls, game: Game) -> Self:
        """Return the initial position of ``game``.

        Raises:
            TypeError: ``game`` is not a game.

        Examples:
            >>> from ci_envs import Nim, Position
            >>> print(Position.start(Nim((1, 3, 5))))
            1,3,5 0
        """
        _check_game(game)
        return cls(game, *game.start())

    @classmethod
    def from_text(cls, game: Game, text: str) -> Self:
        """Return the position of a text that :meth:`to_text` wrote.

        Raises:
            TypeError: ``text`` is no text, or ``game`` no game.
            ValueError: ``text`` is malformed, or is not a position of this game.

        Examples:
            >>> from ci_envs import Position, TicTacToe
            >>> Position.from_text(TicTacToe(), "XX./OO./... X").legal_actions()
            (2, 5, 6, 7, 8)
        """
        _check_game(game)
        if not isinstance(text, str):
            raise TypeError(f"a position is a text such as {game.to_text(*game.start(), 0)!r}, not {text!r}")
        position = cls(game, *game.from_text(text))
        if position.result is None and not position.legal_actions():
            raise ValueError(f"{text!r} is not a position of {game}: the game goes on, but no action is legal")
        return position

    @classmethod
    def from_words(cls, game: Game, own: int, opp: int) -> Self:
        """Return the position of two words, in which player 0 is to move if that is possible, otherwise player 1.

        Raises:
            ValueError: the words are not a position of this game.

        Examples:
            >>> from ci_envs import Position, TicTacToe
            >>> print(Position.from_words(TicTacToe(), 16, 1))
            O../.X./... X
        """
        _check_game(game)
        for position in (cls(game, own, opp), cls(game, own, opp, 1)):
            with suppress(ValueError, IndexError):  # a word with a cell outside the board has no text
                if cls.from_text(game, position.to_text()) == position:
                    return position
        raise ValueError(f"{own} and {opp} are not the words of a position of {game}")

    @classmethod
    def from_observation(cls, game: Game, planes: NDArray[np.int8], to_move: int = 0) -> Self:
        """Return the position whose player to move observes ``planes`` (int8 of shape ``game.observation_shape``).

        Raises:
            TypeError: ``game`` is not a game.
            ValueError: ``planes`` have another shape, or are not those of a position of this game, for either player.

        Examples:
            >>> from ci_envs import Position, TicTacToe
            >>> position = Position.from_text(TicTacToe(), "XX./OO./... X")
            >>> Position.from_observation(TicTacToe(), position.observation()) == position
            True
        """
        _check_game(game)
        if np.shape(planes) != game.observation_shape:
            raise ValueError(f"planes of {game} have the shape {game.observation_shape}, not {np.shape(planes)}")
        if not np.isin(planes, (0, 1)).all():
            raise ValueError(f"planes of {game} have the values 0 and 1, not {np.unique(planes).tolist()}")
        own, opp = game.rules.decode(game, np.ascontiguousarray(planes, dtype=np.int8))
        position = cls(game, own, opp, to_move)
        if not np.array_equal(position.observation(), planes):
            raise ValueError(f"the planes are not those of a position of {game}: the nearest one is {position}")
        try:
            cls.from_words(game, own, opp)
        except ValueError:
            raise ValueError(f"the planes are not those of a position of {game}, for neither player") from None
        return position

    def legal_actions(self) -> tuple[int, ...]:
        """Return the numbers of the legal actions in ascending order; an empty tuple if the game is over.

        Examples:
            >>> from ci_envs import Position, TicTacToe
            >>> Position.start(TicTacToe()).play("b2").legal_actions()
            (0, 1, 2, 3, 5, 6, 7, 8)
        """
        return _numbers(self._facts[4])

    def play(self, action: SupportsIndex | str) -> Self:
        """Return the position after an action.

        Args:
            action: The number of the action, or its name (:meth:`action_name`).

        Raises:
            TypeError: ``action`` is neither an integer nor a text.
            ValueError: ``action`` is unknown or illegal in this position, or the game is over.

        Examples:
            >>> from ci_envs import Position, TicTacToe
            >>> print(Position.start(TicTacToe()).play("b2").play(0))
            O../.X./... X
        """
        number = action if type(action) is int else self._number_of(action)
        own, opp, _, _, legal = self._facts
        if number < 0 or not legal >> number & 1:
            self._refuse(number)
        game = self.game
        facts = game.rules.advance(game, own, opp, number)
        position = _new(type(self))
        _set_game(position, game)
        _set_to_move(position, self.to_move if facts[3] else 1 - self.to_move)
        _set_facts(position, facts)
        return position

    @property
    def result(self) -> int | None:
        """None while the game goes on, else +1, 0 or -1 for the player to move.

        Examples:
            >>> from ci_envs import Position, TicTacToe
            >>> Position.from_text(TicTacToe(), "XXX/OO./... O").result
            -1
        """
        outcome = self._facts[2]
        return None if outcome == ONGOING else outcome

    @property
    def winner(self) -> int | None:
        """The player who has won, 0 or 1; None if the game is drawn or goes on.

        Examples:
            >>> from ci_envs import Position, TicTacToe
            >>> Position.from_text(TicTacToe(), "XXX/OO./... O").winner
            0
        """
        result = self.result
        return None if not result else self.to_move if result == WIN else 1 - self.to_move

    def action_name(self, action: SupportsIndex) -> str:
        """Return the name of an action: for example ``a1e1`` in Quixo, ``2-1`` in Nim, ``give5`` in Quarto.

        Raises:
            ValueError: the number is out of range.

        Examples:
            >>> from ci_envs import Position, Quixo
            >>> Position.start(Quixo()).action_name(0)
            'a1e1'
        """
        return self.game.name_for(self.to_move, _number_of(self.game, action))

    def line_names(self, actions: Iterable[SupportsIndex]) -> list[str]:
        """Return the names of actions that are played one after the other from this position.

        Raises:
            ValueError: an action is illegal.

        Examples:
            >>> from ci_envs import Position, TicTacToe
            >>> Position.start(TicTacToe()).line_names([4, 0])
            ['b2', 'a1']
        """
        names, position = list[str](), self
        for action in actions:
            names.append(position.action_name(action))
            position = position.play(action)
        return names

    def targets(self, action: int) -> tuple[str, ...]:
        """Return the regions of the picture to click, in order, for an action of the player to move.

        Raises:
            ValueError: the number is out of range. This holds for :meth:`last_targets` and :meth:`trace` too.

        Examples:
            >>> from ci_envs import Position, Quixo
            >>> Position.start(Quixo()).targets(0)
            ('a1', 'e1')
        """
        return self.game.regions_for(self.to_move, self.game.targets(_number_of(self.game, action)))

    def last_targets(self, last: int) -> tuple[str, ...]:
        """Return the regions that were clicked for the last action, which the other player played.

        Examples:
            >>> from ci_envs import Position, Quixo
            >>> Position.start(Quixo()).play(0).last_targets(0)
            ('a1', 'e1')
        """
        return self.game.regions_for(1 - self.to_move, self.game.targets(_number_of(self.game, last)))

    def trace(self, last: int) -> tuple[str, ...]:
        """Return the regions of the picture that show the effect of the last action, which the other player played.

        Examples:
            >>> from ci_envs import ConnectFour, Position
            >>> Position.start(ConnectFour()).play("d").trace(3)
            ('d6',)
        """
        return self.game.regions_for(1 - self.to_move, self.game.trace(self.own, self.opp, _number_of(self.game, last)))

    def winning_lines(self) -> tuple[tuple[str, ...], ...]:
        """Return the lines that decided the game, each as the names of its regions in order.

        Examples:
            >>> from ci_envs import Position, TicTacToe
            >>> Position.from_text(TicTacToe(), "XXX/OO./... O").winning_lines()
            (('a1', 'b1', 'c1'),)
        """
        lines = self.game.winning_lines(self.own, self.opp)
        return tuple(self.game.regions_for(self.to_move, line) for line in lines)

    def parse_action(self, text: str) -> int:
        """Return the number of the legal action with a name.

        Raises:
            TypeError: the name is no text.
            ValueError: the name is unknown, or the action is illegal in this position.

        Examples:
            >>> from ci_envs import Position, Quixo
            >>> Position.start(Quixo()).parse_action("a1e1")
            0
        """
        if not isinstance(text, str):
            raise TypeError(f"the name of an action is a text such as {self.action_name(0)!r}, not {text!r}")
        number = self.game.numbers_for(self.to_move).get(text.strip().lower())
        if number is None:
            raise ValueError(f"{text!r} is not an action of {self.game}; {self._legal_names()}")
        if not self._facts[4] >> number & 1:
            self._refuse(number)
        return number

    def observation(self) -> NDArray[np.int8]:
        """Return the planes that the player to move observes, int8 of shape ``game.observation_shape``.

        Examples:
            >>> from ci_envs import Position, TicTacToe
            >>> Position.start(TicTacToe()).play("b2").observation()[:, :, 1]
            array([[0, 0, 0],
                   [0, 1, 0],
                   [0, 0, 0]], dtype=int8)
        """
        return self.game.rules.observation(self.own, self.opp)[0]

    @property
    def symmetries(self) -> tuple[Self, ...]:
        """The images of this position under the game's symmetries, itself first. Images can be equal.

        Examples:
            >>> from ci_envs import Position, TicTacToe
            >>> len(Position.start(TicTacToe()).play("a1").symmetries)
            8
        """
        images = self.game.rules.images(self.game, self.own, self.opp)
        return tuple(type(self)(self.game, own, opp, self.to_move) for own, opp in images.tolist())

    def to_text(self) -> str:
        """Return one line of text from which :meth:`from_text` makes the same position.

        Examples:
            >>> from ci_envs import Position, TicTacToe
            >>> Position.start(TicTacToe()).play("b2").to_text()
            '.../.X./... O'
        """
        return self.game.to_text(self.own, self.opp, self.to_move)

    def diagram(self) -> str:
        """Return the board in several lines of text, and the player to move or the result.

        Examples:
            >>> from ci_envs import Position, TicTacToe
            >>> print(Position.start(TicTacToe()).play("b2").diagram())
              a b c
            1 . . .
            2 . X .
            3 . . .
            O to move
        """
        return f"{self.game.diagram(self.own, self.opp, self.to_move)}\n{self._status()}"

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return f"Position.from_text({self.game!r}, {self.to_text()!r})"

    def draw(self) -> Drawing:
        """Return the picture of the board.

        Examples:
            >>> from ci_envs import Position, TicTacToe
            >>> drawing = Position.start(TicTacToe()).draw()
        """
        return self.game.draw(self.own, self.opp, self.to_move)

    def to_svg(self) -> str:
        """Return the picture of the board as an SVG document.

        Examples:
            >>> from ci_envs import Position, TicTacToe
            >>> Position.start(TicTacToe()).to_svg()[:4]
            '<svg'
        """
        return self.draw().svg()

    def save(self, path: str | Path) -> None:
        """Write the picture of the board to a file, as SVG or PNG depending on its ending.

        Raises:
            ValueError: The file name has another ending.
            DependencyNotInstalled: A PNG needs pygame, which is not installed.
            OSError: The file cannot be written.

        Examples:
            >>> from ci_envs import Position, TicTacToe
            >>> Position.start(TicTacToe()).save("board.svg")  # doctest: +SKIP
        """
        save_picture(self.draw(), path)

    def _repr_svg_(self) -> str:
        return self.to_svg()

    def _number_of(self, action: SupportsIndex | str) -> int:
        if isinstance(action, str):
            return self.parse_action(action)
        number = exact_integer(action)
        if number is None:
            raise TypeError(f"an action must be an integer or the name of an action, not {action!r}")
        return number

    def _refuse(self, action: int) -> NoReturn:
        raise ValueError(f"action {action} is illegal in {self.to_text()!r}; {self._legal_names()}")

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __reduce__(self) -> tuple[type[Self], tuple[Game, int, int, int]]:
        return type(self), self._key()

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise FrozenInstanceError(f"a position is immutable: cannot assign to {name!r}")

    def __delattr__(self, name: str) -> NoReturn:
        raise FrozenInstanceError(f"a position is immutable: cannot delete {name!r}")

    def _key(self) -> tuple[Game, int, int, int]:
        return self.game, *self._facts[:2], self.to_move

    def _status(self) -> str:
        if self.winner is not None:
            return f"{self.game.player_name(self.winner)} has won"
        return "a draw" if self.result == DRAW else f"{self.game.player_name(self.to_move)} to move"

    def _legal_names(self) -> str:
        names = [f"{self.action_name(action)} ({action})" for action in self.legal_actions()]
        return f"legal are {', '.join(names)}" if names else "the game is over"


# assigning to a slot with its descriptor is twice as fast as with object.__setattr__
_new = object.__new__
_set_game, _set_to_move, _set_facts = (Position.__dict__[name].__set__ for name in ("game", "to_move", "_facts"))


def _check_game(game: object) -> None:
    if not isinstance(game, Game):
        raise TypeError(f"a position needs a game such as Quixo(size=5), not {game!r}")


def _word(value: object) -> int:
    word = exact_integer(value)
    if word is None or not 0 <= word <= _LARGEST:
        raise ValueError(f"a word of a position must be a whole number of 64 bits, not {value!r}")
    return word


@lru_cache(maxsize=1 << 14)
def _numbers(bits: int) -> tuple[int, ...]:
    """Return the indices of the set bits in ascending order."""
    return tuple(compress(count(), f"{bits:b}"[::-1].encode().translate(_BITS)))


def _number_of(game: Game, action: SupportsIndex) -> int:
    number = exact_integer(action)
    if number is None or not 0 <= number < game.action_count:
        raise ValueError(f"{game} has the actions 0 to {game.action_count - 1}, not {action!r}")
    return number
