"""Linkage learning: find groups of related bits by single flips, then climb by whole groups.

This is linkage identification by perturbation (Munetomo and Goldberg, "Linkage identification by non-monotonicity
detection for overlapping functions", Evolutionary Computation 7, 1999), here by the size of effects: bits whose flips
change the fitness by the same amount, some up and some down, form one group. This costs one call per bit; pairs of
flips would cost one call per pair. The order of the bits and the meaning of 0 and 1 do not matter.

In :class:`~ci_envs.optimisation.bit_string.problem.BitString` the groups are the interleaved strings. The weight of a
string is a power of ten that depends on the rank of its number of ones, so strings with different numbers of ones have
different weights. Strings with the same number of ones look like one group, but there the flips up and the flips down
have different sizes. Such a group is rejected as ambiguous.
"""

from collections.abc import Generator, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ci_envs.optimisation.bit_string.black_box import REPORT_CALLS, BlackBox, Calls, Seed
from ci_envs.optimisation.problem import Genome, Problem
from ci_envs.optimisation.solving import Incumbent
from ci_envs.registry.options import validated

_SAME_SIZE = 1e-6  # maximum relative difference between effects of the same size
_NOISE = 8 * np.finfo(np.float64).eps  # rounding error of an effect, relative to the fitness
_SIGNIFICANT = 16  # minimum ratio of a significant effect to the noise


@dataclass(frozen=True, eq=False)
class _Group:
    """Related loci, with the bit of each locus that was better: ``loci`` intp (n,), ``bits`` bool (n,)."""

    loci: NDArray[np.intp]
    bits: NDArray[np.bool_]


@validated
def linkage(problem: Problem, *, calls: Calls = 26_000, seed: Seed = 0) -> Iterator[Incumbent]:
    """Flip single bits to find groups of related bits, then set each group to its better bits or to their opposites.

    Bits without a group are randomised and flipped again. The known groups do not change. The search ends when every
    bit has a group and no group improves the fitness, or when fewer calls are left than bits without a group. The work
    is the number of fitness calls.
    """
    box, rng = BlackBox(problem, calls), np.random.default_rng(seed)
    genome, groups = box.random_genome(rng), list[_Group]()
    ungrouped = rng.permutation(box.loci)
    fitness = box.fitness_of(genome)
    yield box.incumbent()
    while box.remaining >= len(ungrouped):
        effects = yield from _flip_effects(box, genome, fitness, ungrouped)
        noise = _NOISE * (abs(fitness) + float(np.abs(effects).max()))
        found = _find_groups(genome, ungrouped, effects, noise)
        groups += found
        ungrouped = ungrouped[~np.isin(ungrouped, [locus for group in found for locus in group.loci])]
        yield from _climb(box, genome, fitness, groups)
        if not len(ungrouped) or not box.remaining:
            break
        genome[ungrouped] = rng.random(len(ungrouped)) < 0.5
        fitness = box.fitness_of(genome)
    yield box.incumbent()


def _flip_effects(
    box: BlackBox, genome: Genome, fitness: float, loci: NDArray[np.intp]
) -> Generator[Incumbent, None, NDArray[np.float64]]:
    """Return how much the fitness changes when each of some bits is flipped alone, float64 (loci,)."""
    values = []
    for first in range(0, len(loci), REPORT_CALLS):
        batch = loci[first : first + REPORT_CALLS]
        flipped = np.tile(genome, (len(batch), 1))
        flipped[np.arange(len(batch)), batch] ^= True
        values.append(box.fitness(flipped))
        yield box.incumbent()
    return np.concatenate(values) - fitness


def _find_groups(genome: Genome, loci: NDArray[np.intp], effects: NDArray[np.float64], noise: float) -> list[_Group]:
    """Return the groups of bits with effects of the same size that contain effects up and effects down.

    If there are no such groups, return bits whose effect has a unique size, as groups of one bit.
    """
    order = np.argsort(np.abs(effects), kind="stable")
    order = order[np.abs(effects[order]) > _SIGNIFICANT * noise]
    sizes = np.abs(effects[order])
    ends = np.flatnonzero(np.diff(sizes) > _SAME_SIZE * sizes[1:] + noise) + 1
    parts = [part for part in np.split(order, ends) if len(part)]
    clear = [part for part in parts if (effects[part] > 0).any() and (effects[part] < 0).any()]
    chosen = clear or [part for part in parts if len(part) == 1]
    return [_Group(loci[part], genome[loci[part]] ^ (effects[part] > 0)) for part in chosen]


def _climb(box: BlackBox, genome: Genome, fitness: float, groups: list[_Group]) -> Iterator[Incumbent]:
    """Set each group, in ``genome``, to its better bits or to their opposites until nothing improves the fitness."""
    improved = True
    while improved:
        improved = False
        for group in groups:
            for bits in (group.bits, ~group.bits):
                before = genome[group.loci]
                if (bits == before).all():
                    continue
                if not box.remaining:
                    return
                genome[group.loci] = bits
                value = box.fitness_of(genome)
                if value > fitness:
                    fitness, improved = value, True
                else:
                    genome[group.loci] = before
                if box.work % REPORT_CALLS == 0:
                    yield box.incumbent()
        yield box.incumbent()
