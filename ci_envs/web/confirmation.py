"""A question before an action that cannot be undone."""

from collections.abc import Collection

from nicegui import ui

from ci_envs.web.game_service import GameService
from ci_envs.web.user_errors import run_or_notify


async def is_confirmed(question: str, action: str) -> bool:
    """Show a dialog with a question, and return whether the user confirms.

    Args:
        question: The question, which is also the label of the dialog.
        action: The text of the button that confirms.
    """
    with ui.dialog() as dialog, ui.card().props(f'role=alertdialog aria-label="{question}"'):
        ui.label(question)
        with ui.row():
            ui.button(action, on_click=lambda: dialog.submit(True)).props("no-caps")
            ui.button("Cancel", on_click=lambda: dialog.submit(False)).props("flat no-caps autofocus")
    confirmed = bool(await dialog)
    dialog.delete()
    return confirmed


async def ask_to_delete(service: GameService, id: str, tokens: Collection[str]) -> None:
    """Delete a game if the user confirms, and open the first page.

    Args:
        service: The games of the server.
        id: The id of the game.
        tokens: The tokens of the user.
    """

    def delete() -> bool:
        service.delete(id, tokens=tokens)
        return True

    if await is_confirmed("Delete this game for ever?", "Delete") and await run_or_notify(delete):
        ui.navigate.to("/")
