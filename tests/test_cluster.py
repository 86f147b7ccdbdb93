"""Work in the processes of a Ray cluster: the results are those of this process, also after the kill of a worker."""

import json
import os
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
import ray
from click.testing import CliRunner
from cluster_work import KilledAgent, die, fail, times
from toy_agents import Broken, FirstLegal, RandomInPython

from ci_envs import ConnectN, cluster
from ci_envs.agents.alphazero.architecture import ARCHITECTURES
from ci_envs.agents.alphazero.network import new_network
from ci_envs.agents.alphazero.self_play import Noise, SelfPlay
from ci_envs.agents.alphazero.settings import GUMBEL, SearchSettings
from ci_envs.agents.alphazero.workers import RayWorkers, ThreadWorkers
from ci_envs.arena import Tournament, compare
from ci_envs.arena.report import to_json
from ci_envs.cli.main import main
from ci_envs.cluster import ClusterError, RayPool
from ci_envs.registry import agents as registry_agents
from ci_envs.solver.quixo_pairs import Sweeper
from ci_envs.training import train

GAME = ConnectN(3, 3, 3)
AGENTS = ["random", "minimax:depth=2", ("mine", RandomInPython(GAME)), "mcts:simulations=20"]


@pytest.fixture(scope="module", autouse=True)
def _connected():
    """A Ray cluster with four cores, which all tests of this module share."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(Path(__file__).parent))  # workers import modules from this folder
        patch.setenv("RAY_worker_niceness", "0")  # otherwise the workers wait for all other tests
        ray.init(address="local", num_cpus=4, include_dashboard=False, log_to_driver=False)
        yield
        ray.shutdown()


@pytest.fixture(scope="module")
def pool():
    with RayPool(10, 2) as pool:
        yield pool


def test_a_killed_worker_is_replaced_and_nothing_is_lost(pool, tmp_path, capsys):
    results = pool.run(times, [(number, tmp_path) for number in range(8)], print)
    assert results == [0, 10, 20, 30, 40, 50, 60, 70]
    printed, errors = capsys.readouterr()
    assert sorted(map(int, printed.split())) == results
    assert "worker" in errors  # Ray reports a lost worker there
    assert len(list(tmp_path.iterdir())) == 2


def test_an_error_of_a_worker_is_raised_here(pool, tmp_path):
    with pytest.raises(KeyError, match="no key in 10"):
        pool.run(fail, [()])
    assert pool.run(times, [(2, tmp_path)]) == [20]


def test_work_that_kills_every_worker_is_given_up(monkeypatch):
    monkeypatch.setattr(cluster, "RETRIES", 1)
    with (
        RayPool(None, 1) as short_lived,
        pytest.raises(ClusterError, match="the worker of the same call died 2 times"),
    ):
        short_lived.run(die, [()])


def test_each_worker_needs_a_core():
    with pytest.raises(ValueError, match="workers=5 is too much: the Ray cluster has 4 cores"):
        RayPool(None, 5)


def test_workers_compute_the_same_tables_of_quixo(tmp_path, monkeypatch):
    monkeypatch.setattr(Sweeper, "states_in_part", 500)  # so that each sweep has several parts
    files = []
    for name, more in (("workers", ["--workers", "2"]), ("threads", ["--threads", "2"])):
        arguments = ["solve", "Quixo-v0:size=3", "--store", str(tmp_path / name), *more]
        result = CliRunner().invoke(main, arguments)
        assert result.exit_code == 0, result.output
        files.append({path.name: path.read_bytes() for path in (tmp_path / name).glob("*.values")})
    assert files[0] == files[1]
    assert len(files[0]) == 55


def test_workers_play_the_same_tournament_even_if_one_is_killed(monkeypatch, tmp_path):
    marker = tmp_path / "killed"
    toys = {"toy": RandomInPython, "killed": lambda game, seed: KilledAgent(game, marker, os.getpid())}
    monkeypatch.setattr(registry_agents.AGENTS, "registered", toys)
    command = "compare TicTacToe-v0 random toy killed minimax:depth=2 --games 10 --random-plies 1 --json -"
    tables = []
    for more in (" --workers 2", ""):  # in the second call no process is killed
        result = CliRunner().invoke(main, (command + more).split())
        assert result.exit_code == 0, result.output
        assert marker.exists()
        tables.append(json.loads(result.stdout))
    assert all(table.pop("timing") for table in tables)
    assert tables[0] == tables[1]
    assert "accuracy" in tables[0]["agents"][0]


def test_workers_load_the_agents_and_games_of_files(tmp_path, monkeypatch):
    """Not files of the same names in the current folder."""
    action = "def agent(observation):\n    return {}\n"
    (tmp_path / "there").mkdir()
    (tmp_path / "bot.py").write_text(action.format("999"))
    (tmp_path / "there" / "bot.py").write_text(action.format("int(observation['action_mask'].argmax())"))
    game = Path(__file__).with_name("minimal_game.py").read_text()
    (tmp_path / "there" / "cells.py").write_text(game)
    monkeypatch.chdir(tmp_path)
    agents = ["random", "bot.py", "there/bot.py"]
    here, away = (compare("TicTacToe-v0", agents, games=4, workers=workers) for workers in (None, 1))
    assert [each.match.sides[0].seats for each in here.pairings] == [
        each.match.sides[0].seats for each in away.pairings
    ]
    assert away.total("there/bot.py").faults == 0 < away.total("bot.py").faults
    games = compare("there/cells.py:LastCell", ["random", "random"], games=2, workers=1)
    assert games.total("random").total.games == 2


@pytest.mark.slow
def test_one_worker_plays_the_same_tournament():
    ended = []
    tables = [
        to_json(compare(GAME, AGENTS, games=20, seed=3, **options))
        for options in ({"workers": 1, "progress": ended.append}, {})
    ]
    assert all(table.pop("timing") for table in tables)
    assert tables[0] == tables[1]
    assert ended == 6 * [20]


@pytest.mark.slow
def test_an_agent_with_a_bug_loses_its_games_as_without_workers():
    tables = [to_json(compare(GAME, ["random", Broken(GAME)], games=2, **options)) for options in ({"workers": 1}, {})]
    assert all(table.pop("timing") for table in tables)
    assert tables[0] == tables[1]
    assert "a bug, seen on" in tables[0]["agents"][1]["first_fault"]
    assert tables[0]["agents"][1]["losses"] == 2


def test_bad_workers_are_refused_before_the_first_game():
    locked = FirstLegal(GAME)
    locked.lock = threading.Lock()
    for agents, options, message in (
        (["random", locked], {"workers": 2}, "agent FirstLegal cannot be sent to workers.*cannot pickle"),
        (["random", "random"], {"workers": 0}, "workers must be a whole number from 1, not 0"),
        (["random", "random"], {"ray_address": "auto"}, "ray_address='auto' is for workers: give workers too"),
        (
            ["random", "random"],
            {"workers": 1, "ray_address": "auto"},
            "'auto' is too late: this process has a connection to Ray",
        ),
    ):
        with pytest.raises(ValueError, match=message):
            Tournament(GAME, agents, **options)


def test_workers_of_self_play_play_as_threads_do_even_if_one_is_killed():
    plan = SelfPlay(GAME, SearchSettings(GUMBEL, 1.5, 4, 9), Noise(), 8, 9, 0, 1.0, 0.5, 0.0, "exact")
    network = new_network(GAME, ARCHITECTURES["32x3"], 0)
    expected = ThreadWorkers(plan, 2, "cpu").play(network, 9, [1, 2])
    with closing(RayWorkers(plan, 2, None)) as workers:
        np.testing.assert_array_equal(workers.play(network, 9, [1, 2]), expected)
        ray.kill(workers._pool._actors[1], no_restart=False)
        np.testing.assert_array_equal(workers.play(network, 9, [1, 2]), expected)


def test_workers_print_the_same_table_of_solvers():
    command = "solve SetCovering-v0:n=20 greedy tabu:moves=500 astar --json -"
    tables = []
    for more in (" --workers 2", ""):
        result = CliRunner().invoke(main, (command + more).split())
        assert result.exit_code == 0, result.output
        tables.append([{**row, "seconds": None} for row in json.loads(result.stdout)])
    assert tables[0] == tables[1]
    assert [row["solver"] for row in tables[0]] == ["greedy", "tabu:moves=500", "astar"]


@pytest.mark.parametrize(
    ("learner", "options"),
    [
        ("evolution_strategy:strategy=plus,random_share=1", {"opponents": ("random", "minimax:depth=1"), "peers": 1}),
        pytest.param("neat:population=6,species=2", {"opponents": None, "peers": 2}, marks=pytest.mark.slow),
    ],
)
def test_workers_evolve_the_same_agent(learner, options, tmp_path):
    quick = {"generations": 2, "games": 4, "ladder": ("random",), "ladder_games": 2, "measurements": 1}
    for folder, more in (("workers", {"workers": 2}), ("alone", {})):
        train(learner, "TicTacToe-v0", output=tmp_path / folder, seed=3, **quick, **options, **more)
    for file in ("best.json", "curve.csv"):
        assert (tmp_path / "workers" / file).read_bytes() == (tmp_path / "alone" / file).read_bytes()


INTERRUPTED = """
import os, signal, time
from ci_envs.cluster import RayPool

signal.signal(signal.SIGTERM, signal.default_int_handler)
with RayPool(10, 1):
    try:
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(10)
    except KeyboardInterrupt:
        print("interrupted")
try:
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(10)
except KeyboardInterrupt:
    print("interrupted again")
"""


@pytest.mark.extended
def test_ray_does_not_change_what_sigterm_does(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(INTERRUPTED)
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=120, check=False)
    assert done.stdout.splitlines()[-2:] == ["interrupted", "interrupted again"], done.stderr
