"""A black-box bit string: the course on computational intelligence at the Politecnico di Torino, 2023, lab 9.

With ``problem`` a, the genome consists of a interleaved strings. Let T be the largest number of ones of a string. The
fitness is (m T - sum of r_j / 10^(j + 1)) / loci, where m strings have T ones and r_0 >= r_1 >= ... are the numbers of
ones of the others. All ones is the optimum, with fitness 1. But single steps improve one string at the cost of the
others, up to a fitness of 1 / a.
"""

from math import isclose
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from ci_envs.optimisation.problem import Genome, Problem
from ci_envs.registry.options import Option, validated
from ci_envs.validation import integer_between


class BitString(Problem):
    """A black box: solvers see only its ``fitness``. ``calls`` counts the genomes that they evaluate.

    Attributes:
        problem: the number of interleaved strings.

    Examples:
        >>> import numpy as np
        >>> from ci_envs.optimisation import BitString
        >>> box = BitString(problem=1, loci=100)
        >>> box.fitness(np.ones((1, 100), dtype=np.int8)), box.calls
        (array([1.]), 1)
    """

    measure: ClassVar[str] = "fitness"
    is_cost: ClassVar[bool] = False

    @validated
    def __init__(
        self,
        problem: Annotated[
            int,
            Option(
                "number of interleaved strings, at most loci and 300, so that powers of ten do not underflow; the lab "
                "has 1, 2, 5 and 10",
                ge=1,
            ),
        ] = 1,
        loci: Annotated[
            int,
            Option("number of bits of a genome; a multiple of problem, so that all strings have the same length", ge=1),
        ] = 1000,
    ) -> None:
        """Make a black box.

        Raises:
            ValueError: a value is out of range.
        """
        super().__init__(loci)
        self.problem = integer_between("problem", problem, 1, min(300, loci))
        if loci % problem:
            raise ValueError(f"loci must be a multiple of problem {problem}, not {loci}")

    def __repr__(self) -> str:
        return f"BitString(problem={self.problem}, loci={self.loci})"

    @override
    def value(self, genome: Genome, fitness: float) -> float:
        return fitness

    @override
    def check_solution(self, genome: Genome, value: float) -> None:
        super().check_solution(genome, value)
        right = self._fitness(self.checked(np.asarray(genome)[np.newaxis]))[0]
        if not isclose(value, right, rel_tol=1e-9):
            raise ValueError(f"a solution of the fitness {value:g} was given, but its fitness is {right:g}")

    @override
    def _fitness(self, genomes: NDArray[np.bool_]) -> NDArray[np.float64]:
        ones = np.sort(genomes.reshape(len(genomes), self.loci // self.problem, self.problem).sum(axis=1), axis=1)[
            :, ::-1
        ]
        best = ones[:, :1]
        best_count = (ones == best).sum(axis=1, keepdims=True)
        # the number of ones at index j is r_(j - m), with the weight 0.1^(j - m + 1)
        power = best_count - 1 - np.arange(self.problem)
        weights = np.where(ones == best, 0.0, 10.0 ** np.minimum(power, 0))
        result: NDArray[np.float64] = ((best_count * best)[:, 0] - (ones * weights).sum(axis=1)) / self.loci
        return result
