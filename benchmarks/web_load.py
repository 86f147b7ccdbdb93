"""Load test of the web server, with many games at once: ``python -m benchmarks.web_load``.

Each game is a random player against an agent. The test starts ``ci-envs serve``, plays whole games, replays each game
from the stored moves, and prints the latency of moves and of the replies of agents. Then it prints the memory of all
processes of the server together (proportional set size), and the time of a processor that the idle server uses. The
time between moves of a player is exponentially distributed. With ``--think 0`` players move at once and saturate the
server. With ``--floods 4`` four connections of one other client load the first page and a page of a game during this
time, again and again. The players run on the same processor as the server.
"""

import asyncio
import os
import random
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import aiohttp
import click
import numpy as np

from ci_envs import Position, make
from ci_envs.web.process_memory import shared_memory_mb

_IDLE_SECONDS = 20.0
_PAUSE, _ATTEMPTS = 0.5, 120  # seconds between two attempts to reach the server, and the number of attempts


@click.command()
@click.option("--environment", default="Quixo-v0", show_default=True)
@click.option("--agent", default="mcts:simulations=200", show_default=True)
@click.option("--games", default=100, show_default=True, type=click.IntRange(min=1))
@click.option("--players", type=click.IntRange(min=1), help="Number of games at the same time; none is all games.")
@click.option("--plies", default=60, show_default=True, help="Maximum number of plies of a game.")
@click.option("--think", default=2.0, show_default=True, help="Mean time between the moves of a player in seconds.")
@click.option("--floods", default=0, show_default=True, help="Number of connections that load pages without a pause.")
def main(environment: str, agent: str, games: int, players: int | None, plies: int, think: float, floods: int) -> None:
    """Play games at the same time, and print the latency of moves and replies."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with tempfile.TemporaryDirectory() as folder:
        command = [
            sys.executable,
            "-m",
            "ci_envs",
            "serve",
            "--no-prepare",
            "--port",
            str(port),
            "--games",
            str(Path(folder) / "games"),
        ]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        try:
            assert server.stdout is not None
            server.stdout.readline()
            url = f"http://127.0.0.1:{port}"
            began = time.perf_counter()
            asyncio.run(_play(url, environment, agent, 1, 1, plies, 0))  # compiles the game and the agent
            warm = time.perf_counter()
            times = np.array(asyncio.run(_play(url, environment, agent, games, players or games, plies, think, floods)))
            ended = time.perf_counter()
            processes = _descendants(server.pid)
            before = sum(map(_cpu_seconds, processes))
            time.sleep(_IDLE_SECONDS)
            idle = (sum(map(_cpu_seconds, processes)) - before) / _IDLE_SECONDS
            memory = sum(map(shared_memory_mb, processes))
        finally:
            server.kill()
            server.wait()
    print(f"{games} games of {environment} against {agent} in {ended - warm:.1f} s (compiling: {warm - began:.1f} s)")
    print(f"{len(times):,} moves acknowledged: none lost, no error")
    for event, seconds in zip(("acknowledged", "answered"), times.T, strict=True):
        percentiles = (f"p{rank} {1000 * np.percentile(seconds, rank):.1f} ms" for rank in (50, 95, 99, 100))
        print(f"{event:12} {', '.join(percentiles)}")
    print(f"afterwards   {memory:.0f} MiB in {len(processes)} processes, {idle:.1%} of a processor when idle")


def _descendants(pid: int) -> list[int]:
    """Return a process and all its descendants (Linux)."""
    threads = Path(f"/proc/{pid}/task").iterdir()
    children = " ".join((thread / "children").read_text() for thread in threads).split()
    return [pid, *(one for child in children for one in _descendants(int(child)))]


def _cpu_seconds(pid: int) -> float:
    """Return the time that a process has used."""
    numbers = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(numbers[11]) + int(numbers[12])) / os.sysconf("SC_CLK_TCK")


async def _play(
    url: str, environment: str, agent: str, games: int, players: int, plies: int, think: float, floods: int = 0
) -> list[tuple[float, float]]:
    """Play the games, and return for each move the seconds until its acknowledgement and until its reply."""
    free = asyncio.Semaphore(players)

    async def play(client: aiohttp.ClientSession, seed: int) -> list[tuple[float, float]]:
        async with free:
            return await _game(client, environment, agent, seed, plies, think)

    async with AsyncExitStack() as stack:
        clients = [await stack.enter_async_context(_client(url, number)) for number in range(games)]
        await _wait_for_server(clients[0])
        flooding = asyncio.create_task(_flood(url, environment, floods))
        played = await asyncio.gather(*(play(client, seed) for seed, client in enumerate(clients)))
        flooding.cancel()
    return [seconds for game in played for seconds in game]


async def _flood(url: str, environment: str, connections: int) -> None:
    """Load pages over some connections of one client until the task is cancelled."""
    async with aiohttp.ClientSession(url) as client:
        game = await _request(client, "POST", "/api/games", json={"environment": environment})

        async def load() -> None:
            while True:
                for path in ("/", f"/game/{game['id']}"):
                    async with client.get(path) as response:
                        await response.read()

        await asyncio.gather(*(load() for _ in range(connections)))


def _client(url: str, number: int) -> aiohttp.ClientSession:
    """Return a client with its own address, so that the limits per client apply to each player."""
    connector = aiohttp.TCPConnector(limit=0, local_addr=(f"127.0.{1 + number // 250}.{1 + number % 250}", 0))
    return aiohttp.ClientSession(url, connector=connector, timeout=aiohttp.ClientTimeout(60), raise_for_status=True)


async def _wait_for_server(client: aiohttp.ClientSession) -> None:
    for _ in range(_ATTEMPTS):
        try:
            await _request(client, "GET", "/api/environments")
            return
        except aiohttp.ClientConnectionError:
            await asyncio.sleep(_PAUSE)
    raise TimeoutError(f"the server does not answer after {_PAUSE * _ATTEMPTS:.0f} s")


async def _request(client: aiohttp.ClientSession, method: str, path: str, **options: Any) -> Any:
    async with client.request(method, path, **options) as response:
        return await response.json()


async def _game(
    client: aiohttp.ClientSession, environment: str, agent: str, seed: int, plies: int, think: float
) -> list[tuple[float, float]]:
    rng, times, actions = random.Random(seed), list[tuple[float, float]](), list[int]()
    new = {"environment": environment, "seats": ["human", agent], "seed": seed}
    state = await _request(client, "POST", "/api/games", json=new)
    game = f"/api/games/{state['id']}"
    token = {"X-Seat-Token": state["seat_tokens"][0]}
    while not state["ending"] and state["plies"] < plies:
        if think:
            await asyncio.sleep(rng.expovariate(1 / think))
        actions.append(rng.choice(state["legal"])["number"])
        before = time.perf_counter()
        move = {"action": actions[-1], "ply": state["plies"]}
        state = await _request(client, "POST", f"{game}/moves", json=move, headers=token)
        acknowledged = time.perf_counter()
        while state["thinking"]:
            state = await _request(client, "GET", game, params={"after": state["plies"]})
        assert state["agent_error"] is None, state["agent_error"]
        times.append((acknowledged - before, time.perf_counter() - before))
    exported = await _request(client, "GET", f"{game}/export")
    _check(environment, exported, actions)
    return times


def _check(environment: str, exported: dict[str, Any], actions: list[int]) -> None:
    """Check that each game contains every acknowledged move, and that its moves can be played again."""
    position, found = Position.from_text(make(environment).game, exported["start"]), []
    for name in exported["actions"]:
        action = position.parse_action(name)
        if position.to_move == 0:
            found.append(action)
        position = position.play(action)
    assert found == actions, f"lost: {actions} became {found}"


if __name__ == "__main__":
    main()
