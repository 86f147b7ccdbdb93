"""A bit string in a black box: the course on computational intelligence at the Politecnico di Torino, 2023, lab 9.

The box of ``problem`` a sees the genome as a interleaved strings, of whose counts of ones the largest is T: fitness is
(m T - sum of r_j / 10^(j + 1)) / loci, where m of the counts are T and r_0 >= r_1 >= ... are the others. All ones give
1, but step by step it is one string alone that grows, at the cost of the others, to a fitness of 1 / a.
"""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ci_envs.optimisation.problem import Genome, Problem
from ci_envs.validation import integer_between


class BitString(Problem):
    """The black box. Solvers see its ``fitness`` alone, and each genome they show it is counted in ``calls``.

    Attributes:
        problem: how many strings are interleaved.
    """

    measure: ClassVar[str] = "fitness"
    is_cost: ClassVar[bool] = False

    def __init__(self, problem: int = 1, loci: int = 1000) -> None:
        """Make a box.

        Args:
            problem: 1, 2, 5 and 10 in the lab; from 1 to 300, as far as powers of ten reach, and to ``loci``.
            loci: bits of a genome, 1 or more; a multiple of ``problem``, so that all strings are as long.

        Raises:
            ValueError: one is out of range.
        """
        super().__init__(integer_between("loci", loci, 1))
        self.problem = integer_between("problem", problem, 1, min(300, loci))
        if loci % problem:
            raise ValueError(f"loci must be a multiple of problem {problem}, not {loci}")

    def __repr__(self) -> str:
        return f"BitString(problem={self.problem}, loci={self.loci})"

    def value(self, genome: Genome, fitness: float) -> float:
        """The fitness itself."""
        return fitness

    def _fitness(self, genomes: NDArray[np.bool_]) -> NDArray[np.float64]:
        ones = np.sort(genomes.reshape(len(genomes), -1, self.problem).sum(axis=1), axis=1)[:, ::-1]
        best = ones[:, :1]
        at_best = (ones == best).sum(axis=1, keepdims=True)
        # the count in place j is the other number j - m, which weighs 0.1^(j - m + 1)
        power = at_best - 1 - np.arange(self.problem)
        weights = np.where(ones == best, 0.0, 10.0 ** np.minimum(power, 0))
        result: NDArray[np.float64] = ((at_best * best)[:, 0] - (ones * weights).sum(axis=1)) / self.loci
        return result
