"""The rules of the agent ``nim``, compared with positions worked out by hand and with theory."""

import itertools

import numpy as np
import pytest
from oracles.rules import nim_is_won
from playing import batch_of, random_positions

from ci_envs import Nim, Position, Quixo, make_agent
from ci_envs.agents.nim.expert import NimExpertAgent
from ci_envs.agents.nim.rule_agent import BASIC_RULES, RULES, NimRuleAgent

GAMES = (
    Nim(),
    Nim((3, 4, 5), 2),
    Nim((2, 3, 4), 2, True),
    Nim((5, 0, 2, 6), None, True),
    Nim((9,), 4),
    Nim((1, 1, 1, 1, 1), 1),
    Nim((1, 3, 5, 7, 9, 11, 13), 5),
)
OPTIONS = [
    *({"rule": rule} for rule in RULES if rule != "count_and_decide"),
    *({"rule": "count_and_decide", "odd": odd, "even": even} for odd, even in itertools.product(BASIC_RULES, repeat=2)),
]
RANDOM = ("random", "nim_sum", "expert", "nonzero_nim_sum", "take_row", "leave_one", "row_random")


def position_of(game, heaps):
    return Position.from_text(game, f"{','.join(map(str, heaps))} 0")


def played(game, heaps, seed=0, **options):
    """Return the names of the actions of an agent on one board or several boards."""
    positions = [position_of(game, one) for one in ([heaps] if isinstance(heaps[0], int) else heaps)]
    actions = NimRuleAgent(game, **options, seed=seed).act_batch(batch_of(positions)).tolist()
    names = [game.action_name(action) for action in actions]
    return names[0] if isinstance(heaps[0], int) else names


def after(heaps, name):
    row, number = map(int, name.split("-"))
    return (*heaps[: row - 1], heaps[row - 1] - number, *heaps[row:])


def all_heaps(game):
    return [heaps for heaps in itertools.product(*(range(size + 1) for size in game.heaps)) if any(heaps)]


def theory(heaps, game):
    return nim_is_won(heaps, game.max_take, game.misere)


@pytest.mark.parametrize(
    ("rule", "heaps", "max_take", "misere", "action"),
    [
        ("min_lowest", (0, 3, 2, 0), None, False, "2-1"),
        ("max_lowest", (0, 3, 2, 0), None, False, "2-3"),
        ("max_lowest", (0, 3, 2, 0), 2, False, "2-2"),
        ("min_highest", (0, 3, 2, 0), None, True, "3-1"),
        ("max_highest", (0, 3, 2, 0), None, True, "3-2"),
        ("max_highest", (1, 3, 5, 7), 3, False, "4-3"),
        # one row left: take it all, in misere play all but one object, otherwise a single object
        ("endgame_first", (0, 3, 0, 0), None, False, "2-3"),
        ("endgame_first", (0, 3, 0, 0), 2, False, "2-1"),
        ("endgame_first", (0, 3, 0, 0), None, True, "2-2"),
        ("endgame_first", (0, 1, 0, 0), None, True, "2-1"),
        ("endgame_second", (0, 0, 0, 3), None, True, "4-2"),
        # two rows: make them equal, but in misere play do not leave two single objects
        ("endgame_first", (2, 0, 5, 0), None, False, "3-3"),
        ("endgame_second", (5, 0, 2, 0), None, True, "1-3"),
        ("endgame_second", (5, 0, 2, 0), 2, False, "3-1"),
        ("endgame_first", (4, 4, 0, 0), None, False, "2-1"),
        ("endgame_first", (1, 0, 5, 0), None, False, "3-4"),
        ("endgame_first", (1, 0, 5, 0), None, True, "3-5"),
        ("endgame_second", (1, 1, 0, 0), None, True, "2-1"),
        # more rows: the first rule leaves an even number of rows, in misere play an odd number
        ("endgame_first", (1, 3, 5, 0), None, False, "3-5"),
        ("endgame_first", (1, 3, 5, 0), None, True, "3-4"),
        ("endgame_first", (1, 3, 5, 7), None, False, "4-6"),
        ("endgame_first", (1, 3, 5, 7), None, True, "4-7"),
        ("endgame_first", (1, 3, 5, 0), 3, False, "3-1"),
        ("endgame_first", (1, 3, 5, 1), None, False, "4-1"),
        # the second rule makes the two largest rows equal, then takes the other rows from the smallest
        ("endgame_second", (1, 3, 5, 7), None, False, "4-2"),
        ("endgame_second", (1, 0, 5, 3), None, True, "3-2"),
        ("endgame_second", (2, 4, 0, 4), None, False, "1-2"),
        ("endgame_second", (2, 4, 0, 4), 1, False, "1-1"),
        ("endgame_second", (0, 1, 2, 5), 2, False, "4-1"),
    ],
)
def test_by_hand(rule, heaps, max_take, misere, action):
    assert played(Nim((7, 7, 7, 7), max_take, misere), heaps, rule=rule) == action


@pytest.mark.parametrize(
    ("heaps", "action"), [((1, 3, 5), "1-1"), ((0, 3, 5), "3-1"), ((0, 3, 0), "2-2"), ((1, 0, 5), "3-1")]
)
def test_count_and_decide_by_hand(heaps, action):
    game = Nim((7, 7, 7), 2)
    assert played(game, heaps, rule="count_and_decide", odd="max_lowest", even="min_highest") == action


@pytest.mark.parametrize(
    ("heaps", "actions"), [((1, 3, 5), {"1-1", "2-3", "3-5"}), ((1, 0, 5), {"3-4"}), ((1, 0, 1), {"1-1", "3-1"})]
)
def test_the_always_rule_of_report_b_by_hand(heaps, actions):
    game = Nim((7, 7, 7))
    played_names = set(played(game, [heaps] * 100, rule="count_and_decide", odd="take_row", even="leave_one"))
    assert played_names == actions


def test_a_spec_names_a_rule_and_its_options():
    start = batch_of([Position.start(Nim())])
    for spec, action in (
        ("nim:max_highest", "4-7"),
        ("nim:rule=max_highest", "4-7"),
        ("nim:rule=count_and_decide,odd=max_highest,even=min_lowest", "1-1"),
    ):
        assert Nim().action_name(make_agent(spec, "Nim-v0").act_batch(start)[0]) == action


@pytest.mark.parametrize("options", OPTIONS, ids=lambda options: "-".join(options.values()))
@pytest.mark.parametrize("game", GAMES, ids=str)
def test_plays_legal_actions_only(game, options):
    positions = random_positions(game, 200, seed=0)
    actions = NimRuleAgent(game, **options, seed=0).act_batch(batch_of(positions))
    assert actions.shape == (200,)
    assert actions.dtype == np.int64
    assert all(action in position.legal_actions() for position, action in zip(positions, actions, strict=True))


@pytest.mark.parametrize("options", OPTIONS, ids=lambda options: "-".join(options.values()))
def test_only_the_random_rules_depend_on_the_seed(options):
    game = Nim()
    heaps = [(1, 3, 5, 7)] * 50  # lost positions, in which all actions are equal for the nim-sum and the expert
    first, again, other = (played(game, heaps, seed, **options) for seed in (1, 1, 2))
    assert first == again
    assert (first != other) == (options["rule"] in RANDOM)
    assert (len(set(first)) > 1) == (options["rule"] in RANDOM)


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_expert_is_nim_expert(game):
    seen = batch_of(random_positions(game, 300, seed=1))
    agent, expert = NimRuleAgent(game, "expert", seed=3), NimExpertAgent(game, seed=3)
    for _ in range(2):
        assert (agent.act_batch(seen) == expert.act_batch(seen)).all()


def test_random_plays_everything():
    assert set(played(Nim((2, 3)), [(2, 3)] * 200, rule="random")) == {"1-1", "1-2", "2-1", "2-2", "2-3"}


def test_nim_sum_keeps_every_won_position_without_a_bound():
    game = Nim((4, 5, 6, 7))
    won = [heaps for heaps in all_heaps(game) if theory(heaps, game)]
    for heaps, name in zip(won, played(game, won, rule="nim_sum"), strict=True):
        assert not theory(after(heaps, name), game)


@pytest.mark.parametrize(
    ("game", "heaps", "name", "right"),
    [
        # (1, 2, 3) has the nim-sum 0, but modulo 3 it is (1, 2, 0)
        (Nim((1, 2, 4), 2), (1, 2, 4), "3-1", "2-2"),
        # 1 and 1 have the nim-sum 0: in misere play the last two objects win for the player to move
        (Nim((1, 2), None, True), (1, 2), "2-1", "2-2"),
    ],
    ids=str,
)
def test_nim_sum_is_wrong_with_a_bound_and_in_misere_play(game, heaps, name, right):
    assert set(played(game, [heaps] * 50, rule="nim_sum")) == {name}
    assert wins_for_one_to_move(after(heaps, name), game)
    assert not wins_for_one_to_move(after(heaps, right), game)


def wins_for_one_to_move(heaps, game):
    """Return whether the player to move wins, by the rules."""
    if not any(heaps):
        return game.misere
    names = (position_of(game, heaps).action_name(a) for a in position_of(game, heaps).legal_actions())
    return any(not wins_for_one_to_move(after(heaps, name), game) for name in names)


def beats_everyone(agent, position):
    """Return whether a deterministic agent wins from a position against any play of the opponent."""
    position = position.play(int(agent.act_batch(batch_of([position]))[0]))
    if position.result is not None:
        return position.result == -1
    replies = [position.play(action) for action in position.legal_actions()]
    return all(reply.result == 1 or (reply.result is None and beats_everyone(agent, reply)) for reply in replies)


@pytest.mark.parametrize("rule", ["endgame_first", "endgame_second"])
class TestEndgame:
    @pytest.mark.parametrize("misere", [False, True])
    def test_wins_all_that_is_won_with_two_rows_left_and_no_bound(self, rule, misere):
        game = Nim((5, 6), None, misere)
        agent = NimRuleAgent(game, rule)
        for heaps in all_heaps(game):
            assert beats_everyone(agent, position_of(game, heaps)) == theory(heaps, game)

    @pytest.mark.parametrize("k", [1, 2, 3])
    def test_wins_with_a_bound_where_it_can_make_two_rows_equal(self, rule, k):
        game = Nim((5, 6), k)
        agent = NimRuleAgent(game, rule)
        assert all(
            beats_everyone(agent, position_of(game, heaps))
            for heaps in all_heaps(game)
            if 1 <= heaps[1] - heaps[0] <= k
        )

    def test_does_not_win_all_with_more_rows(self, rule):
        game = Nim((1, 3, 5))  # only 3-3 wins
        assert theory(game.heaps, game)
        assert not beats_everyone(NimRuleAgent(game, rule), position_of(game, game.heaps))


def test_the_pair_of_the_second_wins_from_one_row_more():
    game = Nim((4, 5, 5))
    agent = NimRuleAgent(game, "endgame_second")
    assert all(beats_everyone(agent, position_of(game, (a, b, b))) for a in range(1, 5) for b in range(1, 6))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"rule": "max_middle"}, ["rule", "'max_middle'", *RULES]),
        ({"rule": 3}, ["rule", "3", "nim_sum"]),
        ({"rule": ("min_lowest", "max_lowest")}, ["rule", "('min_lowest', 'max_lowest')"]),
        ({"rule": "count_and_decide"}, ["odd", "None", *BASIC_RULES]),
        ({"rule": "count_and_decide", "odd": "max_lowest"}, ["even", "None", *BASIC_RULES]),
        ({"rule": "count_and_decide", "odd": "nim_sum", "even": "max_lowest"}, ["odd", "'nim_sum'", *BASIC_RULES]),
        ({"rule": "max_lowest", "even": "min_lowest"}, ["even=min_lowest", "count_and_decide", "max_lowest"]),
    ],
    ids=str,
)
def test_refuses(options, words):
    with pytest.raises(ValueError, match=r"^[^\n]+$") as caught:
        NimRuleAgent(Nim(), **options)
    for word in words:
        assert word in str(caught.value)


def test_plays_nim_only():
    with pytest.raises(ValueError, match="nim plays Nim, not Quixo"):
        NimRuleAgent(Quixo(), "min_lowest")
