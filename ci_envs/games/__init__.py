"""Rules of the games, without learning, input or output. This module exports what a new game needs."""

from ci_envs.drawing.buttons import with_buttons
from ci_envs.drawing.drawing import Drawing, Label, Region
from ci_envs.drawing.grid import GridStyle, grid_drawing
from ci_envs.drawing.hexagons import hex_drawing
from ci_envs.games.board import BoardGame, cell_maps, cell_name
from ci_envs.games.game import Game, bits
from ci_envs.games.grid import GridGame, has_line
from ci_envs.games.operations import (
    DRAW,
    LOSS,
    ONGOING,
    WIN,
    action_count,
    canonical,
    decode,
    evaluate,
    image_of_action,
    initial,
    is_duplicate,
    keeps_turn,
    legal,
    legal_bits,
    longest_line,
    may_end,
    may_end_soon,
    observe,
    other_view,
    play,
    result,
    symmetry_count,
    transform,
    transform_action,
    write_features,
)
from ci_envs.games.plane_text import grid_diagram
from ci_envs.kernels.bits import nth_one, popcount, trailing_zeros
from ci_envs.kernels.compiler import inline_kernel, inlined, kernel, lean_kernel
from ci_envs.kernels.dispatch import implements
from ci_envs.validation import integer_between

__all__ = [
    "DRAW",
    "LOSS",
    "ONGOING",
    "WIN",
    "BoardGame",
    "Drawing",
    "Game",
    "GridGame",
    "GridStyle",
    "Label",
    "Region",
    "action_count",
    "bits",
    "canonical",
    "cell_maps",
    "cell_name",
    "decode",
    "evaluate",
    "grid_diagram",
    "grid_drawing",
    "has_line",
    "hex_drawing",
    "image_of_action",
    "implements",
    "initial",
    "inline_kernel",
    "inlined",
    "integer_between",
    "is_duplicate",
    "keeps_turn",
    "kernel",
    "lean_kernel",
    "legal",
    "legal_bits",
    "longest_line",
    "may_end",
    "may_end_soon",
    "nth_one",
    "observe",
    "other_view",
    "play",
    "popcount",
    "result",
    "symmetry_count",
    "trailing_zeros",
    "transform",
    "transform_action",
    "with_buttons",
    "write_features",
]
