"""Solvers of problems over bits that see no more of them than the fitness of the genomes they ask for.

>>> from agents.black_box import linkage
>>> from ci_envs.problems import BitString, optimise
>>> optimise(BitString(10), linkage).value
1.0
"""

from agents.black_box.distribution import umda
from agents.black_box.genetic import genetic
from agents.black_box.hill_climber import hill_climber
from agents.black_box.islands import islands
from agents.black_box.linkage import linkage
from agents.black_box.one_plus_one import one_plus_one

__all__ = ["genetic", "hill_climber", "islands", "linkage", "one_plus_one", "umda"]
