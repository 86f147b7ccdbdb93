"""The measurements of sections D1 and D2 by depth: games won, the longest move, and the savings by alpha-beta."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ci_envs.arena.match import play_match
from ci_envs.arena.results import Record, Side
from ci_envs.games.batch import start_words
from ci_envs.games.openings import random_openings
from ci_envs.reports.claims import Cell, Claim, Column, all_of
from ci_envs.reports.estimates import measured_share, median_of
from ci_envs.reports.quixo_measurements import (
    QUIXO,
    games_v_random,
    move_costs,
    points_of,
    positions,
    pruning_costs,
    pruning_rows,
    searcher,
    wins_of,
)
from ci_envs.reports.quixo_search import Leaf, Mover, QuixoSearch
from ci_envs.reports.rows import FigureRow, figure_row
from ci_envs.reports.section import Panel, Plot, RunOptions, Series
from ci_envs.reports.sources import Figure, Source

MINIMAX = QuixoSearch(1, Mover.OPPONENT, Leaf.LONGEST_RUN, pruning=False)
"""The search of section D1. After the first move, all moves of the search move the opponent's cubes."""

ALPHA_BETA = QuixoSearch(1, Mover.AGENT, Leaf.LONGEST_RUN)
"""The search of section D2. All moves of the search move the agent's cubes."""

REPORT_GAMES = 30
GAMES: Mapping[int, int] = {1: 400, 2: 400, 3: 100, 4: 40}
"""The number of our games by depth."""

QUICK_GAMES: Mapping[int, int] = {1: 40, 2: 40}
PAIR_GAMES, _QUICK_PAIR_GAMES, PAIR_DEPTHS = 200, 20, (2, 3)
POSITIONS, QUICK_POSITIONS = 10, 3
PRUNING_DEPTHS, _QUICK_PRUNING_DEPTHS = (1, 2, 3), (1, 2)
_REPETITIONS = 3  # measurements of the longest move
_SAME_PLIES = "All searches look as many plies ahead. Times below 0.1 ms are mostly the time of the call."
_PAIR_NOTE = "Each search plays against itself with another depth, so a larger figure is not a better search."

CONDITIONS = (
    "The opponent plays uniformly random legal moves. Report D does not say who moves first: here the seats alternate."
    f" The intervals are those of {REPORT_GAMES} games. We play {GAMES[1]} games at depths 1 and 2, {GAMES[3]} at depth"
    f" 3 and {GAMES[4]} at depth 4 ({QUICK_GAMES[1]} at depths 1 and 2 with --quick), with alpha-beta, which"
    " changes no move of a search. The depth does not count the agent's own move, so depth 1 is described by"
    " minimax:depth=2,evaluation=longest_run, and ours is minimax:depth=2."
    f" Two depths play {PAIR_GAMES} games from positions after 4 random plies. Nodes and times are means over"
    f" {POSITIONS} positions after 4 to 20 random plies ({QUICK_POSITIONS} with --quick)."
)
"""The conditions of both sections."""


def described(depth: int) -> str:
    """Return the spec string of a correct minimax with report D's evaluation. Report D's depth omits the first ply."""
    return f"minimax:depth={depth + 1},evaluation=longest_run"


def ours(depth: int) -> str:
    """Return the spec string of our minimax with the same number of plies."""
    return f"minimax:depth={depth + 1}"


Wins = Mapping[str, Mapping[int, Record]]
"""The games against random by column and depth."""

SearchOf = Callable[[int], QuixoSearch | str]
"""A function that returns the search of a depth."""


def _columns(search: QuixoSearch) -> Mapping[str, SearchOf]:
    """Return the searches by column; the literal search uses alpha-beta, which does not change its moves."""
    return {
        "literal": lambda depth: replace(search, depth=depth, pruning=True),
        "described": described,
        "ours": ours,
    }


def wins_by_depth(search: QuixoSearch, options: RunOptions) -> Wins:
    """Play the literal search, the described search and our search against random."""
    games = QUICK_GAMES if options.quick else GAMES
    return {
        name: {depth: games_v_random(search_of(depth), n, options.seed).total for depth, n in games.items()}
        for name, search_of in _columns(search).items()
    }


def wins_plot(wins: Wins, figures: Mapping[int, float]) -> Plot:
    """Return the plot of the percentages by depth, with the published ones."""
    series = [
        Series(name, tuple(map(str, records)), tuple(wins_of(record).value for record in records.values()), "bars")
        for name, records in wins.items()
    ]
    known = [depth for depth in wins["literal"] if depth in figures]
    series.append(Series("published", tuple(map(str, known)), tuple(figures[depth] for depth in known), "marks"))
    return Plot("depth", "Games won against random", "depth", "wins, %", (Panel("", tuple(series)),))


def win_row(
    quantity: str, depth: int, wins: Wins, figure: Figure | None, report_games: int = REPORT_GAMES
) -> FigureRow:
    """Return the row of the games won at a depth; ``report_games`` is the number of games of the figure."""
    shares = (wins_of(records[depth], report_games=report_games) for records in wins.values())
    return figure_row(quantity, figure, *shares, unit="%")


def win_rows(wins: Wins, figures: Mapping[int, float], source: Source) -> Iterator[FigureRow]:
    """Yield a row for each depth. ``figures`` are the published percentages by depth."""
    for depth in wins["literal"]:
        figure = Figure(figures[depth], source) if depth in figures else None
        yield win_row(f"depth {depth}, v random, wins", depth, wins, figure)


def pair_rows(search: QuixoSearch, options: RunOptions) -> Iterator[FigureRow]:
    """Yield the rows of the points of each depth against the next smaller depth. A draw is half a point."""
    games = _QUICK_PAIR_GAMES if options.quick else PAIR_GAMES
    for depth in PAIR_DEPTHS[:1] if options.quick else PAIR_DEPTHS:
        points = (
            points_of(_match(search_of(depth), search_of(depth - 1), games, options.seed).total)
            for search_of in _columns(search).values()
        )
        yield figure_row(_pair(depth), None, *points, note=_PAIR_NOTE, unit="%")


def _match(search: QuixoSearch | str, other: QuixoSearch | str, games: int, seed: int) -> Side:
    openings = random_openings(QUIXO, games // 2, 4, seed)  # without openings, deterministic searches repeat one game
    return play_match(QUIXO, searcher(search, seed), searcher(other, seed + 1), games, openings=openings).sides[0]


def _pair(depth: int) -> str:
    return f"depth {depth} v depth {depth - 1}, points"


def _column_cells(column: Column) -> tuple[Cell, ...]:
    return tuple(Cell(_pair(depth), column) for depth in PAIR_DEPTHS)


DEEPER_CLAIM = Claim(
    "A deeper search plays better.",
    all_of(*(cell > 50 for cell in _column_cells("literal"))),
    "Depth 2 scores {:.0f}% against depth 1, and depth 3 {:.0f}% against depth 2. With correct alternation they score"
    " {:.0f}% and {:.0f}%.",
    (*_column_cells("literal"), *_column_cells("described")),
)
"""The claim of both sections."""


def longest_move_rows(
    search: QuixoSearch, figures: Mapping[int, float], source: Source, options: RunOptions
) -> Iterator[FigureRow]:
    """Yield the row of the longest move for each depth. The longest move is at the start or soon after it.

    Args:
        search: The literal search. The described search uses alpha-beta if the literal search does.
        figures: The published seconds by depth.
        source: Their source.
        options: The options of the run.
    """
    words = np.concatenate([start_words(QUIXO, 1), positions(5, options.seed)[-1:]])
    end = "" if search.pruning else ",pruning=false"
    for depth, figure in figures.items():
        if options.quick and depth not in QUICK_GAMES:
            continue
        searches: tuple[QuixoSearch | str, ...] = (replace(search, depth=depth), described(depth) + end, ours(depth))
        times = (median_of([_longest(one, words) for _ in range(_REPETITIONS)], "repetitions") for one in searches)
        yield figure_row(f"depth {depth}, longest move", Figure(1000 * figure, source), *times, unit="ms")


def _longest(search: QuixoSearch | str, words: NDArray[np.uint64]) -> float:
    """Return the milliseconds of the longest move."""
    return 1000 * float(move_costs(search, words).seconds.max())


def pruning_by_depth(search: QuixoSearch, options: RunOptions) -> Iterator[FigureRow]:
    """Yield the rows about the savings by alpha-beta at each depth."""
    words = _positions(options)
    for depth in _QUICK_PRUNING_DEPTHS if options.quick else PRUNING_DEPTHS:
        searches: tuple[QuixoSearch | str, ...] = (
            replace(search, depth=depth, pruning=True),
            described(depth),
            ours(depth),
        )
        costs = [pruning_costs(one, words) for one in searches]
        yield from pruning_rows(f"depth {depth}, ", costs, _SAME_PLIES)


def same_move_rows(options: RunOptions) -> Iterator[FigureRow]:
    """Yield the percentage of positions in which the searches of D1 and D2 play the same move, by depth."""
    words = _positions(options)
    for depth in _QUICK_PRUNING_DEPTHS if options.quick else PRUNING_DEPTHS:
        pairs: tuple[tuple[QuixoSearch | str, QuixoSearch | str], ...] = (
            (replace(MINIMAX, depth=depth), replace(ALPHA_BETA, depth=depth)),
            (f"{described(depth)},pruning=false", described(depth)),
            (f"{ours(depth)},pruning=false", ours(depth)),
        )
        same = (_same_moves(search, other, words) for search, other in pairs)
        shares = (measured_share(count, len(words), sample="positions") for count in same)
        yield figure_row(same_as_minimax(depth), None, *shares, unit="%")


def same_as_minimax(depth: int) -> str:
    """Return the quantity of the row on the moves that sections D1 and D2 share."""
    return f"depth {depth}, same moves as section D1"


def _same_moves(search: QuixoSearch | str, other: QuixoSearch | str, words: NDArray[np.uint64]) -> int:
    return int(np.sum(move_costs(search, words).actions == move_costs(other, words).actions))


def _positions(options: RunOptions) -> NDArray[np.uint64]:
    return positions(QUICK_POSITIONS if options.quick else POSITIONS, options.seed)
