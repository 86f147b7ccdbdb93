"""CMA-ES: Hansen and Ostermeier, "Completely derandomized self-adaptation in evolution strategies", 2001.

This module uses the library ``cma`` of its author (Hansen, Akimoto and Baudis, doi 10.5281/zenodo.2559634), which
contains later improvements. Its time, 0.7 ms for a generation of 13 genomes of 22 genes, is negligible beside play.
"""

import numpy as np

from ci_envs.extras import optional_import
from ci_envs.games import integer_between
from ci_envs.optimisation.evolution.parameters import Genomes, Values, between


class CMAES:
    """The CMA-ES optimiser for :class:`~ci_envs.optimisation.evolution.ask_tell.OptimiserEvolution`.

    It has its own random numbers. By default ``cma`` would seed and use NumPy's global random numbers.

    Attributes:
        genomes: the genomes of the last generation, (offspring, genes).
    """

    genomes: Genomes

    def __init__(
        self, start: Values, sigma: float, *, seed: int, offspring: int | None = None, parents: int | None = None
    ) -> None:
        """Make the optimiser.

        Args:
            start: the mean of the first generation, of shape (genes,) with at least 2 genes.
            sigma: the standard deviation of the first generation, above 0.
            seed: the seed of all random numbers, 0 to 2^64 - 1.
            offspring: number of genomes of a generation, at least 2. None means 4 + 3 ln genes, as Hansen recommends.
            parents: number of parents among them. None means half.

        Raises:
            ValueError: an argument is out of range.
            ImportError: ``cma`` is not installed.
        """
        if np.ndim(start) != 1 or len(start) < 2 or not np.isfinite(start).all():
            raise ValueError(f"CMA-ES needs 2 genes or more, not those of {start!r}")
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
            "seed": np.nan,  # means that nothing is seeded
            "verbose": -10,  # prints nothing, and reads no file with other options
        }
        self._strategy = CMAEvolutionStrategy(np.array(start, dtype=np.float64), float(sigma), options)

    def ask(self) -> Genomes:
        """Sample the next generation from the distribution, (population, genes)."""
        self.genomes = np.array(self._strategy.ask())
        return self.genomes

    def tell(self, fitness: Values) -> None:
        """Move the distribution towards the best genomes of the last generation."""
        self._strategy.tell(list(self.genomes), list(-fitness))

    @property
    def mean(self) -> Values:
        """The mean of the next generation, (genes,). Noise in the fitness affects it less than a single genome."""
        return np.array(self._strategy.mean)
