"""Links from the pages to other files: MkDocs resolves only those from Markdown pages to other pages."""

import posixpath
import re
from collections.abc import Callable

_IN_MARKDOWN = re.compile(r"(?<!!)(\[[^\]]*\]\()(?!https?://|#|mailto:)([^)\s#]+)((?:#[^)\s]*)?\))")
_IN_HTML = re.compile(r'(<a href=")(?!https?://|#|mailto:)([^"#]+)((?:#[^"]*)?")')


def relinked_markdown(markdown: str, page: str, link_of: Callable[[str], str | None]) -> str:
    """Return a Markdown page with other links.

    Args:
        markdown: the text of the page.
        page: the path of the page in the repository.
        link_of: the new link to a file, by its path in the repository; None keeps the link.
    """
    return _relinked(_IN_MARKDOWN, markdown, page, link_of)


def relinked_html(html: str, page: str, link_of: Callable[[str], str | None]) -> str:
    """Return the HTML of a page with other links; the arguments are those of :func:`relinked_markdown`."""
    return _relinked(_IN_HTML, html, page, link_of)


def _relinked(pattern: re.Pattern[str], text: str, page: str, link_of: Callable[[str], str | None]) -> str:
    folder = posixpath.dirname(page)

    def new_link(match: re.Match[str]) -> str:
        link = link_of(posixpath.normpath(posixpath.join(folder, match[2])))
        return match[0] if link is None else f"{match[1]}{link}{match[3]}"

    return pattern.sub(new_link, text)
