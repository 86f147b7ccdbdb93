"""``check_game`` finds errors in the rules and the views of games like those of ``examples/games``."""

import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from ci_envs import check_game
from ci_envs.checking.error import InvalidGameError
from ci_envs.games import (
    LOSS,
    ONGOING,
    WIN,
    cell_maps,
    evaluate,
    implements,
    inlined,
    is_duplicate,
    keeps_turn,
    legal,
    legal_bits,
    may_end,
    other_view,
    play,
    result,
    transform_action,
)

sys.path.append(str(Path(__file__).parents[1] / "examples" / "games"))

from breakthrough import Breakthrough

ZERO, ONE = np.uint64(0), np.uint64(1)
WRONG = {}


def wrong(name, message, builders=None, base=Breakthrough, **members):
    """Register a game that differs from ``base`` by members and operations, and the message of its check."""
    cls = dataclass(frozen=True)(type(f"Wrong{len(WRONG)}", (base,), {"__module__": __name__, **members}))
    for operation, build in (builders or {}).items():
        implements(operation, cls)(build)
    WRONG[name] = (cls, message)


@inlined
def turned(word, cells):
    image = ZERO
    for cell in range(cells):
        image |= ((word >> np.uint64(cell)) & ONE) << np.uint64(cells - 1 - cell)
    return image


def play_with(swaps, turns, captures=True):
    """Return a builder of ``play``: a move, the removal of the captured stone, and then a change of the view."""

    def build(game):
        starts, ends = (ONE << np.array(cells, dtype=np.uint64) for cells in zip(*game.moves, strict=True))
        cells = game.rows * game.cols

        def kernel(game, own, opp, action):
            own = own ^ starts[action] | ends[action]
            opp = opp & ~ends[action] if captures else opp
            if turns:
                own, opp = turned(own, cells), turned(opp, cells)
            return (opp, own) if swaps else (own, opp)

        return kernel

    return build


def straight_moves_onto_stones(game):
    starts, ends = (np.array(cells, dtype=np.uint64) for cells in zip(*game.moves, strict=True))
    return lambda game, own, opp, action: (own >> starts[action]) & ONE == ONE and (own >> ends[action]) & ONE == ZERO


def won_for_the_wrong_player(game):
    home = np.uint64(((1 << game.cols) - 1) << (game.rows - 1) * game.cols)
    return lambda game, own, opp: WIN if own == ZERO or opp & home != ZERO else ONGOING


def won_by_captures_only(game):
    return lambda game, own, opp: LOSS if own == ZERO else ONGOING


def without_the_first_action(game):
    starts, ends = (np.array(cells, dtype=np.uint64) for cells in zip(*game.moves, strict=True))
    straight = np.array([start - end == game.cols for start, end in game.moves])
    count = game.action_count

    def kernel(game, own, opp):
        bits = ZERO
        for action in range(1, count):
            blocked = own | opp if straight[action] else own
            moves = (own >> starts[action]) & ONE == ONE and (blocked >> ends[action]) & ONE == ZERO
            bits |= np.uint64(moves) << np.uint64(action)
        return bits

    return kernel


def left_column(game):
    column = np.uint64(sum(1 << row * game.cols for row in range(game.rows)))
    return lambda game, own, opp: np.int64(own & column != ZERO)


def own_cells(self):
    return range(self.rows * self.cols)


def quarter_turn(self):
    return np.rot90(np.arange(self.rows * self.cols).reshape(self.rows, self.cols)).ravel().tolist()


def mirrored_cells(self):
    return np.arange(self.rows * self.cols).reshape(self.rows, self.cols)[:, ::-1].ravel().tolist()


BOTH = play_with(swaps=True, turns=True)

wrong(
    "the board is turned, the other view is not",
    "180 degrees: implement other_view",
    {play: BOTH},
    other_cells=own_cells,
)
wrong(
    "the other view only swaps",
    "180 degrees: correct play or other_view",
    {play: BOTH, other_view: lambda game: lambda game, own, opp: (opp, own)},
)
wrong("the other view is mirrored", "correct play or other_view", {play: BOTH}, other_cells=mirrored_cells)
wrong("the other view is not its own inverse", "other_view must restore", {play: BOTH}, other_cells=quarter_turn)
wrong("both players share the board", "other_view must not change the shared board", {play: BOTH}, shared_board=True)
wrong("names of cells stay", "other_region does not move their names", other_region=lambda self, region: region)
wrong("play swaps only", "180 degrees: correct play or other_view", {play: play_with(swaps=True, turns=False)})
wrong("play turns only", "180 degrees: correct play or other_view", {play: play_with(swaps=False, turns=True)})
wrong("play gives the same view", "no action is legal", {play: play_with(swaps=False, turns=False)})
wrong(
    "the turn never passes", "keeps_turn must be false", {keeps_turn: lambda game: lambda game, own, opp, action: True}
)
wrong("captured stones stay", "a cell has a stone of each player", {play: play_with(True, True, captures=False)})
wrong(
    "stones move onto stones",
    "a cell has a stone of each player",
    {play: play_with(True, True, captures=False), legal: straight_moves_onto_stones},
)
wrong("the wrong player wins", "the player who moved last has lost", {result: won_for_the_wrong_player})
wrong("the far row does not end the game", "no action is legal", {result: won_by_captures_only})
wrong(
    "an action is missing in legal_bits",
    "legal must be the same in every kernel",
    {legal_bits: without_the_first_action},
)
wrong("straight moves are called duplicates", "is_duplicate is true", {is_duplicate: lambda game: lambda *_: True})
wrong("wins are excluded", "may_end is false for WIN", {may_end: lambda game: lambda game, own, opp, outcome: False})
wrong("columns count differently", "evaluate must be the same under symmetry 1", {evaluate: left_column})
wrong(
    "the mirror does not move actions",
    "must lead to images of each other",
    {transform_action: lambda game: lambda game, symmetry, action: action},
)
wrong(
    "the board has a false mirror",
    "raised KeyError",
    cell_maps=lambda self: cell_maps(self.rows, self.cols)[[0, 2]],
)
wrong(
    "names are not unique", "action names must be unique", action_name=lambda self, action: f"a{self.moves[action][1]}"
)


IN_EVERY_RUN = (
    "the board is turned, the other view is not",
    "names of cells stay",
    "the turn never passes",
    "captured stones stay",
    "the wrong player wins",
)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name in IN_EVERY_RUN else pytest.mark.extended) for name in WRONG]
)
def test_a_wrong_game_is_found(name):
    cls, message = WRONG[name]
    with pytest.raises(InvalidGameError) as caught:
        check_game(cls(rows=5, cols=4))
    assert message in str(caught.value)
