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
from itertools import product
from math import log, prod
from pathlib import Path
from tempfile import TemporaryDirectory

from ci_envs.agent_interface.making import make_agent
from ci_envs.games.nim import Nim
from ci_envs.reports.matches import SEATS
from ci_envs.reports.nim_agent import strategy_agent
from ci_envs.reports.nim_strategies import (
    FIVE_ROWS,
    REPORT_ROWS,
    Chances,
    Rows,
    Strategy,
    after,
    moves_of,
    nim_optimal,
    nim_sum,
    row_random,
)
from ci_envs.reports.report_b.nim_reviews import (
    ChanceOfWin,
    Memory,
    bounded_rule,
    decision_tree,
    expected_visits,
    minmax_move,
    read_memory,
    search_with_rollouts,
    write_memory,
)
from ci_envs.reports.report_b.nim_shares import add_shares
from ci_envs.reports.section_run import SectionRun, section

_BOUND = 3  # of the decision tree
_PLIES, _SEARCH = 2, "mcts:simulations=100,proofs=false"
_ROUNDING = 1e-9
_OPPONENTS = {"optimal": nim_optimal, "row-random": row_random}
_BOARDS: dict[str, Rows] = {"3 rows": (1, 3, 5), "4 rows": REPORT_ROWS, "5 rows": FIVE_ROWS}


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


def _add(run: SectionRun, versus: str, board: str, seat: int, name: str = "", literal: Strategy = minmax_true) -> None:
    """Add the row of the games against an opponent on a board."""
    quantity = f"v {versus}, {board}, moving {SEATS[seat]}, {name}wins"
    strategies, rows = (literal, minmax_false), _BOARDS[board]
    add_shares(run, quantity, strategies, _OPPONENTS[versus], seat, rows=rows, decimals=1)


def _measure_matches(run: SectionRun) -> None:
    """Add the rows on the games against the optimal and the random opponent, and on another student's strategies."""
    for board, seat in product(("4 rows", "5 rows"), (0, 1)):
        _add(run, "optimal", board, seat)
    for board, seat in (("3 rows", 0), ("4 rows", 0), ("4 rows", 1)):
        _add(run, "row-random", board, seat)
    for seat in (0, 1):
        for versus, board in (("optimal", "4 rows"), ("optimal", "5 rows"), ("row-random", "4 rows")):
            _add(run, versus, board, seat, "end values exchanged, ", minmax_exchanged)
    quantity = "v random, minimax with memory (a review), wins"
    add_shares(run, quantity, (minmax_false, minmax_false), row_random, decimals=1)
    quantity, best = "v random, a decision tree that respects k (a review), wins", bounded_rule("expert", _BOUND)
    add_shares(run, quantity, (decision_tree(_BOUND), best), bounded_rule("row_random", _BOUND), ours=best)


def _measure_effort(run: SectionRun) -> None:
    """Add the rows on the positions that minmax visits for its first move, and on the values that it finds."""
    chance = minmax_chance()
    for board in ("4 rows", "5 rows"):
        rows = _BOARDS[board]
        # TRUE and FALSE at the root: as printed, and as described
        pruned, plain = (
            [expected_visits(rows, root, chance, prunes=prunes) for root in (True, False)] for prunes in (True, False)
        )
        run.add(f"positions visited without alpha-beta, {board}", *plain)
        run.add(f"positions visited with alpha-beta, {board}", *pruned)
        shares = (100 * log(few) / log(many) for few, many in zip(pruned, plain, strict=True))
        run.add(f"logarithm of the positions with alpha-beta, as a share of that without, {board}", *shares)
        run.add(f"positions whose value the search finds, {board}", _share_of_right_values(rows, chance))
        memory: Memory = {}
        minmax_move(rows, memory)
        with TemporaryDirectory() as folder:
            file = Path(folder) / "values.json"
            write_memory(file, memory)
            kept = read_memory(file)
        minmax_move(rows, kept)
        evaluated = len(memory), len(kept) - len(memory)
        run.add(f"positions visited with a memory (a review), {board}", pruned[1], *evaluated)


def _share_of_right_values(rows: Rows, chance: ChanceOfWin) -> float:
    """Return the percentage of positions of which minmax, with the mover to maximise, finds the exact value."""
    positions = list(product(*(range(size + 1) for size in rows)))
    right = (abs(chance(one, True) - (nim_sum(one) != 0)) < _ROUNDING for one in positions)
    return 100 * sum(right) / len(positions)


def _measure_search(run: SectionRun) -> None:
    """Add the rows on a search of few plies with Monte Carlo tree search at its end."""
    game = Nim(REPORT_ROWS)
    strategy = search_with_rollouts(game, _PLIES, make_agent(_SEARCH, game, seed=run.seed))
    for versus, seat in (("row-random", 0), ("optimal", 1)):
        _add(run, versus, "4 rows", seat, f"{_PLIES} plies, then MCTS, ", strategy)


SECTION = section(
    __file__,
    _measure_matches,
    _measure_effort,
    _measure_search,
    agents={
        "B33": strategy_agent(minmax_true),
        "B33:described": strategy_agent(minmax_false),
        "B33:exchanged": strategy_agent(minmax_exchanged),
    },
)
