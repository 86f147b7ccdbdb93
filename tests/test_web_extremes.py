"""Attacks by spec strings: each agent with each option at the most extreme values that a stranger may set.

The attacks are generated from the registry. While they run, another client plays against ``random``. Memory is the sum
of the proportional set sizes of the server and all its processes, which counts a shared page once.
"""

import os
import signal
import statistics
import threading
import time
from contextlib import contextmanager, suppress
from itertools import chain

import httpx
import pytest
from serving import free_port, other_client, process

from ci_envs.web.catalog import HUMAN, Catalog
from ci_envs.web.process_memory import shared_memory_mb

SECONDS = 0.5  # for a move against random and its answer
SHUTDOWN_SECONDS = 3
MOST_MB = 1024
HUGE = 10**12  # where the declaration has no bound
CATALOG = Catalog()


def largest(schema):
    """Return the largest number that a JSON schema allows, or None if it allows no number."""
    for one in schema.get("anyOf", [schema]):
        if one.get("type") in ("integer", "number"):
            return one.get("maximum", HUGE)
    return None


def extremes(option, checkpoints):
    """Return the extreme values of an option as texts. Empty if strangers cannot set it."""
    limit, choices = option.declared.untrusted, option.declared.choices
    if limit is None:
        return []
    if limit.included:
        return list(checkpoints)
    most = largest(option.schema) if limit.most is None else limit.most
    if most is not None:
        return [f"{most:g}" if isinstance(most, float) and not most.is_integer() else str(int(most))]
    values = list(limit.values or choices)
    if any(one.get("type") == "boolean" for one in option.schema.get("anyOf", [option.schema])):
        values += ["true", "false"]
    return values


def specs(name, entry):
    """Return the spec strings of an agent: without options, each option alone at its extremes, and all together."""
    found = {option: extremes(each, entry.checkpoints) for option, each in entry.options.items()}
    alone = [f"{name}:{option}={value}" for option, values in found.items() for value in values]
    last = ",".join(f"{option}={values[-1]}" for option, values in found.items() if values)
    return [name, *alone, *([f"{name}:{last}"] if last else [])]


def environments():
    """Return each environment with its defaults, and with each parameter at its extremes."""
    for entry in CATALOG.environments():
        yield from specs(entry.name, entry)
    yield "ConnectN-v0:rows=8,cols=8,n=5"
    yield "Nim-v0:heaps=255,255,255,255,255,255,255,255"


AGENTS = {entry.name: specs(entry.name, entry) for entry in CATALOG.agents()}
LARGE = (
    "Quixo-v0:size=7",
    "ConnectN-v0:rows=8,cols=8,n=5",
    "Nim-v0:heaps=255,255,255,255,255,255,255,255",
    *(entry.name for entry in CATALOG.environments()),
)


def test_every_option_for_strangers_is_attacked():
    """Options that are texts without a list of values have no extreme."""
    missing = {
        (entry.name, option)
        for entry in CATALOG.agents()
        for option, each in entry.options.items()
        if each.declared.untrusted and not any(f"{option}=" in spec for spec in AGENTS[entry.name])
    }
    assert missing == {
        ("report", "name"),
        ("quarto_ga", "operators"),
        ("monte_carlo", "path"),
        ("q_learning", "path"),
    }


class Victim:
    """Plays against random until it is stopped, and records the seconds of each move with its answer."""

    def __init__(self, client):
        self._client, self._stopped, self.seconds = client, threading.Event(), []
        body = {"environment": "TicTacToe-v0", "seats": [HUMAN, "random"]}
        self._url = f"/api/games/{client.post('/api/games', json=body).raise_for_status().json()['id']}"
        self._thread = threading.Thread(target=self._play)

    def _play(self):
        while not self._stopped.wait(0.25):  # a client may send 20 requests per second
            began = time.monotonic()
            self.move()
            self.seconds.append(time.monotonic() - began)
            self._client.post(f"{self._url}/undo").raise_for_status()

    def move(self):
        self._client.post(f"{self._url}/moves", json={"action": 4}).raise_for_status()
        while self._client.get(self._url, params={"after": 1}).raise_for_status().json()["thinking"]:
            pass

    def __enter__(self):
        self.move()
        self._client.post(f"{self._url}/undo").raise_for_status()
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._stopped.set()
        self._thread.join()


def processes_of(pid):
    """Return a process and all its descendants."""
    found = [pid]
    for thread in os.listdir(f"/proc/{pid}/task"):
        with suppress(OSError), open(f"/proc/{pid}/task/{thread}/children") as file:
            found += chain.from_iterable(map(processes_of, map(int, file.read().split())))
    return found


def memory_of(pid):
    total = 0.0
    with suppress(OSError):  # a process ended in the meantime
        total = sum(map(shared_memory_mb, processes_of(pid)))
    return total


@contextmanager
def watched(pid, found):
    """Record the largest memory, in units of 2^20 bytes, as ``found["memory"]``."""
    stopped = threading.Event()

    def watch():
        while not stopped.wait(0.3):
            found["memory"] = max(found.get("memory", 0.0), memory_of(pid))

    thread = threading.Thread(target=watch)
    thread.start()
    yield
    stopped.set()
    thread.join()


def attack(client, environment, agent, seconds):
    """Begin a game, let the agent compute a move and an analysis, and resign. Return whether the game has begun."""
    response = client.post("/api/games", json={"environment": environment, "seats": [HUMAN, agent]})
    assert response.status_code in (201, 422, 429, 503), response.text
    if response.status_code != 201:
        return False
    state = response.json()
    url, position = f"/api/games/{state['id']}", state["position"]
    client.post(f"{url}/moves", json={"action": state["legal"][0]["number"]}).raise_for_status()
    with suppress(httpx.TimeoutException):  # disconnecting ends the search
        body = {"environment": environment, "position": position, "agent": agent}
        answer = client.post("/api/analyses", json=body, timeout=seconds)
        assert answer.status_code in (200, 422, 429, 503), answer.text
    client.post(f"{url}/resign", json={})
    client.delete(url).raise_for_status()
    return True


def attack_with_all(client, complete):
    """Attack with all agents, and return the names of those that were accepted.

    By default, an agent has all its options at their extremes, or one of them if they exclude each other, in the first
    game that accepts it.
    """
    begun = set()
    for number, (name, agents) in enumerate(AGENTS.items()):
        with other_client(client, f"127.0.1.{number if complete else 0}") as attacker:  # for the limit of new games
            if complete:
                accepted = sum(attack(attacker, game, agent, 2.0) for agent in agents for game in environments()) > 0
            else:
                accepted = any(attack(attacker, game, agent, 0.5) for agent in reversed(agents) for game in LARGE)
            begun |= {name} if accepted else set()
    return begun


@pytest.mark.slow
@pytest.mark.parametrize("complete", [False, True])
def test_strangers_with_extreme_options_do_not_delay_others(tmp_path, complete):
    """SIGTERM ends the server while an agent computes."""
    found, slowness = {}, max(1.0, os.getloadavg()[0] / os.cpu_count())  # other processes slow down the server
    with process(tmp_path / "games.sqlite", free_port(), "--workers", "2") as (client, running):
        with other_client(client) as other, Victim(other) as victim:
            time.sleep(2)
            idle = statistics.median(victim.seconds)
            with watched(running.pid, found):
                begun = attack_with_all(client, complete)
        body = {"environment": LARGE[0], "seats": [HUMAN, "mcts:simulations=20000"]}
        state = client.post("/api/games", json=body).raise_for_status().json()
        client.post(f"/api/games/{state['id']}/moves", json={"action": 0}).raise_for_status()
        began = time.monotonic()
        running.send_signal(signal.SIGTERM)
        running.wait(SHUTDOWN_SECONDS * slowness)
        ended = time.monotonic() - began
    print(
        f"slowest move {max(victim.seconds):.3f} s (median when idle {idle:.3f} s, under attack "
        f"{statistics.median(victim.seconds):.3f} s), memory {found['memory']:.0f} MiB, end after {ended:.2f} s, "
        f"{len(victim.seconds)} moves, {len(begun)} agents"
    )
    assert set(AGENTS) - begun <= {"monte_carlo", "q_learning", "report"}  # they need a file, or a name
    assert max(victim.seconds) < SECONDS * slowness
    assert found["memory"] < MOST_MB
