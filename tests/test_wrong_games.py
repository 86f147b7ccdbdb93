"""``check_game`` finds errors in the rules and the views of games like those of ``examples/games``."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path

import minimal_game
import numpy as np
import pytest
from click.testing import CliRunner
from unregistered import unregistered

from ci_envs import check_game
from ci_envs.checking.error import InvalidGameError
from ci_envs.cli.main import main
from ci_envs.drawing.grid import grid_drawing
from ci_envs.games import (
    DRAW,
    LOSS,
    ONGOING,
    WIN,
    cell_maps,
    cell_name,
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
    popcount,
    result,
    transform_action,
)
from ci_envs.games.plane_text import grid_diagram

with unregistered() as patch:
    patch.syspath_prepend(str(Path(__file__).parents[1] / "examples" / "games"))
    from breakthrough import Breakthrough
    from hex import Hex
    from othello import Othello, placements, run, steps_of

ZERO, ONE = np.uint64(0), np.uint64(1)
SMALL = {Breakthrough: {"rows": 5, "cols": 4}, Hex: {"size": 4}, Othello: {"size": 4}}
WRONG = {}


def wrong(name, message, builders=None, base=Breakthrough, **members):
    """Register a game that differs from ``base`` by members and operations, and the message of its check."""
    cls = dataclass(frozen=True)(type(f"Wrong{len(WRONG)}", (base,), {"__module__": __name__, **members}))
    for operation, build in (builders or {}).items():
        implements(operation, cls)(build)
    WRONG[name] = (partial(cls, **SMALL[base]), message)


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
    "play turned the board by 180 degrees: then implement other_cells",
    {play: BOTH},
    other_cells=own_cells,
)
wrong(
    "the other view only swaps",
    "only one of play and other_view turned the board by 180 degrees: let play return other_view",
    {play: BOTH, other_view: lambda game: lambda game, own, opp: (opp, own)},
)
wrong("the other view is mirrored", "only one of play and other_view", {play: BOTH}, other_cells=mirrored_cells)
wrong("the other view is not its own inverse", "other_view must restore", {play: BOTH}, other_cells=quarter_turn)
wrong("both players share the board", "other_view must not change the shared board", {play: BOTH}, shared_board=True)
wrong("names of cells stay", "other_region does not move their names", other_region=lambda self, region: region)
wrong(
    "play swaps only",
    "only one of play and other_view turned the board by 180 degrees: let play return other_view",
    {play: play_with(swaps=True, turns=False)},
)
wrong(
    "play turns only",
    "only one of play and other_view turned the board by 180 degrees: let play return other_view",
    {play: play_with(swaps=False, turns=True)},
)
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


wrong(
    "names of moves have a dash",
    "in the picture for player 1: the name must be the targets",
    action_name=lambda self, action: "-".join(cell_name(cell, self.cols) for cell in self.moves[action]),
)
wrong("the bound of positions is too small", "position_bound is 5", position_bound=lambda self, own, opp: 5)
wrong(
    "the first symmetry is the mirror",
    "symmetry 0 must be the identity",
    cell_maps=lambda self: cell_maps(self.rows, self.cols)[1::-1],
)


def own_view(self, own, opp, to_move):
    """Return the rows of the board as the player to move sees it, instead of the view of player 0."""
    stones = dict(zip((own, opp), ("XO", "OX")[to_move], strict=True))
    cells = ["".join(mark for word, mark in stones.items() if word >> cell & 1) or "." for cell in range(5 * 4)]
    return ["".join(cells[row * 4 : row * 4 + 4]) for row in range(5)]


wrong(
    "the diagram turns with the player to move",
    "diagram shows the board turned",
    diagram=lambda self, *position: grid_diagram(own_view(self, *position)),
)
wrong(
    "the picture turns with the player to move",
    "draw shows the board turned",
    draw_board=lambda self, *position: grid_drawing(own_view(self, *position), self.style),
)


def captures(game):
    ends = np.array([end for _, end in game.moves], dtype=np.uint64)
    return lambda game, own, opp, action: (opp >> ends[action]) & ONE == ONE


def won_or_lost(game):
    home = np.uint64(((1 << game.cols) - 1) << (game.rows - 1) * game.cols)
    far = np.uint64((1 << game.cols) - 1)

    def kernel(game, own, opp):
        if own == ZERO or opp & home != ZERO:
            return LOSS
        return WIN if opp == ZERO or own & far != ZERO else ONGOING

    return kernel


def legal_or_pass(game):
    starts, ends = (np.array(cells, dtype=np.uint64) for cells in zip(*game.moves, strict=True))
    straight = np.array([start - end == game.cols for start, end in game.moves])
    pass_number = np.uint64(len(game.moves))

    def kernel(game, own, opp, action):
        if action == pass_number:
            return popcount(own) + ONE == popcount(opp)
        blocked = own | opp if straight[action] else own
        return (own >> starts[action]) & ONE == ONE and (blocked >> ends[action]) & ONE == ZERO

    return kernel


def pass_that_only_swaps(game):
    starts, ends = (ONE << np.array(cells, dtype=np.uint64) for cells in zip(*game.moves, strict=True))
    pass_number = np.uint64(len(game.moves))

    def kernel(game, own, opp, action):
        if action == pass_number:
            return opp, own
        return other_view(game, own ^ starts[action] | ends[action], opp & ~ends[action])

    return kernel


def images_with_pass(game):
    numbers = {move: action for action, move in enumerate(game.moves)}
    maps = game.cell_maps().tolist()
    moves = [[numbers[cells[start], cells[end]] for start, end in game.moves] for cells in maps]
    images = np.array([[*images, len(game.moves)] for images in moves])
    return lambda game, symmetry, action: images[symmetry, action]


def name_or_pass(self, action):
    return Breakthrough.action_name(self, action) if action < len(self.moves) else "pass"


wrong(
    "a pass does not turn the board",
    "only one of play and other_view turned the board by 180 degrees: let play return other_view",
    {
        legal: legal_or_pass,
        play: pass_that_only_swaps,
        transform_action: images_with_pass,
        may_end: lambda game: lambda *_: True,
    },
    action_count=property(lambda self: len(self.moves) + 1),
    action_name=name_or_pass,
)
wrong(
    "a player who moves again sees the other view",
    "keeps_turn must be false",
    {keeps_turn: captures, result: won_or_lost, may_end: lambda game: lambda *_: True},
)
wrong(
    "legal_bits has actions that do not exist",
    "legal_bits must have bits only for the actions 0 to 15",
    {legal_bits: lambda game: lambda game, own, opp: ~(own | opp)},
    Hex,
)


def othello_turning(directions, pass_swaps=True):
    """Return a builder of Othello's ``play`` that turns discs in some directions only."""

    def build(game):
        steps, pass_number = steps_of(game), np.uint64(game.pass_number)

        def kernel(game, own, opp, action):
            if action == pass_number:
                return (opp, own) if pass_swaps else (own, opp)
            disc, discs = ONE << action, ZERO
            for direction in range(directions):
                between, ahead = run(disc, opp, steps, direction)
                if ahead & own != ZERO:
                    discs |= between
            return opp ^ discs, own | discs | disc

        return kernel

    return build


def passes(game):
    pass_number = np.uint64(game.pass_number)
    return lambda game, own, opp, action: action == pass_number


def legal_pass(game):
    steps, pass_number = steps_of(game), np.uint64(game.pass_number)
    return lambda game, own, opp, action: action == pass_number or (placements(own, opp, steps) >> action) & ONE == ONE


def legal_pass_bits(game):
    steps, pass_number = steps_of(game), np.uint64(game.pass_number)
    return lambda game, own, opp: placements(own, opp, steps) | (ONE << pass_number)


def placements_only(game):
    steps = steps_of(game)
    return lambda game, own, opp: placements(own, opp, steps)


def full_board(game):
    full = np.uint64((1 << game.size**2) - 1)
    return lambda game, own, opp: DRAW if own | opp == full else ONGOING


def stones_where(own_blocks, opp_blocks):
    """Return the builders of Hex's ``legal`` and ``legal_bits`` for cells without the stones that block them."""

    mine, theirs = np.uint64(own_blocks), np.uint64(opp_blocks)

    def build(game):
        return lambda game, own, opp, action: ((own * mine | opp * theirs) >> action) & ONE == ZERO

    def build_bits(game):
        full = np.uint64((1 << game.size**2) - 1)
        return lambda game, own, opp: ~(own * mine | opp * theirs) & full

    return {legal: build, legal_bits: build_bits}


def place_without_turning(game):
    return lambda game, own, opp, action: (opp, own | (ONE << action))


def place_and_transpose(game):
    cells = np.array(Hex(game.size).other_cells(), dtype=np.uint64)
    return lambda game, own, opp, action: (moved(opp, cells), moved(own | (ONE << action), cells))


@inlined
def moved(stones, cells):
    image = ZERO
    for cell in range(len(cells)):
        image |= ((stones >> np.uint64(cell)) & ONE) << cells[cell]
    return image


def mirrored_hex(self):
    return cell_maps(self.size, self.size)[:4]


def mirrored_actions(game):
    maps = cell_maps(game.size, game.size).astype(np.int64)
    return lambda game, symmetry, action: maps[symmetry, action]


wrong("the pass keeps the turn", "keeps_turn must be false", {keeps_turn: passes}, Othello)
wrong("the pass keeps the view", "repeats (own=", {play: othello_turning(8, False)}, Othello)
wrong("discs turn in seven directions", "must lead to images of each other", {play: othello_turning(7)}, Othello)
wrong("passing is always legal", "repeat", {legal: legal_pass, legal_bits: legal_pass_bits}, Othello)
wrong("legal_bits lacks the pass", "no action is legal", {legal_bits: placements_only}, Othello)
wrong("only a full board ends the game", "repeats (own=", {result: full_board}, Othello)
wrong("stones of Hex on stones of the opponent", "repeats (own=", stones_where(1, 0), Hex)
wrong("stones of Hex on own stones", "repeats (own=", stones_where(0, 1), Hex)
wrong("play of Hex does not transpose", "no action is legal", {play: place_without_turning}, Hex)
wrong(
    "the other view of Hex does not transpose",
    "transposed the board: then implement other_cells",
    {play: place_and_transpose},
    Hex,
    other_cells=lambda self: range(self.size**2),
)
wrong("Hex has a false mirror", "under symmetry 1", {transform_action: mirrored_actions}, Hex, cell_maps=mirrored_hex)


def undefined_name(game):
    return lambda game, own, opp, action: ocupied & ONE == ONE  # noqa: F821


wrong(
    "a fraction as evaluation", "evaluate must be a whole number", {evaluate: lambda game: lambda game, own, opp: 0.5}
)
wrong(
    "the last player wins", "last_player_loses is true, but the player who moved last has won", last_player_loses=True
)
wrong("a parameter of environments", "the parameter 'seat', ", seat=3, __annotations__={"seat": int})
wrong("an unknown solver", "solver = 'nowhere:Solver' cannot be used", solver="nowhere:Solver")
wrong("another class as solver", "solver must be a Solver or its name", solver="fractions:Fraction")
wrong("an undefined name", "name 'ocupied' is not defined, in legal", {legal: undefined_name})

IN_EVERY_RUN = (
    "a fraction as evaluation",
    "the last player wins",
    "a parameter of environments",
    "an unknown solver",
    "another class as solver",
    "an undefined name",
    "the board is turned, the other view is not",
    "names of cells stay",
    "names of moves have a dash",
    "the picture turns with the player to move",
    "the bound of positions is too small",
    "the turn never passes",
    "captured stones stay",
    "the wrong player wins",
    "the pass keeps the turn",
    "Hex has a false mirror",
)


@pytest.mark.extended
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name in IN_EVERY_RUN else pytest.mark.slow) for name in WRONG]
)
def test_a_wrong_game_is_found(name):
    make_game, message = WRONG[name]
    with pytest.raises(InvalidGameError) as caught:
        check_game(make_game())
    assert message in str(caught.value)


@pytest.mark.slow
def test_a_false_mirror_of_hex_is_found_with_every_seed():
    make_game, message = WRONG["Hex has a false mirror"]
    for seed in range(20):
        with pytest.raises(InvalidGameError, match=message):
            check_game(make_game(), seed=seed)


def test_rules_that_cannot_be_compiled_are_one_line_on_the_command_line(tmp_path):
    code = Path(minimal_game.__file__).read_text().replace("((own | opp) >> action)", "((ocupied | opp) >> action)")
    (tmp_path / "own_rules.py").write_text(code)
    run = CliRunner().invoke(main, ["play", f"{tmp_path}/own_rules.py:LastCell", "random", "random"])
    assert (run.exit_code, run.output.count("\n")) == (1, 1)
    assert "cannot be compiled: TypingError: NameError: name 'ocupied' is not defined, in legal" in run.output
