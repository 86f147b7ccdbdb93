"""A question before an action that cannot be undone."""

from nicegui import ui


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
