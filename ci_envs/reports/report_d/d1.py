"""Section D1: Quixo by minimax.

The search is :data:`~ci_envs.reports.report_d.quixo_depths.MINIMAX`. :mod:`ci_envs.reports.quixo_search` describes it.
"""

from dataclasses import replace

from ci_envs.reports.quixo_measurements import games_v_random, win_share, wins_in_games
from ci_envs.reports.quixo_search import Leaf, quixo_searcher
from ci_envs.reports.report_d.quixo_depths import (
    CONDITIONS,
    MINIMAX,
    PUBLISHED,
    Wins,
    deeper_claim,
    longest_move_rows,
    pair_rows,
    pruning_by_depth,
    win_rows,
    wins_by_depth,
)
from ci_envs.reports.section import FigureRow, Findings, RunOptions, Section

_WINS = {1: 86.7, 2: 86.7, 3: 93.3}
_SECONDS = {1: 0.14, 2: 4.4, 3: 186.0}
_RANDOM_LEAF_GAMES, _QUICK_RANDOM_LEAF_GAMES = 40, 10


def run(options: RunOptions) -> Findings:
    """Measure the search by depth."""
    wins = wins_by_depth(MINIMAX, options)
    options.report_progress(0.4)
    rows = [*win_rows(wins, _WINS), *_more_rows(wins, options)]
    options.report_progress(0.6)
    pairs = pair_rows(MINIMAX, options)
    rows += pairs
    rows += longest_move_rows(MINIMAX, _SECONDS, options)
    options.report_progress(0.8)
    pruned, _ = pruning_by_depth(MINIMAX, options)
    options.report_progress(1.0)
    return Findings(tuple(rows + pruned), (deeper_claim(wins, pairs),), (wins.plot(),))


def _more_rows(wins: Wins, options: RunOptions) -> list[FigureRow]:
    """Return the rows of the two smaller measurements at depth 2."""
    others = wins.described[2], wins.ours[2]
    ten = wins_in_games(wins.literal[2] / 100, 10)
    search = replace(MINIMAX, depth=2, leaf=Leaf.RANDOM_GAME, pruning=True)
    games = _QUICK_RANDOM_LEAF_GAMES if options.quick else _RANDOM_LEAF_GAMES
    five = wins_in_games(win_share(games_v_random(search, games, options.seed).total), 5)
    return [
        FigureRow("depth 2, v random in 10 games, wins", 100, ten, *others, PUBLISHED, "%"),
        FigureRow("depth 2, leaf a random game, v random in 5 games, wins", 20, five, *others, PUBLISHED, "%"),
    ]


SECTION = Section(
    name="D1",
    title="Quixo by minimax",
    game="Quixo-v0",
    purpose="Play Quixo by a minimax that values undecided leaves by the agent's longest run of cubes.",
    conclusion=(
        "After the first move the search moves only the opponent's cubes, so a greater depth does not help it. With"
        " players that alternate it wins nearly all games at every depth."
    ),
    conditions=CONDITIONS,
    seconds=120,
    run=run,
    agents={
        "D1": quixo_searcher(replace(MINIMAX, depth=2)),
        **{f"D1:depth{depth}": quixo_searcher(replace(MINIMAX, depth=depth)) for depth in _SECONDS},
    },
)
