"""The worker processes of the server: deadlines, memory, and the share of each client."""

import math
import os
import shutil
import signal
import sys
import threading
import time
from contextlib import closing, contextmanager
from pathlib import Path
from types import ModuleType, SimpleNamespace
from unittest.mock import Mock

import pytest
from serving import FORK_SERVER, free_port, other_client, post_when_free, process, wait_until

import ci_envs
from ci_envs import Position
from ci_envs.agent_interface.child_process import ProcessLimits
from ci_envs.agents.random import RandomAgent
from ci_envs.registry.agents import AGENTS
from ci_envs.web import agent_process, agent_worker
from ci_envs.web.agent_pool import AgentPool
from ci_envs.web.agent_process import AgentError
from ci_envs.web.agent_processes import AgentProcesses
from ci_envs.web.catalog import Catalog
from ci_envs.web.fair_pool import FairPool
from ci_envs.web.preparation import prepare
from ci_envs.web.process_memory import MemoryMeter
from ci_envs.web.timed_protocol import REQUEST_SECONDS

LARGE = "Quixo-v0:size=7"
DEEP = "minimax:depth=64"  # as an agent of the owner, it has no limit of time
NEVER = threading.Event()


def start(environment):
    return Position.start(ci_envs.make(environment).game)


@contextmanager
def pool_of(listed=None, memory_mb=1024, fork_server=FORK_SERVER):
    processes = AgentProcesses(listed or {}, 1, memory_mb, fork_server)
    with closing(AgentPool(processes, 1, "test")) as pool:
        yield pool
    processes.close()
    processes.stop()


@pytest.fixture(scope="module")
def pool():
    with pool_of({"deep": DEEP}) as pool:
        yield pool


def decided(pool, environment, spec, canceled=NEVER):
    position = start(environment)
    with pool.process(position.game, spec) as worker:
        return worker.decide(position, spec, 3, canceled), worker


def test_two_games_of_a_client_do_not_delay_another_client(tmp_path):
    """The second game has an agent without end. Ctrl-C ends the server while it computes, which is not an error."""
    options = "--workers", "2", "--agent", f"deep={DEEP}"
    with process(tmp_path / "games.sqlite", free_port(), *options) as (client, running), other_client(client) as other:
        game = begin(other, "TicTacToe-v0", "random")
        for agent in ("minimax:depth=64,time=none", "deep"):
            begin(client, LARGE, agent)
        url, slowest, end = f"/api/games/{game['id']}", 0.0, time.monotonic() + 1.5
        while time.monotonic() < end:
            assert other.post(f"{url}/undo").json()["plies"] == 0
            began = time.monotonic()
            move(other, url)
            assert other.get(url, params={"after": 1}).json()["plies"] == 2
            slowest = max(slowest, time.monotonic() - began)
            time.sleep(0.1)  # a client may send 20 requests per second
        assert slowest < 3  # about 0.04 s on an idle machine; without a limit it would wait for the agent without end
        running.send_signal(signal.SIGINT)
        assert running.wait(3) == 0


def begin(client, environment, agent):
    response = post_when_free(client, "/api/games", {"environment": environment, "seats": ["human", agent]})
    assert response.status_code == 201, response.text
    move(client, f"/api/games/{response.json()['id']}")
    return response.json()


def move(client, url):
    """Play the first legal action."""
    response = client.post(f"{url}/moves", json={"action": client.get(url).json()["legal"][0]["number"]})
    assert response.status_code == 201, response.text


def test_a_decision_ends_at_its_deadline_and_another_process_goes_on(pool, monkeypatch):
    _, worker = decided(pool, LARGE, "random")
    monkeypatch.setattr(agent_process, "DECISION_SECONDS", 0.3)
    monkeypatch.setattr(agent_process, "_FIRST_SECONDS", 1.0)
    with pytest.raises(AgentError, match=r"The agent 'deep' gave no answer within 1\.3 s\."):
        decided(pool, LARGE, "deep")
    monkeypatch.undo()
    _, another = decided(pool, LARGE, "random")
    assert another is not worker
    assert decided(pool, LARGE, "random")[1] is another


def test_a_canceled_decision_ends(pool):
    canceled = threading.Event()
    threading.Timer(0.2, canceled.set).start()
    with pytest.raises(AgentError, match="gave no answer"):
        decided(pool, LARGE, "deep", canceled)


def test_a_search_ends_with_its_last_report(pool, monkeypatch):
    """The next depth would take hours."""
    position = start(LARGE)
    monkeypatch.setattr(agent_process, "SEARCH_SECONDS", 4.0)
    with pool.process(position.game, "deep") as worker:
        *_, last = worker.analyse(position, "deep", NEVER)
    assert last["depth"] < 64
    assert len(last["actions"]) == len(position.legal_actions())


def test_a_process_with_too_much_memory_is_replaced(pool, monkeypatch):
    _, worker = decided(pool, LARGE, "random")
    monkeypatch.setattr(agent_process, "_KEPT_MB", 1)
    decided(pool, LARGE, "random")
    monkeypatch.undo()
    assert decided(pool, LARGE, "random")[1] is not worker


def test_a_process_may_not_use_more_memory_than_its_limit(monkeypatch):
    with pool_of() as pool:
        monkeypatch.setattr(agent_process, "_LIMITS", ProcessLimits(memory_mb=50))
        with pytest.raises(AgentError):
            decided(pool, LARGE, "random")


def test_all_processes_together_may_not_use_more_memory_than_the_budget():
    """An idle process ends first, so that the job goes on in a new one. A process with a job ends with its job."""
    with pool_of({"deep": DEEP}, memory_mb=1) as pool:
        with pytest.raises(AgentError, match="needed more memory than the server has"):
            decided(pool, LARGE, "deep")
        pool._processes._memory_mb = 4096
        assert decided(pool, LARGE, "random")[1].is_usable


@pytest.mark.parametrize(
    ("budget", "ended"),
    [
        (2_000, []),
        (1_400, ["large idle"]),
        (1_200, ["large idle", "largest"]),
        (500, ["large idle", "largest", "large"]),
        (120, ["large idle", "largest", "large", "small idle"]),
    ],
)
def test_processes_of_simple_agents_end_last(budget, ended):
    """Also those without a job, which would be made again for the next move of a game."""
    sizes = {"small idle": 60, "small": 70, "large idle": 400, "large": 500, "largest": 700}
    processes, killed = AgentProcesses({}, 4, budget), []
    all_of_them = {name: Mock(pid=name) for name in sizes}
    for name, one in all_of_them.items():
        one.kill.side_effect = lambda *_, name=name: killed.append(name)
    processes._all = set(all_of_them.values())
    processes._idle = [all_of_them["small idle"], all_of_them["large idle"]]
    processes._meter = SimpleNamespace(estimate=lambda _: sum(sizes.values()), measure=lambda _: sizes)
    processes.limit_memory()
    assert killed == ended


def test_memory_is_estimated_as_it_was_measured():
    """A process that was not measured counts with all its memory."""
    meter, pid = MemoryMeter(), os.getpid()
    unknown = meter.estimate([pid])
    used = meter.measure([pid])[pid]
    assert 0 < used <= unknown + 1
    assert meter.estimate([pid]) == pytest.approx(used, abs=5)


def test_a_process_that_compiles_says_so_and_is_replaced(tmp_path, monkeypatch):
    """The next process reads the code from the disk, and stays, also if it has to compile code again."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    position, said = start("TicTacToe-v0"), []
    with pool_of(fork_server=None) as pool:  # a new one, with this folder of the cache

        def decided_in():
            with pool.process(position.game, "random") as worker:
                worker.decide(position, "random", 3, NEVER, lambda: said.append("compiling"))
            return worker

        compiling, reading = decided_in(), decided_in()
        assert reading is not compiling
        assert decided_in() is reading
        assert said == ["compiling"]
        shutil.rmtree(tmp_path)
        reading.kill()
        assert decided_in() is decided_in()
        assert said == ["compiling"] * 2


def test_no_process_keeps_the_agents_of_the_preparation():
    catalog = SimpleNamespace(environments=lambda: [SimpleNamespace(name="TicTacToe-v0")], game=Catalog().game)
    with pool_of() as pool:
        prepare(catalog, pool, NEVER)
        assert [one.known for one in pool._processes._idle] == [set()]


def test_agents_are_evicted_by_number_and_by_memory(monkeypatch):
    agents = agent_worker._Agents({"path": [], "registered": {}, "listed": {}})
    monkeypatch.setattr(agent_worker, "_MOST_AGENTS", 2)
    monkeypatch.setattr(agent_worker, "_MOST_MB", math.inf)
    for number in range(4):
        agents.keep({"game": "g", "spec": str(number)}, object())
    assert [spec for _, spec in agents._made] == ["2", "3"]
    monkeypatch.setattr(agent_worker, "_MOST_MB", 0)
    agents.keep({"game": "g", "spec": "new"}, object())
    assert [spec for _, spec in agents._made] == ["new"]


def test_an_agent_whose_module_is_not_found_does_not_stop_the_workers(monkeypatch):
    module = ModuleType("vanished")
    module.Vanished = type("Vanished", (RandomAgent,), {"__module__": "vanished"})
    monkeypatch.setitem(sys.modules, "vanished", module)
    monkeypatch.setitem(AGENTS.registered, "vanished", module.Vanished)
    with pool_of() as pool:
        assert decided(pool, "TicTacToe-v0", "random")[0] in range(9)


def test_a_killed_idle_process_is_replaced(pool):
    _, worker = decided(pool, LARGE, "random")
    worker.kill()
    assert decided(pool, LARGE, "random")[1] is not worker


def test_the_page_on_security_states_the_limits():
    text = " ".join((Path(__file__).parents[1] / "docs" / "server_security.md").read_text().split())
    first, most = agent_process._FIRST_SECONDS, agent_process._LIMITS.memory_mb
    assert f"takes longer than {agent_process.DECISION_SECONDS:g} s and an analysis" in text
    assert f"takes longer than {agent_process.SEARCH_SECONDS:g} s end" in text
    assert f"in a process get {first:g} s more" in text
    assert (
        f"more than {agent_process._KEPT_MB} MiB after a job is replaced, and a process with more than {most} MiB"
        in text
    )
    assert f"at most {agent_worker._MOST_AGENTS} agents, and only the last one while it uses more than 384 MiB" in text
    assert f"not complete within {REQUEST_SECONDS:g} s is closed" in text
    assert agent_worker._MOST_MB == 384


def test_the_jobs_of_a_client_leave_a_thread_to_others():
    """Also the greedy client's second job waits for its first one."""
    pool, done, go_on = FairPool(2, "test"), [], threading.Event()
    pool.submit("greedy", go_on.wait)
    greedy = pool.submit("greedy", lambda: done.append("greedy"))
    pool.submit("other", lambda: done.append("other")).result(10)
    assert (done, greedy.done(), pool.is_waiting) == (["other"], False, True)
    go_on.set()
    greedy.result(10)
    assert done == ["other", "greedy"]
    pool.close()
    assert pool.submit("late", go_on.wait).cancelled()


def test_two_clients_with_long_jobs_do_not_delay_another_one():
    pool, done, go_on = FairPool(2, "test", reserve=1), [], threading.Event()
    long = [pool.submit(client, go_on.wait) for client in ("greedy", "other")]
    pool.submit("greedy", lambda: done.append("greedy"))
    pool.submit("modest", lambda: done.append("modest")).result(10)
    assert done == ["modest"]
    assert not any(job.done() for job in long)
    go_on.set()
    wait_until(lambda: done == ["modest", "greedy"])
    pool.close()


def test_worker_processes_end_with_a_killed_server(tmp_path):
    with process(tmp_path / "games.sqlite", free_port(), "--agent", f"deep={DEEP}") as (client, running):
        begin(client, LARGE, "deep")
        workers = wait_until(lambda: children(running.pid))
        running.kill()
        running.wait()
        wait_until(lambda: not any(map(is_running, workers)))


def test_the_fork_server_is_a_copy_of_the_server_without_its_files(tmp_path):
    """If it is killed with its workers, a new program takes its place."""
    path = tmp_path / "games.sqlite"
    with process(path, free_port()) as (client, running):
        begin(client, "TicTacToe-v0", "random")
        (fork_server,) = children(running.pid)
        assert command_of(fork_server) == command_of(running.pid)
        assert str(path) in files_of(running.pid)
        os.kill(fork_server, signal.SIGSTOP)  # it forks no other worker while the workers are killed
        family = [*children(fork_server), fork_server]
        for pid in family:
            common = files_of(pid) & files_of(running.pid)
            assert not any(file == str(path) or file.startswith("socket:") for file in common)
        for pid in family:
            os.kill(pid, signal.SIGKILL)
        game = begin(client, "TicTacToe-v0", "random")
        assert client.get(f"/api/games/{game['id']}", params={"after": 1}).json()["plies"] == 2
        (fork_server,) = wait_until(lambda: children(running.pid))
        assert "ci_envs.web.fork_server" in command_of(fork_server)


def command_of(pid):
    return Path(f"/proc/{pid}/cmdline").read_text().split("\0")


def files_of(pid):
    return {os.readlink(file) for file in Path(f"/proc/{pid}/fd").iterdir()}


def children(pid):
    folder = f"/proc/{pid}/task"
    texts = (open(f"{folder}/{thread}/children").read() for thread in os.listdir(folder))  # noqa: SIM115
    return [int(child) for text in texts for child in text.split()]


def is_running(pid):
    try:
        return "\nState:\tZ" not in open(f"/proc/{pid}/status").read()
    except OSError:
        return False
