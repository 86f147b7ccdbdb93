"""Agents with tables of exact values, compared with the complete solution of a smaller board."""

import numpy as np
import pytest

from ci_envs import ConnectN, Position, Quixo, make_agent, solve
from ci_envs.agents.search.minimax import MinimaxAgent
from ci_envs.arena.accuracy import measure_accuracy
from ci_envs.arena.analysis import analysis_data, summary
from ci_envs.arena.grading import Grading
from ci_envs.arena.match import play_match
from ci_envs.games import evaluate
from ci_envs.kernels.compiler import kernel
from ci_envs.solver.quixo_store import QuixoStore
from ci_envs.solver.solution import HORIZON

GAME = Quixo(4)
CUBES = 12
TREES = ("mcts:simulations=300", "alphazero:simulations=60", "alphazero:simulations=60,selection=gumbel")


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """Compute the tables of the positions with at least 12 of 16 cubes."""
    store = QuixoStore(GAME, tmp_path_factory.mktemp("store"))
    store.compute(cubes=CUBES, threads=2)
    return store


@pytest.fixture(scope="module")
def all_tables(tmp_path_factory):
    """Compute the tables of all positions."""
    store = QuixoStore(GAME, tmp_path_factory.mktemp("all"))
    store.compute(threads=2)
    return store


def with_tables(spec: str, store: QuixoStore) -> str:
    return f"{spec}{',' if ':' in spec else ':'}exact={store.folder}"


def random_states(cubes: int, count: int, seed: int) -> np.ndarray:
    """Return states that are not over with some number of cubes."""
    rng, found = np.random.default_rng(seed), []
    while len(found) < count:
        cells = rng.permutation(16)[:cubes].tolist()
        own = int(rng.integers(cubes // 2, cubes // 2 + 2))
        position = Position(GAME, sum(1 << cell for cell in cells[:own]), sum(1 << cell for cell in cells[own:]))
        if position.result is None:
            found.append((position.own, position.opp))
    return np.array(found, dtype=np.uint64)


def trees_of(agent, words):
    """Return the nodes of the search tree of each position."""
    for own, opp in words.tolist():
        nodes = agent.analyse(Position(GAME, own, opp)).tree.nodes
        used = max(int(node["first"]) + int(node["children"]) for node in walk(nodes))
        yield nodes[:used].copy()


def walk(nodes):
    waiting = [0]
    while waiting:
        node = nodes[waiting.pop()]
        yield node
        waiting += range(int(node["first"]), int(node["first"]) + int(node["children"]))


@pytest.mark.parametrize("spec", TREES)
def test_outside_the_tables_nodes_with_a_table_are_proven_and_all_bounds_are_true(spec, store):
    agent, solution, proven = make_agent(with_tables(spec, store), GAME, seed=0), solve(GAME), 0
    for nodes in trees_of(agent, random_states(CUBES - 2, 30, 1)):
        words = np.stack([nodes["own"], nodes["opp"]], axis=1)
        exact = solution.values(words) * nodes["sign"]
        assert (nodes["lower"] <= exact).all()
        assert (exact <= nodes["upper"]).all()
        wins = (nodes["lower"] == 1) & (nodes["plies"] == 0)  # their parents need no tables
        known = store.covers(words) & ~np.isin(nodes["parent"], nodes["parent"][wins])
        assert (nodes["lower"][known] == nodes["upper"][known]).all()
        assert (nodes["children"][known] == 0).all()
        proven += known.sum()
    assert proven > 100


@pytest.mark.parametrize("spec", ["mcts:simulations=300", "alphazero:simulations=60"])
def test_tables_prove_more_positions_just_outside_them(spec, store):
    words, solution = random_states(CUBES - 1, 100, 2), solve(GAME)
    kept = [
        measure_accuracy(GAME, make_agent(one, GAME, seed=0), words, solution).everywhere.keeping
        for one in (with_tables(spec, store), spec)
    ]
    assert kept[0] > kept[1]


@pytest.mark.parametrize("spec", ["minimax:depth=1", "mcts:simulations=50", "alphazero:simulations=20", *TREES[2:]])
def test_inside_the_tables_every_action_keeps_the_value(spec, store):
    words, solution = store.sample_positions(400, np.random.default_rng(3)), solve(GAME)
    kept = [
        measure_accuracy(GAME, make_agent(one, GAME, seed=0), words, solution).everywhere.keeping
        for one in (with_tables(spec, store), "random")
    ]
    assert kept[0] == 400 > kept[1]


@pytest.mark.parametrize("spec", TREES[:2])
def test_positions_that_are_won_in_many_plies_are_won_against_perfect_play(spec, all_tables):
    words, solution = all_tables.sample_positions(30_000, np.random.default_rng(4)), solve(GAME)
    distant = words[(solution.scores(words) > 0) & (solution.scores(words) <= HORIZON - 11)][:50]
    agent = make_agent(with_tables(spec, all_tables), GAME, seed=0)
    match = play_match(
        GAME,
        agent,
        make_agent("exact", GAME, seed=1),
        100,
        openings=distant,
        swap_seats=False,
        grading=Grading(solution),
    )
    side = match.sides[0]
    assert len(distant) == 50
    assert side.total.wins == 100
    assert side.accuracy.everywhere.keeping == side.decisions


@pytest.mark.parametrize("spec", TREES[:2])
def test_the_shortest_win_is_found(spec, all_tables):
    words, solution = all_tables.sample_positions(3_000, np.random.default_rng(5)), solve(GAME)
    scores = solution.scores(words)
    near = words[(scores > 0) & (scores >= HORIZON - 5)]
    agent = make_agent(with_tables(spec, all_tables), GAME, seed=0)
    best = solution.action_scores(near)
    assert len(near) > 1_000
    assert (best[np.arange(len(near)), agent.act_on(near)] == best.max(axis=1)).all()
    shown = near[solution.scores(near) < HORIZON - 2][:20]
    for own, opp in shown.tolist():
        root = agent.analyse(Position(GAME, own, opp)).tree.nodes[0]
        assert (root["lower"], root["upper"]) == (1, 1)
        assert root["plies"] == solution.distance(Position(GAME, own, opp))
    assert len(shown) > 5


def test_the_tree_of_the_last_move_can_be_used_again(store):
    agent = make_agent(with_tables("mcts:simulations=100,reuse=true", store), GAME, seed=0)
    opponent, solution = make_agent("random", GAME, seed=1), solve(GAME)
    match = play_match(GAME, agent, opponent, 30, openings=random_states(CUBES - 1, 30, 5), grading=Grading(solution))
    tally = match.sides[0].accuracy.everywhere
    assert tally.keeping == tally.decisions > 30
    assert match.sides[0].total.wins >= 26


@pytest.mark.parametrize("spec", ["minimax:depth=2", *TREES[:2]])
class TestAnalysis:
    def test_a_position_with_a_table_has_its_exact_value(self, spec, store):
        agent, solution = make_agent(with_tables(spec, store), GAME, seed=0), solve(GAME)
        seen = set()
        for own, opp in store.sample_positions(60, np.random.default_rng(6)).tolist():
            position = Position(GAME, own, opp)
            analysis, value = agent.analyse(position), solution.value(position)
            assert analysis.proven == value
            assert analysis.tables == {1: "won", 0: "drawn", -1: "lost"}[value]
            assert f"tables {analysis.tables}" in summary(analysis, position)
            assert analysis_data(analysis, position, [])["tables"] == analysis.tables
            if not isinstance(agent, MinimaxAgent):
                assert analysis.value == value
                expected = solution.action_values(np.array([[own, opp]], np.uint64))[0]
                assert analysis.action_values == {action: expected[action] for action in position.legal_actions()}
            seen.add(value)
        assert seen == {1, 0, -1}

    def test_a_position_outside_the_tables_is_named_with_the_number_of_cubes(self, spec, store):
        agent = make_agent(with_tables(spec, store), GAME, seed=0)
        own, opp = random_states(CUBES - 1, 1, 7)[0].tolist()
        analysis = agent.analyse(Position(GAME, own, opp))
        assert analysis.tables == "no value: the position has 11 cubes, and the tables need at least 12"

    def test_without_tables_nothing_is_said(self, spec, store):
        position = Position.start(GAME)
        analysis = make_agent(spec, GAME, seed=0).analyse(position)
        assert analysis.tables is None
        assert "tables" not in summary(analysis, position)


class TestMinimax:
    def test_the_evaluator_has_the_values_of_the_store_and_else_the_evaluation_of_the_game(self, store):
        evaluator = make_agent(with_tables("minimax", store), GAME).evaluator
        states = np.concatenate([random_states(cubes, 400, cubes) for cubes in range(CUBES - 2, 17)])
        expected = np.array([position_evaluation(GAME, *state) for state in states.tolist()])
        values, covered = solve(GAME).values(states).astype(np.int64), store.covers(states)
        expected = np.where(covered, (expected + 2_000_000 * values) * (values != 0), expected)
        assert [position_evaluation(evaluator, *state) for state in states.tolist()] == expected.tolist()
        assert covered.sum() == 2_000


@kernel
def position_evaluation(evaluator, own, opp):
    return evaluate(evaluator, np.uint64(own), np.uint64(opp))


@pytest.mark.parametrize(
    ("spec", "game", "message"),
    [
        ("minimax:exact=nothing", Quixo(5), "the store 'nothing' has no tables of Quixo"),
        ("mcts:exact=nothing", Quixo(5), "the store 'nothing' has no tables of Quixo"),
        ("alphazero:exact=nothing", Quixo(5), "the store 'nothing' has no tables of Quixo"),
        ("mcts:exact=nothing", ConnectN(3, 3, 3), "has no tables .nothing.: its solver does not store any"),
        ("minimax:exact=nothing,evaluation=false", Quixo(5), "exact=nothing needs evaluation=true"),
        ("mcts:exact=nothing,proofs=false", Quixo(5), "exact=nothing needs proofs=true"),
    ],
)
def test_wrong_options_are_errors(spec, game, message):
    with pytest.raises(ValueError, match=message):
        make_agent(spec, game)
