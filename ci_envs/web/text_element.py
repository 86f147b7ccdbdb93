"""Text in an HTML element of any tag."""

import html

from nicegui import ui


def text_element(tag: str, text: str) -> ui.html:
    """Add an element whose content is text. Characters such as ``<`` are shown, and never read as HTML.

    Args:
        tag: The tag of the element, for example ``h1``.
        text: The text, which can come from a client.
    """
    return ui.html(text, sanitize=html.escape, tag=tag)
