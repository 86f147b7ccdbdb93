"""Replacement of links in pages. MkDocs resolves only links from Markdown pages to other pages of the site."""

import posixpath
import re
from collections.abc import Callable

_IN_MARKDOWN = re.compile(r"(?<!!)(\[[^\]]*\]\()(?!https?://|#|mailto:)([^)\s#]+)((?:#[^)\s]*)?\))")
_IN_HTML = re.compile(r'(<a href=")(?!https?://|#|mailto:)([^"#]+)((?:#[^"]*)?")')


def relinked_markdown(markdown: str, page: str, link_of: Callable[[str], str]) -> str:
    """Return a Markdown page with replaced links.

    Args:
        markdown: The text of the page.
        page: The path of the page in the repository.
        link_of: A function that takes the path of a file in the repository, and returns the new link to the file.
    """
    return _relinked(_IN_MARKDOWN, markdown, page, link_of)


def relinked_html(html: str, page: str, link_of: Callable[[str], str]) -> str:
    """Return the HTML of a page with replaced links. :func:`relinked_markdown` describes the arguments."""
    return _relinked(_IN_HTML, html, page, link_of)


def _relinked(pattern: re.Pattern[str], text: str, page: str, link_of: Callable[[str], str]) -> str:
    folder = posixpath.dirname(page)

    def new_link(match: re.Match[str]) -> str:
        return f"{match[1]}{link_of(posixpath.normpath(posixpath.join(folder, match[2])))}{match[3]}"

    return pattern.sub(new_link, text)
