"""The button that copies the address of the page."""

from nicegui import ui

# browsers have a clipboard only on localhost and with https; a selected text can be copied everywhere
_ON_CLICK = """async () => {
    try {
        await navigator.clipboard.writeText(location.href);
    } catch {
        const field = document.body.appendChild(document.createElement('textarea'));
        field.value = location.href;
        field.select();
        document.execCommand('copy');
        field.remove();
    }
    emit();
}"""


def copy_link_button() -> None:
    """Add the button."""
    button = ui.button("Copy link", icon="link").props("flat dense no-caps stack").classes("tool")
    button.on("click", lambda: ui.notify("The link is copied. Who opens it can watch."), js_handler=_ON_CLICK)
