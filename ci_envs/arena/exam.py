"""Exams: measurements of how agents evaluate and play a fixed set of positions with known values.

The positions of a solved game are drawn with a fixed seed. They contain equal numbers of won, drawn and lost positions
as far as possible. In the won and the drawn positions some legal action loses value. For Quixo on 5 x 5 there are
positions with published values. Tables give an exam with positions that they contain.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Group, RenderableType
from rich.text import Text

from ci_envs.agent_interface.analysis import Analysis
from ci_envs.agent_interface.capabilities import Analyst
from ci_envs.agent_interface.decision import decide_or_fail
from ci_envs.agent_interface.interface import Agent
from ci_envs.agent_interface.making import as_agent
from ci_envs.arena.agent_table import agent_table
from ci_envs.arena.grading import grade
from ci_envs.arena.match import play_match
from ci_envs.arena.proportion import Proportion
from ci_envs.arena.results import Side
from ci_envs.games.game import Game
from ci_envs.games.position import Position
from ci_envs.solver.solution import NO_SCORE, Progress, Solution, keep_value
from ci_envs.solver.solve import solve
from ci_envs.solver.solver import exact_source, solver_of
from ci_envs.validation import exact_integer, integer_between

_DEFAULT_COUNT = 100
_DRAWN_FOR_EACH = 20  # number of drawn positions per position of the exam, because many allow no mistake
_LEAST_CERTAINTY = 1 / 3  # smallest absolute value that counts as a win or loss


@dataclass(frozen=True)
class ExamResult:
    """The result of one agent.

    Attributes:
        values: Positions whose value the agent's analysis predicts correctly. It has no cases if the agent does not
            analyse.
        actions: Positions with possible mistakes in which the agent's action keeps the value. It has no cases if the
            game is not solved.
        conversions: Games that the agent won against the defender from won positions.
        first_fault: Why the agent gave no legal action when this happened first, or an empty text.
    """

    values: Proportion
    actions: Proportion
    conversions: Proportion
    first_fault: str = ""


class Exam:
    """The positions of an exam, with their values.

    Attributes:
        game: The game.
        positions: The positions.
        values: The value of each position for the player to move: +1, 0 or -1.
        solution: The solution of the game, or None if it is not solved.
        tables: The tables that the positions are from, or None.
    """

    def __init__(
        self, game: Game, count: int | None = None, *, tables: str | None = None, progress: Progress | None = None
    ) -> None:
        """Choose the positions.

        Args:
            game: The game.
            count: The number of positions. None means all published positions, or 100 positions of a solved game.
            tables: The name of exact values of the game (:func:`~ci_envs.solver.solver.exact_source`), for example a
                folder with tables. The positions are then drawn from those that they contain.
            progress: A function that is called repeatedly with the number of examined positions and None.

        Raises:
            ValueError: The game is not solved and has fewer published positions, no values are found within the limit
                of the search, or the tables cannot be read.
        """
        self.game, self.tables = game, tables
        published = solver_of(game).published(game) if tables is None else ()
        count = (len(published) or _DEFAULT_COUNT) if count is None else integer_between("positions", count, 1)
        self.solution: Solution | None = None
        if tables is not None:
            self.solution = exact_source(game, tables)
            words = self.solution.sample_positions(_DRAWN_FOR_EACH * count, np.random.default_rng(0))
            self.positions, self.values = _choose_positions(self.solution, words, count, progress)
            return
        if published:
            if count > len(published):
                raise ValueError(f"{game} has only {len(published)} published positions, not {count}")
            published = published[:count]
            self.positions = [Position.from_text(game, text) for text, _ in published]
            self.values = [value for _, value in published]
            return
        try:
            self.solution = solve(game)
        except ValueError as error:
            raise ValueError(f"{game} has no exam: it is not solved, and it has no published positions") from error
        words = solver_of(game).sample_positions(game, _DRAWN_FOR_EACH * count, np.random.default_rng(0), None)
        self.positions, self.values = _choose_positions(self.solution, words, count, progress)

    @property
    def defender(self) -> str:
        """The spec string of the strong agent against which won positions must be won."""
        if self.tables is not None:  # "exact" knows no distances, so it would play lost positions at random
            return f"minimax:depth=6,exact={self.tables}"
        return "minimax:depth=6" if self.solution is None else "exact"

    def take(self, agent: Any, defender: Any, games: int, progress: Progress | None = None) -> ExamResult:
        """Let an agent take the exam.

        Args:
            agent: The agent.
            defender: The agent that plays against it from the won positions.
            games: The number of games from each won position, even and at least 2.
            progress: A function that is called repeatedly with the number of analysed positions and of all positions.

        Raises:
            ValueError: ``games`` is not allowed, or the defender gives no legal action.
        """
        games = even_games(games)
        agent, defender = as_agent(agent, self.game), as_agent(defender, self.game)
        correct = self._correct_values(agent, progress) if isinstance(agent, Analyst) else []
        actions, fault = self._actions(agent)
        sides = [side for value in (1, -1) for side in self._convert(agent, defender, value, games)]
        won, played = sum(side.total.wins for side in sides), sum(side.total.games for side in sides)
        faults = [fault, *(side.first_fault for side in sides)]
        return ExamResult(
            Proportion(sum(correct), len(correct)), actions, Proportion(won, played), next(filter(None, faults), "")
        )

    def _correct_values(self, agent: Analyst, progress: Progress | None) -> list[bool]:
        """Return for each position whether the agent's analysis predicts its value correctly."""
        right = []
        for position, value in zip(self.positions, self.values, strict=True):
            right.append(_verdict(agent.analyse(position)) == value)
            if progress:
                progress(len(right), len(self.positions))
        return right

    def _actions(self, agent: Agent) -> tuple[Proportion, str]:
        """Return the actions that keep the value, and the reason of the first fault, or an empty text."""
        if self.solution is None:
            return Proportion(), ""
        words = _words(self.positions)
        decided = decide_or_fail(agent, words)
        tally = grade(self.solution.grading_scores(words), decided.actions).critical
        return Proportion(tally.keeping, tally.decisions), next(iter(decided.faults.values()), "")

    def _convert(self, agent: Agent, defender: Agent, value: int, games: int) -> Iterator[Side]:
        """Yield the results of the agent from the winner's side of positions with one value, if there are any."""
        starts = [position for position, known in zip(self.positions, self.values, strict=True) if known == value]
        if not starts:
            return
        pair, own = ((agent, defender), 0) if value == 1 else ((defender, agent), 1)
        number, openings = games * len(starts), _words(starts)
        match = play_match(self.game, *pair, number, openings=openings, swap_seats=False, count_faults=True)
        if fault := match.sides[1 - own].first_fault:
            raise ValueError(f"the defender fails: {fault}")
        yield match.sides[own]


def even_games(games: int) -> int:
    """Return a number of games as a Python integer, or raise a ValueError if it is not an even number from 2."""
    number = exact_integer(games) or 0
    if number < 2 or number % 2:
        raise ValueError(f"games must be an even number from 2, not {games!r}")
    return number


def exam_table(title: str, exam: Exam, defender: str, results: Sequence[tuple[str, ExamResult]]) -> RenderableType:
    """Return the results of labelled agents as a table, with notes on the columns."""
    shares = [(result.values, result.actions, result.conversions) for _, result in results]
    columns = []
    for column, cells in zip(("Value", "Keeps", "Won"), zip(*shares, strict=True), strict=True):
        most = max(share.cases for share in cells)  # the number of cases is the same for all agents that have them
        columns.append(f"{column}, of {most:,}" if most else column)
    table = agent_table(title, columns)
    for (label, _), cells in zip(results, shares, strict=True):
        table.add_row(Text(label), *(share.text() for share in cells))
    wins, draws, losses = (exam.values.count(value) for value in (1, 0, -1))
    notes = (
        f"{len(exam.values)} positions: {wins} won, {draws} drawn and {losses} lost for the player to move.",
        "Value: positions whose value the analysis predicts correctly; a dash if the agent does not analyse.",
        "Keeps: actions that keep the value, in positions with possible mistakes; a dash if the game is not solved.",
        f"Won: games won against {defender}, from the side that can win. Brackets: 95% intervals (Wilson).",
    )
    faults = (
        f"{label} fails in some positions, the first time with: {result.first_fault}"
        for label, result in results
        if result.first_fault
    )
    return Group(table, *map(Text, (*notes, *faults)))


def exam_rows(results: Sequence[tuple[str, ExamResult]]) -> list[dict[str, Any]]:
    """Return the results as plain data."""
    names = "values", "actions", "conversions"
    return [
        {
            "agent": label,
            **{name: getattr(result, name).data() for name in names},
            "first_fault": result.first_fault,
        }
        for label, result in results
    ]


def _choose_positions(
    solution: Solution, words: NDArray[np.uint64], count: int, progress: Progress | None
) -> tuple[list[Position], list[int]]:
    """Choose some of the positions, with equal numbers of each value as far as possible, in the order drawn.

    Args:
        solution: The solution of the game.
        words: The positions, rows (own, opp).
        count: The number of positions to choose.
        progress: A function that is called repeatedly with the number of examined positions and None.

    Returns:
        The positions and their values.

    Raises:
        ValueError: The solution finds the value of no position within its limit.
    """
    words = words[np.sort(np.unique(words, axis=0, return_index=True)[1])]
    found: dict[int, list[Position]] = {1: [], 0: [], -1: []}
    is_any_known = False
    for number, row in enumerate(words):
        if progress:
            progress(number, None)
        scores = solution.grading_scores(row[np.newaxis])[0]
        value = int(np.sign(scores.max()))
        is_any_known |= bool(scores.max() != NO_SCORE)
        if scores.max() != NO_SCORE and (value < 0 or (~keep_value(scores) & (scores != NO_SCORE)).any()):
            found[value].append(Position(solution.game, *row.tolist()))
            if min(map(len, found.values())) > count // 3:
                break
    if not any(found.values()):
        if is_any_known:
            raise ValueError(f"{solution.game} has no exam: no action of {len(words):,} positions is a mistake")
        raise ValueError(
            f"{solution.game} has no exam: of {len(words):,} positions of random play, no value was found within the"
            " limit of the search"
        )
    interleaved = [
        (positions[i], value) for i in range(count) for value, positions in found.items() if i < len(positions)
    ]
    positions, values = zip(*interleaved[:count], strict=True)
    return list(positions), list(values)


def _verdict(analysis: Analysis) -> int:
    """Return the result that an analysis predicts, +1, 0 or -1 for the player to move."""
    if analysis.proven is not None:
        return analysis.proven
    return int(np.sign(analysis.value)) if abs(analysis.value) >= _LEAST_CERTAINTY else 0


def _words(positions: Sequence[Position]) -> NDArray[np.uint64]:
    return np.array([[position.own, position.opp] for position in positions], dtype=np.uint64)
