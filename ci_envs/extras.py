"""Messages about missing optional packages, with the command that installs them."""

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

_DISTRIBUTIONS = {"PIL": "pillow", "neat": "neat-python", "pygame": "pygame-ce", "pyspiel": "open-spiel"}
"""The distribution of each module that has another name than its distribution."""


def missing_package(owner: str, package: str, extra: str) -> str:
    """Return the message for a missing package, with the extra that provides the package and a command.

    Args:
        owner: The feature that needs the package, for example ``agent 'sb3'``.
        package: The name of the package.
        extra: The extra of this package that provides it.
    """
    return f"{owner} needs {package}: install the extra {extra!r}, for example {install_command(extra)}"


def missing_module(owner: str, error: ImportError, preferred: str = "") -> str:
    """Return the message for a failed import. It names an extra if an extra provides the module.

    Args:
        owner: The feature that needs the module, for example ``agent 'sb3'``.
        error: The error of the import.
        preferred: The extra to name if several extras provide the module.
    """
    module = (error.name or "").partition(".")[0]
    extras = extras_with(_DISTRIBUTIONS.get(module, module.replace("_", "-")))
    if not extras:
        return f"{owner} needs a package that is not installed: {error}"
    return missing_package(owner, module, preferred if preferred in extras else extras[0])


@contextmanager
def optional_import(owner: str, preferred: str = "") -> Iterator[None]:
    """Name the extra to install when an import in the ``with`` block fails.

    Args:
        owner: The feature that needs the imported package, for example ``agent 'sb3'``.
        preferred: The extra to name if several extras provide the package.

    Raises:
        ImportError: An import in the block failed. :func:`missing_module` makes the message.
    """
    try:
        yield
    except ImportError as error:
        if error.name is None:  # the error is not from an import statement, so its message names the missing package
            raise
        raise ImportError(missing_module(owner, error, preferred)) from error


def extras_with(package: str) -> list[str]:
    """Return the extras of this package that require a package. The extra with the fewest requirements comes first."""
    try:
        requirements = distribution(_NAME).requires or []
    except PackageNotFoundError:
        return []
    matches = (re.fullmatch(r"([\w.-]+).*;.*extra == ['\"](\w+)['\"]", requirement) for requirement in requirements)
    found = [(match[1].lower(), match[2]) for match in matches if match]
    sizes = Counter(extra for _, extra in found)
    return sorted((extra for name, extra in found if name == package.lower()), key=lambda extra: (sizes[extra], extra))


def install_command(extra: str) -> str:
    """Return a command that installs an extra from the source of this installation.

    The source is a package index, a folder, or the URL of a file or a repository. A package without metadata is not
    installed, so the command installs its folder.
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
