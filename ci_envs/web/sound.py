"""The sound of a move, which the user switches on and off."""

from pathlib import Path

from nicegui import ui

_COOKIE = "sound"
_YEAR = 365 * 24 * 3600


class Sound:
    """The button that switches the sound on and off. A cookie keeps the choice. At first the sound is off."""

    def __init__(self) -> None:
        """Make the button in the current element."""
        ui.add_body_html(f"<script>{Path(__file__).with_name('sound.js').read_text()}</script>")
        self._client = ui.context.client
        self._on = self._client.request.cookies.get(_COOKIE) == "on"
        self._button = ui.button("Sound", icon=self._icon, on_click=self._switch)
        self._button.props(f"flat dense no-caps stack {self._pressed}").classes("tool")

    @property
    def _icon(self) -> str:
        return "volume_up" if self._on else "volume_off"

    @property
    def _pressed(self) -> str:
        return f"aria-pressed={str(self._on).lower()}"

    def _switch(self) -> None:
        self._on = not self._on
        self._button.props(f"icon={self._icon} {self._pressed}")
        value = "on" if self._on else "off"
        ui.run_javascript(f"document.cookie = '{_COOKIE}={value}; path=/; max-age={_YEAR}; samesite=lax'")
        self.play()

    def play(self) -> None:
        """Play the sound of a move if the sound is on."""
        if self._on:
            self._client.run_javascript("playMoveSound()")
