"""Presets of the solvers: the genetic algorithms of the course reports as options."""

from collections.abc import Mapping

from ci_envs.registry.spec import Option, split_spec
from ci_envs.validation import unknown_name

PRESETS: Mapping[str, Mapping[str, str]] = {
    "covering_genetic": {
        "B2": (
            "population=1500,offspring=1000,calls=201500,ones=0,tournament=2,crossover=one_point,crossover_rate=0.7,"
            "mutates_crossed=false,mutation=flip_one"
        )
    },
    "genetic": {"A3": "population=100,offspring=100,pool=20,tournament=10,flips=10,survival=comma,patience=50"},
}
"""The options by the name of the solver and of the section: ``covering_genetic:preset=B2``."""


def with_preset(solver: str, options: Mapping[str, Option]) -> dict[str, Option]:
    """Return the options of a solver after the option ``preset``, if there is one, has been replaced.

    Args:
        solver: the name of the solver.
        options: the options of a spec string. They replace those of the preset.

    Raises:
        ValueError: the solver has no preset of this name.
    """
    if "preset" not in options or solver not in PRESETS:
        return dict(options)
    given = dict(options)
    name, available = str(given.pop("preset")), PRESETS[solver]
    if name not in available:
        raise unknown_name("preset", name, available, owner=f"solver {solver}")
    return {**split_spec(f"{solver}:{available[name]}")[1], **given}
