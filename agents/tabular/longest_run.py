"""The longest contiguous run of stones on a board, by which report D shapes the rewards of Quixo."""

from typing import Any

import numpy as np

from ci_envs.games import Game, GridGame, bits, implements
from ci_envs.games.grid import line_steps
from ci_envs.kernels.dispatch import is_overridden, operation

_WEIGHT = 0.25  # of the size of the board


@operation
def longest_run(game: Any, stones: Any) -> Any:
    """``-> int``: the length of the longest contiguous run of ``stones`` within one line of the board.

    Only lines that decide the game count: in Quixo the rows, the columns and the two long diagonals.
    """


@operation
def run_reward(game: Any, own: Any, opp: Any, next_own: Any, next_opp: Any) -> Any:
    """``-> float``: report D's reward for what happened to the longest runs between two positions of a player.

    A quarter of the board's size for a longer own run and for a shorter run of the opponent, whatever the difference,
    and as much less for a shorter own run and for a longer one of the opponent. The two add up.
    """


def has_runs(game: Game) -> bool:
    """Return whether :func:`longest_run` is defined for a game."""
    return is_overridden(longest_run, type(game), Game)


@implements(longest_run, Game)
def _(game: Game) -> Any:
    return lambda game, stones: 0


@implements(run_reward, Game)
def _(game: Game) -> Any:
    return lambda game, own, opp, next_own, next_opp: 0.0


@implements(longest_run, GridGame)
def _(game: GridGame) -> Any:
    steps_and_starts = list(zip(*(array.tolist() for array in line_steps(*game.shape)), strict=True))
    cells = range(game.shape[2])
    masks = [sum(1 << start + k * step for k in cells) for step, starts in steps_and_starts for start in bits(starts)]
    steps = [step for step, starts in steps_and_starts for _ in bits(starts)]
    lines = np.array([masks, steps], dtype=np.uint64).T.copy()

    def kernel(game: Any, stones: Any) -> Any:
        longest = 0
        for line in range(len(lines)):
            run, ends = 0, stones & lines[line, 0]
            while ends != np.uint64(0):
                run += 1
                ends &= ends >> lines[line, 1]
            longest = max(longest, run)
        return longest

    return kernel


@implements(run_reward, GridGame)
def _(game: GridGame) -> Any:
    weight = _WEIGHT * game.shape[0]

    def kernel(game: Any, own: Any, opp: Any, next_own: Any, next_opp: Any) -> Any:
        lead = np.sign(longest_run(game, next_own) - longest_run(game, own))
        lead -= np.sign(longest_run(game, next_opp) - longest_run(game, opp))
        return weight * lead

    return kernel
