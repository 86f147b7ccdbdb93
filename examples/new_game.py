"""Add your own game: Chomp. Its rules are three short kernels.

A bar of chocolate has ``rows`` x ``cols`` squares. The top left square is poisoned. The players take turns. A player
chooses a square, and eats it with all squares below and to the right of it. The player who eats the poisoned square
loses. (Fred Schuh 1952; David Gale, "A curious Nim-type game", American Mathematical Monthly 81, 1974.)

The first player wins on every bar with more than one square, by Gale's strategy-stealing argument. The argument does
not give the winning action. On a square bar it is known: ``b2`` leaves two arms of equal length, and then the first
player keeps them equal.

Run it with ``python examples/new_game.py``. docs/adding_a_game.md explains this file.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import comb
from typing import Annotated, Any, ClassVar

import numpy as np
import rich

from ci_envs import Game, Option, Position, Untrusted, check_game, make, make_agent, register, solve
from ci_envs.arena import compare, tables
from ci_envs.games import (
    ONGOING,
    WIN,
    Drawing,
    GridStyle,
    cell_name,
    decode,
    grid_diagram,
    grid_drawing,
    implements,
    legal,
    observe,
    play,
    result,
    transform,
    transform_action,
)
from ci_envs.guides import Guide, guide_of
from ci_envs.training.presets import Presets, training_presets

ONE = np.uint64(1)

_SQUARE = '<rect x="3" y="3" width="94" height="94" rx="8" fill="#6b4226"/>'
_POISON = '<circle cx="50" cy="50" r="24" fill="#9ccc3c"/>'
BAR = GridStyle(board="#e9e2d6", cells={".": "", "#": _SQUARE, "!": _SQUARE + _POISON})


@dataclass(frozen=True)
class Chomp(Game):
    """Chomp on a bar of ``rows`` x ``cols`` squares (each 1 to 8).

    The number of a square is ``row * cols + col``, counted from the top left. It is the number of the action that eats
    the square, and the number of its bit in the first word. The bit is 1 if the square is left. The second word is 0.
    """

    rows: Annotated[int, Option("rows of the bar", ge=1, le=8, untrusted=Untrusted())] = 4
    cols: Annotated[int, Option("columns of the bar", ge=1, le=8, untrusted=Untrusted())] = 5

    shared_board: ClassVar[bool] = True

    @property
    def action_count(self) -> int:
        """One action for each square."""
        return self.rows * self.cols

    @property
    def observation_shape(self) -> tuple[int, int, int]:
        """One plane with 1 for each square that is left."""
        return self.rows, self.cols, 1

    @property
    def symmetry_count(self) -> int:
        """2 for a square bar, which has the reflection in the diagonal as a symmetry, otherwise 1."""
        return len(self.square_maps())

    def square_maps(self) -> list[list[int]]:
        """Return the symmetries, with the identity first. ``maps[s][square]`` is the image of ``square``."""
        squares = np.arange(self.action_count).reshape(self.rows, self.cols)
        images = [squares, squares.T] if self.rows == self.cols else [squares]
        return [image.ravel().tolist() for image in images]

    def start(self) -> tuple[int, int]:
        """Return the words of the whole bar."""
        return (1 << self.action_count) - 1, 0

    def action_name(self, action: int) -> str:
        """Return the letter of the column and the number of the row, for example ``b2``."""
        return cell_name(action, self.cols)

    def lengths(self, own: int) -> list[int]:
        """Return the number of squares left in each row of a first word."""
        row = (1 << self.cols) - 1
        return [(own >> top & row).bit_count() for top in range(0, self.action_count, self.cols)]

    def pack(self, lengths: Sequence[int]) -> int:
        """Return the first word for these numbers of squares in the rows."""
        return sum(((1 << length) - 1) << row * self.cols for row, length in enumerate(lengths))

    def to_text(self, own: int, opp: int, to_move: int) -> str:
        """Return the squares left in each row, then the player to move, for example ``5,5,2,1 0``."""
        return f"{','.join(map(str, self.lengths(own)))} {to_move}"

    def from_text(self, text: str) -> tuple[int, int, int]:
        """Return the position of a text from :meth:`to_text`. A row is never longer than the row above it."""
        match = re.fullmatch(r"(\d(?:,\d)*) ([01])", text, re.ASCII)
        lengths = [int(length) for length in match[1].split(",")] if match else []
        descending = sorted([self.cols, *lengths], reverse=True) == [self.cols, *lengths]
        if match is None or len(lengths) != self.rows or not descending:
            raise ValueError(
                f"{text!r} is not a position of {self}: {self.rows} lengths of at most {self.cols}, none above the one"
                f" before, then 0 or 1 to move: {self.to_text(*self.start(), 0)!r}"
            )
        return self.pack(lengths), 0, int(match[2])

    def diagram(self, own: int, opp: int, to_move: int) -> str:
        """Return the bar as text, with the names of columns and rows."""
        return grid_diagram(self.symbols(own))

    def draw_board(self, own: int, opp: int, to_move: int) -> Drawing:
        """Return the bar as a picture."""
        return grid_drawing(self.symbols(own), BAR)

    def symbols(self, own: int) -> list[str]:
        """Return the rows of the bar: ``#`` is a square, ``!`` the poisoned square, ``.`` an eaten square."""
        rows = [("#" * length).ljust(self.cols, ".") for length in self.lengths(own)]
        return [rows[0].replace("#", "!", 1), *rows[1:]]

    def position_bound(self, own: int, opp: int) -> int:
        """Return the number of positions: each one is a path along the edges from corner to corner of the bar."""
        return comb(self.rows + self.cols, self.rows)


@implements(legal, Chomp)
def _(game: Chomp) -> Any:
    return lambda game, own, opp, action: (own >> action) & ONE == ONE


@implements(play, Chomp)
def _(game: Chomp) -> Any:
    bites = [(row, col) for row in range(game.rows) for col in range(game.cols)]
    # a bite leaves the rows above it, and the squares to the left of it in the other rows
    kept = np.array([game.pack([game.cols] * row + [col] * (game.rows - row)) for row, col in bites], dtype=np.uint64)
    return lambda game, own, opp, action: (own & kept[action], opp)


@implements(result, Chomp)
def _(game: Chomp) -> Any:
    # if no square is left, the opponent has just eaten the poisoned square
    return lambda game, own, opp: WIN if own == np.uint64(0) else ONGOING


@implements(observe, Chomp)
def _(game: Chomp) -> Any:
    cols, squares = game.cols, game.action_count

    def kernel(game: Any, own: Any, opp: Any, planes: Any) -> None:
        for square in range(squares):
            planes[square // cols, square % cols, 0] = (own >> np.uint64(square)) & ONE

    return kernel


@implements(decode, Chomp)
def _(game: Chomp) -> Any:
    cols, squares = game.cols, game.action_count

    def kernel(game: Any, planes: Any) -> Any:
        own = np.uint64(0)
        for square in range(squares):
            own |= np.uint64(planes[square // cols, square % cols, 0]) << np.uint64(square)
        return own, np.uint64(0)

    return kernel


@implements(transform, Chomp)
def _(game: Chomp) -> Any:
    maps = np.array(game.square_maps(), dtype=np.uint64)
    squares = game.action_count

    def kernel(game: Any, symmetry: Any, own: Any, opp: Any) -> Any:
        image = np.uint64(0)
        for square in range(squares):
            image |= ((own >> np.uint64(square)) & ONE) << maps[symmetry, square]
        return image, opp

    return kernel


@implements(transform_action, Chomp)
def _(game: Chomp) -> Any:
    maps = np.array(game.square_maps(), dtype=np.int64)
    return lambda game, symmetry, action: maps[symmetry, action]


class ChompGuide(Guide):
    """The texts for players on the web page."""

    def how_to_play(self) -> str:
        """Return the rules for players."""
        return (
            "Choose a square of the bar. You eat it with all squares below it and to the right of it. The top left"
            " square is poisoned: the player who eats it loses."
        )

    def prompt(self, position: Position, clicked: tuple[str, ...]) -> str:
        """Ask for a square."""
        return "choose a square to eat"


guide_of.register(Chomp, ChompGuide)


@training_presets.register
def _(game: Chomp) -> Presets:
    # the ladder contains "exact", because small bars are solved in seconds
    return {"alphazero": {"random_plies": 3, "ladder": ("random", "minimax:depth=2", "exact"), "capacity": 30_000}}


register("Chomp-v0", Chomp)


def winning_bites(game: Chomp) -> list[str]:
    """Return the names of the first actions that win, from the exact solution."""
    start = Position.start(game)
    return [game.action_name(action) for action in solve(game).value_actions(start)]


def first_bite(size: int) -> str:
    """Return the name of minimax's first action on a square bar. The search reaches the end of the game."""
    env = make(f"Chomp-v0:rows={size},cols={size}")
    env.reset()
    minimax = make_agent(f"minimax:depth={size * size}", env, seed=0)
    return env.game.action_name(minimax.act(env.observe("player_0")))


def show_perfect_play() -> None:
    """Play minimax against itself on the default bar, in the AEC environment, and print the game."""
    env = make("Chomp-v0", render_mode="ansi")
    minimax = make_agent(f"minimax:depth={env.game.action_count}", env, seed=0)
    env.reset()
    for agent in env.agent_iter():
        observation, reward, termination, truncation, _ = env.last()
        if termination or truncation:
            print(f"{agent}: {reward:+g}")
            env.step(None)
        else:
            action = minimax.act(observation)
            print(f"{env.render()}: {env.game.action_name(action)}\n")
            env.step(action)


if __name__ == "__main__":
    check_game(Chomp())
    print(f"4 x 4 squares: minimax begins with {first_bite(4)}")
    print(f"4 x 5 squares: the winning first bites are {', '.join(winning_bites(Chomp()))}")
    print("\noptimal play of both players:\n")
    show_perfect_play()
    print("\nminimax searches to the end of the game, so the first player wins each game between two minimax agents:\n")
    rich.print(tables(compare("Chomp-v0", ["random", "minimax:depth=20", "minimax:depth=20"], games=100)))
