"""The graph of winning chances."""

from collections.abc import Callable, Sequence
from typing import Any

from nicegui import ui
from nicegui.events import EChartPointClickEventArguments

_GREY = "#808080"  # visible on a light and on a dark background


class ChancesChart:
    """The graph of winning chances, with a point for each position of a game."""

    def __init__(self, on_go: Callable[[int], None]) -> None:
        """Make the graph in the current element.

        Args:
            on_go: Called with the number of moves before the position that was clicked.
        """

        def click(event: EChartPointClickEventArguments) -> None:
            on_go(event.data_index)

        self._chart = ui.echart(_options(), on_point_click=click, renderer="svg").classes("graph")

    def show(self, name: str, chances: Sequence[float], positions: int, shown: int | None) -> None:
        """Show the winning chances.

        Args:
            name: The name of player 0.
            chances: The winning chances of player 0 in the first positions, from 0 to 1.
            positions: The number of positions of the game.
            shown: The number of moves before the position on the board, or None in a variation.
        """
        options = self._chart.options
        options["yAxis"]["name"] = f"{name} wins, %"
        options["xAxis"]["data"] = list(range(positions))
        line, area = options["series"]
        line["data"] = [round(100 * chance, 1) for chance in chances]
        line["markLine"]["data"] = [] if shown is None else [{"xAxis": shown}]
        area["data"] = [100] * positions
        self._chart.update()


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
