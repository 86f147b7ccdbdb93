"""How a game went: its moves, what each threw away, and who was likely to win when."""

import asyncio
from typing import Any

from nicegui import ui

from ci_envs.web.asking import REFUSALS
from ci_envs.web.evaluation import PositionEvaluator, mistake
from ci_envs.web.table import Table

_GREY = "#808080"  # seen on a light ground and on a dark one


class Course:
    """The list of moves and the graph."""

    def __init__(self, evaluator: PositionEvaluator) -> None:
        self._evaluator = evaluator
        self._table: Table | None = None
        self._task: asyncio.Task[None] | None = None
        self._mistakes: dict[int, str] = {}
        ui.label("Who wins").classes("panel-title")
        self._graph = ui.echart(_options()).classes("graph")
        ui.label("Moves").classes("panel-title")
        self._moves = ui.element("ol").classes("moves")

    def show(self, table: Table) -> None:
        """Show a game; what is not known yet of its positions follows."""
        self.stop()
        self._table = table
        self._mistakes = {}
        self._list()
        self._graph.options["yAxis"]["name"] = f"{table.game.player_name(0)} wins, %"
        self._plot([])
        self._task = asyncio.create_task(self._evaluate_all(table))

    def stop(self) -> None:
        """Stop the evaluation."""
        if self._task is not None:
            self._task.cancel()

    async def _evaluate_all(self, table: Table) -> None:
        environment, chances = table.record.environment, list[float]()
        for position in table.positions:
            try:
                chances.append(await self._evaluator.chance(environment, position))
            except REFUSALS:  # no agent for this game, or no time now: the graph ends here
                break
            self._plot(chances)
        for ply, (position, action) in enumerate(zip(table.positions, table.record.actions, strict=False)):
            said = mistake(position, await self._evaluator.scores(environment, position), action)
            if said is not None:
                self._mistakes[ply] = said
                self._list()

    def _plot(self, chances: list[float]) -> None:
        series = [[ply, round(100 * chance, 1)] for ply, chance in enumerate(chances)]
        self._graph.options["series"][0]["data"] = series
        self._graph.update()

    def _list(self) -> None:
        assert self._table is not None
        table = self._table
        self._moves.clear()
        with self._moves:
            for ply, (position, action) in enumerate(zip(table.positions, table.record.actions, strict=False)):
                with ui.element("li"):
                    ui.label(f"{table.game.player_name(position.to_move)} {position.action_name(action)}")
                    if ply in self._mistakes:
                        ui.label(self._mistakes[ply]).classes("mistake")


def _options() -> dict[str, Any]:
    return {
        "animation": False,
        "grid": {"left": 40, "right": 12, "top": 28, "bottom": 24},
        "textStyle": {"color": _GREY},
        "xAxis": {"type": "value", "min": 0, "minInterval": 1, "splitLine": {"show": False}},
        "yAxis": {
            "type": "value",
            "min": 0,
            "max": 100,
            "interval": 50,
            "nameTextStyle": {"align": "left", "color": _GREY},
            "splitLine": {"lineStyle": {"color": _GREY, "opacity": 0.4}},
        },
        "tooltip": {"trigger": "axis"},
        "series": [{"type": "line", "data": [], "symbolSize": 5, "color": "#0072b2"}],
    }
