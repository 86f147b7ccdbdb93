"""How often agents find the right action, against the exact solution of a game."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from ci_envs.agent import Agent
from ci_envs.arena.match import BATCH_SIZE, check_plays, decide, observations_of
from ci_envs.arena.ratings import wilson_interval
from ci_envs.games.game import Game
from ci_envs.games.operations import LOSS
from ci_envs.solver.solution import NO_SCORE, Progress, Solution, keep_value


@dataclass(frozen=True)
class Tally:
    """How good some decisions were.

    Attributes:
        positions: how many there were to decide.
        keeping: decisions that kept the value of the position.
        fastest: decisions that were among the best, distance counted; None where the distances are unknown.
        points: lost by all decisions together; a win is worth 1, a draw 1/2.
    """

    positions: int
    keeping: int
    fastest: int | None
    points: float


@dataclass(frozen=True)
class Accuracy:
    """How good the decisions of an agent were.

    Attributes:
        everywhere: in all positions.
        critical: in those where a mistake is possible: some legal action does not keep the value.
        illegal: illegal actions among the decisions, each counted as a loss.
    """

    everywhere: Tally
    critical: Tally
    illegal: int


def measure_accuracy(
    game: Game, agent: Agent, words: NDArray[np.uint64], solution: Solution, *, progress: Progress | None = None
) -> Accuracy:
    """Let ``agent`` decide in each of some positions, and judge its actions by the exact solution.

    Args:
        game: the game.
        agent: made for this game.
        words: the positions, rows (own, opp), none of which is over.
        solution: of this game, covering what follows the positions.
        progress: see :data:`~ci_envs.solver.solution.Progress`; here it counts positions.

    Raises:
        ValueError: ``agent`` or ``solution`` is of another game.
    """
    check_plays(agent, game)
    if solution.game != game:
        raise ValueError(f"this is a solution of {solution.game}, not of {game}")
    chosen, best = np.empty((2, len(words)), dtype=np.int16)
    critical = np.empty(len(words), dtype=np.bool_)
    for begin in range(0, len(words), BATCH_SIZE):
        rows = slice(begin, begin + BATCH_SIZE)
        scores = solution.action_scores(words[rows])
        best[rows] = scores.max(axis=1)
        chosen[rows] = _scores_of(decide(agent, observations_of(game, words[rows])), scores)
        critical[rows] = ((scores != NO_SCORE) & ~keep_value(scores)).any(axis=1)
        if progress:
            progress(begin + len(scores), len(words))
    return Accuracy(
        everywhere=_tally(chosen, best),
        critical=_tally(chosen[critical], best[critical]),
        illegal=int(np.count_nonzero(chosen == NO_SCORE)),
    )


def accuracy_table(title: str, accuracies: Sequence[tuple[str, Accuracy]]) -> RenderableType:
    """The accuracies of labelled agents as a table, and what the reader has to know to trust it."""
    table = Table(title=Text(title), title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    table.add_column("Agent", overflow="fold")
    for column in ("Keeps %", "95% interval", "Best %", "95% interval", "Lost"):
        table.add_column(column, justify="right", no_wrap=True)
    for label, accuracy in accuracies:
        table.add_row(Text(label), *_cells(accuracy.everywhere))
        table.add_row("  critical", *_cells(accuracy.critical), end_section=True)
    return Group(table, *map(Text, _notes(accuracies)))


def _scores_of(actions: NDArray[np.int64], scores: NDArray[np.int16]) -> NDArray[np.int16]:
    """The score of each row's action, ``NO_SCORE`` where it is illegal or there is no such action."""
    count = scores.shape[1]
    exist = (actions >= 0) & (actions < count)
    return np.where(exist, scores[np.arange(len(scores)), actions.clip(0, count - 1)], np.int16(NO_SCORE))


def _tally(chosen: NDArray[np.int16], best: NDArray[np.int16]) -> Tally:
    legal = chosen != NO_SCORE
    value, best_value = np.where(legal, np.sign(chosen), LOSS), np.sign(best)
    distances_known = not (np.abs(best) == 1).any()
    return Tally(
        positions=len(chosen),
        keeping=int(np.count_nonzero(legal & (value == best_value))),
        fastest=int(np.count_nonzero(chosen == best)) if distances_known else None,
        points=float((best_value - value).sum()) / 2,
    )


def _cells(tally: Tally) -> list[str]:
    lost = f"{tally.points / tally.positions:.4f}" if tally.positions else "-"
    return [*_share_cells(tally.keeping, tally.positions), *_share_cells(tally.fastest, tally.positions), lost]


def _share_cells(count: int | None, positions: int) -> list[str]:
    if count is None or not positions:
        return ["-", "-"]
    low, high = wilson_interval(count, positions)
    return [f"{100 * count / positions:.2f}", f"{100 * low:.2f} to {100 * high:.2f}"]


def _notes(accuracies: Sequence[tuple[str, Accuracy]]) -> list[str]:
    everywhere, critical = accuracies[0][1].everywhere, accuracies[0][1].critical
    notes = [
        f"{everywhere.positions:,} positions drawn uniformly from all that play can reach.",
        f"critical: only the {critical.positions:,} of them where a mistake is possible.",
        "Keeps: actions that keep the value. Best: that also win soonest or lose latest.",
        "Lost: points a move, where a win is 1 and a draw 1/2. Intervals: Wilson.",
    ]
    return notes + [
        f"{label}: {accuracy.illegal:,} illegal actions, counted as losses."
        for label, accuracy in accuracies
        if accuracy.illegal
    ]
