"""The accuracy of agents: how often they find the correct action, by the exact solution of a game."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Group, RenderableType
from rich.text import Text

from ci_envs.agent_interface.decision import decide_or_fail
from ci_envs.agent_interface.making import as_agent
from ci_envs.arena.agent_table import counted_as_losses
from ci_envs.arena.graded_table import SHARE_NOTES, graded_table
from ci_envs.arena.grading import Accuracy, Tally, grade
from ci_envs.arena.match import BATCH_SIZE
from ci_envs.games.batch import checked_words
from ci_envs.games.game import Game
from ci_envs.solver.solution import Progress, Solution


def measure_accuracy(
    game: Game, agent: Any, words: NDArray[np.uint64], solution: Solution, *, progress: Progress | None = None
) -> Accuracy:
    """Let ``agent`` choose an action in each of some positions, and grade the actions by the exact solution.

    Args:
        game: the game.
        agent: an agent for this game, or an object that :func:`~ci_envs.agent_interface.making.as_agent` accepts.
        words: non-terminal positions, rows (own, opp), uint64 of shape (n, 2).
        solution: a solution of this game that covers the successors of the positions.
        progress: see :data:`~ci_envs.solver.solution.Progress`. It counts positions.

    Raises:
        ValueError: ``agent`` or ``solution`` is of another game, or ``words`` is another array.
    """
    [accuracy] = measure_accuracies(game, [agent], words, solution, progress=progress)
    return accuracy


def measure_accuracies(
    game: Game,
    agents: Sequence[Any],
    words: NDArray[np.uint64],
    solution: Solution,
    *,
    progress: Progress | None = None,
) -> list[Accuracy]:
    """Measure the accuracy of several agents on the same positions. Each position is solved once.

    The arguments are those of :func:`measure_accuracy`. ``progress`` counts the decisions of all agents.

    Raises:
        ValueError: an agent or ``solution`` is of another game, or ``words`` is another array.
    """
    agents = [as_agent(agent, game) for agent in agents]
    if solution.game != game:
        raise ValueError(f"this solution is for {solution.game}, not for {game}")
    words, accuracies = checked_words("words", words), [Accuracy()] * len(agents)
    for begin in range(0, len(words), BATCH_SIZE):
        rows = words[begin : begin + BATCH_SIZE]
        scores = solution.grading_scores(rows)
        for index, agent in enumerate(agents):
            decided = decide_or_fail(agent, rows)
            accuracies[index] += replace(grade(scores, decided.actions), first_fault=decided.first_fault)
            if progress:
                progress(begin * len(agents) + len(rows) * (index + 1), len(words) * len(agents))
    return accuracies


def accuracy_rows(accuracies: Sequence[tuple[str, Accuracy]]) -> list[dict[str, Any]]:
    """Return the accuracies of labelled agents as plain data. Shares are from 0 to 1, or None if unknown."""
    return [
        {
            "agent": label,
            "everywhere": _tally_columns(accuracy.everywhere),
            "critical": _tally_columns(accuracy.critical),
            "illegal": accuracy.illegal,
            "unknown": accuracy.unknown,
            "first_fault": accuracy.first_fault,
        }
        for label, accuracy in accuracies
    ]


def accuracy_table(title: str, accuracies: Sequence[tuple[str, Accuracy]], sampling_method: str) -> RenderableType:
    """Return the accuracies of labelled agents as a table, with notes on how they were measured.

    Args:
        title: The title of the table.
        accuracies: The accuracies with their labels.
        sampling_method: The text of :meth:`ci_envs.solver.solver.Solver.sampling_method`.
    """
    rows = [
        (label, accuracy, (_lost_text(accuracy.everywhere), _lost_text(accuracy.critical)))
        for label, accuracy in accuracies
    ]
    return Group(graded_table(title, rows, "Lost"), *map(Text, _notes(accuracies, sampling_method)))


def _tally_columns(tally: Tally) -> dict[str, float | None]:
    return {
        "positions": tally.decisions,
        **tally.keeps.columns("keeps"),
        **tally.best.columns("best"),
        "points_lost": _points_lost(tally),
    }


def _points_lost(tally: Tally) -> float | None:
    return tally.points / tally.decisions if tally.decisions else None


def _lost_text(tally: Tally) -> str:
    lost = _points_lost(tally)
    return "-" if lost is None else f"{lost:.4f}"


def _notes(accuracies: Sequence[tuple[str, Accuracy]], sampling_method: str) -> list[str]:
    first = accuracies[0][1]
    notes = [
        f"{first.everywhere.decisions:,} positions {sampling_method}.",
        *(
            [f"The values of {first.unknown:,} more were not found within the limit of the search."]
            if first.unknown
            else []
        ),
        *SHARE_NOTES,
        "Lost: points per move; a win has 1 point and a draw 1/2.",
    ]
    return notes + [
        f"{label}: {accuracy.illegal:,} illegal actions, {counted_as_losses(accuracy.first_fault)}"
        for label, accuracy in accuracies
        if accuracy.illegal
    ]
