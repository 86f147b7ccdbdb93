"""Solvers that see only the fitness of a bit string.

>>> from ci_envs.optimisation.bit_string import linkage
>>> from ci_envs.optimisation import BitString, optimise
>>> optimise(BitString(10), linkage).value
1.0
"""

from ci_envs.optimisation.bit_string.genetic import genetic
from ci_envs.optimisation.bit_string.hill_climbing import random_restart_hill_climbing
from ci_envs.optimisation.bit_string.islands import islands
from ci_envs.optimisation.bit_string.linkage import linkage
from ci_envs.optimisation.bit_string.one_plus_one import one_plus_one
from ci_envs.optimisation.bit_string.umda import umda

__all__ = ["genetic", "islands", "linkage", "one_plus_one", "random_restart_hill_climbing", "umda"]
