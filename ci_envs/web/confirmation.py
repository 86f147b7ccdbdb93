"""A question before an action that cannot be undone."""

from nicegui import ui


class Confirmation:
    """A dialog with a question, a button that confirms and a button that cancels."""

    def __init__(self, question: str, action: str) -> None:
        """Make the dialog in the current element.

        Args:
            question: The question, which is also the label of the dialog.
            action: The text of the button that confirms.
        """
        with ui.dialog() as self._dialog, ui.card().props(f'role=alertdialog aria-label="{question}"'):
            ui.label(question)
            with ui.row():
                ui.button(action, on_click=lambda: self._dialog.submit(True)).props("no-caps")
                ui.button("Cancel", on_click=lambda: self._dialog.submit(False)).props("flat no-caps autofocus")

    async def is_given(self) -> bool:
        """Show the dialog, and return whether the user confirms."""
        return bool(await self._dialog)
