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

from collections.abc import Iterator
from functools import cache
from itertools import product
from math import log, prod
from pathlib import Path
from tempfile import TemporaryDirectory

from ci_envs.agent_interface.making import make_agent
from ci_envs.games.nim import Nim
from ci_envs.reports.claims import Cell, Claim, Column, Text, any_of
from ci_envs.reports.estimates import Estimate, share_in_games
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
    nim_sum,
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
from ci_envs.reports.rows import FigureRow, figure_row
from ci_envs.reports.section import Findings, RunOptions, Section
from ci_envs.reports.sources import Figure, printed, published

_THREE_ROWS: Rows = (1, 3, 5)
_MATCHES = 100  # of each measurement of report B
_LOST = "The start is lost for the first player."
_WON = "The start is won for the first player."
_SENTENCE = printed("lab 3.3, the sentence on the results")
_REVIEW = printed("a review of lab 3.3, about another student")
_LOG = published("the results in the repository of the author of report B")
_V_OPTIMAL_4, _V_OPTIMAL_5 = (f"v optimal, {count} rows, moving first, wins" for count in (4, 5))
_EFFORT_NOTE = "Report B gives no figure. The expected number, with max? = TRUE at the root as printed, and with FALSE."
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
    rows = [*_match_rows()]
    options.report_progress(0.5)
    rows.append(_tree_row())
    for board in (REPORT_ROWS, FIVE_ROWS):
        rows += _effort_rows(board)
    options.report_progress(0.7)
    rows += _search_rows(options.seed)
    options.report_progress(1.0)
    return Findings(tuple(rows))


def _match_rows() -> Iterator[FigureRow]:
    """Yield the rows on the games against the optimal and the random opponent."""
    yield _row(_V_OPTIMAL_4, nim_optimal, 0, REPORT_ROWS, _LOST, figure=Figure(0, _SENTENCE))
    yield _row("v optimal, 4 rows, moving second, wins", nim_optimal, 1, REPORT_ROWS)
    yield _row(_V_OPTIMAL_5, nim_optimal, 0, FIVE_ROWS, figure=Figure(100, _SENTENCE))
    yield _row("v optimal, 5 rows, moving second, wins", nim_optimal, 1, FIVE_ROWS, _WON)
    yield _row("v row-random, 3 rows, moving first, wins", row_random, 0, _THREE_ROWS, figure=Figure(33, _LOG))
    yield _row("v row-random, 4 rows, moving first, wins", row_random, 0, REPORT_ROWS, figure=Figure(34, _LOG))
    yield _row("v row-random, 4 rows, moving second, wins", row_random, 1, REPORT_ROWS)
    for seat, moving in enumerate(("first", "second")):
        for opponent, name, board in (
            (nim_optimal, "optimal, 4 rows", REPORT_ROWS),
            (nim_optimal, "optimal, 5 rows", FIVE_ROWS),
            (row_random, "row-random, 4 rows", REPORT_ROWS),
        ):
            quantity = f"v {name}, moving {moving}, end values exchanged, wins"
            yield _row(quantity, opponent, seat, board, literal=minmax_exchanged)
    quantity, figure = "v random, minimax with memory (a review), wins", Figure(76, _REVIEW)
    yield _row(quantity, row_random, 0, REPORT_ROWS, _TOLD, figure=figure, literal=minmax_false)


def _tree_row() -> FigureRow:
    """Return the row on the decision tree that minds the bound k."""
    opponent, best = bounded_row_random(_BOUND), bounded_expert(_BOUND)
    tree, theory = (win_percentage(strategy, opponent) for strategy in (decision_tree(_BOUND), best))
    quantity = "v random, a decision tree that respects k (a review), wins"
    others = map(Estimate.exact, (theory, theory))
    return figure_row(
        quantity, Figure(95, _REVIEW), share_in_games(tree / 100, _MATCHES), *others, note=_TREE_NOTE, unit="%"
    )


def _effort_rows(rows: Rows) -> Iterator[FigureRow]:
    """Yield the rows on the positions that minmax visits for its first move, and on the values that it finds."""
    chance = minmax_chance()
    # TRUE and FALSE at the root: as printed, and as described
    pruned, plain = (
        [expected_visits(rows, root, chance, prunes=prunes) for root in (True, False)] for prunes in (True, False)
    )
    logarithms = [100 * log(few) / log(many) for few, many in zip(pruned, plain, strict=True)]
    right = [_share_of_right_values(rows, chance)]
    for quantity, values, unit in (
        (_plain(rows), plain, "positions"),
        (_pruned(rows), pruned, "positions"),
        (_depth(rows), logarithms, "%"),
        (_right_values(rows), right, "%"),
    ):
        yield figure_row(quantity, None, *map(Estimate.exact, values), note=_EFFORT_NOTE, unit=unit)
    with TemporaryDirectory() as folder:
        file = Path(folder) / "values.json"
        memory = MinmaxMemory()
        memory.choose(rows)
        memory.save(file)
        kept = MinmaxMemory(file)
        kept.choose(rows)
    visits = map(Estimate.exact, (pruned[1], memory.evaluated, kept.evaluated))
    quantity = f"positions visited with a memory (a review), {len(rows)} rows"
    yield figure_row(quantity, None, *visits, note=_MEMORY_NOTE, unit="positions")


def _share_of_right_values(rows: Rows, chance: ChanceOfWin) -> float:
    """Return the percentage of positions of which minmax, with the mover to maximise, finds the exact value."""
    positions = list(product(*(range(size + 1) for size in rows)))
    right = (abs(chance(one, True) - (nim_sum(one) != 0)) < _ROUNDING for one in positions)
    return 100 * sum(right) / len(positions)


def _search_rows(seed: int) -> Iterator[FigureRow]:
    """Yield the rows on a search of few plies with Monte Carlo tree search at its end."""
    game = Nim(REPORT_ROWS)
    strategy = search_with_rollouts(game, _PLIES, make_agent(_SEARCH, game, seed=seed))
    name = f"{_PLIES} plies, then MCTS"
    for opponent, versus, seat in ((row_random, "row-random", 0), (nim_optimal, "optimal", 1)):
        quantity = f"v {versus}, 4 rows, moving {('first', 'second')[seat]}, {name}, wins"
        yield _row(quantity, opponent, seat, REPORT_ROWS, _SEARCH_NOTE, literal=strategy)


def _row(
    quantity: str,
    opponent: Strategy,
    seat: int,
    rows: Rows,
    note: str = "",
    *,
    figure: Figure | None = None,
    literal: Strategy = minmax_true,
) -> FigureRow:
    share, *others = (
        win_percentage(strategy, opponent, seat, rows) for strategy in (literal, minmax_false, nim_expert)
    )
    seen = share_in_games(round(share, 1) / 100, _MATCHES)  # 100 matches do not show less than a tenth of a percent
    return figure_row(quantity, figure, seen, *map(Estimate.exact, others), note=note, unit="%")


def _plain(rows: Rows) -> str:
    return f"positions visited without alpha-beta, {len(rows)} rows"


def _pruned(rows: Rows) -> str:
    return f"positions visited with alpha-beta, {len(rows)} rows"


def _depth(rows: Rows) -> str:
    return f"logarithm of the positions with alpha-beta, as a share of that without, {len(rows)} rows"


def _right_values(rows: Rows) -> str:
    return f"positions whose value the search finds, {len(rows)} rows"


_ROUNDING = 1e-9
_COLUMNS: tuple[Column, Column] = ("literal", "described")
_HALF = 55  # percent of the logarithm that count as half of the depth
_CLAIMS = (
    Claim(
        "Minmax never wins against the optimal strategy with 4 rows, and always with 5.",
        (Cell(_V_OPTIMAL_4, "described") <= 0) & (Cell(_V_OPTIMAL_5, "described") >= 100),
        "With max? = FALSE it wins {:.0f}% and {:.0f}%. As printed, with TRUE, it wins {:.0f}% and {:.0f}%.",
        tuple(Cell(quantity, c) for c in ("described", "literal") for quantity in (_V_OPTIMAL_4, _V_OPTIMAL_5)),
    ),
    Claim(
        "The horizon effect is the reason.",
        any_of(*(Cell(_right_values(rows)) < 100 for rows in (REPORT_ROWS, FIVE_ROWS))),
        "The search sees the end of the game and finds the value of {:.0f}% of the positions with 4 rows and {:.0f}%"
        " with 5. 1, 3, 5, 7 has the nim-sum 0 and 1, 3, 5, 7, 9 has the nim-sum 9.",
    ),
    Claim(
        "Alpha-beta makes the search much faster.",
        Cell(_plain(REPORT_ROWS)) > Cell(_pruned(REPORT_ROWS), factor=2),
        "For the first move with 4 rows it visits {:,.0f} positions without and {:,.0f} with alpha-beta. With the right"
        " player at the root it visits {:,.0f} and {:,.0f}: a lost position has no winning move that ends its search.",
        tuple(Cell(q(REPORT_ROWS), column) for column in _COLUMNS for q in (_plain, _pruned)),
    ),
    Claim(
        "Alpha-beta halves the depth of the search.",
        Cell(_depth(REPORT_ROWS)) <= _HALF,
        "With 4 rows the logarithm of the number of positions falls to {:.0f}% of that without alpha-beta, and with 5"
        " rows to {:.0f}%.",
        (Cell(_depth(REPORT_ROWS)), Cell(_depth(FIVE_ROWS))),
    ),
)

SECTION = Section(
    name="B33",
    title="Nim by minmax with alpha-beta",
    game="Nim-v0:heaps=1,3,5,7",
    purpose="Search Nim to its end by minmax with alpha-beta.",
    conclusion=Text(
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
    claims=_CLAIMS,
    agents={
        "B33": strategy_agent(minmax_true),
        "B33:described": strategy_agent(minmax_false),
        "B33:exchanged": strategy_agent(minmax_exchanged),
    },
)
