"""The page of a game: the board, the buttons, the review of the game and the analysis by agents."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from time import time
from urllib.parse import urlencode

from nicegui import Client, background_tasks, run, ui
from nicegui.events import KeyEventArguments

from ci_envs.games.position import Position
from ci_envs.web.analysis_panel import AnalysisPanel
from ci_envs.web.analysis_service import AnalysisService
from ci_envs.web.autoplay import Autoplay
from ci_envs.web.best_moves import candidates
from ci_envs.web.board import Board
from ci_envs.web.board_view import BoardView
from ci_envs.web.catalog import HUMAN
from ci_envs.web.clock import is_time_up, seconds_left
from ci_envs.web.controls import Controls, tool_button
from ci_envs.web.copy_link import copy_link_button
from ci_envs.web.evaluation import Evaluation, PositionEvaluator
from ci_envs.web.export_menu import ExportMenu
from ci_envs.web.game_service import GameService
from ci_envs.web.game_status import GameStatus, status_of, status_text
from ci_envs.web.hosted_game import HostedGame
from ci_envs.web.line import Line
from ci_envs.web.move_list import MoveList
from ci_envs.web.navigation import Navigation
from ci_envs.web.player_panel import PlayerPanel
from ci_envs.web.players import move_text, people_among, player_label, title_of
from ci_envs.web.proposal_bar import ProposalBar
from ci_envs.web.review import Review
from ci_envs.web.seat_controls import SeatControls
from ci_envs.web.seats import held_seats
from ci_envs.web.sound import Sound
from ci_envs.web.store import StorageError, UnknownGameError
from ci_envs.web.text_element import text_element
from ci_envs.web.user_errors import USER_ERRORS, error_text, run_or_notify

_REFRESH_INTERVAL = 0.1  # seconds between two updates of the page, at least
_CLOCK_INTERVAL = 0.25  # seconds between two updates of the clock
_ANALYST = "mcts:simulations=5000"


class GamePage:
    """A game on a page."""

    def __init__(
        self,
        service: GameService,
        analyses: AnalysisService,
        evaluator: PositionEvaluator,
        hosted: HostedGame,
        tokens: tuple[str, ...],
    ) -> None:
        """Make the page of a game in the current element.

        Args:
            service: The games of the server.
            analyses: The analyses by agents.
            evaluator: The evaluator of positions.
            hosted: The game.
            tokens: The tokens of the seats of this browser. With the first one, the browser takes a free seat.
        """
        self._service, self._evaluator, self._tokens = service, evaluator, tokens
        self._id = hosted.record.id
        self._status_shown: GameStatus | None = None
        self._line = Line.end_of(hosted)
        self._evaluation: Evaluation | None = None
        self._evaluating: asyncio.Task[None] | None = None
        self._assisted: Position | None = None  # the position that is evaluated and analysed
        self._hint: int | None = None
        self._flipped = False
        with ui.element("div").classes("game") as self._grid:
            self._title = text_element("h1", title_of(hosted.record)).classes("game-title")
            with ui.element("section").classes("board-area").props('aria-label="Board"'):
                self._board = Board(self._play)
            self._panels = PlayerPanel("top"), PlayerPanel("bottom")
            with ui.element("section").classes("side").props('aria-label="Game"'):
                self._status = ui.label().classes("status").props("role=status aria-live=polite")
                self._announced = ui.label().classes("announced").props("aria-live=polite")
                self._make_controls()
            with ui.element("section").classes("analysis").props('aria-label="Analysis" tabindex=0'):
                with ui.element("div").classes("insight") as self._insight:
                    names = service.catalog.agent_names()
                    self._analysis_panel = AnalysisPanel(analyses, _default_analyst(hosted), names, self._draw)
                self._review = Review(evaluator, self._moves, self._go, self._mark_best)
        ui.keyboard(self._on_key, ignore=["input", "select", "textarea"], repeating=False)
        self._clock_timer = ui.timer(_CLOCK_INTERVAL, self._update_clock, active=False)
        self._watching = background_tasks.create(self._watch(ui.context.client), name="watch a game")
        ui.context.client.on_delete(self._leave)
        self._show(status_of(service, self._id))

    @property
    def _hosted(self) -> HostedGame:
        return self._line.hosted

    @property
    def _held(self) -> list[int]:
        """The players whose seats this browser has, 0 or 1."""
        return held_seats(self._hosted.record, self._tokens)

    def _make_controls(self) -> None:
        self._controls = Controls(self._service, self._id, self._tokens, self._do)
        self._proposal_bar = ProposalBar(self._controls.propose, self._controls.decline)
        self._moves = MoveList(self._go)
        self._navigation = Navigation(self._navigate)
        self._seat_controls = SeatControls(self._do_with_seat)
        with ui.element("div").classes("tools") as self._tools:
            self._controls.make_buttons()
            self._hint_button = tool_button("Hint", "lightbulb", self._show_hint, "h")
            tool_button("Flip board", "swap_vert", self._flip, "f")
            self._sound = Sound()
            copy_link_button()
            ExportMenu(lambda: self._line)
            tool_button("New game", "add", self._new)
        self._autoplay = Autoplay(self._advance)
        with ui.row().classes("controls items-center"):
            self._text = ui.input("Position").props("dense readonly aria-label=Position").classes("grow position")
            branch = ui.button(icon="call_split", on_click=self._branch).props("flat dense")
            branch.props("aria-label='New game from this position'").tooltip("New game from this position")

    # actions of the user

    async def _do(self, call: Callable[[], HostedGame]) -> bool:
        """Call a method of the service, update the page, and return whether the call succeeded."""
        accepted = await run_or_notify(call) is not None
        await self._refresh()
        return accepted

    async def _advance(self) -> None:
        await self._do(lambda: self._service.advance(self._id, tokens=self._tokens))

    async def _do_with_seat(self, player: int, take: bool) -> None:
        """Take a free seat, or give up a seat."""
        if take:
            await self._do(lambda: self._service.take_seat(self._id, player, self._tokens[0]))
        else:
            await self._do(lambda: self._service.free_seat(self._id, player, tokens=self._tokens))

    async def _play(self, action: int) -> None:
        """Play an action in the game or in a variation."""
        if self._is_turn():
            ply = self._line.length
            await self._do(lambda: self._service.play(self._id, action, ply, tokens=self._tokens))
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
        environment, position = self._hosted.record.environment, self._line.position
        self._hint_button.props("loading")
        try:
            hint = await self._evaluator.hint(environment, position, self._analysis_panel.spec)
        except Exception as error:  # an agent can raise anything
            ui.notify(error_text(error), type="warning")
            return
        finally:
            self._hint_button.props(remove="loading")
        if self._line.position == position and hint is not None and not self._hosted.is_between_people:
            self._mark_best(hint)

    def _mark_best(self, action: int) -> None:
        """Mark the best action in the position that is shown."""
        self._hint = action
        self._draw()

    def _flip(self) -> None:
        self._flipped = not self._flipped
        self._show_players()
        self._draw()

    def _new(self) -> None:
        ui.navigate.to(f"/?{urlencode({'environment': self._hosted.record.environment})}")

    def _branch(self) -> None:
        about = {"environment": self._hosted.record.environment, "position": self._line.position.to_text()}
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

    # updates of the page

    async def _watch(self, client: Client) -> None:
        """Update the page after each change of the game until the client leaves the page."""
        with self._service.listeners.event(self._id) as changed, client:
            await self._refresh()  # the game may have changed since the page was built
            while True:
                await changed.wait()
                changed.clear()
                await self._refresh()
                await asyncio.sleep(_REFRESH_INTERVAL)

    async def _update_clock(self) -> None:
        """Show the time that is left. The player to move loses the game if no time is left."""
        self._show_clock()
        if is_time_up(self._hosted, time()):
            await self._refresh()

    def _show_clock(self) -> None:
        left = seconds_left(self._hosted, time())
        for panel, player in zip(self._panels, self._players(), strict=True):
            panel.show_clock(None if left is None else left[player])

    def _players(self) -> tuple[int, int]:
        """Return the players of the panels at the top and at the bottom. The user is at the bottom."""
        bottom = int((people_among(self._hosted.record, self._held) == [1]) != self._flipped)
        return 1 - bottom, bottom

    def _show_players(self) -> None:
        for panel, player in zip(self._panels, self._players(), strict=True):
            panel.show(self._hosted, player, self._held)
        self._show_clock()

    async def _refresh(self) -> None:
        try:
            status = await run.io_bound(status_of, self._service, self._id)
        except UnknownGameError:
            self._clock_timer.deactivate()
            self._autoplay.stop()
            self._tools.set_visibility(False)
            self._status.set_text("This game was deleted.")
            return
        except StorageError as error:  # the next change shows the game again
            self._status_shown = None
            self._status.set_text(error_text(error))
            return
        if status is not None:  # None if the server is stopping
            self._show(status)

    def _show(self, status: GameStatus) -> None:
        """Show the status of the game, unless the page already shows a newer one."""
        before = self._status_shown
        if before is not None and status.hosted.record.version < before.hosted.record.version:
            return
        if before is not None and _same(before, status):
            return
        self._status_shown = status
        hosted, held = status.hosted, held_seats(status.hosted.record, self._tokens)
        self._show_result(status, held)
        if before is not None:
            self._show_change(before.hosted, hosted, held)
        self._controls.show(status)
        self._proposal_bar.show(hosted, held)
        self._autoplay.show(status, bool(held))
        self._seat_controls.show(hosted, held)
        self._show_line(self._line.follow(hosted))
        self._clock_timer.active = bool(hosted.record.clock and hosted.record.turn_began) and not hosted.ending
        self._show_players()

    def _show_result(self, status: GameStatus, held: list[int]) -> None:
        """Show the player to move, or the result as a banner."""
        self._status.set_text(status_text(status, held))
        self._status.classes(remove="won lost over", add=_banner(status.hosted, held))

    def _show_change(self, before: HostedGame, hosted: HostedGame, held: list[int]) -> None:
        """Announce a move, follow the players of a rematch, and update the title after a change of the players."""
        if len(hosted.record.actions) > len(before.record.actions):
            self._announced.set_text(_announcement(hosted, held))
            self._sound.play()
        title = title_of(hosted.record)
        if title != title_of(before.record):
            self._title.set_content(title)
            ui.page_title(title)
        if hosted.record.rematch != before.record.rematch and held:
            ui.navigate.to(f"/game/{hosted.record.rematch}")

    def _show_line(self, line: Line) -> None:
        before, self._line = self._line, line
        between_people = line.hosted.is_between_people
        self._insight.set_visibility(not between_people)
        self._grid.classes(
            add="without-help" if between_people else "", remove="" if between_people else "without-help"
        )
        shown = None if between_people else line.position
        if self._assisted != shown or before.position != line.position:
            self._assisted, self._hint, self._evaluation = shown, None, None
            self._analysis_panel.select_position(line.hosted.record.environment, shown)
            if self._evaluating is not None:
                self._evaluating.cancel()
            self._evaluating = None if shown is None else asyncio.create_task(self._evaluate(line))
        self._text.value = line.position.to_text()
        self._navigation.show(line)
        self._review.show(line, self._held)
        self._draw()

    async def _evaluate(self, line: Line) -> None:
        """Evaluate the position that is shown, for the winning chances and the exact values."""
        self._review.show_chances(line.position, None)
        try:
            evaluation = await self._evaluator.evaluate(line.hosted.record.environment, line.position)
        except USER_ERRORS:  # no agent evaluates this game, or the server is busy
            return
        self._evaluation = evaluation
        self._review.show_chances(line.position, evaluation)
        self._analysis_panel.show_evaluation(evaluation)

    def _is_turn(self) -> bool:
        """Return whether the user is to move in the game and the board shows the current position."""
        hosted = self._hosted
        return self._line.is_current and hosted.next_seat == HUMAN and hosted.position.to_move in self._held

    def _view(self) -> BoardView:
        line, hosted, shown = self._line, self._hosted, self._evaluation
        tries = (bool(hosted.ending) or not line.is_current) and line.position.result is None
        return BoardView(
            position=line.position,
            last=line.last,
            playable=self._is_turn() or tries,
            tries=tries,
            blocked=self._why_blocked(),
            analysis=self._analysis_panel.analysis
            if self._analysis_panel.heat.value and line.position.result is None
            else None,
            scores=shown.scores if shown is not None and self._analysis_panel.exact.value else (),
            hint=self._shown_hint(),
            candidates=candidates(line.position, self._analysis_panel.best)
            if self._analysis_panel.arrows.value
            else (),
            flipped=self._flipped,
        )

    def _shown_hint(self) -> int | None:
        """Return the hint. A live analysis that is on the board replaces it, so that both are the same action."""
        analysis = self._analysis_panel.analysis
        if self._hint is None or analysis is None:
            return self._hint
        return next(iter(analysis.principal_variation), self._hint)

    def _why_blocked(self) -> str:
        if self._line.position.result is not None:
            return "The game is over. Go back to try other moves."
        if not self._held:
            return "You are watching."
        return f"It is the turn of {player_label(self._hosted, self._hosted.position.to_move, self._held)}."

    def _draw(self) -> None:
        if self._status_shown is None:
            return
        view = self._view()
        self._board.show(view)
        self._review.show_live(self._analysis_panel.evaluation)
        self._hint_button.set_enabled(view.playable and self._assisted is not None)

    def _leave(self) -> None:
        self._watching.cancel()
        self._analysis_panel.stop()
        self._review.stop()
        if self._evaluating is not None:
            self._evaluating.cancel()


def _default_analyst(hosted: HostedGame) -> str:
    agents = [seat for seat in hosted.record.seats if seat.partition(":")[0] in ("mcts", "alphazero")]
    return agents[0] if agents else _ANALYST


def _banner(hosted: HostedGame, held: list[int]) -> str:
    """Return the classes of the banner of a result. They are empty while the game is in progress."""
    if not hosted.ending:
        return ""
    own = people_among(hosted.record, held)
    if hosted.winner is None or len(own) != 1:
        return "over"
    return "over won" if hosted.winner in own else "over lost"


def _same(one: GameStatus, other: GameStatus) -> bool:
    return replace(one, hosted=other.hosted) == other and one.hosted.record == other.hosted.record


def _announcement(hosted: HostedGame, held: list[int]) -> str:
    """Return the last move in words, for screen readers."""
    before, action = hosted.positions[-2], hosted.record.actions[-1]
    return f"{player_label(hosted, before.to_move, held)} played {move_text(before, action)}."
