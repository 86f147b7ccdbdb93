"""What to install when an optional package is missing."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

_NAME = "ci-envs"

_DISTRIBUTIONS = {"PIL": "pillow", "pygame": "pygame-ce", "pyspiel": "open-spiel"}
"""The distribution of each module whose name is another one."""


def missing_package(owner: str, package: str, extra: str) -> str:
    """Return the message for a missing package: who needs it, the extra that provides it, and a command.

    Args:
        owner: What needs the package, for example ``agent 'sb3'``.
        package: The name of the package.
        extra: The extra of this package that provides it.
    """
    return f"{owner} needs {package}: install the extra {extra!r}, for example {install_command(extra)}"


def missing_module(owner: str, error: ImportError, preferred: str = "") -> str:
    """Return the message for an import that failed; it names an extra if one provides the module.

    Args:
        owner: What needs the module, for example ``agent 'sb3'``.
        error: The error of the import.
        preferred: The extra to name if several provide the module.
    """
    module = (error.name or "").partition(".")[0]
    extras = extras_with(_DISTRIBUTIONS.get(module, module.replace("_", "-")))
    if not extras:
        return f"{owner} needs what is not installed: {error}"
    return missing_package(owner, module, preferred if preferred in extras else extras[0])


@contextmanager
def optional_import(owner: str, preferred: str = "") -> Iterator[None]:
    """Name the extra to install when an import in the ``with`` block fails.

    Args:
        owner: What needs the imported package, for example ``agent 'sb3'``.
        preferred: The extra to name if several provide the package.

    Raises:
        ImportError: An import in the block failed; the message is that of :func:`missing_module`.
    """
    try:
        yield
    except ImportError as error:
        if error.name is None:  # not from an import statement, so the message already says what is missing
            raise
        raise ImportError(missing_module(owner, error, preferred)) from error


def extras_with(package: str) -> list[str]:
    """Return the extras of this package that require a package, the one with the fewest requirements first."""
    try:
        requirements = distribution(_NAME).requires or []
    except PackageNotFoundError:
        return []
    matches = (re.fullmatch(r"([\w.-]+).*;.*extra == ['\"](\w+)['\"]", requirement) for requirement in requirements)
    found = [(match[1].lower(), match[2]) for match in matches if match]
    sizes = Counter(extra for _, extra in found)
    return sorted((extra for name, extra in found if name == package.lower()), key=lambda extra: (sizes[extra], extra))


def install_command(extra: str) -> str:
    """Return a command that installs an extra in the way in which this package was installed.

    Only a package that came from an index is installed from there again. The sources are installed from their folder,
    and a file or a repository by its URL. A package without metadata is used from its sources.
    """
    try:
        origin = json.loads(distribution(_NAME).read_text("direct_url.json") or "{}")
    except PackageNotFoundError:
        return f'pip install -e "{Path(__file__).parents[1]}[{extra}]"'
    url = origin.get("url")
    if url is None:
        return f'pip install "{_NAME}[{extra}]"'
    if origin.get("dir_info", {}).get("editable"):
        return f'pip install -e "{url2pathname(urlsplit(url).path)}[{extra}]"'
    if "vcs_info" in origin:
        url = f"{origin['vcs_info']['vcs']}+{url}"
    return f'pip install "{_NAME}[{extra}] @ {url}"'
