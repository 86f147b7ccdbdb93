"""Check the most important ratios of speeds in at most a minute: ``make bench-quick``.

Both times of a ratio are measured alternately in the same run, so a ratio depends little on the machine and its load. A
check fails if its ratio is below half of the usual one.
"""

import socket
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from threading import Thread
from time import perf_counter

import click
import httpx
import numpy as np
from rich import box
from rich.console import Console
from rich.progress import track
from rich.table import Table

from benchmarks import alphazero, ours, peers
from benchmarks.clock import on_cores, relative_rate
from ci_envs import Position, Quixo, make_agent

_PAGE_AGENT = "alphazero:simulations=1000"  # takes longer than the requests and the writing of the game to the disk
_MARGIN, _MOVES, _WIDTH = 2.0, 12, 110


@dataclass(frozen=True)
class SpeedRatio:
    """A ratio of two speeds.

    Attributes:
        name: The two speeds.
        usual: The ratio on a quiet machine.
        measure: A function that returns the ratio.
    """

    name: str
    usual: float
    measure: Callable[[], float]

    @property
    def least(self) -> float:
        """The smallest ratio that passes."""
        return self.usual / _MARGIN

    def passes(self, ratio: float) -> bool:
        """Return whether a ratio is large enough. A ratio that is not a number is not."""
        return ratio >= self.least


def decision_share() -> float:
    """Return the share of the network in the time of a decision of AlphaZero on one board."""
    work = alphazero.decision()
    return median(time.network / time.total for time in (work() for _ in range(_MOVES)))


def page_share() -> float:
    """Return the time of the decisions of AlphaZero divided by the time of the same moves on the server of the page.

    The time of a move begins with the request of the player and ends with the response that contains the reply.
    """
    game, agent = Quixo(), make_agent(_PAGE_AGENT, Quixo(), seed=0)
    with _server() as client:
        new = {"environment": "Quixo-v0", "seats": ["human", _PAGE_AGENT], "seed": 0}
        state = client.post("/api/games", json=new).raise_for_status().json()
        path, headers = f"/api/games/{state['id']}", {"X-Seat-Token": state["seat_tokens"][0]}
        position, shares = Position.start(game), []
        for _ in range(_MOVES):
            action, ply = state["legal"][0]["number"], state["plies"]
            position = position.play(action)
            begin = perf_counter()
            agent.act_on(np.array([[position.own, position.opp]], dtype=np.uint64))
            decided = perf_counter()
            move = {"action": action, "ply": ply}
            state = client.post(f"{path}/moves", json=move, headers=headers).raise_for_status().json()
            while state["thinking"]:
                state = client.get(path, params={"after": state["plies"]}).raise_for_status().json()
            shares.append((decided - begin) / (perf_counter() - decided))
            if state["ending"]:
                break
            position = Position.from_text(game, state["position"])
    return median(shares)


@contextmanager
def _server() -> Iterator[httpx.Client]:
    """Yield a client of a server in a thread of this process."""
    import uvicorn

    from ci_envs.web.app import create_app

    with tempfile.TemporaryDirectory() as folder, socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()  # requests wait until the server has started
        app = create_app(Path(folder) / "games.sqlite")
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning"))
        thread = Thread(target=server.run, args=([listening],))
        thread.start()
        try:
            with httpx.Client(base_url=f"http://127.0.0.1:{listening.getsockname()[1]}", timeout=60) as client:
                yield client
        finally:
            server.should_exit = True
            thread.join()


RATIOS = (
    SpeedRatio("AlphaZero, Quixo: the network's share of the time of a decision", 0.8, decision_share),
    SpeedRatio("page: an agent's time to the time of its move on the server", 0.65, page_share),
    SpeedRatio(
        "Quixo: plies of random playouts to nodes of perft",
        0.02,
        lambda: relative_rate(ours.playout_plies("Quixo-v0"), ours.perft_nodes("Quixo-v0", 4)),
    ),
    SpeedRatio(
        "MCTS, Connect Four: ours to OpenSpiel's",
        20.0,
        lambda: relative_rate(
            ours.mcts_simulations("ConnectFour-v0", 1000), peers.openspiel_mcts("connect_four", 1000)
        ),
    ),
    SpeedRatio(
        "AEC environment, tic-tac-toe: ours to PettingZoo's",
        24.0,
        lambda: relative_rate(ours.aec("TicTacToe-v0"), peers.pettingzoo_steps("tictactoe")),
    ),
    SpeedRatio(
        "vector environment, Connect Four: ours to pgx's",
        3.5,
        lambda: relative_rate(ours.vector_steps("ConnectFour-v0", opponent=None), peers.pgx_steps("connect_four")),
    ),
)


@click.command()
def main() -> None:
    """Measure all ratios, print a table, and exit with status 1 if a ratio is too small."""
    measured = {}
    for check in track(RATIOS, "measuring", console=Console(stderr=True), transient=True):
        with on_cores(1):
            measured[check] = check.measure()
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in ("ratio of speeds", "measured", "usual", "least", ""):
        table.add_column(column, justify="left" if column == "ratio of speeds" else "right", no_wrap=True)
    for check, ratio in measured.items():
        verdict = "passed" if check.passes(ratio) else "FAILED"
        table.add_row(check.name, *(f"{value:.3g}" for value in (ratio, check.usual, check.least)), verdict)
    console = Console()
    console.width = max(console.width, _WIDTH)
    console.print(table)
    if not all(check.passes(ratio) for check, ratio in measured.items()):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
