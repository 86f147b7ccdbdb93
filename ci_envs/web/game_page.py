"""The page of a game: its board, what can be done, its review, and what agents think of it."""

import asyncio
from collections.abc import Awaitable, Callable
from time import time
from urllib.parse import urlencode

from nicegui import run, ui
from nicegui.events import KeyEventArguments

from ci_envs.web.asking import REFUSALS, asked, sentence
from ci_envs.web.autoplay import Autoplay
from ci_envs.web.board import Board
from ci_envs.web.catalog import HUMAN
from ci_envs.web.clock import clock_text, seconds_left
from ci_envs.web.controls import Controls, tool_button
from ci_envs.web.evaluation import Evaluation, PositionEvaluator
from ci_envs.web.export_menu import ExportMenu
from ci_envs.web.insight import Insight
from ci_envs.web.line import Line
from ci_envs.web.navigation import Navigation
from ci_envs.web.players import player_label, title_of
from ci_envs.web.review import Review
from ci_envs.web.room import Room
from ci_envs.web.seating import Seating
from ci_envs.web.seats import held_seats
from ci_envs.web.standing import Standing, standing_of, status_text
from ci_envs.web.store import UnknownGameError
from ci_envs.web.table import Table
from ci_envs.web.thinking import Thinker
from ci_envs.web.view import View

_POLL = 0.2  # seconds between two looks at whether an agent has played
_SELDOM = 5  # how many of them until one at whether somebody else has
_ANALYST = "mcts:simulations=5000"


class GamePage:
    """A game on a page."""

    def __init__(
        self, room: Room, thinker: Thinker, evaluator: PositionEvaluator, table: Table, tokens: tuple[str, ...]
    ) -> None:
        """Make the page of a game in the current element.

        Args:
            room: where games are played.
            thinker: runs the searches of agents.
            evaluator: of the positions of the game.
            table: the game.
            tokens: of the seats that this browser has; with the first one, it takes a free seat.
        """
        self._room, self._evaluator, self._tokens = room, evaluator, tokens
        self._id = table.record.id
        self._standing: Standing | None = None
        self._line = Line.end_of(table)
        self._evaluation: Evaluation | None = None
        self._evaluating: asyncio.Task[None] | None = None
        self._hint: int | None = None
        self._flipped = False
        self._looks = 0
        ui.html(title_of(table.record), sanitize=True, tag="h1").classes("game-title")
        with ui.element("div").classes("game"):
            with ui.element("section").classes("left").props('aria-label="Board"'):
                self._status = ui.label().classes("status").props("role=status aria-live=polite")
                self._announced = ui.label().classes("announced").props("aria-live=polite")
                self._clock = ui.label().classes("clock").props("role=timer")
                self._board = Board(self._play)
                self._navigation = Navigation(self._navigate)
                self._seating = Seating(self._do_with_seat)
                self._make_controls()
            with ui.element("section").classes("right").props('aria-label="Analysis"'):
                with ui.card().classes("w-full insight"):
                    names = room.catalog.agent_names()
                    self._insight = Insight(thinker, _first_analyst(table), names, self._draw)
                with ui.card().classes("w-full"):
                    self._review = Review(evaluator, self._go)
        ui.keyboard(self._on_key, ignore=["input", "select", "textarea"], repeating=False)
        self._timer = ui.timer(_POLL, self._look)
        ui.context.client.on_delete(self._leave)
        self._show(standing_of(room, self._id))

    @property
    def _table(self) -> Table:
        return self._line.table

    @property
    def _held(self) -> list[int]:
        """The players whose seats this browser has."""
        return held_seats(self._table.record, self._tokens)

    def _make_controls(self) -> None:
        with ui.row().classes("controls"):
            self._controls = Controls(self._room, self._id, self._tokens, self._do)
            self._hint_button = tool_button("Hint", "lightbulb", self._show_hint, "h")
            tool_button("Flip board", "swap_vert", self._flip, "f")
            ExportMenu(lambda: self._line)
            tool_button("New game", "add", self._new)
        self._autoplay = Autoplay(self._advance)
        with ui.row().classes("controls items-center"):
            self._text = ui.input("Position").props("dense readonly aria-label=Position").classes("grow position")
            tool_button("New game from this position", "call_split", self._branch)

    # what the user does

    async def _do(self, call: Callable[[], Table]) -> bool:
        """Call a method of the room, show the result, and return whether the call was accepted."""
        accepted = await asked(call) is not None
        await self._refresh()
        return accepted

    async def _advance(self) -> None:
        await self._do(lambda: self._room.advance(self._id, tokens=self._tokens))

    async def _do_with_seat(self, player: int, take: bool) -> None:
        """Take a free seat, or give one up."""
        if take:
            await self._do(lambda: self._room.take_seat(self._id, player, self._tokens[0]))
        else:
            await self._do(lambda: self._room.free_seat(self._id, player, tokens=self._tokens))

    async def _play(self, action: int) -> None:
        """Play an action in the game, or in a variation."""
        if self._is_turn():
            ply = self._line.length
            await self._do(lambda: self._room.play(self._id, action, ply, tokens=self._tokens))
        else:
            self._navigate(lambda line: line.play(action))

    def _navigate(self, step: Callable[[Line], Line]) -> None:
        """Show another position of the game or of a variation."""
        self._show_line(step(self._line))

    def _go(self, ply: int) -> None:
        self._navigate(lambda line: line.leave().go(ply))

    async def _show_hint(self) -> None:
        if not self._hint_button.enabled:
            return
        position = self._line.position
        self._hint_button.props("loading")
        try:
            hint = await self._insight.hint()
        except Exception as error:  # of whatever agent
            ui.notify(sentence(error), type="warning")
            return
        finally:
            self._hint_button.props(remove="loading")
        if self._line.position == position:
            self._hint = hint
            self._draw()

    def _flip(self) -> None:
        self._flipped = not self._flipped
        self._draw()

    def _new(self) -> None:
        ui.navigate.to(f"/?{urlencode({'environment': self._table.record.environment})}")

    def _branch(self) -> None:
        about = {"environment": self._table.record.environment, "position": self._line.position.to_text()}
        ui.navigate.to(f"/?{urlencode(about)}")

    async def _on_key(self, event: KeyEventArguments) -> None:
        keys: dict[str, Callable[[], Awaitable[None]]] = {
            "u": self._controls.undo,
            "r": self._controls.redo,
            "h": self._show_hint,
        }
        modified = event.modifiers.ctrl or event.modifiers.alt or event.modifiers.meta
        if not event.action.keydown or modified:
            return
        if event.key.name == "Escape":
            self._board.deselect()
        elif event.key.name == "f":
            self._flip()
        elif event.key.name in keys:
            await keys[event.key.name]()

    # what the user sees

    async def _look(self) -> None:
        """See whether an agent has played, or somebody else, and let agents who play alone go on."""
        thinking, shown = self._room.is_thinking(self._id), self._standing
        self._looks += 1
        self._show_clock()
        due = self._autoplay.is_due(thinking)
        if due or self._looks % _SELDOM == 0 or shown is None or thinking != shown.thinking:
            await self._refresh()
        if due and not self._table.ending:
            await self._advance()

    def _show_clock(self) -> None:
        left = seconds_left(self._table, time())
        names = map(self._table.game.player_name, range(2))
        times = () if left is None else zip(names, map(clock_text, left), strict=True)
        self._clock.set_text("   ".join(f"{name} {text}" for name, text in times))

    async def _refresh(self) -> None:
        try:
            standing = await run.io_bound(standing_of, self._room, self._id)
        except UnknownGameError:
            self._timer.deactivate()
            self._status.set_text("This game was deleted.")
            return
        if standing is not None:  # else the server stops
            self._show(standing)

    def _show(self, standing: Standing) -> None:
        """Show where the game stands, unless a newer state is shown already."""
        before = self._standing
        if before is not None and standing.table.record.version < before.table.record.version:
            return
        if before is not None and _same(before, standing):
            return
        self._standing = standing
        table, held = standing.table, held_seats(standing.table.record, self._tokens)
        self._status.set_text(status_text(standing, held))
        if before is not None and len(table.record.actions) > len(before.table.record.actions):
            self._announced.set_text(_announcement(table, held))
        self._controls.show(standing)
        self._autoplay.show(standing, bool(held))
        self._seating.show(table, held)
        self._show_line(self._line.follow(table))
        self._show_clock()

    def _show_line(self, line: Line) -> None:
        before, self._line = self._line, line
        if self._evaluating is None or before.position != line.position:
            self._hint, self._evaluation = None, None
            self._text.value = line.position.to_text()
            self._insight.look(line.table.record.environment, line.position)
            if self._evaluating is not None:
                self._evaluating.cancel()
            self._evaluating = asyncio.create_task(self._evaluate(line))
        self._navigation.show(line)
        self._review.show(line)
        self._draw()

    async def _evaluate(self, line: Line) -> None:
        """Find the winning chances and the exact values of the position that is shown."""
        self._review.show_chances(line.position, None)
        try:
            evaluation = await self._evaluator.evaluate(line.table.record.environment, line.position)
        except REFUSALS:  # no agent for this game, or no time now
            return
        self._evaluation = evaluation
        self._review.show_chances(line.position, evaluation)
        self._insight.offer_exact(_why_no_values(evaluation))
        self._draw()

    def _is_turn(self) -> bool:
        """Whether the user is to move in the game, and the board shows the current position."""
        table = self._table
        return self._line.is_current and table.next_seat == HUMAN and table.position.to_move in self._held

    def _view(self) -> View:
        line, table, shown = self._line, self._table, self._evaluation
        tries = (bool(table.ending) or not line.is_current) and line.position.result is None
        return View(
            position=line.position,
            last=line.last,
            playable=self._is_turn() or tries,
            tries=tries,
            blocked=self._why_blocked(),
            analysis=self._insight.analysis if self._insight.heat.value and line.position.result is None else None,
            scores=shown.scores if shown is not None and self._insight.exact.value else (),
            hint=self._hint,
            flipped=self._flipped,
        )

    def _why_blocked(self) -> str:
        if self._line.position.result is not None:
            return "The game is over. Go back to try other moves."
        if not self._held:
            return "You are watching."
        return f"It is the turn of {player_label(self._table, self._table.position.to_move, self._held)}."

    def _draw(self) -> None:
        if self._standing is None:
            return
        view = self._view()
        self._board.show(view)
        self._hint_button.set_enabled(view.playable)

    def _leave(self) -> None:
        self._insight.stop()
        self._review.stop()
        if self._evaluating is not None:
            self._evaluating.cancel()


def _first_analyst(table: Table) -> str:
    agents = [seat for seat in table.record.seats if seat.partition(":")[0] in ("mcts", "alphazero")]
    return agents[0] if agents else _ANALYST


def _same(one: Standing, other: Standing) -> bool:
    return (one.table.record, one.thinking, one.trouble) == (other.table.record, other.thinking, other.trouble)


def _announcement(table: Table, held: list[int]) -> str:
    """Return the last move in words, for screen readers."""
    before, action = table.positions[-2], table.record.actions[-1]
    return f"{player_label(table, before.to_move, held)} played {before.action_name(action)}."


def _why_no_values(evaluation: Evaluation) -> str:
    """Return why there are no exact values, in a sentence; empty if there are some."""
    if evaluation.scores:
        return ""
    if evaluation.exact:
        return "No exact values: the game is over."
    return "No exact values: it would take too long to solve this position."
