"""The review of a game: the winning chances, the moves and the mistakes."""

import asyncio
from collections.abc import Callable, Collection, Coroutine, Sequence
from itertools import takewhile
from time import monotonic

from nicegui import ui
from nicegui.events import GenericEventArguments

from ci_envs.games.position import Position
from ci_envs.web.chances_chart import ChancesChart
from ci_envs.web.evaluation import EVALUATOR, Evaluation, PositionEvaluator, combined
from ci_envs.web.line import Line
from ci_envs.web.mistakes import Mistake, mistake, tried_mistake
from ci_envs.web.move_list import ON_CLICK, MoveList, line_text, move_button
from ci_envs.web.players import move_text, people_among
from ci_envs.web.practice import Practice
from ci_envs.web.text_element import text_element
from ci_envs.web.user_errors import USER_ERRORS
from ci_envs.web.winning_chances import chances_bar, chances_text

_PAUSE = 0.25  # seconds between two updates of the graph during the evaluation


class Review:
    """The graph of winning chances and the mistakes of a game, with marks in the list of moves."""

    def __init__(
        self,
        evaluator: PositionEvaluator,
        moves: MoveList,
        on_go: Callable[[int], None],
        on_best: Callable[[int], None],
    ) -> None:
        """Make the panel in the current element.

        Args:
            evaluator: The evaluator of positions.
            moves: The list of moves.
            on_go: Called with the number of moves of the game before the position to show.
            on_best: Called with the best action in the position that is shown.
        """
        self._evaluator, self._moves = evaluator, moves
        self._on_go = on_go
        self._on_best = on_best
        self._held: Collection[int] = ()
        self._asked: asyncio.Task[None] | None = None
        self._live: Evaluation | None = None
        self._last: tuple[Position, Evaluation | None] | None = None
        self._line: Line | None = None
        self._task: asyncio.Task[None] | None = None
        self._found: list[Evaluation] = []
        self._off = ui.label("Chances, mistakes and hints appear after the game between people.").classes("note")
        with ui.element("div").classes("full-width") as self._graph:
            text_element("h2", "Winning chances").classes("panel-title")
            self._bar = ui.html(sanitize=False).classes("full-width")
            self._chances = ui.label().classes("analysis-text")
            self._chart = ChancesChart(on_go)
            self._source = ui.label().classes("note")
        with ui.element("div").classes("full-width") as self._wrong:
            text_element("h2", "Mistakes").classes("panel-title")
            self._mistakes = ui.html(sanitize=False, tag="ul").classes("mistakes")
            self._mistakes.on("click", self._click_mistake, js_handler=ON_CLICK)
            self._best = ui.label().classes("analysis-text line").props("aria-live=polite")
            self._conclusion = ui.label().classes("note").props("aria-live=polite")
            self._practice = Practice(on_go)

    def show(self, line: Line, held: Collection[int]) -> None:
        """Show a line. If its game is not in progress between people, evaluate the positions of the game.

        Args:
            line: The line.
            held: The players whose seats the user has.
        """
        before, self._line, self._held = self._line, line, held
        assisted = not line.hosted.is_between_people
        self._off.set_visibility(not assisted)
        self._graph.set_visibility(assisted)
        self._wrong.set_visibility(assisted)
        if before is None or before.position != line.position:
            self._best.set_text("")
        if not assisted:
            self.stop()
            self._found = []
        elif before is None or before.hosted.is_between_people or before.hosted.positions != line.hosted.positions:
            self.stop()
            known = () if before is None else before.hosted.positions
            same = takewhile(lambda pair: pair[0] == pair[1], zip(known, line.hosted.positions, strict=False))
            self._found = self._found[: len(list(same))]
            self._task = asyncio.create_task(self._evaluate(line))
        self._draw()
        if self._practice.tried(line):
            self._ask(self._grade_try(line))

    def show_chances(self, position: Position, evaluation: Evaluation | None) -> None:
        """Show the winning chances of the position on the board, unless the review has its evaluation.

        Args:
            position: The position on the board.
            evaluation: The evaluation of the position, or None if it is unknown.
        """
        line = self._line
        if line is None or (line.variation and line.ply > line.base) or line.ply >= len(self._found):
            self._show_chances(position, evaluation)

    def show_live(self, evaluation: Evaluation | None) -> None:
        """Show the estimate of a live analysis in place of the estimate of the position on the board.

        Args:
            evaluation: The estimate, or None without a live analysis.
        """
        if evaluation != self._live:
            self._live = evaluation
            if self._last is not None:
                self._show_chances(*self._last)

    def _show_chances(self, position: Position, evaluation: Evaluation | None) -> None:
        self._last = position, evaluation
        if self._live is not None and (evaluation is None or not evaluation.exact):
            evaluation = self._live
        self._bar.set_content("" if evaluation is None else chances_bar(evaluation.chance, position))
        self._chances.set_text("" if evaluation is None else chances_text(evaluation, position))

    def stop(self) -> None:
        """Stop the evaluation."""
        for task in (self._task, self._asked):
            if task is not None:
                task.cancel()

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

    def _click_mistake(self, event: GenericEventArguments) -> None:
        """Show the position before a mistake, with the best line."""
        self._practice.end()
        self._on_go(int(event.args) - 1)
        if self._line is not None:
            self._ask(self._show_best(self._line))

    def _ask(self, answer: Coroutine[None, None, None]) -> None:
        if self._asked is not None:
            self._asked.cancel()
        self._asked = asyncio.create_task(answer)

    async def _show_best(self, line: Line) -> None:
        try:
            actions = await self._evaluator.best_line(line.hosted.record.environment, line.position)
        except USER_ERRORS:  # the server is busy
            return
        if actions and self._line is not None and self._line.position == line.position:
            self._best.set_text(f"Best line: {line_text(line.position, actions)}")
            self._on_best(actions[0])

    async def _grade_try(self, line: Line) -> None:
        """Say whether a move in an exercise is better than the mistake in the game."""
        environment, position, action = line.hosted.record.environment, line.positions[line.ply - 1], line.last
        try:
            before, after = [await self._evaluator.evaluate(environment, each) for each in (position, line.position)]
        except USER_ERRORS:  # the server is busy
            return
        if action is not None and self._line is line and self._practice.tried(line):
            self._practice.grade(before, action, position, tried_mistake(position, action, before, after))

    def _draw(self) -> None:
        assert self._line is not None
        line, game = self._line, self._line.hosted.game
        names = [
            f"{game.player_name(position.to_move)} {move_text(position, action)}"
            for position, action in zip(line.hosted.positions, line.hosted.record.actions, strict=False)
        ]
        found = combined(line.hosted.positions, line.hosted.record.actions, self._found)
        wrong = mistakes_of(line, found)
        shown = None if line.variation and line.ply > line.base else line.ply
        self._moves.show(line, names, wrong, shown)
        texts = {ply: mistake_text(ply, names[ply - 1], each) for ply, each in wrong.items()}
        self._practice.show(line, self._own(wrong))
        self._mistakes.set_content("".join(f"<li>{move_button(ply, text)}</li>" for ply, text in texts.items()))
        self._source.set_text(source_text(self._found))
        complete = len(self._found) == len(line.hosted.positions)
        self._conclusion.set_text("" if wrong or not names else "No mistakes found." if complete else "Analysing...")
        chances = [each.chance for each in found]
        self._chart.show(game.player_name(0), chances, len(line.hosted.positions), shown)
        if shown is not None and shown < len(found):
            self._show_chances(line.position, found[shown])

    def _own(self, wrong: dict[int, Mistake]) -> dict[int, Mistake]:
        """Return the mistakes of the persons whose seats the user has, or all mistakes if there is no such person."""
        assert self._line is not None
        hosted = self._line.hosted
        people = people_among(hosted.record, self._held)
        return {ply: each for ply, each in wrong.items() if not people or hosted.positions[ply - 1].to_move in people}


def mistake_text(ply: int, name: str, wrong: Mistake) -> str:
    """Return a mistake as text, for example ``Move 3 (X a1), blunder: turned a win into a loss``."""
    return f"Move {ply} ({name}), {wrong.grade}: {wrong.text}"


def mistakes_of(line: Line, found: Sequence[Evaluation]) -> dict[int, Mistake]:
    """Return the mistakes in the game of a line, by the number of the move, from 1.

    Args:
        line: The line.
        found: The evaluations of the first positions of the game.
    """
    wrong: dict[int, Mistake] = {}
    pairs = zip(line.hosted.positions, line.hosted.record.actions, found, found[1:], strict=False)
    for ply, (position, action, before, after) in enumerate(pairs, start=1):
        graded = mistake(position, action, before, after)
        if graded is not None:
            wrong[ply] = graded
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
