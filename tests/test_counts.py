"""Published and independently computed counts of the game trees, and exact values of small games."""

from collections import Counter
from functools import cache
from itertools import product

import pytest
from oracles.rules import nim_is_won
from playing import canonical_forms

from ci_envs import ConnectN, Nim, Position, Quarto, Quixo, perft

TIC_TAC_TOE = ConnectN(3, 3, 3)


def children(position: Position) -> list[Position]:
    return [position.play(action) for action in position.legal_actions()]


@pytest.mark.parametrize(
    ("game", "counts"),
    [
        (Quixo(), [1, 44, 1_836, 76_596, 3_018_100]),
        (Quixo(3), [1, 20, 356, 6_332, 99_648, 1_572_096]),
        (TIC_TAC_TOE, [1, 9, 72, 504, 3_024, 15_120, 54_720, 148_176, 200_448, 127_872, 0]),
        (ConnectN(), [1, 36, 1_260, 42_840, 1_413_720, 45_239_040]),
    ],
    ids=str,
)
def test_perft(game, counts):
    start = Position.start(game)
    assert [perft(start, depth) for depth in range(len(counts))] == counts


def test_perft_of_a_position_sums_over_its_children():
    position = Position.from_text(Quixo(4), "XO.X/..../O..X/.XO. O")
    assert perft(position, 3) == sum(perft(child, 2) for child in children(position))


def test_perft_counts_nothing_after_the_end_and_refuses_a_negative_depth():
    won = Position.from_text(TIC_TAC_TOE, "XXX/OO./... O")
    assert [perft(won, depth) for depth in (0, 1, 2)] == [1, 0, 0]
    with pytest.raises(ValueError, match="-1"):
        perft(won, -1)


def test_tic_tac_toe_positions_by_ply_and_up_to_symmetry():
    layers = [{Position.start(TIC_TAC_TOE)}]
    while layers[-1]:
        layers.append({child for position in layers[-1] for child in children(position)})
    positions = set().union(*layers)
    assert [len(layer) for layer in layers] == [1, 9, 72, 252, 756, 1_260, 1_520, 1_140, 390, 78, 0]
    assert len(positions) == 5_478
    assert len({min(image.to_text() for image in position.symmetries) for position in positions}) == 765


def test_tic_tac_toe_games_by_outcome():
    @cache
    def games(position: Position) -> Counter[str]:
        """Return the number of nodes of the tree of a position, and the numbers of games by outcome."""
        if position.result is None:
            return sum((games(child) for child in children(position)), Counter(nodes=1))
        return Counter(["nodes", "draw" if position.result == 0 else "OX"[position.to_move]])

    assert games(Position.start(TIC_TAC_TOE)) == {"nodes": 549_946, "X": 131_184, "O": 77_904, "draw": 46_080}
    assert 131_184 + 77_904 + 46_080 == 255_168


def test_tic_tac_toe_is_a_draw():
    @cache
    def value(position: Position) -> int:
        if position.result is not None:
            return position.result
        return max(-value(child) for child in children(position))

    assert value(Position.start(TIC_TAC_TOE)) == 0


def test_quarto_positions_up_to_symmetry():
    game = Quarto()
    assert game.symmetry_count == 12_288
    positions = {Position.start(game)}
    counts = []
    for _ in range(7):  # give, place, give, ... give: a set contains one position of each class of images
        followers = [child for position in positions if position.result is None for child in children(position)]
        forms = canonical_forms(game, [(child.own, child.opp) for child in followers])
        positions = {Position(game, *form) for form in forms.tolist()}
        counts.append(len(positions))
    assert counts[::2] == [1, 8, 148, 3_382]  # zero, one, two, three pieces placed, and one piece in hand


def test_quixo_3x3_is_won_in_seven():
    game = Quixo(3)
    texts = ["{}{}{}/{}{}{}/{}{}{} X".format(*cells) for cells in product(".XO", repeat=9)]
    states = [Position.from_text(game, text) for text in texts]  # X is the player to move
    number = {(state.own, state.opp): index for index, state in enumerate(states)}
    followers = [{number[child.own, child.opp] for child in children(state)} for state in states]

    # won and lost by distance: the plies to the end under optimal play (the winner is fast, the loser is slow)
    won = {index: 0 for index, state in enumerate(states) if state.result == 1}
    lost = {index: 0 for index, state in enumerate(states) if state.result == -1}
    open_states = set(range(len(states))) - won.keys() - lost.keys()
    distance = 0
    while open_states:
        distance += 1
        new_won = {index for index in open_states if followers[index] & lost.keys()}
        new_lost = {index for index in open_states if followers[index] <= won.keys()}
        if not new_won and not new_lost:
            break
        won.update(dict.fromkeys(new_won, distance))
        lost.update(dict.fromkeys(new_lost, distance))
        open_states -= new_won | new_lost

    assert (len(states), len(won), len(lost), len(open_states)) == (19_683, 12_748, 6_935, 0)
    assert Counter(won.values()) == {0: 4_435, 1: 7_359, 3: 650, 5: 275, 7: 29}
    assert Counter(lost.values()) == {0: 4_123, 1: 14, 2: 2_009, 4: 708, 6: 77, 8: 4}
    assert won[number[0, 0]] == 7


@pytest.mark.parametrize("misere", [False, True])
@pytest.mark.parametrize("max_take", [None, 1, 2, 3, 5])
def test_nim_is_won_as_the_theory_says(max_take, misere):
    heaps = (1, 3, 5, 7)
    game = Nim(heaps, max_take, misere)

    @cache
    def is_won(position: Position) -> bool:
        if position.result is not None:
            return position.result == 1
        return any(not is_won(child) for child in children(position))

    for sizes in product(*(range(heap + 1) for heap in heaps)):
        position = Position.from_text(game, f"{','.join(map(str, sizes))} 0")
        assert is_won(position) == nim_is_won(sizes, max_take, misere), position
