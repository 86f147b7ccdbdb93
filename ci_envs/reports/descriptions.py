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


def presets_of(owner: str) -> Mapping[str, str]:
    """Return the presets of a learner or a solver: the options with which it does what a section describes.

    The options are those of a spec string, by the name of the section.
    """
    found = {name: content.get("presets", {}).get(owner) for name, content in descriptions().items()}
    return {name: options for name, options in found.items() if options is not None}
