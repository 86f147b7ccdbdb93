"""The machine that measures, and the commit of the sources."""

import platform
import subprocess
from pathlib import Path

_CPU_INFO = Path("/proc/cpuinfo")  # Linux


def processor() -> str:
    """Return the model of the processor, or its architecture if the model is unknown."""
    lines = _CPU_INFO.read_text().splitlines() if _CPU_INFO.exists() else []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return f"{models[0]}, {len(models)} cores" if models else platform.machine()


def machine() -> str:
    """Return the processor and the version of Python."""
    return f"{processor()}, Python {platform.python_version()}"


def source_commit() -> str | None:
    """Return the commit of the sources, with ``+`` if they have changed since, or None outside a git repository."""
    git = ["git", "-C", str(Path(__file__).parent)]
    try:
        commit = subprocess.run([*git, "rev-parse", "HEAD"], capture_output=True, text=True, check=True).stdout.strip()
        changed = subprocess.run([*git, "status", "--porcelain", "."], capture_output=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return None
    return f"{commit}+" if changed else commit
