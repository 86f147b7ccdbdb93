"""Section B33: Nim by minmax with alpha-beta.

Report B's strategy looks at the moves in order and plays the first one after which ``minmax(max? = TRUE)`` is above
0, else the last move. ``TRUE`` is wrong, because the opponent moves next: the strategy plays the first move that leaves
a won position to the opponent. With ``FALSE``, which is the described version, it plays the first move that leaves a
lost one. A second excerpt of report B has the values of the end of the game exchanged.

In the search the opponent plays one reply of the optimal strategy, at random where it is lost. Report B keeps no
positions, so equal positions get different replies, and the value of a position is random; here its distribution is
computed exactly.

Reviews of report B propose a memory that is kept on disk, and Monte Carlo tree search at interesting nodes
(:mod:`~ci_envs.reports.report_b.nim_reviews`).
"""

from functools import cache
from math import prod
from pathlib import Path
from tempfile import TemporaryDirectory

from ci_envs.agent_interface.making import make_agent
from ci_envs.games.nim import Nim
from ci_envs.reports.estimates import share_in_games
from ci_envs.reports.nim_agent import strategy_agent
from ci_envs.reports.nim_strategies import (
    FIVE_ROWS,
    REPORT_ROWS,
    Chances,
    Rows,
    Strategy,
    after,
    moves_of,
    nim_expert,
    nim_optimal,
    row_random,
    win_percentage,
)
from ci_envs.reports.report_b.nim_reviews import (
    ChanceOfWin,
    MinmaxMemory,
    bounded_expert,
    bounded_row_random,
    decision_tree,
    expected_visits,
    search_with_rollouts,
)
from ci_envs.reports.section import Claim, ClaimVerdict, Estimate, FigureRow, Findings, RunOptions, Section

_THREE_ROWS: Rows = (1, 3, 5)
_MATCHES = 100  # of each measurement of report B
_LOST = "The start is lost for the first player."
_WON = "The start is won for the first player."
_PUBLISHED = "The figure is one that the author of report B published elsewhere."
_TOLD = (
    "A review mentions this figure without the rows, the seat and the random player. A memory changes no move of"
    " minmax, so the literal figure is that of minmax as described."
)
_BOUND = 3  # of the decision tree
_TREE_NOTE = (
    "A review mentions this figure without the tree, the rows, the seat and k. Literal: a tree with three tests on the"
    f" remainders of the rows, moving first with k = {_BOUND}. Described and ours play the theory of Nim with a bound."
    " The start is lost."
)
_MEMORY_NOTE = (
    "A review proposes it. Literal: the expected number without a memory. Described: with a memory. Ours: in a second"
    " run, which reads the memory from disk."
)
_PLIES, _SEARCH = 2, "mcts:simulations=100,proofs=false"
_SEARCH_NOTE = (
    f"A review proposes it. Literal: a minmax of {_PLIES} plies, with {_SEARCH} at the positions that it does not"
    " decide. Described: minmax to the end. In a lost position ours plays a random move, and rollouts find moves after"
    " which a random opponent errs more often."
)


def minmax_chance(*, exchanged: bool = False) -> ChanceOfWin:
    """Return the chance that report B's ``minmax`` returns +1, by the position and the argument ``max?``.

    Args:
        exchanged: Whether the two values of the end of the game are exchanged, as in the second excerpt.
    """

    @cache
    def chance_of_plus_1(rows: Rows, maximises: bool) -> float:
        if not any(rows):
            return float(maximises == exchanged)
        if maximises:
            return 1 - prod(1 - chance_of_plus_1(after(rows, move), False) for move in moves_of(rows))
        return sum(chance * chance_of_plus_1(after(rows, move), True) for move, chance in nim_optimal(rows).items())

    return chance_of_plus_1


def minmax_strategy(max_at_root: bool, *, exchanged: bool = False) -> Strategy:
    """Return report B's strategy.

    Args:
        max_at_root: The argument ``max?`` of the first call of ``minmax``: ``TRUE`` as printed, ``FALSE`` is right.
        exchanged: Whether the two values of the end of the game are exchanged, as in the second excerpt.
    """
    chance_of_plus_1 = minmax_chance(exchanged=exchanged)

    @cache
    def strategy(rows: Rows) -> Chances:
        chances, left = {}, 1.0
        *others, last = moves_of(rows)
        for move in others:
            found = chance_of_plus_1(after(rows, move), max_at_root)
            chances[move] = left * found
            left *= 1 - found
        chances[last] = left
        return {move: chance for move, chance in chances.items() if chance > 0}

    return strategy


minmax_true = minmax_strategy(True)
"""As report B prints it."""

minmax_false = minmax_strategy(False)
"""As report B describes it."""

minmax_exchanged = minmax_strategy(True, exchanged=True)
"""As the second excerpt of report B prints it."""


def run(options: RunOptions) -> Findings:
    """Compute the exact shares of the strategy as printed and as described."""
    rows = [
        _row("optimal, 4 rows, moving first", 0, nim_optimal, 0, REPORT_ROWS, _LOST),
        _row("optimal, 4 rows, moving second", None, nim_optimal, 1, REPORT_ROWS),
        _row("optimal, 5 rows, moving first", 100, nim_optimal, 0, FIVE_ROWS),
        _row("optimal, 5 rows, moving second", None, nim_optimal, 1, FIVE_ROWS, _WON),
        _row("row-random, 3 rows, moving first", 33, row_random, 0, _THREE_ROWS, _PUBLISHED),
        _row("row-random, 4 rows, moving first", 34, row_random, 0, REPORT_ROWS, _PUBLISHED),
        _row("row-random, 4 rows, moving second", None, row_random, 1, REPORT_ROWS),
    ]
    options.report_progress(0.5)
    for seat, moving in enumerate(("first", "second")):
        for opponent, name, board in (
            (nim_optimal, "optimal, 4 rows", REPORT_ROWS),
            (nim_optimal, "optimal, 5 rows", FIVE_ROWS),
            (row_random, "row-random, 4 rows", REPORT_ROWS),
        ):
            versus = f"{name}, moving {moving}, end values exchanged"
            rows.append(_row(versus, None, opponent, seat, board, literal=minmax_exchanged))
    rows.append(
        _row("random, minimax with memory (a review)", 76, row_random, 0, REPORT_ROWS, _TOLD, literal=minmax_false)
    )
    rows.append(_tree_row())
    rows += [_memory_row(board) for board in (REPORT_ROWS, FIVE_ROWS)]
    options.report_progress(0.7)
    rows += _search_rows(options.seed)
    options.report_progress(1.0)
    return Findings(tuple(rows), _CLAIMS)


def _tree_row() -> FigureRow:
    """Return the row on the decision tree that minds the bound k."""
    opponent, best = bounded_row_random(_BOUND), bounded_expert(_BOUND)
    tree, theory = (win_percentage(strategy, opponent) for strategy in (decision_tree(_BOUND), best))
    quantity = "v random, a decision tree that respects k (a review), wins"
    return FigureRow(quantity, 95, share_in_games(tree / 100, _MATCHES), theory, theory, _TREE_NOTE, "%")


def _memory_row(rows: Rows) -> FigureRow:
    """Return the row on the positions that minmax visits for its first move, with and without a memory."""
    visited = expected_visits(rows, False, minmax_chance())
    with TemporaryDirectory() as folder:
        file = Path(folder) / "values.json"
        memory = MinmaxMemory()
        memory.choose(rows)
        memory.save(file)
        kept = MinmaxMemory(file)
        kept.choose(rows)
    quantity = f"positions visited for the first move, {len(rows)} rows"
    return FigureRow(
        quantity, None, Estimate.exact(visited), memory.evaluated, kept.evaluated, _MEMORY_NOTE, "positions"
    )


def _search_rows(seed: int) -> list[FigureRow]:
    """Return the rows on a search of few plies with Monte Carlo tree search at its end."""
    game = Nim(REPORT_ROWS)
    strategy = search_with_rollouts(game, _PLIES, make_agent(_SEARCH, game, seed=seed))
    name = f"{_PLIES} plies, then MCTS"
    return [
        _row(
            f"row-random, 4 rows, moving first, {name}",
            None,
            row_random,
            0,
            REPORT_ROWS,
            _SEARCH_NOTE,
            literal=strategy,
        ),
        _row(
            f"optimal, 4 rows, moving second, {name}", None, nim_optimal, 1, REPORT_ROWS, _SEARCH_NOTE, literal=strategy
        ),
    ]


def _row(
    versus: str,
    figure: float | None,
    opponent: Strategy,
    seat: int,
    rows: Rows,
    note: str = "",
    *,
    literal: Strategy = minmax_true,
) -> FigureRow:
    share, described, ours = (
        win_percentage(strategy, opponent, seat, rows) for strategy in (literal, minmax_false, nim_expert)
    )
    seen = share_in_games(round(share, 1) / 100, _MATCHES)  # 100 matches do not show less than a tenth of a percent
    return FigureRow(f"v {versus}, wins", figure, seen, described, ours, note, "%")


_CLAIMS = (
    Claim(
        "Minmax never wins against the optimal strategy with 4 rows, and always with 5.",
        ClaimVerdict.HOLDS,
        "This needs the described version, max? = FALSE; the printed one never wins with either number of rows.",
    ),
    Claim(
        "The horizon effect is the reason.",
        ClaimVerdict.FAILS,
        "The search sees the end of the game: 1, 3, 5, 7 has the nim-sum 0 and 1, 3, 5, 7, 9 has the nim-sum 9.",
    ),
)

SECTION = Section(
    name="B33",
    title="Nim by minmax with alpha-beta",
    game="Nim-v0:heaps=1,3,5,7",
    purpose="Search Nim to its end by minmax with alpha-beta.",
    conclusion=(
        "With the correct player at the root the search plays perfectly. The printed results follow from theory:"
        " 1, 3, 5, 7 is lost for the first player, and 1, 3, 5, 7, 9 is won."
    ),
    conditions=(
        "The opponent plays the nim-sum (optimal), or draws a row, then a number of objects (row-random). Report B"
        " plays 100 matches in which its strategy moves first; our shares are exact, and the interval is that of 100"
        " matches."
    ),
    seconds=5,
    run=run,
    agents={
        "B33": strategy_agent(minmax_true),
        "B33:described": strategy_agent(minmax_false),
        "B33:exchanged": strategy_agent(minmax_exchanged),
    },
)
