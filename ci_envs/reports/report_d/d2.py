"""Section D2: Quixo by minimax with alpha-beta.

The search is :data:`~ci_envs.reports.report_d.quixo_depths.ALPHA_BETA`. :mod:`ci_envs.reports.quixo_search` describes
it. Besides alpha-beta there is another difference from section D1: this search moves the cubes of the agent, and the
search of D1 moves the cubes of the opponent.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ci_envs.reports.quixo_measurements import PruningCosts, wins_in_games
from ci_envs.reports.quixo_search import quixo_searcher
from ci_envs.reports.report_d.quixo_depths import (
    ALPHA_BETA,
    CONDITIONS,
    PUBLISHED,
    Wins,
    deeper_claim,
    longest_move_rows,
    pair_rows,
    pruning_by_depth,
    same_move_rows,
    win_rows,
    wins_by_depth,
)
from ci_envs.reports.section import Claim, ClaimVerdict, FigureRow, Findings, RunOptions, Section

_WINS = {1: 80.0, 2: 100.0, 3: 73.3, 4: 93.3}
_SECONDS = {1: 0.23, 2: 2.1, 3: 15.0, 4: 111.0, 5: 470.0}


def run(options: RunOptions) -> Findings:
    """Measure the search by depth."""
    wins = wins_by_depth(ALPHA_BETA, options)
    options.report_progress(0.3)
    rows = [*win_rows(wins, _WINS), *_nine_games_row(wins)]
    pairs = pair_rows(ALPHA_BETA, options)
    rows += pairs
    rows += longest_move_rows(ALPHA_BETA, _SECONDS, options)
    options.report_progress(0.6)
    pruned, costs = pruning_by_depth(ALPHA_BETA, options)
    options.report_progress(0.8)
    same = same_move_rows(options)
    options.report_progress(1.0)
    claims = deeper_claim(wins, pairs), _pruning_claim(costs, same)
    return Findings(tuple(rows + pruned + same), claims, (wins.plot(),))


def _nine_games_row(wins: Wins) -> list[FigureRow]:
    """Return the row of the smaller measurement at depth 4. A quick run does not have this row."""
    if 4 not in wins.literal:
        return []
    measured = wins_in_games(wins.literal[4] / 100, 9)
    quantity = "depth 4, v random in 9 games, wins"
    return [FigureRow(quantity, 100, measured, wins.described[4], wins.ours[4], PUBLISHED, "%")]


def _pruning_claim(costs: Mapping[int, PruningCosts], same: Sequence[FigureRow]) -> Claim:
    depth = max(costs)
    moves = ", ".join(f"{row.literal.value:.0f}" for row in same)
    return Claim(
        "Alpha-beta plays the same moves as minimax, faster.",
        ClaimVerdict.HOLDS if costs[depth].same_moves == 100 and costs[depth].fewer_nodes > 1 else ClaimVerdict.FAILS,
        f"At depth {depth} alpha-beta visits {costs[depth].fewer_nodes:.0f} times fewer nodes in"
        f" {costs[depth].faster:.0f} times less time and plays the same moves, but the two searches of report D move"
        f" different cubes and agree in only {moves}% of the positions at depths 1 to {depth}.",
    )


SECTION = Section(
    name="D2",
    title="Quixo by minimax with alpha-beta",
    game="Quixo-v0",
    purpose="Search as deep as section D1 in less time, by alpha-beta.",
    conclusion=(
        "Alpha-beta changes no move and visits far fewer nodes. But this search moves the agent's cubes where section"
        " D1 moves the opponent's, so the two play different moves."
    ),
    conditions=CONDITIONS,
    seconds=120,
    run=run,
    agents={
        "D2": quixo_searcher(replace(ALPHA_BETA, depth=2)),
        **{f"D2:depth{depth}": quixo_searcher(replace(ALPHA_BETA, depth=depth)) for depth in _SECONDS},
    },
)
