"""The files that describe the sections (:mod:`ci_envs.reports.description`)."""

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent


@cache
def descriptions() -> Mapping[str, Mapping[str, Any]]:
    """Return the contents of all files by the name of the section, in the order of the reports."""
    files = sorted(FOLDER.glob("report_?/*.toml"))
    return {file.stem.upper(): tomllib.loads(file.read_text()) for file in files}
