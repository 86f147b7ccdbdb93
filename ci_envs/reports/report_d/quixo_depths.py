"""The measurements of sections D1 and D2 by depth: games won, the longest move, and the savings by alpha-beta."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ci_envs.arena.match import play_match
from ci_envs.arena.results import Side
from ci_envs.games.batch import start_words
from ci_envs.games.openings import random_openings
from ci_envs.reports.estimates import measured_share, spread_of_runs
from ci_envs.reports.quixo_measurements import (
    QUIXO,
    PruningCosts,
    games_v_random,
    move_costs,
    positions,
    pruning_costs,
    pruning_rows,
    searcher,
    win_share,
    wins_in_games,
)
from ci_envs.reports.quixo_search import Leaf, Mover, QuixoSearch
from ci_envs.reports.section import Claim, ClaimVerdict, FigureRow, Panel, Plot, RunOptions, Series

PUBLISHED = "Report D's own figures are lost: this one is from what its author published elsewhere."

MINIMAX = QuixoSearch(1, Mover.OPPONENT, Leaf.LONGEST_RUN, pruning=False)
"""The search of section D1. After the first move, all moves of the search move the opponent's cubes."""

ALPHA_BETA = QuixoSearch(1, Mover.AGENT, Leaf.LONGEST_RUN)
"""The search of section D2. All moves of the search move the agent's cubes."""

REPORT_GAMES = 30
GAMES: Mapping[int, int] = {1: 400, 2: 400, 3: 100, 4: 40}
"""The number of our games by depth."""

QUICK_GAMES: Mapping[int, int] = {1: 40, 2: 40}
PAIR_GAMES, _QUICK_PAIR_GAMES = 60, 20
POSITIONS, QUICK_POSITIONS = 10, 3
_PRUNING_DEPTHS, _QUICK_PRUNING_DEPTHS = (1, 2, 3), (1, 2)
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


@dataclass(frozen=True)
class Wins:
    """The percentages of games won against random by depth."""

    literal: Mapping[int, float]
    described: Mapping[int, float]
    ours: Mapping[int, float]

    def plot(self) -> Plot:
        """Return the plot of the percentages."""
        lines = {"literal": self.literal, "described": self.described, "ours": self.ours}
        series = (Series(name, tuple(map(str, wins)), tuple(wins.values()), "bars") for name, wins in lines.items())
        return Plot("depth", "Games won against random", "depth", "wins, %", (Panel("", tuple(series)),))


def wins_by_depth(search: QuixoSearch, options: RunOptions) -> Wins:
    """Play the literal search, the described search and our search against random.

    The literal search uses alpha-beta, which does not change its moves.
    """
    games = QUICK_GAMES if options.quick else GAMES

    def wins(search_of: Callable[[int], QuixoSearch | str]) -> dict[int, float]:
        return {d: 100 * win_share(games_v_random(search_of(d), n, options.seed).total) for d, n in games.items()}

    return Wins(wins(lambda depth: replace(search, depth=depth, pruning=True)), wins(described), wins(ours))


def win_rows(wins: Wins, figures: Mapping[int, float]) -> list[FigureRow]:
    """Return a row for each depth. ``figures`` are the published percentages by depth."""
    rows = []
    for depth, won in wins.literal.items():
        figure = figures.get(depth)
        measured = wins_in_games(won / 100, REPORT_GAMES)
        others = wins.described[depth], wins.ours[depth]
        note = "" if figure is None else PUBLISHED
        rows.append(FigureRow(f"depth {depth}, v random, wins", figure, measured, *others, note, "%"))
    return rows


def pair_rows(search: QuixoSearch, options: RunOptions) -> list[FigureRow]:
    """Return the rows of the points of each depth against the next smaller depth. A draw is half a point."""
    games = _QUICK_PAIR_GAMES if options.quick else PAIR_GAMES
    rows = []
    for depth in (2,) if options.quick else (2, 3):
        records = [
            _match(search_of(depth), search_of(depth - 1), games, options.seed).total
            for search_of in (lambda d: replace(search, depth=d, pruning=True), described, ours)
        ]
        measured = measured_share(records[0].wins + records[0].draws // 2, games)
        others = 100 * records[1].score, 100 * records[2].score
        rows.append(FigureRow(f"depth {depth} v depth {depth - 1}, points", None, measured, *others, _PAIR_NOTE, "%"))
    return rows


def _match(search: QuixoSearch | str, other: QuixoSearch | str, games: int, seed: int) -> Side:
    openings = random_openings(QUIXO, games // 2, 4, seed)  # without openings, deterministic searches repeat one game
    return play_match(QUIXO, searcher(search, seed), searcher(other, seed + 1), games, openings=openings).sides[0]


def deeper_claim(wins: Wins, pairs: Sequence[FigureRow]) -> Claim:
    """Return the claim that a deeper search plays better, by its games against random and between depths."""
    by_depth = ", ".join(f"{won:.0f}" for won in wins.literal.values())
    literal = " and ".join(f"{row.literal.value:.0f}%" for row in pairs)
    correct = " and ".join(f"{row.described:.0f}%" for row in pairs)
    return Claim(
        "A deeper search plays better.",
        ClaimVerdict.HOLDS if all(row.literal.low > 50 for row in pairs) else ClaimVerdict.FAILS,
        f"With depths 1 to {max(wins.literal)} it wins {by_depth}% of the games against random, and each depth scores"
        f" {literal} against the depth before; with correct alternation the depths score {correct}.",
    )


def longest_move_rows(search: QuixoSearch, figures: Mapping[int, float], options: RunOptions) -> list[FigureRow]:
    """Return the row of the longest move for each depth. The longest move is at the start or soon after it.

    Args:
        search: The literal search. The described search uses alpha-beta if the literal search does.
        figures: The published seconds by depth.
        options: The options of the run.
    """
    words = np.concatenate([start_words(QUIXO, 1), positions(5, options.seed)[-1:]])
    end = "" if search.pruning else ",pruning=false"
    rows = []
    for depth, figure in figures.items():
        if options.quick and depth not in QUICK_GAMES:
            continue
        literal = spread_of_runs([_longest(replace(search, depth=depth), words) for _ in range(_REPETITIONS)])
        correct, best = _longest(described(depth) + end, words), _longest(ours(depth), words)
        quantity = f"depth {depth}, longest move"
        rows.append(FigureRow(quantity, 1000 * figure, literal, correct, best, PUBLISHED, "ms"))
    return rows


def _longest(search: QuixoSearch | str, words: NDArray[np.uint64]) -> float:
    """Return the milliseconds of the longest move."""
    return 1000 * float(move_costs(search, words).seconds.max())


def pruning_by_depth(search: QuixoSearch, options: RunOptions) -> tuple[list[FigureRow], dict[int, PruningCosts]]:
    """Return the rows about the savings by alpha-beta at each depth, and the costs of the literal search."""
    words = _positions(options)
    rows, costs = [], {}
    for depth in _QUICK_PRUNING_DEPTHS if options.quick else _PRUNING_DEPTHS:
        costs[depth] = pruning_costs(replace(search, depth=depth, pruning=True), words)
        correct, best = (pruning_costs(spec, words) for spec in (described(depth), ours(depth)))
        rows += pruning_rows(f"depth {depth}, ", costs[depth], correct, best, _SAME_PLIES)
    return rows, costs


def same_move_rows(options: RunOptions) -> list[FigureRow]:
    """Return the percentage of positions in which the searches of D1 and D2 play the same move, by depth."""
    words = _positions(options)
    rows = []
    for depth in _QUICK_PRUNING_DEPTHS if options.quick else _PRUNING_DEPTHS:
        pairs: tuple[tuple[QuixoSearch | str, QuixoSearch | str], ...] = (
            (replace(MINIMAX, depth=depth), replace(ALPHA_BETA, depth=depth)),
            (f"{described(depth)},pruning=false", described(depth)),
            (f"{ours(depth)},pruning=false", ours(depth)),
        )
        literal, correct, best = (_same_moves(search, other, words) for search, other in pairs)
        shares = 100 * correct / len(words), 100 * best / len(words)
        measured = measured_share(literal, len(words))
        rows.append(FigureRow(f"depth {depth}, same moves as section D1", None, measured, *shares, unit="%"))
    return rows


def _same_moves(search: QuixoSearch | str, other: QuixoSearch | str, words: NDArray[np.uint64]) -> int:
    return int(np.sum(move_costs(search, words).actions == move_costs(other, words).actions))


def _positions(options: RunOptions) -> NDArray[np.uint64]:
    return positions(QUICK_POSITIONS if options.quick else POSITIONS, options.seed)
