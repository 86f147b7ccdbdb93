"""Agents with analyses during the search: the last analysis is the result, and the trees follow legal play."""

import math
from unittest.mock import Mock

import numpy as np
import pytest
from fake_clock import FakeClock
from playing import distinct_actions

from ci_envs import make_agent
from ci_envs.games.connect_n import ConnectN
from ci_envs.games.position import Position
from ci_envs.games.quarto import Quarto
from ci_envs.games.quixo import Quixo
from ci_envs.registry.agents import AGENTS

TICTACTOE, QUARTO = ConnectN(3, 3, 3), Quarto()
THINKERS = ["mcts:simulations=300", "alphazero:simulations=60", "minimax:depth=4"]


def analysts():
    """Return the classes of the registered agents that analyse."""
    found = map(AGENTS.find, set(AGENTS.names()) - set(AGENTS.registered))
    return {agent for agent in found if hasattr(agent, "analyse")}


def middle(game, plies=3):
    rng = np.random.default_rng(1)
    position = Position.start(game)
    for _ in range(plies):
        position = position.play(int(rng.choice(position.legal_actions())))
    return position


@pytest.mark.parametrize("game", [TICTACTOE, QUARTO], ids=repr)
@pytest.mark.parametrize("spec", THINKERS)
def test_the_last_thought_is_the_analysis(game, spec):
    position = middle(game)
    analysis = make_agent(spec, game, seed=4).analyse(position)
    *_, last = make_agent(spec, game, seed=4).think(position)
    assert (last.value, last.principal_variation) == (analysis.value, analysis.principal_variation)
    assert last.action_values == pytest.approx(analysis.action_values, nan_ok=True)


@pytest.mark.parametrize("game", [TICTACTOE, QUARTO], ids=repr)
@pytest.mark.parametrize("spec", THINKERS)
def test_values_are_from_minus_one_to_one(game, spec):
    assert {AGENTS.find(spec.partition(":")[0]) for spec in THINKERS} == analysts()
    agent = make_agent(spec, game, seed=4)
    for plies in range(9):
        position = middle(game, plies)
        if position.result is None:
            analysis = agent.analyse(position)
            values = [analysis.value, *analysis.action_values.values()]
            assert all(type(value) is float and (math.isnan(value) or -1 <= value <= 1) for value in values)
            assert not math.isnan(analysis.value)


@pytest.mark.parametrize("spec", THINKERS[:2])
def test_of_actions_that_lead_to_the_same_position_one_is_searched_for_all(spec):
    position = middle(Quixo())
    found = make_agent(spec, position.game, seed=0).analyse(position)
    after, kept = {action: position.play(action) for action in position.legal_actions()}, distinct_actions(position)
    left_out = [action for action in after if action not in kept]
    assert left_out
    assert not found.visits[left_out].any()
    for action in left_out:
        alike = [found.action_values[one] for one in kept if after[one] == after[action]]
        assert any(found.action_values[action] == pytest.approx(value, nan_ok=True) for value in alike)


@pytest.mark.parametrize("spec", THINKERS[:2])
def test_thoughts_grow_to_the_simulations_asked_for(spec):
    game = QUARTO
    totals = [int(thought.visits.sum()) for thought in make_agent(spec, game, seed=0).think(middle(game))]
    assert len(totals) == 20
    assert totals == sorted(set(totals))
    assert totals[-1] == int(spec.rpartition("=")[2])


def test_minimax_thinks_a_ply_deeper_each_time():
    depths = [thought.depth for thought in make_agent("minimax:depth=4", QUARTO).think(middle(QUARTO))]
    assert depths == [1, 2, 3, 4]


@pytest.mark.parametrize(("spec", "count"), [("mcts:time=0.5", 4), ("minimax:time=0.5", 5)])
def test_thoughts_end_with_the_time(spec, count, monkeypatch):
    """MCTS reads the clock after each part. Minimax measures each depth except the first, which can compile."""
    for module in ("mcts", "minimax"):
        monkeypatch.setattr(f"ci_envs.agents.search.{module}.perf_counter", FakeClock(step=1 / 8))
    monkeypatch.setattr("ci_envs.agents.search.minimax.Timer", lambda seconds, *action: Mock())
    thoughts = list(make_agent(spec, QUARTO, seed=0).think(Position.start(QUARTO)))
    assert len(thoughts) == count
    assert thoughts[-1].principal_variation


@pytest.mark.parametrize("game", [TICTACTOE, QUARTO], ids=repr)
@pytest.mark.parametrize("spec", THINKERS[:2])
def test_a_tree_shows_legal_play_and_counts_add_up(game, spec):
    position = middle(game)
    analysis = make_agent(spec, game, seed=2).analyse(position)
    whole = analysis.tree(3, game.action_count)
    assert {branch.action: branch.visits for branch in whole} == {
        action: int(analysis.visits[action]) for action in position.legal_actions()
    }
    for branch in whole:
        assert branch.value == pytest.approx(analysis.action_values[branch.action], nan_ok=True)
        assert (branch.prior is None) == spec.startswith("mcts")
    _check(position, whole, depth=3)
    narrow = analysis.tree(1, 2)
    assert [branch.action for branch in narrow] == [branch.action for branch in whole[:2]]
    assert not any(branch.children for branch in narrow)


def _check(position, branches, depth):
    legal = position.legal_actions()
    visits = [branch.visits for branch in branches]
    assert visits == sorted(visits, reverse=True)
    for branch in branches:
        assert branch.action in legal
        if branch.children:
            assert depth > 1
            assert sum(child.visits for child in branch.children) <= branch.visits
            _check(position.play(branch.action), branch.children, depth - 1)


@pytest.mark.parametrize("spec", THINKERS)
def test_a_game_that_is_over_is_refused_at_once(spec):
    agent = make_agent(spec, TICTACTOE)
    with pytest.raises(ValueError, match="the game is over"):
        agent.think(Position.from_text(TICTACTOE, "XXX/OO./... O"))
