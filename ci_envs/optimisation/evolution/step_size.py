"""The one-fifth success rule: steps grow while more than a fifth of the offspring are better than their parents.

Rechenberg, "Evolutionsstrategie", 1973, in the smooth form of Kern, Mueller, Hansen, Buche, Ocenasek and Koumoutsakos,
"Learning probability distributions in continuous evolutionary algorithms", Natural Computing 3, 2004. Our own: DEAP and
pymoo have none.
"""

import math
from dataclasses import dataclass

from ci_envs.validation import positive_number

_TARGET = 0.2


@dataclass(frozen=True)
class OneFifth:
    """Multiplies the step by ``exp((success - 1/5) / (1 - 1/5) / damping)`` each generation.

    Attributes:
        damping: how slowly the step changes. More genes want more: 3 is usual for few, about 1 + genes / (2 offspring)
            for many.
        least: the step does not fall below it.
    """

    damping: float = 3.0
    least: float = 1e-12

    def __post_init__(self) -> None:
        positive_number("damping", self.damping)
        positive_number("least", self.least)

    def __call__(self, step: float, success: float) -> float:
        """The next step, after a share ``success`` of the offspring, 0 to 1, was better than their parents."""
        return max(self.least, step * math.exp((success - _TARGET) / (1 - _TARGET) / self.damping))
