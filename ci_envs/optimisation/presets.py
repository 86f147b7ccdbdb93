"""Presets of the solvers: options by name."""

from collections.abc import Mapping

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
