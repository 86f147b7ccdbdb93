"""The presets of the reports: the options with which our learners and solvers do what a section describes."""

from collections.abc import Mapping

from ci_envs.reports.descriptions import descriptions


def presets_of(owner: str) -> Mapping[str, str]:
    """Return the options of a learner or a solver by the name of the section, as in a spec string."""
    found = {name: content.get("presets", {}).get(owner) for name, content in descriptions().items()}
    return {name: options for name, options in found.items() if options is not None}
