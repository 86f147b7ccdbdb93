"""The review of a game: buttons that go through its moves, its moves and mistakes, and the graph of winning chances."""

import asyncio
import html
from collections.abc import Callable, Sequence
from itertools import takewhile
from time import monotonic
from typing import Any

from nicegui import ui
from nicegui.events import EChartPointClickEventArguments, GenericEventArguments

from ci_envs.games.position import Position
from ci_envs.web.asking import REFUSALS
from ci_envs.web.evaluation import EVALUATOR, Evaluation, PositionEvaluator, backed_up
from ci_envs.web.line import Line
from ci_envs.web.mistakes import mistake
from ci_envs.web.players import plies_text
from ci_envs.web.winning_chances import chances_bar, chances_text

_GREY = "#808080"  # seen on a light ground and on a dark one
_PAUSE = 0.25  # seconds between two pictures of the graph while it grows
_ON_CLICK = "(e) => { const b = e.target.closest('[data-ply]'); if (b) emit(+b.dataset.ply); }"


class Navigation:
    """The buttons that go through the moves, and the one that leaves a variation."""

    def __init__(self, on_change: Callable[[Callable[[Line], Line]], None]) -> None:
        """Make the buttons in the current element.

        Args:
            on_change: called with what to do with the line that is shown.
        """
        self._on_change = on_change
        with ui.row().classes("controls navigation items-center").props('role=group aria-label="Moves of the game"'):
            steps: tuple[tuple[str, str, str, Callable[[Line], Line]], ...] = (
                ("first", "First position", "first_page", lambda line: line.go(0)),
                ("back", "Back", "chevron_left", lambda line: line.go(line.ply - 1)),
                ("forward", "Forward", "chevron_right", lambda line: line.go(line.ply + 1)),
                ("last", "Last position", "last_page", lambda line: line.go(line.length)),
            )
            self._steps = {name: self._step(name, label, icon, step) for name, label, icon, step in steps}
            self._where = ui.label().classes("note")
            self._leave = ui.button("Back to the game", icon="undo", on_click=lambda: on_change(Line.leave))
            self._leave.props("flat dense no-caps")

    def _step(self, name: str, label: str, icon: str, step: Callable[[Line], Line]) -> ui.button:
        button = ui.button(icon=icon, on_click=lambda: self._on_change(step))
        keys = {"first": "Home", "back": "left arrow", "forward": "right arrow", "last": "End"}
        button.tooltip(f"{label} (key: {keys[name]})")
        return button.props(f'flat dense aria-label="{label}"').classes(name)

    def show(self, line: Line) -> None:
        """Show which moves are shown."""
        self._steps["first"].set_enabled(line.ply > 0)
        self._steps["back"].set_enabled(line.ply > 0)
        self._steps["forward"].set_enabled(line.ply < line.length)
        self._steps["last"].set_enabled(line.ply < line.length)
        after = f"after {line.ply} of {plies_text(line.length)}"
        if line.tried:
            self._where.set_text(f"Variation: {after}. The game stays as it is.")
        else:
            self._where.set_text("" if line.is_current else f"Position {after}")
        self._leave.set_visibility(bool(line.tried))


class Review:
    """The graph of winning chances, the moves and the mistakes of a game."""

    def __init__(self, evaluator: PositionEvaluator, on_go: Callable[[int], None]) -> None:
        """Make the panel in the current element.

        Args:
            evaluator: evaluates the positions.
            on_go: called with the number of moves of the game before the position to show.
        """
        self._evaluator = evaluator
        self._on_go = on_go
        self._line: Line | None = None
        self._task: asyncio.Task[None] | None = None
        self._found: list[Evaluation] = []
        ui.html("Winning chances", sanitize=True, tag="h2").classes("panel-title")
        self._bar = ui.html(sanitize=False).classes("w-full")
        self._chances = ui.label().classes("thought")
        self._graph = ui.echart(_options(), on_point_click=self._click_graph, renderer="svg").classes("graph")
        self._source = ui.label().classes("note")
        ui.html("Moves", sanitize=True, tag="h2").classes("panel-title")
        self._moves = ui.html(sanitize=False, tag="ol").classes("moves").on("click", self._click, js_handler=_ON_CLICK)
        self._variation = ui.html(sanitize=False, tag="p").classes("variation")
        ui.html("Mistakes", sanitize=True, tag="h2").classes("panel-title")
        self._mistakes = ui.html(sanitize=False, tag="ul").classes("mistakes")
        self._mistakes.on("click", self._click, js_handler=_ON_CLICK)
        self._verdict = ui.label().classes("note").props("aria-live=polite")

    def show(self, line: Line) -> None:
        """Show a line; what is not known yet about the positions of the game follows."""
        before = self._line
        self._line = line
        if before is None or before.table.positions != line.table.positions:
            self.stop()
            known = () if before is None else before.table.positions
            same = takewhile(lambda pair: pair[0] == pair[1], zip(known, line.table.positions, strict=False))
            self._found = self._found[: len(list(same))]
            self._task = asyncio.create_task(self._evaluate(line))
        self._draw()

    def show_chances(self, position: Position, evaluation: Evaluation | None) -> None:
        """Show the winning chances in the position that is shown, if it is not one of the game with known chances.

        Args:
            position: the position.
            evaluation: of the position; None if it is not known.
        """
        line = self._line
        if line is None or (line.tried and line.ply > line.base) or line.ply >= len(self._found):
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
        for position in line.table.positions[len(self._found) :]:
            try:
                self._found.append(await self._evaluator.evaluate(line.table.record.environment, position))
            except REFUSALS:  # no agent for this game, or no time now: the graph ends here
                break
            if monotonic() - drawn >= _PAUSE:
                self._draw()
                drawn = monotonic()
        self._draw()

    def _click(self, event: GenericEventArguments) -> None:
        self._on_go(int(event.args))

    def _click_graph(self, event: EChartPointClickEventArguments) -> None:
        self._on_go(event.data_index)

    def _draw(self) -> None:
        assert self._line is not None
        line, game = self._line, self._line.table.game
        names = [
            f"{game.player_name(position.to_move)} {position.action_name(action)}"
            for position, action in zip(line.table.positions, line.table.record.actions, strict=False)
        ]
        found = backed_up(line.table.positions, self._found)
        wrong = mistakes_of(line, found)
        shown = None if line.tried and line.ply > line.base else line.ply
        self._moves.set_content("".join(_item(ply, name, ply in wrong, shown) for ply, name in enumerate(names, 1)))
        self._variation.set_content(_variation(line))
        texts = {ply: f"Move {ply} ({names[ply - 1]}): {text}" for ply, text in wrong.items()}
        self._mistakes.set_content("".join(f"<li>{_move_button(ply, text)}</li>" for ply, text in texts.items()))
        self._source.set_text(source_text(self._found))
        complete = len(self._found) == len(line.table.positions)
        self._verdict.set_text("" if wrong or not names else "No mistakes found." if complete else "Analysing...")
        self._plot(shown, found)
        if shown is not None and shown < len(found):
            self._show_chances(line.position, found[shown])

    def _plot(self, shown: int | None, found: list[Evaluation]) -> None:
        assert self._line is not None
        options = self._graph.options
        options["yAxis"]["name"] = f"{self._line.table.game.player_name(0)} wins, %"
        options["xAxis"]["data"] = list(range(len(self._line.table.positions)))
        line, area = options["series"]
        line["data"] = [round(100 * each.chance, 1) for each in found]
        line["markLine"]["data"] = [] if shown is None else [{"xAxis": shown}]
        area["data"] = [100] * len(self._line.table.positions)
        self._graph.update()


def mistakes_of(line: Line, found: list[Evaluation]) -> dict[int, str]:
    """Return the mistakes of the game of a line, by the number of the move, from 1.

    Args:
        line: the line.
        found: the evaluations of the first positions of the game.
    """
    wrong: dict[int, str] = {}
    pairs = zip(line.table.positions, line.table.record.actions, found, found[1:], strict=False)
    for ply, (position, action, before, after) in enumerate(pairs, start=1):
        text = mistake(position, action, before, after)
        if text is not None:
            wrong[ply] = text
    return wrong


def source_text(found: list[Evaluation]) -> str:
    """Return where winning chances come from.

    Args:
        found: the evaluations of the positions of a game, the first ones first.
    """
    solved = [ply for ply, each in enumerate(found) if each.scores]
    if all(each.exact for each in found):
        return "Exact values: 100% is a win, 50% a draw, 0% a loss." if found else ""
    if not solved:
        return f"Estimated by {EVALUATOR}."
    return f"Exact values after moves {_ranges(solved)}; otherwise estimated by {EVALUATOR}."


def _ranges(numbers: Sequence[int]) -> str:
    """Return ascending numbers in words: ``0 to 4, 7``."""
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
    if not line.tried:
        return ""
    positions = line.positions[line.base :]
    moves = " ".join(position.action_name(action) for position, action in zip(positions, line.tried, strict=False))
    return f"Variation after {plies_text(line.base)}: {html.escape(moves)}"


def _options() -> dict[str, Any]:
    return {
        "animation": False,
        "aria": {"enabled": True},
        "grid": {"left": 40, "right": 12, "top": 28, "bottom": 24},
        "xAxis": {"type": "category", "data": [], "axisTick": {"show": False}},
        "yAxis": {
            "type": "value",
            "min": 0,
            "max": 100,
            "interval": 50,
            "nameTextStyle": {"align": "left", "color": _GREY},
            "splitLine": {"lineStyle": {"color": _GREY, "opacity": 0.4}},
        },
        "tooltip": {"trigger": "axis"},
        "series": [
            {
                "type": "line",
                "data": [],
                "symbolSize": 7,
                "color": "#0072b2",
                "markLine": {"silent": True, "symbol": "none", "label": {"show": False}, "data": []},
            },
            # invisible bars, so that a click anywhere above a move shows it
            {
                "type": "bar",
                "data": [],
                "barCategoryGap": "0%",
                "itemStyle": {"opacity": 0},
                "emphasis": {"disabled": True},
                "tooltip": {"show": False},
            },
        ],
    }
