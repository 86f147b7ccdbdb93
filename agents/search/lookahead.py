"""Look-ahead of a few plies before a policy chooses: it finds forced results, and knows nothing else of a position."""

from functools import partial
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from ci_envs.agents.search.evaluators import ZeroEvaluator
from ci_envs.agents.search.negamax import Negamax, begin_search, new_table, new_work, search_actions
from ci_envs.games.game import Game
from ci_envs.games.operations import action_count
from ci_envs.kernels.compiler import Monomorphic, kernel
from ci_envs.kernels.work_memory import WorkMemory
from ci_envs.registry.options import Option, Untrusted

MAX_LOOKAHEAD = 8
"""The largest number of plies of the option ``lookahead``."""

LookaheadOption = Annotated[
    int | None,
    Option(
        "plies within which a search finds forced results; the network then chooses among the best actions; 2 wins at "
        "once, and prevents immediate wins of the opponent; 0 plays by the network alone; none is the setting of the "
        "file",
        ge=0,
        le=MAX_LOOKAHEAD,
        untrusted=Untrusted(most=4),
    ),
]
"""The option ``lookahead`` of an agent whose file has a setting of it."""


class Lookahead:
    """A search for forced results within a number of plies.

    With two plies it finds the actions that win at once, and those that let the opponent win at once.
    """

    def __init__(self, game: Game, plies: int) -> None:
        """Prepare the search.

        Args:
            game: the game.
            plies: the depth of the search, 1 to 64, including the action itself.
        """
        self.game, self.plies = game, plies
        self._searches: WorkMemory[Negamax] = WorkMemory()
        self._mark = Monomorphic(_mark_batch)

    def best_actions(self, words: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Return the actions whose results within the plies are best, bool of shape (n, actions).

        These are the actions that win fastest. If no action forces a win, they are the actions that do not lose within
        the plies, and if all actions lose, those that lose as slowly as possible.

        Args:
            words: positions that are not over, rows (own, opp), uint64 of shape (n, 2).
        """
        best = np.empty((len(words), self.game.action_count), np.bool_)
        with self._searches.use(partial(new_lookahead, self.game)) as search:
            self._mark(search, np.ascontiguousarray(words), self.plies, best)
        return best


def new_lookahead(game: Game) -> Negamax:
    """Return the search of :func:`mark_best_actions`. Each thread needs its own."""
    return Negamax(game, ZeroEvaluator(), True, False, new_table(0), new_work(game))


@kernel
def mark_best_actions(search: Any, own: Any, opp: Any, plies: Any, best: Any) -> None:
    """Mark the actions whose results within ``plies`` are best (:meth:`Lookahead.best_actions`).

    Args:
        search: the search of :func:`new_lookahead`.
        own: first word of the position, which must not be over.
        opp: second word of the position.
        plies: the depth of the search, 1 to 64, including the action itself.
        best: bool array of shape (actions,), written.
    """
    values = np.empty(action_count(search.game), dtype=np.int64)
    begin_search(search.table, search.work)
    search_actions(search, own, opp, plies, -1, False, values)  # bounds of worse actions are smaller
    best[:] = values == values.max()


@kernel
def _mark_batch(search: Any, words: Any, plies: Any, best: Any) -> None:
    for i in range(len(words)):
        mark_best_actions(search, words[i, 0], words[i, 1], plies, best[i])
