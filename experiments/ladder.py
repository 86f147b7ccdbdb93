"""The strength of all agents in every game: ``python -m experiments.ladder``.

Each pair of agents of a game plays a match from the initial position and a match after four random plies. The command
writes a JSON file and two pictures for each environment. ``python docs/write_strength.py`` writes the tables of the
documentation from the JSON files. ``--one-board`` plays nothing: it only measures the time of decisions on one board
again, and writes it to the JSON files. ``--equal-time`` adds matches in which each agent plays against ``mcts`` with
as many simulations as take the CPU time of the agent.
"""

import json
import platform
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from time import process_time
from typing import Any

import click
import numpy as np
from rich.console import Console

from ci_envs import make_agent
from ci_envs.agent_interface.decision import decide_or_fail
from ci_envs.agent_interface.interface import Agent
from ci_envs.arena import tables
from ci_envs.arena.plot import draw_comparison
from ci_envs.arena.report import to_json
from ci_envs.arena.timing import random_position, time_one_board
from ci_envs.arena.tournament import Comparison, Tournament, compare
from ci_envs.cli.errors import usage_errors
from ci_envs.cli.progress import games_progress
from ci_envs.drawing.figure_file import write_figure
from ci_envs.machine import processor
from ci_envs.registry.games import resolve
from ci_envs.storage.files import write_whole

FOLDER = Path(__file__).parents[1] / "docs" / "strength"
"""The folder of the results in the repository."""

_SEARCHES = ("random", "minimax:depth=2", "minimax:depth=4", "mcts:simulations=100", "mcts:simulations=1000")

LADDERS: Mapping[str, Sequence[str]] = {
    "TicTacToe-v0": (*_SEARCHES, "sb3:tictactoe", "alphazero", "exact"),
    "ConnectN-v0": (*_SEARCHES, "minimax:depth=6", "alphazero"),
    "ConnectFour-v0": (*_SEARCHES, "minimax:depth=8", "sb3:connect_four,lookahead=0", "alphazero"),
    "Nim-v0": (*_SEARCHES, "nim_ga:rows4", "nim_evolved:rows4", "nim_expert"),
    "Nim-v0:heaps=1,3,5,7,9": (*_SEARCHES, "nim_ga:rows5", "nim_evolved:rows5", "nim_expert"),
    "Quixo-v0": (*_SEARCHES, "neat:quixo", "evolution_strategy:quixo", "sb3:quixo", "alphazero"),
    "Quixo-v0:size=4": (*_SEARCHES, "alphazero", "exact:blunder=0.1", "exact"),
    "Quarto-v0": (*_SEARCHES, "mcts:simulations=20000", "quarto_ga", "alphazero"),
}
"""The agents that play in each environment."""

RANDOM_PLIES = (0, 4)
"""Random plies at the start of the games of each tournament."""

LEAST_MS = 0.02
"""Minimum time of a decision, in milliseconds, of an agent that plays against ``mcts`` with equal time.

In a shorter time ``mcts`` makes only a few simulations, or none.
"""

_CORRECTIONS = 4
"""Measurements that determine the number of simulations of ``mcts``."""

_TIMED = 100
"""Positions in which the CPU time of a decision is measured."""


@click.command()
@click.option(
    "--environment",
    "environments",
    multiple=True,
    type=click.Choice(tuple(LADDERS)),
    default=tuple(LADDERS),
    help="Environment to play; repeat it for several.  [default: all]",
)
@click.option("--games", default=100, show_default=True, type=click.IntRange(min=2), help="Games of each match.")
@click.option("--seed", default=0, show_default=True, type=click.IntRange(min=0))
@click.option("--output", default=FOLDER, type=click.Path(file_okay=False, path_type=Path), help="Folder of the files.")
@click.option("--workers", type=click.IntRange(min=1), help="Processes of a Ray cluster that play the matches.")
@click.option("--one-board", is_flag=True, help="Only measure the time of decisions on one board again.")
@click.option("--equal-time", is_flag=True, help="Only play against mcts with the CPU time of each agent.")
def main(
    *,
    environments: tuple[str, ...],
    games: int,
    seed: int,
    output: Path,
    workers: int | None,
    one_board: bool,
    equal_time: bool,
) -> None:
    """Play the tournaments of each environment, and write its files immediately."""
    with usage_errors():
        output.mkdir(parents=True, exist_ok=True)
    for environment in environments:
        file = output / f"{file_name(environment)}.json"
        if one_board:
            measure_one_board(environment, file)
        if equal_time:
            play_in_equal_time(environment, file, games, seed)
        if one_board or equal_time:
            continue
        comparisons = [_play(environment, games, seed, plies, workers) for plies in RANDOM_PLIES]
        write_results(comparisons, output)
        for comparison in comparisons:
            Console(highlight=False).print(tables(comparison))


def _play(environment: str, games: int, seed: int, random_plies: int, workers: int | None) -> Comparison:
    with usage_errors():
        tournament = Tournament(
            environment, LADDERS[environment], games=games, seed=seed, random_plies=random_plies, workers=workers
        )
    with games_progress(tournament.total_games) as reports:
        return tournament.play(*reports)


def measure_one_board(environment: str, file: Path) -> None:
    """Measure the time of the decisions on one board of all agents of an environment, and write it to stored results.

    Raises:
        OSError: the file cannot be read or written.
    """
    content = json.loads(file.read_text())
    content["tournaments"][-1]["ms_one_board"] = {
        agent: ms_one_board(environment, agent) for agent in LADDERS[environment]
    }
    content["one_board_measured"] = {"date": _today(), "machine": processor()}
    write_whole(file, (json.dumps(content, indent=1, allow_nan=False) + "\n").encode())


def ms_one_board(environment: str, agent: str) -> float:
    """Return the milliseconds that an agent takes for a decision on one board, measured for up to two seconds."""
    player = make_agent(agent, resolve(environment)[1], seed=0)
    time_one_board(player)  # the first decisions can include compilation
    return round(time_one_board(player, seconds=2, seed=1).ms, 5)


def play_in_equal_time(environment: str, file: Path, games: int, seed: int) -> None:
    """Play a match of each agent against ``mcts`` with equal time, and write the matches to stored results.

    Agents below :data:`LEAST_MS` and ``mcts`` itself play no match.

    Raises:
        OSError: the file cannot be read or written.
    """
    content = json.loads(file.read_text())
    matches = {}
    for agent in LADDERS[environment]:
        if agent.startswith("mcts") or (ms := cpu_ms(environment, agent)) < LEAST_MS:
            continue
        simulations = simulations_within(environment, ms)
        agents = agent, f"mcts:simulations={simulations}"
        comparison = compare(environment, agents, games=games, seed=seed, random_plies=RANDOM_PLIES[-1], graded=0)
        total = comparison.total(agent).total
        results = {"wins": total.wins, "draws": total.draws, "losses": total.losses}
        matches[agent] = {"ms": round(ms, 5), "simulations": simulations, **results}
    content["equal_time"] = {"date": _today(), "machine": processor(), "seed": seed, "matches": matches}
    write_whole(file, (json.dumps(content, indent=1, allow_nan=False) + "\n").encode())


def simulations_within(environment: str, ms: float) -> int:
    """Return the number of simulations with which ``mcts`` takes some milliseconds of CPU time for a decision."""
    simulations = 1000
    for _ in range(_CORRECTIONS):  # the time is not proportional: each decision begins with a constant part
        taken = cpu_ms(environment, f"mcts:simulations={simulations}")
        simulations = max(1, round(simulations * ms / taken))
    return simulations


def cpu_ms(environment: str, agent: str) -> float:
    """Return the milliseconds of CPU time for a decision on one board, the mean of :data:`_TIMED` random positions.

    CPU time does not depend on other programs on the machine, unlike :func:`ms_one_board`.
    """
    player = make_agent(agent, resolve(environment)[1], seed=0)
    rng = np.random.default_rng(1)
    _decide(player, rng)  # the first decisions can include compilation
    return 1000 * _decide(player, rng) / _TIMED


def _decide(player: Agent, rng: np.random.Generator) -> float:
    """Let an agent decide in random positions, one by one, and return the seconds of CPU time."""
    positions = [random_position(player, rng) for _ in range(_TIMED)]
    rows = [np.array([[position.own, position.opp]], np.uint64) for position in positions]
    begun = process_time()
    for row in rows:
        decide_or_fail(player, row)
    return process_time() - begun


def write_results(comparisons: Sequence[Comparison], folder: Path) -> None:
    """Write the JSON file of an environment and a picture of each of its tournaments.

    Args:
        comparisons: the tournaments of one environment, one for each number of :data:`RANDOM_PLIES`.
        folder: the folder of the files.

    Raises:
        OSError: a file cannot be written.
    """
    environment = comparisons[0].environment
    name = file_name(environment)
    content = {
        "environment": environment,
        "command": f"python -m experiments.ladder --environment {environment} --games {comparisons[0].games} "
        f"--seed {comparisons[0].seed}",
        "date": _today(),
        "machine": f"{processor()}, Python {platform.python_version()} on {sys.platform}",
        "tournaments": [summary(comparison) for comparison in comparisons],
    }
    write_whole(folder / f"{name}.json", (json.dumps(content, indent=1, allow_nan=False) + "\n").encode())
    for comparison in comparisons:
        write_figure(draw_comparison(comparison), folder / f"{name}_{comparison.random_plies}.png")


def summary(comparison: Comparison) -> dict[str, Any]:
    """Return the results of each agent, and the wins, draws and losses of the first agent of each pair."""
    full = to_json(comparison)
    pairs = [
        {
            "agents": list(pairing.labels),
            **{
                seat: [record.wins, record.draws, record.losses]
                for seat, record in zip(("first", "second"), pairing.match.sides[0].seats, strict=True)
            },
        }
        for pairing in comparison.pairings
    ]
    return {
        "random_plies": comparison.random_plies,
        "games": comparison.games,
        "seed": comparison.seed,
        "agents": full["agents"],
        "ms_one_board": full["timing"]["ms_one_board"],
        "ms_per_move": full["timing"]["ms_per_move"],
        "pairs": pairs,
    }


def _today() -> str:
    return datetime.now(UTC).date().isoformat()


def file_name(environment: str) -> str:
    """Return the base name of an environment's files. Windows does not allow a colon in it."""
    return environment.replace(":", "_")


if __name__ == "__main__":
    main()
