"""The machine that measures."""

import platform
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
