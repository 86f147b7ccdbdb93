"""``check_game`` accepts the shipped games, and finds each possible error of a new game."""

import re
from dataclasses import dataclass, make_dataclass

import numpy as np
import pytest
from minimal_game import LastCell

from ci_envs import ConnectN, Nim, Position, Quarto, Quixo, check_game, make, solve
from ci_envs.checking.error import InvalidGameError
from ci_envs.drawing.drawing import Drawing, Region
from ci_envs.games import (
    DRAW,
    LOSS,
    ONGOING,
    WIN,
    BoardGame,
    canonical,
    cell_maps,
    decode,
    evaluate,
    implements,
    is_duplicate,
    keeps_turn,
    legal,
    may_end,
    may_end_soon,
    observe,
    other_view,
    play,
    result,
    transform,
    transform_action,
    write_features,
)

ZERO, ONE = np.uint64(0), np.uint64(1)


@pytest.mark.parametrize(
    "game",
    [
        Quixo(2),
        Quixo(),
        ConnectN(3, 3, 3),
        ConnectN(1, 1, 1),
        ConnectN(6, 7, 4, gravity=True),
        Nim(),
        Nim((3, 4, 5), max_take=2, misere=True),
        Quarto(),
        LastCell(1, 1),
        LastCell(),
        pytest.param(Nim((1,) * 8), marks=pytest.mark.slow),  # 40,320 symmetries
        pytest.param(Quarto(squares=True), marks=pytest.mark.slow),
        pytest.param(ConnectN(8, 8, 5), marks=pytest.mark.slow),
        pytest.param(Quixo(7), marks=pytest.mark.slow),
    ],
    ids=repr,
)
def test_the_shipped_games_keep_the_contract(game):
    assert check_game(game) is None


@dataclass(frozen=True)
class Mirrored(LastCell):
    """A game with the rotation by half a turn as a symmetry."""

    @property
    def symmetry_count(self):
        return 2


@implements(transform, Mirrored)
def _(game):
    cells = game.action_count

    def kernel(game, symmetry, own, opp):
        if symmetry == 0:
            return own, opp
        new_own = new_opp = ZERO
        for cell in range(cells):
            new_own |= ((own >> np.uint64(cell)) & ONE) << np.uint64(cells - 1 - cell)
            new_opp |= ((opp >> np.uint64(cell)) & ONE) << np.uint64(cells - 1 - cell)
        return new_own, new_opp

    return kernel


@implements(transform_action, Mirrored)
def _(game):
    last = game.action_count - 1
    return lambda game, symmetry, action: last - action if symmetry == 1 else action


def test_symmetries_that_are_right_are_accepted():
    check_game(Mirrored())


@dataclass(frozen=True)
class OneMove(LastCell):
    """A game that is over after the first action."""


@implements(result, OneMove)
def _(game):
    return lambda game, own, opp: ONGOING if own | opp == ZERO else DRAW


def test_a_game_of_one_move_gives_a_warning():
    """It can be right, but is more often an error: a board that ``play`` does not turn, seen by the wrong player."""
    with pytest.warns(UserWarning, match="OneMove.*every first action ends the game"):
        check_game(OneMove())


@dataclass(frozen=True)
class Large(BoardGame):
    """A board of cells."""

    rows: int = 8

    @property
    def shape(self):
        return self.rows, 8

    @property
    def action_count(self):
        return 8 * self.rows


def test_a_board_has_at_most_64_cells():
    assert Large().start() == (0, 0)
    with pytest.raises(ValueError, match="Large has 9 x 8 = 72 cells: use at most 64 cells"):
        Large(9)


@pytest.mark.parametrize("rows", [0, -1])
def test_a_board_has_cells(rows):
    with pytest.raises(ValueError, match=f"Large has {rows} x 8 cells: use at least one row and one column"):
        Large(rows)


def test_the_shape_of_a_board_is_a_property():
    class Method(Large):
        def shape(self):
            return 8, 8

    with pytest.raises(TypeError, match="shape of Method must be a property: write @property above it"):
        Method()


@pytest.mark.parametrize("name", ["max_episode_steps", "wrappers", "opponent"])
def test_a_parameter_has_no_name_of_an_argument_of_an_environment(name):
    game = make_dataclass("Named", [(name, int, 1)], bases=(Large,), frozen=True)()
    with pytest.raises(ValueError, match=f"Named has the parameter '{name}', which is an argument of environments"):
        make(game)


def test_a_parameter_can_have_the_name_game():
    named = make_dataclass("Named", [("game", int, 1)], bases=(LastCell,), frozen=True)()
    assert make(named).game is named


BROKEN = {}


def broken(message, base=LastCell, **members):
    """Register a game that differs from ``base`` by members and one operation, and return the message of the check."""

    def register(operation, build):
        cls = dataclass(frozen=True)(type(f"Broken{len(BROKEN)}", (base,), {"__module__": __name__, **members}))
        if operation is not None:
            implements(operation, cls)(build)
        BROKEN[f"{operation.__name__ if operation else ', '.join(members)}: {message}"] = (cls, message)

    return register


def plane_of(value):
    def build(game):
        def kernel(game, own, opp, planes):
            planes[0, 0, 0] = value

        return kernel

    return build


def outside(game):
    rows = game.rows

    def kernel(game, own, opp, planes):
        planes[rows, 0, 0] = 1

    return kernel


def forgetting(game):
    return lambda game, planes: (ZERO, ZERO)


def own_stones_only(game):
    cols, cells = game.cols, game.action_count

    def kernel(game, own, opp, planes):  # correct for the player to move only if the opponent has no stones
        for cell in range(cells):
            planes[cell // cols, cell % cols, 0] = (own >> np.uint64(cell)) & ONE

    return kernel


def too_many_features(game):
    def kernel(game, own, opp, features):
        for number in range(10):
            features[number] = number

    return kernel


def too_few_features(game):
    def kernel(game, own, opp, features):
        features[0] = 1

    return kernel


def first_cell(game):
    def kernel(game, own, opp, features):
        features[0], features[1], features[2] = own & ONE, 0, 0

    return kernel


def repeating(game):
    return lambda game, own, opp, action: (opp, own)


broken("no action is legal at (own=")(legal, lambda game: lambda game, own, opp, action: own | opp == ZERO)
broken(") repeats (own=", can_cycle=False)(play, repeating)
broken("result must be ONGOING, WIN, DRAW or LOSS")(result, lambda game: lambda game, own, opp: 7 if own else ONGOING)
broken("the game is over at the start (own=0x0, opp=0x0")(result, lambda game: lambda game, own, opp: LOSS)
broken("observe must write only 0 and 1 at (own=0x0, opp=0x0, to_move=0), not 3")(observe, plane_of(3))
broken("observe writes outside of the planes of shape (2, 4, 2)")(observe, outside)
broken("decode must give (own=")(decode, forgetting)
broken("decode must give (own=")(observe, own_stones_only)
broken("is_duplicate is true for every action from (own=")(
    is_duplicate, lambda game: lambda game, own, opp, action: action == ZERO
)
broken("legal actions must be images of legal actions under symmetry 1", Mirrored)(
    legal,
    lambda game: (
        lambda game, own, opp, action: (
            ((own | opp) >> action) & ONE == ZERO and (action != ZERO or own | opp == np.uint64(254) or not own)
        )
    ),
)
broken("may_end is false for WIN at (own=")(may_end, lambda game: lambda game, own, opp, outcome: outcome == LOSS)
broken("may_end_soon is false for WIN at (own=")(
    may_end_soon, lambda game: lambda game, own, opp, outcome: outcome == LOSS
)
broken("may_end_soon is false for LOSS at (own=")(
    may_end_soon, lambda game: lambda game, own, opp, outcome: outcome == WIN
)
broken("evaluate must be below 1,000,000")(evaluate, lambda game: lambda game, own, opp: 1_000_000)
broken("write_features must write 3 numbers")(write_features, too_many_features)
broken("write_features must write a finite number for 'mobility'")(write_features, too_few_features)
broken("symmetry 0 must be the identity", Mirrored)(transform, lambda game: lambda game, symmetry, own, opp: (opp, own))
broken("symmetry 0 must be the identity", Mirrored)(
    transform_action, lambda game: lambda game, symmetry, action: 7 - action
)
broken("must lead to images of each other under symmetry 1", Mirrored)(
    transform_action, lambda game: lambda game, symmetry, action: action
)
broken("transform_action must permute the actions under symmetry 1", Mirrored)(
    transform_action, lambda game: lambda game, symmetry, action: action * (1 - symmetry)
)
broken("must lead to images of each other under symmetry 1", Mirrored)(
    transform, lambda game: lambda game, symmetry, own, opp: (own, opp)
)
broken("result must be the same under symmetry 1", Mirrored)(
    result,
    lambda game: (
        lambda game, own, opp: (
            LOSS if own | opp == np.uint64(255) else (WIN if own & ONE and not own >> np.uint64(1) else ONGOING)
        )
    ),
)
broken("must lead to images of each other under symmetry 1", Mirrored)(
    play,
    lambda game: (
        lambda game, own, opp, action: (
            opp,
            own | (ONE << action) | (np.uint64(2) if action == ZERO and not (own | opp) >> ONE & ONE else ZERO),
        )
    ),
)
broken("evaluate must be the same under symmetry 1", Mirrored)(
    evaluate, lambda game: lambda game, own, opp: np.int64(own & ONE)
)
broken("write_features must write the same 'constant' under symmetry 1", Mirrored)(write_features, first_cell)
broken("canonical must be the same under symmetry 1", Mirrored)(
    canonical, lambda game: lambda game, own, opp: (own, opp)
)
broken("canonical must be an image of", Mirrored)(canonical, lambda game: lambda game, own, opp: (ZERO, ZERO))
broken("must lead to images of each other under symmetry 1", Mirrored)(
    keeps_turn, lambda game: lambda game, own, opp, action: action == ZERO
)
broken("play must return two words of type uint64, not (0, 1.0)")(
    play, lambda game: lambda game, own, opp, action: (opp, own | (1 << action))
)
broken("write np.uint64(1) instead of 1")(play, lambda game: lambda game, own, opp, action: (opp, own + (1 << action)))
broken("read them in the function around the kernel")(
    result, lambda game: lambda game, own, opp: LOSS if own == game.full else ONGOING
)
broken("random play raised")(legal, lambda game: lambda game, own, opp, action: undefined(own))  # noqa: F821


@dataclass(frozen=True)
class Shifted(LastCell):
    """A cycle of four cells, with the rotation by one cell but not the rotations by two and three."""

    rows: int = 1

    @property
    def symmetry_count(self):
        return 2


@implements(transform, Shifted)
def _(game):
    def kernel(game, symmetry, own, opp):
        if symmetry == 0:
            return own, opp
        full = np.uint64(15)
        shift, back = ONE, np.uint64(3)
        return ((own << shift) | (own >> back)) & full, ((opp << shift) | (opp >> back)) & full

    return kernel


@implements(transform_action, Shifted)
def _(game):
    return lambda game, symmetry, action: (action + symmetry) % 4


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_operation_is_found(name):
    cls, message = BROKEN[name]
    with pytest.raises(InvalidGameError) as caught:
        check_game(cls())
    said = str(caught.value)
    assert message in said
    assert said.startswith(repr(cls()))
    assert "\n" not in said


def test_symmetries_that_are_no_group_are_found():
    with pytest.raises(InvalidGameError, match="symmetry 1 followed by symmetry 1 must be one of the symmetries"):
        check_game(Shifted())


def region(name, x=1):
    return Region(name, x, 1, 5, 5)


def drawing_of(*names, shapes="", width=20):
    return lambda self, own, opp, to_move: Drawing(
        width, 20, shapes, (), tuple(region(name) for name in names or map(str, range(8)))
    )


@pytest.mark.parametrize(
    ("member", "value", "message"),
    [
        ("action_name", lambda self, action: "x", "action names must be unique, but 8 actions have the name 'x'"),
        ("action_name", lambda self, action: f"A{action}", "name of action 0 must be lower case without spaces"),
        ("action_name", lambda self, action: f"a {action}", "not 'a 0'"),
        (
            "action_name",
            lambda self, action: "ab"[action],
            r"action_name\(2\) raised IndexError: .* that is never legal",
        ),
        ("action_count", 2.0, "action_count must be an int of 1 or more, not 2.0"),
        ("symmetry_count", 0, "symmetry_count must be an int of 1 or more, not 0"),
        ("observation_shape", [2, 4, 2], r"observation_shape must be \(height, width, channels\), not \[2, 4, 2\]"),
        ("observation_shape", (2, 4, True), "each number of observation_shape must be an int"),
        ("start", lambda self: (0, -1), r"start\(\) must have two ints from 0 to 2\*\*64 - 1, not -1"),
        ("start", lambda self: [0, 0], r"start\(\) must be a tuple \(own, opp\), not \[0, 0\]"),
        ("start", lambda self: (255, 0), "the game is over at the start"),
        ("position_share", 0.0, "position_share must be more than 0 and at most 1, not 0.0"),
        (
            "__repr__",
            lambda self: "LastCell()",
            r"repr must be the call .* but it makes LastCell\(\)",
        ),
        ("__repr__", lambda self: "<a game>", "repr must be the call that makes the game"),
        ("to_text", lambda self, own, opp, to_move: f"{own}\n{opp}", "to_text must return one line"),
        ("to_text", lambda self, own, opp, to_move: "..../.... 0", "from_text must give"),
        ("from_text", lambda self, text: (0, 0, 0), r"from_text must give \(own="),
        ("from_text", lambda self, text: 1 // 0, "texts raised ZeroDivisionError"),
        ("diagram", lambda self, own, opp, to_move: " ", "diagram must not be empty"),
        ("draw", lambda self, own, opp, to_move: None, "draw must return a Drawing"),
        ("draw", drawing_of(shapes="<g>"), "draw must return well-formed SVG"),
        ("draw", drawing_of("0", "0"), "the regions of a picture must have different names, but '0' occurs twice"),
        ("draw", drawing_of("0"), r"targets\(1\) names '1', which must be a region of the picture"),
        ("draw", drawing_of(width=4), "the region '0' must lie inside the picture"),
        ("targets", lambda self, action: (), r"targets\(\d\) must name a region"),
        ("targets", lambda self, action: ("0",), r"targets\(\d\) must not begin or equal targets\(\d\)"),
        ("targets", lambda self, action: tuple("01234567"[: 1 + action]), r"must not begin or equal targets"),
        ("trace", lambda self, own, opp, action: ("z9",), "trace of action 0 names 'z9'"),
        ("winning_lines", lambda self, own, opp: (("z9",),), "winning_lines names 'z9'"),
        ("feature_names", ("one",), "write_features must write 1 numbers"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_broken_member_is_found(monkeypatch, member, value, message):
    monkeypatch.setattr(LastCell, member, value)
    game = LastCell(3) if "it makes" in message else LastCell()
    with pytest.raises(InvalidGameError, match=message) as caught:
        check_game(game)
    assert "\n" not in str(caught.value)


def test_a_mutable_parameter_is_found():
    @dataclass(frozen=True)
    class Mutable(LastCell):
        names: list = None

        def __post_init__(self):
            object.__setattr__(self, "names", ["a"])

    with pytest.raises(InvalidGameError, match=re.escape("names=['a'] must be hashable, for example a tuple")):
        check_game(Mutable())


def test_a_game_that_is_no_dataclass_of_its_own_is_found():
    class Undecorated(LastCell):
        pass

    with pytest.raises(InvalidGameError, match=re.escape("must be decorated with @dataclass(frozen=True)")):
        check_game(Undecorated())


def test_play_without_an_end_is_found():
    with pytest.raises(InvalidGameError, match=r"play goes on after 5 plies at .*: set can_cycle = True"):
        check_game(LastCell(), max_plies=5)


def test_other_objects_are_refused_as_games():
    with pytest.raises(TypeError, match="check_game needs a game such as"):
        check_game("Quixo-v0")
    with pytest.raises(ValueError, match="games must be"):
        check_game(LastCell(), games=0)


def test_a_game_without_an_operation_is_refused():
    from ci_envs import Game

    @dataclass(frozen=True)
    class Empty(Game):
        action_count = 1
        observation_shape = (1, 1, 1)

        def start(self):
            return 0, 0

    with pytest.raises(TypeError, match="Empty does not implement legal, play, result, observe, decode"):
        check_game(Empty())


@dataclass(frozen=True)
class Bridge(Mirrored):
    """Connect the left side with the right side by a path of the own stones: east, south or south-east.

    As in Hex, only one of the two diagonals connects. So a half turn is a symmetry, and a mirror is not.
    """

    rows: int = 3
    cols: int = 3


@implements(result, Bridge)
def _(game):
    rows, cols = game.rows, game.cols

    def kernel(game, own, opp):
        reached = np.uint64(0)
        for row in range(rows):
            reached |= opp & (ONE << np.uint64(row * cols))
        for _ in range(rows * cols):
            for cell in range(rows * cols):
                if not opp >> np.uint64(cell) & ONE:
                    continue
                row, col = cell // cols, cell % cols
                for down, right in ((0, 1), (1, 0), (1, 1), (0, -1), (-1, 0), (-1, -1)):
                    inside = 0 <= row + down < rows and 0 <= col + right < cols
                    if inside and reached >> np.uint64((row + down) * cols + col + right) & ONE:
                        reached |= ONE << np.uint64(cell)
        for row in range(rows):
            if reached >> np.uint64(row * cols + cols - 1) & ONE:
                return LOSS
        return DRAW if own | opp == np.uint64((1 << rows * cols) - 1) else ONGOING

    return kernel


@dataclass(frozen=True)
class FalseMirror(Bridge):
    """The same game with a false symmetry: top and bottom exchanged."""


@implements(transform, FalseMirror)
def _(game):
    rows, cols = game.rows, game.cols

    def kernel(game, symmetry, own, opp):
        if symmetry == 0:
            return own, opp
        new_own = new_opp = ZERO
        for cell in range(rows * cols):
            image = np.uint64((rows - 1 - cell // cols) * cols + cell % cols)
            new_own |= ((own >> np.uint64(cell)) & ONE) << image
            new_opp |= ((opp >> np.uint64(cell)) & ONE) << image
        return new_own, new_opp

    return kernel


@implements(transform_action, FalseMirror)
def _(game):
    rows, cols = game.rows, game.cols

    def kernel(game, symmetry, action):
        return (rows - 1 - action // cols) * cols + action % cols if symmetry == 1 else action

    return kernel


@pytest.mark.parametrize("size", [3, 5])
def test_a_false_symmetry_is_found_with_every_seed(size):
    check_game(Bridge(size, size))
    for seed in range(5):
        with pytest.raises(
            InvalidGameError, match=r"result must be the same .*under symmetry 1.*: (WIN|LOSS|ONGOING), not [DLOW]"
        ):
            check_game(FalseMirror(size, size), seed=seed)


def test_a_reference_finds_wrong_legal_actions():
    def free_cells(position):
        return [cell for cell in range(8) if not (position.own | position.opp) >> cell & 1]

    def without_the_last(position):
        return [str(cell) for cell in free_cells(position)[:-1] or free_cells(position)]

    check_game(LastCell(), reference=free_cells)
    with pytest.raises(InvalidGameError, match=r"legal allows action \d at \(own=.*, but the reference does not"):
        check_game(LastCell(), reference=without_the_last)


@dataclass(frozen=True)
class Unfinished(LastCell):
    """A game whose ``play`` reads an attribute that games do not have in compiled code."""


@implements(play, Unfinished)
def _(game):
    def kernel(game, own, opp, action):
        return opp, own | (ONE << action) | np.uint64(game.nothing)

    return kernel


def test_an_error_in_compiled_code_names_its_cause_and_line():
    with pytest.raises(
        InvalidGameError, match=r"Unknown attribute 'nothing' of type .*\(test_check_game.py, line \d+\)"
    ) as caught:
        check_game(Unfinished())
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("kernel", "reason"), [(None, "None is not a callable object"), (lambda game, own: True, "too many positional")]
)
def test_a_builder_of_no_kernel_is_explained(kernel, reason):
    cls = dataclass(frozen=True)(type("NoKernel", (LastCell,), {}))
    implements(legal, cls)(lambda game: kernel)
    message = rf"legal of NoKernel must return a function \(game, own, opp, action\): {reason}"
    with pytest.raises(InvalidGameError, match=message):
        check_game(cls())


def test_a_plain_function_in_a_kernel_is_explained():
    def is_free(own, opp, action):
        return ((own | opp) >> action) & ONE == np.uint64(0)

    cls = dataclass(frozen=True)(type("PlainHelper", (LastCell,), {}))
    implements(legal, cls)(lambda game: lambda game, own, opp, action: is_free(own, opp, action))
    with pytest.raises(InvalidGameError, match=r"'function'>; a function that a kernel calls needs @kernel"):
        check_game(cls())


def test_more_than_64_cells_are_explained():
    with pytest.raises(InvalidGameError, match=r"has 64 bits \(minimal_game.py, line \d+\)"):
        check_game(LastCell(9, 9))


@dataclass(frozen=True)
class PopOut(ConnectN):
    """Connect Four in which a player can also remove an own stone at the bottom, without what this changes."""

    gravity: bool = True

    @property
    def action_count(self):
        return 2 * self.cols


@implements(legal, PopOut)
def _(game):
    cols, bottom = np.uint64(game.cols), np.uint64((game.rows - 1) * game.cols)
    return lambda game, own, opp, action: (
        ((own | opp) >> action) & ONE == ZERO if action < cols else (own >> (bottom + action - cols)) & ONE == ONE
    )


def test_all_forgotten_overrides_are_in_one_message():
    with pytest.raises(InvalidGameError) as caught:
        check_game(PopOut(4, 4, 3))
    said = str(caught.value)
    assert "action names must be unique" in said
    assert "PopOut changes legal of ConnectN, but inherits from it" in said
    for name in ("legal_bits", "may_end", "may_end_soon", "transform_action", "action_name", "from_text", "trace"):
        assert name in said.split("inherits")[1]


@dataclass(frozen=True)
class Domineering(BoardGame):
    """Player 0 places dominoes upright and player 1 across, which player 1 sees upright on the transposed board."""

    size: int = 5

    @property
    def shape(self):
        return self.size, self.size

    @property
    def action_count(self):
        return self.size * (self.size - 1)

    def other_cells(self):
        return np.arange(self.size**2).reshape(self.size, -1).T.ravel().tolist()

    def cell_maps(self):
        return cell_maps(self.size, self.size)[:4].tolist()


@implements(legal, Domineering)
def _(game):
    domino = ONE | ONE << np.uint64(game.size)
    return lambda game, own, opp, action: (own | opp) & domino << action == ZERO


@implements(play, Domineering)
def _(game):
    domino = ONE | ONE << np.uint64(game.size)
    return lambda game, own, opp, action: other_view(game, own | domino << action, opp)


@implements(result, Domineering)
def _(game):
    actions = np.arange(game.action_count, dtype=np.uint64)

    def kernel(game, own, opp):
        for action in actions:
            if legal(game, own, opp, action):
                return ONGOING
        return LOSS

    return kernel


@implements(transform_action, Domineering)
def _(game):
    images = cell_maps(game.size - 1, game.size)[:4].astype(np.uint64)
    return lambda game, symmetry, action: images[symmetry, action]


def test_a_symmetry_can_be_another_one_in_the_view_of_the_other_player():
    game = Domineering()
    check_game(game)
    # Breuker, Uiterwijk and van den Herik, Solving 8 x 8 Domineering, 2000: the second player wins
    assert solve(game).value(Position.start(game)) == -1


@dataclass(frozen=True)
class OnlyRows(Domineering):
    """A game with one mirror, which is another one in the view of the other player."""

    def cell_maps(self):
        return cell_maps(self.size, self.size)[:2].tolist()


def test_a_symmetry_that_the_other_player_does_not_have_is_found():
    with pytest.raises(InvalidGameError, match="symmetry 1 must be one of the symmetries in the view of the other"):
        check_game(OnlyRows())
