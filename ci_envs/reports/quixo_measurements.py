"""Measurements of searches that play Quixo: games against random, and the nodes and seconds of a move."""

from dataclasses import dataclass, replace
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ci_envs.agent_interface.making import make_agent
from ci_envs.agents.search.minimax import MinimaxAgent
from ci_envs.arena.match import play_match
from ci_envs.arena.results import Record, Side
from ci_envs.games.batch import start_words
from ci_envs.games.openings import random_openings
from ci_envs.games.quixo import Quixo
from ci_envs.reports.estimates import measured_share, share_in_games
from ci_envs.reports.quixo_search import QuixoSearch, QuixoSearchAgent
from ci_envs.reports.section import Estimate, FigureRow

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


def win_share(record: Record) -> float:
    """Return the share of games won, 0 to 1."""
    return record.wins / record.games


def wins_in_games(share: float, games: int) -> Estimate:
    """Return a measured percentage of games won, and the interval that contains 95% of its measurements.

    Args:
        share: The measured share, 0 to 1.
        games: The number of games of a measurement.
    """
    return share_in_games(share, games) if 0 < share < 1 else measured_share(round(share * games), games)


def positions(count: int, seed: int) -> NDArray[np.uint64]:
    """Return positions for :func:`move_costs`, uint64 (count, 2): after 20, 16, 12, 8 and 4 random plies in turn."""
    plies = [20 - 4 * (number % 5) for number in range(count)]
    return np.concatenate([random_openings(QUIXO, 1, ply, seed + number) for number, ply in enumerate(plies)])


@dataclass(frozen=True)
class MoveCosts:
    """The costs of the moves of a search in some positions.

    Attributes:
        actions: The actions, int64 (n,).
        nodes: The nodes visited, int64 (n,).
        seconds: The seconds of processor time taken, float64 (n,).
    """

    actions: NDArray[np.int64]
    nodes: NDArray[np.int64]
    seconds: NDArray[np.float64]


def move_costs(search: QuixoSearch | str, words: NDArray[np.uint64], seed: int = 0) -> MoveCosts:
    """Measure the moves of a search in n positions.

    Args:
        search: The search.
        words: The positions, uint64 (n, 2).
        seed: The seed of the search.
    """
    agent = searcher(search, seed)
    agent.act_on(words[:0])  # compiles before the time is measured
    costs: list[tuple[int, int, float]] = []
    for row in words:
        began = process_time()
        (action,) = agent.act_on(row[np.newaxis])
        costs.append((int(action), agent.nodes, process_time() - began))
    actions, nodes, seconds = zip(*costs, strict=True)
    return MoveCosts(np.array(actions), np.array(nodes), np.array(seconds))


@dataclass(frozen=True)
class PruningCosts:
    """The costs of the moves of a search without and with alpha-beta, in the same positions.

    Attributes:
        plain: The costs without alpha-beta.
        pruned: The costs with alpha-beta.
    """

    plain: MoveCosts
    pruned: MoveCosts

    @property
    def same_moves(self) -> float:
        """The percentage of positions in which both play the same move."""
        return 100 * float(np.mean(self.plain.actions == self.pruned.actions))

    @property
    def fewer_nodes(self) -> float:
        """The factor by which alpha-beta reduces the number of nodes."""
        return float(self.plain.nodes.sum() / self.pruned.nodes.sum())

    @property
    def faster(self) -> float:
        """The factor by which alpha-beta reduces the time."""
        return float(self.plain.seconds.sum() / self.pruned.seconds.sum())


def pruning_costs(search: QuixoSearch | str, words: NDArray[np.uint64], seed: int = 0) -> PruningCosts:
    """Measure the moves of a search without and with alpha-beta. :func:`move_costs` describes the arguments."""
    plain = replace(search, pruning=False) if isinstance(search, QuixoSearch) else f"{search},pruning=false"
    return PruningCosts(move_costs(plain, words, seed), move_costs(search, words, seed))


def pruning_rows(
    label: str, literal: PruningCosts, described: PruningCosts, ours: PruningCosts, note: str
) -> list[FigureRow]:
    """Return the rows of the mean nodes and seconds of a move, and of the share of equal moves with alpha-beta.

    Args:
        label: The beginning of the names of the quantities, for example the depth, or an empty text.
        literal: The costs of the literal search.
        described: The costs of the described search.
        ours: The costs of our search.
        note: The note of the rows on nodes and seconds.
    """
    costs = literal, described, ours
    plain, pruned = [cost.plain for cost in costs], [cost.pruned for cost in costs]
    rows = []
    for name, samples in (("without alpha-beta", plain), ("with alpha-beta", pruned)):
        nodes = [mean_of(sample.nodes / 1000) for sample in samples]
        quantity = f"{label}move {name}"
        rows.append(FigureRow(quantity, None, nodes[0], nodes[1].value, nodes[2].value, note, "1000 nodes"))
    for name, samples in (("without alpha-beta", plain), ("with alpha-beta", pruned)):
        times = [mean_of(1000 * sample.seconds) for sample in samples]
        quantity = f"{label}move {name}"
        rows.append(FigureRow(quantity, None, times[0], times[1].value, times[2].value, note, "ms"))
    first = Estimate.exact(literal.same_moves)
    quantity = f"{label}same moves with alpha-beta"
    rows.append(FigureRow(quantity, None, first, described.same_moves, ours.same_moves, unit="%"))
    return rows


def mean_of(values: NDArray[Any]) -> Estimate:
    """Return the mean of a sample and its 95% interval by the normal approximation, at least 0."""
    mean = float(np.mean(values))
    error = 1.96 * float(np.std(values)) / len(values) ** 0.5
    return Estimate(mean, max(0.0, mean - error), mean + error)
