"""The form for a new game: its parameters, players and start position."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from nicegui import ui

from ci_envs.registry.games import ENV_OPTIONS, resolve
from ci_envs.registry.options import options_of, read_options
from ci_envs.registry.spec import split_spec
from ci_envs.web.catalog import HUMAN, Entry
from ci_envs.web.limits import BusyError
from ci_envs.web.offers import Offer, Offers
from ci_envs.web.option_inputs import LONGEST_TEXT, OptionInputs, spec_of
from ci_envs.web.players import game_title
from ci_envs.web.schemas import NewGame
from ci_envs.web.user_errors import error_text, run_or_notify

_PERSON = "a person"


class NewGameForm:
    """The form for a new game."""

    def __init__(
        self,
        entries: list[Entry],
        offers: Offers,
        environment: str,
        position: str,
        on_begin: Callable[[NewGame], Awaitable[None]],
    ) -> None:
        """Make the form in the current element.

        Args:
            entries: The environments.
            offers: The offers of agents.
            environment: The selected environment at first, an id with parameters.
            position: The start position at first, as text, or empty.
            on_begin: Called with the game to create. Its ``owner`` is empty.
        """
        self._entries = {entry.name: entry for entry in entries}
        self._offers = offers
        self._on_begin = on_begin
        self._loading: asyncio.Task[None] | None = None
        self._is_open = self._is_refused = False
        name, given = _given(environment)
        if environment and name not in self._entries:
            ui.notify(f"There is no game {environment!r}.", type="warning")
        self._name = name if name in self._entries else next(iter(self._entries))
        choices = {name: game_title(name) for name in self._entries}
        games = ui.select(choices, value=self._name, label="Game", on_change=lambda e: self._choose(e.value))
        games.classes("full-width")
        self._options = ui.element("div").classes("options")
        self._loaded = ui.label().classes("note").props("role=status")
        self._seats = [Seat("First player", _PERSON), Seat("Second player", "mcts")]
        with ui.element("div").classes("options"):
            self._minutes = ui.number("Minutes per player (empty: no clock)", min=0, max=1440)
            self._increment = ui.number("Increment: seconds after each turn", value=0, min=0, max=180)
        with ui.expansion("Start position and random seed").classes("full-width").props("dense"):
            self._position = ui.input("Position to start from (empty: the start of the game)", value=position)
            self._position.classes("full-width").props(f"maxlength={LONGEST_TEXT}")
            self._seed = ui.number("Seed of the agents' random numbers", value=0, min=0, precision=0)
            self._seed.classes("full-width")
        ui.button("Begin", icon="play_arrow", on_click=self._begin).props("no-caps")
        self._choose(self._name, given)
        ui.context.client.on_delete(self._stop_loading)

    def _stop_loading(self) -> None:
        if self._loading is not None:
            self._loading.cancel()

    def load(self) -> None:
        """Find the agents that can play the game, and offer them. The first time, this takes seconds."""
        self._is_open, self._is_refused = True, False
        self._stop_loading()
        self._loading = asyncio.create_task(self._load())

    async def _load(self) -> None:
        self._loaded.set_text("Loading the agents that play this game ...")
        found: list[Offer] = []
        environment, names = self._environment(), self._offers.names()
        try:
            for name in names:
                offer = await asyncio.to_thread(self._offers.find, environment, name)
                if offer is not None:
                    found.append(offer)
                    self._offer(found)
        except ValueError as error:  # an invalid parameter
            self._loaded.set_text(error_text(error))
            self._is_refused = True
            return
        except BusyError as error:
            self._loaded.set_text(f"{error} Not all agents were found.")
            return
        self._loaded.set_text("")
        self._offer(found, complete=True)

    def _reload(self) -> None:
        """Find the agents after a refused parameter was changed."""
        if self._is_refused:
            self.load()

    def _offer(self, found: list[Offer], complete: bool = False) -> None:
        for seat in self._seats:
            seat.offer(found, complete)

    def _choose(self, name: str, given: dict[str, Any] | None = None) -> None:
        self._name = name
        entry = self._entries[name]
        self._options.clear()
        with self._options:
            fields = [*entry.options.values(), ENV_OPTIONS["max_cycles"]]
            self._inputs = OptionInputs(name, fields, given, on_leave=self._reload)
        if self._is_open:
            self.load()

    def _environment(self) -> str:
        return spec_of(self._name, self._inputs.options)

    async def _begin(self) -> None:
        new = await run_or_notify(self._new_game)
        if new is not None:
            await self._on_begin(new)

    def _new_game(self) -> NewGame:
        first, second = self._seats
        seed = self._seed.value
        return NewGame(
            environment=self._environment(),
            seats=[first.spec, second.spec],
            seed=0 if seed is None else int(seed),
            position=(self._position.value or "").strip() or None,
            names=[first.name, second.name],
            minutes=self._minutes.value or None,
            increment=self._increment.value or 0.0,
        )


class Seat:
    """The inputs for one player: a person with a name, or an agent with its options."""

    def __init__(self, label: str, name: str) -> None:
        """Make the inputs in the current element.

        Args:
            label: The label of the player.
            name: The selected player at first.
        """
        self._offers: dict[str, Offer] = {}
        self._variant: Any = None
        self._options: OptionInputs | None = None
        with ui.element("fieldset").classes("seat"):
            names = list(dict.fromkeys((_PERSON, name)))
            self._who = ui.select(names, value=name, label=label, on_change=self._show).classes("full-width")
            self._purpose = ui.label().classes("note")
            self._own_name = ui.input("Name (optional)").props("maxlength=30").classes("full-width")
            self._details = ui.element("div").classes("options")
        self._show()

    def offer(self, offers: list[Offer], complete: bool) -> None:
        """Offer these agents.

        Args:
            offers: The agents that were found.
            complete: Whether these are all agents. If so, a selected agent that is not among them is replaced.
        """
        before = self._offers.get(str(self._who.value))
        self._offers = {offer.name: offer for offer in offers}
        names = [_PERSON, *self._offers]
        if self._who.value not in names and not complete:
            names.append(str(self._who.value))
        value = self._who.value if self._who.value in names else _PERSON
        self._who.set_options(names, value=value)
        if self._offers.get(value) != before:  # otherwise the entered options would be lost
            self._show()

    def _show(self) -> None:
        offer = self._offers.get(str(self._who.value))
        self._own_name.set_visibility(self._who.value == _PERSON)
        self._purpose.set_text("" if offer is None else offer.purpose.replace("``", ""))
        self._details.clear()
        self._variant = self._options = None
        if offer is None:
            return
        with self._details:
            if offer.variants:
                self._variant = ui.select(list(offer.variants), value=offer.variants[0], label="variant").classes(
                    "option"
                )
            if offer.options:
                with ui.expansion("Options").classes("full-width").props("dense"), ui.element("div").classes("options"):
                    self._options = OptionInputs(offer.name, offer.options)

    @property
    def spec(self) -> str:
        """The seat: ``human`` or the spec string of an agent."""
        if self._who.value == _PERSON:
            return HUMAN
        variant = [] if self._variant is None else [str(self._variant.value)]
        return spec_of(str(self._who.value), [*variant, *([] if self._options is None else self._options.options)])

    @property
    def name(self) -> str:
        """The name of the person, or empty."""
        return (self._own_name.value or "").strip() if self._who.value == _PERSON else ""


def _given(environment: str) -> tuple[str, dict[str, Any]]:
    """Return the name and the parameters of the environment in the address of the page."""
    name, text = split_spec(environment)
    try:
        return name, read_options(name, text, {**options_of(resolve(name)[0].game_class()), **ENV_OPTIONS})
    except ValueError:  # the address of the page was edited
        return "", {}
