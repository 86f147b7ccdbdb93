"""The review of a game: the winning chances, the moves and the mistakes."""

import asyncio
import html
from collections.abc import Callable, Sequence
from itertools import takewhile
from time import monotonic

from nicegui import ui
from nicegui.events import GenericEventArguments

from ci_envs.games.position import Position
from ci_envs.web.chances_chart import ChancesChart
from ci_envs.web.evaluation import EVALUATOR, Evaluation, PositionEvaluator, backed_up
from ci_envs.web.line import Line
from ci_envs.web.mistakes import mistake
from ci_envs.web.players import plies_text
from ci_envs.web.text_element import text_element
from ci_envs.web.user_errors import USER_ERRORS
from ci_envs.web.winning_chances import chances_bar, chances_text

_PAUSE = 0.25  # seconds between two updates of the graph during the evaluation
_ON_CLICK = "(e) => { const b = e.target.closest('[data-ply]'); if (b) emit(+b.dataset.ply); }"


class Review:
    """The graph of winning chances, the moves and the mistakes of a game."""

    def __init__(self, evaluator: PositionEvaluator, on_go: Callable[[int], None]) -> None:
        """Make the panel in the current element.

        Args:
            evaluator: The evaluator of positions.
            on_go: Called with the number of moves of the game before the position to show.
        """
        self._evaluator = evaluator
        self._on_go = on_go
        self._line: Line | None = None
        self._task: asyncio.Task[None] | None = None
        self._found: list[Evaluation] = []
        text_element("h2", "Winning chances").classes("panel-title")
        self._bar = ui.html(sanitize=False).classes("w-full")
        self._chances = ui.label().classes("analysis-text")
        self._chart = ChancesChart(on_go)
        self._source = ui.label().classes("note")
        text_element("h2", "Moves").classes("panel-title")
        self._moves = ui.html(sanitize=False, tag="ol").classes("moves").on("click", self._click, js_handler=_ON_CLICK)
        self._variation = ui.html(sanitize=False, tag="p").classes("variation")
        text_element("h2", "Mistakes").classes("panel-title")
        self._mistakes = ui.html(sanitize=False, tag="ul").classes("mistakes")
        self._mistakes.on("click", self._click, js_handler=_ON_CLICK)
        self._conclusion = ui.label().classes("note").props("aria-live=polite")

    def show(self, line: Line) -> None:
        """Show a line, and evaluate the positions of its game that have no evaluation yet."""
        before = self._line
        self._line = line
        if before is None or before.hosted.positions != line.hosted.positions:
            self.stop()
            known = () if before is None else before.hosted.positions
            same = takewhile(lambda pair: pair[0] == pair[1], zip(known, line.hosted.positions, strict=False))
            self._found = self._found[: len(list(same))]
            self._task = asyncio.create_task(self._evaluate(line))
        self._draw()

    def show_chances(self, position: Position, evaluation: Evaluation | None) -> None:
        """Show the winning chances of the position on the board, unless the review has its evaluation.

        Args:
            position: The position on the board.
            evaluation: The evaluation of the position, or None if it is unknown.
        """
        line = self._line
        if line is None or (line.variation and line.ply > line.base) or line.ply >= len(self._found):
            self._show_chances(position, evaluation)

    def _show_chances(self, position: Position, evaluation: Evaluation | None) -> None:
        self._bar.set_content("" if evaluation is None else chances_bar(evaluation.chance, position))
        self._chances.set_text("" if evaluation is None else chances_text(evaluation, position))

    def stop(self) -> None:
        """Stop the evaluation."""
        if self._task is not None:
            self._task.cancel()

    async def _evaluate(self, line: Line) -> None:
        drawn = 0.0
        for position in line.hosted.positions[len(self._found) :]:
            try:
                self._found.append(await self._evaluator.evaluate(line.hosted.record.environment, position))
            except USER_ERRORS:  # no agent evaluates this game, or the server is busy: the graph ends here
                break
            if monotonic() - drawn >= _PAUSE:
                self._draw()
                drawn = monotonic()
        self._draw()

    def _click(self, event: GenericEventArguments) -> None:
        self._on_go(int(event.args))

    def _draw(self) -> None:
        assert self._line is not None
        line, game = self._line, self._line.hosted.game
        names = [
            f"{game.player_name(position.to_move)} {position.action_name(action)}"
            for position, action in zip(line.hosted.positions, line.hosted.record.actions, strict=False)
        ]
        found = backed_up(line.hosted.positions, self._found)
        wrong = mistakes_of(line, found)
        shown = None if line.variation and line.ply > line.base else line.ply
        self._moves.set_content("".join(_item(ply, name, ply in wrong, shown) for ply, name in enumerate(names, 1)))
        self._variation.set_content(_variation(line))
        texts = {ply: f"Move {ply} ({names[ply - 1]}): {text}" for ply, text in wrong.items()}
        self._mistakes.set_content("".join(f"<li>{_move_button(ply, text)}</li>" for ply, text in texts.items()))
        self._source.set_text(source_text(self._found))
        complete = len(self._found) == len(line.hosted.positions)
        self._conclusion.set_text("" if wrong or not names else "No mistakes found." if complete else "Analysing...")
        chances = [each.chance for each in found]
        self._chart.show(game.player_name(0), chances, len(line.hosted.positions), shown)
        if shown is not None and shown < len(found):
            self._show_chances(line.position, found[shown])


def mistakes_of(line: Line, found: list[Evaluation]) -> dict[int, str]:
    """Return the mistakes in the game of a line, by the number of the move, from 1.

    Args:
        line: The line.
        found: The evaluations of the first positions of the game.
    """
    wrong: dict[int, str] = {}
    pairs = zip(line.hosted.positions, line.hosted.record.actions, found, found[1:], strict=False)
    for ply, (position, action, before, after) in enumerate(pairs, start=1):
        text = mistake(position, action, before, after)
        if text is not None:
            wrong[ply] = text
    return wrong


def source_text(found: list[Evaluation]) -> str:
    """Return the source of the winning chances of a game as text.

    Args:
        found: The evaluations of the positions of the game in order.
    """
    solved = [ply for ply, each in enumerate(found) if each.scores]
    if all(each.exact for each in found):
        return "Exact values: 100% is a win, 50% a draw, 0% a loss." if found else ""
    if not solved:
        return f"Estimated by {EVALUATOR}."
    return f"Exact values after moves {_ranges(solved)}; otherwise estimated by {EVALUATOR}."


def _ranges(numbers: Sequence[int]) -> str:
    """Return ascending numbers as ranges: ``0 to 4, 7``."""
    groups: list[list[int]] = []
    for number in numbers:
        if groups and number == groups[-1][-1] + 1:
            groups[-1].append(number)
        else:
            groups.append([number])
    return ", ".join(str(group[0]) if len(group) == 1 else f"{group[0]} to {group[-1]}" for group in groups)


def _item(ply: int, name: str, wrong: bool, shown: int | None) -> str:
    mark = '<span class="mistake" aria-label="mistake">?</span>' if wrong else ""
    return f"<li>{_move_button(ply, name, ply == shown)}{mark}</li>"


def _move_button(ply: int, text: str, current: bool = False) -> str:
    marked = ' aria-current="true"' if current else ""
    return f'<button type="button" data-ply="{ply}"{marked}>{html.escape(text)}</button>'


def _variation(line: Line) -> str:
    if not line.variation:
        return ""
    positions = line.positions[line.base :]
    moves = " ".join(position.action_name(action) for position, action in zip(positions, line.variation, strict=False))
    return f"Variation after {plies_text(line.base)}: {html.escape(moves)}"
