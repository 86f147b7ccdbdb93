"""Many games at once over HTTP, each a random player against an agent: ``python -m benchmarks.web_load``.

It starts ``ci-envs serve``, plays whole games, replays each from what the server kept, and says how long moves took to
be acknowledged, and agents to answer, while agents searched. A player thinks for a time that is drawn from an
exponential distribution. Those who do not think at all (``--think 0``) ask for as much as the server can do, and wait.
The players take a share of the processor, too.
"""

import asyncio
import random
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import click
import httpx
import numpy as np

from ci_envs import Position, make

_PAUSE = 0.5  # seconds between two looks whether the server is up


@click.command()
@click.option("--environment", default="Quixo-v0", show_default=True)
@click.option("--agent", default="mcts:simulations=200", show_default=True)
@click.option("--games", default=100, show_default=True, type=click.IntRange(min=1))
@click.option("--plies", default=60, show_default=True, help="Of a game at most.")
@click.option("--think", default=2.0, show_default=True, help="Seconds that a player thinks, on average.")
def main(environment: str, agent: str, games: int, plies: int, think: float) -> None:
    """Play games at once and say how long acknowledgements took."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with tempfile.TemporaryDirectory() as folder:
        command = [
            sys.executable,
            "-m",
            "ci_envs",
            "serve",
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
            asyncio.run(_play(url, environment, agent, 1, plies, 0))  # compiles what is played
            warm = time.perf_counter()
            times = np.array(asyncio.run(_play(url, environment, agent, games, plies, think)))
            ended = time.perf_counter()
        finally:
            server.kill()
            server.wait()
    print(f"{games} games of {environment} against {agent} in {ended - warm:.1f} s (compiling: {warm - began:.1f} s)")
    print(f"{len(times):,} moves acknowledged: none lost, no error")
    for what, seconds in zip(("acknowledged", "answered"), times.T, strict=True):
        shares = (f"p{share} {1000 * np.percentile(seconds, share):.1f} ms" for share in (50, 95, 99, 100))
        print(f"{what:12} {', '.join(shares)}")


async def _play(
    url: str, environment: str, agent: str, games: int, plies: int, think: float
) -> list[tuple[float, float]]:
    """The seconds that each move took to be acknowledged, and to be answered, of all games."""
    limits = httpx.Limits(max_connections=games)
    async with httpx.AsyncClient(base_url=url, timeout=60, limits=limits) as client:
        await _up(client)
        players = (_game(client, environment, agent, seed, plies, think) for seed in range(games))
        played = await asyncio.gather(*players)
    return [seconds for game in played for seconds in game]


async def _up(client: httpx.AsyncClient) -> None:
    while True:
        try:
            (await client.get("/api/environments")).raise_for_status()
            return
        except httpx.TransportError:
            await asyncio.sleep(_PAUSE)


async def _game(
    client: httpx.AsyncClient, environment: str, agent: str, seed: int, plies: int, think: float
) -> list[tuple[float, float]]:
    rng, times, mine = random.Random(seed), list[tuple[float, float]](), list[int]()
    begun = await client.post("/api/games", json={"environment": environment, "seats": ["human", agent], "seed": seed})
    state = begun.raise_for_status().json()
    game = f"/api/games/{state['id']}"
    while not state["ending"] and state["plies"] < plies:
        if think:
            await asyncio.sleep(rng.expovariate(1 / think))
        mine.append(rng.choice(state["legal"])["number"])
        before = time.perf_counter()
        body = {"action": mine[-1], "ply": state["plies"]}
        state = (await client.post(f"{game}/moves", json=body)).raise_for_status().json()
        acknowledged = time.perf_counter()
        while state["thinking"]:
            state = (await client.get(game, params={"after": state["plies"]})).raise_for_status().json()
        assert state["trouble"] is None, state["trouble"]
        times.append((acknowledged - before, time.perf_counter() - before))
    kept = (await client.get(f"{game}/export")).raise_for_status().json()
    _check(environment, kept, mine)
    return times


def _check(environment: str, kept: dict, mine: list[int]) -> None:
    """Every move that was acknowledged is there, and the game replays."""
    position, found = Position.from_text(make(environment).game, kept["start"]), []
    for name in kept["actions"]:
        action = position.parse_action(name)
        if position.to_move == 0:
            found.append(action)
        position = position.play(action)
    assert found == mine, f"lost: {mine} became {found}"


if __name__ == "__main__":
    main()
