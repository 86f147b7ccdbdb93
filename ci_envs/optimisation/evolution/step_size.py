"""The one-fifth success rule: the step size grows while over a fifth of the offspring are better than their parents.

Rechenberg, "Evolutionsstrategie", 1973, in the smooth form of Kern, Mueller, Hansen, Buche, Ocenasek and Koumoutsakos,
"Learning probability distributions in continuous evolutionary algorithms", Natural Computing 3, 2004. DEAP and pymoo
do not have this rule.
"""

import math
from dataclasses import dataclass

from ci_envs.optimisation.evolution.parameters import between
from ci_envs.validation import positive_number

_TARGET = 0.2


@dataclass(frozen=True)
class OneFifth:
    """The one-fifth success rule: multiply the step by ``exp((success - 1/5) / (1 - 1/5) / damping)``.

    Attributes:
        damping: how slowly the step changes, 0.01 or more; 3 is usual for few genes, about 1 + genes / (2 offspring)
            for many.
        least: the minimum of the step, above 0.
    """

    damping: float = 3.0
    least: float = 1e-12

    def __post_init__(self) -> None:
        between("damping", self.damping, 0.01)
        positive_number("least", self.least)

    def __call__(self, step: float, success: float) -> float:
        """Return the next step.

        Args:
            step: the step so far.
            success: the share of the offspring that are better than their parents, 0 to 1.
        """
        return max(self.least, step * math.exp((success - _TARGET) / (1 - _TARGET) / self.damping))
