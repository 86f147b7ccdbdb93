"""The sections of the reports, by name."""

from functools import lru_cache
from importlib import import_module
from typing import cast

from ci_envs.reports.section import Section
from ci_envs.validation import unknown_name

_MODULES = ("b1", "b31", "b32", "b33")
"""The modules of this package with a ``SECTION``, in the order of the reports."""


@lru_cache
def sections() -> dict[str, Section]:
    """Return all sections by name, in the order of the reports."""
    found = (cast(Section, import_module(f"ci_envs.reports.{module}").SECTION) for module in _MODULES)
    return {section.name: section for section in found}


def section_of(name: str) -> Section:
    """Return the section of a name, in capital or small letters.

    Raises:
        ValueError: There is no such section.
    """
    section = sections().get(name.upper())
    if section is None:
        raise unknown_name("section", name, tuple(sections()))
    return section
