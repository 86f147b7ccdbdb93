"""Texts for people about a game: the rules in a few sentences, an example, and the prompts of the page."""

from dataclasses import dataclass
from functools import singledispatch
from typing import Any

from typing_extensions import override

from ci_envs.drawing.board import column_name
from ci_envs.games.board import BoardGame, cell_name
from ci_envs.games.connect_n import ConnectN
from ci_envs.games.game import Game
from ci_envs.games.nim import Nim
from ci_envs.games.position import Position
from ci_envs.games.quarto import Quarto
from ci_envs.games.quixo import Quixo
from ci_envs.registry.docstring import docstring

_NUMBERS = "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"
_PROPERTIES = (("short", "tall"), ("light", "dark"), ("round", "square"), ("solid", "hollow"))


@dataclass(frozen=True)
class Guide:
    """The texts for people about a game. A derived class replaces those that the game needs.

    Attributes:
        game: The game.

    Examples:
        >>> from ci_envs import Position, TicTacToe
        >>> from ci_envs.guides import guide_of
        >>> guide_of(TicTacToe()).prompt(Position.start(TicTacToe()), ())
        'choose an empty cell'
    """

    game: Any

    def how_to_play(self) -> str:
        """Return the rules in a few sentences, by default the first line of the docstring of the game's class."""
        return docstring(type(self.game)).partition("\n")[0]

    def example(self) -> tuple[str, str]:
        """Return a position as text and the name of an action in it, which illustrate the rules.

        By default they are the initial position and its first legal action.
        """
        start = Position.start(self.game)
        return start.to_text(), start.action_name(start.legal_actions()[0])

    def action_format(self) -> str:
        """Return a sentence that explains the names of the actions. The default is an empty text."""
        return ""

    def phrases(self, action: int) -> tuple[str, ...]:
        """Return other ways to write an action than its name, as regular expressions in lower case."""
        return ()

    def contents(self, position: Position, region: str) -> str:
        """Describe what a region of the picture of a position shows. The default is an empty text."""
        return ""

    def click_effect(self, position: Position, clicked: tuple[str, ...], region: str) -> str:
        """Describe the effect of a legal click on a region, for example ``place X``.

        Args:
            position: The position before the action.
            clicked: The regions that were clicked before, if an action needs several clicks.
            region: The name of the region.
        """
        return "play this move"

    def why_illegal(self, position: Position, clicked: tuple[str, ...], region: str) -> str:
        """Explain in a sentence why a click on a region is illegal, and which clicks are legal."""
        return "No legal move is there."

    def action_text(self, position: Position, action: int) -> str:
        """Return an action of the player to move as text, by default its name."""
        return position.action_name(action)

    def prompt(self, position: Position, clicked: tuple[str, ...]) -> str:
        """Return what the player to move has to do next, for example ``choose a cell``."""
        return "choose a move"

    def preview(self, position: Position, action: int) -> tuple[str, ...]:
        """Return the regions to mark while the pointer is on the last click of an action, by default that region."""
        return position.targets(action)[-1:]


@singledispatch
def guide_of(game: Game) -> Guide:
    """Return the guide of a game: the one that is registered for its class, or for the nearest base of its class.

    ``guide_of.register(Hex, HexGuide)`` registers the guide of a class of games.

    Examples:
        >>> from ci_envs import TicTacToe
        >>> from ci_envs.guides import guide_of
        >>> guide_of(TicTacToe()).example()
        ('XX./OO./... X', 'c1')
    """
    return Guide(game)


class BoardGuide(Guide):
    """The guide of a :class:`~ci_envs.games.board.BoardGame`, which names the stones in the cells."""

    @override
    def contents(self, position: Position, region: str) -> str:
        symbol = self.symbol_at(position, region)
        return "empty" if symbol == "." else symbol

    def symbol_at(self, position: Position, region: str) -> str:
        """Return the symbol of a cell: ``.``, ``X`` or ``O``. It is an empty text if the region is not a cell."""
        game: BoardGame = self.game
        symbols = "".join(game.symbols(position.own, position.opp, position.to_move))
        return dict(zip(game.cell_names, symbols, strict=True)).get(region, "")


class QuixoGuide(BoardGuide):
    """The texts for people about Quixo."""

    game: Quixo

    @override
    def how_to_play(self) -> str:
        size = self.game.size
        return (
            f"The board has {size} x {size} cubes, all blank at the start. In your turn, take a blank cube or"
            " a cube with your own symbol from the border, never one of your opponent's. Push it back in, showing your"
            " symbol, at another end of its row or column; the cubes between slide towards the gap. You win with"
            f" {size} of your symbols in a row, column or diagonal. If your move completes a line of your"
            " opponent's symbol, you lose, even if it completes one of yours too. You cannot pass."
        )

    @override
    def example(self) -> tuple[str, str]:
        size = self.game.size
        rows = ["." + "X" * (size - 1), "O" + "." * (size - 1), *["." * size] * (size - 3), "." * (size - 1) + "O"]
        return f"{'/'.join(rows[:size])} X", f"a1{cell_name(size - 1, size)}"

    @override
    def contents(self, position: Position, region: str) -> str:
        symbol = self.symbol_at(position, region)
        return "blank cube" if symbol == "." else f"cube with {symbol}"

    @override
    def click_effect(self, position: Position, clicked: tuple[str, ...], region: str) -> str:
        return f"push the cube in here, as {self.game.player_name(position.to_move)}" if clicked else "take this cube"

    @override
    def why_illegal(self, position: Position, clicked: tuple[str, ...], region: str) -> str:
        if clicked:
            return f"The cube from {clicked[0]} goes in at another end of its row or column."
        if self.symbol_at(position, region) == self.game.player_name(1 - position.to_move):
            return "That cube belongs to your opponent. Take a blank cube or one of your own."
        return "That cube is not on the border. Take a cube from the border."

    @override
    def action_format(self) -> str:
        return (
            "An action is the cell of the cube that you take, and the cell where you push it in: a1e1 takes the cube at"
            " a1 and pushes it in at e1."
        )

    @override
    def prompt(self, position: Position, clicked: tuple[str, ...]) -> str:
        return "choose where to push the cube in" if clicked else "choose a cube to take"


class ConnectNGuide(BoardGuide):
    """The texts for people about the m,n,k games."""

    game: ConnectN

    @override
    def how_to_play(self) -> str:
        game = self.game
        move = (
            "drop a disc into a column that is not full; it falls to the lowest empty cell."
            if game.gravity
            else "place your symbol in an empty cell."
        )
        return (
            f"The board has {game.rows} rows and {game.cols} columns and is empty at the start. In your turn, {move}"
            f" The first player with {game.n} in a row (in a row, a column or a diagonal, without a gap) wins. If the"
            " board is full and nobody has won, the game is a draw."
        )

    @override
    def example(self) -> tuple[str, str]:
        rows, cols, n = self.game.shape
        if rows < 2 or cols < n:
            return super().example()
        board = [("X" * (n - 1)).ljust(cols, "."), ("O" * (n - 1)).ljust(cols, "."), *["." * cols] * (rows - 2)]
        if self.game.gravity:
            return f"{'/'.join(board[::-1])} X", column_name(n - 1)
        return f"{'/'.join(board)} X", cell_name(n - 1, cols)

    @override
    def contents(self, position: Position, region: str) -> str:
        if region[-1].isdigit():
            return super().contents(position, region)
        rows = self.game.rows
        discs = "".join(self.symbol_at(position, f"{region}{row + 1}") for row in range(rows)).strip(".")
        return f"column with {len(discs)} of {rows} discs, {discs[0]} on top" if discs else "empty column"

    @override
    def click_effect(self, position: Position, clicked: tuple[str, ...], region: str) -> str:
        return f"{'drop' if self.game.gravity else 'place'} {self.game.player_name(position.to_move)}"

    @override
    def why_illegal(self, position: Position, clicked: tuple[str, ...], region: str) -> str:
        if self.game.gravity:
            return "That column is full. Choose a column with an empty cell."
        return "That cell is taken. Choose an empty cell."

    @override
    def action_format(self) -> str:
        return f"An action is a {'column' if self.game.gravity else 'cell'}."

    @override
    def phrases(self, action: int) -> tuple[str, ...]:
        return (f"column {action + 1}",) if self.game.gravity else ()

    @override
    def prompt(self, position: Position, clicked: tuple[str, ...]) -> str:
        return "choose a column" if self.game.gravity else "choose an empty cell"


class NimGuide(Guide):
    """The texts for people about Nim."""

    game: Nim

    @override
    def how_to_play(self) -> str:
        game = self.game
        heaps = "heap" if game.heap_count == 1 else "heaps"
        most = f" You may take at most {game.max_take} at once." if game.max_take else ""
        last = "loses" if game.misere else "wins"
        return (
            f"There are {game.heap_count} {heaps} of matches: {', '.join(map(str, game.heaps))}. In your turn, take one"
            f" or more matches from one heap.{most} The player who takes the last match {last}."
        )

    @override
    def example(self) -> tuple[str, str]:
        game = self.game
        return game.to_text(*game.start(), 0), f"{game.heaps.index(game.largest) + 1}-{min(2, game.limit)}"

    @override
    def contents(self, position: Position, region: str) -> str:
        heap, _ = region.replace("+", "-").split("-")
        size = self.game.sizes(position.own)[int(heap) - 1]
        return f"heap {heap} with {size} {'match' if size == 1 else 'matches'}"

    @override
    def click_effect(self, position: Position, clicked: tuple[str, ...], region: str) -> str:
        count = region.rpartition("-")[2]
        return f"take {count} {'match' if count == '1' else 'matches'}"

    @override
    def why_illegal(self, position: Position, clicked: tuple[str, ...], region: str) -> str:
        if "+" in region:
            return "That match was taken before. Choose a match that is left."
        most = self.game.max_take
        return f"You may take at most {most} at once. Choose a match nearer to the right end of the heap."

    @override
    def action_format(self) -> str:
        return "An action is the number of a heap and the number of matches to take: 2-1 takes 1 match from heap 2."

    @override
    def phrases(self, action: int) -> tuple[str, ...]:
        heap, count = divmod(action, self.game.limit)
        word = f"|{_NUMBERS[count]}" if count < len(_NUMBERS) else ""
        matches, heaps = rf"(?:{count + 1}{word})(?: \w+)??", rf"(?:the )?(?:heap|row|pile)(?: number)? #?{heap + 1}"
        return (
            rf"(?:take|taking|remove|removing) {matches} (?:from|of|off) {heaps}",
            rf"(?:from )?{heaps}[:,]? (?:i )?(?:will |would )?(?:take|remove) {matches}",
        )

    @override
    def prompt(self, position: Position, clicked: tuple[str, ...]) -> str:
        return "choose how many matches to take from one heap"

    @override
    def preview(self, position: Position, action: int) -> tuple[str, ...]:
        heap, count = divmod(action, self.game.limit)
        return tuple(f"{heap + 1}-{taken + 1}" for taken in range(count + 1))


class QuartoGuide(Guide):
    """The texts for people about Quarto."""

    game: Quarto

    @override
    def action_text(self, position: Position, action: int) -> str:
        return position.action_name(action).replace("give", "Give ")

    @override
    def how_to_play(self) -> str:
        fours = "a row, column or diagonal" + (" or a square of 2 x 2 cells" if self.game.squares else "")
        return (
            "There are 16 different pieces: each is tall or short, dark or light, square or round, hollow or solid."
            " Your opponent chooses a piece and gives it to you. Place it on an empty cell of the 4 x 4 board, then"
            f" choose a piece that your opponent must place. You win by placing the fourth piece of {fours} in which"
            " all four pieces have a property in common; it does not matter who placed the other pieces. If the board"
            " is full and nobody has won, the game is a draw."
        )

    @override
    def example(self) -> tuple[str, str]:
        return "135./...8/..../..2. 7 0", "d1"

    @override
    def contents(self, position: Position, region: str) -> str:
        if region.startswith("give"):
            piece = int(region[4:], 16)
            return f"{_in_words(piece)} piece{'' if piece in self.game.pieces_left(position.opp) else ', not left'}"
        pieces = self.game.pieces(position.own, position.opp)
        found = {cell_name(cell, 4): piece for cell, piece in enumerate(pieces)}[region]
        return "empty" if found is None else f"{_in_words(found)} piece"

    @override
    def click_effect(self, position: Position, clicked: tuple[str, ...], region: str) -> str:
        return "give this piece" if region.startswith("give") else "place the piece"

    @override
    def why_illegal(self, position: Position, clicked: tuple[str, ...], region: str) -> str:
        placing = self._is_placing(position)
        if region.startswith("give"):
            return "Place the piece first." if placing else "That piece was given before. Choose a piece that is left."
        return "That cell is taken. Choose an empty cell." if placing else "Choose a piece to give first."

    @override
    def action_format(self) -> str:
        return (
            "Pieces have the hexadecimal numbers 0 to f. An action is the cell where you place your piece, or the word"
            " give and the number of the piece for your opponent: give5."
        )

    @override
    def phrases(self, action: int) -> tuple[str, ...]:
        _, give, piece = self.game.action_name(action).rpartition("give")
        number = "(?:piece |number |#)" + "?" * piece.isdigit()  # without one of these, "a" is an article
        return (rf"giv(?:e|ing)(?: you| them| my opponent)?(?: the)? {number}{piece}",) if give else ()

    @override
    def prompt(self, position: Position, clicked: tuple[str, ...]) -> str:
        return "place the piece" if self._is_placing(position) else "choose a piece to give"

    def _is_placing(self, position: Position) -> bool:
        return self.game.in_hand(position.opp) is not None


def _in_words(piece: int) -> str:
    """Return the properties of a piece, for example ``tall dark round solid``."""
    return " ".join(words[piece >> attribute & 1] for attribute, words in enumerate(_PROPERTIES))


guide_of.register(BoardGame, BoardGuide)
guide_of.register(Quixo, QuixoGuide)
guide_of.register(ConnectN, ConnectNGuide)
guide_of.register(Nim, NimGuide)
guide_of.register(Quarto, QuartoGuide)
