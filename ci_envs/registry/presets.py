"""Presets: named sets of options of learners and solvers."""

from collections.abc import Mapping
from functools import cache
from importlib import import_module

_SOURCE = "ci_envs.reports.descriptions"  # in a higher layer, so imported by its name when it is needed


@cache
def presets_of(owner: str) -> Mapping[str, str]:
    """Return the presets of a learner or a solver: options as in a spec string, by the value of the option ``preset``.

    Args:
        owner: The name of the learner or of the solver.

    Example:
        >>> from ci_envs.registry.presets import presets_of
        >>> len(presets_of("q_learning"))
        3
    """
    presets: Mapping[str, str] = import_module(_SOURCE).presets_of(owner)
    return presets
