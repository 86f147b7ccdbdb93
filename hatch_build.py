"""Build hook that replaces the relative links of the README by absolute links, because PyPI shows only the README."""

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

_LINK = re.compile(r"(?<=\]\()(?!https?://|#)(?=[^)\s]+\))")
_IMAGE = re.compile(r'(?<=<img src=")(?!https?://)')


class AbsoluteLinks(MetadataHookInterface):
    """Hook that sets the readme of the package to README.md with absolute links to the repository."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Set ``readme`` in the metadata of the project."""
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {"content-type": "text/markdown", "text": absolute(text, metadata["urls"]["Repository"])}


def absolute(text: str, repository: str) -> str:
    """Return a Markdown text in which relative links are replaced by links to the main branch of a repository.

    Args:
        text: The Markdown text.
        repository: The URL of the repository, without a slash at its end.
    """
    return _IMAGE.sub(f"{repository}/raw/main/", _LINK.sub(f"{repository}/blob/main/", text))
