"""The games that OpenSpiel also has agree with it for each move."""

import random
import re

import pytest

from ci_envs import ConnectN, Nim, Position

pyspiel = pytest.importorskip("pyspiel")


def cell(text: str) -> str:
    """``x(1,2)``, row and column from 0, is our ``c2``."""
    row, col = map(int, re.fullmatch(r"[xo]\((\d),(\d)\)", text).groups())
    return f"{'abcdefgh'[col]}{row + 1}"


def column(text: str) -> str:
    """``x3`` is our ``d``."""
    return "abcdefg"[int(text[1:])]


def taking(text: str) -> str:
    """``pile:1, take:2;`` is our ``1-2``."""
    pile, taken = re.fullmatch(r"pile:(\d+), take:(\d+);", text).groups()
    return f"{pile}-{taken}"


@pytest.mark.extended
@pytest.mark.parametrize(
    ("game", "theirs", "name_of"),
    [
        (ConnectN(3, 3, 3), "tic_tac_toe", cell),
        (ConnectN(6, 6, 4), "mnk(m=6,n=6,k=4)", cell),
        (ConnectN(3, 5, 3), "mnk(m=5,n=3,k=3)", cell),
        (ConnectN(6, 7, 4, gravity=True), "connect_four", column),
        (Nim((1, 3, 5, 7), misere=True), "nim", taking),
        (Nim((1, 3, 5, 7)), "nim(is_misere=false)", taking),
        (Nim((9, 2, 16)), "nim(pile_sizes=9;2;16,is_misere=false)", taking),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_random_play_agrees_with_openspiel(game, theirs, name_of):
    spiel = pyspiel.load_game(theirs)
    rng = random.Random(theirs)
    plies = 0
    while plies < 3_000:
        position, state = Position.start(game), spiel.new_initial_state()
        while not state.is_terminal():
            assert position.result is None
            assert position.to_move == state.current_player()
            numbers = {name_of(state.action_to_string(number)): number for number in state.legal_actions()}
            assert {position.action_name(action) for action in position.legal_actions()} == numbers.keys()
            name = rng.choice(sorted(numbers))
            position = position.play(position.parse_action(name))
            state.apply_action(numbers[name])
            plies += 1
        assert position.result == state.returns()[position.to_move]
        assert position.legal_actions() == ()
