"""The first page: a game to begin, and those that were."""

import asyncio
from datetime import datetime
from typing import Any

from nicegui import ui

from ci_envs.spec import option_text, split_spec
from ci_envs.web.asking import asked
from ci_envs.web.catalog import HUMAN, Entry
from ci_envs.web.room import Room
from ci_envs.web.schemas import NewGame
from ci_envs.web.store import GameRecord

_SUGGESTED = {"mcts": "simulations=1000", "minimax": "depth=3", "alphazero": "simulations=200"}


class Lobby:
    """The form of a new game, and a list of games."""

    def __init__(self, room: Room, owner: str, environment: str, position: str, games: list[GameRecord]) -> None:
        """Make it.

        Args:
            room: where games are played.
            owner: in whose list they are to be.
            environment: to begin with, an id with parameters.
            position: to begin with, as text.
            games: those of the owner.
        """
        self._room = room
        self._owner = owner
        self._entries = {entry.name: entry for entry in room.catalog.environments()}
        name, given = _given(environment)
        self._name = name if name in self._entries else next(iter(self._entries))
        with ui.element("main").classes("lobby"):
            with ui.card().classes("w-full"):
                ui.label("New game").classes("panel-title")
                choices = {entry.name: entry.name.partition("-")[0] for entry in self._entries.values()}
                ui.select(choices, value=self._name, label="Game", on_change=lambda e: self._choose(e.value)).classes(
                    "w-full"
                )
                self._purpose = ui.label().classes("note")
                self._options = ui.row().classes("w-full")
                self._seats = [Seat(room, "First player", HUMAN), Seat(room, "Second player", "mcts")]
                with ui.expansion("More").classes("w-full"):
                    self._seed = ui.input("Seed of the agents' random numbers", value="0").classes("w-full")
                    self._position = ui.input("Position to start from", value=position).classes("w-full")
                    self._position.props("placeholder='the first of the game'")
                ui.button("Begin", icon="play_arrow", on_click=self._begin).props("no-caps")
            with ui.card().classes("w-full"):
                ui.label("My games").classes("panel-title")
                if not games:
                    ui.label("None yet.").classes("note")
                for record in games:
                    _listed(record)
        self._choose(self._name, given)

    def _choose(self, name: str, given: dict[str, Any] | None = None) -> None:
        self._name = name
        entry = self._entries[name]
        self._purpose.set_text(_plain(entry.purpose))
        self._options.clear()
        with self._options:
            self._inputs = {key: _option(key, (given or {}).get(key, value)) for key, value in entry.options.items()}

    async def _begin(self) -> None:
        table = await asked(self._create)
        if table is not None:
            ui.navigate.to(f"/game/{table.record.id}")

    def _create(self) -> Any:
        new = NewGame(
            environment=spec(self._entries[self._name], {key: each.value for key, each in self._inputs.items()}),
            seats=[seat.spec for seat in self._seats],
            seed=_whole(self._seed.value),
            position=self._position.value.strip() or None,
            owner=self._owner,
        )
        first, second = new.seats
        return self._room.create(new.environment, (first, second), seed=new.seed, start=new.position, owner=new.owner)


class Seat:
    """Who is to play: a person, or an agent and its options."""

    def __init__(self, room: Room, label: str, name: str) -> None:
        self._catalog = room.catalog
        names = [HUMAN, *room.catalog.agent_names()]
        with ui.row().classes("w-full seat"):
            self._name = ui.select(names, value=name, label=label, on_change=self._chosen).classes("grow")
            self._options = ui.input("Options", value=_SUGGESTED.get(name)).classes("grow").props("stack-label")
            self._options.set_visibility(name != HUMAN)
        self._purpose = ui.label().classes("note")

    async def _chosen(self) -> None:
        """Show what can be chosen; an agent is loaded for that, which may take a while."""
        name = str(self._name.value)
        self._options.value = _SUGGESTED.get(name, "")
        self._options.set_visibility(name != HUMAN)
        self._purpose.set_text("you, or who has the address" if name == HUMAN else "")
        entry = None if name == HUMAN else await asyncio.to_thread(self._catalog.agent_entry, name)
        if entry is None or self._name.value != name:
            return
        known = [f"{key}={option_text(value)}" for key, value in entry.options.items()]
        trained = f" Trained: {', '.join(entry.checkpoints)}." if entry.checkpoints else ""
        self._options.set_autocomplete([*entry.checkpoints, *known])
        self._options.set_visibility(bool(known))
        options = f" Options: {', '.join(known)}." if known else ""
        self._purpose.set_text(f"{_plain(entry.purpose)}{options}{trained}")

    @property
    def spec(self) -> str:
        """As a spec string."""
        options = (self._options.value or "").strip() if self._name.value != HUMAN else ""
        return f"{self._name.value}:{options}" if options else str(self._name.value)


def spec(entry: Entry, values: dict[str, Any]) -> str:
    """What was typed for the options of an entry as a spec string, which leaves out what is so anyway."""
    texts = {key: value.strip() if isinstance(value, str) else option_text(value) for key, value in values.items()}
    changed = [f"{key}={text}" for key, text in texts.items() if text != option_text(entry.options[key])]
    return f"{entry.name}:{','.join(changed)}" if changed else entry.name


def _option(name: str, value: Any) -> Any:
    if isinstance(value, bool):
        return ui.switch(name, value=value)
    return ui.input(name, value=option_text(value)).classes("option")


def _plain(purpose: str) -> str:
    return purpose.replace("``", "")  # of a docstring


def _given(environment: str) -> tuple[str, dict[str, Any]]:
    try:
        return split_spec(environment)
    except ValueError:  # of an address that was written by hand
        return "", {}


def _whole(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise ValueError(f"the seed must be a whole number, not {text!r}") from None


def _listed(record: GameRecord) -> None:
    first, second = record.seats
    state = "over" if record.over else "going on"
    begun = datetime.fromtimestamp(record.created).strftime("%Y-%m-%d %H:%M")
    with ui.row().classes("w-full listed"):
        ui.link(f"{record.environment}: {first} against {second}", f"/game/{record.id}")
        ui.label(f"{begun}, {len(record.actions)} plies, {state}").classes("note")
