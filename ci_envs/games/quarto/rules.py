"""The rules of Quarto, and its observation."""

from typing import Any

import numpy as np

from ci_envs.games.grid import line_steps
from ci_envs.games.operations import (
    DRAW,
    ONGOING,
    WIN,
    decode,
    keeps_turn,
    legal,
    observe,
    play,
    result,
)
from ci_envs.games.quarto.game import Quarto
from ci_envs.games.quarto.layout import CELLS, HAND, HOLDING, LANE, LANES, SPREAD, USED
from ci_envs.kernels.dispatch import implements


@implements(legal, Quarto)
def _(game: Quarto) -> Any:
    one, cells = np.uint64(1), np.uint64(CELLS)

    def kernel(game, own, opp, action):
        placing = (opp >> np.uint64(HOLDING)) & one
        # the bits of given pieces follow the bits of occupied cells, as the actions that give follow those that place
        free = (opp >> np.uint64(action)) & one == np.uint64(0)
        return free and (np.uint64(action) < cells) == (placing == one)

    return kernel


@implements(play, Quarto)
def _(game: Quarto) -> Any:
    one, board = np.uint64(1), np.uint64((1 << HAND) - 1)
    spread = SPREAD

    def kernel(game, own, opp, action):
        action = np.uint64(action)
        if action < np.uint64(CELLS):
            piece = (opp >> np.uint64(HAND)) & np.uint64(15)
            return own | (spread[piece] << action), (opp & board) | (one << action)
        piece = action - np.uint64(CELLS)
        return own, opp | (one << action) | (piece << np.uint64(HAND)) | (one << np.uint64(HOLDING))

    return kernel


@implements(keeps_turn, Quarto)
def _(game: Quarto) -> Any:
    return lambda game, own, opp, action: np.uint64(action) < np.uint64(CELLS)


@implements(result, Quarto)
def _(game: Quarto) -> Any:
    steps, starts = line_steps(4, 4, 4)
    starts = starts * LANES
    squares = np.uint64(0x0777 if game.squares else 0) * LANES

    def kernel(game, own, opp):
        if opp >> np.uint64(HOLDING):  # a quarto ends the game as soon as it is placed
            return ONGOING
        occupied = opp & LANE
        for alike in (own, (occupied * LANES) & ~own):  # the cells that have an attribute, and those that lack it
            for direction in range(4):
                line = starts[direction]
                for k in range(4):
                    line &= alike >> (np.uint64(k) * steps[direction])
                if line:
                    return WIN
            if squares & alike & (alike >> np.uint64(1)) & (alike >> np.uint64(4)) & (alike >> np.uint64(5)):
                return WIN
        return DRAW if occupied == LANE else ONGOING

    return kernel


@implements(observe, Quarto)
def _(game: Quarto) -> Any:
    one = np.uint64(1)

    def kernel(game, own, opp, planes):
        for cell in range(CELLS):
            for attribute in range(4):
                planes[cell // 4, cell % 4, 1 + attribute] = (own >> np.uint64(16 * attribute + cell)) & one
            planes[cell // 4, cell % 4, 0] = (opp >> np.uint64(cell)) & one
            planes[cell // 4, cell % 4, 5] = (opp >> np.uint64(HOLDING)) & one
            for attribute in range(4):
                planes[cell // 4, cell % 4, 6 + attribute] = (opp >> np.uint64(HAND + attribute)) & one

    return kernel


@implements(decode, Quarto)
def _(game: Quarto) -> Any:
    one, pieces = np.uint64(1), np.uint64(USED)

    def kernel(game, planes):
        own = opp = np.uint64(0)
        for cell in range(CELLS):
            row, col = cell // 4, cell % 4
            if planes[row, col, 0]:
                piece = np.uint64(0)
                for attribute in range(4):
                    bit = np.uint64(planes[row, col, 1 + attribute])
                    piece |= bit << np.uint64(attribute)
                    own |= bit << np.uint64(16 * attribute + cell)
                opp |= (one << np.uint64(cell)) | (one << (pieces + piece))
        if planes[0, 0, 5]:
            hand = np.uint64(0)
            for attribute in range(4):
                hand |= np.uint64(planes[0, 0, 6 + attribute]) << np.uint64(attribute)
            opp |= (one << (pieces + hand)) | (hand << np.uint64(HAND)) | (one << np.uint64(HOLDING))
        return own, opp

    return kernel
