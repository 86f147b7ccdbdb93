"""What to install when an optional package is missing."""

import json
import re
from collections import Counter
from importlib.metadata import PackageNotFoundError, distribution

_NAME = "ci-envs"

_DISTRIBUTIONS = {"PIL": "pillow", "pygame": "pygame-ce"}
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
    """Return a command that installs an extra in the way in which this package was installed."""
    try:
        origin = json.loads(distribution(_NAME).read_text("direct_url.json") or "{}")
    except PackageNotFoundError:
        origin = {}
    if origin.get("dir_info", {}).get("editable"):
        return f'pip install -e ".[{extra}]"'
    if url := origin.get("url"):
        return f'pip install "{_NAME}[{extra}] @ {url}"'
    return f'pip install "{_NAME}[{extra}]"'
