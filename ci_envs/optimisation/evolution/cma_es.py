"""CMA-ES: Hansen and Ostermeier, "Completely derandomized self-adaptation in evolution strategies", 2001.

It is the library ``cma`` by its author (Hansen, Akimoto and Baudis, doi 10.5281/zenodo.2559634): it has what was found
out since, and its time, 0.7 ms for a generation of 13 genomes of 22 genes, is nothing beside that of play.
"""

import numpy as np

from ci_envs.extras import optional_import
from ci_envs.games import integer_between
from ci_envs.optimisation.evolution.parameters import Genomes, Values, between


class CMAES:
    """The optimiser for :func:`~ci_envs.optimisation.evolution.ask_tell.optimise`.

    Its random numbers are its own: left alone, ``cma`` would seed and use NumPy's global ones.

    Attributes:
        genomes: those of the last generation that was asked for, (offspring, genes).
    """

    genomes: Genomes

    def __init__(
        self, start: Values, sigma: float, *, seed: int, offspring: int | None = None, parents: int | None = None
    ) -> None:
        """Make the optimiser.

        Args:
            start: the mean of the first generation, (genes,) with at least 2.
            sigma: its standard deviation, above 0.
            seed: of all random numbers, 0 to 2^64 - 1.
            offspring: genomes of a generation, at least 2; None means 4 + 3 ln genes, as Hansen advises.
            parents: how many of them are; None means half.

        Raises:
            ValueError: something does not fit.
            ImportError: ``cma`` is not installed.
        """
        if np.ndim(start) != 1 or len(start) < 2:
            raise ValueError(f"CMA-ES is for 2 genes or more, not for those of {start!r}")
        between("sigma", sigma, np.finfo(float).tiny)
        lambda_ = int(4 + 3 * np.log(len(start))) if offspring is None else integer_between("offspring", offspring, 2)
        mu = lambda_ // 2 if parents is None else integer_between("population", parents, 1, lambda_)
        rng = np.random.default_rng(integer_between("seed", seed, 0, 2**64 - 1))
        with optional_import("CMA-ES", "evolution"):
            from cma import CMAEvolutionStrategy

        options = {
            "popsize": lambda_,
            "CMA_mu": mu,
            "randn": lambda rows, columns: rng.standard_normal((rows, columns)),
            "seed": np.nan,  # which is: seed nothing
            "verbose": -10,  # nothing is printed, and no file with other options looked for
        }
        self._strategy = CMAEvolutionStrategy(np.array(start, dtype=np.float64), float(sigma), options)

    def ask(self) -> Genomes:
        """Sample the next generation from the distribution, (population, genes)."""
        self.genomes = np.array(self._strategy.ask())
        return self.genomes

    def tell(self, fitness: Values) -> None:
        """Move the distribution towards the best of the last sampled genomes."""
        self._strategy.tell(list(self.genomes), list(-fitness))

    @property
    def mean(self) -> Values:
        """The mean of the next generation, (genes,): luck weighs less in it than in any genome."""
        return np.array(self._strategy.mean)
