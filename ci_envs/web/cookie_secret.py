"""The key that signs the cookies."""

import os
import secrets
from contextlib import suppress
from pathlib import Path


def load_cookie_secret(games: Path) -> str:
    """Return the key of a server from the file next to the games. Create the file if it is missing.

    Only the owner can read the file (mode 0600).

    Args:
        games: The path of the file of the games.

    Raises:
        OSError: The file cannot be read or created.
    """
    path = games.with_suffix(".secret")
    with suppress(FileExistsError):
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w") as file:
            file.write(secrets.token_urlsafe(32))
    return path.read_text()
