"""The page of a game: its board, what can be done, and what agents think of it."""

import asyncio
from collections.abc import Awaitable, Callable
from time import monotonic
from urllib.parse import urlencode

from nicegui import run, ui
from nicegui.events import KeyEventArguments

from ci_envs.games.position import Position
from ci_envs.web.asking import asked, sentence
from ci_envs.web.board import Board, View
from ci_envs.web.catalog import HUMAN
from ci_envs.web.course import Course
from ci_envs.web.evaluation import PositionEvaluator
from ci_envs.web.insight import Insight
from ci_envs.web.room import Room
from ci_envs.web.schemas import Export
from ci_envs.web.seating import Seating
from ci_envs.web.seats import held_seats
from ci_envs.web.store import UnknownGameError
from ci_envs.web.table import Table
from ci_envs.web.thinking import Thinker

_POLL = 0.2  # seconds between two looks at whether an agent has played
_SELDOM = 5  # how many of them until one at whether somebody else has
_THINKER = "mcts:simulations=5000"


class GamePage:
    """A game on a page."""

    def __init__(
        self, room: Room, thinker: Thinker, evaluator: PositionEvaluator, table: Table, tokens: tuple[str, ...]
    ) -> None:
        """Make the page of a game.

        Args:
            room: where games are played.
            thinker: who lets agents think.
            evaluator: of the positions of the game.
            table: the game.
            tokens: of the seats that this browser has; with the first one, it takes a free seat.
        """
        self._tokens = tokens
        self._room = room
        self._evaluator = evaluator
        self._table = table
        self._shown: tuple[Table | None, bool, str | None] = (None, False, None)
        self._undone: list[int] = []
        self._hint: int | None = None
        self._scores: tuple[int, ...] = ()
        self._solved: Position | None = None
        self._looks = 0
        self._last_ply_at = monotonic()
        with ui.element("div").classes("game"):
            with ui.element("section").classes("left"):
                self._status = ui.label().classes("status").props("role=status aria-live=polite")
                self._board = Board(self._play)
                self._seating = Seating(self._do_with_seat)
                self._make_controls()
            with ui.element("section").classes("right"):
                with ui.card().classes("w-full insight"):
                    self._insight = Insight(thinker, self._first_thinker(), room.catalog.agent_names(), self._draw)
                with ui.card().classes("w-full"):
                    self._course = Course(evaluator)
        ui.keyboard(self._on_key, ignore=["input", "select", "textarea"], repeating=False)
        ui.timer(_POLL, self._look)
        ui.context.client.on_delete(self._leave)
        self._show(table)

    @property
    def _id(self) -> str:
        return self._table.record.id

    @property
    def _held(self) -> list[int]:
        """The players for whom this browser plays."""
        return held_seats(self._table.record, self._tokens)

    def _first_thinker(self) -> str:
        agents = [seat for seat in self._table.record.seats if seat.partition(":")[0] in ("mcts", "alphazero")]
        return agents[0] if agents else _THINKER

    def _make_controls(self) -> None:
        with ui.row().classes("controls"):
            self._undo_button = _button("Undo", "undo", self._undo, "u")
            self._redo_button = _button("Redo", "redo", self._redo, "r")
            self._hint_button = _button("Hint", "lightbulb", self._show_hint, "h")
            self._swap_button = _button("Swap seats", "swap_horiz", self._swap)
            self._resign_button = _button("Resign", "flag", self._resign)
            _button("Export", "download", self._export)
            _button("New game", "add", self._new)
        with ui.row().classes("controls items-center") as self._pace:
            self._playing = ui.switch("Play", value=False)
            ui.label("seconds a ply")
            self._delay = ui.slider(min=0, max=3, step=0.1, value=0.7).props("label aria-label='seconds a ply'")
            self._delay.classes("w-40")
        self._again = ui.button(
            "Ask again", on_click=lambda: self._do(lambda: self._room.advance(self._id, tokens=self._tokens))
        )
        with ui.row().classes("controls items-center"):
            ui.label("Position")
            self._text = ui.input().props("dense readonly aria-label=position").classes("grow position")
            _button("Start from it", "call_split", self._branch)

    # what is done

    async def _do(self, call: Callable[[], Table]) -> Table | None:
        """Do something in the room, and show what came of it."""
        table = await asked(call)
        if table is not None:
            self._show(table)
        return table

    async def _do_with_seat(self, player: int, take: bool) -> None:
        """Take a free seat, or give one up."""
        if take:
            await self._do(lambda: self._room.take_seat(self._id, player, self._tokens[0]))
        else:
            await self._do(lambda: self._room.free_seat(self._id, player, tokens=self._tokens))

    async def _play(self, action: int) -> None:
        ply = len(self._table.record.actions)
        if await self._do(lambda: self._room.play(self._id, action, ply, tokens=self._tokens)) and self._undone[
            -1:
        ] == [action]:
            self._undone.pop()
        else:
            self._undone.clear()
        self._draw()

    async def _undo(self) -> None:
        before = self._table.record.actions
        table = await self._do(lambda: self._room.undo(self._id, tokens=self._tokens))
        if table is not None:
            self._undone += before[len(table.record.actions) :][:1]
            self._playing.value = False
            self._draw()

    async def _redo(self) -> None:
        """Play what was taken back; what an agent had answered it plays again, as its seed is the same."""
        if not self._undone:
            return
        if HUMAN in self._table.record.seats:
            await self._play(self._undone[-1])
        else:
            self._undone.pop()
            await self._do(lambda: self._room.advance(self._id, tokens=self._tokens))

    async def _swap(self) -> None:
        first, second = self._table.record.seats
        await self._do(lambda: self._room.seat(self._id, (second, first), tokens=self._tokens))

    async def _resign(self) -> None:
        await self._do(lambda: self._room.resign(self._id, tokens=self._tokens))

    async def _show_hint(self) -> None:
        table = self._table
        self._hint_button.props("loading")
        try:
            hint = await self._insight.hint()
        except Exception as error:  # of whatever agent
            ui.notify(sentence(error), type="warning")
            return
        finally:
            self._hint_button.props(remove="loading")
        if self._table.record == table.record:
            self._hint = hint
            self._draw()

    def _export(self) -> None:
        ui.download.content(Export.of(self._table).model_dump_json(indent=2), f"game-{self._id}.json")

    def _new(self) -> None:
        ui.navigate.to(f"/?{urlencode({'environment': self._table.record.environment})}")

    def _branch(self) -> None:
        about = {"environment": self._table.record.environment, "position": self._table.position.to_text()}
        ui.navigate.to(f"/?{urlencode(about)}")

    async def _on_key(self, event: KeyEventArguments) -> None:
        keys: dict[str, Callable[[], Awaitable[None]]] = {"u": self._undo, "r": self._redo, "h": self._show_hint}
        modified = event.modifiers.ctrl or event.modifiers.alt or event.modifiers.meta
        if not event.action.keydown or modified:
            return
        if event.key.name == "Escape":
            self._board.deselect()
        elif event.key.name in keys:
            await keys[event.key.name]()

    # what is seen

    async def _look(self) -> None:
        """See whether an agent has played, or somebody else, and let agents who play alone go on."""
        thinking = self._room.is_thinking(self._id)
        self._looks += 1
        if thinking == self._shown[1] and not (self._autoplay(thinking) or self._looks % _SELDOM == 0):
            return
        before = self._table.record
        try:
            table = await run.io_bound(self._room.table, self._id)
        except UnknownGameError:
            return
        if table is None:  # the server stops
            return
        if self._table.record == before:  # else somebody has clicked in the meantime
            self._show(table)
        if self._autoplay(thinking) and not self._table.ending:
            await self._do(lambda: self._room.advance(self._id, tokens=self._tokens))

    def _autoplay(self, thinking: bool) -> bool:
        """Whether it is time for the next ply of agents who play alone."""
        alone = HUMAN not in self._table.record.seats and not self._table.ending
        waited = monotonic() - self._last_ply_at >= self._delay.value
        return bool(alone and self._held and self._playing.value and waited and not thinking)

    def _show(self, table: Table) -> None:
        shown = table, self._room.is_thinking(table.record.id), self._room.trouble(table.record.id)
        before = self._shown[0]
        if before is not None and (before.record, *self._shown[1:]) == (table.record, *shown[1:]):
            return
        self._shown = shown
        self._table = table
        self._status.set_text(status(*shown))
        self._again.set_visibility(bool(self._held) and shown[2] is not None and not shown[1])
        self._pace.set_visibility(bool(self._held) and HUMAN not in table.record.seats)
        self._seating.show(table, self._held)
        self._text.value = table.position.to_text()
        if before is None or before.record.actions != table.record.actions:
            self._last_ply_at = monotonic()
            self._hint, self._scores, self._solved = None, (), None
            self._course.show(table)
            self._insight.look(table.record.environment, table.position)
        self._draw()

    def _draw(self) -> None:
        """Draw the board; and what is to be done is what can be."""
        if self._shown[0] is None:
            return
        table = self._table
        last = table.record.actions[-1:]
        moves = table.next_seat == HUMAN and table.position.to_move in self._held
        self._board.show(
            View(
                position=table.position,
                last=last[0] if last else None,
                playable=moves,
                analysis=self._insight.analysis if self._insight.heat.value and not table.ending else None,
                scores=self._scores if self._insight.exact.value else (),
                hint=self._hint,
            )
        )
        self._undo_button.set_enabled(bool(self._held) and bool(last or table.record.resigned is not None))
        self._redo_button.set_enabled(bool(self._held and self._undone))
        self._hint_button.set_enabled(moves)
        self._swap_button.set_enabled(len(self._held) == 2)
        self._resign_button.set_enabled(
            not table.ending and any(table.record.seats[each] == HUMAN for each in self._held)
        )
        if self._insight.exact.value and self._solved != table.position:
            self._solved = table.position
            self._solving = asyncio.create_task(self._find_scores(table))

    async def _find_scores(self, table: Table) -> None:
        scores = await self._evaluator.scores(table.record.environment, table.position)
        if scores and table.position == self._table.position:
            self._scores = scores
            self._draw()

    def _leave(self) -> None:
        self._insight.stop()
        self._course.stop()


def status(table: Table, thinking: bool, trouble: str | None) -> str:
    """Where a game stands, in a line."""
    names, seats = list(map(table.game.player_name, range(2))), table.record.seats
    if table.ending:
        return _ending(table, names)
    mover = table.position.to_move
    who = f"{names[mover]} ({'you' if seats[mover] == HUMAN else seats[mover]})"
    if seats == (HUMAN, HUMAN):
        who = names[mover]
    if thinking:
        return f"{who} is thinking"
    return f"{who} failed: {trouble}" if trouble else f"{who} to move"


def _ending(table: Table, names: list[str]) -> str:
    if table.winner is None:
        return f"A draw after {table.limit} plies" if table.ending == "limit" else "A draw"
    seat = table.record.seats[table.winner]
    who = f"{names[table.winner]}{'' if seat == HUMAN else f' ({seat})'} has won"
    return f"{who}: {names[1 - table.winner]} gave up" if table.ending == "resigned" else who


def _button(
    text: str, icon: str, on_click: Callable[[], None] | Callable[[], Awaitable[None]], key: str = ""
) -> ui.button:
    button = ui.button(text, icon=icon, on_click=on_click).props("flat dense no-caps")
    return button.tooltip(f"key {key}") if key else button
