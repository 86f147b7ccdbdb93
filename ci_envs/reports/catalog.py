"""The sections of the reports by name, with their agents and solvers.

The package ``report_x`` of report X has one module with a ``SECTION`` for each section, for example ``b31.py``.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from importlib import import_module
from pkgutil import iter_modules

from ci_envs.optimisation.solving import Solver
from ci_envs.reports.section import AgentMaker, Section
from ci_envs.validation import unknown_name

REPORTS: Mapping[str, str] = {
    "A": "First course report (2023/24): set covering, Nim, a black box, tic-tac-toe and Quixo",
    "B": "Second course report (2022/23): set covering, Nim and Quarto",
    "C": "Monte Carlo tree search on tic-tac-toe",
    "D": "Quixo by a team",
    "E": "AlphaZero for n in a row",
}
"""The titles of the reports, by letter."""


@lru_cache
def sections() -> Mapping[str, Section]:
    """Return all sections by name, in the order of the reports."""
    found: list[Section] = []
    for letter in map(str.lower, REPORTS):
        package = import_module(f"ci_envs.reports.report_{letter}")
        names = sorted(module.name for module in iter_modules(package.__path__))
        modules = [name for name in names if re.fullmatch(rf"{letter}\d*", name)]
        found += [import_module(f"{package.__name__}.{name}").SECTION for name in modules]
    return {section.name: section for section in found}


def section_of(name: str) -> Section:
    """Return the section of a name, in capital or small letters.

    Raises:
        ValueError: No section has this name.
    """
    section = sections().get(name.upper())
    if section is None:
        raise unknown_name("section", name, sections())
    return section


def agent_makers() -> Mapping[str, AgentMaker]:
    """Return the functions that make the agents of the reports, by the name of the agent."""
    return {name: maker for section in sections().values() for name, maker in section.agents.items()}


def report_solvers() -> Mapping[str, Solver]:
    """Return the solvers of the reports by name."""
    return {name: solver for section in sections().values() for name, solver in section.solvers.items()}
