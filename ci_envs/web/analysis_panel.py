"""The panel that shows the analysis of the current position by an agent while the agent searches."""

import asyncio
import html
import math
from collections.abc import Callable
from time import monotonic

import numpy as np
from nicegui import ui

from ci_envs.agent_interface.analysis import Analysis
from ci_envs.games.position import Position
from ci_envs.web.analysis_report import AnalysisReport, TreeBranch
from ci_envs.web.analysis_service import AnalysisService
from ci_envs.web.best_moves import BestMove, best_moves
from ci_envs.web.evaluation import Evaluation, parse_line
from ci_envs.web.move_list import line_text
from ci_envs.web.option_inputs import LONGEST_TEXT
from ci_envs.web.players import move_text
from ci_envs.web.text_element import text_element
from ci_envs.web.user_errors import error_text

_PAUSE = 0.25  # seconds between two updates of the panel: a search reports more often than a person can read


def analysis_of(report: AnalysisReport, position: Position) -> Analysis:
    """Return the analysis of a position in a report, without the search tree."""
    values = {each.number: math.nan if each.value is None else each.value for each in report.actions}
    visits = np.zeros(position.game.action_count, dtype=np.int64)
    for each in report.actions:
        visits[each.number] = each.visits or 0
    best = tuple(map(position.parse_action, report.principal_variation[:1]))
    simulated = any(each.visits is not None for each in report.actions)
    return Analysis(report.value, values, best, visits if simulated else None)


class AnalysisPanel:
    """The panel with the analysis of an agent."""

    def __init__(
        self, analyses: AnalysisService, spec: str, suggestions: list[str], on_change: Callable[[], None]
    ) -> None:
        """Make the panel.

        Args:
            analyses: The analyses by agents.
            spec: The agent that is selected at first.
            suggestions: The names of agents that the input suggests.
            on_change: Called when the marks on the board change.
        """
        self._analyses = analyses
        self._on_change = on_change
        self._analysed: tuple[str, Position] | None = None
        self._evaluation: Evaluation | None = None
        self._report: AnalysisReport | None = None
        self._search: asyncio.Task[None] | None = None
        self.analysis: Analysis | None = None
        self.best: list[BestMove] = []
        with ui.row().classes("full-width items-center"):
            text_element("h2", "Analysis by").classes("panel-title")
            self.agent = ui.input(value=spec, autocomplete=suggestions)
            self.agent.props(f"dense maxlength={LONGEST_TEXT} aria-label='Agent that analyses'")
            self.agent.classes("grow").on("keydown.enter", self._restart).on("blur", self._restart_if_changed)
        with ui.element("div").classes("switches"):
            self._is_live = ui.switch("Live analysis", on_change=self._restart)
            self.arrows = ui.switch("Best moves", value=True, on_change=on_change)
            self.heat = ui.switch("Heat map", on_change=on_change)
            self.exact = ui.switch("Exact values", on_change=on_change)
        self._no_exact = ui.label().classes("note")
        self._summary = ui.label().classes("analysis-text")
        self._best_line = ui.label().classes("analysis-text line")
        self._moves = ui.html(sanitize=False, tag="ol").classes("best-moves").props("aria-label='Best moves'")
        with ui.expansion("Search tree").classes("full-width").props("dense") as self._tree_panel:
            self._tree = ui.tree([]).props("dense no-nodes-label=' '").classes("tree full-width")
        self._started_spec = spec

    @property
    def spec(self) -> str:
        """The spec string of the agent that analyses."""
        return str(self.agent.value or "").strip()

    def select_position(self, environment: str, position: Position | None) -> None:
        """Select the position to analyse, or none."""
        self._analysed = None if position is None else (environment, position)
        self._evaluation = None
        self._show_source()
        self._restart()

    def show_evaluation(self, evaluation: Evaluation) -> None:
        """Use the exact values of the selected position if they are known."""
        self._evaluation = evaluation
        self._show_source()
        if self._report is None:  # a message of the search stays
            self._on_change()
        else:
            self._show(self._report)

    def _show_source(self) -> None:
        reason = why_no_values(self._evaluation)
        self.exact.set_enabled(not reason and self._evaluation is not None)
        self._no_exact.set_text(reason)

    @property
    def evaluation(self) -> Evaluation | None:
        """The estimate of the selected position by the live analysis, or None."""
        if self._report is None or self._report.win_probability is None or self._analysed is None:
            return None
        chance = self._report.win_probability
        first = chance if self._analysed[1].to_move == 0 else 1 - chance
        return Evaluation(first, exact=False, source=self._started_spec)

    def stop(self) -> None:
        """Stop the analysis."""
        if self._search is not None:
            self._search.cancel()
            self._search = None

    def _restart_if_changed(self) -> None:
        if self.spec != self._started_spec:
            self._restart()

    def _restart(self) -> None:
        self.stop()
        self._started_spec = self.spec
        self._show(None)
        if self._is_live.value and self._analysed is not None and self._analysed[1].result is None:
            self._search = asyncio.create_task(self._analyse(*self._analysed))

    async def _analyse(self, environment: str, position: Position) -> None:
        shown, report = monotonic(), None  # not at once, because the last move may still slide on the board
        self._summary.set_text("Analysing...")
        try:
            async for report in await self._analyses.start(environment, position.to_text(), self.spec):
                if monotonic() - shown >= _PAUSE:
                    self._show(report)
                    shown = monotonic()
            self._show(report)
        except Exception as error:  # an agent can raise anything
            self._summary.set_text(error_text(error))

    def _show(self, report: AnalysisReport | None) -> None:
        self._report = report
        position = None if self._analysed is None else self._analysed[1]
        if report is None or position is None:
            self.analysis, self.best = None, []
            self._summary.set_text("")
            self._best_line.set_text("")
            self._tree.props["nodes"] = []
        else:
            report = exact_report(report, position, self._evaluation)
            self.analysis = analysis_of(report, position)
            self.best = best_moves(position, report, self._evaluation)
            self._summary.set_text(summary_text(report, position))
            self._best_line.set_text(
                f"Best line: {line_text(position, parse_line(position, report.principal_variation))}"
            )
            self._tree.props["nodes"] = tree_nodes(report.tree, position)
        self._tree_panel.set_visibility(bool(self._tree.props["nodes"]))
        self._moves.set_content("".join(_listed(position, move) for move in self.best if position is not None))
        self._on_change()


def _listed(position: Position, move: BestMove) -> str:
    name = html.escape(move_text(position, move.action))
    return f"<li><b>{name}</b> <span>{html.escape(move.text)}</span></li>"


def exact_report(report: AnalysisReport, position: Position, evaluation: Evaluation | None) -> AnalysisReport:
    """Return a report with the exact value and a best action in place of the agent's, if they are known.

    Args:
        report: The report of an agent.
        position: The position.
        evaluation: The evaluation of the position, or None if it is unknown.
    """
    if evaluation is None or not evaluation.scores:
        return report
    chance = evaluation.chance if position.to_move == 0 else 1 - evaluation.chance
    names = [position.action_name(action) for action in evaluation.best]
    agrees = report.principal_variation[:1] and report.principal_variation[0] in names
    line = report.principal_variation if agrees else names[:1]
    changes = {"value": 2 * chance - 1, "win_probability": chance, "principal_variation": line}
    return report.model_copy(update=changes)


def why_no_values(evaluation: Evaluation | None) -> str:
    """Return why there are no exact values, in a sentence. The text is empty if there are some or it is unknown."""
    if evaluation is None or evaluation.scores:
        return ""
    if evaluation.exact:
        return "No exact values: the game is over."
    return "No exact values: solving this position would take too long."


def summary_text(report: AnalysisReport, position: Position) -> str:
    """Return the value of the position, the size of the search, and what the agent's tables contain, as text."""
    mover = position.game.player_name(position.to_move)
    chance, parts = report.win_probability, [f"value {report.value:+.2f} for {mover}"]
    if chance is not None:
        parts.insert(0, f"{mover}: {chance:.0%} to win")
    for count, name in ((report.simulations, "simulations"), (report.nodes, "nodes")):
        if count is not None:
            parts.append(f"{count:,} {name}")
    if report.depth is not None:
        parts.append(f"depth {report.depth}")
    if report.tables is not None:
        parts.append(f"tables: {report.tables}")
    return ", ".join(parts)


def tree_nodes(branches: list[TreeBranch], position: Position, path: str = "") -> list[dict[str, object]]:
    """Return a search tree in the format of ``ui.tree``. The id of a node is the list of actions that lead to it."""
    return [
        {
            "id": (id := f"{path} {branch.name}"),
            "label": _label(branch, position),
            "children": tree_nodes(branch.children, position.play(branch.number), id) if branch.children else [],
        }
        for branch in branches
    ]


def _label(branch: TreeBranch, position: Position) -> str:
    parts = [f"{move_text(position, branch.number)}: {branch.visits:,} visits"]
    if branch.value is not None:
        parts.append(f"value {branch.value:+.2f}{' proven' if branch.proven else ''}")
    if branch.prior is not None:
        parts.append(f"prior {branch.prior:.2f}")
    return ", ".join(parts)
