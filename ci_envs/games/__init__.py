"""Rules of the games: no learning, no input or output. What it takes to write a game of one's own is exported here."""

from ci_envs.games.compiled import implements, inlined, kernel, lean_kernel, nth_one, popcount, trailing_zeros
from ci_envs.games.drawing import Drawing, GridStyle, Label, grid_drawing
from ci_envs.games.game import Game, bits
from ci_envs.games.grid import GridGame, cell_maps, cell_name, has_line
from ci_envs.games.operations import (
    DRAW,
    LOSS,
    ONGOING,
    WIN,
    action_count,
    decode,
    evaluate,
    initial,
    is_duplicate,
    keeps_turn,
    legal,
    observe,
    play,
    result,
    symmetry_count,
    transform,
    transform_action,
)
from ci_envs.games.parameters import integer_between

__all__ = [
    "DRAW",
    "LOSS",
    "ONGOING",
    "WIN",
    "Drawing",
    "Game",
    "GridGame",
    "GridStyle",
    "Label",
    "action_count",
    "bits",
    "cell_maps",
    "cell_name",
    "decode",
    "evaluate",
    "grid_drawing",
    "has_line",
    "implements",
    "initial",
    "inlined",
    "integer_between",
    "is_duplicate",
    "keeps_turn",
    "kernel",
    "lean_kernel",
    "legal",
    "nth_one",
    "observe",
    "play",
    "popcount",
    "result",
    "symmetry_count",
    "trailing_zeros",
    "transform",
    "transform_action",
]
