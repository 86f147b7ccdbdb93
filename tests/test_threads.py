"""Agents and solutions that several threads use at the same time: the results are those of one thread."""

import copy
import gc
import pickle
import sys
import weakref
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from foreign import agents as foreign
from playing import batch_of, random_positions

from ci_envs import ConnectFour, ConnectN, Nim, Quarto, Quixo, TicTacToe, make_agent
from ci_envs.agents.tabular.episodes import Q_LEARNING, SELF, UNSHAPED, Rule
from ci_envs.agents.tabular.q_learning import QLearningAgent
from ci_envs.agents.tabular.value_table import new_table
from ci_envs.kernels.seeds import STRIDE, SeedSequence
from ci_envs.kernels.work_memory import WorkMemory
from ci_envs.solver.gravity import GravitySolution
from ci_envs.solver.proof import ProofSolution

THREADS, COUNT = 4, 300
NIM = Nim((1, 3, 5, 7))


def in_threads(function, items):
    """Return the results of a function for items, which several threads take in turn."""
    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(function, items))


def rows_of(game, count):
    return np.array([[place.own, place.opp] for place in random_positions(game, count, seed=3)], dtype=np.uint64)


def agent_with_empty_table():
    rule = Rule(Q_LEARNING, True, False, UNSHAPED, False, 1.0, 0.0, 0.0, 0, SELF, 9)
    return QLearningAgent(TicTacToe(), (new_table(1, 0.1), rule))


COMPILED = {
    "random": lambda: make_agent("random", TicTacToe()),
    "minimax": lambda: make_agent("minimax:depth=4", ConnectFour()),
    "minimax by runs": lambda: make_agent("minimax:depth=2,evaluation=longest_run", Quixo(3)),
    "minimax with a time": lambda: make_agent("minimax:depth=3,time=60", ConnectFour()),
    "mcts": lambda: make_agent("mcts:simulations=30", ConnectFour()),
    "q_learning": agent_with_empty_table,
    "nim": lambda: make_agent("nim:endgame_first", NIM),
    "nim_expert": lambda: make_agent("nim_expert", NIM),
    "nim_ga": lambda: make_agent("nim_ga:rows4", NIM),
    "nim_evolved": lambda: make_agent("nim_evolved:rows4", NIM),
    "neat": lambda: make_agent("neat:quixo", Quixo()),
    "evolution_strategy": lambda: make_agent("evolution_strategy:quixo,depth=1", Quixo()),
    "quarto_ga": lambda: make_agent("quarto_ga:population=12,generations=2,offspring=5", Quarto()),
    "wandering": lambda: make_agent("quarto_ga:algorithm=wandering,population=9,generations=2,offspring=5", Quarto()),
    "report D": lambda: make_agent("report:D2:depth1", Quixo()),
}


@pytest.mark.extended
@pytest.mark.parametrize("name", COMPILED)
def test_a_compiled_agent_chooses_the_same_in_threads(name):
    agent = COMPILED[name]()
    rows, seeds = rows_of(agent.game, COUNT), np.arange(COUNT, dtype=np.uint64) * np.uint64(STRIDE)

    def action(i):
        return int(agent.choose(rows[i : i + 1], seeds[i : i + 1])[0])

    alone = [action(i) for i in range(COUNT)]
    assert in_threads(action, range(COUNT)) == alone


@pytest.mark.extended
@pytest.mark.parametrize(
    ("spec", "game"),
    [
        ("minimax:depth=4", ConnectFour()),
        ("alphazero:simulations=16,leaves=1", TicTacToe()),
        ("mcts:simulations=60", Quixo(3)),
    ],
)
def test_an_agent_analyses_the_same_in_threads(spec, game, monkeypatch):
    """With one leaf for each call of the network, its outputs have the same rounding errors in every search."""
    agent = make_agent(spec, game, seed=0)
    monkeypatch.setattr(
        agent, "_random_streams", lambda n, contempt: (np.full(n, 7, np.uint64), np.zeros(n)), raising=False
    )
    if hasattr(agent, "_seeds"):
        monkeypatch.setattr(agent._seeds, "take", lambda n: np.full(n, 7, np.uint64))
    positions = random_positions(game, COUNT, seed=3)

    def analysed(position):
        found = agent.analyse(position)
        visits = None if found.visits is None else found.visits.tolist()
        return repr((found, visits))  # as a text, because nan differs from itself

    alone = [analysed(position) for position in positions]
    assert in_threads(analysed, positions) == alone


def test_alphazero_acts_the_same_in_threads_on_one_board_and_on_many():
    agent = make_agent("alphazero:simulations=16,leaves=1", TicTacToe(), seed=0)
    agent._random_streams = lambda n, contempt: (np.full(n, 7, np.uint64), np.zeros(n))
    rows = rows_of(agent.game, COUNT)
    parts = [slice(i, i + 1 + i % 5) for i in range(COUNT)]
    alone = [agent.act_on(rows[part]).tolist() for part in parts]
    assert in_threads(lambda part: agent.act_on(rows[part]).tolist(), parts) == alone


def test_an_agent_acts_while_one_of_its_analyses_is_suspended():
    """An analysis that is not finished must neither block other calls nor share its memory with them."""
    agent, twin = (make_agent("alphazero:simulations=40,leaves=1", TicTacToe(), seed=0) for _ in range(2))
    first, other = random_positions(TicTacToe(), 9, seed=3)[::8]
    *_, expected = twin.think(first)
    analyses = agent.think(first)
    next(analyses)
    in_threads(agent.analyse, [other] * 3)
    *_, last = analyses
    assert repr(last) == repr(expected)
    assert repr(last.tree(1)) == repr(expected.tree(1))
    agent.analyse(other)
    assert repr(last.tree(1)) == repr(expected.tree(1))  # later searches leave it


SOLUTIONS = {
    "search": lambda: GravitySolution(ConnectN(4, 4, 3, gravity=True)),
    "proof": lambda: ProofSolution(ConnectN(4, 4, 4)),
}


@pytest.mark.parametrize("name", SOLUTIONS)
def test_a_solution_has_the_same_scores_in_threads(name):
    solution = SOLUTIONS[name]()
    rows = [row[np.newaxis] for row in rows_of(solution.game, COUNT)]
    alone = [solution.scores(row).tolist() for row in rows]
    assert in_threads(lambda row: solution.scores(row).tolist(), rows) == alone


def test_the_answers_of_a_process_are_not_mixed_up():
    program = Path(foreign.__file__).with_name("program.py")
    agent = make_agent(f"process:{sys.executable} {program}", TicTacToe())
    positions = random_positions(TicTacToe(), COUNT, seed=3)
    seen = batch_of(positions)
    observations = [{key: value[i] for key, value in seen.items()} for i in range(COUNT)]
    assert in_threads(agent.act, observations) == [position.legal_actions()[0] for position in positions]
    assert copy.deepcopy(agent).act(observations[0]) == agent.act(observations[0])


def test_threads_get_different_seeds():
    seeds = SeedSequence(5)
    expected = SeedSequence(5).take(3 * COUNT).tolist()
    taken = in_threads(seeds.take, [3] * COUNT)
    assert sorted(np.concatenate(taken).tolist()) == sorted(expected)


def test_work_memory_is_used_by_one_call_at_a_time_and_then_again():
    memory = WorkMemory()
    assert memory.latest is None
    with memory.use(list) as first, memory.use(list) as second:
        assert first is not second
        assert memory.latest is None
    with memory.use(list) as third:
        assert third is first
    assert memory.latest is first
    assert pickle.loads(pickle.dumps(memory)).latest is None
    with pytest.raises(RuntimeError), memory.use(list):
        raise RuntimeError
    assert memory.latest is first


DECIDING = {
    **COMPILED,
    "alphazero": lambda: make_agent("alphazero:simulations=5", ConnectFour()),
    "report E": lambda: make_agent("report:E", ConnectN()),
}


@pytest.mark.parametrize(
    ("make", "use"),
    [
        *((make, lambda agent: agent.act_on(rows_of(agent.game, 1))) for make in DECIDING.values()),
        *((make, lambda solution: solution.scores(rows_of(solution.game, 1))) for make in SOLUTIONS.values()),
    ],
    ids=[*DECIDING, *SOLUTIONS],
)
def test_work_memory_is_freed_with_its_owner(make, use):
    """Tables of gigabytes must not wait for the garbage collector, which does not know their size."""
    gc.disable()
    try:
        owner = make()
        use(owner)
        alive = weakref.ref(owner)
        del owner
        assert alive() is None
    finally:
        gc.enable()
