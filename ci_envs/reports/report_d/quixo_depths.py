"""The measurements of sections D1 and D2 by depth: games won, the longest move, and the savings by alpha-beta."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ci_envs.arena.match import play_match
from ci_envs.games.batch import start_words
from ci_envs.games.openings import random_openings
from ci_envs.reports.estimates import Estimate, measured_share, median_of
from ci_envs.reports.matches import points_of, wins_of
from ci_envs.reports.quixo_measurements import (
    QUIXO,
    add_pruning,
    games_v_random,
    move_costs,
    positions,
    searcher,
)
from ci_envs.reports.quixo_search import Leaf, Mover, QuixoSearch
from ci_envs.reports.section_run import SectionRun

MINIMAX = QuixoSearch(1, Mover.OPPONENT, Leaf.LONGEST_RUN, pruning=False)
"""The search of section D1. After the first move, all moves of the search move the opponent's cubes."""

ALPHA_BETA = QuixoSearch(1, Mover.AGENT, Leaf.LONGEST_RUN)
"""The search of section D2. All moves of the search move the agent's cubes."""

_REPORT_GAMES = 30
_REPETITIONS = 3  # measurements of the longest move


def searches_of(search: QuixoSearch, depth: int, *, pruning: bool = True) -> tuple[QuixoSearch | str, str, str]:
    """Return the literal search, a correct minimax with report D's evaluation, and our minimax.

    Args:
        search: The literal search.
        depth: The depth of report D, which omits the first ply.
        pruning: Whether the literal and the described search use alpha-beta, which does not change their moves.
    """
    end = "" if pruning else ",pruning=false"
    ours = f"minimax:depth={depth + 1}"
    return replace(search, depth=depth, pruning=pruning), f"{ours},evaluation=longest_run{end}", ours


def add_wins(run: SectionRun, search: QuixoSearch, smaller: Mapping[int, int]) -> None:
    """Add the rows of the games won against random by depth.

    Args:
        run: The run of the section.
        search: The literal search.
        smaller: The number of games of another published measurement, by depth.
    """
    depths = {depth: run.budget(f"games_{depth}") for depth in (1, 2, 3, 4)}
    records = {
        depth: [games_v_random(one, games, run.seed).total for one in searches_of(search, depth)]
        for depth, games in depths.items()
        if games
    }
    for depth, found in records.items():
        run.add(f"depth {depth}, v random, wins", *(wins_of(one, report_games=_REPORT_GAMES) for one in found))
    for depth, games in smaller.items():
        if depth in records:
            shares = (wins_of(one, report_games=games) for one in records[depth])
            run.add(f"depth {depth}, v random in {games} games, wins", *shares)
    bars = {f"depth {depth}, v random, wins": str(depth) for depth in records}
    run.add_bars("depth", "Games won against random", "depth", "wins, %", bars, "published")


def add_costs(run: SectionRun, search: QuixoSearch, deepest: int) -> None:
    """Add the rows of the points of each depth against the next smaller one, of the times, and of the savings.

    Args:
        run: The run of the section.
        search: The literal search.
        deepest: The largest depth whose longest move is measured.
    """
    _add_pairs(run, search)
    _add_longest_moves(run, search, deepest)
    for depth in _depths(run):
        add_pruning(run, searches_of(search, depth), positions(run.budget("positions"), run.seed), f"depth {depth}, ")


def _add_pairs(run: SectionRun, search: QuixoSearch) -> None:
    """Add the rows of the points. A draw is half a point."""
    for depth in (2,) if run.quick else (2, 3):
        pairs = zip(searches_of(search, depth), searches_of(search, depth - 1), strict=True)
        games = run.budget("pair_games")
        run.add(f"depth {depth} v depth {depth - 1}, points", *(_points(*pair, games, run.seed) for pair in pairs))


def _points(search: QuixoSearch | str, other: QuixoSearch | str, games: int, seed: int) -> Estimate:
    openings = random_openings(QUIXO, games // 2, 4, seed)  # without openings, deterministic searches repeat one game
    result = play_match(QUIXO, searcher(search, seed), searcher(other, seed + 1), games, openings=openings)
    return points_of(result.sides[0].total)


def _add_longest_moves(run: SectionRun, search: QuixoSearch, deepest: int) -> None:
    """Add the row of the longest move for each depth. The longest move is at the start or soon after it."""
    words = np.concatenate([start_words(QUIXO, 1), positions(5, run.seed)[-1:]])
    for depth in range(1, (2 if run.quick else deepest) + 1):
        times = (
            median_of([_longest(one, words) for _ in range(_REPETITIONS)], "repetitions")
            for one in searches_of(search, depth, pruning=search.pruning)
        )
        run.add(f"depth {depth}, longest move", *times)


def _longest(search: QuixoSearch | str, words: NDArray[np.uint64]) -> float:
    """Return the milliseconds of the longest move."""
    return 1000 * float(move_costs(search, words)["seconds"].max())


def add_same_moves(run: SectionRun) -> None:
    """Add the percentage of positions in which the searches of D1 and D2 play the same move, by depth."""
    words = positions(run.budget("positions"), run.seed)
    for depth in _depths(run):
        _, described, ours = searches_of(ALPHA_BETA, depth)
        pairs: tuple[tuple[QuixoSearch | str, QuixoSearch | str], ...] = (
            (replace(MINIMAX, depth=depth), replace(ALPHA_BETA, depth=depth)),
            *((f"{spec},pruning=false", spec) for spec in (described, ours)),
        )
        same = [np.sum(move_costs(one, words)["action"] == move_costs(other, words)["action"]) for one, other in pairs]
        shares = (measured_share(int(count), len(words), sample="positions") for count in same)
        run.add(f"depth {depth}, same moves as section D1", *shares)


def _depths(run: SectionRun) -> tuple[int, ...]:
    return (1, 2) if run.quick else (1, 2, 3)
