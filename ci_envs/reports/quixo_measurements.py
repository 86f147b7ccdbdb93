"""Measurements of searches that play Quixo: games against random, and the nodes and seconds of a move."""

from collections.abc import Iterable
from dataclasses import replace
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ci_envs.agent_interface.making import make_agent
from ci_envs.agents.search.minimax import MinimaxAgent
from ci_envs.arena.match import play_match
from ci_envs.arena.results import Side
from ci_envs.games.batch import start_words
from ci_envs.games.openings import random_openings
from ci_envs.games.quixo import Quixo
from ci_envs.reports.estimates import Estimate, mean_of, measured_share
from ci_envs.reports.quixo_search import QuixoSearch, QuixoSearchAgent
from ci_envs.reports.section_run import SectionRun

QUIXO = Quixo()

Searcher = QuixoSearchAgent | MinimaxAgent


def searcher(search: QuixoSearch | str, seed: int = 0) -> Searcher:
    """Return the agent of a literal search, or our minimax of a spec string."""
    if isinstance(search, QuixoSearch):
        return QuixoSearchAgent(QUIXO, search, seed=seed)
    agent = make_agent(search, QUIXO, seed=seed)
    assert isinstance(agent, MinimaxAgent)
    return agent


def games_v_random(search: QuixoSearch | str, games: int, seed: int) -> Side:
    """Play Quixo against random with alternating seats, and return the results and the time of the search."""
    agent = searcher(search, seed)
    agent.act_on(start_words(QUIXO, 0))  # compiles before the time is measured
    return play_match(QUIXO, agent, make_agent("random", QUIXO, seed=seed + 1), games).sides[0]


def positions(count: int, seed: int) -> NDArray[np.uint64]:
    """Return positions for :func:`move_costs`, uint64 (count, 2): after 20, 16, 12, 8 and 4 random plies in turn."""
    plies = [20 - 4 * (number % 5) for number in range(count)]
    return np.concatenate([random_openings(QUIXO, 1, ply, seed + number) for number, ply in enumerate(plies)])


def move_costs(search: QuixoSearch | str, words: NDArray[np.uint64], seed: int = 0) -> NDArray[np.void]:
    """Measure the moves of a search in n positions.

    Args:
        search: The search.
        words: The positions, uint64 (n, 2).
        seed: The seed of the search.

    Returns:
        The ``action``, the ``nodes`` visited and the ``seconds`` of processor time of each move, (n,).
    """
    agent = searcher(search, seed)
    agent.act_on(words[:0])  # compiles before the time is measured
    costs = np.zeros(len(words), [("action", np.int64), ("nodes", np.int64), ("seconds", np.float64)])
    for row, cost in zip(words, costs, strict=True):
        began = process_time()
        (action,) = agent.act_on(row[np.newaxis])
        cost["action"], cost["nodes"], cost["seconds"] = action, agent.nodes, process_time() - began
    return costs


def add_pruning(
    run: SectionRun, searches: Iterable[QuixoSearch | str], words: NDArray[np.uint64], label: str = ""
) -> None:
    """Add the rows of the mean nodes and seconds of a move, and of the share of equal moves with alpha-beta.

    Args:
        run: The run of the section.
        searches: The literal, the described and our search.
        words: The positions, uint64 (n, 2).
        label: The beginning of the names of the quantities, for example the depth.
    """
    searches = list(searches)
    plain = [move_costs(_without_pruning(search), words) for search in searches]
    pruned = [move_costs(search, words) for search in searches]
    sides = {"without": plain, "with": pruned}
    for pruning, samples in sides.items():
        nodes = (mean_of(one["nodes"] / 1000, "positions", least=0) for one in samples)
        run.add(f"{label}nodes of a move {pruning} alpha-beta", *nodes)
    for pruning, samples in sides.items():
        times = (mean_of(1000 * one["seconds"], "positions", least=0) for one in samples)
        run.add(f"{label}time of a move {pruning} alpha-beta", *times)
    pairs = list(zip(plain, pruned, strict=True))
    run.add(
        f"{label}fewer nodes with alpha-beta", *(_geometric_mean(one["nodes"] / other["nodes"]) for one, other in pairs)
    )
    same = (one["action"] == other["action"] for one, other in pairs)
    shares = (measured_share(int(each.sum()), len(words), sample="positions") for each in same)
    run.add(f"{label}same moves with alpha-beta", *shares)


def _without_pruning(search: QuixoSearch | str) -> QuixoSearch | str:
    return replace(search, pruning=False) if isinstance(search, QuixoSearch) else f"{search},pruning=false"


def _geometric_mean(values: NDArray[Any]) -> Estimate:
    """Return the geometric mean of a sample and its 95% interval."""
    mean = mean_of(np.log(values), "positions")
    if len(values) < 2:
        return Estimate.single(float(values[0]), mean.sample)
    value, low, high = np.exp([mean.value, mean.low, mean.high]).tolist()
    return Estimate(value, low, high, mean.sample, low, high)
