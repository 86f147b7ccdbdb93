"""The key that cookies are signed with."""

import os
import secrets
from contextlib import suppress
from pathlib import Path


def load_cookie_secret(games: Path) -> str:
    """Return the key of a server. The file beside the games is readable for its owner only, and made if missing.

    Raises:
        OSError: it cannot be read or made.
    """
    path = games.with_suffix(".secret")
    with suppress(FileExistsError):
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w") as file:
            file.write(secrets.token_urlsafe(32))
    return path.read_text()
