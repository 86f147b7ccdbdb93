"""The analysis of the position that is shown, by an agent, while it searches."""

import asyncio
import math
from collections.abc import Callable
from time import monotonic

import numpy as np
from nicegui import ui

from ci_envs.agent.analysis import Analysis
from ci_envs.games.position import Position
from ci_envs.web.analysis_service import AnalysisService
from ci_envs.web.schemas import AnalysisReport, TreeBranch
from ci_envs.web.user_errors import error_text

_PAUSE = 0.25  # seconds between two thoughts that are shown: a search tells more than one can see


def analysis_of(thought: AnalysisReport, position: Position) -> Analysis:
    """Return the analysis that a thought about a position reports, without its tree."""
    values = {each.number: math.nan if each.value is None else each.value for each in thought.actions}
    visits = np.zeros(position.game.action_count, dtype=np.int64)
    for each in thought.actions:
        visits[each.number] = each.visits or 0
    best = tuple(map(position.parse_action, thought.principal_variation[:1]))
    simulated = any(each.visits is not None for each in thought.actions)
    return Analysis(thought.value, values, best, visits if simulated else None)


class AnalysisPanel:
    """The panel with the analysis of an agent."""

    def __init__(
        self, analyses: AnalysisService, spec: str, suggestions: list[str], on_change: Callable[[], None]
    ) -> None:
        """Make the panel.

        Args:
            analyses: runs the searches of agents.
            spec: the agent that is chosen at first.
            suggestions: agents to choose from.
            on_change: called when there is something else to be seen on the board.
        """
        self._analyses = analyses
        self._on_change = on_change
        self._about: tuple[str, Position] | None = None
        self._search: asyncio.Task[None] | None = None
        self.analysis: Analysis | None = None
        with ui.row().classes("w-full items-center"):
            ui.html("Analysis by", sanitize=True, tag="h2").classes("panel-title")
            self.agent = ui.input(value=spec, autocomplete=suggestions).props("dense aria-label='Agent that analyses'")
            self.agent.classes("grow").on("keydown.enter", self._restart).on("blur", self._restart_if_other)
        with ui.row().classes("w-full"):
            self.thinks = ui.switch("Live analysis", on_change=self._restart)
            self.heat = ui.switch("Heat map", value=True, on_change=on_change)
            self.exact = ui.switch("Exact values", on_change=on_change)
        self._no_exact = ui.label().classes("note")
        self._words = ui.label().classes("thought")
        self._line = ui.label().classes("thought line")
        self._tree = ui.tree([]).props("dense no-nodes-label=' '").classes("tree w-full")
        self._asked = spec

    @property
    def spec(self) -> str:
        """The agent that is asked."""
        return str(self.agent.value or "").strip()

    def look(self, environment: str, position: Position) -> None:
        """Analyse this position from now on."""
        if self._about != (environment, position):
            self._about = environment, position
            self._restart()

    def offer_exact(self, reason: str) -> None:
        """Let the user show exact values, or say why there are none.

        Args:
            reason: why there are none, in a sentence; empty if there are some.
        """
        self.exact.set_enabled(not reason)
        self._no_exact.set_text(reason)
        self._no_exact.set_visibility(bool(reason))

    def stop(self) -> None:
        """Stop the analysis."""
        if self._search is not None:
            self._search.cancel()
            self._search = None

    async def hint(self) -> int | None:
        """Return the action that the agent chooses in the end; None if there is nothing to choose.

        Raises:
            ValueError: the agent is refused, or cannot analyse.
            BusyError: too many searches are going on.
        """
        if self._about is None or self._about[1].result is not None:
            return None
        environment, position = self._about
        thoughts = await self._analyses.begin(environment, position.to_text(), self.spec)
        *_, last = [thought async for thought in thoughts]
        return next(iter(analysis_of(last, position).principal_variation), None)

    def _restart_if_other(self) -> None:
        if self.spec != self._asked:
            self._restart()

    def _restart(self) -> None:
        self.stop()
        self._asked = self.spec
        self._show(None)
        if self.thinks.value and self._about is not None and self._about[1].result is None:
            self._search = asyncio.create_task(self._think(*self._about))

    async def _think(self, environment: str, position: Position) -> None:
        shown, thought = monotonic(), None  # the last move may still slide on the board
        self._words.set_text("Analysing...")
        try:
            async for thought in await self._analyses.begin(environment, position.to_text(), self.spec):
                if monotonic() - shown >= _PAUSE:
                    self._show(thought)
                    shown = monotonic()
            self._show(thought)
        except Exception as error:  # of whatever agent
            self._words.set_text(error_text(error))

    def _show(self, thought: AnalysisReport | None) -> None:
        position = None if self._about is None else self._about[1]
        if thought is None or position is None:
            self.analysis = None
            self._words.set_text("")
            self._line.set_text("")
            self._tree.props["nodes"] = []
        else:
            self.analysis = analysis_of(thought, position)
            self._words.set_text(in_words(thought, position))
            self._line.set_text(f"Best line: {' '.join(thought.principal_variation)}")
            self._tree.props["nodes"] = nodes(thought.tree)
        self._on_change()


def in_words(thought: AnalysisReport, position: Position) -> str:
    """Return the evaluation of the position in an analysis, as text."""
    mover = position.game.player_name(position.to_move)
    chance, parts = thought.win_probability, [f"value {thought.value:+.2f} for {mover}"]
    if chance is not None:
        parts.insert(0, f"{mover}: {chance:.0%} to win")
    for count, name in ((thought.simulations, "simulations"), (thought.nodes, "nodes")):
        if count is not None:
            parts.append(f"{count:,} {name}")
    if thought.depth is not None:
        parts.append(f"depth {thought.depth}")
    return ", ".join(parts)


def nodes(branches: list[TreeBranch], path: str = "") -> list[dict[str, object]]:
    """A search tree as ``ui.tree`` takes it: a node is known by the actions that lead to it."""
    return [
        {
            "id": (id := f"{path} {branch.name}"),
            "label": _label(branch),
            "children": nodes(branch.children, id),
        }
        for branch in branches
    ]


def _label(branch: TreeBranch) -> str:
    parts = [f"{branch.name}: {branch.visits:,} visits"]
    if branch.value is not None:
        parts.append(f"value {branch.value:+.2f}{' proven' if branch.proven else ''}")
    if branch.prior is not None:
        parts.append(f"prior {branch.prior:.2f}")
    return ", ".join(parts)
