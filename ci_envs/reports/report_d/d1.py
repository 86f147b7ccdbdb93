"""Section D1: Quixo by minimax.

The search is :data:`~ci_envs.reports.report_d.quixo_depths.MINIMAX`. :mod:`ci_envs.reports.quixo_search` describes it.
"""

from collections.abc import Iterator
from dataclasses import replace

from ci_envs.reports.claims import Cell, Claim, Text
from ci_envs.reports.estimates import Estimate
from ci_envs.reports.quixo_measurements import QUIXO, games_v_random, wins_of
from ci_envs.reports.quixo_search import Leaf, quixo_searcher
from ci_envs.reports.report_d.quixo_depths import (
    CONDITIONS,
    DEEPER_CLAIM,
    MINIMAX,
    Wins,
    longest_move_rows,
    pair_rows,
    pruning_by_depth,
    win_row,
    win_rows,
    wins_by_depth,
    wins_plot,
)
from ci_envs.reports.rows import FigureRow, figure_row
from ci_envs.reports.section import Findings, RunOptions, Section
from ci_envs.reports.sources import Figure, printed, published

_WINS = {1: 86.7, 2: 86.7, 3: 93.3}
_SECONDS = {1: 0.14, 2: 4.4, 3: 186.0}
_PUBLISHED = published("the results of minimax in a later version of the report, by one of its authors")
_RANDOM_LEAF_GAMES, _QUICK_RANDOM_LEAF_GAMES = 40, 10
_TRILLION = 10.0**12
_BOARDS = "boards with the player to move, in 10^12"


def run(options: RunOptions) -> Findings:
    """Measure the search by depth."""
    wins = wins_by_depth(MINIMAX, options)
    options.report_progress(0.4)
    rows = [_boards_row(), *win_rows(wins, _WINS, _PUBLISHED), *_more_rows(wins, options)]
    options.report_progress(0.6)
    rows += [*pair_rows(MINIMAX, options), *longest_move_rows(MINIMAX, _SECONDS, _PUBLISHED, options)]
    options.report_progress(0.8)
    rows += pruning_by_depth(MINIMAX, options)
    options.report_progress(1.0)
    return Findings(tuple(rows), (wins_plot(wins, _WINS),))


def _boards_row() -> FigureRow:
    """Return the row on the number of boards: all boards, and those that differ after turning and reflecting."""
    cells = QUIXO.size**2
    cycles = {cells: 1, (cells + 1) // 2: 1, (cells + 3) // 4: 2, (cells + QUIXO.size) // 2: 4}
    different = sum(count * 3**kept for kept, count in cycles.items()) / 8  # by Burnside's lemma
    counts = map(Estimate.exact, (2 * 3**cells / _TRILLION, 2 * 3**cells / _TRILLION, 2 * different / _TRILLION))
    figure = Figure(1.7, printed("Quixo, the sentence on the number of configurations"))
    return figure_row(_BOARDS, figure, *counts, note=_BOARDS_NOTE)


_BOARDS_NOTE = (
    "Each of 25 cubes is blank or shows one of two marks. Ours counts boards that become equal by turning and"
    " reflecting once."
)


def _more_rows(wins: Wins, options: RunOptions) -> Iterator[FigureRow]:
    """Yield the rows of the two smaller measurements at depth 2."""
    yield win_row("depth 2, v random in 10 games, wins", 2, wins, Figure(100, _PUBLISHED), 10)
    search = replace(MINIMAX, depth=2, leaf=Leaf.RANDOM_GAME, pruning=True)
    games = _QUICK_RANDOM_LEAF_GAMES if options.quick else _RANDOM_LEAF_GAMES
    shares = (
        wins_of(games_v_random(search, games, options.seed).total, report_games=5),
        *(wins_of(wins[name][2]) for name in ("described", "ours")),
    )
    quantity = "depth 2, leaf a random game, v random in 5 games, wins"
    yield figure_row(quantity, Figure(20, _PUBLISHED), *shares, unit="%")


SECTION = Section(
    name="D1",
    title="Quixo by minimax",
    game="Quixo-v0",
    purpose="Play Quixo by a minimax that values undecided leaves by the agent's longest run of cubes.",
    conclusion=Text(
        "After the first move the search moves only the opponent's cubes, so a greater depth does not help it. With"
        " players that alternate it wins nearly all games at every depth."
    ),
    conditions=CONDITIONS,
    seconds=120,
    run=run,
    claims=(
        DEEPER_CLAIM,
        Claim(
            "Quixo has 1.7 x 10^12 configurations.",
            (Cell(_BOARDS) > 1.65) & (Cell(_BOARDS) < 1.75),
            "Three states of 25 cubes and two players to move give {:.2f} x 10^12, of which {:.2f} x 10^12 differ by"
            " more than turning and reflecting.",
            (Cell(_BOARDS), Cell(_BOARDS, "ours")),
        ),
    ),
    agents={
        "D1": quixo_searcher(replace(MINIMAX, depth=2)),
        **{f"D1:depth{depth}": quixo_searcher(replace(MINIMAX, depth=depth)) for depth in _SECONDS},
    },
)
