"""Monte Carlo tree search: the tree, the agent, and tests for typical bugs of such searches."""

import itertools
from functools import cache

import numpy as np
import pytest
from fake_clock import FakeClock
from oracles.exhaustive import exact_action_value, exact_value
from oracles.rules import nim_is_won
from playing import batch_of, distinct_actions, observation_of, random_positions

import ci_envs.agents.search.mcts
from ci_envs import ConnectN, Nim, Position, Quarto, Quixo
from ci_envs.agents.random import RandomAgent
from ci_envs.agents.search.mcts import MCTSAgent
from ci_envs.agents.search.mcts_tree import FIRST_NODES, NODE, UCTSettings, reset_bounds, simulate, write_root
from ci_envs.agents.search.tables import NO_TABLES
from ci_envs.arena.match import play_match

TICTACTOE = ConnectN(3, 3, 3)
NIM = Nim((2, 3, 4))
MISERE = Nim((2, 3, 4), 2, True)
GRAVITY = ConnectN(4, 5, 3, True)
GAMES = (
    Quixo(3),
    Quixo(5),
    TICTACTOE,
    GRAVITY,
    NIM,
    Nim((30, 20, 25), 25, True),  # 75 actions: more than the bits of a word
    Quarto(),
    pytest.param(Quixo(7), marks=pytest.mark.slow),
)


def act(agent, position):
    return agent.act(observation_of(position))


@cache
def tictactoe_positions():
    """Return every position in which the game is not over."""
    seen, frontier = set(), {Position.start(TICTACTOE)}
    while frontier:
        seen |= frontier
        frontier = {p.play(a) for p in frontier if p.result is None for a in p.legal_actions()}
    assert len(seen) == 5478
    return [position for position in seen if position.result is None]


def lost_values(agent, positions):
    """Return the positions in which the action of the agent loses value."""
    actions = agent.act_batch(batch_of(positions)).tolist()
    return [p for p, a in zip(positions, actions, strict=True) if exact_action_value(p, a) < exact_value(p)]


def tree_of(position, simulations, exploration=1.0, max_plies=1000, max_nodes=2**24, proofs=True, seed=1):
    nodes = np.empty(FIRST_NODES + position.game.action_count, NODE)
    words = np.uint64(position.own), np.uint64(position.opp)
    size, state = write_root(position.game, nodes, *words, NO_TABLES, np.uint64(seed))
    if not proofs:
        reset_bounds(nodes, np.uint64(0))
    settings = UCTSettings(exploration, max_plies, max_nodes, proofs)
    nodes, size, _ = simulate(position.game, nodes, size, simulations, settings, NO_TABLES, np.uint64(state))
    return nodes[:size]


def children_of(nodes, parent):
    return nodes[nodes[parent]["first"] : nodes[parent]["first"] + nodes[parent]["children"]]


def walk(nodes, position, parent=0):
    """Yield every expanded node with its position."""
    yield parent, position
    for child in range(nodes[parent]["first"], nodes[parent]["first"] + nodes[parent]["children"]):
        if nodes[child]["children"]:
            yield from walk(nodes, position.play(int(nodes[child]["action"])), child)


def check_tree(nodes, position):
    """Check that structure, sums and bounds of a tree agree with the rules."""
    for parent, here in walk(nodes, position):
        children = children_of(nodes, parent)
        assert sorted(children["action"]) == distinct_actions(here)
        assert (nodes[parent]["own"], nodes[parent]["opp"]) == (here.own, here.opp)
        sign = int(nodes[parent]["sign"])
        bounds = sorted(sign * int(nodes[parent][name]) for name in ("lower", "upper"))
        assert bounds == [children["lower"].max(), children["upper"].max()]
        if bounds == [-1, 1]:  # otherwise the backed-up sum was corrected; the only visit is the node's own rollout
            assert 0 <= nodes[parent]["visits"] - children["visits"].sum() <= 1
            assert abs(sign * int(nodes[parent]["total"]) - children["total"].sum()) <= 1
        for child in children:
            after = here.play(int(child["action"]))
            assert (child["own"], child["opp"], child["parent"]) == (after.own, after.opp, parent)
            assert child["sign"] == (1 if after.to_move == here.to_move else -1)
            assert np.isneginf(child["mean"]) == (child["upper"] <= children["lower"].max())
            if after.result is not None:
                assert child["lower"] == child["upper"] == child["sign"] * after.result
                assert child["visits"] == child["plies"] == child["children"] == 0


def check_bounds(nodes, position):
    """The exact value of every node lies between its bounds."""
    for parent, here in walk(nodes, position):
        for child in children_of(nodes, parent):
            assert child["lower"] <= exact_action_value(here, int(child["action"])) <= child["upper"]


# the tree


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_tree_agrees_with_the_rules(game):
    for position in random_positions(game, 40, seed=3)[::13]:
        check_tree(tree_of(position, 200), position)


def test_no_simulation_is_lost():
    nodes = tree_of(Position.start(Quixo()), 20_000)
    assert nodes[0]["visits"] == 20_000 == children_of(nodes, 0)["visits"].sum()
    assert len(nodes) > FIRST_NODES  # the tree has grown


@pytest.mark.parametrize("game", [TICTACTOE, Quarto()], ids=str)
def test_without_proofs_all_values_are_averages(game):
    finished_again = 0
    for position in random_positions(game, 40, seed=3)[::7]:
        nodes = tree_of(position, 500, proofs=False)
        assert nodes[0]["visits"] == 500
        for parent, here in walk(nodes, position):
            children = children_of(nodes, parent)
            assert sorted(children["action"]) == distinct_actions(here)
            assert (nodes[parent]["lower"], nodes[parent]["upper"]) == (-1, 1)
            own_visits = 0 if parent == 0 else 1
            assert nodes[parent]["visits"] == children["visits"].sum() + own_visits
            assert abs(int(nodes[parent]["sign"]) * int(nodes[parent]["total"]) - children["total"].sum()) <= own_visits
            for child in children:
                after = here.play(int(child["action"]))
                if after.result is not None:
                    assert child["total"] == child["visits"] * child["sign"] * after.result
                    finished_again += child["visits"] > 1
    assert finished_again


@pytest.mark.extended
def test_without_proofs_it_tries_to_win_drawn_positions():
    """From the drawn initial position of 4 x 4 it wins more games against random, as it does not stop at the proof."""
    game = ConnectN(4, 4, 4)
    won = [
        play_match(game, MCTSAgent(game, proofs=proofs, seed=1), RandomAgent(game, seed=2), 200).sides[0].total.wins
        for proofs in (True, False)
    ]
    assert won[0] + 10 < won[1]
    agent = MCTSAgent(TICTACTOE, proofs=False, seed=0)
    position = Position.from_text(TICTACTOE, "XX./OO./... X")
    assert act(agent, position) == 2
    assert agent.analyse(position).proven is None


def late_quarto_positions():
    """Return positions with at most five empty cells, with and without a piece in hand."""
    positions = random_positions(Quarto(), 200, seed=4)
    return [position for position in positions if (position.opp & 0xFFFF).bit_count() >= 11][:6]


@pytest.mark.parametrize(
    "positions",
    [
        lambda: tictactoe_positions()[::97],
        late_quarto_positions,
        lambda: [Position.start(NIM), Position.start(MISERE)],
    ],
    ids=["tictactoe", "quarto", "nim"],
)
def test_bounds_hold_the_exact_value(positions):
    for position in positions():
        for simulations in (30, 1000):
            check_bounds(tree_of(position, simulations), position)


@cache
def random_play_value(position):
    """Return the expected result of uniformly random play for the player to move."""
    if position.result is not None:
        return position.result
    values = []
    for action in position.legal_actions():
        after = position.play(action)
        values.append(random_play_value(after) * (1 if after.to_move == position.to_move else -1))
    return sum(values) / len(values)


@pytest.mark.parametrize(
    "position",
    [
        Position.from_text(TICTACTOE, "XO./.X./..O X"),
        Position.from_text(TICTACTOE, "XO./.../... X"),
        Position.from_text(NIM, "2,2,3 0"),
        Position.from_text(MISERE, "2,2,3 0"),
        Position.from_text(Quarto(), ".d7./031e/.5.9/84fb - 0"),
        Position.from_text(Quarto(), "2d.7/c4.b/13.f/a56. 0 1"),
    ],
    ids=str,
)
def test_reward_goes_to_the_right_player(position):
    """If the tree cannot grow, the mean of a root action is its expected result in random play."""
    size = 1 + len(position.legal_actions())
    nodes = tree_of(position, 40_000, exploration=1e6, max_nodes=size)
    assert len(nodes) == size
    for child in children_of(nodes, 0):
        after = position.play(int(child["action"]))
        expected = random_play_value(after) * (1 if after.to_move == position.to_move else -1)
        if child["visits"] == 0:
            assert child["lower"] == child["upper"] == expected
        else:
            assert child["total"] / child["visits"] == pytest.approx(expected, abs=5 / np.sqrt(child["visits"]))


def test_play_is_broken_off_as_a_draw():
    """No player can make five in a row within 8 plies, and the tree is not deeper."""
    position = Position.start(Quixo())
    nodes, size = tree_of(position, 3000, max_plies=8), 1 + len(distinct_actions(position))
    assert nodes[0]["visits"] == 3000
    assert not nodes["total"][:size].any()
    nodes = tree_of(position, 3000, max_plies=1)
    assert len(nodes) == size
    assert nodes[0]["visits"] == 3000


# the agent


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_plays_legal_actions_and_wins_at_once(game):
    positions = random_positions(game, 150, seed=0)
    for simulations in (1, 60):
        actions = MCTSAgent(game, simulations=simulations, seed=0).act_batch(batch_of(positions))
        assert actions.dtype == np.int64
        for position, action in zip(positions, actions.tolist(), strict=True):
            after = {a: position.play(a) for a in position.legal_actions()}
            wins = {a for a, p in after.items() if p.result == (1 if p.to_move == position.to_move else -1)}
            assert action in (wins or after)


def test_keeps_the_value_of_every_tictactoe_position():
    assert not lost_values(MCTSAgent(TICTACTOE, simulations=10_000, seed=0), tictactoe_positions())


@pytest.mark.parametrize("seed", range(3))
def test_keeps_it_with_a_tenth_of_the_simulations(seed):
    assert not lost_values(MCTSAgent(TICTACTOE, seed=seed), tictactoe_positions())


def test_never_loses_to_random_play_at_tictactoe(monkeypatch):
    choose, calls = MCTSAgent.choose, []
    monkeypatch.setattr(MCTSAgent, "choose", lambda *arguments: calls.append(arguments) or choose(*arguments))
    mine = play_match(TICTACTOE, MCTSAgent(TICTACTOE, seed=0), RandomAgent(TICTACTOE, seed=0), 1000).sides[0]
    assert sum(seat.losses for seat in mine.seats) == 0
    assert sum(seat.wins for seat in mine.seats) > 900
    assert 0 < len(calls) <= 9  # all games are played together, one call for each ply


@pytest.mark.parametrize("game", [NIM, MISERE], ids=str)
def test_converges_to_the_theory_of_nim(game):
    heaps = [heaps for heaps in itertools.product(range(3), range(4), range(5)) if any(heaps)]
    positions = [Position.from_text(game, f"{a},{b},{c} 0") for a, b, c in heaps]
    actions = MCTSAgent(game, simulations=10_000, seed=0).act_batch(batch_of(positions)).tolist()
    for sizes, position, action in zip(heaps, positions, actions, strict=True):
        won = nim_is_won(sizes, game.max_take, game.misere)
        assert exact_action_value(position, action) == (1 if won else -1)


def test_takes_the_quickest_win_and_the_slowest_loss():
    positions = [p for p in tictactoe_positions() if exact_value(p) != 0]
    actions = MCTSAgent(TICTACTOE, seed=0).act_batch(batch_of(positions)).tolist()
    for position, action in zip(positions, actions, strict=True):
        after = {a: position.play(a) for a in position.legal_actions()}
        if any(p.result == -1 for p in after.values()):
            assert after[action].result == -1
        answered = {a for a, p in after.items() if -1 in (p.play(b).result for b in p.legal_actions())}
        if exact_value(position) == -1 and answered != set(after):
            assert action not in answered


def test_a_proven_draw_is_better_than_a_negative_estimate():
    draws = [p for p in tictactoe_positions() if exact_value(p) == 0]
    for seed in range(3):
        agent = MCTSAgent(TICTACTOE, simulations=200, seed=seed)
        assert len(lost_values(agent, draws)) < 0.01 * len(draws)


def test_ties_are_broken_evenly():
    start = Position.start(TICTACTOE)
    first = MCTSAgent(TICTACTOE, simulations=1, seed=0).act_batch(batch_of([start] * 900))
    assert abs(np.bincount(first, minlength=9) - 100).max() < 48  # 5 standard deviations
    for text, ways in (("X.X/.O./X.O O", 4), ("XX./X.O/.OO X", 2)):  # one action loses, the other wins
        actions = MCTSAgent(TICTACTOE, seed=0).act_batch(batch_of([Position.from_text(TICTACTOE, text)] * 400))
        _, counts = np.unique(actions, return_counts=True)
        assert len(counts) == ways
        assert abs(counts - 400 / ways).max() < 50


@pytest.mark.parametrize("game", [Quixo(), GRAVITY, Quarto()], ids=str)
def test_same_seed_same_actions_whatever_the_threads(game):
    seen = batch_of(random_positions(game, 40, seed=1))
    first, second, third, threaded = (
        MCTSAgent(game, simulations=100, threads=threads, seed=seed).act_batch(seen).tolist()
        for seed, threads in ((1, 1), (1, 1), (2, 1), (1, 3))
    )
    assert first == second == threaded != third
    assert MCTSAgent(game, simulations=100, seed=1).act({key: value[0] for key, value in seen.items()}) == first[0]
    agent = MCTSAgent(game, simulations=100, seed=5)
    one = {key: value[:1] for key, value in seen.items()}
    for observations in (seen, one):
        agent.reseed(1)
        expected = agent.act_batch(observations).tolist()
        agent.act_batch(one)
        agent.reseed(1)
        assert agent.act_batch(observations).tolist() == expected


def test_an_empty_batch_has_no_actions():
    seen = batch_of([Position.start(TICTACTOE)])
    empty = {key: value[:0] for key, value in seen.items()}
    assert MCTSAgent(TICTACTOE, threads=2).act_batch(empty).shape == (0,)


# the tree is kept between moves


@pytest.mark.extended
@pytest.mark.parametrize("game", [Quixo(3), Quixo(5), TICTACTOE, Quarto()], ids=str)
def test_the_search_continues_with_the_tree_of_the_last_move(game):
    agent, rng = MCTSAgent(game, simulations=500, reuse=True, seed=0), np.random.default_rng(0)
    for _ in range(5):
        position, found = Position.start(game), 0
        while position.result is None:
            if position.to_move == 0:
                before = agent._reused_tree(np.array([position.own, position.opp], np.uint64), np.uint64(0))
                if before:
                    check_tree(before.nodes[: before.size], position)
                    found += 1
                action = act(agent, position)
                check_tree(agent._tree.nodes[: agent._tree.size], position)
                reply = agent._tree.nodes[0]
                assert reply["visits"] >= 500 or reply["lower"] == reply["upper"]
            else:
                action = int(rng.choice(position.legal_actions()))
            position = position.play(action)
        assert found


def test_a_position_that_is_not_in_the_tree_is_searched_afresh():
    agent = MCTSAgent(TICTACTOE, reuse=True, seed=0)
    act(agent, Position.from_text(TICTACTOE, "XO./.../... X"))
    elsewhere = Position.from_text(TICTACTOE, "OO./XX./... X")
    assert elsewhere.action_name(act(agent, elsewhere)) == "c2"
    assert (agent._tree.nodes[0]["own"], agent._tree.nodes[0]["opp"]) == (elsewhere.own, elsewhere.opp)


def values_lost_in_games(reuse, games):
    """Return the half points lost against a random player in tic-tac-toe, moving second, with few simulations."""
    agent, rng = MCTSAgent(TICTACTOE, simulations=60, reuse=reuse, seed=1), np.random.default_rng(1)
    lost = 0
    for _ in range(games):
        position = Position.start(TICTACTOE)
        while position.result is None:
            if position.to_move == 1:
                action = act(agent, position)
                lost += exact_value(position) - exact_action_value(position, action)
            else:
                action = int(rng.choice(position.legal_actions()))
            position = position.play(action)
    return lost


def test_a_kept_tree_plays_no_worse():
    kept, afresh = values_lost_in_games(True, 1000), values_lost_in_games(False, 1000)
    assert afresh > 10
    assert kept < afresh + 2 * np.sqrt(afresh)


# budgets and options


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"simulations": 0}, ["simulations", "from 1", "0"]),
        ({"simulations": -5}, ["simulations", "-5"]),
        ({"simulations": 2.5}, ["simulations", "2.5"]),
        ({"time": 0}, ["time", "above 0", "0"]),
        ({"time": -0.5}, ["time", "-0.5"]),
        ({"time": float("nan")}, ["time", "nan"]),
        ({"time": float("inf")}, ["time", "inf"]),
        ({"time": "fast"}, ["time", "'fast'"]),
        ({"simulations": 10, "time": 1.0}, ["simulations=10", "time=1.0", "not both"]),
        ({"exploration": -1.0}, ["exploration", "-1.0"]),
        ({"exploration": True}, ["exploration", "True"]),
        ({"proofs": 1}, ["proofs", "1"]),
        ({"reuse": 1}, ["reuse", "1"]),
        ({"threads": 0}, ["threads", "0"]),
    ],
    ids=str,
)
def test_bad_options_are_refused(options, words):
    with pytest.raises(ValueError, match=r"^[^\n]+$") as caught:
        MCTSAgent(TICTACTOE, **options)
    for word in words:
        assert word in str(caught.value)


def test_time_is_kept(monkeypatch):
    """The clock is read at the start and after each part of the search. Each board has the whole time."""
    clock = FakeClock(step=1 / 64)
    monkeypatch.setattr(ci_envs.agents.search.mcts, "perf_counter", clock)
    agent = MCTSAgent(Quixo(), time=20 / 64, reuse=False, seed=0)
    position = Position.start(agent.game)
    assert act(agent, position) in position.legal_actions()
    assert len(clock.readings) == 1 + 20
    agent.threads = 2
    clock.readings.clear()
    actions = agent.act_batch(batch_of([position] * 4))
    assert set(actions.tolist()) <= set(position.legal_actions())
    assert len(clock.readings) == 4 * (1 + 20)
    assert agent.analyse(position).simulations == 20 * ci_envs.agents.search.mcts._CHUNK > 1000


def test_proven_positions_take_no_time(monkeypatch):
    clock = FakeClock(step=1)
    monkeypatch.setattr(ci_envs.agents.search.mcts, "perf_counter", clock)
    agent = MCTSAgent(TICTACTOE, time=60, seed=0)
    assert act(agent, Position.from_text(TICTACTOE, "XX./O../.O. X")) == 2
    assert len(clock.readings) < 30


def test_memory_is_bounded(monkeypatch):
    monkeypatch.setattr(ci_envs.agents.search.mcts, "MAX_NODES", 500)
    agent = MCTSAgent(Quixo(), simulations=5000, reuse=True, seed=0)
    act(agent, Position.start(Quixo()))
    assert 456 < agent._tree.size <= 500
    assert agent._tree.nodes[0]["visits"] == 5000


# analysis


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_analysis_describes_the_search(game):
    agent = MCTSAgent(game, simulations=500, seed=0)
    for position in random_positions(game, 12, seed=1):
        found = agent.analyse(position)
        assert -1 <= found.value <= 1
        assert found.simulations <= 500
        assert found.visits.shape == (game.action_count,)
        assert found.visits.dtype == np.int64
        assert found.visits.sum() == found.simulations
        assert tuple(found.action_values) == position.legal_actions()
        assert all(-1 <= value <= 1 or np.isnan(value) for value in found.action_values.values())
        assert found.principal_variation
        after = position
        for action in found.principal_variation:
            after = after.play(action)


@pytest.mark.parametrize(
    ("text", "value", "first"),
    [("XX./OO./... X", 1, "c1"), ("X.X/.O./X.O O", -1, None), ("XOX/OOX/.XO X", 0, "a3")],
)
def test_the_analysis_shows_proven_values(text, value, first):
    position = Position.from_text(TICTACTOE, text)
    found = MCTSAgent(TICTACTOE, seed=0).analyse(position)
    assert found.proven == found.value == value == exact_value(position)
    best = found.principal_variation[0]
    assert found.action_values[best] == value
    assert first in (None, position.action_name(best))


def test_analysis_of_an_open_position_has_no_proven_value():
    found = MCTSAgent(Quixo(), seed=0).analyse(Position.start(Quixo()))
    assert found.proven is None
    assert found.simulations == 1000
    assert found.visits.max() == found.visits[found.principal_variation[0]]


def test_the_analysis_refuses_other_games_and_finished_positions():
    agent = MCTSAgent(TICTACTOE)
    with pytest.raises(ValueError, match="Nim"):
        agent.analyse(Position.start(NIM))
    over = Position.from_text(TICTACTOE, "XXX/OO./... O")
    with pytest.raises(ValueError, match=r"over in 'XXX/OO\./\.\.\. O'"):
        agent.analyse(over)
